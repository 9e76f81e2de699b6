"""Formulations that suit most arms, without a search: a robot -> the cheapest of a handful for a function."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from dynagen.ir.cost import Price
from dynagen.model.model import RobotModel
from dynagen.model.regrouping import regroup
from dynagen.model.sliding import balance_origins, slide_origins
from dynagen.optimize.candidates import (
    Candidate,
    Cost,
    FormulatedModel,
    as_described,
    in_parallel_groups,
    inside_parallel_groups,
    placed_models,
    resolved,
    second_bodies,
    tips,
)

_PREFERRED = 3  # by the estimate; the cheapest of all was among the first two for every function of every bundled robot
_CLOSE = Fraction(21, 20)  # estimates are off by a few hundredths
_SMALL = 600  # operations of a program that is emitted fast enough to look at two of them


def usual_formulations(model: RobotModel, estimate: Cost, cost: Cost) -> tuple[FormulatedModel, ...]:
    """The cheapest of a handful; and the next one, if it is small and about as cheap.

    The few that are estimated cheapest are tried with ways in one step besides.

    Args:
        model: the robot as described.
        estimate: about what the function costs under a formulation, for all of them.
        cost: the same more closely, at a price, for the few that the estimate prefers.
    """

    def estimated(candidates: Sequence[Candidate]) -> list[Price]:
        ways = (each.formulated for each in candidates)
        return [estimate(way.model, way.formulation) for way in ways]

    candidates = list(_candidates(model))
    estimates = estimated(candidates)
    in_one_step = [each.in_one_step for each in _preferred(candidates, estimates)]
    more = [each for each in in_one_step if each not in candidates]
    by_price: dict[Price, FormulatedModel] = {}
    for each in _preferred(candidates + more, estimates + estimated(more)):
        way = each.formulated
        by_price.setdefault(cost(way.model, way.formulation), way)
    prices = sorted(by_price)[:2]
    close = _CLOSE if prices[0][1] <= _SMALL else 1
    return tuple(by_price[price] for price in prices if price[0] <= close * prices[0][0])


def _preferred(candidates: Sequence[Candidate], estimates: Sequence[Price]) -> list[Candidate]:
    """The few that are estimated cheapest, in the order that they came in."""
    positions = sorted(range(len(candidates)), key=estimates.__getitem__)[:_PREFERRED]
    return [candidates[position] for position in sorted(positions)]


@lru_cache(maxsize=16)  # all functions of a robot ask for them
def _candidates(model: RobotModel) -> tuple[Candidate, ...]:
    """Each is a placing of free frames, and the bodies that stay in the axes in front of their joints."""
    placed, slid = placed_models(model)
    regrouped = regroup(slid)
    balanced = balance_origins(regrouped)
    if balanced == regrouped:
        balanced = slid
    groups, inside, ends = in_parallel_groups(model), inside_parallel_groups(model), tips(model)
    candidates = (
        as_described(model),
        resolved(placed),
        resolved(slid),
        resolved(slid, groups),
        resolved(slid, inside),
        resolved(balanced),
        resolved(balanced, inside),
        # A tip within a plane does not turn with its joint, and gains nothing by being placed.
        resolved(slide_origins(model) if groups else placed, groups),
        resolved(placed, ends),
        resolved(slid, groups | ends),
        resolved(slid, inside | ends),
        resolved(placed).by_second_moments,
        resolved(placed, ends | second_bodies(model)).by_second_moments,
    )
    return tuple(dict.fromkeys(candidates))  # of many robots some are the same
