"""Derivatives of inverse dynamics by joint positions and rates: RobotModel, frames and motion -> matrices, O(n^2) operations.

An analytic recursion, as that of S. Singh, R. P. Russell, P. M. Wensing, "Efficient Analytical Derivatives of Rigid Body
Dynamics Using Spatial Vector Algebra", IEEE Robotics and Automation Letters 7(2), 2022, but in first and second moments and
without linear velocities, as the Coriolis matrix is.

A unit of joint j moves a particle at x by x_j = z x r, with r = x - o from the origin of body j, and changes its acceleration
less gravity, A, where a is that of o, by

    dA/dq_j = z" x r + 2 z' x r' + z x (A - a),    dA/dqd_j = 2 (z' x r + z x r'),    z' = w x z,    z" = lambda z;

for a translation x_j = z, dA/dq_j = z" and dA/dqd_j = 2 z'. Summed over the composite of j, with the moment that x_j gives to
the forces by moving them, these are a force and a moment, which are carried inward: their components along the joints i <= j
are column j on and above the diagonal. Below it, for a joint i beyond joint j, the sum of m x_i . dA/dq_j takes of joint i
only its momenta p and h and hx of the Coriolis matrix. There z x A is left out: it rotates everything beyond joint j as a
whole, forces and axes included, which changes no component of a force along an axis.

The derivatives by the rates are linear in the rates, and twice the Coriolis matrix: what `coriolis` records for twice the
rates.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z, symmetric
from dynagen.dynamics.algorithms.base_derivatives import (
    BaseMotion,
    record_base_rate_columns,
    record_base_rotation_columns,
)
from dynagen.dynamics.algorithms.composite import carry_inward
from dynagen.dynamics.algorithms.contact import Contacts
from dynagen.dynamics.algorithms.coordinates import entry_numbers, project_on_joint, sum_matrix
from dynagen.dynamics.algorithms.coriolis import (
    CoriolisEntries,
    CoriolisSymbols,
    record_coriolis_matrix,
)
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR, record_up, vector
from dynagen.dynamics.algorithms.frames import Frames, joint_constants
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.newton_euler import (
    JointMotion,
    record_body_motions,
    record_joint_loads,
)
from dynagen.dynamics.arguments import zeros
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.memoised import MemoisedRecorder
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import RobotModel

FQ = Symbol(
    "fq", "ji", VECTOR, "derivative by q_j of the force on composite j, in the axes of body i"
)
NQ = Symbol(
    "nq", "ji", VECTOR, "derivative by q_j of the moment on composite j, about the origin of body i"
)
TAUQ = Symbol("tauq", "ij", SCALAR, "derivative of the force of joint i by q_j")
TWICE_W = Symbol("ww", "i", VECTOR, "twice the angular velocity of body i", "rad/s")
OF_TWICE_THE_RATES = CoriolisSymbols(
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
def doubled(value: Expr) -> Expr:
    """Twice a scalar or a vector."""
    return 2 * value


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


def record_rate_derivatives(
    recorder: MemoisedRecorder,
    model: RobotModel,
    frames: Frames,
    velocities: tuple[Quantity, ...],
    in_fall: bool = False,
) -> tuple[JointMatrix, CoriolisEntries]:
    """Record the derivatives of inverse dynamics by the joint rates; they do not depend on the accelerations.

    Args:
        recorder: receives the program.
        model: the robot.
        frames: the axes in which its bodies are resolved.
        velocities: the rates.
        in_fall: whether those of a floating base are as in `floating_base.relative_to_fall`.

    Returns:
        The derivatives, and what they have in common with those by the positions.
    """
    motion = JointMotion(velocities, zeros(recorder, model))
    bodies = record_body_motions(recorder.unnamed, model, frames, motion, gravity=False)
    twice = tuple(
        recorder.record(TWICE_W(i), doubled, body.angular_velocity)
        for i, body in enumerate(bodies, start=1)
    )
    found = record_coriolis_matrix(
        recorder, model, frames, twice, _doubled(recorder, velocities), OF_TWICE_THE_RATES
    )
    entries = dict(found.matrix)
    if model.floats:
        base = BaseMotion(vector(velocities[LINEAR]), vector(velocities[ANGULAR]), in_fall)
        entries |= record_base_rate_columns(recorder, model, base, found)
    return sum_matrix(recorder, model, entries), found


def record_position_derivatives(
    recorder: MemoisedRecorder,
    model: RobotModel,
    frames: Frames,
    motion: JointMotion,
    gravity: bool,
    contacts: Contacts,
    found: CoriolisEntries,
) -> JointMatrix:
    """Record the derivatives of inverse dynamics by the joint positions.

    Args:
        recorder: receives the program.
        model: the robot.
        frames: the axes in which its bodies are resolved.
        motion: rates and accelerations of the joints.
        gravity: whether it acts. Without it the derivatives by positions of a floating base are zero.
        contacts: forces and moments that act on bodies from outside, constant in their body axes.
        found: what `record_rate_derivatives` returns with its derivatives, for the same rates.
    """
    loads = record_joint_loads(recorder, model, frames, motion, gravity=gravity, contacts=contacts)
    bodies = record_body_motions(
        recorder.unnamed, model, frames, motion, gravity=gravity
    )  # those that the loads come from
    axes = [joint_constants(recorder, body) for body in model.bodies]
    motions = [(body.angular_velocity, body.difference, body.acceleration) for body in bodies]
    entries: dict[tuple[int, int], Quantity] = {}
    numbers = entry_numbers(model)
    for joint, body in enumerate(model.bodies):
        if body.is_free:
            continue
        recorder.section(f"Derivatives by position, joint {joint + 1} ({body.name})")
        composite, flow, load = found.composites[joint], found.motions[joint], loads[joint]
        (column,) = numbers[joint]
        inertial = composite.mass, composite.first_moment, composite.inertia
        force = recorder.apply(
            force_derivative,
            *axes[joint],
            *inertial[:2],
            flow.momentum,
            *motions[joint],
            load.force,
        )
        moment = recorder.apply(
            moment_derivative,
            *axes[joint],
            *inertial[1:],
            flow.flux,
            *motions[joint],
            load.force,
            load.moment,
        )
        child = joint
        for index, unit in found.paths[joint]:
            if index != joint:
                force, moment = carry_inward(recorder, frames[child], force, moment)
                if not model.bodies[index].is_free:
                    momenta = unit.momentum, unit.moment, unit.places
                    below = recorder.apply(
                        derivative_below, *axes[index], *momenta, *motions[index]
                    )
                    place = column, numbers[index][0]
                    entries[place] = recorder.name(TAUQ(*place), below)
            force = recorder.name(FQ(joint + 1, index + 1), force)
            moment = recorder.name(NQ(joint + 1, index + 1), moment)
            onto = project_on_joint(recorder, model.bodies[index], force, moment)
            for row, entry in zip(numbers[index], onto, strict=True):
                entries[row, column] = recorder.name(TAUQ(row, column), entry)
            child = index
    if model.floats and gravity:
        up = record_up(recorder, model)
        entries |= record_base_rotation_columns(recorder, model, up, found)
    return sum_matrix(recorder, model, entries)


def _doubled(recorder: Recorder, quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    return tuple(recorder.apply(doubled, quantity) for quantity in quantities)
