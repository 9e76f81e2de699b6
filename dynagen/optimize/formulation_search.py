"""The formulation that costs a function least, of all: a robot -> what a search finds within its budget."""

from __future__ import annotations

from itertools import product

from dynagen.ir.cost import Price
from dynagen.model.model import RobotModel
from dynagen.model.regrouping import Gauge
from dynagen.optimize.candidates import (
    BodyChoice,
    Candidate,
    Cost,
    FormulatedModel,
    as_described,
    has_two_ways,
    in_parallel_groups,
    placed_models,
    resolved,
    tips,
)
from dynagen.optimize.descent import Descent, descend

DEFAULT_BUDGET = 600


def find_formulation(model: RobotModel, cost: Cost, budget: int = DEFAULT_BUDGET) -> FormulatedModel:
    """Search gauges and axes of all bodies, the tips' frames placed, with and without origins slid along parallel axes.

    Args:
        model: the robot as described.
        cost: operations of the function under a formulation.
        budget: most programs to count, of which each search gets its share and what the one before has left; at least one
            each.
    """
    found: list[tuple[Descent[BodyChoice], RobotModel]] = []
    models = tuple(dict.fromkeys(placed_models(model)))
    for left, placed in zip(range(len(models), 0, -1), models, strict=True):
        found.append((_search(placed, cost, max(1, budget // left)), placed))
        budget -= found[-1][0].evaluations
    best, placed = min(found, key=lambda entry: entry[0].cost)
    return Candidate(placed, best.choices).formulated


def _search(model: RobotModel, cost: Cost, budget: int) -> Descent[BodyChoice]:
    def price(choices: tuple[BodyChoice, ...]) -> Price:
        way = Candidate(model, choices).formulated
        return cost(way.model, way.formulation)

    options = [
        [BodyChoice(*choice) for choice in product((*Gauge, None), (True, False), (True, False) if has_ways else (False,))]
        for has_ways in map(has_two_ways, model.bodies)
    ]
    groups = in_parallel_groups(model)
    own, planar, without_tips = resolved(model), resolved(model, groups), resolved(model, groups | tips(model))
    starts = [each.in_one_step for each in (own, planar, without_tips, own.by_second_moments)]
    return descend([each.choices for each in (*starts, as_described(model))], options, price, budget)
