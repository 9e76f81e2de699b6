"""A function and a robot -> the formulation to record it under, at one of three levels of effort."""

from __future__ import annotations

from dynagen.dynamics.formulation import Formulation, default_formulation
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.recorder import CountingRecorder
from dynagen.optimize.formulations import Optimum, find_formulation, usual_formulation
from dynagen.passes.simplifier import SimplifyingBuilder
from dynagen.robot.model import RobotModel

OPTIMIZE = ("none", "default", "max")
"""None takes the robot as described, default the best of a handful of formulations, max searches."""


def choose_formulation(definition: DynamicsFunction, method: str, model: RobotModel, optimize: str) -> Optimum:
    """Choose by counting what comes out.

    With run-time parameters the robot is taken as described: a parameter that is zero then changes rounding at most.

    Args:
        definition: the function.
        method: one of its methods.
        model: the robot.
        optimize: one of `OPTIMIZE`.
    """
    if optimize == "none" or model.parameters or definition.as_described:
        return Optimum(model, default_formulation(model), 0)
    builder = SimplifyingBuilder()
    recorder = CountingRecorder(builder)

    def cost(candidate: RobotModel, formulation: Formulation) -> int:
        results = definition.record_into(recorder, candidate, formulation, method)
        return builder.cost(value for quantities in results for quantity in quantities for value in quantity.values)

    return usual_formulation(model, cost) if optimize == "default" else find_formulation(model, cost)
