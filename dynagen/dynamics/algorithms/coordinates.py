"""Coordinates: what recursions give for the joints of bodies -> what it is for the entries of v.

A joint about or along an axis has one entry, a floating one has six: forces along the axes of its body, then moments. A mimic
joint follows an entry that belongs to another joint. Its ratio is in its body's `angular` and `linear`, so that every joint
simply moves by the entry that it follows: v_joints = G v with zeros and ones in G. By virtual work tau = G^T tau_joints and
M = G^T M_joints G: what is given for joints is summed for the entries that they follow.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeVar

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import sum_of
from dynagen.dynamics.algorithms.frames import joint_constants
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.robot.model.model import Body, RobotModel

K = TypeVar("K", bound=Hashable)


@formula
def along_joint(angular: Expr, moment: Matrix, linear: Expr, force: Matrix) -> Expr:
    """Component of a force and a moment, or of two momenta, along a joint: angular n_z + linear f_z."""
    return angular * moment[2] + linear * force[2]


def project_on_joint(
    recorder: Recorder, body: Body, force: Quantity, moment: Quantity
) -> tuple[Quantity, ...]:
    """Record the components of a force and a moment, or of two momenta, along a body's joint: one for each of its entries."""
    if body.is_free:
        return (*force, *moment)
    angular, linear = joint_constants(recorder, body)
    return (recorder.apply(along_joint, angular, moment, linear, force),)


@dataclass(frozen=True)
class JointScrew:
    """A motion that a joint leaves free, at a unit rate: rotation about and translation along an axis of its body."""

    along: int
    angular: Quantity
    linear: Quantity


def joint_screws(recorder: Recorder, body: Body) -> tuple[JointScrew, ...]:
    """The screws of a body's joint, one for each of its entries: along z, or, of a floating one, along and about all axes."""
    if not body.is_free:
        return (JointScrew(2, *joint_constants(recorder, body)),)
    one, none = recorder.constant(1), recorder.constant(0)
    return tuple(
        JointScrew(axis, *rates) for rates in ((none, one), (one, none)) for axis in range(3)
    )


def entry_numbers(model: RobotModel) -> tuple[range, ...]:
    """For every body the numbers, from 1, that the entries of its joint have if every joint has entries of its own."""
    ends = list(accumulate((len(body.joint.type.rotates) for body in model.bodies), initial=1))
    return tuple(range(first, end) for first, end in pairwise(ends))


def sum_forces(
    recorder: Recorder, model: RobotModel, of_bodies: Iterable[tuple[Quantity, ...]]
) -> tuple[Quantity, ...]:
    """Forces of entries of v, from those of the bodies' joints, one for each of its entries; columns of matrices likewise."""
    forces: dict[int, Quantity] = {}
    for body, its_forces in zip(model.bodies, of_bodies, strict=True):
        for entry, force in zip(body.entries, its_forces, strict=True):
            _add(recorder, forces, entry, force)
    return tuple(forces[index] for index in range(model.nv))


def sum_matrix(recorder: Recorder, model: RobotModel, of_joints: JointMatrix) -> JointMatrix:
    """A matrix over entries of v, from one over the numbers of `entry_numbers`."""
    joints = zip(model.bodies, entry_numbers(model), strict=True)
    entry = {
        number: entry
        for body, numbers in joints
        for number, entry in zip(numbers, body.entries, strict=True)
    }
    entries: dict[tuple[int, int], Quantity] = {}
    for (row, column), value in of_joints.items():
        _add(recorder, entries, (entry[row], entry[column]), value)
    return entries


def _add(recorder: Recorder, sums: dict[K, Quantity], place: K, quantity: Quantity) -> None:
    sums[place] = recorder.apply(sum_of, sums[place], quantity) if place in sums else quantity
