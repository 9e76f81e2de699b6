"""Joint wrenches: references, Pinocchio, power at the joints, and statics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS, JOINT_WRENCHES
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.requests import fuse_functions
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.model.model import build_model
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import (
    make_numeric_links,
)
from dynagen.verification.sampling import sample_states
from tests.support.bundled import bundled
from tests.support.function_proofs import heavier, kernel, optimised, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, placed, positions_order
from tests.support.random_robots import random_description, random_floating, robots

MOTION = ("q", "qd", "qdd")


def states_of(description, names=MOTION, count=40):
    states = sample_states(description, names, count, 3)
    return [states[name][-10:] for name in names]


def assert_close(left, right):
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-12 * max(1.0, np.abs(right).max()))


@settings(max_examples=8)
@given(robots(4, mimics=0.3), st.integers(0, 3))
def test_every_formulation_agrees_with_the_references(description, formulation):
    program = optimised(JOINT_WRENCHES, description, random_candidate(description, formulation))
    proofs(description, JOINT_WRENCHES, program).require()


def test_a_link_a_billionth_too_heavy_is_found():
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    assert not proofs(
        description, JOINT_WRENCHES, optimised(JOINT_WRENCHES, heavier(description))
    ).passed


@pytest.mark.tools
@pytest.mark.parametrize("build", [random_description, random_floating], ids=["fixed", "floating"])
@pytest.mark.parametrize("seed", range(2))
def test_they_are_pinocchios(seed, build):
    description = build(
        seed, 5, helical=0.2, axes=0.5, fixed_links=0.2, branches=True, convention="standard"
    )
    model, order = pinocchio_model(description)
    data, places = model.createData(), positions_order(order) if build is random_floating else order
    q, qd, qdd = states_of(description)
    (wrenches,) = kernel(optimised(JOINT_WRENCHES, description))(q, qd, qdd)
    moving = [link for link in description.links if link.joint.moves]
    for state in range(len(q)):
        pin.rnea(model, data, q[state][places], qd[state][order], qdd[state][order])
        for row, link in enumerate(moving):
            at_joint = data.f[model.getJointId(link.name)]
            assert_close(wrenches[state, row], placed(link.after).actInv(at_joint).vector)


@pytest.mark.parametrize("seed", range(4))
def test_joints_do_the_work_of_their_wrenches_and_motors_the_rest(seed):
    """tau_j = S_j^T f_j + Ia_j qdd_j, S_j being column j of the link frame's body Jacobian."""
    description = random_description(
        seed, 5, helical=0.3, axes=0.3, fixed_links=0.2, branches=seed % 2 == 1
    )
    links = make_numeric_links(description)
    q, qd, qdd = states_of(description)
    (wrenches,), (tau,) = (
        kernel(optimised(each, description))(q, qd, qdd)
        for each in (JOINT_WRENCHES, INVERSE_DYNAMICS)
    )
    moving = [position for position, link in enumerate(links) if link.variable is not None]
    for joint, position in enumerate(moving):
        frame = FrameReference(links, position, np.eye(4), Coordinates.from_links(links))
        axis = frame.compute_body_jacobian(q)[..., joint]
        motor = links[position].motor_inertia * qdd[:, joint]
        assert_close(np.einsum("si,si->s", axis, wrenches[:, joint]) + motor, tau[:, joint])


def test_a_base_at_rest_carries_all_weights_and_loads_and_a_tip_what_is_held_by_it():
    """A planar arm at rest along x with gravity along -y: forces and levers by hand."""
    description = bundled(
        "planar3", "external_wrench: true", "frames: [{name: tool, link: hand, xyz: [1, 0.25, 0]}]"
    )
    rest, force, moment = np.zeros((1, 3)), np.array([3.0, -7.0, 5.0]), np.array([0.5, 0.25, -2.0])
    load = np.concatenate([force, moment])[None]
    (wrenches,) = kernel(optimised(JOINT_WRENCHES, description))(rest, rest, rest, load)
    for row in range(3):
        rods = 3 - row  # of unit mass and length, that the joint carries
        weight, tool = np.array([0, -9.81 * rods, 0]), np.array([rods, 0.25, 0])
        about_joint = np.cross([rods / 2, 0, 0], weight) + np.cross(tool, force) + moment
        assert_close(wrenches[0, row], -np.concatenate([weight + force, about_joint]))


@pytest.mark.parametrize("robot", ["puma560", "ur5"])
def test_a_wrench_and_a_payload_load_every_joint(robot):
    description = bundled(robot, "payload: true", "external_wrench: true")
    proved = generate(description, Settings(functions=("joint_wrenches",), states=60)).proofs
    assert list(proved) == ["joint_wrenches"]


def test_inertial_parameters_stay_where_joints_carry_them():
    model = build_model(random_floating(3, 3))
    assert not JOINT_WRENCHES.regroups(model)
    assert not fuse_functions((MASS_MATRIX, JOINT_WRENCHES), model).regroups(model)


def test_units_are_those_of_wrenches_and_a_joint_that_follows_another_has_its_row():
    description = random_description(4, 3, mimics=1.0)
    (wrenches,) = JOINT_WRENCHES.outputs(build_model(description))
    moving = [link for link in description.links if link.joint.moves]
    assert wrenches.shape == (len(moving), 6)
    assert wrenches.units == (("N",) * 3 + ("N m",) * 3) * len(moving)
    turned = replace(
        description,
        links=tuple(
            replace(link, motor_inertia=link.motor_inertia + 1) for link in description.links
        ),
    )
    q, qd, qdd = states_of(description)
    plain, heavier_motors = (
        kernel(optimised(JOINT_WRENCHES, each))(q, qd, qdd)[0] for each in (description, turned)
    )
    assert np.array_equal(plain, heavier_motors)
