"""Derivatives of the pose after a step: precise at rest, next to it, and for large rotations."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from dynagen.dynamics.algorithms.integration_derivatives import record_pose_derivatives
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions.integration import INTEGRATE
from dynagen.ir.program import Argument
from dynagen.robot.edits import add_floating_base
from dynagen.robot.loading import load_robot
from dynagen.verification.coordinates import Coordinates
from tests.support.function_proofs import kernel, optimised

# The last but one joins the series and the quotient.
ANGLES = (0, 1e-300, 1e-19, 1e-12, 1e-8, 1e-4, 0.1, 0.999999999, 1, 1.000000001, 3.0, 7.0, 40.0)


def record_rows(recording):
    """Record the derivatives by the pose before the motion, and by the motion."""
    by_pose, by_motion = record_pose_derivatives(recording, recording.add_elements("motion"))
    return tuple([entry for row in rows for entry in row] for rows in (by_pose, by_motion))


POSE_DERIVATIVES = DynamicsFunction(
    name="pose_derivatives",
    formula="derivatives of `integrate`",
    inputs=INTEGRATE.inputs,
    outputs=lambda model: (
        Argument("by_pose", (7, 7), ("1",) * 49, ""),
        Argument("by_motion", (7, 6), ("1",) * 42, ""),
    ),
    methods={"": record_rows},
    expected_results=INTEGRATE.expected_results,
)


@pytest.fixture(scope="module")
def floating_planar():
    return add_floating_base(load_robot("planar3"))


@pytest.fixture(scope="module")
def derivatives(floating_planar):
    return kernel(optimised(POSE_DERIVATIVES, floating_planar))


def turn_point(quaternion, point):
    """Return a point turned by a quaternion of any length that is normalised first."""
    x, y, z, w = (each / mpmath.sqrt(mpmath.fdot(quaternion, quaternion)) for each in quaternion)
    rotation = mpmath.matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return list(rotation * mpmath.matrix(point))


def move_pose(values):
    """Return the pose after a motion: 7 numbers of the pose, then 6 of the motion."""
    position, quaternion, along, about = values[:3], values[3:7], values[7:10], values[10:]
    a, b, c = about
    twist = mpmath.matrix(
        [[0, -c, b, along[0]], [c, 0, -a, along[1]], [-b, a, 0, along[2]], [0, 0, 0, 0]]
    )
    turn = mpmath.matrix([[0, c, -b, a], [-c, 0, a, b], [b, -a, 0, c], [-a, -b, -c, 0]]) / 2
    shift = mpmath.expm(twist)[:3, 3]
    length = mpmath.sqrt(mpmath.fdot(quaternion, quaternion))
    orientation = mpmath.expm(turn) * mpmath.matrix(quaternion) / length
    moved = turn_point(quaternion, list(shift))
    return [*(p + s for p, s in zip(position, moved, strict=True)), *orientation]


@pytest.mark.parametrize("angle", ANGLES)
def test_derivatives_equal_differences_in_sixty_digits(derivatives, angle):
    generator = np.random.default_rng(8)
    axis, along, position = generator.normal(size=(3, 3))
    about = angle * axis / np.linalg.norm(axis)
    quaternion = generator.normal(size=4)
    quaternion /= np.linalg.norm(quaternion)
    q = np.concatenate([position, quaternion, np.zeros(3)])
    motion = np.concatenate([along, about, np.zeros(3)])
    by_pose, by_motion = (each[0] for each in derivatives(q[None], motion[None]))
    computed = np.hstack([by_pose, by_motion])
    with mpmath.workdps(60):
        values = [mpmath.mpf(float(each)) for each in (*q[:7], *motion[:6])]
        step = mpmath.mpf(10) ** -20
        for place in range(len(values)):
            ends = [
                move_pose([*values[:place], values[place] + sign * step, *values[place + 1 :]])
                for sign in (1, -1)
            ]
            expected = [float((up - down) / (2 * step)) for up, down in zip(*ends, strict=True)]
            # The rotation itself has the rounding of its angle.
            bound = 2e-15 * (1 + np.linalg.norm(along)) * (1 + angle)
            np.testing.assert_allclose(computed[:, place], expected, rtol=0, atol=bound)


def test_the_reference_finds_the_same_derivatives(floating_planar, derivatives):
    """The proof compares with complex steps through exponentials of matrices."""
    coordinates = Coordinates.from_description(floating_planar)
    generator = np.random.default_rng(9)
    q, motion = generator.normal(size=(50, 10)), generator.normal(size=(50, 9))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=-1, keepdims=True)
    motion[:5, 3:6] = 0
    motion[5:10, 3:6] *= 1e-9
    by_pose, by_motion = derivatives(q, motion)
    by_start, expected = coordinates.differentiate_integration(q, motion)
    np.testing.assert_allclose(by_motion, expected[:, :7, :6], rtol=0, atol=1e-14)
    # A small motion of the base changes the entries of the pose before, and these those after it.
    changes = [coordinates.move(q, 1j * unit).imag[:, :7] for unit in np.eye(9)[:6]]
    np.testing.assert_allclose(
        by_pose @ np.stack(changes, axis=-1), by_start[:, :7, :6], rtol=0, atol=1e-14
    )
