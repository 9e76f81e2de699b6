"""Estimates: what a function costs for many candidates, counted while it is recorded, and which candidates that prefers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from dynagen.dynamics.candidate import Candidate
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.recording.memoised import MemoisedRecorder
from dynagen.dynamics.recording.recorder import CountingRecorder
from dynagen.ir.cost import Cost, CostModel, cost_of
from dynagen.model.model import RobotModel
from dynagen.optimize.design_space import in_one_step
from dynagen.passes.simplifier import SimplifyingBuilder

CostOf = Callable[[Candidate], Cost]
"""What a function costs if it is recorded for a candidate, or about as much."""

_PREFERRED = 3  # by the estimate; the cheapest of all was among the first two for every function of every bundled robot
_CLOSE = Fraction(21, 20)  # estimates are off by a few hundredths
_SMALL = 600  # operations of a program that is emitted fast enough to look at two of them


class Estimator:
    """Counts operations of one function by one method. What candidates have in common is recorded once for all of them."""

    def __init__(self, function: DynamicsFunction, method: str, model: RobotModel, cost: CostModel) -> None:
        self._function, self._method, self._cost = function, method, cost
        self._builder = SimplifyingBuilder()
        counting = CountingRecorder(self._builder, [parameter.name for parameter in model.parameters])
        self._recorder = MemoisedRecorder(counting)
        self._results: dict[Candidate, tuple[int, ...]] = {}

    def estimate(self, candidate: Candidate) -> Cost:
        """The cost that rules leave which look at one operation at a time."""
        return self._builder.cost_of(self._recorded(candidate), self._cost)

    def estimate_closely(self, candidate: Candidate) -> Cost:
        """The cost that passes leave which look at whole sums too."""
        return cost_of(self._builder.collected(self._recorded(candidate)), self._cost)

    def _recorded(self, candidate: Candidate) -> tuple[int, ...]:
        if candidate not in self._results:
            results = self._function.record_into(self._recorder, candidate, self._method)
            values = (value for quantities in results for quantity in quantities for value in quantity.values)
            self._results[candidate] = tuple(values)
        return self._results[candidate]


def prefer(candidates: Sequence[Candidate], estimate: CostOf, cost: CostOf) -> list[Candidate]:
    """The cheapest of some candidates; and the next one, if it is small and about as cheap.

    The few that are estimated cheapest are tried with displacements in one step besides.

    Args:
        candidates: to choose from.
        estimate: for all of them.
        cost: the same more closely, with more effort, for the few that the estimate prefers.
    """
    estimates = [estimate(each) for each in candidates]
    more = [each for each in map(in_one_step, _least(candidates, estimates)) if each not in candidates]
    by_cost: dict[Cost, Candidate] = {}
    for each in _least([*candidates, *more], estimates + [estimate(each) for each in more]):
        by_cost.setdefault(cost(each), each)
    costs = sorted(by_cost)[:2]
    close = _CLOSE if costs[0][1] <= _SMALL else 1
    return [by_cost[cost] for cost in costs if cost[0] <= close * costs[0][0]]


def _least(candidates: Sequence[Candidate], estimates: Sequence[Cost]) -> list[Candidate]:
    """The few that are estimated cheapest, in the order that they came in."""
    positions = sorted(range(len(candidates)), key=estimates.__getitem__)[:_PREFERRED]
    return [candidates[position] for position in sorted(positions)]
