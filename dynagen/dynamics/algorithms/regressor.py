"""The regressor by rows: the screws of all joints are carried out to the bodies, and no wrench is carried back.

Where a joint does not feel a parameter of its body, the body before it has the same column already, for some parameters of its
own: what costs less is recorded.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import along_axis
from dynagen.dynamics.algorithms.coordinates import sum_forces
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames, joint_constants
from dynagen.dynamics.algorithms.newton_euler import NEWTON_EULER_LEGEND, BodyMotion, JointMotion, record_body_motions
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
from dynagen.model.model import BASE, Body, RobotModel
from dynagen.model.regrouping import Combination, seen_from
from dynagen.numbers.exact import ONE

REGRESSOR_LEGEND = (
    *NEWTON_EULER_LEGEND,
    ("e, v", "e3_1: axis of joint 1 in the axes of body 3; v3_1: velocity of the body's origin per unit of the joint's rate"),
    ("y", "y3_1_jxx: force of joint 1 per unit of Jxx of body 3; sxx: per unit of Jyy and Jzz together, and so on"),
)


@formula
def velocity_at(velocity: Matrix, axis: Matrix, point: Matrix) -> Matrix:
    """Velocity of another point of a body that a joint moves."""
    return velocity + axis.cross(point)


@formula
def velocity_on_axis(velocity: Matrix, axis: Matrix, displacement: Expr) -> Matrix:
    """The same for a point on the z axis."""
    return velocity + displacement * Matrix([axis[1], -axis[0], 0])


def record_columns(recorder: Recorder, model: RobotModel, frames: Frames) -> tuple[dict[int, Columns], ...]:
    """Record the columns of all bodies, each in the body's own axes and about its own origin.

    Returns:
        For every body the joints that carry it, its own last, with their columns. All other joints feel nothing of the body.
    """
    motion = JointMotion(elements(recorder, model, "qd"), elements(recorder, model, "qdd"))
    motions = record_body_motions(recorder, model, frames, motion, gravity=True)
    screws: list[dict[int, Screw]] = []
    columns: list[dict[int, Columns]] = []
    for index, body in enumerate(model.bodies):
        recorder.section(f"Columns of body {index + 1} ({body.name})")
        frame = frames[index]
        own_motion = _in_own_axes(recorder, frame, motions[index])
        before = columns[body.parent] if body.parent != BASE else {}
        shared = _shared_with_parent(body)
        carrying = {joint: _carried(recorder, index, joint, frame, screws[body.parent][joint]) for joint in before}
        carrying[index] = _own_screw(recorder, body)
        made: dict[int, Columns] = {}
        for joint, screw in carrying.items():
            is_own = joint == index
            known = {} if is_own else {name: combine(recorder, same, before[joint]) for name, same in shared.items()}
            motor = motion.accelerations[body.joint.idx_v] if is_own else recorder.constant(0)
            own_screw = Screw(frame.to_body_axes(recorder, screw.angular), frame.to_body_axes(recorder, screw.linear))
            made[joint] = record_unit_parameters(recorder, _pair("y", index, joint), own_screw, own_motion, motor, known)
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
            combine(recorder, unit, columns[body][joint]) if body != BASE and joint in columns[body] else none
            for joint in range(len(columns))
        ]
        for body, unit in parameters
    ]
    made = [sum_forces(recorder, model, column) for column in columns_of_joints]
    return [column[row] for row in range(model.nv) for column in made]


def _shared_with_parent(body: Body) -> dict[str, Combination]:
    """Columns that a body has in common with its parent: those of parameters that the joint between never feels.

    Returns:
        By name, what the parameter is in those of the parent; only where this costs no more than to compute the column.
    """
    pose = body.placement.pose
    seen = {name: seen_from(pose, SECOND_MOMENTS.get(name, {name: ONE})) for name in _unobservable(body)}
    return {name: same for name, same in seen.items() if count_operations(same) <= COSTS[name]}


def _unobservable(body: Body) -> tuple[str, ...]:
    """Parameters whose pseudo-inertia P has G P = 0, with G the generator of the joint's motion (see `regrouping`)."""
    inertia = ("Szz",) if body.angular else ("Jxx", "Syy", "Szz", "Jxy", "Jxz", "Jyz")
    return inertia if body.linear else ("m", "mz", *inertia)


def _own_screw(recorder: Recorder, body: Body) -> Screw:
    angular, linear = joint_constants(recorder, body)
    return Screw(recorder.apply(along_axis, angular), recorder.apply(along_axis, linear))


def _carried(recorder: Recorder, index: int, joint: int, frame: BodyFrame, screw: Screw) -> Screw:
    """A screw from the parent's axes and origin to the body's, in two steps."""
    at_foot = recorder.apply(velocity_at, screw.linear, screw.angular, frame.translation)
    angular = recorder.name(_pair("e", index, joint), frame.outward(recorder, screw.angular))
    linear = frame.outward(recorder, at_foot)
    return Screw(angular, recorder.record(_pair("v", index, joint), velocity_on_axis, linear, angular, frame.displacement))


def _pair(stem: str, index: int, joint: int) -> str:
    return f"{stem}{index + 1}_{joint + 1}"


def _in_own_axes(recorder: Recorder, frame: BodyFrame, motion: BodyMotion) -> BodyMotion:
    """A motion in the axes that turn with the joint, in which the body's parameters are constant."""
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
