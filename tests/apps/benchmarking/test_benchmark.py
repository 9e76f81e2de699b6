"""`dynagen bench`: it runs, tools agree before they are timed, and what cannot be compared is
refused or left out aloud.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest

import dynagen
from dynagen.apps.benchmarking import benchmark as module
from dynagen.apps.benchmarking.benchmark import QUICK, benchmark
from dynagen.apps.benchmarking.contender import (
    Contender,
    compute_difference,
    make_single_state_contender,
    measure_least_times,
)
from dynagen.apps.benchmarking.merging import reduce_to_urdf
from dynagen.apps.benchmarking.pinocchio_native import PinocchioRobot
from dynagen.apps.benchmarking.states import BenchStates
from dynagen.apps.crosscheck.pinocchio import load_pinocchio
from dynagen.errors import ToolchainError, UsageError, VerificationError
from dynagen.numbers.exact import ONE, ZERO
from dynagen.robot.options import ReadingOptions
from dynagen.verification.reference import make_references
from tests.support.urdf_robots import joint, link, robot

PLACED = '<origin xyz="0.3 0.1 -0.2" rpy="0.7 -0.4 0.9"/>'
ARM = robot(
    link("base_link"),
    link("torso"),
    joint("waist", "base_link", "torso", PLACED + '<axis xyz="0 0 1"/>'),
    link("finger"),
    joint("slide", "torso", "finger", PLACED, "prismatic"),
)


@pytest.mark.slow
@pytest.mark.tools
def test_all_tools_agree_and_are_timed(run):
    status, out, _ = run("bench", "ur5", "-f", "inverse_dynamics", "--quick", "--format", "json")
    assert status == 0
    report = json.loads(out)
    (rows,) = report["functions"].values()
    tools = [row["tool"].partition(" ")[0].strip(",") for row in rows]
    assert tools == ["dynagen"] * 6 + [
        "Pinocchio",
        "CasADi",
        "Pinocchio",
        "MuJoCo",
        "numpy",
        "numpy",
    ]
    assert [row["tool"].endswith("C++") for row in rows].index(True) == 6
    assert all(row["nanoseconds"] > 0 for row in rows)
    assert all(row["difference"] < (1e-5 if "float" in row["called"] else 1e-10) for row in rows)
    assert [row["ratio"] for row in rows] == [
        row["nanoseconds"] / rows[0]["nanoseconds"] for row in rows
    ]
    assert [row["roof"] is None for row in rows] == [False, True, False, False] + [True] * (
        len(rows) - 4
    )
    assert report["notes"] == []
    assert report["machine"]["flags"].startswith("-O0")


@pytest.fixture
def without_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Pinocchio that was installed without what C++ needs, which takes half a minute to
    compile.
    """
    monkeypatch.setattr(PinocchioRobot, "includes", property(missing_headers))


def missing_headers(_: PinocchioRobot) -> NoReturn:
    raise ToolchainError("no headers")


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.usefixtures("without_headers")
def test_a_floating_base_is_compared_with_pinocchio_and_mujoco_is_left_out_aloud(run, tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    status, out, _ = run("bench", "arm.urdf", "--base", "floating", "-f", "mass_matrix", "--quick")
    assert status == 0
    assert "Pinocchio is left out" not in out
    assert "Pinocchio in C++ is left out: no headers" in out
    assert "CasADi is left out: no headers" in out
    assert (
        "MuJoCo is left out: MuJoCo expresses the velocity of a floating base in other axes" in out
    )
    assert "inverse_dynamics" not in out
    assert "* bound of scalar instructions: code in which" in out


@pytest.mark.slow
@pytest.mark.tools
def test_functions_that_only_some_tools_have(without_headers: None) -> None:
    functions = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "regressor")
    measured = benchmark(dynagen.load_robot("scara"), functions, QUICK)
    for rows in measured.functions.values():
        assert {row.tool for row in rows} == {"dynagen, C", "dynagen, Python"}


@pytest.mark.tools
def test_another_robot_is_refused_before_anything_is_timed(
    without_headers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_the_moon(robot: Any) -> Any:
        return load_pinocchio(replace(robot, gravity=(ZERO, ZERO, -ONE)))

    monkeypatch.setattr(module, "load_pinocchio", on_the_moon)
    monkeypatch.setattr(module, "measure_least_times", lambda *_: pytest.fail("timed"))
    with pytest.raises(
        VerificationError, match=r"gravity_forces: Pinocchio .* differs from the numeric reference"
    ):
        benchmark(dynagen.load_robot("ur5"), ("gravity_forces",), QUICK)


@pytest.mark.tools
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_a_robot_and_its_states_for_pinocchio_in_cpp(base: str, tmp_path: Path) -> None:
    """States in the order of C++ and results brought back are those of Pinocchio's own Python."""
    (tmp_path / "arm.urdf").write_text(ARM)
    description = dynagen.load_robot(tmp_path / "arm.urdf", ReadingOptions(base=base))
    states = BenchStates.sample(description, 30)
    robot = PinocchioRobot(load_pinocchio(description)[0], states)
    library, model = robot.tool.library, robot.tool.model
    out = np.stack(
        [
            library.rnea(model, robot.tool.data, *state)
            for state in zip(*robot.list_inputs("inverse_dynamics"), strict=True)
        ]
    )
    np.testing.assert_allclose(
        robot.read("inverse_dynamics", out), states.compute_expected("inverse_dynamics"), atol=1e-12
    )
    assert (robot.sizes, len(robot.numbers)) == ((model.nq, model.nv), 4 + (model.njoints - 1) * 30)


@pytest.mark.tools
@pytest.mark.parametrize("most", [2, 1])
def test_rows_of_few_functions_appear_before_the_next_is_compiled(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[object] = []

    def find(states, functions, compilers, notes, progress):
        events.append(tuple(functions))
        notes.append("the same reason")
        return ()

    monkeypatch.setattr(module, "_find_others", find)
    monkeypatch.setattr(module, "_FEW", most)
    wanted = ("gravity_forces", "mass_matrix")
    measured = benchmark(
        dynagen.load_robot("pendulum"),
        wanted,
        QUICK,
        report=lambda function, rows: events.append(function),
    )
    gravity, mass = wanted
    assert events == (
        [(gravity,), gravity, (mass,), mass] if most == 2 else [wanted, gravity, mass]
    )
    assert measured.notes == ("the same reason",)


def test_functions_that_are_not_timed_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"expected a function that is timed \(inverse_dynamics, .*`coriolis`"
    ):
        benchmark(dynagen.load_robot("ur5"), ("coriolis",), QUICK)


@pytest.mark.parametrize("option", ["payload", "wrench_at", "contact_force"])
def test_loads_are_refused_by_the_name_of_their_option(option: str) -> None:
    robot = dynagen.load_robot("ur5", **{option: "tool"})
    with pytest.raises(UsageError, match=f"--{option.replace('_', '-')}.*: leave them out"):
        benchmark(robot, ("inverse_dynamics",), QUICK)


def test_the_regressor_times_our_parameters_is_inverse_dynamics() -> None:
    states = BenchStates.sample(reduce_to_urdf(dynagen.load_robot("ur5")), 30)
    regressor = make_references(states.robot)[0].regressors.compute_standard(
        *states.select_inputs("regressor")
    )
    found = states.adapt_results("regressor", lambda: (regressor,))()
    assert compute_difference(found, states.compute_expected("regressor")) < 1e-14


def test_calls_of_single_states_are_fewer_where_they_are_slow() -> None:
    states, calls = np.ones((500, 2)), []

    def slow(state: np.ndarray) -> np.ndarray:
        calls.append(state)
        return np.sort(np.arange(100_000)[::-1])[:2] + state

    once = Contender("fast", "", "", lambda _: 2 * states, lambda: 2 * states, is_one_call=True)
    contenders = [once, make_single_state_contender("slow", slow, np.asarray, [states])]
    pauses: list[int] = []
    fast, slowest = measure_least_times(
        contenders, 500, rounds=3, between=lambda: pauses.append(len(calls))
    )
    assert len(pauses) == 4  # before each of the three rounds, and after the last
    assert pauses == sorted(set(pauses))
    assert fast < slowest
    assert len(calls) < 5 * 500
    np.testing.assert_array_equal(contenders[1].results()[:2], [[1, 2], [1, 2]])


def test_results_that_are_no_numbers_or_too_few_differ() -> None:
    assert compute_difference(np.array([np.nan, 1.0]), np.ones(2)) == float("inf")
    assert compute_difference(np.ones(2), np.ones((2, 1))) == float("inf")
    assert compute_difference(np.array([1.5, 4.0]), np.array([1.0, 4.0])) == 0.125


def test_without_a_compiler_nothing_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolchainError, match=r"expected gcc with g\+\+, or clang with clang\+\+"):
        benchmark(dynagen.load_robot("ur5"), (), QUICK)


def test_missing_headers_of_eigen_are_reported_with_the_command_that_installs_them(
    tmp_path: Path,
) -> None:
    module = tmp_path / "lib/python3/site-packages/pinocchio/__init__.py"
    (tmp_path / "include/pinocchio").mkdir(parents=True)
    robot = PinocchioRobot(SimpleNamespace(library=SimpleNamespace(__file__=str(module))), None)
    with pytest.raises(ToolchainError, match=r"Eigen.*pip install 'dynagen\[bench\]'"):
        _ = robot.includes
    (tmp_path / "include/eigen3/Eigen").mkdir(parents=True)
    (tmp_path / "include/eigen3/Eigen/Core").touch()
    assert robot.includes[1] == tmp_path / "include/eigen3"
