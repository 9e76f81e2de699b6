"""A function's program for a robot without loads -> the program with its payload and wrench; zeros change no bit of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from time import perf_counter

from dynagen.dynamics.formulation import Formulation, default_formulation
from dynagen.dynamics.function import DynamicsFunction, Loads
from dynagen.ir.cost import Price, price
from dynagen.ir.count import count
from dynagen.ir.program import Program
from dynagen.optimize.choice import Effort
from dynagen.optimize.formulations import usual_formulations
from dynagen.passes.addition import add_results
from dynagen.passes.manager import PassRecord, run_passes
from dynagen.robot.loads import loads_alone
from dynagen.robot.model import RobotModel


def are_apart(definition: DynamicsFunction, model: RobotModel) -> bool:
    """Whether a robot has loads, and the function is computed without them first."""
    return bool(model.payload or model.external_wrench) and definition.loads is not Loads.INSIDE


def with_loads(
    definition: DynamicsFunction, model: RobotModel, program: Program, effort: Effort
) -> tuple[Program, PassRecord]:
    """Let the loads of a robot in: what they add is computed by the method and under the formulation that cost least.

    Args:
        definition: the function.
        model: the robot with its loads.
        program: the function for the robot without them, after the passes.
        effort: how to choose; none takes the robot as described, all others the best of a handful.

    Returns:
        The program, and the record of what the loads cost.
    """
    inputs = definition.all_inputs(model)
    if definition.loads is Loads.ABSENT:
        return replace(program, inputs=inputs), PassRecord("loads", 0, count(program), count(program), 0.0)
    start = perf_counter()
    alone = loads_alone(model)
    sums: list[Program] = []

    def cost(method: str, candidate: RobotModel, formulation: Formulation) -> Price:
        added, _ = run_passes(definition.build(candidate, formulation, method), effort.cost)
        sums.append(add_results(program, added, inputs))
        return price(sums[-1], effort.cost)

    for method in definition.methods:
        if effort.optimize == "none":
            cost(method, alone, default_formulation(alone))
        else:
            counted = cache(partial(cost, method))
            usual_formulations(alone, counted, counted)
    cheapest = min(sums, key=lambda each: price(each, effort.cost))
    return cheapest, PassRecord("loads", 0, count(program), count(cheapest), perf_counter() - start)
