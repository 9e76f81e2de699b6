"""The columns of a regressor for one body and one joint: the joint's force per unit of every parameter of the body.

A joint's screw (its axis e, and the velocity v of the body's origin) is multiplied with the force f and the moment n of a unit
of the parameter in the body's motion: e.n + v.f. Two columns are never computed from scratch: Jyy and Jzz follow
from Jxx and from second moments, whose columns have two terms instead of three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.newton_euler import BodyMotion
from dynagen.dynamics.recording.formula import Quantity, formula
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.model.regrouping import Combination

Columns = Mapping[str, Quantity]
"""Force of a joint per unit of a body's parameters, by the names of `regrouping.PARAMETERS`, and of its `SECOND_MOMENTS`."""

SECOND_MOMENTS: dict[str, Combination] = {
    "Sxx": {"Jyy": ONE, "Jzz": ONE},
    "Syy": {"Jxx": ONE, "Jzz": ONE},
    "Szz": {"Jxx": ONE, "Jyy": ONE},
}
"""The integral of x^2 dm, and so on: the inertia of a unit of it."""

Y = Symbol(
    "y",
    "ij",
    SCALAR,
    "force of joint j per unit of a parameter of body i; sxx: of Jyy and Jzz at once, and so on",
    label="parameter",
)

COSTS = {"m": 5, "mz": 9, "Jxx": 5, "Syy": 3, "Szz": 3, "Jxy": 5, "Jxz": 5, "Jyz": 5}
"""Multiplications and additions of columns that may be known from elsewhere."""


@dataclass(frozen=True)
class Screw:
    """Motion of a body at a unit velocity of a joint: angular velocity, and velocity of its origin, in the body's axes."""

    angular: Quantity
    linear: Quantity


@formula
def mass_column(v: Matrix, a: Matrix) -> Expr:
    """Column of m: f = a."""
    return v.dot(a)


@formula
def first_moments_across(e: Matrix, v: Matrix, lam: Matrix, a: Matrix) -> Matrix:
    """Columns of the first moments mx and my: f = lambda s and n = s x a for s = x and s = y."""
    columns = lam.T * v + a.cross(e)
    return columns[:2, :]


@formula
def first_moment_along(e: Matrix, v: Matrix, lam: Matrix, a: Matrix) -> Expr:
    """Column of the first moment mz."""
    return (lam.T * v + a.cross(e))[2]


@formula
def jxx_column(e: Matrix, wd: Matrix, k: Matrix) -> Expr:
    """Column of Jxx: n = J wd + w x J w for J = x x^T; so too for the others, whose terms are entries of lambda."""
    return e[0] * wd[0] + e[1] * k[1] - e[2] * k[2]


@formula
def syy_column(e: Matrix, lam: Matrix) -> Expr:
    """Column of Syy, which is Jxx = Jzz = 1."""
    return e[0] * lam[2, 1] - e[2] * lam[0, 1]


@formula
def szz_column(e: Matrix, lam: Matrix) -> Expr:
    """Column of Szz, which is Jxx = Jyy = 1."""
    return e[1] * lam[0, 2] - e[0] * lam[1, 2]


@formula
def jxy_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Column of Jxy."""
    return e[1] * lam[2, 1] - e[0] * lam[2, 0] + e[2] * (w[0] ** 2 - w[1] ** 2)


@formula
def jxz_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Column of Jxz."""
    return e[0] * lam[1, 0] - e[2] * lam[1, 2] + e[1] * (w[2] ** 2 - w[0] ** 2)


@formula
def jyz_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Column of Jyz."""
    return e[2] * lam[0, 2] - e[1] * lam[0, 1] + e[0] * (w[1] ** 2 - w[2] ** 2)


def record_unit_parameters(
    pair: tuple[int, int], screw: Screw, motion: BodyMotion, motor: Quantity, known: Columns
) -> Columns:
    """Record the columns of one body for one joint, in the body axes, in which the parameters are constant.

    Args:
        pair: numbers of the body and the joint.
        screw: of the joint.
        motion: of the body.
        motor: the column of the motor's inertia.
        known: columns that need not be computed.
    """
    e, v = screw.angular, screw.linear
    w, wd, a = motion.angular_velocity, motion.angular_acceleration, motion.acceleration
    k, lam = motion.products, motion.difference
    mx, my = (first_moments_across(e, v, lam, a)[axis] for axis in range(2))
    computed = {
        "m": mass_column(v, a),
        "mx": mx,
        "my": my,
        "mz": first_moment_along(e, v, lam, a),
        "Jxx": jxx_column(e, wd, k),
        "Syy": syy_column(e, lam),
        "Szz": szz_column(e, lam),
        "Jxy": jxy_column(e, w, lam),
        "Jxz": jxz_column(e, w, lam),
        "Jyz": jyz_column(e, w, lam),
    }
    columns = {
        name: column.name(Y(*pair, label=name.lower()))
        for name, column in {**computed, **known}.items()
    }
    columns["Jyy"] = (columns["Szz"] - columns["Jxx"]).name(Y(*pair, label="jyy"))
    columns["Jzz"] = (columns["Syy"] - columns["Jxx"]).name(Y(*pair, label="jzz"))
    columns["Sxx"] = (columns["Jyy"] + columns["Jzz"]).name(Y(*pair, label="sxx"))
    return {**columns, "Ia": motor}


def combine(parameters: Combination, columns: Columns) -> Quantity:
    """Record the force of a joint for given parameters of a body."""
    return reduce(
        add, (columns[name] * factor for name, factor in choose_fewest_terms(parameters).items())
    )


def choose_fewest_terms(parameters: Combination) -> dict[str, Exact]:
    """Return parameters with their diagonal as moments of inertia or as second moments, whichever are fewer."""
    xx, yy, zz = (parameters.get(name, ZERO) for name in ("Jxx", "Jyy", "Jzz"))
    half = (xx + yy + zz) / 2
    inertia, second = (
        {"Jxx": xx, "Jyy": yy, "Jzz": zz},
        {"Sxx": half - xx, "Syy": half - yy, "Szz": half - zz},
    )
    diagonal = min(inertia, second, key=lambda moments: sum(map(bool, moments.values())))
    others = {name: number for name, number in parameters.items() if name not in inertia}
    return {name: number for name, number in (others | diagonal).items() if number}


def count_operations(parameters: Combination) -> int:
    """Return the multiplications and additions of `combine`, if no column is zero."""
    factors = choose_fewest_terms(parameters).values()
    return len(factors) - 1 + sum(factor not in (ONE, -ONE) for factor in factors)
