"""Significance by contribution and by test."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.uncertainty import (
    compute_contributions,
    find_without_certainty,
    find_without_contribution,
)
from tests.support.simulated_estimates import estimate_of
from tests.support.simulated_logs import model_of, simulated_samples

LAWS = ("viscous", "coulomb", "offset")


def test_a_term_small_in_every_trajectory_is_dropped_and_one_large_in_one_is_not() -> None:
    model = model_of()
    trajectories = [simulated_samples(model, count=200, seed=seed) for seed in (0, 2)]
    names = [each.name for each in model.parameters]
    still = trajectories[0][:1]
    small = model.described_values.copy()
    small[names.index("column.coulomb")] = 1e-3
    for samples, expected in (([still], {"slide.viscous"}), (trajectories, {"column.coulomb"})):
        values = (
            small
            if expected == {"column.coulomb"}
            else model.described_values * (samples[0].qd[0, 0] != 0)
        )
        terms, greatest = compute_contributions(model, samples, values)
        assert terms.shape == (len(samples), 3, len(names))
        dropped = {names[each.index] for each in find_without_contribution(terms, greatest)}
        assert ("column.coulomb" in dropped) == ("column.coulomb" in expected)
    columns = model.compute_regressor(
        *(getattr(trajectories[1], each) for each in ("q", "qd", "qdd"))
    )
    assert_allclose(
        compute_contributions(model, trajectories, small)[0][1], np.abs(columns * small).max(axis=0)
    )
    assert not find_without_contribution(terms, greatest, fraction=0.0)


def test_what_is_zero_is_dropped_and_what_is_large_is_kept() -> None:
    model = model_of(friction=LAWS)
    names = [each.name for each in model.parameters]
    zeros = {
        name
        for name, value in zip(names, model.described_values, strict=True)
        if abs(value) < 1e-12
    }
    assert {"column.offset", "upper_arm.offset", "slide.offset"} <= zeros
    kept = total = 0
    for seed in range(20):
        samples = simulated_samples(model, seed=2 * seed, noise=0.5)
        estimate = estimate_of(model, samples)
        dropped = {names[each.index] for each in find_without_certainty(estimate, 3000)}
        certain = np.abs(model.described_values) > 6 * estimate.deviations
        assert not dropped & {name for name, told in zip(names, certain, strict=True) if told}
        kept += len(zeros - dropped)
        total += len(zeros)
    assert kept / total < 0.15  # the level of the test is 5 %, of each that is tried


def test_the_statistic_is_that_of_the_sums_of_squares_for_white_residuals() -> None:
    model = model_of(friction=LAWS)
    samples = simulated_samples(model, noise=0.5)
    estimate = estimate_of(model, samples)
    dropped = find_without_certainty(estimate, 3000)
    assert len(dropped) > 2
    left = [
        index
        for index in range(len(model.parameters))
        if index not in {each.index for each in dropped}
    ]
    weighted = (
        model.compute_regressor(samples.q, samples.qd, samples.qdd)
        / estimate.joint_deviation[:, None]
    ).reshape(3000, -1)
    tau = (samples.tau / estimate.joint_deviation).ravel()
    sums = [
        np.linalg.lstsq(columns, tau, rcond=None)[1][0] for columns in (weighted, weighted[:, left])
    ]
    statistic = (sums[1] - sums[0]) / len(dropped)
    assert f"F = {statistic:.2f} <=" in dropped[-1].reason


def test_held_parameters_are_not_judged() -> None:
    model = model_of(friction=LAWS)
    estimate = estimate_of(model, simulated_samples(model, noise=0.5))
    index = find_without_certainty(estimate, 3000)[0].index
    assert index not in {
        each.index for each in find_without_certainty(replace(estimate, held=(index,)), 3000)
    }


@pytest.mark.parametrize("level", [0.01, 0.2])
def test_a_stricter_level_keeps_more(level: float) -> None:
    model = model_of(friction=LAWS)
    estimate = estimate_of(model, simulated_samples(model, noise=2.0))
    fewer, more = (
        len(find_without_certainty(estimate, 3000, each))
        for each in (max(level, 0.05), min(level, 0.05))
    )
    assert fewer <= more
