"""Coriolis matrix of Christoffel symbols: RobotModel and frames -> C with C qd the velocity forces, dM/dt - 2C skew-symmetric.

S. Echeandia, P. M. Wensing, "Numerical Methods to Compute the Coriolis Matrix and Christoffel Symbols for Rigid-Body Systems",
J. Computational and Nonlinear Dynamics 16(9), 2021, give the O(n^2) recursion over composites in spatial vectors. Here it is
written in first and second moments, without linear velocities: all that a composite has is relative to its own origin.

With x_j for what a unit rate of joint j adds to the velocity of a particle at x, M_ij is the sum of m x_i . x_j, and C_ij that
of m x_i . dx_j/dt. A rotation adds x_j = z x r, with r = x - o from the origin o of body j, so that dx_j/dt = z' x r + z x r'
with z' = w x z; a translation adds z. Summed over the composite of j, m dx_j/dt is a force p' and a moment hv that the joints
on the way to the base feel: column j on and above the diagonal. Below it m x_j . dx_i/dt asks of joint i no more than its z',
of joint j the momenta p and h of the mass matrix and hx = sum of m r' x x_j, which is the other part of dh/dt = hv + hx.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix, Rational

from dynagen.dynamics.algorithms.algebra import Z, along_axis, sum_of
from dynagen.dynamics.algorithms.composite import (
    MASS_MATRIX_LEGEND,
    Composite,
    carry_inward,
    first_moment_about,
    project_on_joint,
    record_composites,
    record_unit_momenta,
)
from dynagen.dynamics.algorithms.coordinates import sum_matrix
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames, joint_constants
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.newton_euler_steps import moment_about
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.model.model import BASE, RobotModel

ANGULAR_MOTION = ("w, wd", "angular velocity (omega), angular acceleration (alpha)")

# What the recorded names stand for; all of body i, in its own axes and about its own origin.
CORIOLIS_LEGEND = (
    *MASS_MATRIX_LEGEND,
    ANGULAR_MOTION,
    ("va, vc", "velocity of the origin against the parent's: of the way along the joint axis and of the constant one"),
    ("cp, cv", "sums of m r' and m r' r^T over the composite, r from its origin"),
    ("pd", "rate of change of p"),
    ("hv, hx", "rate of change of h: by the particles' velocities and by their places"),
    ("cor", "entry of the Coriolis matrix"),
)


@formula
def body_flux(w: Matrix, inertia: Matrix) -> Matrix:
    """Sum of m r' r^T = [w x] E with the second moments E = tr(J)/2 1 - J, for r fixed in the body."""
    xx, yy, zz, xy, xz, yz = inertia
    half = Rational(1, 2)
    x, y, z = half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz)
    return Matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) * Matrix(
        [[x, -xy, -xz], [-xy, y, -yz], [-xz, -yz, z]]
    )


@formula
def body_momentum(w: Matrix, first_moment: Matrix) -> Matrix:
    """Sum of m r' = w x s, for r fixed in the body."""
    return w.cross(first_moment)


@formula
def velocity_along(displacement: Expr, w: Matrix, linear: Expr, velocity: Expr) -> Matrix:
    """Rate of change of a way d z along a joint axis: d (w x z) + linear qd z."""
    return displacement * w.cross(Z) + linear * velocity * Z


@formula
def velocity_across(w: Matrix, way: Matrix) -> Matrix:
    """Rate of change of a way that is fixed in a body."""
    return w.cross(way)


@formula
def momentum_about(momentum: Matrix, mass: Expr, velocity: Matrix) -> Matrix:
    """Sum of m (r' + u), about a point against which the origin moves with velocity u."""
    return momentum + mass * velocity


@formula
def flux_about(flux: Matrix, momentum: Matrix, first_moment: Matrix, way: Matrix, velocity: Matrix) -> Matrix:
    """Sum of m (r' + u) (r + d)^T, about a point from which the way to the origin is d: V + (p + m u) d^T + u s^T.

    momentum: about the new point. first_moment: about the old origin.
    """
    return flux + momentum * way.T + velocity * first_moment.T


@formula
def momentum_change(angular: Expr, linear: Expr, mass: Expr, first_moment: Matrix, momentum: Matrix, w: Matrix) -> Matrix:
    """Force p' = sum of m dx_j/dt: angular (z' x s + z x sum of m r') + linear m z'."""
    axis_change = w.cross(Z)
    return angular * (axis_change.cross(first_moment) + Z.cross(momentum)) + linear * mass * axis_change


@formula
def moment_of_change(angular: Expr, linear: Expr, first_moment: Matrix, inertia: Matrix, flux: Matrix, w: Matrix) -> Matrix:
    """Moment hv = sum of m r x dx_j/dt: angular (J z' + tr(V) z - V z) + linear s x z'."""
    xx, yy, _, xy, xz, yz = inertia
    axis_change = w.cross(Z)
    turning = Matrix([xx * w[1] - xy * w[0], xy * w[1] - yy * w[0], xz * w[1] - yz * w[0]])
    moving = Matrix([-flux[0, 2], -flux[1, 2], flux[0, 0] + flux[1, 1]])
    return angular * (turning + moving) + linear * first_moment.cross(axis_change)


@formula
def moment_of_places(angular: Expr, linear: Expr, momentum: Matrix, flux: Matrix) -> Matrix:
    """Moment hx = sum of m r' x x_j: angular (tr(V) z - V^T z) + linear (sum of m r') x z."""
    return angular * Matrix([-flux[2, 0], -flux[2, 1], flux[0, 0] + flux[1, 1]]) + linear * momentum.cross(Z)


@formula
def entry_below(angular: Expr, linear: Expr, momentum: Matrix, moment: Matrix, places: Matrix, w: Matrix) -> Expr:
    """C_ji = sum of m x_j . dx_i/dt for a joint i on the way to the base: angular (z'.h + z.hx) + linear z'.p."""
    axis_change = w.cross(Z)
    return angular * (axis_change.dot(moment) + places[2]) + linear * axis_change.dot(momentum)


@dataclass(frozen=True)
class CompositeMotion:
    """How a composite body moves, in its body's axes and against its body's origin.

    Attributes:
        momentum: sum of m r'.
        flux: sum of m r' r^T.
        along, across: velocity of the origin against the parent's, in two steps: along the joint axis, in the body's axes, and
            along the constant translation, in the parent's axes.
    """

    momentum: Quantity
    flux: Quantity
    along: Quantity
    across: Quantity


def record_composite_motions(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    composites: tuple[Composite, ...],
    angular_velocities: tuple[Quantity, ...],
    velocities: tuple[Quantity, ...],
) -> tuple[CompositeMotion, ...]:
    """Record how all composites move: from the bodies' angular velocities and the joints' rates, in which it is linear."""
    flux = [recorder.apply(body_flux, w, frame.inertia) for w, frame in zip(angular_velocities, frames, strict=True)]
    momentum = [
        recorder.apply(body_momentum, w, frame.first_moment) for w, frame in zip(angular_velocities, frames, strict=True)
    ]
    rest = recorder.constant(0, 0, 0)
    motions: list[CompositeMotion] = []
    for index, body in model.inward():
        recorder.section(f"Motion of composite {index + 1} ({body.name})")
        number, frame, parent = index + 1, frames[index], body.parent
        of_parent = rest if parent == BASE else angular_velocities[parent]
        linear, velocity = recorder.constant(body.linear), velocities[body.joint.idx_v]
        motion = CompositeMotion(
            momentum=recorder.name(f"cp{number}", momentum[index]),
            flux=recorder.name(f"cv{number}", flux[index]),
            along=recorder.record(
                f"va{number}", velocity_along, frame.displacement, angular_velocities[index], linear, velocity
            ),
            across=recorder.record(f"vc{number}", velocity_across, of_parent, frame.translation),
        )
        motions.append(motion)
        if parent != BASE:
            carried_momentum, carried_flux = _inward(recorder, frame, composites[index], motion)
            momentum[parent] = recorder.apply(sum_of, momentum[parent], carried_momentum)
            flux[parent] = recorder.apply(sum_of, flux[parent], carried_flux)
    return tuple(reversed(motions))


def record_coriolis_matrix(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    angular_velocities: tuple[Quantity, ...],
    velocities: tuple[Quantity, ...],
) -> JointMatrix:
    """Record the Coriolis matrix."""
    composites = record_composites(recorder, model, frames)
    motions = record_composite_motions(recorder, model, frames, composites, angular_velocities, velocities)
    entries: dict[tuple[int, int], Quantity] = {}
    for joint, body in enumerate(model.bodies):
        recorder.section(f"Coriolis matrix, joint {joint + 1} ({body.name})")
        composite, motion, w = composites[joint], motions[joint], angular_velocities[joint]
        angular, linear = joint_constants(recorder, body)
        change = recorder.apply(momentum_change, angular, linear, composite.mass, composite.first_moment, motion.momentum, w)
        moment = recorder.apply(moment_of_change, angular, linear, composite.first_moment, composite.inertia, motion.flux, w)
        places = recorder.apply(moment_of_places, angular, linear, motion.momentum, motion.flux)
        way = list(record_unit_momenta(recorder, model, frames, composite, joint))
        for step, (index, unit_p, unit_h) in enumerate(way):
            if step > 0:
                child, child_p, _ = way[step - 1]
                change, moment = carry_inward(recorder, frames[child], change, moment)
                on_axis = recorder.apply(moment_about, places, motions[child].along, child_p)
                places = recorder.apply(moment_about, frames[child].inward(recorder, on_axis), motions[child].across, unit_p)
            pair = f"{joint + 1}_{index + 1}"
            change, moment = recorder.name(f"pd{pair}", change), recorder.name(f"hv{pair}", moment)
            places = recorder.name(f"hx{pair}", places)
            onto = model.bodies[index]
            if index != joint:
                angular, linear = joint_constants(recorder, onto)
                below = recorder.apply(entry_below, angular, linear, unit_p, unit_h, places, angular_velocities[index])
                entries[joint, index] = recorder.name(f"cor_{joint + 1}_{index + 1}", below)
            entry = project_on_joint(recorder, onto, change, moment)
            entries[index, joint] = recorder.name(f"cor_{index + 1}_{joint + 1}", entry)
    return sum_matrix(recorder, model, entries)


def _inward(recorder: Recorder, frame: BodyFrame, composite: Composite, motion: CompositeMotion) -> tuple[Quantity, Quantity]:
    """A composite's momentum and flux in its parent's axes and about its parent's origin."""
    way = recorder.apply(along_axis, frame.displacement)
    momentum = recorder.apply(momentum_about, motion.momentum, composite.mass, motion.along)
    flux = recorder.apply(flux_about, motion.flux, momentum, composite.first_moment, way, motion.along)
    on_axis = recorder.apply(first_moment_about, composite.first_moment, composite.mass, way)
    flux = frame.inward_matrix(recorder, flux)
    momentum = recorder.apply(momentum_about, frame.inward(recorder, momentum), composite.mass, motion.across)
    first_moment = frame.inward(recorder, on_axis)
    return momentum, recorder.apply(flux_about, flux, momentum, first_moment, frame.translation, motion.across)
