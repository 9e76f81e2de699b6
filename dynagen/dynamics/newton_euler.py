"""The reformulated Newton-Euler recursion with the acceleration difference matrix lambda.

C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng. thesis, Memorial University
of Newfoundland, 1990, Table 2.4, with four changes that save operations and one that corrects:

- a joint is two constants (angular, linear) along its z axis, so revolute and prismatic joints share every formula;
- the rates of joints with parallel axes are added before they meet a vector;
- masses enter by first moments and inertias about the frame's origin, so no acceleration of a centre of mass is needed;
- the way to the next origin is taken in two steps, before the turn and along the new z axis, where column 3 of lambda serves;
- lambda follows from the body's own rates for every joint: for a prismatic one the thesis's eq. 2.29 has R where R^T belongs.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.contact import Contact, less
from dynagen.dynamics.formula import formula
from dynagen.dynamics.frames import FRAMES_LEGEND, BodyFrame, Frames
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.robot.model import BASE, Body, RobotModel

Z = Matrix([0, 0, 1])

# What the recorded names stand for; all of body i, in its own axes and about its own origin.
LEGEND = (
    *FRAMES_LEGEND,
    ("w, wd", "angular velocity (omega), angular acceleration (alpha)"),
    ("k", "products of rates: w_y*w_z, w_x*w_z, w_x*w_y"),
    ("l", "acceleration difference matrix (lambda): l*r = wd x r + w x (w x r)"),
    ("a", "linear acceleration of the origin, less gravity"),
    ("bf, bm", "force and moment that the body's own motion takes (F, N)"),
    ("ef, en", "force and moment that the surroundings exert on the body"),
    ("f, n", "force and moment that the joint carries"),
)


@formula
def joint_rate(before: Expr, angular: Expr, velocity: Expr) -> Expr:
    """Rate (or its change) about z of a joint, added to that of the joints before it whose axes are parallel."""
    return before + angular * velocity


@formula
def angular_velocity(carried: Matrix, rate: Expr) -> Matrix:
    """Step 1: w = R^T w_parent + qd z."""
    return carried + rate * Z


@formula
def angular_acceleration(carried: Matrix, w: Matrix, rate: Expr, change: Expr) -> Matrix:
    """Step 2: wd = R^T wd_parent + qdd z + w x qd z."""
    return carried + change * Z + rate * Matrix([w[1], -w[0], 0])


@formula
def rate_products(w: Matrix) -> Matrix:
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
    carried: Matrix, difference: Matrix, displacement: Expr, w: Matrix, linear: Expr, velocity: Expr, acceleration: Expr
) -> Matrix:
    """Step 3: a = carried + d lambda z + linear (qdd z + 2 w x qd z)."""
    coriolis = linear * 2 * velocity * Matrix([w[1], -w[0], 0])
    return carried + displacement * difference[:, 2] + linear * acceleration * Z + coriolis


@formula
def body_force(mass: Expr, acceleration: Matrix, difference: Matrix, first_moment: Matrix) -> Matrix:
    """Steps 4 and 5 about the origin: F = m a + lambda s."""
    return mass * acceleration + difference * first_moment


@formula
def body_moment(
    inertia: Matrix, w: Matrix, wd: Matrix, k: Matrix, difference: Matrix, first_moment: Matrix, acceleration: Matrix
) -> Matrix:
    """Step 6 and eq. 2.41 about the origin: N = J wd + w x J w + s x a.

    inertia: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz. Products of inertia find their terms in the entries of lambda.
    """
    xx, yy, zz, xy, xz, yz = inertia
    lam = difference
    moment = Matrix(
        [
            xx * wd[0] + (zz - yy) * k[0] + xz * lam[1, 0] - xy * lam[2, 0] + yz * (w[1] ** 2 - w[2] ** 2),
            yy * wd[1] + (xx - zz) * k[1] + xy * lam[2, 1] - yz * lam[0, 1] + xz * (w[2] ** 2 - w[0] ** 2),
            zz * wd[2] + (yy - xx) * k[2] + yz * lam[0, 2] - xz * lam[1, 2] + xy * (w[0] ** 2 - w[1] ** 2),
        ]
    )
    return moment + first_moment.cross(acceleration)


@formula
def total(left: Matrix, right: Matrix) -> Matrix:
    """Sum of what acts on a body."""
    return left + right


@formula
def moment_below(moment: Matrix, displacement: Expr, force: Matrix) -> Matrix:
    """Step 8, first half: the joint's moment about the point on its axis where the displacement begins."""
    return moment + displacement * Matrix([-force[1], force[0], 0])


@formula
def moment_about(moment: Matrix, point: Matrix, force: Matrix) -> Matrix:
    """Step 8, second half: n + p x f."""
    return moment + point.cross(force)


@formula
def joint_force(angular: Expr, n: Matrix, linear: Expr, f: Matrix, motor_inertia: Expr, acceleration: Expr) -> Expr:
    """Step 9, with the motor's reflected inertia: tau = angular n_z + linear f_z + Ia qdd."""
    return angular * n[2] + linear * f[2] + motor_inertia * acceleration


@dataclass(frozen=True)
class JointMotion:
    """Rates of all joints: inputs, or zeros where the function asks for none."""

    velocities: tuple[Quantity, ...]
    accelerations: tuple[Quantity, ...]


@dataclass(frozen=True)
class BodyMotion:
    """Outward result for one body, in its axes.

    Attributes:
        carried_velocity, carried_acceleration: the angular motion without what the joint, and those before it whose axes are
            parallel, add about z.
        rate, rate_change: what they add.
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
    """What a joint carries: generalised force, and force and moment about the body's origin, in the body's axes."""

    generalised: Quantity
    force: Quantity
    moment: Quantity


def record_newton_euler(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    motion: JointMotion,
    gravity: bool,
    contact: Contact | None = None,
) -> tuple[Quantity, ...]:
    """Record the recursion on a tree of bodies.

    Returns:
        Generalised joint forces (N m or N), one scalar a body.
    """
    return tuple(load.generalised for load in record_joint_loads(recorder, model, frames, motion, gravity, contact))


def record_joint_loads(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    motion: JointMotion,
    gravity: bool,
    contact: Contact | None = None,
) -> tuple[JointLoad, ...]:
    """Record the recursion on a tree of bodies; one load a body."""
    motions = record_body_motions(recorder, model, frames, motion, gravity)
    loads: dict[int, JointLoad] = {}
    carried: list[list[tuple[Quantity, Quantity]]] = [[] for _ in model.bodies]
    for index, body in reversed(list(enumerate(model.bodies))):
        recorder.section(f"Inward, body {index + 1} ({body.name})")
        force, moment = record_body_wrench(recorder, index, body, frames[index], motions[index], contact)
        for child_force, child_moment in carried[index]:
            force, moment = recorder.apply(total, force, child_force), recorder.apply(total, moment, child_moment)
        force, moment = recorder.name(f"f{index + 1}", force), recorder.name(f"n{index + 1}", moment)
        generalised = recorder.record(
            f"tau{index + 1}",
            joint_force,
            recorder.constant(body.joint.angular),
            moment,
            recorder.constant(body.joint.linear),
            force,
            recorder.constant(body.motor_inertia),
            motion.accelerations[index],
        )
        loads[index] = JointLoad(generalised, force, moment)
        if body.parent != BASE:
            carried[body.parent].append(_inward(recorder, frames[index], force, moment))
    return tuple(loads[index] for index in range(len(model.bodies)))


def record_body_motions(
    recorder: Recorder, model: RobotModel, frames: Frames, motion: JointMotion, gravity: bool
) -> tuple[BodyMotion, ...]:
    """Record the outward half of the recursion."""
    motions: list[BodyMotion] = []
    rest = _base_motion(recorder, model, gravity)
    for index, body in enumerate(model.bodies):
        recorder.section(f"Outward, body {index + 1} ({body.name})")
        parent = rest if body.parent == BASE else motions[body.parent]
        velocity, acceleration = motion.velocities[index], motion.accelerations[index]
        motions.append(_outward(recorder, index, body, frames[index], parent, velocity, acceleration))
    return tuple(motions)


def _base_motion(recorder: Recorder, model: RobotModel, gravity: bool) -> BodyMotion:
    """The base rests; accelerating it against gravity makes every body feel its weight."""
    zero, none = recorder.constant(0, 0, 0), recorder.constant(0)
    acceleration = recorder.constant(*(-component for component in model.gravity)) if gravity else zero
    difference = recorder.constant(*[0] * 9, shape=(3, 3))
    return BodyMotion(zero, zero, none, none, zero, zero, zero, difference, acceleration)


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
    angular, linear = recorder.constant(body.joint.angular), recorder.constant(body.joint.linear)
    if body.placement.is_parallel:
        # Rates of parallel joints add before they meet a vector, so that what such joints share is computed once.
        carried, carried_change = parent.carried_velocity, parent.carried_acceleration
        before, before_change = parent.rate, parent.rate_change
    else:
        carried, carried_change = parent.angular_velocity, parent.angular_acceleration
        before, before_change = recorder.constant(0), recorder.constant(0)
    carried, carried_change = frame.outward(recorder, carried), frame.outward(recorder, carried_change)
    rate = recorder.apply(joint_rate, before, angular, velocity)
    rate_change = recorder.apply(joint_rate, before_change, angular, acceleration)
    w = recorder.record(f"w{number}", angular_velocity, carried, rate)
    wd = recorder.record(f"wd{number}", angular_acceleration, carried_change, w, rate, rate_change)
    products = recorder.record(f"k{number}", rate_products, w)
    difference = recorder.record(f"l{number}", acceleration_difference, w, wd, products)
    at_foot = recorder.apply(acceleration_at, parent.acceleration, parent.difference, frame.translation)
    a = recorder.record(
        f"a{number}",
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
    recorder: Recorder, index: int, body: Body, frame: BodyFrame, motion: BodyMotion, contact: Contact | None = None
) -> tuple[Quantity, Quantity]:
    """Record the force and the moment about its origin that a body's own motion takes, less what a contact exerts on it."""
    mass = recorder.constant(body.inertial.mass)
    force = recorder.record(f"bf{index + 1}", body_force, mass, motion.acceleration, motion.difference, frame.first_moment)
    moment = recorder.record(
        f"bm{index + 1}",
        body_moment,
        frame.inertia,
        motion.angular_velocity,
        motion.angular_acceleration,
        motion.products,
        motion.difference,
        frame.first_moment,
        motion.acceleration,
    )
    if contact is None or contact.body != index:
        return force, moment
    return recorder.apply(less, force, contact.force), recorder.apply(less, moment, contact.moment)


def _inward(recorder: Recorder, frame: BodyFrame, force: Quantity, moment: Quantity) -> tuple[Quantity, Quantity]:
    """Force and moment of a joint in the parent's axes, about the parent's origin."""
    on_axis = recorder.apply(moment_below, moment, frame.displacement, force)
    carried = frame.inward(recorder, force)
    return carried, recorder.apply(moment_about, frame.inward(recorder, on_axis), frame.translation, carried)
