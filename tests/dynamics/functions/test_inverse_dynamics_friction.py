"""friction_forces: references, statics by hand, the thesis's figures, rest and NaN."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.algorithms.efficiency import divide_loads
from dynagen.dynamics.algorithms.friction import (
    record_bearing_friction,
    record_supported_load,
)
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.functions.inverse_dynamics import FRICTION_FORCES, INVERSE_DYNAMICS
from dynagen.dynamics.recording import Recorder, join
from dynagen.ir.builder import Builder
from dynagen.ir.cost import OperationCount, count
from dynagen.ir.program import Argument
from dynagen.numbers.exact import ZERO, Exact
from dynagen.optimizer.formulation import DesignSpace
from dynagen.optimizer.passes.manager import run_passes
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.description import Bearing, Friction, RobotDescription, Stribeck, Transmission
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import (
    kernel,
    optimised,
    proofs,
    proofs_without_loads,
    random_candidate,
)
from tests.support.random_robots import random_description, random_floating

HEAD = "name: rubbing\nconvention: {convention}\ngravity: [0, 0, -10]\nlinks:\n"
ONE = (
    "- {{name: one, joint: {joint}, dh: {{alpha: {alpha}, a: 0, d: 0, theta: 0}}, "
    "mass: 2, com: {com}, "
    "inertia: [1, 1, 1], friction: {{{friction}}}}}"
)


def one_joint(
    friction: str, joint: str = "revolute", alpha: str = "0", com: str = "[0, 0, 0]"
) -> RobotDescription:
    robot = HEAD.format(convention="modified") + ONE.format(
        joint=joint, alpha=alpha, com=com, friction=friction
    )
    return parse_robot(robot, "one.yaml")


def friction_of(description: RobotDescription, *motion: list[list[float]]) -> np.ndarray:
    return kernel(optimised(FRICTION_FORCES, description))(
        *(np.array(values, dtype=float) for values in motion)
    )[0]


def random_friction(rng: np.random.Generator, revolute: bool) -> Friction | None:
    """Any mixture of models."""

    def number(low: float, high: float) -> Exact:
        return Exact(round(float(rng.uniform(low, high)), 3))

    def some(chance: float = 0.5) -> bool:
        return bool(rng.random() < chance)

    if some(0.2):
        return None
    bearings = []
    for kind in ("journal", "thrust") if revolute else ("linear",):
        if some():
            radius = ZERO if kind == "linear" else number(0.02, 0.1)
            length = ZERO if kind == "thrust" else number(0.1, 0.4)
            bearings.append(
                Bearing(
                    kind, number(0.01, 0.3), radius, length, ZERO if some() else number(-0.2, 0.2)
                )
            )
    transmission = None
    if some():
        loads = sorted(rng.choice(np.arange(20), size=int(rng.integers(1, 6)), replace=False))
        # Most curves of even loads have tables, most others have too many cells.
        shift = number(0.001, 0.05) if some(0.3) else ZERO
        points = tuple(
            (Exact(int(load)) / 10 + shift * place, number(0.2, 1))
            for place, load in enumerate(loads)
        )
        transmission = Transmission(
            number(0, 3), number(5, 50), points, "spline" if some() else "linear"
        )
    sign = rng.choice(["exact", "tanh", "linear"])
    return Friction(
        viscous=number(0, 3),
        coulomb=number(0, 3),
        coulomb_negative=number(0, 3) if some() else None,
        offset=number(-1, 1) if some() else ZERO,
        stribeck=Stribeck(number(3, 5), number(0.1, 2)) if some() else None,
        sign=sign,
        width=ZERO if sign == "exact" else number(0.05, 2),
        bearings=tuple(bearings),
        transmission=transmission,
    )


def rubbing(seed: int, joints: int, floats: bool = False) -> RobotDescription:
    """A random robot with random friction, on a floating base if that is asked for."""
    rng, make = np.random.default_rng(seed), random_floating if floats else random_description
    bare = make(rng, joints, fixed_links=0.2, branches=bool(seed % 2), origins=bool(seed % 3 == 0))
    links = [
        replace(link, friction=random_friction(rng, bool(link.joint.angular)))
        if link.joint.nv == 1
        else link
        for link in bare.links
    ]
    return replace(bare, links=tuple(links))


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 3), st.booleans())
def test_every_mixture_of_models_agrees_with_the_references_under_every_formulation(
    seed, joints, formulation, floats
):
    description = rubbing(seed, joints, floats)
    program = optimised(FRICTION_FORCES, description, random_candidate(description, formulation))
    proofs(description, FRICTION_FORCES, program).require()


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 3), st.booleans())
def test_a_wrench_from_outside_loads_bearings_and_transmissions_too(
    seed, joints, formulation, floats
):
    description = replace(rubbing(seed, joints, floats), external_wrenches=("tool",))
    program = optimised(FRICTION_FORCES, description, random_candidate(description, formulation))
    proofs(description, FRICTION_FORCES, program).require()


def test_every_language_proves_it_and_hands_nan_on(language):
    description = next(robot for seed in range(1000) if says_everything(robot := rubbing(seed, 5)))
    generation = generate(description, Settings(language, ("friction_forces",), states=200))
    call = generation.compiled["friction_forces"]
    states = sample_states(description, count=3)
    motion = [states[name] for name in ("q", "qd", "qdd")]
    (sound,) = call(*motion)
    assert np.isfinite(sound).all()
    for joint, link in enumerate(link for link in description.links if link.joint.moves):
        if link.friction is not None:
            rates = motion[1].copy()
            rates[:, joint] = np.nan
            assert np.isnan(call(motion[0], rates, motion[2])[0][:, joint]).all()


@pytest.mark.parametrize(
    ("language", "real"),
    [("c", "double"), ("c", "float"), ("cuda", "double"), ("fortran", "double"), ("rust", "float")],
)
def test_many_states_at_once_look_up_the_same_tables(language, real):
    description = next(robot for seed in range(1000) if says_everything(robot := rubbing(seed, 5)))
    batch = Settings(language, ("friction_forces",), states=200, batch=True, real=real)
    generation = generate(description, batch)
    assert generation.proofs.keys() == {"friction_forces", "friction_forces_batch"}


def says_everything(description: RobotDescription) -> bool:
    frictions = [link.friction for link in description.links if link.friction is not None]
    kinds = {bearing.kind for friction in frictions for bearing in friction.bearings}
    signs = {friction.sign for friction in frictions if friction.depends_on_load}
    transmissions = [friction.transmission for friction in frictions if friction.transmission]
    tabulated = {
        each.interpolation for each in transmissions if divide_loads(each.efficiency) is not None
    }
    return (
        kinds == {"journal", "linear", "thrust"}
        and signs == {"exact", "tanh", "linear"}
        and tabulated == {"linear", "spline"}
        and any(friction.stribeck for friction in frictions)
    )


def test_rates_are_enough_unless_friction_depends_on_load():
    bare = one_joint("viscous: 1, coulomb: 2")
    assert [argument.name for argument in optimised(FRICTION_FORCES, bare).inputs] == ["qd"]
    loaded = one_joint("transmission: {efficiency: 0.5}")
    assert [argument.name for argument in optimised(FRICTION_FORCES, loaded).inputs] == [
        "q",
        "qd",
        "qdd",
    ]


def test_viscous_and_coulomb_friction_cost_a_sign_and_three_operations_a_joint():
    assert count(
        optimised(FRICTION_FORCES, one_joint("viscous: 1.5, coulomb: 2"))
    ) == OperationCount(mul=2, add=1, other=1)


def test_the_everyday_model_by_hand():
    robot = one_joint(
        "viscous: 2, coulomb: {positive: 3, negative: 4}, offset: 0.5, "
        "stribeck: {static: 6, velocity: 0.1}"
    )
    rates = np.array([[-1.0], [-0.1], [0.0], [0.1], [1.0]])
    left = np.exp(-1)
    expected = [
        -2 - 4 + 0.5,
        -0.2 - (4 + 2 * left) + 0.5,
        0.5,
        0.2 + (3 + 3 * left) + 0.5,
        2 + 3 + 0.5,
    ]
    np.testing.assert_allclose(friction_of(robot, rates)[:, 0], expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("sign", "expected"),
    [
        ("sign: exact", [-1, -1, 0, 1, 1]),
        ("sign: tanh, width: 0.2", np.tanh([-5, -0.5, 0, 0.5, 5])),
        ("sign: linear, width: 0.2", [-1, -0.5, 0, 0.5, 1]),
    ],
)
def test_the_sign_at_rest_is_a_choice(sign, expected):
    rates = [[-1.0], [-0.1], [0.0], [0.1], [1.0]]
    np.testing.assert_allclose(
        friction_of(one_joint(f"coulomb: 1, {sign}"), rates)[:, 0], expected, rtol=1e-15
    )


def test_a_mass_off_a_vertical_axis_loads_journal_and_thrust_bearing():
    journal = (
        "bearings: [{type: journal, coefficient: 0.1, radius: 0.05, length: 0.2, centre: 0.3}]"
    )
    thrust = "bearings: [{type: thrust, coefficient: 0.1, radius: 0.05}]"
    motion = [[0.7]] * 2, [[1e-9], [-1e-9]], [[0.0]] * 2
    pair = 0.1 * 0.05 * 2 * (2 * 10 * 0.4 / 0.2)  # two supports hold m g r / d each
    np.testing.assert_allclose(
        friction_of(one_joint(journal, com="[0.4, 0, 0]"), *motion), [[pair], [-pair]], rtol=1e-14
    )
    weight = 0.1 * 0.05 * 2 * 10
    np.testing.assert_allclose(
        friction_of(one_joint(thrust, com="[0.4, 0, 0]"), *motion),
        [[weight], [-weight]],
        rtol=1e-14,
    )


@pytest.mark.parametrize(
    ("joint", "factor", "kind"), [("revolute", 0.05, "journal"), ("prismatic", 1, "linear")]
)
def test_a_mass_along_a_horizontal_axis_loads_two_supports_like_a_beam(joint, factor, kind):
    radius = "radius: 0.05, " if kind == "journal" else ""
    bearing = f"bearings: [{{type: {kind}, coefficient: 0.1, {radius}length: 0.2, centre: 0.3}}]"
    robot = one_joint(bearing, joint, alpha="pi/2", com="[0, 0, 0.7]")
    supports = abs(0.5 + 0.4 / 0.2) + abs(
        0.5 - 0.4 / 0.2
    )  # the mass is 0.4 m from the centre of the supports
    np.testing.assert_allclose(
        friction_of(robot, [[0.0]], [[1e-9]], [[0.0]]), 0.1 * factor * 2 * 10 * supports, rtol=1e-14
    )


def test_the_four_cases_of_a_transmission():
    robot = replace(one_joint("transmission: {efficiency: 0.8, breakaway: 3}"), gravity=(ZERO,) * 3)
    torques, rates = zip(*product([5.0, -5.0], [1.0, -1.0]), strict=True)
    motion = (
        [[0.0]] * 4,
        [[rate] for rate in rates],
        [[torque] for torque in torques],
    )  # inertia 1 about the axis
    inputs = [5 / 0.8 + 3, 5 * 0.8 - 3, -5 * 0.8 + 3, -5 / 0.8 - 3]
    np.testing.assert_allclose(friction_of(robot, *motion)[:, 0] + torques, inputs, rtol=1e-14)


def test_a_motor_sits_in_front_of_its_transmission():
    robot = one_joint("transmission: {efficiency: 0.5}")
    geared = replace(robot, links=(replace(robot.links[0], motor_inertia=Exact(4)),))
    motion = [[0.3]], [[1.0]], [[2.0]]
    np.testing.assert_array_equal(friction_of(geared, *motion), friction_of(robot, *motion))


# Dhanaraj (1990), Tables 3.4 and 3.5: break-away and rated torque, sign of the velocity, torque at
# the joint, transmission
# friction and input torque; the efficiencies that follow from them with Table 3.2.
CASES = [
    (6.3, 97.6, 1, 2.9943, 9.8968, 12.8911),
    (5.5, 186.4, -1, -15.9646, -17.9472, -33.9117),
    (2.6, 89.4, 1, -0.6801, 3.0449, 2.3648),
]
IMPLIED = "[[0.00761, 0.34583], [0.03068, 0.45429], [0.08565, 0.56190]]"


@pytest.mark.parametrize("interpolation", ["linear", "spline"])
@pytest.mark.parametrize(
    ("breakaway", "rated", "rate", "at_joint", "lost", "given_by_motor"), CASES
)
def test_the_transmission_columns_of_the_thesis(
    interpolation, breakaway, rated, rate, at_joint, lost, given_by_motor
):
    curve = f"rated: {rated}, efficiency: {IMPLIED}, interpolation: {interpolation}"
    robot = one_joint(f"transmission: {{breakaway: {breakaway}, {curve}}}")
    robot = replace(robot, gravity=(ZERO,) * 3)
    motion = [[0.0]], [[float(rate)]], [[at_joint]]
    ((friction,),) = friction_of(robot, *motion)
    ((torque,),) = kernel(optimised(INVERSE_DYNAMICS, robot))(
        *(np.array(values) for values in motion)
    )[0]
    assert friction == pytest.approx(lost, abs=2e-3)
    assert torque + friction == pytest.approx(given_by_motor, abs=2e-3)


def operations(kind: str, radius: str) -> OperationCount:
    """Operations of a bearing from force and moment, without the factor of the direction."""
    bearing = Bearing(kind, Exact("0.1"), Exact(radius), Exact("0.2"), ZERO)
    recorder = Recorder(
        Builder("bearing", [Argument(name, (3,), ("",) * 3, "") for name in ("f", "n")])
    )
    force, moment = (
        join(recorder.add_element(name, index) for index in range(3)) for name in ("f", "n")
    )
    supported = record_supported_load(
        bearing, Mock(to_body_axes=lambda vector: vector), Wrench(force, moment)
    )
    friction = record_bearing_friction(bearing, supported)
    return count(run_passes(recorder.finish([(Argument("tau_f", (1,), ("",), ""), [friction])]))[0])


def test_bearings_cost_less_than_the_thesis_counts():
    """Table 3.3 with its erratum: 15 M and 7 A for a journal bearing, 10 and 7 for a linear one."""
    assert operations("journal", "0.05") == OperationCount(mul=8, add=7, sqrt=2)
    assert operations("linear", "0") == OperationCount(mul=3, add=1, other=6)


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_a_wrench_is_proved_and_one_of_zero_is_the_robot_without_it(seed, joints):
    plain = rubbing(seed, joints)
    loaded = replace(plain, external_wrenches=("tool",))
    program = optimised(FRICTION_FORCES, loaded)
    proofs(loaded, FRICTION_FORCES, program).require()
    proofs_without_loads(plain, FRICTION_FORCES, program).require()


def test_arguments_are_named_as_in_the_table():
    (output,) = optimised(FRICTION_FORCES, one_joint("coulomb: 1", "prismatic")).outputs
    assert isinstance(output.argument, Argument)
    assert (output.argument.name, output.argument.units) == ("tau_f", ("N",))


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_regrouped_inertia_keeps_loads_of_bearings_and_transmissions_behind_motors(seed, joints):
    description = rubbing(seed, joints)
    space = DesignSpace(build_model(description)).keeping_loads
    for placed in dict.fromkeys(space.placed):
        program = optimised(FRICTION_FORCES, description, placed.resolve())
        proofs(description, FRICTION_FORCES, program).require()


def test_the_proof_notices_a_motor_whose_inertia_the_gear_drives():
    description = with_transmissions(load_robot("puma560"))
    regrouped = DesignSpace(build_model(description)).tips_moved.resolve()
    program = optimised(FRICTION_FORCES, description, regrouped)
    assert not proofs(description, FRICTION_FORCES, program).passed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["puma560_listing_3dof", "puma560", "panda"])
def test_friction_costs_no_more_than_inverse_dynamics_and_the_losses(name):
    """The thesis calls it marginal; a loss with constant efficiency costs seven operations."""
    description = with_transmissions(load_robot(name))
    generation = generate(description, Settings("c", ("inverse_dynamics", "friction_forces")))
    dynamics, friction = (each.operations.total for each in generation.functions)
    joints = sum(link.friction is not None for link in description.links)
    assert friction <= dynamics + 7 * joints


def with_transmissions(description: RobotDescription) -> RobotDescription:
    transmission = Transmission(Exact(5), Exact(100), ((ZERO, Exact("0.8")),))
    friction = Friction(ZERO, ZERO, transmission=transmission)
    links = [
        replace(link, friction=friction) if link.joint.nv == 1 else link
        for link in description.links
    ]
    return replace(description, links=tuple(links))


@pytest.mark.parametrize(
    ("interpolation", "multiplications", "additions", "lookups"),
    [("linear", 4, 4, 2), ("spline", 6, 7, 6)],
)
def test_a_curve_of_ten_points_costs_lookups_a_division_and_few_operations(
    interpolation, multiplications, additions, lookups
):
    points = ", ".join(
        f"[{load}/9, {round(0.3 + 0.5 * (load / 9) ** 0.5, 3)}]" for load in range(10)
    )
    curve = one_joint(
        f"transmission: {{rated: 100, efficiency: [{points}], interpolation: {interpolation}}}"
    )
    constant = count(optimised(FRICTION_FORCES, one_joint("transmission: {efficiency: 0.8}")))
    program = count(optimised(FRICTION_FORCES, curve))
    assert program.mul - constant.mul <= multiplications
    assert program.add - constant.add <= additions
    assert (program.div - constant.div, program.other - constant.other) == (1, lookups)
