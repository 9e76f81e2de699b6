from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.errors import RobotDescriptionError, UsageError, suggest_word
from dynagen.numbers.exact import PI, Exact
from dynagen.numbers.parametric import Parameter, ParametricNumber
from dynagen.resources import find_robots_folder, find_templates_folder, list_bundled_robots
from dynagen.robot.description import CentralInertia, OriginInertia, RobotDescription
from dynagen.robot.formats.yaml.schema import RobotSchema
from dynagen.robot.joints import FIXED, PRISMATIC, REVOLUTE, Joint
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.names import make_identifier
from dynagen.robot.options import ReadingOptions
from dynagen.robot.pose import Rotation, X, Y, Z, translate

HEAD = "name: arm\nconvention: modified\ngravity: [0, 0, -9.81]\n"
LINK = "- {name: one, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: 1"


def parse(links: str, before: str = "", after: str = "") -> RobotDescription:
    return parse_robot(f"{HEAD}{before}links:\n{links}\n{after}", "arm.yaml")


def faults_of(text: str) -> list[str]:
    with pytest.raises(RobotDescriptionError) as error:
        parse_robot(text, "arm.yaml")
    return str(error.value).splitlines()


@pytest.mark.parametrize("name", list_bundled_robots())
def test_every_bundled_robot_loads_and_cites_its_source(name: str) -> None:
    robot = load_robot(name)
    assert robot.name == name
    assert Path(robot.path).name == f"{name}.yaml"
    assert robot.source
    assert robot.notes == ()
    assert (
        robot.sha256
        == hashlib.sha256((find_robots_folder() / f"{name}.yaml").read_bytes()).hexdigest()
    )


def test_the_robots_of_the_literature_and_some_everyday_ones_are_bundled() -> None:
    assert list_bundled_robots() == (
        *(
            "g1",
            "general6",
            "panda",
            "pendulum",
            "planar3",
            "puma260",
            "puma560",
            "puma560_listing",
            "puma560_listing_3dof",
            "puma_saha",
        ),
        *(
            "scara",
            "solo12",
            "stanford",
            "stanford_listing",
            "stanford_listing_3dof",
            "stanford_saha",
            "two_arm",
            "ur5",
        ),
    )
    assert find_templates_folder().name == "templates"


def test_the_puma_560_is_read_as_measured() -> None:
    robot = load_robot("puma560")
    assert robot.gravity == (0, 0, Exact("-9.8"))
    assert [link.parent for link in robot.links] == [
        None,
        "waist",
        "upper_arm",
        "forearm",
        "wrist_1",
        "wrist_2",
    ]
    upper_arm = robot.links[1]
    assert upper_arm.joint == Joint(REVOLUTE, idx_q=1, idx_v=1)
    assert upper_arm.before == (Rotation(X, -PI / 2), translate(Z, Exact("0.2435")))
    assert upper_arm.after == ()
    assert isinstance(upper_arm.inertial, CentralInertia)
    assert upper_arm.inertial.com[0] == Exact("0.068")
    assert upper_arm.inertial.inertia == tuple(
        Exact(x) for x in ("0.130", "0.524", "0.539", "0", "0", "0")
    )
    assert upper_arm.motor_inertia == Exact("4.71")


def test_the_stanford_arm_has_a_prismatic_joint_with_a_motor_in_kilograms() -> None:
    boom = load_robot("stanford").links[2]
    assert (boom.joint.type, boom.motor_inertia) == (PRISMATIC, Exact("0.782"))


def test_the_puma_260_keeps_identified_moments_and_friction() -> None:
    wrist = load_robot("puma260").links[3]
    assert isinstance(wrist.inertial, OriginInertia)
    assert wrist.inertial.first_moment[1] == Exact("-0.38219")
    assert wrist.friction is not None
    assert wrist.friction.coulomb == Exact("0.256854")


def test_physical_impossibilities_are_told_and_refused_only_when_strict() -> None:
    message = "inertia breaks the triangle inequality (0.0125 + 0.066 < 0.086 kg m^2)"
    warned = load_robot("puma560").warnings
    assert ("links[2] (forearm)", 25) in [(warning.where, warning.line) for warning in warned]
    with pytest.raises(RobotDescriptionError) as error:
        load_robot("puma560", ReadingOptions(strict=True))
    assert error.value.faults == warned
    assert error.value.faults[1].message.startswith(
        f"{message}, which is impossible for a body: check units, axes and signs"
    )
    assert load_robot("stanford", ReadingOptions(strict=True)) == load_robot("stanford")
    assert (
        load_robot("puma260")
        .warnings[0]
        .message.startswith(
            "the first moment is not zero but the mass is, which is impossible: write the mass"
        )
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("mass: -1", "mass -1 kg is negative"),
        (
            "mass: 0.2675, inertia: [0, 0, 0, 0, 1.35525e-20, 0]",
            "inertia about the centre of mass consists of rounding errors only (at most 1e-20 kg "
            "m^2)",
        ),
        (
            "mass: 1, inertia: [0, 0, 0.003, 0, 1e-19, 0]",
            "inertia breaks the triangle inequality (0 + 0 < 0.003 kg m^2)",
        ),
        (
            "mass: 1, inertia: [-1, 1, 1]",
            "inertia about the centre of mass has a negative principal moment (-1 kg m^2)",
        ),
        (
            "mass: 1, inertia: [1, 1, 1, 2, 0, 0]",
            "inertia about the centre of mass has a negative principal moment (-1 kg m^2)",
        ),
        (
            "mass: 1, first_moment: [2, 0, 0], inertia_about_origin: [1, 1, 1]",
            "inertia about the centre of mass has a negative principal moment (-3 kg m^2)",
        ),
        ("mass: 1, motor: {inertia: -2}", "motor inertia -2 is negative"),
        ("mass: 1, friction: {viscous: -2, coulomb: 1}", "viscous friction -2 is negative"),
    ],
)
def test_each_physical_impossibility_has_its_sentence(fields: str, message: str) -> None:
    robot = parse(LINK.replace("mass: 1", fields) + "}")
    (warning,) = (
        warning.message
        for warning in robot.warnings
        if "is missing and read as" not in warning.message
    )
    assert re.match(
        re.escape(message)
        + "(: |, so that it drives the joint: |, which is impossible for a (body|motor): )[a-z]",
        warning,
    )


def test_a_point_on_the_edge_of_the_possible_is_possible() -> None:
    rod = LINK + ", com: [1, 0, 0], inertia: [0, 1/3, 1/3]}"
    moved = LINK + ", first_moment: [1, 0, 0], inertia_about_origin: [0, 4/3, 4/3]}"
    assert parse(rod).warnings == parse(moved).warnings == ()


def test_parameters_are_folded_in_order() -> None:
    robot = parse(
        "- {name: one, joint: revolute, dh: {alpha: 0, a: 2*l, d: 0}, mass: payload}",
        before="parameters:\n  r: 0.2\n  l: r + 0.1\n  payload: {value: 10*r, unit: kg, "
        "runtime: false}\n",
    )
    assert (robot.links[0].before, robot.links[0].inertial.mass) == (
        (translate(X, Exact("0.6")),),
        2,
    )


def test_a_tree_is_reordered_so_that_parents_come_first() -> None:
    dh = "joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: 0"
    robot = parse(
        f"- {{name: b, parent: a, {dh}}}\n- {{name: a, parent: base, {dh}}}\n- {{name: c, {dh}}}"
    )
    assert [(link.name, link.parent) for link in robot.links] == [
        ("a", None),
        ("b", "a"),
        ("c", "a"),
    ]
    assert robot.notes == (
        "links: links and their joints were reordered so that parents come first: a, b, c",
    )


def test_origin_frames_limits_and_motors_are_described() -> None:
    robot = parse(
        LINK + ", motor: {rotor_inertia: 1e-4, gear_ratio: -100}, limits: {position: [-pi, pi], "
        "velocity: 2, effort: 3}}\n"
        "- {name: flange, joint: fixed, origin: {xyz: [0, 0, 0.1], rpy: [0, 1.5708, 0]}, mass: 0}",
        after="frames:\n- {name: tool, link: flange, xyz: [0, 0, 0.2], rpy: [0, 0, pi]}",
    )
    one, flange = robot.links
    assert one.motor_inertia == 1
    assert one.limits is not None
    assert (one.limits.position, one.limits.velocity, one.limits.effort) == ((-PI, PI), 2, 3)
    assert flange.joint == Joint(FIXED, idx_q=1, idx_v=1)
    assert flange.before == (translate(Z, Exact("0.1")), Rotation(Y, PI / 2))
    assert (robot.frames[0].link, robot.frames[0].placement) == (
        "flange",
        (translate(Z, Exact("0.2")), Rotation(Z, PI)),
    )
    assert robot.remarks == ("links[1] (flange).origin.rpy[1]: 1.5708 read as pi/2",)


def test_what_an_origin_or_a_frame_leaves_out_is_zero() -> None:
    robot = parse(
        "- {name: a, joint: revolute, mass: 0, axis: [0, 0, 1], origin: {xyz: [0, 0, 2]}}\n"
        "- {name: b, joint: fixed, mass: 0, origin: {rpy: [0, 0, pi]}}",
        after="frames:\n- {name: tool, link: a}",
    )
    assert [link.before for link in robot.links] == [(translate(Z, Exact(2)),), (Rotation(Z, PI),)]
    assert robot.frames[0].placement == ()


def test_snapped_angles_are_noted_and_missing_inertial_data_warned_of() -> None:
    robot = parse("- {name: shoulder, joint: revolute, dh: {alpha: 1.5707963, a: 1.5708, d: 0}}")
    assert robot.links[0].before == (Rotation(X, PI / 2), translate(X, Exact("1.5708")))
    assert robot.remarks == ("links[0] (shoulder).dh.alpha: 1.5707963 read as pi/2",)
    (warning,) = robot.warnings
    assert warning.full_message("arm.yaml").endswith(
        ": links[0] (shoulder): inertial data are missing and read as zero: write mass: 0 to "
        "confirm"
    )


def test_angles_that_look_like_degrees_are_warned_of() -> None:
    robot = parse(
        "- {name: shoulder, joint: revolute, mass: 0, dh: {alpha: -90, a: 7, d: 0, theta: -2*pi}}"
    )
    assert robot.links[0].before[0] == Rotation(X, Exact(-90))
    (warning,) = robot.warnings
    assert warning.where == "links[0] (shoulder).dh.alpha"
    assert (
        warning.message
        == "-90 rad is more than a full rotation: if it is in degrees, write deg(-90)"
    )


TEN_FAULTS = """\
name: 2_arm
convention: Modified
gravity: [0, -9.81]
parametres: {l1: 1}
links:
  - name: upper_arm
    joint: rotated
    dh: {alpha: 0, a: 0, d: 0}
    mass: heavy
  - name: forearm
    parent: uper_arm
    joint: revolute
    dh: {alpha: pi/2, a: 2*, d: }
    com: [0, 0, 0.1]
    first_moment: [0, 0, 1]
  - joint: prismatic
    dh: {alpha: 0, a: 0, d: 0}
"""


def test_all_faults_of_a_file_come_at_once_in_the_order_of_lines() -> None:
    mixed = "write `com` and `inertia`, or `first_moment` and `inertia_about_origin`"
    assert faults_of(TEN_FAULTS) == [
        "arm.yaml:1: name: a name must start with a letter (a-z), found `2_arm`",
        "arm.yaml:2: convention: expected modified or standard, found `Modified`; did you "
        "mean `modified`?",
        "arm.yaml:3: gravity: expected 3 numbers, found 2",
        "arm.yaml:4: parametres: unknown key `parametres`; did you mean `parameters`?",
        "arm.yaml:7: links[0] (upper_arm).joint: expected revolute, prismatic, helical, fixed, "
        "floating, spherical, universal, cylindrical or planar, found `rotated`",
        "arm.yaml:9: links[0] (upper_arm).mass: unknown name `heavy` (character 1 of `heavy`)",
        "arm.yaml:11: links[1] (forearm).parent: there is no link `uper_arm`; did you mean "
        "`upper_arm`?",
        "arm.yaml:13: links[1] (forearm).dh.d: no value is given; write one, or remove the key",
        "arm.yaml:13: links[1] (forearm).dh.a: expected a number, a name or (, found the end "
        "(character 3 of `2*`)",
        f"arm.yaml:15: links[1] (forearm).first_moment: `com` and `first_moment` exclude "
        f"each other: {mixed}",
        "arm.yaml:16: links[2]: `name` is missing: name of the link",
        "arm.yaml:17: links[2].dh: `theta` is missing: write 0 where it is zero",
    ]


@pytest.mark.parametrize(
    ("key", "word", "here"),
    [
        ("convention", "craig", "modified"),
        ("convention", "DH", "standard"),
        ("joint", "continuous", "revolute"),
    ],
)
def test_what_others_call_otherwise_is_named(key: str, word: str, here: str) -> None:
    text = re.sub(f"{key}: .*", f"{key}: {word}", TEN_FAULTS, count=1)
    assert any(
        fault.endswith(f"found `{word}`; dynagen calls it `{here}`") for fault in faults_of(text)
    )


@pytest.mark.parametrize(
    ("fields", "where", "message"),
    [
        ("cog: [0, 0, 0]", ".cog", "unknown key `cog`; dynagen calls it `com`"),
        (
            "motor_inertia: 2",
            ".motor_inertia",
            "unknown key `motor_inertia`; dynagen calls it `motor`",
        ),
        ("damping: 1", ".damping", "unknown key `damping`; dynagen calls it `friction`"),
        ("masss: 2", ".masss", "unknown key `masss`; did you mean `mass`?"),
        (
            "colour: red",
            ".colour",
            "unknown key `colour`; there are name, parent, joint, joint_name, pitch, origin, ",
        ),
        ("com: [0, 0]", ".com", "expected 3 numbers, found 2"),
        ("com: 3", ".com", "expected a list, found `3`"),
        (
            "inertia: [1, 2, 3, 4]",
            ".inertia",
            "expected 3 numbers (a diagonal) or 6 (Ixx Iyy Izz Ixy Ixz Iyz), found 4",
        ),
        (
            "inertia: [1, .nan, 3]",
            ".inertia[1]",
            "`.nan` is not a finite number (character 1 of `.nan`)",
        ),
        (
            "inertia: [1, inf, 3]",
            ".inertia[1]",
            "`inf` is not a finite number (character 1 of `inf`)",
        ),
        (
            "motor: {inertia: true}",
            ".motor.inertia",
            "expected a number or arithmetic such as -pi/2, found `true`",
        ),
        (
            "motor: 3",
            ".motor",
            "expected a mapping with the keys inertia, rotor_inertia, gear_ratio, stiffness, "
            "damping, found `3`",
        ),
        (
            "motor: {inertia: 1, gear_ratio: 2}",
            ".motor",
            "expected `inertia`, or `rotor_inertia` and `gear_ratio`, found `inertia` and",
        ),
        (
            "motor: {}",
            ".motor",
            "expected `inertia`, or `rotor_inertia` and `gear_ratio`, found nothing",
        ),
        ("limits: {position: [1, 1]}", ".limits.position", "expected [low, high] with low < high"),
        ("limits: {velocity: 0}", ".limits.velocity", "expected a positive number, found `0`"),
        ("parent: one", ".parent", "the parents of these links form a circle: one -> one"),
        (
            "parent: true",
            ".parent",
            "expected text (put it in quotes if you mean text), found `true`",
        ),
    ],
)
def test_a_faulty_link_is_told_by_field(fields: str, where: str, message: str) -> None:
    (fault,) = faults_of(f"{HEAD}links:\n{LINK}, {fields}}}")
    assert fault.startswith(f"arm.yaml:5: links[0] (one){where}: {message}")


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (
            "- {name: one, joint: revolute}",
            "links[0] (one): the transform from the parent's frame is missing: add `dh` (or "
            "`axis`, and `origin`)",
        ),
        (
            "- {name: one, joint: revolute, dh: {alpha: 0}}",
            "links[0] (one).dh: `a` and `d` are missing: write 0 where it is zero",
        ),
        (
            "- {name: one, joint: prismatic, dh: {alpha: 0, a: 0, theta: 0}}\n- {name: two, "
            "joint: fixed}",
            "links[1] (two): the transform from the parent's frame is missing: add `dh` or "
            "`origin`",
        ),
        (
            f"{LINK}}}\n- {{name: two, joint: fixed, dh: {{alpha: 0, a: 0, d: 0}}}}",
            "links[1] (two).dh: `theta` is missing",
        ),
        (
            f"{LINK}}}\n- {{name: two, joint: fixed, dh: {{alpha: 0, a: 0, d: 0, theta: 0}}, "
            f"motor: {{inertia: 1}}}}",
            "a fixed joint does not",
        ),
        (
            "- {name: one, joint: fixed, dh: {alpha: 0, a: 0, d: 0, theta: 0}}",
            "links: all joints are fixed; expected at least one ",
        ),
        (f"{LINK}}}\n{LINK}}}", "links[1] (one).name: the name `one` occurs twice: rename one"),
        (
            f"{LINK.replace('one', 'Left arm')}}}\n{LINK.replace('one', 'left-arm')}}}",
            "`left-arm` and `Left arm` both become `left_arm` in ",
        ),
        (
            f"{LINK.replace('one', 'Base')}}}",
            "links[0] (Base).name: the name `base` is reserved for the robot's base: choose "
            "another name",
        ),
        (f"{LINK.replace('one', '7th')}}}", "a name must start with a letter (a-z), found `7th`"),
        (
            f"{LINK.replace('one', 'x' * 64)}}}",
            "expected a name of at most 63 characters, found 64",
        ),
        (
            "- {name: a, parent: c, joint: fixed}\n- {name: b, joint: fixed}\n- {name: c, "
            "joint: fixed}",
            "circle: a -> c -> b -> a",
        ),
        ("  []", "arm.yaml:4: links: at least one link is needed"),
        ("  {}", "arm.yaml:4: links: expected a list, found a mapping"),
    ],
)
def test_faulty_links_are_told(links: str, message: str) -> None:
    assert any(message in fault for fault in faults_of(f"{HEAD}links:\n{links}"))


def test_more_than_a_thousand_links_are_refused() -> None:
    links = "".join(f"- {{name: l{i}, joint: revolute}}\n" for i in range(1001))
    assert (
        faults_of(f"{HEAD}links:\n{links}")[0]
        == "arm.yaml:4: links: at most 1000 are possible, found 1001"
    )


@pytest.mark.parametrize(
    ("parameters", "faults"),
    [
        (
            "p: q\n  q: p",
            [
                "p: `q` is defined below: a parameter may use only parameters above it (character "
                "1 of `q`)"
            ],
        ),
        (
            "p: p",
            [
                "p: `p` is defined below: a parameter may use only parameters above it (character "
                "1 of `p`)"
            ],
        ),
        ("cos: 1", ["cos: `cos` already means something in arithmetic: choose another name"]),
        (
            "2p: 1",
            [
                "2p: expected a letter, then letters, digits or _, as the name of a parameter, "
                "at most 63 characters"
            ],
        ),
        (
            "p: {unit: kg}",
            [
                "p: `value` is missing: a number, or arithmetic that may use the parameters above "
                "this one"
            ],
        ),
        ("p: {value: 1, units: kg}", ["p.units: unknown key `units`; did you mean `unit`?"]),
        ("p: {value: 1, runtime: yes}", ["p.runtime: expected true or false, found `yes`"]),
        ("p: [1]", ["p: expected a number or arithmetic such as -pi/2, found a list"]),
        (
            "p: {value: 1, runtime: true}\n  r: {value: 2*p, runtime: true}",
            [
                "r.value: the default of a run-time parameter cannot depend on another one: "
                "remove `runtime` from one of them"
            ],
        ),
        (
            "p: {value: 1, runtime: true}\n  P: {value: 2, runtime: true}",
            ["P: another run-time parameter also becomes `p` in generated code"],
        ),
    ],
)
def test_faulty_parameters_are_told(parameters: str, faults: list[str]) -> None:
    found = faults_of(f"{HEAD}parameters:\n  {parameters}\nlinks:\n{LINK}}}")
    assert [fault.partition("parameters.")[2] for fault in found] == faults


def test_numbers_may_depend_on_run_time_parameters() -> None:
    parameters = "parameters:\n  p: {value: 3, unit: kg, runtime: true}\n  twice: 2*p\n"
    text = f"{HEAD}{parameters}links:\n{LINK}, motor: {{inertia: twice + 1}}}}"
    robot = parse_robot(text, "arm.yaml")
    assert robot.parameters == (Parameter("p", Exact(3), "kg"),)
    assert robot.links[0].motor_inertia == 2 * ParametricNumber(robot.parameters[0]) + 1
    assert float(robot.links[0].motor_inertia) == 7


def test_a_run_time_parameter_whose_default_is_zero_is_no_divisor() -> None:
    text = (
        f"{HEAD}parameters:\n  p: {{value: 0, runtime: true}}\nlinks:\n{LINK}, motor: "
        f"{{inertia: 1/p}}}}"
    )
    assert "division by zero" in faults_of(text)[0]


def test_faulty_frames_are_told() -> None:
    frames = "frames:\n- {name: tip, link: on, xyz: [0, 0, 0], rpy: [0, 0, 0]}\n"
    frames += "- {name: tip, link: one, xyz: [0, 0, z], rpy: [0, 0, 0]}"
    assert faults_of(f"{HEAD}links:\n{LINK}}}\n{frames}") == [
        "arm.yaml:7: frames[0] (tip).link: there is no link `on`; did you mean `one`?",
        "arm.yaml:8: frames[1] (tip).name: the name `tip` occurs twice: rename one",
        "arm.yaml:8: frames[1] (tip).xyz[2]: unknown name `z` (character 1 of `z`)",
    ]


def test_an_unknown_robot_is_told_with_the_nearest_and_all_bundled() -> None:
    bundled = ", ".join(list_bundled_robots())
    with pytest.raises(UsageError) as error:
        load_robot("puma56")
    assert (
        str(error.value)
        == f"there is no file and no bundled robot `puma56`; bundled are {bundled}; did you "
        f"mean `puma560`?"
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.yaml", "there is no file `nowhere.yaml`"),
        ("no/where", "there is no file `no/where`"),
        ("x\0.yaml", "`x?.yaml` cannot be read: embedded null byte"),
        ("x" * 300, f"there is no file and no bundled robot `{'x' * 57}...`; bundled are"),
    ],
)
def test_a_path_that_cannot_be_opened_is_told(path: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        load_robot(path)
    assert str(error.value).startswith(message)


def test_a_file_is_read_by_its_path_and_a_folder_does_not_hide_a_bundled_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "puma560").mkdir()
    (tmp_path / "own").write_text(
        f"\ufeff{HEAD}links:\n{LINK}}}".replace("\n", "\r\n"), encoding="utf-8", newline=""
    )
    monkeypatch.chdir(tmp_path)
    assert load_robot("puma560").name == "puma560"
    assert load_robot("own").name == load_robot(tmp_path / "own").name == "arm"


@pytest.mark.parametrize(
    ("name", "word"),
    [("KUKA LBR (iiwa)", "kuka_lbr_iiwa"), ("_x__y_", "x_y"), ("*/ #", ""), ("Ärm", "rm")],
)
def test_names_become_plain_identifiers(name: str, word: str) -> None:
    assert make_identifier(name) == word


def test_the_nearest_word_ignores_case() -> None:
    assert suggest_word("ALPHA", ["alpha", "a"]) == "; did you mean `alpha`?"
    assert suggest_word("zzz", ["alpha", "a"]) == ""


def test_the_json_schema_describes_every_field_and_accepts_numbers() -> None:
    schema = RobotSchema.model_json_schema()
    sections = [schema, *schema["$defs"].values()]
    assert [
        name
        for part in sections
        for name, entry in part["properties"].items()
        if "description" not in entry
    ] == []
    assert "null" not in str(schema)
    assert schema["required"] == ["name", "gravity", "links"]
    link = schema["$defs"]["LinkSchema"]["properties"]
    types = "revolute prismatic helical fixed floating spherical universal cylindrical planar"
    assert link["joint"]["enum"] == types.split()
    assert link["mass"]["anyOf"] == [{"type": "number"}, {"type": "string"}]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["planar3", "puma260", "stanford_listing_3dof"]), st.data())
def test_a_mutated_robot_is_a_robot_or_a_message(name: str, data: st.DataObject) -> None:
    lines = (find_robots_folder() / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        i = data.draw(st.integers(0, len(lines) - 1))
        mutation = data.draw(st.sampled_from(["delete", "duplicate", "garble", "cut", "swap"]))
        if mutation == "delete" and len(lines) > 1:
            del lines[i]
        elif mutation == "duplicate":
            lines.insert(i, lines[i])
        elif mutation == "garble":
            at = data.draw(st.integers(0, len(lines[i])))
            lines[i] = lines[i][:at] + data.draw(st.text(max_size=3)) + lines[i][at + 1 :]
        elif mutation == "cut":
            lines[i] = lines[i][: data.draw(st.integers(0, len(lines[i])))]
        else:
            j = data.draw(st.integers(0, len(lines) - 1))
            lines[i], lines[j] = lines[j], lines[i]
    try:
        robot = parse_robot("\n".join(lines), "x.yaml")
    except RobotDescriptionError as error:
        told = str(error).splitlines()
    else:
        told = [warning.full_message("x.yaml") for warning in robot.warnings]
        assert robot.links
    assert all(line.startswith("x.yaml") and line.isprintable() for line in told)


@pytest.mark.parametrize(
    "written",
    [
        "[1, 2, 3, 0.1, 0, -0.2]",
        "[[1, 0.1, 0], [0.1, 2, -0.2], [0, -0.2, 3]]",
        "{ixx: 1, iyy: 2, izz: 3, ixy: 0.1, iyz: -0.2}",
    ],
)
def test_a_tensor_may_be_elements_a_matrix_or_names(written: str) -> None:
    (link,) = parse(
        LINK.replace("mass: 1", f"mass: 1, com: [0, 0, 0], inertia: {written}") + "}"
    ).links
    assert [float(element) for element in link.inertial.inertia] == [1, 2, 3, 0.1, 0, -0.2]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            "[[1, 0.1, 0], [0.2, 2, 0], [0, 0, 3]]",
            "inertia: expected a symmetric matrix, found `0.1 and 0.2`",
        ),
        ("{ixx: 1, yy: 2}", "inertia: expected ixx, iyy, izz, ixy, ixz, iyz, found `yy`"),
    ],
)
def test_a_tensor_that_is_none_is_explained(written: str, message: str) -> None:
    (fault,) = faults_of(
        "name: x\nconvention: modified\ngravity: [0, 0, 0]\nlinks:\n"
        + LINK.replace("mass: 1", f"inertia: {written}")
        + "}"
    )
    assert fault.endswith(message)
