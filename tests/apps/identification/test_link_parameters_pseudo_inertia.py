"""Pseudo-inertia: clouds of point masses are bodies, and what breaks a rule is none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.link_parameters import (
    extract_parameters,
    factor_nearest_body,
    make_parameter_map,
    make_pseudo_inertia,
)


def cloud(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Parameters of a body of twenty point masses, and the integral that the matrix is."""
    rng = np.random.default_rng(seed)
    masses, points = rng.uniform(0.1, 1, 20), rng.normal(size=(20, 3)) + rng.normal(size=3)
    extended = np.column_stack([points, np.ones(20)])
    inertia = sum(
        m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True)
    )
    tensor = [inertia[place] for place in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return np.array([masses.sum(), *(masses @ points), *tensor]), (extended.T * masses) @ extended


@pytest.mark.parametrize("seed", range(5))
def test_a_cloud_of_masses_has_the_matrix_of_its_moments(seed: int) -> None:
    parameters, expected = cloud(seed)
    assert_allclose(make_pseudo_inertia(parameters), expected, rtol=1e-12)
    assert_allclose(extract_parameters(expected), parameters, rtol=1e-12)
    factor = factor_nearest_body(parameters, mass=1.0, length=1.0)
    assert_allclose(factor @ factor.T, expected, rtol=1e-10)
    rng = np.random.default_rng(seed)
    shape = rng.normal(size=(4, 4))
    shape = shape @ shape.T
    assert_allclose(
        make_parameter_map(factor) @ shape.ravel(),
        extract_parameters(factor @ shape @ factor.T),
        rtol=1e-10,
    )


@pytest.mark.parametrize(
    "impossible",
    [
        np.zeros(10),
        np.array([0, 0, 0, 0, 0, 0, 0.35, 0, 0, 0]),  # the waist of the PUMA 560
        np.array([-1.0, 0, 0, 0, 1, 1, 1, 0, 0, 0]),
        np.array([1.0, 0, 0, 0, 1, 1, 5, 0, 0, 0]),
        np.array([1.0, 3, 0, 0, 1, 1, 1, 0, 0, 0]),
    ],
)
def test_what_is_no_body_has_one_near_it(impossible: np.ndarray) -> None:
    assert np.linalg.eigvalsh(make_pseudo_inertia(impossible))[0] <= 0
    factor = factor_nearest_body(impossible, mass=2.0, length=0.1)
    near = factor @ factor.T
    assert np.linalg.eigvalsh(near)[0] > 0
    assert near[3, 3] == pytest.approx(impossible[0] if impossible[0] > 0 else 2.0, rel=1.0)
