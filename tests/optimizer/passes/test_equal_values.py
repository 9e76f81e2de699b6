"""Equal values: one of several equal functions remains, and different ones stay."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from dynagen.ir.builder import Builder
from dynagen.ir.cost import count
from dynagen.ir.program import Argument, Operation, Output
from dynagen.ir.validation import validate
from dynagen.optimizer.passes.equal_values import unite_equal_values
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.loading import load_robot
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs
from tests.support.same_meaning import assert_same_meaning

HEAD = (
    'program f\ninput q[2] "" "rad"\ninput x[3] "" ""\noutput y[2] "" ""\n'
    'section ""\ns, c = sincos(q[0])\n'
)


def united(text: str) -> str:
    program = unite_equal_values(parse_program(HEAD + text))
    validate(program)
    operations = count(program)
    return f"{operations.total} {operations.neg}"


@pytest.mark.slow
@given(programs())
def test_results_stay_and_no_operation_becomes_more_frequent(program):
    after = validate(unite_equal_values(program))
    assert_same_meaning(program, after)
    assert count(after).total <= count(program).total


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a = x[0]*(x[1] + x[2])\nb = x[0]*x[1] + x[0]*x[2]\nresult y = a, b\n", "2 0"),
        ("a = x[0]*(x[1] - x[2])\nb = x[0]*x[2] - x[0]*x[1]\nresult y = a, b\n", "2 1"),
        ("a = x[0] - x[0]*(s*s + c*c)\nb = x[1]*(s*s + c*c)\nresult y = a, b\n", "0 0"),
        ("a = s*s\nb = 2 - (s*s + c*c)\nresult y = a, b\n", "1 0"),
        ("a = (x[0] + x[1])*(x[0] - x[1]) + x[1]*x[1]\nb = x[0]*x[0]\nresult y = a, b\n", "1 0"),
    ],
    ids=["equal", "opposite", "one", "a number", "a later one that is simpler"],
)
def test_planted_identities_are_found(text, left):
    assert united(text) == left


@pytest.mark.parametrize("factor", ["1.000000000001", "0.999999999999"])
def test_what_is_nearly_equal_stays(factor):
    assert united(f"a = x[0]*x[1]\nb = {factor}*(x[0]*x[1])\nresult y = a, b\n") == "2 0"


@pytest.mark.slow
def test_nothing_depends_on_the_last_joint_of_a_symmetric_hand():
    asked = Settings(functions=("forward_dynamics_derivatives",), verify=False)
    (made,) = generate(load_robot("puma560"), asked).functions
    by_positions = made.program.outputs[0]
    columns = by_positions.argument.shape[1]
    last = [
        made.program.instructions[value].payload
        for value in by_positions.values[columns - 1 :: columns]
    ]
    assert last == [0] * 6


def test_a_large_program_takes_seconds():
    builder = Builder("large", [Argument("x", (8,), ("",) * 8, "values")])
    values = [builder.add_element("x", index) for index in range(8)]
    for number in range(30_000):
        operation = (Operation.MULTIPLY, Operation.ADD, Operation.SUBTRACT)[number % 3]
        values.append(builder.emit(operation, values[-1 - number % 5], values[-1 - number % 7]))
    program = builder.finish([Output(Argument("y", (1,), ("",), "result"), (values[-1],))])
    start = time.process_time()
    unite_equal_values(program)
    assert time.process_time() - start < 5
