"""Bearings: the load of a joint -> the loads of its bearings, which are linear in it, and their friction.

C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng. thesis, Memorial University
of Newfoundland, 1990, Table 3.1, with the statics of two supports where it pairs the signs wrongly.
"""

from __future__ import annotations

from sympy import Abs, Expr, Matrix, Max, sqrt

from dynagen.dynamics.algorithms.recording import ResolvedBody, Wrench
from dynagen.dynamics.recording.formula import Quantity, formula
from dynagen.robot.description import Bearing


@formula
def journal_supports(
    coefficient: Expr, radius: Expr, length: Expr, centre: Expr, f: Matrix, n: Matrix
) -> Matrix:
    """Table 3.1, case 1: loads of two supports, x and y of each, that bear the force and the moment about their centre."""
    lever = coefficient * radius
    about_x, about_y = n[0] + centre * f[1], n[1] - centre * f[0]
    half_x, half_y = lever / 2 * f[0], lever / 2 * f[1]
    couple_x, couple_y = lever / length * about_y, lever / length * about_x
    return Matrix([half_x - couple_x, half_y + couple_y, half_x + couple_x, half_y - couple_y])


@formula
def journal_bearing(supports: Matrix) -> Expr:
    """Friction of a journal bearing: the sum of the forces on both supports, which contain coefficient and radius."""
    first_x, first_y, second_x, second_y = supports
    return sqrt(first_x**2 + first_y**2) + sqrt(second_x**2 + second_y**2)


@formula
def linear_supports(length: Expr, centre: Expr, f: Matrix, n: Matrix) -> Matrix:
    """Table 3.1, case 2: force along x and couple of the moment about y, then the same with x and y exchanged."""
    about_x, about_y = n[0] + centre * f[1], n[1] - centre * f[0]
    per_length = 2 / length
    return Matrix([f[0], per_length * about_y, f[1], per_length * about_x])


@formula
def linear_bearing(coefficient: Expr, supports: Matrix) -> Expr:
    """Friction of a linear bearing: forces on two supports along either axis, |x - y| + |x + y| = 2 max(|x|, |y|)."""
    force_x, couple_y, force_y, couple_x = supports
    return coefficient * (Max(Abs(force_x), Abs(couple_y)) + Max(Abs(force_y), Abs(couple_x)))


@formula
def thrust_bearing(coefficient: Expr, radius: Expr, force: Expr) -> Expr:
    """Friction of a thrust bearing (Table 3.1, case 3)."""
    return coefficient * radius * Abs(force)


def record_supported_load(bearing: Bearing, body: ResolvedBody, wrench: Wrench) -> Quantity:
    """Record the load of a bearing, which is linear in the wrench of its joint."""
    match bearing.kind:
        case "journal":
            coefficient, radius, length, centre = (
                bearing.coefficient,
                bearing.radius,
                bearing.length,
                bearing.centre,
            )
            return journal_supports(
                coefficient, radius, length, centre, wrench.force, wrench.moment
            )
        case "thrust":
            return wrench.force[2]
        case "linear":
            # A rail has two sides, along x and y of the body axes.
            force, moment = body.to_body_axes(wrench.force), body.to_body_axes(wrench.moment)
            return linear_supports(bearing.length, bearing.centre, force, moment)


def record_bearing_friction(bearing: Bearing, supported: Quantity) -> Quantity:
    """Record the friction of a bearing (N m or N) as a magnitude, for the load that it supports."""
    match bearing.kind:
        case "journal":
            return journal_bearing(supported)
        case "thrust":
            return thrust_bearing(bearing.coefficient, bearing.radius, supported)
        case "linear":
            return linear_bearing(bearing.coefficient, supported)
