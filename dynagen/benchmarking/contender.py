"""Contender: a program for one function that is called on states; how contenders are compared and timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np

from dynagen.verification.kinematics import Array

_BLOCK_NS = 2e6  # long beside the clock, short beside the time that other programs leave us alone
_ENOUGH_NS = 2e9  # of all rounds of a contender: those that are so slow need no more


@dataclass(frozen=True)
class Contender:
    """A program for one function.

    Attributes:
        name: tool, language and how it is called.
        run: computes the first states of those that it was made for, as many as it is told.
        results: what it finds for them, in the description's coordinates, shape (states, ...).
        is_one_call: whether all states are one call, whose time is only a state's share if there are many.
    """

    name: str
    run: Callable[[int], object]
    results: Callable[[int], Array]
    is_one_call: bool = False


def all_at_once(name: str, function: Callable[..., Array], states: Sequence[Array]) -> Contender:
    """A function that takes many states in a call, every input of shape (states, n)."""

    def run(count: int) -> Array:
        return function(*(each[:count] for each in states))

    return Contender(name, run, run, is_one_call=True)


def one_by_one(name: str, step: Callable[..., Any], read: Callable[[Any], Array], states: Sequence[Array]) -> Contender:
    """A function that takes a state in a call.

    Args:
        name: of the contender.
        step: computes a state; this is what is timed.
        read: makes the result of what `step` has returned, until it is called again.
        states: its inputs, each of shape (states, n).
    """
    calls = list(zip(*states, strict=True))

    def run(count: int) -> None:
        for state in calls[:count]:
            step(*state)

    return Contender(name, run, lambda count: np.stack([np.array(read(step(*state))) for state in calls[:count]]))


def difference(found: Array, expected: Array) -> float:
    """The largest of all entries, by the largest value that is expected; infinite where a result is no number."""
    if not np.isfinite(found).all():
        return float("inf")
    scale = float(np.abs(expected).max())
    return float(np.abs(found - expected).max()) / (scale or 1.0)


def least_times(contenders: Sequence[Contender], states: int, rounds: int) -> list[float]:
    """Nanoseconds that each needs for a state: the least of all rounds.

    Contenders take turns, so that all have the same good and bad moments, and what disturbs only ever adds.

    Args:
        contenders: that are timed.
        states: how many they were made for; calls of single states are fewer where they are slow.
        rounds: how often each is timed, unless it is so slow that fewer take seconds.
    """
    counts = []
    for each in contenders:
        each.run(1)  # what is paid once only: pages, caches, branches
        counts.append(states if each.is_one_call else int(np.clip(_BLOCK_NS / _nanoseconds(each, 1), 1, states)))
    best, spent = [np.inf] * len(contenders), [0.0] * len(contenders)
    for _ in range(rounds):
        for place, (each, count) in enumerate(zip(contenders, counts, strict=True)):
            if spent[place] < _ENOUGH_NS:
                time = _nanoseconds(each, count)
                best[place] = min(best[place], time)
                spent[place] += time * count
    return best


def _nanoseconds(contender: Contender, count: int) -> float:
    start = perf_counter_ns()
    contender.run(count)
    return max(1, perf_counter_ns() - start) / count
