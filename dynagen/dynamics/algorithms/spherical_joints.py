"""Derivatives by small rotations of spherical joints: motions of carriers, and of the joint's axes.

A spherical joint is a group of three bodies that move together (`model`), each with one of the
joint's axes along its z. The axes are fixed in the moved link. A small rotation about one of these
axes is a rotation about an axis that is fixed in the carrier.
"""

from __future__ import annotations

from dynagen.dynamics.algorithms.newton_euler import (
    BodyMotion,
    acceleration_difference,
    velocity_products,
)
from dynagen.dynamics.algorithms.recording import JointMotion, ResolvedBody
from dynagen.dynamics.recording import Quantity


def record_carrier_motion(
    body: ResolvedBody, moved: BodyMotion, motion: JointMotion
) -> tuple[Quantity, Quantity, Quantity]:
    """Record w and lambda of the carrier of a spherical joint, and a, in the axes of a body.

    A small rotation of the joint about an axis is one about an axis that is fixed in the carrier.
    """
    turning, change = map(body.resolve_turning, (motion.velocities, motion.accelerations))
    w = moved.angular_velocity - turning
    wd = moved.angular_acceleration - change - moved.angular_velocity.cross(turning)
    return w, acceleration_difference(w, wd, velocity_products(w)), moved.acceleration


def record_turned_axis(row: ResolvedBody, column: ResolvedBody, moment: Quantity) -> Quantity:
    """Record (z_j x z_i).n, by which a rotation about z_j changes z_i.n of the same joint.

    Args:
        row: body i, which carries body j.
        column: body j.
        moment: n, in the axes of body j.
    """
    # In the axes of body j, z of the body before is y, and z of the body before that is x.
    return -moment[0] if column.index - row.index == 1 else moment[1]
