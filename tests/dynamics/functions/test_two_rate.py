"""background and synchronous: together they are inverse dynamics; operation counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.codegen.documentation import name_elements
from dynagen.dynamics.functions.inverse_dynamics import (
    CORIOLIS_FORCES,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
)
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.functions.two_rate import BACKGROUND, BACKGROUND_INERTIA, SYNCHRONOUS
from dynagen.ir.cost import OperationCount, count
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, proofs, random_candidate
from tests.support.random_robots import random_description, robots


@pytest.mark.slow
@settings(max_examples=16)
@given(robots(5), st.integers(0, 3))
def test_both_agree_with_the_references_under_every_formulation(description, formulation):
    for function in (BACKGROUND, BACKGROUND_INERTIA, SYNCHRONOUS):
        program = optimised(function, description, random_candidate(description, formulation))
        proofs(description, function, program).require()


@pytest.mark.slow
@settings(max_examples=16)
@given(robots(6))
def test_synchronous_after_one_or_two_background_tasks_is_inverse_dynamics(description):
    states = sample_states(description, count=30)
    (state,) = kernel(optimised(BACKGROUND, description))(states["q"], states["qd"])
    (forces,) = kernel(optimised(SYNCHRONOUS, description))(state, states["qdd"])
    motion = [states[name] for name in ("q", "qd", "qdd")]
    (expected,) = kernel(optimised(INVERSE_DYNAMICS, description))(*motion)
    scale = make_references(description)[0].magnitudes.compute_inverse_dynamics(*motion).max(axis=0)
    assert (np.abs(forces - expected) <= 1e-13 * scale).all()
    (state,) = kernel(optimised(BACKGROUND_INERTIA, description))(states["q"])
    (velocity_forces,) = kernel(optimised(CORIOLIS_FORCES, description))(states["q"], states["qd"])
    (forces,) = kernel(optimised(SYNCHRONOUS, description))(state, states["qdd"])
    assert (np.abs(forces + velocity_forces - expected) <= 1e-13 * scale).all()


def test_a_state_that_a_kernel_fills_is_what_the_other_takes(language):
    robot = load_robot("stanford")
    generation = generate(
        robot, Settings(language, ("background", "synchronous", "inverse_dynamics"), states=50)
    )
    states = sample_states(robot, count=20)
    (state,) = generation.compiled["background"](states["q"], states["qd"])
    (forces,) = generation.compiled["synchronous"](state, states["qdd"])
    (expected,) = generation.compiled["inverse_dynamics"](states["q"], states["qd"], states["qdd"])
    np.testing.assert_allclose(forces, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("joints", [1, 3, 6])
def test_synchronous_costs_n_multiplications_and_n_additions_a_joint(joints):
    chain = random_description(joints, joints)
    assert count(optimised(SYNCHRONOUS, chain)) == OperationCount(mul=joints**2, add=joints**2)


def test_the_state_of_a_tree_has_no_place_for_what_is_always_zero():
    robot = load_robot("two_arm")
    (output,) = optimised(BACKGROUND, robot).outputs
    names = output.argument.columns
    assert len(names) == len(set(names)) == output.argument.size == len(output.argument.units)
    joints = sum(name.startswith("h_") for name in names)
    inertias = len(names) - joints
    assert inertias < joints * (joints + 1) // 2
    assert count(optimised(SYNCHRONOUS, robot)).mul == 2 * inertias - joints


def test_the_state_is_the_lower_triangle_row_by_row_then_the_forces():
    (output,) = optimised(BACKGROUND, random_description(3, 3, prismatic=0)).outputs
    assert output.argument.columns == (
        "m_1_1",
        "m_2_1",
        "m_2_2",
        "m_3_1",
        "m_3_2",
        "m_3_3",
        "h_1",
        "h_2",
        "h_3",
    )
    assert output.argument.units == ("kg m^2",) * 6 + ("N m",) * 3


def test_one_background_task_costs_less_than_its_two_functions():
    """Mass matrix and gravity share composites; a hand-made program for the PUMA 260 has 135."""
    robot = load_robot("puma260")
    together = count(optimised(BACKGROUND_INERTIA, robot)).total
    assert together < sum(
        count(optimised(function, robot)).total for function in (MASS_MATRIX, GRAVITY_FORCES)
    )
    assert together <= 135


def test_every_language_names_the_elements_of_the_state():
    robot = load_robot("planar3")
    lines = {
        "c": ("include/planar3.h", "    PLANAR3_STATE_M_2_1,\n", "    PLANAR3_STATE_SIZE\n"),
        "fortran": (
            "planar3_dynamics.f90",
            "public :: planar3_state_m_2_1 = 2\n",
            "public :: planar3_state_size = 9\n",
        ),
        "javascript": (
            "planar3.js",
            'STATE = Object.freeze({\n  "m_1_1": 0,\n  "m_2_1": 1,\n',
            '  "h_3": 8,\n',
        ),
        "matlab": (
            "planar3_info.m",
            "  info.STATE = {\n    'm_1_1'\n    'm_2_1'\n",
            "    'h_3'\n  };\n",
        ),
        "python": (
            "planar3.py",
            'STATE = {\n    "m_1_1": 0,\n    "m_2_1": 1,\n',
            '    "h_3": 8,\n',
        ),
    }
    for language, (path, *expected) in lines.items():
        files = generate(
            robot, Settings(language, ("background", "synchronous"), verify=False)
        ).files
        (text,) = (file.text for file in files if file.path == path)
        assert all(line in text for line in expected)


def test_a_name_too_long_for_a_language_gives_way_to_a_number():
    robot = load_robot("planar3")
    links = tuple(
        replace(link, name=f"link_{number}_{50 * 'x'}", parent=None)
        for number, link in enumerate(robot.links)
    )
    generation = generate(
        replace(robot, links=links), Settings("fortran", ("base_parameters",), verify=False)
    )
    names = [name for elements in name_elements(generation.package) for name in elements.names]
    assert max(map(len, names)) <= 63
    assert len(names) == len(set(names))
    assert "planar3_pi_33" in names
