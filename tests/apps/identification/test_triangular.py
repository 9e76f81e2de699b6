"""Triangular factors: the same whatever the chunks, and everything that least squares asks of the
samples.
"""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from numpy.linalg import norm

import dynagen
from dynagen.apps.identification.samples import make_samples
from dynagen.apps.identification.triangular import accumulate, compute_factors, merge_factors
from dynagen.errors import UsageError

COUNT = 6001
WEIGHTS = np.array([1.0, 20.0, 0.3])


def cut(samples, *borders):
    """Pieces between borders."""
    return [
        samples[slice(*ends)] for ends in zip((0, *borders), (*borders, len(samples)), strict=True)
    ]


def samples_from(*columns):
    return make_samples(np.arange(len(columns[0])) * 0.01, *columns)


class Arm:
    """The base regressor of a small arm."""

    def __init__(self):
        self.compute_regressor = dynagen.compile("planar3", "base_regressor")
        self.parameters = self.compute_regressor.outputs[0].shape[1]


@pytest.fixture(scope="module")
def arm():
    return Arm()


@pytest.fixture(scope="module")
def motion():
    rng = np.random.default_rng(7)
    return samples_from(*rng.normal(size=(4, COUNT, 3)))


@pytest.fixture(scope="module")
def rows(arm, motion):
    """[Y_j | tau_j] of every joint, shape (n, count, p + 1)."""
    regressors = arm.compute_regressor(motion.q, motion.qd, motion.qdd)
    return np.concatenate([regressors, motion.tau[:, :, None]], axis=2).swapaxes(0, 1)


def assert_same_gram(factor, rows):
    gram = rows.T @ rows
    assert norm(factor.T @ factor - gram) <= 1e-12 * norm(gram)
    np.testing.assert_array_equal(factor, np.triu(factor))
    assert np.all(np.diagonal(factor) >= 0)


def test_a_factor_has_the_inner_products_of_its_joints_rows(arm, motion, rows):
    factors = compute_factors(arm, motion)
    assert factors.factors.shape == (3, arm.parameters + 1, arm.parameters + 1)
    np.testing.assert_array_equal(factors.counts, COUNT)
    for factor, each in zip(factors.factors, rows, strict=True):
        assert_same_gram(factor, each)


def test_weights_are_applied_afterwards(arm, motion, rows):
    assert_same_gram(
        compute_factors(arm, motion).apply_weights(WEIGHTS),
        np.concatenate(WEIGHTS[:, None, None] * rows),
    )


def test_parameters_are_left_out_afterwards(arm, motion, rows):
    kept = [arm.parameters - 1, 0, 3]
    factors = compute_factors(arm, motion).restrict(kept)
    assert_same_gram(
        factors.apply_weights(WEIGHTS),
        np.concatenate(WEIGHTS[:, None, None] * rows[:, :, [*kept, -1]]),
    )


def test_only_equations_that_are_used_count(arm, motion, rows):
    used = np.random.default_rng(1).random((COUNT, 3)) < [0.5, 1, 0]
    factors = compute_factors(arm, replace(motion, used=used))
    np.testing.assert_array_equal(factors.counts, used.sum(axis=0))
    for factor, each, kept in zip(factors.factors, rows, used.T, strict=True):
        assert_same_gram(factor, each[kept])


@pytest.mark.parametrize(
    "borders", [range(1, 40), [1, 2, 5990], range(1000, 6000, 1000), [2999]], ids=str
)
def test_chunks_leave_no_trace(arm, motion, borders):
    whole = compute_factors(arm, motion)
    chunks = accumulate(arm, iter(cut(motion, *borders)))
    np.testing.assert_array_equal(chunks.counts, COUNT)
    np.testing.assert_allclose(
        chunks.factors, whole.factors, rtol=0, atol=1e-12 * norm(whole.factors)
    )


def test_a_sample_at_a_time(arm, motion):
    few, _ = cut(motion, 200)
    chunks = accumulate(arm, cut(few, *range(1, 200)))
    np.testing.assert_allclose(
        chunks.factors, compute_factors(arm, few).factors, rtol=0, atol=1e-12 * norm(chunks.factors)
    )


def test_merged_in_any_order(arm, motion):
    whole = compute_factors(arm, motion)
    parts = [compute_factors(arm, part) for part in cut(motion, 100, 104)]
    for first, second, third in permutations(parts):
        for together in (
            merge_factors(merge_factors(first, second), third),
            merge_factors(first, merge_factors(second, third)),
        ):
            np.testing.assert_array_equal(together.counts, COUNT)
            np.testing.assert_allclose(
                together.factors, whole.factors, rtol=0, atol=1e-12 * norm(whole.factors)
            )


def test_small_parameters_survive_where_inner_products_would_lose_them():
    """A column that is another but for 1e-9 of it: its square is below the rounding of the inner
    products.
    """
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, COUNT))
    columns = np.stack([first, first + 1e-9 * second], axis=1)

    class Nearly:
        def compute_regressor(self, q, qd, qdd):
            return q[:, None, :]

    sought = np.array([3.0, -2.0])
    tau = columns @ sought
    motion = samples_from(columns, columns, columns, tau[:, None])
    factor = accumulate(Nearly(), cut(motion, 1000, 5000)).apply_weights([1.0])
    np.testing.assert_allclose(np.linalg.solve(factor[:2, :2], factor[:2, 2]), sought, rtol=1e-5)
    assert np.linalg.matrix_rank(columns.T @ columns) == 1


def test_no_samples():
    with pytest.raises(UsageError, match="at least one piece of samples"):
        accumulate(Arm(), [])
    empty = samples_from(*np.zeros((4, 0, 3)))
    assert not compute_factors(Arm(), empty).factors.any()
