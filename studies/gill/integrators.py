"""Fourth-order Runge-Kutta methods in single or double precision.

The methods are Gill's method, Gill's method as printed in the thesis of Dhanaraj (1990), and the
classical method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Rates = Callable[[float, Array], Array]
_PARTS = (0.0, 0.5, 0.5, 1.0)  # times of the four stages, as parts of a step
Integrator = Callable[[Rates, Array, float, float], Array]


def gill(rates: Rates, y: Array, time: float, h: float) -> Array:
    """Integrate by Gill's method (1951) and return the state at the end.

    A vector q accumulates the rounding errors of the stages, and later stages subtract it.

    Args:
        rates: function of time and state that returns dy/dt.
        y: state at t = 0; its floating-point type is used for the computation.
        time: end of the integration (s).
        h: step (s).
    """
    one = y.dtype.type
    root, q = one(np.sqrt(0.5)), np.zeros_like(y)
    stages = (
        (one(0.5), 2, one(0.5)),
        (1 - root, 1, 1 - root),
        (1 + root, 1, 1 + root),
        (1 / one(6), 2, one(0.5)),
    )
    for number in range(round(time / h)):
        for part, (a, b, c) in zip(_PARTS, stages, strict=True):
            k = one(h) * rates((number + part) * h, y)
            before, y = y, y + a * (k - b * q)
            q = q + 3 * (y - before) - c * k
    return y


def gill_of_listing(rates: Rates, y: Array, time: float, h: float) -> Array:
    """Integrate by subroutine RUNGE of listing D.4; arguments as for `gill`.

    RUNGE sets the vector q of Gill's method to zero at the start of each step, and computes it
    without the rounded value of y. The vector therefore does not accumulate rounding errors.
    """
    one = y.dtype.type
    for number in range(round(time / h)):
        q = np.zeros_like(y)
        for part, a in zip(_PARTS, (one(0.5), one(0.2928932), one(1.707107)), strict=False):
            k = one(h) * rates((number + part) * h, y)
            y = y + a * (k - q)
            q = 2 * a * k + (1 - 3 * a) * q
        y = y + one(h) * rates((number + 1) * h, y) / 6 - q / 3
    return y


def classical(rates: Rates, y: Array, time: float, h: float) -> Array:
    """Integrate by the classical Runge-Kutta method (Kutta 1901); arguments as for `gill`."""
    one = y.dtype.type
    for number in range(round(time / h)):
        t = number * h
        k1 = one(h) * rates(t, y)
        k2 = one(h) * rates(t + h / 2, y + k1 / 2)
        k3 = one(h) * rates(t + h / 2, y + k2 / 2)
        k4 = one(h) * rates(t + h, y + k3)
        y = y + (k1 + 2 * (k2 + k3) + k4) / 6
    return y
