"""Joints: what moves a link against the one that carries it.

A joint rotates about and translates along one axis, in proportion to its variable. That is all that algorithms ask of it, so
a further type is two constants and two units. Variables are entries of the robot's q, their rates entries of its v. A mimic
joint has no entries of its own: it follows another joint.

One joint is more than that: the floating one, by which the first body of a robot moves freely against the base. Its entries
of q are the position of the link's frame in the base frame and the unit quaternion (x, y, z, w) of its orientation. Those of
v are the velocity of the frame's origin and the angular velocity, both in the axes of the link, as Pinocchio has them.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.pose import Displacement, Vector, rotation_onto


@dataclass(frozen=True)
class JointType:
    """A kind of joint.

    Attributes:
        name: the word used in robot descriptions.
        angular: rotation about the axis per unit of the joint variable (rad).
        linear: translation along the axis per unit of the joint variable (m), but for the pitch.
        position_unit, force_unit: SI units of the joint variable and of its generalised force.
        has_pitch: whether a joint of the type has a pitch of its own, a translation besides (m).
        is_free: whether the joint has no axis and leaves all motions free.
    """

    name: str
    angular: int
    linear: int
    position_unit: str
    force_unit: str
    has_pitch: bool = False
    is_free: bool = False

    @property
    def moves(self) -> bool:
        """Whether the joint has a variable at all."""
        return bool(self.angular or self.linear or self.is_free)

    @property
    def rotates(self) -> tuple[bool, ...]:
        """For every entry of v of the joint whether it is a rate of rotation."""
        return (False,) * 3 + (True,) * 3 if self.is_free else (bool(self.angular),) * self.moves

    @property
    def position_units(self) -> tuple[str, ...]:
        """Units of its entries of q."""
        return ("m",) * 3 + ("",) * 4 if self.is_free else (self.position_unit,) * self.moves

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """Units of its entries of v."""
        return tuple("rad/s" if rotates else "m/s" for rotates in self.rotates)

    @property
    def force_units(self) -> tuple[str, ...]:
        """Units of the generalised forces of its entries of v."""
        return tuple("N m" if rotates else "N" for rotates in self.rotates)

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names that tell its entries of q from each other; one empty name where there is one."""
        return ("x", "y", "z", "qx", "qy", "qz", "qw") if self.is_free else ("",) * self.moves

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names that tell its entries of v from each other, likewise."""
        return ("vx", "vy", "vz", "wx", "wy", "wz") if self.is_free else ("",) * self.moves


REVOLUTE = JointType("revolute", angular=1, linear=0, position_unit="rad", force_unit="N m")
PRISMATIC = JointType("prismatic", angular=0, linear=1, position_unit="m", force_unit="N")
HELICAL = JointType(
    "helical", angular=1, linear=0, position_unit="rad", force_unit="N m", has_pitch=True
)
FIXED = JointType("fixed", angular=0, linear=0, position_unit="", force_unit="")
FLOATING = JointType(
    "floating",
    angular=0,
    linear=0,
    position_unit="m, then 1",
    force_unit="N, then N m",
    is_free=True,
)

JOINT_TYPES = {joint.name: joint for joint in (REVOLUTE, PRISMATIC, HELICAL, FIXED, FLOATING)}

_Z: Vector = (ZERO, ZERO, ONE)


@dataclass(frozen=True)
class Joint:
    """A joint of a robot.

    Attributes:
        axis: direction that it rotates about and translates along, in the frame in front of it; its length does not count.
        pitch: translation per unit of its variable besides that of its type (m/rad); zero unless the type has one.
        mimics: name of the link whose joint it follows; empty if it follows none.
        ratio, offset: of a mimic joint, whose variable is ratio times that of the other joint plus offset.
        idx_q, idx_v: first of its entries in q and in v; of a mimic joint, those of the joint that it follows.
        name: that the user gave it; empty where joints go by the names of the links that they move.
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

    @property
    def moves(self) -> bool:
        """Whether the joint has a variable at all."""
        return self.type.moves

    @property
    def nq(self) -> int:
        """Number of its own entries in q."""
        return 0 if self.mimics else len(self.type.position_units)

    @property
    def nv(self) -> int:
        """Number of its own entries in v."""
        return 0 if self.mimics else len(self.type.rotates)

    @property
    def angular(self) -> Exact:
        """Rotation about the axis per unit of the joint variable (rad)."""
        return Exact(self.type.angular)

    @property
    def linear(self) -> Exact:
        """Translation along the axis per unit of the joint variable (m)."""
        return self.pitch + self.type.linear

    @property
    def axis_frame(self) -> Displacement:
        """Rotation from the frame in front of the joint to one whose z axis is the joint's axis."""
        return rotation_onto(self.axis)
