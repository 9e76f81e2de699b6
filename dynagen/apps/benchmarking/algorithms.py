"""Timed functions and the algorithms of Pinocchio that compute them.

Pinocchio is timed as compiled C++ and as code that CasADi generates from its symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Algorithm:
    """A function that every tool of C or C++ has.

    Attributes:
        name: of the function.
        request: what is generated for it.
        inputs: of the state, in order.
        header: of Pinocchio, without folder and suffix.
        algorithm: a call in C++.
        results: where its results are then, in C++, in the order of ours.
    """

    name: str
    request: str
    inputs: tuple[str, ...]
    header: str
    algorithm: str
    results: tuple[str, ...]


def _algorithm(
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
        _algorithm("inverse_dynamics", "q qd qdd", "rnea", "rnea", "data.tau"),
        _algorithm("gravity_forces", "q", "rnea", "computeGeneralizedGravity", "data.g"),
        _algorithm("bias_forces", "q qd", "rnea", "nonLinearEffects", "data.nle"),
        _algorithm("mass_matrix", "q", "crba", "crba", "symmetric(data.M)"),
        _algorithm("forward_dynamics", "q qd tau", "aba", "aba", "data.ddq"),
        _algorithm(
            "inverse_dynamics_derivatives",
            "q qd qdd",
            "rnea-derivatives",
            "computeRNEADerivatives",
            *("data.dtau_dq", "data.dtau_dv", "symmetric(data.M)"),
            request="inverse_dynamics_derivatives+mass_matrix",  # which Pinocchio makes on the way
        ),
        _algorithm(
            "forward_dynamics_derivatives",
            "q qd tau",
            "aba-derivatives",
            "computeABADerivatives",
            *("data.ddq_dq", "data.ddq_dv", "symmetric(data.Minv)"),
        ),
        _algorithm(
            "regressor",
            "q qd qdd",
            "regressor",
            "computeJointTorqueRegressor",
            "data.jointTorqueRegressor",
        ),
    )
}
"""By name; the first five are those that every tool has, from Python too."""
