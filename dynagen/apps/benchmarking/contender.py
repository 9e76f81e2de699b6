"""Programs for one function that are run on states, compared and timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np

from dynagen.apps.benchmarking.states import COMPARED
from dynagen.numbers.real import DOUBLE, Real
from dynagen.verification.kinematics import Array

_BLOCK_NS = 2e6  # long beside the clock, short beside the time that other programs leave us alone
_ENOUGH_NS = 3e8  # of all rounds of a contender: those that are so slow need no more

ONE_STATE, BATCH = "a state a call", "batch"
"""How programs are called: a state at a time, or many side by side."""


@dataclass(frozen=True)
class Contender:
    """A program for one function.

    Attributes:
        tool: that it is of, with the language it is called from.
        called: how.
        compiler: that it is compiled with; empty for what comes compiled.
        run: computes the first states, as many as it is told; one whose states are one call
            computes all.
        results: what it finds for the states that are compared, as the reference gives it.
        is_one_call: whether all states are one call, whose time is only a state's share if there
            are many.
        times: how often it runs through all states in a call.
        real: the type that it computes in.
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
        """All that tells it from others."""
        return ", ".join(filter(None, (self.tool, self.called, self.compiler)))


def one_by_one(
    tool: str,
    step: Callable[..., Any],
    read: Callable[[Any], Array],
    states: Sequence[Array],
    called: str = ONE_STATE,
) -> Contender:
    """A function of Python that takes a state in a call.

    Args:
        tool: of the contender.
        step: computes a state; this is what is timed.
        read: makes the result of what `step` has returned, until it is called again.
        states: its inputs, each of shape (states, n).
        called: how.
    """
    calls = list(zip(*states, strict=True))

    def run(count: int) -> None:
        for state in calls[:count]:
            step(*state)

    def results() -> Array:
        return np.stack([np.array(read(step(*state))).ravel() for state in calls[:COMPARED]])

    return Contender(tool, called, "", run, results)


def one_call(
    tool: str,
    called: str,
    compiler: str,
    timed: Callable[[], object],
    kept: Callable[[], object],
    results: Callable[[], Array],
    times: int = 1,
    real: Real = DOUBLE,
) -> Contender:
    """Return the contender of a compiled program that computes all states in one call.

    Args:
        tool: as of the contender.
        called: as of the contender.
        compiler: as of the contender.
        timed: the call.
        kept: the same call, which also keeps the results of every state.
        results: returns, after `kept`, the results of the states that are compared.
        times: as of the contender.
        real: as of the contender.
    """

    def found() -> Array:
        kept()
        return results()

    return Contender(
        tool, called, compiler, lambda _: timed(), found, is_one_call=True, times=times, real=real
    )


def difference(found: Array, expected: Array) -> float:
    """Return the largest error, relative to the largest expected value.

    It is infinite if a result is not a number.
    """
    if found.shape != expected.shape or not np.isfinite(found).all():
        return float("inf")
    scale = float(np.abs(expected).max())
    return float(np.abs(found - expected).max()) / (scale or 1.0)


def least_times(contenders: Sequence[Contender], states: int, rounds: int) -> list[float]:
    """Nanoseconds that each needs for a state: the least of all rounds.

    Contenders take turns, so that all have the same good and bad moments, and what disturbs only
    ever adds. Rounds have to be so many that each finds a good one: where threads share a core,
    what keeps its units busy suffers most from the others.

    Args:
        contenders: that are timed.
        states: how many they were made for; calls of single states are fewer where they are slow.
        rounds: how often each is timed, unless it is so slow that fewer take long.
    """
    counts = []
    for each in contenders:
        each.run(1)  # what is paid once only: pages, caches, branches
        counts.append(
            states
            if each.is_one_call
            else int(np.clip(_BLOCK_NS / _nanoseconds(each, 1), 1, states))
        )
    best, spent = [np.inf] * len(contenders), [0.0] * len(contenders)
    for _ in range(rounds):
        for place, (each, count) in enumerate(zip(contenders, counts, strict=True)):
            if spent[place] < _ENOUGH_NS:
                time = _nanoseconds(each, count)
                best[place] = min(best[place], time)
                spent[place] += time * count * each.times
    return best


def _nanoseconds(contender: Contender, count: int) -> float:
    start = perf_counter_ns()
    contender.run(count)
    return max(1, perf_counter_ns() - start) / (count * contender.times)
