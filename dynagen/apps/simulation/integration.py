"""Integration of motions, with fixed steps or with error control by scipy's solvers.

Fixed steps use the Runge-Kutta method of fourth order or the semi-implicit Euler method, and can
integrate many motions at once. With error control, joints can stick by dry friction.

Dry friction (sign: exact) can take any value between its two limits while a joint stands still. A
joint that comes to rest is held at rest as long as the necessary friction force is between its
limits. Otherwise the joint slides in the direction of the net force (Coulomb's law as a
complementarity condition: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts, 1996,
section 5.2).

The solvers require a smooth motion. With error control, the solver therefore restarts wherever dry
friction stops or releases a joint, or a sampled controller acts. The smooth pieces of the motion in
between are called stretches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.simulation.rigid_plant import Plant
from dynagen.apps.simulation.torques import Sampled, Torques
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array

State = tuple[Array, Array, Array]
"""Positions, shape (..., nq), velocities, shape (..., n), and work in J, shape (...)."""
FixedStep = Callable[[Plant, Torques, float, float, State], State]
"""Function (plant, torques, t, h, state) -> state after a step of length h (s) from time t."""


def step_runge_kutta(plant: Plant, torques: Torques, t: float, h: float, state: State) -> State:
    """Return the state after a step of the classical Runge-Kutta method (local error order h^5).

    Args:
        plant: the robot.
        torques: function (t, q, qd) -> forces of the n joints in N m or N, shape (..., n).
        t: time in s.
        h: step length in s.
        state: positions, velocities, and work (J) of all forces except gravity since the start, at
            time t.
    """
    q, qd, work = state
    v1, a1, p1 = _state_derivatives(plant, torques, t, q, qd)
    v2, a2, p2 = _state_derivatives(plant, torques, t + h / 2, q + h / 2 * v1, qd + h / 2 * a1)
    v3, a3, p3 = _state_derivatives(plant, torques, t + h / 2, q + h / 2 * v2, qd + h / 2 * a2)
    v4, a4, p4 = _state_derivatives(plant, torques, t + h, q + h * v3, qd + h * a3)
    return (
        q + h / 6 * (v1 + 2 * (v2 + v3) + v4),
        qd + h / 6 * (a1 + 2 * (a2 + a3) + a4),
        work + h / 6 * (p1 + 2 * (p2 + p3) + p4),
    )


def step_euler(plant: Plant, torques: Torques, t: float, h: float, state: State) -> State:
    """Return the state after a step of the semi-implicit Euler method (local error order h^2).

    The positions are advanced with the new velocities.

    Args:
        plant: the robot.
        torques: function (t, q, qd) -> forces of the n joints in N m or N, shape (..., n).
        t: time in s.
        h: step length in s.
        state: positions, velocities, and work (J) of all forces except gravity since the start, at
            time t.
    """
    q, qd, work = state
    _, qdd, power = _state_derivatives(plant, torques, t, q, qd)
    qd = qd + h * qdd  # before the positions: this order makes the method symplectic
    return q + h * plant.compute_position_derivatives(q, qd), qd, work + h * power


FIXED_STEPS: dict[str, FixedStep] = {"RK4": step_runge_kutta, "euler": step_euler}


def _state_derivatives(
    plant: Plant, torques: Torques, t: float, q: Array, qd: Array
) -> tuple[Array, Array, Array]:
    """Compute dq/dt, accelerations, and the power of all forces except gravity."""
    tau = torques(t, q, qd)
    moving = plant.compute_position_derivatives(q, qd)
    if not plant.has_friction and not plant.external:
        return moving, plant.compute_acceleration(q, qd, tau), plant.compute_power(q, qd, tau)
    qdd = plant.compute_acceleration_with_friction(q, qd, tau)
    net = tau - plant.compute_friction(q, qd, qdd)
    return moving, qdd, plant.compute_power(q, qd, net)


# Part of the friction range by which a held joint must exceed its limits before it is released;
# otherwise rounding would release it.
_MARGIN = 1e-9
# Exchanges between held and sliding; a physical robot needs about as many as it has joints.
_MOST_EXCHANGES = 1000


@dataclass(frozen=True)
class DryFrictionState:
    """State of dry friction of each joint: held at rest, or sliding.

    Attributes:
        held: True for joints that dry friction holds at rest, shape (n,).
        direction: direction of sliding joints, 1 or -1; 0 for held joints and joints without dry
            friction; shape (n,).
    """

    held: NDArray[np.bool_]
    direction: Array


def make_sliding_state(plant: Plant) -> DryFrictionState:
    """Return a state without held joints, in which friction follows the sign of the velocity."""
    return DryFrictionState(np.zeros(plant.count, dtype=bool), np.zeros(plant.count))


def compute_acceleration(
    plant: Plant, contact: DryFrictionState, q: Array, qd: Array, tau: Array
) -> tuple[Array, Array]:
    """Compute joint accelerations (rad/s^2 or m/s^2) and friction (N m or N), shape (n,) each.

    Held joints do not accelerate: their friction is the force that keeps them at rest. In the
    equations of motion, friction is subtracted from the torques.

    Args:
        plant: the robot.
        contact: joints that dry friction holds at rest, and directions of sliding joints.
        q: the nq positions in rad or m, shape (nq,).
        qd: the n velocities in rad/s or m/s, shape (n,).
        tau: torques of the drive in N m or N, shape (n,).
    """
    if not contact.held.any():
        qdd = plant.iterate_friction(
            lambda qdd: plant.compute_acceleration(
                q, qd, tau - plant.compute_sliding_friction(q, qd, qdd, contact.direction)
            ),
            qd,
        )
        return qdd, plant.compute_sliding_friction(q, qd, qdd, contact.direction)
    held, matrix = contact.held, plant.compute_mass_matrix(q)
    # Rows and columns of M^-1: the response of held joints to forces on held joints.
    inverse_of_held = np.linalg.inv(matrix)[np.ix_(held, held)]

    def friction_of(qdd: Array) -> Array:
        """Compute the friction of each joint; for a held joint, the force that holds the joint."""
        friction = np.where(
            held, 0.0, plant.compute_sliding_friction(q, qd, qdd, contact.direction)
        )
        unheld = plant.compute_acceleration(q, qd, tau - friction)
        friction[held] = np.linalg.solve(inverse_of_held, unheld[held])
        return friction

    def step(qdd: Array) -> Array:
        moved = plant.compute_acceleration(q, qd, tau - friction_of(qdd))
        return np.where(held, 0.0, moved)

    qdd = plant.iterate_friction(step, qd)
    return qdd, friction_of(qdd)


def compute_friction_limits(plant: Plant, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Compute the limits of each joint's friction at rest, N m or N, shape (n,) each.

    Args:
        plant: the robot.
        q: the nq positions in rad or m, shape (nq,).
        qd: array with the shape of the velocities, (n,); the values are not used.
        qdd: accelerations in rad/s^2 or m/s^2, shape (n,), for load-dependent friction.
    """
    one = np.ones(plant.count)
    return plant.compute_sliding_friction(q, 0 * qd, qdd, -one), plant.compute_sliding_friction(
        q, 0 * qd, qdd, one
    )


def compute_friction_slack(
    plant: Plant, contact: DryFrictionState, q: Array, qd: Array, tau: Array
) -> Array:
    """Compute the distance of each held joint's friction from its nearer limit.

    The distance is in N m or N, shape (n,). If the distance is negative, friction cannot hold the
    joint. The distance is infinite for joints that are not held.

    Args:
        plant: the robot.
        contact: joints that dry friction holds at rest, and directions of sliding joints.
        q: the nq positions in rad or m, shape (nq,).
        qd: the n velocities in rad/s or m/s, shape (n,).
        tau: torques of the drive in N m or N, shape (n,).
    """
    qdd, friction = compute_acceleration(plant, contact, q, qd, tau)
    least, greatest = compute_friction_limits(plant, q, qd, qdd)
    margin = _MARGIN * (greatest - least)
    return np.where(
        contact.held, np.minimum(friction - least, greatest - friction) + margin, np.inf
    )


def decide_friction_state(plant: Plant, q: Array, qd: Array, tau: Array) -> DryFrictionState:
    """Decide which joints at rest are held, and in which direction the other joints slide.

    The conditions form a linear complementarity problem with bounds: the friction of a held joint
    is within its limits, and any other joint accelerates in its sliding direction. The solution is
    unique, because the mass matrix is positive definite. A finite number of steps finds the
    solution; each step changes the state of the first joint that violates its condition (Murty,
    Linear Complementarity, Linear and Nonlinear Programming, 1988, section 4.1; Judice and Pires
    1994 for bounds).

    Args:
        plant: the robot.
        q: the nq positions in rad or m, shape (nq,).
        qd: the n velocities in rad/s or m/s, exactly zero for joints at rest, shape (n,).
        tau: torques of the drive in N m or N, shape (n,).

    Raises:
        UsageError: the mass matrix is indefinite, or load-dependent friction has no solution.
    """
    at_rest = plant.dry_coordinates & (qd == 0)
    held, direction = at_rest, np.where(plant.dry_coordinates, np.sign(qd), 0.0)
    for _ in range(_MOST_EXCHANGES):
        contact = DryFrictionState(held, direction)
        qdd, friction = compute_acceleration(plant, contact, q, qd, tau)
        least, greatest = compute_friction_limits(plant, q, qd, qdd)
        # Half of the margin in `compute_friction_slack`, which must come to the same decision.
        margin = 0.5 * _MARGIN * (greatest - least)
        # Direction in which a held joint breaks away: 1 above the upper limit, -1 below the lower.
        breaks = held * ((friction > greatest + margin) * 1.0 - (friction < least - margin))
        # A released joint that would accelerate against its direction must be held after all.
        returns = at_rest & (direction * qdd < 0)
        wrong = (breaks != 0) | returns
        if not wrong.any():
            return contact
        # Only the first contradiction is exchanged: exchanging all at once may cycle.
        first = np.arange(len(wrong)) == np.argmax(wrong)
        held, direction = held ^ first, np.where(first, breaks, direction)
    raise UsageError(
        f"{plant.robot.name}: dry friction has no solution at q = ({_format_positions(q)}): use a "
        "smooth sign with a width (sign: tanh) and simulate with Radau; `dynagen check` reports "
        "links that are not physical"
    )


METHODS = ("DOP853", "RK45", "Radau")
"""Integration methods with error control, by scipy's names; Radau is for stiff friction."""

_SINGULAR = 1e-6  # relative pivot below which M counts as singular: the steps vanish before zero
_SAME_TIME = 1e-12  # relative difference of equal times
_XTOL, _RTOL = 1e-14, 8.9e-16  # tolerances for the time of an event
_SHORTLY = 1e-3  # fraction of a step after its start, where the search for an event begins
_MOST_AT_ONCE = 100  # changes of the friction state at one time, beyond which it is chattering


@dataclass(frozen=True)
class SolverTolerances:
    """Bounds on the error and on the length of a solver step.

    Attributes:
        rtol: relative error. The error of a step is below rtol |y| + atol for the state y.
        atol: absolute error, in the units of y.
        longest: longest step in s.
    """

    rtol: float
    atol: float
    longest: float


@dataclass(frozen=True)
class Stretch:
    """Smooth piece of a motion, in which no joint begins or stops sticking.

    Attributes:
        start, end: times in s.
        state: function from a time between start and end to the vector of positions, velocities and
            work (J) since the start of the motion.
        tau: function (t, q, qd) -> torques of the drive during the stretch.
        steps: number of solver steps.
    """

    start: float
    end: float
    state: Callable[[float], Array]
    tau: Torques
    steps: int


class StoppedError(Exception):
    """Error if the motion cannot continue; the message contains the reason."""


def integrate_stretches(
    plant: Plant,
    start: Array,
    torques: Torques | Sampled,
    time: float,
    method: str,
    tolerances: SolverTolerances,
) -> Any:
    """Integrate a motion, and yield its smooth pieces (`Stretch`) in order of time.

    Args:
        plant: the robot.
        start: positions and velocities (q, qd) at t = 0, shape (nq + n,).
        torques: function (t, q, qd) -> joint forces, or a sampled controller.
        time: end time in s.
        method: one of METHODS.
        tolerances: error bounds and longest step of the solver.

    Yields:
        The smooth pieces of the motion, in order of time.

    Raises:
        StoppedError: the mass matrix becomes singular or indefinite, or the motion diverges.
        UsageError: no friction forces satisfy the equations of dry friction.
    """
    t, y = 0.0, np.append(start, 0.0)
    changes, sample = 0, 0
    law: Torques = (
        partial(_constant_torques, np.zeros(plant.count))
        if isinstance(torques, Sampled)
        else torques
    )
    end = time
    while t < time:
        q, qd = y[: plant.positions], y[plant.positions : -1]
        if isinstance(torques, Sampled) and t >= sample * torques.period:
            law = partial(_constant_torques, torques.law(t, q, qd))
            sample += 1
            end = min(sample * torques.period, time)
        contact = (
            decide_friction_state(plant, q, qd, law(t, q, qd))
            if plant.dry_coordinates.any()
            else make_sliding_state(plant)
        )
        before = t
        for stretch, state in _integrate_until_change(
            plant, contact, law, t, y, end, method, tolerances
        ):
            t, after = stretch.end, state
            yield stretch
        y = after
        changes = changes + 1 if t - before <= _SAME_TIME * max(1.0, t) else 0
        if changes > _MOST_AT_ONCE:
            raise UsageError(
                f"dry friction alternates endlessly between sticking and sliding at {t:.6g} s: "
                "use a smooth sign with a width (sign: tanh) and simulate with Radau"
            )


def _constant_torques(tau: Array, t: float, q: Array, qd: Array) -> Array:
    """Return the torques `tau` of a sampled controller, which are constant during a period."""
    return tau


def _integrate_until_change(
    plant: Plant,
    contact: DryFrictionState,
    law: Torques,
    t: float,
    y: Array,
    end: float,
    method: str,
    tolerances: SolverTolerances,
) -> Any:
    """Integrate until time `end`, or until a joint begins or stops sticking by dry friction.

    Yield every solver step as a smooth piece of the motion, with the vector of positions,
    velocities and work at the end of the step.
    """
    from scipy import integrate

    def rates(t: float, y: Array) -> Array:
        q, qd = y[: plant.positions], y[plant.positions : -1]
        if not np.isfinite(y).all():
            reason = (
                "a closed loop comes to a singular pose: change the start or the torques so that "
                "the loop stays closed"
                if plant.has_status
                else "velocities grow without bound: check the signs of torques and of friction"
            )
            raise StoppedError(f"the motion diverges at {t:.6g} s: {reason}")
        tau = law(t, q, qd)
        if not np.isfinite(tau).all():
            raise StoppedError(
                f"the torques are not finite at {t:.6g} s: check the control law, or the table of "
                f"torques, at q = ({_format_positions(q)})"
            )
        qdd, friction = compute_acceleration(plant, contact, q, qd, tau)
        power = plant.compute_power(q, qd, tau - friction)
        return np.concatenate([plant.compute_position_derivatives(q, qd), qdd, [power]])

    solver = getattr(integrate, method)(
        rates, t, y, end, max_step=tolerances.longest, rtol=tolerances.rtol, atol=tolerances.atol
    )
    # Only a change to indefinite stops: an unphysical robot is simulated as long as possible.
    definite = plant.is_definite(y[: plant.positions])
    while solver.status == "running":
        begun = solver.t
        solver.step()
        if solver.status == "failed":
            raise StoppedError(_diagnosis(plant, solver.t, solver.y[: plant.positions]))
        state = solver.dense_output()
        was_definite, definite = definite, plant.is_definite(solver.y[: plant.positions])
        if was_definite and not definite:
            at = _root(partial(_pivot, plant, state), begun, solver.t)
            yield Stretch(begun, at, state, law, 1), state(at)
            raise StoppedError(_diagnosis(plant, at, state(at)[: plant.positions]))
        change = _first_change(plant, contact, law, state, begun, solver.t)
        if change is None:
            yield Stretch(begun, solver.t, state, law, 1), solver.y
            continue
        at, stopped = change
        # A joint that stops gets exactly zero velocity, by which `decide_friction_state` recognises
        # it.
        after = state(at)
        after[plant.positions : -1][stopped] = 0.0
        yield Stretch(begun, at, state, law, 1), after
        return


def _pivot(plant: Plant, state: Callable[[float], Array], t: float) -> float:
    """Return the smallest pivot of the mass matrix (scaled to unit diagonal) at time t."""
    return plant.compute_smallest_pivot(state(t)[: plant.positions])[1]


def _first_change(
    plant: Plant,
    contact: DryFrictionState,
    law: Torques,
    state: Callable[[float], Array],
    begun: float,
    end: float,
) -> tuple[float, Any] | None:
    """Find the first change of the dry friction state within a solver step.

    The result is the time (s) of the change, and for each joint whether the joint stops sliding. If
    a held joint begins to slide, no joint stops. The result is None without a change.
    """
    if end - begun <= _SAME_TIME * max(1.0, end):
        return None  # too short to locate a change; the next step finds it
    n, joints = plant.positions, np.arange(plant.count)
    found: list[tuple[float, Any]] = []
    for joint in map(int, np.flatnonzero(contact.direction)):

        def advance(t: float, joint: int = joint) -> float:
            return float(contact.direction[joint] * state(t)[n + joint])

        if advance(end) < 0:
            found.append((_root(advance, begun, end), joints == joint))
    if contact.held.any():

        def slack(t: float) -> float:
            y = state(t)
            q, qd = y[:n], y[n:-1]
            return float(compute_friction_slack(plant, contact, q, qd, law(t, q, qd)).min())

        if slack(end) < 0:
            found.append((_root(slack, begun, end), joints < 0))
    return min(found, key=lambda change: change[0], default=None)


def _root(value: Callable[[float], float], begun: float, end: float) -> float:
    """Find the time between `begun` and `end` at which a function of time becomes negative.

    The function must be negative at `end`. At `begun`, the function may be zero and rise. If the
    function jumps to a negative value, the result is a time just after the jump.
    """
    from scipy.optimize import brentq

    after = begun if value(begun) > 0 else begun + _SHORTLY * (end - begun)
    if value(after) <= 0:
        return begun
    root: float = brentq(value, after, end, xtol=_XTOL, rtol=_RTOL)
    return root if value(root) < 0 else min(root + _XTOL + _RTOL * abs(root), end)


def _format_positions(q: Array) -> str:
    """Format joint positions for a message."""
    return ", ".join(f"{position:.6g}" for position in q)


def _diagnosis(plant: Plant, t: float, q: Array) -> str:
    """Return a message on why the solver could not continue at time t and positions q."""
    joint, pivot = plant.compute_smallest_pivot(q)
    where = f"at {t:.6g} s, q = ({_format_positions(q)})"
    if pivot > _SINGULAR:
        return (
            f"the solver's steps shrink to zero {where}: the motion is not smooth or too stiff; "
            "try --method Radau"
        )
    kind = "singular" if abs(pivot) <= _SINGULAR else "not positive definite"
    return (
        f"the mass matrix is {kind} {where}: the pivot of joint {joint + 1} is {pivot:.2g} of its "
        "diagonal entry. `dynagen check` reports links that are not physical"
    )
