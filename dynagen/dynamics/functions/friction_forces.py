"""Friction forces: what joints and transmissions take beyond inverse dynamics."""

from __future__ import annotations

from dynagen.dynamics.algorithms.contact import motion_and_wrench
from dynagen.dynamics.algorithms.friction import depends_on_load, record_friction
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_forces, joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel


def _inputs(model: RobotModel) -> tuple[Argument, ...]:
    """Rates are enough unless the description has bearings or transmissions whose friction depends on their load."""
    inputs = motion_and_wrench("q", "qd", "qdd") if depends_on_load(model) else joint_motion("qd")
    return inputs(model)


def _record(recording: Recording) -> Results:
    return (record_friction(recording),)


FRICTION_FORCES = DynamicsFunction(
    name="friction_forces",
    formula="tau_f = friction of joints and transmissions",
    inputs=_inputs,
    outputs=joint_forces("tau_f", "joint forces that friction takes; the motor gives tau + tau_f"),
    methods={"": _record},
    oracle=Oracle(
        lambda reference, *motion: (reference.friction.forces(*motion),),
        magnitudes=lambda reference, *motion: (reference.magnitudes.friction.magnitudes(*motion),),
    ),
    as_described=True,
)
