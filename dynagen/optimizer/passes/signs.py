"""Signs: negations move towards the results until an addition or a constant factor absorbs them.

Sign propagation: signs move towards the results until an addition absorbs them.

a + (-b) is a - b, (-a)*b is -(a*b), -(a - b) is b - a where nobody else needs a - b. Negative factors give their sign away, so
that 3*x and (-3)*x become one product. No multiplication or addition is added.

Sign absorption: a sign that no addition took is written into a constant factor, where it is free.
"""

from __future__ import annotations

from collections import Counter

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.operation import ODD, Operation
from dynagen.ir.program import Instruction, Program
from dynagen.ir.symbols import MINUS
from dynagen.ir.validation import LONGEST_NAME
from dynagen.optimizer.passes.folding import remove_dead_code


def propagate_signs(program: Program) -> Program:
    """Move negations outward."""
    # A difference whose operands have changed places must not stay beside its old form: value numbering would find it again.
    return remove_dead_code(rewrite(program, SignMover(program).move))


class SignMover:
    """Emits what replaces an instruction; knows who uses a value of the original program and which names are taken.

    Without a program, while one is being recorded, nothing is known of later uses, and differences keep their sign.
    """

    def __init__(self, program: Program | None = None) -> None:
        self._original: tuple[Instruction, ...] = ()
        self._uses: Counter[int] = Counter()
        self._taken: set[str] = set()
        if program is not None:
            self._original = program.instructions
            self._uses.update(
                operand for instruction in program.instructions for operand in instruction.operands
            )
            self._uses.update(program.result_values())
            self._taken.update(argument.name.lower() for argument in program.arguments)
            self._taken.update(
                instruction.name for instruction in program.instructions if instruction.name
            )

    def move(
        self, builder: Builder, instruction: Instruction, operands: tuple[int, ...]
    ) -> int | None:
        """The rule for one instruction."""
        operation = instruction.operation
        if operation is Operation.NEGATE:
            return self._negate(builder, instruction, operands[0])
        if operation is Operation.ADD:
            return self._add(
                builder,
                instruction,
                _split_sign(builder, operands[0]),
                _split_sign(builder, operands[1]),
            )
        if operation is Operation.SUBTRACT:
            minuend, (negative, y) = (
                _split_variable_sign(builder, operands[0]),
                _split_sign(builder, operands[1]),
            )
            return (
                self._add(builder, instruction, minuend, (not negative, y))
                if negative or minuend[0]
                else None
            )
        if not operation.parity:
            return None
        # A quotient's constant numerator keeps its sign, which is part of the literal; a product's is worth sharing without.
        first = _split_variable_sign if operation is Operation.DIVIDE else _split_sign
        signed = [
            first(builder, operands[0]),
            *(_split_sign(builder, each) for each in operands[1:]),
        ]
        if not any(negative for negative, _ in signed):
            return None
        value = builder.emit(operation, *(each for _, each in signed))
        changes = operation.parity == ODD and sum(negative for negative, _ in signed) % 2
        return self._emit_opposite(builder, instruction, value) if changes else value

    def _add(
        self, builder: Builder, instruction: Instruction, x: tuple[bool, int], y: tuple[bool, int]
    ) -> int | None:
        (x_negative, a), (y_negative, b) = x, y
        if not (x_negative or y_negative):
            return (
                None
                if instruction.operation is Operation.ADD
                else builder.emit(Operation.ADD, a, b)
            )
        if not x_negative:
            return builder.emit(Operation.SUBTRACT, a, b)
        if not y_negative:
            return builder.emit(Operation.SUBTRACT, b, a)
        for constant, other in ((builder.constant_value(a), b), (builder.constant_value(b), a)):
            if constant is not None:  # a constant carries its sign for nothing
                return builder.emit(Operation.SUBTRACT, builder.constant(-constant), other)
        return self._emit_opposite(builder, instruction, builder.emit(Operation.ADD, a, b))

    def _negate(self, builder: Builder, instruction: Instruction, position: int) -> int | None:
        negative, value = _split_sign(builder, position)
        if negative:
            return value
        operand = builder[position]
        (original,) = instruction.operands
        only_use = (
            self._uses[original] == 1 and self._original[original].operation is Operation.SUBTRACT
        )
        if only_use and operand.operation is Operation.SUBTRACT:
            return builder.emit(Operation.SUBTRACT, *reversed(operand.operands))
        self._name_opposite(builder, instruction, position)
        return None

    def _emit_opposite(self, builder: Builder, instruction: Instruction, value: int) -> int:
        self._name_opposite(builder, instruction, value)
        return builder.emit(Operation.NEGATE, value)

    def _name_opposite(self, builder: Builder, instruction: Instruction, value: int) -> None:
        """The value keeps a trace of the name that its negative would have had: minus_w2_x is -w2_x."""
        if instruction.name is not None and builder.can_name(value):
            known = instruction.name
            name = known.removeprefix(MINUS) if known.startswith(MINUS) else MINUS + known
            if name not in self._taken and len(name) <= LONGEST_NAME:
                self._taken.add(name)
                builder.give_name(value, name)


def _split_sign(builder: Builder, position: int) -> tuple[bool, int]:
    """Whether a value is the negative of another, and that other; a negative constant is the negative of a positive one."""
    instruction = builder[position]
    if instruction.operation is Operation.NEGATE:
        return True, instruction.operands[0]
    constant = builder.constant_value(position)
    if constant is not None and constant.has_minus:
        return True, builder.constant(-constant)
    return False, position


def _split_variable_sign(builder: Builder, position: int) -> tuple[bool, int]:
    """As `_split_sign`, except that a constant keeps its sign: -3 - x and -3/x cost nothing, -(3 + x) may."""
    return (
        (False, position)
        if builder.constant_value(position) is not None
        else _split_sign(builder, position)
    )


def absorb_signs(program: Program) -> Program:
    """Turn -(3*x) into (-3)*x where nobody else needs 3*x. Runs last: sign propagation would undo it."""
    uses = Counter(
        operand for instruction in program.instructions for operand in instruction.operands
    )
    uses.update(program.result_values())

    def absorb(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
        if instruction.operation is Operation.NEGATE and uses[instruction.operands[0]] == 1:
            product = builder[operands[0]]
            if (
                product.operation is Operation.MULTIPLY
                and (factor := builder.constant_value(product.operands[0])) is not None
            ):
                return builder.emit(
                    Operation.MULTIPLY, builder.constant(-factor), product.operands[1]
                )
        return None

    return remove_dead_code(rewrite(program, absorb))
