"""Derivatives of inverse dynamics by joint positions and velocities, in O(n^2) operations.

An analytic recursion, like the one of S. Singh, R. P. Russell, P. M. Wensing, "Efficient Analytical
Derivatives of Rigid Body Dynamics Using Spatial Vector Algebra", IEEE Robotics and Automation
Letters 7(2), 2022, but in first and second moments and without linear velocities, as in `coriolis`.

A unit of joint j moves a particle at x by x_j = z x r, with r = x - o from the origin o of body j.
It changes the particle's acceleration minus gravity, A, where a is the acceleration of o, by

    dA/dq_j  = z" x r + 2 z' x r' + z x (A - a),    z' = w x z,
    dA/dqd_j = 2 (z' x r + z x r'),                z" = lambda z;

for a translation x_j = z, dA/dq_j = z" and dA/dqd_j = 2 z'. Summed over composite j, with the
moment that x_j adds by moving the points of attack of the forces, these are a force and a moment,
which are carried inward. Their components along the joints i <= j are column j on and above the
diagonal. Below the diagonal, for a joint i beyond joint j, the sum of m x_i . dA/dq_j uses only the
momenta p and h of joint i, and hx of the Coriolis matrix. There z x A is omitted: it rotates
everything beyond joint j as a whole, forces and axes included. This changes no component of a force
along an axis.

The derivatives by the velocities are linear in the velocities: twice the Coriolis matrix.
`coriolis` records them for twice the velocities.

The columns of a floating base are derivatives in the tangent space, as in Pinocchio: by small
motions along and about the axes of the base, and by the components v and w of its velocities in
these axes. In the axes of the base,

- translations of the base change nothing. A small rotation e changes only gravity in its axes: up
  changes by up x e.
- v and w change the acceleration of the base's origin, dv/dt + w x v + up, by w x e and e x v.
- w also changes the acceleration of a particle at r from the origin by 2 e x r' + (w x e) x r. Here
  r' is the derivative of r in axes that do not rotate. For an axis of a joint w x e counts twice,
  as the axis rotates with the base.

The Coriolis matrix is the same with r' and hx once instead of twice, and without v: the sum of m
x_j . dx/dt, x = e x r. Summed over a joint's composite, with x_j at its unit velocity, these use
the momenta p and h of the mass matrix and hx = 2 sum of m r' x x_j, about the base's origin. Summed
over the whole robot they use its first moments, its inertia, P = 2 sum of m r' and V = 2 sum of m
r' r^T.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Matrix, eye

from dynagen.dynamics.algorithms.coriolis import (
    CoriolisEntries,
    CoriolisSymbols,
    record_coriolis_matrix,
)
from dynagen.dynamics.algorithms.external_wrenches import Contacts
from dynagen.dynamics.algorithms.frames import ANGULAR, LINEAR, record_up
from dynagen.dynamics.algorithms.newton_euler import record_body_motions, record_joint_loads
from dynagen.dynamics.algorithms.recording import (
    JointMatrix,
    JointMotion,
    Recording,
    Wrench,
    sum_matrix,
)
from dynagen.dynamics.algorithms.rotations import Z, unpack
from dynagen.dynamics.algorithms.spherical_joints import record_carrier_motion, record_turned_axis
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol

# The vectors of the next five formulas are in the axes of the floating base, about its origin.


@formula
def by_base_angular_velocity(
    momentum: Matrix, moment: Matrix, places: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivative of a joint's force by w of a floating base: hx + h x w + v x p.

    p (`momentum`), h (`moment`) and hx (`places`) belong to the joint's composite at a unit
    velocity of the joint. All vectors are in the axes of the base, about its origin.
    """
    return places + moment.cross(w) + v.cross(momentum)


@formula
def base_force_across(mass: Expr, vector: Matrix) -> Matrix:
    """Return m [u x], 3 x 3: the derivative of the force on the base by its motion e.

    e accelerates the origin of the base by u x e; u is `vector`, and m the mass of the robot.
    """
    return mass * vector.hat()


@formula
def base_moment_across(first_moment: Matrix, vector: Matrix) -> Matrix:
    """Return [s x] [u x], 3 x 3: the derivative of the moment on the base by its motion e.

    e accelerates the origin of the base by u x e; u is `vector`, s the robot's first moment.
    """
    return first_moment.hat() * vector.hat()


@formula
def base_force_by_angular_velocity(
    mass: Expr, first_moment: Matrix, momentum: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivative of the base's force by w: -[P x] - [s x] [w x] - m [v x].

    It is the sum of m (2 e x r' + (w x e) x r + e x v) for a change e of w, with P = 2 sum of m r'
    (`momentum`) and s (`first_moment`) of the whole robot, in the axes of the base.
    """
    return -momentum.hat() - first_moment.hat() * w.hat() - mass * v.hat()


@formula
def base_moment_by_angular_velocity(
    first_moment: Matrix, inertia: Matrix, flux: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivative of the base's moment by w: tr(V) 1 - V + J [w x] - [s x] [v x].

    It is the sum of m r x (2 e x r' + (w x e) x r + e x v) for a change e of w, with V = 2 sum of
    m r' r^T (`flux`), J and s of the whole robot, in the axes of the base, about its origin.
    """
    return flux.trace() * eye(3) - flux + unpack(inertia) * w.hat() - first_moment.hat() * v.hat()


@dataclass(frozen=True)
class BaseMotion:
    """Velocities of a floating base, in its axes.

    Attributes:
        linear: velocity of its origin (m/s).
        angular: angular velocity (rad/s).
        in_fall: whether w x v is omitted from the acceleration of the origin
            (`frames.make_fall_motion`).
    """

    linear: Quantity
    angular: Quantity
    in_fall: bool


def record_base_velocity_columns(
    recording: Recording, motion: BaseMotion, found: CoriolisEntries
) -> JointMatrix:
    """Record the derivatives by the velocities of a floating base.

    Args:
        recording: recording of the function for the robot.
        motion: motion of its base.
        found: the other entries, for twice the velocities. For the velocities themselves the result
            belongs to the Coriolis matrix.

    Returns:
        Columns of the base's entries, by the numbers of `number_entries`.
    """
    v, w = motion.linear, motion.angular
    base = recording.bodies[0].numbers
    recording.begin_section("Derivatives by the velocities of the base")
    # By v: w x e accelerates the origin. In free fall this term is omitted.
    entries = {} if motion.in_fall else _columns_across(recording, w, found, base[LINEAR])
    for joint, unit in found.in_base_axes.items():
        (row,) = recording.bodies[joint].numbers
        column = by_base_angular_velocity(unit.momentum, unit.moment, unit.places, w, v)
        entries |= {
            (row, number): entry for number, entry in zip(base[ANGULAR], column, strict=True)
        }
    # The composite of the base is the whole robot.
    whole, flow = found.composites[0], found.motions[0]
    force = base_force_by_angular_velocity(whole.mass, whole.first_moment, flow.momentum, w, v)
    moment = base_moment_by_angular_velocity(whole.first_moment, whole.inertia, flow.flux, w, v)
    return (
        entries
        | _block(base[LINEAR], base[ANGULAR], force)
        | _block(base[ANGULAR], base[ANGULAR], moment)
    )


def record_base_rotation_columns(recording: Recording, found: CoriolisEntries) -> JointMatrix:
    """Record the derivatives by small rotations of a floating base. Translations change nothing.

    Args:
        recording: recording of the function for the robot.
        found: the entries for the other joints, with their parts.

    Returns:
        Columns as in `record_base_velocity_columns`.
    """
    # A small rotation e of the base changes gravity in its axes: up changes by up x e.
    up = record_up(recording)
    recording.begin_section("Derivatives by rotations of the base")
    return _columns_across(recording, up, found, recording.bodies[0].numbers[ANGULAR])


def _columns_across(
    recording: Recording, vector: Quantity, found: CoriolisEntries, columns: range
) -> dict[tuple[int, int], Quantity]:
    """Record the columns of motions e that accelerate the base's origin by u x e."""
    base, whole = recording.bodies[0].numbers, found.composites[0]
    force, moment = (
        base_force_across(whole.mass, vector),
        base_moment_across(whole.first_moment, vector),
    )
    entries = {**_block(base[LINEAR], columns, force), **_block(base[ANGULAR], columns, moment)}
    for joint, unit in found.in_base_axes.items():
        (row,) = recording.bodies[joint].numbers
        # Derivative of a joint's force by e: p x u, p in the axes of the base.
        entries |= {
            (row, number): entry
            for number, entry in zip(columns, unit.momentum.cross(vector), strict=True)
        }
    return entries


def _block(rows: range, columns: range, matrix: Quantity) -> dict[tuple[int, int], Quantity]:
    """Return the entries of a matrix by rows and columns."""
    places = [(row, column) for row in rows for column in columns]
    return dict(zip(places, matrix, strict=True))


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
        "twice the sum of m r' x x_j over composite j, x_j the velocity at unit qd_j",
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
    """Return the derivative by q_j of the force on composite j: the sum of m dA/dq_j.

    It is angular (z" x s + z' x p + z x (f - m a)) + linear m z" with z' = w x z, z" = lambda z.

    Args:
        angular: rotation of joint j about z per unit of q_j.
        linear: translation of joint j along z per unit of q_j.
        mass: m of composite j (kg).
        s: first moment of composite j (kg m).
        p: twice the sum of m r' over composite j (kg m/s).
        w: angular velocity of body j.
        lam: lambda of body j.
        a: acceleration of the origin of body j minus gravity.
        force: f, the sum of m A over composite j: force that joint j transmits (N).

    Returns:
        Three components in the axes of body j.
    """
    # z' and z": first and second derivative by time of the joint axis.
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
    """Return the derivative by q_j of the moment on composite j, about the origin of body j.

    It is the sum of m (r x dA/dq_j + x_j x A), which is angular (J z" + tr(V) z' - V z' + z x n - s
    x (z x a)) + linear (s x z" + z x f). J is `inertia` of composite j, V is `flux`, 2 sum of m r'
    r^T, and n is `moment`, which joint j transmits. All others are as in `force_derivative`.
    """
    # By Jacobi's identity r x (z x A) + (z x r) x A = z x (r x A): summed it is z x n.
    first, second = w.cross(Z), lam[:, 2]
    # tr(V) z' - V z', with z' = (w_y, -w_x, 0).
    of_flux = Matrix(
        [
            (flux[1, 1] + flux[2, 2]) * first[0] - flux[0, 1] * first[1],
            (flux[0, 0] + flux[2, 2]) * first[1] - flux[1, 0] * first[0],
            -flux[2, 0] * first[0] - flux[2, 1] * first[1],
        ]
    )
    return angular * (
        unpack(inertia) * second + of_flux + Z.cross(moment) - s.cross(Z.cross(a))
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
    """Return the derivative by q_j of the force of joint i, for a joint j between i and the base.

    It is the sum of m x_i . dA/dq_j: angular (z".h + z'.hx + z.(p x a)) + linear z".p. `angular`,
    `linear`, w, lambda and a belong to joint j and body j. p (`momentum`), h (`moment`) and hx
    (`places`) belong to composite i at a unit velocity of joint i, in the axes of body j.
    """
    first, second = w.cross(Z), lam[:, 2]
    return angular * (
        second.dot(moment) + first.dot(places) + momentum.cross(a)[2]
    ) + linear * second.dot(momentum)


def record_velocity_derivatives(
    recording: Recording, velocities: tuple[Quantity, ...], in_fall: bool = False
) -> tuple[JointMatrix, CoriolisEntries]:
    """Record the derivatives of inverse dynamics by the joint velocities.

    They do not depend on the accelerations.

    Args:
        recording: recording of the function for the robot, with a memoised recorder.
        velocities: qd, one for every entry of v.
        in_fall: whether a floating base moves as in `frames.make_fall_motion`.

    Returns:
        The derivatives by rows (joint forces) and columns (entries of v), and the entries that the
            derivatives by the positions use too.
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
        twice if body.column is None else twice - body.resolve_turning(velocities)
        for twice, body in zip(twice_w, recording.bodies, strict=True)
    )
    found = record_coriolis_matrix(recording, twice_w, twice_qd, DERIVATIVE_SYMBOLS, turning)
    entries = dict(found.matrix)
    if recording.model.floats:
        base = BaseMotion(join(velocities[LINEAR]), join(velocities[ANGULAR]), in_fall)
        entries |= record_base_velocity_columns(recording, base, found)
    return sum_matrix(recording, entries), found


def record_position_derivatives(
    recording: Recording, motion: JointMotion, contacts: Contacts, found: CoriolisEntries
) -> tuple[JointMatrix, Mapping[int, Wrench]]:
    """Record the derivatives of inverse dynamics by the joint positions.

    Args:
        recording: recording of the function for the robot, with a memoised recorder.
        motion: motion of the joints. Without gravity the derivatives by positions of a floating
            base are zero.
        contacts: external wrenches on bodies, constant in their body axes. Forces that are constant
            in base axes have derivatives of their own (`contact_derivatives`).
        found: the second result of `record_velocity_derivatives`, for the same velocities.

    Returns:
        The derivatives by rows (joint forces) and columns (entries of v). And by the indices of all
            bodies except a floating base, the derivatives of force and moment on the composite by
            the body's joint: in the axes of the last body on the path to the base, about its
            origin.
    """
    # f and n of every joint: the sum of m A over its composite, minus external wrenches.
    loads = record_joint_loads(recording, motion, contacts)
    with recording.recorder.suppress_names():
        bodies = record_body_motions(recording, motion)  # the same motions as for the loads
    # w, lambda and a of every body, in its own axes.
    motions = [
        (each.angular_velocity, each.difference, each.acceleration)
        if body.column is None
        else record_carrier_motion(body, each, motion)
        for body, each in zip(recording.bodies, bodies, strict=True)
    ]
    entries: dict[tuple[int, int], Quantity] = {}
    on_composites: dict[int, Wrench] = {}
    for joint in recording.bodies:
        if joint.is_free:
            continue
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
                if not body.is_free:
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
                if body is not joint and body.is_grouped_with(joint):
                    entry = entry + record_turned_axis(body, joint, load.moment)
                entries[row, column] = entry.name(TAUQ(row, column))
            child = body
        on_composites[joint.index] = derivative
    if recording.model.floats and motion.gravity:
        # A rotation of the base changes gravity in its axes; nothing else depends on its pose.
        entries |= record_base_rotation_columns(recording, found)
    return sum_matrix(recording, entries), on_composites
