"""The reformulated Newton-Euler recursion (RNEA): its equations, external wrenches, and the loads of joints.

The formulas of the reformulated Newton-Euler recursion, for one body.

C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng. thesis, Memorial University
of Newfoundland, 1990, Table 2.4 and the equations that it stands on, as `newton_euler` changes them.

External wrenches: an input, in frames of the user's -> forces and moments on bodies, in the axes of the recursion.

The reformulated Newton-Euler recursion with the acceleration difference matrix lambda.

C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng. thesis, Memorial University
of Newfoundland, 1990, Table 2.4, with four changes that save operations and one that corrects:

- a joint is two constants (angular, linear) along its z axis, so revolute and prismatic joints share every formula;
- the velocities of joints with parallel axes are added as scalars, before they meet a vector;
- masses enter by first moments and inertias about the frame's origin, so no acceleration of a centre of mass is needed;
- the displacement to the next origin is made in two steps: the constant part before the rotation of the joint, and the part
  along the new z axis after it, for which column 3 of lambda is enough;
- lambda follows from the angular motion of its body for every joint: for a prismatic joint the thesis's eq. 2.29 has R where
  R^T belongs.

Loads of joints, in the axes of the recursion -> wrenches in the frames of the links as users describe them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.frames import ANGULAR, LINEAR, UP, record_up
from dynagen.dynamics.algorithms.frames import origin_acceleration as base_acceleration
from dynagen.dynamics.algorithms.recording import (
    JointMotion,
    Recording,
    ResolvedBody,
    Wrench,
    moment_about,
    sum_forces,
)
from dynagen.dynamics.algorithms.rotations import Z
from dynagen.dynamics.arguments import Arguments, joint_motion
from dynagen.dynamics.recording import Quantity, formula, vector
from dynagen.ir.program import Argument
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, RobotModel
from dynagen.robot.pose import transpose


@formula
def joint_velocity(before: Expr, angular: Expr, velocity: Expr) -> Expr:
    """Velocity of a joint about z, or its change, added to the velocity of the joints before it whose axes are parallel."""
    return before + angular * velocity


@formula
def angular_velocity(carried: Matrix, about_z: Expr) -> Matrix:
    """Step 1: w = R^T w_parent + qd z."""
    return carried + about_z * Z


@formula
def angular_acceleration(carried: Matrix, w: Matrix, about_z: Expr, change: Expr) -> Matrix:
    """Step 2: wd = R^T wd_parent + qdd z + w x qd z."""
    return carried + change * Z + about_z * Matrix([w[1], -w[0], 0])


@formula
def velocity_products(w: Matrix) -> Matrix:
    """Eq. 2.28: k = (w_y w_z, w_x w_z, w_x w_y)."""
    return Matrix([w[1] * w[2], w[0] * w[2], w[0] * w[1]])


@formula
def acceleration_difference(w: Matrix, wd: Matrix, k: Matrix) -> Matrix:
    """Eq. 2.27: lambda r = wd x r + w x (w x r) for every r fixed in the body."""
    xx, yy, zz = w[0] ** 2, w[1] ** 2, w[2] ** 2
    return Matrix(
        [
            [-(yy + zz), k[2] - wd[2], k[1] + wd[1]],
            [k[2] + wd[2], -(xx + zz), k[0] - wd[0]],
            [k[1] - wd[1], k[0] + wd[0], -(xx + yy)],
        ]
    )


@formula
def acceleration_at(acceleration: Matrix, difference: Matrix, point: Matrix) -> Matrix:
    """Eq. 2.26: acceleration of another point of the body."""
    return acceleration + difference * point


@formula
def origin_acceleration(
    carried: Matrix,
    difference: Matrix,
    displacement: Expr,
    w: Matrix,
    linear: Expr,
    velocity: Expr,
    acceleration: Expr,
) -> Matrix:
    """Step 3: a = carried + d lambda z + linear (qdd z + 2 w x qd z)."""
    coriolis = linear * 2 * velocity * Matrix([w[1], -w[0], 0])
    return carried + displacement * difference[:, 2] + linear * acceleration * Z + coriolis


@formula
def body_force(
    mass: Expr, acceleration: Matrix, difference: Matrix, first_moment: Matrix
) -> Matrix:
    """Steps 4 and 5 about the origin: F = m a + lambda s."""
    return mass * acceleration + difference * first_moment


@formula
def body_moment(
    inertia: Matrix,
    w: Matrix,
    wd: Matrix,
    k: Matrix,
    difference: Matrix,
    first_moment: Matrix,
    acceleration: Matrix,
) -> Matrix:
    """Step 6 and eq. 2.41 about the origin: N = J wd + w x J w + s x a.

    inertia: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz. Products of inertia find their terms in the entries of lambda.
    """
    xx, yy, zz, xy, xz, yz = inertia
    lam = difference
    moment = Matrix(
        [
            xx * wd[0]
            + (zz - yy) * k[0]
            + xz * lam[1, 0]
            - xy * lam[2, 0]
            + yz * (w[1] ** 2 - w[2] ** 2),
            yy * wd[1]
            + (xx - zz) * k[1]
            + xy * lam[2, 1]
            - yz * lam[0, 1]
            + xz * (w[2] ** 2 - w[0] ** 2),
            zz * wd[2]
            + (yy - xx) * k[2]
            + yz * lam[0, 2]
            - xz * lam[1, 2]
            + xy * (w[0] ** 2 - w[1] ** 2),
        ]
    )
    return moment + first_moment.cross(acceleration)


@formula
def body_moment_by_difference(
    second: Matrix, difference: Matrix, first_moment: Matrix, acceleration: Matrix
) -> Matrix:
    """Step 6 by second moments: N = integral of r x (a + lambda r) dm = s x a + the vector of lambda S - (lambda S)^T.

    second: elements xx, yy, zz, xy, xz, yz of S, the integral of r r^T dm.
    """
    xx, yy, zz, xy, xz, yz = second
    lam = difference
    moment = Matrix(
        [
            yy * lam[2, 1]
            - zz * lam[1, 2]
            + xy * lam[2, 0]
            - xz * lam[1, 0]
            + yz * (lam[2, 2] - lam[1, 1]),
            zz * lam[0, 2]
            - xx * lam[2, 0]
            + yz * lam[0, 1]
            - xy * lam[2, 1]
            + xz * (lam[0, 0] - lam[2, 2]),
            xx * lam[1, 0]
            - yy * lam[0, 1]
            + xz * lam[1, 2]
            - yz * lam[0, 2]
            + xy * (lam[1, 1] - lam[0, 0]),
        ]
    )
    return moment + first_moment.cross(acceleration)


@formula
def joint_force(
    angular: Expr, n: Matrix, linear: Expr, f: Matrix, motor_inertia: Expr, acceleration: Expr
) -> Expr:
    """Step 9, with the motor's reflected inertia: tau = angular n_z + linear f_z + Ia qdd."""
    return angular * n[2] + linear * f[2] + motor_inertia * acceleration


WRENCH = "wrench"

FE = Symbol("fe", "i", VECTOR, "force that the surroundings exert on body i", "N")
NE = Symbol("ne", "i", VECTOR, "moment that the surroundings exert on body i", "N m")


Contacts = Mapping[int, Wrench]
"""Wrenches that the surroundings exert, by the positions of the bodies on which there are any."""

NO_CONTACTS: Contacts = MappingProxyType({})

_COMPONENTS = ("fx", "fy", "fz", "nx", "ny", "nz")


def formula_with_wrench(formula: str) -> str:
    """Return a formula that contains all bias forces, with the forces of an external wrench added to them."""

    def added(match: re.Match[str]) -> str:
        return f"{match[0]} {'-' if match[1] == '+' else '+'} J(q)^T wrench"

    return re.sub(r"C\(q, qd\) qd ([+-]) g\(q\)", added, formula)


def wrench_argument(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input: for every frame force, then moment about its origin, in its axes; () without such an input."""
    names = model.external_wrenches
    if not names:
        return ()
    meaning = f"force and moment {exerted_at(names)}"
    of_several = tuple(f"{name}.{component}" for name in names for component in _COMPONENTS)
    columns = _COMPONENTS if len(names) == 1 else of_several
    units = (("N",) * 3 + ("N m",) * 3) * len(names)
    return (Argument(WRENCH, (len(units),), units, meaning, columns),)


def motion_and_wrench(*names: str) -> Arguments:
    """Return inputs among q, qd and qdd, then the wrench, if the robot has such an input."""
    return lambda model: (*joint_motion(*names)(model), *wrench_argument(model))


def exerted_at(names: Sequence[str]) -> str:
    """Return the places where wrenches act, in words."""
    if len(names) == 1:
        return f"exerted on the robot at the origin of frame {names[0]}, in its axes"
    *others, last = names
    return f"exerted on the robot at the origin of each of the frames {', '.join(others)} and {last}, in its axes"


def record_contacts(recording: Recording) -> Contacts:
    """Record force and moment on every body that carries a frame with a wrench; a wrench on the base moves nothing."""
    contacts: dict[int, Wrench] = {}
    for number, name in enumerate(recording.model.external_wrenches):
        frame = recording.model.frame(name)
        if frame.body == BASE:
            continue
        recording.section(f"Wrench at {frame.name}")
        force, moment = (
            vector(recording.element(WRENCH, 6 * number + first + axis) for axis in range(3))
            for first in (0, 3)
        )
        # From the frame's axes to the body axes, and from the frame's origin to the body's.
        rotation = recording.recorder.constant_matrix(frame.pose.rotation)
        force, moment = rotation @ force, rotation @ moment
        moment = moment_about(moment, frame.pose.translation, force)
        body = recording.bodies[frame.body]
        wrench = Wrench(body.from_body_axes(force), body.from_body_axes(moment))
        contacts[frame.body] = contacts[frame.body] + wrench if frame.body in contacts else wrench
    return {body: wrench.name(FE(body + 1), NE(body + 1)) for body, wrench in contacts.items()}


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


RF = Symbol("rf", "i", VECTOR, "force that joint i carries, in the axes of its link's frame", "N")
RN = Symbol(
    "rn",
    "i",
    VECTOR,
    "moment that joint i carries about the origin of its link's frame, in its axes",
    "N m",
)


@formula
def moment_at(moment: Matrix, point: Matrix, force: Matrix) -> Matrix:
    """Moment about a point, from that about the origin: n - p x f."""
    return moment - point.cross(force)


def record_in_link_frame(recording: Recording, body: ResolvedBody, wrench: Wrench) -> Wrench:
    """Record the wrench (N, N m) of a body's joint about the origin and in the axes of its link's frame."""
    body.section("Wrench, joint")
    _, pose = recording.model.attachments[body.name]
    force, moment = body.to_body_axes(wrench.force), body.to_body_axes(wrench.moment)
    moment = moment_at(moment, pose.translation, force)
    to_link = recording.recorder.constant_matrix(transpose(pose.rotation))
    return Wrench(to_link @ force, to_link @ moment).name(RF(body.number), RN(body.number))
