"""Formulations of a robot's dynamics: models and candidates, and the search for the cheapest one.

Coordinate descent over choices, one position at a time: deterministic, bounded, and never worse than where it starts.

Design space: a robot -> its models with free frames placed, and candidates of each, regrouped as their choices say.

Estimates: what a function costs for many candidates, counted while it is recorded, and which candidates that prefers.

The candidate that costs a function least, of all that there are: a robot -> what a search finds within its budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import product
from typing import Generic, TypeVar

from dynagen.dynamics.candidate import BodyChoice, Candidate, as_described
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.recording.memoised import MemoisedRecorder
from dynagen.dynamics.recording.recorder import CountingRecorder
from dynagen.ir.cost import Cost, CostModel, cost_of
from dynagen.optimizer.passes.manager import SimplifyingBuilder
from dynagen.robot.model.model import BASE, Body, RobotModel
from dynagen.robot.model.moving_frames import (
    balance_origins,
    place_on_normals,
    place_tips,
    slide_origins,
)
from dynagen.robot.model.regrouping import Gauge, movable_changes, regroup

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Descent(Generic[Choice]):
    """The result of a descent: the best choices, and what they cost.

    Attributes:
        evaluations: how often the cost was asked for.
    """

    choices: tuple[Choice, ...]
    cost: Cost
    evaluations: int


def descend(
    starts: Sequence[tuple[Choice, ...]],
    options: Sequence[Sequence[Choice]],
    cost: Callable[[tuple[Choice, ...]], Cost],
    budget: int,
) -> Descent[Choice]:
    """Improve choices until no single change helps.

    Starts are improved one after the other, the cheapest first, because descents end in different local optima and the budget
    may not reach all of them. What has been evaluated once is not evaluated again.

    Args:
        starts: choices to begin from, one for every position; the best of them is improved first, then the others.
        options: what may be chosen, for every position.
        cost: of a complete set of choices; smaller is better, and of equals the first stays.
        budget: most evaluations, at least one; starts that it does not reach are left out.
    """
    starts = starts[: max(1, budget)]
    known: dict[tuple[Choice, ...], Cost] = {}

    def evaluate(choices: tuple[Choice, ...]) -> Cost:
        if choices not in known:
            known[choices] = cost(choices)
        return known[choices]

    ends = [
        _improve(start, options, evaluate, lambda: len(known) < budget)
        for start in sorted(starts, key=evaluate)
    ]
    best = min(ends, key=evaluate)
    return Descent(best, evaluate(best), len(known))


def _improve(
    choices: tuple[Choice, ...],
    options: Sequence[Sequence[Choice]],
    evaluate: Callable[[tuple[Choice, ...]], Cost],
    may_go_on: Callable[[], bool],
) -> tuple[Choice, ...]:
    improved = True
    while improved:
        improved = False
        for position in reversed(range(len(choices))):
            for option in options[position]:
                changed = (*choices[:position], option, *choices[position + 1 :])
                if not may_go_on():
                    return choices
                if evaluate(changed) < evaluate(choices):
                    choices, improved = changed, True
    return choices


_REGROUPED = "Inertial parameters are regrouped: what is not observable at a joint is counted with the body before it."
_ON_NORMALS = (
    "Frames of bodies are placed on the common normals to the axes of the joints that they carry."
)
_ORIGINS_MOVED = "Origins are slid along joint axes."
_TIPS_MOVED = "Frames of bodies that carry no other are placed by their centres of mass: above x, not displaced along z."


class PlacedModel:
    """A robot with its free frames placed. Regroups its inertial parameters once for each choice of gauges.

    Attributes:
        model: the robot; its inertial parameters are where they were.
        regroups: False leaves them there, whatever choices say.
        changes: in what it departs from the robot as described, in sentences.
    """

    def __init__(
        self, model: RobotModel, regroups: bool = True, changes: Iterable[str] = ()
    ) -> None:
        self.model = model
        self.regroups = regroups
        self.changes = tuple(dict.fromkeys(changes))
        movable = cache(
            partial(movable_changes, model)
        )  # of the geometry alone: the same for all gauges of other bodies
        self._regrouped = cache(lambda gauges: regroup(model, gauges, movable))

    def move_frames(self, move: Callable[[RobotModel], RobotModel], change: str) -> PlacedModel:
        """The model with further frames moved; itself, if that moves none."""
        model = move(self.model)
        return (
            self
            if model.bodies == self.model.bodies
            else PlacedModel(model, self.regroups, (*self.changes, change))
        )

    def candidate(self, choices: Iterable[BodyChoice]) -> Candidate:
        """The candidate with these choices, one for every body."""
        choices = tuple(choice if self.regroups else set_gauge(choice, None) for choice in choices)
        model = self._regrouped(tuple(choice.gauge for choice in choices))
        is_regrouped = model.bodies != self.model.bodies
        return Candidate(
            model, choices, tuple(dict.fromkeys([_REGROUPED] * is_regrouped + [*self.changes]))
        )

    def resolved(self, outside: frozenset[int] = frozenset()) -> Candidate:
        """Bodies regrouped, and resolved in their body axes, but for these: they stay in the axes in front of their joints."""
        bodies = range(len(self.model.bodies))
        return self.candidate(
            BodyChoice(Gauge.JYY, in_body_axes=index not in outside) for index in bodies
        )

    def use_second_moments(self, candidate: Candidate) -> Candidate:
        """The candidate with moments from second moments for the bodies that have all products of inertia."""
        full = (all(body.inertial.inertia[3:]) for body in candidate.model.bodies)
        return self.candidate(
            set_gauge(choice, Gauge.PSEUDO_INERTIA) if is_full else choice
            for choice, is_full in zip(candidate.choices, full, strict=True)
        )


class DesignSpace:
    """The models of one robot that candidates come from, for all its functions.

    Attributes:
        described: the robot as described.
    """

    def __init__(self, model: RobotModel, regroups: bool = True) -> None:
        """Describe the space.

        Args:
            model: the robot as described.
            regroups: False for functions into which its inertial parameters do not enter.
        """
        self.described = PlacedModel(model, regroups)

    @cached_property
    def without_regrouping(self) -> DesignSpace:
        """The design space of functions into which inertial parameters do not enter."""
        return DesignSpace(self.described.model, regroups=False)

    @cached_property
    def on_normals(self) -> PlacedModel:
        """The model in which the frames of bodies that carry others are placed; the robot as described, if it is a table."""
        return self.described.move_frames(place_on_normals, _ON_NORMALS)

    @cached_property
    def tips_moved(self) -> PlacedModel:
        """The model in which the frames of bodies that carry no other are placed."""
        return self.on_normals.move_frames(place_tips, _TIPS_MOVED)

    @cached_property
    def origins_moved(self) -> PlacedModel:
        """The model in which the origins along parallel axes are slid into one plane."""
        return self.on_normals.move_frames(slide_origins, _ORIGINS_MOVED)

    @cached_property
    def origins_and_tips_moved(self) -> PlacedModel:
        """The model with origins slid and tips placed."""
        return (
            self.tips_moved
            if self.origins_moved is self.on_normals
            else self.origins_moved.move_frames(place_tips, _TIPS_MOVED)
        )

    @cached_property
    def balanced(self) -> PlacedModel:
        """That model with origins of prismatic bodies where the mass that regrouping leaves is balanced along their axes."""
        if not self.described.regroups:
            return self.origins_and_tips_moved
        regrouped = regroup(self.origins_and_tips_moved.model)
        balanced = balance_origins(regrouped)
        if balanced.bodies == regrouped.bodies:
            return self.origins_and_tips_moved
        return PlacedModel(
            balanced,
            self.described.regroups,
            (_REGROUPED, _ORIGINS_MOVED, *self.origins_and_tips_moved.changes),
        )

    @property
    def placed(self) -> Iterator[PlacedModel]:
        """All models that candidates come from, each made when it is asked for."""
        yield self.described
        yield self.on_normals
        yield self.tips_moved
        yield self.origins_moved
        yield self.origins_and_tips_moved
        yield self.balanced

    @cached_property
    def usual(self) -> tuple[Candidate, ...]:
        """A handful that suits most arms: a placing of free frames, and bodies that stay in the axes in front of their joints.

        Which of them is best depends on robot and function. Together they reach, within a few operations, what a search over
        all candidates found for the arms of the literature; each is there because some function of some arm is cheapest by it
        (`docs/optimizer.md` has the figures).
        """
        model, placed, slid, balanced = (
            self.described.model,
            self.tips_moved,
            self.origins_and_tips_moved,
            self.balanced,
        )
        groups, inside, ends = (
            find_parallel_groups(model),
            find_group_interiors(model),
            find_tips(model),
        )
        candidates = (
            as_described(model),
            placed.resolved(),
            slid.resolved(),
            slid.resolved(groups),
            slid.resolved(inside),
            balanced.resolved(),
            balanced.resolved(inside),
            # A tip within a plane does not rotate with its joint, and gains nothing by being placed.
            (self.origins_moved if groups else placed).resolved(groups),
            placed.resolved(ends),
            slid.resolved(groups | ends),
            slid.resolved(inside | ends),
            placed.use_second_moments(placed.resolved()),
            placed.use_second_moments(placed.resolved(ends | find_second_bodies(model))),
            *self._list_floating_base_candidates(inside | ends),
        )
        return tuple(dict.fromkeys(candidates))  # of many robots some are the same

    def _list_floating_base_candidates(
        self, inside_or_at_ends: frozenset[int]
    ) -> tuple[Candidate, ...]:
        """Candidates for robots whose bases move, as all limbs begin with a general motion then: legs with parallel joints."""
        if not self.described.model.floats:
            return ()
        slid = self.origins_and_tips_moved
        return tuple(
            slid.use_second_moments(slid.resolved(outside))
            for outside in (frozenset(), inside_or_at_ends)
        )


def set_gauge(choice: BodyChoice, gauge: Gauge | None) -> BodyChoice:
    """A body regrouped otherwise; that a second moment is zero is of use where the moment comes from second moments."""
    return replace(choice, gauge=gauge, by_second_moments=gauge is Gauge.PSEUDO_INERTIA)


def displace_in_one_step(candidate: Candidate) -> Candidate:
    """The candidate, but displacements are taken in one step where they would be two: across and along the joint axis."""
    two_steps = (
        has_two_displacements(body) and any(body.placement.translation)
        for body in candidate.model.bodies
    )
    chosen = zip(candidate.choices, two_steps, strict=True)
    return replace(
        candidate, choices=tuple(replace(choice, in_one_step=is_two) for choice, is_two in chosen)
    )


def has_two_displacements(body: Body) -> bool:
    """Whether what lies along the joint axis may as well be taken in the parent's axes: not where z is the same in both."""
    return bool(body.placement.d) and not body.placement.is_parallel


# Joints with parallel axes in a row move their bodies in one plane. In axes that stay in front of the joints, which such a
# group then shares, rates and accelerations about z add up and no vector is rotated from body to body: only the bodies'
# constants are, by sines and cosines of sums of joint angles. That pays inside a group, where few constants are left once
# parameters are regrouped along parallel axes (M. Gautier, W. Khalil, "Direct calculation of minimum set of inertial
# parameters of serial robots", IEEE Trans. Robotics and Automation 6(3), 1990). The group's last body hands its motion on
# through rotated axes in any case, and a tip hands on none: whether they gain by it depends on the robot, so both are tried.


def find_parallel_groups(model: RobotModel) -> frozenset[int]:
    """Bodies whose joint axis is parallel to that of their parent (z, of the base) or of a body that they carry."""
    parallel = {index for index, body in enumerate(model.bodies) if body.placement.is_parallel}
    return find_group_interiors(model) | (parallel - _find_floating_base(model))


def find_group_interiors(model: RobotModel) -> frozenset[int]:
    """Bodies that carry one whose joint axis is parallel to theirs: all of a group but its last."""
    return (
        frozenset(body.parent for body in model.bodies if body.placement.is_parallel)
        - {BASE}
        - _find_floating_base(model)
    )


def find_tips(model: RobotModel) -> frozenset[int]:
    """Bodies that carry no other."""
    return (
        frozenset(range(len(model.bodies)))
        - {body.parent for body in model.bodies}
        - _find_floating_base(model)
    )


def _find_floating_base(model: RobotModel) -> frozenset[int]:
    """The floating base, which has no joint axis and is resolved in its body axes."""
    return frozenset(index for index, body in enumerate(model.bodies) if body.is_free)


def find_second_bodies(model: RobotModel) -> frozenset[int]:
    """Bodies that are carried by one on the base, in front of whose joints the motion of that one is simplest."""
    carried = (
        (index, body.parent) for index, body in enumerate(model.bodies) if body.parent != BASE
    )
    return frozenset(index for index, parent in carried if model.bodies[parent].parent == BASE)


CandidateCost = Callable[[Candidate], Cost]
"""What a function costs if it is recorded for a candidate, or about as much."""

_PREFERRED = 3  # by the estimate; the cheapest of all was among the first two for every function of every bundled robot
_ESTIMATE_TOLERANCE = Fraction(21, 20)  # estimates are off by a few hundredths
_SMALL_ENOUGH_FOR_TWO = (
    600  # operations of a program that is emitted fast enough to look at two of them
)


class CandidateEstimator:
    """Counts operations of one function by one method. What candidates have in common is recorded once for all of them."""

    def __init__(
        self, function: DynamicsFunction, method: str, model: RobotModel, cost: CostModel
    ) -> None:
        self._function, self._method, self._cost = function, method, cost
        self._builder = SimplifyingBuilder()
        counting = CountingRecorder(
            self._builder, [parameter.name for parameter in model.parameters]
        )
        self._recorder = MemoisedRecorder(counting)
        self._results: dict[Candidate, tuple[int, ...]] = {}

    def estimate(self, candidate: Candidate) -> Cost:
        """The cost that rules leave which look at one operation at a time."""
        return self._builder.cost_of(self._record(candidate), self._cost)

    def estimate_closely(self, candidate: Candidate) -> Cost:
        """The cost that passes leave which look at whole sums too."""
        return cost_of(self._builder.collect(self._record(candidate)), self._cost)

    def _record(self, candidate: Candidate) -> tuple[int, ...]:
        if candidate not in self._results:
            results = self._function.record_into(self._recorder, candidate, self._method)
            values = (
                value
                for quantities in results
                for quantity in quantities
                for value in quantity.values
            )
            self._results[candidate] = tuple(values)
        return self._results[candidate]


def select_candidates(
    candidates: Sequence[Candidate], estimate: CandidateCost, cost: CandidateCost
) -> list[Candidate]:
    """The cheapest of some candidates; and the next one, if it is small and about as cheap.

    The few that are estimated cheapest are tried with displacements in one step besides.

    Args:
        candidates: to choose from.
        estimate: for all of them.
        cost: the same more closely, with more effort, for the few that the estimate prefers.
    """
    estimates = [estimate(each) for each in candidates]
    more = [
        each
        for each in map(displace_in_one_step, _select_cheapest(candidates, estimates))
        if each not in candidates
    ]
    by_cost: dict[Cost, Candidate] = {}
    for each in _select_cheapest(
        [*candidates, *more], estimates + [estimate(each) for each in more]
    ):
        by_cost.setdefault(cost(each), each)
    costs = sorted(by_cost)[:2]
    close = _ESTIMATE_TOLERANCE if costs[0][1] <= _SMALL_ENOUGH_FOR_TWO else 1
    return [by_cost[cost] for cost in costs if cost[0] <= close * costs[0][0]]


def _select_cheapest(candidates: Sequence[Candidate], estimates: Sequence[Cost]) -> list[Candidate]:
    """The few that are estimated cheapest, in the order that they came in."""
    positions = sorted(range(len(candidates)), key=estimates.__getitem__)[:_PREFERRED]
    return [candidates[position] for position in sorted(positions)]


def find_candidate(space: DesignSpace, cost: CandidateCost, budget: int) -> Candidate:
    """Search gauges and axes of all bodies, the tips' frames placed, with and without origins slid along parallel axes.

    Args:
        space: of the robot.
        cost: operations of the function for a candidate.
        budget: most programs to count, of which each search gets its share and what the one before has left; at least one
            each.
    """
    found: list[tuple[Descent[BodyChoice], PlacedModel]] = []
    models = tuple(dict.fromkeys((space.tips_moved, space.origins_and_tips_moved)))
    for left, placed in zip(range(len(models), 0, -1), models, strict=True):
        found.append((_search_model(placed, cost, max(1, budget // left)), placed))
        budget -= found[-1][0].evaluations
    best, placed = min(found, key=lambda entry: entry[0].cost)
    return placed.candidate(best.choices)


def _search_model(placed: PlacedModel, cost: CandidateCost, budget: int) -> Descent[BodyChoice]:
    def cost_of(choices: tuple[BodyChoice, ...]) -> Cost:
        return cost(placed.candidate(choices))

    model = placed.model
    options = [_list_options(body) for body in model.bodies]
    groups = find_parallel_groups(model)
    own, planar, without_tips = (
        placed.resolved(outside) for outside in (frozenset(), groups, groups | find_tips(model))
    )
    starts = [
        displace_in_one_step(each)
        for each in (own, planar, without_tips, placed.use_second_moments(own))
    ]
    return descend(
        [each.choices for each in (*starts, as_described(model))], options, cost_of, budget
    )


def _list_options(body: Body) -> list[BodyChoice]:
    """All that there is to choose for a body; of a floating base only how its moment is computed."""
    if body.is_free:
        return [set_gauge(BodyChoice(), gauge) for gauge in (Gauge.JYY, Gauge.PSEUDO_INERTIA)]
    steps = (True, False) if has_two_displacements(body) else (False,)
    return [
        set_gauge(BodyChoice(in_body_axes=in_body_axes, in_one_step=is_one), gauge)
        for gauge, in_body_axes, is_one in product((*Gauge, None), (True, False), steps)
    ]
