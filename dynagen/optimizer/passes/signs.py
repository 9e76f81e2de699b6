"""Passes on signs: negations move towards the results until additions or constants absorb them.

The passes add no multiplication or addition. Constant factors lose their signs, so that 3*x and
(-3)*x are computed by one product.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from operator import attrgetter

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.operation import ADD, DIVIDE, MULTIPLY, NEGATE, ODD, SUBTRACT
from dynagen.ir.program import Instruction, Program
from dynagen.ir.symbols import MINUS
from dynagen.ir.validation import LONGEST_NAME
from dynagen.optimizer.passes.folding import remove_dead_code


def propagate_signs(program: Program) -> Program:
    """Move negations towards the results until additions absorb them.

    a = x + (-y)         ->  a = x - y
    b = (-x)*y           ->  minus_b = x*y;  b = -minus_b
    c = -(x - y)         ->  c = y - x, if x - y has no other use
    d = (-3)*x + z       ->  minus_t = 3*x;  d = z - minus_t
    """
    # A difference that was turned round leaves its old form unused. Value numbering would find that
    # form again, so dead code goes at once.
    return remove_dead_code(rewrite(program, SignMover(program).move))


class SignMover:
    """Rule that moves the negation of an operand to the result of an operation.

    The pass `propagate_signs` applies the rule to a whole program, whose uses and names of values
    are known. While a program is being recorded, later uses of x - y are unknown, so that x - y is
    never replaced by y - x.
    """

    def __init__(self, program: Program | None = None) -> None:
        """Store the program.

        Args:
            program: program to rewrite; None while a program is being recorded.
        """
        self._program = program

    # Most programs have few signs, so uses and names are collected when they are needed.
    @cached_property
    def _uses(self) -> Counter[int]:
        """How often each value of the program is used."""
        return Counter() if self._program is None else self._program.count_uses()

    @cached_property
    def _taken(self) -> set[str]:
        """The names of all arguments (in lower case) and values of the program."""
        if self._program is None:
            return set()
        names = {argument.name.lower() for argument in self._program.arguments}
        return names.union(filter(None, map(attrgetter("name"), self._program.instructions)))

    def move(
        self, builder: Builder, instruction: Instruction, operands: tuple[int, ...]
    ) -> int | None:
        """Return a value that replaces an instruction whose operands have signs to be moved.

        The value is computed from operands without signs, or is the negation of such a value.

        Args:
            builder: builder of the new program.
            instruction: instruction of the old program.
            operands: the instruction's operands, as positions in the builder.

        Returns:
            Position of the replacement in the builder; None if the instruction has no sign to move.
        """
        operation = instruction.operation
        if operation is NEGATE:
            return self._negate(builder, instruction, operands[0])
        if not builder.has_sign(operands):
            return None
        if operation is ADD:
            return self._add(
                builder,
                instruction,
                builder.split_sign(operands[0]),
                builder.split_sign(operands[1]),
            )
        if operation is SUBTRACT:
            minuend, (negative, y) = (
                _split_variable_sign(builder, operands[0]),
                builder.split_sign(operands[1]),
            )
            return (
                self._add(builder, instruction, minuend, (not negative, y))
                # A difference without signs stays; returning None repeats the instruction.
                if negative or minuend[0]
                else None
            )
        if not operation.parity:
            return None
        # The numerator of -3/x keeps its sign, which is part of the literal. A factor loses it, so
        # that 3*x and -3*x share a product.
        if operation is DIVIDE:
            signed = [
                _split_variable_sign(builder, operands[0]),
                builder.split_sign(operands[1]),
            ]
        else:
            signed = list(map(builder.split_sign, operands))
        if not any(negative for negative, _ in signed):
            return None
        value = builder.emit(operation, *(operand for _, operand in signed))
        # sin(-x) is -sin(x), but cos(-x) is cos(x): odd functions pass the sign on, even ones drop
        # it.
        changes = operation.parity == ODD and sum(negative for negative, _ in signed) % 2
        return self._emit_opposite(builder, instruction, value) if changes else value

    def _add(
        self, builder: Builder, instruction: Instruction, x: tuple[bool, int], y: tuple[bool, int]
    ) -> int | None:
        """Return the position of the sum of two values with signs; None to keep the instruction.

        `x` and `y` are pairs: whether the term is subtracted, and the position of its value.
        """
        (x_negative, a), (y_negative, b) = x, y
        if not (x_negative or y_negative):
            return None if instruction.operation is ADD else builder.emit(ADD, a, b)
        # a + (-b) is a - b, and (-a) + b is b - a.
        if not x_negative:
            return builder.emit(SUBTRACT, a, b)
        if not y_negative:
            return builder.emit(SUBTRACT, b, a)
        for constant, other in ((builder.get_constant(a), b), (builder.get_constant(b), a)):
            if constant is not None:  # -x - 3 is -3 - x: the literal includes the sign
                return builder.emit(SUBTRACT, builder.add_constant(-constant), other)
        return self._emit_opposite(builder, instruction, builder.emit(ADD, a, b))

    def _negate(self, builder: Builder, instruction: Instruction, position: int) -> int | None:
        """Return the position of the value that replaces a negation; None to keep the negation.

        `position` is that of the negated value.
        """
        negative, value = builder.split_sign(position)
        if negative:
            return value
        operand = builder[position]
        (original,) = instruction.operands
        # Turning a difference round that has another use would compute it twice.
        if (
            operand.operation is SUBTRACT
            and self._program is not None
            and self._program.instructions[original].operation is SUBTRACT
            and self._uses[original] == 1
        ):
            return builder.emit(SUBTRACT, *reversed(operand.operands))
        self._name_opposite(builder, instruction, position)
        return None

    def _emit_opposite(self, builder: Builder, instruction: Instruction, value: int) -> int:
        """Emit the negation of a value, and name the value after `instruction`, the negation."""
        self._name_opposite(builder, instruction, value)
        return builder.emit(NEGATE, value)

    def _name_opposite(self, builder: Builder, instruction: Instruction, value: int) -> None:
        """Give a value a name made from the name of its negation, `instruction`.

        For example, if w2_x = -(...), the value in parentheses is called minus_w2_x.
        """
        if instruction.name is not None and builder.can_name(value):
            known = instruction.name
            name = known.removeprefix(MINUS) if known.startswith(MINUS) else MINUS + known
            # The trace of a name must not collide with a name that appears later in the program.
            if name not in self._taken and len(name) <= LONGEST_NAME:
                self._taken.add(name)
                builder.give_name(value, name)


def _split_variable_sign(builder: Builder, position: int) -> tuple[bool, int]:
    """Return whether a value has a minus sign, and the value without it; keep signs of constants.

    For example, -3 - x costs as much as 3 - x, but -(3 + x) may cost an additional negation.
    """
    return (
        (False, position)
        if builder.get_constant(position) is not None
        else builder.split_sign(position)
    )


def absorb_signs(program: Program) -> Program:
    """Absorb negations of products in constant factors if the product has no other use.

    t = 3*x              ->  a = -3*x
    a = -t
    """
    if NEGATE not in map(attrgetter("operation"), program.instructions):
        return remove_dead_code(program)
    uses = program.count_uses()

    def absorb(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
        if uses[instruction.operands[0]] == 1:
            product = builder[operands[0]]
            if (
                product.operation is MULTIPLY
                and (factor := builder.get_constant(product.operands[0])) is not None
            ):
                return builder.emit(MULTIPLY, builder.add_constant(-factor), product.operands[1])
        return None

    return remove_dead_code(rewrite(program, absorb, operations=(NEGATE,)))
