"""Integration with error control, by scipy's solvers, step by step: what happens within a step is found where it does.

Where dry friction stops a joint or lets it go, where a controller acts that does so once in a period, and where the mass
matrix is no longer positive definite, a smooth stretch of the motion ends; the solver starts anew behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dynagen.errors import UsageError
from dynagen.simulation import sticking
from dynagen.simulation.plant import Array, Plant
from dynagen.simulation.sticking import Contact
from dynagen.simulation.torques import Sampled, Torques

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


def stretches(plant: Plant, start: Array, torques: Torques | Sampled, time: float, method: str, tolerances: Tolerances) -> Any:
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
    law: Torques = partial(_held, np.zeros(plant.count)) if isinstance(torques, Sampled) else torques
    end = time
    while t < time:
        q, qd = y[: plant.positions], y[plant.positions : -1]
        if isinstance(torques, Sampled) and t >= sample * torques.period:
            law = partial(_held, torques.law(t, q, qd))
            sample += 1
            end = min(sample * torques.period, time)
        contact = sticking.decide(plant, q, qd, law(t, q, qd)) if plant.dry.any() else sticking.free_contact(plant)
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
    plant: Plant, contact: Contact, law: Torques, t: float, y: Array, end: float, method: str, tolerances: Tolerances
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
        qdd, friction = sticking.acceleration(plant, contact, q, qd, tau)
        power = qd @ (tau - friction + plant.external_forces(q))
        return np.concatenate([plant.position_rates(q, qd), qdd, [power]])

    solver = getattr(integrate, method)(
        rates, t, y, end, max_step=tolerances.longest, rtol=tolerances.rtol, atol=tolerances.atol
    )
    definite = plant.is_definite(y[: plant.positions])  # a robot that is no physical one from the start moves while it can
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
    plant: Plant, contact: Contact, law: Torques, state: Callable[[float], Array], begun: float, end: float
) -> tuple[float, Any] | None:
    """The time at which the first joint stops or breaks away within a step, and which joints stop; None if none does."""
    if end - begun <= _SAME_TIME * max(1.0, end):
        return None  # a torque may jump within so short a step: what it does is found in the next one
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
            return float(sticking.slack(plant, contact, q, qd, law(t, q, qd)).min())

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
