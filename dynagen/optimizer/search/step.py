"""Steps of the search: a changed program is kept if it costs less and loses no digits.

Rounding errors of a program, by single precision beside double: fast enough to ask for every candidate.

Steps of the search: a program factored anew, and changed by resubstitution, if that costs less and loses no digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np

from dynagen.ir.cost import CostModel, cost_of, count
from dynagen.ir.evaluation import Arithmetic, evaluate, example
from dynagen.ir.program import Operation, Program
from dynagen.optimizer.passes.manager import Optimised, PassRecord, run_last_pass, run_passes
from dynagen.optimizer.search.counted_sums import TermCosts
from dynagen.optimizer.search.expansion import Expansion, Extent, expand
from dynagen.optimizer.search.factoring import share_factors
from dynagen.optimizer.search.neighbourhood_search import search_forms
from dynagen.optimizer.search.resubstitution import resubstitute_at_random

_STATES = 200


def _round_to_single(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of single-precision numbers, rounded once: numpy's own differ from machine to machine."""
    return lambda values: function(np.float64(values)).astype(np.float32)


_DOUBLE = Arithmetic(example)
_SINGLE = Arithmetic(
    lambda number: np.float32(example(number)),
    {Operation.SINE: _round_to_single(np.sin), Operation.COSINE: _round_to_single(np.cos)},
)


def measure_rounding(program: Program) -> float:
    """The distance of single precision from double, in terms of the largest element of an output: the worst state of many.

    Half of the states are near poses in which axes are parallel or at right angles, where terms cancel.
    """
    random = np.random.Generator(np.random.PCG64(0))
    states = {}
    for argument in program.inputs:
        anywhere, near = random.uniform(-3, 3, (2, argument.size, _STATES // 2))
        right_angles = np.round(anywhere) * (np.pi / 2)
        states[argument.name] = np.concatenate(
            [anywhere, right_angles + 1e-2 * near], axis=1
        ).astype(np.float32)
    worst = 0.0
    with np.errstate(all="ignore"):  # a program need not be defined in all of these states
        singles, doubles = (
            evaluate(program, states, _SINGLE),
            evaluate(program, _convert_to_double(states), _DOUBLE),
        )
        for name, values in singles.items():
            single, double = (
                np.array([np.broadcast_to(each, _STATES) for each in made])
                for made in (values, doubles[name])
            )
            scale, error = (
                np.abs(double).max(axis=0),
                np.abs(single.astype(np.float64) - double).max(axis=0),
            )
            counts = np.isfinite(scale) & (scale > 0) & ~np.isnan(error)
            worst = max(worst, float(np.max(error[counts] / scale[counts], initial=0.0)))
    return worst


def _convert_to_double(states: dict[str, Any]) -> dict[str, Any]:
    return {name: array.astype(np.float64) for name, array in states.items()}


_MOST_OPERATIONS = 160  # of a program that is written out; larger ones have never become smaller
_MOST_TERMS = (2, 3, 4, 6, 8, 16, 64)
_MOST_LOSS = 2  # of accuracy, as a factor
_MOST_TERMS_IN_ALL = 250  # of an expansion: passes and search look at all pairs, and larger ones have never become smaller
_STARTS = 3  # of searches: what the passes have made, and the expansions that are cheapest when factored once
_SEARCHES = 3  # from every start: three short ones find more than a long one
_LAST = 3  # forms that a search has found: only the passes say what they cost, and the last may lose digits
_ROUND = 30  # of the trials of a search that alternates
_STEPS = 500  # of resubstitution in a round
_TRIALS_A_RESTART = 20
_GO_ON = 3  # one of so many searches
_SEEDS = 10_000  # between those of two searches: more than either has rounds
_POLISHINGS = 3  # rounds with windows, at least
_TRIALS_A_POLISHING = 200
_WINDOWS = 0.5  # of the nodes of such a round
_EXTENTS = tuple(
    Extent(*each) for each in product(_MOST_TERMS, (None, Operation.SINE, Operation.COSINE))
)


def refactored(optimised: Optimised, cost: CostModel, trials: int) -> Optimised:
    """The cheapest of a program that the passes have made and its expansions, by the passes again or by a search.

    Args:
        optimised: the program as the passes leave it, and their records.
        cost: what is cheap.
        trials: how many times sums are loosened and factored, in all searches together.

    Returns:
        The program, and the records of all passes; the last of them is for all that follows them.
    """
    start = perf_counter()
    program, _ = optimised
    most_rounding = _MOST_LOSS * measure_rounding(program)
    costs = _make_term_costs(cost)
    extents = _EXTENTS if count(program).total <= _MOST_OPERATIONS else ()
    written_out = (expand(program, extent) for extent in extents)
    small = [
        each for each in written_out if sum(map(len, each.sums.values())) <= _MOST_TERMS_IN_ALL
    ]
    expansions = {each.emit(): each for each in small}
    made = (run_passes(each, cost)[0] for each in expansions)
    cheapest = _choose_accurate([program, *made], cost, most_rounding)
    by_cost = sorted(
        expansions.values(), key=lambda each: list(search_forms(each, costs, 0))[-1][0]
    )
    starts = [expand(cheapest, Extent(1)), *by_cost[: _STARTS - 1]]
    searches = [(start, seed) for start in starts for seed in range(_SEARCHES)]
    found = [
        list(search_forms(start, costs, trials // len(searches), seed)) for start, seed in searches
    ]
    forms = [
        each[-1][1] for each in found
    ]  # the passes share factors of products too, at times better
    forms += [
        replace(form, sums=share_factors(form.sums, form.first_new))
        for each in found
        for _, form in each[-_LAST:]
    ]
    cheapest = _choose_accurate([program, cheapest, *_emit_forms(forms, cost)], cost, most_rounding)
    resubstituted = (run_last_pass((each, ()), cost)[0] for each in (program, cheapest))
    cheapest = _choose_accurate([cheapest, *resubstituted], cost, most_rounding)
    return _record_step("refactoring", optimised, cheapest, start)


def search_by_resubstitution(
    recorded: Program,
    optimised: Optimised,
    cost: CostModel,
    trials: int,
    progress: Callable[[float], None] = lambda _: None,
    first_seed: int = 0,
) -> Optimised:
    """A program changed by resubstitution, on plateaus too, and factored anew, by turns, as long as it becomes no dearer.

    Each finds what the other does not: resubstitution sees what is equal for whatever reason, and changes little at a time;
    factoring sees only what polynomials show, and writes much of a program anew.

    Args:
        recorded: the program before all passes, that says how accurate it has to be.
        optimised: the program as `refactored` leaves it, and its records.
        cost: what is cheap.
        trials: how many times sums are loosened and factored.
        progress: is told how much is done, from 0 to 1.
        first_seed: of what is drawn at random in the first round; those of the others follow it.
    """
    start = perf_counter()
    program, _ = optimised
    most_rounding = max(_MOST_LOSS * measure_rounding(recorded), measure_rounding(program))
    cheapest = program
    rounds = -(-trials // _ROUND)
    for seed in range(first_seed, first_seed + rounds):
        progress((seed - first_seed) / rounds)
        changed = resubstitute_at_random(cheapest, cost, _STEPS, seed)
        *_, (_, form) = search_forms(
            expand(changed, Extent(1)), _make_term_costs(cost), min(trials, _ROUND), seed
        )
        forms = [form, replace(form, sums=share_factors(form.sums, form.first_new))]
        # Of equal ones the one that has changed most: what has changed can be changed further.
        candidates = [*_emit_forms(forms, cost), run_passes(changed, cost)[0], cheapest]
        cheapest = _choose_accurate(candidates, cost, most_rounding)
    return _record_step("drifting", optimised, cheapest, start)


def search_with_restarts(
    recorded: Program, optimised: Optimised, cost: CostModel, trials: int
) -> Optimised:
    """A small program after many searches from it, each with other seeds; the cheapest third goes on for twice as long.

    Searches of a small program come to rest soon, and far apart: one of ten finds what a long one never does. To let fewer and
    fewer go on finds it in little more time than all take to begin (successive halving: K. Jamieson, A. Talwalkar,
    "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS 2016).

    Args:
        recorded: the program before all passes, that says how accurate it has to be.
        optimised: the program as the passes leave it, which has not been factored anew, and their records.
        cost: what is cheap.
        trials: of a search; there is one search for every 20 of them.
    """
    start = perf_counter()
    program, _ = optimised
    searches, length = (
        [(seed, program) for seed in range(0, trials // _TRIALS_A_RESTART * _SEEDS, _SEEDS)],
        _ROUND,
    )
    cheapest = program
    while searches:
        found = [
            (seed, search_by_resubstitution(recorded, (each, ()), cost, length, first_seed=seed)[0])
            for seed, each in searches
        ]
        found.sort(key=lambda each: cost_of(each[1], cost))
        cheapest, dearest = found[0][1], found[-1][1]
        apart = cost_of(cheapest, cost) < cost_of(
            dearest, cost
        )  # where all agree there is nothing more to find
        searches = [
            (seed + length // _ROUND, each)
            for seed, each in found[: len(found) // _GO_ON if apart else 0]
        ]
        length *= 2
    return _record_step("restarts", optimised, cheapest, start)


def search_windows(
    recorded: Program, optimised: Optimised, cost: CostModel, trials: int
) -> Optimised:
    """A program after a last search, in which windows are computed otherwise, too; it becomes no dearer.

    Args:
        recorded: the program before all passes, that says how accurate it has to be.
        optimised: the program as `search_by_resubstitution` leaves it, and its records.
        cost: what is cheap.
        trials: how many times sums were loosened and factored before: a long search ends with a longer one of these.
    """
    start = perf_counter()
    program, _ = optimised
    most_rounding = max(_MOST_LOSS * measure_rounding(recorded), measure_rounding(program))
    cheapest = program
    for seed in range(max(_POLISHINGS, trials // _TRIALS_A_POLISHING)):
        changed = resubstitute_at_random(cheapest, cost, _STEPS, seed, _WINDOWS)
        cheapest = _choose_accurate([run_passes(changed, cost)[0], cheapest], cost, most_rounding)
    return _record_step("polishing", optimised, cheapest, start)


def _record_step(name: str, optimised: Optimised, cheapest: Program, start: float) -> Optimised:
    """What a step that began at `start` has made of a program, with its record behind the others."""
    program, records = optimised
    return cheapest, (
        *records,
        PassRecord(name, 0, count(program), count(cheapest), perf_counter() - start),
    )


def _make_term_costs(cost: CostModel) -> TermCosts:
    return TermCosts(float(cost.of(Operation.ADD)), float(cost.of(Operation.MULTIPLY)))


def _emit_forms(forms: Iterable[Expansion], cost: CostModel) -> Iterator[Program]:
    return (run_passes(form.emit(), cost)[0] for form in forms)


def _choose_accurate(
    candidates: Iterable[Program], cost: CostModel, most_rounding: float
) -> Program:
    """The cheapest program that does not lose too many digits, of equal ones the first; there is one."""
    by_cost = sorted(candidates, key=lambda candidate: cost_of(candidate, cost))
    return next(each for each in by_cost if measure_rounding(each) <= most_rounding)
