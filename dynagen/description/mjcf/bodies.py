"""Bodies of a compiled MJCF model -> links.

A body moves by its joints one after the other, each about an axis through its anchor in the body's frame: the link of each
joint but the last has no mass. Where the anchor is not the origin, the translation back to that stands behind the joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dynagen.description.description import NO_INERTIA, CentralInertia, Friction, Limits, LinkDescription
from dynagen.description.displacement import Translation, Vector, displacement, translation_and_rpy
from dynagen.description.joints import FIXED, FLOATING, PRISMATIC, REVOLUTE, Joint
from dynagen.description.locking import moved
from dynagen.description.mjcf.compiled import CompiledBody, CompiledJoint, CompiledModel, Floats
from dynagen.description.mjcf.quaternions import roll_pitch_yaw, tensor
from dynagen.description.snapping import Snapper
from dynagen.errors import Fault, shown
from dynagen.numbers.exact import Exact

_TYPES = {"hinge": REVOLUTE, "slide": PRISMATIC}


def links_of(model: CompiledModel, snapper: Snapper, faults: list[Fault], warnings: list[Fault]) -> list[LinkDescription]:
    """The links of all bodies, parents first; joints that mimic others are not yet told from those that do not.

    Args:
        model: what was compiled.
        snapper: snaps numbers.
        faults: takes joints that are not available.
        warnings: takes what acts on the robot and is not read.
    """
    links: list[LinkDescription] = []
    for body in model.bodies:
        parent = None if body.parent is None else model.bodies[body.parent].name
        links += _links(body, parent, snapper, faults, warnings)
    return links


def _links(
    body: CompiledBody, parent: str | None, snapper: Snapper, faults: list[Fault], warnings: list[Fault]
) -> Iterator[LinkDescription]:
    where = f"body {shown(body.name)}"
    if body.gravity_compensation:
        warnings.append(Fault(where, "gravcomp is not read: gravity acts on all of the body", link=body.name))
    before = translation_and_rpy(
        lengths(body.position, snapper, f"{where}.pos"), roll_pitch_yaw(body.quaternion, snapper, f"{where}.quat")
    )
    *first, last = body.joints or (None,)
    for number, joint in enumerate(first, start=1):
        name = f"{body.name}_{joint.name or number}"
        yield _moving(LinkDescription(name, parent, before, Joint(FIXED), (), NO_INERTIA), joint, snapper, faults, warnings)
        parent, before = name, ()
    link = LinkDescription(body.name, parent, before, Joint(FIXED), (), _inertial(body, snapper, where))
    yield link if last is None else _moving(link, last, snapper, faults, warnings)


def _moving(
    link: LinkDescription, joint: CompiledJoint, snapper: Snapper, faults: list[Fault], warnings: list[Fault]
) -> LinkDescription:
    """A link that is moved by a joint."""
    where = f"joint {shown(joint.name or link.name)}"
    if joint.kind == "ball":
        faults.append(Fault(where, "ball joints are not available: write three hinges about different axes"))
        return link
    if joint.kind == "free":
        if joint.damping or joint.armature:
            warnings.append(Fault(where, "damping and armature of a free joint are not read", link=link.name))
        return replace(link, before=(), joint=Joint(FLOATING, name=joint.name))  # q says where it is, not the file
    if joint.stiffness:
        warnings.append(Fault(where, "the spring (stiffness) is not read: no joint here has one", link=link.name))
    made = Joint(_TYPES[joint.kind], lengths(joint.axis, snapper, f"{where}.axis"), name=joint.name)
    x, y, z = anchor = lengths(joint.anchor, snapper, f"{where}.pos")
    at_zero = displacement(*link.before, Translation(anchor))
    return replace(
        link,
        before=moved(at_zero, made, -Exact(joint.reference)),
        joint=made,
        after=displacement(Translation((-x, -y, -z))),
        motor_inertia=Exact(joint.armature),
        friction=Friction(Exact(joint.damping), Exact(joint.friction_loss)) if joint.damping or joint.friction_loss else None,
        limits=_limits(joint),
    )


def _limits(joint: CompiledJoint) -> Limits | None:
    position = None
    if joint.limits is not None and joint.limits[0] < joint.limits[1]:
        position = (Exact(joint.limits[0]), Exact(joint.limits[1]))
    effort = None if joint.force_limits is None else Exact(max(map(abs, joint.force_limits)))
    return Limits(position, None, effort or None) if position or effort else None


def _inertial(body: CompiledBody, snapper: Snapper, where: str) -> CentralInertia:
    com = lengths(body.com, snapper, f"{where}.ipos")
    return CentralInertia(Exact(body.mass), com, tensor(body.inertia, body.inertia_quaternion))


def lengths(values: Floats, snapper: Snapper, where: str) -> Vector:
    """Three lengths in m, or components of an axis, some of them snapped to zero."""
    x, y, z = (snapper.length(repr(value), Exact(value), where) for value in values)
    return x, y, z
