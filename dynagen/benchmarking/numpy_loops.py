"""The contender that anybody writes first: Newton-Euler in numpy, which is also what all others are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.benchmarking.contender import Contender, all_at_once, one_by_one
from dynagen.benchmarking.ours import FUNCTIONS
from dynagen.description.description import RobotDescription
from dynagen.opinions.opinion import accelerations
from dynagen.verification.kinematics import Array
from dynagen.verification.reference import Reference, references


@dataclass(frozen=True)
class _Numpy:
    """The numeric reference without its memory of what was asked before, which would make repetitions cost nothing."""

    reference: Reference

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array) -> Array:
        return self.reference.joint_forces(self.reference.gravity_vector, q, qd, qdd)

    def gravity_forces(self, q: Array) -> Array:
        return self.bias_forces(q, np.zeros(self.reference.degrees_of_freedom))

    def bias_forces(self, q: Array, qd: Array) -> Array:
        return self.inverse_dynamics(q, qd, np.zeros_like(qd))

    def mass_matrix(self, q: Array) -> Array:
        """Column by column: the forces of unit accelerations."""
        n = self.reference.degrees_of_freedom
        columns = [self.reference.joint_forces(np.zeros(3), q, np.zeros(n), unit) for unit in np.eye(n)]
        return np.stack(columns, axis=-1)

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        return accelerations(self.mass_matrix(q), tau - self.bias_forces(q, qd))


def numpy_contenders(
    description: RobotDescription, functions: Sequence[str], states: Mapping[str, Array]
) -> dict[str, list[Contender]]:
    """By function: all states in one call, with an axis over states in every array, and a call a state."""
    numpy = _Numpy(references(description)[0])
    contenders = {}
    for function in functions:
        arrays, method = [states[name] for name in FUNCTIONS[function]], getattr(numpy, function)
        contenders[function] = [
            all_at_once("numpy, one call for all states", method, arrays),
            one_by_one("numpy, a call a state", method, np.asarray, arrays),
        ]
    return contenders
