"""Fused functions: every output by its own reference; fewer operations than the parts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynagen
from dynagen.dynamics.requests import find_functions
from dynagen.ir.cost import count
from dynagen.ir.statements import SineCosine, write_statements
from dynagen.optimizer.passes.manager import run_passes
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.counts_table import total_of
from tests.support.function_proofs import heavier, kernel, proofs, random_candidate
from tests.support.random_robots import random_description, robots

SMALL = (
    "mass_matrix+gravity_forces",
    "coriolis_matrix+mass_matrix+coriolis_forces",
    "jacobian+forward_dynamics+friction_forces",
)


def join(request, model):
    (function,) = find_functions([request], model)
    return function


@pytest.mark.parametrize("request_", SMALL)
@settings(max_examples=4)
@given(robots(4), st.integers(0, 3))
def test_every_output_agrees_with_its_own_reference(request_, description, formulation):
    model = build_model(description)
    function = join(request_, model)
    program, _ = run_passes(function.build_for(random_candidate(description, formulation)))
    proofs(description, function, program).require()


@pytest.mark.parametrize("request_", SMALL)
def test_a_link_a_billionth_too_heavy_is_found(request_):
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    function = join(request_, build_model(description))
    program, _ = run_passes(function.build(build_model(heavier(description))))
    assert not proofs(description, function, program).passed


def test_outputs_are_those_of_the_parts_in_the_order_asked_for():
    description = random_description(2, 4)
    model = build_model(description)
    states = sample_states(description, ("q", "qd", "tau"), 20)
    asked = ("gravity_forces", "forward_dynamics", "coriolis_forces")
    together = join("+".join(asked), model).build(model)
    assert [argument.name for argument in together.inputs] == ["q", "qd", "tau"]
    assert [output.argument.name for output in together.outputs] == ["g", "qdd", "c"]
    computed = kernel(together)(*(states[argument.name] for argument in together.inputs))
    for name, values in zip(asked, computed, strict=True):
        (function,) = find_functions([name], model)
        alone = function.build(model)
        (expected,) = kernel(alone)(*(states[argument.name] for argument in alone.inputs))
        np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "request_", ["mass_matrix+gravity_forces", "friction_forces+mass_matrix+bias_forces+jacobian"]
)
def test_joint_positions_come_once_and_first_though_parts_have_frames_of_their_own(request_):
    (function,) = generate(
        load_robot("planar3"), Settings(functions=(request_,), verify=False)
    ).functions
    first, *others = write_statements(function.program).blocks
    assert first.title == "Joint positions"
    sines = [each.assigned for each in first.statements if isinstance(each, SineCosine)]
    assert len(sines) == function.operations.sincos
    assert not any(isinstance(each, SineCosine) for block in others for each in block.statements)


def test_outputs_that_fortran_could_not_tell_apart_are_called_after_their_functions_too():
    model = build_model(load_robot("two_arm"))
    function = join("coriolis_matrix+coriolis_forces+jacobian+jacobian@left_hand", model)
    assert [argument.name for argument in function.outputs(model)] == [
        "C_coriolis_matrix",
        "c_coriolis_forces",
        "J_jacobian",
        "J_jacobian_at_left_hand",
    ]


def test_methods_of_the_parts_are_combined_and_one_can_be_asked_for():
    model = build_model(load_robot("planar3"))
    assert list(join("forward_dynamics+mass_matrix+gravity_forces", model).methods) == [
        "composite+composite",
        "composite+carried",
        "articulated+composite",
        "articulated+carried",
    ]
    asked = Settings(
        functions=("forward_dynamics+gravity_forces",), method="articulated", verify=False
    )
    (function,) = generate(load_robot("planar3"), asked).functions
    assert function.method.startswith("articulated+")
    assert len(function.considered) == 4


def test_a_part_that_depends_on_the_description_leaves_the_others_their_formulation():
    parts = ("inverse_dynamics", "base_regressor")
    assert total_of("puma560", "+".join(parts)) < sum(total_of("puma560", part) for part in parts)


@pytest.mark.slow
def test_one_kernel_in_every_language(language):
    call = dynagen.compile(
        "two_arm", "mass_matrix+gravity_forces+jacobian@left_hand", lang=language
    )
    mass_matrix, gravity, jacobian = call(np.linspace(-1, 1, 7))
    assert (mass_matrix.shape, gravity.shape, jacobian.shape) == ((7, 7), (7,), (6, 7))
    np.testing.assert_allclose(mass_matrix, mass_matrix.T, rtol=0, atol=0)


def test_run_time_parameters_and_a_wrench():
    text = """
name: loaded
convention: modified
gravity: [0, 0, -9.81]
parameters: {load: {value: 2, unit: kg, runtime: true}}
external_wrench: tool
links:
  - {name: a, joint: revolute, dh: {alpha: 0, a: 0, d: 0.3},
      mass: 3, com: [0.1, 0, 0.1], inertia: [0.1, 0.2, 0.3]}
  - {name: b, joint: revolute, dh: {alpha: pi/2, a: 0, d: 0},
      mass: load, com: [0.2, 0.1, 0], inertia: [0.1, 0.1, 0.2]}
"""
    generation = generate(
        parse_robot(text, "loaded.yaml"),
        Settings(functions=("mass_matrix+inverse_dynamics+gravity_forces",), states=60),
    )
    (function,) = generation.functions
    assert generation.proofs[function.name].passed
    inputs = [argument.name for argument in function.program.inputs]
    assert inputs == ["q", "qd", "qdd", "wrench", "params"]


@pytest.mark.parametrize(
    ("robot", "request_", "most"),
    [
        ("puma560", "mass_matrix+gravity_forces", 161),
        ("panda", "mass_matrix+gravity_forces", 367),
        ("puma560", "inverse_dynamics+mass_matrix", 419),
        ("stanford_listing", "regressor+inverse_dynamics", 712),
        ("planar3", "mass_matrix+gravity_forces", 23),
        ("scara", "mass_matrix+jacobian+forward_kinematics", 30),
    ],
)
def test_one_call_costs_less_than_its_parts(robot, request_, most):
    assert total_of(robot, request_) <= most
    assert total_of(robot, request_) <= sum(total_of(robot, part) for part in request_.split("+"))


def test_parts_may_have_formulations_of_their_own_and_say_so():
    """Gravity forces of a planar arm share nothing with its mass matrix, and suit other axes."""
    generation = generate(
        load_robot("planar3"), Settings(functions=("mass_matrix+gravity_forces",), states=50)
    )
    (function,) = generation.functions
    assert generation.proofs[function.name].passed
    assert any(
        sentence.startswith("For a part of the results: ") for sentence in function.formulation
    )


def _with_load():
    """The PUMA 260 with a last link whose ten inertial parameters are all in general position."""
    description = load_robot("puma260")
    *links, last = description.links
    load = (
        random_description(3, 1, "standard", prismatic=0, inertia_form="origin").links[0].inertial
    )
    return replace(description, links=(*links, replace(last, inertial=load)))


@pytest.mark.parametrize(
    ("request_", "optimize", "most"),
    [
        ("mass_matrix+gravity_forces", "default", 103),
        ("mass_matrix+gravity_forces", "max", 98),
        ("coriolis_forces", "default", 163),
        ("coriolis_forces", "max", 141),
    ],
)
def test_background_tasks_of_the_puma_260(request_, optimize, most):
    """168 and 250 in the literature (Izaguirre et al. 1992), 135 and 174 by hand."""
    assert total_of("puma260", request_, optimize) <= most


@pytest.mark.parametrize(
    ("request_", "most"), [("mass_matrix+gravity_forces", 225), ("coriolis_forces", 268)]
)
def test_an_arbitrary_load(request_, most):
    """340 and 370 in the literature, 283 and 289 by hand."""
    generation = generate(_with_load(), Settings(functions=(request_,), verify=False))
    assert generation.functions[0].operations.total <= most
    assert count(generation.functions[0].program).mul > 0
