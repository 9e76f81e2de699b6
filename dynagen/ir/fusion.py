"""Fused multiply-add: which products of a program an addition can take along in the same instruction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from dynagen.ir.program import Instruction, Operation, Program


def fused_products(program: Program) -> dict[int, int]:
    """Additions and subtractions that can take a product along, and the product, by positions.

    x*y + z is one instruction where nobody else needs x*y; an addition takes one product at most. As either of two products
    will do, these are all pairs that there can be.
    """
    return pair_products(dict(enumerate(program.instructions)), program.result_values())


def pair_products(instructions: Mapping[int, Instruction], results: Iterable[int]) -> dict[int, int]:
    """Such pairs among instructions by position, all of which are needed for some results; operands may lie beyond them."""
    uses = Counter(operand for instruction in instructions.values() for operand in instruction.operands)
    uses.update(results)
    products = {position for position, each in instructions.items() if each.operation is Operation.MULTIPLY}
    pairs = {}
    for position, instruction in instructions.items():
        if instruction.operation in (Operation.ADD, Operation.SUBTRACT):
            for operand in instruction.operands:
                if uses[operand] == 1 and operand in products:
                    pairs[position] = operand
                    break
    return pairs
