"""A function and a robot -> the formulation to record it under, with one of three efforts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from dynagen.dynamics.formulation import Formulation, default_formulation
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.recorder import CountingRecorder
from dynagen.errors import UsageError
from dynagen.ir.cost import FLOPS, CostModel, Price
from dynagen.optimize.formulations import DEFAULT_BUDGET, Optimum, find_formulation, usual_formulation
from dynagen.passes.simplifier import SimplifyingBuilder
from dynagen.robot.model import RobotModel
from dynagen.robot.regrouping import has_known_geometry

OPTIMIZE = ("none", "default", "max")
"""None takes the robot as described, default the best of a handful of formulations, max searches."""


@dataclass(frozen=True)
class Effort:
    """How to choose.

    Attributes:
        optimize: one of `OPTIMIZE`.
        cost: what makes one program better than another.
        budget: most programs that a search looks at, for one function and method.

    Raises:
        UsageError: there is no such effort, or nothing to spend.
    """

    optimize: str = OPTIMIZE[1]
    cost: CostModel = FLOPS
    budget: int = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        if self.optimize not in OPTIMIZE:
            raise UsageError(f"unknown effort {self.optimize!r}: expected one of {', '.join(OPTIMIZE)}")
        if self.budget < 1:
            raise UsageError(f"the budget of a search has to be 1 program at least, not {self.budget}")


def choose_formulation(
    definition: DynamicsFunction,
    method: str,
    model: RobotModel,
    effort: Effort,
    progress: Callable[[float], None] = lambda done: None,
) -> Optimum:
    """Choose by counting what comes out.

    With run-time parameters in its geometry the robot is taken as described: what joints do not feel depends on the geometry.

    Args:
        definition: the function.
        method: one of its methods.
        model: the robot.
        effort: how to choose.
        progress: is told how much of the budget a search has spent, from 0 to 1.
    """
    if effort.optimize == "none" or definition.as_described or not has_known_geometry(model):
        return Optimum(model, default_formulation(model), 0)
    builder = SimplifyingBuilder()
    recorder = CountingRecorder(builder, [parameter.name for parameter in model.parameters])

    def cost(candidate: RobotModel, formulation: Formulation) -> Price:
        results = definition.record_into(recorder, candidate, formulation, method)
        values = (value for quantities in results for quantity in quantities for value in quantity.values)
        return builder.price(values, effort.cost)

    if effort.optimize == "default":
        return usual_formulation(model, cost)
    asked = count()

    def watched_cost(candidate: RobotModel, formulation: Formulation) -> Price:
        progress(next(asked) / effort.budget)
        return cost(candidate, formulation)

    return find_formulation(model, watched_cost, effort.budget)
