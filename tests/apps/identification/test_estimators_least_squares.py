"""Least squares where the truth is known: exact samples, deviations that are kept, joints of
unequal noise, what is held.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.estimators import (
    compute_covariance,
    estimate_ordinary,
    estimate_weighted,
    solve,
)
from dynagen.apps.identification.samples import make_samples
from dynagen.apps.identification.triangular import JointFactors, compute_factors
from dynagen.errors import UsageError
from tests.support.simulated_logs import model_of, simulated_samples

NOISE = (2.0, 0.5, 8.0)


@pytest.mark.parametrize("estimate", [estimate_ordinary, estimate_weighted])
def test_exact_samples_give_the_parameters(estimate) -> None:
    model = model_of()
    truth = model.described_values * (1 + 0.3 * np.sin(np.arange(len(model.parameters))))
    samples = simulated_samples(model, truth=truth)
    found = estimate(compute_factors(model, samples), model.parameters)
    assert found.held == ()
    assert_allclose(found.values, truth, atol=1e-9 * np.abs(truth).max())


def test_weights_give_joints_of_unequal_noise_their_due() -> None:
    model = model_of()
    errors = {}
    for estimate in (estimate_ordinary, estimate_weighted):
        found = [
            estimate(
                compute_factors(model, simulated_samples(model, seed=seed, noise=NOISE)),
                model.parameters,
            )
            for seed in range(20)
        ]
        scaled = np.array(
            [(each.values - model.described_values) / found[0].deviations for each in found]
        )
        errors[estimate] = np.array([each.values - model.described_values for each in found])
        assert_allclose(np.mean([each.joint_deviation for each in found], axis=0), NOISE, rtol=0.05)
        assert np.sqrt(np.mean(scaled**2)) < 2
    spread = [np.sqrt(np.mean(each**2, axis=0)) for each in errors.values()]
    assert np.median(spread[1] / spread[0]) < 0.7


@pytest.mark.slow
@pytest.mark.parametrize("estimate", [estimate_ordinary, estimate_weighted])
def test_95_percent_of_parameters_are_within_two_deviations(estimate) -> None:
    """200 draws of noise on one motion, whose columns are factored once."""
    model, rng = model_of(), np.random.default_rng(5)
    samples = simulated_samples(model, 300)
    columns, width = (
        model.compute_regressor(samples.q, samples.qd, samples.qdd),
        len(model.parameters),
    )
    bases = [np.linalg.qr(columns[:, joint]) for joint in range(3)]
    within = []
    for _ in range(200):
        factors = np.zeros((3, width + 1, width + 1))
        tau = samples.tau + np.array(NOISE) * rng.normal(size=samples.tau.shape)
        for factor, (orthogonal, upper), force in zip(factors, bases, tau.T, strict=True):
            factor[:width, :width], factor[:width, width] = upper, orthogonal.T @ force
            factor[width, width] = np.linalg.norm(force - orthogonal @ factor[:width, width])
        found = estimate(JointFactors(factors, np.full(3, len(tau))), model.parameters)
        within.append(np.abs(found.values - model.described_values) <= 2 * found.deviations)
    kept = np.mean(
        within, axis=0
    )  # binomial: 0.954 with a deviation of 0.015 for each, 0.003 for all together
    assert abs(np.mean(kept) - 0.954) < 0.01
    assert kept.min() > 0.954 - 4 * 0.015


def test_columns_that_depend_on_each_other_leave_one_at_its_described_value() -> None:
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(50, 4)) * (1, 1e6, 1e-6, 1)
    columns[:, 3] = 2 * columns[:, 0] + columns[:, 1]
    truth = np.array([1.0, 2e-6, 3e6, 0.5])
    factor = np.linalg.qr(np.column_stack([columns, columns @ truth]), mode="r")
    solution = solve(factor, truth)
    assert len(solution.held) == 1
    assert solution.held[0] in (0, 1, 3)
    assert_allclose(solution.values, truth, rtol=1e-8)


def test_what_a_joint_that_stands_leaves_untold_is_held_and_has_no_deviation() -> None:
    model = model_of()
    q, qd, qdd = (
        np.array(each) for each in (lambda s: (s.q, s.qd, s.qdd))(simulated_samples(model))
    )
    q[:, 2], qd[:, 2], qdd[:, 2] = 0.1, 0, 0
    tau = model.compute_regressor(q, qd, qdd) @ model.described_values
    found = estimate_weighted(
        compute_factors(model, make_samples(np.arange(len(q)) / 100, q, qd, qdd, tau)),
        model.parameters,
    )
    held = {model.parameters[place].name for place in found.held}
    assert {"slide.viscous", "slide.coulomb", "slide.Ia"} <= held
    assert_allclose(found.deviations[list(found.held)], 0)
    assert_allclose(model.compute_regressor(q, qd, qdd) @ found.values, tau, atol=1e-8)


def test_equations_that_do_not_count_change_nothing() -> None:
    model = model_of()
    samples = simulated_samples(model, noise=0.1)
    used = samples.used.copy()
    used[100:200, 1] = False
    spoilt = samples.tau.copy()
    spoilt[100:200, 1] = 1e6
    one, other = (
        compute_factors(model, replace(samples, tau=tau, used=used))
        for tau in (samples.tau, spoilt)
    )
    assert tuple(one.counts) == (1000, 900, 1000)
    assert_allclose(
        estimate_weighted(one, model.parameters).values,
        estimate_weighted(other, model.parameters).values,
        rtol=1e-9,
    )
    with pytest.raises(UsageError, match="no equations to identify from"):
        estimate_weighted(
            compute_factors(model, replace(samples, used=np.zeros_like(used))), model.parameters
        )


def test_covariance_is_the_inverse_of_the_information_where_weights_are_right() -> None:
    model = model_of()
    samples = simulated_samples(model, noise=NOISE)
    factors, weights = compute_factors(model, samples), 1 / np.array(NOISE)
    factor = factors.apply_weights(weights)
    covariance = compute_covariance(
        factors, solve(factor, model.described_values), weights, np.array(NOISE)
    )
    rows = (model.compute_regressor(samples.q, samples.qd, samples.qdd) * weights[:, None]).reshape(
        -1, len(model.parameters)
    )
    assert_allclose(covariance, np.linalg.inv(rows.T @ rows), rtol=1e-6, atol=1e-12)
