"""coriolis_matrix and momentum_bias: the references, Pinocchio, and their identities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.inverse_dynamics import (
    BIAS_FORCES,
    CORIOLIS_FORCES,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
)
from dynagen.dynamics.functions.mass_matrix import CORIOLIS_MATRIX, MASS_MATRIX, MOMENTUM_BIAS
from dynagen.ir.cost import count
from dynagen.robot.loading import load_robot
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import (
    heavier,
    kernel,
    optimised,
    proofs,
    random_candidate,
    zero_entries,
)
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, random_fork, robots

STEP = 1e-30


def computed(function, description, *inputs):
    return kernel(optimised(function, description))(*inputs)[0]


def applied(matrices, vectors):
    return np.einsum("...ij,...j", matrices, vectors)


def states(description, count=30):
    sampled = sample_states(description, ("q", "qd", "qdd"), count, 1)
    return sampled["q"], sampled["qd"], sampled["qdd"]


def mass_matrix_rates(description, q, qd):
    """dM/dt by a complex step along the motion."""
    return computed(MASS_MATRIX, description, q + 1j * STEP * qd).imag / STEP


def assert_close(left, right):
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-11 * max(1.0, np.abs(right).max()))


@settings(max_examples=16)
@given(robots(5), st.integers(0, 3), st.sampled_from([CORIOLIS_MATRIX, MOMENTUM_BIAS]))
def test_every_formulation_agrees_with_the_references(description, formulation, function):
    program = optimised(function, description, random_candidate(description, formulation))
    proofs(description, function, program).require()


@pytest.mark.parametrize(
    "function", [CORIOLIS_MATRIX, MOMENTUM_BIAS], ids=lambda function: function.name
)
def test_a_link_a_billionth_too_heavy_is_found(function):
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    assert not proofs(description, function, optimised(function, heavier(description))).passed


@settings(max_examples=8)
@given(robots(5))
def test_times_the_rates_it_is_the_velocity_forces(description):
    q, qd, _ = states(description)
    forces = applied(computed(CORIOLIS_MATRIX, description, q, qd), qd)
    assert_close(forces, computed(CORIOLIS_FORCES, description, q, qd))


@settings(max_examples=8)
@given(robots(5))
def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(description):
    q, qd, _ = states(description)
    coriolis = computed(CORIOLIS_MATRIX, description, q, qd)
    assert_close(coriolis + coriolis.swapaxes(1, 2), mass_matrix_rates(description, q, qd))


@settings(max_examples=8)
@given(robots(5))
def test_it_holds_the_christoffel_symbols_which_treat_two_motions_alike(description):
    q, one, other = states(description)
    left = applied(computed(CORIOLIS_MATRIX, description, q, one), other)
    assert_close(left, applied(computed(CORIOLIS_MATRIX, description, q, other), one))


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_pinocchio(seed):
    description = random_description(seed, 1 + seed % 6, branches=bool(seed % 2), fixed_links=0.2)
    model, order = pinocchio_model(description)
    data = model.createData()
    q, qd, _ = states(description)
    for one_q, one_qd, matrix in zip(
        q, qd, computed(CORIOLIS_MATRIX, description, q, qd), strict=True
    ):
        expected = pin.computeCoriolisMatrix(model, data, one_q[order], one_qd[order])
        assert_close(matrix[np.ix_(order, order)], expected)


def test_joints_on_different_branches_do_not_meet():
    # The inertia of a tip about its own joint is constant, so that the diagonal vanishes too.
    assert zero_entries(optimised(CORIOLIS_MATRIX, random_fork(3))) == {
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
    }


@settings(max_examples=8)
@given(robots(5))
def test_momentum_changes_by_the_joint_forces_and_the_bias(description):
    q, qd, qdd = states(description)
    change = applied(computed(MASS_MATRIX, description, q), qdd) + applied(
        mass_matrix_rates(description, q, qd), qd
    )
    forces = computed(INVERSE_DYNAMICS, description, q, qd, qdd)
    assert_close(forces + computed(MOMENTUM_BIAS, description, q, qd), change)


@settings(max_examples=8)
@given(robots(5))
def test_the_bias_is_the_transposed_coriolis_matrix_times_the_rates_less_gravity(description):
    q, qd, _ = states(description)
    transposed = computed(CORIOLIS_MATRIX, description, q, qd).swapaxes(1, 2)
    gravity = computed(GRAVITY_FORCES, description, q)
    assert_close(computed(MOMENTUM_BIAS, description, q, qd), applied(transposed, qd) - gravity)


@pytest.mark.parametrize("robot", ["puma560", "stanford_listing", "panda"])
def test_the_bias_costs_less_than_velocity_forces_and_gravity(robot):
    description = load_robot(robot)
    assert (
        count(optimised(MOMENTUM_BIAS, description)).total
        < count(optimised(BIAS_FORCES, description)).total
    )


@pytest.mark.parametrize(
    ("function", "robot", "most"),
    [
        (CORIOLIS_MATRIX, "puma560", 786),
        (CORIOLIS_MATRIX, "stanford_listing", 421),
        (CORIOLIS_MATRIX, "panda", 1406),
        (MOMENTUM_BIAS, "puma560", 292),
        (MOMENTUM_BIAS, "stanford_listing", 221),
        (MOMENTUM_BIAS, "panda", 505),
    ],
)
def test_they_cost_no_more_than_they_did(function, robot, most):
    assert count(optimised(function, load_robot(robot))).total <= most
