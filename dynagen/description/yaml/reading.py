"""A YAML file's bytes -> RobotDescription, or one RobotDescriptionError with all faults of the file.

bytes -> Document (document) -> RobotSchema (validation) -> RobotDescription (quantities, geometry, links)
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from dynagen.description.description import NamedFrame, RobotDescription
from dynagen.description.floating import with_floating_base
from dynagen.description.names import MAX_PREFIX, name_fault
from dynagen.description.options import FLOATING, ReadingOptions
from dynagen.description.payload import PAYLOAD_PARAMETERS
from dynagen.description.plausibility import implausibilities
from dynagen.description.yaml.document import read_document
from dynagen.description.yaml.faults import Faults
from dynagen.description.yaml.links import check_names, read_links
from dynagen.description.yaml.payload import with_payload, wrench_frames
from dynagen.description.yaml.quantities import Quantities
from dynagen.description.yaml.schema import FrameSchema, RobotSchema
from dynagen.description.yaml.validation import validate
from dynagen.errors import Fault, did_you_mean, shown


def read_yaml(data: bytes, path: str, options: ReadingOptions) -> RobotDescription:
    """Read a description.

    Args:
        data: the file's content.
        path: names it in messages.
        options: which numbers to snap.

    Raises:
        RobotDescriptionError: it is no robot description; carries all of its faults.
    """
    document = read_document(data, path)
    faults = Faults(document)
    schema = validate(document, faults)
    if schema is None:
        raise faults.error()
    if fault := name_fault(schema.name, MAX_PREFIX):
        faults.add(("name",), fault)
    _check_convention(schema, faults)
    quantities = Quantities(document, faults, options.snapping)
    quantities.read_parameters(schema.parameters)
    floats = options.floats or schema.base == FLOATING
    links = read_links(schema.links, schema.convention, quantities, floats)
    description = RobotDescription(
        name=schema.name,
        gravity=quantities.vector(schema.gravity, ("gravity",)),
        links=with_payload(links, schema.payload, quantities),
        frames=_frames(schema.frames, [link.name for link in schema.links], quantities),
        parameters=tuple(quantities.run_time),
        payload=() if schema.payload is False else tuple(PAYLOAD_PARAMETERS),
        external_wrenches=wrench_frames(schema.external_wrench, [frame.name for frame in schema.frames], quantities),
        notation="joint axes" if schema.convention is None else f"{schema.convention} Denavit-Hartenberg",
        source=schema.source,
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        notes=tuple(quantities.notes),
        snaps=tuple(quantities.snaps),
    )
    if faults:
        raise faults.error()
    description = replace(description, warnings=_warnings(description, [link.name for link in schema.links], quantities))
    return with_floating_base(description) if schema.base == FLOATING else description


def _check_convention(schema: RobotSchema, faults: Faults) -> None:
    if schema.convention is None and any(link.dh for link in schema.links):
        description = RobotSchema.model_fields["convention"].description
        faults.add((), f"`convention` is missing: {description}", ("convention",))


def _frames(frames: Sequence[FrameSchema], links: Sequence[str], quantities: Quantities) -> tuple[NamedFrame, ...]:
    check_names([frame.name for frame in frames], "frames", quantities.faults)
    placed = []
    for i, frame in enumerate(frames):
        if frame.link not in links:
            message = f"there is no link `{shown(frame.link)}`{did_you_mean(frame.link, links)}"
            quantities.faults.add(("frames", i, "link"), message)
        placed.append(NamedFrame(frame.name, frame.link, quantities.placement(frame, ("frames", i))))
    return tuple(placed)


def _warnings(description: RobotDescription, written_order: Sequence[str], quantities: Quantities) -> tuple[Fault, ...]:
    """Warnings of reading and of plausibility, in the order of lines."""
    for name, message in implausibilities(description):
        quantities.warn(("links", written_order.index(name)), message)
    return tuple(sorted(quantities.warnings, key=lambda warning: warning.line or 0))
