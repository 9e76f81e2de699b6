"""`--payload [FRAME]`: a body that comes at run time, for robots of every syntax."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dynagen
from dynagen.errors import UsageError
from dynagen.numbers.exact import Exact
from dynagen.robot.edits import substitute
from dynagen.robot.loading import apply_options, parse_robot
from dynagen.robot.options import make_reading_options
from dynagen.robot.payload import PAYLOAD_PARAMETERS
from dynagen.verification.robot_difference import compute_largest_difference

# A body at the frame `grip` of each robot: mass, first moments, inertia about the frame's origin.
BODY = ("2", "0.2", "-0.1", "0.3", "0.08", "0.09", "0.05", "0.01", "-0.02", "0.03")
GRIP_IN_YAML = "{xyz: [0.1, 0, 0.2], rpy: [0.3, -0.2, pi/2]}"
ARM = """name: arm
gravity: [0, 0, -9.81]
links:
  - {name: upper, joint: revolute, axis: [0, 1, 0], mass: 3, com: [0.2, 0, 0], inertia: [1, 1, 1]}
  - {name: lower, joint: revolute, joint_name: elbow, origin: {xyz: [0.5, 0, 0]}, axis: [0, 0, 1],
      mass: 2, com: [0.2, 0, 0], inertia: [1, 1, 1]}
"""
FRAME = f"frames: [{{name: grip, link: lower, {GRIP_IN_YAML[1:-1]}}}]\n"
URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="grip"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="hold" type="fixed"><parent link="lower"/><child link="grip"/>
    <origin xyz="0.1 0 0.2" rpy="0.3 -0.2 1.5707963267948966"/></joint>
</robot>
"""


def carry(options: dict[str, str | bool], text: str, path: str):
    """A robot with the payload's parameters replaced by the body's."""
    description = parse_robot(text, path, make_reading_options(**options))
    values = map(Exact, BODY)
    return substitute(description, dict(zip(PAYLOAD_PARAMETERS, values, strict=True)))


@pytest.mark.parametrize(
    ("options", "text", "path"),
    [
        ({"payload": "grip"}, ARM + FRAME, "arm.yaml"),
        ({}, f"{ARM}{FRAME}payload: grip\n", "arm.yaml"),
        ({"payload": "grip"}, URDF, "arm.urdf"),
        ({"payload": True}, URDF, "arm.urdf"),
        ({"payload": True, "tip": "grip"}, URDF, "arm.urdf"),
    ],
)
def test_a_payload_is_a_body_at_its_frame(options, text: str, path: str) -> None:
    (mass, *first_moment), inertia = BODY[:4], BODY[4:]
    body = (
        f"  - {{name: body, joint: fixed, origin: {GRIP_IN_YAML}, mass: {mass}, "
        f"first_moment: [{', '.join(first_moment)}], "
        f"inertia_about_origin: [{', '.join(inertia)}]}}\n"
    )
    expected = parse_robot(ARM + body, "arm.yaml")
    assert compute_largest_difference(expected, carry(options, text, path), [0, 1]) < 1e-14
    without = parse_robot(ARM, "arm.yaml")
    assert compute_largest_difference(expected, without, [0, 1]) > 0.01


def test_tool_stays_where_it_is_with_a_payload_at_another_frame() -> None:
    description = parse_robot(ARM + FRAME, "arm.yaml", make_reading_options(payload="grip"))
    (tool,) = (frame for frame in description.frames if frame.name == "tool")
    assert (tool.link, tool.placement) == ("lower", ())


def test_the_option_replaces_the_payload_of_the_file_and_may_be_applied_twice() -> None:
    options = make_reading_options(payload="upper")
    once = parse_robot(f"{ARM}payload: lower\n", "arm.yaml", options)
    twice = apply_options(once, options)
    assert [(link.name, link.parent) for link in once.links] == [
        ("upper", None),
        ("payload", "upper"),
        ("lower", "upper"),
    ]
    assert (twice.links, twice.parameters) == (once.links, once.parameters)


@pytest.mark.parametrize(
    ("frame", "text", "message"),
    [
        ("lowre", ARM, "payload: there is no link or frame `lowre`; did you mean `lower`?"),
        ("tool", ARM.replace("lower", "payload"), "the name `payload` is reserved for the payload"),
        (
            "tool",
            f"{ARM}parameters: {{payload_mass: {{value: 1, runtime: true}}}}\n",
            "the run-time parameter `payload_mass` has the name",
        ),
    ],
)
def test_what_is_refused(frame: str, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_robot(text, "arm.yaml", make_reading_options(payload=frame))
    assert message in str(error.value)


def test_the_command_line_generates_converts_and_verifies_it(run, tmp_path: Path) -> None:
    arm, out = tmp_path / "arm.urdf", tmp_path / "c"
    arm.write_text(URDF)
    made = run(arm, "-f", "gravity_forces", "--states", "20", "--out", out, "--payload")
    assert made[0] == 0, made
    manifest = json.loads((out / "arm.manifest.json").read_text())
    assert manifest["reading"] == {"payload": "tool"}
    assert run("verify", out, arm, "--states", "20")[0] == 0
    written = tmp_path / "arm.yaml"
    assert run("convert", arm, "--payload", "grip", "-o", written)[0] == 0
    again = dynagen.load_robot(written)
    assert "payload: grip" in written.read_text()
    assert [link.joint_name for link in again.links if link.joint.moves] == ["shoulder", "elbow"]
