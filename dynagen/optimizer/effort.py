"""Effort: how hard to look for a program that costs little, and what little means."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.errors import UsageError
from dynagen.ir.cost import FLOPS, CostModel

DEFAULT_BUDGET = 600
DEFAULT_OPTIMIZE = "default"
OPTIMIZE = ("none", DEFAULT_OPTIMIZE, "max")
"""Efforts: none takes the robot as described, default compares a handful of candidates, max searches."""


@dataclass(frozen=True)
class Effort:
    """The effort of choosing a candidate, and what makes it better than another.

    Attributes:
        optimize: one of `OPTIMIZE`.
        cost: what makes one program better than another.
        budget: most programs that a search looks at, for one function and method; and most factorings of one program.

    Raises:
        UsageError: there is no such effort, or nothing to spend.
    """

    optimize: str = DEFAULT_OPTIMIZE
    cost: CostModel = FLOPS
    budget: int = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        if self.optimize not in OPTIMIZE:
            raise UsageError(
                f"unknown effort {self.optimize!r}: expected one of {', '.join(OPTIMIZE)}"
            )
        if self.budget < 1:
            raise UsageError(
                f"the budget of a search has to be 1 program at least, not {self.budget}"
            )

    @property
    def chooses(self) -> bool:
        """Whether there is a choice among candidates."""
        return self.optimize != "none"

    @property
    def searches(self) -> bool:
        """Whether candidates and factors are searched for."""
        return self.optimize == "max"
