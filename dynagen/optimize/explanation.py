"""What a formulation means for whoever reads the code that comes of it: sentences."""

from __future__ import annotations

from dynagen.optimize.formulations import Optimum
from dynagen.robot.model import RobotModel


def explain(described: RobotModel, optimum: Optimum) -> tuple[str, ...]:
    """How a program departs from the robot as described; nothing if it does not."""
    if optimum.formulation.of_parts:
        ways = (Optimum(*way, optimum.evaluations) for way in optimum.formulation.of_parts)
        sentences_of_parts = (sentence for way in ways for sentence in explain(described, way))
        return tuple(f"For a part of the results: {sentence}" for sentence in dict.fromkeys(sentences_of_parts))
    pairs = list(zip(described.bodies, optimum.model.bodies, strict=True))
    sentences = []
    if any(before.inertial != after.inertial or before.motor_inertia != after.motor_inertia for before, after in pairs):
        sentences.append("Inertial parameters are regrouped: what a joint does not feel is counted with the body before it.")
    placements = [(before.placement, after.placement) for before, after in pairs]
    if any(before.d != after.d for before, after in placements):
        sentences.append("Origins are slid along joint axes.")
    if any(before.theta != after.theta for before, after in placements):
        sentences.append("Frames of bodies that carry no other are turned so that the centre of mass is above x.")
    fixed = [str(number) for number, body in enumerate(optimum.formulation.bodies, 1) if not body.turned]
    if fixed:
        verb = "is" if len(fixed) == 1 else "are"
        sentences.append(f"{_bodies(fixed).capitalize()} {verb} resolved in axes that do not turn with the joint.")
    direct = [str(number) for number, body in enumerate(optimum.formulation.bodies, 1) if body.direct]
    if direct:
        sentences.append(f"The way to {_bodies(direct)} is taken in one step, in the axes of the parent.")
    if any(body.by_difference for body in optimum.formulation.bodies):
        sentences.append("Moments of bodies with full inertias come from second moments of mass.")
    return tuple(sentences)


def _bodies(numbers: list[str]) -> str:
    return f"body {numbers[0]}" if len(numbers) == 1 else f"bodies {', '.join(numbers[:-1])} and {numbers[-1]}"
