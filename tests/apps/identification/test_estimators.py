"""Estimators against each other where each has its point: outliers, noise in accelerations,
friction that is not linear.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.estimation import ESTIMATORS, find_estimator, observe
from dynagen.apps.identification.instrumental import simulate_motion
from dynagen.errors import UsageError
from tests.support.simulated_logs import SMALL_ARM, model_of, simulated_samples

NOISE = (1.0, 0.5, 2.0)


def estimates(model, samples, *names: str):
    seen = observe(model, (samples,))
    return [find_estimator(name)(seen) for name in names or ("weighted",)]


def errors(model, found):
    """Of friction and inertia alike in units of what weighted least squares says of white noise."""
    return np.linalg.norm((found[0].values - model.described_values) / found[1].deviations)


def test_a_cutoff_near_the_sampling_rate_leaves_the_simulated_controller_stable():
    model = model_of()
    samples = simulated_samples(model, 400)
    rate = 1 / np.median(np.diff(samples.t))
    fast = replace(model, shape=replace(model.shape, cutoff=0.45 * rate))
    q, _, qdd = simulate_motion(fast, model.described_values, model.described_values, samples)
    assert np.abs(q - samples.q).max() < 0.2 * np.abs(samples.q).max()
    assert np.abs(qdd).max() < 10 * np.abs(samples.qdd).max()


def test_a_simulated_robot_that_diverges_is_refused_with_a_remedy():
    model = model_of()
    samples, known = simulated_samples(model, 400), model.described_values
    with pytest.raises(UsageError, match=r"diverges.*another --estimator"):
        simulate_motion(model, known, 1e-5 * known, samples)


@pytest.mark.parametrize("name", ["instrumental", "ordinary", "robust", "total", "weighted"])
def test_every_estimator_finds_the_truth_in_exact_samples(name: str) -> None:
    model = model_of()
    (found,) = estimates(model, simulated_samples(model, 400), name)
    assert found.estimator == name
    assert name in ESTIMATORS
    assert_allclose(
        found.values, model.described_values, atol=1e-6 * np.abs(model.described_values).max()
    )


def test_outliers_spoil_least_squares_and_not_the_robust_estimate() -> None:
    model, rng = model_of(), np.random.default_rng(3)
    samples = simulated_samples(model, noise=NOISE)
    struck = rng.random(samples.tau.shape) < 0.03
    spoilt = replace(samples, tau=samples.tau + struck * 30 * np.array(NOISE))
    weighted, robust = estimates(model, spoilt, "weighted", "robust")
    (clean,) = estimates(model, samples)
    assert errors(model, (weighted, clean)) > 3 * errors(model, (robust, clean))
    assert_allclose(robust.joint_deviation, NOISE, rtol=0.3)
    assert np.mean(np.abs(robust.values - model.described_values) < 2 * robust.deviations) > 0.7


def test_noise_in_accelerations_biases_least_squares_and_not_instrumental_variables() -> None:
    model = model_of()
    rng, within = np.random.default_rng(4), {"weighted": [], "instrumental": []}
    motor = [each.name for each in model.parameters].index("slide.Ia")
    for seed in range(4):
        samples = simulated_samples(model, seed=seed, noise=0.2)
        noisy = replace(samples, qdd=samples.qdd + 0.5 * rng.normal(size=samples.qdd.shape))
        for found in estimates(model, noisy, "weighted", "instrumental"):
            within[found.estimator].append(found.values[motor] / model.described_values[motor] - 1)
    biased, unbiased = (abs(np.mean(each)) for each in within.values())
    assert biased > 0.02
    assert unbiased < 0.3 * biased


def test_stribeck_velocities_and_losses_are_found() -> None:
    robot = SMALL_ARM.replace(
        "{viscous: 2, coulomb: 3}", "{viscous: 2, coulomb: 3, stribeck: {static: 6, velocity: 0.4}}"
    )
    robot = robot.replace(
        "{viscous: 3, coulomb: 4}", "{viscous: 3, coulomb: 4, transmission: {efficiency: 0.8}}"
    )
    truth = model_of(robot, ("viscous", "coulomb", "stribeck", "load"))
    samples = simulated_samples(truth, 2000, noise=0.02)
    start = replace(
        truth,
        shape=replace(
            truth.shape,
            stribeck_velocity=np.full(3, 0.1),
            loss=np.zeros(3),
            loads=np.zeros_like(truth.shape.loads),
        ),
    )
    seen = observe(start, (samples,))
    (found,) = [find_estimator("weighted")(seen)]
    values = {each.name: value for each, value in zip(found.parameters, found.values, strict=True)}
    assert seen.model.shape.stribeck_velocity[0] == pytest.approx(0.4, rel=0.1)
    assert values["column.static"] == pytest.approx(6, rel=0.05)
    assert values["upper_arm.loss"] == pytest.approx(0.2, rel=0.02)
    assert abs(values["slide.loss"]) < 0.01
    forces = seen.model.compute_regressor(samples.q, samples.qd, samples.qdd) @ found.values
    assert np.sqrt(np.mean((forces - samples.tau) ** 2)) < 0.03
    for name in ("total", "instrumental"):
        with pytest.raises(UsageError, match=f"{name} does not support --friction load"):
            find_estimator(name)(seen)
