"""Oracle of closed loops: the cut tree with multipliers of its constraints (KKT), by numpy.

States are drawn on the constraints by a random walk of the tree's joints. The only code of the
product here is the numeric reference of the tree: inverse dynamics and poses of frames. Derivatives
of constraints are complex steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from io import StringIO

import numpy as np
from ruamel.yaml import YAML

from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import parse_robot
from dynagen.verification.reference import Reference, make_references

_STEP = 1e-30
AXES = {"spherical": (), "revolute": (2,), "fixed": (2, 1)}
"""Axes of both frames that a loop's joint keeps together."""


@dataclass(frozen=True)
class CutTree:
    """The tree of a robot with loops, and the constraints that close them.

    Attributes:
        robot: the robot with its loops.
        tree: the same description without the keys `loops` and `independent`.
    """

    robot: RobotDescription
    tree: RobotDescription

    @classmethod
    def read(cls, text: str, name: str) -> CutTree:
        """Read a YAML description with loops, and again without them."""
        yaml = YAML()
        alone = yaml.load(text)
        for key in ("loops", "independent"):
            alone.pop(key, None)
        yaml.dump(alone, tree := StringIO())
        return cls(*(parse_robot(each, f"{name}.yaml") for each in (text, tree.getvalue())))

    @cached_property
    def reference(self) -> Reference:
        """The numeric reference of the tree."""
        return make_references(self.tree)[0]

    @cached_property
    def independent(self) -> list[int]:
        """Entries of the tree's v that are entries of the robot's v, in the robot's order."""
        entries = {link.name: link.joint.idx_v for link in self.tree.links}
        return [entries[link.name] for link in self.robot.links if link.joint.nv]

    def compute_gaps(self, q: Array) -> Array:
        """Return the residuals of all loops, shape (..., rows)."""
        rows = []
        for loop in self.robot.loops:
            (near, start), (far, end) = (
                self.reference.find_frame(name).compute_pose(q)
                for name in (loop.first, loop.second)
            )
            rows.append(start - end)
            for axis in AXES[loop.joint]:
                rows.append(np.cross(near[..., :, axis], far[..., :, axis]))
        return np.concatenate(rows, axis=-1)

    def compute_jacobian(self, q: Array) -> Array:
        """Return the derivatives of the residuals, shape (..., rows, n); q may be complex."""
        rows = []
        for loop in self.robot.loops:
            near, far = (self.reference.find_frame(name) for name in (loop.first, loop.second))
            first, second = near.compute_axes_jacobian(q), far.compute_axes_jacobian(q)
            rows.append(first[..., :3, :] - second[..., :3, :])
            for axis in AXES[loop.joint]:
                z, other = (each.compute_pose(q)[0][..., axis, None] for each in (near, far))
                turned = np.cross(first[..., 3:, :], z, axis=-2)
                carried = np.cross(second[..., 3:, :], other, axis=-2)
                rows.append(
                    np.cross(turned, other, axis=-2) + np.cross(z, carried, axis=-2),
                )
        return np.concatenate(rows, axis=-2)

    def draw(self, count: int, seed: int = 1, step: float = 0.4) -> Array:
        """Draw positions with closed loops, shape (count, n), on the branch of zero.

        Random walks start at zero; after every step Newton's method closes the loops. States near a
        singular pose are left out.
        """
        generator, n = np.random.default_rng(seed), self.reference.degrees_of_freedom
        found: list[Array] = []
        state = np.zeros((count, n))
        while sum(map(len, found)) < count:
            jacobian = self.compute_jacobian(state)
            motion = generator.uniform(-step, step, state.shape)
            # Only the part of the motion that keeps the loops closed, to first order.
            along = np.linalg.pinv(jacobian, 1e-8) @ (jacobian @ motion[..., None])
            trial = state + motion - along[..., 0]
            for _ in range(7):
                inverse = np.linalg.pinv(self.compute_jacobian(trial), 1e-8)
                trial = trial - (inverse @ self.compute_gaps(trial)[..., None])[..., 0]
            by_dependent = self.compute_jacobian(trial)[..., self.dependent]
            values = np.linalg.svd(by_dependent, compute_uv=False)[:, : len(self.dependent)]
            good = values[:, -1] > 0.03 * values[:, 0]
            good &= np.abs(self.compute_gaps(trial)).max(axis=-1) < 1e-13
            good &= np.abs(trial - state).max(axis=-1) < 4 * step
            state = np.where(good[:, None], trial, 0.0)
            found.append(trial[good])
        return np.concatenate(found)[-count:]

    @cached_property
    def dependent(self) -> list[int]:
        """Entries of the tree's v that loops determine."""
        return [
            entry
            for entry in range(self.reference.degrees_of_freedom)
            if entry not in self.independent
        ]

    def find_velocities(self, q: Array, v: Array) -> Array:
        """Return velocities of all joints, from those of the independent ones."""
        return self._complete(self.compute_jacobian(q), v, 0.0)

    def _complete(self, jacobian: Array, free: Array, right: Array | float) -> Array:
        whole = np.zeros((*free.shape[:-1], jacobian.shape[-1]))
        whole[..., self.independent] = free
        missing = right - np.einsum("...ij,...j->...i", jacobian, whole)
        solved = np.linalg.pinv(jacobian[..., self.dependent], 1e-8) @ missing[..., None]
        whole[..., self.dependent] = solved[..., 0]
        return whole

    def compute_bias(self, q: Array, v: Array) -> Array:
        """Return -dJ/dt v for velocities of all joints, by a complex step."""
        change = self.compute_jacobian(q + 1j * _STEP * v).imag / _STEP
        return -np.einsum("...ij,...j->...i", change, v)

    def find_accelerations(self, q: Array, v: Array, free: Array) -> Array:
        """Return accelerations of all joints, from those of the independent ones."""
        return self._complete(self.compute_jacobian(q), free, self.compute_bias(q, v))

    def solve(self, q: Array, v: Array, tau: Array) -> Array:
        """Return accelerations of all joints by the KKT system; forces at independent joints."""
        n, jacobian = q.shape[-1], self.compute_jacobian(q)
        rows = jacobian.shape[-2]
        unit = np.eye(n)
        rest = np.zeros_like(v)
        mass = np.stack(
            [
                self.reference.compute_inverse_dynamics(q, rest, rest + each, gravity=False)
                for each in unit
            ],
            axis=-1,
        )
        bias = self.reference.compute_inverse_dynamics(q, v, rest)
        system = np.zeros((len(q), n + rows, n + rows))
        system[:, :n, :n] = mass
        system[:, :n, n:] = np.swapaxes(jacobian, -1, -2)
        system[:, n:, :n] = jacobian
        right = np.zeros((len(q), n + rows))
        right[:, self.independent] = tau
        right[:, :n] -= bias
        right[:, n:] = self.compute_bias(q, v)
        # Constraints may repeat each other, so the multipliers are not unique.
        return (np.linalg.pinv(system, 1e-11) @ right[..., None])[:, :n, 0]

    def compute_forces(self, q: Array, v: Array, a: Array) -> Array:
        """Return forces at the independent joints; dependent joints have none."""
        forces = self.reference.compute_inverse_dynamics(q, v, a)
        jacobian = self.compute_jacobian(q)
        # tau_tree = S^T tau + J^T multipliers: the dependent rows determine the multipliers.
        transposed = np.swapaxes(jacobian[..., self.dependent], -1, -2)
        multipliers = np.linalg.pinv(transposed, 1e-8) @ forces[..., self.dependent, None]
        all_of_them = np.swapaxes(jacobian, -1, -2) @ multipliers
        return (forces - all_of_them[..., 0])[..., self.independent]
