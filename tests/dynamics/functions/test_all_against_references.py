"""Every function, as recorded and as optimised, against two independent references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from dynagen.dynamics.candidate import BodyChoice, Candidate
from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.ir.program import Program
from dynagen.numbers.exact import ZERO, Exact
from dynagen.optimizer.passes.manager import run_passes
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import build_model
from tests.support.function_proofs import proofs
from tests.support.random_robots import random_description

STATES = 100

CHAINS = {
    f"{convention}, {joints} joints, {form}, seed {seed}": random_description(
        seed, joints, convention, prismatic=prismatic, right_angles=right_angles, inertia_form=form
    )
    for seed, (joints, convention, prismatic, right_angles, form) in enumerate(
        (1 + number % 9, ("modified", "standard")[number % 2], prismatic, right_angles, form)
        for number, (prismatic, right_angles, form) in enumerate(
            [
                (0.0, 0.0, "central"),
                (0.3, 0.5, "origin"),
                (0.3, 0.0, "mixed"),
                (1.0, 0.5, "central"),
                (0.0, 1.0, "origin"),
            ]
            * 6
        )
    )
}
TREES = {
    f"tree, {convention}, seed {seed}": random_description(
        seed,
        2 + seed % 6,
        convention,
        fixed_links=0.4,
        massless_links=0.2,
        branches=True,
        origins=True,
    )
    for seed, convention in enumerate(["modified", "standard"] * 6, start=100)
}


def takes_long(description: RobotDescription) -> bool:
    """Return whether more than five joints rotate."""
    return sum(link.joint.type.name == "revolute" for link in description.links) > 5


ROBOTS = [
    pytest.param(robot, id=name, marks=[pytest.mark.slow] * takes_long(robot))
    for name, robot in (CHAINS | TREES).items()
]
# Those by the recursion itself; all others have tests of their own in tests/functions.
RECURSIVE = tuple(
    function
    for function in FUNCTIONS
    if function.name in ("inverse_dynamics", "gravity_forces", "coriolis_forces", "bias_forces")
)


def programs(description: RobotDescription) -> Iterator[tuple[DynamicsFunction, Program]]:
    model = build_model(description)
    for function in RECURSIVE:
        program = function.build(model)
        yield function, program
        yield function, run_passes(program)[0]


@pytest.mark.parametrize("description", ROBOTS)
def test_functions_agree_with_the_references_before_and_after_the_passes(
    description: RobotDescription,
) -> None:
    for function, program in programs(description):
        proofs(description, function, program).require()


# Four seeds have chains and trees, with and without origins.
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 12))]
)
def test_every_candidate_gives_the_same_function(seed: int) -> None:
    """Return random choices of axes and second moments; right angles give parallel axes."""
    generator = np.random.default_rng(seed)
    description = random_description(
        generator,
        5,
        right_angles=1.0,
        fixed_links=0.2,
        branches=bool(seed % 2),
        origins=bool(seed % 3 == 2),
    )
    model = build_model(description)
    for function in RECURSIVE:
        choices = tuple(
            BodyChoice(None, *(generator.random(3) < 0.4).tolist()) for _ in model.bodies
        )
        program = run_passes(function.build_for(Candidate(model, choices)))[0]
        proofs(description, function, program).require()


def test_thirty_chains_of_all_kinds_are_among_them() -> None:
    assert len(CHAINS) == 30
    assert {sum(link.joint.moves for link in robot.links) for robot in CHAINS.values()} == set(
        range(1, 10)
    )
    assert {robot.notation for robot in CHAINS.values()} == {"modified", "standard"}
    for robots in (CHAINS, TREES):
        links = [link for robot in robots.values() for link in robot.links]
        assert {link.joint.type.name for link in links} >= {"revolute", "prismatic"}
        assert {type(link.inertial).__name__ for link in links} == {
            "CentralInertia",
            "OriginInertia",
        }


@pytest.mark.parametrize("function", RECURSIVE, ids=lambda function: function.name)
def test_a_robot_whose_last_link_is_a_billionth_too_heavy_is_found(
    function: DynamicsFunction,
) -> None:
    description = random_description(1, 4, "modified", prismatic=0, inertia_form="central")
    *links, last = description.links
    heavier = replace(
        last, inertial=replace(last.inertial, mass=last.inertial.mass * Exact("1.000000001"))
    )
    program = run_passes(
        function.build(build_model(replace(description, links=(*links, heavier))))
    )[0]
    assert not proofs(description, function, program).passed


def test_functions_take_and_give_what_their_units_say() -> None:
    description = random_description(5, 3, "modified", prismatic=0.5)
    joints = [link.joint.type for link in description.links]
    assert {joint.name for joint in joints} == {"revolute", "prismatic"}
    per_time = {"q": "", "qd": "/s", "qdd": "/s^2"}
    for _, program in programs(description):
        for argument in program.inputs:
            assert argument.units == tuple(
                joint.position_unit + per_time[argument.name] for joint in joints
            )
    forces = FUNCTIONS[0].build(build_model(description)).outputs[0].argument
    assert (forces.name, forces.units) == ("tau", tuple(joint.force_unit for joint in joints))


def test_gravity_forces_have_no_rates_to_depend_on() -> None:
    model = build_model(random_description(5, 3))
    inputs = {
        function.name: [argument.name for argument in function.inputs(model)]
        for function in FUNCTIONS
    }
    assert inputs["gravity_forces"] == ["q"]
    assert inputs["coriolis_forces"] == inputs["bias_forces"] == ["q", "qd"]
    assert inputs["inverse_dynamics"] == ["q", "qd", "qdd"]


def test_coriolis_forces_do_not_depend_on_gravity() -> None:
    description = random_description(8, 4)
    function = next(function for function in FUNCTIONS if function.name == "coriolis_forces")
    model = build_model(description)
    weightless = replace(model, gravity=(ZERO, ZERO, ZERO))
    assert run_passes(function.build(model))[0] == run_passes(function.build(weightless))[0]
