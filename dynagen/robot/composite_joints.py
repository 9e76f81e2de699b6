"""Composite joints: joints with several coordinates, as chains of joints with one axis each.

A link with a composite joint becomes a chain of links. Only the last link of the chain has mass.
The dynamics therefore need no code for composite joints. The names of the joints in the chain end
with the names of the coordinates.

    universal      rotation about a first axis, then about a second axis that the first one rotates
    cylindrical    translation along an axis, and rotation about it
    planar         translations along two axes of a plane, then rotation about its normal

The translations of a planar joint are in axes of the parent, as in MuJoCo, Drake and Modelica.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dynagen.errors import UsageError
from dynagen.numbers.exact import ONE, ZERO, is_zero
from dynagen.robot.description import NO_INERTIA, LinkDescription
from dynagen.robot.joints import PRISMATIC, REVOLUTE, Joint
from dynagen.robot.pose import Vector, X, Y, Z, cross

_AXES: tuple[Vector, ...] = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
_NAMES = "xyz"

Axes = tuple[Vector, ...]
"""Axes of a composite joint in the frame before the joint. Each axis has any length except zero."""


@dataclass(frozen=True)
class CompositeType:
    """A kind of joint with several coordinates.

    Attributes:
        name: the word for the type in robot descriptions.
        axes: default axes; all joints of this type have the same number of axes.
        list_joints: function from the axes to the chain of joints, each with one axis, that is
            equivalent to a joint of this type. The joints are named after the coordinates. The
            function raises a `UsageError` for invalid axes.
        find_axes: the inverse function of `list_joints`: from the chain to the axes.
    """

    name: str
    axes: Axes
    list_joints: Callable[[Axes], tuple[Joint, ...]]
    find_axes: Callable[[Sequence[Joint]], Axes]


def _list_universal(axes: Axes) -> tuple[Joint, ...]:
    first, second = axes
    if all(map(is_zero, cross(first, second))):
        raise UsageError(
            "the axes of a universal joint are parallel; write two different directions in `axes`"
        )
    return Joint(REVOLUTE, first, name="1"), Joint(REVOLUTE, second, name="2")


def _list_cylindrical(axes: Axes) -> tuple[Joint, ...]:
    (axis,) = axes
    return Joint(PRISMATIC, axis, name="length"), Joint(REVOLUTE, axis, name="angle")


def _list_planar(axes: Axes) -> tuple[Joint, ...]:
    (normal,) = axes
    about, *more = (axis for axis, component in enumerate(normal) if component)
    if more:
        raise UsageError(
            "expected the normal of a planar joint along x, y or z of its frame: "
            "rotate the frame with `origin: {rpy: ...}`"
        )
    first, second = find_plane(about, normal)
    return (
        Joint(PRISMATIC, _AXES[first], name=_NAMES[first]),
        Joint(PRISMATIC, _AXES[second], name=_NAMES[second]),
        Joint(REVOLUTE, normal, name="angle"),
    )


def find_plane(about: int, normal: Vector) -> tuple[int, int]:
    """Return the two coordinate axes (numbers 0 to 2) that span the plane with a given normal.

    With the normal as third axis, the two axes form a right-handed frame.

    Args:
        about: number of the coordinate axis that is parallel to the normal.
        normal: the normal of the plane. It has the direction of the axis `about` or the opposite
            direction.
    """
    first, second = (about + 1) % 3, (about + 2) % 3
    return (second, first) if normal[about].is_negative else (first, second)


UNIVERSAL = CompositeType(
    "universal", (_AXES[X], _AXES[Y]), _list_universal, lambda joints: tuple(j.axis for j in joints)
)
CYLINDRICAL = CompositeType(
    "cylindrical", (_AXES[Z],), _list_cylindrical, lambda joints: (joints[-1].axis,)
)
PLANAR = CompositeType("planar", (_AXES[Z],), _list_planar, lambda joints: (joints[-1].axis,))

COMPOSITE_TYPES = {kind.name: kind for kind in (UNIVERSAL, CYLINDRICAL, PLANAR)}


def expand_joint(
    link: LinkDescription, kind: CompositeType, axes: Axes
) -> tuple[LinkDescription, ...]:
    """Return the chain of links that replaces a link with a joint of several coordinates.

    Raises:
        UsageError: the axes are invalid for the type of joint.
    """
    *first, last = (
        replace(joint, name=f"{link.name}_{joint.name}") for joint in kind.list_joints(axes)
    )
    chain: list[LinkDescription] = []
    parent, before = link.parent, link.before
    for joint in first:
        chain.append(LinkDescription(joint.name, parent, before, joint, (), NO_INERTIA))
        parent, before = joint.name, ()
    return (*chain, replace(link, parent=parent, before=before, joint=last))


@dataclass(frozen=True)
class CompositeJoint:
    """Composite joint of a link, and the chain of links that is equivalent to this link.

    Attributes:
        chain: names of the links, from the base towards the tip; only the last link has inertia.
    """

    kind: CompositeType
    axes: Axes
    chain: tuple[str, ...]


def collapse_joints(
    links: Sequence[LinkDescription], keep: frozenset[str]
) -> tuple[tuple[LinkDescription, ...], Mapping[str, CompositeJoint]]:
    """Replace each chain of links by one link, if a composite joint is equivalent to the chain.

    Args:
        links: the links of a robot, parents first.
        keep: names of links that must remain, for example because a named frame is fixed to them.

    Returns:
        The new links, and the composite joint of each link that replaces a chain, by link name.
    """
    by_name = {link.name: link for link in links}
    found: dict[str, CompositeJoint] = {}
    collapsed: dict[str, LinkDescription] = {}
    used = [*(link.parent for link in links), *keep, *(link.joint.mimics for link in links)]
    for link in links:
        for kind in COMPOSITE_TYPES.values():
            size = len(kind.list_joints(kind.axes))
            chain = [link]
            while len(chain) < size and chain[0].parent is not None:
                chain.insert(0, by_name[chain[0].parent])
            if len(chain) < size:
                continue
            names = tuple(part.name for part in chain)
            alone = all(used.count(name) == 1 for name in names[:-1])
            axes = kind.find_axes([part.joint for part in chain])
            whole = replace(link, parent=chain[0].parent, before=chain[0].before)
            if alone and _equals_chain(whole, kind, axes, chain):
                found[link.name] = CompositeJoint(kind, axes, names)
                collapsed[link.name] = whole
    inner = {name for joint in found.values() for name in joint.chain[:-1]}
    return (
        tuple(collapsed.get(link.name, link) for link in links if link.name not in inner),
        found,
    )


def _equals_chain(
    whole: LinkDescription, kind: CompositeType, axes: Axes, chain: Sequence[LinkDescription]
) -> bool:
    """Return whether a chain equals `expand_joint` of a link, except for indices in q and v."""
    own = whole.motor_inertia, whole.friction, whole.limits, whole.elasticity, whole.joint.mimics
    if any(own):
        return False
    try:
        expanded = expand_joint(whole, kind, axes)
    except UsageError:
        return False
    return all(
        part == replace(given, joint=replace(given.joint, idx_q=0, idx_v=0))
        for part, given in zip(expanded, chain, strict=True)
    )
