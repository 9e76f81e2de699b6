"""Cross-checks with Pinocchio and MuJoCo: agreement with the reference, and planted faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import dynagen
from dynagen.apps.crosscheck.comparison import CrossCheck, compare
from dynagen.apps.crosscheck.mujoco import load_mujoco
from dynagen.apps.crosscheck.pinocchio import load_pinocchio
from dynagen.errors import ToolchainError, UsageError
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.description import CentralInertia, LinkDescription, RobotDescription
from dynagen.robot.joints import PRISMATIC
from dynagen.robot.loading import parse_robot
from dynagen.robot.pose import Translation
from tests.support.random_robots import random_description
from tests.support.urdf_robots import joint, link, robot

TOOLS = {"pinocchio": load_pinocchio, "mujoco": load_mujoco}
PLACED = '<origin xyz="0.3 0.1 -0.2" rpy="0.7 -0.4 0.9"/>'
ARM = robot(
    link("base_link"),
    link("torso"),
    joint("waist", "base_link", "torso", PLACED + '<axis xyz="0 0 1"/>'),
    link("camera"),
    joint("mount", "torso", "camera", PLACED, "fixed"),
    link("upper"),
    joint("shoulder", "torso", "upper", PLACED + '<axis xyz="0 -3 0"/>', "continuous"),
    link("finger"),
    joint("slide", "upper", "finger", PLACED, "prismatic"),
    link("other"),
    joint(
        "follow",
        "upper",
        "other",
        PLACED + '<mimic joint="slide" multiplier="-2" offset="0.1"/>',
        "prismatic",
    ),
)

FLYING = """<mujoco><worldbody><body name="a"><freejoint name="root"/><geom size=".1" pos="0 .1 0"/>
<body name="b" pos="0 0 1"><joint name="j" axis="0 1 1" armature=".1"/>
<geom type="box" size=".1 .2 .3" pos=".1 0 0"/></body>
</body></worldbody></mujoco>"""
NAMELESS = (
    FLYING.replace('<freejoint name="root"/>', "<freejoint/>")
    .replace('name="j" ', "")
    .replace('<body name="b"', "<body")
)


TURNTABLE = """name: turntable
gravity: [0, 0, -9.81]
links:
  - {name: disc, joint: revolute, axis: [0, 0, 1], mass: 8.1, com: [0.08, -0.3, 0.03],
      inertia: [0.0394, 0.0827, 0.0875, -0.0028, 0.0035, -0.019]}
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    (tmp_path / "arm.urdf").write_text(ARM)
    return tmp_path / "arm.urdf"


def cross_check(description: RobotDescription, tool: str) -> CrossCheck:
    other, known = TOOLS[tool](description)
    return compare(description, known, other)


@pytest.mark.tools
@pytest.mark.parametrize("tool", TOOLS)
def test_forces_that_vanish_are_compared_with_those_of_a_motion(tool: str) -> None:
    found = cross_check(parse_robot(TURNTABLE, "turntable.yaml"), tool)
    assert [row.function for row in found.rows if not row.agrees] == []


@pytest.mark.tools
@pytest.mark.parametrize("tool", TOOLS)
def test_the_file_itself_is_read_and_all_functions_agree(arm: Path, tool: str) -> None:
    found = cross_check(dynagen.load_robot(arm), tool)
    assert found.source == "arm.urdf itself"
    assert [row.function for row in found.rows] == [
        "inverse_dynamics",
        "gravity_forces",
        "bias_forces",
        "mass_matrix",
        "forward_dynamics",
        "forward_kinematics: rotations of 6 frames",
        "forward_kinematics: positions of 6 frames",
    ]
    assert all(row.difference < 1e-12 for row in found.rows)
    assert (found.agrees, found.differences) == (True, ())


@pytest.mark.tools
@pytest.mark.parametrize("tool", TOOLS)
def test_other_robots_are_written_for_the_tool(tool: str) -> None:
    for seed in range(4):
        drawn = random_description(
            seed,
            joints=4,
            branches=True,
            fixed_links=0.3,
            origins=True,
            axes=0.3,
            inertia_form="central",
        )
        found = cross_check(drawn, tool)
        assert found.source.startswith("a URDF written from")
        assert all(row.difference < 1e-11 for row in found.rows), found.rows
    motors = cross_check(dynagen.load_robot("ur5", lock={"wrist_1": 0.3}), tool)
    assert motors.agrees
    assert cross_check(dynagen.load_robot("puma560"), "pinocchio").notes == (
        "motor inertias are omitted in both models, since the file that the tool reads has none",
    )


@pytest.mark.tools
def test_a_floating_base_is_pinocchios_free_flyer_and_mujocos_free_joint(
    arm: Path, tmp_path: Path
) -> None:
    found = cross_check(dynagen.load_robot(arm, base="floating"), "pinocchio")
    assert (found.source, found.agrees) == ("arm.urdf itself", True)
    with pytest.raises(
        UsageError,
        match=r"MuJoCo fixes the base of arm\.urdf itself to the world: omit --base floating",
    ):
        cross_check(dynagen.load_robot(arm, base="floating"), "mujoco")
    for text in (FLYING, NAMELESS):
        (tmp_path / "arm.xml").write_text(text)
        found = cross_check(dynagen.load_robot(tmp_path / "arm.xml"), "mujoco")
        assert (found.source, found.agrees, found.notes) == ("arm.xml itself", True, ())
        assert len(found.rows) == 7
        heavy = dynagen.load_robot(tmp_path / "arm.xml")
        *others, last = heavy.links
        faulty = replace(
            heavy,
            links=(*others, inertia(last, lambda central: replace(central, mass=central.mass + 1))),
        )
        found = cross_check(faulty, "mujoco")
        assert {(each.part, each.quantity) for each in found.differences} == {
            (f"link {last.name}", "mass (kg)")
        }


def inertia(
    described: LinkDescription, change: Callable[[CentralInertia], CentralInertia]
) -> LinkDescription:
    assert isinstance(described.inertial, CentralInertia)
    return replace(described, inertial=change(described.inertial))


def with_sign(central: CentralInertia) -> CentralInertia:
    xx, yy, zz, xy, xz, yz = central.inertia
    return replace(central, inertia=(xx, yy, zz, -xy, xz, yz))


FAULTS: dict[str, tuple[str, Callable[[LinkDescription], LinkDescription], tuple[str, ...]]] = {
    "sign of a product of inertia": (
        "upper",
        lambda each: inertia(each, with_sign),
        ("link upper inertia",),
    ),
    "sign in a link that is fixed": (
        "camera",
        lambda each: inertia(each, with_sign),
        ("link camera inertia",),
    ),
    "mass": (
        "torso",
        lambda each: inertia(each, lambda c: replace(c, mass=c.mass + 1)),
        ("link torso mass (kg)",),
    ),
    "centre of mass": (
        "finger",
        lambda each: inertia(
            each, lambda c: replace(c, com=(c.com[0], c.com[1], c.com[2] + Exact("0.01")))
        ),
        ("link finger centre of mass (m)",),
    ),
    "axis": (
        "torso",
        lambda each: replace(each, joint=replace(each.joint, axis=(ZERO, ZERO, Exact(-1)))),
        ("joint waist axis",),
    ),
    "type": (
        "torso",
        lambda each: replace(each, joint=replace(each.joint, type=PRISMATIC)),
        ("joint waist type",),
    ),
    "place of a joint": (
        "upper",
        lambda each: replace(each, before=(Translation((ZERO, ZERO, Exact("0.02"))), *each.before)),
        ("joint shoulder point on the axis (m)",),
    ),
}


@pytest.mark.tools
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("where", "change", "named"), FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_is_found_and_named(
    arm: Path,
    tool: str,
    where: str,
    change: Callable[[LinkDescription], LinkDescription],
    named: tuple[str, ...],
) -> None:
    read = dynagen.load_robot(arm)
    faulty = replace(
        read, links=tuple(change(each) if each.name == where else each for each in read.links)
    )
    found = cross_check(faulty, tool)
    assert not found.agrees
    first = f"{found.differences[0].part} {found.differences[0].quantity}"
    assert first.startswith(named)
    if "inertia" in named[0] or "mass" in named[0]:
        assert {each.part for each in found.differences} == {f"link {where}"}


@pytest.mark.tools
def test_the_command_says_who_disagrees_and_where(
    run, arm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, out, _ = run("check", "arm.urdf", "--against", "pinocchio")
    assert (status, "| inverse_dynamics " in out, "NO" in out) == (0, True, False)
    wrong = "dynagen.robot.formats.urdf.elements.rotate_tensor"
    monkeypatch.setattr(
        wrong, lambda tensor, rpy: tensor
    )  # the mistake that readers of URDF make most often
    status, out, error = run("check", "arm.urdf", "--against", "pinocchio", "--format", "json")
    found = json.loads(out)
    assert (status, found["agrees"], found["source"]) == (1, False, "arm.urdf itself")
    assert {each["part"] for each in found["differences"]} == {
        f"link {name}" for name in ("torso", "camera", "upper", "finger", "other")
    }
    assert "Pinocchio" in error
    assert "and dynagen differ on arm" in error
    assert "Differences, in the base frame" in run("check", "arm.urdf", "--against", "mujoco")[1]
    assert "requires a cross-check" in run("check", "arm.urdf", "--format", "json")[2]


@pytest.mark.tools
@pytest.mark.parametrize("tool", TOOLS)
def test_what_others_do_not_read_is_told(arm: Path, tool: str) -> None:
    arm.write_bytes(
        ARM.replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-16"?>').encode(
            "utf-16"
        )
    )
    with pytest.raises(UsageError, match="expected text in UTF-8, which other tools require"):
        cross_check(dynagen.load_robot(arm), tool)
    arm.write_text(
        ARM.replace("</robot>", "<gazebo><drake:nothing/></gazebo></robot>")
    )  # a prefix that is not declared
    if tool == "mujoco":
        with pytest.raises(UsageError, match=r"MuJoCo cannot read .*unbound prefix"):
            cross_check(dynagen.load_robot(arm), tool)
    else:
        assert cross_check(dynagen.load_robot(arm), tool).agrees


@pytest.mark.tools
def test_mujoco_leaves_no_log_behind(run, tmp_path: Path, arm: Path) -> None:
    arm.write_text(ARM.replace('lower="-2" upper="2"', 'lower="0" upper="0"', 1))
    status, _, error = run("check", "arm.urdf", "--against", "mujoco")
    assert (status, error) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["arm.urdf"]


@pytest.mark.tools
def test_the_inertia_of_what_never_moves_is_nothing_to_mujoco(arm: Path) -> None:
    impossible = (
        '<inertial><mass value="1"/>'
        '<inertia ixx="9" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    arm.write_text(ARM.replace(link("base_link"), link("base_link", impossible)))
    assert cross_check(dynagen.load_robot(arm), "mujoco").agrees


@pytest.mark.parametrize("tool", ["mujoco", pytest.param("pinocchio", marks=pytest.mark.tools)])
def test_what_is_missing_or_cannot_be_said_is_named(
    tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    helical = random_description(3, joints=3, helical=1.0, prismatic=0.0)
    with pytest.raises(UsageError, match="cannot be written as a URDF: URDF cannot"):
        cross_check(helical, tool)
    monkeypatch.setattr("dynagen.resources.find_spec", lambda name: None)
    with pytest.raises(ToolchainError, match=rf"pip install 'dynagen\[{tool}\]'"):
        cross_check(dynagen.load_robot("ur5"), tool)
