"""Energies and their regressors: identities, faults, and Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from dynagen.dynamics.functions.energies import (
    KINETIC_ENERGY,
    KINETIC_ENERGY_REGRESSOR,
    POTENTIAL_ENERGY,
    POTENTIAL_ENERGY_REGRESSOR,
)
from dynagen.dynamics.functions.inverse_dynamics import GRAVITY_FORCES
from dynagen.robot.loading import parse_robot
from dynagen.verification.sampling import sample_states
from tests.support.counts_table import total_of
from tests.support.function_proofs import heavier, kernel, optimised, parameters, proofs
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, robots

ENERGIES = (KINETIC_ENERGY, POTENTIAL_ENERGY)
STEP = 1e-30


def states(description, count=20):
    sampled = sample_states(description, ("q", "qd"), count)
    return sampled["q"], sampled["qd"]


@settings(max_examples=8)
@given(robots(4))
def test_regressors_times_the_parameters_are_the_energies(description):
    q, qd = states(description)
    values = parameters(description)
    for energy, regressor, inputs in (
        (KINETIC_ENERGY, KINETIC_ENERGY_REGRESSOR, (q, qd)),
        (POTENTIAL_ENERGY, POTENTIAL_ENERGY_REGRESSOR, (q,)),
    ):
        (expected,) = kernel(optimised(energy, description))(*inputs)
        (row,) = kernel(optimised(regressor, description))(*inputs)
        scale = max(1.0, (np.abs(row) @ np.abs(values)).max())
        np.testing.assert_allclose(row @ values, expected, rtol=0, atol=1e-13 * scale)


@settings(max_examples=8)
@given(robots(4))
def test_gravity_forces_are_the_gradient_of_the_potential_energy(description):
    q, _ = states(description)
    energy = kernel(optimised(POTENTIAL_ENERGY, description))
    gradient = [energy(q + 1j * STEP * unit)[0].imag / STEP for unit in np.eye(q.shape[1])]
    (forces,) = kernel(optimised(GRAVITY_FORCES, description))(q)
    scale = max(1.0, np.abs(forces).max())
    np.testing.assert_allclose(np.stack(gradient, -1), forces, rtol=0, atol=1e-12 * scale)


def test_the_potential_energy_of_a_mass_is_its_weight_times_its_height():
    lift = parse_robot(
        "name: lift\ngravity: [0, 0, -10]\nlinks:\n"
        "- {name: car, joint: prismatic, axis: [0, 0, 1], origin: {xyz: [0, 0, 2]}, mass: 3, "
        "com: [0, 0, 0.5]}\n",
        "lift.yaml",
    )
    (energy,) = kernel(optimised(POTENTIAL_ENERGY, lift))(np.array([[0.0], [1.0]]))
    np.testing.assert_allclose(energy, [75.0, 105.0])


@pytest.mark.parametrize("function", ENERGIES, ids=lambda function: function.name)
def test_a_link_a_billionth_too_heavy_is_found(function):
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    program = optimised(function, heavier(description))
    assert not proofs(description, function, program).passed


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(4))
def test_they_agree_with_pinocchio(seed):
    description = random_description(seed, 2 + seed, branches=bool(seed % 2))
    model, order = pinocchio_model(description)
    # Pinocchio 4.1 adds the energy of motors for some types of joints only.
    motors, model.armature = model.armature.copy(), np.zeros(model.nv)
    data = model.createData()
    q, qd = states(description)
    (kinetic,) = kernel(optimised(KINETIC_ENERGY, description))(q, qd)
    (potential,) = kernel(optimised(POTENTIAL_ENERGY, description))(q)
    expected = np.array(
        [
            (
                pin.computeKineticEnergy(model, data, position[order], velocity[order])
                + velocity[order] @ (motors * velocity[order]) / 2,
                pin.computePotentialEnergy(model, data, position[order]),
            )
            for position, velocity in zip(q, qd, strict=True)
        ]
    ).T
    for computed, other in zip((kinetic, potential), expected, strict=True):
        np.testing.assert_allclose(computed, other, rtol=0, atol=1e-12 * np.abs(other).max())


def test_operation_counts():
    assert total_of("puma560", "kinetic_energy") <= 150
    assert total_of("panda", "kinetic_energy") <= 320
    assert total_of("puma560", "potential_energy") <= 34
    assert total_of("panda", "potential_energy") <= 58
