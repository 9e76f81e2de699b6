"""Candidates: formulations of a recursion that differ in the number of operations only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import Gauge

ARTICULATED = "articulated"
"""Name of the recording methods that use the articulated-body algorithm (ABA)."""


@dataclass(frozen=True)
class BodyChoice:
    """A candidate's choices of formulation for one body.

    Attributes:
        gauge: the quantity of the body (Jyy, Jxx or a second moment) that becomes zero when
            unobservable inertia is moved to the parent body; None leaves all inertial parameters
            with the body.
        in_body_axes: whether the body's vectors are computed in axes that rotate with the body. If
            False, they are computed in the axes before the joint's rotation, and the body's
            constants are rotated instead. A chain of parallel joints can share such axes.
        in_one_step: whether the constant displacement from the parent's origin to the body's origin
            is added in one step, in the parent's axes. If False, the part of the displacement along
            the joint axis is added in a second step, in the body's axes.
        by_second_moments: whether the moment of the body's inertial forces is computed from second
            moments of mass, the integral of r r^T dm over the points r of the body. If False, the
            moment is computed from moments of inertia and angular velocities.
        joined: whether the joint belongs to the cluster of the parent's joint. The articulated-body
            algorithm solves for the accelerations of all joints of a cluster together; other
            methods have no clusters. The value is False for a body on the base.
    """

    gauge: Gauge | None = None
    in_body_axes: bool = True
    in_one_step: bool = False
    by_second_moments: bool = False
    joined: bool = False


@dataclass(frozen=True)
class Candidate:
    """A robot model, and a choice of formulation for each of its bodies.

    Attributes:
        model: the robot, with frames and inertial parameters changed according to the choices.
        choices: the choices for every body of the model, in the order of the bodies.
        changes: differences between the model and the robot as described, in English sentences.
        parts: one candidate for each part of a fused function whose parts are recorded separately.
            If a candidate has parts, its other attributes are not used.
    """

    model: RobotModel = field(hash=False)  # a hash of all its numbers takes long
    choices: tuple[BodyChoice, ...]
    changes: tuple[str, ...] = ()
    parts: tuple[Candidate, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Differences between the candidate's program and the robot as described, as sentences."""
        if self.parts:
            sentences = (sentence for part in self.parts for sentence in part.sentences)
            return tuple(
                f"For a part of the results: {sentence}" for sentence in dict.fromkeys(sentences)
            )
        return (*self.changes, *self._describe_choices())

    def _describe_choices(self) -> Iterator[str]:
        # Robots with loops are resolved in body axes (`begin_recording`).
        if outside := [
            number
            for number, choice in enumerate(self.choices, 1)
            if not choice.in_body_axes and not self.model.closure
        ]:
            verb = "is" if len(outside) == 1 else "are"
            bodies = _bodies(outside).capitalize()
            yield f"{bodies} {verb} resolved in axes that do not rotate with the joint."
        if in_one_step := [
            number for number, choice in enumerate(self.choices, 1) if choice.in_one_step
        ]:
            bodies = _bodies(in_one_step)
            yield f"The displacement to {bodies} is computed in one step, in the parent's axes."
        if any(choice.by_second_moments for choice in self.choices):
            yield "Moments of bodies with full inertias are computed from second moments of mass."
        if joined := [number for number, choice in enumerate(self.choices, 1) if choice.joined]:
            bodies = _bodies(joined)
            yield f"The joint of {bodies} is eliminated together with the joint of the parent."


def make_described_candidate(model: RobotModel) -> Candidate:
    """Return the formulation of the robot as described: vectors in body axes, no regrouping."""
    return Candidate(model, (BodyChoice(),) * len(model.bodies))


def _bodies(numbers: list[int]) -> str:
    *others, last = map(str, numbers)
    return f"bodies {', '.join(others)} and {last}" if others else f"body {last}"
