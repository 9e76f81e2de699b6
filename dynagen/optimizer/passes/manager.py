"""Functions that run passes and count operations, and a builder that simplifies while recording.

`run_passes` turns a recorded program into an optimised one and keeps a record of each pass.

`SimplifyingBuilder` applies the simplest rules to each operation when it is recorded. A search uses
the builder to estimate the cost of thousands of formulations of a function (candidates). Equal
operations of all candidates exist only once in the builder. The estimate does not include savings
that passes find in whole sums.
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
    compute_cost,
    count,
    count_instructions,
    pair_products,
)
from dynagen.ir.operation import COPY
from dynagen.ir.program import (
    Argument,
    Instruction,
    Operation,
    Output,
    Program,
    make_instruction,
)
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
from dynagen.optimizer.passes.folding import fold_instruction
from dynagen.optimizer.passes.signs import SignMover
from dynagen.optimizer.passes.sums import (
    SUMS,
    cancel_instruction,
    collect_terms,
    may_share_term,
)


class SimplifyingBuilder(ValueNumberingBuilder):
    """A builder that simplifies operations while it records them, and emits no operation twice.

    The builder folds constants, cancels terms and moves signs. The builder gives no names to
    values.

        record  1 * x     -> x, nothing is emitted
        record  x - 0     -> x
        record  (-x) + y  -> y - x
        record  y - x     -> the same value again
    """

    def __init__(self, inputs: Iterable[Argument] = ()) -> None:
        super().__init__("", inputs)
        # The first rule that applies replaces the operation. Its own operations pass all rules
        # again.
        self._rules: tuple[Rule, ...] = (fold_instruction, cancel_instruction, SignMover().move)

    def emit_new(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """Return the position of an operation's result; a rule may simplify the operation.

        Args:
            operation: the operation, neither CONSTANT nor INPUT.
            operands: positions of the operands in this builder, in order.
        """
        if operation is COPY:
            return operands[0]
        # Rules concern operations on constants or negations, and sums whose terms share a value;
        # this test is quick and most operations fail it.
        if (
            not self._constants.keys().isdisjoint(operands)
            or not self._signed.isdisjoint(operands)
            or (operation in SUMS and may_share_term(self, *operands))
        ):
            instruction = make_instruction((operation, operands, None, None, 0))
            for rule in self._rules:
                value = rule(self, instruction, operands)
                if value is not None:
                    return value
        return super().emit_new(operation, operands)

    def compute_cost(self, results: Iterable[int], model: CostModel = FLOPS) -> Cost:
        """Return the cost of all operations that some values need; each operation counts once.

        Args:
            results: positions of the values in the builder.
            model: the price of each operation.
        """
        results = list(results)
        needed = self._find_needed(results)
        # Counting fused products takes time and matters only to models with a fused multiply-add.
        fused = len(pair_products(needed, results)) if model.fusing_saves else 0
        return model.compute_cost(count_instructions(needed.values()), fused)

    def collect(self, results: Iterable[int]) -> Program:
        """Return a program that computes some values, after passes on sums and products.

        The terms of each sum are collected, and pairs of factors that several products share are
        multiplied once. The cost of this program is close to the cost of the final program.

        Args:
            results: positions of the values in the builder.
        """
        results = tuple(results)
        moved: dict[int, int] = {}
        instructions: list[Instruction] = []
        for position, instruction in sorted(self._find_needed(results).items()):
            moved[position] = len(instructions)
            operands = tuple([moved[operand] for operand in instruction.operands])
            instructions.append(
                make_instruction((instruction.operation, operands, instruction.payload, None, 0))
            )
        values = tuple(moved[value] for value in results)
        output = Output(Argument("results", (len(values),), ("",), "results"), values)
        program = Program(self.name, self.inputs, (output,), tuple(instructions))
        # Factoring and divisors are left out: they take most of the time of the passes.
        return extract_shared_pairs(collect_terms(program))

    def _find_needed(self, results: Iterable[int]) -> dict[int, Instruction]:
        """Return the instructions on which the values at `results` depend, by position.

        The other instructions of the builder belong to other candidates (formulations).
        """
        instructions = self._instructions
        needed = new = set(results)
        while new:
            new = {place for position in new for place in instructions[position].operands} - needed
            needed |= new
        return {position: instructions[position] for position in needed}


_MOST_ROUNDS = 50  # a few are enough; far more mean that two passes undo each other


@dataclass(frozen=True)
class PassRecord:
    """Record of one run of a pass.

    Attributes:
        name: name of the pass.
        round: number of the cycle through the simplifying passes, from 1; 0 for later passes.
        before, after: operations of the program before and after the pass.
        seconds: wall time of the run; it is only reported, and never written to generated files.
    """

    name: str
    round: int
    before: OperationCount
    after: OperationCount
    seconds: float


Optimised = tuple[Program, tuple[PassRecord, ...]]
"""Type of the result of passes: a program, and the records of all passes that changed it."""


def run_passes(program: Program, model: CostModel = FLOPS) -> Optimised:
    """Optimise a program by all passes except resubstitution (`run_last_pass`).

    Args:
        program: program as recorded.
        model: price of each operation. The result of a pass that replaces operations by others
            (trading pass) is used only if it costs less.

    Returns:
        The optimised program, and the records of all passes in order.

    Raises:
        InvalidProgramError: a pass, named in the message, made the program invalid; or the passes
            do not stop changing the program.
    """
    records: list[PassRecord] = []
    unchanged = 0  # successive passes that have changed nothing
    for number, simplifying in product(range(1, _MOST_ROUNDS + 1), SIMPLIFYING_PASSES):
        before = program
        program = _run_pass(simplifying, program, model, number, records)
        unchanged = unchanged + 1 if program is before else 0
        # A full cycle without a change, wherever it began: the passes are at rest.
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
    # These are not repeated: the simplifying passes would undo them.
    for final in TRADING_PASSES + FINAL_PASSES:
        program = _run_pass(final, program, model, 0, records)
    return program, tuple(records)


def run_last_pass(optimised: Optimised, model: CostModel) -> Optimised:
    """Run the last pass, resubstitution (computing values by one operation from other values).

    If it saves operations, the other passes run once more.

    Args:
        optimised: the program, and the records of its passes.
        model: the price of each operation.

    Returns:
        The program, and all records.
    """
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
    """Return the program after a pass, or the same program if the pass changes or saves nothing.

    A record of the pass is appended to `records` if the program changes. `number` counts the cycles
    through the simplifying passes, for this record.
    """
    start = perf_counter()
    result = step.apply(program) if step.may_pay(model) else program
    # The same object means that nothing has changed.
    if result is not program and (
        result == program
        or (step.trades and not compute_cost(result, model) < compute_cost(program, model))
    ):
        result = program
    before = records[-1].after if records else count(program)
    after = before
    if result is not program:
        try:
            # Only a changed program is validated and counted.
            after = count(validate(result))
        except InvalidProgramError as error:
            raise InvalidProgramError(f"pass {step.name}: {error}") from error
    records.append(PassRecord(step.name, number, before, after, perf_counter() - start))
    return result
