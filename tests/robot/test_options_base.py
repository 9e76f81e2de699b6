"""`--base floating` in the commands that read a robot, and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dynagen

URDF = """<robot name="walker">
  <link name="trunk"><inertial>
    <origin xyz="0.1 0 0"/><mass value="6"/><inertia ixx="0.02" iyy="0.07" izz="0.08"/></inertial>
    </link>
  <link name="leg"><inertial>
    <origin xyz="0 0 -0.2"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    </link>
  <joint name="hip" type="continuous"><parent link="trunk"/><child link="leg"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""


@pytest.fixture
def walker(tmp_path: Path) -> Path:
    path = tmp_path / "walker.urdf"
    path.write_text(URDF)
    return path


def test_generated_code_can_be_verified_later(walker: Path, run, tmp_path: Path) -> None:
    out = tmp_path / "c"
    status, _, _ = run(str(walker), "--base", "floating", "--out", str(out), "--states", "50")
    assert status == 0
    manifest = json.loads((out / "walker.manifest.json").read_text())
    assert (manifest["reading"], manifest["nq"], manifest["nv"]) == ({"base": "floating"}, 8, 7)
    status, printed, _ = run("verify", str(out), str(walker), "--states", "50")
    assert status == 0
    assert "are proved." in printed


def test_check_shows_the_base_as_a_floating_link(walker: Path, run) -> None:
    status, printed, _ = run("check", str(walker), "--base", "floating")
    assert status == 0
    first, *_ = (line.split() for line in printed.splitlines() if line.startswith("| trunk"))
    assert first[1:6] == ["trunk", "|", "base", "|", "floating"]


@pytest.mark.parametrize("suffix", ["yaml", "urdf"])
def test_convert_writes_a_floating_joint(walker: Path, run, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"written.{suffix}"
    assert run("convert", str(walker), "--base", "floating", "-o", str(out))[0] == 0
    links = dynagen.load_robot(out).links
    assert [(link.name, link.joint.nq) for link in links if link.joint.moves] == [
        ("trunk", 7),
        ("leg", 1),
    ]


def test_in_python_the_base_is_a_keyword(walker: Path) -> None:
    assert dynagen.load_robot(walker, base="floating").links[0].joint.nv == 6
    kernel = dynagen.compile(walker, "gravity_forces", base="floating", states=20)
    g = kernel([0, 0, 0, 0, 0, 0, 1, 0.0])
    assert g[:3] == pytest.approx([0, 0, 7 * 9.81])
    with pytest.raises(
        dynagen.errors.UsageError, match="base: expected fixed or floating, found `flying`"
    ):
        dynagen.load_robot(walker, base="flying")


def test_a_robot_without_joints_flies_and_a_floating_link_is_not_locked(walker: Path, run) -> None:
    walker.write_text(URDF.replace('type="continuous"', 'type="fixed"'))
    assert run("check", str(walker))[0] == 2
    assert run("check", str(walker), "--base", "floating")[0] == 0
    assert run("convert", str(walker), "--base", "floating", "-o", "w.yaml")[0] == 0
    status, _, error = run("check", "w.yaml", "--lock", "trunk=0")
    assert status == 2
    assert "lock trunk: the joint is floating; --root trunk makes the link the fixed base" in error
