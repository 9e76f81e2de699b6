"""Derivatives of inverse dynamics by joint positions and rates: RobotModel and frames -> matrices, in O(n^2) operations.

An analytic recursion, as that of S. Singh, R. P. Russell, P. M. Wensing, "Efficient Analytical Derivatives of Rigid Body
Dynamics Using Spatial Vector Algebra", IEEE Robotics and Automation Letters 7(2), 2022, but in first and second moments and
without linear velocities, as the Coriolis matrix is.

A unit of joint j moves a particle at x by x_j = z x r, with r = x - o from the origin of body j, and changes its acceleration
less gravity, A, where a is that of o, by

    dA/dq_j = z" x r + 2 z' x r' + z x (A - a),    dA/dqd_j = 2 (z' x r + z x r'),    z' = w x z,    z" = lambda z;

for a translation x_j = z, dA/dq_j = z" and dA/dqd_j = 2 z'. Summed over the composite of j, with the moment that x_j gives to
the forces by moving them, these are a force and a moment, which the joints on the way to the base feel: column j above the
diagonal. Below it the sum of m x_i . dA/dq_j asks of joint i, beyond j, only for its momenta and hx of the Coriolis matrix.
There z x A is left out: joint i does not feel that everything beyond joint j turns as a whole, forces included.

By the rates the derivatives are linear in them, and twice the Coriolis matrix: what `coriolis` records for twice the rates.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z, symmetric
from dynagen.dynamics.algorithms.composite import (
    MASS_MATRIX_LEGEND,
    carry_inward,
    project_on_joint,
    record_composites,
    record_unit_momenta,
)
from dynagen.dynamics.algorithms.contact import Contact
from dynagen.dynamics.algorithms.coordinates import sum_matrix
from dynagen.dynamics.algorithms.coriolis import moment_of_places, record_composite_motions, record_coriolis_matrix
from dynagen.dynamics.algorithms.frames import Frames, joint_constants
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.newton_euler import NEWTON_EULER_LEGEND, JointMotion, record_body_motions, record_joint_loads
from dynagen.dynamics.algorithms.newton_euler_steps import moment_about
from dynagen.dynamics.arguments import zeros
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.dynamics.recording.sharing import SharingRecorder
from dynagen.model.model import RobotModel

# What the recorded names stand for; all of body i, in its own axes and about its own origin.
DERIVATIVES_LEGEND = (
    *NEWTON_EULER_LEGEND,
    *MASS_MATRIX_LEGEND,
    ("ww", "twice the angular velocity"),
    ("va, vc", "twice the velocity of the origin against the parent's: of the way along the joint axis, of the constant one"),
    ("cp, cv", "twice the sums of m r' and m r' r^T over the composite, r from its origin"),
    ("pd", "twice the rate of change of p"),
    ("hv, hx", "twice the rate of change of h: by the particles' velocities and by their places"),
    ("cor", "twice the entry of the Coriolis matrix: derivative of a joint force by a rate"),
    ("fqj_i, nqj_i", "derivative by q_j of the force and the moment of composite j, for and about body i"),
    ("tq", "derivative of a joint force by a position"),
)


@formula
def doubled(value: Expr) -> Expr:
    """Twice a scalar or a vector."""
    return 2 * value


@formula
def force_derivative(
    angular: Expr, linear: Expr, mass: Expr, s: Matrix, p: Matrix, w: Matrix, lam: Matrix, a: Matrix, force: Matrix
) -> Matrix:
    """Sum of m dA/dq: angular (z" x s + z' x p + z x (f - m a)) + linear m z", with p = 2 sum of m r'."""
    first, second = w.cross(Z), lam[:, 2]
    return angular * (second.cross(s) + first.cross(p) + Z.cross(force) - mass * Z.cross(a)) + linear * mass * second


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
    turning = Matrix(
        [
            (flux[1, 1] + flux[2, 2]) * first[0] - flux[0, 1] * first[1],
            (flux[0, 0] + flux[2, 2]) * first[1] - flux[1, 0] * first[0],
            -flux[2, 0] * first[0] - flux[2, 1] * first[1],
        ]
    )
    return angular * (symmetric(inertia) * second + turning + Z.cross(moment) - s.cross(Z.cross(a))) + linear * (
        s.cross(second) + Z.cross(force)
    )


@formula
def derivative_below(
    angular: Expr, linear: Expr, momentum: Matrix, moment: Matrix, places: Matrix, w: Matrix, lam: Matrix, a: Matrix
) -> Expr:
    """Sum of m x_i . dA/dq_j for a joint j on the way to the base: angular (z".h + z'.hx + z.(p x a)) + linear z".p."""
    first, second = w.cross(Z), lam[:, 2]
    return angular * (second.dot(moment) + first.dot(places) + momentum.cross(a)[2]) + linear * second.dot(momentum)


def record_rate_derivatives(
    recorder: SharingRecorder, model: RobotModel, frames: Frames, velocities: tuple[Quantity, ...]
) -> JointMatrix:
    """Record the derivatives of inverse dynamics by the joint rates; they do not depend on the accelerations."""
    motion = JointMotion(velocities, zeros(recorder, model))
    bodies = record_body_motions(recorder.unnamed, model, frames, motion, gravity=False)
    twice = tuple(recorder.record(f"ww{i}", doubled, body.angular_velocity) for i, body in enumerate(bodies, start=1))
    return record_coriolis_matrix(recorder, model, frames, twice, _doubled(recorder, velocities))


def record_position_derivatives(
    recorder: SharingRecorder, model: RobotModel, frames: Frames, motion: JointMotion, contact: Contact | None
) -> JointMatrix:
    """Record the derivatives of inverse dynamics by the joint positions.

    Args:
        recorder: receives the program; those by the rates are expected to be there already.
        model: the robot.
        frames: the axes in which its bodies are resolved.
        motion: rates and accelerations of the joints.
        contact: what acts on a body from outside and turns with it.
    """
    again = recorder.unnamed
    loads = record_joint_loads(recorder, model, frames, motion, gravity=True, contact=contact)
    bodies = record_body_motions(again, model, frames, motion, gravity=True)
    twice = _doubled(again, (body.angular_velocity for body in bodies))
    composites = record_composites(again, model, frames)
    flows = record_composite_motions(again, model, frames, composites, twice, _doubled(again, motion.velocities))
    axes = [joint_constants(recorder, body) for body in model.bodies]
    seen = [(body.angular_velocity, body.difference, body.acceleration) for body in bodies]
    entries: dict[tuple[int, int], Quantity] = {}
    for joint, body in enumerate(model.bodies):
        recorder.section(f"Derivatives by position, joint {joint + 1} ({body.name})")
        composite, flow, load = composites[joint], flows[joint], loads[joint]
        inertial = composite.mass, composite.first_moment, composite.inertia
        force = recorder.apply(force_derivative, *axes[joint], *inertial[:2], flow.momentum, *seen[joint], load.force)
        moment = recorder.apply(
            moment_derivative, *axes[joint], *inertial[1:], flow.flux, *seen[joint], load.force, load.moment
        )
        places = recorder.apply(moment_of_places, *axes[joint], flow.momentum, flow.flux)
        way = list(record_unit_momenta(again, model, frames, composite, joint))
        for step, (index, unit_p, unit_h) in enumerate(way):
            if step > 0:
                child, child_p, _ = way[step - 1]
                force, moment = carry_inward(recorder, frames[child], force, moment)
                on_axis = recorder.apply(moment_about, places, flows[child].along, child_p)
                places = recorder.apply(moment_about, frames[child].inward(recorder, on_axis), flows[child].across, unit_p)
                below = recorder.apply(derivative_below, *axes[index], unit_p, unit_h, places, *seen[index])
                entries[joint, index] = recorder.name(f"tq_{joint + 1}_{index + 1}", below)
            force = recorder.name(f"fq{joint + 1}_{index + 1}", force)
            moment = recorder.name(f"nq{joint + 1}_{index + 1}", moment)
            entry = project_on_joint(recorder, model.bodies[index], force, moment)
            entries[index, joint] = recorder.name(f"tq_{index + 1}_{joint + 1}", entry)
    return sum_matrix(recorder, model, entries)


def _doubled(recorder: Recorder, quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    return tuple(recorder.apply(doubled, quantity) for quantity in quantities)
