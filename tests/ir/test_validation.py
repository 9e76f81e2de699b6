"""Validation: every rule of the intermediate form has a program that breaks it, and only it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from dynagen.errors import InvalidProgramError
from dynagen.ir.program import Argument, Element, Instruction, Operation, Output, Program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import ONE
from tests.support.random_programs import programs

X = Argument("x", (2,), ("m", "m"), "lengths")
Y = Argument("y", (1,), ("m",), "result")
VALID = Program(
    name="f",
    inputs=(X,),
    outputs=(Output(Y, (2,)),),
    instructions=(
        Instruction(Operation.INPUT, payload=Element("x", 0)),
        Instruction(Operation.CONSTANT, payload=ONE),
        Instruction(Operation.ADD, (0, 1), name="a"),
        Instruction(Operation.NEGATE, (2,), name="b"),
    ),
)


def with_instruction(position: int, instruction: Instruction) -> Program:
    instructions = list(VALID.instructions)
    instructions[position] = instruction
    return replace(VALID, instructions=tuple(instructions))


BROKEN = {
    "operand too many": (
        with_instruction(3, Instruction(Operation.NEGATE, (0, 1))),
        "instruction 3 .negate.: expected 1 operands, found 2",
    ),
    "operand missing": (
        with_instruction(3, Instruction(Operation.ADD, (0,))),
        "expected 2 operands, found 1",
    ),
    "operand of itself": (
        with_instruction(3, Instruction(Operation.NEGATE, (3,))),
        "every operand must be the result of an earlier",
    ),
    "later operand": (
        with_instruction(2, Instruction(Operation.NEGATE, (3,))),
        "instruction 2 .negate.: .*every operand must be the result of an earlier",
    ),
    "negative operand": (
        with_instruction(3, Instruction(Operation.NEGATE, (-1,))),
        "every operand must be the result of an earlier",
    ),
    "constant without number": (
        with_instruction(1, Instruction(Operation.CONSTANT)),
        "a constant must have a number",
    ),
    "number on an operation": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), ONE)),
        "a constant must have a number",
    ),
    "input without element": (
        with_instruction(0, Instruction(Operation.INPUT)),
        "an input must have an element",
    ),
    "element on a constant": (
        with_instruction(1, Instruction(Operation.CONSTANT, payload=Element("x", 0))),
        "a constant must have",
    ),
    "element on an operation": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), Element("x", 0))),
        "an input must have",
    ),
    "element beyond the end": (
        with_instruction(0, Instruction(Operation.INPUT, payload=Element("x", 2))),
        r"x\[2\] is not",
    ),
    "negative element": (
        with_instruction(0, Instruction(Operation.INPUT, payload=Element("x", -1))),
        r"x\[-1\] is not",
    ),
    "element of an output": (
        with_instruction(0, Instruction(Operation.INPUT, payload=Element("y", 0))),
        r"y\[0\] is not",
    ),
    "no such section": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), section=1)),
        "the section 1 does not exist",
    ),
    "negative section": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), section=-1)),
        "the section -1 does not exist",
    ),
    "name in upper case": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), name="B")),
        "not a lower-case identifier",
    ),
    "name with a dot": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), name="a.b")),
        "not a lower-case identifier",
    ),
    "name with a line break": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), name="b\n")),
        "not a lower-case identifier",
    ),
    "empty name": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), name="")),
        "not a lower-case identifier",
    ),
    "name too long": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), name="b" * 64)),
        "not a lower-case identifier",
    ),
    "name twice": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), name="a")),
        "the name a is used twice",
    ),
    "name of an input": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), name="x")),
        "the name x is used twice",
    ),
    "name of an output": (
        with_instruction(3, Instruction(Operation.NEGATE, (0,), name="y")),
        "the name y is used twice",
    ),
    "named constant": (
        with_instruction(1, Instruction(Operation.CONSTANT, (), ONE, "one")),
        "names an input or a constant",
    ),
    "arguments of one name": (
        replace(VALID, outputs=(Output(replace(Y, name="x"), (2,)),)),
        "two arguments have the same name",
    ),
    "output too short": (
        replace(VALID, outputs=(Output(Y, ()),)),
        "expected 1 values for the output y",
    ),
    "output too long": (
        replace(VALID, outputs=(Output(Y, (2, 3)),)),
        "expected 1 values for the output y",
    ),
    "no such result": (
        replace(VALID, outputs=(Output(Y, (4,)),)),
        "output y refers to a value that does not exist",
    ),
    "negative result": (
        replace(VALID, outputs=(Output(Y, (-1,)),)),
        "output y refers to a value that does not exist",
    ),
}


@pytest.mark.parametrize(("program", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_rule_is_named(program: Program, message: str) -> None:
    with pytest.raises(InvalidProgramError, match=f"^f: .*{message}"):
        validate(program)


def test_a_valid_program_is_returned_as_it_is() -> None:
    assert validate(VALID) is VALID


@given(programs())
def test_random_programs_are_valid(program: Program) -> None:
    assert validate(program) is program
