"""Run passes and keep count: Program -> optimised Program and one record for every pass that was run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from time import perf_counter

from dynagen.errors import InvalidProgramError
from dynagen.ir.cost import FLOPS, CostModel, cost_of
from dynagen.ir.count import OperationCount, count
from dynagen.ir.program import Program
from dynagen.ir.validation import validate
from dynagen.passes import FINAL_PASSES, LAST_PASS, REVIVING_PASS, SIMPLIFYING_PASSES, TRADING_PASSES, Pass

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


def run_passes(program: Program, model: CostModel = FLOPS) -> Optimised:
    """Optimise a program.

    Args:
        program: as recorded.
        model: what operations cost; decides what is taken of passes that give some of them for others.

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
            program = _run(REVIVING_PASS, program, model, number, records)
            if program is before:
                break
            unchanged = 0
    else:
        raise InvalidProgramError(f"{program.name}: the passes still change the program after {_MOST_ROUNDS} rounds")
    for final in TRADING_PASSES + FINAL_PASSES:
        program = _run(final, program, model, 0, records)
    return program, tuple(records)


def run_last_pass(optimised: Optimised, model: CostModel) -> Optimised:
    """Resubstitute in a program that the passes have made, and let them see once what that leaves."""
    program, records = optimised[0], list(optimised[1])
    changed = _run(LAST_PASS, program, model, 0, records)
    for following in SIMPLIFYING_PASSES + TRADING_PASSES + FINAL_PASSES if changed is not program else ():
        changed = _run(following, changed, model, 0, records)
    return changed, tuple(records)


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
