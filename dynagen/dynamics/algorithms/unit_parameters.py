"""The columns of a regressor for one body and one joint: the joint's force per unit of every parameter of the body.

A joint's screw (its axis e, and the velocity v that it gives the body's origin) is multiplied with the force f and the moment
n that the parameter takes in the body's motion: e.n + v.f. Two columns are never computed from scratch: Jyy and Jzz follow
from Jxx and from second moments, whose columns have two terms instead of three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import difference_of, product, sum_of
from dynagen.dynamics.algorithms.newton_euler import BodyMotion
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
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
"""The integral of x^2 dm, and so on: what a unit of it adds to the inertia."""

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
    """Motion of a body at a unit rate of a joint: angular velocity, and velocity of its origin, in the body's axes."""

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
    recorder: Recorder,
    pair: tuple[int, int],
    screw: Screw,
    motion: BodyMotion,
    motor: Quantity,
    known: Columns,
) -> Columns:
    """Record the columns of one body for one joint, in the body axes, in which the parameters are constant.

    Args:
        recorder: receives the program.
        pair: numbers of the body and the joint.
        screw: of the joint.
        motion: of the body.
        motor: the column of the motor's inertia.
        known: columns that need not be computed.
    """
    e, v = screw.angular, screw.linear
    w, wd, a = motion.angular_velocity, motion.angular_acceleration, motion.acceleration
    k, lam = motion.products, motion.difference
    mx, my = (recorder.apply(first_moments_across, e, v, lam, a)[axis] for axis in range(2))
    computed = {
        "m": recorder.apply(mass_column, v, a),
        "mx": mx,
        "my": my,
        "mz": recorder.apply(first_moment_along, e, v, lam, a),
        "Jxx": recorder.apply(jxx_column, e, wd, k),
        "Syy": recorder.apply(syy_column, e, lam),
        "Szz": recorder.apply(szz_column, e, lam),
        "Jxy": recorder.apply(jxy_column, e, w, lam),
        "Jxz": recorder.apply(jxz_column, e, w, lam),
        "Jyz": recorder.apply(jyz_column, e, w, lam),
    }
    columns = {
        name: recorder.name(Y(*pair, label=name.lower()), column)
        for name, column in {**computed, **known}.items()
    }
    columns["Jyy"] = recorder.record(
        Y(*pair, label="jyy"), difference_of, columns["Szz"], columns["Jxx"]
    )
    columns["Jzz"] = recorder.record(
        Y(*pair, label="jzz"), difference_of, columns["Syy"], columns["Jxx"]
    )
    columns["Sxx"] = recorder.record(Y(*pair, label="sxx"), sum_of, columns["Jyy"], columns["Jzz"])
    return {**columns, "Ia": motor}


def combine(recorder: Recorder, parameters: Combination, columns: Columns) -> Quantity:
    """Record the force of a joint for given parameters of a body."""
    terms = (
        recorder.apply(product, recorder.constant(factor), columns[name])
        for name, factor in fewest_terms(parameters).items()
    )
    return reduce(lambda left, right: recorder.apply(sum_of, left, right), terms)


def fewest_terms(parameters: Combination) -> dict[str, Exact]:
    """Parameters with their diagonal as moments of inertia or as second moments, whichever are fewer."""
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
    """Multiplications and additions of `combine`, if no column is zero."""
    factors = fewest_terms(parameters).values()
    return len(factors) - 1 + sum(factor not in (ONE, -ONE) for factor in factors)
