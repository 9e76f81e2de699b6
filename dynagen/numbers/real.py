"""Floating-point types of generated code."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import numpy as np

from dynagen.errors import UsageError
from dynagen.numbers.exact import Exact


@dataclass(frozen=True)
class Real:
    """A binary floating-point type of IEEE 754.

    Attributes:
        name: name of the type in `--real` and in C.
        dtype: the type in numpy.
        epsilon: distance from 1 to the next larger number of the type.
    """

    name: str
    dtype: type[np.float64 | np.float32]
    epsilon: float

    def round(self, value: Exact) -> np.float64 | np.float32:
        """Return the number of this type that is nearest to an exact number.

        The number is rounded once, directly to this type.

        Raises:
            UsageError: the number exceeds the range of this type.
        """
        try:
            with np.errstate(over="ignore"):
                guess = self.dtype(float(value))  # rounded once for double, twice for float
        except OverflowError:
            guess = self.dtype(np.inf)
        if not isfinite(guess):
            raise UsageError(
                f"a constant of this robot is beyond the range of {self.name} precision; "
                "check the units of its numbers"
            )
        if self.dtype is np.float64:
            return guess
        # If rounded to double first, a number near the middle of two floats may get the wrong one.
        exact = value.to_fraction()
        with np.errstate(over="ignore"):
            neighbours = [
                np.nextafter(guess, self.dtype(direction)) for direction in (-np.inf, np.inf)
            ]
        candidates = (guess, *(number for number in neighbours if isfinite(number)))
        nearest: np.float64 | np.float32 = min(
            candidates, key=lambda number: abs(Fraction(float(number)) - exact)
        )
        return nearest


DOUBLE = Real("double", np.float64, 2.0**-52)
FLOAT = Real("float", np.float32, 2.0**-23)
REALS = (DOUBLE, FLOAT)


def find_real(name: str) -> Real:
    """Return the floating-point type with a name, `double` or `float`.

    Raises:
        UsageError: there is no such type.
    """
    for real in REALS:
        if name == real.name:
            return real
    raise UsageError(
        f"unknown type of real numbers {name!r}; "
        f"expected one of {', '.join(real.name for real in REALS)}"
    )
