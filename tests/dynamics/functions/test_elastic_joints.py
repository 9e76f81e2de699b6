"""Forward dynamics with elastic joints: references, limits, faults and refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynagen.dynamics.functions.elastic_joints import ELASTIC_FORWARD_DYNAMICS
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.requests import find_functions
from dynagen.errors import DynagenError, UsageError
from dynagen.numbers.exact import ZERO, Exact
from dynagen.pipeline.driver import Settings
from dynagen.robot.description import CentralInertia, Elasticity
from dynagen.robot.edits import add_floating_base, freeze_joint
from dynagen.robot.formats.yaml.writing import write_yaml
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from tests.support.bundled import extended
from tests.support.function_proofs import heavier, kernel, optimised, proofs
from tests.support.generated_once import compiled, generated, proved

SPRING = Elasticity(Exact(8000), Exact(5))


def make_elastic(name, *places, spring=SPRING):
    """A bundled robot with springs at some joints; motors without inertia get one."""
    description = load_robot(name)
    moving = [link.name for link in description.links if link.joint.type.has_axis]
    chosen = [moving[place] for place in places]
    links = tuple(
        replace(link, elasticity=spring, motor_inertia=link.motor_inertia or Exact("0.3"))
        if link.name in chosen
        else link
        for link in description.links
    )
    return replace(description, links=links)


def make_floating(description):
    """The robot on a floating base with mass."""
    base, *links = add_floating_base(description).links
    one = Exact(1)
    inertial = CentralInertia(Exact(20), (ZERO,) * 3, (one, one, one, ZERO, ZERO, ZERO))
    return replace(add_floating_base(description), links=(replace(base, inertial=inertial), *links))


ROBOTS = {
    "all joints": make_elastic("puma560", *range(6)),
    "prismatic and revolute": make_elastic("stanford", 2, 4),
    "tree": make_elastic("two_arm", 1, 4),
    "floating base": make_floating(make_elastic("stanford_listing_3dof", 1, 2)),
}


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("method", ["composite", "articulated"])
def test_both_methods_agree_with_the_references(robot, method):
    description = ROBOTS[robot]
    program = optimised(ELASTIC_FORWARD_DYNAMICS, description, method=method)
    proofs(description, ELASTIC_FORWARD_DYNAMICS, program).require()


def test_a_link_or_a_spring_a_billionth_off_is_found():
    description = ROBOTS["all joints"]
    stiffer = make_elastic(
        "puma560", *range(6), spring=Elasticity(Exact("8000.00001"), SPRING.damping)
    )
    for other in (heavier(description), stiffer):
        program = optimised(ELASTIC_FORWARD_DYNAMICS, other)
        assert not proofs(description, ELASTIC_FORWARD_DYNAMICS, program).passed


def test_one_elastic_joint_swings_at_the_frequency_of_two_inertias():
    """A motor and a link about a vertical axis: w^2 = k (1/B + 1/J), without other forces."""
    description = parse_robot(
        "name: swing\nconvention: modified\ngravity: [0, 0, -9.81]\nlinks:\n"
        "  - {name: link, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: 1, com: [0, 0, 0],"
        " inertia: [1, 1, 2], motor: {inertia: 0.5, stiffness: 7}}",
        "swing.yaml",
    )
    program = optimised(ELASTIC_FORWARD_DYNAMICS, description)
    one = np.array([[0.4]])
    still = np.zeros((1, 1))
    qdd, thetadd, *_ = kernel(program)(one, still, -one, still, still)
    # q - theta = 0.8 decreases with 7 * 0.8 (1/2 + 1/0.5).
    np.testing.assert_allclose(qdd - thetadd, -0.8 * 7 * (1 / 2 + 1 / 0.5), rtol=1e-14)


def test_momentum_goes_from_motors_to_links_without_loss():
    """With springs that hold tau, links accelerate as those of a rigid robot without motors."""
    description = ROBOTS["all joints"]
    bare = replace(
        description, links=tuple(replace(each, motor_inertia=ZERO) for each in description.links)
    )
    states = sample_states(description, ("q", "qd", "tau"), 100)
    q, qd, tau = (states[name][-40:] for name in ("q", "qd", "tau"))
    theta = q + tau / 8000
    qdd, thetadd, *_ = kernel(optimised(ELASTIC_FORWARD_DYNAMICS, description))(
        q, qd, theta, qd, tau
    )
    (expected, *_) = kernel(optimised(FORWARD_DYNAMICS, bare))(q, qd, tau)
    np.testing.assert_allclose(qdd, expected, rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(thetadd, 0, atol=1e-8)


@pytest.mark.parametrize("language", ["c", "python", "javascript"])
def test_compiled_code_is_proved(language):
    settings = Settings(language, ("elastic_forward_dynamics",), states=200)
    made = generated(ROBOTS["prismatic and revolute"], settings)
    proved(made, compiled(made, language), 200)


def test_stiffness_may_be_a_run_time_parameter():
    text = write_yaml(make_elastic("stanford", 2)).text.replace("stiffness: 8000", "stiffness: k")
    description = extended(text, "parameters: {k: {value: 8000, runtime: true}}")
    settings = Settings("c", ("elastic_forward_dynamics",), states=50)
    made = generated(description, settings)
    proved(made, compiled(made, "c"), 50)


def test_descriptions_keep_springs_and_locked_joints_lose_them():
    description = make_elastic("stanford", 2)
    again = parse_robot(write_yaml(description).text, "again.yaml")
    assert [link.elasticity for link in again.links] == [
        link.elasticity for link in description.links
    ]
    assert freeze_joint(description.links[2], ZERO).elasticity is None


@pytest.mark.parametrize(
    ("motor", "message"),
    [
        ("{inertia: 1, damping: 2}", "`damping` of a motor requires `stiffness`: add `stiffness`"),
        (
            "{stiffness: 3}",
            "expected `inertia`, or `rotor_inertia` and `gear_ratio`, found nothing",
        ),
    ],
)
def test_wrong_springs_are_reported(motor, message):
    with pytest.raises(DynagenError, match=message):
        parse_robot(
            "name: one\nconvention: modified\ngravity: [0, 0, -9.81]\nlinks:\n"
            "  - {name: link, joint: revolute, dh: {alpha: 0, a: 0, d: 0}, mass: 1,"
            f" com: [0, 0, 0], inertia: [1, 1, 1], motor: {motor}}}",
            "one.yaml",
        )


def test_a_negative_stiffness_is_warned_of():
    negative = Elasticity(Exact(-3), ZERO)
    text = write_yaml(make_elastic("planar3", 0, spring=negative)).text
    warnings = " ".join(map(str, parse_robot(text, "negative.yaml").warnings))
    assert (
        "stiffness of the motor's spring -3 is negative, so that the spring accelerates the joint"
        in warnings
    )


def test_robots_without_springs_or_motors_are_refused():
    with pytest.raises(UsageError, match="no joint is elastic: give motors a stiffness"):
        find_functions(["elastic_forward_dynamics"], build_model(load_robot("puma560")))
    description = make_elastic("planar3", 0)
    links = tuple(replace(link, motor_inertia=ZERO) for link in description.links)
    with pytest.raises(UsageError, match="the motor of upper_arm has no inertia"):
        find_functions(["elastic_forward_dynamics"], build_model(replace(description, links=links)))
