"""Operations: what the dynamics of an identified robot cost, beside those of the described one."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from dynagen.description.description import RobotDescription
from dynagen.generation import Settings
from dynagen.pipeline import generate

_FUNCTION = "inverse_dynamics"


@dataclass(frozen=True)
class Operations:
    """Multiplications, additions and divisions of one call of inverse dynamics."""

    described: int
    identified: int

    def __str__(self) -> str:
        """One line."""
        return f"Inverse dynamics takes {self.identified} operations (as described {self.described})"

    def as_dict(self) -> dict[str, int]:
        """By name."""
        return asdict(self)


def operations_of(described: RobotDescription, identified: RobotDescription) -> Operations:
    """Generate both, and count. What is zero among base parameters costs nothing."""
    return Operations(*(_count(robot) for robot in (described, identified)))


def _count(robot: RobotDescription) -> int:
    (function,) = generate(robot, Settings("c", (_FUNCTION,), verify=False)).functions
    return function.operations.total
