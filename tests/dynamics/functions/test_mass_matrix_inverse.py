"""mass_matrix_inverse: its definition, faults, and Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.functions.mass_matrix_inverse import MASS_MATRIX_INVERSE
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.counts_table import total_of
from tests.support.function_proofs import heavier, kernel, optimised, proofs
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, robots

METHODS = tuple(MASS_MATRIX_INVERSE.methods)


@settings(max_examples=8)
@given(robots(5), st.sampled_from(METHODS))
def test_both_entries_of_a_pair_are_one_value(description, method):
    (output,) = optimised(MASS_MATRIX_INVERSE, description, method=method).outputs
    values = np.array(output.values).reshape(output.argument.shape)
    assert (values == values.T).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("robot", ["puma560", "two_arm"])
def test_it_times_the_mass_matrix_is_one(robot, method):
    description = load_robot(robot)
    q = sample_states(description, ("q",), 20)["q"]
    (inverse,) = kernel(optimised(MASS_MATRIX_INVERSE, description, method=method))(q)
    (matrix,) = kernel(optimised(MASS_MATRIX, description))(q)
    np.testing.assert_allclose(inverse @ matrix - np.eye(matrix.shape[-1]), 0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_a_link_a_billionth_too_heavy_is_found(method):
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    program = optimised(MASS_MATRIX_INVERSE, heavier(description), method=method)
    assert not proofs(description, MASS_MATRIX_INVERSE, program).passed


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_with_pinocchio(seed):
    description = random_description(seed, 2 + seed, branches=bool(seed % 2), fixed_links=0.2)
    model, order = pinocchio_model(description)
    data = model.createData()
    states = sample_states(description, ("q",), 10)["q"]
    for q, computed in zip(
        states, kernel(optimised(MASS_MATRIX_INVERSE, description))(states)[0], strict=True
    ):
        upper = np.triu(pin.computeMinverse(model, data, q[order]))
        expected = upper + np.triu(upper, 1).T
        np.testing.assert_allclose(
            computed[np.ix_(order, order)], expected, atol=1e-10 * np.abs(expected).max()
        )


def test_a_joint_without_inertia_is_refused():
    bare = parse_robot(
        "name: bare\ngravity: [0, 0, -9.81]\nlinks:\n"
        "- {name: one, joint: revolute, axis: [0, 0, 1], mass: 0}\n",
        "bare.yaml",
    )
    with pytest.raises(UsageError, match="mass_matrix_inverse is not available for bare: link one"):
        find_functions(["mass_matrix_inverse"], build_model(bare))


def test_operation_counts():
    assert total_of("puma560", "mass_matrix_inverse") <= 276
    assert total_of("panda", "mass_matrix_inverse") <= 654
