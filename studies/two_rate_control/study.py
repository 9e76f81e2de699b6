"""Izaguirre and others (1992), section 7.2: the PUMA 260 follows trajectories.

The arm is controlled in open loop, and in closed loop at two rates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import dynagen
from dynagen.apps.simulation.plant import plant_of
from dynagen.apps.simulation.rigid_plant import Plant
from dynagen.apps.simulation.simulation import Motion
from dynagen.apps.simulation.torques import Sampled, Trajectory
from dynagen.report.drawing import COLOURS, make_axes_logarithmic, make_panels, put_legend_above
from studies.page import Table
from studies.two_rate_control.law import TwoRateLaw

Array = NDArray[np.float64]

ROBOT = "puma260"
START = np.array([0, -1.27, np.pi / 2, 0, 0, 0])  # rad
ALL = (0, 1, 2)  # joints that rotate together
SPEEDS = (180, 90, 60, 30)  # degrees per second, at the middle of the trajectory
PERIODS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)  # s, of the background task; 0.02 in the paper
SERVO = 0.001  # s, period of the fast task
MODEL = 0.97  # inertial parameters of the open-loop model over the true ones
_OPEN_LOOP_COLUMNS = tuple(
    f"joint {joint + 1}{where}" for where in ("", ", gravity on line") for joint in ALL
)


def trajectory(speed: float, joints: tuple[int, ...] = ALL) -> tuple[float, Trajectory]:
    """Return a trajectory that rotates joints by 90 degrees, by a quintic from rest to rest.

    Args:
        speed: greatest velocity (degrees per second).
        joints: joints that rotate.

    Returns:
        The duration (s), and the trajectory as a function of time.
    """
    time = 15 / 8 * 90 / speed
    rotation = np.zeros(len(START))
    rotation[[*joints]] = np.pi / 2

    def at(t: float) -> tuple[Array, Array, Array]:
        s = min(t / time, 1.0)
        rate, acceleration = (
            (30 * s**2 - 60 * s**3 + 30 * s**4) / time,
            (60 * s - 180 * s**2 + 120 * s**3) / time**2,
        )
        return (
            START + rotation * (10 * s**3 - 15 * s**4 + 6 * s**5),
            rotation * rate,
            rotation * acceleration,
        )

    return time, at


@cache
def plant(friction: bool) -> Plant:
    """Compile the controlled robot for simulation."""
    return plant_of(ROBOT, friction=friction)


@cache
def open_loop(speed: float, on_line: bool, joints: tuple[int, ...] = ALL) -> tuple[Motion, Array]:
    """Simulate the motion under torques that a wrong model computes for the trajectory.

    In this model, the inertial parameters of the links are 97 % of the true parameters.

    Args:
        speed: greatest velocity (degrees per second).
        on_line: whether gravity forces are computed for the actual positions, instead of the
            desired positions.
        joints: joints that rotate.

    Returns:
        The motion, and the deviations of its angles from the trajectory, in percent of 90 degrees,
        shape (times, 3).
    """
    inverse_dynamics, gravity_forces, friction_forces = (
        dynagen.compile(ROBOT, name)
        for name in ("inverse_dynamics", "gravity_forces", "friction_forces")
    )
    motors = np.array([float(link.motor_inertia) for link in dynagen.load_robot(ROBOT).links])
    time, at = trajectory(speed, joints)

    def torques(t: float, q: Array, qd: Array) -> Array:
        wanted, rates, accelerations = at(t)
        # Forces without motors are linear in the links' parameters, so MODEL scales them.
        of_links = inverse_dynamics(wanted, rates, accelerations) - motors * accelerations
        moved = gravity_forces(q) - gravity_forces(wanted) if on_line else 0.0
        tau: Array = MODEL * (of_links + moved) + motors * accelerations + friction_forces(rates)
        return tau

    return _followed(
        dynagen.simulate(plant(True), q0=START, time=time, torques=torques, rtol=1e-9), at
    )


@cache
def closed_loop(speed: float, period: float, on_line: bool) -> tuple[Motion, Array]:
    """Simulate computed torque at two rates, without friction.

    Args:
        speed: greatest velocity (degrees per second).
        period: period of the background task (s).
        on_line: whether the fast task computes the gravity forces.

    Returns:
        The motion, and the deviations of its angles from the trajectory, in percent of 90 degrees,
        shape (times, 3).
    """
    time, at = trajectory(speed)
    law = Sampled(TwoRateLaw(ROBOT, at, period, on_line), SERVO)
    motion = dynagen.simulate(
        plant(False), q0=START, time=time, torques=law, method="RK4", step=SERVO, every=SERVO
    )
    return _followed(motion, at)


def _followed(motion: Motion, at: Trajectory) -> tuple[Motion, Array]:
    wanted = np.array([at(t)[0] for t in motion.t])
    return motion, 100 * np.abs(motion.q - wanted)[:, :3] / (np.pi / 2)


def model_is_wrong() -> Table:
    """Tabulate the largest position errors without feedback, by motion speed.

    The torques are computed by a model with 97 % of the true inertial parameters of the links.
    """
    rows = []
    for speed in SPEEDS:
        errors = (open_loop(speed, on_line)[1].max(axis=0) for on_line in (False, True))
        rows.append([f"{speed}", *(f"{each:.1f}" for error in errors for each in error)])
    return Table(("degrees per second", *_OPEN_LOOP_COLUMNS), rows)


def one_joint_moves() -> Table:
    """Tabulate the largest position errors of joints that move one at a time, by motion speed.

    Without feedback, the torques are computed by a model with 97 % of the true inertial parameters
    of the links.
    """
    rows = []
    for speed in SPEEDS:
        errors = (
            open_loop(speed, on_line, (joint,))[1][:, joint].max()
            for on_line in (False, True)
            for joint in ALL
        )
        rows.append([f"{speed}", *(f"{each:.1f}" for each in errors)])
    return Table(("degrees per second", *_OPEN_LOOP_COLUMNS), rows)


def coefficients_are_old() -> Table:
    """Tabulate the largest errors of computed torque control at two rates.

    There is a row for each period of the background task, which computes the coefficients of the
    control law once in a period.
    """
    runs = [(speed, on_line) for speed in (180, 30) for on_line in (False, True)]
    rows = [
        [
            f"{1000 * period:g}",
            *(f"{closed_loop(speed, period, on_line)[1].max():.4f}" for speed, on_line in runs),
        ]
        for period in PERIODS
    ]
    return Table(
        (
            "period in ms",
            *(
                f"{speed} degrees/s{', gravity on line' if on_line else ''}"
                for speed, on_line in runs
            ),
        ),
        rows,
    )


TABLES: dict[str, Callable[[], Table]] = {
    "open-loop": model_is_wrong,
    "one-joint": one_joint_moves,
    "two-rates": coefficients_are_old,
}


def figures() -> dict[str, Figure]:
    """Draw errors of the motion without feedback and of the motion with feedback.

    Errors without feedback are drawn over time. The largest errors with feedback are drawn over the
    period of the controller's background task.
    """
    figure, axes = make_panels(1, 3, 3.4)
    for side, speed in zip(axes, (180, 30), strict=False):
        for on_line, dash in ((False, "-"), (True, "--")):
            motion, error = open_loop(speed, on_line)
            for joint in range(3):
                side.plot(
                    motion.t,
                    error[:, joint],
                    dash,
                    color=COLOURS[joint],
                    label=f"q{joint + 1}{', on line' if on_line else ''}",
                )
        side.set(
            xlabel=f"t in s, {speed} degrees/s (Figs 7, 9)",
            ylabel="open loop: off by, % of 90 degrees",
        )
        put_legend_above(side, 2)
    for colour, speed in zip(COLOURS, (180, 30), strict=False):
        for on_line, dash in ((False, "-o"), (True, "--o")):
            errors = [closed_loop(speed, period, on_line)[1].max() for period in PERIODS]
            label = f"{speed} degrees/s{', on line' if on_line else ''}"
            axes[2].plot(
                1000 * np.array(PERIODS), errors, dash, color=colour, label=label, markersize=3
            )
    axes[2].set(xlabel="background period in ms", ylabel="closed loop: off by, % of 90 degrees")
    make_axes_logarithmic(axes[2], "xy")
    put_legend_above(axes[2], 1)
    return {"errors": figure}
