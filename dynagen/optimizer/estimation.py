"""Estimates of the cost of candidates (formulations), without passes over whole programs."""

from __future__ import annotations

from functools import cache, partial

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
        self._function, self._method = function, method
        self._builder = SimplifyingBuilder()
        # Equal calls of a formula, in any candidate, are recorded once.
        parameters = [parameter.name for parameter in model.parameters]
        self._recorder = SpecialisingRecorder(self._builder, parameters, memoises=True)
        # Candidates with the same results, often of functions without inertia, cost the same.
        self._record = cache(self._record_anew)
        self._compute_cost = cache(partial(self._builder.compute_cost, model=cost))
        self._compute_close_cost = cache(
            lambda results: compute_cost(self._builder.collect(results), cost)
        )

    def estimate(self, candidate: Candidate) -> Cost:
        """Return the estimated cost of the function for a candidate.

        The estimate includes savings by rules for single operations, such as 0 * x = 0.
        """
        return self._compute_cost(self._record(candidate))

    def estimate_closely(self, candidate: Candidate) -> Cost:
        """Return a more precise estimate of the cost of the function for a candidate, more slowly.

        In addition to the savings of `estimate`, terms of sums are collected, and products that
        occur twice are computed once.
        """
        return self._compute_close_cost(self._record(candidate))

    def _record_anew(self, candidate: Candidate) -> tuple[int, ...]:
        """Record the function for a candidate; return the positions of its results."""
        results = self._function.record_into(self._recorder, candidate, self._method)
        return tuple(
            value for quantities in results for quantity in quantities for value in quantity.values
        )
