"""Formulas of constants: each, evaluated with the description's numbers, gives its constant."""

from __future__ import annotations

import json
from collections.abc import Callable

import mpmath
import pytest
from hypothesis import given, settings

from dynagen.ir.program import Operation
from dynagen.optimizer.passes.equal_values import FACTORS
from dynagen.pipeline.driver import Generation, Settings, generate
from dynagen.report.constants import Explanation, explain
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot, parse_robot
from tests.support.bundled import ALL_BUNDLED, bundled, with_masses_at_run_time
from tests.support.random_robots import robots

FUNCTIONS = {name: getattr(mpmath, name) for name in ("sin", "cos", "atan2", "sqrt", "pi")}
ROUNDING = 1e-13
LEFT = 1e-20  # what angles leave that are good to 25 digits

Run = Callable[..., tuple[int, str, str]]


def check_formulas(explanation: Explanation) -> None:
    """Evaluate all formulas, one after the other, with 40 digits."""
    with mpmath.workdps(40):
        names = {
            **FUNCTIONS,
            **{name: mpmath.mpf(repr(value)) for name, value in explanation.names.items()},
        }
        for name, formula in explanation.parts.items():
            names[name] = eval(formula, names)
        for kernel, formulas in explanation.kernels.items():
            for constant, formula in formulas.items():
                error = abs(eval(formula, names) - mpmath.mpf(constant))
                assert error <= ROUNDING * mpmath.mpf(constant) + LEFT, (
                    f"{kernel}: {constant} is not {formula}"
                )


def constants_in_code(generation: Generation, kernel: str) -> set[float]:
    (program,) = (each.program for each in generation.package.kernels if each.function == kernel)
    payloads = (
        each.payload for each in program.instructions if each.operation is Operation.CONSTANT
    )
    return {abs(float(payload)) for payload in payloads}


def unexplained(generation: Generation, explanation: Explanation) -> dict[str, set[float]]:
    own = set(map(float, FACTORS))
    left = {
        name: constants_in_code(generation, name) - set(map(float, each))
        for name, each in explanation.kernels.items()
    }
    return {name: numbers - own for name, numbers in left.items() if numbers - own}


def check_all_explained(generation: Generation) -> Explanation:
    explanation = explain(generation)
    check_formulas(explanation)
    assert unexplained(generation, explanation) == {}
    return explanation


@pytest.mark.parametrize("robot", ALL_BUNDLED)
def test_every_constant_of_inverse_dynamics_has_a_formula_that_gives_it(robot: str) -> None:
    check_all_explained(
        generate(load_robot(robot), Settings("c", ("inverse_dynamics", "mass_matrix")), prove=False)
    )


def test_formulas_add_no_length_to_a_mass() -> None:
    # d1 = 0.1 m is as large as the product m4*cy4, to which the passes add m4.
    generation = generate(
        load_robot("stanford_saha"), Settings("c", ("joint_wrenches",)), prove=False
    )
    formulas = explain(generation).kernels["joint_wrenches"]
    assert (formulas["1.1"], formulas["2.1"]) == ("m5 + m6", "m4 + m5 + m6")


@pytest.mark.slow
@pytest.mark.parametrize(
    "everything", ["planar3", "puma560", "scara", "stanford_saha", "two_arm"], indirect=True
)
def test_every_constant_of_every_function_has_a_formula_that_gives_it(
    everything: Generation,
) -> None:
    explanation = explain(everything)
    check_formulas(explanation)
    # Masses and lengths of 1 in planar3 are equal by chance, and with numbers the passes merge
    # terms that stay apart with names: 1/12 and 13/12 in two centroidal matrices, 7/3 in
    # J M^-1 J^T. A first moment of two_arm (11 kg m) has a formula only if its function is
    # generated alone.
    allowed = {"planar3": 4, "two_arm": 1}.get(everything.package.robot, 0)
    assert sum(map(len, unexplained(everything, explanation).values())) <= allowed


@pytest.mark.slow
@settings(max_examples=12)
@given(robots(max_joints=5, mimics=0.3))
def test_formulas_of_random_robots_are_right_and_hardly_one_is_missing(
    robot: RobotDescription,
) -> None:
    generation = generate(robot, Settings("c", ("inverse_dynamics",)), prove=False)
    explanation = explain(generation)
    check_formulas(explanation)
    # Numbers that are equal by chance are one to the passes, and two where they have names.
    assert sum(map(len, unexplained(generation, explanation).values())) <= 2


ARM = """
name: arm
convention: modified
gravity: [0, 0, -9.81]
parameters:
  reach: 0.4
  m1: 7
links:
  - name: shoulder
    joint: revolute
    dh: {alpha: 0.3, a: 0, d: 2*reach}
    mass: 1.5
    com: [0.125, 0, 0]
    inertia: [0.01, 0.02, 0.03]
  - name: elbow
    joint: revolute
    dh: {alpha: -pi/2, a: reach, d: 0}
    mass: m1
    com: [0, 0.3, 0]
    inertia: [0.01, 0.02, 0.03]
    motor: {inertia: 0.5}
"""


def test_names_that_the_description_gives_are_taken_and_others_keep_clear_of_them() -> None:
    generation = generate(parse_robot(ARM, "arm.yaml"), Settings("c"), prove=False)
    explanation = check_all_explained(generation)
    assert explanation.names["reach"] == 0.4
    assert explanation.names["m1"] == 7
    assert explanation.names["m_1"] == 1.5
    assert "a2" not in explanation.names
    assert dict(generation.package.kernels[0].constants.formulas)["0.84"] == "m1*cy2*reach"


@pytest.mark.parametrize(
    "robot", [with_masses_at_run_time("puma560"), bundled("planar3", "payload: true")]
)
def test_with_run_time_parameters_what_prepare_and_kernels_fold_is_explained(
    robot: RobotDescription,
) -> None:
    explanation = check_all_explained(
        generate(robot, Settings("c", ("inverse_dynamics", "gravity_forces")), prove=False)
    )
    assert explanation.kernels["prepare"]


@pytest.mark.slow
def test_constants_that_a_search_has_made_are_explained() -> None:
    chosen = Settings("c", ("inverse_dynamics",), optimize="max", budget=20)
    check_formulas(explain(generate(load_robot("puma560_listing_3dof"), chosen, prove=False)))


def test_generated_files_say_what_their_constants_are_made_of(language: str) -> None:
    generation = generate(
        load_robot("puma560"),
        Settings(language, ("gravity_forces", "inverse_dynamics")),
        prove=False,
    )
    text = "\n".join(file.text for file in generation.files)
    words = " ".join(text.replace(" * ", " ").replace("//! ", " ").replace("! ", " ").split())
    assert "0.1501 = d2 + d3, " in words
    assert "0.4318 = a3, 0.4331 = d4" in words
    assert (
        "(m mass, c centre of mass, I inertia about the centre of mass, Ia motor inertia, "
        "g gravity); links count from 1" in words
    )
    assert (
        "All other constants are sums of regrouped terms: see `dynagen --explain-constants`."
        in words
    )


def test_a_function_is_explained_alike_whatever_is_generated_with_it() -> None:
    alone = generate(load_robot("ur5"), Settings("c", ("mass_matrix",)), prove=False)
    joined = generate(
        load_robot("ur5"), Settings("c", ("inverse_dynamics", "mass_matrix")), prove=False
    )
    assert alone.package.kernels[0].constants == joined.package.kernels[1].constants


def test_the_command_line_prints_formulas_and_their_names(run: Run) -> None:
    status, out, _ = run("planar3", "--explain-constants")
    assert status == 0
    assert "Constants of inverse_dynamics" in out
    assert "-m1*cx1*gy - m2*a2*gy - m3*a2*gy" in out
    assert "Numbers of the description" in out
    status, out, _ = run("planar3", "--explain-constants", "--format", "json")
    constants = json.loads(out)["constants"]
    assert constants["names"]["gy"] == -9.81
    assert constants["kernels"]["inverse_dynamics"]["0.5"] == "m3*cx3"
