"""One step of semi-implicit Euler: references, Pinocchio, differences, energy, languages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.integration import STEP_EULER, STEP_EULER_DERIVATIVES
from dynagen.errors import UsageError
from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.bundled import bundled
from tests.support.function_proofs import heavier, kernel, optimised, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, positions_order
from tests.support.random_robots import random_description, random_floating, robots

INPUTS = ("q", "qd", "tau", "dt")


def states_of(description, count=40):
    states = sample_states(description, INPUTS, count, 3)
    return [states[name][-10:] for name in INPUTS]


def with_motors(description):
    """The robot with motors that keep its mass matrix far from singular."""
    links = (
        replace(link, motor_inertia=link.motor_inertia + Exact("0.1")) if link.joint.nv else link
        for link in description.links
    )
    return replace(description, links=tuple(links))


@settings(max_examples=5)
@given(robots(4, mimics=0.3), st.integers(0, 3))
def test_every_formulation_and_method_agrees_with_the_references(description, formulation):
    description = with_motors(description)
    for method in STEP_EULER.restrict_to_robot(build_model(description)).methods:
        program = optimised(
            STEP_EULER, description, random_candidate(description, formulation), method
        )
        proofs(description, STEP_EULER, program).require()


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(2))
def test_a_floating_base_is_where_pinocchio_integrates_it_to_also_in_long_steps(seed):
    description = random_floating(seed, 3, branches=True)
    program = optimised(STEP_EULER, description, method="composite")
    proofs(description, STEP_EULER, program).require()
    model, order = pinocchio_model(description)
    q, qd, tau, dt = states_of(description)
    for step in (dt, 500 * dt, 0 * dt):
        q_next, qd_next = kernel(program)(q, qd, tau, step)
        for state in range(len(q)):
            places = positions_order(order)
            expected = pin.integrate(model, q[state][places], step[state] * qd_next[state][order])
            expected[3:7] *= np.sign(
                expected[3:7] @ q_next[state, 3:7]
            )  # two quaternions are one rotation
            np.testing.assert_allclose(
                q_next[state][places], expected, rtol=0, atol=1e-12 * max(1, np.abs(expected).max())
            )
        np.testing.assert_allclose(np.linalg.norm(q_next[:, 3:7], axis=1), 1, rtol=0, atol=1e-14)
        by_reference = make_references(description)[0].integrate(q, step[:, None] * qd_next)
        np.testing.assert_allclose(
            q_next, by_reference, rtol=0, atol=1e-12 * np.abs(by_reference).max()
        )
    still = kernel(program)(q, 0 * qd, tau, 0 * dt)[0]
    np.testing.assert_allclose(still, q, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    "function", [STEP_EULER, STEP_EULER_DERIVATIVES], ids=lambda function: function.name
)
def test_a_link_too_heavy_is_found(function):
    """By a hundred-thousandth: a step of 1 ms shows a thousandth of an error in qdd."""
    description = random_description(1, 3, "modified", prismatic=0, inertia_form="central")
    wrong = heavier(description)
    for _ in range(4):
        wrong = heavier(wrong)
    assert not proofs(description, function, optimised(function, wrong)).passed


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_agree_with_the_references_and_with_differences_of_the_step(seed):
    description = with_motors(random_description(seed, 3, helical=0.2, branches=seed == 2))
    program = optimised(STEP_EULER_DERIVATIVES, description)
    proofs(description, STEP_EULER_DERIVATIVES, program).require()
    step, state = kernel(optimised(STEP_EULER, description)), states_of(description)
    blocks, small = iter(kernel(program)(*state)), 1e-6
    found = [[next(blocks) for _ in range(3)] for _ in range(2)]
    for column in range(3):
        for joint in range(3):
            shift = small * np.eye(3)[joint]
            ends = [
                step(
                    *(
                        each + sign * shift * (place == column) if place < 3 else each
                        for place, each in enumerate(state)
                    )
                )
                for sign in (1, -1)
            ]
            for row in range(2):
                expected = (ends[0][row] - ends[1][row]) / (2 * small)
                np.testing.assert_allclose(
                    found[row][column][..., joint],
                    expected,
                    rtol=1e-5,
                    atol=1e-7 * np.abs(expected).max() + 1e-9,
                )


def test_derivatives_are_not_for_a_floating_base():
    with pytest.raises(UsageError, match="floating base; request step_euler_jacobian"):
        STEP_EULER_DERIVATIVES.require(build_model(random_floating(1, 1)))


def test_energy_does_not_drift_over_many_swings():
    """A free pendulum over 20 s in steps of 2 ms: its energy oscillates but does not drift."""
    step = kernel(optimised(STEP_EULER, load_robot("pendulum")))
    q, qd, dt, positions = np.array([[0.5]]), np.zeros((1, 1)), np.array([2e-3]), []
    for _ in range(10000):
        q, qd = step(q, qd, np.zeros((1, 1)), dt)
        positions.append(q[0, 0])
    halves = np.array(positions).reshape(2, -1)
    for extremes in (halves.max(axis=1), halves.min(axis=1)):
        assert abs(extremes[1] - extremes[0]) < 1e-4 * np.ptp(halves)


def test_all_languages_take_the_length_of_the_step_as_a_number(language):
    description = bundled("planar3", "payload: true", "external_wrench: true")
    functions = ("step_euler", "step_euler_derivatives")
    proved = generate(
        description, Settings(language=language, functions=functions, states=60)
    ).proofs
    assert [name for name in proved if not name.endswith("_batch")] == [*functions]
