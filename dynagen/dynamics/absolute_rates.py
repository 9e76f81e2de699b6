"""Absolute rates: those of parallel revolute joints in a row are added up, q -> y, so that each is a body's own turn.

With qd = T yd, M qdd = b becomes (T^T M T) ydd = T^T b. Entries of T^T M T are simpler than those of M: what the joints of a
plane feel alike is in one of them only. The tree's zeros stay, as the joints of a row are on one branch.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from dynagen.dynamics.composite import JointMatrix
from dynagen.dynamics.formula import formula
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.robot.model import BASE, RobotModel


@formula
def less_the_next(value: Expr, of_next: Expr) -> Expr:
    """What a joint has beyond the parallel one that it carries, or that carries it."""
    return value - of_next


def matrix_in_absolute_rates(recorder: Recorder, model: RobotModel, matrix: JointMatrix) -> JointMatrix:
    """Record T^T M T of a matrix over pairs of joints."""
    rows = [list(row) for row in matrix]
    for joint, carrier in _parallel_pairs(model):
        for row in rows:
            _subtract(recorder, row, carrier, joint)
    columns = [list(column) for column in zip(*rows, strict=True)]
    for joint, carrier in _parallel_pairs(model):
        for column in columns:
            _subtract(recorder, column, carrier, joint)
    return tuple(zip(*columns, strict=True))


def forces_in_absolute_rates(recorder: Recorder, model: RobotModel, forces: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Record T^T b, one scalar a joint."""
    result: list[Quantity | None] = list(forces)
    for joint, carrier in _parallel_pairs(model):
        _subtract(recorder, result, carrier, joint)
    return tuple(force for force in result if force is not None)


def accelerations_of_joints(recorder: Recorder, model: RobotModel, absolute: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Record qdd = T ydd."""
    result = list(absolute)
    for joint, carrier in _parallel_pairs(model):
        result[joint] = recorder.apply(less_the_next, absolute[joint], absolute[carrier])
    return tuple(result)


def _parallel_pairs(model: RobotModel) -> list[tuple[int, int]]:
    """A revolute joint and the parallel one that carries it, from the base to the tips."""
    return [
        (joint, body.parent)
        for joint, body in enumerate(model.bodies)
        if body.parent != BASE
        and body.placement.is_parallel
        and body.joint.angular
        and model.bodies[body.parent].joint.angular
    ]


def _subtract(recorder: Recorder, entries: list[Quantity | None], place: int, other: int) -> None:
    value, subtracted = entries[place], entries[other]
    if value is not None and subtracted is not None:
        entries[place] = recorder.apply(less_the_next, value, subtracted)
