"""Coordinates: results of recursions for the joints of bodies -> results for the entries of v.

A joint about or along an axis has one entry, a floating one has six: forces along the axes of its body, then moments. A mimic
joint follows an entry that belongs to another joint. Its ratio is in its body's `angular` and `linear`, so that every joint
simply moves by the entry that it follows: v_joints = G v with zeros and ones in G. By virtual work tau = G^T tau_joints and
M = G^T M_joints G: results for joints are summed for the entries that they follow.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeVar

from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording.formula import Number, Quantity
from dynagen.robot.model.model import Body, RobotModel

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class JointScrew:
    """A motion that a joint leaves free, at a unit velocity: rotation about and translation along an axis of its body."""

    along: int
    angular: Number
    linear: Number


def list_screws(body: Body) -> tuple[JointScrew, ...]:
    """Return the screws of a body's joint, one for each entry: along z, or, of a floating one, along and about all axes."""
    if not body.is_free:
        return (JointScrew(2, body.angular, body.linear),)
    return tuple(
        JointScrew(axis, *velocities) for velocities in ((0, 1), (1, 0)) for axis in range(3)
    )


def number_entries(model: RobotModel) -> tuple[range, ...]:
    """Return for every body the numbers, from 1, that the entries of its joint have if every joint has entries of its own."""
    ends = list(accumulate((len(body.joint.type.rotates) for body in model.bodies), initial=1))
    return tuple(range(first, end) for first, end in pairwise(ends))


def sum_forces(
    recording: Recording, joint_forces: Iterable[tuple[Quantity, ...]]
) -> tuple[Quantity, ...]:
    """Record the forces of entries of v from those of the bodies' joints, one for each entry; columns of matrices also."""
    forces: dict[int, Quantity] = {}
    for body, of_joint in zip(recording.model.bodies, joint_forces, strict=True):
        for entry, force in zip(body.entries, of_joint, strict=True):
            _add(forces, entry, force)
    return tuple(forces[index] for index in range(recording.model.nv))


def sum_matrix(recording: Recording, joint_matrix: JointMatrix) -> JointMatrix:
    """Record a matrix over entries of v, from one over the numbers of `number_entries`."""
    entry = {
        number: entry
        for body in recording.bodies
        for number, entry in zip(body.numbers, body.entries, strict=True)
    }
    entries: dict[tuple[int, int], Quantity] = {}
    for (row, column), value in joint_matrix.items():
        _add(entries, (entry[row], entry[column]), value)
    return entries


def _add(sums: dict[K, Quantity], place: K, quantity: Quantity) -> None:
    sums[place] = sums[place] + quantity if place in sums else quantity
