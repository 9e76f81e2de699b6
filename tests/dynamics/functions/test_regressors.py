"""regressor, base_regressor and base_parameters: references, Pinocchio, joint forces."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.inverse_dynamics import FRICTION_FORCES, INVERSE_DYNAMICS
from dynagen.dynamics.functions.regressors import (
    BASE_PARAMETERS,
    BASE_REGRESSOR,
    BASE_REGRESSOR_WITH_FRICTION,
    REGRESSOR,
    REGRESSOR_WITH_FRICTION,
)
from dynagen.dynamics.requests import find_functions
from dynagen.ir.cost import count
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import ZERO, Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.description import Friction, RobotDescription
from dynagen.robot.loading import load_robot
from dynagen.robot.model.base_parameters import list_base_parameters, list_standard_parameters
from dynagen.robot.model.model import BASE, build_model
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, parameters, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, robots


def motion(description: RobotDescription, count: int = 40) -> tuple[Array, Array, Array]:
    states = sample_states(description, count=count)
    return states["q"], states["qd"], states["qdd"]


def assert_same(computed: Array, expected: Array) -> None:
    np.testing.assert_allclose(
        computed, expected, rtol=0, atol=1e-11 * max(1e-3, np.abs(expected).max())
    )


@settings(max_examples=12)
@given(robots(max_joints=5), st.integers(0, 3))
def test_every_column_is_what_a_unit_of_its_parameter_needs(
    description: RobotDescription, formulation: int
) -> None:
    program = optimised(REGRESSOR, description, random_candidate(description, formulation))
    proofs(description, REGRESSOR, program).require()


@settings(max_examples=10)
@given(robots(max_joints=5), st.integers(0, 3))
def test_base_columns_are_those_that_numbers_find(
    description: RobotDescription, formulation: int
) -> None:
    program = optimised(BASE_REGRESSOR, description, random_candidate(description, formulation))
    proofs(description, BASE_REGRESSOR, program).require()


@settings(max_examples=10)
@given(robots(max_joints=5))
def test_base_parameters_are_those_that_numbers_find(description: RobotDescription) -> None:
    proofs(description, BASE_PARAMETERS, optimised(BASE_PARAMETERS, description)).require()


@settings(max_examples=8)
@given(robots(max_joints=5))
def test_regressors_times_parameters_are_the_joint_forces(description: RobotDescription) -> None:
    state = motion(description)
    (forces,) = kernel(optimised(INVERSE_DYNAMICS, description))(*state)
    (regressor,) = kernel(optimised(REGRESSOR, description))(*state)
    (base_regressor,) = kernel(optimised(BASE_REGRESSOR, description))(*state)
    numbers = parameters(description)
    (base,) = kernel(optimised(BASE_PARAMETERS, description))(numbers[None])
    assert_same(regressor @ numbers, forces)
    assert_same(base_regressor @ base[0], forces)


@settings(max_examples=8)
@given(robots(max_joints=5))
def test_the_base_regressor_has_full_rank_and_that_of_the_regressor(
    description: RobotDescription,
) -> None:
    ranks = []
    for function in (REGRESSOR, BASE_REGRESSOR):
        (regressor,) = kernel(optimised(function, description))(*motion(description, 80))
        stacked = regressor.reshape(-1, regressor.shape[-1])
        ranks.append(
            np.linalg.matrix_rank(
                stacked / np.maximum(1, np.linalg.norm(stacked, axis=0)), tol=1e-9
            )
        )
    assert ranks == [len(list_base_parameters(build_model(description)))] * 2


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(8))
def test_the_regressor_agrees_with_pinocchio(seed: int) -> None:
    """Pinocchio's joint frames are the link frames here; order Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""
    description = random_description(seed, 1 + seed % 6, "modified", branches=bool(seed % 2))
    model, order = pinocchio_model(description)
    data = model.createData()
    columns = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]
    q, qd, qdd = motion(description)
    (computed,) = kernel(optimised(REGRESSOR, description))(q, qd, qdd)
    for state in range(len(q)):
        expected = pin.computeJointTorqueRegressor(
            model, data, q[state][order], qd[state][order], qdd[state][order]
        )
        for body, joint in enumerate(order):
            block = expected.reshape(len(order), -1)[:, 10 * body : 10 * body + 10][:, columns]
            assert_same(computed[state][order, 11 * joint : 11 * joint + 10], block)


def test_what_a_joint_does_not_carry_it_does_not_feel() -> None:
    description = load_robot("two_arm")
    model = build_model(description)
    (output,) = optimised(REGRESSOR, description).outputs
    entries = np.array(output.values).reshape(output.argument.shape)
    program = optimised(REGRESSOR, description)
    carried = {body: {body} for body in range(len(model.bodies))} | {BASE: set()}
    for body in range(len(model.bodies)):
        carried[body] |= carried[model.bodies[body].parent]
    standard = list_standard_parameters(model)
    assert len({model.bodies[body].parent for body in carried if body != BASE}) < len(model.bodies)
    for column, each in enumerate(standard):
        for joint in set(range(len(model.bodies))) - carried[each.body]:
            assert program.instructions[entries[joint, column]].payload == ZERO


@pytest.mark.parametrize(
    ("robot", "full", "base"),
    # Hand-made programs reached 783 and 724 (PUMA 560), 619 and 593 (Stanford), 1192 (Panda, base).
    [("puma560", 770, 716), ("stanford_listing", 600, 588), ("panda", 1550, 1185)],
)
def test_operations(robot: str, full: int, base: int) -> None:
    description = load_robot(robot)
    assert count(optimised(REGRESSOR, description)).total <= full
    assert count(optimised(BASE_REGRESSOR, description)).total <= base


def test_the_columns_of_the_links_that_move() -> None:
    """By hand 1357 for the Panda without hand and fingers, which have columns in the regressor."""
    panda = load_robot("panda")
    arm = replace(panda, links=tuple(link for link in panda.links if link.joint.moves), frames=())
    (made,) = generate(arm, Settings(functions=("regressor",), verify=False)).functions
    assert (made.program.outputs[0].argument.shape, made.operations.total <= 1302) == (
        (7, 77),
        True,
    )


def test_inertial_parameters_need_no_joint_positions_and_little_arithmetic() -> None:
    program = optimised(BASE_PARAMETERS, load_robot("puma560"))
    assert [argument.name for argument in program.inputs] == ["pi"]
    assert count(program).total <= 62


@pytest.mark.slow
def test_the_manifest_names_the_columns() -> None:
    settings = Settings("c", ("regressor", "base_regressor", "base_parameters"), verify=False)
    kernels = json.loads(generate(load_robot("puma560"), settings).manifest.text)["kernels"]
    regressor = kernels["regressor"]["arguments"][-1]
    assert regressor["shape"] == [6, len(regressor["columns"])] == [6, 66]
    assert regressor["columns"][:12] == [
        *(
            f"waist.{name}"
            for name in ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz", "Ia")
        ),
        "upper_arm.m",
    ]
    base = kernels["base_regressor"]["arguments"][-1]
    pi, pi_base = kernels["base_parameters"]["arguments"]
    assert (pi["name"], pi["columns"]) == ("pi", regressor["columns"])
    assert (pi_base["name"], pi_base["columns"]) == ("pi_base", base["columns"])
    assert base["columns"][:3] == ["waist.JzzR", "upper_arm.mxR", "upper_arm.my"]
    assert "columns" not in kernels["regressor"]["arguments"][0]


@pytest.mark.parametrize(
    ("language", "path", "lines"),
    [
        (
            "c",
            "include/planar3.h",
            ("    PLANAR3_PI_WITH_FRICTION_HAND_COULOMB,\n    PLANAR3_PI_WITH_FRICTION_SIZE\n",),
        ),
        (
            "fortran",
            "planar3_dynamics.f90",
            ("public :: planar3_pi_with_friction_hand_coulomb = 39\n", "pi_base_hand_my = 9\n"),
        ),
        (
            "python",
            "planar3.py",
            ('PI_WITH_FRICTION = {\n    "upper_arm.m": 0,\n', '"hand.coulomb": 38,\n'),
        ),
    ],
)
def test_code_names_the_columns_after_their_parameters(
    language: str, path: str, lines: tuple[str, ...]
) -> None:
    settings = Settings(
        language, ("regressor_with_friction", "base_regressor", "base_parameters"), verify=False
    )
    (text,) = (
        file.text for file in generate(load_robot("planar3"), settings).files if file.path == path
    )
    assert all(line in text for line in lines)
    assert text.upper().count("PLANAR3_PI_BASE_HAND_MY") == (
        language != "python"
    )  # once: columns and elements are the same


def test_nothing_is_said_to_be_regrouped_where_no_number_of_a_link_enters() -> None:
    made = generate(
        load_robot("puma560"), Settings("c", ("inverse_dynamics", "regressor"), verify=False)
    ).functions
    assert [
        any("regrouped" in sentence for sentence in function.formulation) for function in made
    ] == [True, False]


def test_units_make_forces_of_parameters() -> None:
    description = random_description(5, 3, "modified", prismatic=0.5)
    model = build_model(description)
    (matrix,), (vector,) = REGRESSOR.outputs(model), BASE_PARAMETERS.inputs(model)
    assert {body.joint.type.force_unit for body in model.bodies} == {"N m", "N"}
    products = {
        ("N m", "kg"): "m^2/s^2",
        ("N m", "kg m"): "m/s^2",
        ("N m", "kg m^2"): "1/s^2",
        ("N", "kg"): "m/s^2",
        ("N", "kg m"): "1/s^2",
        ("N", "kg m^2"): "1/(m s^2)",
    }
    expected = [
        products[body.joint.type.force_unit, unit] for body in model.bodies for unit in vector.units
    ]
    assert list(matrix.units) == expected


@settings(max_examples=6)
@given(robots(max_joints=4), st.sampled_from(("exact", "tanh", "linear")), st.integers(0, 3))
def test_with_friction_columns_parameters_make_joint_forces_and_friction(
    description, sign: str, formulation: int
) -> None:
    friction = Friction(
        viscous=Exact("0.7"),
        coulomb=Exact("1.3"),
        sign=sign,
        width=ZERO if sign == "exact" else Exact("0.2"),
    )
    links = (
        replace(link, friction=friction) if link.joint.moves else link for link in description.links
    )
    robot = replace(description, links=tuple(links))
    state = motion(robot)
    (forces,) = kernel(optimised(INVERSE_DYNAMICS, robot))(*state)
    (lost,) = kernel(optimised(FRICTION_FORCES, robot))(state[1])
    (base,) = kernel(optimised(BASE_PARAMETERS, robot))(parameters(robot)[None])
    coefficients = [0.7, 1.3] * forces.shape[1]
    for function, numbers in (
        (REGRESSOR_WITH_FRICTION, parameters(robot)),
        (BASE_REGRESSOR_WITH_FRICTION, base[0]),
    ):
        program = optimised(function, robot, random_candidate(robot, formulation))
        proofs(robot, function, program).require()
        assert_same(kernel(program)(*state)[0] @ [*numbers, *coefficients], forces + lost)


@pytest.mark.parametrize("robot", ["puma260", "puma560"])
def test_78_parameters_with_friction_and_52_that_matter(robot: str) -> None:
    """Izaguirre et al. count them for the PUMA 260; numbers find the same rank."""
    description = load_robot(robot)
    full, base = (
        optimised(each, description)
        for each in (REGRESSOR_WITH_FRICTION, BASE_REGRESSOR_WITH_FRICTION)
    )
    assert [program.outputs[0].argument.shape for program in (full, base)] == [(6, 78), (6, 52)]
    assert full.outputs[0].argument.columns[-2:] == (
        f"{description.links[-1].name}.viscous",
        f"{description.links[-1].name}.coulomb",
    )
    stacked = kernel(full)(*motion(description, 80))[0].reshape(-1, 78)
    assert (
        np.linalg.matrix_rank(stacked / np.maximum(1e-9, np.linalg.norm(stacked, axis=0)), tol=1e-9)
        == 52
    )


def test_relations_are_in_the_manifest_and_the_readme_and_make_the_base_parameters() -> None:
    description = load_robot("puma560")
    generation = generate(
        description, Settings("c", ("base_regressor", "base_parameters"), verify=False)
    )
    manifest = json.loads(generation.manifest.text)
    pi, pi_base = manifest["kernels"]["base_parameters"]["arguments"]
    grouping = np.array(
        [
            [manifest["base_parameters"][row].get(name, 0) for name in pi["columns"]]
            for row in pi_base["columns"]
        ]
    )
    (base,) = kernel(optimised(BASE_PARAMETERS, description))(parameters(description)[None])
    assert_same(grouping @ parameters(description), base[0])
    (readme,) = (file.text for file in generation.files if file.path == "README.md")
    assert "    wrist_3.JxxR = wrist_3.Jxx - wrist_3.Jyy\n" in readme
    assert "base_parameters" not in json.loads(
        generate(description, Settings(verify=False)).manifest.text
    )


def test_all_leaves_out_variants() -> None:
    names = {
        function.name
        for function in find_functions(
            ("all", "regressor_with_friction"), build_model(load_robot("planar3"))
        )
    }
    assert {"regressor", "regressor_with_friction"} <= names
    assert "base_regressor_with_friction" not in names
