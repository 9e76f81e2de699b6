"""Logs of robots whose parameters are known: periodic motions, the joint forces that they take, and
seeded noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from dynagen.apps.identification.regression import RegressionModel, regression_model
from dynagen.apps.identification.samples import Samples, make_samples
from dynagen.numbers.arrays import Array

SMALL_ARM = """
name: small_arm
convention: modified
gravity: [0, 0, -9.81]
links:
  - name: column
    joint: revolute
    dh: {alpha: 0, a: 0, d: 0.3}
    mass: 5
    com: [0, 0, -0.1]
    inertia: [0.05, 0.05, 0.04]
    motor: {inertia: 0.5}
    friction: {viscous: 2, coulomb: 3}
    limits: {position: [-2.5, 2.5], velocity: 4, effort: 100}
  - name: upper_arm
    joint: revolute
    dh: {alpha: pi/2, a: 0.1, d: 0}
    mass: 4
    com: [0.2, 0.03, 0.05]
    inertia: [0.02, 0.06, 0.05, 0.002, -0.003, 0.001]
    motor: {inertia: 0.4}
    friction: {viscous: 3, coulomb: 4}
    limits: {position: [-2.5, 2.5], velocity: 4, effort: 100}
  - name: slide
    joint: prismatic
    dh: {alpha: pi/2, a: 0.3, theta: 0}
    mass: 2
    com: [0.05, 0.02, 0.1]
    inertia: [0.01, 0.012, 0.008, 0.001, 0.0005, -0.001]
    motor: {inertia: 0.8}
    friction: {viscous: 10, coulomb: 6}
    limits: {position: [-2, 2], velocity: 2, effort: 150}
"""
"""Two joints that rotate and one that translates; everything about it matters to some joint force.
"""


@lru_cache(maxsize=8)
def model_of(
    robot: str = SMALL_ARM, friction: tuple[str, ...] = ("viscous", "coulomb")
) -> RegressionModel:
    """The regressor of a robot, compiled once in a session."""
    usual = ("viscous", "coulomb")
    return (
        regression_model(robot, friction)
        if friction == usual
        else model_of(robot).with_friction(friction)
    )


@dataclass(frozen=True)
class FourierMotion:
    """A periodic motion, as of Swevers and others (1997): sines and cosines of whole multiples of a
    base frequency.

    Attributes:
        base: angular frequency, rad/s.
        centre: of the motion, shape (n,).
        sines, cosines: shape (harmonics, n).
    """

    base: float
    centre: Array
    sines: Array
    cosines: Array

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, rates and accelerations, shape (times, n) each."""
        rates = self.base * np.arange(1, len(self.sines) + 1)
        s, c = np.sin(np.outer(t, rates)), np.cos(np.outer(t, rates))
        q = self.centre + s @ self.sines + c @ self.cosines
        qd = (c * rates) @ self.sines - (s * rates) @ self.cosines
        qdd = -(s * rates**2) @ self.sines - (c * rates**2) @ self.cosines
        return q, qd, qdd


def random_motion(
    seed: int, joints: int, period: float = 10.0, harmonics: int = 5, size: float = 0.4
) -> FourierMotion:
    """A motion that moves every joint at several frequencies."""
    rng = np.random.default_rng(seed)
    sines, cosines = (
        size
        * rng.normal(size=(2, harmonics, joints))
        / np.sqrt(np.arange(1, harmonics + 1))[:, None]
    )
    return FourierMotion(2 * np.pi / period, rng.normal(size=joints) * 0.3, sines, cosines)


def simulated_samples(
    model: RegressionModel,
    count: int = 1000,
    seed: int = 0,
    noise: float | Sequence[float] = 0.0,
    truth: Array | None = None,
) -> Samples:
    """Samples of a random motion, exact but for white noise on the joint forces.

    Args:
        model: of the robot.
        count: of samples, over one period of 10 s.
        seed: of motion and noise.
        noise: its standard deviation in N m or N, of all joints or of each.
        truth: the parameters; None takes the description's.
    """
    joints = len(model.joints)
    t = np.linspace(0.0, 10.0, count, endpoint=False)
    q, qd, qdd = random_motion(seed, joints).at(t)
    tau = model.compute_regressor(q, qd, qdd) @ (model.described_values if truth is None else truth)
    tau = tau + np.asarray(noise) * np.random.default_rng(seed + 1).normal(size=tau.shape)
    return make_samples(t, q, qd, qdd, tau, f"simulated {seed}")


def write_log(path: Path, columns: Mapping[str, Array]) -> Path:
    """A CSV file of columns of one shape (rows,) or several, (rows, n), whose names get numbers
    from 1.
    """
    names, values = [], []
    for name, column in columns.items():
        if column.ndim == 1:
            names, values = [*names, name], [*values, column]
        else:
            names += [f"{name}{number + 1}" for number in range(column.shape[1])]
            values += list(column.T)
    rows = np.column_stack(values)
    np.savetxt(path, rows, fmt="%.9g", delimiter=",", header=",".join(names), comments="")
    return path


def simulated_log(
    model: RegressionModel,
    seed: int = 0,
    *,
    time: float = 20.0,
    rate: float = 200.0,
    noise: float | Sequence[float] = 0.1,
    encoder: float = 1e-5,
    truth: Array | None = None,
) -> dict[str, Array]:
    """Columns of a log as a robot writes it: noise is on positions, rates and forces, and there are
    no accelerations.

    Args:
        model: of the robot.
        seed: of motion and noise.
        time: length in s.
        rate: samples a second.
        noise: standard deviation of the forces' noise in N m or N, of all joints or of each.
        encoder: the same of positions, rad or m; of rates a hundred times as much.
        truth: the parameters; None takes the description's.
    """
    joints, rng = len(model.joints), np.random.default_rng(seed + 1)
    t = np.arange(round(time * rate)) / rate
    q, qd, qdd = random_motion(seed, joints).at(t)
    tau = model.compute_regressor(q, qd, qdd) @ (model.described_values if truth is None else truth)
    measured = (
        q + encoder * rng.normal(size=q.shape),
        qd + 100 * encoder * rng.normal(size=q.shape),
    )
    return {
        "t": t,
        "q": measured[0],
        "qd": measured[1],
        "tau": tau + np.asarray(noise) * rng.normal(size=tau.shape),
    }
