"""Identification procedure of Izaguirre and others (1992), sections 6 and 7.

The procedure computes the regressor of all 78 parameters and eliminates dependent parameters. It
then fits the other parameters to trajectories, and drops parameters with a small contribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

import dynagen
from dynagen.apps.identification.triangular import compute_triangle
from dynagen.apps.identification.uncertainty import find_without_contribution
from dynagen.runtime.ufunc import Ufunc

Array = NDArray[np.float64]

ROBOT = "puma260"
JOINTS = 6
MOMENTS = {
    "m": "m",
    "mx": "x",
    "my": "y",
    "mz": "z",
    "Jxx": "a",
    "Jyy": "b",
    "Jzz": "c",
    "Jxy": "d",
    "Jyz": "e",
    "Jxz": "f",
}
"""Mapping from dynagen's name of a link's parameter to the paper's letter, in the paper's order.

The assignment of e and f follows from the paper's list of eliminated parameters.
"""
PERIOD = 0.028  # s, between samples
EDGE = 15  # samples that are dropped at either end, as in the paper
CHOSEN = 6  # trajectories that are chosen; the others of the ten are random
LENGTH = 4.0  # s, of a trajectory
KNOTS = 5  # points that a polynomial passes through
SINGULAR = 1e-10  # smallest singular value of independent columns, relative to the largest


@cache
def compiled(function: str) -> Ufunc:
    """Compile a dynamics function of the arm that is to be identified."""
    return dynagen.compile(ROBOT, function)


@cache
def names() -> tuple[str, ...]:
    """Return the paper's names of its 78 parameters, in the paper's order.

    The order is motors, links from the last to the first, Coulomb friction, viscous
    friction.
    """
    motors = [f"ia{joint}" for joint in range(1, JOINTS + 1)]
    links = [f"{moment}{link}" for link in range(JOINTS, 0, -1) for moment in MOMENTS.values()]
    return (
        *motors,
        *links,
        *(f"{kind}{joint}" for kind in ("fs", "ds") for joint in range(1, JOINTS + 1)),
    )


def columns(q: Array, qd: Array, qdd: Array) -> Array:
    """Compute the regressor of all 78 parameters, shape (count, 6, 78).

    Args:
        q: joint positions (rad), shape (count, 6).
        qd: joint velocities (rad/s), shape (count, 6).
        qdd: joint accelerations (rad/s^2), shape (count, 6).
    """
    regressor = compiled("regressor")
    links = [link.name for link in dynagen.load_robot(ROBOT).links]
    places = {name: place for place, name in enumerate(regressor.outputs[0].columns)}
    motors = [places[f"{link}.Ia"] for link in links]
    moments = [places[f"{link}.{moment}"] for link in reversed(links) for moment in MOMENTS]
    diagonal = np.eye(JOINTS)
    return np.concatenate(
        [
            regressor(q, qd, qdd)[..., [*motors, *moments]],
            np.sign(qd)[..., None] * diagonal,
            qd[..., None] * diagonal,
        ],
        axis=-1,
    )


@cache
def independent() -> tuple[int, ...]:
    """Return the indices of the independent parameters.

    A parameter is dropped if its column of the regressor, computed in 100 random states, depends
    linearly on earlier columns.
    """
    rng = np.random.default_rng(1)
    # The triangle of the QR decomposition has the same dependent columns, and fewer rows.
    matrix = compute_triangle(columns(*rng.uniform(-1, 1, (3, 100, JOINTS))).reshape(600, -1))
    kept: list[int] = []
    for place in range(matrix.shape[1]):
        values = np.linalg.svd(matrix[:, [*kept, place]], compute_uv=False)
        if values[-1] > SINGULAR * values[0]:
            kept.append(place)
    return tuple(kept)


@dataclass(frozen=True)
class Record:
    """Measurements along a trajectory; each array has shape (count, 6).

    Attributes:
        q: joint positions (rad).
        qd: joint velocities (rad/s).
        qdd: joint accelerations (rad/s^2).
        tau: joint torques (N m).
    """

    q: Array
    qd: Array
    qdd: Array
    tau: Array


@cache
def records(differences: bool, noise: float = 0.0) -> tuple[Record, ...]:
    """Simulate measurements along ten trajectories of the arm.

    The trajectories are random, because the paper does not print its trajectories. Each is a
    polynomial through random points, at rest at both ends. Three joints have a larger range than
    the other joints.

    Args:
        differences: whether velocities and accelerations are finite differences of positions, as in
            the paper. Otherwise they are exact.
        noise: standard deviation of the torque noise, relative to the largest torque of each joint.
    """
    rng = np.random.default_rng(260)
    made = []
    for number in range(10):
        reach = np.full(JOINTS, 2.0)
        if number < CHOSEN:
            reach[:] = 1.0
            reach[[number % JOINTS, (number + 1) % JOINTS, (number + 3) % JOINTS]] = 2.5
        made.append(
            _record(
                _polynomials(rng.uniform(-reach, reach, (KNOTS, JOINTS))), differences, noise, rng
            )
        )
    return tuple(made)


def _polynomials(points: Array) -> Array:
    """Return the coefficients of polynomials that pass through `points`, at rest at both ends.

    `points` has the shape (KNOTS, 6), with equally spaced points of each joint. The result has the
    shape (powers, 6), for ascending powers of t / LENGTH with the duration LENGTH.
    """
    times, powers = np.linspace(0, 1, KNOTS), np.arange(KNOTS + 2)
    through = times[:, None] ** powers
    at_ends = np.array([0.0, 1.0])[:, None] ** np.maximum(powers - 1, 0) * powers
    return np.linalg.solve(
        np.vstack([through, at_ends]), np.vstack([points, np.zeros((2, JOINTS))])
    )


def _record(
    coefficients: Array, differences: bool, noise: float, rng: np.random.Generator
) -> Record:
    t = np.arange(0, LENGTH, PERIOD) / LENGTH
    powers = np.arange(len(coefficients))
    q = t[:, None] ** powers @ coefficients
    qd = (powers * t[:, None] ** np.maximum(powers - 1, 0)) @ coefficients / LENGTH
    qdd = (
        (powers * (powers - 1) * t[:, None] ** np.maximum(powers - 2, 0)) @ coefficients / LENGTH**2
    )
    tau = compiled("inverse_dynamics")(q, qd, qdd) + compiled("friction_forces")(qd)
    tau = tau + noise * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    if differences:
        qd = _difference(q)
        qdd = _difference(qd)
    inside = slice(EDGE, -EDGE)
    return Record(q[inside], qd[inside], qdd[inside], tau[inside])


def _difference(values: Array) -> Array:
    """Return the time derivative of samples by central differences over two sampling periods.

    At both ends, the result contains one-sided differences, which the caller must drop.
    """
    return np.gradient(values, PERIOD, axis=0)


def stacked(parts: tuple[Record, ...], parameters: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the weighted regressor of p parameters, and the weighted torques.

    The shapes are (rows, p) and (rows,), with a row for each joint at each sample. The rows of each
    joint are divided by the largest torque of this joint, as in the paper.
    """
    weights = 1 / np.max([np.abs(part.tau).max(axis=0) for part in parts], axis=0)
    rows = [
        columns(part.q, part.qd, part.qdd)[..., parameters] * weights[:, None] for part in parts
    ]
    tau = [part.tau * weights for part in parts]
    return np.concatenate(rows).reshape(-1, len(parameters)), np.concatenate(tau).reshape(-1)


def fitted(part: Record, parameters: tuple[int, ...]) -> Array:
    """Estimate parameters from the measurements along a trajectory by weighted least squares.

    Args:
        part: the measurements.
        parameters: indices of the p parameters to estimate.

    Returns:
        The estimates, shape (p,).
    """
    matrix, tau = stacked((part,), parameters)
    triangle = compute_triangle(np.column_stack([matrix, tau]))
    return np.asarray(
        np.linalg.lstsq(triangle[:, :-1], triangle[:, -1], rcond=None)[0], dtype=float
    )


def singular_values(parts: tuple[Record, ...], parameters: tuple[int, ...]) -> Array:
    """Compute the singular values of the regressor D without row weights, in descending order.

    The paper prints the largest and the smallest singular value of D.
    """
    matrix = np.concatenate(
        [
            columns(part.q, part.qd, part.qdd)[..., parameters].reshape(-1, len(parameters))
            for part in parts
        ]
    )
    return np.asarray(np.linalg.svd(compute_triangle(matrix), compute_uv=False), dtype=float)


def significant(
    parts: tuple[Record, ...], parameters: tuple[int, ...], values: Array
) -> tuple[int, ...]:
    """Return the indices of the significant parameters among the given parameters.

    A significant parameter contributes at least one per cent of a joint's largest torque in at
    least one trajectory.

    Args:
        parts: measurements of all trajectories.
        parameters: indices of p given parameters.
        values: values of the given parameters, shape (p,).
    """
    terms = [
        np.abs(columns(part.q, part.qd, part.qdd)[..., parameters] * values).max(axis=0)
        for part in parts
    ]
    greatest = [np.abs(part.tau).max(axis=0) for part in parts]
    dropped = {
        each.index for each in find_without_contribution(np.stack(terms), np.stack(greatest))
    }
    return tuple(parameter for place, parameter in enumerate(parameters) if place not in dropped)
