"""The step response that friction's sign follows, beside the filter itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dynagen.apps.identification.filtering import apply_low_pass, compute_step_response
from dynagen.apps.identification.regression import compute_friction_sign
from tests.support.simulated_logs import model_of

RATE = 2000.0


@pytest.mark.parametrize("cutoff", [3.0, 20.0])
def test_a_filtered_jump_is_the_step_response(cutoff: float) -> None:
    jump = np.repeat([-1.0, 1.0], 4000)[:, None]
    filtered = apply_low_pass(jump, cutoff, RATE)[4000:, 0]
    times, values = compute_step_response()
    since = (np.arange(len(filtered)) + 0.5) / RATE * cutoff
    within = since <= times[-1]
    assert_allclose(filtered[within], np.interp(since[within], times, values), atol=2e-3)
    assert_allclose(filtered[~within], 1, atol=3e-3)


def test_the_sign_of_a_filtered_rate_is_the_filtered_sign_near_reversals() -> None:
    link, cutoff = model_of().joints[0], 5.0
    t = np.arange(0, 4, 1 / RATE)
    rate, acceleration = np.sin(2 * np.pi * 0.5 * t), np.pi * np.cos(2 * np.pi * 0.5 * t)
    inside = slice(2000, -2000)
    filtered = apply_low_pass(np.sign(rate)[:, None], cutoff, RATE)[inside, 0]
    found = compute_friction_sign(link, rate, acceleration, cutoff)[inside]
    assert np.sqrt(np.mean((found - filtered) ** 2)) < 0.02
    assert np.sqrt(np.mean((np.sign(rate)[inside] - filtered) ** 2)) > 0.1
    assert_allclose(compute_friction_sign(link, rate, acceleration, None), np.sign(rate), rtol=0)
