"""Status codes of generated code without a solution; they depend on run-time parameters."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import dynagen
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.errors import UsageError, VerificationError
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE
from dynagen.pipeline.driver import Generation, Settings, generate
from dynagen.pipeline.proof import prove_kernels
from dynagen.robot.edits import substitute
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.verification.reference import make_references

FORWARD = ("forward_dynamics", "forward_dynamics_derivatives")
# Joint 2 moves nothing but what comes at run time; the inertia of the first link is beyond doubt.
ROBOT = """
name: swing
convention: modified
gravity: [0, -9.81, 0]
parameters:
  bob: {value: 2, unit: kg, runtime: true}
  rope: {value: 0.5, unit: m, runtime: true}
links:
  - {name: arm, joint: revolute, dh: {alpha: 0, a: 0, d: 0},
      mass: 1, com: [0.2, 0, 0], inertia: [0, 0, 0.1]}
  - {name: rope, joint: revolute, dh: {alpha: 0, a: 0.4, d: 0},
      mass: bob, com: [rope, 0, 0], inertia: [0, 0, 0]}
"""


def swing(
    language: str, method: str | None = None, functions: tuple[str, ...] = FORWARD
) -> Generation:
    return generate(
        parse_robot(ROBOT, "swing.yaml"), Settings(language, functions, states=40, method=method)
    )


def statuses(
    generation: Generation, function: str, values: list[float], bent: float = 0.7
) -> tuple[int, int]:
    """Of prepare, and of a function."""
    params, prepared = generation.compiled["prepare"](values)
    *_, status = generation.compiled[function]([0.3, bent], [0.1, 0.2], [1.0, 2.0], params)
    return int(prepared), int(status)


@pytest.mark.parametrize("method", FORWARD_DYNAMICS.methods)
def test_a_mass_matrix_that_is_not_positive_definite_is_reported(language, method):
    generation = swing(language, method)
    for function in FORWARD:
        assert statuses(generation, function, [2, 0.5]) == (0, 0)
        assert statuses(generation, function, [-0.1, 0.5])[1] == 1  # a negative mass
        assert statuses(generation, function, [0, 0.5])[1] == 1  # none
        assert statuses(generation, function, [2, 0])[1] == 1  # nothing to swing
        assert statuses(generation, function, [2, 1e-200])[1] == 1  # so little that it is lost
        assert statuses(generation, function, [np.nan, 0.5]) == (1, 1)
        assert statuses(generation, function, [2, np.inf]) == (1, 1)
        assert statuses(generation, function, [2, 0.5], bent=np.nan)[1] == 1


def test_the_proof_holds_the_status_too():
    generation = swing("python", functions=("forward_dynamics",))
    right = generation.compiled["forward_dynamics"]

    def mistaken(inputs):
        *results, status = right.run(inputs)
        return [*results, 1 - status]

    kernels = {**generation.compiled, "forward_dynamics": replace(right, run=mistaken)}
    with pytest.raises(VerificationError, match="status"):
        prove_kernels(generation.description, [FORWARD_DYNAMICS], kernels, DOUBLE, 40, 1)


def test_prepare_reports_a_division_by_zero():
    text = ROBOT.replace("mass: 1,", "mass: 1/rope,")
    generation = generate(
        parse_robot(text, "swing.yaml"), Settings("python", ("inverse_dynamics",), states=40)
    )
    prepare = generation.compiled["prepare"]
    assert [int(prepare(values)[1]) for values in ([2, 0.5], [2, 0], [0, 0.5])] == [0, 1, 0]
    _, status = prepare([[2, 0.5], [2, 0]])
    assert status.tolist() == [0, 1]


def test_a_parameter_for_which_nothing_can_be_prepared_is_no_default():
    text = ROBOT.replace("mass: 1,", "mass: sqrt(2.01 - bob),")
    with pytest.raises(UsageError, match=r"is infinite or not a number for bob = "):
        generate(
            parse_robot(text, "swing.yaml"), Settings("python", ("inverse_dynamics",), states=40)
        )


def test_without_run_time_parameters_nothing_can_fail():
    generation = generate(load_robot("planar3"), Settings("c", FORWARD, verify=False))
    assert not any(kernel.program.can_fail for kernel in generation.package.kernels)
    header = next(file.text for file in generation.files if file.path.endswith(".h"))
    assert "\nvoid planar3_forward_dynamics(" in header


def test_the_manifest_says_which_kernels_have_a_status():
    kernels = json.loads(swing("c", functions=("inverse_dynamics", *FORWARD)).manifest.text)[
        "kernels"
    ]
    assert {name: kernel.get("status", False) for name, kernel in kernels.items()} == {
        "prepare": True,
        "inverse_dynamics": False,
        "forward_dynamics": True,
        "forward_dynamics_derivatives": True,
    }
    assert [each["name"] for each in kernels["forward_dynamics"]["arguments"]] == [
        "q",
        "qd",
        "tau",
        "params",
        "qdd",
    ]


def test_a_compiled_function_takes_the_values_of_parameters(language):
    robot = parse_robot(ROBOT, "swing.yaml")
    call = dynagen.compile(robot, "forward_dynamics", lang=language)
    state = [0.3, 0.7], [0.1, 0.2], [1.0, 2.0]
    qdd, status = call(*state, [[2, 0.5], [0, 0.5], [3, 0.25]])
    assert status.tolist() == [0, 1, 0]
    for values, computed in ([2, 0.5], qdd[0]), ([3, 0.25], qdd[2]):
        given = substitute(robot, dict(zip(("bob", "rope"), map(Exact, values), strict=True)))
        (expected,) = FORWARD_DYNAMICS.expected_results.outputs(
            make_references(given)[0], *np.array(state)[:, None]
        )
        np.testing.assert_allclose(computed, expected[0], rtol=1e-12)


def test_a_joined_kernel_has_one_status():
    generation = swing(
        "c", functions=("mass_matrix+forward_dynamics+forward_dynamics_derivatives",)
    )
    function = generation.functions[0].name
    assert statuses(generation, function, [2, 0.5]) == (0, 0)
    assert statuses(generation, function, [0, 0.5])[1] == 1
