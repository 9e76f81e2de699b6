"""Derivatives of the kinetic energy by the joint positions, C^T qd: RobotModel, frames and rates -> one scalar a joint.

With dx_j/dt for the rate of change of the velocity that a unit rate of joint j gives to a particle at x, entry j of C^T qd is
the sum of m x' . dx_j/dt over what the joint carries: it takes the linear momentum P of that and its angular momentum H about
the origin, and nothing that belongs to a pair of joints. So C^T qd costs O(n) operations, without C:
A. De Luca, A. Albu-Schaffer, S. Haddadin, G. Hirzinger, "Collision Detection and Safe Reaction with the DLR-III Lightweight
Manipulator Arm", IROS 2006, use it as dM/dt qd - C qd.
"""

from __future__ import annotations

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z, sum_of, symmetric
from dynagen.dynamics.algorithms.composite import carry_inward
from dynagen.dynamics.algorithms.coordinates import sum_forces
from dynagen.dynamics.algorithms.coriolis import velocity_across, velocity_along
from dynagen.dynamics.algorithms.floating_base import LINEAR, vector
from dynagen.dynamics.algorithms.frames import Frames, joint_constants
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, RobotModel

V = Symbol("v", "i", VECTOR, "velocity of the origin of body i", "m/s")
PT = Symbol("pt", "i", VECTOR, "linear momentum of body i and all that it carries", "kg m/s")
HT = Symbol(
    "ht",
    "i",
    VECTOR,
    "angular momentum of body i and all that it carries, about its origin",
    "kg m^2/s",
)
KEQ = Symbol("keq", "i", SCALAR, "derivative of the kinetic energy by q_i")


@formula
def linear_momentum(mass: Expr, v: Matrix, w: Matrix, first_moment: Matrix) -> Matrix:
    """Linear momentum P = m v + w x s."""
    return mass * v + w.cross(first_moment)


@formula
def angular_momentum(inertia: Matrix, w: Matrix, first_moment: Matrix, v: Matrix) -> Matrix:
    """Angular momentum about the origin, H = J w + s x v."""
    return symmetric(inertia) * w + first_moment.cross(v)


@formula
def energy_derivative(
    angular: Expr, linear: Expr, w: Matrix, v: Matrix, momentum: Matrix, moment: Matrix
) -> Expr:
    """Sum of m x' . dx_j/dt with z' = w x z: angular (z'.H - z.(v x P)) + linear z'.P."""
    axis_change = w.cross(Z)
    return angular * (axis_change.dot(moment) - v.cross(momentum)[2]) + linear * axis_change.dot(
        momentum
    )


@formula
def momentum_across(momentum: Matrix, w: Matrix) -> Matrix:
    """Sum of m x' . de/dt for the axes e of a floating base, which change by w x e: e.(P x w)."""
    return momentum.cross(w)


@formula
def moment_across(momentum: Matrix, moment: Matrix, w: Matrix, v: Matrix) -> Matrix:
    """Sum of m x' . d(e x r)/dt for rotations about these axes, d(e x r)/dt = (w x e) x r + e x r': e.(H x w + P x v)."""
    return moment.cross(w) + momentum.cross(v)


def record_energy_derivatives(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    angular_velocities: tuple[Quantity, ...],
    velocities: tuple[Quantity, ...],
) -> tuple[Quantity, ...]:
    """Record C^T qd, one scalar for every entry of v, from the bodies' angular velocities and v."""
    of_origins = _record_velocities(recorder, model, frames, angular_velocities, velocities)
    momenta = [
        (
            recorder.apply(
                linear_momentum, recorder.constant(body.inertial.mass), v, w, frame.first_moment
            ),
            recorder.apply(angular_momentum, frame.inertia, w, frame.first_moment, v),
        )
        for body, frame, w, v in zip(
            model.bodies, frames, angular_velocities, of_origins, strict=True
        )
    ]
    derivatives: list[tuple[Quantity, ...]] = []
    for index, body in model.inward():
        recorder.section(f"Momenta, body {index + 1} ({body.name})")
        # The momenta of all that the joint carries: those of the body and, carried inward, those of its children.
        momentum, moment = momenta[index]
        momentum, moment = (
            recorder.name(PT(index + 1), momentum),
            recorder.name(HT(index + 1), moment),
        )
        w, v = angular_velocities[index], of_origins[index]
        if body.is_free:
            across = recorder.apply(momentum_across, momentum, w)
            derivatives.append((*across, *recorder.apply(moment_across, momentum, moment, w, v)))
            continue
        angular, linear = joint_constants(recorder, body)
        derivatives.append(
            (
                recorder.record(
                    KEQ(index + 1), energy_derivative, angular, linear, w, v, momentum, moment
                ),
            )
        )
        if body.parent != BASE:
            carried = carry_inward(recorder, frames[index], momentum, moment)
            whole, about = momenta[body.parent]
            momenta[body.parent] = (
                recorder.apply(sum_of, whole, carried[0]),
                recorder.apply(sum_of, about, carried[1]),
            )
    return sum_forces(recorder, model, derivatives[::-1])


def _record_velocities(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    angular_velocities: tuple[Quantity, ...],
    velocities: tuple[Quantity, ...],
) -> tuple[Quantity, ...]:
    """Record the velocities of all origins."""
    rest = recorder.constant(0, 0, 0)
    of_origins: list[Quantity] = []
    for index, body in enumerate(model.bodies):
        recorder.section(f"Velocity, body {index + 1} ({body.name})")
        if body.is_free:
            of_origins.append(vector(velocities[LINEAR]))
            continue
        frame, parent = frames[index], body.parent
        w, v = (rest, rest) if parent == BASE else (angular_velocities[parent], of_origins[parent])
        foot = frame.outward(
            recorder,
            recorder.apply(sum_of, v, recorder.apply(velocity_across, w, frame.translation)),
        )
        along = recorder.apply(
            velocity_along,
            frame.displacement,
            angular_velocities[index],
            recorder.constant(body.linear),
            velocities[body.joint.idx_v],
        )
        of_origins.append(recorder.record(V(index + 1), sum_of, foot, along))
    return tuple(of_origins)
