"""What is read of a URDF, and what is refused or warned of, with names and lines."""

from __future__ import annotations

import codecs
import json
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

import dynagen
from dynagen.cli.main import main
from dynagen.errors import RobotDescriptionError
from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.description import CentralInertia, Friction, Limits, RobotDescription
from dynagen.robot.joints import FIXED, PRISMATIC, REVOLUTE
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.options import ReadingOptions
from dynagen.robot.pose import Rotation, Translation, Y, Z
from tests.support.libraries import pinocchio as pin
from tests.support.urdf_robots import joint, link, robot

BASE = link("base_link")
ARM = BASE + link("one") + joint("j1", "base_link", "one")


def parse(*parts: str) -> RobotDescription:
    return parse_robot(robot(*parts), "arm.urdf")


def refusal(text: str) -> str:
    with pytest.raises(RobotDescriptionError) as error:
        parse_robot(text, "arm.urdf")
    return str(error.value)


def test_numbers_are_exactly_those_written() -> None:
    content = (
        '<origin xyz="0.1 2.5e-3 -.5" rpy="0 0.25 +1"/><axis xyz="0 0 -2"/><dynamics '
        'damping="0.7" friction="0.01"/>'
    )
    one = parse(BASE, link("one"), joint("j1", "base_link", "one", content)).links[1]
    assert one.before == (
        Translation((Exact("0.1"), Exact("0.0025"), Exact("-0.5"))),
        Rotation(Z, Exact(1)),
        Rotation(Y, Exact("0.25")),
    )
    assert (one.joint.type, one.joint.axis, one.after) == (REVOLUTE, (ZERO, ZERO, Exact(-2)), ())
    assert one.friction == Friction(Exact("0.7"), Exact("0.01"))
    assert one.limits == Limits((Exact(-2), Exact(2)), Exact(3), None)
    assert one.inertial.mass == Exact("1.7")


@pytest.mark.tools
def test_a_rotated_inertia_is_that_of_pinocchio() -> None:
    one = parse(ARM).links[1].inertial
    assert isinstance(one, CentralInertia)
    inertia = pin.buildModelFromXML(robot(ARM)).inertias[1]
    xx, yy, zz, xy, xz, yz = (float(element) for element in one.inertia)
    np.testing.assert_allclose(
        [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], inertia.inertia, rtol=0, atol=1e-15
    )
    np.testing.assert_allclose([float(x) for x in one.com], inertia.lever, rtol=0, atol=1e-16)
    assert sum(one.inertia[:3], ZERO) - Exact("0.95") < Exact("1e-24")


def test_the_root_is_the_base_and_every_link_a_frame() -> None:
    description = parse(
        ARM, link("tool0", ""), joint("f", "one", "tool0", '<origin xyz="0 0 0.1"/>', "fixed")
    )
    assert [(each.name, each.parent, each.joint.type) for each in description.links] == [
        ("base_link", None, FIXED),
        ("one", "base_link", REVOLUTE),
        ("tool0", "one", FIXED),
    ]
    model = build_model(description)
    assert [frame.name for frame in model.frames] == ["tool", "base_link", "one", "tool0"]
    assert (model.find_frame("tool0").body, model.find_frame("base_link").body) == (0, -1)
    assert description.gravity == (ZERO, ZERO, Exact("-9.81"))
    assert "j1 (one)" in description.notes[1]


def test_links_come_depth_first_and_what_does_not_move_before_what_does() -> None:
    parts = [link(name) for name in ("hand", "root", "left", "right", "camera", "elbow")]
    joints = [
        joint("z", "root", "left"),
        joint("y", "root", "right"),
        joint("x", "left", "elbow"),
        joint("w", "right", "hand"),
        joint("c", "root", "camera", "", "fixed"),
    ]
    description = parse(*parts, *joints)
    assert [each.name for each in description.links] == [
        "root",
        "camera",
        "left",
        "elbow",
        "right",
        "hand",
    ]
    assert [each.joint.idx_v for each in description.links if each.joint.moves] == [0, 1, 2, 3]


def test_a_joint_follows_a_mimic_of_another() -> None:
    description = parse(
        BASE,
        *(link(name) for name in ("a", "b", "c")),
        joint(
            "ja", "base_link", "a", '<mimic joint="jb" multiplier="2" offset="0.1"/>', "prismatic"
        ),
        joint("jb", "a", "b", '<mimic joint="jc" multiplier="-1" offset="0.3"/>', "continuous"),
        joint("jc", "b", "c"),
    )
    first, second, third = (each.joint for each in description.links[1:])
    assert (first.type, first.mimics, first.ratio, first.offset) == (
        PRISMATIC,
        "c",
        Exact(-2),
        Exact("0.7"),
    )
    assert (second.mimics, second.ratio, second.offset, third.nv) == (
        "c",
        Exact(-1),
        Exact("0.3"),
        1,
    )


def test_a_chain_of_mimics_may_be_as_long_as_a_robot() -> None:
    names = [f"l{i}" for i in range(900)]
    chain = [
        joint(
            f"j{i}",
            names[i - 1] if i else "base_link",
            name,
            f'<mimic joint="j{i + 1}"/>' if i < 899 else "",
        )
        for i, name in enumerate(names)
    ]
    first = parse(BASE, *(link(name, "") for name in names), *chain).links[1].joint
    assert (first.mimics, first.ratio, first.nv) == ("l899", Exact(1), 0)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1.5708", PI / 2),
        ("-3.14159274101", -PI),
        ("1.5707963705062866", PI / 2),
        ("1e-12", ZERO),
        ("1.571", Exact("1.571")),
    ],
)
def test_an_angle_that_stands_for_a_multiple_of_15_degrees_is_one_with_a_note(
    written: str, read: Exact
) -> None:
    description = parse(
        BASE, link("one"), joint("j1", "base_link", "one", f'<origin rpy="0 0 {written}"/>')
    )
    assert description.links[1].before == ((Rotation(Z, read),) if read else ())
    noted = [
        note for note in description.remarks if note.startswith("line 7: joint j1.origin.rpy: ")
    ]
    assert len(noted) == (float(read) != float(written))  # as a double has it, nothing is rounded


def test_a_length_that_is_all_but_zero_is_zero_with_a_note() -> None:
    description = parse(
        BASE, link("one"), joint("j1", "base_link", "one", '<origin xyz="1e-17 2e-9 -1e-10"/>')
    )
    assert description.links[1].before == (Translation((ZERO, Exact("2e-9"), ZERO)),)
    assert [note for note in description.remarks if "j1.origin" in note] == [
        "line 7: joint j1.origin.xyz: 1e-17 read as 0",
        "line 7: joint j1.origin.xyz: -1e-10 read as 0",
    ]


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + robot(ARM).encode(),
        robot(ARM).replace("\n", "\r\n").encode(),
        robot(ARM).replace("1.0", '1.0" encoding="UTF-16', 1).encode("utf-16"),
        robot("<gazebo><a/></gazebo><material name='x'/>", ARM, "<!-- a comment -->").encode(),
    ],
    ids=["byte-order mark", "CRLF", "UTF-16", "unknown tags"],
)
def test_encodings_line_ends_and_unknown_tags_change_nothing(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_bytes(data)
    assert load_robot(path).links == parse(ARM).links


def test_limits_that_say_nothing_are_none() -> None:
    content = '<limit lower="-1" upper="1" velocity="0" effort="inf"/>'
    description = parse(BASE, link("one"), joint("j1", "base_link", "one", content, "continuous"))
    assert description.links[1].limits == Limits(None, None, None)


def test_a_name_that_no_identifier_can_begin_with_gives_way_to_that_of_the_file() -> None:
    description = parse_robot(robot(ARM, name="2dof"), "planar.urdf")
    assert description.name == "planar"
    assert any("the robot gets the file's name planar" in note for note in description.notes)


LONG = "x" * 1_000_000
BOMB = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<robot name="&b;"/>'
REFUSED = {
    "entities": (BOMB, "arm.urdf:1: document type `robot`: not allowed in a robot description"),
    "external entity": (
        '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>',
        "arm.urdf:1: document type `r`",
    ),
    "broken": (
        "<robot name='a'>\n<link></robot>",
        "arm.urdf:2: not well-formed XML: mismatched tag",
    ),
    "empty": ("", "arm.urdf:1: not well-formed XML: no element found"),
    "deep": ("<a>" * 200 + "</a>" * 200, "arm.urdf:1: nested deeper than 100 levels"),
    "large": ("<robot name='a'>" + " " * 5_000_000, "larger than 4000000 bytes"),
    "unknown encoding": ('<?xml version="1.0" encoding="klingon"?><robot/>', "arm.urdf:1: not "),
    "not a robot": ("<sdf/>", 'arm.urdf:1: expected <robot name="...">, found <sdf>'),
    "xacro": (
        robot("<xacro:macro/>", ARM),
        "arm.urdf:3: this is xacro, a program that writes a URDF",
    ),
    "many links": (
        robot(*(link(f"l{i}", "") for i in range(1001))),
        "1001 links and 0 joints: at most 1000 of each are read",
    ),
    "no link": (robot(), 'expected at least one <link name="...">, found none'),
    "no motion": (robot(BASE), "all joints are fixed"),
    "control character": (
        robot(ARM).replace("base_link", "base\u202elink"),
        "arm.urdf:3: control character U+202E in `name`",
    ),
    "nameless link": (robot(ARM, "<link/>"), "arm.urdf:8: link: `name` is missing"),
    "long name": (
        robot(ARM, link(LONG)),
        f"xxx...: expected a name of at most {63} characters, found 1000000",
    ),
    "long number": (
        robot(ARM).replace("1.7", "1" * 999),
        "link base_link.inertial.mass.value: expected a decimal",
    ),
    "same link": (
        robot(ARM, link("one", "")),
        "arm.urdf:8: link one: the name is taken already, in line 5",
    ),
    "same identifier": (
        robot(ARM, link("One", "")),
        "`One` and `one` both become `one` in generated code",
    ),
    "same joint": (
        robot(ARM, joint("j1", "one", "base_link")),
        "arm.urdf:8: joint j1: the name is taken already, in line 7",
    ),
    "circle": (
        robot(ARM, link("a", ""), link("b", ""), joint("p", "a", "b"), joint("q", "b", "a")),
        "form a circle: a, b",
    ),
    "all in a circle": (
        robot(ARM, joint("q", "one", "base_link")),
        "link base_link: the joints form a circle",
    ),
    "two roots": (
        robot(ARM, link("adrift", "")),
        "arm.urdf:8: link adrift: 2 links are not the child of a joint: base_link, adrift",
    ),
    "closed loop": (
        robot(ARM, link("b"), joint("p", "one", "b"), joint("q", "base_link", "b")),
        "is the child of joint `p` already",
    ),
    "missing link": (
        robot(ARM, joint("p", "one", "ones")),
        "arm.urdf:8: joint p.child: there is no link `ones`; did you mean",
    ),
    "no parent": (
        robot(ARM, link("b"), '<joint name="p" type="fixed"><child link="b"/></joint>'),
        "joint p: <parent link=",
    ),
    "no axis": (
        robot(ARM).replace("</joint>", '<axis xyz="0 0 0"/></joint>'),
        "joint j1.axis: an axis must not be zero",
    ),
    "two numbers": (
        robot(ARM).replace("0.1 -0.2 0.05", "0.1 -0.2"),
        "arm.urdf:3: link base_link.inertial.origin: `xyz`: expected three",
    ),
    "no number": (
        robot(ARM).replace("0.1 -0.2", "${x} 0"),
        "link base_link.inertial.origin.xyz: expected a decimal number",
    ),
    "nan": (robot(ARM).replace("1.7", "nan"), "inertial.mass.value: expected a decimal number"),
    "huge exponent": (
        robot(ARM).replace("1.7", "1e999999999"),
        "expected an exponent between -300 and 300",
    ),
    "no mass": (robot(ARM).replace('<mass value="1.7"/>', ""), "link base_link.inertial: <mass"),
    "no ixx": (robot(ARM).replace('ixx="0.4"', ""), "`ixx` is missing in <inertia>"),
    "floating": (
        robot(ARM, link("b"), joint("p", "one", "b", "", "floating")),
        "link b: the joint is floating, but the moving link one carries it: "
        "only a link that no moving link carries can float",
    ),
    "floating beside an arm": (
        robot(ARM, link("b"), joint("p", "base_link", "b", "", "floating")),
        "link one: the link moves, but the floating link b does not carry it: make b its parent",
    ),
    "displaced before it floats": (
        robot(link("w"), link("b"), joint("p", "w", "b", '<origin xyz="0 0 1"/>', "floating")),
        "link b: q is the position of the floating link in the base frame: remove the "
        "displacement in front of it",
    ),
    "mimic of a floating joint": (
        robot(
            link("w"),
            link("b"),
            link("c"),
            joint("p", "w", "b", "", "floating"),
            joint("r", "b", "c", '<mimic joint="p"/>'),
        ),
        "joint r.mimic: joint p is fixed or floating",
    ),
    "planar, askew": (
        robot(ARM, link("b"), joint("p", "one", "b", '<axis xyz="1 1 0"/>', "planar")),
        "joint p: expected the axis of a planar joint along x, y or z of its frame: rotate "
        "the frame",
    ),
    "misspelt": (
        robot(ARM, link("b"), joint("p", "one", "b", "", "revolut")),
        "did you mean `revolute`?",
    ),
    "mimic of none": (
        robot(ARM).replace("</joint>", '<mimic joint="j2"/></joint>'),
        "joint j1.mimic: there is no joint `j2`",
    ),
    "mimic of itself": (
        robot(ARM).replace("</joint>", '<mimic joint="j1"/></joint>'),
        "the joints follow each other in a circle",
    ),
    "mimic of a fixed joint": (
        robot(ARM, link("b"), joint("f", "one", "b", "", "fixed")).replace(
            "<limit", '<mimic joint="f"/><limit'
        ),
        "joint j1.mimic: joint f is fixed or floating",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_robot_is_refused_by_name_and_line(text: str, message: str) -> None:
    found = refusal(text)
    assert message in found
    assert len(found) < 5000


def test_a_damaged_urdf_is_a_robot_or_a_message() -> None:
    whole, rng = (
        robot(ARM, link("two"), joint("j2", "one", "two", '<mimic joint="j1" multiplier="2"/>')),
        Random(7),
    )
    read = 0
    for _ in range(400):
        start = rng.randrange(len(whole))
        damaged = (
            whole[:start]
            + rng.choice(("", '"', "<", "0", "e9", "\0", "-", "\u202e", "link"))
            + whole[start + rng.randrange(6) :]
        )
        with suppress(RobotDescriptionError):
            parse_robot(damaged, "arm.urdf")
            read += 1
    assert 0 < read < 400


def test_a_link_that_moves_without_mass_is_warned_of() -> None:
    inertia = '<inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/>'
    tip = link("tip", f'<inertial><mass value="1e-6"/>{inertia}</inertial>')
    description = parse(ARM, tip, joint("j2", "one", "tip"))
    (warning,) = description.warnings
    expected = (
        "arm.urdf:8: link tip: moves with a mass of 1e-06 kg, so that the mass matrix may be "
        "singular: write its mass in "
        "<inertial>, or make joint j2 fixed"
    )
    assert warning.full_message("arm.urdf") == expected
    with pytest.raises(RobotDescriptionError, match="moves with a mass"):
        parse_robot(
            robot(ARM, tip, joint("j2", "one", "tip")), "arm.urdf", ReadingOptions(strict=True)
        )
    on_top = parse(
        ARM,
        link("tip", ""),
        joint("j2", "one", "tip"),
        link("cup"),
        joint("f", "tip", "cup", "", "fixed"),
    )
    assert on_top.warnings == ()


def test_the_command_line_and_python_take_a_urdf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(robot(ARM), encoding="utf-8")
    main(["check", str(path)])
    assert "URDF files do not contain gravity" in capsys.readouterr().out
    main([str(path), "-f", "jacobian@one", "--no-verify", "--out", str(tmp_path / "out")])
    assert (tmp_path / "out" / "src" / "arm_jacobian_at_one.c").is_file()
    assert dynagen.load_robot(robot(ARM)).links == dynagen.load_robot(path).links


def test_joints_go_by_their_own_names_and_mimics_are_told() -> None:
    text = robot(
        ARM,
        link("two"),
        joint(
            "j2", "one", "two", '<mimic joint="j1" multiplier="-0.5" offset="0.1"/>', "prismatic"
        ),
        link("three"),
        joint("j3", "two", "three"),
    )
    generation = dynagen.generate(text, verify=False, optimize="none")
    manifest = json.loads(generation.manifest.text)
    assert manifest["joints"] == [
        {"name": "j1", "link": "one", "type": "revolute", "unit": "rad"},
        {"name": "j3", "link": "three", "type": "revolute", "unit": "rad"},
    ]
    assert manifest["mimic_joints"] == [
        {
            "name": "j2",
            "link": "two",
            "type": "prismatic",
            "unit": "m",
            "follows": "j1",
            "ratio": -0.5,
            "offset": 0.1,
        }
    ]
    (header,) = (file.text for file in generation.files if file.path.endswith(".h"))
    assert "\n * 1      j3 (three)  revolute  rad       N m\n" in header
    assert "\n * Mimics   j2 = -0.5 j1 + 0.1\n" in header


@pytest.mark.parametrize(("kind", "expected"), [("revolute", 1), ("prismatic", 1), ("fixed", 0)])
def test_a_missing_limit_is_noted_where_urdf_requires_it(kind: str, expected: int) -> None:
    text = robot(
        link("b"),
        link("a"),
        joint("j", "b", "a", "", kind),
        link("c"),
        joint("k", "a", "c", "", "continuous"),
    )
    text = text.replace('<limit lower="-2" upper="2" velocity="3" effort="0"/>', "")
    notes = [note for note in parse_robot(text, "arm.urdf").notes if "<limit> is missing" in note]
    assert len(notes) == expected
