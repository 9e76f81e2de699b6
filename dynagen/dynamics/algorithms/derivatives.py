"""Derivatives of inverse dynamics by joint positions and velocities, in O(n^2) operations.

The analytic recursion is similar to the one by Singh, Russell and Wensing, "Efficient Analytical
Derivatives of Rigid Body Dynamics Using Spatial Vector Algebra", IEEE Robotics and Automation
Letters 7(2), 2022. This module uses first and second moments, without linear velocities, as the
module `coriolis` does.

Composite j consists of all bodies that joint j moves, with particles of mass m at r from the origin
of body j. c_j is the velocity of a particle at a unit velocity of joint j. Let z be the axis of
joint j, w the angular velocity of body j, lambda its acceleration difference matrix, a the
acceleration of its origin minus gravity, and A the acceleration of the particle minus gravity. The
derivatives of A by the position q_j and the velocity qd_j of a revolute joint j are

    dA/dq_j  = z" x r + 2 z' x r' + z x (A - a),    z' = w x z,
    dA/dqd_j = 2 (z' x r + z x r'),                z" = lambda z.

If joint j slides along z, c_j = z, dA/dq_j = z" and dA/dqd_j = 2 z'. The sum of m dA/dq_j over
composite j is a force with a moment. The moment also contains the sum of m cross(c_j, A), because a
motion of joint j moves the points where the forces act. Force and moment are transformed from body
to body towards the base. Their components along the joints i from j to the base are the derivatives
in column j, on and above the diagonal.

Below the diagonal, for a joint i beyond joint j, the derivative is the sum of m c_i.(dA/dq_j). This
derivative is computed from three sums over composite i that the module `coriolis` defines: the
momenta p and h, and the moment hx. Here the term z x A of dA/dq_j is omitted. This term is due to
the common rotation of all forces and axes beyond joint j, which changes no component of a force
along an axis.

The derivatives by the velocities are the Coriolis matrix for twice the velocities (`coriolis`). The
columns of a floating base have formulas of their own (`base_columns`).
"""

from __future__ import annotations

from collections.abc import Mapping

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.coriolis import (
    CoriolisEntries,
    CoriolisSymbols,
    record_coriolis_matrix,
)
from dynagen.dynamics.algorithms.external_wrenches import Contacts
from dynagen.dynamics.algorithms.newton_euler import record_body_motions, record_joint_loads
from dynagen.dynamics.algorithms.recording import JointMatrix, JointMotion, Recording, sum_matrix
from dynagen.dynamics.algorithms.rotations import unit_z, unpack
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol

FQ = Symbol(
    "fq", "ji", VECTOR, "derivative by q_j of the force on composite j, in the axes of body i"
)
NQ = Symbol(
    "nq", "ji", VECTOR, "derivative by q_j of the moment on composite j, about the origin of body i"
)
TAUQ = Symbol("tauq", "ij", SCALAR, "derivative of the force of joint i by q_j")
TWICE_W = Symbol("ww", "i", VECTOR, "twice the angular velocity of body i", "rad/s")
DERIVATIVE_SYMBOLS = CoriolisSymbols(
    along=Symbol(
        "vva",
        "i",
        VECTOR,
        "twice the derivative of the displacement of body i along its joint axis",
        "m/s",
    ),
    across=Symbol(
        "vvc",
        "i",
        VECTOR,
        "twice the derivative of the constant displacement to joint i, in the parent's axes",
        "m/s",
    ),
    momentum=Symbol(
        "ccp",
        "i",
        VECTOR,
        "twice the sum of m dr/dt over composite i, r from the origin of body i",
        "kg m/s",
    ),
    flux=Symbol(
        "ccv",
        "i",
        MATRIX,
        "twice the sum of m dr/dt r^T over composite i, r from the origin of body i",
        "kg m^2/s",
    ),
    force=Symbol(
        "fqd", "ji", VECTOR, "derivative by qd_j of the force on composite j, in the axes of body i"
    ),
    moment=Symbol(
        "nqd",
        "ji",
        VECTOR,
        "derivative by qd_j of the moment on composite j, about the origin of body i",
    ),
    places=Symbol(
        "hhx",
        "ji",
        VECTOR,
        "twice the sum of m dr/dt x x_j over composite j, x_j the velocity at unit qd_j",
    ),
    entry=Symbol(
        "tauqd",
        "ij",
        SCALAR,
        "derivative of the force of joint i by qd_j, twice an entry of the Coriolis matrix",
    ),
)


# The vectors of the next three formulas are in the axes of the body of joint j, about its origin.
# w, lambda and a are the motion of this body.


@formula
def force_derivative(
    angular: Expr,
    linear: Expr,
    mass: Expr,
    s: Matrix,
    p: Matrix,
    w: Matrix,
    lam: Matrix,
    a: Matrix,
    force: Matrix,
) -> Matrix:
    """Return the derivative by q_j of the inertial force on all bodies that joint j moves.

    q_j is the position of joint j. Composite j consists of all bodies that joint j moves.

    Args:
        angular: rotation of joint j about z per unit of q_j.
        linear: translation of joint j along z per unit of q_j.
        mass: mass of composite j (kg).
        s: first moment of composite j, about the origin of body j (kg m).
        p: twice the sum of m dr/dt over composite j, r from the origin of body j (kg m/s).
        w: angular velocity of body j (rad/s).
        lam: acceleration difference matrix lambda of body j (1/s^2).
        a: acceleration of the origin of body j minus gravity (m/s^2).
        force: force that joint j transmits (N).

    Returns:
        Three components in the axes of body j.
    """
    # z' and z": first and second derivative by time of the joint axis.
    first, second = w.cross(unit_z()), lam[:, 2]
    return (
        angular
        * (second.cross(s) + first.cross(p) + unit_z().cross(force) - mass * unit_z().cross(a))
        + linear * mass * second
    )


@formula
def moment_derivative(
    angular: Expr,
    linear: Expr,
    s: Matrix,
    inertia: Matrix,
    flux: Matrix,
    w: Matrix,
    lam: Matrix,
    a: Matrix,
    force: Matrix,
    moment: Matrix,
) -> Matrix:
    """Return the derivative by q_j of the inertial moment on all bodies that joint j moves.

    q_j is the position of joint j. Composite j consists of all bodies that joint j moves.

    Args:
        angular: rotation of joint j about z per unit of q_j.
        linear: translation of joint j along z per unit of q_j.
        s: first moment of composite j, about the origin of body j (kg m).
        inertia: elements xx, yy, zz, xy, xz, yz of the inertia of composite j (kg m^2).
        flux: twice the sum of m dr/dt r^T over composite j (kg m^2/s).
        w: angular velocity of body j (rad/s).
        lam: acceleration difference matrix lambda of body j (1/s^2).
        a: acceleration of the origin of body j minus gravity (m/s^2).
        force: force that joint j transmits (N).
        moment: moment that joint j transmits (N m).

    Returns:
        Three components in the axes of body j; all moments are about its origin.
    """
    # By Jacobi's identity r x (z x A) + (z x r) x A = z x (r x A): summed it is z x n.
    first, second = w.cross(unit_z()), lam[:, 2]
    # tr(V) z' - V z', with z' = (w_y, -w_x, 0).
    of_flux = Matrix(
        [
            (flux[1, 1] + flux[2, 2]) * first[0] - flux[0, 1] * first[1],
            (flux[0, 0] + flux[2, 2]) * first[1] - flux[1, 0] * first[0],
            -flux[2, 0] * first[0] - flux[2, 1] * first[1],
        ]
    )
    return angular * (
        unpack(inertia) * second + of_flux + unit_z().cross(moment) - s.cross(unit_z().cross(a))
    ) + linear * (s.cross(second) + unit_z().cross(force))


@formula
def derivative_below(
    angular: Expr,
    linear: Expr,
    momentum: Matrix,
    moment: Matrix,
    places: Matrix,
    w: Matrix,
    lam: Matrix,
    a: Matrix,
) -> Expr:
    """Return the derivative by q_j of the force of joint i, for a joint j between i and the base.

    Composite i consists of all bodies that joint i moves. c_i is the velocity of a particle of mass
    m at a unit velocity of joint i, and r its position from the origin of body j.

    Args:
        angular: rotation of joint j about z per unit of q_j.
        linear: translation of joint j along z per unit of q_j.
        momentum: sum of m c_i over composite i.
        moment: sum of m cross(r, c_i) over composite i.
        places: twice the sum of m cross(dr/dt, c_i) over composite i.
        w: angular velocity of body j (rad/s), in its axes like all vectors.
        lam: acceleration difference matrix lambda of body j (1/s^2).
        a: acceleration of the origin of body j minus gravity (m/s^2).
    """
    first, second = w.cross(unit_z()), lam[:, 2]
    return angular * (
        second.dot(moment) + first.dot(places) + momentum.cross(a)[2]
    ) + linear * second.dot(momentum)


def record_velocity_derivatives(
    recording: Recording, velocities: tuple[Quantity, ...], in_fall: bool = False
) -> tuple[JointMatrix, CoriolisEntries]:
    """Record the derivatives of the joint forces by the joint velocities.

    These derivatives do not depend on joint accelerations or gravity.

    Args:
        recording: program under construction. Its recorder has to be memoised: a formula that is
            applied twice to the same values is recorded once.
        velocities: joint velocities qd, one for every entry of the velocity vector v.
        in_fall: whether a floating base is in free fall (`bases.FloatingBase`): the acceleration of
            its origin does not depend on the velocities.

    Returns:
        The derivatives by (row, column), which are indices in v; absent derivatives are zero. The
        second result contains intermediate results for `record_position_derivatives`.
    """
    # Only w of every body is used. Its names already belong to the motion with accelerations.
    with recording.recorder.suppress_names():
        bodies = record_body_motions(
            recording, JointMotion(velocities, recording.zeros, gravity=False)
        )
    twice_w = tuple(
        (2 * motion.angular_velocity).name(TWICE_W(i)) for i, motion in enumerate(bodies, start=1)
    )
    # All results are linear in the velocities, so they are twice the entries of the Coriolis
    # matrix.
    twice_qd = tuple(2 * velocity for velocity in velocities)
    # z' is the mean of the axis's changes with its body and with its carrier; both are equal for a
    # joint with one axis.
    turning = tuple(
        body.find_axis_velocity(twice, velocities)
        for twice, body in zip(twice_w, recording.bodies, strict=True)
    )
    found = record_coriolis_matrix(recording, twice_w, twice_qd, DERIVATIVE_SYMBOLS, turning)
    of_base = find_base(recording).record_velocity_columns(velocities, found, in_fall)
    return sum_matrix(recording, {**found.matrix, **of_base}), found


def record_position_derivatives(
    recording: Recording, motion: JointMotion, contacts: Contacts, found: CoriolisEntries
) -> tuple[JointMatrix, Mapping[int, Wrench]]:
    """Record the derivatives of the joint forces by the joint positions.

    Args:
        recording: program under construction. Its recorder has to be memoised: a formula that is
            applied twice to the same values is recorded once.
        motion: velocities and accelerations of all joints. If `motion.gravity` is False, the
            derivatives by small motions of a floating base are zero.
        contacts: external wrenches by body index, constant in the body's axes. For forces that are
            constant in base axes, `contact_derivatives` computes further terms.
        found: the second result of `record_velocity_derivatives`, for the same velocities.

    Returns:
        The derivatives by (row, column), which are indices in the velocity vector v; absent
        derivatives are zero. The second result has one wrench for each body except a floating base,
        by body index. It is the derivative, by the joint's position, of the inertial force and
        moment on all bodies that the joint moves, minus external wrenches. The wrench is in the
        axes of the last body on the path to the base, about its origin.
    """
    # f and n of every joint: the sum of m A over its composite, minus external wrenches.
    loads = record_joint_loads(recording, motion, contacts)
    with recording.recorder.suppress_names():
        bodies = record_body_motions(recording, motion)  # the same motions as for the loads
    # w, lambda and a of every body, in its own axes.
    motions = [
        body.record_carrier_motion(each, motion)
        for body, each in zip(recording.bodies, bodies, strict=True)
    ]
    entries: dict[tuple[int, int], Quantity] = {}
    on_composites: dict[int, Wrench] = {}
    for joint in recording.carried:
        joint.begin_section("Derivatives by position, joint")
        (column,) = joint.numbers
        angular, linear, w_lam_a = joint.angular, joint.linear, motions[joint.index]
        whole, flow, load = (
            found.composites[joint.index],
            found.motions[joint.index],
            loads[joint.index].wrench,
        )
        # All in the axes of the joint's body, about its origin. The load of the joint is the sum of
        # m A.
        mass, s, inertia = whole.mass, whole.first_moment, whole.inertia
        derivative = Wrench(
            force_derivative(angular, linear, mass, s, flow.momentum, *w_lam_a, load.force),
            moment_derivative(
                angular, linear, s, inertia, flow.flux, *w_lam_a, load.force, load.moment
            ),
        )
        child = joint
        for body, unit in found.paths[joint.index]:
            if body is not joint:
                # A force and a moment transform like a wrench, to the axes and the origin of
                # `body`.
                derivative = child.carry_inward(derivative)
                if body is not recording.floating_base:
                    momenta, place = (
                        (unit.momentum, unit.moment, unit.places),
                        (column, body.numbers[0]),
                    )
                    # Here `body` is j of the formula and `joint` is i: row of the joint, column of
                    # the body.
                    below = derivative_below(
                        body.angular, body.linear, *momenta, *motions[body.index]
                    )
                    entries[place] = below.name(TAUQ(*place))
            pair = joint.number, body.number
            derivative = derivative.name(FQ(*pair), NQ(*pair))
            for row, entry in zip(body.numbers, body.project(derivative), strict=True):
                entry = body.add_turned_axis(entry, joint, load.moment)
                entries[row, column] = entry.name(TAUQ(row, column))
            child = body
        on_composites[joint.index] = derivative
    if motion.gravity:
        # A rotation of the base changes gravity in its axes; nothing else depends on its pose.
        entries |= find_base(recording).record_rotation_columns(found)
    return sum_matrix(recording, entries), on_composites
