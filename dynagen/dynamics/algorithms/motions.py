"""Motions of bodies and frames, which the recursions transform from body to body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.dynamics.recording import Quantity


@dataclass(frozen=True)
class BodyMotion:
    """Motion of one body, in its axes.

    The angular velocity is the sum carried_velocity + about_z z, with the joint axis z. The joint
    of the body and the parallel joints directly before it form a row. The carrier is the body that
    carries this row.

    Attributes:
        carried_velocity: angular velocity of the carrier (rad/s).
        carried_acceleration: angular acceleration of the carrier (rad/s^2).
        about_z: sum of the velocities of the joints of the row, a scalar (rad/s).
        about_z_change: time derivative of `about_z` (rad/s^2).
        angular_velocity: w, the angular velocity of the body (rad/s).
        angular_acceleration: wd, the angular acceleration of the body (rad/s^2).
        products: k = (w_y w_z, w_x w_z, w_x w_y) of the angular velocity w (1/s^2).
        difference: the 3 x 3 acceleration difference matrix lambda (1/s^2). A point at r from the
            body's origin has the acceleration a + lambda r.
        acceleration: a, the acceleration of the body's origin minus gravity (m/s^2).
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
"""Angular velocity w, reference angular velocity wr, and the time derivative of wr."""


@dataclass(frozen=True)
class ReferenceMotion:
    """Actual and reference motion of a body, in its axes.

    The joint of the body and the parallel joints directly before it form a row. The carrier is the
    body that carries this row. z is the axis of the joints.

    Attributes:
        angular_velocity: w, the actual angular velocity (rad/s).
        reference_velocity: wr, the angular velocity of the reference motion (rad/s).
        reference_acceleration: time derivative of wr (rad/s^2).
        carried: w, wr and the time derivative of wr for the carrier, in the axes of the body
            (rad/s, rad/s, rad/s^2).
        about_z: the parts about z that the joints of the row add to `carried`, as three scalars.
        difference: 3 x 3 matrix lambda (1/s^2): lambda r is the time derivative of the reference
            velocity of the point r, minus that of the origin.
        acceleration: time derivative of the origin's reference velocity, minus gravity (m/s^2).
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
    """Derivatives of a joint's position after a motion.

    The motion is the joint velocity times a time step. For a floating base and for spherical
    joints, position and motion have several entries.

    Attributes:
        positions: indices of the joint's entries in the position vector q.
        motions: indices of the joint's entries in the velocity vector v.
        by_position: derivatives by the position before the motion, one row for each entry of q.
        by_motion: derivatives by the motion, one row for each entry of q.
    """

    positions: range
    motions: range
    by_position: Sequence[Sequence[Quantity]]
    by_motion: Sequence[Sequence[Quantity]]


@dataclass(frozen=True)
class RelativeMotion:
    """Motion of a frame relative to a body, in the axes of the body.

    Attributes:
        position: position of the frame's origin, from the origin of the body (m).
        velocity: velocity of the frame's origin relative to the body (m/s).
        angular_velocity: angular velocity of the frame relative to the body (rad/s).
        acceleration: acceleration of the frame's origin relative to the body (m/s^2).
        angular_acceleration: angular acceleration of the frame relative to the body (rad/s^2).
    """

    position: Quantity
    velocity: Quantity
    angular_velocity: Quantity
    acceleration: Quantity
    angular_acceleration: Quantity
