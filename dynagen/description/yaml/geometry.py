"""Place and motion of a link's joint: `origin`, `dh`, `axis`, `pitch` and `mimic` of a LinkSchema -> steps and a Joint.

This is the only place that knows of Denavit and Hartenberg. From a link's parent frame to its own lead, behind `origin`,

    modified (Craig, Khalil)   Rx(alpha) Tx(a) Rz(theta) Tz(d)
    standard (Paul, Spong)     Rz(theta) Tz(d) Tx(a) Rx(alpha)

where the joint's variable adds to theta or d (or, of a helical joint, to both). As Rz and Tz commute, the joint itself stands
behind these two in either convention. With `axis` the joint stands behind `origin`, and the link's frame moves with it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from dynagen.description.displacement import Displacement, Rotation, Vector, X, Z, along, displacement
from dynagen.description.joints import JOINT_TYPES, Joint, JointType
from dynagen.description.yaml.document import Path
from dynagen.description.yaml.quantities import Quantities
from dynagen.description.yaml.schema import DenavitHartenbergSchema, LinkSchema, MimicSchema
from dynagen.numbers.exact import ONE, ZERO, Exact

Convention = Literal["modified", "standard"]

_Z: Vector = (ZERO, ZERO, ONE)


def read_geometry(
    link: LinkSchema, convention: Convention | None, path: Path, quantities: Quantities
) -> tuple[Displacement, Joint, Displacement]:
    """The steps in front of a link's joint, the joint, and the steps behind it; faults go to `quantities.faults`."""
    joint_type = JOINT_TYPES[link.joint]
    if joint_type.is_free:
        for name in ("origin", "dh", "axis", "pitch"):
            if getattr(link, name) is not None:
                quantities.faults.add((*path, name), f"a floating link is where q says, in the base frame: remove `{name}`")
        return (), Joint(joint_type), ()
    origin = quantities.placement(link.origin, (*path, "origin")) if link.origin else ()
    before, after = _row(link.dh, joint_type, convention, (*path, "dh"), quantities) if link.dh else ((), ())
    if link.dh is None and link.axis is None and (joint_type.moves or link.origin is None):
        choice = "`dh` (or `axis`, and `origin`)" if joint_type.moves else "`dh` or `origin`"
        quantities.faults.add(path, f"{choice} is missing: the step from the parent's frame", (*path, "dh"))
    axis, pitch = _axis(link, joint_type, path, quantities), quantities.number(link.pitch, (*path, "pitch"))
    joint = Joint(joint_type, axis, pitch)
    if link.mimic is not None:
        joint = _following(link.mimic, joint, (*path, "mimic"), quantities)
    if joint_type.has_pitch and link.pitch is None:
        message = f"`pitch` is missing: translation of the {joint_type.name} joint per rotation, m/rad"
        quantities.faults.add(path, message, (*path, "pitch"))
    elif link.pitch is not None and not joint_type.has_pitch:
        quantities.faults.add((*path, "pitch"), f"a {joint_type.name} joint has no pitch: remove it, or write joint: helical")
    return (*origin, *before), joint, after


def _row(
    dh: DenavitHartenbergSchema, joint: JointType, convention: Convention | None, path: Path, quantities: Quantities
) -> tuple[Displacement, Displacement]:
    """The steps of a row in front of the joint and behind it. Only the joint variable's own offset has a default."""
    given = {"alpha": dh.alpha, "a": dh.a, "d": dh.d, "theta": dh.theta}
    variables = {"theta": joint.angular, "d": joint.linear}
    missing = [f"`{key}`" for key, text in given.items() if text is None and not variables.get(key)]
    if missing:
        needed = " and ".join(missing)
        quantities.faults.add(path, f"{needed} {'is' if len(missing) == 1 else 'are'} missing: write 0 where it is zero")
    return row_steps(
        convention or "modified",
        alpha=quantities.angle(dh.alpha, (*path, "alpha")),
        a=quantities.length(dh.a, (*path, "a")),
        d=quantities.length(dh.d, (*path, "d")),
        theta=quantities.angle(dh.theta, (*path, "theta")),
    )


def row_steps(convention: Convention, alpha: Exact, a: Exact, d: Exact, theta: Exact) -> tuple[Displacement, Displacement]:
    """The steps of a Denavit-Hartenberg row in front of its joint, which is along z, and behind it: rad and m."""
    about_x, along_x = Rotation(X, alpha, "alpha"), along(X, a, "a")
    about_z, along_z = Rotation(Z, theta, "theta"), along(Z, d, "d")
    if convention == "standard":
        return displacement(about_z, along_z), displacement(along_x, about_x)
    return displacement(about_x, along_x, about_z, along_z), ()


def _following(mimic: MimicSchema, joint: Joint, path: Path, quantities: Quantities) -> Joint:
    """The joint as one that follows another (mimic)."""
    read = quantities.angle if joint.type.angular else quantities.length
    ratio = quantities.number(mimic.ratio, (*path, "ratio"))
    if not ratio:
        quantities.faults.add((*path, "ratio"), "a joint that does not move with the other is fixed: write joint: fixed")
    return replace(joint, mimics=mimic.joint, ratio=ratio, offset=read(mimic.offset, (*path, "offset")))


def _axis(link: LinkSchema, joint: JointType, path: Path, quantities: Quantities) -> Vector:
    """Direction of the joint's axis; z unless the link has another."""
    if link.axis is None:
        return _Z
    here = (*path, "axis")
    if link.dh is not None:
        quantities.faults.add(here, "the joint of a `dh` row is along z: remove `axis`, or write `origin` instead of `dh`")
    elif not joint.moves:
        quantities.faults.add(here, f"a {joint.name} joint does not move: remove `axis`")
    axis = quantities.vector(link.axis, here)
    if not all(component.is_known for component in axis):
        quantities.faults.add(here, "an axis cannot depend on run-time parameters: remove `runtime`")
    elif not any(axis):
        quantities.faults.add(here, "an axis needs a direction, found [0, 0, 0]")
    else:
        return axis
    return _Z
