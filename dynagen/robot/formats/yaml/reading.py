"""Reading of YAML files into a `RobotDescription`; one error lists all faults of a file.

A field with a fault is reported once and replaced by a valid value, so that the other fields are
still checked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from dynagen.errors import Fault, UsageError, clip, find_nearest, suggest_word
from dynagen.robot.description import (
    TOOL,
    Loop,
    NamedFrame,
    RobotDescription,
)
from dynagen.robot.edits import add_floating_base
from dynagen.robot.external_forces import find_contact_faults
from dynagen.robot.formats.yaml.couplings import read_couplings
from dynagen.robot.formats.yaml.document import Document, Faults, Path, read_yaml_document
from dynagen.robot.formats.yaml.links import check_names, read_links
from dynagen.robot.formats.yaml.quantities import YamlQuantities
from dynagen.robot.formats.yaml.schema import JOINT_WORDS, FrameSchema, RobotSchema
from dynagen.robot.loops import close_loops
from dynagen.robot.names import MAX_PREFIX, find_name_fault
from dynagen.robot.options import FLOATING, ReadingOptions
from dynagen.robot.payload import PAYLOAD, add_payload, find_payload_fault
from dynagen.robot.plausibility import find_implausibilities

# Words of other tools and books, and the word of this format that a message suggests for each.
_ALIASES = {
    **dict.fromkeys(("craig", "khalil", "proximal", "mdh"), "modified"),
    **dict.fromkeys(("paul", "spong", "classic", "classical", "distal", "sdh", "dh"), "standard"),
    **dict.fromkeys(("continuous", "rotational", "rotary", "hinge", "r"), "revolute"),
    **dict.fromkeys(("linear", "sliding", "slider", "translational", "p"), "prismatic"),
    **dict.fromkeys(("weld", "rigid"), "fixed"),
    **dict.fromkeys(("hooke", "cardan"), "universal"),
    "normal": "axis",
    **dict.fromkeys(("cog", "center_of_mass", "centre_of_mass"), "com"),
    **dict.fromkeys(("type", "joint_type"), "joint"),
    **dict.fromkeys(("motor_inertia", "rotor_inertia", "armature"), "motor"),
    **dict.fromkeys(("damping", "viscous", "coulomb"), "friction"),
}
_MAX_ROUNDS = 8  # a replacement may have faults of its own, once for each level of the format

_NUMBER, _THREE = "0", ["0", "0", "0"]
_DH = {"alpha": "0", "a": "0", "d": "0", "theta": "0"}
_REPLACEMENTS: dict[str, Any] = {
    "convention": "modified",
    "joint": "revolute",
    "dh": _DH,
    "gravity": _THREE,
    "axis": ["0", "0", "1"],
    "axes": [["1", "0", "0"], ["0", "1", "0"]],
    "xyz": _THREE,
    "rpy": _THREE,
    "com": _THREE,
    "first_moment": _THREE,
    "inertia": _THREE,
    "inertia_about_origin": _THREE,
    "links": [{"name": "link", "joint": "revolute", "dh": _DH}],
}
_DROPPED = (
    "source",
    "parameters",
    "frames",
    "couplings",
    "loops",
    "independent",
    "parent",
    "origin",
    "motor",
    "friction",
    "limits",
    "mimic",
    "position",
    "unit",
    "runtime",
)


def validate(document: Document, faults: Faults) -> RobotSchema | None:
    """Check the keys and types of a YAML description.

    Args:
        document: the document.
        faults: record to which the faults are added.

    Returns:
        The document with faulty fields replaced; None if the faults prevent further checks.
    """
    tree: Any = deepcopy(document.tree)
    for attempt in range(_MAX_ROUNDS):
        try:
            return RobotSchema.model_validate(tree)
        except ValidationError as error:
            for problem in error.errors(include_url=False):
                if problem["type"] == "none_required":
                    continue  # pydantic adds this to all faults of optional fields
                path = _find_path(tree, problem["loc"])
                if attempt == 0:
                    covers = (*path, problem["loc"][-1]) if problem["type"] == "missing" else path
                    faults.add(path, _describe_problem(problem, path), covers)
                if path == ("parameters",):
                    return None  # all numbers that use a parameter would be reported
                _repair(tree, path, problem)
    return None


def _find_path(tree: Any, location: tuple[int | str, ...]) -> Path:
    """Convert the location of a pydantic error to a path in the document.

    Tags of pydantic unions, and keys that the document lacks, are left out.
    """
    path: list[int | str] = []
    for key in location:
        inside = isinstance(tree, list) and isinstance(key, int) and key < len(tree)
        if inside or (isinstance(tree, dict) and key in tree):
            path.append(key)
            tree = tree[key]
    return tuple(path)


def _describe_problem(problem: Any, path: Path) -> str:
    """Return a message for users from a validation error of pydantic."""
    kind, found, context = problem["type"], problem["input"], problem.get("ctx", {})
    match kind:
        case "missing":
            key = str(problem["loc"][-1])
            return f"`{key}` is missing: {_find_model(path).model_fields[key].description}"
        case "extra_forbidden":
            known = _find_model(path[:-1]).model_fields
            key = str(path[-1])
            hint = _suggest(key, known) or f"; there are {', '.join(known)}"
            return f"unknown key `{clip(key)}`{hint}"
        case "literal_error":
            choices = str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
            expected = f"{', '.join(choices[:-1])} or {choices[-1]}"
            hint = _suggest(str(found), choices)
            return f"expected {expected}, found {_describe_found(found)}{hint}"
        case "too_short" | "too_long" if "links" in path[-1:] or "frames" in path[-1:]:
            limit = context.get("max_length")
            return (
                f"at most {limit} are possible, found {len(found)}"
                if limit
                else "at least one link is needed"
            )
        case "too_short" | "too_long":
            expected = context.get("min_length", context.get("max_length"))
            return f"expected {expected} numbers, found {len(found)}"
        case "wrong_elements":
            return f"{problem['msg']}, found `{clip(context['of'])}`"
        case "wrong_length":
            return f"{problem['msg']}, found {len(found)}"
        case "string_too_long":
            return f"longer than {context['max_length']} characters"
        case _:
            return f"expected {_describe_expected(kind, path)}, found {_describe_found(found)}"


def _suggest(word: str, known: Collection[str]) -> str:
    """Return "; did you mean ..." for a misspelled word or an alias; empty for other words."""
    return suggest_word(
        word, known, {alias: name for alias, name in _ALIASES.items() if name in known}
    )


def _describe_expected(kind: str, path: Path) -> str:
    """Return a phrase that names the kind of value that a field requires, for messages."""
    if kind == "string_type":
        is_text = path[-1] in ("name", "source", "parent", "joint", "link", "unit")
        return (
            "text (put it in quotes if you mean text)"
            if is_text
            else "a number or arithmetic such as -pi/2"
        )
    return {
        "list_type": "a list",
        "dict_type": "a mapping of names to numbers",
        "bool_type": "true or false",
    }.get(kind, "a mapping with the keys " + ", ".join(_find_model(path).model_fields))


def _describe_found(value: object) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return f"`{clip(value)}`"
    return "a list" if isinstance(value, list) else "a mapping"


def _find_model(path: Path) -> type[BaseModel]:
    """Return the pydantic model of the mapping at a path in the YAML document."""
    model: type[BaseModel] = RobotSchema
    for key in path:
        if isinstance(key, str) and key in model.model_fields:
            model = _find_model_in(model.model_fields[key].annotation) or model
    return model


def _find_model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _find_model_in(part))), None)


def _repair(tree: Any, path: Path, problem: Any) -> None:
    """Repair a field with a reported fault, so that validation can continue.

    The invalid value is replaced by a valid one. An unknown or optional key is removed.
    """
    missing = problem["type"] == "missing"
    key = problem["loc"][-1] if missing else path[-1]
    for step in path if missing else path[:-1]:
        tree = tree[step]
    if problem["type"] != "extra_forbidden" and path[:1] == ("parameters",):
        tree[key] = "1"
    elif problem["type"] == "extra_forbidden" or key in _DROPPED:
        tree.pop(key, None)
    elif key == "joint" and not missing:
        tree[key] = find_nearest(str(problem["input"]), JOINT_WORDS) or "revolute"
    elif problem["type"] in ("model_type", "model_attributes_type") and isinstance(key, int):
        tree[key] = {
            "name": f"unnamed {key}",
            "link": "",
            "joint": "revolute",
            "dh": _DH,
            "xyz": _THREE,
            "rpy": _THREE,
        }
    elif key in ("name", "link"):
        tree[key] = f"unnamed {'.'.join(map(str, path))}"
    else:
        tree[key] = deepcopy(_REPLACEMENTS.get(str(key), _NUMBER))


def read_contact_frames(
    key: str, value: bool | str | list[str], frames: Sequence[str], quantities: YamlQuantities
) -> tuple[str, ...]:
    """Return the names of the frames at which external wrenches or contact forces act.

    Args:
        key: the key of the file, `external_wrench` or `contact_force`.
        value: the value of the key: one or several names, true for the tool, or false for no frame.
        frames: names of the robot's frames.
        quantities: reader of the file, which collects the faults.
    """
    if isinstance(value, bool):
        return (TOOL,) if value else ()
    named = tuple(value) if isinstance(value, list) else (value,)
    for message in find_contact_faults(named, frames):
        quantities.faults.add((key,), message)
    return named


def read_yaml(data: bytes, path: str, options: ReadingOptions) -> RobotDescription:
    """Read a description in YAML.

    Args:
        data: content of the file.
        path: name of the file, for messages.
        options: options of reading, of which `snapping` and `base` are used.

    Raises:
        RobotDescriptionError: the file is not a valid description; the error lists all faults.
    """
    document = read_yaml_document(data, path)
    faults = Faults(document)
    schema = validate(document, faults)
    if schema is None:
        raise faults.make_error()
    if fault := find_name_fault(schema.name, MAX_PREFIX):
        faults.add(("name",), fault)
    _check_convention(schema, faults)
    quantities = YamlQuantities(document, faults, options.snapping)
    quantities.read_parameters(schema.parameters)
    floats = options.floats or schema.base == FLOATING
    links = read_links(schema.links, schema.convention, quantities, floats)
    frames = [frame.name for frame in schema.frames]
    description = RobotDescription(
        name=schema.name,
        gravity=quantities.read_vector(schema.gravity, ("gravity",)),
        links=links,
        frames=_read_frames(schema.frames, [link.name for link in schema.links], quantities),
        parameters=tuple(quantities.run_time),
        external_wrenches=read_contact_frames(
            "external_wrench", schema.external_wrench, frames, quantities
        ),
        contact_forces=read_contact_frames(
            "contact_force", schema.contact_force, frames, quantities
        ),
        notation="joint axes"
        if schema.convention is None
        else f"{schema.convention} Denavit-Hartenberg",
        source=schema.source,
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        notes=tuple(quantities.notes),
        snaps=tuple(quantities.snaps),
    )
    payload = links[-1].name if schema.payload is True else schema.payload or ""
    if payload and (fault := _find_payload_fault(payload, schema, quantities)):
        faults.add((PAYLOAD,), fault)
    if faults:
        raise faults.make_error()
    couplings = read_couplings(schema.couplings, description.links, quantities)
    if faults:
        raise faults.make_error()
    description = replace(description, couplings=couplings)
    if payload:
        description = add_payload(description, payload)
    try:
        loops = [Loop(loop.between[0], loop.between[1], loop.joint) for loop in schema.loops]
        description = close_loops(description, loops, schema.independent)
    except UsageError as error:
        faults.add(("loops",), str(error))
        raise faults.make_error() from None
    description = replace(
        description,
        warnings=_collect_warnings(description, [link.name for link in schema.links], quantities),
    )
    return add_floating_base(description) if schema.base == FLOATING else description


def _find_payload_fault(name: str, schema: RobotSchema, quantities: YamlQuantities) -> str | None:
    return find_payload_fault(
        name,
        [link.name for link in schema.links],
        [frame.name for frame in schema.frames],
        quantities.run_time,
    )


def _check_convention(schema: RobotSchema, faults: Faults) -> None:
    if schema.convention is None and any(link.dh for link in schema.links):
        description = RobotSchema.model_fields["convention"].description
        faults.add((), f"`convention` is missing: {description}", ("convention",))


def _read_frames(
    frames: Sequence[FrameSchema], links: Sequence[str], quantities: YamlQuantities
) -> tuple[NamedFrame, ...]:
    check_names([frame.name for frame in frames], "frames", quantities.faults)
    named = []
    for i, frame in enumerate(frames):
        if frame.link not in links:
            message = f"there is no link `{clip(frame.link)}`{suggest_word(frame.link, links)}"
            quantities.faults.add(("frames", i, "link"), message)
        named.append(
            NamedFrame(frame.name, frame.link, quantities.read_placement(frame, ("frames", i)))
        )
    return tuple(named)


def _collect_warnings(
    description: RobotDescription, written_order: Sequence[str], quantities: YamlQuantities
) -> tuple[Fault, ...]:
    """Return the warnings from reading and from plausibility checks, ordered by their lines."""
    for name, message in find_implausibilities(description):
        quantities.warn(("links", written_order.index(name)), message)
    return tuple(sorted(quantities.warnings, key=lambda warning: warning.line or 0))
