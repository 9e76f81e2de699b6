"""Effort: how long to search for a cheap program, and the cost model of the search."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.errors import UsageError
from dynagen.ir.cost import FLOPS, CostModel

DEFAULT_BUDGET = 600
DEFAULT_OPTIMIZE = "default"
OPTIMIZE = ("none", DEFAULT_OPTIMIZE, "max")
"""Names of the efforts of a search for a cheap program.

The effort `none` uses the formulation of the description. The effort `default` compares a few
formulations. The effort `max` searches formulations and programs until a budget is spent.
"""


@dataclass(frozen=True)
class Effort:
    """Effort of the search for a cheap program, and the cost model.

    Attributes:
        optimize: name of the effort: "none", "default" or "max".
        cost: cost model with the price of each operation.
        budget: largest number of candidates (formulations) whose cost a search may evaluate for one
            function and method. It is also the largest number of times that the search may factor a
            program.
        time_limit: time in s after which the search for one function ends; None for no limit. With
            a time limit, the result depends on the speed of the machine.

    Raises:
        UsageError: the effort is unknown, the budget is less than 1, or the time limit is negative
            or used without a search.
    """

    optimize: str = DEFAULT_OPTIMIZE
    cost: CostModel = FLOPS
    budget: int = DEFAULT_BUDGET
    time_limit: float | None = None

    def __post_init__(self) -> None:
        if self.optimize not in OPTIMIZE:
            raise UsageError(
                f"unknown effort {self.optimize!r}: expected one of {', '.join(OPTIMIZE)}"
            )
        if self.budget < 1:
            raise UsageError(
                f"invalid budget {self.budget} of a search: expected at least 1 program"
            )
        if self.time_limit is None:
            return
        if not self.time_limit >= 0:
            raise UsageError(
                f"invalid time limit {self.time_limit} of a search: expected seconds, 0 or more"
            )
        if not self.searches:
            raise UsageError("--time-limit ends the search of --optimize max; add --optimize max")

    @property
    def chooses(self) -> bool:
        """Whether the search compares several formulations of the robot."""
        return self.optimize != "none"

    @property
    def searches(self) -> bool:
        """Whether formulations and programs are changed until a budget is spent (effort "max")."""
        return self.optimize == "max"
