"""Irrational functions of rational numbers, approximated by rational numbers."""

from __future__ import annotations

from fractions import Fraction

import mpmath

DIGITS = 50
"""Number of significant digits of pi, of roots and of angles; double precision has 17."""

POINT_DIGITS = 25
"""Number of digits to which a rational point on the unit circle agrees with its angle.

The number is small, because a product of two rotations has more digits than either of them.
"""

_WORKING_DIGITS = DIGITS + 10


def compute_square_root(square: Fraction) -> Fraction:
    """Return the square root of `square` (not negative), rounded to 50 significant digits."""
    with mpmath.workdps(_WORKING_DIGITS):
        return _round_to_digits(mpmath.sqrt(to_mpmath(square)), DIGITS)


def compute_direction(cosine: Fraction, sine: Fraction) -> Fraction:
    """Return the angle (rad, -pi to pi) of the vector (cosine, sine), to 50 digits."""
    with mpmath.workdps(_WORKING_DIGITS):
        return _round_to_digits(mpmath.atan2(to_mpmath(sine), to_mpmath(cosine)), DIGITS)


def compute_cosine_sine(radians: Fraction) -> tuple[Fraction, Fraction]:
    """Return a rational point (cosine, sine) exactly on the unit circle, near an angle (rad).

    The angle of the point agrees with the given angle to 25 digits. Apart from quarter turns, the
    point is (1 - t^2, 2 t) / (1 + t^2), where t is the rounded tangent of half the angle.
    """
    # Within an eighth of a turn of zero, |t| is at most tan(pi/8) and the point is accurate.
    quarters = round(radians / PI * 2)
    with mpmath.workdps(_WORKING_DIGITS):
        t = _round_to_digits(mpmath.tan(to_mpmath(radians - PI * quarters / 2) / 2), POINT_DIGITS)
    cosine, sine = (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)
    for _ in range(quarters % 4):
        cosine, sine = -sine, cosine  # a quarter turn
    return cosine, sine


def to_mpmath(value: Fraction) -> mpmath.mpf:
    """Return a fraction as an mpmath number in mpmath's current precision."""
    return mpmath.mpf(value.numerator) / value.denominator


def _round_to_digits(value: mpmath.mpf, digits: int) -> Fraction:
    """Return the nearest decimal number with the given number of significant digits."""
    return Fraction(mpmath.nstr(value, digits))


with mpmath.workdps(_WORKING_DIGITS):
    PI = _round_to_digits(+mpmath.pi, DIGITS)
