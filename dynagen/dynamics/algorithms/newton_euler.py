"""Recursive Newton-Euler algorithm (RNEA) with the acceleration difference matrix lambda.

The source is Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional
Effects", master's thesis, Memorial University of Newfoundland, 1990, Table 2.4. "Step n" is a step
of Table 2.4, "eq. 2.n" an equation of chapter 2 of the thesis. A point r of a body has the
acceleration a + lambda r, with the acceleration a of the body's origin. Compared with Table 2.4,
four changes save operations, and one corrects an error:

- A joint is described by two constants, `angular` and `linear`, for rotation about and translation
  along its z axis. With these constants revolute and prismatic joints share all formulas.
- Velocities of joints with parallel axes are added as scalars before they enter a vector.
- The inertial parameters are first moments s = m c and inertias J about the origin of the body.
  Therefore no acceleration of a centre of mass is computed.
- The displacement to the next origin is added in two steps: the constant part before the rotation
  of the joint, and the part along the new z axis after the rotation. The step along the joint axis
  uses only column 3 of lambda.
- For a prismatic joint, eq. 2.29 of the thesis wrongly contains the rotation matrix R instead of
  R^T. Here lambda is computed from the angular motion of the body for every joint.

The outward half computes the motions of all bodies, the inward half the wrenches that the joints
transmit. All vectors of a body are resolved in the axes of the body, and moments are about its
origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.dynamics.algorithms.external_wrenches import NO_CONTACTS, Contacts
from dynagen.dynamics.algorithms.motions import BodyMotion
from dynagen.dynamics.algorithms.recording import JointMotion, Recording, ResolvedBody, sum_forces
from dynagen.dynamics.algorithms.rotations import unit_z
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE


@formula
def joint_velocity(before: Expr, angular: Expr, velocity: Expr) -> Expr:
    """Return `before` + `angular` * `velocity`: the summed velocity of parallel joints (rad/s).

    The sum is over a joint and the parallel joints directly before it. Accelerations are added by
    the same formula.

    Args:
        before: sum without the joint; 0 if the preceding joint is not parallel.
        angular: rotation of the joint about z per unit of its position (0 for a prismatic joint).
        velocity: joint velocity (rad/s or m/s).
    """
    return before + angular * velocity


@formula
def angular_velocity(carried: Matrix, about_z: Expr) -> Matrix:
    """Return the angular velocity of a body in its axes, w = R^T w_parent + qd z (rad/s).

    `carried` is R^T w_parent, the parent's angular velocity in the axes of the body. `about_z` is
    the joint velocity qd. For a row of parallel joints, the parent is the body that carries the
    row, and qd the sum of the joint velocities. Source: Dhanaraj 1990, Table 2.4, step 1.
    """
    return carried + about_z * unit_z()


@formula
def angular_acceleration(carried: Matrix, w: Matrix, about_z: Expr, change: Expr) -> Matrix:
    """Return the angular acceleration wd = R^T wd_parent + qdd z + qd cross(w, z) (rad/s^2).

    `carried` is R^T wd_parent, the parent's angular acceleration in the axes of the body. w is the
    body's angular velocity, `about_z` the joint velocity qd and `change` the joint acceleration
    qdd. Source: Dhanaraj 1990, Table 2.4, step 2.
    """
    # w x z = (w_y, -w_x, 0).
    return carried + change * unit_z() + about_z * Matrix([w[1], -w[0], 0])


@formula
def velocity_products(w: Matrix) -> Matrix:
    """Return k = (w_y w_z, w_x w_z, w_x w_y) of an angular velocity w (Dhanaraj 1990, eq. 2.28)."""
    return Matrix([w[1] * w[2], w[0] * w[2], w[0] * w[1]])


@formula
def acceleration_difference(w: Matrix, wd: Matrix, k: Matrix) -> Matrix:
    """Return the matrix lambda (1/s^2) with lambda r = cross(wd, r) + cross(w, cross(w, r)).

    A body's point r accelerates by lambda r (m/s^2) relative to its origin. w and wd are the
    angular velocity and acceleration of the body, and k the vector (w_y w_z, w_x w_z, w_x w_y) of
    `velocity_products`. Source: Dhanaraj 1990, eq. 2.27.
    """
    # The elements outside of the diagonal pair k with wd, so their sum and difference share k.
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
    """Return the acceleration a + lambda r (m/s^2) of the point r of a body.

    `acceleration` is the acceleration a of the origin, `difference` the acceleration difference
    matrix lambda, and `point` is r (m). Source: Dhanaraj 1990, eq. 2.26.
    """
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
    """Return the acceleration of a body's origin in its axes (m/s^2).

    The acceleration is a_foot + d lambda z + linear (qdd z + 2 qd cross(w, z)), with the joint axis
    z. Source: Dhanaraj 1990, Table 2.4, step 3.

    Args:
        carried: a_foot, the acceleration minus gravity of the point where the displacement along z
            begins (m/s^2).
        difference: lambda, the acceleration difference matrix of the body (1/s^2).
        displacement: d, the displacement along z to the body's origin (m).
        w: angular velocity of the body (rad/s).
        linear: translation of the joint along z per unit of its position.
        velocity: joint velocity qd (rad/s or m/s).
        acceleration: joint acceleration qdd (rad/s^2 or m/s^2).
    """
    # Column 3 of lambda is lambda z: the other columns are not needed for a point on the axis.
    coriolis = linear * 2 * velocity * Matrix([w[1], -w[0], 0])
    return carried + displacement * difference[:, 2] + linear * acceleration * unit_z() + coriolis


@formula
def body_force(
    mass: Expr, acceleration: Matrix, difference: Matrix, first_moment: Matrix
) -> Matrix:
    """Return the inertial force m a + lambda s of a body (N).

    `mass` is m, and `acceleration` is a, the acceleration of the origin minus gravity. `difference`
    is the acceleration difference matrix lambda, and `first_moment` is s. Source: Dhanaraj 1990,
    Table 2.4, steps 4 and 5.
    """
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
    """Return the inertial moment J wd + cross(w, J w) + cross(s, a) about the body's origin (N m).

    All vectors are in the axes of the body. Source: Dhanaraj 1990, eq. 2.41.

    Args:
        inertia: elements Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the origin (kg m^2).
        w: angular velocity of the body (rad/s).
        wd: angular acceleration of the body (rad/s^2).
        k: the products (w_y w_z, w_x w_z, w_x w_y) of `velocity_products` (1/s^2).
        difference: acceleration difference matrix of the body (1/s^2).
        first_moment: first moment s about the origin (kg m).
        acceleration: acceleration a of the origin minus gravity (m/s^2).
    """
    # The products of inertia multiply entries of lambda, which the motion has computed already:
    # lam[i, j] contains wd and products of w as a sum or difference, as lam[1, 0] = k_z + wd_z.
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
    """Return a body's inertial moment about its origin (N m), from its second moments S (kg m^2).

    The moment is cross(s, a) plus the axial vector of lambda S - (lambda S)^T. `second` is S, the
    integral of r r^T dm (elements xx, yy, zz, xy, xz, yz). `difference` is the acceleration
    difference matrix lambda, `first_moment` is s, and `acceleration` is a, the acceleration of the
    origin minus gravity. All quantities are in the axes of the body.
    """
    # Axial vector of A - A^T: (A21 - A12, A02 - A20, A10 - A01), A = lambda S.
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
    """Return the joint force tau = angular n_z + linear f_z + Ia qdd (N m or N).

    n and f are the moment and the force that the joint exerts on its body, in the axes of the body
    and about its origin. `angular` and `linear` are the rotation about and the translation along
    the joint axis z per unit of the joint position. Ia is `motor_inertia`, reflected to the joint,
    and qdd is `acceleration`.
    """
    return angular * n[2] + linear * f[2] + motor_inertia * acceleration


# All vectors of body i are in its resolved axes, and moments are about its origin.
W = Symbol("w", "i", VECTOR, "angular velocity of body i", "rad/s")
WD = Symbol("wd", "i", VECTOR, "angular acceleration of body i", "rad/s^2")
K = Symbol(
    "k",
    "i",
    VECTOR,
    "products of angular velocities of body i: w_y w_z, w_x w_z, w_x w_y",
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
A = Symbol("a", "i", VECTOR, "acceleration of the origin of body i minus gravity", "m/s^2")
BF = Symbol("bf", "i", VECTOR, "inertial force of body i", "N")
BM = Symbol("bm", "i", VECTOR, "inertial moment of body i", "N m")
F = Symbol("f", "i", VECTOR, "force that joint i transmits to body i", "N")
N = Symbol("n", "i", VECTOR, "moment that joint i transmits to body i", "N m")
TAU = Symbol("tau", "i", SCALAR, "joint force of joint i", "N m or N")


@dataclass(frozen=True)
class JointLoad:
    """Joint forces of a joint, and the wrench that the joint exerts on its body.

    Attributes:
        generalised: joint forces (N m or N), one scalar for each velocity of the joint.
        wrench: force (N), and moment about the body's origin (N m), in the body's axes.
    """

    generalised: tuple[Quantity, ...]
    wrench: Wrench


def record_newton_euler(
    recording: Recording, motion: JointMotion, contacts: Contacts = NO_CONTACTS
) -> tuple[Quantity, ...]:
    """Record inverse dynamics (RNEA): the joint forces that cause a motion of the robot.

    Args:
        recording: program under construction, with the robot model and its bodies.
        motion: velocities and accelerations of the joints.
        contacts: external wrenches by body index, in the axes of each body and about its origin.

    Returns:
        Joint forces (N m or N), one scalar for every entry of the velocity vector.
    """
    return sum_forces(
        recording, [load.generalised for load in record_joint_loads(recording, motion, contacts)]
    )


def record_joint_loads(
    recording: Recording, motion: JointMotion, contacts: Contacts
) -> tuple[JointLoad, ...]:
    """Record the joint forces and the wrench of every joint, in the order of the bodies.

    `contacts` has external wrenches by body index, in the axes of each body and about its origin.
    """
    motions = record_body_motions(recording, motion)
    loads: dict[int, JointLoad] = {}
    # From the tips to the base: a joint carries the wrenches of all bodies beyond it.
    # Wrenches of the children's joints, by the index of the carrying body.
    carried: list[list[Wrench]] = [[] for _ in recording.bodies]
    for body in reversed(recording.bodies):
        body.begin_section("Inward, body")
        # Steps 7 and 8: a joint carries the wrench of its body and the wrenches of the children's
        # joints, which `carry_inward` has resolved in the axes of this body, about its origin.
        wrench = record_body_wrench(body, motions[body.index], contacts)
        for child in carried[body.index]:
            wrench += child
        wrench = wrench.name(F(body.number), N(body.number))
        forces = record_joint_forces(body, wrench, motion.accelerations)
        named = (
            force.name(TAU(number)) for number, force in zip(body.numbers, forces, strict=True)
        )
        loads[body.index] = JointLoad(tuple(named), wrench)
        if body.parent != BASE:
            carried[body.parent].append(body.carry_inward(wrench))
    return tuple(loads[index] for index in range(len(recording.bodies)))


def record_joint_forces(
    body: ResolvedBody, wrench: Wrench, accelerations: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record a joint's forces (N m or N), one scalar for each velocity of the joint.

    A joint force is the component of a wrench along one screw of the joint, plus the inertial force
    of the motor. `wrench` is the wrench on `body`, in its axes and about its origin.
    `accelerations` are the joint accelerations of the whole robot.
    """
    # Step 9. The motor's rotor is accelerated by the joint alone, so Ia qdd is not in the wrench.
    forces = []
    for entry, screw in zip(body.entries, body.screws, strict=True):
        n, f = screw.exchange(wrench.moment), screw.exchange(wrench.force)
        motor = screw.motor_inertia, accelerations[entry]
        forces.append(joint_force(screw.angular, n, screw.linear, f, *motor))
    return tuple(forces)


def record_body_motions(recording: Recording, motion: JointMotion) -> tuple[BodyMotion, ...]:
    """Record the motions of all bodies, each in the axes of its body.

    Gravity is represented by an upward acceleration of the base.
    """
    motions = {BASE: _record_base_motion(recording, motion.gravity)}
    for body in recording.bodies:
        body.begin_section("Outward, body")
        motions[body.index] = body.record_motion(recording, motions[body.parent], motion)
    return tuple(motions[body.index] for body in recording.bodies)


def _record_base_motion(recording: Recording, gravity: bool) -> BodyMotion:
    """Return the motion of the base; with gravity, it accelerates upwards."""
    # This acceleration loads every body as its weight does, so no weights are computed.
    zero, no_velocity = recording.add_constant(0, 0, 0), recording.add_constant(0)
    up = (
        recording.add_constant(*(-component for component in recording.model.gravity))
        if gravity
        else zero
    )
    difference = recording.recorder.add_constant_matrix([(0, 0, 0)] * 3)
    return BodyMotion(zero, zero, no_velocity, no_velocity, zero, zero, zero, difference, up)


def record_axis_motion(body: ResolvedBody, parent: BodyMotion, motion: JointMotion) -> BodyMotion:
    """Record the motion of a body whose joint moves about or along z, in the body's axes.

    `parent` is the motion of the body's parent, in the parent's axes.
    """
    i, qd, qdd = body.number, motion.velocities[body.entry], motion.accelerations[body.entry]
    if body.placement.is_parallel:
        # w = R^T w_parent + qd z. If z is parallel to the parent's z, R keeps the part about z.
        # So velocities about parallel axes are added as scalars. Only the other part is rotated.
        carried, carried_change = parent.carried_velocity, parent.carried_acceleration
        before, before_change = parent.about_z, parent.about_z_change
    else:
        carried, carried_change = parent.angular_velocity, parent.angular_acceleration
        before = before_change = body.recorder.add_constant(0)
    # The parent's vectors, now in the axes of the body.
    carried, carried_change = body.rotate_outward(carried), body.rotate_outward(carried_change)
    about_z = joint_velocity(before, body.angular, qd)
    about_z_change = joint_velocity(before_change, body.angular, qdd)
    w = angular_velocity(carried, about_z).name(W(i))  # step 1
    wd = angular_acceleration(carried_change, w, about_z, about_z_change).name(WD(i))  # step 2
    k = velocity_products(w).name(K(i))
    difference = acceleration_difference(w, wd, k).name(LAMBDA(i))
    # Step 3. The constant part of the displacement is fixed in the parent: its end, the foot, moves
    # with the parent's lambda, in the parent's axes. The rest lies along z of the body.
    foot = acceleration_at(parent.acceleration, parent.difference, body.translation)
    a = origin_acceleration(
        body.rotate_outward(foot), difference, body.displacement, w, body.linear, qd, qdd
    ).name(A(i))
    # The children rotate the carried part and add their velocities to the part about z.
    return BodyMotion(carried, carried_change, about_z, about_z_change, w, wd, k, difference, a)


def record_body_wrench(body: ResolvedBody, motion: BodyMotion, contacts: Contacts) -> Wrench:
    """Record the inertial force (N) and moment (N m) of a body minus its external wrench.

    The result is the sum of the wrenches that all adjacent joints exert on the body, in the body's
    axes, about its origin. `contacts` has the external wrenches by body index.
    """
    # Gravity is subtracted from a, so the weight is part of the inertial force.
    i, s = body.number, body.first_moment
    a, difference = motion.acceleration, motion.difference
    # All vectors are in the axes of the body, in which s and J are constants of the recording.
    force = body_force(body.mass, a, difference, s).name(BF(i))
    # From moments of inertia, or from second moments where that costs fewer operations.
    if body.second_moments is None:
        w, wd, k = motion.angular_velocity, motion.angular_acceleration, motion.products
        moment = body_moment(body.inertia, w, wd, k, difference, s, a).name(BM(i))
    else:
        moment = body_moment_by_difference(body.second_moments, difference, s, a).name(BM(i))
    wrench = Wrench(force, moment)
    return wrench - contacts[body.index] if body.index in contacts else wrench
