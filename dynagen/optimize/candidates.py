"""Candidates: a model and what is free for its bodies -> the same model regrouped, and the formulation to record it under."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

from dynagen.dynamics.algorithms.formulation import BodyFormulation, Formulation
from dynagen.ir.cost import Price
from dynagen.model.model import BASE, Body, RobotModel
from dynagen.model.regrouping import Gauge, movable_changes, regroup
from dynagen.model.sliding import place_tips, slide_origins

Cost = Callable[[RobotModel, Formulation], Price]
"""What a function costs if it is recorded for a regrouped model under a formulation."""


@dataclass(frozen=True)
class FormulatedModel:
    """A model, regrouped, and the formulation to record functions of it under."""

    model: RobotModel
    formulation: Formulation


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


@dataclass(frozen=True)
class Candidate:
    """A model that is not regrouped yet, and a choice for each of its bodies."""

    model: RobotModel
    choices: tuple[BodyChoice, ...]

    @property
    def formulated(self) -> FormulatedModel:
        """What comes of it."""
        return FormulatedModel(self._regrouped, Formulation(tuple(choice.formulation for choice in self.choices)))

    @property
    def by_second_moments(self) -> Candidate:
        """The same, but for the bodies that have all products of inertia: their moments come from second moments."""
        full = (all(body.inertial.inertia[3:]) for body in self._regrouped.bodies)
        chosen = zip(self.choices, full, strict=True)
        return self._with(replace(each, gauge=Gauge.PSEUDO_INERTIA) if is_full else each for each, is_full in chosen)

    @property
    def in_one_step(self) -> Candidate:
        """The same, but the way to a body is taken in one step if it would be two: across and along its joint axis."""
        two = (has_two_ways(body) and any(body.placement.translation) for body in self.model.bodies)
        return self._with(replace(each, direct=direct) for each, direct in zip(self.choices, two, strict=True))

    def _with(self, choices: Iterable[BodyChoice]) -> Candidate:
        return replace(self, choices=tuple(choices))

    @property
    def _regrouped(self) -> RobotModel:
        return _regrouping(self.model)(tuple(choice.gauge for choice in self.choices))


def as_described(model: RobotModel) -> Candidate:
    """Every body in its own axes, with its own inertial parameters."""
    return Candidate(model, (BodyChoice(gauge=None),) * len(model.bodies))


def resolved(model: RobotModel, unturned: frozenset[int] = frozenset()) -> Candidate:
    """Bodies regrouped, and in their own axes, but for these: they stay in the axes in front of their joints."""
    return Candidate(model, tuple(BodyChoice(turned=index not in unturned) for index in range(len(model.bodies))))


def placed_models(model: RobotModel) -> tuple[RobotModel, RobotModel]:
    """With free frames placed: those of the tips, and besides the origins along parallel axes."""
    return place_tips(model), place_tips(slide_origins(model))


def has_two_ways(body: Body) -> bool:
    """Whether what lies along the joint axis may as well be taken in the parent's axes: not where z is the same in both."""
    return bool(body.placement.d) and not body.placement.is_parallel


def in_parallel_groups(model: RobotModel) -> frozenset[int]:
    """Bodies whose joint axis is parallel to that of their parent (z, of the base) or of a body that they carry."""
    return inside_parallel_groups(model) | {index for index, body in enumerate(model.bodies) if body.placement.is_parallel}


def inside_parallel_groups(model: RobotModel) -> frozenset[int]:
    """Bodies that carry one whose joint axis is parallel to theirs: all of a group but its last."""
    return frozenset(body.parent for body in model.bodies if body.placement.is_parallel) - {BASE}


def tips(model: RobotModel) -> frozenset[int]:
    """Bodies that carry no other."""
    return frozenset(range(len(model.bodies))) - {body.parent for body in model.bodies}


def second_bodies(model: RobotModel) -> frozenset[int]:
    """Bodies that are carried by one on the base, in front of whose joints the motion of that one is simplest."""
    carried = ((index, body.parent) for index, body in enumerate(model.bodies) if body.parent != BASE)
    return frozenset(index for index, parent in carried if model.bodies[parent].parent == BASE)


@lru_cache(maxsize=16)
def _regrouping(model: RobotModel) -> Callable[[tuple[Gauge | None, ...]], RobotModel]:
    """Regroups a model by gauges, each way once for all functions of a robot."""
    movable = cache(partial(movable_changes, model))

    @cache
    def regrouped(gauges: tuple[Gauge | None, ...]) -> RobotModel:
        return regroup(model, gauges, movable)

    return regrouped
