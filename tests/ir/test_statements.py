"""Statements: names of values, and equal results of the program and of its printed form."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from dynagen.ir.builder import Builder
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Element, Operation, Output, Program
from dynagen.ir.statements import (
    Application,
    Assignment,
    Constant,
    Expression,
    Listing,
    Name,
    SineCosine,
    write_statements,
)
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs

X = Argument("x", (2,), ("rad", "rad"), "angles")


def finish(builder: Builder, *results: int) -> Listing:
    return write_statements(
        builder.finish(
            [Output(Argument("y", (len(results),), ("1",) * len(results), "result"), results)]
        )
    )


def lines(listing: Listing) -> list[object]:
    return [statement for block in listing.blocks for statement in block.statements]


def run(listing: Listing, inputs: dict[str, list[np.float64]]) -> dict[str, list[np.float64]]:
    """Execute statements, without a look at the program they came from."""
    values: dict[str, np.float64] = {}

    def value(expression: Expression) -> np.float64:
        match expression:
            case Constant(number):
                return np.float64(float(number))
            case Name(name):
                return values[name]
            case Element(argument, index):
                return inputs[argument][index]
            case Application(operation, operands):
                a, *rest = (value(operand) for operand in operands)
                b = rest[0] if rest else a
                return {
                    Operation.NEGATE: lambda: -a,
                    Operation.ADD: lambda: a + b,
                    Operation.SUBTRACT: lambda: a - b,
                    Operation.MULTIPLY: lambda: a * b,
                    Operation.DIVIDE: lambda: a / b,
                    Operation.SQRT: lambda: np.sqrt(a),
                }[operation]()
        raise AssertionError(expression)

    for block in listing.blocks:
        for statement in block.statements:
            if isinstance(statement, SineCosine):
                angle = value(statement.angle)
                assigned = {statement.sine: np.sin(angle), statement.cosine: np.cos(angle)}
            else:
                assigned = {statement.name: value(statement.expression)}
            for name, number in assigned.items():
                assert name not in values, f"{name} is assigned twice"
                if name is not None:
                    values[name] = number
    return {
        output.argument.name: [value(result) for result in results]
        for output, results in listing.results
    }


@given(programs())
def test_statements_compute_what_the_program_does_bit_for_bit(program: Program) -> None:
    generator = np.random.default_rng(2)
    inputs = {
        argument.name: list(generator.uniform(0.5, 2.0, argument.size))
        for argument in program.inputs
    }
    with np.errstate(all="ignore"):
        expected, got = evaluate(program, inputs), run(write_statements(program), inputs)
    for name, values in expected.items():
        np.testing.assert_array_equal(
            np.array(got[name]), np.array([np.float64(value) for value in values])
        )


@given(programs())
def test_results_are_never_arithmetic(program: Program) -> None:
    for _, results in write_statements(program).results:
        assert all(isinstance(result, Constant | Name | Element) for result in results)


def test_a_value_used_once_is_written_where_it_is_used() -> None:
    builder = Builder("f", [X])
    x, y = builder.add_element("x", 0), builder.add_element("x", 1)
    total = builder.emit(Operation.ADD, builder.emit(Operation.MULTIPLY, x, y), y)
    (statement,) = lines(finish(builder, total))
    product = Application(Operation.MULTIPLY, (Element("x", 0), Element("x", 1)))
    assert statement == Assignment("t1", Application(Operation.ADD, (product, Element("x", 1))))


def test_a_value_used_twice_gets_a_statement() -> None:
    builder = Builder("f", [X])
    product = builder.emit(
        Operation.MULTIPLY, builder.add_element("x", 0), builder.add_element("x", 1)
    )
    square = builder.emit(Operation.MULTIPLY, product, product)
    first, second = lines(finish(builder, square))
    assert first == Assignment(
        "t1", Application(Operation.MULTIPLY, (Element("x", 0), Element("x", 1)))
    )
    assert second == Assignment("t2", Application(Operation.MULTIPLY, (Name("t1"), Name("t1"))))


def test_fresh_names_avoid_those_that_are_taken() -> None:
    builder = Builder("f", [X])
    first = builder.emit(Operation.NEGATE, builder.add_element("x", 0))
    builder.give_name(first, "t2")
    values = [builder.emit(Operation.NEGATE, first), builder.emit(Operation.SQRT, first)]
    assert [statement.name for statement in lines(finish(builder, *values))] == ["t2", "t1", "t3"]


def test_sine_and_cosine_of_one_angle_are_one_statement() -> None:
    builder = Builder("f", [X])
    angle = builder.add_element("x", 0)
    sine, cosine = builder.emit(Operation.SINE, angle), builder.emit(Operation.COSINE, angle)
    assert lines(finish(builder, sine, cosine)) == [SineCosine(Element("x", 0), "t1", "t2")]


def test_a_sine_that_nobody_uses_is_left_out() -> None:
    builder = Builder("f", [X])
    angle = builder.add_element("x", 0)
    builder.emit(Operation.SINE, angle)
    cosine = builder.emit(Operation.COSINE, angle)
    assert lines(finish(builder, cosine)) == [SineCosine(Element("x", 0), None, "t1")]


def test_a_sine_that_is_computed_twice_is_available_under_both_names() -> None:
    program = parse_program(
        'program f\ninput x[1] "angle" "rad"\noutput y[1] "result" "1"\n'
        "a, _ = sincos(x[0])\nb, _ = sincos(x[0])\nresult y = b"
    )
    assert run(write_statements(program), {"x": [np.float64(0.5)]}) == {"y": [np.sin(0.5)]}


def test_inputs_and_constants_pass_through_to_results() -> None:
    builder = Builder("f", [X])
    listing = finish(builder, builder.add_element("x", 1), builder.add_constant(3))
    assert lines(listing) == []
    ((_, results),) = listing.results
    assert results[0] == Element("x", 1)
    assert isinstance(results[1], Constant)
    assert results[1].value == 3


def test_a_block_ends_where_the_section_changes() -> None:
    builder = Builder("f", [X])
    value = builder.add_element("x", 0)
    for title in ("one", "one", "two", "one"):
        builder.begin_section(title)
        value = builder.emit(Operation.SQRT, value)
        builder.give_name(value, f"v{value}")
    listing = finish(builder, value)
    assert [(block.title, len(block.statements)) for block in listing.blocks] == [
        ("one", 2),
        ("two", 1),
        ("one", 1),
    ]
