"""`dynagen bench`: it runs, tools agree before they are timed, and what cannot be compared is refused or left out aloud."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from urdf_robots import joint, link, robot

import dynagen
from dynagen.benchmarking import benchmark as module
from dynagen.benchmarking.benchmark import QUICK, benchmark
from dynagen.benchmarking.contender import all_at_once, difference, least_times, one_by_one
from dynagen.benchmarking.others import pinocchio_contenders
from dynagen.benchmarking.ours import FUNCTIONS
from dynagen.errors import UsageError, VerificationError
from dynagen.numbers.exact import ONE, ZERO

PLACED = '<origin xyz="0.3 0.1 -0.2" rpy="0.7 -0.4 0.9"/>'
ARM = robot(
    link("base_link"),
    link("torso"),
    joint("waist", "base_link", "torso", PLACED + '<axis xyz="0 0 1"/>'),
    link("finger"),
    joint("slide", "torso", "finger", PLACED, "prismatic"),
)


@pytest.mark.slow
def test_all_tools_agree_and_are_timed(run):
    status, out, _ = run("bench", "ur5", "--quick", "--report", "json")
    assert status == 0
    report = json.loads(out)
    assert list(report["functions"]) == list(FUNCTIONS)
    for rows in report["functions"].values():
        tools = [row["contender"].split()[0] for row in rows]
        assert tools == ["dynagen"] * 4 + ["Pinocchio", "MuJoCo"] + ["numpy,"] * 2
        assert all(row["nanoseconds"] > 0 for row in rows)
        assert all(row["difference"] < 1e-10 for row in rows)
        assert [row["ratio"] for row in rows] == [row["nanoseconds"] / rows[0]["nanoseconds"] for row in rows]
    assert report["notes"] == []
    assert "-O3" in report["machine"]["flags"]


def test_a_floating_base_is_compared_with_pinocchio_and_mujoco_is_left_out_aloud(run, tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    status, out, _ = run("bench", "arm.urdf", "--base", "floating", "-f", "mass_matrix", "--quick")
    assert status == 0
    assert "Pinocchio is left out" not in out
    assert "MuJoCo is left out: the velocity of a floating base is in other axes there" in out
    assert "inverse_dynamics" not in out


def test_another_robot_is_refused_before_anything_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    def on_the_moon(robot: Any, *more: Any) -> Any:
        return pinocchio_contenders(replace(robot, gravity=(ZERO, ZERO, -ONE)), *more)

    monkeypatch.setattr(module, "pinocchio_contenders", on_the_moon)
    monkeypatch.setattr(module, "least_times", lambda *_: pytest.fail("timed"))
    with pytest.raises(VerificationError, match=r"gravity_forces: Pinocchio .* differs from the numeric reference"):
        benchmark(dynagen.load_robot("ur5"), ("gravity_forces",), QUICK)


def test_functions_that_others_do_not_have_are_refused() -> None:
    with pytest.raises(UsageError, match="no function `coriolis` that all tools have; expected inverse_dynamics"):
        benchmark(dynagen.load_robot("ur5"), ("coriolis",), QUICK)


def test_calls_of_single_states_are_fewer_where_they_are_slow() -> None:
    states, calls = np.ones((500, 2)), []

    def slow(state: np.ndarray) -> np.ndarray:
        calls.append(state)
        return np.sort(np.arange(100_000)[::-1])[:2] + state

    contenders = [all_at_once("one call", lambda rows: 2 * rows, [states]), one_by_one("slow", slow, np.asarray, [states])]
    fast, slowest = least_times(contenders, 500, rounds=3)
    assert fast < slowest
    assert len(calls) < 5 * 500
    np.testing.assert_array_equal(contenders[1].results(2), [[1, 2], [1, 2]])


def test_results_that_are_no_numbers_differ() -> None:
    assert difference(np.array([np.nan, 1.0]), np.ones(2)) == float("inf")
    assert difference(np.array([1.5, 4.0]), np.array([1.0, 4.0])) == 0.125
