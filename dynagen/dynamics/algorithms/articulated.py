"""Articulated bodies: forward dynamics by one sweep inward and one outward. RobotModel, frames, forces -> joint accelerations.

S. K. Saha, "Simulation of Industrial Manipulators Based on the UDU^T Decomposition of Inertia Matrix", Multibody System
Dynamics 9, 2003, section 2; R. Featherstone, Int. J. Robotics Research 2(1), 1983. Two things save operations:

- the sweep starts from the motion without joint accelerations, so that gravity and rates enter by the Newton-Euler recursion
  alone, and the outward half carries only what the joint accelerations add to it;
- along its own axis a joint hands on what its motor's inertia takes, and nothing else. These entries of the inertia and of
  the wrench are mu U and tau - mu u, with mu = Ia / pivot: without a motor they are 0 and tau.

Wrenches and motions of six components are moment and force, angular and linear acceleration, in this order.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import along_axis, difference_of, product, sum_of
from dynagen.dynamics.algorithms.articulated_inertia import (
    ArticulatedInertia,
    add_inertias,
    carry_inertia_inward,
    hand_on,
    name_inertia,
    record_rigid_inertia,
    unit_wrench,
    with_axis,
)
from dynagen.dynamics.algorithms.composite import carry_inward, project_on_joint
from dynagen.dynamics.algorithms.contact import Contact
from dynagen.dynamics.algorithms.factorisation import record_reciprocal
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames, joint_constants
from dynagen.dynamics.algorithms.newton_euler import F, JointMotion, N, record_body_motions, record_body_wrench
from dynagen.dynamics.arguments import zeros
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import SCALAR, VECTOR, Name, Symbol
from dynagen.model.model import BASE, Body, RobotModel

# U, u and D as in R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3.
UN = Symbol(
    "un", "i", VECTOR, "moment of articulated body i at a unit acceleration of joint i (U)", "Featherstone 2008, sec. 7.3"
)
UF = Symbol(
    "uf", "i", VECTOR, "force of articulated body i at a unit acceleration of joint i (U)", "Featherstone 2008, sec. 7.3"
)
MU = Symbol("mu", "i", SCALAR, "reflected inertia of motor i over pivot i")
UDN = Symbol(
    "udn", "i", VECTOR, "moment U of body i over pivot i; along the axis of a joint that turns -mu, the motor's share"
)
UDF = Symbol(
    "udf", "i", VECTOR, "force U of body i over pivot i; along the axis of a joint that slides -mu, the motor's share"
)
U = Symbol("u", "i", SCALAR, "force of joint i less what it would take to keep all joints from accelerating")
DWD = Symbol("dwd", "i", VECTOR, "what the joint accelerations add to the angular acceleration of body i, rad/s^2")
DA = Symbol("da", "i", VECTOR, "what the joint accelerations add to the acceleration of the origin of body i, m/s^2")
DZ = Symbol("dz", "i", SCALAR, "what the joint accelerations add along joint axis i: an angular acceleration if joint i turns")


@formula
def pivot(angular: Expr, linear: Expr, unit: Matrix, motor_inertia: Expr) -> Expr:
    """Saha's eq. 26 with the motor's inertia: what the joint feels of its own unit acceleration."""
    return angular * unit[2] + linear * unit[5] + motor_inertia


@formula
def relative_wrench(angular: Expr, linear: Expr, unit: Matrix, reciprocal: Expr, mu: Expr) -> Matrix:
    """E = U / pivot less the joint's own unit, which leaves -mu along the joint."""
    return with_axis(angular, linear, reciprocal * unit, -mu)


@formula
def handed_wrench(
    angular: Expr, linear: Expr, moment: Matrix, force: Matrix, relative: Matrix, mu: Expr, tau: Expr, u: Expr
) -> Matrix:
    """What the joint hands on while the parent does not accelerate: p + E u, and tau - mu u along the joint."""
    return with_axis(angular, linear, Matrix([*moment, *force]) + relative * u, tau - mu * u)


@formula
def linear_there(angular: Matrix, linear: Matrix, way: Matrix) -> Matrix:
    """Acceleration of a point at the end of a way: a + wd x r."""
    return linear + angular.cross(way)


@formula
def own_addition(alone: Expr, relative: Matrix, turning: Matrix, moving: Matrix) -> Expr:
    """What the joint accelerations add along the joint, its own included: alone - E . (xd, xa)."""
    return alone - relative.dot(Matrix([*turning, *moving]))


@formula
def joint_acceleration(own: Expr, angular: Expr, turning: Matrix, moving: Matrix) -> Expr:
    """The joint's share of it: what its parent brings along is taken off."""
    return own - (angular * turning[2] + (1 - angular) * moving[2])


@formula
def angular_addition(turning: Matrix, angular: Expr, own: Expr) -> Matrix:
    """What is added to the angular acceleration of the body."""
    return Matrix([turning[0], turning[1], angular * own + (1 - angular) * turning[2]])


@formula
def linear_addition(moving: Matrix, angular: Expr, linear: Expr, own: Expr, acceleration: Expr) -> Matrix:
    """What is added to the acceleration of its origin."""
    return Matrix([moving[0], moving[1], angular * (moving[2] + linear * acceleration) + (1 - angular) * own])


@dataclass(frozen=True)
class _Load:
    """What acts on a body, or what its joint hands on.

    Attributes:
        force, moment: while no joint accelerates; the moment about the origin.
        inertia: what accelerations that the parent adds take besides.
    """

    force: Quantity
    moment: Quantity
    inertia: ArticulatedInertia


@dataclass(frozen=True)
class _Joint:
    """A joint's acceleration, as far as the inward half knows it: alone - E . (what its parent adds).

    Attributes:
        alone: u / pivot, the acceleration if the parent adds nothing.
        relative: E, as `relative_wrench` makes it.
    """

    alone: Quantity
    relative: Quantity


def record_articulated_bodies(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    velocities: tuple[Quantity, ...],
    forces: tuple[Quantity, ...],
    contact: Contact | None = None,
) -> tuple[Quantity, ...]:
    """Record forward dynamics.

    Args:
        recorder: receives the program.
        model: the robot.
        frames: the axes in which its bodies are resolved.
        velocities: rates of the joints, one scalar each.
        forces: generalised forces of the joints.
        contact: what the surroundings exert on a body.

    Returns:
        Accelerations of the joints (rad/s^2 or m/s^2), one scalar each.
    """
    motions = record_body_motions(recorder, model, frames, JointMotion(velocities, zeros(recorder, model)), gravity=True)
    joints: dict[int, _Joint] = {}
    carried: list[list[_Load]] = [[] for _ in model.bodies]
    for index, body in model.inward():
        recorder.section(f"Inward, body {index + 1} ({body.name})")
        force, moment = record_body_wrench(recorder, index, body, frames[index], motions[index], contact)
        load = _Load(force, moment, record_rigid_inertia(recorder, body, frames[index]))
        for child in carried[index]:
            load = _add_loads(recorder, load, child)
        joints[index], handed = _released(recorder, index, body, load, forces[index])
        if body.parent != BASE:
            carried[body.parent].append(_inward(recorder, frames[index], handed))
    return _outward(recorder, model, frames, joints)


def _released(recorder: Recorder, index: int, body: Body, load: _Load, tau: Quantity) -> tuple[_Joint, _Load]:
    """Let a joint move under its force: what it will do, and what it hands on."""
    number = index + 1
    angular, linear = joint_constants(recorder, body)
    force, moment = recorder.name(F(number), load.force), recorder.name(N(number), load.moment)
    inertia = name_inertia(recorder, number, load.inertia)
    motor_inertia = recorder.constant(body.motor_inertia)
    unit = recorder.apply(unit_wrench, angular, linear, *inertia.blocks)
    unit = _name_halves(recorder, UN(number), UF(number), unit)
    inverse = record_reciprocal(recorder, number, recorder.apply(pivot, angular, linear, unit, motor_inertia))
    share = recorder.record(MU(number), product, motor_inertia, inverse)
    relative = recorder.apply(relative_wrench, angular, linear, unit, inverse, share)
    relative = _name_halves(recorder, UDN(number), UDF(number), relative)
    u = recorder.record(U(number), difference_of, tau, project_on_joint(recorder, body, force, moment))
    wrench = recorder.apply(handed_wrench, angular, linear, moment, force, relative, share, tau, u)
    moment, force = _halves(wrench)
    handed = _Load(force, moment, hand_on(recorder, body, inertia, relative, unit, share))
    return _Joint(recorder.apply(product, inverse, u), relative), handed


def _inward(recorder: Recorder, frame: BodyFrame, load: _Load) -> _Load:
    """A load in the parent's axes, about the parent's origin."""
    force, moment = carry_inward(recorder, frame, load.force, load.moment)
    return _Load(force, moment, carry_inertia_inward(recorder, frame, load.inertia))


def _add_loads(recorder: Recorder, left: _Load, right: _Load) -> _Load:
    force, moment = recorder.apply(sum_of, left.force, right.force), recorder.apply(sum_of, left.moment, right.moment)
    return _Load(force, moment, add_inertias(recorder, left.inertia, right.inertia))


def _outward(recorder: Recorder, model: RobotModel, frames: Frames, joints: dict[int, _Joint]) -> tuple[Quantity, ...]:
    """From the base to the tips: what the joint accelerations add to every body, and with it the next joint's acceleration."""
    zero = recorder.constant(0, 0, 0)
    added: list[tuple[Quantity, Quantity]] = []
    accelerations = []
    for index, body in enumerate(model.bodies):
        recorder.section(f"Joint accelerations outward, body {index + 1} ({body.name})")
        number, frame, joint = index + 1, frames[index], joints[index]
        angular, linear = joint_constants(recorder, body)
        turning, moving = (zero, zero) if body.parent == BASE else added[body.parent]
        moving = frame.outward(recorder, recorder.apply(linear_there, turning, moving, frame.translation))
        turning = frame.outward(recorder, turning)
        moving = recorder.apply(linear_there, turning, moving, recorder.apply(along_axis, frame.displacement))
        own = recorder.record(DZ(number), own_addition, joint.alone, joint.relative, turning, moving)
        acceleration = recorder.apply(joint_acceleration, own, angular, turning, moving)
        accelerations.append(acceleration)
        added.append(
            (
                recorder.record(DWD(number), angular_addition, turning, angular, own),
                recorder.record(DA(number), linear_addition, moving, angular, linear, own, acceleration),
            )
        )
    return tuple(accelerations)


def _halves(spatial: Quantity) -> tuple[Quantity, Quantity]:
    """Moment and force, or the angular and the linear part of a motion."""
    return Quantity((3,), spatial.values[:3]), Quantity((3,), spatial.values[3:])


def _name_halves(recorder: Recorder, moment: Name, force: Name, wrench: Quantity) -> Quantity:
    """Name the moment and the force of a wrench."""
    halves = (recorder.name(*pair) for pair in zip((moment, force), _halves(wrench), strict=True))
    return Quantity((6,), tuple(value for half in halves for value in half.values))
