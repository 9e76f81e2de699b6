"""gravity_forces: two methods, one result; the cheaper one is generated."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.functions.inverse_dynamics import GRAVITY_FORCES
from dynagen.ir.cost import count
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, robots


@settings(max_examples=16)
@given(robots(), st.integers(0, 3), st.sampled_from(list(GRAVITY_FORCES.methods)))
def test_every_method_and_formulation_agrees_with_the_references(description, formulation, method):
    program = optimised(
        GRAVITY_FORCES, description, random_candidate(description, formulation), method
    )
    proofs(description, GRAVITY_FORCES, program).require()


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(12))
def test_they_agree_with_pinocchio(seed):
    description = random_description(seed, 1 + seed % 6, branches=bool(seed % 2), fixed_links=0.2)
    model, order = pinocchio_model(description)
    data = model.createData()
    states = sample_states(description, ("q",), 30, 1)["q"]
    (computed,) = kernel(optimised(GRAVITY_FORCES, description))(states)
    for q, forces in zip(states, computed, strict=True):
        expected = pin.computeGeneralizedGravity(model, data, q[order])
        np.testing.assert_allclose(
            forces[order], expected, atol=1e-11 * max(1, np.abs(expected).max())
        )


@pytest.mark.parametrize("seed", range(8))
def test_the_method_that_costs_less_is_generated(seed):
    description = random_description(seed)
    settings = Settings(functions=("gravity_forces",), verify=False, optimize="none")
    (function,) = generate(description, settings).functions
    totals = {
        method: count(optimised(GRAVITY_FORCES, description, None, method)).total
        for method in GRAVITY_FORCES.methods
    }
    assert {method: operations.total for method, operations in function.considered} == totals
    assert function.operations.total == totals[function.method] == min(totals.values())


def test_different_robots_want_different_methods():
    best = set()
    for robot in (load_robot("puma560"), random_description(6, 5)):
        made = generate(robot, Settings(functions=("gravity_forces",), verify=False)).functions
        best.update(function.method for function in made)
    assert best == set(GRAVITY_FORCES.methods)


@pytest.mark.parametrize(
    ("robot", "most"), [("puma560", 37), ("stanford_listing", 24), ("panda", 91)]
)
def test_they_cost_no_more_than_they_did(robot, most):
    assert count(optimised(GRAVITY_FORCES, load_robot(robot))).total <= most


def test_methods_are_named_in_one_word_that_can_be_typed():
    assert all(
        re.fullmatch("[a-z-]*", method) for function in FUNCTIONS for method in function.methods
    )
    generation = generate(
        load_robot("planar3"),
        Settings(functions=("gravity_forces",), verify=False, method="carried"),
    )
    assert generation.functions[0].method == "carried"
