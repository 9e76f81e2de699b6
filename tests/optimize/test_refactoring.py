"""Small programs written out and factored anew: cheaper, proved, as accurate; and left alone where it does not pay."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from random_programs import programs

from dynagen.generation import Settings
from dynagen.ir.builder import Builder
from dynagen.ir.cost import FLOPS, price
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.optimize.refactoring import refactored
from dynagen.passes.expansion import Extent, expand
from dynagen.passes.manager import optimised, run_passes
from dynagen.pipeline import generate
from dynagen.report.rounding import measure_rounding
from dynagen.robot.loading import load_robot


def circle(builder: Builder, argument: str) -> tuple[int, int, int]:
    angle, radius = builder.element(argument, 0), builder.element(argument, 1)
    return builder.emit(Operation.SINE, angle), builder.emit(Operation.COSINE, angle), radius


def squares() -> Program:
    """(s r)^2 + (c r)^2."""
    argument = Argument("q", (2,), ("rad", "m"), "polar coordinates")
    builder = Builder("square", [argument])
    sine, cosine, radius = circle(builder, "q")
    x, y = (builder.emit(Operation.MULTIPLY, each, radius) for each in (sine, cosine))
    total = builder.emit(Operation.ADD, *(builder.emit(Operation.MULTIPLY, each, each) for each in (x, y)))
    return builder.finish([Output(Argument("r2", (1,), ("m^2",), "square"), (total,))])


@pytest.mark.parametrize("replaced", [Operation.SINE, Operation.COSINE])
def test_squares_of_sine_and_cosine_meet(replaced):
    program, _ = run_passes(expand(squares(), Extent(8, replaced)).emitted())
    assert [instruction.operation for instruction in program.instructions] == [Operation.INPUT, Operation.MULTIPLY]


@pytest.mark.parametrize(
    ("robot", "function", "most"),
    [
        ("puma560_listing_3dof", "inverse_dynamics", 68),
        ("stanford_listing_3dof", "inverse_dynamics", 48),
        ("scara", "inverse_dynamics", 26),
        ("ur5", "gravity_forces", 12),
        ("puma260", "gravity_forces", 15),
    ],
)
def test_small_programs_cost_less_are_proved_and_lose_no_digits(robot, function, most):
    generation = generate(load_robot(robot), Settings(functions=(function,), states=200, optimize="max", budget=100))
    (made,) = generation.functions
    assert made.operations.total <= most
    assert made.proof.passed
    assert made.passes[-1].name == "refactoring"
    assert made.passes[-1].after == made.operations
    usual = generate(load_robot(robot), Settings(functions=(function,), verify=False))
    after, before = (measure_rounding(each)[function].emitted for each in (generation, usual))
    assert after <= 4 * max(1, before)


@settings(max_examples=10)
@given(programs())
def test_no_program_becomes_dearer(program):
    assert price(refactored(program, FLOPS, 12)[0], FLOPS) <= price(optimised(program, FLOPS)[0], FLOPS)


def test_large_programs_are_not_written_out_but_searched():
    asked = Settings(functions=("inverse_dynamics",), states=200, budget=60)
    usual, (made,) = generate(load_robot("ur5"), asked), generate(load_robot("ur5"), replace(asked, optimize="max")).functions
    assert made.operations.total <= usual.functions[0].operations.total - 10
    assert made.passes[-1].name == "refactoring"
    assert made.proof.passed
