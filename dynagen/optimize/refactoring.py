"""Small programs written out and factored anew, in a few ways, where that costs less and no digits: a step of the search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np

from dynagen.ir.cost import CostModel, price
from dynagen.ir.count import count
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.interface import PARAMS
from dynagen.ir.program import Operation, Program
from dynagen.optimize.counted_sums import Weights
from dynagen.optimize.neighbourhood_search import cheaper_forms
from dynagen.optimize.shared_factors import share_factors
from dynagen.passes.expansion import Extent, expand
from dynagen.passes.manager import PassRecord, optimised, run_passes

_MOST_OPERATIONS = 160  # larger programs have never become smaller
_MOST_TERMS = (2, 3, 4, 6, 8, 16, 64)
_MOST_LOSS = 2  # of accuracy, as a factor
_STATES = 200
_MOST_TERMS_IN_ALL = 250  # of an expansion that a search begins with; it looks at all pairs
_STARTS = 3  # of searches: what the passes have made, and the expansions that are cheapest when factored once
_SEARCHES = 3  # from every start: three short ones find more than a long one
_LAST = 3  # forms that a search has found: only the passes say what they cost, and the last may lose digits
_EXTENTS = tuple(Extent(*each) for each in product(_MOST_TERMS, (None, Operation.SINE, Operation.COSINE)))


@lru_cache(maxsize=64)
def refactored(recorded: Program, cost: CostModel, trials: int) -> tuple[Program, tuple[PassRecord, ...]]:
    """The passes, and then the cheapest of the program and what becomes of its expansions: by the passes, or by a search.

    A program with run-time parameters stays as the passes leave it: products of parameters alone cost a call nothing, which
    its polynomials do not show.

    Args:
        recorded: a program as recorded.
        cost: what is cheap.
        trials: how many times expansions are factored.

    Returns:
        The program, and the records of all passes; the last of them is for all expansions.
    """
    program, records = optimised(recorded, cost)
    if any(argument.name == PARAMS for argument in program.inputs):
        return program, records
    start = perf_counter()
    most_loss = _MOST_LOSS * _rounding(program)

    def cheapest_accurate(candidates: Iterable[Program]) -> Program:
        by_price = sorted(candidates, key=lambda candidate: price(candidate, cost))
        return next(each for each in by_price if each is program or _rounding(each) <= most_loss)

    weights = Weights(float(cost.of(Operation.ADD)), float(cost.of(Operation.MULTIPLY)))
    extents = _EXTENTS if count(program).total <= _MOST_OPERATIONS else ()
    expansions = {each.emitted(): each for each in (expand(program, extent) for extent in extents)}
    cheapest = cheapest_accurate([program, *(run_passes(each, cost)[0] for each in expansions)])
    small = [each for each in expansions.values() if sum(map(len, each.sums.values())) <= _MOST_TERMS_IN_ALL]
    by_cost = sorted(small, key=lambda each: list(cheaper_forms(each, weights, 0))[-1][0])
    starts = [expand(cheapest, Extent(1)), *by_cost[: _STARTS - 1]]
    searches = [(start, seed) for start in starts for seed in range(_SEARCHES)]
    found = [list(cheaper_forms(start, weights, trials // len(searches), seed)) for start, seed in searches]
    forms = [each[-1][1] for each in found]  # the passes share factors of products too, at times better
    forms += [replace(form, sums=share_factors(form.sums)) for each in found for _, form in each[-_LAST:]]
    cheapest = cheapest_accurate([program, cheapest, *(run_passes(form.emitted(), cost)[0] for form in forms)])
    record = PassRecord("refactoring", 0, count(program), count(cheapest), perf_counter() - start)
    return cheapest, (*records, record)


def _in_single(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of single-precision numbers, rounded once: numpy's own differ from machine to machine."""
    return lambda values: function(np.float64(values)).astype(np.float32)


_SINGLE = Arithmetic(lambda number: np.float32(float(number)), _in_single(np.sin), _in_single(np.cos), np.sqrt)


def _rounding(program: Program) -> float:
    """How far single precision is from double, in terms of the largest element of an output: the worst state of many.

    Half of the states are near poses in which axes are parallel or at right angles, where terms cancel.
    """
    random = np.random.Generator(np.random.PCG64(0))
    states = {}
    for argument in program.inputs:
        anywhere, near = random.uniform(-3, 3, (2, argument.size, _STATES // 2))
        right_angles = np.round(anywhere) * (np.pi / 2)
        states[argument.name] = np.concatenate([anywhere, right_angles + 1e-2 * near], axis=1).astype(np.float32)
    worst = 0.0
    with np.errstate(all="ignore"):  # a program need not be defined in all of these states
        singles, doubles = evaluate(program, states, _SINGLE), evaluate(program, _in_double(states))
        for name, values in singles.items():
            single, double = (np.array([np.broadcast_to(each, _STATES) for each in made]) for made in (values, doubles[name]))
            scale, error = np.abs(double).max(axis=0), np.abs(single.astype(np.float64) - double).max(axis=0)
            counts = np.isfinite(scale) & (scale > 0) & ~np.isnan(error)
            worst = max(worst, float(np.max(error[counts] / scale[counts], initial=0.0)))
    return worst


def _in_double(states: dict[str, Any]) -> dict[str, Any]:
    return {name: array.astype(np.float64) for name, array in states.items()}
