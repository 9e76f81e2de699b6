"""Expected friction of joints, computed case by case as the description defines it.

The force and moment that a bearing carries are computed by virtual work
(`wrenches.compute_reaction`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.robot.description import Bearing, Friction, Transmission
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import (
    NumericLink,
    get_joint_velocity,
)
from dynagen.verification.wrenches import Dynamics, compute_reaction


@dataclass(frozen=True)
class FrictionReference:
    """Expected joint friction of a robot.

    The arguments `motion` of the methods are qd alone if friction depends on joint velocities only.
    If bearings or transmissions make friction depend on the forces that joints carry, they are q,
    qd, qdd and the external wrenches, if there are any. q has shape (..., nq); qd, qdd and the
    results have shape (..., n).

    Attributes:
        links: links of the robot.
        dynamics: function (links, frames, q, qd, qdd, wrenches at the frames) that returns the
            joint forces of independent joints, or for each joint force the sum of the magnitudes of
            its terms.
        wrench_frames: the frames at which external wrenches and contact forces act.
        coordinates: relation between q, v and all joints of the robot.
    """

    links: tuple[NumericLink, ...]
    dynamics: Dynamics
    wrench_frames: tuple[FrameReference, ...]
    coordinates: Coordinates

    def compute_forces(self, *motion: Array) -> Array:
        """Return the joint forces (N m or N) that overcome the friction of all joints, (..., n)."""
        return self._sum_friction(_speed_terms, _transmission_loss, *motion)

    def compute_magnitudes(self, *motion: Array) -> Array:
        """Return, for the friction of each joint, the sum of the magnitudes of its terms, (..., n).

        The attribute `dynamics` must return sums of magnitudes too.
        """
        return np.abs(self._sum_friction(_speed_term_magnitudes, _loss_magnitude, *motion))

    def compute_columns(self, velocities: Array) -> Array:
        """Return derivatives of joint friction by friction coefficients, shape (..., n, 2 m).

        Each of the m joints with an axis has a column for the viscous and a column for the Coulomb
        coefficient.

        Args:
            velocities: joint velocities v, shape (..., n).
        """
        q = velocities  # robots with loops have no friction, so positions do not matter
        velocities = self.coordinates.compute_velocities(velocities, q)
        joints = [link for link in self.links if link.has_axis]
        columns = np.zeros((*velocities.shape[:-1], 2 * len(joints), velocities.shape[-1]))
        for joint, link in enumerate(joints):
            velocity = get_joint_velocity(link, velocities)
            columns[..., 2 * joint, link.columns.start] = velocity
            sign = (
                np.sign(velocity)
                if link.friction is None
                else _smooth_sign(link.friction, velocity)
            )
            columns[..., 2 * joint + 1, link.columns.start] = sign
        return np.swapaxes(self.coordinates.compute_forces(columns, q), -1, -2)

    def _sum_friction(
        self,
        speed_terms: Callable[[Friction, Array, Array], Array],
        loss: Callable[[Transmission, Array, Array], Array],
        *motion: Array,
    ) -> Array:
        """Sum the terms of each joint's friction, or the magnitudes of these terms.

        The functions `speed_terms` and `loss` return terms or magnitudes.
        """
        q = motion[0]  # velocities if they are the only argument; no loops then
        if len(motion) == 1:
            motion = (self.coordinates.compute_velocities(q, q),)
        else:
            motion = (*self.coordinates.compute_motion(*motion[:3]), *motion[3:])
        velocities = motion[0] if len(motion) == 1 else motion[1]
        at = tuple(frame.with_free_joints for frame in self.wrench_frames)
        without_motors = tuple(replace(link, motor_inertia=0.0) for link in self.links)
        # The output of a transmission is the joint force without the motor's own inertia.
        output = (
            self.dynamics(without_motors, at, *motion)
            if len(motion) > 1
            else np.zeros_like(velocities)
        )
        torques = np.zeros_like(velocities)
        for position, link in enumerate(self.links):
            friction = link.friction
            if friction is None or link.variable is None:
                continue
            velocity = get_joint_velocity(link, velocities)
            sign = _smooth_sign(friction, velocity)
            torque = speed_terms(friction, velocity, sign)
            for bearing in friction.bearings:
                carried = compute_reaction(
                    self.dynamics,
                    without_motors,
                    at,
                    position,
                    _centre_frame(link, bearing),
                    *motion,
                )
                torque = torque + sign * _bearing_torque(
                    bearing, carried[..., :3], carried[..., 3:]
                )
            if friction.transmission is not None:
                torque = torque + loss(
                    friction.transmission, sign, output[..., link.variable] + torque
                )
            torques[..., link.variable] = torque
        return self.coordinates.compute_forces(torques, q)


def _centre_frame(link: NumericLink, bearing: Bearing) -> Array:
    """Return the pose of a bearing's frame in the frame after the joint's motion, 4 x 4.

    The frame has its origin at the bearing's centre, and its z axis along the joint axis.
    """
    along = np.eye(4)
    along[2, 3] = float(bearing.centre)
    centre: Array = link.axis_frame @ along
    return centre


def _smooth_sign(friction: Friction, velocity: Array) -> Array:
    """Return the sign of the velocity, or the smooth function that replaces the sign."""
    if friction.sign == "exact":
        return np.sign(velocity)
    scaled = velocity / float(friction.width)
    return np.tanh(scaled) if friction.sign == "tanh" else np.clip(scaled, -1.0, 1.0)


def _speed_terms(friction: Friction, velocity: Array, sign: Array) -> Array:
    """Return the part of a joint's friction that does not depend on the joint's load (N m or N).

    The terms are viscous friction, the offset, Coulomb friction, and the excess of static over
    Coulomb friction. `sign` is the sign of the velocity, or its smooth replacement.
    """
    coulomb, excess = _dry_friction(friction, velocity, sign)
    return (
        float(friction.viscous) * velocity + float(friction.offset) + sign * coulomb + sign * excess
    )


def _speed_term_magnitudes(friction: Friction, velocity: Array, sign: Array) -> Array:
    """Return the sum of the magnitudes of viscous, Coulomb and static friction, and of the offset.

    The sum is negative if `sign` is negative. Terms that are added later are multiplied by `sign`,
    so that they increase the magnitude of the sum.
    """
    coulomb, excess = _dry_friction(friction, velocity, sign)
    terms = (
        float(friction.viscous) * velocity,
        np.full_like(velocity, float(friction.offset)),
        sign * coulomb,
        sign * excess,
    )
    total: Array = np.sum(np.abs(np.stack(terms)), axis=0)
    return total * np.where(sign < 0, -1.0, 1.0)


def _dry_friction(friction: Friction, velocity: Array, sign: Array) -> tuple[Array, Array]:
    """Return the magnitude of Coulomb friction, and the excess of static over Coulomb friction.

    The excess decreases with the speed (Stribeck effect).
    """
    forward = float(friction.coulomb)
    backward = forward if friction.coulomb_negative is None else float(friction.coulomb_negative)
    coulomb = np.where(sign > 0, forward, backward)
    if friction.stribeck is None:
        return coulomb, np.zeros_like(coulomb)
    static, stribeck = float(friction.stribeck.static), float(friction.stribeck.velocity)
    return coulomb, (static - coulomb) * np.exp(-((velocity / stribeck) ** 2))


def _bearing_torque(bearing: Bearing, force: Array, moment: Array) -> Array:
    """Return the friction torque of a bearing (Dhanaraj 1990, Table 3.1).

    Force (N) and moment (N m) about the bearing's centre have shape (..., 3); z is the joint axis.
    """
    if bearing.kind == "thrust":
        return float(bearing.coefficient) * float(bearing.radius) * np.abs(force[..., 2])
    # Two supports at the distance of the bearing's length take the moment across the axis as a
    # couple.
    couple = np.stack([moment[..., 1], -moment[..., 0]], axis=-1) / float(bearing.length)
    supports = force[..., :2] / 2 + couple, force[..., :2] / 2 - couple
    if bearing.kind == "linear":
        sides = sum(np.abs(support).sum(axis=-1) for support in supports)
        return np.asarray(float(bearing.coefficient) * sides)
    loads = sum(np.linalg.norm(support, axis=-1) for support in supports)
    return np.asarray(float(bearing.coefficient) * float(bearing.radius) * loads)


def _transmission_loss(transmission: Transmission, sign: Array, output: Array) -> Array:
    """Return the loss (N m or N) of a transmission for the joint force `output`.

    The loss is the motor torque of Dhanaraj (1990, Table 3.2) minus the output. If |sign| < 1, it
    is a weighted mean of the losses for driving and for braking.
    """
    efficiency, _ = _efficiency(transmission, np.abs(output) / float(transmission.rated))
    driving = (1 + sign * np.sign(output)) / 2  # 1: the motor drives; 0: the load drives
    lost = np.abs(output) * (driving * (1 / efficiency - 1) + (1 - driving) * (1 - efficiency))
    return np.asarray(sign * (lost + float(transmission.breakaway)))


def _loss_magnitude(transmission: Transmission, sign: Array, output: Array) -> Array:
    """Return a bound for the sum of the magnitudes of the transmission loss's terms.

    The bound is multiplied by `sign`, like the loss itself (`_transmission_loss`).
    """
    points = np.array(
        [[float(load), float(efficiency)] for load, efficiency in transmission.efficiency]
    )
    _, steepest = _efficiency(transmission, np.linspace(0.0, points[-1, 0], 1000))
    lowest = points[:, 1].min()
    factor = 1 / lowest + points[-1, 0] * np.max(np.abs(steepest), initial=0.0) / lowest**2
    return np.asarray(sign * (factor * np.abs(output) + abs(float(transmission.breakaway))))


def _efficiency(transmission: Transmission, load: Array) -> tuple[Array, Array]:
    """Return the efficiency at `load` (load / rated load), and its derivative by `load`."""
    x, y = (np.array([float(point[axis]) for point in transmission.efficiency]) for axis in (0, 1))
    if len(x) == 1:
        return np.full_like(load, y[0]), np.zeros_like(load)
    h, chords = np.diff(x), np.diff(y) / np.diff(x)  # lengths and slopes of the intervals
    interval = np.clip(np.searchsorted(x, load, side="right") - 1, 0, len(x) - 2)
    t = np.clip((load - x[interval]) / h[interval], 0.0, 1.0)  # constant beyond the last point
    if transmission.interpolation == "linear":
        return np.interp(load, x, y), chords[interval]
    slopes = _spline_slopes(h, chords)
    left, right = slopes[interval], slopes[interval + 1]
    value = (
        y[interval] * (1 + 2 * t) * (1 - t) ** 2
        + h[interval] * left * t * (1 - t) ** 2
        + y[interval + 1] * t**2 * (3 - 2 * t)
        + h[interval] * right * t**2 * (t - 1)
    )
    slope = (
        6 * t * (1 - t) * chords[interval] + left * (1 - t) * (1 - 3 * t) + right * t * (3 * t - 2)
    )
    return value, slope


def _spline_slopes(h: Array, chords: Array) -> Array:
    """Return the slopes of the monotone cubic spline of Fritsch and Butland (1984).

    `h` are the lengths of the intervals, and `chords` the slopes of their chords. The slopes at the
    ends of the curve are computed by the three-point formula.
    """
    if len(chords) == 1:
        return np.repeat(chords, 2)
    inner = []  # weighted harmonic means of neighbouring chords, zero at an extremum
    for i in range(1, len(chords)):
        weights = np.array([2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]])
        same = chords[i - 1] * chords[i] > 0
        inner.append(weights.sum() / (weights / chords[i - 1 : i + 1]).sum() if same else 0.0)
    ends = []
    for (near, far), (first, second) in (
        ((h[0], h[1]), chords[:2]),
        ((h[-1], h[-2]), chords[:-3:-1]),
    ):
        slope = ((2 * near + far) * first - near * second) / (near + far)
        if slope * first <= 0:  # these limits keep the end monotone
            slope = 0.0
        elif first * second <= 0 and abs(slope) > abs(3 * first):
            slope = 3 * first
        ends.append(slope)
    return np.array([ends[0], *inner, ends[1]])
