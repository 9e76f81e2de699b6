"""Fuzzing finds planted faults, shrinks them, and goes on where it stopped."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dynagen.ir.operation import Operation
from dynagen.numbers.exact import ZERO
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.joints import SPHERICAL, Joint
from dynagen.robot.loading import parse_robot
from hardening import trial
from hardening.cases import PROGRAM, Case, draw_case
from hardening.fuzz import fuzz, read_progress
from tests.support.random_robots import random_description, random_floating

pytestmark = pytest.mark.tools  # Pinocchio and MuJoCo


def test_two_runs_of_random_robots_find_nothing_and_add_up(tmp_path):
    fuzz(tmp_path, minutes=1, robots=2)
    progress = fuzz(tmp_path, minutes=1, robots=1)
    assert progress == read_progress(tmp_path)
    assert progress.next_seed == 3
    assert progress.robots + sum(progress.refused.values()) == 3
    assert progress.failures == []
    assert max(progress.references.values()) < 1e-12
    assert "failures" in progress.summarise()


def test_a_seed_gives_one_case_whose_text_reads_back():
    for seed in range(20):
        case = draw_case(seed)
        assert case == draw_case(seed)
        whole, part = case.read()
        assert whole.links
        assert part.links
        assert all(frame in case.text for frame in ("hand", "links:"))


@pytest.mark.slow
def test_a_wrong_sign_in_a_program_is_found_and_shrunk_to_one_link(tmp_path, monkeypatch):
    right = trial.compile_function

    def wrong(*arguments):
        function = right(*arguments)
        instructions = list(function.program.instructions)
        for position in reversed(range(len(instructions))):
            if instructions[position].operation is Operation.ADD:
                changed = instructions[position]._replace(operation=Operation.SUBTRACT)
                instructions[position] = changed
                break
        return replace(function, program=replace(function.program, instructions=(*instructions,)))

    monkeypatch.setattr(trial, "compile_function", wrong)
    monkeypatch.setattr("hardening.fuzz.draw_case", lambda seed: simple_case(seed))
    progress = fuzz(tmp_path, minutes=5, robots=1)
    (name,) = progress.failures
    text = (tmp_path / name).read_text()
    assert "disagrees with the Newton-Euler reference" in text
    assert len(parse_robot(text, name).links) == 1
    assert json.loads((tmp_path / "progress.json").read_text())["failures"] == [name]


def test_a_robot_that_only_pinocchio_reads_rightly_is_found(monkeypatch):
    read = Case.read

    def misread(case):
        whole, part = read(case)
        *links, last = part.links
        motor = last.motor_inertia + 1
        return whole, replace(part, links=(*links, replace(last, motor_inertia=motor)))

    monkeypatch.setattr(Case, "read", misread)
    outcome = trial.run_case(simple_case(1))
    assert outcome.kind == "pinocchio"
    assert "disagrees with Pinocchio" in outcome.failure


def test_a_robot_with_a_spherical_joint_is_compared_with_pinocchio():
    robot = random_floating(0, 3, prismatic=0)
    *links, last = robot.links
    ball = replace(last, before=(), joint=Joint(SPHERICAL), after=(), motor_inertia=ZERO)
    robot = replace(robot, links=number_coordinates([*links, ball]))
    functions = ("step_euler", "jacobian", "forward_dynamics_jvp")
    outcome = trial.run_case(replace(simple_case(0), robot=robot, functions=functions))
    assert not outcome.failure
    assert len(outcome.pinocchio) == 3
    assert max(outcome.pinocchio.values()) < 1e-11


@pytest.mark.parametrize("seed", [16, 47])
def test_a_robot_with_a_loop_is_compared_with_its_cut_tree(seed):
    case = draw_case(seed)
    assert case.loops
    functions = ("inverse_dynamics", "forward_dynamics")
    outcome = trial.run_case(replace(case, functions=functions, form=PROGRAM, real="double"))
    assert not outcome.failure
    assert len(outcome.cut_tree) == 2
    assert max(outcome.cut_tree.values()) < 1e-11


def test_long_strides_of_the_references_do_not_reach_another_branch():
    case = draw_case(11862)  # its loop crosses a singular pose between two strides
    assert case.loops
    outcome = trial.run_case(replace(case, functions=("body_jacobian",), form=PROGRAM))
    assert not outcome.failure
    assert max(outcome.references.values()) < 1e-12


def test_held_frames_are_compared_with_pinocchio():
    functions = ("constrained_forward_dynamics@hand", "contact_forces@hand", "impact@hand")
    case = simple_case(0)
    robot = replace(random_floating(0, 3), frames=draw_case(0).robot.frames)
    last = robot.links[-1].name
    robot = replace(robot, frames=tuple(replace(each, link=last) for each in robot.frames))
    outcome = trial.run_case(replace(case, robot=robot, functions=functions))
    assert not outcome.failure
    assert len(outcome.pinocchio) == 3
    assert max(outcome.pinocchio.values()) < 1e-11


def simple_case(seed):
    robot = random_description(seed, 2, "modified", inertia_form="central")
    case = replace(draw_case(seed), robot=robot, payload="", functions=("inverse_dynamics",))
    return replace(case, options=type(case.options)(), form=PROGRAM, real="double")
