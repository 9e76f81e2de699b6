"""Numeric links and joint states -> friction torques, from the description's own words: case by case, with numpy.

What a bearing carries is found by virtual work (`reactions`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dynagen.robot.description import Bearing, Friction, Transmission
from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import Array, Coordinates, NumericLink, joint_rate
from dynagen.verification.wrenches import Dynamics, reaction


@dataclass(frozen=True)
class FrictionReference:
    """The friction of a robot.

    A motion is the rates qd alone, or q, qd, qdd where bearings or transmissions make friction depend on what joints carry,
    all of shape (..., n), as are the results; then external wrenches, if the robot has such an input.

    Attributes:
        wrench_frames: where wrenches act.
        coordinates: of the robot; inside, every joint is free.
        dynamics: inverse dynamics, or the magnitudes of its terms.
    """

    links: tuple[NumericLink, ...]
    dynamics: Dynamics
    wrench_frames: tuple[FrameReference, ...]
    coordinates: Coordinates

    def forces(self, *motion: Array) -> Array:
        """Friction torques (N m) or forces (N) of all joints."""
        return self._all(_from_rate, _loss, *motion)

    def magnitudes(self, *motion: Array) -> Array:
        """Sums of the magnitudes of the terms, if `dynamics` gives such sums: the scale of rounding."""
        return np.abs(self._all(_magnitude_from_rate, _magnitude_of_loss, *motion))

    def columns(self, rates: Array) -> Array:
        """The factors of viscous and Coulomb coefficients, joint by joint with an axis; shape (..., n, 2 joints)."""
        rates = self.coordinates.rates(rates)
        joints = [link for link in self.links if link.has_axis]
        columns = np.zeros((*rates.shape[:-1], 2 * len(joints), rates.shape[-1]))
        for joint, link in enumerate(joints):
            rate = joint_rate(link, rates)
            columns[..., 2 * joint, link.rates.start] = rate
            sign = np.sign(rate) if link.friction is None else _sign(link.friction, rate)
            columns[..., 2 * joint + 1, link.rates.start] = sign
        return np.swapaxes(self.coordinates.forces(columns), -1, -2)

    def _all(
        self,
        from_rate: Callable[[Friction, Array, Array], Array],
        loss: Callable[[Transmission, Array, Array], Array],
        *motion: Array,
    ) -> Array:
        if len(motion) == 1:
            motion = (self.coordinates.rates(motion[0]),)
        else:
            q, qd, qdd, *wrench = motion
            motion = (
                self.coordinates.positions(q),
                *map(self.coordinates.rates, (qd, qdd)),
                *wrench,
            )
        rates = motion[0] if len(motion) == 1 else motion[1]
        at = tuple(frame.with_free_joints for frame in self.wrench_frames)
        without_motors = tuple(replace(link, motor_inertia=0.0) for link in self.links)
        output = (
            self.dynamics(without_motors, at, *motion) if len(motion) > 1 else np.zeros_like(rates)
        )
        torques = np.zeros_like(rates)
        for position, link in enumerate(self.links):
            friction = link.friction
            if friction is None or link.variable is None:
                continue
            rate = joint_rate(link, rates)
            sign = _sign(friction, rate)
            torque = from_rate(friction, rate, sign)
            for bearing in friction.bearings:
                carried = reaction(
                    self.dynamics, without_motors, at, position, _centre(link, bearing), *motion
                )
                torque = torque + sign * _bearing(bearing, carried[..., :3], carried[..., 3:])
            if friction.transmission is not None:
                torque = torque + loss(
                    friction.transmission, sign, output[..., link.variable] + torque
                )
            torques[..., link.variable] = torque
        return self.coordinates.forces(torques)


def _centre(link: NumericLink, bearing: Bearing) -> Array:
    """The centre of a bearing on the joint's axis, which is z there."""
    along = np.eye(4)
    along[2, 3] = float(bearing.centre)
    centre: Array = link.axis_frame @ along
    return centre


def _sign(friction: Friction, rate: Array) -> Array:
    """The sign of the rate, or what stands for it."""
    if friction.sign == "exact":
        return np.sign(rate)
    scaled = rate / float(friction.width)
    return np.tanh(scaled) if friction.sign == "tanh" else np.clip(scaled, -1.0, 1.0)


def _from_rate(friction: Friction, rate: Array, sign: Array) -> Array:
    """Viscous, Coulomb and static friction, and the offset."""
    coulomb, excess = _dry(friction, rate, sign)
    return float(friction.viscous) * rate + float(friction.offset) + sign * coulomb + sign * excess


def _magnitude_from_rate(friction: Friction, rate: Array, sign: Array) -> Array:
    coulomb, excess = _dry(friction, rate, sign)
    terms = (
        float(friction.viscous) * rate,
        np.full_like(rate, float(friction.offset)),
        sign * coulomb,
        sign * excess,
    )
    total: Array = np.sum(np.abs(np.stack(terms)), axis=0)
    return total * np.where(sign < 0, -1.0, 1.0)  # so that what `sign` brings later adds to it


def _dry(friction: Friction, rate: Array, sign: Array) -> tuple[Array, Array]:
    """Coulomb friction, and by how much static friction exceeds it at a rate."""
    forward = float(friction.coulomb)
    backward = forward if friction.coulomb_negative is None else float(friction.coulomb_negative)
    coulomb = np.where(sign > 0, forward, backward)
    if friction.stribeck is None:
        return coulomb, np.zeros_like(coulomb)
    static, velocity = float(friction.stribeck.static), float(friction.stribeck.velocity)
    return coulomb, (static - coulomb) * np.exp(-((rate / velocity) ** 2))


def _bearing(bearing: Bearing, force: Array, moment: Array) -> Array:
    """Dhanaraj (1990), Table 3.1, with the statics of two supports: each takes half the force and its part of the couple."""
    if bearing.kind == "thrust":
        return float(bearing.coefficient) * float(bearing.radius) * np.abs(force[..., 2])
    couple = np.stack([moment[..., 1], -moment[..., 0]], axis=-1) / float(bearing.length)
    supports = force[..., :2] / 2 + couple, force[..., :2] / 2 - couple
    if bearing.kind == "linear":
        sides = sum(np.abs(support).sum(axis=-1) for support in supports)
        return np.asarray(float(bearing.coefficient) * sides)
    loads = sum(np.linalg.norm(support, axis=-1) for support in supports)
    return np.asarray(float(bearing.coefficient) * float(bearing.radius) * loads)


def _loss(transmission: Transmission, sign: Array, output: Array) -> Array:
    """Table 3.2, less the output; near rest driving and braking are weighted by how far `sign` is from either."""
    efficiency, _ = _efficiency(transmission, np.abs(output) / float(transmission.rated))
    driving = (1 + sign * np.sign(output)) / 2
    lost = np.abs(output) * (driving * (1 / efficiency - 1) + (1 - driving) * (1 - efficiency))
    return np.asarray(sign * (lost + float(transmission.breakaway)))


def _magnitude_of_loss(transmission: Transmission, sign: Array, output: Array) -> Array:
    """The factor by which the output's rounding exceeds its own: |output| (1/eta - 1) has a slope that is bounded."""
    points = np.array(
        [[float(load), float(efficiency)] for load, efficiency in transmission.efficiency]
    )
    _, steepest = _efficiency(transmission, np.linspace(0.0, points[-1, 0], 1000))
    lowest = points[:, 1].min()
    factor = 1 / lowest + points[-1, 0] * np.max(np.abs(steepest), initial=0.0) / lowest**2
    return np.asarray(sign * (factor * np.abs(output) + abs(float(transmission.breakaway))))


def _efficiency(transmission: Transmission, load: Array) -> tuple[Array, Array]:
    """Efficiency at a load, and its slope; a spline in the form of Hermite, from values and slopes at the points."""
    x, y = (np.array([float(point[axis]) for point in transmission.efficiency]) for axis in (0, 1))
    if len(x) == 1:
        return np.full_like(load, y[0]), np.zeros_like(load)
    h, chords = np.diff(x), np.diff(y) / np.diff(x)
    interval = np.clip(np.searchsorted(x, load, side="right") - 1, 0, len(x) - 2)
    t = np.clip((load - x[interval]) / h[interval], 0.0, 1.0)
    if transmission.interpolation == "linear":
        return np.interp(load, x, y), chords[interval]
    slopes = _slopes(h, chords)
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


def _slopes(h: Array, chords: Array) -> Array:
    """Slopes of the monotone cubic spline of Fritsch and Butland (1984), ends by the three-point formula."""
    if len(chords) == 1:
        return np.repeat(chords, 2)
    inner = []
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
        if slope * first <= 0:
            slope = 0.0
        elif first * second <= 0 and abs(slope) > abs(3 * first):
            slope = 3 * first
        ends.append(slope)
    return np.array([ends[0], *inner, ends[1]])
