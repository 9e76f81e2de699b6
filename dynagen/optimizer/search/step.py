"""Steps of the search: a changed program is kept if it costs less and is accurate enough.

An expansion is a program whose products of sums are multiplied out. `factor_small` factors each of
a few expansions of a small program a single time; the search efforts `default` and `max` do so.
`search_factors` factors an optimised program and its expansions many times.
`search_by_resubstitution` alternates factoring with resubstitution, which computes values in other
ways from existing values. `search_with_restarts` starts many short searches of a small program.
`search_windows`, the last step, also replaces a few connected values by shorter programs for them
(resynthesis windows). Each step appends a record with its name to the records of the passes.

The cost of a changed program is counted after the passes have optimised the program. Rounding
errors are measured by comparing single with double precision, which is fast enough for every
candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product, takewhile
from time import perf_counter
from typing import Any

import numpy as np

from dynagen.ir.cost import CostModel, compute_cost, count
from dynagen.ir.evaluation import Arithmetic, evaluate, evaluate_example
from dynagen.ir.program import Operation, Program
from dynagen.optimizer.passes.manager import Optimised, PassRecord, run_last_pass, run_passes
from dynagen.optimizer.search.counted_sums import TermCosts
from dynagen.optimizer.search.expansion import Expansion, Extent, expand
from dynagen.optimizer.search.factoring import share_factors
from dynagen.optimizer.search.neighbourhood_search import search_forms
from dynagen.optimizer.search.resubstitution import resubstitute_at_random
from dynagen.watch import ENDLESS, Watch

_STATES = 200


def _round_to_single(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that computes in double precision and rounds the result to single.

    numpy's functions in single precision differ between machines.
    """
    return lambda values: function(np.float64(values)).astype(np.float32)


_DOUBLE = Arithmetic(evaluate_example)
_SINGLE = Arithmetic(
    lambda number: np.float32(evaluate_example(number)),
    {Operation.SINE: _round_to_single(np.sin), Operation.COSINE: _round_to_single(np.cos)},
)


def measure_rounding(program: Program) -> float:
    """Return the largest relative error of a program in single precision, for 200 sets of inputs.

    The error of an element is relative to the largest element of the same output for the same
    inputs. In half of the sets, all inputs are near multiples of pi/2; joint axes are then parallel
    or perpendicular, and terms cancel.
    """
    random = np.random.Generator(np.random.PCG64(0))
    states = {}
    for argument in program.inputs:
        anywhere, near = random.uniform(-3, 3, (2, argument.size, _STATES // 2))
        # Multiples of a right angle, and a hundredth of a radian around them.
        right_angles = np.round(anywhere) * (np.pi / 2)
        states[argument.name] = np.concatenate(
            [anywhere, right_angles + 1e-2 * near], axis=1
        ).astype(np.float32)
    worst = 0.0
    with np.errstate(all="ignore"):  # a state may be outside of the domain
        singles, doubles = (
            evaluate(program, states, _SINGLE),
            evaluate(program, _convert_to_double(states), _DOUBLE),
        )
        for name, values in singles.items():
            single, double = (
                np.array([np.broadcast_to(element, _STATES) for element in made])
                for made in (values, doubles[name])
            )
            scale, error = (
                np.abs(double).max(axis=0),
                np.abs(single.astype(np.float64) - double).max(axis=0),
            )
            # Outputs that are zero or undefined have no relative error.
            counts = np.isfinite(scale) & (scale > 0) & ~np.isnan(error)
            worst = max(worst, float(np.max(error[counts] / scale[counts], initial=0.0)))
    return worst


def _convert_to_double(states: dict[str, Any]) -> dict[str, Any]:
    """Return inputs (arrays by name) in double precision."""
    return {name: array.astype(np.float64) for name, array in states.items()}


_MOST_LOSS = 2  # factor by which rounding errors may grow

# Expansion: larger programs, and larger expansions, have never become cheaper.
_MOST_OPERATIONS = 160  # of a program that is expanded
_MOST_TERMS = (2, 3, 4, 6, 8, 16, 64)  # of a polynomial, for the different extents
_MOST_TERMS_IN_ALL = 250  # of an expansion, as passes and search compare all pairs of terms

# Factoring
_STARTS = 3  # the cheapest program, and the expansions that are cheapest when factored once
_SEARCHES = 3  # from each start: three short ones find more than a long one
_LAST = 3  # forms of each search that the passes count: the last one may lose digits

# Resubstitution alternating with factoring
_ROUND = 30  # trials of factoring in a round
_STEPS = 500  # nodes drawn for resubstitution in a round

# Restarts
_TRIALS_PER_RESTART = 20
_CONTINUED = 3  # one of so many searches continues
_SEEDS = 10_000  # distance of the seeds of two searches, more than the rounds of either

# Resynthesis windows
_WINDOW_ROUNDS = 3  # at least
_TRIALS_PER_WINDOW_ROUND = 200
_WINDOWS = 0.5  # part of the nodes around which a window is drawn
_EXTENTS = tuple(
    Extent(*limits) for limits in product(_MOST_TERMS, (None, Operation.SINE, Operation.COSINE))
)
# At the default effort, with the most terms for each operation of the program. The first two reach
# 96 % of the savings of six extents without limits, in a sixth of the time (functions of PUMA 560,
# SCARA, planar and three-joint arms). The third one differs only for prismatic joints.
_USUAL_EXTENTS = (
    (Extent(4, Operation.SINE), 3),
    (Extent(64, Operation.COSINE), 1),
    (Extent(64, Operation.COSINE, opens_offsets=True), 1),
)


def factor_small(optimised: Optimised, cost: CostModel) -> Optimised:
    """Factor a few expansions of a small program, each a single time; return the cheapest program.

    In an expansion, products of sums are multiplied out. For a robot with few joints, many values
    of a recursion are sums of the same few products.

    Args:
        optimised: the program after all passes, and the records of the passes.
        cost: the price of each operation.

    Returns:
        The cheapest program and its records; both are unchanged if no expansion is cheaper.
    """
    start = perf_counter()
    program, _ = optimised
    operations = count(program).total
    if operations > _MOST_OPERATIONS:
        return optimised
    expansions: dict[Program, Expansion] = {}
    for extent, ratio in _USUAL_EXTENTS:
        for expansion in _expand_small(program, (extent,), ratio * operations):
            expansions.setdefault(expansion.emit(), expansion)
    factored = []
    for expansion in expansions.values():
        *_, (_, form) = search_forms(expansion, _make_term_costs(cost), 0)
        factored += [form, replace(form, sums=share_factors(form.sums, form.first_new))]
    cheaper = [
        made
        for made in _emit_forms(factored, cost)
        if compute_cost(made, cost) < compute_cost(program, cost)
    ]
    if not cheaper:
        return optimised
    most_rounding = _MOST_LOSS * measure_rounding(program)
    cheapest = _choose_accurate([*cheaper, program], cost, most_rounding)
    return _record_step("factoring of expansions", optimised, cheapest, start)


def _expand_small(
    program: Program, extents: Iterable[Extent], most_terms: int = _MOST_TERMS_IN_ALL
) -> tuple[Expansion, ...]:
    """Return the different expansions of a program that are small enough to be factored.

    `most_terms` limits the number of terms in all polynomials of an expansion together.
    """
    most_terms = min(most_terms, _MOST_TERMS_IN_ALL)
    expansions = {}
    for extent in extents:
        expansion = expand(program, extent)
        if sum(map(len, expansion.sums.values())) <= most_terms:
            # Different extents often yield the same program.
            expansions[expansion.emit()] = expansion
    return tuple(expansions.values())


def search_factors(
    optimised: Optimised, cost: CostModel, trials: int, watch: Watch = ENDLESS
) -> Optimised:
    """Return the cheapest program that a search for factors finds, from several expansions.

    In an expansion, products of sums are multiplied out, up to a limit.

    Args:
        optimised: the program after all passes, and the records of the passes.
        cost: the price of each operation.
        trials: how often sums are partly expanded (loosened) and factored, in all searches
            together.
        watch: may end the search early, at a time limit.

    Returns:
        The resulting program, and its records with an additional record for this step.
    """
    start = perf_counter()
    program, _ = optimised
    if watch.is_over:
        return optimised
    most_rounding = _MOST_LOSS * measure_rounding(program)
    # The search counts additions and multiplications only; the passes decide by the whole cost.
    costs = _make_term_costs(cost)
    extents = _EXTENTS if count(program).total <= _MOST_OPERATIONS else ()
    expansions = _expand_small(program, extents)
    made = _emit_forms(expansions, cost)
    cheapest = _choose_accurate([program, *made], cost, most_rounding)
    by_cost = sorted(
        expansions, key=lambda expansion: list(search_forms(expansion, costs, 0))[-1][0]
    )
    # Extent 1 keeps all sums of the program: this start is the program itself as polynomials.
    starts = [expand(cheapest, Extent(1)), *by_cost[: _STARTS - 1]]
    searches = [(start, seed) for start in starts for seed in range(_SEARCHES)]
    found = [
        list(search_forms(start, costs, trials // len(searches), seed, watch))
        for start, seed in searches
    ]
    # The passes share pairs of factors too, sometimes better than `share_factors`: try the two
    # ways.
    forms = [search[-1][1] for search in found]
    forms += [
        replace(form, sums=share_factors(form.sums, form.first_new))
        for search in found
        for _, form in search[-_LAST:]
    ]
    cheapest = _choose_accurate([program, cheapest, *_emit_forms(forms, cost)], cost, most_rounding)
    # The end of the passes resubstitutes too, so the search never ends with more than they do.
    resubstituted = (run_last_pass((candidate, ()), cost)[0] for candidate in (program, cheapest))
    cheapest = _choose_accurate([cheapest, *resubstituted], cost, most_rounding)
    return _record_step("refactoring", optimised, cheapest, start)


def search_by_resubstitution(
    recorded: Program,
    optimised: Optimised,
    cost: CostModel,
    trials: int,
    watch: Watch = ENDLESS,
    first_seed: int = 0,
) -> Optimised:
    """Alternate random resubstitution and factoring without raising the cost of a program.

    Resubstitution computes values in other ways from existing values: it makes small changes, and
    can use every equality of values. Factoring rewrites large parts of a program, but can use only
    the rules of polynomials. Therefore the two find different savings.

    Args:
        recorded: the program before all passes. The result may have at most twice its rounding
            error.
        optimised: a program, and the records of the passes and steps that made it.
        cost: the price of each operation.
        trials: how often sums are partly expanded (loosened) and factored, in total. The search
            ends after this number.
        watch: receives the completed fraction of the search, and may end it early.
        first_seed: seed of the random choices in the first round; each further round adds 1 to it.

    Returns:
        The resulting program, and its records with an additional record for this step.
    """
    start = perf_counter()
    program, _ = optimised
    most_rounding = max(_MOST_LOSS * measure_rounding(recorded), measure_rounding(program))
    cheapest = program
    rounds = -(-trials // _ROUND)
    for seed in range(first_seed, first_seed + rounds):
        watch.report((seed - first_seed) / rounds, count(cheapest).total)
        if watch.is_over:
            break
        changed = resubstitute_at_random(cheapest, cost, _STEPS, seed)
        *_, (_, form) = search_forms(
            expand(changed, Extent(1)), _make_term_costs(cost), min(trials, _ROUND), seed
        )
        forms = [form, replace(form, sums=share_factors(form.sums, form.first_new))]
        # Of equally cheap programs, the one that has changed most comes first: it opens new ways.
        candidates = [*_emit_forms(forms, cost), run_passes(changed, cost)[0], cheapest]
        cheapest = _choose_accurate(candidates, cost, most_rounding)
    return _record_step("drifting", optimised, cheapest, start)


def search_with_restarts(
    recorded: Program, optimised: Optimised, cost: CostModel, trials: int, watch: Watch = ENDLESS
) -> Optimised:
    """Start many searches of a small program with different seeds, and continue the cheapest.

    Short searches with different seeds end with different programs. In each round, the cheapest
    third of the searches continues for twice as long. This is a form of successive halving
    (Jamieson and Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter
    Optimization", AISTATS 2016).

    Args:
        recorded: the program before all passes. The result may have at most twice its rounding
            error.
        optimised: the program after all passes, before any factoring, and the records of the
            passes.
        cost: the price of each operation.
        trials: budget: the number of times that sums may be partly expanded and factored again. One
            search is started for each 20 trials.
        watch: may end the searches early, at a time limit.

    Returns:
        The resulting program, and its records with an additional record for this step.
    """
    start = perf_counter()
    program, _ = optimised
    searches, length = (
        [(seed, program) for seed in range(0, trials // _TRIALS_PER_RESTART * _SEEDS, _SEEDS)],
        _ROUND,
    )
    cheapest = program
    while searches:
        found = [
            (
                seed,
                search_by_resubstitution(
                    recorded,
                    (made, ()),
                    cost,
                    length,
                    Watch(deadline=watch.deadline),
                    first_seed=seed,
                )[0],
            )
            for seed, made in takewhile(lambda _: not watch.is_over, searches)
        ]
        if not found:
            break
        found.sort(key=lambda result: compute_cost(result[1], cost))
        cheapest, dearest = found[0][1], found[-1][1]
        # If all searches agree, further searches cannot improve the result.
        apart = compute_cost(cheapest, cost) < compute_cost(dearest, cost)
        searches = [
            (seed + length // _ROUND, made)
            for seed, made in found[: len(found) // _CONTINUED if apart else 0]
        ]
        # Fewer searches for twice as long take less time than the round before.
        length *= 2
    return _record_step("restarts", optimised, cheapest, start)


def search_windows(
    recorded: Program, optimised: Optimised, cost: CostModel, trials: int, watch: Watch = ENDLESS
) -> Optimised:
    """Run the last search, which also replaces a few connected values by shorter programs.

    The search does not raise the cost of the program. It alternates resubstitution, including the
    replacement of connected values (resynthesis windows), with the passes.

    Args:
        recorded: the program before all passes. The result may have at most twice its rounding
            error.
        optimised: a program, and the records of the passes and steps that made it.
        cost: the price of each operation.
        trials: budget of the search. There is one round for each 200 trials, and at least three
            rounds.
        watch: may end the search early, at a time limit.

    Returns:
        The resulting program, and its records with an additional record for this step.
    """
    start = perf_counter()
    program, _ = optimised
    most_rounding = max(_MOST_LOSS * measure_rounding(recorded), measure_rounding(program))
    cheapest = program
    for seed in range(max(_WINDOW_ROUNDS, trials // _TRIALS_PER_WINDOW_ROUND)):
        if watch.is_over:
            break
        changed = resubstitute_at_random(cheapest, cost, _STEPS, seed, _WINDOWS)
        cheapest = _choose_accurate([run_passes(changed, cost)[0], cheapest], cost, most_rounding)
    return _record_step("polishing", optimised, cheapest, start)


def _record_step(name: str, optimised: Optimised, cheapest: Program, start: float) -> Optimised:
    """Return the program that a step has found, with a record of the step appended.

    `start` is the time at which the step began, in s, from `perf_counter`.
    """
    program, records = optimised
    return cheapest, (
        *records,
        PassRecord(name, 0, count(program), count(cheapest), perf_counter() - start),
    )


def _make_term_costs(cost: CostModel) -> TermCosts:
    """Return the prices of an addition and a multiplication in a cost model."""
    return TermCosts(float(cost.weigh(Operation.ADD)), float(cost.weigh(Operation.MULTIPLY)))


def _emit_forms(forms: Iterable[Expansion], cost: CostModel) -> Iterator[Program]:
    """Convert each form of the polynomials to a program; yield the programs after the passes."""
    # Different forms may be emitted as the same program.
    programs = dict.fromkeys(form.emit() for form in forms)
    return (run_passes(program, cost)[0] for program in programs)


def _choose_accurate(
    candidates: Iterable[Program], cost: CostModel, most_rounding: float
) -> Program:
    """Return the cheapest program whose rounding error is at most `most_rounding`.

    Among programs of equal cost, the first is returned. At least one candidate must be this
    accurate.
    """
    by_cost = sorted(candidates, key=lambda candidate: compute_cost(candidate, cost))
    return next(candidate for candidate in by_cost if measure_rounding(candidate) <= most_rounding)
