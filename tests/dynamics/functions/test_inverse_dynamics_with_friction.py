"""Inverse dynamics with friction in one call: the sum of the two functions."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.ir.evaluation import evaluate
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import parse_robot

NAME = "inverse_dynamics_with_friction"
# Friction by velocity, and friction that depends on the loads of joints.
ARM = """name: arm
gravity: [0, 0, -9.81]
links:
  - {name: upper, joint: revolute, axis: [0, 1, 0], mass: 3, com: [0.2, 0.1, 0],
      inertia: [1, 1, 1], friction: {viscous: 0.5, coulomb: 2, offset: 0.1}}
  - {name: lower, joint: revolute, origin: {xyz: [0.5, 0, 0]}, axis: [0, 0, 1], mass: 2,
      com: [0.2, 0, 0], inertia: [1, 1, 1], friction: {coulomb: 1, sign: tanh, width: 0.05LOADS}}
"""
LOADS = (
    ", bearings: [{type: journal, coefficient: 0.1, radius: 0.02, length: 0.1}]"
    ", transmission: {efficiency: 0.8}"
)


@pytest.mark.parametrize("loads", ["", LOADS])
def test_it_is_the_sum_and_is_proved(loads: str) -> None:
    robot = parse_robot(ARM.replace("LOADS", loads), "arm.yaml")
    settings = Settings("c", (NAME, "inverse_dynamics", "friction_forces"), states=20)
    made = generate(robot, settings)
    programs = {function.name: function.program for function in made.functions}
    random = np.random.default_rng(3)
    state = {name: random.normal(size=2) for name in ("q", "qd", "qdd")}
    found = {
        name: np.array(
            *evaluate(
                program,
                {argument.name: state[argument.name] for argument in program.inputs},
            ).values()
        )
        for name, program in programs.items()
    }
    total = found["inverse_dynamics"] + found["friction_forces"]
    assert np.abs(found["friction_forces"]).min() > 0.1
    assert found[NAME] == pytest.approx(total, rel=1e-12)
    assert all(proof.worst.worst_error < 1e-12 for proof in made.proofs.values())


def test_friction_by_velocity_leaves_the_regrouping_of_inertia() -> None:
    robot = parse_robot(ARM.replace("LOADS", ""), "arm.yaml")
    names = (NAME, "inverse_dynamics", "friction_forces")
    made = generate(robot, Settings("c", names, verify=False)).functions
    with_friction, rigid, friction = (
        next(function for function in made if function.name == name).operations.total
        for name in names
    )
    assert with_friction <= rigid + friction + robot.links[-1].joint.idx_v + 1
