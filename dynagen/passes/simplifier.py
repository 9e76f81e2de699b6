"""The simplifying rules at once, while a program is being recorded: for a search that asks what thousands of programs cost.

What one rule emits, the next one sees, and equal operations exist once, of all programs that are recorded into one builder.
Counts of multiplications and additions are those of `run_passes`, but for the few that only a second round would find.
"""

from __future__ import annotations

from collections.abc import Iterable

from dynagen.ir.builder import Rule
from dynagen.ir.cost import FLOPS, Cost, CostModel
from dynagen.ir.count import count_instructions
from dynagen.ir.fusion import pair_products
from dynagen.ir.program import Argument, Instruction, Operation, Output, Program
from dynagen.ir.value_numbering import ValueNumberingBuilder
from dynagen.passes.cancellation import cancel
from dynagen.passes.collection import collect_terms
from dynagen.passes.constant_folding import fold
from dynagen.passes.dead_code import remove_dead_code
from dynagen.passes.shared_pairs import extract_shared_pairs
from dynagen.passes.sign_propagation import SignMover


class SimplifyingBuilder(ValueNumberingBuilder):
    """A builder that does not emit what it has or knows. Its values bear no names."""

    def __init__(self) -> None:
        super().__init__("", ())
        self._rules: tuple[Rule, ...] = (fold, cancel, SignMover().move)

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

    def collected(self, results: Iterable[int]) -> Program:
        """A program for some values, its sums collected and its products shared: it costs nearly what is emitted."""
        values = tuple(results)
        argument = Argument("results", (len(values),), ("",), "results")
        program = remove_dead_code(self.finish([Output(argument, values)]))
        return remove_dead_code(extract_shared_pairs(collect_terms(program)))
