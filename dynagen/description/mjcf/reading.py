"""An MJCF file -> RobotDescription: MuJoCo's compiler reads it, with its defaults, includes and meshes; this reads the result.

What MuJoCo has and a robot here has not is refused where it changes what moves (ball joints, closed loops), and warned of
where it only acts on what moves (springs, gravity compensation).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from dynagen.description.coordinates import with_coordinates
from dynagen.description.description import LinkDescription, NamedFrame, RobotDescription
from dynagen.description.displacement import translation_and_rpy
from dynagen.description.floating import floating_fault
from dynagen.description.mjcf.bodies import lengths, links_of
from dynagen.description.mjcf.compiled import CompiledModel, compile_mjcf
from dynagen.description.mjcf.quaternions import roll_pitch_yaw
from dynagen.description.names import MAX_PREFIX, circles, identifier, name_fault, name_faults
from dynagen.description.options import ReadingOptions
from dynagen.description.plausibility import implausibilities
from dynagen.description.snapping import OF_TOOLS, Snapper
from dynagen.description.xml_document import read_document
from dynagen.errors import Fault, RobotDescriptionError, shown
from dynagen.numbers.exact import Exact

_UNNAMED = "MuJoCo Model"
"""What MuJoCo calls a model without a name."""

_FREE = (
    "the base floats: q has its quaternion as x y z w, v its linear velocity in its own axes; "
    "MuJoCo has w x y z, and the axes of the world"
)


def read_mjcf(data: bytes, path: str, options: ReadingOptions) -> RobotDescription:
    """Read a description.

    Args:
        data: the file's content, which MuJoCo reads again from its path, because it may include others.
        path: of the file.
        options: which numbers to snap.

    Raises:
        ToolchainError: MuJoCo is not installed.
        RobotDescriptionError: it is no robot description, or says what is not available.
    """
    root = read_document(data, path)
    if root.tag != "mujoco":
        hint = ": give a URDF a name that ends in .urdf" if root.tag == "robot" else ""
        raise RobotDescriptionError(path, [Fault("", f"expected <mujoco>, found <{shown(root.tag)}>{hint}", root.line)])
    model = compile_mjcf(path)
    faults: list[Fault] = []
    warnings: list[Fault] = []
    notes: list[str] = []
    snapper = Snapper(options.snapping, OF_TOOLS)
    links = _coupled(links_of(model, snapper, faults, warnings), model, faults, notes)
    faults += (Fault(f"body {shown(links[place].name)}", fault) for place, fault in name_faults(link.name for link in links))
    if not faults and (fault := floating_fault(links)):
        faults.append(Fault(f"body {fault[0]}", fault[1]))
    if not faults and not options.floats and not any(link.joint.moves for link in links):
        faults.append(Fault("", "no joint moves: a robot needs at least one that is not fixed"))
    if faults:
        raise RobotDescriptionError(path, faults)
    if any(link.joint.type.is_free for link in links):
        notes.append(_FREE)
    if model.tendons:
        notes.append("tendons are not read")
    x, y, z = map(Exact, model.gravity)
    description = RobotDescription(
        name=_name(model, path),
        gravity=(x, y, z),
        links=with_coordinates(links),
        frames=tuple(_frames(model, links, snapper, notes)),
        notation="MJCF",
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        notes=tuple(notes),
        snaps=tuple(snapper.snaps),
    )
    implausible = (Fault(f"body {name}", message, link=name) for name, message in implausibilities(description))
    return replace(description, warnings=(*warnings, *implausible))


def _name(model: CompiledModel, path: str) -> str:
    """The model's name; the file's where generated names cannot begin with it."""
    for name in (model.name, Path(path).stem):
        if name != _UNNAMED and name_fault(name, MAX_PREFIX) is None:
            return name
    raise RobotDescriptionError(
        path, [Fault("mujoco", f"the model {name_fault(model.name, MAX_PREFIX)}; neither can the file")]
    )


def _coupled(
    links: list[LinkDescription], model: CompiledModel, faults: list[Fault], notes: list[str]
) -> list[LinkDescription]:
    """The links, whose joints follow others where a linear constraint between two joints says so.

    MuJoCo has y - y0 = c0 + c1 (x - x0) with the references y0 and x0 of the joints, and lets it give way a little.
    """
    moved_by = {link.joint.name: place for place, link in enumerate(links) if link.joint.moves}
    references = {joint.name: Exact(joint.reference) for body in model.bodies for joint in body.joints}
    for equality in model.equalities:
        where = f"equality {shown(equality.name)}".strip()
        if equality.kind != "joint":
            faults.append(Fault(where, f"a constraint of type {equality.kind} closes a loop: closed loops are not read"))
            continue
        constant, ratio, *higher = map(Exact, equality.coefficients)
        if equality.second not in moved_by or not ratio or any(higher):
            message = "expected a joint that is a linear function of another; lock the joint, or remove the constraint"
            faults.append(Fault(where, message))
            continue
        place, leader = moved_by[equality.first], links[moved_by[equality.second]]
        offset = references[equality.first] + constant - ratio * references[equality.second]
        joint = replace(links[place].joint, mimics=leader.name, ratio=ratio, offset=offset)
        links[place] = replace(links[place], joint=joint)
        notes.append(f"{where}: joint {equality.first} follows {equality.second}, exactly, where MuJoCo lets it give way")
    if not faults:
        in_circles = circles({link.name: link.joint.mimics or None for link in links})
        faults += (Fault(f"body {shown(name)}", "the joints follow each other in a circle") for name, *_ in in_circles)
    return links


def _frames(
    model: CompiledModel, links: Sequence[LinkDescription], snapper: Snapper, notes: list[str]
) -> Iterator[NamedFrame]:
    """A frame for every link, and for every site whose name is not taken."""
    names = {identifier(link.name) for link in links}
    yield from (NamedFrame(link.name, link.name, ()) for link in links)
    for site in model.sites:
        if site.body is None or name_fault(site.name) or identifier(site.name) in names:
            notes.append(f"site {shown(site.name)} is no frame: it is fixed to the world, or its name is taken or none")
            continue
        names.add(identifier(site.name))
        xyz = lengths(site.position, snapper, f"site {site.name}.pos")
        rpy = roll_pitch_yaw(site.quaternion, snapper, f"site {site.name}.quat")
        yield NamedFrame(site.name, model.bodies[site.body].name, translation_and_rpy(xyz, rpy))
