"""Centre of mass, its Jacobian, the centroidal momentum, its change and its derivatives:
references, Pinocchio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.centroidal_motion import (
    CENTROIDAL_MOMENTUM_DERIVATIVES,
    CENTROIDAL_MOMENTUM_DRIFT,
)
from dynagen.dynamics.functions.kinematics import (
    CENTER_OF_MASS,
    CENTROIDAL_MOMENTUM_MATRIX,
    COM_JACOBIAN,
)
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.requests import fuse_functions
from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.edits import substitute
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import heavier, kernel, optimised, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, positions_order
from tests.support.random_robots import random_description, random_floating, robots

OF_POSITIONS = (CENTER_OF_MASS, COM_JACOBIAN, CENTROIDAL_MOMENTUM_MATRIX)
ALL = (*OF_POSITIONS, CENTROIDAL_MOMENTUM_DRIFT, CENTROIDAL_MOMENTUM_DERIVATIVES)
each = pytest.mark.parametrize("function", ALL, ids=lambda function: function.name)


def assert_close(left, right):
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-12 * max(1.0, np.abs(right).max()))


def values(description, function, q):
    return kernel(optimised(function, description))(q)[0]


@each
@settings(max_examples=6)
@given(robots(4, mimics=0.3), st.integers(0, 3))
def test_every_formulation_agrees_with_the_references(function, description, formulation):
    program = optimised(function, description, random_candidate(description, formulation))
    proofs(description, function, program).require()


@each
def test_a_link_a_billionth_too_heavy_is_found(function):
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    assert not proofs(description, function, optimised(function, heavier(description))).passed


@pytest.mark.tools
@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("seed", range(3))
def test_they_are_pinocchios(seed, floats):
    build = random_floating if floats else random_description
    description = build(seed, 5, helical=0.2, axes=0.5, fixed_links=0.2, branches=True)
    model, order = pinocchio_model(description)
    data, places = model.createData(), positions_order(order) if floats else order
    q = sample_states(description, ("q",), 40, 3)["q"][-10:]
    com, jacobian, momenta = (values(description, function, q) for function in OF_POSITIONS)
    for state in range(len(q)):
        at = q[state][places]
        assert_close(com[state], pin.centerOfMass(model, data, at))
        assert_close(jacobian[state][:, order], pin.jacobianCenterOfMass(model, data, at))
        pin.ccrba(model, data, at, np.zeros(model.nv))
        assert_close(momenta[state][:, order], data.Ag)


@pytest.mark.tools
@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("seed", range(3))
def test_the_change_and_the_derivatives_are_pinocchios(seed, floats):
    build = random_floating if floats else random_description
    description = build(seed, 5, helical=0.2, axes=0.5, fixed_links=0.2, branches=True)
    model, order = pinocchio_model(description)
    data, places = model.createData(), positions_order(order) if floats else order
    states = sample_states(description, ("q", "qd", "qdd"), 40, 3)
    q, qd, qdd = (states[name][-10:] for name in ("q", "qd", "qdd"))
    (drift,) = kernel(optimised(CENTROIDAL_MOMENTUM_DRIFT, description))(q, qd)
    found = kernel(optimised(CENTROIDAL_MOMENTUM_DERIVATIVES, description))(q, qd, qdd)
    for state in range(len(q)):
        at, v, a = q[state][places], qd[state][order], qdd[state][order]
        pin.computeCentroidalMomentumTimeVariation(model, data, at, v, 0 * a)
        assert_close(drift[state], data.dhg.vector)
        theirs = pin.computeCentroidalDynamicsDerivatives(model, data, at, v, a)
        for ours, other in zip(found, theirs, strict=False):
            assert_close(ours[state][:, order], other)


@pytest.mark.parametrize("robot", ["puma560", "panda", "scara"])
def test_generated_with_the_candidates_of_a_pipeline(robot):
    names = tuple(function.name for function in ALL)
    assert set(generate(load_robot(robot), Settings(functions=names, states=40)).proofs) == set(
        names
    )


def test_a_floating_base_may_regroup_and_a_fixed_one_may_not():
    for floats, build in ((True, random_floating), (False, random_description)):
        model = build_model(build(3, 3))
        assert [function.regroups(model) for function in ALL] == [floats] * len(ALL)
        assert fuse_functions((MASS_MATRIX, CENTER_OF_MASS), model).regroups(model) == floats
        assert MASS_MATRIX.regroups(model)
    description = random_floating(4, 3, prismatic=0)
    proved = generate(
        description, Settings(functions=("center_of_mass+mass_matrix", "com_jacobian"), states=40)
    ).proofs
    assert len(proved) == 2


def test_momenta_are_those_of_the_mass_matrix_on_a_floating_base():
    """The base's rows of M are momenta about its origin, in its own axes."""
    description = random_floating(5, 4)
    q = sample_states(description, ("q",), 30, 1)["q"][-5:]
    q[:, :7] = [0, 0, 0, 0, 0, 0, 1]
    (mass_matrix,) = kernel(optimised(MASS_MATRIX, description))(q)
    com, _, momenta = (values(description, function, q) for function in OF_POSITIONS)
    assert_close(momenta[:, :3], mass_matrix[:, :3])
    about_com = mass_matrix[:, 3:6] - np.cross(com[..., None], mass_matrix[:, :3], axis=1)
    assert_close(momenta[:, 3:], about_com)


def test_without_mass_there_is_no_centre_of_it():
    description = random_description(6, 2)
    bare = replace(
        description,
        links=tuple(replace(link, inertial=_massless(link.inertial)) for link in description.links),
    )
    for function in ALL:
        with pytest.raises(UsageError, match="no moving body has mass"):
            function.require(build_model(bare))


def _massless(inertial):
    return replace(substitute(inertial, {}), mass=ZERO)
