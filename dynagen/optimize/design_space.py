"""Design space: a robot -> its models with free frames placed, and candidates of each, regrouped as their choices say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property, partial

from dynagen.dynamics.candidate import BodyChoice, Candidate, as_described
from dynagen.model.model import BASE, Body, RobotModel
from dynagen.model.regrouping import Gauge, movable_changes, regroup
from dynagen.model.sliding import balance_origins, place_on_normals, place_tips, slide_origins

_REGROUPED = "Inertial parameters are regrouped: what is not observable at a joint is counted with the body before it."
_ON_NORMALS = "Frames of bodies are placed on the common normals to the axes of the joints that they carry."
_SLID = "Origins are slid along joint axes."
_TIPS_PLACED = "Frames of bodies that carry no other are placed by their centres of mass: above x, not displaced along z."


class PlacedModel:
    """A robot with its free frames placed. Regroups its inertial parameters once for each choice of gauges.

    Attributes:
        model: the robot; its inertial parameters are where they were.
        regroups: False leaves them there, whatever choices say.
        changes: in what it departs from the robot as described, in sentences.
    """

    def __init__(self, model: RobotModel, regroups: bool = True, changes: Iterable[str] = ()) -> None:
        self.model = model
        self.regroups = regroups
        self.changes = tuple(dict.fromkeys(changes))
        movable = cache(partial(movable_changes, model))  # of the geometry alone: the same for all gauges of other bodies
        self._regrouped = cache(lambda gauges: regroup(model, gauges, movable))

    def moved(self, move: Callable[[RobotModel], RobotModel], change: str) -> PlacedModel:
        """The model with further frames moved; itself, if that moves none."""
        model = move(self.model)
        return self if model.bodies == self.model.bodies else PlacedModel(model, self.regroups, (*self.changes, change))

    def candidate(self, choices: Iterable[BodyChoice]) -> Candidate:
        """The candidate with these choices, one for every body."""
        choices = tuple(choice if self.regroups else with_gauge(choice, None) for choice in choices)
        model = self._regrouped(tuple(choice.gauge for choice in choices))
        is_regrouped = model.bodies != self.model.bodies
        return Candidate(model, choices, tuple(dict.fromkeys([_REGROUPED] * is_regrouped + [*self.changes])))

    def resolved(self, outside: frozenset[int] = frozenset()) -> Candidate:
        """Bodies regrouped, and resolved in their body axes, but for these: they stay in the axes in front of their joints."""
        bodies = range(len(self.model.bodies))
        return self.candidate(BodyChoice(Gauge.JYY, in_body_axes=index not in outside) for index in bodies)

    def with_second_moments(self, candidate: Candidate) -> Candidate:
        """The candidate with moments from second moments for the bodies that have all products of inertia."""
        full = (all(body.inertial.inertia[3:]) for body in candidate.model.bodies)
        return self.candidate(
            with_gauge(choice, Gauge.PSEUDO_INERTIA) if is_full else choice
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
        return self.described.moved(place_on_normals, _ON_NORMALS)

    @cached_property
    def tips_placed(self) -> PlacedModel:
        """The model in which the frames of bodies that carry no other are placed."""
        return self.on_normals.moved(place_tips, _TIPS_PLACED)

    @cached_property
    def slid(self) -> PlacedModel:
        """The model in which the origins along parallel axes are slid into one plane."""
        return self.on_normals.moved(slide_origins, _SLID)

    @cached_property
    def slid_and_placed(self) -> PlacedModel:
        """The model with origins slid and tips placed."""
        return self.tips_placed if self.slid is self.on_normals else self.slid.moved(place_tips, _TIPS_PLACED)

    @cached_property
    def balanced(self) -> PlacedModel:
        """That model with origins of prismatic bodies where the mass that regrouping leaves is balanced along their axes."""
        if not self.described.regroups:
            return self.slid_and_placed
        regrouped = regroup(self.slid_and_placed.model)
        balanced = balance_origins(regrouped)
        if balanced.bodies == regrouped.bodies:
            return self.slid_and_placed
        return PlacedModel(balanced, self.described.regroups, (_REGROUPED, _SLID, *self.slid_and_placed.changes))

    @property
    def placed(self) -> Iterator[PlacedModel]:
        """All models that candidates come from, each made when it is asked for."""
        yield self.described
        yield self.on_normals
        yield self.tips_placed
        yield self.slid
        yield self.slid_and_placed
        yield self.balanced

    @cached_property
    def usual(self) -> tuple[Candidate, ...]:
        """A handful that suits most arms: a placing of free frames, and bodies that stay in the axes in front of their joints.

        Which of them is best depends on robot and function. Together they reach, within a few operations, what a search over
        all candidates found for the arms of the literature; each is there because some function of some arm is cheapest by it
        (`docs/optimizer.md` has the figures).
        """
        model, placed, slid, balanced = self.described.model, self.tips_placed, self.slid_and_placed, self.balanced
        groups, inside, ends = in_parallel_groups(model), inside_parallel_groups(model), tips(model)
        candidates = (
            as_described(model),
            placed.resolved(),
            slid.resolved(),
            slid.resolved(groups),
            slid.resolved(inside),
            balanced.resolved(),
            balanced.resolved(inside),
            # A tip within a plane does not rotate with its joint, and gains nothing by being placed.
            (self.slid if groups else placed).resolved(groups),
            placed.resolved(ends),
            slid.resolved(groups | ends),
            slid.resolved(inside | ends),
            placed.with_second_moments(placed.resolved()),
            placed.with_second_moments(placed.resolved(ends | second_bodies(model))),
            *self._of_floating_base(inside | ends),
        )
        return tuple(dict.fromkeys(candidates))  # of many robots some are the same

    def _of_floating_base(self, inside_or_at_ends: frozenset[int]) -> tuple[Candidate, ...]:
        """Candidates for robots whose bases move, as all limbs begin with a general motion then: legs with parallel joints."""
        if not self.described.model.floats:
            return ()
        slid = self.slid_and_placed
        return tuple(slid.with_second_moments(slid.resolved(outside)) for outside in (frozenset(), inside_or_at_ends))


def with_gauge(choice: BodyChoice, gauge: Gauge | None) -> BodyChoice:
    """A body regrouped otherwise; that a second moment is zero is of use where the moment comes from second moments."""
    return replace(choice, gauge=gauge, by_second_moments=gauge is Gauge.PSEUDO_INERTIA)


def in_one_step(candidate: Candidate) -> Candidate:
    """The candidate, but displacements are taken in one step where they would be two: across and along the joint axis."""
    two_steps = (is_two_fold(body) and any(body.placement.translation) for body in candidate.model.bodies)
    chosen = zip(candidate.choices, two_steps, strict=True)
    return replace(candidate, choices=tuple(replace(choice, in_one_step=is_two) for choice, is_two in chosen))


def is_two_fold(body: Body) -> bool:
    """Whether what lies along the joint axis may as well be taken in the parent's axes: not where z is the same in both."""
    return bool(body.placement.d) and not body.placement.is_parallel


# Joints with parallel axes in a row move their bodies in one plane. In axes that stay in front of the joints, which such a
# group then shares, rates and accelerations about z add up and no vector is rotated from body to body: only the bodies'
# constants are, by sines and cosines of sums of joint angles. That pays inside a group, where few constants are left once
# parameters are regrouped along parallel axes (M. Gautier, W. Khalil, "Direct calculation of minimum set of inertial
# parameters of serial robots", IEEE Trans. Robotics and Automation 6(3), 1990). The group's last body hands its motion on
# through rotated axes in any case, and a tip hands on none: whether they gain by it depends on the robot, so both are tried.


def in_parallel_groups(model: RobotModel) -> frozenset[int]:
    """Bodies whose joint axis is parallel to that of their parent (z, of the base) or of a body that they carry."""
    parallel = {index for index, body in enumerate(model.bodies) if body.placement.is_parallel}
    return inside_parallel_groups(model) | (parallel - _floating(model))


def inside_parallel_groups(model: RobotModel) -> frozenset[int]:
    """Bodies that carry one whose joint axis is parallel to theirs: all of a group but its last."""
    return frozenset(body.parent for body in model.bodies if body.placement.is_parallel) - {BASE} - _floating(model)


def tips(model: RobotModel) -> frozenset[int]:
    """Bodies that carry no other."""
    return frozenset(range(len(model.bodies))) - {body.parent for body in model.bodies} - _floating(model)


def _floating(model: RobotModel) -> frozenset[int]:
    """The floating base, which has no joint axis and is resolved in its body axes."""
    return frozenset(index for index, body in enumerate(model.bodies) if body.is_free)


def second_bodies(model: RobotModel) -> frozenset[int]:
    """Bodies that are carried by one on the base, in front of whose joints the motion of that one is simplest."""
    carried = ((index, body.parent) for index, body in enumerate(model.bodies) if body.parent != BASE)
    return frozenset(index for index, parent in carried if model.bodies[parent].parent == BASE)
