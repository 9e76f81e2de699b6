"""Runge-Kutta-Fehlberg and Adams-Bashforth-Moulton methods with fixed steps.

The Runge-Kutta-Fehlberg method uses the solution of fifth order (Fehlberg, "Low-order classical
Runge-Kutta formulas with stepsize control", NASA TR R-315, 1969, Table III). The
Adams-Bashforth-Moulton method has a predictor and a corrector of fourth order with one correction
(PECE; Hairer, Noersett and Wanner, "Solving Ordinary Differential Equations I", section III.1). Its
first steps are Runge-Kutta-Fehlberg steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rates = Callable[[float, Array], Array]

_NODES = (0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2)
_STAGES = (
    (),
    (1 / 4,),
    (3 / 32, 9 / 32),
    (1932 / 2197, -7200 / 2197, 7296 / 2197),
    (439 / 216, -8, 3680 / 513, -845 / 4104),
    (-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40),
)
_WEIGHTS = (16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55)
_PREDICTOR = np.array([-9, 37, -59, 55]) / 24
_CORRECTOR = np.array([1, -5, 19, 9]) / 24


def step_fehlberg(rates: Rates, t: float, y: Array, h: float) -> Array:
    """Return the state after one Runge-Kutta-Fehlberg step of fifth order.

    Args:
        rates: function of time and state that returns dy/dt.
        t: time at the beginning of the step (s).
        y: state at this time, shape (n,).
        h: step (s).
    """
    slopes: list[Array] = []
    for node, stage in zip(_NODES, _STAGES, strict=True):
        slopes.append(
            rates(t + node * h, y + h * sum(a * k for a, k in zip(stage, slopes, strict=True)))
        )
    result: Array = y + h * sum(b * k for b, k in zip(_WEIGHTS, slopes, strict=True))
    return result


def integrate_fehlberg(rates: Rates, y: Array, time: float, h: float) -> Array:
    """Return the state after each Runge-Kutta-Fehlberg step, shape (steps + 1, n).

    Args:
        rates: function of time and state that returns dy/dt.
        y: state at t = 0, shape (n,).
        time: end of the integration (s).
        h: step (s).
    """
    states = [y]
    for step in range(round(time / h)):
        states.append(step_fehlberg(rates, step * h, states[-1], h))
    return np.array(states)


def integrate_adams(rates: Rates, y: Array, time: float, h: float) -> Array:
    """Return the state after each Adams-Bashforth-Moulton step, shape (steps + 1, n).

    The arguments are those of `integrate_fehlberg`.
    """
    states = list(integrate_fehlberg(rates, y, 3 * h, h))
    slopes = [rates(step * h, state) for step, state in enumerate(states)]
    for step in range(3, round(time / h)):
        predicted = states[-1] + h * _PREDICTOR @ np.array(slopes[-4:])
        slopes.append(rates((step + 1) * h, predicted))
        states.append(states[-1] + h * _CORRECTOR @ np.array(slopes[-4:]))
        slopes[-1] = rates((step + 1) * h, states[-1])
    return np.array(states)


INTEGRATORS = {
    "Runge-Kutta-Fehlberg": integrate_fehlberg,
    "Adams-Bashforth-Moulton": integrate_adams,
}
