"""Identities between functions on random chains and trees, and comparisons with Pinocchio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, parameters
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, robots

FUNCTION = {function.name: function for function in FUNCTIONS}


class Robot:
    """A robot's kernels by name, and the scale of rounding of its joint forces."""

    def __init__(self, description: RobotDescription, count: int = 30) -> None:
        states = sample_states(description, ("q", "qd", "qdd", "wrench"), count)
        self.description = description
        self.q, self.qd, self.qdd, self.wrench = (
            states[name] for name in ("q", "qd", "qdd", "wrench")
        )
        magnitudes = make_references(description)[0].magnitudes.compute_inverse_dynamics(
            self.q, self.qd, self.qdd
        )
        self.within = 1e-13 * max(1.0, magnitudes.max())

    def __call__(self, name: str, *arguments: Array) -> Array:
        (result,) = kernel(optimised(FUNCTION[name], self.description))(*arguments)
        return result

    def assert_same(self, left: Array, right: Array) -> None:
        np.testing.assert_allclose(left, right, rtol=0, atol=self.within)


def times(matrix: Array, vector: Array) -> Array:
    return np.einsum("...ij,...j->...i", matrix, vector)


@pytest.mark.slow
@settings(max_examples=10)
@given(robots(5))
def test_inverse_dynamics_is_the_sum_of_its_parts(description):
    robot = Robot(description)
    q, qd, qdd = robot.q, robot.qd, robot.qdd
    inertial, gravity = times(robot("mass_matrix", q), qdd), robot("gravity_forces", q)
    velocity = times(robot("coriolis_matrix", q, qd), qd)
    forces = robot("inverse_dynamics", q, qd, qdd)
    robot.assert_same(forces, inertial + velocity + gravity)
    robot.assert_same(robot("coriolis_forces", q, qd), velocity)
    robot.assert_same(robot("bias_forces", q, qd), velocity + gravity)


@pytest.mark.slow
@settings(max_examples=8)
@given(robots(5))
def test_unit_accelerations_strobe_the_mass_matrix(description):
    """Walker and Orin 1982, method 1: columns of M by inverse dynamics at rest."""
    robot = Robot(description)
    q, rest = robot.q, 0 * robot.q
    columns = [robot("inverse_dynamics", q, rest, rest + unit) for unit in np.eye(q.shape[1])]
    weights = robot("inverse_dynamics", q, rest, rest)
    robot.assert_same(
        robot("mass_matrix", q), np.stack([column - weights for column in columns], axis=-1)
    )


@settings(max_examples=8)
@given(robots(4))
def test_the_power_of_the_joint_forces_becomes_energy(description):
    """qd.tau is the derivative of kinetic energy (by a complex step) plus potential energy."""
    robot = Robot(description)
    q, qd, qdd, step = robot.q, robot.qd, robot.qdd, 1e-30
    rates = qd + 1j * step * qdd
    kinetic = np.einsum("ki,kij,kj->k", rates, robot("mass_matrix", q + 1j * step * qd), rates) / 2
    power = (qd * robot("inverse_dynamics", q, qd, qdd)).sum(axis=1)
    change = kinetic.imag / step + (qd * robot("gravity_forces", q)).sum(axis=1)
    np.testing.assert_allclose(
        power, change, rtol=0, atol=10 * robot.within * max(1.0, np.abs(qd).max())
    )


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(6))
def test_pinocchio_agrees_on_forces_without_acceleration_and_under_a_wrench(seed):
    """Modified convention, no fixed links: Pinocchio's joint frames are the link frames."""
    description = random_description(seed, 1 + seed, "modified", branches=bool(seed % 2))
    robot = Robot(replace(description, external_wrenches=("tool",)), 12)
    model, order = pinocchio_model(description)
    data, tool = model.createData(), order.index(len(order) - 1) + 1
    q, qd, qdd, wrench = robot.q, robot.qd, robot.qdd, robot.wrench
    results = (
        robot("bias_forces", q, qd, wrench),
        robot("coriolis_forces", q, qd),
        robot("momentum_bias", q, qd),
        robot("inverse_dynamics", q, qd, qdd, wrench),
    )
    rest = np.zeros(len(order))
    for state, computed in enumerate(zip(*results, strict=True)):
        position, rates, accelerations = q[state][order], qd[state][order], qdd[state][order]
        outside = [pin.Force.Zero() for _ in range(model.njoints)]
        outside[tool] = pin.Force(wrench[state])
        weights = pin.computeGeneralizedGravity(model, data, position).copy()
        matrix = pin.computeCoriolisMatrix(model, data, position, rates).copy()
        expected = (
            pin.rnea(model, data, position, rates, rest, outside).copy(),
            matrix @ rates,
            matrix.T @ rates - weights,
            pin.rnea(model, data, position, rates, accelerations, outside).copy(),
        )
        for ours, theirs in zip(computed, expected, strict=True):
            np.testing.assert_allclose(ours[order], theirs, rtol=0, atol=100 * robot.within)


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(4))
def test_pinocchio_agrees_on_base_parameters_and_two_rates(seed):
    description = random_description(seed, 2 + seed, branches=bool(seed % 2), fixed_links=0.2)
    robot = Robot(description, 12)
    model, order = pinocchio_model(description)
    data = model.createData()
    (base,) = robot("base_parameters", parameters(description)[None])
    by_base = robot("base_regressor", robot.q, robot.qd, robot.qdd) @ base
    by_rates = robot("synchronous", robot("background", robot.q, robot.qd), robot.qdd)
    for row, pair in enumerate(zip(by_base, by_rates, strict=True)):
        motion = (array[row][order] for array in (robot.q, robot.qd, robot.qdd))
        expected = pin.rnea(model, data, *motion)
        for computed in pair:
            np.testing.assert_allclose(computed[order], expected, rtol=0, atol=100 * robot.within)
