"""Build programs instruction by instruction; equal operations on equal values are one value.

Build programs instruction by instruction; the one place where instructions come into being.

Value numbering: equal operations on equal values are one value, found by looking up instead of comparing programs.

J. Cocke and J. T. Schwartz, Programming Languages and Their Compilers, 1970. A position is the number of the value there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from dynagen.errors import InvalidProgramError
from dynagen.ir.program import Argument, Element, Instruction, Operation, Output, Program
from dynagen.ir.symbols import Symbol
from dynagen.numbers.exact import Exact

AnyBuilder = TypeVar("AnyBuilder", bound="Builder")


class Builder:
    """Appends instructions and hands out their positions.

    Constants and inputs exist once. Operations are appended as they come; a `ValueNumberingBuilder` appends equal ones once.
    """

    def __init__(
        self, name: str, inputs: Iterable[Argument], sections: Iterable[str] = ("",)
    ) -> None:
        self.name = name
        self.inputs = tuple(inputs)
        self._instructions: list[Instruction] = []
        self._leaves: dict[Exact | Element, int] = {}
        self._constants: dict[int, Exact] = {}
        self._sections = {title: index for index, title in enumerate(sections)}
        self._section = 0
        self._symbols: dict[str, Symbol] = {}

    @classmethod
    def replacing(cls: type[AnyBuilder], program: Program) -> AnyBuilder:
        """A builder for what replaces a program: empty, of the same name, inputs, sections and symbols."""
        builder = cls(program.name, program.inputs, program.sections)
        builder._symbols = {symbol.stem: symbol for symbol in program.symbols}
        return builder

    def __getitem__(self, position: int) -> Instruction:
        """The instruction at a position."""
        return self._instructions[position]

    def begin_section(self, title: str) -> None:
        """Instructions from here on belong to the section of this title."""
        self._section = self._sections.setdefault(title, len(self._sections))

    def constant(self, value: Exact | int) -> int:
        """A number."""
        return self._leaf(Operation.CONSTANT, value if isinstance(value, Exact) else Exact(value))

    def element(self, argument: str, index: int) -> int:
        """An element of an input argument."""
        return self._leaf(Operation.INPUT, Element(argument, index))

    def emit(self, operation: Operation, *operands: int) -> int:
        """Append an operation on earlier values."""
        self._instructions.append(Instruction(operation, operands, None, None, self._section))
        return len(self._instructions) - 1

    def repeat(self, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """Append an instruction of another program, name and all, on operands that may have moved; a leaf only once.

        What has not moved stays the same object, so that programs are compared at a glance.
        """
        operation, before, payload, name, section = instruction
        if payload is not None:
            return self._leaf(operation, payload)
        if operands != before or section != self._section:
            instruction = Instruction(operation, operands, None, name, self._section)
        self._instructions.append(instruction)
        return len(self._instructions) - 1

    def can_name(self, position: int) -> bool:
        """Whether a value is computed here and has no name yet."""
        return (
            bool(self._instructions[position].operands)
            and self._instructions[position].name is None
        )

    def give_name(self, position: int, name: str) -> None:
        """Call a value by a name."""
        known = self._instructions[position]
        self._instructions[position] = Instruction(
            known.operation, known.operands, known.payload, name, known.section
        )

    def declare(self, symbol: Symbol) -> None:
        """Let values bear the names of a symbol.

        Raises:
            InvalidProgramError: its stem stands for something else already.
        """
        if self._symbols.setdefault(symbol.stem, symbol) != symbol:
            raise InvalidProgramError(
                f"{self.name}: {symbol.stem} is {self._symbols[symbol.stem].meaning}; not {symbol.meaning}"
            )

    @property
    def constants(self) -> Iterable[Exact]:
        """The numbers so far."""
        return self._constants.values()

    def constant_value(self, position: int) -> Exact | None:
        """The number at a position, or None if it is not a constant."""
        return self._constants.get(position)

    def constant_values(self, positions: Iterable[int]) -> list[Exact | None]:
        """The numbers at several positions, None for those that are no constants."""
        return [self._constants.get(position) for position in positions]

    def constant_factor(self, position: int) -> Exact | None:
        """The constant that comes first in a product, if one does."""
        instruction = self._instructions[position]
        return (
            self._constants.get(instruction.operands[0])
            if instruction.operation is Operation.MULTIPLY
            else None
        )

    def finish(self, outputs: Iterable[Output]) -> Program:
        """The program so far, with its results."""
        return Program(
            self.name,
            self.inputs,
            tuple(outputs),
            tuple(self._instructions),
            tuple(self._sections),
            tuple(self._symbols.values()),
        )

    def _leaf(self, operation: Operation, payload: Exact | Element) -> int:
        position = self._leaves.get(payload)
        if position is None:
            position = self._leaves[payload] = len(self._instructions)
            if isinstance(payload, Exact):
                self._constants[position] = payload
            self._instructions.append(Instruction(operation, (), payload, None, self._section))
        return position


Rule = Callable[[Builder, Instruction, tuple[int, ...]], int | None]
"""Emit what replaces one instruction, whose operands have been replaced already; return the position of its value.

None: nothing, the operation stays.
"""


def rewrite(program: Program, rule: Rule, builder_type: type[Builder] = Builder) -> Program:
    """Rebuild a program in order, passing every operation through a rule.

    A value whose instruction disappears hands its name on to what replaces it, if that has none.
    """
    builder = builder_type.replacing(program)
    replacement: list[int] = []
    section = -1
    for instruction in program.instructions:
        if instruction.section != section:
            section = instruction.section
            builder.begin_section(program.sections[section])
        operands = tuple([replacement[operand] for operand in instruction.operands])
        value = rule(builder, instruction, operands) if operands else None
        if value is None:
            value = builder.repeat(instruction, operands)
        elif instruction.name is not None and builder.can_name(value):
            builder.give_name(value, instruction.name)
        replacement.append(value)
    outputs = (
        replace(output, values=tuple(replacement[value] for value in output.values))
        for output in program.outputs
    )
    return builder.finish(outputs)


class ValueNumberingBuilder(Builder):
    """A builder that appends no operation twice. Operands of sums and products may change places."""

    def __init__(
        self, name: str, inputs: Iterable[Argument], sections: Iterable[str] = ("",)
    ) -> None:
        super().__init__(name, inputs, sections)
        self._numbers: dict[tuple[Operation, tuple[int, ...]], int] = {}

    def emit(self, operation: Operation, *operands: int) -> int:
        """The value of an operation: the first that was equal, or a new one."""
        key = operation, tuple(sorted(operands)) if operation.commutes else operands
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self.emit_new(operation, operands)
        return number

    def emit_new(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """The value of an operation that has not been asked for; b - a is the negative of a - b."""
        if operation is Operation.SUBTRACT:
            opposite = self._numbers.get((operation, operands[::-1]))
            if opposite is not None:
                return self.emit(Operation.NEGATE, opposite)
        return super().emit(operation, *operands)
