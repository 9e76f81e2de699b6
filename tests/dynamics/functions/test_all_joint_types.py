"""Every function for robots with joints of all types, oblique axes and mimicking joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS, describe_missing_inertia
from dynagen.dynamics.functions.inverse_dynamics import FRICTION_FORCES
from dynagen.dynamics.functions.regressors import BASE_REGRESSOR
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.description import Bearing, Friction, Transmission
from dynagen.robot.joints import HELICAL
from dynagen.robot.loading import parse_robot
from dynagen.robot.model.model import build_model
from tests.support.function_proofs import (
    FUNCTIONS_OF_ANY_ARM,
    optimised,
    proofs,
    random_candidate,
)
from tests.support.random_robots import random_description

OF_ANY_JOINTS = [function for function in FUNCTIONS_OF_ANY_ARM if not function.base_parameters]


def has_large_programs(function: DynamicsFunction) -> bool:
    """Whether programs of a function grow with the third power of the number of joints."""
    return function.name.endswith("_hessian")


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS_OF_ANY_ARM, ids=lambda function: function.name)
def test_functions_agree_with_the_references(function: DynamicsFunction) -> None:
    for seed in range(4):
        description = random_description(
            seed,
            3 if has_large_programs(function) else 4,
            helical=0.6,
            axes=0.5,
            right_angles=(0.8, 0.3)[seed % 2],
            branches=seed > 1,
            fixed_links=0.2,
        )
        methods = [*function.methods]
        for method in methods[seed % 2 :: 2] or methods:  # each method for a chain and for a tree
            program = optimised(function, description, random_candidate(description, seed), method)
            proofs(description, function, program).require()


@pytest.mark.slow
@pytest.mark.parametrize("function", OF_ANY_JOINTS, ids=lambda function: function.name)
def test_functions_agree_with_the_references_where_joints_follow_others(
    function: DynamicsFunction,
) -> None:
    # Three of the five robots have at most three independent joints.
    for seed in (1, 3, 4) if has_large_programs(function) else range(5):
        description = random_description(
            seed,
            5,
            helical=0.3,
            axes=0.3,
            right_angles=(0.9, 0.3)[seed % 2],
            branches=seed > 1,
            fixed_links=0.2,
            mimics=0.5,
        )
        program = optimised(function, description, random_candidate(description, seed))
        proofs(description, function, program).require()


@pytest.mark.parametrize("seed", range(3))
def test_friction_of_joints_that_follow_others_is_felt_by_those(seed: int) -> None:
    transmission = Transmission(
        Exact("0.2"), Exact(10), ((ZERO, Exact("0.6")), (Exact(1), Exact("0.9")))
    )
    description = random_description(seed, 4, helical=0.3, mimics=0.7, branches=seed == 1)
    links = []
    for link in description.links:
        kind = "journal" if link.joint.angular else "linear"
        radius = Exact("0.02") if link.joint.angular else ZERO
        bearing = Bearing(kind, Exact("0.1"), radius, Exact("0.2"), Exact("0.05"))
        friction = Friction(Exact(2), Exact(3), bearings=(bearing,), transmission=transmission)
        links.append(replace(link, friction=friction))
    description = replace(description, links=tuple(links))
    proofs(description, FRICTION_FORCES, optimised(FRICTION_FORCES, description)).require()


TWO = """
name: two
gravity: [0, 0, -9.81]
links:
- {{name: one, joint: revolute, axis: [0, 0, 1], mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}}
- {{name: two, joint: {joint}, axis: [1, 0, 0], {fields}}}
"""


def two(joint: str, fields: str):
    return parse_robot(TWO.format(joint=joint, fields=fields), "two.yaml")


def test_a_body_that_carries_bodies_without_inertia_moves_none() -> None:
    """The second joint has a motor, and the first neither a motor nor inertia to move."""
    text = TWO.format(joint="revolute", fields="mass: 0, motor: {inertia: 1}")
    model = build_model(
        parse_robot(
            text.replace("mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]", "mass: 0"), "two.yaml"
        )
    )
    assert describe_missing_inertia(model).startswith("link one has no inertia")


def test_a_helical_joint_needs_an_inertia_or_a_mass() -> None:
    assert describe_missing_inertia(build_model(two("helical", "pitch: 0.1, mass: 1"))) == ""
    assert (
        describe_missing_inertia(
            build_model(two("helical", "pitch: 0.1, mass: 0, inertia: [1, 1, 1]"))
        )
        == ""
    )
    message = (
        "link two has no inertia that its joint can move. "
        "Give the link an inertia about the joint axis, or its joint a motor inertia"
    )
    assert describe_missing_inertia(build_model(two("helical", "pitch: 0.1, mass: 0"))) == message
    assert (
        describe_missing_inertia(build_model(two("revolute", "mimic: {joint: one}, mass: 0"))) == ""
    )


def test_bodies_that_move_by_themselves_are_no_method_for_joints_that_follow_others() -> None:
    for fields, methods in (
        ("inertia: [1, 1, 1]", {"composite", "articulated"}),
        ("mimic: {joint: one}, mass: 1", {"composite"}),
    ):
        model = build_model(two("revolute", fields))
        (function,) = find_functions(["forward_dynamics"], model)
        assert set(function.methods) == methods
        (joined,) = find_functions(["forward_dynamics+gravity_forces"], model)
        assert {method.partition("+")[0] for method in joined.methods} == methods
    for function in FUNCTIONS:  # those that solve for accelerations inherit the rule
        if "articulated" in function.methods:
            assert function.availability.methods_for_free_joints == ("articulated",), function.name


def test_units_are_those_of_the_coordinates() -> None:
    model = build_model(two("prismatic", "mimic: {joint: one, ratio: 0.1}, mass: 1"))
    outputs = {
        function.name: function.outputs(model)[0]
        for function in (FORWARD_DYNAMICS, FRICTION_FORCES)
    }
    assert outputs["forward_dynamics"].units == ("rad/s^2",)
    assert outputs["friction_forces"].units == ("N m",)
    (regressor,) = find_functions(["regressor_with_friction"], model)
    (matrix,) = regressor.outputs(model)
    assert matrix.shape == (1, 26)
    assert dict(zip(matrix.columns, matrix.units, strict=True))["two.viscous"] == "m^2/s"


def test_a_pitch_at_run_time_leaves_inertia_where_it_is() -> None:
    text = TWO.replace("links:", "parameters: {{lead: {{value: 0.1, runtime: true}}}}\nlinks:")
    description = parse_robot(
        text.format(joint="helical", fields="pitch: lead, mass: 1"), "two.yaml"
    )
    assert description.links[1].joint.type is HELICAL
    with pytest.raises(UsageError, match="depend on the geometry, which has run-time parameters"):
        BASE_REGRESSOR.require(build_model(description))
    program = optimised(FORWARD_DYNAMICS, description)
    assert any(argument.name == "params" for argument in program.inputs)
    assert np.isfinite(float(description.links[1].joint.pitch))
