"""Integration of motions: fixed steps, error control by scipy's solvers, and joints that stick.

Integration with steps of equal length, of one motion or of many: Runge-Kutta of fourth order, semi-implicit Euler.

Sticking: which joints dry friction holds at rest, and what the others do meanwhile.

Dry friction (sign: exact) is any value between its two limits while a joint stands still. A joint that comes to rest is held
as long as the friction that holds it stays between the limits, and slides in the direction of what breaks it away (Coulomb's
law as a complementarity condition: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts, 1996, section 5.2).
Between such changes the motion is smooth, which is what integrators need.

Integration with error control, by scipy's solvers, step by step: what happens within a step is found where it does.

Where dry friction stops a joint or lets it go, where a controller acts that does so once in a period, and where the mass
matrix is no longer positive definite, a smooth stretch of the motion ends; the solver starts anew behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.simulation.plant import Array, Plant
from dynagen.apps.simulation.torques import Sampled, Torques
from dynagen.errors import UsageError

State = tuple[Array, Array, Array]
"""Positions, shape (..., nq), rates, shape (..., n), and work, shape (...)."""
Step = Callable[[Plant, Torques, float, float, State], State]


def runge_kutta_step(plant: Plant, torques: Torques, t: float, h: float, state: State) -> State:
    """One step of the classical Runge-Kutta method of fourth order; the local error is of order h^5."""
    q, qd, work = state
    v1, a1, p1 = _rates(plant, torques, t, q, qd)
    v2, a2, p2 = _rates(plant, torques, t + h / 2, q + h / 2 * v1, qd + h / 2 * a1)
    v3, a3, p3 = _rates(plant, torques, t + h / 2, q + h / 2 * v2, qd + h / 2 * a2)
    v4, a4, p4 = _rates(plant, torques, t + h, q + h * v3, qd + h * a3)
    return (
        q + h / 6 * (v1 + 2 * (v2 + v3) + v4),
        qd + h / 6 * (a1 + 2 * (a2 + a3) + a4),
        work + h / 6 * (p1 + 2 * (p2 + p3) + p4),
    )


def euler_step(plant: Plant, torques: Torques, t: float, h: float, state: State) -> State:
    """One step of the semi-implicit (symplectic) Euler method: new rates move the joints; the local error is of order h^2."""
    q, qd, work = state
    _, qdd, power = _rates(plant, torques, t, q, qd)
    qd = qd + h * qdd
    return q + h * plant.position_rates(q, qd), qd, work + h * power


FIXED_STEPS: dict[str, Step] = {"RK4": runge_kutta_step, "euler": euler_step}


def _rates(
    plant: Plant, torques: Torques, t: float, q: Array, qd: Array
) -> tuple[Array, Array, Array]:
    """Rates of positions, accelerations, and the power of torques, friction and wrench."""
    tau = torques(t, q, qd)
    moving = plant.position_rates(q, qd)
    if not plant.has_friction and plant.wrench is None:
        return moving, plant.acceleration(q, qd, tau), np.einsum("...i,...i->...", qd, tau)
    qdd = plant.acceleration_with_friction(q, qd, tau)
    net = tau - plant.friction(q, qd, qdd) + plant.external_forces(q)
    return moving, qdd, np.sum(qd * net, axis=-1)


_MARGIN = 1e-9  # of what lies between the limits: by so much a held joint has to exceed them, lest rounding let it go
_MOST_EXCHANGES = 1000  # between held and sliding; those of a physical robot end, after about as many as it has joints


@dataclass(frozen=True)
class Contact:
    """The state of dry friction, joint by joint.

    Attributes:
        held: joints that stand still, shape (n,).
        direction: of those that slide, 1 or -1; 0 for the held, and for joints without dry friction.
    """

    held: NDArray[np.bool_]
    direction: Array


def free_contact(plant: Plant) -> Contact:
    """The contact of a robot that no dry friction can hold."""
    return Contact(np.zeros(plant.count, dtype=bool), np.zeros(plant.count))


def acceleration(
    plant: Plant, contact: Contact, q: Array, qd: Array, tau: Array
) -> tuple[Array, Array]:
    """Accelerations, and the friction that goes with them, shape (n,) each; held joints have none and need what they need."""
    if not contact.held.any():
        qdd = plant.settled(
            lambda qdd: plant.acceleration(
                q, qd, tau - plant.friction_sliding(q, qd, qdd, contact.direction)
            ),
            qd,
        )
        return qdd, plant.friction_sliding(q, qd, qdd, contact.direction)
    held, matrix = contact.held, plant.mass_matrix(q)
    inverse_of_held = np.linalg.inv(matrix)[np.ix_(held, held)]

    def friction_of(qdd: Array) -> Array:
        """Of sliding joints as they slide; of held ones what makes their acceleration zero."""
        friction = np.where(held, 0.0, plant.friction_sliding(q, qd, qdd, contact.direction))
        unheld = plant.acceleration(q, qd, tau - friction)
        friction[held] = np.linalg.solve(inverse_of_held, unheld[held])
        return friction

    def step(qdd: Array) -> Array:
        moved = plant.acceleration(q, qd, tau - friction_of(qdd))
        return np.where(held, 0.0, moved)

    qdd = plant.settled(step, qd)
    return qdd, friction_of(qdd)


def limits(plant: Plant, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Least and greatest friction that can hold joints at rest, shape (n,) each."""
    one = np.ones(plant.count)
    return plant.friction_sliding(q, 0 * qd, qdd, -one), plant.friction_sliding(q, 0 * qd, qdd, one)


def friction_slack(plant: Plant, contact: Contact, q: Array, qd: Array, tau: Array) -> Array:
    """The distance of held joints' friction from breaking them away; negative: they cannot be held. Infinite for others."""
    qdd, friction = acceleration(plant, contact, q, qd, tau)
    least, greatest = limits(plant, q, qd, qdd)
    margin = _MARGIN * (greatest - least)
    return np.where(
        contact.held, np.minimum(friction - least, greatest - friction) + margin, np.inf
    )


def decide(plant: Plant, q: Array, qd: Array, tau: Array) -> Contact:
    """Decide which joints at rest are held, and in which direction the others begin to slide.

    That is a linear complementarity problem with bounds: what holds a joint is within its limits, and a joint that is let go
    accelerates in its direction. It has one solution, as the mass matrix is positive definite, which exchanging the first
    joint that contradicts finds after finitely many steps (Murty, Linear Complementarity, Linear and Nonlinear Programming,
    1988, section 4.1; Judice and Pires 1994 for bounds).

    Args:
        plant: the robot.
        q: positions.
        qd: rates; exactly zero of joints at rest.
        tau: what drives the joints.

    Raises:
        UsageError: there is no end to it: the mass matrix is indefinite, or friction that depends on the load has no solution.
    """
    at_rest = plant.dry & (qd == 0)
    held, direction = at_rest, np.where(plant.dry, np.sign(qd), 0.0)
    for _ in range(_MOST_EXCHANGES):
        contact = Contact(held, direction)
        qdd, friction = acceleration(plant, contact, q, qd, tau)
        least, greatest = limits(plant, q, qd, qdd)
        margin = (
            0.5 * _MARGIN * (greatest - least)
        )  # half of that of `slack`, which has to find the same
        breaks = held * ((friction > greatest + margin) * 1.0 - (friction < least - margin))
        returns = at_rest & (direction * qdd < 0)
        wrong = (breaks != 0) | returns
        if not wrong.any():
            return contact
        first = np.arange(len(wrong)) == np.argmax(wrong)
        held, direction = held ^ first, np.where(first, breaks, direction)
    raise UsageError(
        f"{plant.robot.name}: dry friction has no solution at q = ({', '.join(f'{each:.6g}' for each in q)}): give it a width "
        "(sign: tanh), and simulate with Radau; `dynagen check` tells whether a link is not physical"
    )


METHODS = ("DOP853", "RK45", "Radau")
"""By scipy's names: Dormand and Prince of eighth and of fifth order, and an implicit method for stiff friction."""

_SINGULAR = 1e-6  # of a pivot in units of the diagonal: steps shrink to nothing before it is zero
_SAME_TIME = 1e-12
_XTOL, _RTOL = 1e-14, 8.9e-16  # of the time of a change
_SHORTLY = 1e-3  # of a step, behind its beginning
_MOST_AT_ONCE = 100  # changes of contact at one time: more are chattering without end


@dataclass(frozen=True)
class Tolerances:
    """The bounds that the solver keeps the error of a step below: rtol |y| + atol, and the longest step in s."""

    rtol: float
    atol: float
    longest: float


@dataclass(frozen=True)
class Stretch:
    """A smooth piece of a motion.

    Attributes:
        start, end: times in s.
        state: (q, qd, work) at a time in between.
        tau: torques at a time in a state.
        steps: that the solver took.
    """

    start: float
    end: float
    state: Callable[[float], Array]
    tau: Torques
    steps: int


class StoppedError(Exception):
    """The motion cannot go on; the message says why."""


def stretches(
    plant: Plant,
    start: Array,
    torques: Torques | Sampled,
    time: float,
    method: str,
    tolerances: Tolerances,
) -> Any:
    """Integrate, and give the smooth pieces of the motion one after the other.

    Args:
        plant: the robot.
        start: (q, qd), shape (nq + n,), at t = 0.
        torques: what drives it.
        time: at which to end, s.
        method: one of METHODS.
        tolerances: of the solver.

    Yields:
        Stretches.

    Raises:
        StoppedError: the mass matrix is singular or indefinite, or the motion leaves all bounds.
        UsageError: dry friction has no solution.
    """
    t, y = 0.0, np.append(start, 0.0)
    changes, sample = 0, 0
    law: Torques = (
        partial(_held, np.zeros(plant.count)) if isinstance(torques, Sampled) else torques
    )
    end = time
    while t < time:
        q, qd = y[: plant.positions], y[plant.positions : -1]
        if isinstance(torques, Sampled) and t >= sample * torques.period:
            law = partial(_held, torques.law(t, q, qd))
            sample += 1
            end = min(sample * torques.period, time)
        contact = decide(plant, q, qd, law(t, q, qd)) if plant.dry.any() else free_contact(plant)
        before = t
        for stretch, state in _until_change(plant, contact, law, t, y, end, method, tolerances):
            t, behind = stretch.end, state
            yield stretch
        y = behind
        changes = changes + 1 if t - before <= _SAME_TIME * max(1.0, t) else 0
        if changes > _MOST_AT_ONCE:
            raise UsageError(
                f"dry friction changes without end at {t:.6g} s: give it a width (sign: tanh), and simulate with Radau"
            )


def _held(tau: Array, t: float, q: Array, qd: Array) -> Array:
    return tau


def _until_change(
    plant: Plant,
    contact: Contact,
    law: Torques,
    t: float,
    y: Array,
    end: float,
    method: str,
    tolerances: Tolerances,
) -> Any:
    """Integrate with one contact, to the end or to where it changes; the state behind every stretch goes with it."""
    from scipy import integrate

    def rates(t: float, y: Array) -> Array:
        q, qd = y[: plant.positions], y[plant.positions : -1]
        if not np.isfinite(y).all():
            raise StoppedError(f"the motion leaves all bounds at {t:.6g} s")
        tau = law(t, q, qd)
        if not np.isfinite(tau).all():
            raise StoppedError(f"the torques are not finite at {t:.6g} s")
        qdd, friction = acceleration(plant, contact, q, qd, tau)
        power = qd @ (tau - friction + plant.external_forces(q))
        return np.concatenate([plant.position_rates(q, qd), qdd, [power]])

    solver = getattr(integrate, method)(
        rates, t, y, end, max_step=tolerances.longest, rtol=tolerances.rtol, atol=tolerances.atol
    )
    definite = plant.is_definite(
        y[: plant.positions]
    )  # a robot that is no physical one from the start moves while it can
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
        behind = state(at)
        behind[plant.positions : -1][stopped] = 0.0
        yield Stretch(begun, at, state, law, 1), behind
        return


def _pivot(plant: Plant, state: Callable[[float], Array], t: float) -> float:
    return plant.smallest_pivot(state(t)[: plant.positions])[1]


def _first_change(
    plant: Plant,
    contact: Contact,
    law: Torques,
    state: Callable[[float], Array],
    begun: float,
    end: float,
) -> tuple[float, Any] | None:
    """The time at which the first joint stops or breaks away within a step, and which joints stop; None if none does."""
    if end - begun <= _SAME_TIME * max(1.0, end):
        return (
            None  # a torque may jump within so short a step: what it does is found in the next one
        )
    n, rates = plant.positions, np.arange(plant.count)
    found: list[tuple[float, Any]] = []
    for joint in map(int, np.flatnonzero(contact.direction)):

        def advance(t: float, joint: int = joint) -> float:
            return float(contact.direction[joint] * state(t)[n + joint])

        if advance(end) < 0:
            found.append((_root(advance, begun, end), rates == joint))
    if contact.held.any():

        def slack(t: float) -> float:
            y = state(t)
            q, qd = y[:n], y[n:-1]
            return float(friction_slack(plant, contact, q, qd, law(t, q, qd)).min())

        if slack(end) < 0:
            found.append((_root(slack, begun, end), rates < 0))
    return min(found, key=lambda change: change[0], default=None)


def _root(value: Callable[[float], float], begun: float, end: float) -> float:
    """The point from which a value is negative that is so at the end; it may be zero at the beginning, and first rise.

    The value may jump there, as a torque does that has the sign of a wanted rate: what is returned is behind the jump.
    """
    from scipy.optimize import brentq

    after = begun if value(begun) > 0 else begun + _SHORTLY * (end - begun)
    if value(after) <= 0:
        return begun
    root: float = brentq(value, after, end, xtol=_XTOL, rtol=_RTOL)
    return root if value(root) < 0 else min(root + _XTOL + _RTOL * abs(root), end)


def _diagnosis(plant: Plant, t: float, q: Array) -> str:
    joint, pivot = plant.smallest_pivot(q)
    where = f"at {t:.6g} s, q = ({', '.join(f'{each:.6g}' for each in q)})"
    if pivot > _SINGULAR:
        return f"the solver's steps shrink to nothing {where}: the motion is not smooth there, or too stiff; try Radau"
    kind = "singular" if abs(pivot) <= _SINGULAR else "not positive definite"
    return (
        f"the mass matrix is {kind} {where}: the pivot of joint {joint + 1} is {pivot:.2g} of its diagonal entry. "
        "No body has such inertia: `dynagen check` tells which link is not physical"
    )
