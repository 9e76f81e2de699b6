"""Joints that follow others: results from virtual work, and Pinocchio's own mimicking joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import RobotDescription
from dynagen.robot.joints import REVOLUTE, Joint
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import mimic_model
from tests.support.random_robots import random_description

INPUTS = ("q", "qd", "qdd")


def freed(description: RobotDescription) -> tuple[RobotDescription, np.ndarray, np.ndarray]:
    """The robot whose joints all are free, and G and g with q_free = G q + g."""
    joints = [link.joint for link in description.links if link.joint.moves]
    matrix = np.zeros((len(joints), sum(joint.nv for joint in joints)))
    for row, joint in enumerate(joints):
        matrix[row, joint.idx_v] = float(joint.ratio)
    links = [
        replace(link, joint=replace(link.joint, mimics="", ratio=ONE, offset=ZERO))
        for link in description.links
    ]
    offsets = np.array([float(joint.offset) for joint in joints])
    return replace(description, links=number_coordinates(links)), matrix, offsets


@pytest.mark.parametrize("seed", range(8))
def test_forces_and_kinematics_are_those_of_the_free_robot_by_virtual_work(seed: int) -> None:
    description = random_description(
        seed, 6, helical=0.3, axes=0.3, mimics=0.5, branches=seed % 2 == 1, fixed_links=0.2
    )
    free, matrix, offsets = freed(description)
    q, qd, qdd = (sample_states(description, count=40)[name] for name in INPUTS)
    there = q @ matrix.T + offsets, qd @ matrix.T, qdd @ matrix.T
    for here, other in zip(make_references(description), make_references(free), strict=True):
        expected = other.compute_inverse_dynamics(*there) @ matrix
        np.testing.assert_allclose(
            here.compute_inverse_dynamics(q, qd, qdd),
            expected,
            rtol=0,
            atol=1e-12 * np.abs(expected).max(),
        )
        tool, other_tool = here.find_frame("tool"), other.find_frame("tool")
        for computed, wanted in zip(
            tool.compute_pose(q), other_tool.compute_pose(there[0]), strict=True
        ):
            np.testing.assert_allclose(computed, wanted, atol=1e-12)
        np.testing.assert_allclose(
            tool.compute_jacobian(q), other_tool.compute_jacobian(there[0]) @ matrix, atol=1e-11
        )
        drift = other_tool.compute_drift_acceleration(*there[:2])
        np.testing.assert_allclose(
            tool.compute_drift_acceleration(q, qd), drift, atol=1e-11 * max(1, np.abs(drift).max())
        )


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(6))
def test_pinocchio_s_mimic_joints_agree(seed: int) -> None:
    robot = random_description(seed, 5, mimics=0.6)
    description = replace(
        robot, links=tuple(replace(link, motor_inertia=ZERO) for link in robot.links)
    )
    model, order = mimic_model(description)
    data = model.createData()
    q, qd, qdd = (sample_states(description, count=20)[name] for name in INPUTS)
    tau = np.zeros_like(q)
    for row in range(len(q)):
        tau[row, order] = pin.rnea(model, data, q[row, order], qd[row, order], qdd[row, order])
    for reference in make_references(description):
        np.testing.assert_allclose(
            reference.compute_inverse_dynamics(q, qd, qdd),
            tau,
            rtol=0,
            atol=1e-12 * np.abs(tau).max(),
        )


def test_a_mimic_of_a_mimic_follows_the_first() -> None:
    links = list(random_description(1, 4, prismatic=0).links)
    followed = {1: ("link_3", Exact(2), ONE), 2: ("link_1", Exact(-3), Exact("0.5"))}
    for position, (name, ratio, offset) in followed.items():
        links[position] = replace(
            links[position], joint=Joint(REVOLUTE, mimics=name, ratio=ratio, offset=offset)
        )
    first, second, third, last = (link.joint for link in number_coordinates(links))
    assert (first.idx_v, first.nv, last.idx_q, last.nq) == (0, 1, 1, 1)
    assert (second.mimics, second.ratio, second.offset, second.nv) == ("link_1", -6, 2, 0)
    assert (third.mimics, third.ratio, third.offset, third.idx_v) == ("link_1", -3, Exact("0.5"), 0)


def test_coordinates_without_mimics_are_the_joints() -> None:
    description = random_description(2, 4)
    coordinates = Coordinates.from_description(description)
    values = np.arange(8.0).reshape(2, 4)
    assert coordinates.count == 4
    np.testing.assert_array_equal(coordinates.compute_positions(values), values)
    np.testing.assert_array_equal(coordinates.compute_forces(values, values), values)
