"""Products with derivatives, and second derivatives: references, Pinocchio, 60 digits."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

import dynagen
from dynagen.dynamics.functions.derivative_products import (
    FORWARD_DYNAMICS_JVP,
    FORWARD_DYNAMICS_VJP,
    INVERSE_DYNAMICS_JVP,
    INVERSE_DYNAMICS_VJP,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.hessians import (
    FORWARD_DYNAMICS_HESSIAN,
    INVERSE_DYNAMICS_HESSIAN,
)
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.jacobians import (
    FORWARD_DYNAMICS_JACOBIAN,
    INVERSE_DYNAMICS_JACOBIAN,
    STEP_EULER_JACOBIAN,
)
from dynagen.dynamics.functions.step_products import STEP_EULER_HESSIAN, STEP_EULER_VJP
from dynagen.errors import UsageError
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import Operation
from dynagen.robot.loading import parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import heavier, kernel, optimised, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model, positions_order
from tests.support.random_robots import random_description, random_floating, robots

PRODUCTS = (
    INVERSE_DYNAMICS_VJP,
    INVERSE_DYNAMICS_JVP,
    FORWARD_DYNAMICS_VJP,
    FORWARD_DYNAMICS_JVP,
)
HESSIANS = (INVERSE_DYNAMICS_HESSIAN, FORWARD_DYNAMICS_HESSIAN)
JACOBIANS = (INVERSE_DYNAMICS_JACOBIAN, FORWARD_DYNAMICS_JACOBIAN, STEP_EULER_JACOBIAN)
FOLLOWED = """name: gripper
convention: modified
gravity: [0, -9.81, 1]
links:
  - {name: a, joint: revolute, dh: {alpha: 0.4, a: 0, d: 0}, mass: 2, com: [0.3, 0.1, 0.2],
     inertia: [0.1, 0.2, 0.3]}
  - {name: b, joint: prismatic, dh: {alpha: 1, a: 0.3, theta: 0.2}, mass: 1, com: [0.1, 0, 0.2],
     inertia: [0.1, 0.1, 0.1]}
  - {name: c, joint: revolute, dh: {alpha: 0.7, a: 0.2, d: 0.1}, mass: 1, com: [0.2, 0.1, 0],
     inertia: [0.02, 0.03, 0.04], mimic: {joint: a, ratio: -0.5, offset: 0.3}}
"""


def each(functions):
    return pytest.mark.parametrize("function", functions, ids=lambda function: function.name)


def assert_close(left, right):
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-11 * max(1.0, np.abs(right).max()))


@each((*PRODUCTS, *JACOBIANS))
@settings(max_examples=3)
@given(robots(3))
def test_products_agree_with_the_references(function, description):
    program = optimised(function, description, random_candidate(description, 1))
    proofs(description, function, program).require()


@each((*PRODUCTS, *JACOBIANS[:2]))
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_products_on_floating_bases_agree_with_the_references(function, seed):
    description = random_floating(seed, 2)
    proofs(description, function, optimised(function, description)).require()


@each(HESSIANS)
@settings(max_examples=3)
@given(robots(3))
def test_second_derivatives_agree_with_the_references(function, description):
    proofs(description, function, optimised(function, description)).require()


@each((*PRODUCTS, *HESSIANS))
def test_followed_joints_are_differentiated_with_their_followers(function):
    description = parse_robot(FOLLOWED, "gripper.yaml")
    proofs(description, function, optimised(function, description, method=None)).require()


@each((*PRODUCTS, *HESSIANS))
def test_a_link_a_billionth_too_heavy_is_found(function):
    description = random_description(1, 3, "modified", prismatic=0, inertia_form="central")
    program = optimised(function, heavier(description))
    assert not proofs(description, function, program).passed


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(3))
def test_products_are_those_of_pinocchio_s_derivatives(seed):
    compare_products(random_description(seed, 3 + seed, prismatic=0.3, branches=bool(seed % 2)))


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("seed", range(2))
def test_products_on_floating_bases_are_those_of_pinocchio_s_derivatives(seed):
    compare_products(random_floating(seed, 3, helical=0.2, axes=0.5, fixed_links=0.2))


def compare_products(description):
    """Compare all products with those of Pinocchio's matrices of derivatives."""
    model, order = pinocchio_model(description)
    data = model.createData()
    names = ("q", "qd", "qdd", "tau", "dq", "dqd", "dqdd", "dtau", "tau_bar", "qdd_bar")
    sampled = sample_states(description, names, 40, 1).inputs
    state = {name: values[-12:] for name, values in sampled.items()}
    places = positions_order(order) if model.nq > model.nv else order
    forward = [state[name] for name in ("q", "qd", "tau")]
    inverse = [state[name] for name in ("q", "qd", "qdd")]
    further = {
        INVERSE_DYNAMICS_VJP: ("tau_bar",),
        FORWARD_DYNAMICS_VJP: ("qdd_bar",),
        INVERSE_DYNAMICS_JVP: ("dq", "dqd", "dqdd"),
        FORWARD_DYNAMICS_JVP: ("dq", "dqd", "dtau"),
    }
    computed = {
        function.name: kernel(optimised(function, description))(
            *(inverse if "inverse" in function.name else forward),
            *(state[name] for name in further[function]),
        )
        for function in PRODUCTS
    }
    for place in range(12):
        here = {
            name: values[place][places if name == "q" else order] for name, values in state.items()
        }
        pin.computeRNEADerivatives(model, data, here["q"], here["qd"], here["qdd"])
        mass = np.triu(data.M) + np.triu(data.M, 1).T
        matrices = (data.dtau_dq.copy(), data.dtau_dv.copy(), mass)
        compare(computed, "inverse_dynamics", place, order, matrices, here, "tau", "qdd")
        pin.computeABADerivatives(model, data, here["q"], here["qd"], here["tau"])
        inverse_mass = np.triu(data.Minv) + np.triu(data.Minv, 1).T
        matrices = (data.ddq_dq.copy(), data.ddq_dv.copy(), inverse_mass)
        compare(computed, "forward_dynamics", place, order, matrices, here, "qdd", "tau")


def compare(computed, function, place, order, matrices, here, result, last):
    """Compare both products with those of matrices of derivatives by q, qd and `last`."""
    changes = (here["dq"], here["dqd"], here[f"d{last}"])
    expected = sum(matrix @ change for matrix, change in zip(matrices, changes, strict=True))
    (change,) = computed[f"{function}_jvp"]
    assert_close(change[place][order], expected)
    for found, matrix in zip(computed[f"{function}_vjp"], matrices, strict=True):
        assert_close(found[place][order], matrix.T @ here[f"{result}_bar"])


@pytest.mark.parametrize(
    ("function", "primitive", "last"),
    [
        (INVERSE_DYNAMICS_HESSIAN, INVERSE_DYNAMICS, "qdd"),
        (FORWARD_DYNAMICS_HESSIAN, FORWARD_DYNAMICS, "tau"),
    ],
    ids=["inverse", "forward"],
)
def test_second_derivatives_are_limits_of_second_differences(function, primitive, last):
    """With 60 digits and steps of 1e-15 the quotients are right to 25 digits."""
    description = random_description(7, 2, prismatic=0.5)
    state = sample_states(description, ("q", "qd", last, "multiplier"), 4, 5).inputs
    with mpmath.workdps(60):
        program = optimised(primitive, description)
        place = -1
        given = [mpmath.mpf(value) for name in ("q", "qd", last) for value in state[name][place]]
        weights = [mpmath.mpf(value) for value in state["multiplier"][place]]
        step = mpmath.mpf("1e-15")

        def weighted(values):
            inputs = dict(
                zip(("q", "qd", last), (values[:2], values[2:4], values[4:]), strict=True)
            )
            (results,) = evaluate(program, inputs, DIGITS).values()
            return sum(w * result for w, result in zip(weights, results, strict=True))

        def moved(*changes):
            values = list(given)
            for entry, sign in changes:
                values[entry] += sign * step
            return weighted(values)

        expected = np.array(
            [
                [
                    float(
                        sum(a * b * moved((row, a), (column, b)) for a in (1, -1) for b in (1, -1))
                        / (4 * step**2)
                    )
                    for column in range(6)
                ]
                for row in range(6)
            ]
        )
    (computed,) = kernel(optimised(function, description))(
        *(state[name] for name in ("q", "qd", last, "multiplier"))
    )
    assert_close(computed[place], expected)
    np.testing.assert_array_equal(computed[place], computed[place].T)


DIGITS = Arithmetic(
    lambda number: mpmath.mpf(number.to_fraction().numerator) / number.to_fraction().denominator,
    {
        Operation.SINE: mpmath.sin,
        Operation.COSINE: mpmath.cos,
        Operation.SQRT: mpmath.sqrt,
    },
)


@pytest.mark.slow
@each(HESSIANS)
def test_second_derivatives_on_floating_bases_agree_with_the_references(function):
    description = random_floating(0, 1, axes=0.5)
    for method in function.methods:
        proofs(description, function, optimised(function, description, method=method)).require()


@pytest.mark.slow
@each((*PRODUCTS, *HESSIANS))
def test_a_wrench_is_a_constant_in_the_axes_of_its_frame(function):
    description = random_description(5, 2, prismatic=0.3)
    description = replace(description, external_wrenches=("tool",))
    program = optimised(function, description, random_candidate(description, 2))
    assert "wrench" in [argument.name for argument in program.inputs]
    proofs(description, function, program).require()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "primitive", "last"),
    [
        (INVERSE_DYNAMICS_HESSIAN, INVERSE_DYNAMICS, "qdd"),
        (FORWARD_DYNAMICS_HESSIAN, FORWARD_DYNAMICS, "tau"),
    ],
    ids=["inverse", "forward"],
)
def test_second_derivatives_by_rotations_of_a_base_are_those_along_exponentials(
    function, primitive, last
):
    """With 60 digits and steps of 1e-15 the quotients are right to 25 digits."""
    description = random_floating(3, 1)
    size, joint = 7, 6
    state = sample_states(description, ("q", "qd", last, "multiplier"), 60, 5).inputs
    given = {name: values[-1] for name, values in state.items()}
    with mpmath.workdps(60):
        program = optimised(primitive, description)
        step = mpmath.mpf("1e-15")
        numbers = {name: [mpmath.mpf(value) for value in values] for name, values in given.items()}
        length = mpmath.sqrt(sum(value**2 for value in numbers["q"][3:7]))
        numbers["q"][3:7] = [value / length for value in numbers["q"][3:7]]

        def moved(*changes):
            """Return the weighted sum after a motion of the base and the joint, all at once."""
            motion = [mpmath.mpf(0)] * (3 * size)
            for entry, sign in changes:
                motion[entry] += sign * step
            inputs = {name: list(numbers[name]) for name in ("q", "qd", last)}
            inputs["q"][3:7] = turn(inputs["q"][3:7], motion[3:6])
            inputs["q"][7] += motion[joint]
            for name, start in (("qd", size), (last, 2 * size)):
                inputs[name] = [
                    value + change
                    for value, change in zip(
                        inputs[name], motion[start : start + size], strict=True
                    )
                ]
            (results,) = evaluate(program, inputs, DIGITS).values()
            return sum(w * x for w, x in zip(numbers["multiplier"], results, strict=True))

        expected = [
            [
                float(
                    sum(a * b * moved((row, a), (column, b)) for a in (1, -1) for b in (1, -1))
                    / (4 * step**2)
                )
                for column in range(3, 3 * size)
            ]
            for row in (3, 4, 5)
        ]
    (computed,) = kernel(optimised(function, description))(
        *(values[-1:] for values in (state[name] for name in ("q", "qd", last, "multiplier")))
    )
    assert_close(computed[0][3:6, 3:], np.array(expected))
    assert not computed[0][:3, :size].any()


def turn(quaternion, rotation):
    """Return the quaternion x, y, z, w after a rotation vector about its own axes."""
    x, y, z, w = quaternion
    angle = mpmath.sqrt(sum(value**2 for value in rotation))
    factor = mpmath.sin(angle / 2) / angle if angle else mpmath.mpf(0)
    a, b, c = (value * factor for value in rotation)
    d = mpmath.cos(angle / 2)
    return [
        w * a + x * d + y * c - z * b,
        w * b - x * c + y * d + z * a,
        w * c + x * b - y * a + z * d,
        w * d - x * a - y * b - z * c,
    ]


@pytest.mark.parametrize("function", [STEP_EULER_VJP, STEP_EULER_HESSIAN], ids=lambda f: f.name)
def test_a_step_on_a_floating_base_has_a_jacobian_and_no_products(function):
    model = build_model(random_floating(1, 2))
    STEP_EULER_JACOBIAN.require(model)
    with pytest.raises(UsageError, match="floating base"):
        function.require(model)


def test_a_light_arm_on_a_heavy_base_is_proved():
    """The references round only the terms of the arm, which has 1/5000 of the base's mass."""
    description = parse_robot(
        """
name: light
gravity: [0, 0, -9.81]
links:
  - {name: trunk, joint: floating, mass: 8.8, com: [0.28, 0.28, 0.07],
     inertia: [0.035, 0.0562, 0.059, -0.015, 0.0164, -0.0021]}
  - {name: arm, joint: revolute, origin: {rpy: [0.2, 0.7, -1]}, axis: [0, 0, 1], mass: 0.0018,
     com: [0.26, -0.06, 0.03], inertia: [1.6e-4, 1.8e-4, 1.4e-4, 0, 0, 0]}
""",
        "light.yaml",
    )
    dynagen.generate(
        description, ["inverse_dynamics_hessian"], optimize="none", lang="python", states=64
    )
