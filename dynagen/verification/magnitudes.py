"""Numeric links and joint states -> how large the terms are that add up to each joint force: the scale of rounding.

The Newton-Euler recursion over norms instead of vectors, so that nothing can cancel. Whatever formulation a kernel uses, its
rounding is proportional to these sums: they tell a joint force that is zero by symmetry from one that is merely small.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from dynagen.description.description import CentralInertia, OriginInertia
from dynagen.verification.kinematics import (
    Array,
    InverseDynamics,
    NumericLink,
    base_twist,
    joint_position,
    joint_rate,
    no_forces,
    symmetric,
    vector,
)


def term_magnitudes(links: tuple[NumericLink, ...], gravity: Array, q: Array, qd: Array, qdd: Array) -> InverseDynamics:
    """Sums of the magnitudes of the terms of each joint force, upper bounds of |tau|: a `kinematics.Formulation`."""
    none = np.zeros(no_forces(q, qd, qdd).shape[:-1])
    base = none, none, none + np.linalg.norm(gravity)
    motions: list[tuple[Array, Array, Array]] = []  # angular velocity, angular acceleration, acceleration of the link frame
    for link in links:
        omega, alpha, acceleration = base if link.parent is None else motions[link.parent]
        if link.is_free:
            (v, w), (vd, wd) = (map(_norms, base_twist(link, values)) for values in (qd, qdd))
            motions.append((none + w, none + wd, acceleration + vd + w * v))
            continue
        rate, change = np.abs(joint_rate(link, qd)), np.abs(joint_rate(link, qdd))
        acceleration = acceleration + (alpha + omega**2) * _length(link.before)
        acceleration = acceleration + abs(link.linear) * (change + 2 * omega * rate)
        alpha = alpha + abs(link.angular) * (change + omega * rate)
        omega = omega + abs(link.angular) * rate
        acceleration = acceleration + (alpha + omega**2) * _joint_length(link, q)
        motions.append((omega, alpha, acceleration))
    return partial(_summed, motions, (q, qd, qdd))


def _summed(
    motions: Sequence[tuple[Array, Array, Array]], state: tuple[Array, Array, Array], links: tuple[NumericLink, ...]
) -> Array:
    wrenches: list[tuple[Array, Array]] = []  # force, and moment about the link frame's origin
    for link, (omega, alpha, acceleration) in zip(links, motions, strict=True):
        rotating = alpha + omega**2
        mass, first_moment, inertia = _moments(link.inertial)
        wrenches.append((mass * acceleration + first_moment * rotating, first_moment * acceleration + inertia * rotating))

    magnitudes, (q, _, qdd) = no_forces(*state), state
    for position in reversed(range(len(links))):
        link = links[position]
        force, moment = wrenches[position]
        moment = moment + _joint_length(link, q) * force
        if link.is_free:
            magnitudes[..., link.rates] = np.stack([force] * 3 + [moment] * 3, axis=-1)
        elif link.variable is not None:
            motor = link.motor_inertia * qdd[..., link.variable]
            magnitudes[..., link.variable] = abs(link.angular) * moment + abs(link.linear) * force + np.abs(motor)
        if link.parent is not None:
            parent_force, parent_moment = wrenches[link.parent]
            wrenches[link.parent] = parent_force + force, parent_moment + moment + _length(link.before) * force
    return magnitudes


def _moments(inertial: CentralInertia | OriginInertia) -> tuple[float, float, float]:
    """Mass, first moment and inertia about the link frame's origin, as magnitudes."""
    mass, inertia = abs(float(inertial.mass)), float(np.linalg.norm(symmetric(inertial.inertia)))
    if isinstance(inertial, OriginInertia):
        return mass, float(np.linalg.norm(vector(inertial.first_moment))), inertia
    distance = float(np.linalg.norm(vector(inertial.com)))
    return mass, mass * distance, inertia + mass * distance**2


def _norms(vectors: Array) -> Array:
    norms: Array = np.linalg.norm(vectors, axis=-1)
    return norms


def _length(transform: Array) -> float:
    return float(np.linalg.norm(transform[:3, 3]))


def _joint_length(link: NumericLink, q: Array) -> Array:
    """Distance from the frame in front of the joint to the link frame."""
    length: Array = np.abs(link.linear * joint_position(link, q)) + _length(link.after)
    return length
