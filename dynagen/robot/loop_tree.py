"""Numeric computation of the loops of a robot: residuals, their derivatives, and closed poses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.numbers.arrays import Array, Mask
from dynagen.numbers.exact import Exact
from dynagen.robot.description import LinkDescription, NamedFrame, RobotDescription
from dynagen.robot.names import make_identifier
from dynagen.robot.pose import Pose, compute_pose

RANK = 1e-7
"""A singular value of a Jacobian counts as zero up to this multiple of the largest one."""
COMPLEX_STEP = 1e-30
"""Step of complex-step differentiation, which has no rounding error."""
_STATES = 24
_STEP = 0.2  # rad or m, of random motions
_KEPT = 10  # motions in one direction


@dataclass(frozen=True)
class LoopTree:
    """The tree of links of a robot, with numbers in floating point, and its loops.

    Attributes:
        description: the robot.
        precision: numpy's type of all numbers; complex results have the same precision.
    """

    description: RobotDescription
    precision: type[np.floating[Any]] = np.float64

    @cached_property
    def links(self) -> Mapping[str, LinkDescription]:
        """The links of the description, by link name."""
        return {link.name: link for link in self.description.links}

    @cached_property
    def frames(self) -> Mapping[str, NamedFrame]:
        """The named frames of the description, by the identifier of the frame's name."""
        return {make_identifier(frame.name): frame for frame in self.description.frames}

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of the links whose joints move and do not mimic another joint, in order of q."""
        return tuple(
            link.name
            for link in self.description.links
            if link.joint.moves and not link.joint.mimics
        )

    @cached_property
    def constants(self) -> Mapping[str, tuple[Array, Array, Array]]:
        """Three constant arrays for each link, by link name.

        The arrays are the pose (4, 4) of the joint in the parent's frame, the pose (4, 4) of the
        link's frame after the joint, and the unit vector (3,) along the joint axis.
        """
        return {
            name: (
                round_pose(compute_pose(link.before), self.precision),
                round_pose(compute_pose(link.after), self.precision),
                _unit(np.array([_round(number, self.precision) for number in link.joint.axis])),
            )
            for name, link in self.links.items()
        }

    def compute_poses(self, q: NDArray[Any]) -> dict[str, tuple[Array, Array]]:
        """Return two poses of each link in the base frame, by link name.

        Args:
            q: positions of `LoopTree.joints` (rad or m), shape (..., joints).

        Returns:
            Two poses (..., 4, 4) for each link: the pose of the frame before its joint, then the
            pose of the link's frame.
        """
        poses: dict[str, tuple[Array, Array]] = {}
        for name, link in self.links.items():
            before, after, axis = self.constants[name]
            start = (np.eye(4) if link.parent is None else poses[link.parent][1]) @ before
            leader = link.joint.mimics or name
            turn = np.eye(4)
            if leader in self.joints:
                ratio, offset = (
                    _round(number, self.precision)
                    for number in (link.joint.ratio, link.joint.offset)
                )
                turn = _screw(link, axis, q[..., self.joints.index(leader)] * ratio + offset)
            poses[name] = start, start @ turn @ after
        return poses

    def compute_frame(self, name: str, poses: Mapping[str, tuple[Array, Array]]) -> Array:
        """Return the pose of a named frame in the base frame, shape (..., 4, 4).

        Args:
            name: name of the frame.
            poses: poses of all links, from `compute_poses`.
        """
        frame = self.frames[make_identifier(name)]
        pose: Array = poses[frame.link][1] @ round_pose(
            compute_pose(frame.placement), self.precision
        )
        return pose

    def compute_gaps(self, q: NDArray[Any]) -> Array:
        """Return the residuals of all loops, shape (..., rows), zero if the loops are closed.

        A loop connects two frames. The first three rows of a loop are the difference of the frames'
        origins in base axes (m). If the loop's joint is revolute or fixed, two rows follow: the x
        and y components of the second frame's z axis, in the axes of the first frame. If the joint
        is fixed, the last row is the scalar product of the first frame's x axis and the second
        frame's y axis.

        Args:
            q: positions of `LoopTree.joints` (rad or m), shape (..., joints).
        """
        poses = self.compute_poses(q)
        gaps = []
        for loop in self.description.loops:
            near, far = (self.compute_frame(name, poses) for name in (loop.first, loop.second))
            gaps.append(near[..., :3, 3] - far[..., :3, 3])
            if loop.joint != "spherical":
                # The second z axis, in the axes of the first frame: its x and y vanish.
                gaps.append(np.einsum("...ij,...i->...j", near[..., :3, :2], far[..., :3, 2]))
            if loop.joint == "fixed":
                gaps.append(np.sum(near[..., :3, 0] * far[..., :3, 1], axis=-1)[..., None])
        return np.concatenate(gaps, axis=-1)

    def compute_jacobian(self, q: NDArray[Any]) -> Array:
        """Return the derivatives of the residuals of all loops by the joint positions.

        Args:
            q: positions of `LoopTree.joints` (rad or m), shape (..., joints).

        Returns:
            Derivatives of the rows of `compute_gaps`, shape (..., rows, joints).
        """
        steps = q[..., None, :] + 1j * COMPLEX_STEP * np.eye(len(self.joints))
        return np.swapaxes(self.compute_gaps(steps).imag, -1, -2) / COMPLEX_STEP

    def sample(self) -> Array:
        """Return up to 24 poses near zero that close all loops, as q of shape (poses, joints).

        All poses belong to the assembly mode of the pose at zero.
        """
        generator = np.random.Generator(np.random.PCG64(1))
        states = []
        for _ in range(8 * _STATES):
            motion = _STEP * generator.uniform(-1, 1, len(self.joints))
            state = self._close(motion)
            if state is not None:
                states.append(state)
            if len(states) == _STATES:
                break
        return np.array(states).reshape(-1, len(self.joints))

    def walk(self, count: int) -> Array:
        """Return joint positions far from zero that close all loops, shape (count, joints).

        Each pose follows from the previous pose by a short motion in a random direction, which
        changes after several motions. All poses belong to the assembly mode of the pose at zero.
        """
        generator = np.random.Generator(np.random.PCG64(1))
        states: list[Array] = []
        direction = state = np.zeros(len(self.joints))
        for number in range(count):
            if number % _KEPT == 0:
                direction = generator.uniform(-1, 1, len(self.joints))
            after = self._move(state, _STEP * direction)
            if after is None:
                direction = -direction
            else:
                state = after
            states.append(state)
        return np.array(states)

    def _move(self, state: Array, motion: Array) -> Array | None:
        """Return joint positions near `state` + `motion` that close all loops, or None.

        The result is None if Newton steps do not close the loops.
        """
        if not self.description.loops:
            return state + motion
        basis = self.find_motions(state)
        return self._close(state + basis.T @ (basis @ motion))

    def find_motions(self, q: NDArray[Any]) -> Array:
        """Return orthonormal joint velocities that keep all loops closed, shape (motions, joints).

        Args:
            q: joint positions (joints,) that close all loops.
        """
        if not self.description.loops:
            return np.eye(len(self.joints))
        jacobian = self.compute_jacobian(q)
        _, values, rows = np.linalg.svd(jacobian.astype(np.float64))
        motions: Array = rows[int(np.sum(exceed_rounding(values))) :]
        # The decomposition is in double precision; the correction restores the tree's precision.
        return motions - (jacobian @ motions.T).T @ _invert(jacobian).T

    def close(self, q: NDArray[Any], steps: int = 20) -> Array:
        """Return joint positions (joints,) after minimum-norm Newton steps towards closed loops.

        The steps may fail to close the loops.

        Args:
            q: joint positions to start from (rad or m), shape (joints,).
            steps: largest number of Newton steps.
        """
        for _ in range(steps):
            gaps = self.compute_gaps(q)
            q = q - _invert(self.compute_jacobian(q)) @ gaps
            if np.abs(gaps).max() < 1e-9:  # after the last step only rounding remains
                break
        return q

    def _close(self, q: NDArray[Any]) -> Array | None:
        """Return joint positions near `q` that close all loops; None if `close` finds none."""
        trial = self.close(q)
        closed = np.abs(self.compute_gaps(trial)).max() < 1e-12
        # A long correction may lead to another branch.
        return trial if closed and np.abs(trial - q).max() < 2 * _STEP else None


def round_pose(pose: Pose, precision: type[np.floating[Any]] = np.float64) -> Array:
    """Convert a pose of exact numbers to a homogeneous matrix in floating point, shape (4, 4)."""
    matrix: Array = np.eye(4, dtype=precision)
    matrix[:3, :3] = [[_round(number, precision) for number in row] for row in pose.rotation]
    matrix[:3, 3] = [_round(number, precision) for number in pose.translation]
    return matrix


def _round(number: Exact, precision: type[np.floating[Any]]) -> Any:
    """Return an exact number as a number of the given type."""
    if precision is np.float64:
        return float(number)
    fraction = number.to_fraction()
    return precision(str(fraction.numerator)) / precision(str(fraction.denominator))


def _invert(jacobian: Array) -> Array:
    """Return the pseudo-inverse of a Jacobian in double precision."""
    columns, values, rows = np.linalg.svd(jacobian.astype(np.float64), full_matrices=False)
    used = exceed_rounding(values)
    inverse: Array = rows[used].T / values[used] @ columns[:, used].T
    return inverse


def exceed_rounding(values: NDArray[np.floating[Any]]) -> Mask:
    """Return which of a Jacobian's singular values are more than rounding errors."""
    # Loops that stay closed in every pose, such as parallelograms, have a Jacobian of rounding
    # errors only, so that its largest value is no scale.
    return np.asarray(values > RANK * max(values.max(), 1e-3))


def _unit(vector: Array) -> Array:
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def _screw(link: LinkDescription, axis: Array, variable: Array) -> Array:
    """Return the pose of the frame after a joint in the frame before it, shape (..., 4, 4)."""
    angle = (float(link.joint.angular) * variable)[..., None, None]
    across = np.cross(np.eye(3), axis)
    along = np.outer(axis, axis)
    motion = np.zeros((*np.shape(variable), 4, 4), dtype=np.asarray(variable).dtype)
    motion[..., :3, :3] = along + np.cos(angle) * (np.eye(3) - along) + np.sin(angle) * across
    motion[..., :3, 3] = (float(link.joint.linear) * variable)[..., None] * axis
    motion[..., 3, 3] = 1
    return motion
