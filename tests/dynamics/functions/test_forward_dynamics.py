"""forward_dynamics: both methods against references and Pinocchio; singular robots; method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.dynamics.candidate import make_described_candidate
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.errors import UsageError
from dynagen.ir.cost import count
from dynagen.ir.program import Operation
from dynagen.numbers.exact import ZERO, Exact
from dynagen.optimizer.clusters import join_joints
from dynagen.optimizer.passes.manager import run_passes
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import CentralInertia, RobotDescription
from dynagen.robot.loading import load_robot, parse_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.model.regrouping import regroup
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states
from tests.support.function_proofs import kernel, optimised, proofs, random_candidate
from tests.support.libraries import pinocchio as pin
from tests.support.pinocchio_robots import pinocchio_model
from tests.support.random_robots import random_description, robots
from tests.support.robot_text import to_yaml

METHODS = tuple(FORWARD_DYNAMICS.methods)
methods = pytest.mark.parametrize("method", METHODS)


def total(description: RobotDescription, method: str) -> int:
    return count(optimised(FORWARD_DYNAMICS, description, method=method)).total


@methods
@settings(max_examples=8)
@given(robots(5), st.integers(0, 3))
def test_it_solves_the_equations_of_motion_in_every_formulation(method, description, formulation):
    program = optimised(
        FORWARD_DYNAMICS, description, random_candidate(description, formulation), method
    )
    proofs(description, FORWARD_DYNAMICS, program).require()


@methods
@settings(max_examples=5)
@given(robots(4))
def test_it_inverts_inverse_dynamics(method, description):
    q, qd, qdd = sample_states(description, ("q", "qd", "qdd"), 40).inputs.values()
    (tau,) = kernel(optimised(INVERSE_DYNAMICS, description))(q, qd, qdd)
    (computed,) = kernel(optimised(FORWARD_DYNAMICS, description, method=method))(q, qd, tau)
    (scale,) = FORWARD_DYNAMICS.expected_results.magnitudes(
        make_references(description)[0], q, qd, tau
    )
    assert (np.abs(computed - qdd) <= 1e-13 * scale).all()


@pytest.mark.tools
@methods
@pytest.mark.parametrize("seed", range(8))
def test_it_agrees_with_pinocchio(method, seed):
    description = random_description(
        seed, 1 + seed % 6, branches=bool(seed % 2), origins=bool(seed % 3), fixed_links=0.2
    )
    model, order = pinocchio_model(description)
    data = model.createData()
    states = sample_states(description, ("q", "qd", "tau"), 30)
    (computed,) = kernel(optimised(FORWARD_DYNAMICS, description, method=method))(
        *states.inputs.values()
    )
    for index in range(states.count):
        expected = pin.aba(
            model, data, *(states[name][index][order] for name in ("q", "qd", "tau"))
        )
        np.testing.assert_allclose(
            computed[index][order], expected, rtol=0, atol=1e-10 * np.abs(expected).max()
        )


@methods
def test_there_is_one_division_a_joint_and_none_for_the_last(method):
    program = optimised(
        FORWARD_DYNAMICS,
        random_description(1, 6, "modified", prismatic=0, right_angles=0),
        method=method,
    )
    divisions = [
        instruction
        for instruction in program.instructions
        if instruction.operation is Operation.DIVIDE
    ]
    assert {instruction.name for instruction in divisions} == {
        f"dinv{number}" for number in range(1, 6)
    }


@methods
def test_independent_joints_on_a_fork_are_eliminated_apart(method):
    """Three pendulums on one fixed base: three pendulums' operations."""
    pendulum = random_description(7, 1, "modified", prismatic=0, right_angles=0)
    (link,) = pendulum.links
    three = replace(
        pendulum,
        links=number_coordinates([replace(link, name=f"pendulum_{number}") for number in range(3)]),
    )
    assert total(three, method) == 3 * total(pendulum, method)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_one_cluster_costs_what_composite_bodies_cost(seed):
    """Composite bodies are the partition that joins all joints: the same operations."""
    arm = random_description(seed, 5, "modified", prismatic=seed - 1, right_angles=0)
    candidate = make_described_candidate(build_model(arm))
    joined = join_joints(candidate, frozenset(range(1, 5)))
    program = optimised(FORWARD_DYNAMICS, arm, joined, "articulated")
    assert count(program) == count(optimised(FORWARD_DYNAMICS, arm, candidate, "composite"))


@pytest.mark.slow
def test_a_joint_costs_the_same_however_long_the_chain_is_with_articulated_bodies():
    chain = random_description(
        1, 12, "modified", prismatic=0, right_angles=0, inertia_form="central"
    )
    totals = [
        total(replace(chain, links=chain.links[:joints]), "articulated") for joints in (6, 9, 12)
    ]
    assert totals[2] - totals[1] == pytest.approx(totals[1] - totals[0], rel=0.15)


@pytest.mark.slow
def test_the_cheaper_method_is_taken_unless_one_is_asked_for():
    for robot, winner in (("puma560", "composite"), ("stanford_saha", "articulated")):
        description = load_robot(robot)
        totals = {method: total(description, method) for method in METHODS}
        assert min(totals, key=totals.__getitem__) == winner
        for asked in (None, *METHODS):
            settings = Settings(
                "c", ("forward_dynamics",), verify=False, method=asked, optimize="none"
            )
            (taken,) = generate(description, settings).functions
            assert taken.method == (asked or winner)
            assert (
                taken.operations.total <= totals[taken.method]
            )  # resubstitution is for what is taken
            considered = {method: operations.total for method, operations in taken.considered}
            assert considered.keys() == totals.keys()
            assert all(considered[method] <= totals[method] for method in totals)
            assert considered[taken.method] == taken.operations.total


def test_an_unknown_method_is_named_with_those_that_exist():
    with pytest.raises(
        UsageError, match="unknown method 'gauss': expected one of composite, articulated"
    ):
        generate(load_robot("pendulum"), Settings("c", ("forward_dynamics",), method="gauss"))


@methods
def test_a_tip_joint_that_moves_nothing_is_refused(method):
    *links, last = random_description(3, 3, "modified", prismatic=0, inertia_form="central").links
    empty = replace(
        last,
        name="ghost",
        inertial=CentralInertia(ZERO, (ZERO,) * 3, (ZERO,) * 6),
        motor_inertia=ZERO,
    )
    description = replace(random_description(3, 3), links=(*links, empty))
    with pytest.raises(UsageError, match="link ghost has no inertia that its joint can move"):
        FORWARD_DYNAMICS.build(build_model(description), method)
    with_motor = replace(description, links=(*links, replace(empty, motor_inertia=Exact("0.1"))))
    proofs(
        with_motor, FORWARD_DYNAMICS, optimised(FORWARD_DYNAMICS, with_motor, method=method)
    ).require()


def test_a_tip_that_only_a_payload_makes_heavy_is_refused_too():
    """The payload's parameters may be zero, and are by default."""
    *links, last = random_description(
        3, 3, "modified", prismatic=0, inertia_form="central", branches=False
    ).links
    empty = replace(
        last,
        name="ghost",
        inertial=CentralInertia(ZERO, (ZERO,) * 3, (ZERO,) * 6),
        motor_inertia=ZERO,
    )
    text = to_yaml(replace(random_description(3, 3), links=(*links, empty), frames=()))
    robot = parse_robot("payload: true\n" + text, "ghost.yaml")
    for request in (
        "forward_dynamics",
        "forward_dynamics_derivatives",
        "mass_matrix+forward_dynamics",
    ):
        with pytest.raises(UsageError, match="link ghost has no inertia that its joint can move"):
            generate(robot, Settings(functions=(request,), verify=False))


ROD = """
name: rod
convention: modified
gravity: [0, 0, -9.81]
links:
  - {name: shoulder, joint: revolute, dh: {alpha: 0, a: 0, d: 0},
      mass: 0, com: [0, 0, 0], inertia: [0, 0, 0]}
  - {name: arm, joint: revolute, dh: {alpha: pi/2, a: 0, d: 0},
      mass: 1, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}
"""


@methods
def test_poses_in_which_a_robot_without_thickness_is_singular_are_left_out_of_the_proof(method):
    """A thin rod that the second joint rotates onto the axis of the first, at a quarter turn."""
    description = parse_robot(ROD, "rod.yaml")
    program = optimised(FORWARD_DYNAMICS, description, method=method)
    (proof,) = proofs(description, FORWARD_DYNAMICS, program).proofs
    assert proof.passed
    assert proof.states == 98
    assert abs(proof.worst.expected) < 1e9  # 1e16 or so in the singular poses


@pytest.mark.parametrize(
    ("robot", "most"), [("puma560", 605), ("stanford_listing", 396), ("panda", 1129)]
)
def test_it_costs_no_more_than_it_did_with_regrouped_parameters(robot, most):
    program = FORWARD_DYNAMICS.build(regroup(build_model(load_robot(robot))))
    assert count(run_passes(program)[0]).total <= most


def test_all_leaves_out_what_a_robot_cannot_have_and_says_why(language):
    massless = "mass: 0, com: [0, 0, 0], inertia: [0, 0, 0]"
    robot = parse_robot(
        ROD.replace("mass: 1, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1]", massless), "rod.yaml"
    )
    forward = (
        "forward_dynamics",
        "mass_matrix_inverse",
        "inverse_operational_inertia",
        "forward_dynamics_derivatives",
    )
    generation = generate(robot, Settings(language, ("all",), states=20))
    names = {function.name for function in generation.functions}
    assert "mass_matrix" in names
    assert names.isdisjoint(forward)
    notes = [
        note
        for note in generation.notes
        if "link arm has no inertia that its joint can move" in note
    ]
    assert [note.split(" is left out: ")[0] for note in notes] == list(forward)
    for name in forward:
        with pytest.raises(
            UsageError, match=f"{name} is not available for rod: link arm has no inertia"
        ):
            generate(robot, Settings(language, (name,)))
    with pytest.raises(UsageError, match="link arm has no inertia"):
        generate(robot, Settings(language, ("mass_matrix+forward_dynamics",)))
