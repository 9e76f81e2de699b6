"""Coordinates of a robot: entries of q and v, and the positions of all joints.

The references compute every robot as if all its joints were independent. `Coordinates` adds
mimicking joints. The variable of a mimicking joint is ratio q + offset, with the entry q of the
joint that it mimics. The joint velocities are therefore G v with a constant matrix G. By virtual
work, the forces for the entries of v are G^T times the forces of all joints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription
from dynagen.verification.exponentials import move_pose
from dynagen.verification.kinematics import NumericLink, rotate

_STEP = 1e-30  # a complex step has no cancellation, so it may be arbitrarily short


@dataclass(frozen=True)
class Coordinates:
    """Relation between a robot's q and v and the positions and velocities of all its joints.

    Joint variables are the positions of all joints: one for each joint with an axis, four for a
    spherical joint, and seven for a floating joint. In all methods, q has shape (..., nq) and v has
    shape (..., n).

    Attributes:
        count: number n of entries of v.
        index: for every joint velocity, the index of the entry of v that determines it.
        ratio: each joint velocity divided by its entry of v, shape (joint velocities,).
        weight: factors from joint forces to forces for entries of v, shape (joint velocities,).
            They equal `ratio`, or its magnitudes if magnitudes of terms are summed.
        places: for every joint variable, the index of the entry of q that determines it.
        slope: factors, shape (joint variables,). A joint variable is slope times its entry of q,
            plus offset.
        offset: offsets of the joint variables, shape (joint variables,).
        floats: whether the first joint is floating.
        quaternions: for every spherical joint, the index of its first entry in q and in v.
    """

    count: int
    index: tuple[int, ...]
    ratio: Array
    weight: Array
    places: tuple[int, ...]
    slope: Array
    offset: Array
    floats: bool = False
    quaternions: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_description(cls, description: RobotDescription) -> Coordinates:
        """Return the relation between q, v and all joints of a robot whose closed loops are cut."""
        joints = [link.joint for link in description.links if link.joint.moves]
        velocities = [
            (joint, joint.idx_v + entry)
            for joint in joints
            for entry in range(len(joint.type.rotates))
        ]
        variables = [
            (joint, joint.idx_q + entry)
            for joint in joints
            for entry in range(len(joint.type.position_units))
        ]
        ratio = np.array([float(joint.ratio) for joint, _ in velocities])
        return cls(
            count=sum(joint.nv for joint in joints),
            index=tuple(entry for _, entry in velocities),
            ratio=ratio,
            weight=ratio,
            places=tuple(entry for _, entry in variables),
            slope=np.array([float(joint.ratio) for joint, _ in variables]),
            offset=np.array([float(joint.offset) for joint, _ in variables]),
            floats=any(joint.type.is_free for joint in joints),
            quaternions=tuple(
                (joint.idx_q, joint.idx_v) for joint in joints if joint.type.is_spherical
            ),
        )

    @classmethod
    def from_links(cls, links: Iterable[NumericLink]) -> Coordinates:
        """Return the coordinates of a robot whose joints are all independent, from its links."""
        moving = [link for link in links if link.variable is not None]
        floats = any(link.is_free for link in moving)
        count = sum(link.columns.stop - link.columns.start for link in moving)
        quaternions = tuple(
            (link.place or 0, link.variable or 0) for link in moving if link.is_spherical
        )
        positions = count + floats + len(quaternions)
        one, slope = np.ones(count), np.ones(positions)
        entries, places = tuple(range(count)), tuple(range(positions))
        return cls(count, entries, one, one, places, slope, 0 * slope, floats, quaternions)

    @property
    def magnitudes(self) -> Coordinates:
        """The same coordinates, for magnitudes of the terms of joint forces.

        The factors `weight` are the magnitudes of `ratio`. The argument of `compute_forces`
        contains, in place of each joint force, the sum of the magnitudes of its terms.
        """
        return replace(self, weight=np.abs(self.ratio))

    @property
    def precise(self) -> Coordinates:
        """The same coordinates, with closed loops solved in extended precision."""
        return self

    def shrink_to_closed(self, q: Array, steps: int | None = None) -> Array:
        """Return positions scaled towards zero until the closed loops close, shape (states, nq).

        For a robot without closed loops, q is returned. `steps` is the largest allowed number of
        Newton steps from the zero position to closed loops; None allows any number.
        """
        return q

    def compute_positions(self, q: Array) -> Array:
        """Return the position variables of all joints (rad or m), shape (..., joint variables)."""
        positions: Array = q[..., list(self.places)] * self.slope + self.offset
        return positions

    def compute_growth(self, q: Array) -> Array:
        """Return the amplification of rounding errors by closed loops, shape (states,).

        Without loops, the amplification is one.
        """
        return np.ones(len(q))

    @property
    def home(self) -> Array:
        """The nq positions, shape (nq,), with joints at zero and quaternions without rotation."""
        q = np.zeros(self.count + self.floats + len(self.quaternions))
        if self.floats:
            q[6] = 1.0
        for place, _ in self.quaternions:
            q[place + 3] = 1.0
        return q

    def compute_step(self, unit: Array) -> Array:
        """Return the change of q, shape (nq,), by a motion of the joints that have one axis.

        `unit` is the motion for each entry of v (rad or m), shape (n,). Its entries for a floating
        base and spherical joints are ignored, because they do not change the magnitudes of the
        terms of joint forces.
        """
        step = np.zeros(len(self.home))
        # The entries of q of joints with an axis, in their order, as in v.
        places, turned = self._select_others()
        step[places] = unit[turned]
        return step

    def move(self, q: Array, step: NDArray[Any]) -> NDArray[Any]:
        """Return the positions, (..., nq), after a small motion from q, to first order.

        `step` is the motion for each entry of v (rad or m), shape (..., n). It may be complex, for
        derivatives by complex steps. A floating base moves along and about its own axes. Its
        position changes by the linear part of `step`, converted to base axes. Its quaternion
        changes by half the quaternion product of itself and the angular part.
        """
        if self.quaternions:
            return self._move_quaternions(q, step)
        if not self.floats:
            sums: NDArray[Any] = q + step
            return sums
        along, about = step[..., :3], step[..., 3:6]
        x, y, z, w = (q[..., index] for index in range(3, 7))
        # Half the product of the quaternion and (about, 0), as a matrix times `about`.
        rows = ((w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z))
        orientation = (
            0.5 * sum(entry * about[..., axis] for axis, entry in enumerate(row)) for row in rows
        )
        change = [rotate(q[..., 3:7], along), np.stack(list(orientation), axis=-1), step[..., 6:]]
        states = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
        moved: NDArray[Any] = q + np.concatenate(
            [np.broadcast_to(part, (*states, part.shape[-1])) for part in change], axis=-1
        )
        return moved

    def split_quaternions(self, positions: int) -> tuple[Array, Array, Coordinates]:
        """Separate the spherical joints from all other joints.

        Args:
            positions: number nq of entries of q.

        Returns:
            Masks of the entries of q, (nq,), and of v, (n,), that belong to other joints, and the
            coordinates of a robot with only the other joints.
        """
        kept, turned = np.ones(positions, dtype=bool), np.ones(self.count, dtype=bool)
        for place, entry in self.quaternions:
            kept[place : place + 4] = turned[entry : entry + 3] = False
        return kept, turned, replace(self, quaternions=(), count=int(turned.sum()))

    def _select_others(self) -> tuple[Array, Array]:
        """Return masks of the entries of q and of v that belong to joints with one axis."""
        kept, turned = np.ones(len(self.home), dtype=bool), np.ones(self.count, dtype=bool)
        for entries, motions in self.turning_joints:
            kept[entries] = turned[motions] = False
        return kept, turned

    @property
    def turning_joints(self) -> tuple[tuple[slice, slice], ...]:
        """Slices of q and of v for joints with a quaternion: a floating base, spherical joints."""
        base = ((slice(0, 7), slice(0, 6)),) * self.floats
        spherical = (
            (slice(place, place + 4), slice(entry, entry + 3)) for place, entry in self.quaternions
        )
        return (*base, *spherical)

    @property
    def orientations(self) -> tuple[int, ...]:
        """Index in q of the first entry of each quaternion, beginning with a floating base."""
        return (*(3,) * self.floats, *(place for place, _ in self.quaternions))

    def _integrate_quaternions(self, q: Array, motion: Array) -> Array:
        """Return the positions after a motion of any size, for a robot with spherical joints.

        A rotation vector r multiplies a quaternion from the right by (sin(|r|/2) r/|r|,
        cos(|r|/2)).
        """
        kept, turned, others = self.split_quaternions(q.shape[-1])
        states = np.broadcast_shapes(q.shape[:-1], motion.shape[:-1])
        moved = np.zeros((*states, q.shape[-1]), dtype=np.result_type(q, motion))
        moved[..., kept] = others.integrate(q[..., kept], motion[..., turned])
        for place, entry in self.quaternions:
            vector, real = q[..., place : place + 3], q[..., place + 3 : place + 4]
            half = motion[..., entry : entry + 3] / 2
            angle = np.linalg.norm(half, axis=-1, keepdims=True)
            # numpy's sinc(x) is sin(pi x) / (pi x).
            sine, cosine = half * np.sinc(angle / np.pi), np.cos(angle)
            moved[..., place : place + 3] = real * sine + cosine * vector + np.cross(vector, sine)
            moved[..., place + 3 : place + 4] = real * cosine - np.sum(
                vector * sine, axis=-1, keepdims=True
            )
        return moved

    def _move_quaternions(self, q: Array, step: NDArray[Any]) -> NDArray[Any]:
        """Return the positions after a small motion, for a robot with spherical joints.

        A rotation vector r changes a quaternion p by the quaternion product p r / 2.
        """
        kept, turned, others = self.split_quaternions(q.shape[-1])
        states = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
        moved: NDArray[Any] = np.zeros((*states, q.shape[-1]), dtype=np.result_type(q, step))
        moved[..., kept] = others.move(q[..., kept], step[..., turned])
        for place, entry in self.quaternions:
            vector, real = q[..., place : place + 3], q[..., place + 3 : place + 4]
            about = step[..., entry : entry + 3] / 2
            moved[..., place : place + 3] = vector + real * about + np.cross(vector, about)
            moved[..., place + 3] = real[..., 0] - np.sum(vector * about, axis=-1)
        return moved

    @property
    def has_turning_axes(self) -> bool:
        """Whether a joint is floating or spherical, so that its velocity is in rotating axes."""
        return self.floats or bool(self.quaternions)

    def compute_adjoint(self, v: Array) -> Array:
        """Return ad(v), (..., n, n): ad(v) u is the Lie bracket of the joint velocities v and u.

        The matrix has one diagonal block for each joint. A spherical joint with the angular
        velocities w in v and s in u has the bracket cross(w, s). A floating base with the linear
        velocities a in v and b in u has the bracket (cross(w, b) + cross(a, s), cross(w, s)). All
        other joints have the bracket zero.
        """
        adjoint = np.zeros((*v.shape[:-1], self.count, self.count), dtype=v.dtype)
        blocks = [(entry, entry, entry) for _, entry in self.quaternions]
        if self.floats:
            # Row and column of a block, and the first entry of the vector that is multiplied.
            blocks += [(0, 0, 3), (3, 3, 3), (0, 3, 0)]
        for row, column, entry in blocks:
            across = np.cross(v[..., None, entry : entry + 3], -np.eye(3))
            adjoint[..., row : row + 3, column : column + 3] = across
        return adjoint

    def integrate(self, q: Array, motion: Array) -> Array:
        """Return the positions, (..., nq), after a motion from q at constant joint velocity.

        `motion` is the joint velocity times the duration (rad or m), shape (..., n). The pose of a
        floating base is multiplied from the right by the exponential of the motion.
        """
        if self.quaternions:
            return self._integrate_quaternions(q, motion)
        if not self.floats:
            return q + motion
        along, about = motion[..., :3], motion[..., 3:6]
        angle = np.linalg.norm(about, axis=-1, keepdims=True)
        axis = about / np.where(angle > 0, angle, 1.0)
        around = np.cross(axis, along)
        # shift = V along with V = I + (1 - cos x)/x [axis] + (1 - sin x / x) [axis]^2, the integral
        # of the rotation. numpy's sinc gives both quotients without cancellation near zero.
        sine_quotient = np.sinc(angle / np.pi)
        cosine_quotient = np.sin(angle / 2) * np.sinc(angle / (2 * np.pi))
        shift = along + cosine_quotient * around + (1 - sine_quotient) * np.cross(axis, around)
        x, y, z, w = np.moveaxis(q[..., 3:7], -1, 0)
        # Product of the quaternion and (a, b, c, s), the rotation in the base's own axes.
        (a, b, c), s = np.moveaxis(np.sin(angle / 2) * axis, -1, 0), np.cos(angle[..., 0] / 2)
        product = (
            w * a + x * s + y * c - z * b,
            w * b - x * c + y * s + z * a,
            w * c + x * b - y * a + z * s,
        )
        quaternion = np.stack([*product, w * s - x * a - y * b - z * c], axis=-1)
        position = q[..., :3] + rotate(q[..., 3:7], shift)
        return np.concatenate([position, quaternion, q[..., 7:] + motion[..., 6:]], axis=-1)

    def compute_integrated_magnitudes(self, q: Array, motion: Array) -> Array:
        """Return, for each position from `integrate`, the sum of the magnitudes of its terms.

        `motion` contains, for each entry of the motion, the sum of the magnitudes of its terms.
        """
        if self.quaternions:
            kept, turned, others = self.split_quaternions(q.shape[-1])
            states = np.broadcast_shapes(q.shape[:-1], motion.shape[:-1])
            magnitudes = np.zeros((*states, q.shape[-1]))
            magnitudes[..., kept] = others.compute_integrated_magnitudes(
                q[..., kept], motion[..., turned]
            )
            for place, entry in self.quaternions:
                about = np.linalg.norm(motion[..., entry : entry + 3], axis=-1, keepdims=True)
                magnitudes[..., place : place + 4] = 1 + about
            return magnitudes
        if not self.floats:
            return np.abs(q) + motion
        along, about = (
            np.linalg.norm(motion[..., part], axis=-1, keepdims=True)
            for part in (slice(0, 3), slice(3, 6))
        )
        position = np.abs(q[..., :3]) + along
        orientation = np.broadcast_to(1 + about, (*about.shape[:-1], 4))
        return np.concatenate(
            [position, orientation, np.abs(q[..., 7:]) + motion[..., 6:]], axis=-1
        )

    def differentiate_integration(self, q: Array, motion: Array) -> tuple[Array, Array]:
        """Return the derivatives of the positions that `integrate` returns, as two arrays.

        The first array contains the derivatives by small motions of q, the second the derivatives
        by `motion`. Both have the shape (states, nq, n).

        Args:
            q: positions, shape (states, nq).
            motion: joint velocities times the duration, shape (states, n).
        """
        if not self.has_turning_axes:
            unit = np.broadcast_to(np.eye(self.count), (len(q), self.count, self.count))
            return unit, unit
        kept, turned = self._select_others()

        def change(positions: NDArray[Any], by: NDArray[Any]) -> Array:
            moved = np.zeros(positions.shape, dtype=complex)
            moved[:, kept] = positions[:, kept] + by[:, turned]
            for entries, motions in self.turning_joints:
                # A spherical joint has no position and no translation.
                missing = np.zeros((len(q), 7 - (entries.stop - entries.start)))
                pose = np.concatenate([missing, positions[:, entries]], axis=-1)
                twist = np.concatenate([missing, by[:, motions]], axis=-1)
                after = move_pose(pose, twist[:, :3], twist[:, 3:])
                moved[:, entries] = after[:, missing.shape[-1] :]
            result: Array = moved.imag / _STEP
            return result

        steps = 1j * _STEP * np.eye(self.count)
        by_start = [change(self.move(q, step), motion) for step in steps]
        by_motion = [change(q, motion + step) for step in steps]
        return np.stack(by_start, axis=-1), np.stack(by_motion, axis=-1)

    def compute_slope_magnitudes(self, motion: Array) -> Array:
        """Return, for each derivative from `differentiate_integration`, an upper bound.

        The bound is at least the sum of the magnitudes of the derivative's terms. It holds for all
        positions, because entries of quaternions are at most 1 in magnitude. `motion` contains the
        magnitudes of the entries of the motion, shape (states, n).
        """
        kept, turned = self._select_others()
        scale = np.zeros((len(motion), len(kept), self.count))
        scale[:, np.flatnonzero(kept), np.flatnonzero(turned)] = 1
        if self.floats:
            along, about = (
                np.linalg.norm(motion[:, part], axis=-1)[:, None, None]
                for part in (slice(0, 3), slice(3, 6))
            )
            scale[:, :3, :3] = 3 + about
            scale[:, :3, 3:6] = 3 * along * (1 + about)
            scale[:, 3:7, 3:6] = 1 + about
        for place, entry in self.quaternions:
            about = np.linalg.norm(motion[:, entry : entry + 3], axis=-1)[:, None, None]
            scale[:, place : place + 4, entry : entry + 3] = 1 + about
        return scale

    def compute_velocities(self, v: Array, q: Array) -> Array:
        """Return the velocities of all joints, (..., joint velocities), from v.

        The result depends on q only if the robot has closed loops.
        """
        velocities: Array = v[..., list(self.index)] * self.ratio
        return velocities

    def compute_accelerations(self, a: Array, q: Array, v: Array) -> Array:
        """Return the accelerations of all joints, (..., joint velocities), for a = dv/dt."""
        return self.compute_velocities(a, q)

    def compute_motion(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """Return the position variables, velocities and accelerations of all joints.

        The variables have the shape (..., joint variables), velocities and accelerations (...,
        joint velocities).
        """
        return (
            self.compute_positions(q),
            self.compute_velocities(qd, q),
            self.compute_accelerations(qdd, q, qd),
        )

    def compute_forces(self, tau: Array, q: Array) -> Array:
        """Return forces for the n velocities v that do the same work as the forces of all joints.

        Args:
            tau: forces of all joints (N m or N), shape (..., joint velocities). Each row of a
                matrix of shape (..., rows, joint velocities) is converted.
            q: positions, shape (..., nq); used only for closed loops.
        """
        if self.index == tuple(range(self.count)):
            return tau  # no joint mimics another joint
        forces = np.zeros((*tau.shape[:-1], self.count), dtype=tau.dtype)
        for joint, (index, weight) in enumerate(zip(self.index, self.weight, strict=True)):
            forces[..., index] += weight * tau[..., joint]
        return forces
