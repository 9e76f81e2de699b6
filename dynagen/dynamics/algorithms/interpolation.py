"""Interpolation: points of a curve -> its intervals as exact polynomials, straight lines or a monotone cubic spline.

The spline is that of F. N. Fritsch and J. Butland, "A method for constructing local monotone piecewise cubic interpolants",
SIAM J. Sci. Stat. Comput. 5(2), 1984: between two points it stays between their values, so that efficiency cannot overshoot.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from dynagen.numbers.exact import ZERO, Exact

Points = tuple[tuple[Exact, Exact], ...]


@dataclass(frozen=True)
class Interval:
    """One interval of a curve.

    Attributes:
        start, width: where it lies.
        coefficients: c1, c2, c3 of the rise c1 t + c2 t^2 + c3 t^3 over its first point, at the distance t from there.
    """

    start: Exact
    width: Exact
    coefficients: tuple[Exact, Exact, Exact]


def split_curve(points: Points, interpolation: Literal["linear", "spline"]) -> tuple[Interval, ...]:
    """The intervals between the points of a curve; the curve is its first value and the rises of all intervals."""
    widths = [right[0] - left[0] for left, right in pairwise(points)]
    chords = [
        (right[1] - left[1]) / width
        for (left, right), width in zip(pairwise(points), widths, strict=True)
    ]
    if interpolation == "linear":
        rises = [(chord, ZERO, ZERO) for chord in chords]
    else:
        slopes = _slopes(widths, chords)
        rises = [
            (left, (3 * chord - 2 * left - right) / width, (left + right - 2 * chord) / width**2)
            for chord, width, (left, right) in zip(chords, widths, pairwise(slopes), strict=True)
        ]
    return tuple(
        Interval(left[0], width, rise)
        for (left, _), width, rise in zip(pairwise(points), widths, rises, strict=True)
    )


def _slopes(widths: list[Exact], chords: list[Exact]) -> list[Exact]:
    """Slopes at the points: a weighted harmonic mean of the chords on either side, zero at an extremum."""
    if len(chords) < 2:
        return [chords[0]] * 2 if chords else []
    slopes = [_end_slope(widths[0], widths[1], chords[0], chords[1])]
    for (h, k), (left, right) in zip(pairwise(widths), pairwise(chords), strict=True):
        has_extremum = not left * right > 0
        slopes.append(
            ZERO if has_extremum else 3 * (h + k) / ((h + 2 * k) / left + (2 * h + k) / right)
        )
    return [*slopes, _end_slope(widths[-1], widths[-2], chords[-1], chords[-2])]


def _end_slope(h: Exact, k: Exact, nearest: Exact, next_one: Exact) -> Exact:
    """The slope of the parabola through three points, held to what keeps the curve monotone."""
    slope = ((2 * h + k) * nearest - h * next_one) / (h + k)
    if not slope * nearest > 0:
        return ZERO
    if not nearest * next_one > 0 and abs(slope) > abs(3 * nearest):
        return 3 * nearest
    return slope
