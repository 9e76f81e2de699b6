"""Universal, cylindrical and planar joints: the chain by hand, Pinocchio's and MuJoCo's joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from dynagen.errors import RobotDescriptionError
from dynagen.robot.description import LinkDescription, RobotDescription
from dynagen.robot.formats.yaml.writing import write_yaml
from dynagen.robot.loading import parse_robot
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.libraries import mujoco
from tests.support.libraries import pinocchio as pin

HEAD = "name: joints\ngravity: [0, 0, -9.81]\nlinks:\n"
BODY = "mass: 2, com: [0.1, 0.2, 0.3], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]"
EMPTY = "mass: 0"
ROBOT = f"""{HEAD}
- {{name: cart, joint: planar, origin: {{xyz: [0.1, 0, 0], rpy: [0.3, 0, 0.2]}}, axis: [0, 0, 1],
   {BODY}}}
- {{name: wrist, joint: universal, origin: {{xyz: [0, 0.2, 0.4]}}, axes: [[0, 0, 1], [0, 1, 1]],
   {BODY}}}
- {{name: fork, parent: cart, joint: universal, origin: {{xyz: [0.3, 0, 0]}}, {BODY}}}
- {{name: rod, parent: wrist, joint: cylindrical, axis: [1, 0, 1], {BODY}}}
"""
CHAIN = f"""{HEAD}
- {{name: cart_x, joint: prismatic, origin: {{xyz: [0.1, 0, 0], rpy: [0.3, 0, 0.2]}},
   axis: [1, 0, 0], {EMPTY}}}
- {{name: cart_y, joint: prismatic, axis: [0, 1, 0], {EMPTY}}}
- {{name: cart, joint: revolute, axis: [0, 0, 1], {BODY}}}
- {{name: wrist_1, joint: revolute, origin: {{xyz: [0, 0.2, 0.4]}}, axis: [0, 0, 1], {EMPTY}}}
- {{name: wrist, joint: revolute, axis: [0, 1, 1], {BODY}}}
- {{name: fork_1, parent: cart, joint: revolute, origin: {{xyz: [0.3, 0, 0]}}, axis: [1, 0, 0],
   {EMPTY}}}
- {{name: fork, joint: revolute, axis: [0, 1, 0], {BODY}}}
- {{name: rod_length, parent: wrist, joint: prismatic, axis: [1, 0, 1], {EMPTY}}}
- {{name: rod, joint: revolute, axis: [1, 0, 1], {BODY}}}
"""
SLANT = np.array([0, 1, 1]) / np.sqrt(2), np.array([1, 0, 1]) / np.sqrt(2)


def read(text: str) -> RobotDescription:
    return parse_robot(text, "joints.yaml")


def remove_joint_names(robot: RobotDescription) -> list[LinkDescription]:
    return [replace(link, joint=replace(link.joint, name="")) for link in robot.links]


def test_they_are_the_chain_that_a_user_would_write() -> None:
    robot = read(ROBOT)
    assert remove_joint_names(robot) == list(read(CHAIN).links)
    assert robot.warnings == ()
    names = "cart_x cart_y cart_angle wrist_1 wrist_2 fork_1 fork_2 rod_length rod_angle"
    assert " ".join(link.joint_name for link in robot.links) == names


def test_a_row_has_them_about_and_along_its_axis() -> None:
    row = "convention: standard\nlinks:\n- {name: rod, joint: JOINT, dh: {alpha: pi/2, a: 1, d: 2"
    robot = read(f"{HEAD.replace('links:', row.replace('JOINT', 'cylindrical'))}}}, {BODY}}}\n")
    rod = read(f"{HEAD.replace('links:', row.replace('JOINT', 'revolute'))}}}, {BODY}}}\n").links[0]
    assert (robot.links[0].before, robot.links[1].after) == (rod.before, rod.after)
    assert read(write_yaml(robot).text).links == robot.links
    assert "joint: cylindrical\n    dh: {alpha: pi/2, a: 1, d: 2}" in write_yaml(robot).text


def test_writing_keeps_the_type_unless_a_link_of_the_chain_is_used() -> None:
    robot = read(ROBOT)
    written = write_yaml(robot)
    assert read(written.text).links == robot.links
    assert [link.joint_name for link in robot.links] == list(written.joints)
    assert [word for word in written.text.split() if word in ("planar", "universal")] == [
        "planar",
        "universal",
        "universal",
    ]
    cart_x, cart_y, *rest = robot.links
    heavy = replace(robot, links=(cart_x, replace(cart_y, motor_inertia=cart_y.joint.ratio), *rest))
    text = write_yaml(heavy).text
    assert "planar" not in text
    assert remove_joint_names(read(text)) == remove_joint_names(heavy)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            "joint: universal, axes: [[1, 0, 0], [-2, 0, 0]]",
            "axes of a universal joint are parallel",
        ),
        ("joint: universal, axes: [[1, 0, 0], [0, 0, 0]]", "expected an axis with a direction"),
        ("joint: universal, axes: [[1, 0, 0]]", "expected 2 numbers"),
        ("joint: universal, axis: [1, 0, 0]", "has two axes: write `origin` and `axes`"),
        (
            "joint: revolute, axis: [1, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]",
            "`axes` is for universal joints",
        ),
        ("joint: planar, axis: [1, 0, 1]", "expected the normal of a planar joint along x, y or z"),
        ("joint: planar", "missing: add `dh` (or `axis`, and `origin`)"),
        ("joint: cylindrical, axis: [1, 0, 0], friction: {viscous: 1}", "several coordinates"),
        ("joint: cylindrical, axis: [1, 0, 0], pitch: 1", "a cylindrical joint has no pitch"),
        ("joint: cardan", "dynagen calls it `universal`"),
    ],
)
def test_what_does_not_fit_the_joint_is_reported(fields: str, message: str) -> None:
    with pytest.raises(RobotDescriptionError) as error:
        read(f"{HEAD}- {{name: one, {fields}, mass: 1}}\n")
    assert message in str(error.value)


def test_names_and_followers_of_the_coordinates_are_checked() -> None:
    one = f"- {{name: one, joint: planar, axis: [0, 0, 1], {BODY}}}\n"
    other = f"- {{name: one_x, joint: revolute, axis: [0, 0, 1], {BODY}}}\n"
    with pytest.raises(
        RobotDescriptionError, match="one_x, one_y, one: the name `one_x` occurs twice"
    ):
        read(HEAD + one + other)
    with pytest.raises(RobotDescriptionError, match="the joint of one has several coordinates"):
        read(
            HEAD + one + other.replace("one_x", "two").replace("mass", "mimic: {joint: one}, mass")
        )


Forces = NDArray[np.float64]


def compute_forces(robot: RobotDescription) -> tuple[dict[str, Forces], Forces]:
    states = sample_states(robot, count=20)
    reference = make_references(robot)[0]
    return states, reference.compute_inverse_dynamics(states["q"], states["qd"], states["qdd"])


@pytest.mark.tools
def test_they_move_as_pinocchios_composite_joints() -> None:
    model = pin.Model()
    tensor = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]])
    inertia = pin.Inertia(2, np.array([0.1, 0.2, 0.3]), tensor)

    def add(parent: int, xyz: list[float], *joints: object) -> int:
        composite = pin.JointModelComposite(joints[0])
        for joint in joints[1:]:
            composite.addJoint(joint, pin.SE3.Identity())
        turn = pin.rpy.rpyToMatrix(0.3, 0, 0.2) if parent == 0 else np.eye(3)
        index = model.addJoint(parent, composite, pin.SE3(turn, np.array(xyz)), f"{model.njoints}")
        model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
        return int(index)

    cart = add(0, [0.1, 0, 0], pin.JointModelPX(), pin.JointModelPY(), pin.JointModelRZ())
    wrist = add(cart, [0, 0.2, 0.4], pin.JointModelRZ(), pin.JointModelRevoluteUnaligned(*SLANT[0]))
    add(cart, [0.3, 0, 0], pin.JointModelRX(), pin.JointModelRY())
    add(
        wrist,
        [0, 0, 0],
        pin.JointModelPrismaticUnaligned(*SLANT[1]),
        pin.JointModelRevoluteUnaligned(*SLANT[1]),
    )
    states, forces = compute_forces(read(ROBOT))
    data = model.createData()
    # Pinocchio numbers joints depth first.
    order = [*range(5), 7, 8, 5, 6] if model.joints[3].idx_q != 5 else [*range(9)]
    for q, v, a, tau in zip(states["q"], states["qd"], states["qdd"], forces, strict=True):
        expected = pin.rnea(model, data, q[order], v[order], a[order])
        np.testing.assert_allclose(tau[order], expected, rtol=0, atol=1e-12 * np.abs(tau).max())


MJCF = """<mujoco><compiler angle="radian" eulerseq="zyx"/><worldbody>
<body name="cart" pos=".1 0 0" euler=".2 0 .3"><joint type="slide" axis="1 0 0"/>
<joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>BODY
<body name="wrist" pos="0 .2 .4"><joint axis="0 0 1"/><joint axis="0 1 1"/>BODY
<body name="rod"><joint type="slide" axis="1 0 1"/><joint axis="1 0 1"/>BODY</body></body>
<body name="fork" pos=".3 0 0"><joint axis="1 0 0"/><joint axis="0 1 0"/>BODY</body>
</body></worldbody></mujoco>""".replace(
    "BODY", '<inertial mass="2" pos=".1 .2 .3" fullinertia=".3 .4 .5 .01 .02 .03"/>'
)


@pytest.mark.tools
def test_they_move_as_mujocos_joints_of_one_body() -> None:
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    states, forces = compute_forces(read(ROBOT))
    order = [*range(5), 7, 8, 5, 6]  # MuJoCo numbers joints depth first
    for q, v, a, tau in zip(states["q"], states["qd"], states["qdd"], forces, strict=True):
        data.qpos, data.qvel, data.qacc = q[order], v[order], a[order]
        mujoco.mj_inverse(model, data)
        np.testing.assert_allclose(
            tau[order], data.qfrc_inverse, rtol=0, atol=1e-12 * np.abs(tau).max()
        )
