"""The regressor Y of tau = Y pi: joint forces per unit of every inertial parameter.

tau are the joint forces and pi the inertial parameters. Let n and f be the inertial moment and
force of body i if one of its parameters is 1 and all others are 0. Entry j in the parameter's
column is e.n + v.f, with the angular velocity e of body i and the velocity v of its origin at a
unit velocity of joint j. For each joint, the motion (e, v) is transformed outward from body to
body. An inward recursion would transform ten wrenches for each body.

The columns of Jyy and Jzz are computed from the column of Jxx and from columns of second moments,
which require two products instead of three.

A parameter that does not affect the force of its body's joint can be expressed by parameters of the
parent body (Gautier and Khalil, "Direct Calculation of Minimum Set of Inertial Parameters of Serial
Robots", IEEE Transactions on Robotics and Automation 6(3), 1990). For all joints nearer to the
base, the column of the parameter is then a combination of the parent's columns. The column is
computed in this way if this requires fewer operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import add
from typing import TypeVar

from dynagen.dynamics.algorithms.motions import BodyMotion
from dynagen.dynamics.algorithms.newton_euler import (
    acceleration_difference,
    record_body_motions,
    velocity_products,
)
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody, sum_forces
from dynagen.dynamics.recording import Number, Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import SCALAR, VECTOR, Symbol
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.model.model import BASE
from dynagen.robot.model.placement import Placement
from dynagen.robot.model.regrouping import Combination, transform

Motion = TypeVar("Motion")
Columns = Mapping[str, Quantity]
"""Forces of one joint per unit of each parameter of a body, by parameter name.

The names are those of the module `regrouping`, and the keys of `SECOND_MOMENTS`.
"""

SECOND_MOMENTS: dict[str, Combination] = {
    "Sxx": {"Jyy": ONE, "Jzz": ONE},
    "Syy": {"Jxx": ONE, "Jzz": ONE},
    "Szz": {"Jxx": ONE, "Jyy": ONE},
}
"""For each second moment, the moments of inertia if it is 1 and the other two are 0.

Sxx is the integral of x^2 dm, Syy and Szz those of y^2 dm and z^2 dm. Absent moments are 0.
"""

Y = Symbol(
    "y",
    "ij",
    SCALAR,
    "force of joint j per unit of a parameter of body i; sxx: sum of Jyy and Jzz, and so on",
    label="parameter",
)

COSTS = {"m": 5, "mz": 9, "Jxx": 5, "Syy": 3, "Szz": 3, "Jxy": 5, "Jxz": 5, "Jyz": 5}
"""Number of operations that compute a joint's force per unit of a parameter from a body's motion.

The operations are multiplications and additions. The keys are inertial parameters of the body: mass
m, first moment mz, inertias J and second moments S.
"""


@dataclass(frozen=True)
class UnitMotion:
    """Motion of a body at a unit velocity of a joint that moves it, in the body's axes.

    Attributes:
        angular: angular velocity e of the body.
        linear: velocity v of the body's origin.
    """

    angular: Quantity
    linear: Quantity


# The columns: all vectors are in the body axes, in which the parameters are constant. (e, v) is the
# screw of the joint, and w, wd, lambda and a are the motion of the body.


@formula
def mass_column(v: Matrix, a: Matrix) -> Expr:
    """Return the regressor's entry v.a for the mass m of a body, a joint force per kg.

    v is the velocity of the body's origin at a unit velocity of the joint to which the row belongs.
    a is the acceleration of the origin minus gravity. Both vectors are in the body axes.
    """
    return v.dot(a)


@formula
def first_moments_across(e: Matrix, v: Matrix, lam: Matrix, a: Matrix) -> Matrix:
    """Return the regressor's entries for the first moments mx and my of a body.

    e is the angular velocity of the body, and v the velocity of its origin, at a unit velocity of
    the joint to which the row belongs. `lam` is the acceleration difference matrix lambda, and a
    the acceleration of the origin minus gravity. All quantities are in body axes.
    """
    # v.(lambda s) + e.(s x a) = s.(lambda^T v + a x e)
    columns = lam.T * v + a.cross(e)
    return columns[:2, :]


@formula
def first_moment_along(e: Matrix, v: Matrix, lam: Matrix, a: Matrix) -> Expr:
    """Return the regressor's entry for the first moment mz of a body.

    e is the angular velocity of the body, and v the velocity of its origin, at a unit velocity of
    the joint to which the row belongs. `lam` is the acceleration difference matrix lambda, and a
    the acceleration of the origin minus gravity. All quantities are in body axes.
    """
    return (lam.T * v + a.cross(e))[2]


@formula
def jxx_column(e: Matrix, wd: Matrix, k: Matrix) -> Expr:
    """Return the regressor's entry e.n for the moment of inertia Jxx of a body.

    e is the angular velocity of the body at a unit velocity of the joint to which the row belongs,
    and n the inertial moment for Jxx = 1. wd is the body's angular acceleration, and k the vector
    (w_y w_z, w_x w_z, w_x w_y) of its angular velocity (`velocity_products`). All quantities are in
    body axes.
    """
    return e[0] * wd[0] + e[1] * k[1] - e[2] * k[2]


@formula
def syy_column(e: Matrix, lam: Matrix) -> Expr:
    """Return the regressor's entry e.n for the second moment Syy of a body.

    e is the angular velocity of the body at a unit velocity of the joint to which the row belongs,
    and n the inertial moment for Syy = 1. `lam` is the body's acceleration difference matrix. All
    quantities are in body axes.
    """
    return e[0] * lam[2, 1] - e[2] * lam[0, 1]


@formula
def szz_column(e: Matrix, lam: Matrix) -> Expr:
    """Return the regressor's entry e.n for the second moment Szz of a body.

    e is the angular velocity of the body at a unit velocity of the joint to which the row belongs,
    and n the inertial moment for Szz = 1. `lam` is the body's acceleration difference matrix. All
    quantities are in body axes.
    """
    return e[1] * lam[0, 2] - e[0] * lam[1, 2]


@formula
def jxy_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Return the regressor's entry e.n for the product of inertia Jxy of a body.

    e is the angular velocity of the body at a unit velocity of the joint to which the row belongs,
    and n the inertial moment for Jxy = 1. w is the body's angular velocity, and `lam` its
    acceleration difference matrix. All quantities are in body axes.
    """
    return e[1] * lam[2, 1] - e[0] * lam[2, 0] + e[2] * (w[0] ** 2 - w[1] ** 2)


@formula
def jxz_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Return the regressor's entry e.n for the product of inertia Jxz of a body.

    e is the angular velocity of the body at a unit velocity of the joint to which the row belongs,
    and n the inertial moment for Jxz = 1. w is the body's angular velocity, and `lam` its
    acceleration difference matrix. All quantities are in body axes.
    """
    return e[0] * lam[1, 0] - e[2] * lam[1, 2] + e[1] * (w[2] ** 2 - w[0] ** 2)


@formula
def jyz_column(e: Matrix, w: Matrix, lam: Matrix) -> Expr:
    """Return the regressor's entry e.n for the product of inertia Jyz of a body.

    e is the angular velocity of the body at a unit velocity of the joint to which the row belongs,
    and n the inertial moment for Jyz = 1. w is the body's angular velocity, and `lam` its
    acceleration difference matrix. All quantities are in body axes.
    """
    return e[2] * lam[0, 2] - e[1] * lam[0, 1] + e[0] * (w[1] ** 2 - w[2] ** 2)


def record_unit_parameters(
    pair: tuple[int, int], screw: UnitMotion, motion: BodyMotion, motor: Quantity, known: Columns
) -> Columns:
    """Record one joint's force per unit of every inertial parameter of one body.

    Args:
        pair: number of the body and number of the joint, from 1, for the names of values.
        screw: motion of the body at a unit velocity of the joint, in the body axes.
        motion: motion of the body, in the body axes.
        motor: force of the joint per unit of the motor inertia: qdd for the body's own joint, else
            0.
        known: forces that are already recorded, by parameter name.

    Returns:
        The forces of the joint by parameter name (`Columns`).
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
    """Record the force that given inertial parameters of a body cause at a joint.

    Args:
        parameters: value of each inertial parameter of the body, by name.
        columns: force of the joint per unit of each inertial parameter, by name.
    """
    return reduce(add, (columns[name] * factor for name, factor in parameters.items()))


def choose_fewest_terms(parameters: Combination) -> dict[str, Exact]:
    """Return a body's inertial parameters in the form with the fewest nonzero numbers, by name.

    The second moments Sxx, Syy, Szz replace Jxx, Jyy, Jzz if fewer of them are nonzero.
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
    """Return the number of multiplications and additions that `combine` records.

    `combine` adds products of a parameter and a column. All columns are assumed to be nonzero.
    Factors 1 and -1 require no multiplication.
    """
    factors = parameters.values()
    return len(factors) - 1 + sum(factor not in (ONE, -ONE) for factor in factors)


E = Symbol("e", "ij", VECTOR, "axis of joint j, in the axes of body i")
VE = Symbol("ve", "ij", VECTOR, "velocity of the origin of body i at a unit velocity of joint j")


@formula
def velocity_at(velocity: Matrix, axis: Matrix, point: Matrix) -> Matrix:
    """Return the velocity v + cross(e, r) of the point r of a body, at a unit velocity of a joint.

    `velocity` is v, the velocity of the body's origin, and `axis` is the body's angular velocity e,
    at a unit velocity of the joint. `point` is r (m).
    """
    return velocity + axis.cross(point)


@formula
def velocity_on_axis(velocity: Matrix, axis: Matrix, displacement: Expr) -> Matrix:
    """Return the velocity v + d cross(e, z) of the point at d z on a joint axis z.

    `velocity` is v, the velocity of the point where the displacement d z begins, and `axis` is the
    angular velocity e, at a unit velocity of another joint. `displacement` is d (m).
    """
    # e x z = (e_y, -e_x, 0).
    return velocity + displacement * Matrix([axis[1], -axis[0], 0])


def record_columns(recording: Recording) -> tuple[dict[int, Columns], ...]:
    """Record joint forces per unit of every inertial parameter, for the input motion q, qd, qdd.

    Returns:
        One mapping for each body. The keys are the numbers (`number_entries`) of the joints that
        move the body; the joint of the body itself is last. The values are the forces of these
        joints per unit of each inertial parameter of the body.
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
    """Record joint forces per unit of every inertial parameter, for parameters in body axes.

    Args:
        recording: program under construction, with the robot model and its bodies.
        find_motion: function that returns the motion of a body in its body axes.
        accelerations: joint accelerations, one for every entry of the velocity vector.
        record_unit: function like `record_unit_parameters`, which records the forces of one joint
            per unit of each parameter of one body.

    Returns:
        One mapping for each body. The keys are the numbers (`number_entries`) of the joints that
        move the body; the joint of the body itself is last. The values are the forces of these
        joints per unit of each inertial parameter of the body.
    """
    # Screws and columns by body and by number of the joint.
    screws: dict[int, dict[int, UnitMotion]] = {BASE: {}}
    columns: dict[int, dict[int, Columns]] = {BASE: {}}
    for body in recording.bodies:
        body.begin_section("Columns of body")
        body_motion = find_motion(body)
        before = columns[body.parent]
        # Columns that cost less as combinations of the parent's columns.
        of_parent = _find_parent_columns(body.placement, body.unobservable)
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
        columns: for every body, the forces of each joint per unit of the body's parameters
            (`record_columns_of_motion`).
        parameters: for every column of the regressor, the index of a body (BASE for a link that
            does not move), and the parameter as a combination of the body's parameters.
    """
    zero = recording.add_constant(0)

    def joint_forces(body: int, unit: Combination) -> list[tuple[Quantity, ...]]:
        unit = choose_fewest_terms(unit)
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


@lru_cache(maxsize=4096)  # most candidates of a robot have placements in common
def _find_parent_columns(
    placement: Placement, unobservable: tuple[str, ...]
) -> Mapping[str, Combination]:
    """Express parameters that do not affect a joint's force by parameters of the parent body.

    The keys are names of the body's inertial parameters; each value is the equivalent combination
    of the parent's parameters. A parameter is omitted if its regressor column requires more
    operations in this form.
    """
    in_parent = {
        name: choose_fewest_terms(transform(placement.pose, SECOND_MOMENTS.get(name, {name: ONE})))
        for name in unobservable
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
    """Record the motion of a body at a unit velocity of joint `joint`, from its parent's motion.

    `screw` is the motion of the parent, in the parent's axes. The result is in the axes of `body`.
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
