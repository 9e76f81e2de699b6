"""A file or its text -> RobotDescription, or one RobotDescriptionError with all faults of the file.

bytes -> Document (document) -> RobotSchema (validation) -> RobotDescription (quantities, links)
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from dynagen.description.description import NamedFrame, RobotDescription
from dynagen.description.names import MAX_PREFIX, name_fault
from dynagen.description.plausibility import link_implausibilities
from dynagen.description.yaml.document import MAX_BYTES, read_document
from dynagen.description.yaml.faults import Faults
from dynagen.description.yaml.links import check_names, read_links
from dynagen.description.yaml.payload import PAYLOAD_PARAMETERS, with_payload, wrench_frame
from dynagen.description.yaml.quantities import Quantities
from dynagen.description.yaml.schema import FrameSchema
from dynagen.description.yaml.validation import validate
from dynagen.errors import UsageError, did_you_mean, shown
from dynagen.resources import bundled_robots, robots_folder


def load_robot(path_or_name: str | Path, strict: bool = False) -> RobotDescription:
    """Load a robot description.

    Args:
        path_or_name: a file, or the name of a bundled robot.
        strict: refuse a robot that is physically impossible; otherwise `implausibilities` tells what is.

    Raises:
        UsageError: there is no such file or bundled robot, or the file cannot be read.
        RobotDescriptionError: the file is no robot description; carries all of its faults.
    """
    name = str(path_or_name)
    path = _find(name)
    return _describe(_bytes_of(path, name), str(path), strict)


def parse_robot(text: str, path: str, strict: bool = False) -> RobotDescription:
    """Read a description from its text; `path` names it in messages. Otherwise as `load_robot`."""
    return _describe(text.encode("utf-8", "surrogatepass"), path, strict)


def _find(name: str) -> Path:
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or "/" in name or "\\" in name or _is_file(path):
        return path
    bundled = bundled_robots()
    if name not in bundled:
        hint = did_you_mean(name, bundled)
        raise UsageError(f"there is no file and no bundled robot `{shown(name)}`; bundled are {', '.join(bundled)}{hint}")
    return robots_folder() / f"{name}.yaml"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # such as a name that is too long
        return False


def _bytes_of(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        hint = f"; `{path.stem}`, without its ending, is a bundled robot" if path.stem in bundled_robots() else ""
        raise UsageError(f"there is no file `{shown(name)}`{hint}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"`{shown(name)}` cannot be read: {reason}") from None


def _describe(data: bytes, path: str, strict: bool) -> RobotDescription:
    document = read_document(data, path)
    faults = Faults(document)
    schema = validate(document, faults)
    if schema is None:
        raise faults.error()
    if fault := name_fault(schema.name, MAX_PREFIX):
        faults.add(("name",), fault)
    quantities = Quantities(document, faults)
    quantities.read_parameters(schema.parameters)
    description = RobotDescription(
        name=schema.name,
        convention=schema.convention,
        gravity=quantities.vector(schema.gravity, ("gravity",)),
        links=with_payload(read_links(schema.links, quantities), schema.payload, quantities),
        frames=_frames(schema.frames, [link.name for link in schema.links], quantities),
        parameters=tuple(quantities.run_time),
        payload=() if schema.payload is False else PAYLOAD_PARAMETERS,
        external_wrench=wrench_frame(schema.external_wrench, [frame.name for frame in schema.frames], quantities),
        source=schema.source,
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        notes=tuple(quantities.notes),
    )
    if strict and not faults:
        _refuse_implausible(description, [link.name for link in schema.links], faults)
    if faults:
        raise faults.error()
    return description


def _frames(frames: Sequence[FrameSchema], links: Sequence[str], quantities: Quantities) -> tuple[NamedFrame, ...]:
    check_names([frame.name for frame in frames], "frames", quantities.faults)
    placed = []
    for i, frame in enumerate(frames):
        if frame.link not in links:
            message = f"there is no link `{shown(frame.link)}`{did_you_mean(frame.link, links)}"
            quantities.faults.add(("frames", i, "link"), message)
        placed.append(NamedFrame(frame.name, frame.link, quantities.placement(frame, ("frames", i))))
    return tuple(placed)


def _refuse_implausible(description: RobotDescription, written_order: Sequence[str], faults: Faults) -> None:
    for link in description.links:
        for message in link_implausibilities(link):
            index = written_order.index(link.name)
            faults.add(("links", index), message, ("links", index, message))
