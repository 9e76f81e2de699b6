"""Contenders: programs of several tools for one function, which are compared and timed.

All contenders for a function run on the same states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from time import perf_counter_ns
from typing import Any

import numpy as np

from dynagen.apps.benchmarking.states import COMPARED
from dynagen.numbers.arrays import Array
from dynagen.numbers.real import DOUBLE, Real

# Length of a timed block: long compared with the resolution of the clock, short compared with the
# time between disturbances by other programs.
_BLOCK_NS = 2e6
_ENOUGH_NS = 3e8  # total time of a contender after which it is timed no more
_PAUSES = 20  # number of calls between rounds

ONE_STATE, BATCH = "one state per call", "batch"
"""Names of the two ways of calling: one state per call, or many states stored side by side."""


@dataclass(frozen=True)
class Contender:
    """Program of one tool that computes one function.

    Attributes:
        tool: name of the tool, with the language from which it is called.
        called: how the program is called, such as `one state per call` or `batch`.
        compiler: compiler of the program; empty if the tool is installed as a binary.
        run: the timed function. `run(n)` computes the first n states, or all states if
            `is_one_call` is true.
        results: function that returns the results of the compared states, shape (compared states,
            entries of all results).
        is_one_call: whether one call of the program computes all states.
        times: how often one call of `run` computes all states.
        real: floating-point type of the program.
    """

    tool: str
    called: str
    compiler: str
    run: Callable[[int], object]
    results: Callable[[], Array]
    is_one_call: bool = False
    times: int = 1
    real: Real = DOUBLE

    @property
    def name(self) -> str:
        """Unique name: tool, way of calling and compiler, separated by commas."""
        return ", ".join(filter(None, (self.tool, self.called, self.compiler)))


def make_single_state_contender(
    tool: str,
    step: Callable[..., Any],
    read: Callable[[Any], Array],
    states: Sequence[Array],
    called: str = ONE_STATE,
) -> Contender:
    """Return a program for timing that calls a Python function once for each state.

    Args:
        tool: name of the tool, with the language from which it is called.
        step: the timed function, which computes one state.
        read: function that converts a return value of `step` to an array, before the next call of
            `step` overwrites it.
        states: for each argument of `step`, an array with a row for each state (SI units).
        called: how the program is called, in words.
    """
    calls = list(zip(*states, strict=True))

    def run(count: int) -> None:
        for state in calls[:count]:
            step(*state)

    def results() -> Array:
        return np.stack([np.array(read(step(*state))).ravel() for state in calls[:COMPARED]])

    return Contender(tool, called, "", run, results)


def make_batch_contender(
    tool: str,
    called: str,
    compiler: str,
    timed: Callable[[], object],
    kept: Callable[[], object],
    results: Callable[[], Array],
    times: int = 1,
    real: Real = DOUBLE,
) -> Contender:
    """Return a program for timing that calls compiled code once for all states.

    Args:
        tool: name of the tool, with the language from which it is called.
        called: how the program is called, in words.
        compiler: name of the program's compiler; empty if the tool is installed as a binary.
        timed: the timed function, which computes all states. The results are not read.
        kept: function that computes all states and stores the results.
        results: function that returns the results of the compared states after a call of `kept`,
            shape (compared states, entries of all results).
        times: how often one call of `timed` computes all states.
        real: floating-point type of the program.
    """

    def found() -> Array:
        kept()
        return results()

    return Contender(
        tool, called, compiler, lambda _: timed(), found, is_one_call=True, times=times, real=real
    )


def compute_difference(found: Array, expected: Array) -> float:
    """Return the largest error of results, divided by the largest magnitude of expected results.

    The returned error is infinite if a result is NaN.

    Args:
        found: computed results.
        expected: results of the numeric reference, of the same shape.
    """
    if found.shape != expected.shape or not np.isfinite(found).all():
        return float("inf")
    scale = float(np.abs(expected).max())
    return float(np.abs(found - expected).max()) / (scale or 1.0)


def measure_least_times(
    contenders: Sequence[Contender],
    states: int,
    rounds: int,
    between: Callable[[], object] = lambda: None,
) -> list[float]:
    """Measure the time of each program for one state (ns): the shortest time of all rounds.

    A round times each program once, so that disturbances of the machine affect all programs. Other
    programs on the machine can only add time, so the shortest time is the best estimate.

    Args:
        contenders: the programs.
        states: number of states that each program computes in a round. Slow programs that compute
            one state per call are timed on fewer states.
        rounds: number of rounds; slow programs are timed in fewer rounds.
        between: function that is called between rounds, at regular intervals, and after the last
            round.

    Returns:
        Times in ns, in the order of `contenders`.
    """
    counts = []
    for each in contenders:
        each.run(1)  # costs of the first run only: pages, caches, branches
        counts.append(
            states
            if each.is_one_call
            else int(np.clip(_BLOCK_NS / _time_state(each, 1), 1, states))
        )
    best, spent = [np.inf] * len(contenders), [0.0] * len(contenders)
    for number in range(rounds):
        if number % ceil(rounds / _PAUSES) == 0:
            between()
        for place, (each, count) in enumerate(zip(contenders, counts, strict=True)):
            if spent[place] < _ENOUGH_NS:
                time = _time_state(each, count)
                best[place] = min(best[place], time)
                spent[place] += time * count * each.times
    between()
    return best


def _time_state(contender: Contender, count: int) -> float:
    start = perf_counter_ns()
    contender.run(count)
    return max(1, perf_counter_ns() - start) / (count * contender.times)
