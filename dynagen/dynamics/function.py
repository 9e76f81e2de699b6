"""DynamicsFunction: what a function takes and returns, how it is recorded, and what the reference expects of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dynagen.dynamics.newton_euler import LEGEND
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.ir.program import Argument, Program
from dynagen.ir.validation import validate
from dynagen.robot.model import RobotModel

JOINT_INPUTS = {
    "q": ("", "joint positions"),
    "qd": ("/s", "joint velocities"),
    "qdd": ("/s^2", "joint accelerations"),
}


@dataclass(frozen=True)
class DynamicsFunction:
    """A function of the rigid-body model.

    Attributes:
        name: the field's standard name.
        formula: what it computes, as one line: `tau = M(q) qdd + C(q, qd) qd + g(q)`.
        inputs: names of joint-space inputs in the order of the signature: q, qd, qdd.
        output: name of the result and its meaning; one generalised force a joint.
        record: records the function and returns one scalar a joint.
        expected: the outputs by a numeric reference, `expected(reference, *inputs)`, where all that a reference has to know is
            `inverse_dynamics(q, qd, qdd, gravity=True)`.
        legend: what the recorded names stand for.
    """

    name: str
    formula: str
    inputs: tuple[str, ...]
    output: tuple[str, str]
    record: Callable[[Recorder, RobotModel], tuple[Quantity, ...]]
    expected: Callable[..., Any]
    legend: tuple[tuple[str, str], ...] = LEGEND

    def build(self, model: RobotModel) -> Program:
        """Record the function for a robot."""
        joints = [body.joint for body in model.bodies]
        inputs = []
        for name in self.inputs:
            per_time, meaning = JOINT_INPUTS[name]
            units = tuple(joint.position_unit + per_time for joint in joints)
            inputs.append(Argument(name, (len(joints),), units, meaning))
        recorder = Recorder(self.name, inputs)
        name, meaning = self.output
        result = Argument(name, (len(joints),), tuple(joint.force_unit for joint in joints), meaning)
        return validate(recorder.finish([(result, self.record(recorder, model))]))


def joint_inputs(recorder: Recorder, model: RobotModel, name: str) -> tuple[Quantity, ...]:
    """All elements of a joint-space input."""
    return tuple(recorder.element(name, index) for index in range(len(model.bodies)))


def zeros(recorder: Recorder, model: RobotModel) -> tuple[Quantity, ...]:
    """A joint-space vector of zeros."""
    return (recorder.constant(0),) * len(model.bodies)
