"""Integration with steps of equal length, of one motion or of many: Runge-Kutta of fourth order, semi-implicit Euler."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dynagen.simulation.plant import Array, Plant
from dynagen.simulation.torques import Torques

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


def _rates(plant: Plant, torques: Torques, t: float, q: Array, qd: Array) -> tuple[Array, Array, Array]:
    """Rates of positions, accelerations, and the power of torques, friction and wrench."""
    tau = torques(t, q, qd)
    moving = plant.position_rates(q, qd)
    if not plant.has_friction and plant.wrench is None:
        return moving, plant.acceleration(q, qd, tau), np.einsum("...i,...i->...", qd, tau)
    qdd = plant.acceleration_with_friction(q, qd, tau)
    net = tau - plant.friction(q, qd, qdd) + plant.external_forces(q)
    return moving, qdd, np.sum(qd * net, axis=-1)
