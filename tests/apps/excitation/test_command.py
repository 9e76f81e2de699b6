"""`dynagen excite`: its options, what it writes and prints, and what it refuses."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from dynagen.cli.main import main

LIMITS = [
    "--limits",
    "position=-pi/2:pi/2",
    "--limits",
    "velocity=2",
    "--limits",
    "effort=300,200,100",
]
QUICK = ["--starts", "1", "--iterations", "4", "--harmonics", "3", "--time", "6"]


@pytest.mark.slow
def test_motion_report_and_drawing(tmp_path, capsys):
    table, drawing = tmp_path / "motion.csv", tmp_path / "motion.svg"
    around = [
        "--floor",
        "-2",
        "--outside",
        "sphere:0,0,5,1",
        "--inside",
        "box:-3,-3,-3,3,3,inf",
        "--clearance",
        "0.1",
    ]
    main(
        [
            "excite",
            "planar3",
            "-o",
            str(table),
            *LIMITS,
            *QUICK,
            *around,
            "--rate",
            "20",
            "--figure",
            str(drawing),
        ]
    )
    said = capsys.readouterr().out
    assert "3 harmonics of 0.166667 Hz" in said
    assert "smallest distance of a checked point" in said
    rows = np.loadtxt(table, delimiter=",", skiprows=1)
    assert rows.shape == (121, 10)
    assert np.abs(rows[:, 1:4]).max() <= np.pi / 2
    assert ElementTree.parse(drawing).getroot().tag.endswith("svg")


def test_json_alone(tmp_path, capsys):
    table = tmp_path / "motion.csv"
    main(
        [
            "excite",
            "planar3",
            "-o",
            str(table),
            *LIMITS,
            *QUICK,
            "--criterion",
            "condition",
            "--format",
            "json",
        ]
    )
    report = json.loads(capsys.readouterr().out)
    assert report["criterion"] == "condition"
    assert report["condition"] > 1
    assert report["clearance"] is None
    assert set(report["used"]) == {"position", "velocity", "acceleration", "effort"}
    assert max(max(parts) for parts in report["used"].values()) <= 1
    (search,) = report["searches"]
    assert search == sorted(search)
    assert search[-1] > search[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "of position for"),
        ([*LIMITS, "--limits", "acceleration=fast"], "--limits acceleration: "),
        (
            [*LIMITS[2:], "--limits", "position=2"],
            "expected low:high, such as -pi/2:pi/2, found `2`",
        ),
        ([*LIMITS, "--inside", "cube:1"], "--inside: expected box:x,y,z,x,y,z"),
        ([*LIMITS, "--outside", "box:1,1,1,0,2,2"], "lower corner of the box first"),
        ([*LIMITS, "--outside", "sphere:0,0,0,-1"], "--outside: expected box"),
        ([*LIMITS, "--rate", "0"], "--rate: expected Hz above zero"),
    ],
    ids=str,
)
def test_mistakes_are_answered(tmp_path, capsys, options, message):
    with pytest.raises(SystemExit) as exit_:
        main(["excite", "planar3", "-o", str(tmp_path / "motion.csv"), *options])
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


UPRIGHT = """name: upright
gravity: [0, 0, -9.81]
links:
  - {name: column, joint: revolute, axis: [0, 0, 1], mass: 5, com: [0, 0, 0.1],
      inertia: [1, 1, 1], limits: {position: [-3, 3], velocity: 2, effort: 100}}
  - {name: arm, joint: revolute, origin: {xyz: [0, 0, 0.3]}, axis: [0, 1, 0], mass: 3,
      com: [0.2, 0, 0], inertia: [1, 1, 1], limits: {position: [-3, 3], velocity: 2, effort: 100}}
frames: [{name: tool, link: arm, xyz: [0.5, 0, 0]}]
"""


def test_the_plain_command_keeps_the_floor_a_margin_and_accelerations(tmp_path, capsys):
    robot, table = tmp_path / "upright.yaml", tmp_path / "motion.csv"
    robot.write_text(UPRIGHT)
    main(["excite", str(robot), "-o", str(table), *QUICK, "--degrees"])
    told = capsys.readouterr().err
    assert "all points stay above z = -0.05 m" in told
    assert "no acceleration limits are known" in told
    assert "self-collisions are not known" in told
    assert table.read_text().startswith("t,q1_deg,q2_deg,qd1_deg_s,qd2_deg_s,qdd1_deg_s2,")
    motion = np.deg2rad(np.loadtxt(table, delimiter=",", skiprows=1)[:, 1:])
    assert (0.3 - 0.5 * np.sin(motion[:, 1])).min() > -0.051  # height of the tool
    assert np.abs(motion[:, 2:4]).max() <= 0.8 * 2 + 1e-6
    assert np.abs(motion[:, 4:6]).max() <= 0.8 * 2 / 0.5 + 1e-6
    main(["excite", str(robot), "-o", str(table), *QUICK, "--floor=-inf", "--clearance", "0.1"])
    assert "z = " not in capsys.readouterr().err
