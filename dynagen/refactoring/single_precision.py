"""Rounding errors of a program, by single precision beside double: fast enough to ask for every candidate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dynagen.ir.evaluation import Arithmetic, evaluate, example
from dynagen.ir.program import Operation, Program

_STATES = 200


def _in_single(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of single-precision numbers, rounded once: numpy's own differ from machine to machine."""
    return lambda values: function(np.float64(values)).astype(np.float32)


_DOUBLE = Arithmetic(example)
_SINGLE = Arithmetic(
    lambda number: np.float32(example(number)), {Operation.SINE: _in_single(np.sin), Operation.COSINE: _in_single(np.cos)}
)


def rounding(program: Program) -> float:
    """The distance of single precision from double, in terms of the largest element of an output: the worst state of many.

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
        singles, doubles = evaluate(program, states, _SINGLE), evaluate(program, _in_double(states), _DOUBLE)
        for name, values in singles.items():
            single, double = (np.array([np.broadcast_to(each, _STATES) for each in made]) for made in (values, doubles[name]))
            scale, error = np.abs(double).max(axis=0), np.abs(single.astype(np.float64) - double).max(axis=0)
            counts = np.isfinite(scale) & (scale > 0) & ~np.isnan(error)
            worst = max(worst, float(np.max(error[counts] / scale[counts], initial=0.0)))
    return worst


def _in_double(states: dict[str, Any]) -> dict[str, Any]:
    return {name: array.astype(np.float64) for name, array in states.items()}
