"""Constraints that close the loops of a robot, and their numeric solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.numbers.arrays import Array
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import NumericLink, cache_results, compute_joint_frames

_STRIDE = 0.15  # rad or m, of independent joints between two solutions on a path
_JUMP = 1.5  # rad or m: a larger change of a dependent joint in one stride is another branch
_STEPS, _LAST_STEPS = 2, 12  # Newton steps after each stride, and after the last one
_WORST = 10.0  # largest amplification of rounding errors by the constraints
_SINGULAR = 1e12  # condition number; A is not inverted above it
# Largest residuals (m, and sine of the angle between axes) at the end of a path, and on the way.
_CLOSED, _NEARLY_CLOSED = 1e-12, 1e-4
_LINEAR, _ANGULAR = slice(0, 3), slice(3, 6)
_NEARLY_FOUND = 1e-6  # rad or m, of Newton steps from zero that have converged


@dataclass(frozen=True)
class LoopEnd:
    """A frame at which a loop closes.

    Attributes:
        link: index of the link that carries the frame.
        placement: pose of the frame in the link's frame, 4 x 4.
    """

    link: int
    placement: Array


@dataclass(frozen=True)
class Constraints:
    """Constraints of closed loops, for the tree that remains if the loops are cut.

    Attributes:
        links: links of the tree, with numbers in floating point.
        tree: coordinates of the tree.
        loops: for every loop, its two frames and the number of constrained axes: 0 for a spherical
            joint, 1 (z) for a revolute joint, 2 (z and y) for a fixed joint.
        free: indices of the independent joints in the joint velocities of the tree.
        bound_entries: indices of the dependent joints in the joint velocities of the tree.
        has_turns: for every independent joint, whether its position is an angle.
    """

    links: tuple[NumericLink, ...]
    tree: Coordinates
    loops: tuple[tuple[LoopEnd, LoopEnd, int], ...]
    free: tuple[int, ...]
    bound_entries: tuple[int, ...]
    has_turns: tuple[bool, ...]

    def compute(self, q: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return residuals of loop constraints, (..., rows), and derivatives by q, (..., rows, n).

        Each loop has three rows for the gap between its two frames (m). Rows for components of the
        second frame's axes that must vanish follow: two rows for a revolute joint, three for a
        fixed joint. All rows are in the axes of the loop's first frame. q contains the n positions
        of the tree, shape (..., n). The derivatives are valid for closed loops.
        """
        variables = self.tree.compute_positions(q)
        joints, poses = compute_joint_frames(self.links, variables)
        residuals, rows = [], []
        for first, second, axes in self.loops:
            near, far = (poses[end.link] @ end.placement for end in (first, second))
            back = np.swapaxes(near[..., :3, :3], -1, -2)
            gap = far[..., :3, 3] - near[..., :3, 3]
            one, two = (
                self._find_columns(end.link, pose[..., :3, 3], joints, variables)
                for end, pose in ((first, near), (second, far))
            )
            residuals.append((back @ gap[..., None])[..., 0])
            rows.append(back @ (two[..., :3, :] - one[..., :3, :]))
            # The second z axis has no x and y in the first frame, and the second y axis no x.
            for column, count in ((2, 2), (1, 1))[:axes]:
                axis = far[..., :3, column]
                residuals.append((back @ axis[..., None])[..., :count, 0])
                turning = np.cross(two[..., 3:, :] - one[..., 3:, :], axis[..., None], axis=-2)
                rows.append((back @ turning)[..., :count, :])
        return np.concatenate(residuals, axis=-1), np.concatenate(rows, axis=-2)

    def bound(self, q: Array) -> Array:
        """Return an upper bound for each derivative of the d independent constraints by q.

        The bounds have the shape (..., d, n). A bound is at least the sum of the magnitudes of the
        derivative's terms. q contains the positions of the tree, shape (..., n).
        """
        variables = self.tree.compute_positions(q)
        joints, poses = compute_joint_frames(self.links, variables)
        bounds = []
        for first, second, axes in self.loops:
            near, far = (
                self._find_columns(
                    end.link, (poses[end.link] @ end.placement)[..., :3, 3], joints, variables
                )
                for end in (first, second)
            )
            linear, angular = (
                np.linalg.norm(near[..., part, :], axis=-2)
                + np.linalg.norm(far[..., part, :], axis=-2)
                for part in (_LINEAR, _ANGULAR)
            )
            bounds += [linear] * 3 + [angular] * (0, 2, 3)[axes]
        return np.stack(bounds, axis=-2)[..., self.rows, :]

    def _find_columns(
        self, link: int, point: NDArray[Any], joints: Sequence[Array], variables: NDArray[Any]
    ) -> NDArray[Any]:
        """Return the velocities of a point and its link per unit of each entry of v, (..., 6, n).

        Rows 0 to 2 are the linear velocity of the point, rows 3 to 5 the link's angular velocity,
        both in base axes.
        """
        shape = np.broadcast_shapes(point.shape[:-1], variables.shape[:-1])
        columns = np.zeros((*shape, 6, len(self.tree.index)), dtype=variables.dtype)
        index: int | None = link
        while index is not None:
            moved = self.links[index]
            if moved.variable is not None:
                axis = joints[index][..., :3, :3] @ moved.axis
                arm = np.cross(axis, point - joints[index][..., :3, 3])
                columns[..., :3, moved.variable] = moved.angular * arm + moved.linear * axis
                columns[..., 3:, moved.variable] = moved.angular * axis
            index = moved.parent
        return self.tree.compute_forces(columns, variables)

    @cached_property
    def rows(self) -> list[int]:
        """Indices of independent constraints among the rows of `compute`.

        There is one independent constraint for each dependent joint. The constraints are chosen
        with all joint positions at zero.
        """
        _, jacobian = self.compute(self.home)
        left = jacobian[:, list(self.bound_entries)].copy()
        chosen: list[int] = []
        # Elimination with the largest remaining row as pivot.
        for _ in self.bound_entries:
            best = int(np.argmax(np.linalg.norm(left, axis=1)))
            chosen.append(best)
            direction = left[best] / np.linalg.norm(left[best])
            left -= np.outer(left @ direction, direction)
        return sorted(chosen)

    @property
    def home(self) -> Array:
        """The tree's positions with all joints at zero, shape (n,)."""
        return np.zeros(self.tree.count)

    def split(self, q: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the residuals of independent constraints, and two matrices of their derivatives.

        The results are the d residuals, (..., d), their derivatives by the d dependent positions,
        (..., d, d), and their derivatives by the independent positions, (..., d, n - d). q contains
        positions of the tree, shape (..., n).
        """
        residuals, jacobian = self.compute(q)
        jacobian = jacobian[..., self.rows, :]
        return (
            residuals[..., self.rows],
            jacobian[..., list(self.bound_entries)],
            jacobian[..., list(self.free)],
        )

    def compute_growth(self, q: Array) -> Array:
        """Return the amplification of rounding errors by the loop constraints, shape (states,).

        A residual of the constraints, such as a gap in a loop, displaces the joints and frames of
        the loop. The amplification is the largest displacement per unit residual: the largest norm
        of J A^-1. A contains the derivatives of the independent constraints by the dependent
        positions. For each joint or frame, J contains the derivatives of its origin (m) by the
        dependent positions. Lengths are divided by the length of the longest column of all matrices
        J. The amplification is about 1 for a parallelogram, 1 / sin(angle) for two arms that form
        this angle, and infinite in a singular state. q contains positions of the tree, shape
        (states, n).
        """
        by_bound = self.split(q)[1]
        growth = np.full(len(q), np.inf)
        # A singular state must not stop the others.
        good = np.isfinite(by_bound).all(axis=(1, 2))
        good[good] = np.linalg.cond(by_bound[good]) < _SINGULAR
        if not good.any():
            return growth
        variables = self.tree.compute_positions(q[good])
        joints, poses = compute_joint_frames(self.links, variables)
        points = {link: [joints[link][..., :3, 3]] for link in self._members}
        for first, *_ in self.loops:
            points[first.link].append((poses[first.link] @ first.placement)[..., :3, 3])
        moved = [
            self._find_columns(link, point, joints, variables)[..., :3, list(self.bound_entries)]
            for link, places in points.items()
            for point in places
        ]
        arm = np.max([np.linalg.norm(each, axis=-2).max(axis=-1) for each in moved], axis=0)
        is_length = [n < 3 for *_, axes in self.loops for n in range(3 + (0, 2, 3)[axes])]
        units = np.where(np.array(is_length)[self.rows], arm[:, None], 1.0)
        inverse = np.linalg.inv(by_bound[good]) * units[:, None, :]
        sizes = [np.linalg.norm(each @ inverse, ord=2, axis=(-2, -1)) for each in moved]
        growth[good] = np.max(sizes, axis=0) / arm
        return growth

    @cached_property
    def _members(self) -> list[int]:
        """Indices of the links of all loops.

        A link belongs to a loop if it carries exactly one of the loop's two frames, or if the first
        frame is fixed to it.
        """
        members: set[int] = set()
        for first, second, _ in self.loops:
            near, far = (self._list_carriers(end.link) for end in (first, second))
            members |= {first.link} | (near ^ far)
        return sorted(members)

    def _list_carriers(self, link: int) -> set[int]:
        parent = self.links[link].parent
        return {link} if parent is None else {link, *self._list_carriers(parent)}

    @cached_property
    def determinant(self) -> float:
        """Determinant of the derivatives of the constraints by the positions of dependent joints.

        All joints are at zero. At positions of another assembly mode, the determinant has the
        opposite sign.
        """
        return float(np.linalg.det(self.split(self.home)[1]))

    def improve(self, q: NDArray[Any], steps: int) -> NDArray[Any]:
        """Return positions (..., n) of the tree after Newton steps that close the loops.

        The steps change only the dependent positions.

        Args:
            q: positions of the tree with nearly closed loops, shape (..., n).
            steps: number of Newton steps.
        """
        q = q.copy()
        for _ in range(steps):
            residuals, by_bound, _ = self.split(q)
            q[..., list(self.bound_entries)] -= solve(by_bound, residuals[..., None])[..., 0]
        return q

    @cached_property
    def close(self) -> Callable[[Array], Array]:
        """Function that returns all positions of the tree, (states, n), for independent positions.

        The argument has shape (states, independent positions). The result is NaN if the loops do
        not close, or are nearly singular, on the path from zero. Results are cached.
        """
        return cache_results(self._close)

    def find_open(self, q: Array, steps: int | None) -> NDArray[Any]:
        """Return for each state whether the loops are open or nearly singular, shape (states,).

        Args:
            q: independent positions, shape (states, independent positions).
            steps: largest number of Newton steps from zero; a state that requires more steps counts
                as open. None allows any number.
        """
        closed = self.close(q)
        if steps is None:
            return np.asarray(np.isnan(closed).any(axis=1))
        found = np.zeros_like(closed)
        found[:, list(self.free)] = q
        with np.errstate(all="ignore"):
            # Three steps in reserve: two after the residual is checked, one for other rows.
            found = self.improve(found, max(steps - 3, 1))
        # NaN is open.
        return np.asarray(~(np.abs(found - closed).max(axis=1) < _NEARLY_FOUND))

    def _close(self, q: Array) -> Array:
        angles = (q + np.pi) % (2 * np.pi) - np.pi
        goal = np.where(self.has_turns, angles, q)
        state = np.zeros((len(q), self.tree.count))
        change, result = np.zeros_like(state), np.full_like(state, np.nan)
        alive = np.arange(len(q))
        # The strides of a state must not depend on the other states: near a singular pose, other
        # strides may lead to another result.
        counts = np.ceil(np.abs(goal).max(axis=1, initial=_STRIDE) / _STRIDE)
        for number in range(1, int(counts.max(initial=0)) + 1):
            before, is_last = state[alive], counts[alive] == number
            moving = before + change[alive]
            moving[:, list(self.free)] = goal[alive] * number / counts[alive, None]
            with np.errstate(all="ignore"):
                moving, good = self._follow(moving, before, is_last)
            done = alive[good & is_last]
            result[done] = moving[good & is_last]
            result[np.ix_(done, self.free)] = q[done]
            good &= ~is_last
            alive = alive[good]
            state[alive], change[alive] = moving[good], (moving - before)[good]
        return result

    def _follow(
        self, q: Array, before: Array, is_last: NDArray[np.bool_]
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Return positions after Newton steps, and for each state whether they are accepted.

        The joints move from zero to their positions in several strides, of which this is one.
        `before` contains the positions before this stride, and `q` the positions after it, with
        loops that are not yet closed. Accepted positions close the loops, are not nearly singular,
        and are near `before`. `is_last` marks states whose path ends with this stride.
        """
        if not len(q):
            return q, np.ones(0, dtype=bool)
        good = self.compute_growth(q) < _WORST
        for steps, chosen in ((_STEPS, good & ~is_last), (_LAST_STEPS, good & is_last)):
            q[chosen] = self.improve(q[chosen], steps)
        good &= np.isfinite(q).all(axis=1)
        q[~good] = before[~good]
        residuals, by_bound, _ = self.split(q)
        allowed = np.where(is_last, _CLOSED, _NEARLY_CLOSED)
        good &= np.abs(residuals).max(axis=1) < allowed
        good &= self.compute_growth(q) < _WORST
        good &= np.linalg.det(by_bound) * self.determinant > 0
        good &= np.abs(q - before).max(axis=1) < _JUMP
        good &= ~is_last | (np.abs(self.compute(q)[0]).max(axis=1) < _CLOSED)
        return q, good


def solve(matrix: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return the solution X of the linear systems `matrix` X = `right`, shape (..., d, k).

    `matrix` has shape (..., d, d) and `right` (..., d, k). numpy solves linear systems in double
    precision. If `right` has extended precision, the solution is refined. A singular matrix raises
    numpy's LinAlgError.
    """
    if right.dtype in (np.float64, np.complex128):
        return np.asarray(np.linalg.solve(matrix, right))
    double = np.complex128 if np.iscomplexobj(matrix) or np.iscomplexobj(right) else np.float64
    solution = np.zeros(right.shape, dtype=right.dtype)
    for _ in range(3):
        residual = (right - matrix @ solution).astype(double)
        solution += np.linalg.solve(matrix.astype(double), residual)
    return solution
