"""Joint types. A joint moves along its z axis by two constants; no algorithm asks for anything else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JointType:
    """A joint along z.

    Attributes:
        name: the word used in robot descriptions.
        angular: rotation about z per unit of the joint variable (rad).
        linear: translation along z per unit of the joint variable (m).
        position_unit, force_unit: SI units of the joint variable and of its generalised force.
    """

    name: str
    angular: int
    linear: int
    position_unit: str
    force_unit: str

    @property
    def moves(self) -> bool:
        """Whether the joint has a variable at all."""
        return bool(self.angular or self.linear)


REVOLUTE = JointType("revolute", angular=1, linear=0, position_unit="rad", force_unit="N m")
PRISMATIC = JointType("prismatic", angular=0, linear=1, position_unit="m", force_unit="N")
FIXED = JointType("fixed", angular=0, linear=0, position_unit="", force_unit="")

JOINT_TYPES = {joint.name: joint for joint in (REVOLUTE, PRISMATIC, FIXED)}
