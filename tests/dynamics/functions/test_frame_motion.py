"""Motions and poses of frames, derivatives of the Jacobian, and Christoffel symbols."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.dynamics.functions.christoffel import CHRISTOFFEL
from dynagen.dynamics.functions.frame_motion import FRAME_ACCELERATION, FRAME_VELOCITY
from dynagen.dynamics.functions.integration import INTEGRATE
from dynagen.dynamics.functions.inverse_dynamics import CORIOLIS_FORCES
from dynagen.dynamics.functions.kinematics import (
    FORWARD_KINEMATICS,
    JACOBIAN,
    JACOBIAN_DERIVATIVE,
    JACOBIAN_DOT_QD,
)
from dynagen.dynamics.requests import find_functions
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, proofs
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, random_floating

ROBOTS = {
    "chain": random_description(2, 5, "modified"),
    "tree": random_description(5, 6, branches=True, mimics=0.4, helical=0.4),
    "floating": random_floating(4, 3),
}


def states(description, count=20):
    sampled = sample_states(description, ("q", "qd", "qdd"), 60)
    return tuple(sampled[name][-count:] for name in ("q", "qd", "qdd"))


def assert_close(left, right):
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-12 * max(1.0, np.abs(right).max()))


@pytest.mark.parametrize("name", ROBOTS)
def test_motions_follow_from_the_jacobian_and_its_derivative(name):
    robot = ROBOTS[name]
    q, qd, qdd = states(robot)
    (jacobian,) = kernel(optimised(JACOBIAN, robot))(q)
    (derivative,) = kernel(optimised(JACOBIAN_DERIVATIVE, robot))(q)
    (drift,) = kernel(optimised(JACOBIAN_DOT_QD, robot))(q, qd)
    (velocity,) = kernel(optimised(FRAME_VELOCITY, robot))(q, qd)
    (acceleration,) = kernel(optimised(FRAME_ACCELERATION, robot))(q, qd, qdd)
    assert_close(np.einsum("sij,sj->si", jacobian, qd), velocity)
    assert_close(np.einsum("sijk,sj,sk->si", derivative, qd, qd), drift)
    assert_close(np.einsum("sij,sj->si", jacobian, qdd) + drift, acceleration)


@pytest.mark.parametrize("name", ROBOTS)
def test_coefficients_give_the_velocity_forces(name):
    robot = ROBOTS[name]
    q, qd, _ = states(robot)
    (coefficients,) = kernel(optimised(CHRISTOFFEL, robot))(q)
    (forces,) = kernel(optimised(CORIOLIS_FORCES, robot))(q, qd)
    assert_close(np.einsum("sijk,sj,sk->si", coefficients, qd, qd), forces)
    if name != "floating":
        assert (coefficients == np.swapaxes(coefficients, -1, -2)).all()


@pytest.mark.tools
def test_motions_agree_with_pinocchio():
    description = ROBOTS["chain"]
    model, order = pinocchio_model(description)
    data, joint = model.createData(), order.index(len(order) - 1) + 1
    q, qd, qdd = states(description)
    (velocity,) = kernel(optimised(FRAME_VELOCITY, description))(q, qd)
    (acceleration,) = kernel(optimised(FRAME_ACCELERATION, description))(q, qd, qdd)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for number in range(len(q)):
        motion = (each[number][order] for each in (q, qd, qdd))
        pin.forwardKinematics(model, data, *motion)
        assert_close(velocity[number], pin.getVelocity(model, data, joint, axes).vector)
        assert_close(
            acceleration[number], pin.getClassicalAcceleration(model, data, joint, axes).vector
        )


@pytest.mark.tools
def test_integration_agrees_with_pinocchio():
    flyer = pin.JointModelFreeFlyer()
    model = pin.Model()
    model.addJoint(0, flyer, pin.SE3.Identity(), "base")
    robot = random_floating(1, 1)
    sampled = sample_states(robot, ("q", "motion"), 40)
    (moved,) = kernel(optimised(INTEGRATE, robot))(sampled["q"], sampled["motion"])
    for before, motion, after in zip(sampled["q"], sampled["motion"], moved, strict=True):
        expected = pin.integrate(model, before[:7], motion[:6])
        # q and -q are the same orientation.
        expected[3:] *= np.sign(expected[3:] @ after[3:7])
        assert_close(after[:7], expected)


def test_all_frames_are_those_one_by_one():
    robot = load_robot("two_arm")
    q, *_ = states(robot)
    model = build_model(robot)
    (everything,) = find_functions(["forward_kinematics@all"], model)
    assert everything.name == "forward_kinematics_at_all"
    program = optimised(everything, robot)
    proofs(robot, everything, program).require()
    rotations, positions = kernel(program)(q)
    assert rotations.shape == (len(q), 3, 3, 3)
    for number, frame in enumerate(model.frames):
        one = FORWARD_KINEMATICS.bind_to_frame(frame.name)
        rotation, position = kernel(optimised(one, robot))(q)
        assert_close(rotations[:, number], rotation)
        assert_close(positions[:, number], position)
