"""Estimates of the cost of candidates (formulations), without passes over whole programs."""

from __future__ import annotations

from dynagen.dynamics.candidate import Candidate
from dynagen.dynamics.function import DynamicsFunction
from dynagen.ir.cost import Cost, CostModel, compute_cost
from dynagen.optimizer.passes.manager import SimplifyingBuilder
from dynagen.optimizer.specialisation import SpecialisingRecorder
from dynagen.robot.model.model import RobotModel


class CandidateEstimator:
    """Estimates of the cost of one function by one method, for many candidates (formulations).

    Operations that several candidates have in common are recorded only once.
    """

    def __init__(
        self, function: DynamicsFunction, method: str, model: RobotModel, cost: CostModel
    ) -> None:
        """Prepare the estimates for one function and method.

        Args:
            function: the function.
            method: name of one of the function's methods.
            model: model of the robot, from which the run-time parameters are read.
            cost: cost model with the price of each operation.
        """
        self._function, self._method, self._cost = function, method, cost
        self._builder = SimplifyingBuilder()
        # Equal calls of a formula, in any candidate, are recorded once.
        parameters = [parameter.name for parameter in model.parameters]
        self._recorder = SpecialisingRecorder(self._builder, parameters, memoises=True)
        self._results: dict[Candidate, tuple[int, ...]] = {}

    def estimate(self, candidate: Candidate) -> Cost:
        """Return the estimated cost of the function for a candidate.

        The estimate includes savings by rules for single operations, such as 0 * x = 0.
        """
        return self._builder.compute_cost(self._record(candidate), self._cost)

    def estimate_closely(self, candidate: Candidate) -> Cost:
        """Return a more precise estimate of the cost of the function for a candidate, more slowly.

        In addition to the savings of `estimate`, terms of sums are collected, and products that
        occur twice are computed once.
        """
        return compute_cost(self._builder.collect(self._record(candidate)), self._cost)

    def _record(self, candidate: Candidate) -> tuple[int, ...]:
        """Record the function for a candidate once; return the positions of its results."""
        if candidate not in self._results:
            results = self._function.record_into(self._recorder, candidate, self._method)
            values = (
                value
                for quantities in results
                for quantity in quantities
                for value in quantity.values
            )
            self._results[candidate] = tuple(values)
        return self._results[candidate]
