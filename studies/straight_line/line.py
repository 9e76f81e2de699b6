"""Motion of the PUMA 560's wrist along a straight line.

Joint angles are computed by the generated inverse kinematics, joint velocities and accelerations by
the Jacobian and its derivative. For comparison with the thesis's listing D.1.3, `find_branches`
computes the inverse kinematics by formulas that were derived by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dynagen

Array = NDArray[np.float64]
Point = Sequence[float]

ARM = str(Path(__file__).with_name("arm.yaml"))
T = 2.0  # s
TIMES = np.linspace(0, T, 201)
START, END = (0.4, 0.1, 0.1), (0.4, 0.5, 0.5)  # m, of the wrist
NEAREST_SINGULARITY = 1e-3  # m, least singular value of the Jacobian
# rad, listing D.4; on the branch of the shoulder where X of `joint_angles` is negative
Q_OF_THESIS = np.array([3.6997, 2.3083, 0.5951])


@dataclass(frozen=True)
class Geometry:
    """Lengths of the PUMA 560's arm (m).

    Attributes:
        a2: length of the upper arm.
        a3: offset of the forearm.
        d4: length of the forearm, along -y of frame 3.
        offset: offset of the shoulder, d2 + d3.
    """

    a2: float
    a3: float
    d4: float
    offset: float


# 17, 0, 17 and 5 inches. In listing D.1.3 the forearm lies along y of frame 3, not along -y.
THESIS = Geometry(0.4318, 0.0, -0.4318, 0.127)


def find_branches(geometry: Geometry, point: Array) -> Array:
    """Return all joint angles that bring the wrist's centre to a point (rad), shape (4, 3).

    Let c2, s2, c23 and s23 be the cosines and sines of q2 and q2 + q3. The coordinates of the wrist
    in the plane of the arm are X = a2 c2 + a3 c23 + d4 s23 and z = -a2 s2 - a3 s23 + d4 c23. The
    point (x, y) is the point (X, offset) rotated by q1, which determines X and q1. The sum X^2 +
    z^2 determines q3. Then X and z determine q2.

    There are four solutions (branches). X is positive in the first two and negative in the last
    two. The two solutions of each pair have the elbow on opposite sides of the line from shoulder
    to wrist. Solutions that do not reach the point are NaN.

    Args:
        geometry: lengths of the arm.
        point: position of the wrist's centre in the base frame (m), shape (3,).
    """
    a2, a3, d4, offset = geometry.a2, geometry.a3, geometry.d4, geometry.offset
    x, y, z = point
    branches = []
    for shoulder in (1.0, -1.0):
        reach = shoulder * _root(x**2 + y**2 - offset**2)
        q1 = np.arctan2(y, x) - np.arctan2(offset, reach)
        along = (reach**2 + z**2 - a2**2 - a3**2 - d4**2) / (2 * a2)
        for elbow in (1.0, -1.0):
            across = elbow * _root(a3**2 + d4**2 - along**2)
            q3 = np.arctan2(along, across) - np.arctan2(a3, d4)
            q2 = np.arctan2(across * reach - (a2 + along) * z, (a2 + along) * reach + across * z)
            branches.append([q1, q2, q3])
    return np.array(branches)


def joint_angles(geometry: Geometry, point: Array, near: Array) -> Array:
    """Return the solution of inverse kinematics nearest to given joint angles (rad), shape (3,).

    Args:
        geometry: lengths of the arm.
        point: position of the wrist's centre in the base frame (m), shape (3,).
        near: joint angles (rad), shape (3,).

    Raises:
        ValueError: the point is out of reach.
    """
    branches = find_branches(geometry, point)
    if np.isnan(branches).any():
        raise _make_unreachable_error(point)
    return choose_nearest(branches, near)


def choose_nearest(branches: Array, near: Array) -> Array:
    """Return the solution that is nearest to given angles, after adding multiples of 2 pi (rad).

    Args:
        branches: joint angles of all solutions of inverse kinematics, shape (branches, 3).
        near: joint angles, shape (3,).
    """
    branches = branches + 2 * np.pi * np.round((near - branches) / (2 * np.pi))
    nearest: Array = branches[np.argmin(np.abs(branches - near).max(axis=1))]
    return nearest


def _make_unreachable_error(point: Array) -> ValueError:
    x, y, z = point
    return ValueError(f"({x:.3f}, {y:.3f}, {z:.3f}) m is out of reach of the wrist")


def _root(square: float) -> float:
    """Return the square root of `square`, or NaN if `square` is negative."""
    return float(np.sqrt(square)) if square >= 0 else np.nan


def path(t: Array, start: Point = START, end: Point = END) -> tuple[Array, Array, Array]:
    """Compute the wrist's position, velocity and acceleration, shape (times, 3) each.

    The three arrays are in the base frame, in m, m/s and m/s^2. The wrist moves from rest to rest
    on a straight line, by a quintic polynomial.

    Args:
        t: times (s), shape (times,).
        start: first position (m).
        end: last position (m).
    """
    s, way = t[:, None] / T, np.subtract(end, start)
    return (
        start + way * (10 * s**3 - 15 * s**4 + 6 * s**5),
        way * (30 * s**2 - 60 * s**3 + 30 * s**4) / T,
        way * (60 * s - 180 * s**2 + 120 * s**3) / T**2,
    )


def joint_motion(
    t: Array, start: Point = START, end: Point = END, branch: int | None = None
) -> tuple[Array, Array, Array]:
    """Compute joint angles, velocities and accelerations along a line, shape (times, 3) each.

    With the Jacobian J of the wrist's position, its velocity v and its acceleration a, qd = J^-1 v
    and qdd = J^-1 (a - dJ/dt qd). Units are rad, rad/s and rad/s^2.

    Args:
        t: times (s), shape (times,).
        start: first position of the wrist (m).
        end: last position of the wrist (m).
        branch: number of the solution of `inverse_kinematics`, from 0; None for the solution that
            the thesis chooses.

    Raises:
        ValueError: a point of the line is out of reach, or the arm is singular there.
    """
    points, velocities, accelerations = path(t, start, end)
    branches, _, failed = dynagen.compile(ARM, "inverse_kinematics")(points)
    if failed.any():
        raise _make_unreachable_error(points[failed.argmax()])
    near, angles = Q_OF_THESIS if branch is None else branches[0, branch], []
    for each in branches:
        near = choose_nearest(each, near)  # stays on one branch from point to point
        angles.append(near)
    q = np.array(angles)
    jacobian = dynagen.compile(ARM, "jacobian")(q)[:, :3]
    least = np.linalg.svd(jacobian, compute_uv=False)[:, -1]
    if least.min() < NEAREST_SINGULARITY:
        place = ", ".join(f"{each:.3f}" for each in points[least.argmin()])
        raise ValueError(
            f"the arm is singular at ({place}) m: a joint would move infinitely fast; "
            "move the line away from the waist's axis and from the limit of reach"
        )
    qd = np.linalg.solve(jacobian, velocities[..., None])[..., 0]
    remainder = dynagen.compile(ARM, "jacobian_dot_qd")(q, qd)[:, :3]
    return q, qd, np.linalg.solve(jacobian, (accelerations - remainder)[..., None])[..., 0]
