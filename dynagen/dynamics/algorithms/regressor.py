"""The regressor Y of tau = Y pi: RobotModel, frames and motion -> the forces of all joints per unit of every parameter.

Entry j of the column of a parameter of body i is the power, at a unit velocity of joint j, of the wrench that moves a unit of
the parameter as body i moves. So the screws of the joints are carried outward to the bodies that they move, and no
wrench is carried inward: 10 columns a body would be 10 wrenches, where there is one screw a joint.

A parameter that is not observable at a body's joint can be taken for parameters of its parent (M. Gautier, W. Khalil, "Direct
Calculation of Minimum Set of Inertial Parameters of Serial Robots", IEEE Trans. Robotics and Automation 6(3), 1990). For all
joints before it the two have the same column; of the two computations the cheaper one is recorded.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.coordinates import list_screws, sum_forces
from dynagen.dynamics.algorithms.newton_euler import BodyMotion, record_body_motions
from dynagen.dynamics.algorithms.newton_euler_steps import (
    acceleration_difference,
    velocity_products,
)
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody
from dynagen.dynamics.algorithms.unit_parameters import (
    COSTS,
    SECOND_MOMENTS,
    Columns,
    Screw,
    combine,
    count_operations,
    record_unit_parameters,
)
from dynagen.dynamics.recording.formula import Number, Quantity, formula
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.numbers.exact import ONE
from dynagen.robot.model.model import BASE, Body
from dynagen.robot.model.regrouping import Combination, seen_from

E = Symbol("e", "ij", VECTOR, "axis of joint j, in the axes of body i")
VE = Symbol("ve", "ij", VECTOR, "velocity of the origin of body i at a unit rate of joint j")


@formula
def velocity_at(velocity: Matrix, axis: Matrix, point: Matrix) -> Matrix:
    """Velocity of another point of a body that a joint moves."""
    return velocity + axis.cross(point)


@formula
def velocity_on_axis(velocity: Matrix, axis: Matrix, displacement: Expr) -> Matrix:
    """Velocity of another point on the z axis, at a displacement."""
    return velocity + displacement * Matrix([axis[1], -axis[0], 0])


def record_columns(recording: Recording) -> tuple[dict[int, Columns], ...]:
    """Record the columns of all bodies, for parameters in the body axes and about the body's origin.

    Returns:
        For every body the numbers (`number_entries`) of the joints that carry it, the one that moves it last, with their
        columns. Those of other joints are zero.
    """
    motion = recording.motion
    motions = record_body_motions(recording, motion)
    screws: dict[int, dict[int, Screw]] = {BASE: {}}
    columns: dict[int, dict[int, Columns]] = {BASE: {}}
    for body in recording.bodies:
        body.section("Columns of body")
        body_motion = _resolve_in_body_axes(body, motions[body.index])
        before = columns[body.parent]
        of_parent = _find_parent_columns(body)
        carrying = {
            joint: _carry_screw(body, joint, screws[body.parent][joint]) for joint in before
        }
        own = dict(zip(body.numbers, _record_screws(body), strict=True))
        screws[body.index] = carrying | own
        columns[body.index] = {}
        for joint, screw in screws[body.index].items():
            known: dict[str, Quantity] = {}
            motor = recording.constant(0)
            if joint not in own:
                known = {name: combine(same, before[joint]) for name, same in of_parent.items()}
            elif not body.is_free:
                motor = motion.accelerations[body.entry]
            in_body_axes = Screw(body.to_body_axes(screw.angular), body.to_body_axes(screw.linear))
            made = record_unit_parameters(
                (body.number, joint), in_body_axes, body_motion, motor, known
            )
            columns[body.index][joint] = made
    return tuple(columns[body.index] for body in recording.bodies)


def record_rows(
    recording: Recording,
    columns: tuple[dict[int, Columns], ...],
    parameters: list[tuple[int, Combination]],
) -> list[Quantity]:
    """Record the entries of a regressor, row by row: one row for every entry of v.

    Args:
        recording: of the robot.
        columns: of all bodies.
        parameters: for every column of the regressor a body (BASE for none), and a unit of the parameter in the body's.
    """
    none = recording.constant(0)

    def joint_forces(body: int, unit: Combination) -> list[tuple[Quantity, ...]]:
        carrying = columns[body] if body != BASE else {}
        return [
            tuple(
                combine(unit, carrying[joint]) if joint in carrying else none
                for joint in each.numbers
            )
            for each in recording.bodies
        ]

    made = [
        sum_forces(recording, forces)
        for forces in [joint_forces(*parameter) for parameter in parameters]
    ]
    return [column[row] for row in range(recording.model.nv) for column in made]


def _find_parent_columns(body: Body) -> dict[str, Combination]:
    """Return the parameters of a body that are not observable at its joint, in terms of the parameters of its parent.

    Only those whose columns do not cost more as combinations of the parent's columns than from scratch.
    """
    pose = body.placement.pose
    in_parent = {
        name: seen_from(pose, SECOND_MOMENTS.get(name, {name: ONE}))
        for name in _list_unobservable(body)
    }
    return {name: same for name, same in in_parent.items() if count_operations(same) <= COSTS[name]}


def _list_unobservable(body: Body) -> tuple[str, ...]:
    """Parameters whose pseudo-inertia P has G P = 0, with G the generator of the joint's motion (see `regrouping`)."""
    inertia = ("Szz",) if body.angular else ("Jxx", "Syy", "Szz", "Jxy", "Jxz", "Jyz")
    return inertia if body.linear else ("m", "mz", *inertia)


def _record_screws(body: ResolvedBody) -> list[Screw]:
    """Record the screws of a body's joint in its axes."""

    def along(axis: int, velocity: Number) -> Quantity:
        return body.recorder.constant(*(velocity if axis == each else 0 for each in range(3)))

    return [
        Screw(along(each.along, each.angular), along(each.along, each.linear))
        for each in list_screws(body)
    ]


def _carry_screw(body: ResolvedBody, joint: int, screw: Screw) -> Screw:
    """Record a screw in the body's axes, about its origin, from the parent's: in two steps, as the displacement."""
    foot = velocity_at(screw.linear, screw.angular, body.translation)
    angular = body.outward(screw.angular).name(E(body.number, joint))
    linear = velocity_on_axis(body.outward(foot), angular, body.displacement)
    return Screw(angular, linear.name(VE(body.number, joint)))


def _resolve_in_body_axes(body: ResolvedBody, motion: BodyMotion) -> BodyMotion:
    """Record a motion in the body axes, in which the body's parameters are constant."""
    if body.body_axes is None:
        return motion
    w, wd = (
        body.to_body_axes(motion.angular_velocity),
        body.to_body_axes(motion.angular_acceleration),
    )
    k = velocity_products(w)
    return replace(
        motion,
        angular_velocity=w,
        angular_acceleration=wd,
        products=k,
        difference=acceleration_difference(w, wd, k),
        acceleration=body.to_body_axes(motion.acceleration),
    )
