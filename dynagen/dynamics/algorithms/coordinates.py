"""Coordinates: what recursions give for the joints of bodies -> what it is for the entries of v.

A mimic joint follows an entry that belongs to another joint. Its ratio is in its body's `angular` and `linear`, so that every
joint simply moves by the entry that it follows: v_joints = G v with zeros and ones in G. By virtual work tau = G^T tau_joints
and M = G^T M_joints G: what is given for joints is summed for the entries that they follow.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from dynagen.dynamics.algorithms.algebra import sum_of
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.model.model import RobotModel

K = TypeVar("K", bound=Hashable)


def sum_forces(recorder: Recorder, model: RobotModel, of_bodies: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Forces of entries of v, from those of the bodies' joints; columns of matrices likewise."""
    forces: dict[int, Quantity] = {}
    for body, force in zip(model.bodies, of_bodies, strict=True):
        _add(recorder, forces, body.joint.idx_v, force)
    return tuple(forces[index] for index in range(model.nv))


def sum_matrix(recorder: Recorder, model: RobotModel, of_bodies: JointMatrix) -> JointMatrix:
    """A matrix over entries of v, from one over the bodies' joints."""
    entries: dict[tuple[int, int], Quantity] = {}
    for (row, column), entry in of_bodies.items():
        _add(recorder, entries, (model.bodies[row].joint.idx_v, model.bodies[column].joint.idx_v), entry)
    return entries


def _add(recorder: Recorder, sums: dict[K, Quantity], place: K, quantity: Quantity) -> None:
    sums[place] = recorder.apply(sum_of, sums[place], quantity) if place in sums else quantity
