"""`dynagen simulate`: what it writes and prints, what it refuses, and that a motion without an end
is a failure.
"""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

import dynagen
from dynagen.apps.simulation.start import choose_start


@pytest.mark.slow
def test_a_fall_is_written_drawn_and_balanced(run, tmp_path):
    status, out, _ = run(
        "simulate",
        "planar3",
        "--q0",
        "0,pi/2,deg(-30)",
        "--time",
        "1",
        "--rtol",
        "1e-10",
        "--out",
        "out.csv",
        "--figure",
        "out.svg",
    )
    assert status == 0
    assert "energy balance: " in out
    assert re.search(r"^q\(1 s\) = -?[\d.]+, -?[\d.]+, -?[\d.]+$", out, re.MULTILINE)
    with open(tmp_path / "out.csv", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["t", *(f"{name}{joint}" for name in ("q", "qd", "tau") for joint in (1, 2, 3))]
    states = np.array(rows, dtype=float)
    assert states.shape == (101, 10)
    start = [0, np.pi / 2, -np.pi / 6]
    np.testing.assert_allclose(states[0], [0, *start, *np.zeros(6)], rtol=1e-15)
    assert (tmp_path / "out.svg").read_text().startswith("<?xml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.svg"]
    drawn = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert "position in rad<" in drawn
    assert "joint 1" not in drawn


@pytest.mark.slow
def test_a_motion_that_cannot_go_on_fails_and_leaves_what_there_is(run, tmp_path):
    status, out, error = run(
        "simulate",
        "puma_saha",
        "--q0",
        "0,0,0,0,0,0",
        "--time",
        "10",
        "--out",
        "out.csv",
        "--format",
        "json",
    )
    assert status == 1
    assert "the mass matrix is not positive definite at 1.81" in error
    assert json.loads(out)["stopped"] in error
    assert (tmp_path / "out.csv").read_text().splitlines()[-1].startswith("1.81,")


@pytest.mark.slow
def test_controllers_follow_a_table(run, tmp_path):
    (tmp_path / "path.csv").write_text("t,q1,q2,q3\n0,0,0,0\n1,1,0.5,-0.5\n")
    options = (
        "--controller",
        "computed-torque",
        "--trajectory",
        "path.csv",
        "--kp",
        "100",
        "--kd",
        "20,20,20",
    )
    status, out, _ = run(
        "simulate", "planar3", "--q0", "0,0,0", "--time", "1", *options, "--format", "json"
    )
    assert status == 0
    np.testing.assert_allclose(json.loads(out)["last"]["q"], [1, 0.5, -0.5], atol=1e-5)
    sampled = (
        "--controller",
        "two-rate",
        "--target",
        "0.1,0,0",
        "--kp",
        "100",
        "--kd",
        "20",
        "--period",
        "0.001",
    )
    status, out, _ = run(
        "simulate",
        "planar3",
        "--q0",
        "0,0,0",
        "--time",
        "2",
        *sampled,
        "--method",
        "RK4",
        "--every",
        "0.001",
        "--format",
        "json",
    )
    assert status == 0
    np.testing.assert_allclose(json.loads(out)["last"]["q"], [0.1, 0, 0], atol=1e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--q0", "0,0"), "q0: expected 3 numbers"),
        (("--q0", "0,x,0"), "--q0: "),
        (("--q0", "0,0,0", "--torques", "none.csv"), "cannot read none.csv"),
        (("--q0", "0,0,0", "--torques", "short.csv"), "there is no column tau3"),
        (("--q0", "0,0,0", "--torques", "text.csv"), "row 2: tau2 is not a number"),
        (
            ("--q0", "0,0,0", "--kp", "1", "--controller", "pd-gravity"),
            "requires gains: --kp and --kd",
        ),
        (("--q0", "0,0,0", "--target", "0,0,0"), "--target requires --controller"),
        (("--q0", "0,0,0", "--parameter", "mass"), "--parameter: expected NAME=VALUE"),
        (("--q0", "0,0,0", "--figure", "a.gif"), "expected a figure whose name ends in .svg"),
    ],
)
def test_what_is_wrong_is_said_and_before_anything_is_compiled_where_that_can_be(
    run, tmp_path, monkeypatch, words, message
):
    if "--figure" not in words:
        monkeypatch.setattr("dynagen.runtime.compilation.driver", None)
    (tmp_path / "short.csv").write_text("t,tau1,tau2\n0,0,0\n1,0,0\n")
    (tmp_path / "text.csv").write_text("t,tau1,tau2,tau3\n0,0,0,0\n1,0,much,0\n")
    before = sorted(tmp_path.iterdir())
    status, _, error = run("simulate", "planar3", "--time", "1", *words)
    assert (status, message in error) == (2, True)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_a_robot_alone_is_enough(run, tmp_path):
    status, out, _ = run("simulate", "planar3", "-o", "fall.csv")
    assert status == 0
    assert "planar3: 2 s in " in out
    assert "To play it: dynagen check planar3 --html robot.html --motion fall.csv" in out
    assert run("check", "planar3", "--html", "robot.html", "--motion", "fall.csv")[0] == 0
    assert "0.01,-" in (tmp_path / "robot.html").read_text()


def test_the_start_is_inside_the_limits():
    np.testing.assert_allclose(
        choose_start(dynagen.load_robot("panda")), [0, 0, 0, -1.5708, 0, 0, 0], atol=1e-6
    )
    floating = choose_start(dynagen.load_robot("solo12", base="floating"))
    np.testing.assert_array_equal(floating[:7], [0, 0, 0, 0, 0, 0, 1])
