"""Verdict, next steps and coverage of an identification."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynagen.apps.identification.identification import Identification, identify
from dynagen.apps.identification.verdict import (
    explain_deviations,
    list_next_steps,
    measure_coverage,
    state_verdict,
)
from tests.support.simulated_logs import SMALL_ARM, model_of, simulated_log, write_log


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Identification:
    log = tmp_path_factory.mktemp("log") / "log.csv"
    write_log(log, simulated_log(model_of(), seed=3, noise=0.3))
    return identify(SMALL_ARM, log)


def test_the_verdict_compares_with_the_description(found: Identification) -> None:
    verdict = state_verdict(found)
    assert verdict.startswith("On the logs that it was identified from, the identified robot")
    worst = found.fit[0].relative_residual_percent.max()
    assert f"{worst:.2g} %" in verdict or f"{worst:.0f} %" in verdict
    held_out = replace(found, validation=found.fit)
    assert state_verdict(held_out).startswith("On logs that were not used, ")


def test_a_result_without_validation_asks_for_it_last(found: Identification) -> None:
    assert list(list_next_steps(found))[-1].startswith("All logs were used")
    held_out = list(list_next_steps(replace(found, validation=found.fit)))
    assert not any("--validate" in step for step in held_out)


def test_a_constant_residual_asks_for_an_offset(found: Identification) -> None:
    assert not any("--friction" in step for step in list_next_steps(found))
    shifted = replace(found.fit[0], predicted=found.fit[0].predicted + np.eye(3)[1] * 5.0)
    (step,) = (each for each in list_next_steps(replace(found, fit=(shifted,))) if "mean" in each)
    assert found.model.joints[1].joint_name in step
    assert "mean of -5" in step
    assert "offset." in step
    advised = list(list_next_steps(replace(found, fit=(shifted,)), advised=True))
    assert any("mean of -5" in each for each in advised)
    assert not any("--friction" in each or "--essential" in each for each in advised)


def test_a_description_that_predicts_better_is_reported(found: Identification) -> None:
    log = found.fit[0]
    worse = replace(log, predicted=log.predicted + 100.0, described=log.samples.tau)
    steps = list(list_next_steps(replace(found, validation=(worse,))))
    assert sum("predict a held-out log better" in step for step in steps) == len(found.model.joints)


def test_deviations_are_explained_with_cause_and_remedy(found: Identification) -> None:
    samples = len(found.fit[0].residual)
    times = np.full(len(found.model.joints), 3.0)
    pair = (("a.mx", "b.viscous", -0.94),)

    def explain(times: np.ndarray) -> str:
        changed = replace(found.judgement.deviations, times=times, correlated=pair)
        judgement = replace(found.judgement, deviations=changed)
        return "\n".join(explain_deviations(replace(found, judgement=judgement)))

    calm = explain(times)
    assert "several samples as one (numbers of samples by joint: 3, 3" in calm
    assert "change slowly" not in calm
    assert "a.mx and b.viscous are hardly distinguishable (correlation -0.94)" in calm
    assert "dynagen excite" in calm
    times[1] = samples / 2
    (slow,) = (line for line in explain(times).splitlines() if "change slowly" in line)
    assert found.model.joints[1].joint_name in slow
    assert found.model.joints[0].joint_name not in slow
    assert "--advise" in slow


def test_coverage_is_the_range_of_the_samples(found: Identification) -> None:
    samples = found.fit[0].samples
    rows = list(measure_coverage(found))
    assert [row.joint for row in rows] == [link.joint_name for link in found.model.joints]
    np.testing.assert_allclose([row.low for row in rows], samples.q.min(axis=0))
    np.testing.assert_allclose([row.high for row in rows], samples.q.max(axis=0))
    np.testing.assert_allclose([row.speed for row in rows], np.abs(samples.qd).max(axis=0))
    for row, link in zip(rows, found.model.joints, strict=True):
        if link.limits and link.limits.velocity is not None:
            assert row.speed_percent == pytest.approx(100 * row.speed / float(link.limits.velocity))
        else:
            assert row.speed_percent is None


ELASTIC = SMALL_ARM.replace("motor: {inertia: 0.5}", "motor: {inertia: 0.5, stiffness: 9000}")
COUPLED = (
    SMALL_ARM.replace("    motor: {inertia: 0.5}\n", "").replace("    motor: {inertia: 0.4}\n", "")
    + "couplings:\n- {joints: [column, upper_arm], matrix: [[1, 0], [-0.5, 1]], inertia: [1, 2]}\n"
)


@pytest.mark.parametrize(
    ("robot", "warning"),
    [
        (ELASTIC, "small_arm: elastic joints (column) are identified as rigid"),
        (COUPLED, "small_arm: the coupled motors of column, upper_arm couple"),
    ],
)
def test_motors_that_move_apart_from_the_links_cause_a_warning(
    tmp_path: Path, robot: str, warning: str
) -> None:
    log = tmp_path / "log.csv"
    write_log(log, simulated_log(model_of(), seed=3, noise=0.3))
    (fault,) = identify(robot, log).faults
    assert str(fault).startswith(warning)


def test_described_friction_that_the_model_leaves_out_causes_a_warning(tmp_path: Path) -> None:
    robot = SMALL_ARM.replace("coulomb: 3", "coulomb: 3, offset: 0.3")
    assert robot != SMALL_ARM
    log = tmp_path / "log.csv"
    write_log(log, simulated_log(model_of(), seed=3, noise=0.3))
    (fault,) = identify(robot, log).faults
    assert "the described offset friction (column) is not part of the model" in str(fault)
    assert identify(robot, log, friction=("viscous", "coulomb", "offset")).faults == ()
    assert identify(robot, log, friction=("viscous", "asymmetric")).faults == ()
