"""The articulated-body algorithm: RobotModel, frames and joint forces -> joint accelerations, in O(n) operations.

S. K. Saha, "Simulation of Industrial Manipulators Based on the UDU^T Decomposition of Inertia Matrix", Multibody System
Dynamics 9, 2003, section 2; R. Featherstone, Int. J. Robotics Research 2(1), 1983. Two things save operations:

- the sweep starts from the motion without joint accelerations, so that gravity and rates enter by the Newton-Euler recursion
  alone, and the outward half carries only what the joint accelerations add to it;
- along its axis a joint hands on what its motor's inertia Ia takes, and nothing else: there I - U U^T / D and p + U u / D are
  mu U and tau - mu u with mu = Ia / D, since z.U = D - Ia. Without a motor they are 0 and tau, and need no operation.

Wrenches and motions of six components are moment and force, angular and linear acceleration, in this order.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import along_axis, difference_of, product, sum_of
from dynagen.dynamics.algorithms.articulated_inertia import (
    ArticulatedInertia,
    add_inertias,
    base_inertia,
    carry_inertia_inward,
    hand_on,
    name_inertia,
    record_rigid_inertia,
    unit_wrench,
    with_axis,
)
from dynagen.dynamics.algorithms.composite import carry_inward
from dynagen.dynamics.algorithms.contact import Contacts
from dynagen.dynamics.algorithms.coordinates import entry_numbers, project_on_joint
from dynagen.dynamics.algorithms.factorisation import record_reciprocal, solve
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR, vector
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames, joint_constants
from dynagen.dynamics.algorithms.newton_euler import (
    F,
    N,
    motion_in_fall,
    record_body_motions,
    record_body_wrench,
)
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import SCALAR, VECTOR, Name, Symbol
from dynagen.robot.model.model import BASE, Body, RobotModel

# U, u and D as in R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3.
UN = Symbol(
    "un",
    "i",
    VECTOR,
    "moment of articulated body i at a unit acceleration of joint i (U)",
    source="Featherstone 2008, sec. 7.3",
)
UF = Symbol(
    "uf",
    "i",
    VECTOR,
    "force of articulated body i at a unit acceleration of joint i (U)",
    source="Featherstone 2008, sec. 7.3",
)
MU = Symbol("mu", "i", SCALAR, "reflected inertia of motor i over pivot i")
UDN = Symbol(
    "udn",
    "i",
    VECTOR,
    "moment U of body i over pivot i; along the axis of a joint that rotates -mu, the motor's share",
)
UDF = Symbol(
    "udf",
    "i",
    VECTOR,
    "force U of body i over pivot i; along the axis of a joint that slides -mu, the motor's share",
)
U = Symbol(
    "u",
    "i",
    SCALAR,
    "force of joint i less what it would take to keep all joints from accelerating",
)
DWD = Symbol(
    "dwd",
    "i",
    VECTOR,
    "what the joint accelerations add to the angular acceleration of body i",
    "rad/s^2",
)
DA = Symbol(
    "da",
    "i",
    VECTOR,
    "what the joint accelerations add to the acceleration of the origin of body i",
    "m/s^2",
)
DZ = Symbol(
    "dz",
    "i",
    SCALAR,
    "acceleration that the joint accelerations add along joint axis i, or about it if joint i rotates",
)


@formula
def pivot(angular: Expr, linear: Expr, unit: Matrix, motor_inertia: Expr) -> Expr:
    """Saha's eq. 26 with the motor's inertia, D = z.U + Ia: the inertia along the joint while those beyond it are free."""
    return angular * unit[2] + linear * unit[5] + motor_inertia


@formula
def relative_wrench(
    angular: Expr, linear: Expr, unit: Matrix, reciprocal: Expr, mu: Expr
) -> Matrix:
    """E = U / D - z, whose component along the joint is z.U / D - 1 = -mu."""
    return with_axis(angular, linear, reciprocal * unit, -mu)


@formula
def handed_wrench(
    angular: Expr,
    linear: Expr,
    moment: Matrix,
    force: Matrix,
    relative: Matrix,
    mu: Expr,
    tau: Expr,
    u: Expr,
) -> Matrix:
    """The wrench that the joint hands on while its parent does not accelerate: p + E u, and tau - mu u along the joint."""
    return with_axis(angular, linear, Matrix([*moment, *force]) + relative * u, tau - mu * u)


@formula
def linear_at(angular: Matrix, linear: Matrix, translation: Matrix) -> Matrix:
    """Acceleration of the point at r: a + wd x r."""
    return linear + angular.cross(translation)


@formula
def addition_along_joint(
    alone: Expr, relative: Matrix, angular_part: Matrix, linear_part: Matrix
) -> Expr:
    """Acceleration that is added along the joint: qdd + z.x = u / D - E.x, with x = (dwd, da) handed on by the parent."""
    return alone - relative.dot(Matrix([*angular_part, *linear_part]))


@formula
def joint_acceleration(
    along: Expr, angular: Expr, angular_part: Matrix, linear_part: Matrix
) -> Expr:
    """Acceleration of the joint, qdd: that along the joint less z.x."""
    return along - (angular * angular_part[2] + (1 - angular) * linear_part[2])


@formula
def angular_addition(angular_part: Matrix, angular: Expr, along: Expr) -> Matrix:
    """Angular acceleration that is added to the body: component z is that along the joint, if it rotates."""
    return Matrix(
        [angular_part[0], angular_part[1], angular * along + (1 - angular) * angular_part[2]]
    )


@formula
def linear_addition(
    linear_part: Matrix, angular: Expr, linear: Expr, along: Expr, acceleration: Expr
) -> Matrix:
    """Acceleration that is added to its origin: component z is that along the joint, if it only slides."""
    along_z = angular * (linear_part[2] + linear * acceleration) + (1 - angular) * along
    return Matrix([linear_part[0], linear_part[1], along_z])


@dataclass(frozen=True)
class _Load:
    """Load of a body, or of what its joint hands on to the parent.

    Attributes:
        force, moment: while no joint accelerates; the moment about the origin.
        inertia: articulated, for the accelerations that are added to it.
    """

    force: Quantity
    moment: Quantity
    inertia: ArticulatedInertia


@dataclass(frozen=True)
class _Joint:
    """Acceleration of a joint as the inward half leaves it: a linear function of what the outward half finds for its parent.

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
    contacts: Contacts,
) -> tuple[Quantity, ...]:
    """Record forward dynamics; of a robot with a floating base as in free fall, without gravity (`floating_base`).

    Args:
        recorder: receives the program.
        model: the robot.
        frames: the axes in which its bodies are resolved.
        velocities: rates of the joints, one scalar each.
        forces: generalised forces of the joints.
        contacts: what the surroundings exert on bodies.

    Returns:
        Accelerations of the joints (rad/s^2 or m/s^2), one scalar each.
    """
    motion = motion_in_fall(recorder, model, velocities)
    motions = record_body_motions(recorder, model, frames, motion, gravity=not model.floats)
    joints: dict[int, _Joint] = {}
    base: tuple[Quantity, ...] = ()
    numbers = entry_numbers(model)
    carried: list[list[_Load]] = [[] for _ in model.bodies]
    for index, body in model.inward():
        recorder.section(f"Inward, body {index + 1} ({body.name})")
        force, moment = record_body_wrench(
            recorder, index, body, frames[index], motions[index], contacts
        )
        load = _Load(force, moment, record_rigid_inertia(recorder, body, frames[index]))
        for child in carried[index]:
            load = _add_loads(recorder, load, child)
        if body.is_free:
            base = _base_acceleration(recorder, index, body, load, forces)
            continue
        (number,) = numbers[index]
        joints[index], handed = _released(
            recorder, index, number, body, load, forces[body.joint.idx_v]
        )
        if body.parent != BASE:
            carried[body.parent].append(_inward(recorder, frames[index], handed))
    return _outward(recorder, model, frames, joints, base)


def _base_acceleration(
    recorder: Recorder, index: int, body: Body, load: _Load, forces: tuple[Quantity, ...]
) -> tuple[Quantity, ...]:
    """Record how a floating base accelerates in its axes, linear and angular: its articulated inertia, factorised."""
    number = index + 1
    force, moment = recorder.name(F(number), load.force), recorder.name(N(number), load.moment)
    loads = zip(body.entries, project_on_joint(recorder, body, force, moment), strict=True)
    net = [recorder.apply(difference_of, forces[entry], load) for entry, load in loads]
    matrix = recorder.apply(base_inertia, *name_inertia(recorder, number, load.inertia).blocks)
    elements = {divmod(place, len(net)): element for place, element in enumerate(matrix)}
    return solve(recorder, [body.name] * len(net), elements, net)


def _released(
    recorder: Recorder, index: int, pivot_number: int, body: Body, load: _Load, tau: Quantity
) -> tuple[_Joint, _Load]:
    """Record how a joint accelerates under its force, and what it hands on."""
    number = index + 1
    angular, linear = joint_constants(recorder, body)
    force, moment = recorder.name(F(number), load.force), recorder.name(N(number), load.moment)
    inertia = name_inertia(recorder, number, load.inertia)
    motor_inertia = recorder.constant(body.motor_inertia)
    unit = recorder.apply(unit_wrench, angular, linear, *inertia.blocks)
    unit = _name_halves(recorder, UN(number), UF(number), unit)
    inverse = record_reciprocal(
        recorder, pivot_number, recorder.apply(pivot, angular, linear, unit, motor_inertia)
    )
    share = recorder.record(MU(number), product, motor_inertia, inverse)
    relative = recorder.apply(relative_wrench, angular, linear, unit, inverse, share)
    relative = _name_halves(recorder, UDN(number), UDF(number), relative)
    (load_along,) = project_on_joint(recorder, body, force, moment)
    u = recorder.record(U(number), difference_of, tau, load_along)
    wrench = recorder.apply(handed_wrench, angular, linear, moment, force, relative, share, tau, u)
    moment, force = _halves(wrench)
    handed = _Load(force, moment, hand_on(recorder, body, inertia, relative, unit, share))
    return _Joint(recorder.apply(product, inverse, u), relative), handed


def _inward(recorder: Recorder, frame: BodyFrame, load: _Load) -> _Load:
    """Record a load in the parent's axes, about the parent's origin."""
    force, moment = carry_inward(recorder, frame, load.force, load.moment)
    return _Load(force, moment, carry_inertia_inward(recorder, frame, load.inertia))


def _add_loads(recorder: Recorder, left: _Load, right: _Load) -> _Load:
    force, moment = (
        recorder.apply(sum_of, left.force, right.force),
        recorder.apply(sum_of, left.moment, right.moment),
    )
    return _Load(force, moment, add_inertias(recorder, left.inertia, right.inertia))


def _outward(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    joints: dict[int, _Joint],
    base: tuple[Quantity, ...],
) -> tuple[Quantity, ...]:
    """Record the joint accelerations from the base to the tips, with what they add to the acceleration of every body."""
    zero = recorder.constant(0, 0, 0)
    added: list[tuple[Quantity, Quantity]] = []
    accelerations: list[Quantity] = []
    for index, body in enumerate(model.bodies):
        if body.is_free:
            added.append((vector(base[ANGULAR]), vector(base[LINEAR])))
            accelerations += base
            continue
        recorder.section(f"Joint accelerations outward, body {index + 1} ({body.name})")
        number, frame, joint = index + 1, frames[index], joints[index]
        angular, linear = joint_constants(recorder, body)
        dwd, da = (zero, zero) if body.parent == BASE else added[body.parent]
        da = frame.outward(recorder, recorder.apply(linear_at, dwd, da, frame.translation))
        dwd = frame.outward(recorder, dwd)
        da = recorder.apply(linear_at, dwd, da, recorder.apply(along_axis, frame.displacement))
        along = recorder.record(
            DZ(number), addition_along_joint, joint.alone, joint.relative, dwd, da
        )
        acceleration = recorder.apply(joint_acceleration, along, angular, dwd, da)
        accelerations.append(acceleration)
        added.append(
            (
                recorder.record(DWD(number), angular_addition, dwd, angular, along),
                recorder.record(
                    DA(number), linear_addition, da, angular, linear, along, acceleration
                ),
            )
        )
    return tuple(accelerations)


def _halves(wrench: Quantity) -> tuple[Quantity, Quantity]:
    """The moment and the force of a wrench."""
    return Quantity((3,), wrench.values[:3]), Quantity((3,), wrench.values[3:])


def _name_halves(recorder: Recorder, moment: Name, force: Name, wrench: Quantity) -> Quantity:
    """Name the moment and the force of a wrench."""
    halves = (recorder.name(*pair) for pair in zip((moment, force), _halves(wrench), strict=True))
    return Quantity((6,), tuple(value for half in halves for value in half.values))
