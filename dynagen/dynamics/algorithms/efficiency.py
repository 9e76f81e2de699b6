"""Efficiency of a transmission: a curve over the relative load, through given points.

The curve consists of straight lines, or is the spline of Fritsch and Butland, "A method for
constructing local monotone piecewise cubic interpolants", SIAM Journal on Scientific and
Statistical Computing 5(2), 1984. Between two neighbouring points the spline stays between their
values, so the efficiency cannot overshoot.

A curve of three or more points is evaluated by tables of its coefficients, as in Dhanaraj (thesis,
1990, Table 3.3), so that finding the interval costs no operation. The distances between the points
are multiples of an exact step, which divides the loads into cells. The integer part of load / step
is the number of a cell and selects the coefficients. A curve with too many cells has no tables. It
is computed as the smallest value of its lines, or as a sum with one term for each interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import ceil, gcd, lcm
from operator import add
from typing import Literal

from dynagen.dynamics.algorithms.extrema import greater, smaller
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Abs, Expr, Max, Min
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.ir.tables import Table
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.description import Transmission

MOST_CELLS = 256
"""Largest number of cells of a table with coefficients of an efficiency curve.

A table of 256 double-precision numbers takes 2 KB.
"""

EFF = Symbol("eff", "i", SCALAR, "efficiency of the transmission of joint i")
LOAD = Symbol("load", "i", SCALAR, "load of the transmission of joint i, in cells of its tables")
PAST = Symbol("past", "i", SCALAR, "load i minus the load of the preceding point of the curve")

Points = tuple[tuple[Exact, Exact], ...]


@dataclass(frozen=True)
class Interval:
    """One interval of a curve, between two neighbouring points.

    Attributes:
        start: load at the interval's first point.
        width: difference of the loads at the interval's two points.
        coefficients: c1, c2 and c3. Over the interval, the curve rises by c1 t + c2 t^2 + c3 t^3
            from its value at the start, with t = load - `start`.
    """

    start: Exact
    width: Exact
    coefficients: tuple[Exact, Exact, Exact]


def split_curve(points: Points, interpolation: Literal["linear", "spline"]) -> tuple[Interval, ...]:
    """Return the intervals between the points of a curve, in ascending order.

    Args:
        points: pairs (load, value of the curve) in ascending order of load.
        interpolation: "linear" for straight lines between the points, or "spline" for the spline of
            Fritsch and Butland.
    """
    widths = [right[0] - left[0] for left, right in pairwise(points)]
    # Slopes of the straight lines between the points.
    chords = [
        (right[1] - left[1]) / width
        for (left, right), width in zip(pairwise(points), widths, strict=True)
    ]
    if interpolation == "linear":
        rises = [(chord, ZERO, ZERO) for chord in chords]
    else:
        slopes = _slopes(widths, chords)
        rises = [
            # Cubic Hermite form with slopes `left` and `right` at its ends.
            (left, (3 * chord - 2 * left - right) / width, (left + right - 2 * chord) / width**2)
            for chord, width, (left, right) in zip(chords, widths, pairwise(slopes), strict=True)
        ]
    return tuple(
        Interval(left[0], width, rise)
        for (left, _), width, rise in zip(pairwise(points), widths, rises, strict=True)
    )


def _slopes(widths: list[Exact], chords: list[Exact]) -> list[Exact]:
    """Return the slopes of a spline at its points.

    `widths` are the distances between the points, and `chords` the slopes of the straight lines
    between them. Where two neighbouring chords have slopes of different signs, the slope of the
    spline is zero.
    """
    if len(chords) < 2:
        return [chords[0]] * 2 if chords else []
    # Fritsch and Butland: weighted harmonic means keep the curve monotone.
    slopes = [_end_slope(widths[0], widths[1], chords[0], chords[1])]
    for (h, k), (left, right) in zip(pairwise(widths), pairwise(chords), strict=True):
        # `not >` also holds for zero chords.
        has_extremum = not left * right > 0
        slopes.append(
            ZERO if has_extremum else 3 * (h + k) / ((h + 2 * k) / left + (2 * h + k) / right)
        )
    return [*slopes, _end_slope(widths[-1], widths[-2], chords[-1], chords[-2])]


def _end_slope(h: Exact, k: Exact, nearest: Exact, next_one: Exact) -> Exact:
    """Return the slope of a spline at its end.

    `h` and `k` are the widths of the first and second interval from the end. `nearest` and
    `next_one` are the slopes of the straight lines over these two intervals.
    """
    # Fritsch and Butland: three-point formula, then limits that keep the curve monotone.
    slope = ((2 * h + k) * nearest - h * next_one) / (h + k)
    if not slope * nearest > 0:
        return ZERO
    if not nearest * next_one > 0 and abs(slope) > abs(3 * nearest):
        return 3 * nearest
    return slope


@formula
def load_ratio(output: Expr, per_rated: Expr) -> Expr:
    """Return the relative load |output| / rated load of a transmission (without unit).

    `output` is the torque (N m) or force (N) that the transmission drives. `per_rated` is 1 / rated
    load, in 1/(N m) or 1/N.
    """
    return Abs(output) * per_rated


@formula
def rise(load: Expr, start: Expr, width: Expr, first: Expr, second: Expr, third: Expr) -> Expr:
    """Return the rise of a curve over one interval: c1 t + c2 t^2 + c3 t^3 with t = load - start.

    The interval begins at the load `start`. Outside the interval, t is limited to the range from 0
    to `width`. `first`, `second` and `third` are c1, c2 and c3.
    """
    # Clamping keeps the curve constant outside its points, so intervals can be added.
    t = Min(Max(load - start, 0), width)
    return t * (first + t * (second + t * third))


@formula
def straight_line(load: Expr, height: Expr, slope: Expr) -> Expr:
    """Return height + slope * load, the value of a straight line."""
    return height + slope * load


@formula
def beyond(load: Expr, start: Expr) -> Expr:
    """Return the part of a load above `start`, max(load - start, 0)."""
    return Max(load - start, 0)


@formula
def cubic(distance: Expr, height: Expr, first: Expr, second: Expr, third: Expr) -> Expr:
    """Return height + c1 t + c2 t^2 + c3 t^3, the value of a curve at the distance t from a point.

    `distance` is t, and `first`, `second` and `third` are c1, c2 and c3.
    """
    return height + distance * (first + distance * (second + distance * third))


@dataclass(frozen=True)
class Grid:
    """Cells of equal width, into which the range of loads of a curve is divided.

    Cell k, counted from 0, contains the loads for which the number load / step + offset is between
    k and k + 1. The last cell begins at the last point of the curve. The curve is constant in the
    last cell, and in cells before the first point.

    Attributes:
        step: width of a cell, in the unit of the loads.
        offset: number, at least 0 and below 1, with which each point of the curve begins a cell.
        intervals: for each cell, the index of the curve's interval that contains the cell; -1
            before the first point.
        starts: number load / step + offset for each point of the curve.
    """

    step: Exact
    offset: Exact
    intervals: tuple[int, ...]
    starts: tuple[int, ...]


def divide_loads(points: Points) -> Grid | None:
    """Return a uniform grid that contains the points of a curve; None if there is no small grid.

    The curve's coefficients are tabulated on this grid. The result is None unless the curve has at
    least three points, rational loads, and fewer than `MOST_CELLS` cells up to its last point.
    `points` contains pairs (load, value) in ascending order of load.
    """
    loads = [load for load, _ in points]
    if len(loads) < 3 or not all(load.is_rational for load in loads):
        return None
    first, *others = [load.to_fraction() for load in loads]
    # The greatest common divisor of the distances from the first point.
    denominator = lcm(*((load - first).denominator for load in others))
    step = Fraction(gcd(*(int((load - first) * denominator) for load in others)), denominator)
    # Whole cells before the first point: without an offset if its load is a multiple of the step.
    before = ceil(first / step)
    starts = [before + int((load - first) / step) for load in (first, *others)]
    if starts[-1] >= MOST_CELLS:
        return None
    inner = (interval for interval, pair in enumerate(pairwise(starts)) for _ in range(*pair))
    intervals = (*[-1] * before, *inner, len(others))
    return Grid(Exact(step), Exact(before - first / step), intervals, tuple(starts))


def record_efficiency(joint: int, transmission: Transmission, output: Quantity) -> Quantity:
    """Record the efficiency of a transmission (without unit) at an output torque or force.

    Args:
        joint: number of the joint, from 1, for the names of values and tables.
        transmission: transmission with the curve and the rated load.
        output: torque (N m) or force (N) that the transmission drives; its sign does not matter.
    """
    points, name = transmission.efficiency, EFF(joint)
    if len(points) == 1:
        return output.recorder.add_constant(points[0][1]).name(name)
    grid, per_rated = divide_loads(points), transmission.rated.reciprocal()
    if grid is None:
        return record_curve(transmission, load_ratio(output, per_rated)).name(name)
    place = load_ratio(output, per_rated / grid.step)
    if grid.offset:
        place = place + output.recorder.add_constant(grid.offset)
    return _record_lookups(joint, transmission, grid, place.name(LOAD(joint))).name(name)


def _record_lookups(
    joint: int, transmission: Transmission, grid: Grid, place: Quantity
) -> Quantity:
    """Record a transmission's efficiency from tables of its curve's polynomial coefficients.

    `place` is load / step + offset, with the step and the offset of `grid`.
    """
    points = transmission.efficiency
    curve = split_curve(points, transmission.interpolation)

    def look_up(stem: str, meaning: str, before: Exact, entries: Sequence[Exact]) -> Quantity:
        """Record the lookup, in a new table, of one coefficient of the efficiency curve.

        `entries` are the values of the coefficient in the intervals between the points of the
        curve, and above its last point. `before` is the value below the first point. `stem` is the
        last part of the table's name, `meaning` its description in generated code.
        """
        table = Table(
            f"{EFF(joint).text}_{stem}",
            tuple(before if each < 0 else entries[each] for each in grid.intervals),
            f"{EFF(joint).text} by cell: {meaning}",
        )
        return place.recorder.look_up(table, place)

    # Coefficients in units of the cell: c_k step^k.
    first, second, third = (
        [*(each.coefficients[k] * grid.step ** (k + 1) for each in curve), ZERO] for k in range(3)
    )
    heights = [height for _, height in points]
    if transmission.interpolation == "linear":
        # height + slope place, with the height of the line at place zero
        lines = [
            height - slope * start
            for height, slope, start in zip(heights, first, grid.starts, strict=True)
        ]
        return straight_line(
            place,
            look_up("height", "value of the straight line at place 0", heights[0], lines),
            look_up("slope", "slope of the line", ZERO, first),
        )
    starts = [Exact(start) for start in grid.starts]
    # Not below zero anyway: the maximum keeps the passes from expanding powers of the difference,
    # which would lose digits.
    distance = beyond(
        place, look_up("start", "place of the preceding point of the curve", ZERO, starts)
    )
    return cubic(
        distance.name(PAST(joint)),
        look_up("height", "value at the preceding point of the curve", heights[0], heights),
        look_up("first", "coefficient c1", ZERO, first),
        look_up("second", "coefficient c2", ZERO, second),
        look_up("third", "coefficient c3", ZERO, third),
    )


def record_curve(transmission: Transmission, load: Quantity) -> Quantity:
    """Record the efficiency of a transmission at a load, by formulas that use no tables.

    `load` is the magnitude of the load divided by the rated load. The curve of the efficiency over
    the load is constant below its first and above its last point.
    """
    points, add_constant = transmission.efficiency, load.recorder.add_constant
    intervals = split_curve(points, transmission.interpolation)
    if transmission.interpolation == "spline":
        rises = (rise(load, each.start, each.width, *each.coefficients) for each in intervals)
        return reduce(add, rises, add_constant(points[0][1]))
    # Beyond the points the efficiency is constant; a load is not below zero.
    slopes = [*(interval.coefficients[0] for interval in intervals), ZERO]
    if points[0][0]:
        load = greater(load, points[0][0])
    lines = [
        straight_line(load, height - slope * start, slope)
        for (start, height), slope in zip(points, slopes, strict=True)
    ]
    if all(after <= before for before, after in pairwise(slopes)):
        return reduce(smaller, lines)  # A concave curve lies below all of its lines.
    bends = zip(points[1:], pairwise(slopes), strict=True)
    return reduce(
        add,
        (beyond(load, start) * (after - before) for (start, _), (before, after) in bends),
        lines[0],
    )
