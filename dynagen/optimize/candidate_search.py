"""The candidate that costs a function least, of all that there are: a robot -> what a search finds within its budget."""

from __future__ import annotations

from itertools import product

from dynagen.dynamics.candidate import BodyChoice, Candidate, as_described
from dynagen.ir.cost import Cost
from dynagen.model.model import Body
from dynagen.model.regrouping import Gauge
from dynagen.optimize.descent import Descent, descend
from dynagen.optimize.design_space import (
    DesignSpace,
    PlacedModel,
    in_one_step,
    in_parallel_groups,
    is_two_fold,
    tips,
    with_gauge,
)
from dynagen.optimize.estimation import CostOf


def find_candidate(space: DesignSpace, cost: CostOf, budget: int) -> Candidate:
    """Search gauges and axes of all bodies, the tips' frames placed, with and without origins slid along parallel axes.

    Args:
        space: of the robot.
        cost: operations of the function for a candidate.
        budget: most programs to count, of which each search gets its share and what the one before has left; at least one
            each.
    """
    found: list[tuple[Descent[BodyChoice], PlacedModel]] = []
    models = tuple(dict.fromkeys((space.tips_placed, space.slid_and_placed)))
    for left, placed in zip(range(len(models), 0, -1), models, strict=True):
        found.append((_search(placed, cost, max(1, budget // left)), placed))
        budget -= found[-1][0].evaluations
    best, placed = min(found, key=lambda entry: entry[0].cost)
    return placed.candidate(best.choices)


def _search(placed: PlacedModel, cost: CostOf, budget: int) -> Descent[BodyChoice]:
    def cost_of(choices: tuple[BodyChoice, ...]) -> Cost:
        return cost(placed.candidate(choices))

    model = placed.model
    options = [_options(body) for body in model.bodies]
    groups = in_parallel_groups(model)
    own, planar, without_tips = (placed.resolved(outside) for outside in (frozenset(), groups, groups | tips(model)))
    starts = [in_one_step(each) for each in (own, planar, without_tips, placed.with_second_moments(own))]
    return descend([each.choices for each in (*starts, as_described(model))], options, cost_of, budget)


def _options(body: Body) -> list[BodyChoice]:
    """All that there is to choose for a body; of a floating base only how its moment is computed."""
    if body.is_free:
        return [with_gauge(BodyChoice(), gauge) for gauge in (Gauge.JYY, Gauge.PSEUDO_INERTIA)]
    steps = (True, False) if is_two_fold(body) else (False,)
    return [
        with_gauge(BodyChoice(in_body_axes=in_body_axes, in_one_step=is_one), gauge)
        for gauge, in_body_axes, is_one in product((*Gauge, None), (True, False), steps)
    ]
