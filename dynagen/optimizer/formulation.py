"""Formulations of a robot's dynamics: the design space, the choice of candidates, and the search.

A candidate consists of a model of the robot and a choice for each body. The model determines the
frames, which may be moved along joint axes or turned about them. The choice for a body determines
how its inertial parameters are regrouped, in which axes its vectors are resolved, and how the
displacement of its origin and its inertial moment are computed. The number of candidates grows
exponentially with the number of bodies.

The search effort `default` estimates a handful of usual candidates. A search improves the usual
candidates by coordinate descent, which changes the choice for one body at a time. The search is
deterministic and bounded, and its result is never worse than its start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import product

from dynagen.dynamics.candidate import BodyChoice, Candidate, make_described_candidate
from dynagen.ir.cost import Cost
from dynagen.optimizer.descent import Descent, descend
from dynagen.robot.model.model import BASE, Body, RobotModel
from dynagen.robot.model.moving_frames import (
    align_origins,
    balance_origins,
    place_on_normals,
    place_tips,
)
from dynagen.robot.model.regrouping import (
    FindChanges,
    Gauge,
    find_changes_that_keep_loads,
    find_movable_changes,
    find_unobservable_changes,
    regroup,
)

_REGROUPED = (
    "Inertial parameters are regrouped: inertia that a joint cannot observe is moved to the "
    "parent body."
)
_ON_NORMALS = (
    "Frames of bodies are placed on the common normals to the axes of the joints that they carry."
)
_ORIGINS_MOVED = "Origins are moved along joint axes."
_TIPS_MOVED = (
    "Frames of bodies that carry no other are placed by their centres of mass: "
    "above x, not displaced along z."
)


class PlacedModel:
    """A model of a robot with chosen frames, from which candidates (formulations) are made.

    Regrouping moves inertia that a joint cannot observe to the parent body. The gauge of a body is
    the quantity that regrouping makes zero. Inertial parameters are regrouped once for each
    combination of the bodies' gauges.

    Attributes:
        model: model of the robot before regrouping.
        find_changes: function that finds the changes of inertia by regrouping; if None, gauges have
            no effect.
        changes: sentences on how the model differs from the robot as described.
    """

    def __init__(
        self, model: RobotModel, find_changes: FindChanges | None, changes: Iterable[str] = ()
    ) -> None:
        """Store a model with chosen frames; the arguments are the attributes."""
        self.model = model
        self.find_changes = find_changes
        self.changes = tuple(dict.fromkeys(changes))
        # Unobservable changes depend on the geometry alone, so they are the same for all gauges.
        find = partial(find_movable_changes, find_changes or find_unobservable_changes, model)
        movable = cache(find)
        self.regroup = cache(lambda gauges: regroup(model, gauges, movable))

    def move_frames(self, move: Callable[[RobotModel], RobotModel], change: str) -> PlacedModel:
        """Return the model with further frames moved; the same object if no frame moves.

        Args:
            move: function from a model to the same model with moved frames.
            change: sentence that describes the move.
        """
        model = move(self.model)
        return (
            self
            if model.bodies == self.model.bodies
            else PlacedModel(model, self.find_changes, (*self.changes, change))
        )

    def make_candidate(self, choices: Iterable[BodyChoice]) -> Candidate:
        """Return the candidate with one choice for each body.

        Args:
            choices: choice for each body (gauge, axes and others), in the order of the model's
                bodies.
        """
        # Functions without inertial parameters need no regrouping; one model serves all choices.
        if self.find_changes is None:
            choices = (set_gauge(choice, None) for choice in choices)
        choices = tuple(choices)
        model = self.regroup(tuple(choice.gauge for choice in choices))
        is_regrouped = model.bodies != self.model.bodies
        return Candidate(
            model, choices, tuple(dict.fromkeys([_REGROUPED] * is_regrouped + [*self.changes]))
        )

    def resolve(self, outside: frozenset[int] = frozenset()) -> Candidate:
        """Return the candidate (formulation) in which regrouping makes Jyy of all bodies zero.

        Args:
            outside: indices of the bodies whose vectors are resolved in the axes before the joint's
                rotation instead of the body axes.
        """
        bodies = range(len(self.model.bodies))
        return self.make_candidate(
            BodyChoice(Gauge.JYY, in_body_axes=index not in outside) for index in bodies
        )

    def use_second_moments(self, candidate: Candidate) -> Candidate:
        """Return a candidate that computes inertial moments from second moments of mass.

        Only bodies with three nonzero products of inertia are changed; for other bodies this saves
        nothing.
        """
        full = (all(body.inertial.inertia[3:]) for body in candidate.model.bodies)
        return self.make_candidate(
            set_gauge(choice, Gauge.PSEUDO_INERTIA) if is_full else choice
            for choice, is_full in zip(candidate.choices, full, strict=True)
        )


class DesignSpace:
    """Robot models from which candidates (formulations of the dynamics) are made.

    All functions of the robot share the models.

    Attributes:
        described: model of the robot with the frames that the user describes.
    """

    def __init__(
        self, model: RobotModel, find_changes: FindChanges | None = find_unobservable_changes
    ) -> None:
        """Create the design space of a robot.

        Args:
            model: the robot as described.
            find_changes: function that finds the changes of inertia by regrouping; None for no
                regrouping.
        """
        self.described = PlacedModel(model, find_changes)

    @cached_property
    def without_regrouping(self) -> DesignSpace:
        """The design space of the same robot without regrouping of inertia.

        Functions that do not depend on inertial parameters use this design space.
        """
        return DesignSpace(self.described.model, None)

    @cached_property
    def keeping_loads(self) -> DesignSpace:
        """The design space in which regrouping keeps the loads on transmissions and bearings.

        These are the output forces of transmissions, and the wrenches of joints on bearings.
        """
        return DesignSpace(self.described.model, find_changes_that_keep_loads)

    @cached_property
    def on_normals(self) -> PlacedModel:
        """The model with frames on the common normals of successive joint axes.

        The frame of a body that carries no other body stays as described. For a robot described by
        a table of Denavit-Hartenberg parameters, all frames are on such normals already.
        """
        return self.described.move_frames(place_on_normals, _ON_NORMALS)

    @cached_property
    def tips_moved(self) -> PlacedModel:
        """The model `on_normals` with moved frames of tips (bodies that carry no other body)."""
        return self.on_normals.move_frames(place_tips, _TIPS_MOVED)

    @cached_property
    def origins_moved(self) -> PlacedModel:
        """The model in which origins on parallel axes are moved along these axes into one plane."""
        return self.on_normals.move_frames(align_origins, _ORIGINS_MOVED)

    @cached_property
    def origins_and_tips_moved(self) -> PlacedModel:
        """The model in which body origins and frames of tips are moved along their joint axes.

        Tips are bodies that carry no other body.
        """
        return (
            self.tips_moved
            if self.origins_moved is self.on_normals
            else self.origins_moved.move_frames(place_tips, _TIPS_MOVED)
        )

    @cached_property
    def balanced(self) -> PlacedModel:
        """The model in which the origin of each body on a prismatic joint is its balance point.

        About its balance point, a regrouped body has no first moment along the joint axis.
        """
        moved = self.origins_and_tips_moved
        if moved.find_changes is None:
            return moved
        regrouped = moved.regroup((Gauge.JYY,) * len(moved.model.bodies))
        balanced = balance_origins(regrouped)
        # Without prismatic joints nothing moves.
        if balanced.bodies == regrouped.bodies:
            return moved
        changes = (_REGROUPED, _ORIGINS_MOVED, *moved.changes)
        return PlacedModel(balanced, moved.find_changes, changes)

    @property
    def placed(self) -> Iterator[PlacedModel]:
        """Yield all models of the design space, each of which is computed on demand."""
        yield self.described
        yield self.on_normals
        yield self.tips_moved
        yield self.origins_moved
        yield self.origins_and_tips_moved
        yield self.balanced

    @cached_property
    def usual(self) -> tuple[Candidate, ...]:
        """A handful of candidates (formulations of the dynamics) that suit most robot arms.

        A usual candidate combines a placement of movable frames with a set of bodies whose vectors
        are resolved in the axes before their joints. Each usual candidate is the cheapest one for
        some function of some arm (see the counts in `docs/optimizer.md`).
        """
        model, tips, moved = self.described.model, self.tips_moved, self.origins_and_tips_moved
        groups, inside, ends = (
            find_parallel_groups(model),
            find_group_interiors(model),
            find_tips(model),
        )
        candidates = (
            make_described_candidate(model),
            tips.resolve(),
            moved.resolve(),
            moved.resolve(groups),
            moved.resolve(inside),
            self.balanced.resolve(),
            self.balanced.resolve(inside),
            # A tip within a plane does not rotate with its joint, so its frame is left.
            (self.origins_moved if groups else tips).resolve(groups),
            tips.resolve(ends),
            moved.resolve(groups | ends),
            moved.resolve(inside | ends),
            tips.use_second_moments(tips.resolve()),
            tips.use_second_moments(tips.resolve(ends | find_second_bodies(model))),
            *self._list_floating_base_candidates(inside | ends),
        )
        # For many robots, some candidates are equal.
        return tuple(dict.fromkeys(candidates))

    def _list_floating_base_candidates(
        self, inside_or_at_ends: frozenset[int]
    ) -> tuple[Candidate, ...]:
        """Return two candidates (formulations) for a floating base; none for other robots.

        `inside_or_at_ends` are the indices of bodies inside a group with parallel joint axes, and
        of bodies that carry no other body. One candidate resolves the vectors of these bodies in
        the axes before their joints, and the other candidate resolves them in the body axes.
        """
        if not self.described.model.floats:
            return ()
        moved = self.origins_and_tips_moved
        return tuple(
            moved.use_second_moments(moved.resolve(outside))
            for outside in (frozenset(), inside_or_at_ends)
        )


def set_gauge(choice: BodyChoice, gauge: Gauge | None) -> BodyChoice:
    """Return the choice for a body with another gauge: the quantity that regrouping makes zero.

    The pseudo-inertia gauge, which makes a second moment of mass zero, also selects the computation
    of inertial moments from second moments.

    Args:
        choice: choice for a body.
        gauge: the gauge; None for no regrouping of the body's parameters.
    """
    return replace(choice, gauge=gauge, by_second_moments=gauge is Gauge.PSEUDO_INERTIA)


def displace_in_one_step(candidate: Candidate) -> Candidate:
    """Return a candidate in which the displacement to each body's origin is computed in one step.

    The displacement from the parent's origin is then resolved in the parent's axes. By default, it
    is computed in two steps: across the joint axis, then along the joint axis.
    """
    two_steps = (
        has_two_displacements(body) and any(body.placement.translation)
        for body in candidate.model.bodies
    )
    chosen = zip(candidate.choices, two_steps, strict=True)
    return replace(
        candidate, choices=tuple(replace(choice, in_one_step=is_two) for choice, is_two in chosen)
    )


def has_two_displacements(body: Body) -> bool:
    """Return whether the displacement to a body's origin consists of two separate steps.

    The displacement leads from the origin of the parent's frame to the origin of the body's frame.
    Its two steps are across and along the joint axis. The result is False if the second step is
    zero, or if the joint axis is parallel to the z axis of the parent.
    """
    return bool(body.placement.d) and not body.placement.is_parallel


# Successive joints with parallel axes move their bodies in one plane. Such a group can share the
# axes in front of its joints. Then velocities and accelerations about z add up, and no vector is
# rotated from body to body. Only the constants of the bodies are rotated, by sines and cosines of
# sums of joint angles. This pays inside of a group, where regrouping along parallel axes leaves few
# constants (M. Gautier, W. Khalil, "Direct calculation of minimum set of inertial parameters of
# serial robots", IEEE Trans. Robotics and Automation 6(3), 1990). The last body of a group passes
# its motion on through rotated axes anyway, and a tip passes on none. Whether they gain depends on
# the robot: both are tried.


def find_parallel_groups(model: RobotModel) -> frozenset[int]:
    """Return the indices of bodies whose joint axis is parallel to a neighbour's joint axis.

    A neighbour is the parent, or a body that the body carries. For a body on the base, the z axis
    of the base counts as the axis of the parent.
    """
    parallel = {index for index, body in enumerate(model.bodies) if body.placement.is_parallel}
    return find_group_interiors(model) | (parallel - _find_floating_base(model))


def find_group_interiors(model: RobotModel) -> frozenset[int]:
    """Return the indices of bodies that carry a body with a joint axis parallel to their own."""
    return (
        frozenset(body.parent for body in model.bodies if body.placement.is_parallel)
        - {BASE}
        - _find_floating_base(model)
    )


def find_tips(model: RobotModel) -> frozenset[int]:
    """Return the indices of bodies that carry no other body."""
    return (
        frozenset(range(len(model.bodies)))
        - {body.parent for body in model.bodies}
        - _find_floating_base(model)
    )


def _find_floating_base(model: RobotModel) -> frozenset[int]:
    """Return the indices of the floating base and of the bodies of spherical joints.

    The frames of these bodies are not moved, because their joints determine them.
    """
    return frozenset(index for index, body in enumerate(model.bodies) if body.keeps_frame)


def find_second_bodies(model: RobotModel) -> frozenset[int]:
    """Return the indices of bodies whose parent is a body that the base carries."""
    carried = (
        (index, body.parent) for index, body in enumerate(model.bodies) if body.parent != BASE
    )
    return frozenset(index for index, parent in carried if model.bodies[parent].parent == BASE)


CandidateCost = Callable[[Candidate], Cost]
"""Type of functions that return the cost of a candidate, or an estimate of it."""

# Candidates kept by the quick estimate. For all functions of all bundled robots, the cheapest
# candidate was among the first two.
_PREFERRED = 3
_ESTIMATE_TOLERANCE = Fraction(21, 20)  # estimates are wrong by a few per cent
_SMALL_ENOUGH_FOR_TWO = 600  # operations of a program that is fast enough to optimise twice


def select_candidates(
    candidates: Sequence[Candidate], estimate: CandidateCost, cost: CandidateCost
) -> list[Candidate]:
    """Return the cheapest candidate, and sometimes also the second cheapest one.

    The second one is returned if the program of the cheapest candidate is small, and the second
    one costs at most 5 % more. For the few candidates with the lowest estimates, variants are
    considered too. In a variant, the displacement from a parent's origin to a body's origin is
    computed in one step instead of two.

    Args:
        candidates: formulations to choose from.
        estimate: function with a quick estimate of cost, called for all candidates.
        cost: function with a closer and slower estimate, called for the few candidates with the
            lowest quick estimates.
    """
    estimates = [estimate(candidate) for candidate in candidates]
    variants = [
        variant
        for variant in map(displace_in_one_step, _select_cheapest(candidates, estimates))
        if variant not in candidates
    ]
    estimates += [estimate(variant) for variant in variants]
    by_cost: dict[Cost, Candidate] = {}
    for candidate in _select_cheapest([*candidates, *variants], estimates):
        by_cost.setdefault(cost(candidate), candidate)
    # Of candidates with equal cost the first is kept, so the second best has another cost.
    costs = sorted(by_cost)[:2]
    close = _ESTIMATE_TOLERANCE if costs[0][1] <= _SMALL_ENOUGH_FOR_TWO else 1
    return [by_cost[cost] for cost in costs if cost[0] <= close * costs[0][0]]


def _select_cheapest(candidates: Sequence[Candidate], estimates: Sequence[Cost]) -> list[Candidate]:
    """Return the few candidates with the lowest estimates of cost, in their original order."""
    positions = sorted(range(len(candidates)), key=estimates.__getitem__)[:_PREFERRED]
    return [candidates[position] for position in sorted(positions)]


def find_candidate(
    space: DesignSpace,
    cost: CandidateCost,
    budget: int,
    is_over: Callable[[], bool] = lambda: False,
) -> Candidate:
    """Search over the choices for all bodies; return the cheapest candidate found.

    The search covers two models of the robot. In both models, the frames of tips (bodies that carry
    no other body) are moved along their axes; in the second model, the origins of other bodies are
    moved too.

    Args:
        space: robot models from which candidates (formulations) are made.
        cost: function that returns the cost of a candidate.
        budget: largest number of candidates to evaluate, divided among the models, at least one for
            each.
        is_over: function that returns whether the search has to end early.
    """
    found: list[tuple[Descent[BodyChoice], PlacedModel]] = []
    models = tuple(dict.fromkeys((space.tips_moved, space.origins_and_tips_moved)))
    # A robot without parallel axes has one model only, which then gets the whole budget.
    for left, placed in zip(range(len(models), 0, -1), models, strict=True):
        found.append((_search_model(placed, cost, max(1, budget // left), is_over), placed))
        budget -= found[-1][0].evaluations
    best, placed = min(found, key=lambda entry: entry[0].cost)
    return placed.make_candidate(best.choices)


def _search_model(
    placed: PlacedModel, cost: CandidateCost, budget: int, is_over: Callable[[], bool]
) -> Descent[BodyChoice]:
    """Improve the choices for one model's bodies, one body at a time, from several starts."""

    def cost_of(choices: tuple[BodyChoice, ...]) -> Cost:
        return cost(placed.make_candidate(choices))

    model = placed.model
    options = [_list_options(body) for body in model.bodies]
    groups = find_parallel_groups(model)
    # No bodies, bodies in parallel groups, or also the tips stay in front of their joints.
    own, planar, without_tips = (
        placed.resolve(outside) for outside in (frozenset(), groups, groups | find_tips(model))
    )
    starts = [
        displace_in_one_step(candidate)
        for candidate in (own, planar, without_tips, placed.use_second_moments(own))
    ]
    return descend(
        [start.choices for start in (*starts, make_described_candidate(model))],
        options,
        cost_of,
        budget,
        is_over,
    )


def _list_options(body: Body) -> list[BodyChoice]:
    """Return all choices for a body: gauge, axes of vectors, steps of the origin's displacement.

    The gauge is the quantity that regrouping makes zero. For a floating base, only the computation
    of its inertial moment can be chosen.
    """
    if body.keeps_frame:
        return [set_gauge(BodyChoice(), gauge) for gauge in (Gauge.JYY, Gauge.PSEUDO_INERTIA)]
    steps = (True, False) if has_two_displacements(body) else (False,)
    return [
        set_gauge(BodyChoice(in_body_axes=in_body_axes, in_one_step=is_one), gauge)
        for gauge, in_body_axes, is_one in product((*Gauge, None), (True, False), steps)
    ]
