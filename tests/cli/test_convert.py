"""`dynagen convert`: the file is the same robot, and never written over another unasked."""

from __future__ import annotations

import dynagen

SCREW = """
name: s
gravity: [0, 0, -9.81]
links:
  - {name: a, joint: helical, axis: [0, 0, 1], pitch: 0.1, mass: 1, com: [0, 0, 0],
     inertia: [1, 1, 1]}
"""


def test_a_robot_goes_to_urdf_and_back(run, tmp_path):
    status, out, _ = run("convert", "ur5", "-o", "arm.urdf")
    assert status == 0
    assert "note: URDF files do not contain gravity" in out
    assert "Written to arm.urdf; the joint forces of the file that is read again differ by " in out
    assert run("convert", "arm.urdf", "--tip", "wrist_1", "-o", "arm.yaml")[0] == 0
    assert (
        (tmp_path / "arm.yaml")
        .read_text()
        .startswith("# Written by dynagen convert from arm.urdf with --tip wrist_1\n")
    )
    assert dynagen.load_robot(tmp_path / "arm.yaml").links[-1].name == "wrist_1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.urdf", "arm.yaml"]


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(run, tmp_path):
    (tmp_path / "arm.yaml").write_text("mine")
    status, _, error = run("convert", "planar3", "-o", "arm.yaml")
    assert (status, "arm.yaml exists: choose another file" in error) == (2, True)
    assert (tmp_path / "arm.yaml").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["arm.yaml"]
    assert run("convert", "planar3", "-o", "arm.yaml", "--force")[0] == 0
    assert dynagen.load_robot(tmp_path / "arm.yaml").name == "planar3"


def test_what_cannot_be_written_is_told_and_nothing_is(run, tmp_path):
    (tmp_path / "screw.yaml").write_text(SCREW)
    status, _, error = run("convert", "screw.yaml", "-o", "arm.urdf")
    assert (status, "link a has a helical joint. Write YAML instead" in error) == (2, True)
    assert (
        "cannot write a robot to `arm.txt`; expected a file that ends in .urdf"
        in run("convert", "ur5", "-o", "arm.txt")[2]
    )
    assert [path.name for path in tmp_path.iterdir()] == ["screw.yaml"]
