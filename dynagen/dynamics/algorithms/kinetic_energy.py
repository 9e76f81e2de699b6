"""Derivatives of the kinetic energy by the joint positions, C^T qd.

Entry j of C^T qd is the sum of m x' . dx_j/dt over all that joint j carries. Here x_j is the
velocity that a unit velocity of joint j adds to a particle at x (see `coriolis`). The sum follows
from the linear momentum P of these bodies and their angular momentum H about the origin, without
any quantity of a pair of joints. So C^T qd costs O(n) operations, without C. A. De Luca, A.
Albu-Schaffer, S. Haddadin, G. Hirzinger, "Collision Detection and Safe Reaction with the DLR-III
Lightweight Manipulator Arm", IROS 2006, use it as dM/dt qd - C qd.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.coriolis import velocity_along
from dynagen.dynamics.algorithms.frames import LINEAR
from dynagen.dynamics.algorithms.newton_euler import BodyMotion
from dynagen.dynamics.algorithms.recording import Recording, Wrench, sum_forces
from dynagen.dynamics.algorithms.rotations import Z, unpack
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.ir.symbols import SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE

V = Symbol("v", "i", VECTOR, "velocity of the origin of body i", "m/s")
PT = Symbol("pt", "i", VECTOR, "linear momentum of body i and all bodies that it carries", "kg m/s")
HT = Symbol(
    "ht",
    "i",
    VECTOR,
    "angular momentum of body i and all bodies that it carries, about its origin",
    "kg m^2/s",
)
KEQ = Symbol("keq", "i", SCALAR, "derivative of the kinetic energy by q_i")


# All vectors of a formula are in the axes of one body, about its origin.


@formula
def linear_momentum(mass: Expr, v: Matrix, w: Matrix, first_moment: Matrix) -> Matrix:
    """Return the linear momentum P = m v + w x s."""
    return mass * v + w.cross(first_moment)


@formula
def angular_momentum(inertia: Matrix, w: Matrix, first_moment: Matrix, v: Matrix) -> Matrix:
    """Return the angular momentum about the origin: H = J w + s x v."""
    return unpack(inertia) * w + first_moment.cross(v)


@formula
def energy_derivative(
    angular: Expr, linear: Expr, w: Matrix, v: Matrix, momentum: Matrix, moment: Matrix
) -> Expr:
    """Return the sum of m x' . dx_j/dt: angular (z'.H - z.(v x P)) + linear z'.P, z' = w x z."""
    # z' = w x z, the derivative of the joint axis.
    axis_change = w.cross(Z)
    # d(z x r)/dt = z' x r + z x (x' - v): the second term gives -z.(v x P).
    return angular * (axis_change.dot(moment) - v.cross(momentum)[2]) + linear * axis_change.dot(
        momentum
    )


@formula
def moment_across(momentum: Matrix, moment: Matrix, w: Matrix, v: Matrix) -> Matrix:
    """Return H x w + P x v: C^T qd for rotations of a floating base.

    For a rotation about an axis e of the base the sum of m x' . d(e x r)/dt is e.(H x w + P x v),
    with d(e x r)/dt = (w x e) x r + e x r'.
    """
    return moment.cross(w) + momentum.cross(v)


def record_energy_derivatives(
    recording: Recording, motions: Sequence[BodyMotion]
) -> tuple[Quantity, ...]:
    """Record C^T qd, one scalar for every entry of v, from the bodies' motions at the input qd."""
    velocities = record_velocities(recording, motions)
    momenta = [
        Wrench(
            linear_momentum(body.mass, v, motion.angular_velocity, body.first_moment),
            angular_momentum(body.inertia, motion.angular_velocity, body.first_moment, v),
        )
        # Momenta of each body alone, in its axes, about its origin.
        for body, motion, v in zip(recording.bodies, motions, velocities, strict=True)
    ]
    derivatives: list[tuple[Quantity, ...]] = []
    for body in reversed(recording.bodies):
        body.begin_section("Momenta, body")
        # Momenta of the body plus the momenta of its children, which were carried inward to it.
        carried = momenta[body.index].name(PT(body.number), HT(body.number))
        momentum, moment = carried.force, carried.moment
        # Velocity of the body's axes and origin, in the body's axes.
        w, v = motions[body.index].angular_velocity, velocities[body.index]
        if body.is_free:
            # The axes e of a floating base have e' = w x e: the sum of m x' . e' is e.(P x w).
            derivatives.append((*momentum.cross(w), *moment_across(momentum, moment, w, v)))
            continue
        derivative = energy_derivative(body.angular, body.linear, w, v, momentum, moment)
        derivatives.append((derivative.name(KEQ(body.number)),))
        # To the parent's axes and origin; momenta transform like a wrench.
        if body.parent != BASE:
            momenta[body.parent] += body.carry_inward(carried)
    return sum_forces(recording, derivatives[::-1])


def record_velocities(recording: Recording, motions: Sequence[BodyMotion]) -> list[Quantity]:
    """Record the velocities of all origins, each in the axes of its body (m/s)."""
    rest = recording.add_constant(0, 0, 0)
    velocities: list[Quantity] = []
    for body, motion in zip(recording.bodies, motions, strict=True):
        body.begin_section("Velocity, body")
        if body.is_free:
            velocities.append(join(recording.velocities[LINEAR]))
            continue
        parent = body.parent
        w, v = (
            (rest, rest)
            if parent == BASE
            else (motions[parent].angular_velocity, velocities[parent])
        )
        # Velocity of the foot in the parent's axes, then in the body's.
        foot = body.rotate_outward(v + w.cross(body.translation))
        # The second part of the displacement, along z of the body.
        qd = recording.velocities[body.entry]
        along = velocity_along(body.displacement, motion.angular_velocity, body.linear, qd)
        velocities.append((foot + along).name(V(body.number)))
    return velocities
