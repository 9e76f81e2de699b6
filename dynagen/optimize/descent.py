"""Coordinate descent over choices, one position at a time: deterministic, bounded, and never worse than where it starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dynagen.ir.cost import Cost

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Descent(Generic[Choice]):
    """The result of a descent: the best choices, and what they cost.

    Attributes:
        evaluations: how often the cost was asked for.
    """

    choices: tuple[Choice, ...]
    cost: Cost
    evaluations: int


def descend(
    starts: Sequence[tuple[Choice, ...]],
    options: Sequence[Sequence[Choice]],
    cost: Callable[[tuple[Choice, ...]], Cost],
    budget: int,
) -> Descent[Choice]:
    """Improve choices until no single change helps.

    Starts are improved one after the other, the cheapest first, because descents end in different local optima and the budget
    may not reach all of them. What has been evaluated once is not evaluated again.

    Args:
        starts: choices to begin from, one for every position; the best of them is improved first, then the others.
        options: what may be chosen, for every position.
        cost: of a complete set of choices; smaller is better, and of equals the first stays.
        budget: most evaluations, at least one; starts that it does not reach are left out.
    """
    starts = starts[: max(1, budget)]
    known: dict[tuple[Choice, ...], Cost] = {}

    def evaluate(choices: tuple[Choice, ...]) -> Cost:
        if choices not in known:
            known[choices] = cost(choices)
        return known[choices]

    ends = [_improve(start, options, evaluate, lambda: len(known) < budget) for start in sorted(starts, key=evaluate)]
    best = min(ends, key=evaluate)
    return Descent(best, evaluate(best), len(known))


def _improve(
    choices: tuple[Choice, ...],
    options: Sequence[Sequence[Choice]],
    evaluate: Callable[[tuple[Choice, ...]], Cost],
    may_go_on: Callable[[], bool],
) -> tuple[Choice, ...]:
    improved = True
    while improved:
        improved = False
        for position in reversed(range(len(choices))):
            for option in options[position]:
                changed = (*choices[:position], option, *choices[position + 1 :])
                if not may_go_on():
                    return choices
                if evaluate(changed) < evaluate(choices):
                    choices, improved = changed, True
    return choices
