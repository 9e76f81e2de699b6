"""The contender that anybody writes first: Newton-Euler in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dynagen.apps.benchmarking.contender import ONE_STATE, Contender, one_by_one
from dynagen.apps.benchmarking.states import COMPARED, BenchStates
from dynagen.apps.crosscheck.opinion import accelerations
from dynagen.verification.kinematics import Array
from dynagen.verification.reference import Reference, references

ALL_STATES = "all states in a call"
_TOOL = "numpy"


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
        columns = [
            self.reference.joint_forces(np.zeros(3), q, np.zeros(n), unit) for unit in np.eye(n)
        ]
        return np.stack(columns, axis=-1)

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        return accelerations(self.mass_matrix(q), tau - self.bias_forces(q, qd))


def numpy_loops(states: BenchStates) -> dict[str, list[Contender]]:
    """By function: all states in one call, with an axis over states in every array, and a call a state."""
    numpy = _Numpy(references(states.robot)[0])
    methods = (
        numpy.inverse_dynamics,
        numpy.gravity_forces,
        numpy.bias_forces,
        numpy.mass_matrix,
        numpy.forward_dynamics,
    )
    contenders = {}
    for method in methods:
        arrays = states.inputs(method.__name__)
        contenders[method.__name__] = [
            _at_once(method, arrays),
            one_by_one(_TOOL, method, np.asarray, arrays, ONE_STATE),
        ]
    return contenders


def _at_once(method: Callable[..., Array], arrays: list[Array]) -> Contender:
    def results() -> Array:
        found = method(*(each[:COMPARED] for each in arrays))
        return found.reshape(len(found), -1)

    return Contender(_TOOL, ALL_STATES, "", lambda _: method(*arrays), results, is_one_call=True)
