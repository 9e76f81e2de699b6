"""Table of the functions that the benchmark times, with Pinocchio's algorithm for each.

Pinocchio's algorithms are timed in C++, and in C that CasADi generates from Pinocchio.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

NV = 0
"""Placeholder in `Algorithm.shape` for the number of joint velocities."""


@dataclass(frozen=True)
class Algorithm:
    """Timed function, which every tool in C and C++ computes.

    Attributes:
        name: name of the function in reports.
        request: name of the function for which dynagen generates code.
        inputs: names of the inputs in order, such as q, qd and tau.
        header: name of Pinocchio's C++ header with the algorithm, such as `rnea`.
        algorithm: C++ code that calls Pinocchio's algorithm.
        results: C++ expressions of the results after the call, in the order of dynagen's results.
        shape: shape of every result, with NV for the number of joint velocities.
    """

    name: str
    request: str
    inputs: tuple[str, ...]
    header: str
    algorithm: str
    results: tuple[str, ...]
    shape: tuple[int, ...]

    def count_elements(self, nv: int) -> int:
        """Return the total number of entries of all results for `nv` joint velocities."""
        return len(self.results) * prod(nv if axis == NV else axis for axis in self.shape)


def _make_algorithm(
    name: str,
    inputs: str,
    header: str,
    function: str,
    *results: str,
    request: str = "",
    shape: tuple[int, ...] = (NV,),
) -> Algorithm:
    taken = tuple(inputs.split())
    arguments = ", ".join(
        ["model", "data", *({"q": "q", "qd": "v"}.get(each, "u") for each in taken)]
    )
    call = f"{function}({arguments})"
    return Algorithm(name, request or name, taken, header, call, results, shape)


ALGORITHMS: Mapping[str, Algorithm] = {
    each.name: each
    for each in (
        _make_algorithm("inverse_dynamics", "q qd qdd", "rnea", "rnea", "data.tau"),
        _make_algorithm("gravity_forces", "q", "rnea", "computeGeneralizedGravity", "data.g"),
        _make_algorithm("bias_forces", "q qd", "rnea", "nonLinearEffects", "data.nle"),
        _make_algorithm("mass_matrix", "q", "crba", "crba", "symmetric(data.M)", shape=(NV, NV)),
        _make_algorithm("forward_dynamics", "q qd tau", "aba", "aba", "data.ddq"),
        _make_algorithm(
            "inverse_dynamics_derivatives",
            "q qd qdd",
            "rnea-derivatives",
            "computeRNEADerivatives",
            *("data.dtau_dq", "data.dtau_dv", "symmetric(data.M)"),
            # Pinocchio's algorithm computes the mass matrix too.
            request="inverse_dynamics_derivatives+mass_matrix",
            shape=(NV, NV),
        ),
        _make_algorithm(
            "forward_dynamics_derivatives",
            "q qd tau",
            "aba-derivatives",
            "computeABADerivatives",
            *("data.ddq_dq", "data.ddq_dv", "symmetric(data.Minv)"),
            shape=(NV, NV),
        ),
        _make_algorithm(
            "regressor",
            "q qd qdd",
            "regressor",
            "computeJointTorqueRegressor",
            "data.jointTorqueRegressor",
        ),
        _make_algorithm(
            "mass_matrix_inverse",
            "q",
            "aba",
            "computeMinverse",
            "symmetric(data.Minv)",
            shape=(NV, NV),
        ),
        _make_algorithm(
            "kinetic_energy",
            "q qd",
            "energy",
            "computeKineticEnergy",
            "scalar(data.kinetic_energy)",
            shape=(),
        ),
        _make_algorithm(
            "potential_energy",
            "q",
            "energy",
            "computePotentialEnergy",
            "scalar(data.potential_energy)",
            shape=(),
        ),
        _make_algorithm(
            "centroidal_momentum_matrix",
            "q",
            "centroidal",
            "computeCentroidalMap",
            "data.Ag",
            shape=(6, NV),
        ),
        _make_algorithm(
            "centroidal_momentum_matrix_dot_qd",
            "q qd",
            "centroidal",
            "computeCentroidalMapTimeVariation",
            # The timed call leaves the matrix; its product is what ours computes.
            "data.dAg * v",
            shape=(6,),
        ),
    )
}
"""Timed functions by name. Tools that are called from Python compute only the first five."""
