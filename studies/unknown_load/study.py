"""Identification of an unknown payload of a UR5 under computed torque control.

The payload is estimated from a motion, and passed to the controller as a run-time parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.signal import savgol_filter

import dynagen
from dynagen.apps.simulation.plant import plant_of
from dynagen.apps.simulation.rigid_plant import Plant
from dynagen.apps.simulation.simulation import Motion
from dynagen.apps.simulation.torques import Sampled
from dynagen.report.drawing import (
    COLOURS,
    GREY,
    make_axes_logarithmic,
    make_panels,
    put_legend_above,
)
from dynagen.resources import find_robots_folder
from studies.page import Table

Array = NDArray[np.float64]

ROBOT = (find_robots_folder() / "ur5.yaml").read_text(encoding="utf-8") + "payload: true\n"
MASS, CENTRE = 3.0, np.array([0.02, -0.01, 0.08])  # kg; m, in the frame of the last link
CENTRAL = np.array([0.010, 0.012, 0.008])  # kg m^2, about the centre of mass
T, PERIOD = 4.0, 0.002  # s
KP, KD = 100.0, 20.0  # 1/s^2, 1/s
ENCODER, TORQUE = 1e-5, 0.3  # rad; N m: standard deviations of the measurements


def load() -> Array:
    """Return the true payload at the last link: its ten inertial parameters, shape (10,)."""
    x, y, z = CENTRE
    squares = MASS * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    return np.concatenate(
        [[MASS], MASS * CENTRE, CENTRAL + squares, -MASS * np.array([x * y, x * z, y * z])]
    )


@cache
def robot() -> dynagen.runtime.robot.Robot:
    """Return the robot model of the controller, with the payload as run-time parameters."""
    return dynagen.load(ROBOT)


@cache
def plant() -> Plant:
    """Compile the controlled robot with its payload for simulation."""
    return plant_of(ROBOT, parameters=dict(zip(robot().parameters, load(), strict=True)))


def wanted(t: float, variant: int) -> tuple[Array, Array, Array]:
    """Compute positions, velocities and accelerations of a periodic motion, shape (6,) each.

    Units are rad, rad/s and rad/s^2. Each joint has one frequency. Motion 0 is used to identify the
    payload, motion 1 to test the estimate.
    """
    middle = np.array([0, -1.2, 1.4, -1.6, -1.5, 0])
    size = np.array([[0.5, 0.4, 0.5, 0.6, 0.7, 0.8], [0.8, 0.3, 0.4, 0.8, 0.4, 0.5]])[variant]
    omega = 2 * np.pi / T * np.array([[1, 2, 1, 2, 3, 4], [1, 1, 2, 1, 3, 2]])[variant]
    angle = omega * t + np.arange(6)
    return (
        middle + size * np.sin(angle),
        size * omega * np.cos(angle),
        -size * omega**2 * np.sin(angle),
    )


@cache
def follow(variant: int, *known: float) -> tuple[Motion, Array]:
    """Simulate computed torque control with a payload estimate.

    Args:
        variant: number of the desired motion: 0 (to identify the payload) or 1 (to test).
        known: the ten payload parameters in the controller's model.

    Returns:
        The motion, and the tool's distance from its path (mm), shape (times,).
    """

    def law(t: float, q: Array, qd: Array) -> Array:
        there, rates, accelerations = wanted(t, variant)
        tau: Array = robot().inverse_dynamics(
            q, qd, accelerations + KD * (rates - qd) + KP * (there - q), np.array(known)
        )
        return tau

    start, rates, _ = wanted(0.0, variant)
    drive = Sampled(law, PERIOD)
    motion = dynagen.simulate(
        plant(), q0=start, qd0=rates, time=T, torques=drive, method="RK4", step=PERIOD, every=PERIOD
    )
    path = plant().compute_tool_position(np.array([wanted(t, variant)[0] for t in motion.t]))
    return motion, 1000 * np.linalg.norm(motion.tool - path, axis=-1)


@cache
def measured() -> tuple[Array, Array, Array, Array]:
    """Simulate noisy measurements of the motion that is used to identify the payload.

    A filter fits quintics to 41 samples of the positions. The derivatives of the quintics are the
    velocities and accelerations.

    Returns:
        Positions, velocities, accelerations and torques, shape (samples, 6) each.
    """
    motion, _ = follow(0, *np.zeros(10))
    rng = np.random.default_rng(1)
    q = motion.q + ENCODER * rng.normal(size=motion.q.shape)
    smooth, rates, accelerations = (
        savgol_filter(q, 41, 5, deriv=order, delta=PERIOD, axis=0)[50:-50] for order in range(3)
    )
    # Torques hold for a period. At a sample one ends and the next begins; the filtered motion
    # corresponds to their mean.
    held = (motion.tau[:-1] + motion.tau[1:]) / 2
    tau = np.vstack([motion.tau[:1], held])
    return smooth, rates, accelerations, (tau + TORQUE * rng.normal(size=tau.shape))[50:-50]


@cache
def identified() -> tuple[Array, Array]:
    """Estimate the payload; return parameters and their standard deviations, shape (10,) each."""
    # Inverse dynamics is linear in the payload: its columns are the forces of unit parameters.
    *motion, tau = measured()
    unloaded = robot().inverse_dynamics(*motion, np.zeros(10))
    columns = [robot().inverse_dynamics(*motion, unit) - unloaded for unit in np.eye(10)]
    matrix, right = np.stack(columns, axis=-1).reshape(-1, 10), (tau - unloaded).ravel()
    found, residual, rank, _ = np.linalg.lstsq(matrix, right, rcond=None)
    if rank < 10:
        raise ValueError("the motion does not excite every parameter of the load")
    variance = residual[0] / (len(right) - 10)
    return found, np.sqrt(variance * np.diag(np.linalg.inv(matrix.T @ matrix)))


def parameters() -> Table:
    """Compare the identified payload with the true one."""
    rows = [
        [name.removeprefix("payload_"), f"{true:.4f}", f"{found:.4f}", f"{deviation:.4f}"]
        for name, true, found, deviation in zip(
            robot().parameters, load(), *identified(), strict=True
        )
    ]
    return Table(("about the last link's origin", "true", "identified", "standard deviation"), rows)


def tracking() -> Table:
    """Tabulate the tool's largest distance from its path, for three payload estimates."""
    known = {
        "no payload": np.zeros(10),
        "identified payload": identified()[0],
        "true payload": load(),
    }
    rows = [
        [name, *(f"{follow(variant, *values)[1].max():.2f}" for variant in (0, 1))]
        for name, values in known.items()
    ]
    return Table(("controller's model", "largest error, mm", "on another path, mm"), rows)


TABLES: dict[str, Callable[[], Table]] = {"parameters": parameters, "tracking": tracking}


def figures() -> dict[str, Figure]:
    """Draw the tool's distance from its path, and the torque of a joint.

    The distance is drawn for the test of the payload estimate, the torque for the motion by which
    the payload is identified.
    """
    figure, axes = make_panels(1, 2, 3.2)
    known = {"no load known": np.zeros(10), "identified": identified()[0], "known exactly": load()}
    for colour, dash, (label, values) in zip(
        COLOURS, ("-", "-", "--"), known.items(), strict=False
    ):
        motion, error = follow(1, *values)
        axes[0].plot(motion.t[1:], error[1:], dash, color=colour, label=label)
    axes[0].set(xlabel="t in s", ylabel="tool off its path, mm", ylim=(1e-2, None))
    *sensed, tau = measured()
    t = PERIOD * (50 + np.arange(len(tau)))
    axes[1].plot(t, tau[:, 3], color=GREY, alpha=0.5, linewidth=0.6, label="measured")
    for colour, label, values in (
        (COLOURS[0], "without load", np.zeros(10)),
        (COLOURS[1], "identified", identified()[0]),
    ):
        axes[1].plot(t, robot().inverse_dynamics(*sensed, values)[:, 3], color=colour, label=label)
    axes[1].set(xlabel="t in s", ylabel="torque of joint 4, N m")
    make_axes_logarithmic(axes[0], "y")
    for each in axes:
        put_legend_above(each)
    return {"errors": figure}
