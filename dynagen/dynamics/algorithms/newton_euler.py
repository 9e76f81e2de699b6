"""The reformulated Newton-Euler recursion with the acceleration difference matrix lambda.

C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng. thesis, Memorial University
of Newfoundland, 1990, Table 2.4, with four changes that save operations and one that corrects:

- a joint is two constants (angular, linear) along its z axis, so revolute and prismatic joints share every formula;
- the velocities of joints with parallel axes are added as scalars, before they meet a vector;
- masses enter by first moments and inertias about the frame's origin, so no acceleration of a centre of mass is needed;
- the displacement to the next origin is made in two steps: the constant part before the rotation of the joint, and the part
  along the new z axis after it, for which column 3 of lambda is enough;
- lambda follows from the angular motion of its body for every joint: for a prismatic joint the thesis's eq. 2.29 has R where
  R^T belongs.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.dynamics.algorithms.contact import NO_CONTACTS, Contacts
from dynagen.dynamics.algorithms.coordinates import sum_forces
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR, UP, record_up
from dynagen.dynamics.algorithms.floating_base import origin_acceleration as base_acceleration
from dynagen.dynamics.algorithms.newton_euler_steps import (
    acceleration_at,
    acceleration_difference,
    angular_acceleration,
    angular_velocity,
    body_force,
    body_moment,
    body_moment_by_difference,
    joint_force,
    joint_velocity,
    origin_acceleration,
    velocity_products,
)
from dynagen.dynamics.algorithms.recording import JointMotion, Recording, ResolvedBody, Wrench
from dynagen.dynamics.recording.formula import Quantity, vector
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE

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
class BodyMotion:
    """Motion of one body, in its axes.

    Attributes:
        carried_velocity, carried_acceleration: the part of the angular motion that is not about z by this joint, and by the
            joints before it whose axes are parallel (rad/s, rad/s^2).
        about_z, about_z_change: the part that is: scalars.
        angular_velocity, angular_acceleration: w and wd.
        products: k, the products of the components of w.
        difference: lambda, with which a point at r is accelerated by a + lambda r.
        acceleration: a, of the origin, less gravity (m/s^2).
    """

    carried_velocity: Quantity
    carried_acceleration: Quantity
    about_z: Quantity
    about_z_change: Quantity
    angular_velocity: Quantity
    angular_acceleration: Quantity
    products: Quantity
    difference: Quantity
    acceleration: Quantity


@dataclass(frozen=True)
class JointLoad:
    """Load of a joint: its generalised forces, and the wrench about the body's origin, in the body's axes."""

    generalised: tuple[Quantity, ...]
    wrench: Wrench


def record_newton_euler(
    recording: Recording, motion: JointMotion, contacts: Contacts = NO_CONTACTS
) -> tuple[Quantity, ...]:
    """Record the recursion on a tree of bodies.

    Returns:
        Generalised forces (N m or N), one scalar for every entry of v.
    """
    return sum_forces(
        recording, [load.generalised for load in record_joint_loads(recording, motion, contacts)]
    )


def record_joint_loads(
    recording: Recording, motion: JointMotion, contacts: Contacts
) -> tuple[JointLoad, ...]:
    """Record the recursion on a tree of bodies, outward for motions and inward for forces.

    Returns:
        The load of every joint.
    """
    motions = record_body_motions(recording, motion)
    loads: dict[int, JointLoad] = {}
    carried: list[list[Wrench]] = [[] for _ in recording.bodies]
    for body in reversed(recording.bodies):
        body.section("Inward, body")
        # Step 8: a joint carries the wrench of its body and those that the joints of the children carry.
        wrench = record_body_wrench(body, motions[body.index], contacts)
        for child in carried[body.index]:
            wrench += child
        wrench = wrench.name(F(body.number), N(body.number))
        loads[body.index] = JointLoad(_record_joint_forces(body, wrench, motion), wrench)
        if body.parent != BASE:
            carried[body.parent].append(body.carry_inward(wrench))
    return tuple(loads[index] for index in range(len(recording.bodies)))


def _record_joint_forces(
    body: ResolvedBody, wrench: Wrench, motion: JointMotion
) -> tuple[Quantity, ...]:
    """Record the generalised forces of a joint: its load along the axis, and the force on the motor's inertia (step 9)."""
    if body.is_free:
        return (*wrench.force, *wrench.moment)
    qdd = motion.accelerations[body.entry]
    tau = joint_force(
        body.angular, wrench.moment, body.linear, wrench.force, body.motor_inertia, qdd
    )
    return (tau.name(TAU(body.number)),)


def record_body_motions(recording: Recording, motion: JointMotion) -> tuple[BodyMotion, ...]:
    """Record the outward half of the recursion: the motions of all bodies."""
    motions = {BASE: _record_base_motion(recording, motion.gravity)}
    for body in recording.bodies:
        body.section("Outward, body")
        if body.is_free:
            motions[body.index] = _record_floating_motion(recording, body, motion)
        else:
            qd, qdd = motion.velocities[body.entry], motion.accelerations[body.entry]
            motions[body.index] = _record_motion(body, motions[body.parent], qd, qdd)
    return tuple(motions[body.index] for body in recording.bodies)


def _record_base_motion(recording: Recording, gravity: bool) -> BodyMotion:
    """Return the motion of the base: at rest, but accelerated against gravity, which loads every body like its weight."""
    zero, none = recording.constant(0, 0, 0), recording.constant(0)
    up = (
        recording.constant(*(-component for component in recording.model.gravity))
        if gravity
        else zero
    )
    difference = recording.recorder.constant_matrix([(0, 0, 0)] * 3)
    return BodyMotion(zero, zero, none, none, zero, zero, zero, difference, up)


def _record_floating_motion(
    recording: Recording, body: ResolvedBody, motion: JointMotion
) -> BodyMotion:
    """Record the motion of a floating base, which is given. None of it counts as about z, which costs nothing."""
    i, none = body.number, recording.constant(0)
    v, w = vector(motion.velocities[LINEAR]), vector(motion.velocities[ANGULAR])
    vd, wd = vector(motion.accelerations[LINEAR]), vector(motion.accelerations[ANGULAR])
    up = record_up(recording).name(UP(i)) if motion.gravity else recording.constant(0, 0, 0)
    k = velocity_products(w).name(K(i))
    difference = acceleration_difference(w, wd, k).name(LAMBDA(i))
    a = base_acceleration(up, w, v, vd).name(A(i))
    return BodyMotion(w, wd, none, none, w, wd, k, difference, a)


def _record_motion(
    body: ResolvedBody, parent: BodyMotion, qd: Quantity, qdd: Quantity
) -> BodyMotion:
    """Record the motion of a body, in its axes, from its joint's motion and its parent's, which is in the parent's axes."""
    i = body.number
    if body.placement.is_parallel:
        # w = R^T w_parent + qd z. If z is the parent's axis too, R leaves the part about z as it is: velocities about parallel
        # axes are added as scalars, and only the part from the joints before them is rotated.
        carried, carried_change = parent.carried_velocity, parent.carried_acceleration
        before, before_change = parent.about_z, parent.about_z_change
    else:
        carried, carried_change = parent.angular_velocity, parent.angular_acceleration
        before = before_change = body.recorder.constant(0)
    carried, carried_change = body.outward(carried), body.outward(carried_change)
    about_z = joint_velocity(before, body.angular, qd)
    about_z_change = joint_velocity(before_change, body.angular, qdd)
    w = angular_velocity(carried, about_z).name(W(i))  # step 1
    wd = angular_acceleration(carried_change, w, about_z, about_z_change).name(WD(i))  # step 2
    k = velocity_products(w).name(K(i))
    difference = acceleration_difference(w, wd, k).name(LAMBDA(i))
    # Step 3. The constant part of the displacement is fixed in the parent, whose lambda moves its end (the foot); the rest is
    # fixed in the body, except for the translation of the joint.
    foot = acceleration_at(parent.acceleration, parent.difference, body.translation)
    a = origin_acceleration(
        body.outward(foot), difference, body.displacement, w, body.linear, qd, qdd
    ).name(A(i))
    return BodyMotion(carried, carried_change, about_z, about_z_change, w, wd, k, difference, a)


def record_body_wrench(body: ResolvedBody, motion: BodyMotion, contacts: Contacts) -> Wrench:
    """Record the force and the moment about its origin that accelerate a body, less a contact's (steps 4 to 6)."""
    i, s = body.number, body.first_moment
    a, difference = motion.acceleration, motion.difference
    force = body_force(body.mass, a, difference, s).name(BF(i))
    if body.second_moments is None:
        w, wd, k = motion.angular_velocity, motion.angular_acceleration, motion.products
        moment = body_moment(body.inertia, w, wd, k, difference, s, a).name(BM(i))
    else:
        moment = body_moment_by_difference(body.second_moments, difference, s, a).name(BM(i))
    wrench = Wrench(force, moment)
    return wrench - contacts[body.index] if body.index in contacts else wrench
