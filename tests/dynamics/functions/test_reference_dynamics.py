"""inverse_dynamics_reference and its regressor: identities and faults."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.mass_matrix import CORIOLIS_MATRIX, MASS_MATRIX
from dynagen.dynamics.functions.reference_dynamics import (
    INVERSE_DYNAMICS_REFERENCE,
    INVERSE_DYNAMICS_REFERENCE_REGRESSOR,
)
from dynagen.verification.sampling import sample_states
from tests.support.counts_table import total_of
from tests.support.function_proofs import heavier, kernel, optimised, parameters, proofs
from tests.support.random_robots import random_description, random_floating, robots

INPUTS = ("q", "qd", "qd_reference", "qdd_reference")


def states(description):
    sampled = sample_states(description, INPUTS, 20)
    return tuple(sampled[name] for name in INPUTS)


def assert_close(left, right):
    scale = max(1.0, np.abs(right).max())
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-11 * scale)


def check_parts(description):
    """Require that the forces are those of the matrices and of the actual motion."""
    q, qd, velocities, accelerations = states(description)
    forces = kernel(optimised(INVERSE_DYNAMICS_REFERENCE, description))
    inverse_dynamics = kernel(optimised(INVERSE_DYNAMICS, description))
    (matrix,) = kernel(optimised(CORIOLIS_MATRIX, description))(q, qd)
    (at_rest,) = inverse_dynamics(q, 0 * qd, accelerations)
    bilinear = np.einsum("kij,kj->ki", matrix, velocities)
    assert_close(forces(q, qd, velocities, accelerations)[0], at_rest + bilinear)
    assert_close(forces(q, qd, qd, accelerations)[0], inverse_dynamics(q, qd, accelerations)[0])


@settings(max_examples=8)
@given(robots(4))
def test_they_are_the_parts_of_inverse_dynamics(description):
    check_parts(description)


def test_they_are_so_on_a_floating_base():
    check_parts(random_floating(3, 3))


@settings(max_examples=8)
@given(robots(4))
def test_tracking_error_is_passive(description):
    """s.(M sd + C s) is the derivative of s.M s / 2: the reason for this C in adaptive control."""
    q, qd, s, change = states(description)
    forces = kernel(optimised(INVERSE_DYNAMICS_REFERENCE, description))
    (power,) = forces(q, qd, s, change)
    (weights,) = forces(q, qd, 0 * s, 0 * s)
    step = 1e-30
    (matrix,) = kernel(optimised(MASS_MATRIX, description))(q + 1j * step * qd)
    moved = s + 1j * step * change
    energy = np.einsum("ki,kij,kj->k", moved, matrix, moved) / 2
    assert_close(((power - weights) * s).sum(axis=1), energy.imag / step)


@settings(max_examples=6)
@given(robots(3))
def test_the_regressor_times_the_parameters_are_the_forces(description):
    motion = states(description)
    (expected,) = kernel(optimised(INVERSE_DYNAMICS_REFERENCE, description))(*motion)
    (matrix,) = kernel(optimised(INVERSE_DYNAMICS_REFERENCE_REGRESSOR, description))(*motion)
    assert_close(matrix @ parameters(description), expected)


def test_a_link_a_billionth_too_heavy_is_found():
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    program = optimised(INVERSE_DYNAMICS_REFERENCE, heavier(description))
    assert not proofs(description, INVERSE_DYNAMICS_REFERENCE, program).passed


def test_operation_counts():
    assert total_of("puma560", "inverse_dynamics_reference") <= 350
    assert total_of("panda", "inverse_dynamics_reference") <= 690
