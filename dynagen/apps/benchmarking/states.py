"""States on which the programs of all tools run, and the expected results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.crosscheck.reference import ReferenceModel
from dynagen.dynamics.requests import find_functions
from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.model.model import build_model
from dynagen.verification.kinematics import NumericLink, make_numeric_links
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states

STATE = ("q", "qd", "qdd", "tau")
COMPARED = 30
"""The results of the first COMPARED states are compared between the tools."""


@dataclass(frozen=True)
class BenchStates:
    """Robot in a form that all tools support, and the states on which its functions are timed.

    Attributes:
        robot: description of the robot without motor inertias.
        values: arrays of q, qd, qdd and tau in SI units, with a row for each state.
    """

    robot: RobotDescription
    values: Mapping[str, Array]

    @classmethod
    def sample(cls, robot: RobotDescription, count: int) -> BenchStates:
        """Sample states for a robot: uniformly distributed states, then special poses.

        Special poses come last, because slow programs run on the first states only.

        Args:
            robot: robot whose properties all tools support.
            count: number of states. At least COMPARED states are sampled, since the results of that
                many states are compared.
        """
        sampled = sample_states(robot, STATE, max(count, COMPARED))
        return cls(
            robot,
            {name: np.ascontiguousarray(values[::-1]) for name, values in sampled.inputs.items()},
        )

    @property
    def count(self) -> int:
        """Number of states on which the functions of the robot are timed."""
        return len(self.values["q"])

    def select_inputs(self, function: str) -> list[Array]:
        """Return the inputs of a timed function in SI units, with a row for each state."""
        return [self.values[name] for name in ALGORITHMS[function].inputs]

    def compute_expected(self, function: str) -> Array:
        """Compute a timed function by the numeric reference for the first COMPARED states.

        The returned array contains the entries of all results, with a row for each compared state.
        For the regressor, the result is the joint forces (regressor times parameters), because the
        regressor's columns differ between tools.
        """
        inputs = [values[:COMPARED] for values in self.select_inputs(function)]
        if function == "regressor":
            return ReferenceModel(self.robot).functions["inverse_dynamics"](*inputs)
        (found,) = find_functions((ALGORITHMS[function].request,), build_model(self.robot))
        return flatten_results(
            found.expected_results.outputs(make_references(self.robot)[0], *inputs)[
                : _count_results(function)
            ]
        )

    def adapt_results(
        self, function: str, results: Callable[[], tuple[Array, ...]]
    ) -> Callable[[], Array]:
        """Return a function that arranges dynagen's results as one row for each compared state.

        Args:
            function: name of the timed function.
            results: function that returns the results of the generated function. The first axis of
                each returned array is over states. Status codes after the results are ignored.
        """

        def found() -> Array:
            values = results()[: _count_results(function)]
            return flatten_results(
                (values[0] @ self.parameters,) if function == "regressor" else values
            )

        return lambda: found()[:COMPARED]

    @cached_property
    def parameters(self) -> Array:
        """Value of the inertial parameter of each column of the regressor, in SI units."""
        return np.concatenate([_list_parameters(link) for link in make_numeric_links(self.robot)])

    @cached_property
    def condition(self) -> float:
        """Largest condition number (2-norm) of the mass matrix in the first `COMPARED` states."""
        return float(
            np.linalg.cond(
                ReferenceModel(self.robot).functions["mass_matrix"](self.values["q"][:COMPARED])
            ).max()
        )


def flatten_results(results: tuple[Array, ...]) -> Array:
    """Return the entries of all results in order, with a row for each state.

    Args:
        results: arrays of shape (states, ...).
    """
    return np.concatenate(
        [np.asarray(each, np.float64).reshape(len(each), -1) for each in results], axis=1
    )


def _count_results(function: str) -> int:
    """Return the number of arrays that a timed function returns, without status codes."""
    return len(ALGORITHMS[function].results)


def _list_parameters(link: NumericLink) -> Array:
    """Return the values of a link's standard parameters in the order of the regressor's columns.

    The ten inertial parameters are followed by a motor inertia of 0 if the link has a joint axis.
    """
    body = InertialParameters.convert(link.inertial)
    motor = [0.0] * link.has_axis
    return np.array(
        [float(body.mass), *map(float, body.first_moment), *map(float, body.inertia), *motor]
    )
