"""Candidates: points of a recursion's design space. Each gives the same function at a cost of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import Gauge


@dataclass(frozen=True)
class BodyChoice:
    """The choices that are free for one body.

    Attributes:
        gauge: how its inertial parameters are regrouped with its parent's; None leaves them with it.
        in_body_axes: True resolves the body's vectors in its body axes, which rotate with the joint. False leaves them in the
            axes in front of the joint and rotates the body's constants instead; a chain of parallel joints then shares one
            set of axes.
        in_one_step: True takes the constant displacement from the parent's origin to the body's in one step, in the parent's
            axes. False leaves what of it lies along the joint axis to a second step, in the body's axes.
        by_second_moments: True takes the moment of the body's motion from the acceleration difference matrix and second
            moments of mass alone, False from moments of inertia, rates and their products.
    """

    gauge: Gauge | None = None
    in_body_axes: bool = True
    in_one_step: bool = False
    by_second_moments: bool = False


@dataclass(frozen=True)
class Candidate:
    """A model as the recursions take it, and a choice for each of its bodies.

    Attributes:
        model: the robot, its free frames placed and its inertial parameters regrouped as the choices say.
        choices: one for every body of the model, in its order.
        changes: in what the model departs from the robot as described, in sentences.
        parts: of a joined function whose parts are better off each with a candidate of its own: those. All else says nothing
            then.
    """

    model: RobotModel
    choices: tuple[BodyChoice, ...]
    changes: tuple[str, ...] = ()
    parts: tuple[Candidate, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Departures of a program from the robot as described, in sentences; none if there are none."""
        if self.parts:
            of_parts = (sentence for part in self.parts for sentence in part.sentences)
            return tuple(
                f"For a part of the results: {sentence}" for sentence in dict.fromkeys(of_parts)
            )
        return (*self.changes, *self._choices_in_words())

    def _choices_in_words(self) -> Iterator[str]:
        if outside := [
            number for number, choice in enumerate(self.choices, 1) if not choice.in_body_axes
        ]:
            verb = "is" if len(outside) == 1 else "are"
            yield f"{_bodies(outside).capitalize()} {verb} resolved in axes that do not rotate with the joint."
        if in_one_step := [
            number for number, choice in enumerate(self.choices, 1) if choice.in_one_step
        ]:
            yield f"The displacement to {_bodies(in_one_step)} is taken in one step, in the axes of the parent."
        if any(choice.by_second_moments for choice in self.choices):
            yield "Moments of bodies with full inertias come from second moments of mass."


def as_described(model: RobotModel) -> Candidate:
    """The candidate that needs no search: every body in its body axes, with the inertial parameters of its links."""
    return Candidate(model, (BodyChoice(),) * len(model.bodies))


def _bodies(numbers: list[int]) -> str:
    *others, last = map(str, numbers)
    return f"bodies {', '.join(others)} and {last}" if others else f"body {last}"
