"""Joint forces M qdd_r + C(q, qd) qd_r + g of a reference motion at the actual velocities qd.

M is the mass matrix, C the Coriolis matrix, g are the forces against gravity, and qd_r and qdd_r
the reference velocity and acceleration of the joints. The formula is eq. 8 of Slotine and Li, "On
the Adaptive Control of Robot Manipulators", International Journal of Robotics Research 6(3), 1987.
The recursion is from Niemeyer and Slotine, "Performance in Adaptive Manipulator Control",
International Journal of Robotics Research 10(2), 1991.

The reference velocity of a particle of mass m is u = J qd_r, where J qd is its actual velocity. The
joint forces are the sum of m J^T du/dt over all particles, where particles and joint axes move with
the actual velocities. This sum is M qdd_r + C qd_r. A body has the angular velocity w and the
reference angular velocity wr, and its origin has the reference velocity u0. Its point r has the
reference velocity u0 + cross(wr, r). The time derivative of this velocity is a + lambda r with a =
d(u0)/dt and

    lambda r = cross(wd, r) + cross(wr, cross(w, r)), wd = d(wr)/dt.

With this lambda, the Newton-Euler recursion computes the joint forces of the reference motion.
Because lambda contains two different angular velocities, moments are computed from second moments
and lambda.
"""

from __future__ import annotations

from collections.abc import Iterable

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
from dynagen.dynamics.algorithms.rotations import unit_z
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix, Rational
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE

VELOCITY, ACCELERATION = "qd_reference", "qdd_reference"
"""Names of the inputs for the reference velocity and acceleration of the joints."""

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
    """Return the matrix lambda with lambda r = cross(wd, r) + cross(wr, cross(w, r)), shape (3, 3).

    w is the angular velocity of a body, wr its angular velocity in the reference motion, and wd the
    time derivative of wr. lambda r (m/s^2) is the time derivative of the reference velocity of the
    point r, minus that of the origin.
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
    """Return the reference acceleration of a body's origin in its axes (m/s^2).

    A reference acceleration is the time derivative of a reference velocity, minus gravity. z is the
    joint axis, and all vectors are in the axes of the body.

    Args:
        carried: reference acceleration of the point where the displacement along z begins (m/s^2).
        difference: the matrix lambda of the body, as from `reference_difference` (1/s^2).
        displacement: displacement along z to the body's origin (m).
        linear: translation of the joint along z per unit of its position.
        across: qd wr + qd_r w, with the actual and the reference velocity qd and qd_r of the joint,
            and the actual and the reference angular velocity w and wr of the body.
        change: qdd_r, the reference acceleration of the joint.
    """
    along = Matrix([across[1], -across[0], 0]) + change * unit_z()
    return carried + displacement * difference[:, 2] + linear * along


@formula
def second_moments_of(inertia: Matrix) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of the second moments tr(J)/2 1 - J of a body.

    `inertia` is Jxx, Jyy, Jzz, Jxy, Jxz, Jyz (kg m^2).
    """
    xx, yy, zz, xy, xz, yz = inertia
    half = Rational(1, 2)
    diagonal = (half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz))
    return Matrix([*diagonal, -xy, -xz, -yz])


def record_reference_dynamics(recording: Recording) -> tuple[Quantity, ...]:
    """Record M qdd_reference + C qd_reference + g, the joint forces of a reference motion.

    M is the mass matrix, C the Coriolis matrix at the actual velocities, and g are the forces
    against gravity. The inputs are q, qd, `qd_reference` and `qdd_reference`. The result has one
    scalar (N m or N) for every joint velocity.
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
    """Record the inertial force and moment of a body for the reference motion.

    The wrench is in the axes of the body, about its origin.
    """
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

    `parent` contains the motions of the parent, in the parent's axes.
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
    """Return three quantities as a tuple."""
    first, second, third = quantities
    return first, second, third
