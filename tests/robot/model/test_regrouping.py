"""Regrouping: joint forces stay, parameters go, and what is left is the fewest there can be."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.regressors import BASE_PARAMETERS, BASE_REGRESSOR
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import CentralInertia, LinkDescription, RobotDescription
from dynagen.robot.formats.yaml.links import make_row_steps
from dynagen.robot.joints import HELICAL, PRISMATIC, REVOLUTE, Joint
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.base_parameters import (
    list_base_parameters,
    list_groupings,
    list_standard_parameters,
)
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.robot.model.regrouping import Gauge, regroup
from dynagen.robot.pose import Rotation, X
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, proofs
from tests.support.random_robots import random_description, robots


def joint_forces(model: RobotModel, description: RobotDescription) -> Array:
    states = sample_states(description, count=30)
    return kernel(INVERSE_DYNAMICS.build(model))(states["q"], states["qd"], states["qdd"])[0]


def assert_same_forces(model: RobotModel, other: RobotModel, description: RobotDescription) -> None:
    expected, computed = joint_forces(model, description), joint_forces(other, description)
    np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@settings(max_examples=25)
@given(robots(), st.lists(st.sampled_from([*Gauge, None]), min_size=6, max_size=6))
def test_joint_forces_stay_the_same(
    description: RobotDescription, gauges: list[Gauge | None]
) -> None:
    model = build_model(description)
    assert_same_forces(model, regroup(model, gauges[: len(model.bodies)]), description)


@settings(max_examples=25)
@given(robots(), st.sampled_from(Gauge))
def test_what_a_joint_can_never_observe_is_gone(
    description: RobotDescription, gauge: Gauge
) -> None:
    model = build_model(description)
    for body in regroup(model, [gauge] * len(model.bodies)).bodies:
        xx, yy, zz, *products = body.inertial.inertia
        if body.joint.angular:
            assert body.joint.linear or body.inertial.mass == body.inertial.first_moment[2] == ZERO
            zero = {Gauge.JYY: yy, Gauge.JXX: xx, Gauge.PSEUDO_INERTIA: xx + yy - zz}[gauge]
            assert zero == ZERO or [xx, yy, *products] == [ZERO] * 5
        else:
            assert body.inertial.inertia == (ZERO,) * 6


@settings(max_examples=15)
@given(robots())
def test_regrouping_twice_changes_nothing_more(description: RobotDescription) -> None:
    once = regroup(build_model(description))
    assert regroup(once) == once


def test_a_body_without_gauge_keeps_what_it_has_and_gets_more() -> None:
    model = build_model(random_description(2, 4, "modified", prismatic=0))
    kept = regroup(model, [None] * 4)
    assert kept == model
    partly = regroup(model, [None, None, None, Gauge.JYY])
    assert partly.bodies[:2] == model.bodies[:2]
    assert (
        partly.bodies[2].inertial.mass
        == model.bodies[2].inertial.mass + model.bodies[3].inertial.mass
    )


@pytest.mark.parametrize(
    ("robot", "count"),
    [("puma260", 40), ("puma560", 40), ("stanford", 37), ("panda", 48), ("scara", 11)],
)
def test_the_literature_s_robots_have_their_number_of_base_parameters(
    robot: str, count: int
) -> None:
    assert len(list_base_parameters(build_model(load_robot(robot)))) == count


def test_of_the_puma_260_s_78_parameters_52_stay() -> None:
    """Izaguirre et al.: 60 moments, 6 motors, 6 viscous and 6 Coulomb coefficients; 34 moments
    stay, of the rest all.
    """
    model = build_model(load_robot("puma260"))
    friction = 2 * len(model.bodies)
    base = list_base_parameters(model)
    assert len(list_standard_parameters(model)) + friction == 78
    assert len(base) + friction == 52
    motors = [
        number
        for number, each in enumerate(list_standard_parameters(model))
        if each.parameter == "Ia"
    ]
    assert sum(any(each.coefficients[motor] for motor in motors) for each in base) == len(motors)
    assert sum(not any(each.coefficients[motor] for motor in motors) for each in base) == 34


def test_relations_are_exact() -> None:
    model = build_model(load_robot("puma560"))
    formulas = [each.formula for each in list_groupings(model)]
    assert "wrist_3.JxxR = wrist_3.Jxx - wrist_3.Jyy" in formulas
    assert "wrist_3.Jzz = wrist_3.Jzz" in formulas
    assert "wrist_2.myR = wrist_2.my - wrist_3.mz" in formulas
    assert (
        "upper_arm.mxR = upper_arm.mx + "
        + " + ".join(f"0.4318*{link}.m" for link in ("forearm", "wrist_1", "wrist_2", "wrist_3"))
        in formulas
    )
    assert formulas[0].startswith(
        "waist.JzzR = waist.Jzz + waist.Ia + 0.05929225*upper_arm.m + 0.487*upper_arm.mz"
    )


POINT = CentralInertia(Exact(1), (ZERO, ZERO, ZERO), (ZERO,) * 6)
AXES = {
    "parallel, in one line": ("0 0 0", 0, 0),
    "parallel": ("0 0 0", 1, 0),
    "meeting in one point": ("0 1 1", 0, 0),
    "meeting, the second above the first": ("0 1 -1", 0, 1),
    "the first across, then parallel": ("1 1 0", 1, 0),
    "the second across, then parallel": ("0 1 0", 0, 1),
    "oblique, meeting in one point": ("0 0.3 0.5", 0, 0),
}
GRAVITY = {"none": (0, 0, 0), "along z": (0, 0, -9), "along x": (3, 0, 0)}


def three_joints(convention: str, axes: str, gravity: str, types: tuple) -> RobotDescription:
    alphas, a, d = AXES[axes]
    links: list[LinkDescription] = []
    for number, (alpha, joint) in enumerate(zip(alphas.split(), types, strict=True)):
        angle = Exact(alpha) if "." in alpha else PI / 2 * int(alpha)
        before, after = make_row_steps(
            convention, angle, Exact(a), Exact(d) if number != 1 else ZERO, ZERO
        )
        parent, pitch = (
            links[-1].name if links else None,
            Exact("0.2") if joint is HELICAL else ZERO,
        )
        links.append(
            LinkDescription(
                f"l{number}", parent, before, replace(Joint(joint), pitch=pitch), after, POINT
            )
        )
    x, y, z = (Exact(component) for component in GRAVITY[gravity])
    return RobotDescription("three", (x, y, z), number_coordinates(links))


def assert_fewest(description: RobotDescription) -> None:
    """As many as the rank of the regressor, and the combinations that its numbers give."""
    model = build_model(description)
    exact = np.array(
        [[float(x) for x in each.coefficients] for each in list_base_parameters(model)]
    )
    regressors = make_references(description)[0].regressors
    states = sample_states(description, count=20)
    regressor = regressors.compute_standard(states["q"], states["qd"], states["qdd"])
    stacked = regressor.reshape(-1, regressor.shape[-1])
    stacked = stacked / np.maximum(1, np.linalg.norm(stacked, axis=0))
    assert np.linalg.matrix_rank(stacked, tol=1e-9) == len(exact)
    np.testing.assert_allclose(regressors.grouping, exact, rtol=0, atol=1e-10 * np.abs(exact).max())


# Any two of the three joints have all pairs of types in each third of the combinations.
@pytest.mark.parametrize(
    "third", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("gravity", GRAVITY)
@pytest.mark.parametrize("axes", AXES)
def test_near_the_base_nothing_is_left_that_does_not_matter(
    axes: str, gravity: str, third: int
) -> None:
    types = (REVOLUTE, PRISMATIC, HELICAL)
    for number, kinds in enumerate(itertools.product(range(3), repeat=3)):
        if sum(kinds) % 3 == third:
            convention, joints = ("modified", "standard")[number % 2], (types[k] for k in kinds)
            assert_fewest(three_joints(convention, axes, gravity, tuple(joints)))


@settings(max_examples=12)
@given(robots(max_joints=4))
def test_the_base_parameters_of_any_tree_are_the_fewest(description: RobotDescription) -> None:
    assert_fewest(description)


def test_axes_that_nearly_are_parallel_are_not() -> None:
    straight = three_joints("modified", "parallel", "along z", (REVOLUTE,) * 3)
    first, second, third = straight.links
    tilted = replace(
        straight,
        links=(first, replace(second, before=(Rotation(X, Exact("1e-6")), *second.before)), third),
    )
    counts = [len(list_base_parameters(build_model(robot))) for robot in (straight, tilted)]
    assert counts == [9, 17]


@pytest.mark.parametrize("tilt", ["1e-2", "1e-3", "1e-16", "1e-21"])
@pytest.mark.parametrize("robot", [pytest.param("puma560", marks=pytest.mark.slow), 0, 3])
def test_base_parameters_of_axes_that_are_all_but_parallel_are_proved(
    robot: str | int, tilt: str
) -> None:
    """Generator and reference decide alike which axes are parallel, and neither loses digits to
    relations that magnify.
    """
    straight = (
        load_robot(robot)
        if isinstance(robot, str)
        else random_description(robot, 4, right_angles=1.0, branches=True)
    )
    links = tuple(
        replace(link, before=(Rotation(X, Exact(tilt)), *link.before)) for link in straight.links
    )
    description = replace(straight, links=links, gravity=(Exact("4.2"), ZERO, Exact(tilt)))
    for function in (BASE_REGRESSOR, BASE_PARAMETERS):
        proofs(description, function, function.build(build_model(description))).require()


@pytest.mark.parametrize("tilt", ["1e-6", "1e-9", "1e-13", "1e-14"])
@pytest.mark.parametrize("robot", [pytest.param("puma560", marks=pytest.mark.slow), 0, 3])
def test_what_no_proof_can_decide_is_refused_with_a_remedy(robot: str | int, tilt: str) -> None:
    straight = (
        load_robot(robot)
        if isinstance(robot, str)
        else random_description(robot, 4, right_angles=1.0, branches=True)
    )
    links = tuple(
        replace(link, before=(Rotation(X, Exact(tilt)), *link.before)) for link in straight.links
    )
    description = replace(straight, links=links, gravity=(Exact("4.2"), ZERO, Exact(tilt)))
    for function in (BASE_REGRESSOR, BASE_PARAMETERS):
        with pytest.raises(
            UsageError, match=r"axes are nearly parallel.*\(--snap 1e-4\); or generate `regressor`"
        ):
            proofs(description, function, function.build(build_model(description)))


def test_base_parameters_of_axes_in_any_direction_are_proved() -> None:
    """Both references keep the digits of an axis that is not along one of its frame's."""
    link = """
  - name: link{0}
    joint: revolute
    origin: {{xyz: [0.1, 0.2, 0.3], rpy: [0, 0.4, 1.1]}}
    axis: [0.6, 0, 0.8]
    mass: 3
    com: [0.1, 0.02, 0.03]
    inertia: [0.1, 0.12, 0.09, 0.01, 0.002, 0.003]"""
    text = "name: skew\nconvention: modified\ngravity: [0, 0, -9.81]\nlinks:" + "".join(
        map(link.format, range(3))
    )
    description = parse_robot(text, "skew.yaml")
    for function in (BASE_REGRESSOR, BASE_PARAMETERS):
        proofs(description, function, function.build(build_model(description))).require()


@pytest.mark.slow
def test_all_leaves_out_what_no_proof_can_decide_unless_it_is_named() -> None:
    (first, *others) = load_robot("planar3").links
    tilted = replace(others[0], before=(Rotation(X, Exact("1e-9")), *others[0].before))
    description = replace(load_robot("planar3"), links=(first, tilted, *others[1:]))
    made = generate(
        description, Settings(functions=("all", "base_regressor"), optimize="none"), prove=False
    )
    names = {each.name for each in made.functions}
    assert {"regressor", "base_regressor"} <= names
    assert "base_parameters" not in names
    (note,) = (note for note in made.notes if "left out" in note)
    assert note.startswith(
        "base_parameters is left out: base parameters of this robot cannot be proved: a "
    )


RUN_TIME = """
name: arm
convention: modified
gravity: [0, 0, -9.81]
parameters:
  payload: {value: 2, unit: kg, runtime: true}
  reach: {value: 0, unit: m, runtime: true}
links:
  - {name: a, joint: revolute, dh: {alpha: 0, a: 0, d: 0, theta: 0}, mass: 1, com: [0.1, 0, 0],
      inertia: [1, 1, 1]}
  - {name: b, joint: revolute, dh: {alpha: pi/2, a: reach, d: 0, theta: 0},
      mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}
  - {name: c, joint: revolute, dh: {alpha: 0, a: 0.3, d: 0, theta: 0},
      mass: payload, com: [0, reach, 0], inertia: [0, 0, 0]}
"""


@pytest.mark.parametrize("values", [(2.0, 0.0), (0.5, 0.7)])
def test_run_time_parameters_are_regrouped_as_formulas(values: tuple[float, float]) -> None:
    """A parameter whose default is zero may be another number at run time."""
    description = parse_robot(RUN_TIME, "arm.yaml")
    model = build_model(description)
    regrouped = regroup(model)
    assert regrouped.bodies[2].inertial.mass == ZERO
    states = sample_states(description, count=30)
    arrays = states["q"], states["qd"], states["qdd"], np.broadcast_to(values, (30, 2))
    expected, computed = (
        kernel(INVERSE_DYNAMICS.build(each))(*arrays)[0] for each in (model, regrouped)
    )
    np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
