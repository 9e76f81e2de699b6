"""One Runge-Kutta step of fourth order: references, order, calls, inlining, languages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynagen.codegen.languages import find_language
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.integration import STEP, STEP_EULER
from dynagen.errors import UsageError
from dynagen.ir.cost import count
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from tests.support.bundled import bundled
from tests.support.c_operations import count_operations
from tests.support.function_proofs import heavier, kernel, optimised, proofs
from tests.support.random_robots import random_description, random_floating


@pytest.mark.parametrize("method", FORWARD_DYNAMICS.methods)
@pytest.mark.parametrize("seed", [4, 5])
def test_both_methods_agree_with_the_references(seed, method):
    description = random_description(seed, 3, helical=0.3, axes=0.3, branches=seed == 5)
    program = STEP.build(build_model(description), method)
    proofs(description, STEP, program).require()
    wrong = heavier(description)
    for _ in range(4):
        wrong = heavier(wrong)
    assert not proofs(description, STEP, STEP.build(build_model(wrong), method)).passed


@pytest.mark.parametrize("language", ["c", "python"])
def test_a_robot_with_a_mimicking_joint_has_a_step(language):
    description = random_description(3, 3, mimics=1.0)
    assert build_model(description).has_mimics
    generation = generate(description, Settings(functions=("step",), language=language, states=20))
    assert generation.proofs["step"].states == 20


def test_the_error_falls_with_the_fourth_power_of_the_step_and_that_of_euler_with_the_first():
    description = load_robot("planar3")
    start = np.array([[0.3, -0.8, 1.1]]), np.array([[0.5, 1.0, -2.0]])
    torques, time = np.array([[20.0, 10.0, 1.0]]), 0.2

    def end(step, steps):
        state = start
        for _ in range(steps):
            state = step(*state, torques, np.array([time / steps]))
        return np.concatenate(state, axis=None)

    runge_kutta, euler = (
        kernel(optimised(function, description)) for function in (STEP, STEP_EULER)
    )
    exact = end(runge_kutta, 400)
    for step, order, steps in ((runge_kutta, 4, 20), (euler, 1, 100)):
        coarse, fine = (np.abs(end(step, each) - exact).max() for each in (steps, 2 * steps))
        assert 0.75 * 2**order < coarse / fine < 1.3 * 2**order


def test_it_costs_four_calls_and_the_sums_between_them():
    description = load_robot("scara")
    made = generate(
        description, Settings(functions=("forward_dynamics", "step"), verify=False, trig="vector")
    )
    forward, step = (each.operations.as_dict() for each in made.functions)
    joints = 4
    sums = {"mul": 2 + 10 * joints, "add": 14 * joints}
    assert step == {kind: 4 * number + sums.get(kind, 0) for kind, number in forward.items()}
    text = next(file.text for file in made.files if file.path == "src/scara_step.c")
    assert count_operations(text, "scara") == made.functions[1].operations
    assert text.count("scara_step_stage(") == 5
    assert count(made.functions[1].called) == made.functions[0].operations


def test_all_languages_take_loads_and_say_whether_all_stages_went_well(language):
    real = "double" if language == "fortran" else "float"
    description = bundled("planar3", "payload: true", "external_wrench: true")
    proved = generate(
        description, Settings(language=language, functions=("step",), states=60, real=real)
    ).proofs
    assert [name for name in proved if not name.endswith("_batch")] == ["step"]


def test_many_states_and_several_cores_have_it_in_one():
    settings = Settings(functions=("step",), states=60, batch=True, trig="libm", cores=2)
    made = generate(load_robot("planar3"), settings)
    assert list(made.proofs) == ["step", "step_batch", "step_cores"]
    texts = {file.path: file.text for file in made.files}
    assert "_stage(" in texts["src/planar3_step.c"]
    assert not any("_stage(" in texts[f"src/planar3_step_{each}.c"] for each in ("batch", "cores"))


def test_long_stages_are_in_segments():
    description = load_robot("planar3")
    made = generate(description, Settings(functions=("step",), verify=False))
    package = replace(made.package, longest=40)
    files = {file.path: file.text for file in find_language("c").print_kernels(package)}
    assert "planar3_step_stage_1(" in files["src/planar3_step.c"]
    assert "call segment_1()" in find_language("fortran").print_kernels(package)[0].text


def test_it_is_not_for_a_floating_base_nor_to_be_joined():
    with pytest.raises(UsageError, match="not possible for quaternions; use step_euler"):
        STEP.require(build_model(random_floating(1, 1)))
    with pytest.raises(
        UsageError, match="step cannot be fused, because it only calls forward_dynamics"
    ):
        generate(load_robot("planar3"), Settings(functions=("step+mass_matrix",)))
