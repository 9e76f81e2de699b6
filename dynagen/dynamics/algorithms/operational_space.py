"""Inertia of a robot at a frame: the matrix J M^-1 J^T, its inverse Lambda, and the bias force.

A wrench F at the frame and the acceleration a of the frame are related by F = Lambda a + mu, with
the 6 x 6 inertia Lambda and the bias force mu. F corresponds to the joint forces J^T F, with the
Jacobian J of the frame (Khatib, "A Unified Approach for Motion and Force Control of Robot
Manipulators: the Operational Space Formulation", IEEE Journal on Robotics and Automation 3(1),
1987).

M is the mass matrix. With the factors M = L^T D L of `factorisation` and X = L^-T J^T, the matrix J
M^-1 J^T is X^T D^-1 X. Therefore J M^-1 J^T requires one sweep over six right-hand sides, the rows
of J, and M is not inverted. The bias forces of the joints are a seventh right-hand side. For
parallel joints, M and J are written for absolute velocities (`mass_matrix`), with which more
entries of J are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from dynagen.dynamics.algorithms.factorisation import eliminate
from dynagen.dynamics.algorithms.frame_motion import record_acceleration
from dynagen.dynamics.algorithms.inverse_mass_matrix import invert, list_entry_names
from dynagen.dynamics.algorithms.kinematics import record_jacobian
from dynagen.dynamics.algorithms.mass_matrix import (
    find_parallel_pairs,
    record_mass_matrix,
    transform_forces,
    transform_matrix,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, join
from dynagen.robot.model.model import AttachedFrame

_ROWS = 6


def record_inverse_inertia(
    recording: Recording, frame: AttachedFrame, forces: Sequence[Quantity] = ()
) -> tuple[dict[tuple[int, int], Quantity], list[Quantity]]:
    """Record the inverse inertia J M^-1 J^T at a frame, and the accelerations J M^-1 h.

    J is the 6 x n Jacobian of the frame, linear rows first, in base axes. M is the mass matrix.

    Args:
        recording: program under construction, with the robot model and its bodies.
        frame: the frame at which the inertia is recorded.
        forces: joint forces h (N m or N), one scalar for every joint velocity; empty if J M^-1 h is
            not required.

    Returns:
        The 6 x 6 entries of J M^-1 J^T by (row, column), and the six entries of J M^-1 h (empty
        without `forces`).
    """
    nv = recording.model.nv
    jacobian = record_jacobian(recording, frame, in_frame_axes=False, two_axes=False)
    pairs = find_parallel_pairs(recording.model)
    matrix = transform_matrix(pairs, record_mass_matrix(recording))
    # For each entry of v, a row of J^T and the bias force: seven right-hand sides.
    columns = {
        entry: join(
            (*(jacobian[row * nv + entry] for row in range(_ROWS)), *forces[entry : entry + 1])
        )
        for entry in range(nv)
    }
    sides = transform_forces(pairs, columns)
    names = dict(enumerate(list_entry_names(recording)))
    elimination = eliminate(recording.recorder, names, matrix, sides)
    recording.begin_section("Motion of the frame per unit wrench")

    # X^T D^-1 X: `swept` contains the rows of X = L^-T J^T, `scaled` the rows of D^-1 X.
    def multiply(row: int, column: int) -> Quantity:
        sums = ((elimination.swept[each], elimination.scaled[each]) for each in names)
        return reduce(add, (swept[row] * scaled[column] for swept, scaled in sums))

    entries: dict[tuple[int, int], Quantity] = {}
    for row in range(_ROWS):
        for column in range(row + 1):
            entries[row, column] = entries[column, row] = multiply(row, column)
    return entries, [multiply(row, _ROWS) for row in range(_ROWS) if forces]


def record_inertia(
    recording: Recording, frame: AttachedFrame, forces: Sequence[Quantity]
) -> tuple[list[Quantity], list[Quantity]]:
    """Record the inertia Lambda = (J M^-1 J^T)^-1 and the bias force mu at a frame.

    The bias force is mu = Lambda (J M^-1 h - dJ/dt qd), with the bias forces h of the joints. J is
    the Jacobian of the frame in base axes, linear rows first, and M is the mass matrix. In singular
    poses the results are very large or not finite.

    Args:
        recording: program under construction, with the robot model and its bodies.
        frame: the frame at which the inertia is recorded.
        forces: bias forces h (N m or N), one scalar for every joint velocity.

    Returns:
        The 6 x 6 entries of Lambda, row-major, and the six entries of mu: force (N), then moment (N
        m), in base axes.
    """
    inverse, free = record_inverse_inertia(recording, frame, forces)
    drift = record_acceleration(recording, frame)
    recording.begin_section("Inertia at the frame")
    with recording.recorder.suppress_names():
        rows = dict.fromkeys(range(_ROWS), "")
        elimination = eliminate(recording.recorder, rows, inverse, title="Inertia")
    inertia = invert(recording, elimination)
    accelerations = [
        one - other for one, other in zip(free, (*drift.linear, *drift.angular), strict=True)
    ]
    # mu = Lambda (J M^-1 h - dJ/dt qd), in base axes like J (Khatib 1987).
    bias = [
        reduce(add, (inertia[row, column] * accelerations[column] for column in rows))
        for row in rows
    ]
    return [inertia[row, column] for row in rows for column in rows], bias
