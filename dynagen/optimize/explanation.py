"""What a formulation means for whoever reads the code that comes of it: sentences."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.joining import JoinedFunction
from dynagen.model.model import RobotModel
from dynagen.optimize.candidates import FormulatedModel


def explain(definition: DynamicsFunction, described: RobotModel, way: FormulatedModel) -> tuple[str, ...]:
    """How a program departs from the robot as described; nothing if it does not."""
    if way.formulation.of_parts and isinstance(definition, JoinedFunction):
        ways = (FormulatedModel(*each) for each in way.formulation.of_parts)
        parts = zip(definition.parts, ways, strict=True)
        sentences_of_parts = (sentence for part, its in parts for sentence in explain(part, described, its))
        return tuple(f"For a part of the results: {sentence}" for sentence in dict.fromkeys(sentences_of_parts))
    pairs = list(zip(described.bodies, way.model.bodies, strict=True))
    sentences = []
    inertial = [[(body.inertial, body.motor_inertia) for body in pair] for pair in pairs]
    if definition.inertial and any(before != after for before, after in inertial):
        sentences.append("Inertial parameters are regrouped: what a joint does not feel is counted with the body before it.")
    placements = [(before.placement, after.placement) for before, after in pairs]
    if any(before.d != after.d for before, after in placements):
        sentences.append("Origins are slid along joint axes.")
    if any(before.theta != after.theta for before, after in placements):
        sentences.append("Frames of bodies that carry no other are turned so that the centre of mass is above x.")
    fixed = [str(number) for number, body in enumerate(way.formulation.bodies, 1) if not body.turned]
    if fixed:
        verb = "is" if len(fixed) == 1 else "are"
        sentences.append(f"{_bodies(fixed).capitalize()} {verb} resolved in axes that do not turn with the joint.")
    direct = [str(number) for number, body in enumerate(way.formulation.bodies, 1) if body.direct]
    if direct:
        sentences.append(f"The way to {_bodies(direct)} is taken in one step, in the axes of the parent.")
    if any(body.by_difference for body in way.formulation.bodies):
        sentences.append("Moments of bodies with full inertias come from second moments of mass.")
    return tuple(sentences)


def _bodies(numbers: list[str]) -> str:
    return f"body {numbers[0]}" if len(numbers) == 1 else f"bodies {', '.join(numbers[:-1])} and {numbers[-1]}"
