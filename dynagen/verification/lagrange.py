"""Reference 2, Lagrange: joint forces by 4 x 4 transforms and pseudo-inertias.

The module contains Hollerbach's recursion (1980; Dhanaraj 1990, appendix A.2), written for a tree.
The recursion has no angular velocities, cross products or moments. Bodies are described by second
moments about the origin of the link frame. Only the transforms of the joints and the function for
cross products are common code with the Newton-Euler reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.robot.description import CentralInertia, OriginInertia
from dynagen.verification.kinematics import (
    InverseDynamics,
    NumericLink,
    compute_joint_motion,
    compute_screw,
    cross,
    get_base_twist,
    make_symmetric,
    make_zero_forces,
    round_vector,
    select_motions,
)


@dataclass(frozen=True)
class _PoseMotion:
    """Motion of a link, as 4 x 4 matrices.

    Attributes:
        step: pose of the link in the parent's frame.
        partial_pose: derivative of the pose in the base frame by the link's own joint variable.
        pose: pose of the link in the base frame, with its first and second time derivatives.
    """

    step: Array
    partial_pose: Array
    pose: tuple[Array, Array, Array]


def formulate_inverse_dynamics(
    links: tuple[NumericLink, ...], gravity: Array, q: Array, qd: Array, qdd: Array
) -> InverseDynamics:
    """Return a function that computes the joint forces of the motion q, qd, qdd.

    The first argument of the returned function contains the links with their inertial data. Its
    result contains the n joint forces (N m or N), shape (..., n).

    Args:
        links: links of the robot; their inertial data are not used.
        gravity: acceleration of gravity in the base frame, m/s^2, shape (3,).
        q: variables of all joints, shape (..., joint variables).
        qd: velocities of all joints, shape (..., n).
        qdd: accelerations of all joints, shape (..., n).
    """
    fixed = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
    motions: list[_PoseMotion] = []
    for link in links:
        if link.is_free:
            motions.append(_free_motion(link, q, qd, qdd))
            continue
        parent = fixed if link.parent is None else motions[link.parent].pose
        if link.is_spherical:
            motions.append(_spherical_motion(link, parent, q, qd, qdd))
            continue
        step = link.before @ compute_joint_motion(link, q)
        pose, velocity, acceleration = (derivative @ step for derivative in parent)
        partial_pose = np.zeros((4, 4))
        if link.has_axis:
            generator = _generator(link)
            partial_pose = pose @ generator
            qd_own, qdd_own = (values[..., link.variable, None, None] for values in (qd, qdd))
            # T = P S with dS/dq = S G, so that T' = P' S + T G q'
            # and T" = P" S + (P' S + T') G q' + T G q".
            carried, velocity = velocity, velocity + partial_pose * qd_own
            acceleration = (
                acceleration + (carried + velocity) @ generator * qd_own + partial_pose * qdd_own
            )
        motions.append(_PoseMotion(step, partial_pose, (pose, velocity, acceleration)))
    return partial(_joint_forces, motions, gravity, (q, qd, qdd))


def _joint_forces(
    motions: Sequence[_PoseMotion],
    gravity: Array,
    state: tuple[Array, Array, Array],
    links: tuple[NumericLink, ...],
    places: Sequence[int] | None = None,
) -> Array:
    """Compute joint forces; inertial and gravity loads are summed from the last link to the base.

    `state` contains q, qd and qdd of all joints. `motions` belong to all links of the robot;
    `places` are the indices of `links` among them, or None if `links` are all links.
    """
    motions = select_motions(motions, places)
    weight = np.append(gravity, 0.0)  # a direction: translations do not change it
    # Composite sums over all carried bodies follow below.
    loads = [
        _load(_pseudo_inertia(link.inertial), motion, weight)
        for link, motion in zip(links, motions, strict=True)
    ]
    tau, qdd = make_zero_forces(*state), state[2]
    for position in reversed(range(len(links))):
        link, motion, load = links[position], motions[position], loads[position]
        if link.is_free:
            entries = range(link.columns.start, link.columns.stop)
            for entry, twist in zip(entries, _TWISTS, strict=True):
                tau[..., entry] = _power(motion.pose[0] @ twist, load)
        elif link.is_spherical:
            entries = range(link.columns.start, link.columns.stop)
            for entry, twist in zip(entries, _TWISTS[3:], strict=True):
                tau[..., entry] = _power(motion.pose[0] @ _move_to_link(twist, link), load)
        elif link.variable is not None:
            tau[..., link.variable] = (
                _power(motion.partial_pose, load) + link.motor_inertia * qdd[..., link.variable]
            )
        if link.parent is not None:
            # The sum in the parent's frame.
            loads[link.parent] = loads[link.parent] + motion.step @ load
    return tau


def _load(inertia: Array, motion: _PoseMotion, weight: Array) -> Array:
    """Return the inertial and gravity load of a body, a matrix of shape (..., 4, 4).

    A body has the pseudo-inertia J and the pose T with the second time derivative T". The load is
    J T"^T - j g^T. J T"^T is the time derivative of the momentum J T'^T. The vector j is the last
    column of J (first moments and mass), and g = `weight` the acceleration of gravity.
    """
    if not inertia.any():
        return inertia
    momentum_rate = inertia @ np.swapaxes(motion.pose[2], -1, -2)
    return momentum_rate - np.outer(inertia[:, 3], weight)


def _power(partial_pose: Array, load: Array) -> Array:
    """Return a joint force: the power against inertia and weight at a joint velocity of one.

    `partial_pose` is the derivative of the link's pose by the joint variable. `load` is the sum of
    the inertial and gravity loads of all carried bodies, shape (..., 4, 4).
    """
    power: Array = np.einsum("...ij,...ji", partial_pose, load)
    return power


def _twist(v: Array, w: Array) -> Array:
    """Return the matrix V, (..., 4, 4), with dT/dt = T V for the pose T of a body.

    v is the velocity of the body frame's origin and w the angular velocity, in the body's axes,
    both (..., 3).
    """
    matrix = np.zeros((*v.shape[:-1], 4, 4), dtype=v.dtype)
    matrix[..., :3, :3] = cross(w[..., None, :], -np.eye(3))
    matrix[..., :3, 3] = v
    return matrix


_TWISTS = tuple(_twist(unit[:3], unit[3:]) for unit in np.eye(6))


def _free_motion(link: NumericLink, q: Array, qd: Array, qdd: Array) -> _PoseMotion:
    """Return the motion of a floating link.

    The time derivatives of its pose T are T' = T V and T" = T (V V + V'), where V is the 4 x 4
    matrix of the link's twist.
    """
    pose = compute_screw(link, q)
    velocity, change = _twist(*get_base_twist(link, qd)), _twist(*get_base_twist(link, qdd))
    return _PoseMotion(pose, pose, (pose, pose @ velocity, pose @ (velocity @ velocity + change)))


def _spherical_motion(
    link: NumericLink, parent: tuple[Array, Array, Array], q: Array, qd: Array, qdd: Array
) -> _PoseMotion:
    """Return the motion of a link with a spherical joint.

    The link's pose is T_parent A S(q) B. T_parent is the parent's pose, A and B are the constant
    transforms before and after the joint, and S is the joint's rotation. The time derivative of S
    is S V, where V is the 4 x 4 matrix of the joint's twist.
    """
    turned = link.before @ compute_screw(link, q)
    still = np.zeros(3)
    velocity, change = (_twist(still + 0 * w, w) for w in (x[..., link.columns] for x in (qd, qdd)))
    step, first, second = (
        turned @ factor @ link.after
        for factor in (np.eye(4), velocity, velocity @ velocity + change)
    )
    pose, rate, acceleration = parent
    derivatives = (
        pose @ step,
        rate @ step + pose @ first,
        acceleration @ step + 2 * rate @ first + pose @ second,
    )
    return _PoseMotion(step, derivatives[0], derivatives)


def _generator(link: NumericLink) -> Array:
    """Return the constant matrix G, (4, 4), with dS/dq = S G for the joint variable q.

    S is the pose of the link's frame in the frame before the joint.
    """
    generator = np.zeros((4, 4), dtype=link.axis.dtype)
    generator[:3, :3] = link.angular * cross(np.eye(3), link.axis)
    generator[:3, 3] = link.linear * link.axis
    return _move_to_link(generator, link)


def _move_to_link(generator: Array, link: NumericLink) -> Array:
    """Convert a joint's 4 x 4 twist V from the frame after the joint to the link's frame.

    The result is B^-1 V B with the pose B of the link's frame in the frame after the joint.
    """
    # Inverse of a pose, also in extended precision.
    back = np.eye(4, dtype=link.after.dtype)
    back[:3, :3] = link.after[:3, :3].T
    back[:3, 3] = -back[:3, :3] @ link.after[:3, 3]
    moved: Array = back @ generator @ link.after
    return moved


@lru_cache(maxsize=1024)  # a regressor needs the same few inertias many times
def _pseudo_inertia(inertial: CentralInertia | OriginInertia) -> Array:
    """Return the pseudo-inertia of a link, shape (4, 4), read-only.

    It is the integral of x x^T dm with x = (position in the link frame, 1).
    """
    tensor = make_symmetric(inertial.inertia)
    second_moments = np.trace(tensor) / 2 * np.eye(3) - tensor
    pseudo_inertia = np.zeros((4, 4))
    pseudo_inertia[:3, :3] = second_moments
    if isinstance(inertial, CentralInertia):
        com = np.append(round_vector(inertial.com), 1.0)
        return pseudo_inertia + float(inertial.mass) * np.outer(com, com)
    pseudo_inertia[:3, 3] = pseudo_inertia[3, :3] = round_vector(inertial.first_moment)
    pseudo_inertia[3, 3] = float(inertial.mass)
    return pseudo_inertia
