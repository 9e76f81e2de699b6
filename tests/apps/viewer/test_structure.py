"""Structure of a robot in `dynagen check`: all that exists is found, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from dynagen.apps.viewer.structure import find_structure
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.reference import make_references
from tests.support.random_robots import robots


def structure(robot: str) -> tuple[str, ...]:
    return find_structure(build_model(load_robot(robot)))


def test_a_symmetric_hand_may_stand_in_any_position():
    found = structure("puma560")
    assert "no joint force depends on the position of waist or wrist_3" in found
    assert "the gravity force of waist or wrist_3 is zero at all positions" in found
    (sums,) = (each for each in found if each.startswith("joint forces depend only on these sums"))
    assert sums.endswith("; wrist_1.my + wrist_2.mz; wrist_2.my - wrist_3.mz")


ON_A_STAND = """name: arm
gravity: [0, 0, -9.81]
links:
  - {name: stand, joint: fixed, origin: {xyz: [0, 0, 1]}, mass: 1}
  - {name: plate, joint: fixed, origin: {xyz: [0, 0, 1]}, mass: 1}
  - {name: turn, joint: revolute, axis: [0, 0, 1], mass: 2, inertia: [1, 1, 1]}
"""


def test_parameters_are_grouped_by_link_and_sums_are_one_sentence() -> None:
    model = build_model(parse_robot(ON_A_STAND, "arm.yaml"))
    assert model.notes == (
        "links stand and plate are fixed to the base: they have no effect on the dynamics",
    )
    assert find_structure(model)[-2:] == (
        "joint forces depend only on the sum of these parameters, not on the single parameters: "
        "turn.Jzz + turn.Ia",
        "no joint force depends on any parameter of stand or plate; m, mx, my, mz, Jxx, Jyy, Jxy, "
        "Jxz or Jyz of turn",
    )


def test_prismatic_axes_along_gravity_are_not_coupled_with_the_rest():
    found = structure("scara")
    assert (
        "the mass matrix is zero between these joints at all positions: arm_1 and nut; arm_2 and "
        "nut; nut and quill" in found
    )
    assert "the force of nut or quill does not depend on any position" in found


@pytest.mark.parametrize(
    "robot", ["puma560", "scara", "stanford_listing", "ur5", "planar3", "puma260"]
)
def test_what_is_said_of_positions_is_what_the_reference_computes(robot):
    """Move joints one by one in the reference; those that change no force are the named ones."""
    description = load_robot(robot)
    reference, _ = make_references(description)
    random = np.random.default_rng(7)
    states = random.uniform(-2, 2, (5, 3, reference.degrees_of_freedom))

    def changes(joint: int) -> bool:
        differences = []
        for q, qd, qdd in states:
            moved = q.copy()
            moved[joint] += 1.0
            differences.append(
                reference.compute_inverse_dynamics(moved, qd, qdd)
                - reference.compute_inverse_dynamics(q, qd, qdd)
            )
        return bool(np.abs(differences).max() > 1e-9)

    names = [body.name for body in build_model(description).coordinates]
    without = [name for joint, name in enumerate(names) if not changes(joint)]
    *others, last = without or [""]
    names = f"{', '.join(others)}{' or ' if others else ''}{last}"
    said = f"no joint force depends on the position of {names}"
    assert [each for each in structure(robot) if "depends on the position" in each] == (
        [said] if without else []
    )


@settings(max_examples=20)
@given(robots(max_joints=4))
def test_robots_in_general_have_some_structure_or_none(description):
    found = find_structure(build_model(description))
    assert len(set(found)) == len(found)
