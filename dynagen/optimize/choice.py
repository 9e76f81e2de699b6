"""A function and a robot -> the formulation to record it under, with one of three efforts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

from dynagen.dynamics.algorithms.formulation import Formulation, default_formulation
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.joining import JoinedFunction
from dynagen.dynamics.recording.recorder import CountingRecorder
from dynagen.errors import UsageError
from dynagen.ir.cost import FLOPS, CostModel, Price, price
from dynagen.ir.program import Program
from dynagen.model.model import RobotModel
from dynagen.model.regrouping import has_known_geometry
from dynagen.optimize.candidates import FormulatedModel
from dynagen.optimize.formulation_search import DEFAULT_BUDGET, find_formulation
from dynagen.optimize.usual_formulations import usual_formulations
from dynagen.passes.manager import Optimised, optimised
from dynagen.passes.simplifier import SimplifyingBuilder
from dynagen.refactoring.step import refactored

OPTIMIZE = ("none", "default", "max")
"""None takes the robot as described, default the best of a handful of formulations, max searches."""
_CLOSE = 1.05  # what the passes leave of formulations, in terms of the cheapest, that are worth a search for better factors


@dataclass(frozen=True)
class Effort:
    """How to choose.

    Attributes:
        optimize: one of `OPTIMIZE`.
        cost: what makes one program better than another.
        budget: most programs that a search looks at, for one function and method; and most factorings of one program.

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

    def passes_alone(self, recorded: Program) -> Optimised:
        """What the passes make of a recorded program, with their records."""
        return optimised(recorded, self.cost)

    def passes(self, recorded: Program) -> Optimised:
        """The same, and with a search better factors besides."""
        return refactored(recorded, self.cost, self.budget) if self.optimize == "max" else self.passes_alone(recorded)


def choose_formulation(
    definition: DynamicsFunction,
    method: str,
    model: RobotModel,
    effort: Effort,
    progress: Callable[[float], None] = lambda done: None,
) -> FormulatedModel:
    """Choose by counting what comes out: for the parts of a joined function the same, or one for each if that costs less.

    With run-time parameters in its geometry the robot is taken as described: what joints do not feel depends on the geometry.

    Args:
        definition: the function.
        method: one of its methods.
        model: the robot.
        effort: how to choose.
        progress: is told how far a search has come, from 0 to 1.
    """
    if effort.optimize == "none" or definition.as_described or not has_known_geometry(model):
        return FormulatedModel(model, default_formulation(model))
    builder = SimplifyingBuilder()
    searched = effort.optimize != "default"
    recorder = CountingRecorder(builder, [parameter.name for parameter in model.parameters])

    @cache
    def recorded(candidate: RobotModel, formulation: Formulation) -> tuple[int, ...]:
        results = definition.record_into(recorder, candidate, formulation, method)
        return tuple(value for quantities in results for quantity in quantities for value in quantity.values)

    def estimate(candidate: RobotModel, formulation: Formulation) -> Price:
        return builder.price(recorded(candidate, formulation), effort.cost)

    def collected_cost(candidate: RobotModel, formulation: Formulation) -> Price:
        return price(builder.collected(recorded(candidate, formulation)), effort.cost)

    asked, factored = count(), count()

    def watched_estimate(candidate: RobotModel, formulation: Formulation) -> Price:
        progress(next(asked) / effort.budget / 2)
        return estimate(candidate, formulation)

    def emitted_cost(way: FormulatedModel, passes: Callable[[Program], Optimised] = effort.passes) -> Price:
        return price(passes(definition.build(way.model, way.formulation, method))[0], effort.cost)

    def watched_cost(way: FormulatedModel) -> Price:
        progress((1 + next(factored) / len(ways)) / 2)
        return emitted_cost(way)

    # What the default effort chooses is among these, so that a search never ends with more. Sums are not looked at where a
    # search asks for too many programs.
    ways = list(usual_formulations(model, estimate, collected_cost))
    if searched:
        ways += usual_formulations(model, estimate, estimate)
        ways.append(find_formulation(model, watched_estimate, effort.budget))
    if isinstance(definition, JoinedFunction):
        parts = list(zip(definition.parts, definition.methods_of_parts(method), strict=True))
        for of_parts in (replace(effort, optimize="default"), effort) if searched else (effort,):
            best = [choose_formulation(part, name, model, of_parts, progress) for part, name in parts]
            each = tuple((way.model, way.formulation) for way in best)
            ways.append(replace(ways[0], formulation=replace(ways[0].formulation, of_parts=each)))
    if searched:
        ways = list(dict.fromkeys(ways))
        after_passes = [emitted_cost(way, effort.passes_alone)[0] for way in ways]
        ways = [way for way, cost in zip(ways, after_passes, strict=True) if cost <= _CLOSE * min(after_passes)]
    return min(ways, key=watched_cost) if len(ways) > 1 else ways[0]
