"""The manager runs passes in order, counts operations, and names a pass that breaks a program."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import rewrite
from dynagen.ir.cost import count
from dynagen.ir.program import Operation, Program
from dynagen.optimizer.passes import (
    FINAL_PASSES,
    REVIVING_PASS,
    SIMPLIFYING_PASSES,
    TRADING_PASSES,
    Pass,
    manager,
)
from dynagen.optimizer.passes.manager import run_passes
from tests.support.program_parser import parse_program

PROGRAM = parse_program(
    'program f\ninput x[2] "lengths" "m"\noutput y[1] "result" "m"\n'
    "a = 0*x[0] + 1*x[1]\nb = -a + x[0]\nresult y = b"
)


def break_program(program: Program) -> Program:
    return replace(
        program, outputs=tuple(replace(output, values=(10**6,)) for output in program.outputs)
    )


def negate_results(program: Program) -> Program:
    """Return a valid program that changes every time."""
    return rewrite(
        program,
        lambda builder, instruction, operands: (
            builder.emit(Operation.SUBTRACT, *reversed(operands))
            if instruction.operation is Operation.SUBTRACT
            else builder.emit(instruction.operation, *operands)
        ),
    )


def test_every_pass_is_recorded_in_order_with_its_counts() -> None:
    optimised, records = run_passes(PROGRAM)
    others = [each for each in records if each.name != REVIVING_PASS.name]
    repeated = [(record.name, record.round) for record in others if record.round]
    rounds = range(1, max(number for _, number in repeated) + 1)
    assert (
        repeated
        == [(step.name, number) for number in rounds for step in SIMPLIFYING_PASSES][
            : len(repeated)
        ]
    )
    assert all(
        record.after == records[-1].after
        for record in others[len(repeated) - len(SIMPLIFYING_PASSES) :]
    )
    assert [(record.name, record.round) for record in others[len(repeated) :]] == [
        (step.name, 0) for step in TRADING_PASSES + FINAL_PASSES
    ]
    assert records[0].before == count(PROGRAM)
    assert records[-1].after == count(optimised)
    assert all(record.after == following.before for record, following in pairwise(records))
    assert all(record.seconds >= 0 for record in records)
    assert count(optimised).as_dict() == {
        "mul": 0,
        "add": 1,
        "div": 0,
        "sqrt": 0,
        "sincos": 0,
        "neg": 0,
        "other": 0,
    }


def test_a_simplifying_pass_that_breaks_a_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        manager, "SIMPLIFYING_PASSES", (*SIMPLIFYING_PASSES, Pass("wrecking ball", break_program))
    )
    with pytest.raises(
        InvalidProgramError,
        match=r"^pass wrecking ball: f: output y refers to a value that does not exist",
    ):
        run_passes(PROGRAM)


def test_a_final_pass_that_breaks_a_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manager, "FINAL_PASSES", (Pass("last straw", break_program),))
    with pytest.raises(InvalidProgramError, match=r"^pass last straw: "):
        run_passes(PROGRAM)


def test_passes_that_undo_each_other_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        manager, "SIMPLIFYING_PASSES", (*SIMPLIFYING_PASSES, Pass("restless", negate_results))
    )
    with pytest.raises(
        InvalidProgramError, match="f: the passes still change the program after 50 rounds"
    ):
        run_passes(PROGRAM)
