"""payload and external_wrench in every function: run-time inputs in the user's frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import RobotDescriptionError
from dynagen.ir.cost import count
from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import Settings, generate
from dynagen.resources import find_robots_folder
from dynagen.robot.description import NamedFrame, OriginInertia, RobotDescription
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.pose import make_translation_and_rpy
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support import loaded_arm
from tests.support.bundled import bundled, extended
from tests.support.function_proofs import (
    BY_PARAMETERS,
    FUNCTIONS_OF_ANY_ARM,
    REFUSE_WRENCHES,
    kernel,
    optimised,
    proofs,
    proofs_without_loads,
    random_candidate,
)
from tests.support.random_robots import robots
from tests.support.robot_text import to_yaml

MOTION = ("q", "qd", "qdd")


def faults(*lines: str) -> list[tuple[str, str]]:
    with pytest.raises(RobotDescriptionError) as error:
        bundled("planar3", *lines)
    return [(fault.where, fault.message) for fault in error.value.faults]


def with_tip(description: RobotDescription, link: str) -> RobotDescription:
    """A wrench at a frame somewhere on a link."""
    placement = make_translation_and_rpy(
        (Exact("0.1"), Exact("-0.2"), Exact("0.3")), (Exact("0.4"), Exact("0.5"), Exact("-0.6"))
    )
    return replace(
        description, frames=(NamedFrame("tip", link, placement),), external_wrenches=("tip",)
    )


@settings(max_examples=16)
@given(robots(5), st.integers(0, 3), st.integers(0, 20))
def test_a_wrench_anywhere_agrees_with_the_references_under_every_formulation(
    description, formulation, number
):
    robot = with_tip(description, description.links[number % len(description.links)].name)
    program = optimised(INVERSE_DYNAMICS, robot, random_candidate(robot, formulation))
    proofs(robot, INVERSE_DYNAMICS, program).require()


@settings(max_examples=8)
@given(robots(4))
def test_forward_dynamics_undoes_inverse_dynamics_under_a_wrench(description):
    links = tuple(
        replace(link, motor_inertia=Exact(2)) if link.joint.moves else link
        for link in description.links
    )
    robot = with_tip(replace(description, links=links), description.links[-1].name)
    states = sample_states(robot, (*MOTION, "wrench"), 20)
    (tau,) = kernel(optimised(INVERSE_DYNAMICS, robot))(
        *(states[name] for name in (*MOTION, "wrench"))
    )
    for method in FORWARD_DYNAMICS.methods:
        program = optimised(FORWARD_DYNAMICS, robot, method=method)
        (qdd,) = kernel(program)(states["q"], states["qd"], tau, states["wrench"])
        np.testing.assert_allclose(qdd, states["qdd"], rtol=0, atol=1e-9)


def test_a_wrench_has_the_signs_of_what_pushes_the_robot():
    """What pushes the tool along the way on which a joint moves it, the joint need not push."""
    robot = bundled("planar3", "external_wrench: true")
    q, zero = np.zeros((1, 3)), np.zeros((1, 3))
    call = kernel(optimised(INVERSE_DYNAMICS, robot))
    free, pushed = (
        call(q, zero, zero, np.array([[0.0, force, 0, 0, 0, 0]]))[0] for force in (0.0, 1.0)
    )
    tool = make_references(robot)[0].frames["tool"]
    arms = tool.compute_body_jacobian(q)[
        0, 1
    ]  # how the tool moves along its y axis when joints turn
    assert np.abs(arms).max() > 0.1
    np.testing.assert_allclose(pushed - free, -arms[None], atol=1e-12)


BOTH = ("payload: true", "external_wrench: true")
INERTIAL = tuple(
    function.name
    for function in FUNCTIONS_OF_ANY_ARM
    if function.depends_on and function.name not in (*REFUSE_WRENCHES, *BY_PARAMETERS)
)


def without_loads(
    plain: RobotDescription,
    loaded: RobotDescription,
    functions: Sequence[str],
    optimize: str = "default",
):
    """Proofs of a loaded robot's programs, with loads of zero, against the robot without loads."""
    generation = generate(
        loaded, Settings(functions=functions, verify=False, optimize=optimize, budget=30)
    )
    values = [
        0.0 if each.name in loaded.payload else float(each.value) for each in loaded.parameters
    ]
    kernels = {each.function: each.program for each in generation.package.kernels}
    params = kernel(kernels["prepare"])(np.array([values]))[0] if values else None
    definitions = find_functions(functions, build_model(plain))
    made = zip(definitions, generation.functions, strict=True)
    return [
        proofs_without_loads(plain, definition, each.program, params) for definition, each in made
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "lines", "optimize", "functions"),
    [
        ("planar3", BOTH, "none", INERTIAL),
        ("planar3", BOTH, "max", ("inverse_dynamics",)),
        ("planar3", BOTH, "none", ("mass_matrix+forward_dynamics+jacobian",)),
        ("puma560", BOTH, "default", ("inverse_dynamics", "mass_matrix", "momentum_bias")),
        (
            "scara",
            ("external_wrench: true",),
            "default",
            ("bias_forces", "inverse_dynamics_derivatives"),
        ),
        (
            "two_arm",
            ("payload: left_forearm", "external_wrench: right_hand"),
            "default",
            ("inverse_dynamics", "background"),
        ),
        (
            "two_arm",
            ("payload: left_forearm", "external_wrench: right_hand"),
            "none",
            ("forward_dynamics",),
        ),
        ("stanford", BOTH, "none", ("forward_dynamics", "forward_dynamics_derivatives")),
    ],
)
def test_loads_of_zero_are_the_robot_without_loads(name, lines, optimize, functions):
    for report in without_loads(bundled(name), bundled(name, *lines), functions, optimize):
        report.require()


def test_loads_of_zero_change_nothing_with_other_parameters_and_load_dependent_friction():
    text = loaded_arm.TEXT.replace("payload: true\nexternal_wrench: true\n", "")
    plain = parse_robot(
        text.replace("value: 0.4, unit: m, runtime: true", "value: 0.4"), "plain.yaml"
    )
    functions = (
        "inverse_dynamics",
        "forward_dynamics",
        "friction_forces",
        "inverse_dynamics+mass_matrix",
    )
    for report in without_loads(plain, loaded_arm.LOADED_ARM, functions):
        report.require()


@settings(max_examples=10)
@given(
    robots(4),
    st.sampled_from(
        [
            function
            for function in FUNCTIONS_OF_ANY_ARM
            if function.depends_on
            and function.expected_results.defined is None
            and function.name not in (*REFUSE_WRENCHES, *BY_PARAMETERS)
        ]
    ),
)
def test_a_wrench_is_proved_in_any_function_and_one_of_zero_is_none(description, function):
    loaded = with_tip(description, description.links[-1].name)
    program = optimised(function, loaded)
    proofs(loaded, function, program).require()
    proofs_without_loads(description, function, program).require()


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("external_wrench: true",),
        ("payload: true",),
        ("payload: true", "external_wrench: true"),
    ],
)
def test_passes_lead_from_the_program_as_recorded_to_the_emitted_one_without_a_gap(lines):
    functions = ("inverse_dynamics", "forward_dynamics", "mass_matrix+bias_forces")
    for made in generate(
        bundled("planar3", *lines), Settings(functions=functions, verify=False)
    ).functions:
        ends = [count(made.recorded), *(record.after for record in made.passes)]
        assert [record.before for record in made.passes] == ends[:-1]
        assert ends[-1] == made.operations


def test_what_is_recorded_has_the_loads():
    def recorded(*lines):
        settings = Settings(functions=("inverse_dynamics", "gravity_forces"), verify=False)
        return [
            count(made.recorded).total
            for made in generate(bundled("planar3", *lines), settings).functions
        ]

    plain, gravity = recorded()
    wrench, same_gravity = recorded("external_wrench: true")
    # A wrench is rotated into the axes of 4 bodies and added there; gravity forces omit it.
    assert wrench - plain >= 3 * 6
    assert same_gravity == gravity
    # What depends on a payload alone is a number, be it one that comes at run time.
    assert recorded("payload: true")[0] == plain
    assert recorded("payload: true", "external_wrench: true")[0] == wrench


@pytest.mark.slow
def test_payload_and_wrench_are_proved_together_in_every_language(language):
    robot = bundled("stanford", "payload: true", "external_wrench: true")
    generation = generate(
        robot, Settings(language, ("inverse_dynamics", "forward_dynamics"), states=50)
    )
    assert all(proof.passed for proof in generation.proofs.values())
    parts = ("mass", "mx", "my", "mz", "jxx", "jyy", "jzz", "jxy", "jxz", "jyz")
    assert [parameter.name for parameter in robot.parameters] == [
        f"payload_{part}" for part in parts
    ]


@pytest.mark.parametrize("name", ["puma560", "stanford", "two_arm"])
def test_a_payload_of_zero_changes_nothing_but_rounding_and_a_payload_is_a_heavier_link(name):
    plain = bundled(name)
    states = sample_states(plain, MOTION, 50)
    motion = [states[each] for each in MOTION]
    generation = generate(
        bundled(name, "payload: true"), Settings("python", ("inverse_dynamics",), states=50)
    )
    call, prepare = generation.compiled["inverse_dynamics"], generation.compiled["prepare"]
    numbers = [2, 0.1, -0.2, 0.3, 0.4, 0.5, 0.6, 0.01, -0.02, 0.03]
    for values in ([0.0] * 10, numbers):
        mass, x, y, z, *inertia = (Exact(value) for value in values)
        body = OriginInertia(mass, (x, y, z), tuple(inertia))
        load = replace(generation.description.links[-1], inertial=body)
        heavier = replace(plain, links=(*plain.links, load))
        (expected,) = kernel(optimised(INVERSE_DYNAMICS, heavier))(*motion)
        params, _ = prepare(values)
        (computed,) = call(*motion, params)
        scale = make_references(heavier)[0].magnitudes.compute_inverse_dynamics(*motion).max(axis=0)
        assert (np.abs(computed - expected) <= 1e-15 * scale).all()


def test_a_payload_on_a_link_in_the_middle_is_fixed_to_it_and_the_tool_stays_where_it_was():
    robot = bundled("planar3", f"payload: {load_robot('planar3').links[1].name}")
    assert [link.name for link in robot.links][2] == "payload"
    model = build_model(robot)
    assert model.bodies[1].merged == ("payload",)
    assert not model.bodies[1].inertial.mass.is_known
    assert model.find_frame("tool").body == 2
    assert robot.warnings == ()


def test_neither_is_there_unless_it_is_asked_for():
    robot = bundled("planar3", "payload: false", "external_wrench: false")
    assert (robot.external_wrenches, robot.parameters, len(robot.links)) == ((), (), 3)
    names = [argument.name for argument in optimised(INVERSE_DYNAMICS, robot).inputs]
    assert names == [*MOTION]
    assert [
        argument.name
        for argument in optimised(
            INVERSE_DYNAMICS, bundled("planar3", "external_wrench: true")
        ).inputs
    ] == [
        *MOTION,
        "wrench",
    ]


def test_a_wrench_on_the_base_moves_nothing():
    dh = "{alpha: 0, a: 0, d: 0, theta: 0}"
    base = f"- {{name: plate, joint: fixed, dh: {dh}}}\n"
    text = (
        (find_robots_folder() / "planar3.yaml")
        .read_text(encoding="utf-8")
        .replace("links:\n", f"links:\n  {base}")
    )
    robot = with_tip(extended(text), "plate")
    proofs(robot, INVERSE_DYNAMICS, optimised(INVERSE_DYNAMICS, robot)).require()


@pytest.mark.parametrize(
    ("line", "where", "message"),
    [
        ("payload: gripper", "payload", "there is no link or frame `gripper`"),
        ("external_wrench: finger", "external_wrench", "there is no frame `finger`"),
        ("payload: 3", "payload", ""),
    ],
)
def test_a_place_that_is_not_there_is_named(line, where, message):
    ((found, said),) = faults(line)
    assert found == where
    assert message in said


def test_a_payload_refuses_names_that_are_taken():
    parameter = "parameters: {payload_mass: {value: 1, runtime: true}}"
    ((_, said),) = faults("payload: true", parameter)
    assert "the run-time parameter `payload_mass` has the name" in said
    text = (find_robots_folder() / "planar3.yaml").read_text(encoding="utf-8")
    first = load_robot("planar3").links[0].name
    with pytest.raises(RobotDescriptionError, match="the name `payload` is reserved"):
        extended(text.replace(f"name: {first}", "name: payload"), "payload: true")


@settings(max_examples=6)
@given(robots(3, branches=False, origins=False))
def test_a_payload_on_any_robot_is_proved(description):
    robot = extended(to_yaml(description), "payload: true")
    values = {
        parameter.name: Exact(index + 1) / 4 for index, parameter in enumerate(robot.parameters)
    }
    assert len(values) == 10
    generation = generate(robot, Settings("python", ("inverse_dynamics", "mass_matrix"), states=50))
    assert all(proof.passed for proof in generation.proofs.values())
    assert description.links[-1].inertial.mass == robot.links[-2].inertial.mass
    assert robot.links[-1].before == robot.links[-1].after == ()
