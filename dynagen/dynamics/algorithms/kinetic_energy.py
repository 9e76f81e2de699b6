"""Derivatives C^T qd of the kinetic energy by the joint positions, with the Coriolis matrix C.

Entry j of C^T qd is the sum of m x'.(dc_j/dt) over all particles that joint j moves. x' is the
velocity of a particle of mass m, and c_j is its velocity at a unit velocity of joint j (see
`coriolis`). The sum is a function of the linear momentum P of these particles and their angular
momentum H about the origin of body j. The recursion for C^T qd therefore requires O(n) operations
for n joints, and C is not computed. De Luca, Albu-Schaffer, Haddadin and Hirzinger, "Collision
Detection and Safe Reaction with the DLR-III Lightweight Manipulator Arm", IROS 2006, compute C^T qd
as dM/dt qd - C qd with the mass matrix M.
"""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.dynamics.algorithms.coriolis import velocity_along
from dynagen.dynamics.algorithms.motions import BodyMotion
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody, sum_forces
from dynagen.dynamics.algorithms.rotations import unit_z, unpack
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
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
    """Return the linear momentum P = m v + cross(w, s) of a body (kg m/s).

    `mass` is m, v the velocity of the body's origin, w the angular velocity of the body, and
    `first_moment` is s about the origin.
    """
    return mass * v + w.cross(first_moment)


@formula
def angular_momentum(inertia: Matrix, w: Matrix, first_moment: Matrix, v: Matrix) -> Matrix:
    """Return the angular momentum H = J w + cross(s, v) of a body about its origin (kg m^2/s).

    `inertia` is J (elements xx, yy, zz, xy, xz, yz) and `first_moment` is s, both about the origin.
    w is the angular velocity, and v the velocity of the origin.
    """
    return unpack(inertia) * w + first_moment.cross(v)


@formula
def energy_derivative(
    angular: Expr, linear: Expr, w: Matrix, v: Matrix, momentum: Matrix, moment: Matrix
) -> Expr:
    """Return a joint's entry of C^T qd, with the Coriolis matrix C.

    All vectors are in the axes of the joint's body.

    Args:
        angular: rotation of the joint about z per unit of its position.
        linear: translation of the joint along z per unit of its position.
        w: angular velocity of the joint's body.
        v: velocity of the body's origin.
        momentum: linear momentum P of all bodies that the joint moves.
        moment: angular momentum H of these bodies about the body's origin.
    """
    # z' = w x z, the derivative of the joint axis.
    axis_change = w.cross(unit_z())
    # d(z x r)/dt = z' x r + z x (x' - v): the second term gives -z.(v x P).
    return angular * (axis_change.dot(moment) - v.cross(momentum)[2]) + linear * axis_change.dot(
        momentum
    )


def record_energy_derivatives(
    recording: Recording, motions: Sequence[BodyMotion]
) -> tuple[Quantity, ...]:
    """Record C^T qd with the Coriolis matrix C, one scalar (N m or N) for every joint velocity.

    `motions` are the motions of all bodies; only the angular velocities are used.
    """
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
        of_joint = []
        for number, screw in zip(body.numbers, body.screws, strict=True):
            vectors = map(screw.exchange, (w, v, momentum, moment))
            derivative = energy_derivative(screw.angular, screw.linear, *vectors)
            of_joint.append(derivative.name(KEQ(number)))
        derivatives.append(tuple(of_joint))
        # To the parent's axes and origin; momenta transform like a wrench.
        if body.parent != BASE:
            momenta[body.parent] += body.carry_inward(carried)
    return sum_forces(recording, derivatives[::-1])


def record_velocities(recording: Recording, motions: Sequence[BodyMotion]) -> list[Quantity]:
    """Record the velocities of all bodies' origins, each in the axes of its body (m/s).

    `motions` are the motions of all bodies; only the angular velocities are used.
    """
    rest = recording.add_constant(0, 0, 0)
    velocities: list[Quantity] = []
    for body, motion in zip(recording.bodies, motions, strict=True):
        body.begin_section("Velocity, body")
        parent = body.parent
        moved = (
            (rest, rest)
            if parent == BASE
            else (motions[parent].angular_velocity, velocities[parent])
        )
        velocities.append(body.record_velocity(recording, motion, moved))
    return velocities


def record_axis_velocity(
    body: ResolvedBody,
    recording: Recording,
    motion: BodyMotion,
    parent: tuple[Quantity, Quantity],
) -> Quantity:
    """Record the velocity of a body's origin in its axes (m/s), for a joint about or along z.

    `parent` contains the angular velocity of the parent body (rad/s) and the velocity of its origin
    (m/s), in the parent's axes.
    """
    # Velocity of the foot in the parent's axes, then in the body's.
    w, v = parent
    foot = body.rotate_outward(v + w.cross(body.translation))
    # The second part of the displacement, along z of the body.
    qd = recording.velocities[body.entry]
    along = velocity_along(body.displacement, motion.angular_velocity, body.linear, qd)
    return (foot + along).name(V(body.number))
