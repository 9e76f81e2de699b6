"""The formulation that costs a robot least, function by function: one of a few that are usually good, or found by a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import product

from dynagen.dynamics.formulation import BodyFormulation, Formulation
from dynagen.ir.cost import Price
from dynagen.optimize.descent import descend
from dynagen.robot.model import BASE, Body, RobotModel
from dynagen.robot.regrouping import Gauge, movable_changes, regroup
from dynagen.robot.sliding import balance_origins, place_tips, slide_origins

DEFAULT_BUDGET = 600
_PREFERRED = 3  # by the estimate; the cheapest of all was among the first two for every function of every bundled robot
_CLOSE = Fraction(21, 20)  # estimates are off by a few hundredths
_FULL = Gauge.PSEUDO_INERTIA
_SMALL = 600  # operations of a program that is emitted fast enough to look at two of them

Cost = Callable[[RobotModel, Formulation], Price]


@dataclass(frozen=True)
class BodyChoice:
    """What is free for one body.

    Attributes:
        gauge: how its inertial parameters are regrouped with its parent's; None leaves them with it.
        turned, direct: see `dynamics.formulation.BodyFormulation`.
    """

    gauge: Gauge | None = Gauge.JYY
    turned: bool = True
    direct: bool = False

    @property
    def formulation(self) -> BodyFormulation:
        """A second moment that is zero is of use where the moment comes from second moments."""
        return BodyFormulation(self.turned, by_difference=self.gauge is Gauge.PSEUDO_INERTIA, direct=self.direct)


Choices = tuple[BodyChoice, ...]
_Candidate = tuple[RobotModel, Choices]
"""A model that is not regrouped yet, and choices for its bodies."""


@dataclass(frozen=True)
class Optimum:
    """The cheapest way that was found to write a function for a robot: its model, regrouped, and the formulation."""

    model: RobotModel
    formulation: Formulation
    evaluations: int


def usual_formulations(model: RobotModel, estimate: Cost, cost: Cost) -> tuple[Optimum, ...]:
    """Of a handful that suit most arms, without a search, the cheapest; and the next one, if it is small and about as cheap.

    As described or regrouped, prismatic bodies balanced or not; then groups of parallel joints in one plane, or all of a group
    but its last body; these with the bodies at the tips, which carry no other, in the axes in front of their joints, and the
    second bodies too; where bodies have all products of inertia, their moments from second moments. Of these the few that are
    estimated cheapest are tried with ways in one step besides.

    Args:
        model: the robot as described.
        estimate: about what the function costs under a formulation, for all of them.
        cost: the same more closely, at a price, for the few that the estimate prefers.
    """
    candidates = list(_usual_candidates(model))
    estimates = [estimate(*_written(each)) for each in candidates]
    in_one_step = [(start, _in_one_step(start, choices)) for start, choices in _preferred(candidates, estimates)]
    more = [each for each in in_one_step if each not in candidates]
    candidates += more
    estimates += [estimate(*_written(each)) for each in more]
    by_price: dict[Price, Optimum] = {}
    for each in _preferred(candidates, estimates):
        way = Optimum(*_written(each), len(candidates))
        by_price.setdefault(cost(way.model, way.formulation), way)
    prices = sorted(by_price)[:2]
    close = _CLOSE if prices[0][1] <= _SMALL else 1
    return tuple(by_price[price] for price in prices if price[0] <= close * prices[0][0])


def _preferred(candidates: Sequence[_Candidate], estimates: Sequence[Price]) -> list[_Candidate]:
    """The few that are estimated cheapest, in the order that they came in."""
    positions = sorted(range(len(candidates)), key=estimates.__getitem__)[:_PREFERRED]
    return [candidates[position] for position in sorted(positions)]


@lru_cache(maxsize=16)
def _usual_candidates(model: RobotModel) -> tuple[_Candidate, ...]:
    """All functions of a robot ask for them."""
    placed, slid = _placed_models(model)
    in_plane = regroup(slid)
    balanced = slid if balance_origins(in_plane) == in_plane else balance_origins(in_plane)
    own, planar, inner = _usual_axes(model)
    candidates = [(placed, own), (slid, own), (slid, planar), (slid, inner)]
    candidates += [(balanced, own), (balanced, inner)]
    if planar != own:  # a tip within a plane does not turn with its joint, and gains nothing by being placed
        candidates.append((slide_origins(model), planar))
    candidates += [(each, _without_tips(model, axes)) for each, axes in ((placed, own), (slid, planar), (slid, inner))]
    usual = [(each, tuple(BodyChoice(turned=turned) for turned in axes)) for each, axes in candidates]
    as_described = model, tuple(BodyChoice(gauge=None) for _ in model.bodies)
    ends = placed, tuple(BodyChoice(turned=turned) for turned in _without_ends(model, own))
    of_full_bodies = [(each, _by_second_moments(each, choices)) for each, choices in (usual[0], ends)]
    return tuple(dict.fromkeys([as_described, *usual, *of_full_bodies]))  # of many robots some are the same


def _placed_models(model: RobotModel) -> tuple[RobotModel, RobotModel]:
    """With free frames placed: those of the tips, and besides the origins along parallel axes."""
    return place_tips(model), place_tips(slide_origins(model))


def _by_second_moments(model: RobotModel, choices: Choices) -> Choices:
    """The same, but for the bodies that have all products of inertia."""
    bodies = zip(choices, _regrouped(model, choices).bodies, strict=True)
    return tuple(replace(choice, gauge=_FULL if all(body.inertial.inertia[3:]) else choice.gauge) for choice, body in bodies)


def find_formulation(model: RobotModel, cost: Cost, budget: int = DEFAULT_BUDGET) -> Optimum:
    """Search gauges and axes of all bodies, the tips' frames placed, with and without origins slid along parallel axes.

    Args:
        model: the robot as described.
        cost: operations of the function under a formulation.
        budget: most programs to count, of which each search gets its share and what the one before has left; at least one
            each.
    """
    found: list[tuple[Price, Optimum]] = []
    candidates = tuple(dict.fromkeys(_placed_models(model)))
    for left, candidate in zip(range(len(candidates), 0, -1), candidates, strict=True):
        share = max(1, budget // left)
        found.append(_search(candidate, cost, share))
        budget -= found[-1][1].evaluations
    return min(found, key=lambda entry: entry[0])[1]


def _search(model: RobotModel, cost: Cost, budget: int) -> tuple[Price, Optimum]:
    def price(choices: Choices) -> Price:
        return cost(*_written((model, choices)))

    options = [
        [BodyChoice(*choice) for choice in product((*Gauge, None), (True, False), (True, False) if has_ways else (False,))]
        for has_ways in map(_has_two_ways, model.bodies)
    ]
    own, planar, _ = _usual_axes(model)
    starts = [tuple(BodyChoice(turned=turned) for turned in axes) for axes in (own, planar, _without_tips(model, planar))]
    starts.append(_by_second_moments(model, starts[0]))
    starts = [_in_one_step(model, start) for start in starts]
    starts.append(tuple(BodyChoice(gauge=None) for _ in model.bodies))
    descent = descend(starts, options, price, budget)
    return descent.cost, Optimum(*_written((model, descent.choices)), descent.evaluations)


def _written(candidate: _Candidate) -> tuple[RobotModel, Formulation]:
    model, choices = candidate
    return _regrouped(model, choices), Formulation(tuple(choice.formulation for choice in choices))


def _regrouped(model: RobotModel, choices: Choices) -> RobotModel:
    return _regrouping(model)(tuple(choice.gauge for choice in choices))


@lru_cache(maxsize=16)
def _regrouping(model: RobotModel) -> Callable[[tuple[Gauge | None, ...]], RobotModel]:
    """Regroups a model by gauges, each way once for all functions of a robot."""
    movable = cache(partial(movable_changes, model))

    @cache
    def regrouped(gauges: tuple[Gauge | None, ...]) -> RobotModel:
        return regroup(model, gauges, movable)

    return regrouped


def _usual_axes(model: RobotModel) -> tuple[tuple[bool, ...], ...]:
    """For every body whether it is resolved in its own axes, in three ways.

    All of them; all but groups of parallel joints, which share the axes in front of the first of them; and all but these
    without the last of each group.
    """
    planar = tuple(not in_group for in_group in _in_parallel_group(model))
    last = (not any(model.bodies[child].placement.is_parallel for child in model.children(i)) for i in range(len(planar)))
    return (True,) * len(planar), planar, tuple(left or right for left, right in zip(planar, last, strict=True))


def _without_tips(model: RobotModel, axes: tuple[bool, ...]) -> tuple[bool, ...]:
    """The same, but bodies that carry no other are in the axes in front of their joints."""
    return tuple(turned and bool(model.children(index)) for index, turned in enumerate(axes))


def _without_ends(model: RobotModel, axes: tuple[bool, ...]) -> tuple[bool, ...]:
    """The same without tips and without second bodies, in front of whose joints the motion of the first is simplest."""
    second = (body.parent != BASE and model.bodies[body.parent].parent == BASE for body in model.bodies)
    return tuple(turned and not is_second for turned, is_second in zip(_without_tips(model, axes), second, strict=True))


def _in_one_step(model: RobotModel, choices: Choices) -> Choices:
    """The same, but the way to a body is taken in one step if it would be two: across and along its joint axis."""
    return tuple(
        replace(choice, direct=_has_two_ways(body) and any(body.placement.translation))
        for choice, body in zip(choices, model.bodies, strict=True)
    )


def _has_two_ways(body: Body) -> bool:
    """Whether what lies along the joint axis may as well be taken in the parent's axes: not where z is the same in both."""
    return bool(body.placement.d) and not body.placement.is_parallel


def _in_parallel_group(model: RobotModel) -> tuple[bool, ...]:
    """For every body whether its joint axis is parallel to that of its parent or of a body that it carries."""
    return tuple(
        body.placement.is_parallel or any(model.bodies[child].placement.is_parallel for child in model.children(index))
        for index, body in enumerate(model.bodies)
    )
