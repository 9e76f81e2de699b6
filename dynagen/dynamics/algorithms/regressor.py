"""The regressor Y of tau = Y pi: RobotModel, frames and motion -> the forces of all joints per unit of every parameter.

Entry j of the column of a parameter of body i is the power, at a unit rate of joint j, of the wrench that a unit of the
parameter takes in the motion of body i. So the screws of the joints are carried outward to the bodies that they move, and no
wrench is carried inward: 10 columns a body would be 10 wrenches, where there is one screw a joint.

A parameter that is not observable at a body's joint can be taken for parameters of its parent (M. Gautier, W. Khalil, "Direct
Calculation of Minimum Set of Inertial Parameters of Serial Robots", IEEE Trans. Robotics and Automation 6(3), 1990). For all
joints before it the two have the same column; of the two computations the cheaper one is recorded.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.coordinates import entry_numbers, joint_screws, sum_forces
from dynagen.dynamics.algorithms.floating_base import vector
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames
from dynagen.dynamics.algorithms.newton_euler import BodyMotion, JointMotion, record_body_motions
from dynagen.dynamics.algorithms.newton_euler_steps import acceleration_difference, rate_products
from dynagen.dynamics.algorithms.unit_parameters import (
    COSTS,
    SECOND_MOMENTS,
    Columns,
    Screw,
    combine,
    count_operations,
    record_unit_parameters,
)
from dynagen.dynamics.arguments import elements
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.numbers.exact import ONE
from dynagen.robot.model.model import BASE, Body, RobotModel
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


def record_columns(
    recorder: Recorder, model: RobotModel, frames: Frames
) -> tuple[dict[int, Columns], ...]:
    """Record the columns of all bodies, for parameters in the body axes and about the body's origin.

    Returns:
        For every body the numbers (`entry_numbers`) of the joints that carry it, the one that moves it last, with their
        columns. Those of other joints are zero.
    """
    motion = JointMotion(elements(recorder, model, "qd"), elements(recorder, model, "qdd"))
    motions = record_body_motions(recorder, model, frames, motion, gravity=True)
    screws: list[dict[int, Screw]] = []
    columns: list[dict[int, Columns]] = []
    numbers = entry_numbers(model)
    for index, body in enumerate(model.bodies):
        recorder.section(f"Columns of body {index + 1} ({body.name})")
        frame = frames[index]
        body_motion = _resolve_in_body_axes(recorder, frame, motions[index])
        before = columns[body.parent] if body.parent != BASE else {}
        of_parent = _columns_of_parent(body)
        carrying = {
            joint: _carry_screw(recorder, index, joint, frame, screws[body.parent][joint])
            for joint in before
        }
        own = dict(zip(numbers[index], _record_screws(recorder, body), strict=True))
        carrying |= own
        made: dict[int, Columns] = {}
        for joint, screw in carrying.items():
            moves_it = joint in own
            known = (
                {}
                if moves_it
                else {
                    name: combine(recorder, same, before[joint]) for name, same in of_parent.items()
                }
            )
            has_motor = moves_it and not body.is_free
            motor = motion.accelerations[body.joint.idx_v] if has_motor else recorder.constant(0)
            body_screw = Screw(
                frame.to_body_axes(recorder, screw.angular),
                frame.to_body_axes(recorder, screw.linear),
            )
            made[joint] = record_unit_parameters(
                recorder, (index + 1, joint), body_screw, body_motion, motor, known
            )
        screws.append(carrying)
        columns.append(made)
    return tuple(columns)


def record_rows(
    recorder: Recorder,
    model: RobotModel,
    columns: tuple[dict[int, Columns], ...],
    parameters: list[tuple[int, Combination]],
) -> list[Quantity]:
    """Record the entries of a regressor, row by row: one row for every entry of v.

    Args:
        recorder: receives the program.
        model: the robot.
        columns: of all bodies.
        parameters: what the regressor's columns stand for: a body (BASE for none), and what a unit is in its parameters.
    """
    none = recorder.constant(0)
    columns_of_joints = [
        [
            tuple(
                combine(recorder, unit, columns[body][joint])
                if body != BASE and joint in columns[body]
                else none
                for joint in its_numbers
            )
            for its_numbers in entry_numbers(model)
        ]
        for body, unit in parameters
    ]
    made = [sum_forces(recorder, model, column) for column in columns_of_joints]
    return [column[row] for row in range(model.nv) for column in made]


def _columns_of_parent(body: Body) -> dict[str, Combination]:
    """Parameters of a body that are not observable at its joint -> what each is in the parameters of its parent.

    Only those whose columns do not cost more as combinations of the parent's columns than from scratch.
    """
    pose = body.placement.pose
    in_parent = {
        name: seen_from(pose, SECOND_MOMENTS.get(name, {name: ONE})) for name in _unobservable(body)
    }
    return {name: same for name, same in in_parent.items() if count_operations(same) <= COSTS[name]}


def _unobservable(body: Body) -> tuple[str, ...]:
    """Parameters whose pseudo-inertia P has G P = 0, with G the generator of the joint's motion (see `regrouping`)."""
    inertia = ("Szz",) if body.angular else ("Jxx", "Syy", "Szz", "Jxy", "Jxz", "Jyz")
    return inertia if body.linear else ("m", "mz", *inertia)


def _record_screws(recorder: Recorder, body: Body) -> list[Screw]:
    """Record the screws of a body's joint in its axes."""

    def along(axis: int, rate: Quantity) -> Quantity:
        none = recorder.constant(0)
        return vector([rate if axis == each else none for each in range(3)])

    return [
        Screw(along(each.along, each.angular), along(each.along, each.linear))
        for each in joint_screws(recorder, body)
    ]


def _carry_screw(
    recorder: Recorder, index: int, joint: int, frame: BodyFrame, screw: Screw
) -> Screw:
    """Record a screw in the body's axes, about its origin, from the parent's: in two steps, as the displacement."""
    at_foot = recorder.apply(velocity_at, screw.linear, screw.angular, frame.translation)
    angular = recorder.name(E(index + 1, joint), frame.outward(recorder, screw.angular))
    linear = frame.outward(recorder, at_foot)
    return Screw(
        angular,
        recorder.record(
            VE(index + 1, joint), velocity_on_axis, linear, angular, frame.displacement
        ),
    )


def _resolve_in_body_axes(recorder: Recorder, frame: BodyFrame, motion: BodyMotion) -> BodyMotion:
    """Record a motion in the body axes, in which the body's parameters are constant."""
    if frame.body_axes is None:
        return motion
    w = frame.to_body_axes(recorder, motion.angular_velocity)
    wd = frame.to_body_axes(recorder, motion.angular_acceleration)
    k = recorder.apply(rate_products, w)
    return replace(
        motion,
        angular_velocity=w,
        angular_acceleration=wd,
        products=k,
        difference=recorder.apply(acceleration_difference, w, wd, k),
        acceleration=frame.to_body_axes(recorder, motion.acceleration),
    )
