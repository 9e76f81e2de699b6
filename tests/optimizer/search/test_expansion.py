"""Expansions keep the meaning of a program to any extent."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from math import sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.ir.builder import Builder
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Element, Operation, Output, Program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import Exact
from dynagen.optimizer.passes.manager import run_passes
from dynagen.optimizer.search.expansion import Extent, expand
from dynagen.optimizer.search.factoring import share_factors
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.loading import load_robot
from tests.support.random_programs import programs
from tests.support.same_meaning import assert_same_meaning


def circle(builder: Builder, argument: str) -> tuple[int, int, int]:
    angle, radius = builder.add_element(argument, 0), builder.add_element(argument, 1)
    return builder.emit(Operation.SINE, angle), builder.emit(Operation.COSINE, angle), radius


def squares() -> Program:
    """Return the program (s r)^2 + (c r)^2."""
    argument = Argument("q", (2,), ("rad", "m"), "polar coordinates")
    builder = Builder("square", [argument])
    sine, cosine, radius = circle(builder, "q")
    x, y = (builder.emit(Operation.MULTIPLY, each, radius) for each in (sine, cosine))
    total = builder.emit(
        Operation.ADD, *(builder.emit(Operation.MULTIPLY, each, each) for each in (x, y))
    )
    return builder.finish([Output(Argument("r2", (1,), ("m^2",), "square"), (total,))])


@pytest.mark.parametrize("replaced", [Operation.SINE, Operation.COSINE])
def test_squares_of_sine_and_cosine_meet(replaced):
    program, _ = run_passes(expand(squares(), Extent(8, replaced)).emit())
    assert [instruction.operation for instruction in program.instructions] == [
        Operation.INPUT,
        Operation.MULTIPLY,
    ]


def offset_positions() -> Program:
    """Return (q + 3) (q + 3 - p) + (q + 3) (p - 1), in which p cancels, and sin(a + 3)."""
    builder = Builder("offsets", [Argument("x", (3,), ("m", "m", "rad"), "positions")])
    q, p, a = (builder.add_element("x", index) for index in range(3))
    moved = builder.emit(Operation.ADD, q, builder.add_constant(3))
    back = builder.emit(Operation.SUBTRACT, moved, p)
    forth = builder.emit(Operation.SUBTRACT, p, builder.add_constant(1))
    total = builder.emit(
        Operation.ADD,
        *(builder.emit(Operation.MULTIPLY, moved, factor) for factor in (back, forth)),
    )
    angle = builder.emit(Operation.ADD, a, builder.add_constant(3))
    sine = builder.emit(Operation.SINE, angle)
    return builder.finish([Output(Argument("y", (2,), ("", ""), "results"), (total, sine))])


def test_open_offsets_show_that_a_position_cancels_but_angles_stay_whole():
    program = offset_positions()
    closed, opened = (expand(program, Extent(64, opens_offsets=opens)) for opens in (False, True))
    (q,) = (
        position
        for position, each in enumerate(program.instructions)
        if each.payload == Element("x", 0)
    )
    expected = {(): Exact(6), (q,): Exact(5), (q, q): Exact(1)}
    assert opened.sums[opened.results[0]] == expected
    assert closed.sums[closed.results[0]] != expected
    (sine,) = (each for each in opened.emit().instructions if each.operation is Operation.SINE)
    assert opened.emit().instructions[sine.operands[0]].operation is Operation.ADD


@given(
    programs(),
    st.sampled_from([1, 2, 5, 50]),
    st.sampled_from([None, Operation.SINE, Operation.COSINE]),
    st.booleans(),
)
def test_an_expansion_keeps_the_meaning_and_what_the_passes_make_of_it_too(
    program, most_terms, replaced, opens_offsets
):
    expanded = validate(expand(program, Extent(most_terms, replaced, opens_offsets)).emit())
    assert_same_meaning(program, expanded)
    assert_same_meaning(program, run_passes(expanded)[0])


@given(programs(), st.sampled_from([1, 5, 50]))
def test_shared_factors_keep_the_meaning(program, most_terms):
    expansion = expand(program, Extent(most_terms))
    shared = replace(expansion, sums=share_factors(expansion.sums, expansion.first_new))
    assert_same_meaning(program, validate(shared.emit()))


def test_a_shared_factor_never_takes_the_place_of_a_result_that_is_no_sum():
    """Products x y z and x y u share a pair; the sine is the last value and in no sum."""
    arguments = [Argument("x", (4,), ("m",) * 4, "factors")]
    builder = Builder("products", arguments)
    x, y, z, u = (builder.add_element("x", index) for index in range(4))
    products = [
        reduce(partial(builder.emit, Operation.MULTIPLY), factors)
        for factors in ((x, y, z), (u, y, x))
    ]
    sine = builder.emit(Operation.SINE, x)
    program = builder.finish(
        [Output(Argument("r", (3,), ("m",) * 3, "results"), (*products, sine))]
    )
    expansion = expand(program, Extent(8))
    shared = replace(expansion, sums=share_factors(expansion.sums, expansion.first_new))
    assert evaluate(validate(shared.emit()), {"x": [2.0, 3.0, 5.0, 7.0]})["r"] == [
        30.0,
        42.0,
        sin(2.0),
    ]


def test_sections_stay_in_the_order_of_the_program():
    asked = Settings(functions=("inverse_dynamics",), verify=False)
    program = generate(load_robot("puma560"), asked).functions[0].program
    computed = [
        each
        for each in expand(program, Extent(1)).emit().instructions
        if each.operation.operand_count
    ]
    assert [each.section for each in computed] == sorted(each.section for each in computed)
