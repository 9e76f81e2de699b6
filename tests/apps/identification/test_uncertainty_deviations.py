"""Deviations under noise of any colour, against the errors that many seeded runs have."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.filtering import apply_low_pass
from dynagen.apps.identification.predictions import predict
from dynagen.apps.identification.uncertainty import (
    compute_autocorrelation_time,
    compute_coloured_deviations,
    compute_contributions,
)
from tests.support.simulated_estimates import coloured, estimate_of
from tests.support.simulated_logs import model_of, simulated_samples

MEMORY = 0.8  # of noise: 9 samples count as one


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_autocorrelation_time_of_a_first_order_process(memory: float) -> None:
    noise = coloured(np.random.default_rng(1), 50_000, 1, memory)[:, 0]
    assert compute_autocorrelation_time(noise) == pytest.approx(
        (1 + memory) / (1 - memory), rel=0.15
    )


def test_true_parameters_are_within_two_deviations_though_the_noise_is_coloured() -> None:
    model = model_of()
    exact = simulated_samples(model, count=1200)
    rng = np.random.default_rng(7)
    inside, inside_if_white = [], []
    for _ in range(40):
        samples = replace(
            exact, tau=exact.tau + np.array([0.5, 1.0, 0.3]) * coloured(rng, 1200, 3, MEMORY)
        )
        estimate = estimate_of(model, samples)
        judged = compute_coloured_deviations(model, [samples], estimate)
        error = np.abs(estimate.values - model.described_values)
        inside.append(error < 2 * judged.estimate.deviations)
        inside_if_white.append(error < 2 * estimate.deviations)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)
    assert np.mean(inside_if_white) < 0.75  # what the colour costs who takes no notice of it


def test_deviations_in_a_short_log_include_the_slow_errors_that_the_fit_absorbs() -> None:
    """Errors behind a low-pass: their covariance is known, and so is that of the parameters."""
    model, count, rate, cutoff = model_of(), 250, 25.0, 1.5
    exact = simulated_samples(model, count=count)
    low_pass = apply_low_pass(np.eye(count), cutoff, rate)
    rng, ratios = np.random.default_rng(3), []
    for _ in range(6):
        noise = low_pass @ rng.normal(size=(count, 3))
        samples = replace(exact, tau=exact.tau + noise)
        estimate = estimate_of(model, samples)
        stated = compute_coloured_deviations(model, [samples], estimate).estimate.deviations
        rows = model.compute_regressor(samples.q, samples.qd, samples.qdd)
        weighted = rows / estimate.joint_deviation[:, None] ** 2
        inverse = np.linalg.inv(np.einsum("tjp,tjr->pr", weighted, rows))
        spread = np.einsum("pr,tjr,ts->pjs", inverse, weighted, low_pass)
        ratios.append(stated / np.sqrt(np.sum(spread**2, axis=(1, 2))))
    mean = np.mean(ratios, axis=0)
    # With one step for what the fit absorbs, these were 0.91 and 0.87.
    assert 0.94 < mean.mean() < 1.05
    assert mean.min() > 0.9


def test_white_noise_leaves_the_deviations_of_least_squares() -> None:
    model = model_of()
    samples = simulated_samples(model, count=4000, noise=0.5)
    estimate = estimate_of(model, samples)
    judged = compute_coloured_deviations(model, [samples], estimate)
    assert_allclose(judged.estimate.deviations, estimate.deviations, rtol=0.15)
    assert_allclose(judged.times, 1.0, atol=0.2)
    assert judged.condition > 2 * judged.condition_scaled > 2


def test_parameters_that_the_motion_does_not_tell_apart_are_named() -> None:
    model = model_of()
    samples = simulated_samples(model, count=500, noise=0.1)
    steady = replace(
        samples, qd=np.abs(samples.qd) + 50.0
    )  # one direction, so that viscous and Coulomb friction are alike
    steady = replace(
        steady,
        tau=samples.tau
        + model.compute_regressor(steady.q, steady.qd, steady.qdd) @ model.described_values,
    )
    pairs = compute_coloured_deviations(model, [steady], estimate_of(model, steady)).correlated
    assert ("slide.viscous", "slide.coulomb") in {pair[:2] for pair in pairs}
    assert all(abs(correlation) > 0.9 for _, _, correlation in pairs)


def test_samples_that_do_not_count_change_nothing() -> None:
    model = model_of()
    samples = simulated_samples(model, count=1000, noise=0.5)
    spoiled = samples.tau.copy()
    used = np.ones_like(samples.used)
    spoiled[::7, 1], used[::7, 1] = 1e6, False
    masked = replace(samples, tau=spoiled, used=used)
    estimate = estimate_of(model, masked)
    judged, whole = (
        compute_coloured_deviations(model, [each], estimate) for each in (masked, samples)
    )
    assert_allclose(judged.estimate.deviations, whole.estimate.deviations, rtol=0.2)
    held = replace(estimate, held=(0,))
    assert compute_coloured_deviations(model, [masked], held).estimate.deviations[0] == 0


def test_samples_in_pieces_lead_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of()
    samples = simulated_samples(model, count=3000, noise=0.5)
    estimate = estimate_of(model, samples)

    def found() -> tuple[np.ndarray, ...]:
        judged = compute_coloured_deviations(model, [samples], estimate)
        terms, _ = compute_contributions(model, [samples], estimate.values)
        predicted = predict(model, estimate.values, model, samples)
        return (
            judged.estimate.deviations,
            np.append(judged.times, judged.condition_scaled),
            terms,
            predicted.residual,
        )

    whole = found()
    monkeypatch.setattr("dynagen.apps.identification.samples.PIECE", 701)
    for one, other in zip(whole, found(), strict=True):
        assert_allclose(one, other, rtol=0.02)
