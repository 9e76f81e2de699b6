"""Properties of all passes: same meaning, no more operations, and a final form."""

from __future__ import annotations

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from dynagen.dynamics.function import DynamicsFunction
from dynagen.ir.cost import count
from dynagen.ir.program import Operation, Program
from dynagen.ir.text import print_program
from dynagen.ir.validation import validate
from dynagen.optimizer.passes import FINAL_PASSES, SIMPLIFYING_PASSES, TRADING_PASSES
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.passes.manager import run_passes
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import build_model
from tests.support.function_proofs import FUNCTIONS_OF_ANY_ARM
from tests.support.hash_seeds import with_two_hash_seeds
from tests.support.random_programs import programs
from tests.support.random_robots import robots
from tests.support.root import ROOT
from tests.support.same_meaning import assert_same_meaning

PASSES = tuple(
    {step.name: step for step in SIMPLIFYING_PASSES + TRADING_PASSES + FINAL_PASSES}.values()
)


def live_operations(program: Program) -> int:
    return count(remove_dead_code(program)).total


@given(programs())
def test_a_pass_keeps_the_meaning_and_adds_no_operations(program: Program) -> None:
    most = live_operations(program)
    for step in PASSES:
        note(step.name)
        after = validate(step.apply(program))
        assert_same_meaning(program, after)
        assert live_operations(after) <= most


@given(programs())
def test_all_passes_together_keep_the_meaning_and_end_in_a_normal_form_that_they_leave_alone(
    program: Program,
) -> None:
    once, records = run_passes(program)
    assert [record.name for record in records if record.after.total > record.before.total] == []
    assert_normal_form(once)
    twice = run_passes(once)[0]
    assert count(twice) == count(once)
    assert print_program(twice) == print_program(once)
    assert_same_meaning(program, once)


def assert_normal_form(program: Program) -> None:
    instructions = program.instructions
    assert remove_dead_code(program).instructions == instructions
    seen = set()
    for instruction in instructions:
        operands = [instructions[operand] for operand in instruction.operands]
        operations = [operand.operation for operand in operands]
        numbers = [
            operand.payload for operand in operands if operand.operation is Operation.CONSTANT
        ]
        assert instruction.operation is not Operation.COPY
        if instruction.operation in (Operation.ADD, Operation.SUBTRACT):
            assert Operation.NEGATE not in operations
            assert 0 not in numbers
        if instruction.operation is Operation.MULTIPLY:
            assert Operation.NEGATE not in operations
            assert not {0, 1, -1} & set(numbers)
        if instruction.operation is Operation.NEGATE:
            assert Operation.NEGATE not in operations
            assert not numbers
        if operands and instruction.operation not in (Operation.DIVIDE, Operation.SQRT):
            assert len(numbers) < len(operands)
        if operands:
            commutes = instruction.operation in (Operation.ADD, Operation.MULTIPLY)
            key = (
                instruction.operation,
                tuple(sorted(instruction.operands) if commutes else instruction.operands),
            )
            assert key not in seen
            seen.add(key)


@settings(max_examples=30)
@given(robots(max_joints=3), st.sampled_from(FUNCTIONS_OF_ANY_ARM))
def test_robots_keep_their_meaning_and_end_in_normal_form(
    description: RobotDescription, function: DynamicsFunction
) -> None:
    recorded = function.build(build_model(description))
    optimised, _ = run_passes(recorded)
    assert_same_meaning(recorded, optimised)
    assert_normal_form(optimised)
    assert count(run_passes(optimised)[0]) == count(optimised)


PRINT = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.support.random_robots import random_description
from tests.support.function_proofs import FUNCTIONS_OF_ANY_ARM
from dynagen.ir.text import print_program
from dynagen.optimizer.passes.manager import run_passes
from dynagen.robot.model.model import build_model
model = build_model(random_description(7, 2, "modified", prismatic=0.2))
for function in FUNCTIONS_OF_ANY_ARM:
    sys.stdout.buffer.write(print_program(run_passes(function.build(model))[0]).encode())
"""


@pytest.mark.slow
def test_the_program_does_not_depend_on_the_hash_seed() -> None:
    first, second = with_two_hash_seeds(PRINT, str(ROOT))
    assert first.startswith(b"program inverse_dynamics\n")
    assert first == second
