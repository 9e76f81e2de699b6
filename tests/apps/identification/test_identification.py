"""The whole way from logs with noise, and logs that cannot be: each fault by file and column."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynagen
from dynagen.apps.identification.filtering import Cutoff, choose_cutoff, filter_log
from dynagen.apps.identification.identification import identify
from dynagen.apps.identification.logs import Log
from dynagen.cli.main import main
from dynagen.errors import UsageError
from tests.support.simulated_logs import SMALL_ARM, model_of, simulated_log, write_log

NOISE = 0.3


def as_log(columns, source: str = "log.csv") -> Log:
    names = {
        name: tuple(f"{name}{joint + 1}" for joint in range(3))
        for name in ("q", "qd", "qdd", "tau")
    } | {"time": ("t",)}
    return Log(source, columns["t"], columns["q"], columns.get("qd"), None, columns["tau"], names)


@pytest.fixture(scope="module")
def columns():
    return simulated_log(model_of(), seed=3, noise=NOISE)


def changed(columns, name: str, joint: int, values) -> Log:
    column = columns[name].copy()
    column[:, joint] = values(column[:, joint])
    return as_log({**columns, name: column})


def test_logs_with_noise_give_the_parameters_and_predict_another_log(columns) -> None:
    other = as_log(simulated_log(model_of(), seed=8, noise=NOISE), "other.csv")
    found = identify(model_of(), as_log(columns), validate=other)
    assert found.faults == ()
    errors = (found.estimate.values - model_of().described_values) / found.estimate.deviations
    assert np.sqrt(np.mean(errors**2)) < 3
    assert np.all(found.validation[0].relative_residual_percent < 2)
    assert np.all(
        found.validation[0].relative_residual_percent
        < found.validation[0].described_residual_percent + 0.5
    )
    assert found.logs[0].filtering.pieces == 1


def test_rates_are_derived_where_they_are_not_logged(columns) -> None:
    without = as_log({name: values for name, values in columns.items() if name != "qd"})
    one, other = (identify(model_of(), log).estimate for log in (as_log(columns), without))
    assert_allclose(one.values, other.values, atol=0.02 * np.abs(one.values).max())


def test_cut_off_follows_the_motion_and_may_be_given(columns) -> None:
    log = as_log(columns)
    chosen = choose_cutoff([log])
    assert (
        0.5 < chosen.bandwidth < 10
    )  # the motion has harmonics up to 0.5 Hz, and what leaks from them
    samples, filtering = filter_log(log, Cutoff(20.0))
    assert filtering.cutoff.frequency == 20
    assert_allclose(
        samples.qdd,
        np.gradient(samples.qd, samples.t, axis=0),
        atol=0.02 * np.abs(samples.qdd).max(),
    )
    for cutoff, message in ((200.0, "below 100"), (-1.0, "above 0"), (0.2, "long enough")):
        with pytest.raises(UsageError, match=message):
            filter_log(log, Cutoff(cutoff))


def test_jitter_and_a_lost_second_leave_the_parameters(columns) -> None:
    rng = np.random.default_rng(4)
    keep = np.ones(len(columns["t"]), dtype=bool)
    keep[1500:1700] = False
    keep &= rng.random(len(keep)) > 0.05
    gappy = as_log({name: values[keep] for name, values in columns.items()})
    found = identify(model_of(), gappy)
    (fault,) = found.faults
    assert "log.csv: t: 1" in str(fault)
    assert "s are lost between rows" in str(fault)
    assert found.logs[0].filtering.pieces == 2
    assert_allclose(
        found.estimate.values,
        model_of().described_values,
        atol=0.02 * np.abs(model_of().described_values).max(),
    )


def test_saturated_samples_are_told_and_left_out(columns) -> None:
    limit = 0.7 * np.abs(columns["tau"][:, 1]).max()
    found = identify(
        model_of(), changed(columns, "tau", 1, lambda tau: np.clip(tau, -limit, limit))
    )
    (fault,) = found.faults
    assert str(fault).startswith("log.csv: tau2: ")
    assert "saturated" in str(fault)
    assert found.logs[0].filtering.saturated[1] > 0
    errors = np.abs(found.estimate.values - model_of().described_values) / found.estimate.deviations
    assert np.median(errors) < 3


def test_a_joint_that_does_not_move_is_told_and_what_only_it_tells_is_held(columns) -> None:
    model, rng = model_of(), np.random.default_rng(6)
    q, qd = columns["q"].copy(), columns["qd"].copy()
    q[:, 2], qd[:, 2] = 0.1 + 1e-5 * rng.normal(size=len(q)), 1e-3 * rng.normal(size=len(q))
    qdd = np.gradient(qd, columns["t"], axis=0)
    still = np.array([1.0, 1.0, 0.0])
    tau = (
        model.compute_regressor(np.where(still, q, 0.1), qd * still, qdd * still)
        @ model.described_values
    )
    tau = tau + NOISE * rng.normal(size=tau.shape)
    found = identify(model, as_log({**columns, "q": q, "qd": qd, "tau": tau}))
    assert any("log.csv: q3: slide does not move" in str(fault) for fault in found.faults)
    held = {found.estimate.parameters[place].name for place in found.estimate.held}
    assert {"slide.viscous", "slide.coulomb", "slide.Ia"} <= held
    assert not found.significant[list(found.estimate.held)].any()


@pytest.mark.parametrize(
    ("name", "joint", "values", "message"),
    [
        ("tau", 1, lambda tau: -tau, "log.csv: tau2: the sign of the force is wrong"),
        ("tau", 0, lambda tau: -tau, "log.csv: tau1: the sign of the force is wrong"),
        (
            "tau",
            0,
            lambda tau: np.random.default_rng(1).normal(size=len(tau)),
            "log.csv: tau1: no parameters explain",
        ),
        (
            "tau",
            2,
            lambda tau: np.where(np.arange(len(tau)) == 70, 1e308, tau),
            "log.csv: tau3: row 70 is 1e+308; expected numbers below 1e+100",
        ),
        (
            "tau",
            2,
            lambda tau: np.where(np.arange(len(tau)) == 70, np.nan, tau),
            "log.csv: tau3: row 70 is nan",
        ),
        ("q", 1, lambda q: q * 180 / np.pi, "log.csv: q2: the position reaches"),
        ("qd", 1, lambda qd: -qd, "log.csv: qd2: the velocity has the opposite sign"),
        ("qd", 1, lambda qd: qd * 180 / np.pi, "log.csv: qd2: velocities are in degrees/s"),
        ("qd", 1, lambda qd: 2 * qd, "log.csv: qd2: the velocity is 2 times the derivative"),
    ],
)
def test_a_column_that_cannot_be_stops_with_its_name(
    columns, name: str, joint: int, values, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        identify(model_of(), changed(columns, name, joint, values))
    assert message in str(caught.value)


def test_swapped_joints_and_times_that_cannot_be_stop_with_their_names(columns) -> None:
    swapped = [1, 0, 2]
    cases = {
        "qd1: the velocity is not the derivative of q1, but qd2 is": {
            "qd": columns["qd"][:, swapped]
        },
        "t: time does not ascend at row 11": {
            "t": np.where(np.arange(len(columns["t"])) == 11, 0.0, columns["t"])
        },
        "t: samples are 5 s apart": {"t": 1000 * columns["t"]},
    }
    for message, change in cases.items():
        with pytest.raises(UsageError) as caught:
            identify(model_of(), as_log({**columns, **change}))
        assert message in str(caught.value)
    flipped = as_log({**columns, "tau": columns["tau"] * (1, -1, 1)})
    assert any(fault.stops for fault in identify(model_of(), flipped, despite_faults=True).faults)


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1)], ids=str)
@pytest.mark.parametrize("signs", [(1, 1, 1), (-1, -1, -1)], ids=str)
def test_forces_of_other_joints_are_told_as_such_and_not_as_wrong_signs(
    columns, order, signs
) -> None:
    """Whatever the description says of masses: half of them here, and no friction."""
    guessed = model_of(
        re.sub(r"    friction: .*\n", "", re.sub(r"mass: (\d)", r"mass: 0.5*\1", SMALL_ARM))
    )
    log = as_log({**columns, "tau": columns["tau"][:, order] * signs})
    told = [str(fault) for fault in identify(guessed, log, despite_faults=True).faults]
    expected = [
        f"log.csv: tau{to + 1}: the force fits the joint of tau{of + 1} far better"
        for to, of in enumerate(order)
        if to != of
    ]
    assert [message.partition(" (")[0] for message in told if "joint of" in message] == expected
    assert sum("sign" in message for message in told) == sum(
        signs[to] < 0 for to, of in enumerate(order) if to == of
    )


def test_no_part_of_a_log_has_a_wrong_sign_where_friction_is_not_described(columns) -> None:
    """The description's forces may be small beside friction, and short parts of a log leave much
    open.
    """
    without = model_of(re.sub(r"    friction: .*\n", "", SMALL_ARM))
    for first, last in ((0, 1000), (1000, 2000), (2500, 4000)):
        part = as_log({name: values[first:last] for name, values in columns.items()})
        assert not any(fault.stops for fault in identify(without, part, despite_faults=True).faults)


def test_the_command_reports_what_python_gives(columns, tmp_path: Path, capsys) -> None:
    robot = tmp_path / "arm.yaml"
    robot.write_text(SMALL_ARM)
    log = write_log(tmp_path / "log.csv", columns)
    main(["identify", str(robot), f"{log}::3000", "--validate", f"{log}:3000:", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = dynagen.identify(robot, f"{log}::3000", validate=f"{log}:3000:")
    assert [each["value"] for each in report["parameters"]] == found.estimate.values.tolist()
    assert {"name", "value", "deviation", "significant"} <= set(report["parameters"][0])
    assert (
        report["validation"]["relative_residual_percent"]
        == found.validation[0].relative_residual_percent.tolist()
    )
    assert report["logs"][0]["cutoff"] == found.logs[0].filtering.cutoff.frequency
    main(["identify", str(robot), f"{log}::3000", "--cutoff", "15"])
    text = capsys.readouterr().out
    assert "column.JzzR" in text
    assert "low-pass at 15 Hz (as requested)" in text


@pytest.mark.tools  # requires cvxpy
def test_the_command_warns_about_estimates_that_no_robot_can_have(tmp_path: Path, capsys) -> None:
    robot, out = tmp_path / "arm.yaml", tmp_path / "identified.yaml"
    robot.write_text(SMALL_ARM)
    names = [parameter.name for parameter in model_of().parameters]
    truth = np.where(np.array(names) == "slide.coulomb", -1.0, model_of().described_values)
    log = write_log(tmp_path / "log.csv", simulated_log(model_of(), noise=NOISE, truth=truth))
    main(["identify", str(robot), str(log), "--out", str(out)])
    errors = capsys.readouterr().err
    warning = re.search(r"yaml:(\d+): links\[2\] \(slide\): Coulomb friction -", errors)
    assert warning is not None
    assert "name: slide" in out.read_text().splitlines()[int(warning[1]) - 1]
    assert "--essential test leaves out parameters" in errors


def test_faults_of_a_part_of_a_file_name_the_part_and_the_rows_of_the_file(
    columns, tmp_path: Path
) -> None:
    tau, t = columns["tau"].copy(), columns["t"].copy()
    tau[3100, 1], t[800] = np.nan, t[799]
    file = write_log(tmp_path / "log.csv", {**columns, "tau": tau, "t": t})
    cases = {
        r"log\.csv, rows 3000 to 3999: tau2 \(column 8\): row 3100 is nan": {
            "rows": ":500",
            "validate": f"{file}:3000:",
        },
        r"log\.csv, rows 700 to 2999: t \(column 0\): time does not ascend at row 800: ": {
            "rows": "700:3000"
        },
        r"log\.csv: tau2 \(column 8\): row 3100 is nan": {},
    }
    for message, given in cases.items():
        with pytest.raises(UsageError, match=message):
            identify(model_of(), file, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"estimator": "weigted"}, "did you mean `weighted`"),
        ({"friction": ("offset",)}, "pass them to regression_model"),
        ({"logs": []}, "expected at least one log"),
        ({"logs": "no_such.csv"}, "cannot read no_such.csv"),
    ],
)
def test_requests_that_cannot_be_met_are_refused(columns, given, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        identify(model_of(), **({"logs": as_log(columns)} | given))
    assert message in str(caught.value)


@pytest.mark.parametrize(("factor", "told"), [(1 / 101, "1/100"), (1e3, "1000"), (1 / 20, "1/20")])
def test_forces_of_another_scale_are_told_as_a_forgotten_gear_ratio(
    tmp_path: Path, factor: float, told: str
) -> None:
    log = simulated_log(model_of(), time=10)
    written = write_log(tmp_path / "log.csv", {**log, "tau": log["tau"] * factor})
    with pytest.raises(UsageError, match=f"about {told} times the forces computed from"):
        identify(model_of(), written)


def test_a_description_with_half_the_masses_is_a_guess_and_no_fault(tmp_path: Path) -> None:
    log = simulated_log(model_of(), time=10)
    for factor in (0.4, 2.5):
        written = write_log(tmp_path / "log.csv", {**log, "tau": log["tau"] * factor})
        assert not any(fault.stops for fault in identify(model_of(), written).faults)
