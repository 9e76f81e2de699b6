"""Motions of Saha (2003), section 4: free falls, and motions under torques of a trajectory.

The torques are computed in advance by inverse dynamics of the trajectory.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import dynagen
from dynagen.apps.simulation.plant import plant_of
from dynagen.apps.simulation.rigid_plant import Plant
from dynagen.apps.simulation.simulation import Motion
from dynagen.resources import find_robots_folder
from studies.saha.integrators import INTEGRATORS

Array = NDArray[np.float64]

TIME = 10.0  # s, of all simulations
STARTS = {
    "planar": np.zeros(3),
    "stanford": np.array([0, np.pi / 2, 0, 0, 0, 0]),
    "puma": np.zeros(6),
}
ENDS = {"planar": np.full(3, np.pi), "stanford": np.pi / 3 * np.ones(6), "puma": np.full(6, np.pi)}
ENDS["stanford"][2] = 0.1
RUNS = (("RK45", 1e-6), ("DOP853", 1e-6), ("DOP853", 1e-9), ("DOP853", 1e-12))
for of_puma in (STARTS, ENDS):
    of_puma["puma_as_printed"] = of_puma["puma"]


def robot(name: str) -> str:
    """Return dynagen's name or the YAML description of one of the paper's robots.

    The robot `puma` is the robot in the paper's Table II(ii) without the minus signs of its
    inertias.
    """
    if name != "puma":
        return {"planar": "planar3", "stanford": "stanford_saha", "puma_as_printed": "puma_saha"}[
            name
        ]
    printed = (find_robots_folder() / "puma_saha.yaml").read_text(encoding="utf-8")
    return re.sub(r"inertia: \[.*\]", lambda inertia: inertia[0].replace("-", ""), printed)


@cache
def plant(name: str) -> Plant:
    """Compile one of the paper's robots for simulation."""
    return plant_of(robot(name))


def wanted(name: str, t: float | Array) -> tuple[Array, Array, Array]:
    """Compute positions, velocities and accelerations of the trajectory, eq. 18 of the paper.

    With the factor 1/2 of eq. 18, each motion would end at pi. Here the factor is the displacement
    divided by 2 pi, so that each motion ends where the paper states.

    Args:
        name: name of the robot.
        t: times (s), any shape.

    Returns:
        Three arrays of shape (*t.shape, n) for n joints.
    """
    displacement, angle = ENDS[name] - STARTS[name], 2 * np.pi / TIME * np.asarray(t)[..., None]
    q = STARTS[name] + displacement / (2 * np.pi) * (angle - np.sin(angle))
    return (
        q,
        displacement / TIME * (1 - np.cos(angle)),
        displacement * 2 * np.pi / TIME**2 * np.sin(angle),
    )


@cache
def fall(name: str, rtol: float = 1e-10) -> Motion:
    """Simulate the free fall of a robot from rest; `rtol` is the integrator's tolerance."""
    return dynagen.simulate(plant(name), q0=STARTS[name], time=TIME, rtol=rtol)


@cache
def forced(name: str, method: str, tolerance: float) -> Motion:
    """Simulate the motion under the torques that inverse dynamics computes for the trajectory.

    The torques are functions of time only, without feedback.

    Args:
        name: name of the robot.
        method: integrator of `dynagen.simulate`.
        tolerance: relative and absolute tolerance of the integrator.
    """
    inverse_dynamics = dynagen.compile(robot(name), "inverse_dynamics")

    def drive(t: float, q: Array, qd: Array) -> Array:
        tau: Array = inverse_dynamics(*wanted(name, t))
        return tau

    start = STARTS[name]
    return dynagen.simulate(
        plant(name),
        q0=start,
        time=TIME,
        torques=drive,
        method=method,
        rtol=tolerance,
        atol=tolerance,
    )


@cache
def forced_with_steps(integrator: str, name: str, h: float = 0.01) -> Array:
    """Integrate the motion under the torques of the trajectory, by an integrator of the paper.

    Args:
        integrator: name of the integrator.
        name: name of the robot.
        h: step (s).

    Returns:
        Positions and velocities of the n joints at all steps, shape (steps + 1, 2 n).
    """
    torques = dynagen.compile(robot(name), "inverse_dynamics")
    accelerations = dynagen.compile(robot(name), "forward_dynamics")
    n = len(STARTS[name])

    def rates(t: float, y: Array) -> Array:
        q, qd = y[:n], y[n:]
        return np.concatenate([qd, accelerations(q, qd, torques(*wanted(name, t)))])

    start = np.concatenate([STARTS[name], np.zeros(n)])
    return INTEGRATORS[integrator](rates, start, TIME, h)


def deviation(motion: Motion, name: str) -> Array:
    """Compute a motion's deviations from the paper's trajectory, shape (times, 2 n).

    The first n columns are deviations of positions, the last n of velocities.
    """
    q, qd, _ = wanted(name, motion.t)
    return np.hstack([motion.q - q, motion.qd - qd])


def carried_on(name: str, start: Array, since: float) -> tuple[Array, Array]:
    """Integrate a deviation by the equations linearised along the trajectory.

    The equations are d/dt (dq, dqd) = (dqd, dqdd_dq dq + dqdd_dqd dqd), with the derivatives
    dqdd_dq and dqdd_dqd of the joint accelerations. They are integrated by the classical
    Runge-Kutta method with steps of 0.01 s.

    Args:
        name: name of the robot.
        start: deviation of positions and velocities at the start, shape (2 n,).
        since: time at which the integration starts (s).

    Returns:
        The times (s), and the deviations at these times, shape (times, 2 n).
    """
    n, h = len(STARTS[name]), 0.01
    half_steps = np.arange(since, TIME + h / 4, h / 2)
    motion = wanted(name, half_steps)
    tau = dynagen.compile(robot(name), "inverse_dynamics")(*motion)
    by_q, by_qd, _ = dynagen.compile(robot(name), "forward_dynamics_derivatives")(*motion[:2], tau)
    rates = np.zeros((len(half_steps), 2 * n, 2 * n))
    rates[:, :n, n:], rates[:, n:, :n], rates[:, n:, n:] = np.eye(n), by_q, by_qd
    found = [start]
    for first, middle, last in zip(rates[:-2:2], rates[1::2], rates[2::2], strict=True):
        k1 = first @ found[-1]
        k2 = middle @ (found[-1] + h / 2 * k1)
        k3 = middle @ (found[-1] + h / 2 * k2)
        found.append(found[-1] + h / 6 * (k1 + 2 * (k2 + k3) + last @ (found[-1] + h * k3)))
    return half_steps[::2], np.array(found)


def largest(deviations: Array) -> Array:
    """Return, for each time, the largest deviation of a position (rad or m), shape (times,)."""
    found: Array = np.abs(deviations[:, : deviations.shape[1] // 2]).max(axis=1)
    return found


def explicit_fall() -> Array:
    """Integrate the free fall of the planar arm by equations derived by hand.

    The arm consists of three rods of 1 m and 1 kg. The result contains joint angles (rad), shape
    (times, 3). Let phi_i be the angle of rod i to the horizontal, and phid_i and phidd_i its first
    and second time derivative. The equations are sum_j c_ij (cos(phi_i - phi_j) phidd_j + sin(phi_i
    - phi_j) phid_j^2) = -g (7/2 - i) cos(phi_i), with constant coefficients c_ij.
    """
    factors = np.array([[7 / 3, 3 / 2, 1 / 2], [3 / 2, 4 / 3, 1 / 2], [1 / 2, 1 / 2, 1 / 3]])

    def rates(t: float, y: Array) -> Array:
        between, weights = y[:3, None] - y[:3], 9.81 * np.array([5 / 2, 3 / 2, 1 / 2])
        loads = -(factors * np.sin(between)) @ y[3:] ** 2 - weights * np.cos(y[:3])
        return np.concatenate([y[3:], np.linalg.solve(factors * np.cos(between), loads)])

    angles = (
        solve_ivp(rates, (0, TIME), np.zeros(6), "DOP853", fall("planar").t, rtol=1e-12, atol=1e-14)
        .y[:3]
        .T
    )
    return np.diff(angles, prepend=0)  # joint angles are differences of phi
