"""Timed functions, with the algorithms of Pinocchio that compute them.

Pinocchio's algorithms are timed as C++, and as C that CasADi generates from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Algorithm:
    """Timed function, which all tools in C and C++ compute.

    Attributes:
        name: name of the function in reports.
        request: function request for which dynagen generates code.
        inputs: names of the inputs, in order, among q, qd, qdd and tau.
        header: header of Pinocchio, without folder and suffix.
        algorithm: call of Pinocchio's algorithm, in C++.
        results: expressions for its results after the call, in C++, in the order of ours.
    """

    name: str
    request: str
    inputs: tuple[str, ...]
    header: str
    algorithm: str
    results: tuple[str, ...]


def _make_algorithm(
    name: str, inputs: str, header: str, function: str, *results: str, request: str = ""
) -> Algorithm:
    taken = tuple(inputs.split())
    arguments = ", ".join(
        ["model", "data", *({"q": "q", "qd": "v"}.get(each, "u") for each in taken)]
    )
    return Algorithm(name, request or name, taken, header, f"{function}({arguments})", results)


ALGORITHMS: Mapping[str, Algorithm] = {
    each.name: each
    for each in (
        _make_algorithm("inverse_dynamics", "q qd qdd", "rnea", "rnea", "data.tau"),
        _make_algorithm("gravity_forces", "q", "rnea", "computeGeneralizedGravity", "data.g"),
        _make_algorithm("bias_forces", "q qd", "rnea", "nonLinearEffects", "data.nle"),
        _make_algorithm("mass_matrix", "q", "crba", "crba", "symmetric(data.M)"),
        _make_algorithm("forward_dynamics", "q qd tau", "aba", "aba", "data.ddq"),
        _make_algorithm(
            "inverse_dynamics_derivatives",
            "q qd qdd",
            "rnea-derivatives",
            "computeRNEADerivatives",
            *("data.dtau_dq", "data.dtau_dv", "symmetric(data.M)"),
            # Pinocchio's algorithm computes the mass matrix too.
            request="inverse_dynamics_derivatives+mass_matrix",
        ),
        _make_algorithm(
            "forward_dynamics_derivatives",
            "q qd tau",
            "aba-derivatives",
            "computeABADerivatives",
            *("data.ddq_dq", "data.ddq_dv", "symmetric(data.Minv)"),
        ),
        _make_algorithm(
            "regressor",
            "q qd qdd",
            "regressor",
            "computeJointTorqueRegressor",
            "data.jointTorqueRegressor",
        ),
    )
}
"""Timed functions by name. The first five are also timed in tools that are called from Python."""
