"""Joint types and joints.

A moving joint has one axis, unless it is floating or spherical. A joint with an axis rotates about
the axis and translates along the axis, in proportion to the joint variable:

    rotation    = angular * variable   (rad)
    translation = linear * variable    (m)

Algorithms use only the constants `angular` and `linear` of a joint type. The joint variable is an
entry of the robot's q, and its velocity is an entry of v. A mimicking joint has no entries of its
own: its variable is a linear function of another joint's variable.

The floating joint lets the first body of a robot move freely in the fixed base frame. It has seven
entries of q: the position of the link's frame, and the unit quaternion (x, y, z, w) of its
orientation. It has six entries of v: the velocity of the frame's origin and the angular velocity,
both in the axes of the link. Pinocchio uses the same coordinates.

A spherical joint has four entries of q: the unit quaternion (x, y, z, w) of the rotation from the
frame before the joint to the frame after the joint. It has three entries of v: the angular velocity
in the axes after the joint, as in Pinocchio and MuJoCo. In the generator's robot model, three
bodies represent a spherical joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.pose import Displacement, Vector, make_rotation_onto

_QUATERNION = ("qx", "qy", "qz", "qw")


@dataclass(frozen=True)
class JointType:
    """A kind of joint.

    Attributes:
        name: the word for the type in robot descriptions.
        angular: rotation about the axis per unit of the joint variable (rad).
        linear: translation along the axis per unit of the joint variable (m). The pitch of a
            helical joint is not included.
        unit: SI unit of the variable of a joint with an axis.
        position_names: suffixes of the names of a joint's entries of q, such as `qx`. A joint with
            an axis has one empty suffix.
        velocity_names: suffixes of the names of a joint's entries of v, such as `wx`. A joint with
            an axis has one empty suffix.
        has_pitch: whether each joint of this type has a pitch: a translation per rotation (m/rad).
        column: index of the type in `SPHERICAL_COLUMNS`; None for all other types.
    """

    name: str
    angular: int = 0
    linear: int = 0
    unit: str = ""
    position_names: tuple[str, ...] = ("",)
    velocity_names: tuple[str, ...] = ("",)
    has_pitch: bool = False
    column: int | None = None

    @property
    def moves(self) -> bool:
        """Whether the joint has a variable, which is true of every type except the fixed one."""
        return bool(self.velocity_names)

    @property
    def has_axis(self) -> bool:
        """Whether the joint moves about or along one axis, so that it can have a motor."""
        return self.position_names == ("",) and self.moves

    @property
    def is_free(self) -> bool:
        """Whether the joint is floating: six free motions and no axis."""
        return len(self.velocity_names) == 6

    @property
    def is_spherical(self) -> bool:
        """Whether the joint is spherical: three free rotations and no axis."""
        return len(self.velocity_names) == 3

    @property
    def quaternion(self) -> range:
        """Indices of the unit quaternion among the joint's entries of q; empty for other joints."""
        return range(len(self.position_names))[-4:] if "qw" in self.position_names else range(0)

    # The tuples below have one entry for each entry of q or v of a joint of this type.

    @property
    def rotates(self) -> tuple[bool, ...]:
        """For each entry of a joint's velocity v, whether it is an angular velocity."""
        return tuple(
            name.startswith("w") if name else bool(self.angular) for name in self.velocity_names
        )

    @property
    def position_units(self) -> tuple[str, ...]:
        """SI units of a joint's entries of q, such as `rad`; empty texts for a quaternion."""
        return tuple(
            ("" if name in _QUATERNION else "m") if name else self.unit
            for name in self.position_names
        )

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """SI units of a joint's entries of v, such as `rad/s`."""
        return tuple("rad/s" if rotates else "m/s" for rotates in self.rotates)

    @property
    def force_units(self) -> tuple[str, ...]:
        """SI units of a joint's forces, one for each entry of v, such as `N m`."""
        return tuple("N m" if rotates else "N" for rotates in self.rotates)

    @property
    def position_unit(self) -> str:
        """SI units of a joint's entries of q as one text, such as `rad` or `m, then 1`."""
        return _list_units(self.position_units)

    @property
    def force_unit(self) -> str:
        """SI units of a joint's forces as one text, such as `N m` or `N, then N m`."""
        return _list_units(self.force_units)

    @property
    def force_names(self) -> tuple[str, ...]:
        """Suffixes of the names of a joint's forces, such as `nx` (moment) and `fx` (force)."""
        return tuple(
            name and ("n" if rotates else "f") + name[1:]
            for name, rotates in zip(self.velocity_names, self.rotates, strict=True)
        )


def _list_units(units: Sequence[str]) -> str:
    """Return the different units in order as one text; an empty unit becomes 1."""
    different = list(dict.fromkeys(units))
    return (
        ", then ".join(unit or "1" for unit in different)
        if len(different) > 1
        else "".join(units[:1])
    )


_ROTATIONS = ("wx", "wy", "wz")
REVOLUTE = JointType("revolute", angular=1, unit="rad")
PRISMATIC = JointType("prismatic", linear=1, unit="m")
HELICAL = JointType("helical", angular=1, unit="rad", has_pitch=True)
FIXED = JointType("fixed", position_names=(), velocity_names=())
FLOATING = JointType(
    "floating",
    position_names=("x", "y", "z", *_QUATERNION),
    velocity_names=("vx", "vy", "vz", *_ROTATIONS),
)
SPHERICAL = JointType("spherical", position_names=_QUATERNION, velocity_names=_ROTATIONS)
SPHERICAL_COLUMNS = tuple(
    JointType("spherical", angular=1, position_names=() if column else _QUATERNION, column=column)
    for column in range(3)
)
"""Types of the joints of the three bodies, about x, y and z, that represent a spherical joint.

Only the first of these types has entries of q: the quaternion of the joint.
"""

JOINT_TYPES = {
    joint.name: joint for joint in (REVOLUTE, PRISMATIC, HELICAL, FIXED, FLOATING, SPHERICAL)
}

_Z: Vector = (ZERO, ZERO, ONE)


@dataclass(frozen=True)
class Joint:
    """A joint of a robot.

    Attributes:
        type: type of the joint.
        axis: direction of the axis in the frame before the joint; any length except zero.
        pitch: translation per rotation of a helical joint (m/rad); zero for other types.
        mimics: name of the link whose joint this joint mimics; empty for other joints.
        ratio: factor of a mimicking joint. Its variable is ratio times the other joint's variable,
            plus `offset`.
        offset: offset of a mimicking joint (rad or m).
        idx_q: index of the joint's first entry in q. A mimicking joint has the index of the joint
            that it mimics.
        idx_v: index of the joint's first entry in v, with the same rule.
        name: the user's name for the joint; empty if the joint has the name of its link.
        is_dependent: whether closed loops determine the joint's variable. A dependent joint has no
            entries in q and v.
    """

    type: JointType
    axis: Vector = _Z
    pitch: Exact = ZERO
    mimics: str = ""
    ratio: Exact = ONE
    offset: Exact = ZERO
    idx_q: int = 0
    idx_v: int = 0
    name: str = ""
    is_dependent: bool = False

    @property
    def moves(self) -> bool:
        """Whether the joint has a variable, which is true of every type except the fixed one."""
        return self.type.moves

    @property
    def nq(self) -> int:
        """Number of the joint's own entries in q; zero for a mimicking or dependent joint."""
        return 0 if self.mimics or self.is_dependent else len(self.type.position_names)

    @property
    def nv(self) -> int:
        """Number of the joint's own entries in v; zero for a mimicking or dependent joint."""
        return 0 if self.mimics or self.is_dependent else len(self.type.velocity_names)

    @property
    def angular(self) -> Exact:
        """Rotation about the joint axis (rad) per unit of the joint variable."""
        return Exact(self.type.angular)

    @property
    def linear(self) -> Exact:
        """Translation along the joint axis (m) per unit of the joint variable, with the pitch."""
        return self.pitch + self.type.linear

    @property
    def axis_frame(self) -> Displacement:
        """Rotations that turn the z axis of the frame before the joint to the joint axis."""
        return make_rotation_onto(self.axis)


def count_joints(types: Sequence[JointType]) -> str:
    """Return the number of joints as text: `6 joints` or `12 joints and a floating base`.

    `types` has the type of each moving joint. A floating base is not counted as a joint.
    """
    floats = any(each.is_free for each in types)
    number = len(types) - floats
    return f"{number} joint{'s' * (number != 1)}{' and a floating base' * floats}"
