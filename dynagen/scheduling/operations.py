"""The operations of a program that take time, and which of them need which others' values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dynagen.ir.cost import FMA, CostModel, fused_products
from dynagen.ir.operation import Operation
from dynagen.ir.program import Program

_TRIGONOMETRIC = (Operation.SINE, Operation.COSINE)
_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True)
class TimedOperation:
    """An operation that costs something: an instruction, a sine with its cosine, or a product fused with an addition.

    Attributes:
        kind: of unit, as in `ir.count.KINDS`, or `fma`.
        takes: values that it needs: positions of the instructions that compute them.
        gives: positions of the instructions that it computes.
        name: what the recursion calls it, else its position, as `#17`.
        section: title of the program's section.
    """

    kind: str
    cost: Fraction
    takes: frozenset[int]
    gives: tuple[int, ...]
    name: str
    section: str


def timed_operations(program: Program, model: CostModel) -> tuple[TimedOperation, ...]:
    """The operations of a program that cost something, in its order.

    Operations that cost nothing (with `flops` sines, cosines and changes of sign) take no time and are no hindrance: whoever
    needs such a value repeats the operation, so that it depends on what this one depends on.
    """
    fused = fused_products(program) if model.fusing_saves else {}
    taken_along = set(fused.values())
    sources: list[
        frozenset[int]
    ] = []  # by instruction: the values that take time on which it depends, itself if it is one
    angles: dict[int, int] = {}  # angle -> position of its first sine or cosine
    operations: dict[int, TimedOperation] = {}
    for position, instruction in enumerate(program.instructions):
        takes = _NOTHING.union(*(sources[operand] for operand in instruction.operands))
        cost = model.weights[FMA] if position in fused else model.of(instruction.operation)
        if not cost or position in taken_along:
            sources.append(takes)
            continue
        first = position
        if instruction.operation in _TRIGONOMETRIC:
            first = angles.setdefault(instruction.operands[0], position)
        kind = FMA if position in fused else instruction.operation.kind
        before = operations.get(first)
        gives = (*before.gives, position) if before else (position,)
        name, section = instruction.name or f"#{position}", program.sections[instruction.section]
        operations[first] = TimedOperation(kind, cost, takes, gives, name, section)
        sources.append(frozenset((position,)))
    return tuple(operations.values())
