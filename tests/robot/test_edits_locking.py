"""Joints that are locked: the robot that is left moves as Pinocchio's reduced model of the same
file.
"""

from __future__ import annotations

import numpy as np
import pytest

import dynagen
from dynagen.errors import UsageError
from dynagen.numbers.exact import PI, Exact
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import lock
from dynagen.robot.joints import FIXED
from dynagen.robot.pose import Rotation, X, Z, translate
from dynagen.verification.reference import make_references
from tests.support.libraries import pinocchio as pin
from tests.support.random_robots import random_description
from tests.support.urdf_robots import joint, link, robot

PLACED = '<origin xyz="0.3 0.1 -0.2" rpy="0.7 -0.4 0.9"/>'
FIVE = (
    "".join(link(name) for name in ("base_link", "a", "b", "c", "d", "e"))
    + joint("ja", "base_link", "a", PLACED + '<axis xyz="0 -1 0"/>')
    + joint("jb", "a", "b", PLACED + '<axis xyz="-0.6 0 0.8"/>')
    + joint("jc", "b", "c", PLACED + '<axis xyz="0.6 0.48 0.64"/>', "prismatic")
    + joint("jd", "b", "d", PLACED)
    + joint("je", "d", "e", PLACED + '<axis xyz="0 0 1"/>', "prismatic")
)
FOLLOWING = (
    link("base_link")
    + link("a")
    + joint("ja", "base_link", "a", PLACED)
    + link("b")
    + joint("jb", "a", "b", PLACED + '<mimic joint="ja" multiplier="-2" offset="0.3"/>')
    + link("c")
    + joint("jc", "b", "c", PLACED)
)


def forces(description: RobotDescription, *state: np.ndarray) -> np.ndarray:
    return make_references(description)[0].compute_inverse_dynamics(*state)


@pytest.mark.tools
@pytest.mark.parametrize(
    ("parts", "locks"),
    [
        (FIVE, {"ja": "0.3", "jc": "-0.2"}),
        (FIVE, {"jb": "deg(50)", "je": "1/3", "jd": "-pi/2"}),
        (FOLLOWING, {"ja": "0.4"}),
    ],
)
def test_what_is_left_moves_as_pinocchios_reduced_model(parts: str, locks: dict[str, str]) -> None:
    description = dynagen.load_robot(robot(parts), lock=locks)
    model = pin.buildModelFromXML(robot(parts))
    at = (
        {"ja": 0.4, "jb": -2 * 0.4 + 0.3}
        if parts is FOLLOWING
        else {name: eval_number(text) for name, text in locks.items()}
    )
    configuration = pin.neutral(model)
    for name, position in at.items():
        configuration[model.joints[model.getJointId(name)].idx_q] = position
    reduced = pin.buildReducedModel(model, [model.getJointId(name) for name in at], configuration)
    order = [
        reduced.joints[reduced.getJointId(each.joint_name)].idx_v
        for each in description.links
        if each.joint.nv
    ]
    assert sorted(order) == list(range(reduced.nv))
    for q, v, a in np.random.default_rng(5).uniform(-2, 2, (5, 3, reduced.nv)):
        tau = pin.rnea(
            reduced, reduced.createData(), *(state[np.argsort(order)] for state in (q, v, a))
        )[order]
        np.testing.assert_allclose(
            forces(description, q, v, a), tau, rtol=0, atol=1e-12 * np.abs(tau).max()
        )


def eval_number(text: str) -> float:
    return float(
        {"deg(50)": 50 * PI / 180, "1/3": Exact(1) / 3, "-pi/2": -PI / 2}.get(text) or Exact(text)
    )


def test_random_robots_move_as_they_do_with_the_joint_held_still() -> None:
    for seed in range(12):
        description = random_description(
            seed, joints=5, helical=0.3, axes=0.4, mimics=0.3, branches=True, fixed_links=0.3
        )
        free = [each for each in description.links if each.joint.nv]
        if len(free) < 2:
            continue
        held = free[seed % len(free)]
        locked = lock(description, [(held.name, "0.7")])
        there = [each.joint.idx_v for each in free if each is not held]
        for state in np.random.default_rng(seed).uniform(-2, 2, (3, 3, len(free))):
            state[:, held.joint.idx_v] = 0.7, 0, 0
            expected = forces(description, *state)[there]
            assert np.allclose(
                forces(locked, *state[:, there]),
                expected,
                rtol=0,
                atol=1e-12 * np.abs(expected).max(),
            )


def test_a_row_stays_a_row_and_the_locked_joint_keeps_its_name() -> None:
    arm = dynagen.load_robot("puma560", lock={"forearm": "1.5708", "wrist_1": "pi/2"})
    fixed = [each for each in arm.links if each.joint.type is FIXED]
    assert [each.name for each in fixed] == ["forearm", "wrist_1"]
    assert fixed[1].before == (
        Rotation(X, PI / 2),
        translate(X, Exact("-0.0203")),
        Rotation(Z, PI / 2),
        translate(Z, Exact("0.4331")),
    )
    assert [each.joint.idx_q for each in arm.links if each.joint.nv] == [0, 1, 2, 3]
    assert fixed[0].motor_inertia == 0
    assert "joint forearm is locked at 1.5708 rad" in arm.notes


@pytest.mark.parametrize(
    ("locks", "message"),
    [
        ({"jx": 0}, "there is no joint `jx`; there are ja, jc"),
        ({"jb": 0}, "lock jb: the joint follows the joint ja; lock ja, and both stand still"),
        ({"base_link": 0}, "lock base_link: the joint is fixed already"),
        ({"ja": "1 +"}, r"lock ja: expected a number, a name or \(, found the end"),
        ({"ja": 0, "a": 1}, "lock a: the joint is locked twice"),
        ({"ja": "nan"}, "lock ja: `nan` is not a finite number"),
        ({"ja": 0, "jc": 0}, "all joints of arm are locked"),
        ({"ja": "1e29"}, "lock ja: expected an angle up to 1000000 rad"),
    ],
)
def test_what_cannot_be_locked_is_refused(locks: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        dynagen.load_robot(robot(FOLLOWING), lock=locks)


def test_a_position_beyond_the_limits_or_in_degrees_is_warned_of() -> None:
    warnings = dynagen.load_robot(robot(FOLLOWING), lock={"ja": 90}).warnings
    assert [warning.message for warning in warnings] == [
        "90.0 rad is more than a full rotation: if it is in degrees, write deg(90.0)",
        "locked at 90.0, beyond the limits -2 to 2 rad: lock the joint within the limits, or "
        "correct the limits",
    ]
