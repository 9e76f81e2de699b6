"""Builders of programs, with value numbering: equal operations on equal values are one value.

All instructions are created here. Value numbering finds equal operations by a lookup instead of
comparing programs (J. Cocke and J. T. Schwartz, Programming Languages and Their Compilers, 1970).
The position of an instruction is the number of its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from dynagen.errors import InvalidProgramError
from dynagen.ir.program import (
    Argument,
    Element,
    Instruction,
    Operation,
    Output,
    Program,
    make_instruction,
)
from dynagen.ir.symbols import Symbol
from dynagen.numbers.exact import Exact

AnyBuilder = TypeVar("AnyBuilder", bound="Builder")


class Builder:
    """A program under construction: appends instructions and returns their positions.

    Every constant and every input exists once. Operations are appended as they come; a
    `ValueNumberingBuilder` appends equal ones once.
    """

    def __init__(
        self, name: str, inputs: Iterable[Argument], sections: Iterable[str] = ("",)
    ) -> None:
        self.name = name
        self.inputs = tuple(inputs)
        self._instructions: list[Instruction] = []
        self._leaves: dict[Exact | Element, int] = {}
        self._constants: dict[int, Exact] = {}
        self._negative: set[int] = set()  # constants with a minus sign
        self._sections = {title: index for index, title in enumerate(sections)}
        self._section = 0
        self._symbols: dict[str, Symbol] = {}

    @classmethod
    def for_program(cls: type[AnyBuilder], program: Program) -> AnyBuilder:
        """Return an empty builder with the name, inputs, sections and symbols of a program."""
        builder = cls(program.name, program.inputs, program.sections)
        builder._symbols = {symbol.stem: symbol for symbol in program.symbols}
        return builder

    def __getitem__(self, position: int) -> Instruction:
        """Return the instruction at a position."""
        return self._instructions[position]

    def begin_section(self, title: str) -> None:
        """Begin or resume a section: the following instructions belong to it."""
        self._section = self._sections.setdefault(title, len(self._sections))

    def add_constant(self, value: Exact | int) -> int:
        """Return the position of a number."""
        return self._leaf(Operation.CONSTANT, value if isinstance(value, Exact) else Exact(value))

    def add_element(self, argument: str, index: int) -> int:
        """Return the position of an element of an input argument."""
        return self._leaf(Operation.INPUT, Element(argument, index))

    def emit(self, operation: Operation, *operands: int) -> int:
        """Append an operation on earlier values and return its position."""
        self._instructions.append(
            make_instruction((operation, operands, None, None, self._section))
        )
        return len(self._instructions) - 1

    def emit_all(
        self, operations: Iterable[tuple[Operation, tuple[int, ...]]], values: list[int]
    ) -> None:
        """Append operations whose operands are places in a list of values; add the results to it.

        Args:
            operations: each with the places of its operands.
            values: positions of values; it grows by one for each operation.
        """
        emit, append = self.emit, values.append
        for operation, places in operations:
            append(emit(operation, *[values[place] for place in places]))

    def repeat(self, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """Append an instruction of another program, with its name, on operands of this one.

        A leaf exists only once. An instruction whose operands have not moved stays the same object,
        so that programs compare fast.
        """
        operation, before, payload, name, section = instruction
        if payload is not None:
            return self._leaf(operation, payload)
        if operands != before or section != self._section:
            instruction = make_instruction((operation, operands, None, name, self._section))
        self._instructions.append(instruction)
        return len(self._instructions) - 1

    def can_name(self, position: int) -> bool:
        """Return whether a value is computed here and has no name yet."""
        return (
            bool(self._instructions[position].operands)
            and self._instructions[position].name is None
        )

    def give_name(self, position: int, name: str) -> None:
        """Give a value a name."""
        operation, operands, payload, _, section = self._instructions[position]
        self._instructions[position] = make_instruction(
            (operation, operands, payload, name, section)
        )

    def declare(self, symbol: Symbol) -> None:
        """Declare a symbol, so that values can have its names.

        Raises:
            InvalidProgramError: its stem belongs to another symbol.
        """
        if self._symbols.setdefault(symbol.stem, symbol) != symbol:
            raise InvalidProgramError(
                f"{self.name}: {symbol.stem} is {self._symbols[symbol.stem].meaning}; "
                f"not {symbol.meaning}"
            )

    @property
    def constants(self) -> Iterable[Exact]:
        """The numbers in the program so far."""
        return self._constants.values()

    def get_constant(self, position: int) -> Exact | None:
        """Return the number at a position; None if it is not a constant."""
        return self._constants.get(position)

    def get_constants(self, positions: Iterable[int]) -> list[Exact | None]:
        """Return the numbers at several positions, None for values that are not constants."""
        return [self._constants.get(position) for position in positions]

    def has_constant(self, positions: Iterable[int]) -> bool:
        """Return whether one of some values is a constant."""
        return not self._constants.keys().isdisjoint(positions)

    def has_sign(self, positions: Iterable[int]) -> bool:
        """Return whether one of some values is a negation or a constant with a minus sign."""
        instructions, negative = self._instructions, self._negative
        for position in positions:
            if instructions[position].operation is Operation.NEGATE or position in negative:
                return True
        return False

    def find_constant_factor(self, position: int) -> Exact | None:
        """Return the first operand of a product if that is a constant, else None."""
        instruction = self._instructions[position]
        return (
            self._constants.get(instruction.operands[0])
            if instruction.operation is Operation.MULTIPLY
            else None
        )

    def finish(self, outputs: Iterable[Output]) -> Program:
        """Return the program, with its outputs."""
        return Program(
            self.name,
            self.inputs,
            tuple(outputs),
            tuple(self._instructions),
            tuple(self._sections),
            tuple(self._symbols.values()),
        )

    def _leaf(self, operation: Operation, payload: Exact | Element) -> int:
        """Return the position of a constant or an input; append it if it is new."""
        # Constants and inputs exist once, in every kind of builder.
        position = self._leaves.get(payload)
        if position is None:
            position = self._leaves[payload] = len(self._instructions)
            if isinstance(payload, Exact):
                self._constants[position] = payload
                if payload.has_minus:
                    self._negative.add(position)
            self._instructions.append(
                make_instruction((operation, (), payload, None, self._section))
            )
        return position


Rule = Callable[[Builder, Instruction, tuple[int, ...]], int | None]
"""Function that emits the replacement of one instruction and returns the position of its value.

Its arguments are the builder, the instruction and the operands, which have been replaced already.
It returns None to keep the operation.
"""


def rewrite(program: Program, rule: Rule, builder_type: type[Builder] = Builder) -> Program:
    """Rebuild a program in order, with a rule applied to every operation.

    The name of a replaced value passes to its replacement, if that has no name.

    Args:
        program: the program to rebuild.
        rule: replaces operations.
        builder_type: builder of the new program.
    """
    builder = builder_type.for_program(program)
    repeat = builder.repeat
    replacement: list[int] = []
    operands: tuple[int, ...]
    current = -1
    for instruction in program.instructions:
        _, before, _, name, section = instruction
        # Replacements belong to the section of the instruction that they replace.
        if section != current:
            current = section
            builder.begin_section(program.sections[section])
        # Operands come before their use, so their replacements are known. Most operations have two
        # operands; a comprehension would take longer.
        if len(before) == 2:
            operands = replacement[before[0]], replacement[before[1]]
        else:
            operands = tuple([replacement[operand] for operand in before])
        value = rule(builder, instruction, operands) if before else None
        if value is None:
            value = repeat(instruction, operands)
        elif name is not None and builder.can_name(value):
            builder.give_name(value, name)
        replacement.append(value)
    outputs = (
        replace(output, values=tuple(replacement[value] for value in output.values))
        for output in program.outputs
    )
    return builder.finish(outputs)


class ValueNumberingBuilder(Builder):
    """Builder that appends no operation twice; operands of sums and products may change places."""

    def __init__(
        self, name: str, inputs: Iterable[Argument], sections: Iterable[str] = ("",)
    ) -> None:
        super().__init__(name, inputs, sections)
        self._numbers: dict[tuple[Operation, tuple[int, ...]], int] = {}

    def emit(self, operation: Operation, *operands: int) -> int:
        """Return the value of an operation: an earlier equal one, or a new one."""
        # a + b and b + a have one key, and so one number.
        is_reversed = operation.commutes and operands[0] > operands[1]
        key = operation, operands[::-1] if is_reversed else operands
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self.emit_new(operation, operands)
        return number

    def emit_all(
        self, operations: Iterable[tuple[Operation, tuple[int, ...]]], values: list[int]
    ) -> None:
        """Append operations as `Builder.emit_all` does; look equal ones up without a call.

        A search records thousands of programs with this method.
        """
        numbers, append = self._numbers, values.append
        for operation, places in operations:
            operands = tuple([values[place] for place in places])
            is_reversed = operation.commutes and operands[0] > operands[1]
            number = numbers.get((operation, operands[::-1] if is_reversed else operands))
            append(self.emit(operation, *operands) if number is None else number)

    def repeat(self, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """Return the value of an equal operation, or repeat the instruction if it has no equal.

        The name of the instruction passes to the equal value, if that has no name.
        """
        operation, _, payload, name, _ = instruction
        if payload is not None:
            return super().repeat(instruction, operands)
        is_reversed = operation.commutes and operands[0] > operands[1]
        key = operation, operands[::-1] if is_reversed else operands
        number = self._numbers.get(key)
        if number is None:
            opposite = operation, operands[::-1]
            if operation is not Operation.SUBTRACT or opposite not in self._numbers:
                self._numbers[key] = number = super().repeat(instruction, operands)
                return number
            self._numbers[key] = number = self.emit_new(operation, operands)
        if name is not None and self.can_name(number):
            self.give_name(number, name)
        return number

    def emit_new(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """Append an operation; return its value. b - a becomes the negative of an earlier a - b."""
        if operation is Operation.SUBTRACT:
            # A sign is often free (in an addition or a literal), a second subtraction is not.
            opposite = self._numbers.get((operation, operands[::-1]))
            if opposite is not None:
                return self.emit(Operation.NEGATE, opposite)
        return super().emit(operation, *operands)
