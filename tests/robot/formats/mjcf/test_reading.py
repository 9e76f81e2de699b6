"""MJCF as MuJoCo has it: torques and poses of what is read are MuJoCo's own; what a robot here has
not is refused by name.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dynagen
from dynagen.errors import RobotDescriptionError, ToolchainError
from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.description import Friction
from dynagen.robot.joints import FIXED, FLOATING
from dynagen.robot.loading import list_files, parse_robot, write_robot
from dynagen.verification.reference import make_references
from dynagen.verification.robot_difference import compute_largest_difference
from tests.support.libraries import mujoco

BOX = '<geom type="box" size=".1 .2 .3" mass="2" pos=".1 -.2 .05" euler="20 -30 50"/>'
CHAIN = f"""
<option gravity="1 -2 -9"/>
<default><joint armature=".1" damping=".2"/></default>
<worldbody>
  <body name="torso" pos="0 .1 .2" euler="10 20 30">{BOX}
    <body name="upper" pos=".3 0 0" quat="0.7071067811865476 0 0.7071067811865476 0">{BOX}
      <joint name="shoulder" type="hinge" axis="0 -2 0" pos=".1 .2 .3" range="-100 90"
        frictionloss=".3" ref="25"/>
      <body name="fore" pos="0 0 -.4">{BOX}
        <joint name="elbow" type="hinge" axis="1 2 3"/>
        <joint name="slide" type="slide" axis="0 0 1" pos="0 .1 0" ref=".2"/>
        <joint name="roll" type="hinge" axis="0 0 1" pos="0 0 .1"/>
        <inertial pos=".01 .02 .03" mass="1.5" fullinertia=".4 .3 .25 .01 -.02 .03"/>
        <site name="grip" pos="0 0 -.2" euler="0 90 0"/>
      </body>
    </body>
    <body name="left" pos="-.3 0 0"><joint name="left_joint" axis="1 0 0"/>{BOX}</body>
  </body>
</worldbody>
"""


def write(tmp_path: Path, content: str, name: str = "arm") -> Path:
    (tmp_path / "arm.xml").write_text(
        f'<mujoco model="{name}"><compiler angle="degree"/>{content}</mujoco>'
    )
    return tmp_path / "arm.xml"


@pytest.mark.tools
def test_torques_and_poses_are_mujocos(tmp_path: Path) -> None:
    path = write(tmp_path, CHAIN)
    description, model = dynagen.load_robot(path), mujoco.MjModel.from_xml_path(str(path))
    data, (reference, _) = mujoco.MjData(model), make_references(description)
    names = [each.joint_name for each in description.links if each.joint.moves]
    assert names == [model.joint(index).name for index in range(model.njnt)]
    assert [each.name for each in description.links] == [
        "torso",
        "upper",
        "fore_elbow",
        "fore_slide",
        "fore",
        "left",
    ]
    for q, v, a in np.random.default_rng(2).uniform(-2, 2, (5, 3, model.nv)):
        data.qpos, data.qvel, data.qacc = q, v, a
        mujoco.mj_forward(model, data)
        data.qacc = a
        tau = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 1, tau)
        tau += model.dof_armature * a
        np.testing.assert_allclose(
            reference.compute_inverse_dynamics(q, v, a), tau, rtol=0, atol=1e-13 * np.abs(tau).max()
        )
        for body in ("torso", "upper", "fore", "left"):
            rotation, position = reference.find_frame(body).compute_pose(q)
            np.testing.assert_allclose(position, data.body(body).xpos, rtol=0, atol=1e-14)
            np.testing.assert_allclose(
                rotation, data.body(body).xmat.reshape(3, 3), rtol=0, atol=1e-14
            )
        np.testing.assert_allclose(
            reference.find_frame("grip").compute_pose(q)[1],
            data.site("grip").xpos,
            rtol=0,
            atol=1e-14,
        )


@pytest.mark.tools
def test_numbers_friction_limits_and_armature_are_those_of_the_file(tmp_path: Path) -> None:
    torso, upper, *_, fore, left = dynagen.load_robot(write(tmp_path, CHAIN)).links
    assert torso.joint.type is FIXED
    assert upper.before[1].angle == PI / 2
    assert (upper.motor_inertia, upper.friction) == (
        Exact("0.1"),
        Friction(Exact("0.2"), Exact("0.3")),
    )
    assert upper.limits is not None
    assert float(upper.limits.position[1]) == pytest.approx(np.pi / 2, rel=1e-15)
    assert fore.inertial.mass == Exact("1.5")
    assert left.friction == Friction(Exact("0.2"), ZERO)


@pytest.mark.tools
def test_a_model_without_a_name_is_called_like_its_file(tmp_path: Path) -> None:
    path = write(tmp_path, CHAIN)
    path.write_text(path.read_text().replace(' model="arm"', ""))
    assert dynagen.load_robot(path.rename(tmp_path / "walker.xml")).name == "walker"


@pytest.mark.tools
def test_a_whole_robot_is_generated_and_proved(tmp_path: Path) -> None:
    generation = dynagen.generate(write(tmp_path, CHAIN), "inverse_dynamics", states=20)
    assert generation.proofs["inverse_dynamics"].states == 20


@pytest.mark.tools
def test_what_stands_at_right_angles_is_exact(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """<default><geom type="box" size=".2 .1 .1"/></default>
        <worldbody><body name="a"><joint/><geom pos=".2 0 0"/>
        <body name="b" pos=".4 0 0" euler="0 0 90"><joint/><geom pos="0 .2 0" euler="0 0 90"/>
        </body></body></worldbody>""",
    )
    description = dynagen.load_robot(path)
    assert all(not any(each.inertial.inertia[3:]) for each in description.links)
    assert description.links[1].before[1].angle == PI / 2
    assert description.snaps == ()


@pytest.mark.tools
def test_a_linear_constraint_between_joints_is_a_mimic(tmp_path: Path) -> None:
    tied = (
        '<equality><joint name="tie" joint1="left_joint" joint2="shoulder" polycoef="0.1 '
        '-2 0 0 0"/></equality>'
    )
    path = write(tmp_path, CHAIN + tied)
    left = dynagen.load_robot(path).links[-1]
    model = mujoco.MjModel.from_xml_path(str(path))
    assert (left.joint.mimics, left.joint.ratio) == ("upper", -2)
    assert float(left.joint.offset) == pytest.approx(0.1 + 2 * model.joint("shoulder").qpos0[0])
    assert any(
        "joint left_joint follows shoulder" in note for note in dynagen.load_robot(path).notes
    )


@pytest.mark.tools
def test_what_is_read_can_be_written_in_other_syntaxes(tmp_path: Path) -> None:
    description = dynagen.load_robot(write(tmp_path, CHAIN))
    for name in ("arm.yaml", "arm.urdf"):
        written = write_robot(description, Path(name))
        read = parse_robot(written.text, name)
        places = {each.joint_name: each.joint.idx_v for each in read.links if each.joint.moves}
        assert (
            compute_largest_difference(
                description, read, [places[joint] for joint in written.joints]
            )
            < 1e-14
        )
        assert (
            "upper_joint_frame" in written.text
        )  # upper stands behind its joint, whose anchor is elsewhere


@pytest.mark.tools
def test_a_free_joint_is_a_floating_base(tmp_path: Path) -> None:
    path = write(
        tmp_path, CHAIN.replace('euler="10 20 30">', 'euler="10 20 30"><freejoint name="root"/>')
    )
    description, model = dynagen.load_robot(path), mujoco.MjModel.from_xml_path(str(path))
    assert (description.links[0].joint.type, description.links[0].before) == (FLOATING, ())
    reference, data = make_references(description)[0], mujoco.MjData(model)
    rng = np.random.default_rng(4)
    for _ in range(5):
        q, v, a = (
            rng.uniform(-2, 2, model.nq),
            rng.uniform(-2, 2, model.nv),
            rng.uniform(-2, 2, model.nv),
        )
        q[3:7] /= np.linalg.norm(q[3:7])
        x, y, z, w = q[3:7]
        data.qpos = [*q[:3], w, x, y, z, *q[7:]]
        mujoco.mj_kinematics(model, data)
        axes = data.body("torso").xmat.reshape(
            3, 3
        )  # MuJoCo's linear velocity is in the axes of the world, ours in these
        data.qvel = np.concatenate([axes @ v[:3], v[3:]])
        data.qacc = np.concatenate([axes @ (a[:3] + np.cross(v[3:6], v[:3])), a[3:]])
        acceleration = data.qacc.copy()
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        data.qacc = acceleration
        tau = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 1, tau)
        tau += model.dof_armature * acceleration
        tau[:3] = axes.T @ tau[:3]
        np.testing.assert_allclose(
            reference.compute_inverse_dynamics(q, v, a), tau, rtol=0, atol=1e-12 * np.abs(tau).max()
        )


BALL = '<worldbody><body name="a"><joint name="j" type="{}"/><geom size=".1"/></body></worldbody>'
ONE_MORE = '<body name="b"><joint name="k"/><geom size=".1"/></body></worldbody>'
TWO = BALL.format("hinge").replace("</worldbody>", ONE_MORE)


@pytest.mark.tools
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            TWO + '<equality><connect name="loop" body1="a" body2="b" anchor="0 0 0"/></equality>',
            "no joint of the loops can move",
        ),
        (
            TWO + '<equality><connect name="loop" body1="a" anchor="0 0 0"/></equality>',
            "equality loop: connect to the world is not supported",
        ),
        (
            TWO + '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
            '<equality><tendon name="loop" tendon1="t"/></equality>',
            "equality loop: a constraint of type tendon is not supported",
        ),
        (
            TWO + '<equality><joint joint1="j" joint2="k" polycoef="0 1 1 0 0"/></equality>',
            "expected a joint position that is a linear function",
        ),
        (
            TWO
            + '<equality><joint joint1="j" joint2="k"/><joint joint1="k" joint2="j"/></equality>',
            "the joints follow each other in a circle",
        ),
        (
            TWO.replace("</worldbody>", ONE_MORE.replace('"b"', '"c"').replace('"k"', '"l"'))
            + '<equality><joint joint1="j" joint2="k"/><joint joint1="j" joint2="l"/></equality>',
            "joint j follows two joints: expected one",
        ),
        (TWO.replace('name="b"', 'name="A"'), "both become `a` in generated code"),
        (
            BALL.format("hinge").replace('name="a"', 'name="1"'),
            "body 1: a name must start with a letter",
        ),
        ('<worldbody><body name="a"><geom size=".1"/></body></worldbody>', "all joints are fixed"),
        (BALL.format("spiral"), "MuJoCo: .*invalid keyword.*spiral"),
        (
            '<worldbody><body name="a"><joint/></body></worldbody>',
            "MuJoCo: Error: mass and inertia of moving bodies",
        ),
    ],
)
def test_what_is_not_available_is_refused_by_name(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(RobotDescriptionError, match=message):
        dynagen.load_robot(write(tmp_path, content))


@pytest.mark.tools
def test_springs_and_gravity_compensation_are_warned_of(tmp_path: Path) -> None:
    content = (
        BALL.format("hinge")
        .replace('type="hinge"', 'stiffness="2"')
        .replace('name="a"', 'name="a" gravcomp="1"')
    )
    said = [
        str(warning.message) for warning in dynagen.load_robot(write(tmp_path, content)).warnings
    ]
    assert said == [
        "gravcomp is not read, because dynagen has no gravity compensation: gravity acts on the "
        "whole body; subtract the compensated part from the joint forces, or remove gravcomp",
        "the spring (stiffness) is not read, because joints of dynagen have no spring towards "
        "a position: add the torque "
        "-stiffness (q - springref) to the input of forward dynamics, or set it to zero",
    ]


@pytest.mark.tools
def test_flags_disable_gravity_damping_friction_and_constraints(tmp_path: Path) -> None:
    tied = '<equality><joint joint1="left_joint" joint2="shoulder"/></equality>'
    flags = "".join(
        f'<option><flag {flag}="disable"/></option>'
        for flag in ("gravity", "frictionloss", "equality", "damper")
    )
    path = write(tmp_path, CHAIN + tied + flags)
    description, model = dynagen.load_robot(path), mujoco.MjModel.from_xml_path(str(path))
    assert description.gravity == (ZERO, ZERO, ZERO)
    assert all(each.friction is None and not each.joint.mimics for each in description.links)
    assert "1 inactive equality constraints are not read, as in MuJoCo" in description.notes
    data, reference = mujoco.MjData(model), make_references(description)[0]
    data.qpos = q = np.linspace(-1, 1, model.nv)
    mujoco.mj_forward(model, data)
    tau = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 1, tau)
    tau += model.dof_armature * data.qacc
    expected = reference.compute_inverse_dynamics(q, 0 * q, data.qacc)
    np.testing.assert_allclose(expected, tau, rtol=0, atol=1e-13)


@pytest.mark.tools
def test_what_acts_on_the_motion_is_warned_of_and_the_rest_is_noted(tmp_path: Path) -> None:
    tendon = (
        '<option density="1000"/><tendon><fixed name="t" stiffness="3"><joint joint="j" coef="1"/>'
        '</fixed></tendon><actuator><motor joint="j"/></actuator>'
        '<sensor><jointpos joint="j"/></sensor><keyframe><key qpos="1"/></keyframe>'
    )
    description = dynagen.load_robot(write(tmp_path, BALL.format("hinge") + tendon))
    warned = [str(warning.message) for warning in description.warnings]
    assert warned == [
        f"{element} are not read, because dynagen does not model them; MuJoCo "
        "computes another motion: add these forces to the joint forces, or remove the elements"
        for element in (
            "forces of a fluid (option density, viscosity)",
            "springs, damping, friction and inertia of tendons",
        )
    ]
    assert {
        f"{name} are not read: they do not change the dynamics of the robot alone"
        for name in ("tendons", "actuators", "sensors", "keyframes")
    } <= {*description.notes}


ARM_AND_MOTOR = """<worldbody><body name="b"><joint name="j" armature=".5" damping="0.25"/>
<geom size=".1" pos=".3 0 0"/></body></worldbody>
<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
<actuator><motor {} armature="0.125" damping="3" gear="2"/></actuator>"""


@pytest.mark.tools
def test_inertia_and_damping_of_motors_come_through_their_gears(tmp_path: Path) -> None:
    path = write(tmp_path, ARM_AND_MOTOR.format('joint="j"'))
    description, model = dynagen.load_robot(path), mujoco.MjModel.from_xml_path(str(path))
    (link,) = description.links
    assert (link.motor_inertia, link.friction.viscous) == (1, Exact("12.25"))
    assert description.warnings == ()
    data, matrix = mujoco.MjData(model), np.zeros((1, 1))
    data.qvel[:] = 2
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, matrix)
    reference, _ = make_references(description)
    unit = np.ones(1)
    forces = reference.compute_inverse_dynamics(0 * unit, 0 * unit, unit, gravity=False)
    np.testing.assert_allclose(forces, matrix[0], rtol=1e-14)
    np.testing.assert_allclose(data.qfrc_passive, -2 * float(link.friction.viscous), rtol=1e-14)


@pytest.mark.tools
def test_motors_of_tendons_and_polynomials_are_warned_of(tmp_path: Path) -> None:
    path = write(tmp_path, ARM_AND_MOTOR.format('tendon="t"').replace("0.25", "0 1"))
    warned = [warning.message for warning in dynagen.load_robot(path).warnings]
    assert [message.split(" are ")[0] for message in warned] == [
        "higher coefficients of damping (dampingpoly)",
        "armature and damping of actuators on other elements than hinges and slides",
    ]


def test_other_xml_and_a_missing_mujoco_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "arm.xml").write_text('<robot name="a"/>')
    with pytest.raises(
        RobotDescriptionError, match="expected <mujoco>, found <robot>: give a URDF"
    ):
        dynagen.load_robot(tmp_path / "arm.xml")
    monkeypatch.setattr("dynagen.resources.find_spec", lambda name: None)
    with pytest.raises(ToolchainError, match=r"pip install 'dynagen\[mujoco\]'"):
        dynagen.load_robot(write(tmp_path, CHAIN))


@pytest.mark.tools
def test_build_tools_are_told_of_all_files_that_one_includes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    main, part = tmp_path / "arm.xml", tmp_path / "parts/body.xml"
    main.write_text('<mujoco><worldbody><include file="parts/body.xml"/></worldbody></mujoco>')
    part.write_text(
        f'<mujocoinclude><body name="rod"><joint axis="0 1 0"/>{BOX}</body></mujocoinclude>'
    )
    assert list_files(dynagen.load_robot(main)) == (main, part)
