"""xacro: run only where it is trusted, with what it includes and its arguments; faults name what it
writes.
"""

from __future__ import annotations

from importlib import util
from pathlib import Path

import pytest

import dynagen
from dynagen.errors import RobotDescriptionError, ToolchainError, UsageError
from dynagen.numbers.exact import Exact
from dynagen.resources import find_robots_folder
from dynagen.robot.loading import list_files

HEAD = '<?xml version="1.0"?>\n<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
MACRO = """<xacro:macro name="body" params="name m"><link name="${name}"><inertial>
<mass value="${m}"/>
<inertia ixx="${m*0.1}" iyy="0.5" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
</xacro:macro></robot>
"""
ARM = """<xacro:arg name="m" default="2"/>
<xacro:include filename="parts/body.xacro"/>
<xacro:body name="base_link" m="1"/>
<xacro:body name="one" m="$(arg m)"/>
<joint name="j" type="continuous"><parent link="base_link"/><child link="one"/>
<origin rpy="${pi/2} 0 0"/></joint></robot>
"""
SYSTEM = (
    "[k for k in (lambda: ().__class__.__base__.__subclasses__())() if k.__name__ == "
    "'_wrap_close'][0].__init__.__globals__"
)


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """A file that includes another, beside it, which includes a third beside itself."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "body.xacro").write_text(
        HEAD + '<xacro:include filename="macro.xacro"/></robot>'
    )
    (tmp_path / "parts" / "macro.xacro").write_text(HEAD + MACRO)
    (tmp_path / "arm.urdf.xacro").write_text(HEAD + ARM)
    return tmp_path / "arm.urdf.xacro"


@pytest.mark.tools
def test_a_trusted_file_is_expanded_with_what_it_includes_and_its_arguments(arm: Path) -> None:
    description = dynagen.load_robot(arm, trust=True)
    assert [each.inertial.mass for each in description.links] == [Exact(1), Exact(2)]
    assert description.path == str(arm)
    heavy = dynagen.load_robot(arm, trust=True, arg={"m": "3"})
    assert heavy.links[1].inertial.mass == 3
    assert heavy.reading.changes == {"arg": {"m": "3"}}
    assert heavy.sha256 != description.sha256


@pytest.mark.tools
def test_arguments_that_no_file_has_are_refused(arm: Path) -> None:
    with pytest.raises(
        UsageError,
        match=r"arm.urdf.xacro has no argument `mm` \(--arg\); did you mean `m`\?; it has m$",
    ):
        dynagen.load_robot(arm, trust=True, arg={"mm": "3"})
    arm.write_text(
        HEAD
        + ARM.replace("$(arg m)", "${xacro.arg('m')}").replace(
            '<xacro:arg name="m" default="2"/>', ""
        )
    )
    assert (
        dynagen.load_robot(arm, trust=True, arg={"m": "3"}).links[1].inertial.mass == 3
    )  # not declared, but asked for
    for robot in ("puma560", (find_robots_folder() / "puma560.yaml").read_text()):
        with pytest.raises(
            UsageError, match=r"has no arguments \(a\): --arg .* files that end in \.xacro"
        ):
            dynagen.load_robot(robot, arg={"a": "1"})


@pytest.mark.tools
def test_build_tools_are_told_of_all_files_that_one_includes(arm: Path) -> None:
    names = {
        path.relative_to(arm.parent).as_posix()
        for path in list_files(dynagen.load_robot(arm, trust=True))
    }
    assert names == {"arm.urdf.xacro", "parts/body.xacro", "parts/macro.xacro"}


@pytest.mark.tools
def test_what_is_not_trusted_is_not_run(arm: Path, tmp_path: Path) -> None:
    done = tmp_path / "done"
    code = f"""${{[0 for c in (0,) if {SYSTEM}['system']('touch {done}') == 0][0]}}"""
    arm.write_text(
        HEAD + f'<xacro:property name="x" value="{code}"/><link name="a${{x}}"/></robot>'
    )
    with pytest.raises(UsageError, match="is xacro, a program in Python"):
        dynagen.load_robot(arm)
    assert not done.exists()
    with pytest.raises(RobotDescriptionError, match="all joints are fixed"):
        dynagen.load_robot(arm, trust=True)
    assert done.exists()  # the warning is no empty one: xacro keeps nobody from this


@pytest.mark.tools
def test_faults_are_told_of_what_is_written(arm: Path) -> None:
    arm.write_text(HEAD + ARM.replace('"${pi/2} 0 0"', '"${pi/2} 0"'))
    with pytest.raises(
        RobotDescriptionError,
        match=r"arm.urdf.xacro \(expanded\):\d+: joint j.origin: `rpy`: expected three numbers",
    ):
        dynagen.load_robot(arm, trust=True)
    arm.write_text(HEAD + ARM.replace("$(arg m)", "$(arg mass)"))
    with pytest.raises(
        RobotDescriptionError,
        match=r"xacro: .*mass.*; give values to arguments with --arg NAME=VALUE",
    ):
        dynagen.load_robot(arm, trust=True)
    fault = (
        r"unsupported operand .* when evaluating expression 'm/2', in macro body of "
        r"parts/macro.xacro$"
    )
    arm.write_text(HEAD + ARM)
    (arm.parent / "parts" / "macro.xacro").write_text(HEAD + MACRO.replace("${m*0.1}", "${m/2}"))
    with pytest.raises(RobotDescriptionError, match=fault):
        dynagen.load_robot(arm, trust=True, arg={"m": "heavy"})
    arm.write_text(HEAD + "<link")
    with pytest.raises(RobotDescriptionError, match="xacro: "):
        dynagen.load_robot(arm, trust=True)


@pytest.mark.tools
def test_what_is_missing_is_named(arm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynagen.resources.find_spec", lambda name: None)
    assert util.find_spec("xacrodoc") is not None
    with pytest.raises(ToolchainError, match=r"pip install 'dynagen\[xacro\]'"):
        dynagen.load_robot(arm, trust=True)


def test_text_is_read_from_a_file_of_that_name_only() -> None:
    with pytest.raises(RobotDescriptionError, match=r"give the file a name that ends in \.xacro"):
        dynagen.load_robot(HEAD + ARM, trust=True)
