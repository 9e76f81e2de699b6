"""Motions of bodies and frames, which the recursions carry from body to body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.dynamics.recording import Quantity


@dataclass(frozen=True)
class BodyMotion:
    """Motion of one body, in its axes: the angular velocity w is carried_velocity + about_z z.

    Attributes:
        carried_velocity: angular velocity of the body that carries this joint and the parallel
            joints directly before it, in the axes of this body (rad/s).
        carried_acceleration: angular acceleration of the same body (rad/s^2).
        about_z: the part of the angular velocity about z, a scalar: the sum of the velocities of
            this joint and the parallel joints directly before it (rad/s).
        about_z_change: derivative of `about_z` by time (rad/s^2).
        angular_velocity: w, the angular velocity of the body (rad/s).
        angular_acceleration: wd, the angular acceleration of the body (rad/s^2).
        products: k, the products of the components of w (1/s^2).
        difference: lambda, the acceleration difference matrix (1/s^2). A point at r has the
            acceleration a + lambda r.
        acceleration: a, the acceleration of the origin minus gravity (m/s^2).
    """

    carried_velocity: Quantity
    carried_acceleration: Quantity
    about_z: Quantity
    about_z_change: Quantity
    angular_velocity: Quantity
    angular_acceleration: Quantity
    products: Quantity
    difference: Quantity
    acceleration: Quantity


Angular = tuple[Quantity, Quantity, Quantity]
"""Angular velocity w, reference angular velocity wr, and the derivative of wr by time."""


@dataclass(frozen=True)
class ReferenceMotion:
    """Actual and reference motion of a body, in its axes.

    Attributes:
        angular_velocity: w, the actual angular velocity (rad/s).
        reference_velocity: wr, the angular velocity of the reference motion (rad/s).
        reference_acceleration: derivative of wr by time (rad/s^2).
        carried: w, wr and the derivative of wr of the body that carries this joint and the parallel
            joints directly before it, in the axes of this body.
        about_z: the parts of w, of wr and of the derivative of wr about z, which this joint and the
            parallel joints directly before it add; three scalars.
        difference: lambda of the reference motion, the acceleration difference matrix (1/s^2).
        acceleration: a, derivative of the origin's reference velocity minus gravity (m/s^2).
    """

    angular_velocity: Quantity
    reference_velocity: Quantity
    reference_acceleration: Quantity
    carried: Angular
    about_z: Angular
    difference: Quantity
    acceleration: Quantity


@dataclass(frozen=True)
class StepSlopes:
    """Derivatives of a joint's positions after a motion, by the positions before and the motion.

    Attributes:
        positions: entries of q of the joint.
        motions: entries of v of the joint.
        by_position: derivatives by the joint's entries of q before the motion, one row for each
            entry of q.
        by_motion: derivatives by the joint's entries of the motion, one row for each entry of q.
    """

    positions: range
    motions: range
    by_position: Sequence[Sequence[Quantity]]
    by_motion: Sequence[Sequence[Quantity]]


@dataclass(frozen=True)
class RelativeMotion:
    """Motion of a frame relative to a body, in the axes of the body.

    Attributes:
        position: position of the frame's origin from the origin of the body (m).
        velocity: velocity of the frame's origin (m/s).
        angular_velocity: angular velocity of the frame (rad/s).
        acceleration: acceleration of the frame's origin (m/s^2).
        angular_acceleration: angular acceleration of the frame (rad/s^2).
    """

    position: Quantity
    velocity: Quantity
    angular_velocity: Quantity
    acceleration: Quantity
    angular_acceleration: Quantity
