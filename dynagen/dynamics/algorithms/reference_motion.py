"""Inverse dynamics of a reference motion, M qdd_r + C(q, qd) qd_r + g, at actual velocities qd.

The formula of these joint forces is eq. 8 of Slotine and Li, "On the Adaptive Control of Robot
Manipulators", International Journal of Robotics Research 6(3), 1987. The recursion is from Niemeyer
and Slotine, "Performance in Adaptive Manipulator Control", International Journal of Robotics
Research 10(2), 1991.

The reference velocity of a particle is u = J v_r, with the reference velocities v_r of the joints.
The joint forces are the sum of m J^T du/dt over all particles, where particles and joint axes move
with the actual velocities. The joint forces equal M dv_r/dt + C v_r with the Coriolis matrix C of
the module `coriolis`, because the entry C_ij is the sum of m x_i.(dx_j/dt). In a body with angular
velocity w and reference angular velocity wr, the reference velocity of the point r is ur + wr x r.
The time derivative of this reference velocity is a + lambda r with

    lambda r = wd x r + wr x (w x r), wd = d(wr)/dt.

With this lambda, the Newton-Euler recursion computes the joint forces of the reference motion. As
lambda contains two different angular velocities, moments are computed from second moments and
lambda.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Matrix, Rational

from dynagen.dynamics.algorithms.motions import Angular, ReferenceMotion
from dynagen.dynamics.algorithms.newton_euler import (
    BF,
    BM,
    LAMBDA,
    A,
    F,
    N,
    W,
    acceleration_at,
    angular_acceleration,
    angular_velocity,
    body_force,
    body_moment_by_difference,
    joint_velocity,
    record_joint_forces,
)
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody, sum_forces
from dynagen.dynamics.algorithms.rotations import Z
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE

VELOCITY, ACCELERATION = "qd_reference", "qdd_reference"
"""Names of the inputs for the reference motion."""

WR = Symbol("wr", "i", VECTOR, "reference angular velocity of body i", "rad/s")
WRD = Symbol(
    "wrd",
    "i",
    VECTOR,
    "derivative by time of the reference angular velocity of body i",
    "rad/s^2",
    "Niemeyer and Slotine 1991",
)


# All vectors of a formula are in the axes of one body.


@formula
def reference_difference(w: Matrix, wr: Matrix, wd: Matrix) -> Matrix:
    """Return the matrix lambda with lambda r = wd x r + wr x (w x r) for all body points r.

    w is the angular velocity of the body, wr its reference angular velocity and wd the time
    derivative of wr, in the axes of the body. The result has shape (3, 3), in 1/s^2.
    """
    product = w * wr.T
    xx, yy, zz = (product[axis, axis] for axis in range(3))
    return Matrix(
        [
            [-(yy + zz), product[0, 1] - wd[2], product[0, 2] + wd[1]],
            [product[1, 0] + wd[2], -(xx + zz), product[1, 2] - wd[0]],
            [product[2, 0] - wd[1], product[2, 1] + wd[0], -(xx + yy)],
        ]
    )


@formula
def reference_origin_acceleration(
    carried: Matrix,
    difference: Matrix,
    displacement: Expr,
    linear: Expr,
    across: Matrix,
    change: Expr,
) -> Matrix:
    """Return the acceleration of the origin: carried + d lambda z + linear (across x z + qdd_r z).

    The acceleration (m/s^2) is the time derivative of the reference velocity. All vectors are in
    the axes of the body, and z is its joint axis.

    Args:
        carried: acceleration of the point where the displacement along z begins (m/s^2).
        difference: lambda of the body (1/s^2).
        displacement: d, the displacement along z to the origin (m).
        linear: translation of the joint along z per unit of its position.
        across: qd wr + qd_r w; the axis turns at w, and the displacement grows at qd.
        change: qdd_r, the reference acceleration of the joint.
    """
    along = Matrix([across[1], -across[0], 0]) + change * Z
    return carried + displacement * difference[:, 2] + linear * along


@formula
def second_moments_of(inertia: Matrix) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of the second moments tr(J)/2 1 - J of a body.

    `inertia` is Jxx, Jyy, Jzz, Jxy, Jxz, Jyz; both tensors are in kg m^2, about the same point.
    """
    xx, yy, zz, xy, xz, yz = inertia
    half = Rational(1, 2)
    diagonal = (half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz))
    return Matrix([*diagonal, -xy, -xz, -yz])


def record_reference_dynamics(recording: Recording) -> tuple[Quantity, ...]:
    """Record the joint forces of a reference motion at the actual velocities (N m or N).

    The forces M qdd_reference + C(q, qd) qd_reference + g have one scalar for every entry of v. M
    is the mass matrix, C the Coriolis matrix, and g the forces against gravity.
    """
    motions = record_reference_motions(recording)
    changes = recording.add_elements(ACCELERATION)
    # Only lambda, a and the wrenches differ from Newton-Euler; the inward sweep is the same.
    wrenches = [
        _record_body_wrench(body, motion)
        for body, motion in zip(recording.bodies, motions, strict=True)
    ]
    forces: list[tuple[Quantity, ...]] = []
    for body in reversed(recording.bodies):
        body.begin_section("Inward, body")
        wrench = wrenches[body.index].name(F(body.number), N(body.number))
        forces.append(record_joint_forces(body, wrench, changes))
        if body.parent != BASE:
            wrenches[body.parent] += body.carry_inward(wrench)
    return sum_forces(recording, forces[::-1])


def _record_body_wrench(body: ResolvedBody, motion: ReferenceMotion) -> Wrench:
    """Record the force and the moment of a body's inertia for the reference motion."""
    s, difference, a = body.first_moment, motion.difference, motion.acceleration
    second = body.second_moments or second_moments_of(body.inertia)
    force = body_force(body.mass, a, difference, s)
    moment = body_moment_by_difference(second, difference, s, a)
    return Wrench(force, moment).name(BF(body.number), BM(body.number))


def record_reference_motions(recording: Recording) -> tuple[ReferenceMotion, ...]:
    """Record actual and reference motions of all bodies, each in the axes of its body.

    The inputs are qd, `qd_reference` and `qdd_reference`. The motions are in the order of the
    bodies.
    """
    zero, nothing = recording.add_constant(0, 0, 0), recording.add_constant(0)
    up = recording.add_constant(*(-component for component in recording.model.gravity))
    rest = recording.recorder.add_constant_matrix([(0, 0, 0)] * 3)
    base = ReferenceMotion(*(zero,) * 3, (zero,) * 3, (nothing,) * 3, rest, up)
    motions = {BASE: base}
    for body in recording.bodies:
        body.begin_section("Outward, body")
        motions[body.index] = body.record_reference_motion(recording, motions[body.parent])
    return tuple(motions[body.index] for body in recording.bodies)


def record_axis_reference(
    recording: Recording, body: ResolvedBody, parent: ReferenceMotion
) -> ReferenceMotion:
    """Record the reference motion of a body whose joint moves about or along z, in its axes.

    `parent` is the actual and the reference motion of the body's parent, in the parent's axes.
    """
    i, entry, nothing = body.number, body.entry, recording.add_constant(0)
    qd, change = recording.velocities[entry], recording.add_element(ACCELERATION, entry)
    qd_reference = recording.add_element(VELOCITY, entry)
    # Velocities about parallel axes are added as scalars, as in `newton_euler`.
    carried, before = (
        (parent.carried, parent.about_z)
        if body.placement.is_parallel
        else (
            (parent.angular_velocity, parent.reference_velocity, parent.reference_acceleration),
            (nothing,) * 3,
        )
    )
    carried = _three(body.rotate_outward(each) for each in carried)
    about = _three(
        joint_velocity(of_parallel, body.angular, own)
        for of_parallel, own in zip(before, (qd, qd_reference, change), strict=True)
    )
    w = angular_velocity(carried[0], about[0]).name(W(i))
    wr = angular_velocity(carried[1], about[1]).name(WR(i))
    # z turns with the actual velocity: the derivative of about z is change z + about w x z.
    wd = angular_acceleration(carried[2], w, about[1], about[2]).name(WRD(i))
    difference = reference_difference(w, wr, wd).name(LAMBDA(i))
    foot = acceleration_at(parent.acceleration, parent.difference, body.translation)
    across = qd * wr + qd_reference * w
    a = reference_origin_acceleration(
        body.rotate_outward(foot), difference, body.displacement, body.linear, across, change
    ).name(A(i))
    return ReferenceMotion(w, wr, wd, carried, about, difference, a)


def _three(quantities: Iterable[Quantity]) -> Angular:
    """Return three quantities as a tuple of length three."""
    first, second, third = quantities
    return first, second, third
