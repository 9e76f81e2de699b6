"""Irrational functions of rational numbers, approximated by rational numbers. Fraction -> Fraction."""

from __future__ import annotations

from fractions import Fraction

import mpmath

DIGITS = 50
"""Significant digits of pi, of roots and of angles: far beyond double's 17."""

POINT_DIGITS = 25
"""Digits of the point on the unit circle that stands for an angle: few, for every rotation multiplies lengths of numbers."""

_WORKING_DIGITS = DIGITS + 10


def square_root(square: Fraction) -> Fraction:
    """Square root of a number that is not negative, to `DIGITS`."""
    with mpmath.workdps(_WORKING_DIGITS):
        return _rounded(mpmath.sqrt(to_mpmath(square)), DIGITS)


def direction(cosine: Fraction, sine: Fraction) -> Fraction:
    """Angle (rad, -pi to pi) of the vector (cosine, sine), to `DIGITS`."""
    with mpmath.workdps(_WORKING_DIGITS):
        return _rounded(mpmath.atan2(to_mpmath(sine), to_mpmath(cosine)), DIGITS)


def cosine_sine(radians: Fraction) -> tuple[Fraction, Fraction]:
    """A point on the unit circle, exactly on it, whose angle agrees with this one to `POINT_DIGITS`.

    (1 - t^2, 2 t) / (1 + t^2) with t the tangent of half the angle, rounded; quarter turns are taken off before.
    """
    quarters = round(radians / PI * 2)
    with mpmath.workdps(_WORKING_DIGITS):
        t = _rounded(mpmath.tan(to_mpmath(radians - PI * quarters / 2) / 2), POINT_DIGITS)
    cosine, sine = (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)
    for _ in range(quarters % 4):
        cosine, sine = -sine, cosine
    return cosine, sine


def to_mpmath(value: Fraction) -> mpmath.mpf:
    """The number in mpmath's current precision."""
    return mpmath.mpf(value.numerator) / value.denominator


def _rounded(value: mpmath.mpf, digits: int) -> Fraction:
    return Fraction(mpmath.nstr(value, digits))


with mpmath.workdps(_WORKING_DIGITS):
    PI = _rounded(+mpmath.pi, DIGITS)
