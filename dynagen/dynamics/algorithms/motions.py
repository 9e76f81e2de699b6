"""Motions of bodies and of frames, as the recursions hand them from body to body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.dynamics.recording import Quantity


@dataclass(frozen=True)
class BodyMotion:
    """Motion of one body, in its axes. The angular velocity is carried_velocity + about_z z.

    Attributes:
        carried_velocity: angular velocity of the body that carries this joint and the parallel
            joints directly before it, in the axes of this body (rad/s).
        carried_acceleration: angular acceleration of the same body (rad/s^2).
        about_z: the rest of the angular velocity, a scalar: velocities of these joints about z
            (rad/s).
        about_z_change: derivative of `about_z` by time (rad/s^2).
        angular_velocity: w (rad/s).
        angular_acceleration: wd (rad/s^2).
        products: k, the products of the components of w (1/s^2).
        difference: lambda (1/s^2). A point at r has the acceleration a + lambda r.
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
        angular_velocity: w (rad/s).
        reference_velocity: wr (rad/s).
        reference_acceleration: derivative of wr by time (rad/s^2).
        carried: w, wr and the derivative of wr of the body that carries this joint and the parallel
            joints directly before it, in the axes of this body.
        about_z: the rest of w, of wr and of the derivative of wr, scalars about z.
        difference: lambda (1/s^2).
        acceleration: a, derivative of the reference velocity of the origin minus gravity (m/s^2).
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
    """Derivatives of the positions of a joint after a motion.

    Attributes:
        positions: entries of q of the joint.
        motions: entries of v of the joint.
        by_position: rows with the derivatives by these entries of q before the motion.
        by_motion: rows with the derivatives by the motion in these entries of v.
    """

    positions: range
    motions: range
    by_position: Sequence[Sequence[Quantity]]
    by_motion: Sequence[Sequence[Quantity]]


@dataclass(frozen=True)
class RelativeMotion:
    """Motion of a frame relative to a body, in the axes of the body.

    Attributes:
        position: from the origin of the body (m).
        velocity: of the origin of the frame (m/s).
        angular_velocity: of the frame (rad/s).
        acceleration: of the origin of the frame (m/s^2).
        angular_acceleration: of the frame (rad/s^2).
    """

    position: Quantity
    velocity: Quantity
    angular_velocity: Quantity
    acceleration: Quantity
    angular_acceleration: Quantity
