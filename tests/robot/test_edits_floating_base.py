"""Floating bases in descriptions: the joint, the key `base`, the transform, and what does not go
with them.
"""

from __future__ import annotations

import pytest

from dynagen.errors import RobotDescriptionError
from dynagen.numbers.exact import Exact
from dynagen.robot.edits import add_floating_base
from dynagen.robot.joints import FIXED, FLOATING, REVOLUTE
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model

WALKER = """name: walker
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 6, com: [0.1, 0, 0], inertia: [0.02, 0.07, 0.08]}
  - {name: back, joint: fixed, origin: {xyz: [0, 0, 0.1]}, mass: 1, com: [0, 0, 0],
      inertia: [0.01, 0.01, 0.01]}
  - {name: left, parent: trunk, joint: revolute, axis: [1, 0, 0], mass: 1, com: [0, 0, 0.2],
      inertia: [0.1, 0.1, 0.1]}
  - {name: right, parent: trunk, joint: revolute, axis: [1, 0, 0], mass: 1, com: [0, 0, 0.2],
      inertia: [0.1, 0.1, 0.1]}
"""


def refusal(text: str) -> str:
    with pytest.raises(RobotDescriptionError) as caught:
        parse_robot(text, "walker.yaml")
    return str(caught.value)


def test_a_floating_joint_has_seven_entries_of_q_and_six_of_v() -> None:
    trunk, _, left, right = parse_robot(WALKER, "walker.yaml").links
    assert (trunk.joint.type, trunk.joint.nq, trunk.joint.nv, trunk.joint.moves) == (
        FLOATING,
        7,
        6,
        True,
    )
    assert [(each.joint.idx_q, each.joint.idx_v) for each in (trunk, left, right)] == [
        (0, 0),
        (7, 6),
        (8, 7),
    ]


def test_what_is_fixed_to_a_floating_link_is_a_part_of_it() -> None:
    model = build_model(parse_robot(WALKER, "walker.yaml"))
    assert [body.name for body in model.bodies] == ["trunk", "left", "right"]
    assert model.bodies[0].inertial.mass == 7
    assert model.bodies[0].merged == ("back",)
    assert (model.floats, model.nv) == (True, 8)


def test_base_floating_makes_a_link_of_the_base_for_what_is_fixed_to_it() -> None:
    fixed = WALKER.replace(
        "joint: floating,", "joint: fixed, parent: base, origin: {xyz: [0, 0, 1]},"
    )
    description = parse_robot(fixed.replace("links:", "base: floating\nlinks:"), "walker.yaml")
    base, trunk, *_ = description.links
    assert (base.name, base.joint.type, trunk.parent, trunk.joint.type) == (
        "base",
        FLOATING,
        "base",
        FIXED,
    )
    (body, *legs) = build_model(description).bodies
    assert (body.inertial.mass, body.inertial.first_moment[2]) == (Exact(7), Exact("7.1"))
    assert [leg.parent for leg in legs] == [0, 0]


def test_the_root_of_a_urdf_floats_itself() -> None:
    text = """<robot name="r">
    <link name="pelvis"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    </link>
    <link name="leg"/><joint name="hip" type="continuous"><parent link="pelvis"/>
    <child link="leg"/></joint></robot>"""
    pelvis, leg = add_floating_base(parse_robot(text, "r.urdf")).links
    assert (pelvis.joint.type, pelvis.parent, leg.joint.type, leg.joint.idx_q) == (
        FLOATING,
        None,
        REVOLUTE,
        7,
    )
    world = text.replace(
        '<link name="leg"/>',
        """<link name="leg"/><link name="world"/>
    <joint name="free" type="floating"><parent link="world"/><child link="pelvis"/></joint>""",
    )
    links = parse_robot(world, "r.urdf").links
    assert [(link.name, link.joint.type) for link in links[:2]] == [
        ("world", FIXED),
        ("pelvis", FLOATING),
    ]
    model = build_model(parse_robot(world, "r.urdf"))
    assert [(body.name, body.parent) for body in model.bodies] == [("pelvis", -1), ("leg", 0)]


def test_a_robot_that_floats_already_stays_as_it_is() -> None:
    description = parse_robot(WALKER, "walker.yaml")
    assert add_floating_base(description) is description
    assert add_floating_base(load_robot("planar3")).links[0].name == "base"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "{name: left, parent: trunk",
            "{name: left, parent: base",
            "the floating link trunk does not carry it: make trunk its parent",
        ),
        (
            "joint: revolute, axis: [1, 0, 0], mass: 1",
            "joint: floating, mass: 1",
            "expected at most one floating joint",
        ),
        (
            "joint: floating,",
            "joint: floating, axis: [0, 0, 1],",
            "links[0] (trunk).axis: q contains the pose of a floating link",
        ),
        ("joint: floating,", "joint: floating, origin: {xyz: [0, 0, 1]},", "remove `origin`"),
        (
            "joint: floating,",
            "joint: floating, motor: {inertia: 1},",
            "a floating joint has no axis: remove `motor`",
        ),
        (
            "joint: floating,",
            "joint: floating, limits: {velocity: 1},",
            "a floating joint has no axis: remove `limits`",
        ),
        (
            "{name: left, parent: trunk,",
            "{name: left, mimic: {joint: trunk}, parent: trunk,",
            "the joint of trunk is floating: name a link whose joint moves about or along an axis",
        ),
    ],
)
def test_what_does_not_go_with_a_floating_joint_is_named(old: str, new: str, message: str) -> None:
    found = refusal(WALKER.replace(old, new))
    assert message in found
