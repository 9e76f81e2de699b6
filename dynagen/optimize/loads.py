"""A function's program for a robot without loads -> the program with its payload and wrench; zeros change no bit of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from time import perf_counter

from dynagen.dynamics.algorithms.formulation import Formulation, default_formulation
from dynagen.dynamics.function import DynamicsFunction, Loads
from dynagen.ir.cost import Price, price
from dynagen.ir.count import count
from dynagen.ir.program import Program
from dynagen.model.loads import loads_alone, without_loads
from dynagen.model.model import RobotModel
from dynagen.optimize.candidates import FormulatedModel
from dynagen.optimize.choice import Effort
from dynagen.optimize.finishing import Finished, completed, finished, settled
from dynagen.optimize.usual_formulations import usual_formulations
from dynagen.passes.addition import add_results
from dynagen.passes.manager import PassRecord, optimised
from dynagen.real import DOUBLE, Real


def are_apart(definition: DynamicsFunction, method: str, model: RobotModel) -> bool:
    """Whether a robot has loads, and the function is computed without them first."""
    return bool(model.payload or model.external_wrench) and definition.loads_by(method) is not Loads.INSIDE


def formulated_robot(definition: DynamicsFunction, method: str, model: RobotModel) -> RobotModel:
    """The robot that a formulation is chosen for: without its loads where these are let in at the end."""
    return without_loads(model) if are_apart(definition, method, model) else model


def finished_with_loads(
    definition: DynamicsFunction, method: str, model: RobotModel, way: FormulatedModel, effort: Effort, real: Real = DOUBLE
) -> Finished:
    """The optimised program of a function, with the loads of a robot if it has any, and a record for every pass.

    Args:
        definition: the function.
        method: one of its methods.
        model: the robot.
        way: what was chosen for its `formulated_robot`.
        effort: how to choose a formulation of the loads; none takes the robot as described, all others the best of a handful.
        real: what the target computes in.
    """
    program, records = finished(definition, method, way, effort.passes, real)
    if not are_apart(definition, method, model):
        return program, records
    inputs = definition.all_inputs(model)
    start = perf_counter()
    match definition.loads_by(method):
        case Loads.ABSENT:
            having = replace(program, inputs=inputs)
        case Loads.ADDED:
            having = with_loads(definition, model, program, effort)
        case _:
            first, _ = settled(definition, method, way, effort.passes)
            loaded = with_loads(definition, model, first, effort, method)
            having = completed(definition, method, way, model, loaded, first, real)
    return having, (*records, PassRecord("loads", 0, count(program), count(having), perf_counter() - start))


def with_loads(
    definition: DynamicsFunction, model: RobotModel, program: Program, effort: Effort, settled_by: str | None = None
) -> Program:
    """Let the loads of a robot in: what they add is computed by the method and under the formulation that cost least.

    Args:
        definition: the function.
        model: the robot with its loads.
        program: the finished program for the robot without them.
        effort: how to choose a formulation.
        settled_by: the method, if the program is of the values that the function settles by it.
    """
    inputs = definition.all_inputs(model)
    alone = loads_alone(model)
    sums: list[Program] = []

    def cost(method: str, candidate: RobotModel, formulation: Formulation) -> Price:
        if settled_by is None:
            recorded = definition.build(candidate, formulation, method)
        else:
            recorded = definition.build_settled(candidate, formulation, method, loads_alone=True)
        sums.append(add_results(program, optimised(recorded, effort.cost)[0], inputs))
        return price(sums[-1], effort.cost)

    for method in definition.methods if settled_by is None else (settled_by,):
        if effort.optimize == "none" or definition.as_described:
            cost(method, alone, default_formulation(alone))
        else:
            counted = cache(partial(cost, method))
            usual_formulations(alone, counted, counted)
    return min(sums, key=lambda each: price(each, effort.cost))
