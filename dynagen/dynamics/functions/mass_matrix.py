"""Mass matrix: from the momenta of composite bodies, one column a joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.composite import record_mass_matrix
from dynagen.dynamics.algorithms.joint_matrix import flatten
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import inertia_matrix, joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results


def _record(recording: Recording) -> Results:
    return (flatten(recording, record_mass_matrix(recording)),)


def _expected(reference: Any, q: Any) -> tuple[Any]:
    """Column j is what a unit acceleration of joint j alone needs at rest (Walker and Orin 1982, method 1)."""
    rest = reference.rest(q)
    columns = [
        reference.inverse_dynamics(q, rest, unit + rest, gravity=False) for unit in reference.units
    ]
    return (np.stack(columns, axis=-1),)


MASS_MATRIX = DynamicsFunction(
    name="mass_matrix",
    formula="M = M(q)",
    inputs=joint_motion("q"),
    outputs=inertia_matrix("M", "", "mass matrix, motor inertias included; symmetric"),
    methods={"": _record},
    oracle=Oracle(_expected),
)
