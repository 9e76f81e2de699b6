"""The search for the formulation that costs a robot least, function by function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

from dynagen.dynamics.formulation import BodyFormulation, Formulation
from dynagen.optimize.descent import descend
from dynagen.robot.model import RobotModel
from dynagen.robot.regrouping import Gauge, regroup
from dynagen.robot.sliding import slide_origins

DEFAULT_BUDGET = 600

Cost = Callable[[RobotModel, Formulation], int]


@dataclass(frozen=True)
class BodyChoice:
    """What is free for one body.

    Attributes:
        gauge: how its inertial parameters are regrouped with its parent's; None leaves them with it.
        turned: see `dynamics.formulation.BodyFormulation`.
    """

    gauge: Gauge | None = Gauge.JYY
    turned: bool = True


@dataclass(frozen=True)
class Optimum:
    """The cheapest way that was found to write a function for a robot: its model, regrouped, and the formulation."""

    model: RobotModel
    formulation: Formulation
    evaluations: int


def find_formulation(model: RobotModel, cost: Cost, budget: int = DEFAULT_BUDGET) -> Optimum:
    """Search gauges and axes of all bodies, with and without origins slid along parallel axes.

    Args:
        model: the robot as described.
        cost: operations of the function under a formulation.
        budget: most programs to count.
    """
    found = []
    slid = slide_origins(model)
    for candidate in (model,) if slid == model else (model, slid):
        regrouped = cache(lambda gauges, base=candidate: regroup(base, gauges))

        def price(choices: tuple[BodyChoice, ...], regrouped: Callable[..., RobotModel] = regrouped) -> int:
            return cost(regrouped(tuple(choice.gauge for choice in choices)), _formulation(choices))

        options = [BodyChoice(gauge, turned) for gauge, turned in product((*Gauge, None), (True, False))]
        starts = (tuple(BodyChoice() for _ in model.bodies), _planar_start(model))
        descent = descend(starts, [options] * len(model.bodies), price, budget)
        best_model = regrouped(tuple(choice.gauge for choice in descent.choices))
        found.append((descent.cost, Optimum(best_model, _formulation(descent.choices), descent.evaluations)))
    return min(found, key=lambda entry: entry[0])[1]


def _formulation(choices: tuple[BodyChoice, ...]) -> Formulation:
    return Formulation(tuple(BodyFormulation(turned=choice.turned) for choice in choices))


def _planar_start(model: RobotModel) -> tuple[BodyChoice, ...]:
    """Groups of parallel joints resolved in the axes in front of the first of them."""
    return tuple(
        BodyChoice(turned=not (body.placement.is_parallel or _any_parallel(model, index)))
        for index, body in enumerate(model.bodies)
    )


def _any_parallel(model: RobotModel, index: int) -> bool:
    return any(model.bodies[child].placement.is_parallel for child in model.children(index))
