"""Effort: how long to search for a cheap program, and the cost model that defines cheap."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.errors import UsageError
from dynagen.ir.cost import FLOPS, CostModel

DEFAULT_BUDGET = 600
DEFAULT_OPTIMIZE = "default"
OPTIMIZE = ("none", DEFAULT_OPTIMIZE, "max")
"""Efforts of the search.

none uses the robot as described, default compares a few candidates, max searches.
"""


@dataclass(frozen=True)
class Effort:
    """Effort of the search, and its aim.

    Attributes:
        optimize: one of `OPTIMIZE`.
        cost: the price of each operation.
        budget: the number of candidates that a search may count for one function and method, and
            the number of times that it may factor a program.

    Raises:
        UsageError: the effort is unknown, or the budget is below one program.
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
                f"invalid budget {self.budget} of a search: expected at least 1 program"
            )

    @property
    def chooses(self) -> bool:
        """Whether candidates other than the robot as described are considered."""
        return self.optimize != "none"

    @property
    def searches(self) -> bool:
        """Whether candidates, factors and definitions are searched."""
        return self.optimize == "max"
