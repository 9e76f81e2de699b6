"""Coordinate descent over discrete choices: one position at a time, within a budget.

A solution is a tuple with one choice for each position. For example, let the choices (0, 0) cost 9,
with the options 0, 1 and 2 at both positions.

    last position:  (0, 1) costs 8, (0, 2) costs 7   ->  (0, 2)
    first position: (1, 2) costs 5, (2, 2) costs 6   ->  (1, 2)
    last position:  no single change is cheaper      ->  (1, 2) is the result
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dynagen.ir.cost import Cost

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Descent(Generic[Choice]):
    """The result of a coordinate descent, which improves one choice of a tuple at a time.

    Attributes:
        choices: the cheapest tuple of choices that was found.
        cost: cost of this tuple.
        evaluations: number of tuples whose cost was evaluated.
    """

    choices: tuple[Choice, ...]
    cost: Cost
    evaluations: int


def descend(
    starts: Sequence[tuple[Choice, ...]],
    options: Sequence[Sequence[Choice]],
    cost: Callable[[tuple[Choice, ...]], Cost],
    budget: int,
    is_over: Callable[[], bool] = lambda: False,
) -> Descent[Choice]:
    """Improve choices until no change of a single choice lowers the cost.

    The starts are improved one by one, in ascending order of cost, until the budget is spent. No
    tuple of choices is evaluated twice.

    Args:
        starts: tuples of choices, one choice for each position, from which to begin; at least one.
        options: the allowed choices at each position.
        cost: function that returns the cost of a tuple of choices. Among equal costs, the first
            tuple is kept.
        budget: largest number of evaluations of `cost`, at least 1. If the budget is smaller than
            the number of starts, the last starts are omitted.
        is_over: function that returns whether the descent has to end early.
    """
    starts = starts[: max(1, budget)]
    # Starts and descents meet in the same choices; the budget counts different ones only.
    known: dict[tuple[Choice, ...], Cost] = {}

    def evaluate(choices: tuple[Choice, ...]) -> Cost:
        if choices not in known:
            known[choices] = cost(choices)
        return known[choices]

    ends = [
        _improve(start, options, evaluate, lambda: len(known) < budget and not is_over())
        for start in sorted(starts, key=evaluate)
    ]
    best = min(ends, key=evaluate)
    return Descent(best, evaluate(best), len(known))


def _improve(
    choices: tuple[Choice, ...],
    options: Sequence[Sequence[Choice]],
    evaluate: Callable[[tuple[Choice, ...]], Cost],
    may_go_on: Callable[[], bool],
) -> tuple[Choice, ...]:
    """Change one choice of a tuple at a time while that lowers the cost; return the tuple.

    `options` contains the allowed choices at each index of the tuple, and `evaluate` returns the
    cost of a tuple. `may_go_on` returns False if the budget is spent.
    """
    improved = True
    while improved:
        improved = False
        # From the tips to the base, the direction in which inertia is regrouped.
        for position in reversed(range(len(choices))):
            for option in options[position]:
                changed = (*choices[:position], option, *choices[position + 1 :])
                if not may_go_on():
                    return choices
                if evaluate(changed) < evaluate(choices):
                    choices, improved = changed, True
    return choices
