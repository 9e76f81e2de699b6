"""Optimisation costs no digits: what `--rounding` measures, and that it would notice."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.numbers.exact import Exact
from dynagen.pipeline.driver import Generation, Settings, generate
from dynagen.report.accuracy import measure_rounding
from dynagen.resources import find_robots_folder
from dynagen.robot.loading import load_robot, parse_robot

FUNCTIONS = (
    "inverse_dynamics",
    "mass_matrix",
    "coriolis_matrix",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
)
OFFSET = Exact(2**30)


@cache
def generation(robot: str) -> Generation:
    return generate(load_robot(robot), Settings("python", FUNCTIONS, verify=False))


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["puma560", "stanford_listing"])
def test_the_emitted_program_is_as_accurate_as_the_recorded_one(robot: str) -> None:
    for name, rounding in measure_rounding(generation(robot)).items():
        assert rounding.states > 16
        assert 0 < rounding.emitted <= 4 * max(rounding.recorded, 1), name


def test_states_in_which_a_result_vanishes_are_measured_too() -> None:
    made = generate(load_robot("scara"), Settings("python", ("coriolis_forces",), verify=False))
    assert (
        max(
            measure_rounding(made)["coriolis_forces"].as_dict()[kind]
            for kind in ("recorded", "emitted")
        )
        < 1e5
    )


def with_offsets(program: Program) -> Program:
    """Return the same function with sums that lose digits: a + b is (a + offset) + (b - offset)."""

    def spoil(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
        if instruction.operation is Operation.ADD:
            offset = builder.add_constant(OFFSET)
            left = builder.emit(Operation.ADD, operands[0], offset)
            return builder.emit(
                Operation.ADD, left, builder.emit(Operation.SUBTRACT, operands[1], offset)
            )
        return builder.emit(instruction.operation, *operands)

    return rewrite(program, spoil)


@pytest.mark.slow
def test_lost_digits_are_noticed() -> None:
    made = generation("stanford_listing")
    spoilt = tuple(
        replace(function, program=with_offsets(function.program)) for function in made.functions
    )
    before, after = measure_rounding(made), measure_rounding(replace(made, functions=spoilt))
    for name in FUNCTIONS:
        assert after[name].recorded == before[name].recorded
        assert after[name].emitted > 1e4 * before[name].emitted


def test_robots_with_run_time_parameters_are_not_measured() -> None:
    text = (find_robots_folder() / "pendulum.yaml").read_text(encoding="utf-8")
    robot = parse_robot(
        text.replace("length: 1 ", "length: {value: 1, runtime: true} "), "pendulum.yaml"
    )
    assert [parameter.name for parameter in robot.parameters] == ["length"]
    assert measure_rounding(generate(robot, Settings("python", verify=False))) == {}
