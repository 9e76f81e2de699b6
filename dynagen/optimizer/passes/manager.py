"""Run passes in their order and count operations before and after each.

The simplifying rules at once, while a program is being recorded: for a search that asks what thousands of programs cost.

What one rule emits, the next one sees, and equal operations exist once, of all programs that are recorded into one builder.
Counts of multiplications and additions are those of `run_passes`, but for the few that only a second round would find.

Run passes and keep count: Program -> optimised Program and one record for every pass that was run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from time import perf_counter

from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Rule, ValueNumberingBuilder
from dynagen.ir.cost import (
    FLOPS,
    Cost,
    CostModel,
    OperationCount,
    cost_of,
    count,
    count_instructions,
    pair_products,
)
from dynagen.ir.program import Argument, Instruction, Operation, Output, Program
from dynagen.ir.validation import validate
from dynagen.optimizer.passes import (
    FINAL_PASSES,
    LAST_PASS,
    REVIVING_PASS,
    SIMPLIFYING_PASSES,
    TRADING_PASSES,
    Pass,
)
from dynagen.optimizer.passes.divisors import extract_shared_pairs
from dynagen.optimizer.passes.folding import fold_instruction, remove_dead_code
from dynagen.optimizer.passes.signs import SignMover
from dynagen.optimizer.passes.sums import cancel_instruction, collect_terms


class SimplifyingBuilder(ValueNumberingBuilder):
    """A builder that does not emit what it has or knows. Its values bear no names."""

    def __init__(self) -> None:
        super().__init__("", ())
        self._rules: tuple[Rule, ...] = (fold_instruction, cancel_instruction, SignMover().move)

    def emit_new(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """The value of an operation that has not been asked for, by the rules."""
        if operation is Operation.COPY:
            return operands[0]
        for rule in self._rules:
            value = rule(self, Instruction(operation, operands), operands)
            if value is not None:
                return value
        return super().emit_new(operation, operands)

    def cost_of(self, results: Iterable[int], model: CostModel = FLOPS) -> Cost:
        """The cost of computing some values."""
        results = list(results)
        pending, needed = list(results), dict[int, Instruction]()
        while pending:
            position = pending.pop()
            if position not in needed:
                needed[position] = instruction = self[position]
                pending.extend(instruction.operands)
        fused = len(pair_products(needed, results)) if model.fusing_saves else 0
        return model.cost(count_instructions(needed.values()), fused)

    def collect(self, results: Iterable[int]) -> Program:
        """A program for some values, its sums collected and its products shared: it costs nearly what is emitted."""
        values = tuple(results)
        argument = Argument("results", (len(values),), ("",), "results")
        program = remove_dead_code(self.finish([Output(argument, values)]))
        return remove_dead_code(extract_shared_pairs(collect_terms(program)))


_MOST_ROUNDS = (
    50  # a few are enough for any program seen; far more means that two passes undo each other
)


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
        program = _run_pass(simplifying, program, model, number, records)
        unchanged = unchanged + 1 if program is before else 0
        if unchanged == len(SIMPLIFYING_PASSES):
            before = program
            program = _run_pass(REVIVING_PASS, program, model, number, records)
            if program is before:
                break
            unchanged = 0
    else:
        raise InvalidProgramError(
            f"{program.name}: the passes still change the program after {_MOST_ROUNDS} rounds"
        )
    for final in TRADING_PASSES + FINAL_PASSES:
        program = _run_pass(final, program, model, 0, records)
    return program, tuple(records)


def run_last_pass(optimised: Optimised, model: CostModel) -> Optimised:
    """Resubstitute in a program that the passes have made, and let them see once what that leaves."""
    program, records = optimised[0], list(optimised[1])
    changed = _run_pass(LAST_PASS, program, model, 0, records)
    for following in (
        SIMPLIFYING_PASSES + TRADING_PASSES + FINAL_PASSES if changed is not program else ()
    ):
        changed = _run_pass(following, changed, model, 0, records)
    return changed, tuple(records)


def _run_pass(
    step: Pass, program: Program, model: CostModel, number: int, records: list[PassRecord]
) -> Program:
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
