"""Products of derivatives by run-time parameters: both references, differences, planted faults."""

import numpy as np
import pytest

import dynagen
from dynagen.dynamics.algorithms import differentiation
from dynagen.errors import UsageError, VerificationError

ARM = """name: arm
convention: modified
gravity: [0, -9.81, fall]
parameters:
  bob: {value: 2, unit: kg, runtime: true}
  a: {value: 0.4, unit: m, runtime: true}
  tilt: {value: 0.3, unit: rad, runtime: true}
  fall: {value: 0, unit: m/s^2, runtime: true}
links:
  - {name: rod, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: bob, com: [0.5, 0, 0],
     inertia: [0, 0.1, 0.1]}
  - {name: arm, joint: revolute, dh: {alpha: tilt, a: a, d: 0.1}, mass: 1/bob,
     com: [0.5*a, 0, 0.1], inertia: [0.01, 0.02, 0.02]}
"""
FLYING = ARM.replace("joint: revolute, dh: {alpha: 0, a: 0, d: 0}", "joint: floating")
PRODUCTS = [
    *(
        f"{function}_parameter_{product}"
        for function in ("inverse_dynamics", "forward_dynamics")
        for product in ("vjp", "jvp", "jacobian")
    ),
    "step_euler_parameter_jacobian",
]


@pytest.mark.slow
@pytest.mark.parametrize("robot", [ARM, FLYING], ids=["fixed", "floating"])
def test_both_references_agree(robot):
    generation = dynagen.generate(robot, PRODUCTS, lang="python", states=60)
    assert set(PRODUCTS) == set(generation.proofs)


@pytest.mark.slow
def test_products_are_differences_of_the_function():
    """Forces are linear in the mass of a link; the gravity is linear too."""
    text = ARM.replace("mass: 1/bob", "mass: 1")
    arm = dynagen.load(text, lang="python", states=20)
    generator = np.random.default_rng(2)
    q, qd, qdd = generator.uniform(-2, 2, (3, 5, 2))
    values, change = np.array([2, 0.4, 0.3, 0]), np.array([0.7, 0, 0, -0.4])
    changed = arm.inverse_dynamics_parameter_jvp(q, qd, qdd, change, values)
    wanted = arm.inverse_dynamics(q, qd, qdd, [2.7, 0.4, 0.3, -0.4]) - arm.inverse_dynamics(
        q, qd, qdd, values
    )
    # the product of both changes
    mixed = arm.gravity_forces(q, [2.7, 0.4, 0.3, -0.4]) - arm.gravity_forces(
        q, [2.0, 0.4, 0.3, -0.4]
    )
    mixed -= arm.gravity_forces(q, [2.7, 0.4, 0.3, 0]) - arm.gravity_forces(q, values)
    np.testing.assert_allclose(changed, wanted - mixed, rtol=0, atol=1e-12)
    weights = generator.uniform(-1, 1, (5, 2))
    by_parameters = arm.inverse_dynamics_parameter_vjp(q, qd, qdd, weights, values)
    np.testing.assert_allclose(
        by_parameters @ change, np.sum(weights * changed, axis=1), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    "function",
    [PRODUCTS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in PRODUCTS[1:])],
)
def test_a_wrong_derivative_is_found(function, monkeypatch):
    right = differentiation.differentiate

    def wrong(number, parameter):
        change = right(number, parameter)
        return change + change if parameter == "a" else change

    monkeypatch.setattr(differentiation, "differentiate", wrong)
    with pytest.raises(VerificationError, match=function):
        # Another robot than in the other tests, whose programs are kept.
        dynagen.generate(ARM.replace("d: 0.1", "d: 0.2"), function, lang="python", states=20)


def test_robots_without_parameters_do_not_have_them():
    with pytest.raises(UsageError, match="the robot has no run-time parameters"):
        dynagen.generate("planar3", "inverse_dynamics_parameter_vjp", verify=False)
