"""The text form: printed programs read back as they were; faults are named with their line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dynagen.dynamics.function import DynamicsFunction
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.cost import count
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.ir.text import format_number, print_program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import PI, ZERO, Angle, Exact
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.passes.manager import run_passes
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import build_model
from tests.support.program_parser import parse_number, parse_program
from tests.support.random_programs import programs, small_exacts
from tests.support.random_robots import robots

HEADER = 'program f\ninput x[3] "lengths" "m"\noutput y[2] "areas" "m^2"\n'


def random_inputs(program: Program) -> dict[str, list[np.float64]]:
    generator = np.random.default_rng(1)
    return {
        argument.name: list(generator.uniform(0.5, 2.0, argument.size))
        for argument in program.inputs
    }


def bits(program: Program) -> dict[str, list[bytes]]:
    with np.errstate(all="ignore"):
        results = evaluate(program, random_inputs(program))
    return {
        name: [np.float64(value).tobytes() for value in values] for name, values in results.items()
    }


def assert_reads_back(program: Program) -> None:
    text = print_program(program)
    again = parse_program(text)
    assert print_program(again) == text
    assert again.arguments == program.arguments
    assert bits(again) == bits(program)
    assert count(remove_dead_code(again)) == count(remove_dead_code(program))


def repeats_an_angle(program: Program) -> bool:
    """Whether a sine or cosine is computed twice, of a value and of its copy.

    The text prints a copy as its value, so the parser reads one sine; passes leave no such program.
    """
    values: list[int] = []
    angles: list[tuple[Operation, int]] = []
    for place, instruction in enumerate(program.instructions):
        copied = instruction.operation is Operation.COPY
        values.append(values[instruction.operands[0]] if copied else place)
        if instruction.operation in (Operation.SINE, Operation.COSINE):
            angles.append((instruction.operation, values[instruction.operands[0]]))
    return len(angles) != len(set(angles))


@given(programs())
def test_random_programs_read_back_bit_for_bit(program: Program) -> None:
    assume(not repeats_an_angle(program))
    assert_reads_back(program)


@pytest.mark.slow
@settings(max_examples=30)
@given(robots(max_joints=3), st.sampled_from(FUNCTIONS))
def test_recorded_robots_read_back_bit_for_bit(
    description: RobotDescription, function: DynamicsFunction
) -> None:
    model = build_model(description)
    assume(not function.availability.unavailable_because(model))
    program = function.build(model)
    assert_reads_back(program)
    assert_reads_back(run_passes(program)[0])


def test_the_text_is_what_the_documentation_shows() -> None:
    text = """program gravity_forces
input q[2] "joint positions" "rad"
output g[2] "joint forces that hold the robot against gravity" "N m"
section "Joint positions"
  s1, c1 = sincos(q[0])
  t1 = 9.81*(2.5*c1 + {1/3})
result g = t1, 0
"""
    assert print_program(parse_program(text)) == text


@pytest.mark.parametrize(
    "expression",
    [
        "x[0] - (x[1] - x[2])",
        "x[0] - x[1] - x[2]",
        "x[0]/(x[1]*x[2])",
        "x[0]/x[1]*x[2]",
        "x[0]*(x[1]/x[2])",
        "-x[0]*x[1]",
        "-(x[0]*x[1])",
        "-(-x[0])",
        "x[0] + (-x[1])",
        "-x[0] + x[1]",
        "x[0]*(-3)",
        "-3*x[0]",
        "-(3 + x[0])",
        "sqrt(x[0]*x[1] + 1)*2",
        "{-1/3}*x[0] - {1/2*sqrt(2)-1/4*sqrt(6)}",
    ],
)
def test_parentheses_stand_where_they_are_needed_and_nowhere_else(expression: str) -> None:
    text = f'{HEADER}section ""\n  a = {expression}\nresult y = a, 0\n'
    assert print_program(parse_program(text)) == text


@given(small_exacts())
def test_numbers_read_back_exactly(number: Exact) -> None:
    assert parse_number(format_number(number)) == number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (ZERO, "0"),
        (Exact("-9.81"), "-9.81"),
        (Exact(1) / 3, "{1/3}"),
        (Exact("1e-7"), "1e-7"),
        (Angle(PI / 4).sin, "{1/2*sqrt(2)}"),
        (Angle(PI / 12).sin, "{-1/4*sqrt(2)+1/4*sqrt(6)}"),
        (Exact("0.12345678901234567"), "0.12345678901234567"),
        (Exact("0.123456789012345678"), "{61728394506172839/500000000000000000}"),
    ],
)
def test_numbers_are_decimals_where_these_end(number: Exact, text: str) -> None:
    assert format_number(number) == text


@pytest.mark.parametrize(
    "text",
    [
        "{1/2*sqrt(5)}",
        "{1/2 * sqrt(2)}",
        "{}",
        "{-}",
        "{1/0}",
        "{1/2",
        "1.2.3",
        "{1/2*sqrt(2)*sqrt(3)}",
    ],
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidProgramError, match=r"is not a number|expected|ends too early"):
        parse_program(f"{HEADER}a = {text}\nresult y = a, a")


@pytest.mark.parametrize(
    "line",
    [
        "section Outward",
        "a = x[0], x[1]",
        "a = x[0] x[1]",
        "a = x[0] +",
        "a = (x[0]",
        "a = x[-1]",
        "a = x[0] $ x[1]",
        "a = unknown",
        "a=x[0]",
        "a",
        "a = sincos(x[0])",
        "a, b, c = sincos(x[0])",
        "a, b = sincos(x[0])*2",
        "a, b = sincos(x[0], x[1])",
        "input z",
        'input z[,] "sizes" "m"',
        "result y =",
        "result z = x[0]",
        "output 2[1]",
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(InvalidProgramError, match="line 4: "):
        parse_program(f"{HEADER}{line}\nresult y = 0, 0")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("a = x[3]", r"x\[3\] is not an element of an input"),
        ("a = z[0]", r"z\[0\] is not an element of an input"),
        ("A = x[0]*x[1]", "'A' is not a lower-case identifier"),
        ("x = x[0]*x[1]", "the name x is used twice"),
        ("a = x[0]*x[1]\na = x[0]", "the name a is used twice"),
    ],
)
def test_a_rule_that_is_broken_is_named(body: str, message: str) -> None:
    with pytest.raises(InvalidProgramError, match=message):
        parse_program(f"{HEADER}{body}\nresult y = 0, 0")


def test_a_result_is_given_once() -> None:
    with pytest.raises(InvalidProgramError, match="line 5: "):
        parse_program(f"{HEADER}result y = 0, 0\nresult y = 1, 1")


def test_an_input_that_is_declared_too_late_is_refused() -> None:
    with pytest.raises(InvalidProgramError, match="line 5: "):
        parse_program(f'{HEADER}a = x[0]*x[1]\ninput z[1] "too late" "m"\nresult y = a, a')


def test_a_missing_result_is_named() -> None:
    with pytest.raises(InvalidProgramError, match="no result for y"):
        parse_program(HEADER)


def test_a_scalar_has_no_sizes() -> None:
    text = (
        'program f\ninput dt[] "length of the step" "s"\noutput y[1] "result" "s"\n'
        'section ""\n  t1 = 2*dt[0]\nresult y = t1\n'
    )
    assert print_program(parse_program(text)) == text


def test_comments_and_empty_lines_are_skipped() -> None:
    plain = parse_program(f"{HEADER}a = x[0]*x[1]\nresult y = a, a")
    assert (
        parse_program(f"# a comment\n\n{HEADER}\n  # another\na = x[0]*x[1]\n\nresult y = a, a\n")
        == plain
    )


def one_value(operation: Operation, name: str | None = None, section: str = "") -> Program:
    builder = Builder("f", [Argument("x", (1,), ("m",), "length")])
    operand = builder.add_element("x", 0)
    builder.begin_section(section)
    value = builder.emit(operation, operand)
    if name is not None:
        builder.give_name(value, name)
    return builder.finish([Output(Argument("y", (1,), ("m",), "result"), (value,))])


@pytest.mark.parametrize(
    "name", ["result", "section", "input", "output", "program", "sqrt", "sincos", "e5", "t1"]
)
def test_any_valid_name_reads_back(name: str) -> None:
    assert_valid_programs_read_back(one_value(Operation.NEGATE, name))


def assert_valid_programs_read_back(program: Program) -> None:
    try:
        validate(program)
    except InvalidProgramError:
        return
    assert_reads_back(program)


@pytest.mark.parametrize(
    "title",
    ["", '"', "\\", "a\nb", "a\rb", "a\u2028b", "a\x1cb", "Außen, 关节", "# no comment", " = "],
)
def test_any_section_title_reads_back(title: str) -> None:
    program = one_value(Operation.NEGATE, section=title)
    assert_reads_back(program)
    assert title in parse_program(print_program(program)).sections


def test_an_argument_in_upper_case_reads_back_if_it_is_valid() -> None:
    """The mass matrix is called M."""
    builder = Builder("mass_matrix", [Argument("q", (2,), ("rad", "m"), "joint positions")])
    values = tuple(builder.add_element("q", index) for index in (0, 1, 1, 0))
    matrix = Output(Argument("M", (2, 2), ("kg m^2", "kg m", "kg m", "kg"), "mass matrix"), values)
    assert_valid_programs_read_back(builder.finish([matrix]))
