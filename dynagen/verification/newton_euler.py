"""Reference 1, Newton-Euler: joint forces, and the magnitudes of their terms.

`formulate_inverse_dynamics` is the conventional recursion (Luh, Walker & Paul 1980), with all
vectors in base axes. Each body is described at the centre of mass, or at the origin of the link
frame if the description contains first moments. The code is written to be checked by reading, not
for speed.

`formulate_term_magnitudes` is this recursion with norms instead of vectors, so that no terms
cancel. The results are sums of the magnitudes of terms. The rounding errors of all formulations are
proportional to these sums.
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
    compute_joint_frames,
    compute_joint_motion,
    compute_screw,
    cross,
    get_base_twist,
    get_joint_position,
    get_joint_velocity,
    make_symmetric,
    make_zero_forces,
    round_vector,
    select_motions,
)


@dataclass(frozen=True)
class PointInertia:
    """Mass, first moments and inertia about a point, in link axes.

    Attributes:
        mass: mass of the link, kg.
        point: position of the point from the link frame's origin, m, shape (3,).
        first_moment: first moment about the point, kg m, shape (3,).
        inertia: inertia about the point, kg m^2, shape (3, 3).
    """

    mass: float
    point: Array
    first_moment: Array
    inertia: Array

    def __bool__(self) -> bool:
        return bool(self.mass or self.first_moment.any() or self.inertia.any())


@dataclass(frozen=True)
class _Motion:
    """Motion of a link; all vectors are in the base frame.

    Attributes:
        axis: unit vector along the link's joint axis.
        foot: vector from the origin of the parent's frame to the joint, m.
        lever: vector from the joint to the origin of the link's frame, m.
        rotation: matrix from the link's axes to base axes, shape (..., 3, 3).
        angular_velocity: angular velocity of the link, rad/s.
        angular_acceleration: angular acceleration of the link, rad/s^2.
        origin_acceleration: acceleration of the origin of the link's frame, minus gravity, m/s^2.
    """

    axis: Array
    foot: Array
    lever: Array
    rotation: Array
    angular_velocity: Array
    angular_acceleration: Array
    origin_acceleration: Array


def formulate_inverse_dynamics(
    links: tuple[NumericLink, ...], gravity: Array, q: Array, qd: Array, qdd: Array
) -> InverseDynamics:
    """Return a function that computes the joint forces of the motion q, qd, qdd.

    The first argument of the returned function contains the links with their inertial data. Its
    result contains the n joint forces (N m or N), shape (..., n). A regressor requires the forces
    for many sets of inertial data, but the motions of the links only once.

    Args:
        links: links of the robot; their inertial data are not used.
        gravity: acceleration of gravity in the base frame, m/s^2, shape (3,).
        q: variables of all joints, shape (..., joint variables).
        qd: velocities of all joints, shape (..., n).
        qdd: accelerations of all joints, shape (..., n).
    """
    return partial(_joint_forces, _motions(links, gravity, q, qd, qdd), (q, qd, qdd))


def _joint_forces(
    motions: Sequence[_Motion],
    state: tuple[Array, Array, Array],
    links: tuple[NumericLink, ...],
    places: Sequence[int] | None = None,
) -> Array:
    """Compute joint forces from the links' motions, from the last link to the base.

    `state` contains q, qd and qdd of all joints. `motions` belong to all links of the robot;
    `places` are the indices of `links` among them, or None if `links` are all links.
    """
    motions = select_motions(motions, places)
    wrenches = [
        _inertial_wrench(make_point_inertia(link.inertial), motion)
        for link, motion in zip(links, motions, strict=True)
    ]
    tau, qdd = make_zero_forces(*state), state[2]
    for position in reversed(range(len(links))):
        link, motion = links[position], motions[position]
        force, moment = wrenches[position]
        moment = moment + cross(motion.lever, force)  # from the link's origin to the joint
        if link.is_free:
            to_link = np.swapaxes(motion.rotation, -1, -2)
            tau[..., link.columns] = np.concatenate(
                [_apply(to_link, force), _apply(to_link, moment)], axis=-1
            )
        elif link.is_spherical:
            # The joint's axes are those of the link's frame, behind the constant steps.
            to_joint = link.after[:3, :3] @ np.swapaxes(motion.rotation, -1, -2)
            tau[..., link.columns] = _apply(to_joint, moment)
        elif link.variable is not None:
            tau[..., link.variable] = (
                link.angular * _dot(motion.axis, moment)
                + link.linear * _dot(motion.axis, force)
                + link.motor_inertia * qdd[..., link.variable]
            )
        if link.parent is not None:
            parent_force, parent_moment = wrenches[link.parent]
            wrenches[link.parent] = (
                parent_force + force,
                parent_moment + moment + cross(motion.foot, force),
            )
    return tau


def _motions(
    links: tuple[NumericLink, ...], gravity: Array, q: Array, qd: Array, qdd: Array
) -> list[_Motion]:
    """Compute the motions of all links, outward from the base."""
    joints, poses = compute_joint_frames(links, q)
    # Gravity enters as an upward acceleration of the base.
    still = np.zeros(3)
    base = _Motion(still, still, still, np.eye(3), still, still, -gravity)
    motions: list[_Motion] = []
    for link, joint, pose in zip(links, joints, poses, strict=True):
        parent = base if link.parent is None else motions[link.parent]
        if link.is_free:
            motions.append(_free_motion(link, pose[..., :3, :3], gravity, qd, qdd))
            continue
        if link.is_spherical:
            motions.append(_spherical_motion(link, parent, joint, pose, q, qd, qdd))
            continue
        velocity = get_joint_velocity(link, qd)[..., None]
        acceleration = get_joint_velocity(link, qdd)[..., None]
        axis = joint[..., :3, :3] @ link.axis
        # Levers are rotated into the base frame one by one: differences of positions would lose
        # digits.
        foot = parent.rotation @ link.before[:3, 3]
        lever = _apply(joint[..., :3, :3], compute_joint_motion(link, q)[..., :3, 3])
        omega = parent.angular_velocity
        angular_velocity = omega + link.angular * velocity * axis
        angular_acceleration = parent.angular_acceleration + link.angular * (
            acceleration * axis + velocity * cross(omega, axis)
        )
        origin_acceleration = (
            parent.origin_acceleration
            + _relative_acceleration(omega, parent.angular_acceleration, foot)
            + _relative_acceleration(angular_velocity, angular_acceleration, lever)
            + link.linear * (acceleration * axis + 2 * velocity * cross(omega, axis))  # Coriolis
        )
        rotation = pose[..., :3, :3]
        motions.append(
            _Motion(
                axis,
                foot,
                lever,
                rotation,
                angular_velocity,
                angular_acceleration,
                origin_acceleration,
            )
        )
    return motions


def _free_motion(
    link: NumericLink, rotation: Array, gravity: Array, qd: Array, qdd: Array
) -> _Motion:
    """Return the motion of a floating link.

    The linear velocity v and the angular velocity w are in the link's axes. With the rotation R to
    base axes, the accelerations in base axes are R (dv/dt + cross(w, v)) and R dw/dt.
    """
    (v, omega), (change, alpha) = get_base_twist(link, qd), get_base_twist(link, qdd)
    still = np.zeros(3)
    acceleration = _apply(rotation, change + cross(omega, v)) - gravity
    return _Motion(
        still,
        still,
        still,
        rotation,
        _apply(rotation, omega),
        _apply(rotation, alpha),
        acceleration,
    )


def _spherical_motion(
    link: NumericLink,
    parent: _Motion,
    joint: Array,
    pose: Array,
    q: Array,
    qd: Array,
    qdd: Array,
) -> _Motion:
    """Return the motion of a link with a spherical joint.

    The joint's velocities are the components of the relative angular velocity u in the link's axes.
    These axes rotate with w + u, with the parent's angular velocity w. With the derivatives c of
    the components, du/dt = c + cross(w + u, u) = c + cross(w, u).
    """
    axes = joint[..., :3, :3] @ compute_screw(link, q)[..., :3, :3]
    relative, change = (_apply(axes, values[..., link.columns]) for values in (qd, qdd))
    omega = parent.angular_velocity
    angular_velocity = omega + relative
    angular_acceleration = parent.angular_acceleration + change + cross(omega, relative)
    foot = parent.rotation @ link.before[:3, 3]
    lever = _apply(axes, np.broadcast_to(link.after[:3, 3], relative.shape))
    acceleration = (
        parent.origin_acceleration
        + _relative_acceleration(omega, parent.angular_acceleration, foot)
        + _relative_acceleration(angular_velocity, angular_acceleration, lever)
    )
    still = np.zeros(3)
    return _Motion(
        still,
        foot,
        lever,
        pose[..., :3, :3],
        angular_velocity,
        angular_acceleration,
        acceleration,
    )


def _inertial_wrench(body: PointInertia, motion: _Motion) -> tuple[Array, Array]:
    """Return the inertial force of a body (N), and its moment about the link's origin (N m)."""
    if not body:
        return np.zeros(3), np.zeros(3)
    omega, alpha = motion.angular_velocity, motion.angular_acceleration
    arm = motion.rotation @ body.point  # from the link's origin, in base axes
    first_moment = motion.rotation @ body.first_moment
    inertia = motion.rotation @ body.inertia @ np.swapaxes(motion.rotation, -1, -2)
    acceleration = motion.origin_acceleration + _relative_acceleration(omega, alpha, arm)
    # Newton: mass times the acceleration of the centre of mass, by way of the body's point.
    force = body.mass * acceleration + _relative_acceleration(omega, alpha, first_moment)
    # Euler, about the body's point, which accelerates.
    moment = (
        _apply(inertia, alpha)
        + cross(omega, _apply(inertia, omega))
        + cross(first_moment, acceleration)
    )
    return force, moment + cross(arm, force)


@lru_cache(maxsize=1024)  # a regressor needs the same few inertias many times
def make_point_inertia(inertial: CentralInertia | OriginInertia) -> PointInertia:
    """Return a link's inertial data in link axes, read-only.

    The reference point is the centre of mass for `CentralInertia`, and the origin of the link frame
    for `OriginInertia`.
    """
    mass, inertia = float(inertial.mass), make_symmetric(inertial.inertia)
    if isinstance(inertial, CentralInertia):
        return PointInertia(
            mass, point=round_vector(inertial.com), first_moment=np.zeros(3), inertia=inertia
        )
    return PointInertia(
        mass, point=np.zeros(3), first_moment=round_vector(inertial.first_moment), inertia=inertia
    )


def _relative_acceleration(omega: Array, alpha: Array, arm: Array) -> Array:
    """Return the acceleration of the end of `arm` (m) relative to its start (m/s^2), (..., 3)."""
    return cross(alpha, arm) + cross(omega, cross(omega, arm))


def _apply(matrix: Array, vectors: Array) -> Array:
    """Multiply matrices (..., 3, 3) and vectors (..., 3); return vectors (..., 3)."""
    product: Array = (matrix @ vectors[..., None])[..., 0]
    return product


def _dot(left: Array, right: Array) -> Array:
    """Return the scalar product of vectors (..., 3), shape (...)."""
    product: Array = np.sum(left * right, axis=-1)
    return product


def formulate_term_magnitudes(
    links: tuple[NumericLink, ...], gravity: Array, q: Array, qd: Array, qdd: Array
) -> InverseDynamics:
    """Return a function that computes the sums of the magnitudes of the terms of all joint forces.

    The returned function has the arguments and result shapes of the function that
    `formulate_inverse_dynamics` returns.

    Args:
        links: links of the robot; their inertial data are not used.
        gravity: acceleration of gravity in the base frame, m/s^2, shape (3,).
        q: variables of all joints, shape (..., joint variables).
        qd: velocities of all joints, shape (..., n).
        qdd: accelerations of all joints, shape (..., n).
    """
    none = np.zeros(make_zero_forces(q, qd, qdd).shape[:-1])
    base = none, none, none + np.linalg.norm(gravity)
    # Norms of angular velocity, angular acceleration and acceleration of the link frame.
    motions: list[tuple[Array, Array, Array]] = []
    for link in links:
        omega, alpha, acceleration = base if link.parent is None else motions[link.parent]
        if link.is_free:
            (v, w), (vd, wd) = (map(_norms, get_base_twist(link, values)) for values in (qd, qdd))
            motions.append((none + w, none + wd, acceleration + vd + w * v))
            continue
        velocity, change = (_joint_speed(link, values) for values in (qd, qdd))
        acceleration = acceleration + (alpha + omega**2) * _length(link.before)
        angular = 1.0 if link.is_spherical else abs(link.angular)
        acceleration = acceleration + abs(link.linear) * (change + 2 * omega * velocity)
        alpha = alpha + angular * (change + omega * velocity)
        omega = omega + angular * velocity
        acceleration = acceleration + (alpha + omega**2) * _joint_length(link, q)
        motions.append((omega, alpha, acceleration))
    return partial(_sum_magnitudes, motions, (q, qd, qdd))


def _sum_magnitudes(
    motions: Sequence[tuple[Array, Array, Array]],
    state: tuple[Array, Array, Array],
    links: tuple[NumericLink, ...],
    places: Sequence[int] | None = None,
) -> Array:
    """Sum the magnitudes of the terms of joint forces, from the last link to the base.

    `state` contains q, qd and qdd of all joints. `motions` belong to all links of the robot;
    `places` are the indices of `links` among them, or None if `links` are all links.
    """
    motions = select_motions(motions, places)
    wrenches: list[tuple[Array, Array]] = []  # force, and moment about the link frame's origin
    for link, (omega, alpha, acceleration) in zip(links, motions, strict=True):
        rotating = alpha + omega**2
        mass, first_moment, inertia = _moments(link.inertial)
        wrenches.append(
            (
                mass * acceleration + first_moment * rotating,
                first_moment * acceleration + inertia * rotating,
            )
        )

    magnitudes, (q, _, qdd) = make_zero_forces(*state), state
    for position in reversed(range(len(links))):
        link = links[position]
        force, moment = wrenches[position]
        moment = moment + _joint_length(link, q) * force
        if link.is_free:
            magnitudes[..., link.columns] = np.stack([force] * 3 + [moment] * 3, axis=-1)
        elif link.is_spherical:
            magnitudes[..., link.columns] = moment[..., None]
        elif link.variable is not None:
            motor = link.motor_inertia * qdd[..., link.variable]
            magnitudes[..., link.variable] = (
                abs(link.angular) * moment + abs(link.linear) * force + np.abs(motor)
            )
        if link.parent is not None:
            parent_force, parent_moment = wrenches[link.parent]
            wrenches[link.parent] = (
                parent_force + force,
                parent_moment + moment + _length(link.before) * force,
            )
    return magnitudes


@lru_cache(maxsize=1024)
def _moments(inertial: CentralInertia | OriginInertia) -> tuple[float, float, float]:
    """Return the magnitudes of mass, first moment and inertia about the link frame's origin."""
    mass, inertia = (
        abs(float(inertial.mass)),
        float(np.linalg.norm(make_symmetric(inertial.inertia))),
    )
    if isinstance(inertial, OriginInertia):
        return mass, float(np.linalg.norm(round_vector(inertial.first_moment))), inertia
    distance = float(np.linalg.norm(round_vector(inertial.com)))
    return mass, mass * distance, inertia + mass * distance**2


def _norms(vectors: Array) -> Array:
    """Return Euclidean norms over the last axis."""
    norms: Array = np.linalg.norm(vectors, axis=-1)
    return norms


def _length(transform: Array) -> float:
    """Return the length of the translation of a 4 x 4 transform."""
    return float(np.linalg.norm(transform[:3, 3]))


def _joint_speed(link: NumericLink, values: Array) -> Array:
    """Return the magnitude of a joint's velocity or acceleration, shape (...)."""
    if link.is_spherical:
        return _norms(values[..., link.columns])
    return np.abs(get_joint_velocity(link, values))


def _joint_length(link: NumericLink, q: Array) -> Array:
    """Return the distance from the frame before the joint to the link frame (m), shape (...)."""
    length: Array = np.abs(link.linear * get_joint_position(link, q)) + _length(link.after)
    return length
