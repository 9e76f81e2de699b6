"""States of all contenders, and the reference for their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.crosscheck.reference import ReferenceModel
from dynagen.dynamics.requests import find_functions
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import InertialParameters, build_model
from dynagen.verification.kinematics import Array, NumericLink, numeric_links
from dynagen.verification.reference import references
from dynagen.verification.sampling import sample_states

STATE = ("q", "qd", "qdd", "tau")
COMPARED = 30
"""States, the first ones."""


@dataclass(frozen=True)
class BenchStates:
    """A robot as every tool can know it, and its states.

    Attributes:
        robot: without motors.
        values: of q, qd, qdd and tau, each of shape (states, n).
    """

    robot: RobotDescription
    values: Mapping[str, Array]

    @classmethod
    def sample(cls, robot: RobotDescription, count: int) -> BenchStates:
        """Ordinary states first, which slow calls get alone; special poses come last."""
        sampled = sample_states(robot, STATE, max(count, COMPARED))
        return cls(
            robot,
            {name: np.ascontiguousarray(values[::-1]) for name, values in sampled.inputs.items()},
        )

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.values["q"])

    def inputs(self, function: str) -> list[Array]:
        """What a function takes."""
        return [self.values[name] for name in ALGORITHMS[function].inputs]

    def expected(self, function: str) -> Array:
        """Compute the results of the numeric reference for the compared states.

        The shape is (COMPARED, all elements of a state).

        Of a regressor these are the joint forces, its product with the parameters.
        """
        inputs = [values[:COMPARED] for values in self.inputs(function)]
        if function == "regressor":
            return ReferenceModel(self.robot).functions["inverse_dynamics"](*inputs)
        (found,) = find_functions((ALGORITHMS[function].request,), build_model(self.robot))
        return flattened(
            found.oracle.expected(references(self.robot)[0], *inputs)[: _results(function)]
        )

    def of_ours(
        self, function: str, results: Callable[[], tuple[Array, ...]]
    ) -> Callable[[], Array]:
        """What a generated function gives, as the reference gives it; statuses are left out."""

        def found() -> Array:
            values = results()[: _results(function)]
            return flattened((values[0] @ self.parameters,) if function == "regressor" else values)

        return lambda: found()[:COMPARED]

    @cached_property
    def parameters(self) -> Array:
        """The values that the columns of our regressor stand for."""
        return np.concatenate([_parameters(link) for link in numeric_links(self.robot)])

    @cached_property
    def condition(self) -> float:
        """The worst of the mass matrix: what solving with it multiplies rounding by."""
        return float(
            np.linalg.cond(
                ReferenceModel(self.robot).functions["mass_matrix"](self.values["q"][:COMPARED])
            ).max()
        )


def flattened(results: tuple[Array, ...]) -> Array:
    """Results of a state one behind the other."""
    return np.concatenate(
        [np.asarray(each, np.float64).reshape(len(each), -1) for each in results], axis=1
    )


def _results(function: str) -> int:
    return len(ALGORITHMS[function].results)


def _parameters(link: NumericLink) -> Array:
    body = InertialParameters.of(link.inertial)
    motor = [0.0] * link.has_axis
    return np.array(
        [float(body.mass), *map(float, body.first_moment), *map(float, body.inertia), *motor]
    )
