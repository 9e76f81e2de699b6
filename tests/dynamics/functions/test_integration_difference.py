"""difference: the inverse of integrate, against the references and Pinocchio."""

import numpy as np
import pytest

from dynagen.dynamics.functions.integration import DIFFERENCE, INTEGRATE
from dynagen.robot.loading import load_robot
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, proofs
from tests.support.libraries import pinocchio as pin
from tests.support.random_robots import random_floating


def difference(robot):
    return kernel(optimised(DIFFERENCE, robot))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_references_compute_the_same(seed):
    robot = random_floating(seed, 3)
    proofs(robot, DIFFERENCE, optimised(DIFFERENCE, robot)).require()


def test_joints_on_a_fixed_base_subtract():
    states = sample_states(load_robot("two_arm"), ("q", "q_next"), 10)
    (motion,) = difference(load_robot("two_arm"))(states["q"], states["q_next"])
    np.testing.assert_array_equal(motion, states["q_next"] - states["q"])


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-20, 1e-9, 1e-3, 1.0, 3.0, np.pi - 1e-9])
def test_it_undoes_integration_at_all_angles(angle):
    """Also if the quaternion after the motion has the other sign."""
    robot = random_floating(3, 2)
    states = sample_states(robot, ("q", "motion"), 40)
    motion = states["motion"].copy()
    axis = motion[1:, 3:6]
    motion[1:, 3:6] = angle * axis / np.linalg.norm(axis, axis=1, keepdims=True)
    q = states["q"][1:]
    (after,) = kernel(optimised(INTEGRATE, robot))(q, motion[1:])
    for sign in (1, -1):
        after[:, 3:7] *= sign
        (found,) = difference(robot)(q, after)
        # An angle near 180 degrees is known to the rounding of a quaternion.
        np.testing.assert_allclose(found, motion[1:], rtol=0, atol=2e-14)


@pytest.mark.tools
def test_it_agrees_with_pinocchio():
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    robot = random_floating(1, 1)
    states = sample_states(robot, ("q", "q_next"), 200)
    (found,) = difference(robot)(states["q"], states["q_next"])
    for q, after, motion in zip(states["q"], states["q_next"], found, strict=True):
        expected = pin.difference(model, q[:7], after[:7])
        np.testing.assert_allclose(motion[:6], expected, rtol=0, atol=1e-12)
