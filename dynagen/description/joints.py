"""Joints: what moves a link against the one that carries it.

A joint rotates about and translates along one axis, in proportion to its variable. That is all that algorithms ask of it, so
a further type is two constants and two units. Variables are entries of the robot's q, their rates entries of its v. A mimic
joint has no entries of its own: it follows another joint.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.description.displacement import Displacement, Vector, rotation_onto
from dynagen.numbers.exact import ONE, ZERO, Exact


@dataclass(frozen=True)
class JointType:
    """A kind of joint.

    Attributes:
        name: the word used in robot descriptions.
        angular: rotation about the axis per unit of the joint variable (rad).
        linear: translation along the axis per unit of the joint variable (m), but for the pitch.
        position_unit, force_unit: SI units of the joint variable and of its generalised force.
        has_pitch: whether a joint of the type has a pitch of its own, a translation besides (m).
    """

    name: str
    angular: int
    linear: int
    position_unit: str
    force_unit: str
    has_pitch: bool = False

    @property
    def moves(self) -> bool:
        """Whether the joint has a variable at all."""
        return bool(self.angular or self.linear)


REVOLUTE = JointType("revolute", angular=1, linear=0, position_unit="rad", force_unit="N m")
PRISMATIC = JointType("prismatic", angular=0, linear=1, position_unit="m", force_unit="N")
HELICAL = JointType("helical", angular=1, linear=0, position_unit="rad", force_unit="N m", has_pitch=True)
FIXED = JointType("fixed", angular=0, linear=0, position_unit="", force_unit="")

JOINT_TYPES = {joint.name: joint for joint in (REVOLUTE, PRISMATIC, HELICAL, FIXED)}

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
        return int(self.moves and not self.mimics)

    @property
    def nv(self) -> int:
        """Number of its own entries in v."""
        return self.nq

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
