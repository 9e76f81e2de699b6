"""The regressor Y of tau = Y pi: joint forces per unit of every inertial parameter.

tau are the joint forces and pi the inertial parameters. A unit of an inertial parameter of body i
has an inertial wrench with the moment n and the force f. Entry j in the parameter's column is the
power of this wrench at a unit velocity of joint j: e.n + v.f with the angular velocity e of body i
and the velocity v of its origin at a unit velocity of joint j. Therefore the motions (e, v) of the
joints are transformed outward from body to body, and no wrench is transformed inward: one motion
for each joint, instead of ten wrenches for each body.

The columns of Jyy and Jzz are computed from the column of Jxx and the columns of second moments,
which have two products instead of three.

A parameter that does not affect the force of its body's joint can be expressed by parameters of the
parent body (Gautier and Khalil, "Direct Calculation of Minimum Set of Inertial Parameters of Serial
Robots", IEEE Transactions on Robotics and Automation 6(3), 1990). For all joints nearer to the
base, the parameter and its combination of the parent's parameters have the same column. The column
is recorded from the parameter itself or from the parent's columns, whichever requires fewer
operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TypeVar

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.motions import BodyMotion
from dynagen.dynamics.algorithms.newton_euler import (
    acceleration_difference,
    record_body_motions,
    velocity_products,
)
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody, sum_forces
from dynagen.dynamics.recording import Number, Quantity, formula
from dynagen.ir.symbols import SCALAR, VECTOR, Symbol
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.model.model import BASE
from dynagen.robot.model.regrouping import Combination, transform

Motion = TypeVar("Motion")
Columns = Mapping[str, Quantity]
"""Forces of one joint per unit of each of a body's parameters, by parameter name.

The names are those of the module `regrouping`, and the keys of `SECOND_MOMENTS`.
"""

SECOND_MOMENTS: dict[str, Combination] = {
    "Sxx": {"Jyy": ONE, "Jzz": ONE},
    "Syy": {"Jxx": ONE, "Jzz": ONE},
    "Szz": {"Jxx": ONE, "Jyy": ONE},
}
"""Mapping from a second moment to the moments of inertia that a unit of it adds.

Sxx is the integral of x^2 dm.
"""

Y = Symbol(
    "y",
    "ij",
    SCALAR,
    "force of joint j per unit of a parameter of body i; sxx: sum of Jyy and Jzz, and so on",
    label="parameter",
)

COSTS = {"m": 5, "mz": 9, "Jxx": 5, "Syy": 3, "Szz": 3, "Jxy": 5, "Jxz": 5, "Jyz": 5}
"""Operations (multiplications and additions) of a column not computed from other columns."""


@dataclass(frozen=True)
class UnitMotion:
    """Motion of a body at a unit velocity of a joint that moves it, in the body's axes.

    Attributes:
        angular: angular velocity e of the body, per unit of the joint velocity.
        linear: velocity v of the body's origin, per unit of the joint velocity.
    """

    angular: Quantity
    linear: Quantity


# The columns: all vectors are in the body axes, in which the parameters are constant. (e, v) is the
# screw of the joint, and w, wd, lambda and a are the motion of the body.


@formula
def mass_column(v: Matrix, a: Matrix) -> Expr:
    """Return the entry v.a in the regressor's column of the mass m, a joint force per kg.

    v is the velocity of the body's origin at a unit velocity of the row's joint. a is the
    acceleration of the origin minus gravity, the inertial force of a unit mass. Both vectors are in
    the body axes.
    """
    return v.dot(a)


@formula
def first_moments_across(e: Matrix, v: Matrix, lam: Matrix, a: Matrix) -> Matrix:
    """Return the entries v.f + e.n in the regressor's columns of the first moments mx and my.

    A unit first moment s, a unit vector x or y, has the inertial force f = lambda s and the moment
    n = s x a. e is the angular velocity of the body, and v the velocity of its origin, at a unit
    velocity of the row's joint. `lam` is the acceleration difference matrix lambda, and a the
    acceleration of the origin minus gravity. All quantities are in body axes.
    """
    # v.(lambda s) + e.(s x a) = s.(lambda^T v + a x e)
    columns = lam.T * v + a.cross(e)
    return columns[:2, :]


@formula
def first_moment_along(e: Matrix, v: Matrix, lam: Matrix, a: Matrix) -> Expr:
    """Return the entry v.f + e.n in the regressor's column of mz, with f = lambda z and n = z x a.

    z is a unit vector. e is the angular velocity of the body, and v the velocity of its origin, at
    a unit velocity of the row's joint. `lam` is the acceleration difference matrix lambda, and a
    the acceleration of the origin minus gravity. All quantities are in body axes.
    """
    return (lam.T * v + a.cross(e))[2]


@formula
def jxx_column(e: Matrix, wd: Matrix, k: Matrix) -> Expr:
    """Return the entry e.n in the regressor's column of Jxx, with n = J wd + w x (J w), J = x x^T.

    x is a unit vector, and e the angular velocity of the body at a unit velocity of the row's
    joint. w and wd are the body's angular velocity and acceleration, and k is `velocity_products`
    of w. All quantities are in body axes.
    """
    return e[0] * wd[0] + e[1] * k[1] - e[2] * k[2]


@formula
def syy_column(e: Matrix, lam: Matrix) -> Expr:
    """Return the entry e.n in the regressor's column of Syy, for a unit of Jxx and of Jzz.

    e is the angular velocity of the body at a unit velocity of the row's joint; `lam` is the body's
    acceleration difference matrix, and n the inertial moment. All quantities are in body axes.
    """
    return e[0] * lam[2, 1] - e[2] * lam[0, 1]


@formula
def szz_column(e: Matrix, lam: Matrix) -> Expr:
    """Return the entry e.n in the regressor's column of Szz, for a unit of Jxx and of Jyy.

    e is the angular velocity of the body at a unit velocity of the row's joint; `lam` is the body's
    acceleration difference matrix, and n the inertial moment. All quantities are in body axes.
    """
    return e[1] * lam[0, 2] - e[0] * lam[1, 2]


@formula
def jxy_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Return the entry e.n in the regressor's column of Jxy, with n of J = x y^T + y x^T.

    n is the inertial moment, and e the angular velocity of the body at a unit velocity of the row's
    joint. w is the body's angular velocity, `lam` its acceleration difference matrix, and x, y, z
    are unit vectors, in body axes.
    """
    return e[1] * lam[2, 1] - e[0] * lam[2, 0] + e[2] * (w[0] ** 2 - w[1] ** 2)


@formula
def jxz_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Return the entry e.n in the regressor's column of Jxz, with n of J = x z^T + z x^T.

    n is the inertial moment, and e the angular velocity of the body at a unit velocity of the row's
    joint. w is the body's angular velocity, `lam` its acceleration difference matrix, and x, y, z
    are unit vectors, in body axes.
    """
    return e[0] * lam[1, 0] - e[2] * lam[1, 2] + e[1] * (w[2] ** 2 - w[0] ** 2)


@formula
def jyz_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Return the entry e.n in the regressor's column of Jyz, with n of J = y z^T + z y^T.

    n is the inertial moment, and e the angular velocity of the body at a unit velocity of the row's
    joint. w is the body's angular velocity, `lam` its acceleration difference matrix, and x, y, z
    are unit vectors, in body axes.
    """
    return e[2] * lam[0, 2] - e[1] * lam[0, 1] + e[0] * (w[1] ** 2 - w[2] ** 2)


def record_unit_parameters(
    pair: tuple[int, int], screw: UnitMotion, motion: BodyMotion, motor: Quantity, known: Columns
) -> Columns:
    """Record one joint's force per unit of every inertial parameter of one body.

    Args:
        pair: numbers of the body and of the joint, from 1, in the names of values.
        screw: motion of the body at a unit velocity of the joint, in the body axes.
        motion: motion of the body, in the body axes, where the parameters are constant.
        motor: force of the joint per unit of the motor inertia: qdd for the body's own joint, else
            0.
        known: forces that are already recorded, by parameter name.

    Returns:
        The forces of the joint by parameter name, with the names of the module `regrouping` and the
        keys of `SECOND_MOMENTS`.
    """
    e, v = screw.angular, screw.linear
    w, wd, a = motion.angular_velocity, motion.angular_acceleration, motion.acceleration
    k, lam = motion.products, motion.difference
    # tau = e.n + v.f for the wrench (f, n) of a body with one unit parameter.
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
    # Szz is Jxx = Jyy = 1, so the column of Jyy is Szz minus Jxx; the others follow in the same
    # way.
    columns["Jyy"] = (columns["Szz"] - columns["Jxx"]).name(Y(*pair, label="jyy"))
    columns["Jzz"] = (columns["Syy"] - columns["Jxx"]).name(Y(*pair, label="jzz"))
    columns["Sxx"] = (columns["Jyy"] + columns["Jzz"]).name(Y(*pair, label="sxx"))
    return {**columns, "Ia": motor}


def combine(parameters: Combination, columns: Columns) -> Quantity:
    """Record a joint's force for given parameters: the sum of the products parameter times column.

    Args:
        parameters: value of each parameter, by parameter name.
        columns: force of the joint per unit of each parameter, by name.
    """
    return reduce(
        add, (columns[name] * factor for name, factor in choose_fewest_terms(parameters).items())
    )


def choose_fewest_terms(parameters: Combination) -> dict[str, Exact]:
    """Return parameters with moments of inertia or second moments, whichever has fewer terms.

    The second moments Sxx, Syy, Szz may replace Jxx, Jyy, Jzz. The result describes the same body;
    it has values by parameter name, without zeros.
    """
    xx, yy, zz = (parameters.get(name, ZERO) for name in ("Jxx", "Jyy", "Jzz"))
    # E = tr(J)/2 1 - J: the diagonal of second moments from the moments of inertia.
    half = (xx + yy + zz) / 2
    inertia, second = (
        {"Jxx": xx, "Jyy": yy, "Jzz": zz},
        {"Sxx": half - xx, "Syy": half - yy, "Szz": half - zz},
    )
    # Fewer terms mean fewer additions of columns.
    diagonal = min(inertia, second, key=lambda moments: sum(map(bool, moments.values())))
    others = {name: number for name, number in parameters.items() if name not in inertia}
    return {name: number for name, number in (others | diagonal).items() if number}


def count_operations(parameters: Combination) -> int:
    """Return the number of multiplications and additions of `combine`, if no column is zero.

    `combine` sums the products of the given parameters with columns of a regressor; factors 1 and
    -1 require no multiplication.
    """
    factors = choose_fewest_terms(parameters).values()
    return len(factors) - 1 + sum(factor not in (ONE, -ONE) for factor in factors)


E = Symbol("e", "ij", VECTOR, "axis of joint j, in the axes of body i")
VE = Symbol("ve", "ij", VECTOR, "velocity of the origin of body i at a unit velocity of joint j")


@formula
def velocity_at(velocity: Matrix, axis: Matrix, point: Matrix) -> Matrix:
    """Return the velocity v + e x r of the point at r, at a unit velocity of a joint.

    `velocity` is v, the velocity of the body's origin, and `axis` is the body's angular velocity e,
    both at a unit velocity of the joint; `point` is r from the origin (m). All vectors are in the
    axes of one body.
    """
    return velocity + axis.cross(point)


@formula
def velocity_on_axis(velocity: Matrix, axis: Matrix, displacement: Expr) -> Matrix:
    """Return the velocity v + d (e x z) of the point at d z on a joint axis z.

    `velocity` is v, the velocity of the point where the displacement d z begins, and `axis` is the
    angular velocity e, both at a unit velocity of another joint. `displacement` is d (m). All
    vectors are in the axes of the body whose z is the joint axis.
    """
    # e x z = (e_y, -e_x, 0).
    return velocity + displacement * Matrix([axis[1], -axis[0], 0])


def record_columns(recording: Recording) -> tuple[dict[int, Columns], ...]:
    """Record the regressor's columns of all bodies for the input motion q, qd, qdd.

    Returns:
        For every body, a mapping from the numbers (from 1, `number_entries`) of the joints that
        move it to the forces of these joints per unit of each of the body's parameters, by
        parameter name. In a mapping the body's own joint is last. Joints that do not move the body
        are absent; their forces are zero.
    """
    motion = recording.motion
    motions = record_body_motions(recording, motion)
    return record_columns_of_motion(
        recording,
        lambda body: _resolve_in_body_axes(body, motions[body.index]),
        motion.accelerations,
        record_unit_parameters,
    )


def record_columns_of_motion(
    recording: Recording,
    find_motion: Callable[[ResolvedBody], Motion],
    accelerations: Sequence[Quantity],
    record_unit: Callable[[tuple[int, int], UnitMotion, Motion, Quantity, Columns], Columns],
) -> tuple[dict[int, Columns], ...]:
    """Record the columns of all bodies, for parameters in body axes and about the body's origin.

    A column contains the joint forces per unit of a body's parameter.

    Args:
        recording: program under construction, with the robot model and its bodies.
        find_motion: returns the motion of a body in its body axes.
        accelerations: joint accelerations, which load the motors' inertias, one for every entry of
            the velocity vector.
        record_unit: records the forces of one joint per unit of one body's parameters, with the
            arguments of `record_unit_parameters`.

    Returns:
        For every body, a mapping from the numbers (from 1, `number_entries`) of the joints that
        move it to the forces of these joints per unit of each parameter, by parameter name. In a
        mapping the body's own joint is last. Joints that do not move the body are absent; their
        forces are zero.
    """
    # Screws and columns by body and by number of the joint.
    screws: dict[int, dict[int, UnitMotion]] = {BASE: {}}
    columns: dict[int, dict[int, Columns]] = {BASE: {}}
    for body in recording.bodies:
        body.begin_section("Columns of body")
        body_motion = find_motion(body)
        before = columns[body.parent]
        # Columns that cost less as combinations of the parent's columns.
        of_parent = _find_parent_columns(body)
        carrying = {
            joint: _carry_screw(body, joint, screws[body.parent][joint]) for joint in before
        }
        # The screw of the own joint is constant in its body's axes.
        own = dict(zip(body.numbers, _record_screws(body), strict=True))
        # The own joint comes last, after the joints that carry it.
        screws[body.index] = carrying | own
        columns[body.index] = {}
        for joint, screw in screws[body.index].items():
            known: dict[str, Quantity] = {}
            motor = recording.add_constant(0)
            if joint not in own:
                # Joints before this one cannot distinguish these parameters from the parent's.
                known = {name: combine(same, before[joint]) for name, same in of_parent.items()}
            else:
                motor = accelerations[body.entry]
            # The product of screw and wrench is the same in all axes. Parameters are constant in
            # the body axes.
            in_body_axes = UnitMotion(
                body.to_body_axes(screw.angular), body.to_body_axes(screw.linear)
            )
            pair = body.number, joint
            columns[body.index][joint] = record_unit(pair, in_body_axes, body_motion, motor, known)
    return tuple(columns[body.index] for body in recording.bodies)


def record_rows(
    recording: Recording,
    columns: tuple[dict[int, Columns], ...],
    parameters: list[tuple[int, Combination]],
) -> list[Quantity]:
    """Record the entries of a regressor, row by row: one row for every joint velocity.

    Args:
        recording: program under construction, with the robot model and its bodies.
        columns: columns of all bodies, as `record_columns_of_motion` returns them.
        parameters: for every column of the regressor, the index of the body that the parameter
            belongs to (BASE for a link that does not move), and the parameter as a combination of
            the body's parameters.
    """
    zero = recording.add_constant(0)

    def joint_forces(body: int, unit: Combination) -> list[tuple[Quantity, ...]]:
        # Parameters of links on the base have zero columns.
        columns_of_joints = columns[body] if body != BASE else {}
        return [
            tuple(
                combine(unit, columns_of_joints[joint]) if joint in columns_of_joints else zero
                for joint in each.numbers
            )
            for each in recording.bodies
        ]

    made = [
        sum_forces(recording, forces)
        for forces in [joint_forces(*parameter) for parameter in parameters]
    ]
    return [column[row] for row in range(recording.robot.nv) for column in made]


def _find_parent_columns(body: ResolvedBody) -> dict[str, Combination]:
    """Return the parameters that do not affect a body's joint force, as parameters of the parent.

    A parameter is omitted if its column requires more operations as a combination of the parent's
    columns.
    """
    pose = body.placement.pose
    in_parent = {
        name: transform(pose, SECOND_MOMENTS.get(name, {name: ONE})) for name in body.unobservable
    }
    return {name: same for name, same in in_parent.items() if count_operations(same) <= COSTS[name]}


def _record_screws(body: ResolvedBody) -> list[UnitMotion]:
    """Record the motion of a body at a unit of each velocity of its joint, in the body's axes."""

    def along(axis: int, velocity: Number) -> Quantity:
        return body.recorder.add_constant(*(velocity if axis == each else 0 for each in range(3)))

    return [
        UnitMotion(along(each.axis, each.angular), along(each.axis, each.linear))
        for each in body.screws
    ]


def _carry_screw(body: ResolvedBody, joint: int, screw: UnitMotion) -> UnitMotion:
    """Record the motion of a body at a unit velocity of a joint of one of its ancestors.

    `screw` is the motion of the parent at a unit velocity of joint `joint`, in the parent's axes.
    The result is in the axes of `body`.
    """
    # In the parent's axes; the second step is in the body's.
    foot = velocity_at(screw.linear, screw.angular, body.translation)
    angular = body.rotate_outward(screw.angular).name(E(body.number, joint))
    linear = velocity_on_axis(body.rotate_outward(foot), angular, body.displacement)
    return UnitMotion(angular, linear.name(VE(body.number, joint)))


def _resolve_in_body_axes(body: ResolvedBody, motion: BodyMotion) -> BodyMotion:
    """Record the motion of a body in its body axes, from its motion in the resolved axes."""
    if body.body_axes is None:
        return motion
    w, wd = (
        body.to_body_axes(motion.angular_velocity),
        body.to_body_axes(motion.angular_acceleration),
    )
    # lambda is computed again there: rotating nine elements costs more.
    k = velocity_products(w)
    return replace(
        motion,
        angular_velocity=w,
        angular_acceleration=wd,
        products=k,
        difference=acceleration_difference(w, wd, k),
        acceleration=body.to_body_axes(motion.acceleration),
    )
