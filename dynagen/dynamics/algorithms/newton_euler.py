"""The reformulated Newton-Euler recursion with the acceleration difference matrix lambda.

C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng. thesis, Memorial University
of Newfoundland, 1990, Table 2.4, with four changes that save operations and one that corrects:

- a joint is two constants (angular, linear) along its z axis, so revolute and prismatic joints share every formula;
- the rates of joints with parallel axes are added before they meet a vector;
- masses enter by first moments and inertias about the frame's origin, so no acceleration of a centre of mass is needed;
- the displacement to the next origin is taken in two steps: the constant part before the rotation of the joint, and the part
  along the new z axis after it, for which column 3 of lambda is enough;
- lambda follows from the rates of its body for every joint: for a prismatic one the thesis's eq. 2.29 has R where R^T belongs.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.dynamics.algorithms.algebra import difference_of, sum_of
from dynagen.dynamics.algorithms.composite import carry_inward
from dynagen.dynamics.algorithms.contact import Contacts
from dynagen.dynamics.algorithms.coordinates import sum_forces
from dynagen.dynamics.algorithms.floating_base import (
    ANGULAR,
    LINEAR,
    UP,
    record_up,
    relative_to_fall,
    vector,
)
from dynagen.dynamics.algorithms.floating_base import origin_acceleration as base_acceleration
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames, joint_constants
from dynagen.dynamics.algorithms.newton_euler_steps import (
    acceleration_at,
    acceleration_difference,
    angular_acceleration,
    angular_velocity,
    body_force,
    body_moment,
    body_moment_by_difference,
    joint_force,
    joint_rate,
    origin_acceleration,
    rate_products,
)
from dynagen.dynamics.arguments import zeros
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, Body, RobotModel

W = Symbol("w", "i", VECTOR, "angular velocity of body i", "rad/s")
WD = Symbol("wd", "i", VECTOR, "angular acceleration of body i", "rad/s^2")
K = Symbol(
    "k",
    "i",
    VECTOR,
    "products of rates of body i: w_y w_z, w_x w_z, w_x w_y",
    "1/s^2",
    "Dhanaraj 1990, eq. 2.28",
)
LAMBDA = Symbol(
    "l",
    "i",
    MATRIX,
    "acceleration difference matrix of body i: l r = wd x r + w x (w x r)",
    "1/s^2",
    "Dhanaraj 1990, eq. 2.27",
)
A = Symbol("a", "i", VECTOR, "acceleration of the origin of body i, less gravity", "m/s^2")
BF = Symbol("bf", "i", VECTOR, "force that the motion of body i takes", "N")
BM = Symbol("bm", "i", VECTOR, "moment that the motion of body i takes", "N m")
F = Symbol("f", "i", VECTOR, "force that joint i carries", "N")
N = Symbol("n", "i", VECTOR, "moment that joint i carries", "N m")
TAU = Symbol("tau", "i", SCALAR, "generalised force of joint i", "N m or N")


@dataclass(frozen=True)
class JointMotion:
    """Velocities and accelerations, in the order of v: inputs, or zeros where the function asks for none."""

    velocities: tuple[Quantity, ...]
    accelerations: tuple[Quantity, ...]


def motion_in_fall(
    recorder: Recorder, model: RobotModel, velocities: tuple[Quantity, ...]
) -> JointMotion:
    """The motion without accelerations that forward dynamics starts from; on a floating base as in free fall."""
    if model.floats:
        velocities = relative_to_fall(recorder, velocities)
    return JointMotion(velocities, zeros(recorder, model))


@dataclass(frozen=True)
class BodyMotion:
    """Motion of one body, in its axes.

    Attributes:
        carried_velocity, carried_acceleration: the part of the angular motion that is not about z by this joint, and by the
            joints before it whose axes are parallel (rad/s, rad/s^2).
        rate, rate_change: the part that is: scalars.
        angular_velocity, angular_acceleration: w and wd.
        products: k, the products of the components of w.
        difference: lambda, with which a point at r is accelerated by a + lambda r.
        acceleration: a, of the origin, less gravity (m/s^2).
    """

    carried_velocity: Quantity
    carried_acceleration: Quantity
    rate: Quantity
    rate_change: Quantity
    angular_velocity: Quantity
    angular_acceleration: Quantity
    products: Quantity
    difference: Quantity
    acceleration: Quantity


@dataclass(frozen=True)
class JointLoad:
    """Load of a joint: its generalised forces, and the force and the moment about the body's origin, in the body's axes."""

    generalised: tuple[Quantity, ...]
    force: Quantity
    moment: Quantity


def record_newton_euler(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    motion: JointMotion,
    gravity: bool,
    contacts: Contacts,
) -> tuple[Quantity, ...]:
    """Record the recursion on a tree of bodies.

    Returns:
        Generalised forces (N m or N), one scalar for every entry of v.
    """
    loads = record_joint_loads(recorder, model, frames, motion, gravity, contacts)
    return sum_forces(recorder, model, [load.generalised for load in loads])


def record_joint_loads(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    motion: JointMotion,
    gravity: bool,
    contacts: Contacts,
) -> tuple[JointLoad, ...]:
    """Record the recursion on a tree of bodies, outward for motions and inward for forces.

    Returns:
        The load of every joint.
    """
    motions = record_body_motions(recorder, model, frames, motion, gravity)
    loads: dict[int, JointLoad] = {}
    carried: list[list[tuple[Quantity, Quantity]]] = [[] for _ in model.bodies]
    for index, body in model.inward():
        recorder.section(f"Inward, body {index + 1} ({body.name})")
        force, moment = record_body_wrench(
            recorder, index, body, frames[index], motions[index], contacts
        )
        for child_force, child_moment in carried[index]:
            force, moment = (
                recorder.apply(sum_of, force, child_force),
                recorder.apply(sum_of, moment, child_moment),
            )
        # What a joint carries is what its body takes and what the joints of the children carry (step 8 of Table 2.4).
        force, moment = recorder.name(F(index + 1), force), recorder.name(N(index + 1), moment)
        generalised = _generalised_forces(recorder, index, body, force, moment, motion)
        loads[index] = JointLoad(generalised, force, moment)
        if body.parent != BASE:
            carried[body.parent].append(carry_inward(recorder, frames[index], force, moment))
    return tuple(loads[index] for index in range(len(model.bodies)))


def _generalised_forces(
    recorder: Recorder,
    index: int,
    body: Body,
    force: Quantity,
    moment: Quantity,
    motion: JointMotion,
) -> tuple[Quantity, ...]:
    """Record the generalised forces of a joint: its load along the axis, and what the motor's inertia takes."""
    if body.is_free:
        return (*force, *moment)
    angular, linear = joint_constants(recorder, body)
    motor, acceleration = (
        recorder.constant(body.motor_inertia),
        motion.accelerations[body.joint.idx_v],
    )
    return (
        recorder.record(
            TAU(index + 1), joint_force, angular, moment, linear, force, motor, acceleration
        ),
    )


def record_body_motions(
    recorder: Recorder, model: RobotModel, frames: Frames, motion: JointMotion, gravity: bool
) -> tuple[BodyMotion, ...]:
    """Record the outward half of the recursion: the motions of all bodies."""
    motions: list[BodyMotion] = []
    rest = _base_motion(recorder, model, gravity)
    for index, body in enumerate(model.bodies):
        recorder.section(f"Outward, body {index + 1} ({body.name})")
        if body.is_free:
            motions.append(_free_motion(recorder, model, index, motion, gravity))
            continue
        parent = rest if body.parent == BASE else motions[body.parent]
        velocity, acceleration = (
            motion.velocities[body.joint.idx_v],
            motion.accelerations[body.joint.idx_v],
        )
        motions.append(
            _outward(recorder, index, body, frames[index], parent, velocity, acceleration)
        )
    return tuple(motions)


def _base_motion(recorder: Recorder, model: RobotModel, gravity: bool) -> BodyMotion:
    """The motion of the base: at rest, but accelerated against gravity, which loads every body as its weight does."""
    zero, none = recorder.constant(0, 0, 0), recorder.constant(0)
    acceleration = (
        recorder.constant(*(-component for component in model.gravity)) if gravity else zero
    )
    difference = recorder.constant(*[0] * 9, shape=(3, 3))
    return BodyMotion(zero, zero, none, none, zero, zero, zero, difference, acceleration)


def _free_motion(
    recorder: Recorder, model: RobotModel, index: int, motion: JointMotion, gravity: bool
) -> BodyMotion:
    """The motion of a floating base, which is given; that none of it is called a rotation about z costs nothing."""
    number, none = index + 1, recorder.constant(0)
    v, w = vector(motion.velocities[LINEAR]), vector(motion.velocities[ANGULAR])
    vd, wd = vector(motion.accelerations[LINEAR]), vector(motion.accelerations[ANGULAR])
    up = (
        recorder.name(UP(number), record_up(recorder, model))
        if gravity
        else recorder.constant(0, 0, 0)
    )
    products = recorder.record(K(number), rate_products, w)
    difference = recorder.record(LAMBDA(number), acceleration_difference, w, wd, products)
    a = recorder.record(A(number), base_acceleration, up, w, v, vd)
    return BodyMotion(w, wd, none, none, w, wd, products, difference, a)


def _outward(
    recorder: Recorder,
    index: int,
    body: Body,
    frame: BodyFrame,
    parent: BodyMotion,
    velocity: Quantity,
    acceleration: Quantity,
) -> BodyMotion:
    number = index + 1
    angular, linear = joint_constants(recorder, body)
    if body.placement.is_parallel:
        # w = R^T w_parent + qd z. If z is the parent's axis too, R leaves its rate as it is: the rates of parallel joints are
        # added as scalars, and only what comes from the joints before them is rotated.
        carried, carried_change = parent.carried_velocity, parent.carried_acceleration
        before, before_change = parent.rate, parent.rate_change
    else:
        carried, carried_change = parent.angular_velocity, parent.angular_acceleration
        before, before_change = recorder.constant(0), recorder.constant(0)
    carried, carried_change = (
        frame.outward(recorder, carried),
        frame.outward(recorder, carried_change),
    )
    rate = recorder.apply(joint_rate, before, angular, velocity)
    rate_change = recorder.apply(joint_rate, before_change, angular, acceleration)
    w = recorder.record(W(number), angular_velocity, carried, rate)
    wd = recorder.record(WD(number), angular_acceleration, carried_change, w, rate, rate_change)
    products = recorder.record(K(number), rate_products, w)
    difference = recorder.record(LAMBDA(number), acceleration_difference, w, wd, products)
    # The constant part of the displacement is fixed in the parent, whose lambda moves its end; the rest is fixed in the body,
    # but for the translation of the joint (step 3).
    at_foot = recorder.apply(
        acceleration_at, parent.acceleration, parent.difference, frame.translation
    )
    a = recorder.record(
        A(number),
        origin_acceleration,
        frame.outward(recorder, at_foot),
        difference,
        frame.displacement,
        w,
        linear,
        velocity,
        acceleration,
    )
    return BodyMotion(carried, carried_change, rate, rate_change, w, wd, products, difference, a)


def record_body_wrench(
    recorder: Recorder,
    index: int,
    body: Body,
    frame: BodyFrame,
    motion: BodyMotion,
    contacts: Contacts,
) -> tuple[Quantity, Quantity]:
    """Record the force and the moment about its origin that the motion of a body takes, less those of a contact."""
    mass = recorder.constant(body.inertial.mass)
    force = recorder.record(
        BF(index + 1), body_force, mass, motion.acceleration, motion.difference, frame.first_moment
    )
    about_origin = motion.difference, frame.first_moment, motion.acceleration
    if frame.second_moments is None:
        rates = motion.angular_velocity, motion.angular_acceleration, motion.products
        moment = recorder.record(BM(index + 1), body_moment, frame.inertia, *rates, *about_origin)
    else:
        moment = recorder.record(
            BM(index + 1), body_moment_by_difference, frame.second_moments, *about_origin
        )
    contact = contacts.get(index)
    if contact is None:
        return force, moment
    return recorder.apply(difference_of, force, contact.force), recorder.apply(
        difference_of, moment, contact.moment
    )
