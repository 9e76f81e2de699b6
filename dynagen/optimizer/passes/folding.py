"""Constant folding, copy propagation, common subexpressions and dead code.

Constant folding: what is known now is not computed later.

Multiplications by 0, 1 and -1 and additions of 0 vanish, operations on constants become constants (exactly), and factors are
gathered: 2*(3*x) is 6*x. A division by a constant becomes a multiplication, which costs less on every machine.

Copy propagation: whoever uses a copy uses the original.

Common subexpressions: what has been computed before is not computed again (value numbering).

Dead code: what no result needs is not computed.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, compress

from dynagen.ir.builder import Builder, ValueNumberingBuilder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.numbers.exact import ONE, ZERO, Exact

_MINUS_ONE = -ONE
_TRIVIAL = (ZERO, ONE, _MINUS_ONE)


def fold_constants(program: Program) -> Program:
    """Fold constants; values that turn out to equal another become copies of it."""
    return rewrite(program, fold_instruction)


def fold_instruction(
    builder: Builder, instruction: Instruction, operands: tuple[int, ...]
) -> int | None:
    """The rule for one instruction."""
    operation = instruction.operation
    constants = builder.constant_values(operands)
    known = [constant for constant in constants if constant is not None]
    if not known:
        if operation is Operation.SUBTRACT and operands[0] == operands[1]:
            return builder.constant(ZERO)
        return None
    if (
        len(known) == len(constants)
        and operation.fold is not None
        and (folded := operation.fold(*known)) is not None
    ):
        return builder.constant(folded)

    if operation is Operation.ADD and ZERO in constants:
        return builder.emit(Operation.COPY, operands[1 - constants.index(ZERO)])
    if operation is Operation.SUBTRACT:
        if constants[1] == ZERO:
            return builder.emit(Operation.COPY, operands[0])
        if constants[0] == ZERO:
            return builder.emit(Operation.NEGATE, operands[1])
    if operation is Operation.DIVIDE and constants[1]:
        return _emit_multiple(builder, constants[1].reciprocal(), operands[0])
    if operation is Operation.MULTIPLY:
        if constants[0] is None:
            return _emit_multiple(builder, known[0], operands[0])
        if known[0] in _TRIVIAL or builder.constant_factor(operands[1]) is not None:
            return _emit_multiple(builder, known[0], operands[1])
    return None


def _emit_multiple(builder: Builder, factor: Exact, value: int) -> int:
    """The product of a constant and a value that is none."""
    if factor == ZERO:
        return builder.constant(ZERO)
    if factor == ONE:
        return builder.emit(Operation.COPY, value)
    if factor == _MINUS_ONE:
        return builder.emit(Operation.NEGATE, value)
    if (inner := builder.constant_factor(value)) is not None:
        return _emit_multiple(builder, factor * inner, builder[value].operands[1])
    return builder.emit(Operation.MULTIPLY, builder.constant(factor), value)


def propagate_copies(program: Program) -> Program:
    """Remove all copies."""
    return rewrite(program, _drop_copy)


def _drop_copy(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
    """The rule for one instruction."""
    return operands[0] if instruction.operation is Operation.COPY else None


def share_common_subexpressions(program: Program) -> Program:
    """Keep the first of several equal operations. Terms and factors may change places; b - a is the negative of a - b."""
    return rewrite(program, _emit_numbered, ValueNumberingBuilder)


def _emit_numbered(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
    return builder.emit(instruction.operation, *operands)


def remove_dead_code(program: Program) -> Program:
    """Keep what the results depend on, in order, and the sections that still have content."""
    instructions = program.instructions
    live = [False] * len(instructions)
    for value in program.result_values():
        live[value] = True
    for position in reversed(range(len(instructions))):
        if live[position]:
            for operand in instructions[position].operands:
                live[operand] = True
    used_sections = {
        instruction.section
        for instruction, needed in zip(instructions, live, strict=True)
        if needed
    }
    if all(live) and len(used_sections) == len(program.sections):
        return program
    section = {old: index for index, old in enumerate(sorted(used_sections))}
    moved = list(accumulate(live, initial=0))  # how many are kept before each
    kept = []
    for operation, operands, payload, name, old in compress(instructions, live):
        kept.append(
            Instruction(
                operation,
                tuple([moved[operand] for operand in operands]),
                payload,
                name,
                section[old],
            )
        )
    return replace(
        program,
        instructions=tuple(kept),
        outputs=tuple(
            replace(output, values=tuple(moved[value] for value in output.values))
            for output in program.outputs
        ),
        sections=tuple(program.sections[old] for old in section) or ("",),
    )
