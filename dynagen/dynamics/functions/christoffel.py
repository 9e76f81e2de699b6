"""Christoffel symbols of the first kind: the coefficients D of Coriolis and centrifugal forces.

D has the shape (n, n, n) for n joint velocities qd. The Coriolis matrix C is linear in qd: C_ij is
the sum over k of D_ijk qd_k. Therefore D_ijk is the entry C_ij of the Coriolis matrix for qd_k = 1
and zero other velocities. D is symmetric in j and k if the robot has no floating base and no
spherical joint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.recording import JointMatrix, Recording
from dynagen.dynamics.arguments import INERTIA_UNITS, find_rotating_entries, make_joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.mass_matrix import CORIOLIS_MATRIX, record_coriolis
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel


def _outputs(model: RobotModel) -> tuple[Argument, ...]:
    rotates = find_rotating_entries(model)
    units = tuple(
        INERTIA_UNITS[row + column] + ("/rad" if by else "/m")
        for row in rotates
        for column in rotates
        for by in rotates
    )
    meaning = "coefficients of the Coriolis matrix: C_ij is the sum over k of D_ijk qd_k"
    return (Argument("D", (len(rotates),) * 3, units, meaning),)


def _record(recording: Recording) -> Results:
    entries, zero = range(recording.model.nv), recording.add_constant(0)
    matrices: list[JointMatrix] = []
    with recording.recorder.memoise(), recording.recorder.suppress_names():
        for moving in entries:
            units = tuple(recording.add_constant(int(moving == entry)) for entry in entries)
            matrices.append(record_coriolis(recording, units))

    def find(row: int, column: int, by: int) -> Any:
        # Symmetric coefficients are equal; the one at the velocity of the outer joint costs less.
        if not recording.model.has_turning_axes and by < column:
            column, by = by, column
        return matrices[by].get((row, column), zero)

    return ([find(row, column, by) for row in entries for column in entries for by in entries],)


def _stack(compute: Any, reference: Any, q: Any) -> tuple[Any]:
    rest = reference.make_rest(q)
    matrices = [compute(reference, q, rest + unit)[0] for unit in reference.units]
    return (np.stack(matrices, axis=-1),)


CHRISTOFFEL = DynamicsFunction(
    name="christoffel",
    formula="D = D(q), C_ij = sum over k of D_ijk qd_k",
    inputs=make_joint_motion("q"),
    outputs=_outputs,
    methods={"": _record},
    expected_results=ExpectedResults(
        lambda reference, q: _stack(CORIOLIS_MATRIX.expected_results.outputs, reference, q),
        magnitudes=lambda reference, q: _stack(
            CORIOLIS_MATRIX.expected_results.compute_scales, reference, q
        ),
    ),
    availability=Availability(on_request=True),
)
