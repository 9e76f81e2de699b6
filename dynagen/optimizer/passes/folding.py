"""Constant folding, copy propagation, common subexpression elimination and dead code elimination.

Compilers have the same four passes. All passes of this module compute with exact numbers: a
constant is rounded only once, when it is printed.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, chain, compress
from operator import attrgetter

from dynagen.ir.builder import Builder, ValueNumberingBuilder, rewrite
from dynagen.ir.operation import ADD, COPY, DIVIDE, MULTIPLY, NEGATE, SUBTRACT
from dynagen.ir.program import Instruction, Program, make_instruction
from dynagen.numbers.exact import ONE, ZERO, Exact

_MINUS_ONE = -ONE


def fold_constants(program: Program) -> Program:
    """Compute operations on constants exactly, and drop multiplications by 0, 1 and -1.

    The constant factors of nested products become one factor. A division by a constant becomes a
    multiplication, which is faster on every machine. An operation whose result is one of its
    operands becomes a copy of that operand.

        a = 2 + 3*4          ->  14
        b = 1*x + 0*y        ->  b = x
        c = 2*(3*x)          ->  c = 6*x
        d = x/4              ->  d = 0.25*x
    """
    return rewrite(program, fold_instruction)


def fold_instruction(
    builder: Builder, instruction: Instruction, operands: tuple[int, ...]
) -> int | None:
    """Return a value that replaces an operation on constants, or a trivial operation such as 1*x.

    Args:
        builder: builder of the new program.
        instruction: instruction of the old program.
        operands: the instruction's operands, as positions in the builder.

    Returns:
        Position of the replacement in the builder; None to keep the instruction.
    """
    operation = instruction.operation
    if not builder.has_constant(operands):
        # x - x is the only rule that needs no constant operand.
        if operation is SUBTRACT and operands[0] == operands[1]:
            return builder.add_constant(ZERO)
        return None
    zeros_and_ones = builder.find_zeros_and_ones(operands)
    if operation is MULTIPLY and zeros_and_ones is not None and 0 in zeros_and_ones:
        return builder.add_constant(ZERO)
    # Operations have one or two operands.
    constants = builder.get_constants(operands)
    first, last = constants[0], constants[-1]
    if (
        first is not None
        and last is not None
        and operation.fold is not None
        # Folding fails where no exact number is known: the square root of -2 stays an operation.
        and (folded := operation.fold(*constants)) is not None
    ):
        return builder.add_constant(folded)

    if operation is ADD or operation is SUBTRACT:
        if zeros_and_ones is None or 0 not in zeros_and_ones:
            return None
        # A copy keeps the name of the sum; copy propagation removes it later.
        place = zeros_and_ones.index(0)
        replacement = NEGATE if operation is SUBTRACT and place == 0 else COPY
        return builder.emit(replacement, operands[1 - place])
    # A division by zero stays, so that it fails at run time as written.
    if operation is DIVIDE and last:
        return _emit_multiple(builder, last.reciprocal(), operands[0])
    if operation is MULTIPLY:
        if first is None:
            assert last is not None  # one of the operands is a constant
            return _emit_multiple(builder, last, operands[0])
        # A constant goes first in a product, and is merged with the constant of an inner product.
        if (
            zeros_and_ones is not None
            or first == _MINUS_ONE
            or builder.find_constant_factor(operands[1]) is not None
        ):
            return _emit_multiple(builder, first, operands[1])
    return None


def _emit_multiple(builder: Builder, factor: Exact, value: int) -> int:
    """Return the position of the product of a constant and a value that is not constant."""
    if factor == ZERO:
        return builder.add_constant(ZERO)
    if factor == ONE:
        return builder.emit(COPY, value)
    if factor == _MINUS_ONE:
        return builder.emit(NEGATE, value)
    if (inner := builder.find_constant_factor(value)) is not None:
        return _emit_multiple(builder, factor * inner, builder[value].operands[1])
    return builder.emit(MULTIPLY, builder.add_constant(factor), value)


def propagate_copies(program: Program) -> Program:
    """Replace copies by the values that they copy.

    a = x + y            ->  a = x + y
    b = a
    c = b*z              ->  c = a*z
    result c                 result c
    """
    operations = map(attrgetter("operation"), program.instructions)
    return rewrite(program, _drop_copy, operations=(COPY,)) if COPY in operations else program


def _drop_copy(_: Builder, __: Instruction, operands: tuple[int, ...]) -> int:
    """Return the position of the value that an instruction copies."""
    return operands[0]


def share_common_subexpressions(program: Program) -> Program:
    """Keep only the first of several equal operations.

    Sums and products are equal in any order of operands. If x - y exists, y - x is replaced by
    -(x - y).

        a = x*y              ->  a = x*y
        b = y*x
        c = a - z            ->  c = a - z
        d = z - b            ->  d = -c
    """
    # The rule replaces nothing: the builder itself finds equal operations when it repeats them.
    return rewrite(program, lambda *_: None, ValueNumberingBuilder, operations=())


def remove_dead_code(program: Program) -> Program:
    """Drop instructions that no result depends on, and sections without instructions.

    a = x*y              ->  a = x*y
    b = x + y
    c = sqrt(a)          ->  c = sqrt(a)
    result c                 result c
    """
    instructions = program.instructions
    used = set(chain.from_iterable(map(attrgetter("operands"), instructions)))
    used.update(program.iterate_result_values())
    # If each value has a use, the last of its users is a result: most programs have no dead code.
    if len(used) == len(instructions):
        used_sections = set(map(attrgetter("section"), instructions))
        if len(used_sections) == len(program.sections):
            return program
    live = [False] * len(instructions)
    for value in program.iterate_result_values():
        live[value] = True
    # Operands precede their users: one pass from the end marks all live instructions.
    for instruction, needed in zip(reversed(instructions), reversed(live), strict=True):
        if needed:
            for operand in instruction.operands:
                live[operand] = True
    used_sections = set(map(attrgetter("section"), compress(instructions, live)))
    # Sections without instructions disappear, so the others are numbered again.
    section = {old: index for index, old in enumerate(sorted(used_sections))}
    # The new position of an instruction is the number of kept ones before it.
    moved = list(accumulate(live, initial=0))
    kept = []
    operands: tuple[int, ...]
    for instruction in compress(instructions, live):
        operation, before, payload, name, old = instruction
        if len(before) == 2:  # as of most operations; a comprehension would take longer
            operands = moved[before[0]], moved[before[1]]
        else:
            operands = tuple([moved[operand] for operand in before])
        # An instruction that stays the same object is compared fast.
        if operands != before or section[old] != old:
            instruction = make_instruction((operation, operands, payload, name, section[old]))
        kept.append(instruction)
    return replace(
        program,
        instructions=tuple(kept),
        outputs=tuple(
            replace(output, values=tuple(moved[value] for value in output.values))
            for output in program.outputs
        ),
        sections=tuple(program.sections[old] for old in section) or ("",),
    )
