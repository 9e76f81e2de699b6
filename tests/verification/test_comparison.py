"""The bound that decides whether a kernel is proved."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from dynagen.errors import VerificationError
from dynagen.robot.description import RobotDescription
from dynagen.verification.comparison import (
    Expectation,
    KernelProof,
    VerificationReport,
    check_kernel,
)
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.random_robots import random_description

INPUTS = ("q", "qd", "qdd")


def identity(reference, q, qd, qdd):
    return (reference.compute_inverse_dynamics(q, qd, qdd),)


def prove(description: RobotDescription, change, function=identity) -> KernelProof:
    """The proof of a kernel that is the first reference with a change to its results."""
    both = make_references(description)
    states = sample_states(description, count=200, seed=5)

    def kernel(*inputs):
        (tau,) = function(both[0], *inputs)
        return (change(tau.copy()),)

    return check_kernel(
        kernel, Expectation("inverse_dynamics", INPUTS, ("tau",), function), both, states
    )


def plant(tau, entry, relative_error):
    row = int(np.argmax(np.abs(tau[:, entry])))
    tau[row, entry] *= 1 + relative_error
    return tau


def put(tau, value):
    tau[17, 2] = value
    return tau


@pytest.fixture
def arm():
    return random_description(4, joints=6, right_angles=1.0, prismatic=0.2)


def test_an_unchanged_kernel_is_proved_against_both_references(arm):
    proof = prove(arm, lambda tau: tau)
    assert proof.passed
    assert [comparison.reference for comparison in proof.comparisons] == [
        "Newton-Euler",
        "Lagrange",
    ]
    assert (proof.states, proof.seed, proof.within) == (200, 5, 1e-12)


@pytest.mark.parametrize("entry", range(6))
@pytest.mark.parametrize("relative_error", [1e-9, -1e-9, 1e-11])
def test_an_error_in_one_entry_of_one_state_is_caught(arm, entry, relative_error):
    proof = prove(arm, lambda tau: plant(tau, entry, relative_error))
    assert not proof.passed
    assert proof.worst.worst_entry == f"tau[{entry}]"


def test_an_error_within_the_tolerance_passes_and_is_measured(arm):
    proof = prove(arm, lambda tau: plant(tau, 3, 1e-13))
    assert proof.passed
    assert 1e-15 < proof.worst.worst_error < 2e-13


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_a_number_is_caught(arm, value):
    proof = prove(arm, lambda tau: put(tau, value))
    assert not proof.passed
    assert (proof.worst.worst_state, proof.worst.worst_entry) == (17, "tau[2]")
    assert proof.worst.worst_error == np.inf


def test_a_reference_that_overflows_proves_nothing(arm):
    def overflowing(reference, q, qd, qdd):
        (tau,) = identity(reference, q, qd, qdd)
        return (np.where(q > 1, np.inf, tau),)

    assert not prove(arm, lambda tau: tau, overflowing).passed
    assert not prove(arm, np.nan_to_num, overflowing).passed


def test_an_entry_that_is_zero_by_symmetry_is_not_held_to_rounding_noise():
    # A single link's joint has no Coriolis force; the references have noise where a kernel has
    # zero.
    def coriolis_forces(reference, q, qd, qdd):
        return (reference.compute_inverse_dynamics(q, qd, 0 * qdd, gravity=False),)

    for seed in range(40):
        pendulum = random_description(seed, joints=1, prismatic=0.0)
        assert prove(pendulum, np.zeros_like, coriolis_forces).passed
        assert not prove(pendulum, lambda tau: np.zeros_like(tau) + 1e-9, coriolis_forces).passed


def test_a_robot_without_mass_is_compared_in_absolute_terms():
    def nothing(reference, q, qd, qdd):
        return (0 * reference.compute_inverse_dynamics(q, qd, qdd),)

    arm = random_description(1, joints=2)
    assert prove(arm, np.zeros_like, nothing).passed
    assert not prove(arm, lambda tau: tau + 1e-11, nothing).passed


def test_the_worst_output_of_several_is_reported(arm):
    both, states = make_references(arm), sample_states(arm, count=50)

    def two(reference, *inputs):
        (tau,) = identity(reference, *inputs)
        return tau, tau[..., None] * np.ones(2)

    def kernel(*inputs):
        vector, matrix = two(both[0], *inputs)
        matrix = matrix.copy()
        matrix[8, 1, 0] += 1.0
        return vector, matrix

    worst = check_kernel(kernel, Expectation("two", INPUTS, ("tau", "M"), two), both, states).worst
    assert (worst.worst_entry, worst.worst_state) == ("M[1, 0]", 8)


def test_an_output_of_the_wrong_shape_is_refused(arm):
    with pytest.raises(VerificationError, match=r"tau has shape \(200, 3\), expected \(200, 6\)"):
        prove(arm, lambda tau: tau[:, :3])


def test_a_report_passes_on_only_what_is_proved(arm):
    good, bad = prove(arm, lambda tau: tau), prove(arm, lambda tau: put(tau, 1e6))
    VerificationReport("arm", (good,)).require()
    report = VerificationReport("arm", (good, bad))
    assert not report.passed
    with pytest.raises(VerificationError) as raised:
        report.require()
    message = str(raised.value)
    for part in (
        "arm: inverse_dynamics disagrees",
        "tau[2] is 1000000.0, expected",
        "state 17 of 200, seed 5",
        "allowed 1e-12",
    ):
        assert part in message
    copied = {
        line.split(" = ")[0].strip(): ast.literal_eval(line.split(" = ")[1])
        for line in message.splitlines()
        if " = " in line
    }
    states = sample_states(arm, count=200, seed=5)
    assert copied == {name: list(states[name][17]) for name in INPUTS}
