"""Identification of an arm: excite, log, estimate base parameters and friction.

The log is simulated. On a real robot, the controller executes the trajectory and writes the log,
instead of the function `record`.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import dynagen

ARM = "arm.yaml"
LIMITS = {"position": (-2.5, 2.5), "velocity": 4.0, "acceleration": 20.0, "effort": 100.0}
RATE = 500  # samples a second
NOISE = 0.2  # N m, standard deviation of torques; encoders have 1e-5 rad


def record(trajectory, path, rng):
    """Write a simulated log of the arm over two periods of a trajectory.

    Args:
        trajectory: periodic motion of the arm.
        path: file of the log: CSV with times, positions and torques, with noise.
        rng: random generator of the noise.
    """
    t = np.arange(0, 2 * trajectory.period, 1 / RATE)
    q, qd, qdd = trajectory.at(t)
    tau = dynagen.compile(ARM)(q, qd, qdd) + dynagen.compile(ARM, "friction_forces")(qd)
    noisy = [
        t[:, None],
        q + 1e-5 * rng.normal(size=q.shape),
        tau + NOISE * rng.normal(size=tau.shape),
    ]
    names = ["t", *(f"{name}{joint}" for name in ("q", "tau") for joint in (1, 2, 3))]
    np.savetxt(path, np.hstack(noisy), delimiter=",", header=",".join(names), comments="")


def main():
    """Identify the arm from one log, and validate the result on another log."""
    rng = np.random.default_rng(1)
    with TemporaryDirectory() as folder:
        logs = [Path(folder) / name for name in ("log.csv", "other.csv")]
        for seed, log in enumerate(logs):
            found = dynagen.excite(ARM, limits=LIMITS, seed=seed, starts=1, iterations=10)
            record(found.trajectory, log, rng)
        identified = dynagen.identify(ARM, logs[0], validate=logs[1])

    print("parameter            described  identified    +-")
    estimate = identified.estimate
    for parameter, value, deviation in zip(
        estimate.parameters, estimate.values, estimate.deviations, strict=True
    ):
        places = int(np.ceil(-np.log10(deviation)))  # to the first digit of the deviation
        print(
            f"{parameter.name:20} {parameter.described:9.4f} {value:11.{places}f} "
            f"{deviation:7.{places}f}"
        )
    held_out = identified.validation[0]
    print(
        "Residuals of the joint forces on another trajectory in percent, "
        "identified and true parameters:"
    )
    for percent in (held_out.relative_residual_percent, held_out.described_residual_percent):
        print(" ".join(f"{each:.1f}" for each in percent))


if __name__ == "__main__":
    main()
