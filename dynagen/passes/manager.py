"""Run passes and keep count: Program -> optimised Program and one record for every pass that was run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from time import perf_counter

from dynagen.errors import InvalidProgramError
from dynagen.ir.cost import FLOPS, CostModel, cost_of
from dynagen.ir.count import OperationCount, count
from dynagen.ir.program import Program
from dynagen.ir.validation import validate
from dynagen.passes import FINAL_PASSES, REVIVING_PASSES, SIMPLIFYING_PASSES, TRADING_PASSES, Pass

_MOST_ROUNDS = 50  # a few are enough for any program seen; far more means that two passes undo each other


@dataclass(frozen=True)
class PassRecord:
    """The record of one run of a pass.

    Attributes:
        round: 1 for the first time through the simplifying passes, and so on; 0 for a final pass.
        seconds: wall time; for the report only, never written to generated files.
    """

    name: str
    round: int
    before: OperationCount
    after: OperationCount
    seconds: float


Optimised = tuple[Program, tuple[PassRecord, ...]]
"""A program, and a record for every pass that made it."""


def run_passes(program: Program, model: CostModel = FLOPS, reviving: Sequence[Pass] = REVIVING_PASSES) -> Optimised:
    """Optimise a program.

    Args:
        program: as recorded.
        model: what operations cost; decides what is taken of passes that give some of them for others.
        reviving: what is tried once the simplifying passes have come to rest.

    Raises:
        InvalidProgramError: a pass broke the program, or the passes do not come to rest; names the pass.
    """
    records: list[PassRecord] = []
    unchanged = 0  # how many passes, one after the other, have left the program as it is
    for number, simplifying in product(range(1, _MOST_ROUNDS + 1), SIMPLIFYING_PASSES):
        before = program
        program = _run(simplifying, program, model, number, records)
        unchanged = unchanged + 1 if program is before else 0
        if unchanged == len(SIMPLIFYING_PASSES):
            before = program
            for each in reviving:
                program = _run(each, program, model, number, records) if program is before else program
            if program is before:
                break
            unchanged = 0
    else:
        raise InvalidProgramError(f"{program.name}: the passes still change the program after {_MOST_ROUNDS} rounds")
    for final in TRADING_PASSES + FINAL_PASSES:
        program = _run(final, program, model, 0, records)
    return program, tuple(records)


def _run(step: Pass, program: Program, model: CostModel, number: int, records: list[PassRecord]) -> Program:
    start = perf_counter()
    result = step.apply(program)
    if result == program or (step.trades and not cost_of(result, model) < cost_of(program, model)):
        result = program
    before = records[-1].after if records else count(program)
    after = before
    if result is not program:
        try:
            after = count(validate(result))
        except InvalidProgramError as error:
            raise InvalidProgramError(f"pass {step.name}: {error}") from error
    records.append(PassRecord(step.name, number, before, after, perf_counter() - start))
    return result
