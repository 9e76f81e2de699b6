"""mass_matrix: the references, Pinocchio, and properties of every mass matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.ir.cost import count
from dynagen.ir.program import Element
from dynagen.numbers.exact import ZERO
from dynagen.robot.description import RobotDescription
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


def mass_matrices(description: RobotDescription, seed: int = 1) -> np.ndarray:
    q = sample_states(description, ("q",), 30, seed)["q"]
    return kernel(optimised(MASS_MATRIX, description))(q)[0]


@settings(max_examples=16)
@given(robots(), st.integers(0, 3))
def test_unit_accelerations_give_the_columns_in_every_formulation(description, formulation):
    program = optimised(MASS_MATRIX, description, random_candidate(description, formulation))
    proofs(description, MASS_MATRIX, program).require()


def test_a_link_a_billionth_too_heavy_is_found():
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    assert not proofs(description, MASS_MATRIX, optimised(MASS_MATRIX, heavier(description))).passed


@settings(max_examples=8)
@given(robots())
def test_both_entries_of_a_pair_are_one_value(description):
    (output,) = optimised(MASS_MATRIX, description).outputs
    values = np.array(output.values).reshape(output.argument.shape)
    assert (values == values.T).all()


@settings(max_examples=8)
@given(robots())
def test_kinetic_energy_is_never_negative(description):
    matrices = mass_matrices(description)
    scale = np.abs(matrices).max(axis=(1, 2))
    assert (np.linalg.eigvalsh(matrices).min(axis=1) >= -1e-12 * scale).all()


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_pinocchio(seed):
    description = random_description(seed, 1 + seed % 6, branches=bool(seed % 2), fixed_links=0.2)
    model, order = pinocchio_model(description)
    data = model.createData()
    states = sample_states(description, ("q",), 30, 1)["q"]
    for q, computed in zip(states, mass_matrices(description), strict=True):
        upper = np.triu(pin.crba(model, data, q[order]))
        expected = upper + np.triu(upper, 1).T
        np.testing.assert_allclose(
            computed[np.ix_(order, order)], expected, atol=1e-11 * np.abs(expected).max()
        )


def test_joints_on_different_branches_do_not_meet():
    assert zero_entries(optimised(MASS_MATRIX, random_fork(3))) == {(1, 2), (2, 1)}


def test_motors_add_to_the_diagonal_and_to_nothing_else():
    description = random_description(4, 5)
    without = replace(
        description, links=tuple(replace(link, motor_inertia=ZERO) for link in description.links)
    )
    motors = np.diag([float(link.motor_inertia) for link in description.links])
    assert motors.any()
    np.testing.assert_allclose(
        mass_matrices(description), mass_matrices(without) + motors, atol=1e-12
    )


def test_the_position_of_a_robot_s_first_joint_does_not_matter():
    program = optimised(MASS_MATRIX, random_description(2, 5, prismatic=0))
    used = {
        instruction.payload.index
        for instruction in program.instructions
        if isinstance(instruction.payload, Element)
    }
    assert used == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("robot", "most"), [("puma560", 195), ("stanford_listing", 92), ("panda", 339)]
)
def test_it_costs_no_more_than_it_did(robot, most):
    assert count(optimised(MASS_MATRIX, load_robot(robot))).total <= most


def test_units_are_those_of_a_pair_of_joints():
    description = random_description(5, 3, prismatic=0.5)
    names = {"revolute": "m", "prismatic": ""}
    kinds = [names[link.joint.type.name] for link in description.links]
    assert len(set(kinds)) == 2
    by_pair = {("m", "m"): "kg m^2", ("m", ""): "kg m", ("", "m"): "kg m", ("", ""): "kg"}
    (output,) = optimised(MASS_MATRIX, description).outputs
    assert output.argument.units == tuple(by_pair[row, column] for row in kinds for column in kinds)
