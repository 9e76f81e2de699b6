"""Inverse of the mass matrix: the joint accelerations per unit of every joint force."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.inverse_mass_matrix import (
    record_inverse_by_bodies,
    record_inverse_by_columns,
    record_inverse_by_rows,
)
from dynagen.dynamics.arguments import find_rotating_entries, make_joint_motion
from dynagen.dynamics.candidate import ARTICULATED
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

INVERSE_UNITS = ("1/kg", "1/(kg m)", "1/(kg m^2)")  # by the number of rotating entries


def _output(model: RobotModel) -> tuple[Argument, ...]:
    rotates = find_rotating_entries(model)
    units = tuple(INVERSE_UNITS[row + column] for row in rotates for column in rotates)
    shape = len(rotates), len(rotates)
    return (Argument("Minv", shape, units, "inverse of the mass matrix; symmetric"),)


def expect_inverse(reference: Any, q: Any) -> tuple[Any]:
    """Return the inverse of the reference's mass matrix in a tuple, shape (states, n, n).

    q are joint positions, shape (states, nq); n is the number of joint velocities.

    Raises:
        LinAlgError: the mass matrix is singular.
    """
    return (np.linalg.inv(*MASS_MATRIX.expected_results.outputs(reference, q)),)


def compute_inverse_magnitudes(reference: Any, q: Any) -> tuple[Any]:
    """Return magnitudes to which the rounding errors of M^-1 are proportional, in a tuple.

    Their shape is (states, n, n), and their value |M^-1| (|M| |M^-1| + 1), where |M| contains, for
    each element of the mass matrix M, the sum of the absolute values of its terms. `reference` is
    the numeric reference, q are joint positions, shape (states, nq), and n is the number of joint
    velocities.
    """
    (inverse,) = expect_inverse(reference, q)
    (terms,) = MASS_MATRIX.expected_results.compute_scales(reference, q)
    inverse = np.abs(inverse)
    return (inverse @ (terms @ inverse + reference.units),)


MASS_MATRIX_INVERSE = DynamicsFunction(
    name="mass_matrix_inverse",
    formula="Minv = M(q)^-1",
    inputs=make_joint_motion("q"),
    outputs=_output,
    methods={
        "columns": lambda recording: (record_inverse_by_columns(recording),),
        "rows": lambda recording: (record_inverse_by_rows(recording),),
        ARTICULATED: lambda recording: (record_inverse_by_bodies(recording),),
    },
    expected_results=ExpectedResults(
        expect_inverse,
        magnitudes=compute_inverse_magnitudes,
        defined=FORWARD_DYNAMICS.expected_results.defined,
        solvable=FORWARD_DYNAMICS.expected_results.solvable,
    ),
    availability=Availability(
        unavailable_because=FORWARD_DYNAMICS.availability.unavailable_because,
        methods_for_free_joints=(ARTICULATED,),
    ),
)
