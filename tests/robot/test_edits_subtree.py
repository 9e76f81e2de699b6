"""Parts of robots: a chain or a subtree moves as the whole robot does with everything else standing
still.
"""

from __future__ import annotations

import numpy as np
import pytest

import dynagen
from dynagen.errors import UsageError
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import lock, select_part
from dynagen.robot.joints import FIXED
from dynagen.robot.loading import parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.kinematics import compute_joint_frames, round_vector
from dynagen.verification.reference import make_references
from tests.support.random_robots import random_description
from tests.support.urdf_robots import INERTIAL, joint, link, robot

PLACED = '<origin xyz="0.3 0.1 -0.2" rpy="0.7 -0.4 0.9"/>'
TORSO = link("base_link") + link("torso") + joint("waist", "base_link", "torso", PLACED)
CAMERA = link("camera") + joint("mount", "torso", "camera", PLACED, "fixed")
LEFT = (
    link("l1")
    + joint("jl1", "torso", "l1", PLACED)
    + link("l2")
    + joint("jl2", "l1", "l2", PLACED, "prismatic")
)
HAND = (
    link("hand")
    + joint("wrist", "l2", "hand", PLACED, "fixed")
    + link("finger")
    + joint("grip", "hand", "finger", PLACED)
)
RIGHT = link("r1") + joint("jr1", "torso", "r1", PLACED)


def forces(description: RobotDescription, *state: np.ndarray) -> np.ndarray:
    return make_references(description)[0].compute_inverse_dynamics(*state)


def test_a_tip_leaves_the_chain_and_what_is_fixed_to_it() -> None:
    whole = dynagen.load_robot(robot(TORSO, CAMERA, LEFT, HAND, RIGHT), tip="l2")
    written = dynagen.load_robot(robot(TORSO, CAMERA, LEFT))
    assert [each.name for each in whole.links] == ["base_link", "torso", "camera", "l1", "l2"]
    assert whole.links == written.links
    assert build_model(whole).find_frame("tool") == build_model(whole).frames[0]
    assert build_model(whole).find_frame("tool").body == build_model(whole).find_frame("l2").body
    assert (
        "3 links with 5.1 kg are left out by root or tip, without effect on the other links: "
        "hand, finger, r1" in whole.notes
    )


def test_a_root_is_the_base_and_gravity_stays_where_it_was() -> None:
    part = dynagen.load_robot(robot(TORSO, CAMERA, LEFT, RIGHT), root="torso", tip="l2")
    whole = dynagen.load_robot(robot(TORSO, CAMERA, LEFT))
    moving = [each.joint.idx_v for each in whole.links if each.name in ("l1", "l2")]
    for state in np.random.default_rng(7).uniform(-2, 2, (5, 3, 3)):
        state[:, 0] = 0  # the waist stands still
        expected = forces(whole, *state)[moving]
        np.testing.assert_allclose(
            forces(part, *state[:, moving]), expected, rtol=0, atol=1e-12 * np.abs(expected).max()
        )
    assert (part.links[0].name, part.links[0].joint.type, part.links[0].before) == (
        "torso",
        FIXED,
        (),
    )


def test_a_robot_cut_at_a_locked_joint_takes_the_direction_of_gravity_there() -> None:
    text = robot(TORSO, LEFT)
    part = dynagen.load_robot(text, root="torso", lock={"waist": "0.8"})
    whole = dynagen.load_robot(text, lock={"waist": "0.8"})
    for state in np.random.default_rng(8).uniform(-2, 2, (5, 3, 2)):
        expected = forces(whole, *state)
        np.testing.assert_allclose(
            forces(part, *state), expected, rtol=0, atol=1e-12 * np.abs(expected).max()
        )


def test_random_robots_cut_at_any_link_move_as_with_all_others_locked() -> None:
    cuts = 0
    for seed in range(30):
        whole = random_description(
            seed, joints=6, helical=0.2, axes=0.4, branches=True, fixed_links=0.3, origins=True
        )
        root = whole.links[seed % len(whole.links)].name
        try:
            part = select_part(whole, root, None)
        except UsageError:
            continue  # a tip
        cuts += 1
        names = {each.name for each in part.links if each.joint.moves}
        others = [each.name for each in whole.links if each.joint.moves and each.name not in names]
        held = lock(whole, [(name, "0") for name in others])
        for state in np.random.default_rng(seed).uniform(-2, 2, (3, 3, len(names))):
            expected = forces(held, *state)
            assert np.allclose(
                forces(part, *state), expected, rtol=0, atol=1e-11 * np.abs(expected).max()
            )
        links, (reference, _) = [each.name for each in whole.links], make_references(whole)
        _, poses = compute_joint_frames(reference.links, np.zeros(reference.degrees_of_freedom))
        turned = poses[links.index(root)][:3, :3].T @ round_vector(whole.gravity)
        np.testing.assert_allclose(round_vector(part.gravity), turned, rtol=0, atol=1e-12)
    assert cuts > 10


FOLLOWING = RIGHT.replace("</joint>", '<mimic joint="jl1"/></joint>')


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        (LEFT, {"root": "troso"}, "there is no link `troso`; did you mean `torso`?"),
        (LEFT, {"tip": "x"}, "there is no link `x`; there are base_link, torso, l1, l2"),
        (
            LEFT,
            {"root": "l2", "tip": "torso"},
            "link l2 does not carry torso: the root comes before the tip",
        ),
        (LEFT, {"root": "l2"}, "no joint of arm between root and tip moves"),
        (LEFT, {"root": "l1", "tip": "l1"}, "no joint of arm between root and tip moves"),
        (
            LEFT + FOLLOWING,
            {"tip": "r1"},
            "joint jr1 follows jl1, which is left out: lock jl1 at a position",
        ),
    ],
)
def test_what_cannot_be_cut_is_refused(parts: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        dynagen.load_robot(robot(TORSO, parts), **options)


def test_a_follower_of_a_locked_joint_can_be_cut_out() -> None:
    part = dynagen.load_robot(robot(TORSO, LEFT, FOLLOWING), lock={"jl1": "0.4"}, tip="r1")
    assert [(each.name, each.joint.moves) for each in part.links] == [
        ("base_link", False),
        ("torso", True),
        ("l1", False),
        ("r1", False),
    ]


def test_warnings_are_of_what_is_kept() -> None:
    heavy = RIGHT.replace(INERTIAL, INERTIAL.replace('value="1.7"', 'value="-1"'))
    text = robot(TORSO, LEFT, heavy)
    assert [warning.link for warning in dynagen.load_robot(text).warnings] == ["r1"]
    assert dynagen.load_robot(text, strict=True, tip="l2").warnings == ()
    yaml = YAML.replace(
        "- {name: c, joint: revolute, axis: [0, 1, 0], origin: {xyz: [0, 0, 1]}, mass: 1", LIGHT
    )
    assert [warning.link for warning in parse_robot(yaml, "arm.yaml").warnings] == ["c"]
    assert select_part(parse_robot(yaml, "arm.yaml"), None, "b").warnings == ()


LIGHT = "- {name: c, joint: revolute, axis: [0, 1, 0], origin: {xyz: [0, 0, 1]}, mass: -1"
YAML = """name: arm
gravity: [0, 0, -9.81]
links:
- {name: a, joint: revolute, axis: [0, 1, 0], mass: 1, com: [0, 0, 0.1], inertia: [1, 1, 0.5]}
- {name: b, joint: revolute, axis: [0, 1, 0], origin: {xyz: [0, 0, 1]}, mass: 1, com: [0, 0, 0.1],
    inertia: [1, 1, 0.5]}
- {name: c, joint: revolute, axis: [0, 1, 0], origin: {xyz: [0, 0, 1]}, mass: 1, com: [0, 0, 0.1],
    inertia: [1, 1, 0.5]}
frames: [{name: camera, link: c}]
"""


def test_payload_and_wrench_have_to_be_on_what_is_kept() -> None:
    payload, wrench = (
        parse_robot(YAML + "payload: b\n", "arm.yaml"),
        parse_robot(YAML + "external_wrench: camera\n", "arm.yaml"),
    )
    assert [each.name for each in select_part(payload, None, "b").links] == ["a", "b", "payload"]
    with pytest.raises(UsageError, match="the link that carries the payload is left out"):
        select_part(payload, None, "a")
    with pytest.raises(
        UsageError, match="the frame camera, at which an external wrench acts, is left out"
    ):
        select_part(wrench, None, "b")
    assert select_part(wrench, "a", None).external_wrenches == ("camera",)
