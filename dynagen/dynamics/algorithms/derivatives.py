"""Derivatives of inverse dynamics by joint positions and velocities, in O(n^2) operations.

An analytic recursion, like the one of S. Singh, R. P. Russell, P. M. Wensing, "Efficient Analytical Derivatives of Rigid Body
Dynamics Using Spatial Vector Algebra", IEEE Robotics and Automation Letters 7(2), 2022, but in first and second moments and
without linear velocities, as the Coriolis matrix is.

A unit of joint j moves a particle at x by x_j = z x r, with r = x - o from the origin of body j, and changes its acceleration
less gravity, A, where a is the acceleration of o, by

    dA/dq_j = z" x r + 2 z' x r' + z x (A - a),    dA/dqd_j = 2 (z' x r + z x r'),    z' = w x z,    z" = lambda z;

for a translation x_j = z, dA/dq_j = z" and dA/dqd_j = 2 z'. Summed over the composite of j, with the moment that x_j gives to
the forces by moving them, these are a force and a moment, which are carried inward: their components along the joints i <= j
are column j on and above the diagonal. Below it, for a joint i beyond joint j, the sum of m x_i . dA/dq_j uses only the
momenta p and h of joint i, and hx of the Coriolis matrix. There z x A is left out: it rotates everything beyond joint j as a
whole, forces and axes included, which changes no component of a force along an axis.

The derivatives by the velocities are linear in the velocities, and twice the Coriolis matrix: `coriolis` records them for
twice the velocities.
"""

from __future__ import annotations

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z, symmetric
from dynagen.dynamics.algorithms.base_derivatives import (
    BaseMotion,
    record_base_rotation_columns,
    record_base_velocity_columns,
)
from dynagen.dynamics.algorithms.contact import Contacts
from dynagen.dynamics.algorithms.coordinates import sum_matrix
from dynagen.dynamics.algorithms.coriolis import (
    CoriolisEntries,
    CoriolisSymbols,
    record_coriolis_matrix,
)
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.newton_euler import record_body_motions, record_joint_loads
from dynagen.dynamics.algorithms.recording import JointMotion, Recording, Wrench
from dynagen.dynamics.recording.formula import Quantity, formula, vector
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
        "twice the rate of change of the displacement of body i along its joint axis",
        "m/s",
    ),
    across=Symbol(
        "vvc",
        "i",
        VECTOR,
        "twice the rate of change of the constant displacement to joint i, in the parent's axes",
        "m/s",
    ),
    momentum=Symbol(
        "ccp",
        "i",
        VECTOR,
        "twice the sum of m r' over composite i, r from the origin of body i",
        "kg m/s",
    ),
    flux=Symbol(
        "ccv",
        "i",
        MATRIX,
        "twice the sum of m r' r^T over composite i, r from the origin of body i",
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
        "twice the sum of m r' x x_j over composite j, x_j the velocity at a unit rate of joint j",
    ),
    entry=Symbol(
        "tauqd",
        "ij",
        SCALAR,
        "derivative of the force of joint i by qd_j, twice an entry of the Coriolis matrix",
    ),
)


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
    """Sum of m dA/dq: angular (z" x s + z' x p + z x (f - m a)) + linear m z", with p = 2 sum of m r'."""
    first, second = w.cross(Z), lam[:, 2]
    return (
        angular * (second.cross(s) + first.cross(p) + Z.cross(force) - mass * Z.cross(a))
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
    """Sum of m (r x dA/dq + x_j x A): angular (J z" + tr(V) z' - V z' + z x n - s x (z x a)) + linear (s x z" + z x f).

    V = 2 sum of m r' r^T. By Jacobi's identity r x (z x A) + (z x r) x A = z x (r x A).
    """
    first, second = w.cross(Z), lam[:, 2]
    of_flux = Matrix(
        [
            (flux[1, 1] + flux[2, 2]) * first[0] - flux[0, 1] * first[1],
            (flux[0, 0] + flux[2, 2]) * first[1] - flux[1, 0] * first[0],
            -flux[2, 0] * first[0] - flux[2, 1] * first[1],
        ]
    )
    return angular * (
        symmetric(inertia) * second + of_flux + Z.cross(moment) - s.cross(Z.cross(a))
    ) + linear * (s.cross(second) + Z.cross(force))


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
    """Sum of m x_i . dA/dq_j for a joint j between joint i and the base: angular (z".h + z'.hx + z.(p x a)) + linear z".p."""
    first, second = w.cross(Z), lam[:, 2]
    return angular * (
        second.dot(moment) + first.dot(places) + momentum.cross(a)[2]
    ) + linear * second.dot(momentum)


def record_velocity_derivatives(
    recording: Recording, velocities: tuple[Quantity, ...], in_fall: bool = False
) -> tuple[JointMatrix, CoriolisEntries]:
    """Record the derivatives of inverse dynamics by the joint velocities; they do not depend on the accelerations.

    Args:
        recording: of the robot, its recorder memoised.
        velocities: of the joints.
        in_fall: whether the velocities of a floating base are as in `floating_base.motion_in_fall`.

    Returns:
        The derivatives, and the entries that the derivatives by the positions use too.
    """
    with recording.recorder.unnamed():
        bodies = record_body_motions(
            recording, JointMotion(velocities, recording.zeros, gravity=False)
        )
    twice_w = tuple(
        (2 * motion.angular_velocity).name(TWICE_W(i)) for i, motion in enumerate(bodies, start=1)
    )
    twice_qd = tuple(2 * velocity for velocity in velocities)
    found = record_coriolis_matrix(recording, twice_w, twice_qd, DERIVATIVE_SYMBOLS)
    entries = dict(found.matrix)
    if recording.model.floats:
        base = BaseMotion(vector(velocities[LINEAR]), vector(velocities[ANGULAR]), in_fall)
        entries |= record_base_velocity_columns(recording, base, found)
    return sum_matrix(recording, entries), found


def record_position_derivatives(
    recording: Recording, motion: JointMotion, contacts: Contacts, found: CoriolisEntries
) -> JointMatrix:
    """Record the derivatives of inverse dynamics by the joint positions.

    Args:
        recording: of the robot, its recorder memoised.
        motion: of the joints. Without gravity the derivatives by positions of a floating base are zero.
        contacts: wrenches that act on bodies from outside, constant in their body axes.
        found: the second result of `record_velocity_derivatives`, for the same velocities.
    """
    loads = record_joint_loads(recording, motion, contacts)
    with recording.recorder.unnamed():
        bodies = record_body_motions(recording, motion)  # the same motions as for the loads
    motions = [(each.angular_velocity, each.difference, each.acceleration) for each in bodies]
    entries: dict[tuple[int, int], Quantity] = {}
    for joint in recording.bodies:
        if joint.is_free:
            continue
        joint.section("Derivatives by position, joint")
        (column,) = joint.numbers
        angular, linear, w_lam_a = joint.angular, joint.linear, motions[joint.index]
        whole, flow, load = (
            found.composites[joint.index],
            found.motions[joint.index],
            loads[joint.index].wrench,
        )
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
                derivative = child.carry_inward(derivative)
                if not body.is_free:
                    momenta, place = (
                        (unit.momentum, unit.moment, unit.places),
                        (column, body.numbers[0]),
                    )
                    below = derivative_below(
                        body.angular, body.linear, *momenta, *motions[body.index]
                    )
                    entries[place] = below.name(TAUQ(*place))
            pair = joint.number, body.number
            derivative = derivative.name(FQ(*pair), NQ(*pair))
            for row, entry in zip(body.numbers, body.project(derivative), strict=True):
                entries[row, column] = entry.name(TAUQ(row, column))
            child = body
    if recording.model.floats and motion.gravity:
        entries |= record_base_rotation_columns(recording, found)
    return sum_matrix(recording, entries)
