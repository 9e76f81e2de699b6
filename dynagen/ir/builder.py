"""Builders of programs, with value numbering: equal operations on equal values are one value.

All instructions of programs are created in this module. A value is identified by the position of
the instruction that computes it, counted from 0. Value numbering looks up each new operation in a
table of the earlier ones, with the operation and the positions of the operands as key (Cocke and
Schwartz, "Programming Languages and Their Compilers", 1970).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from dynagen.errors import InvalidProgramError
from dynagen.ir.operation import CONSTANT, INPUT, MULTIPLY, NEGATE, SUBTRACT
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
from dynagen.numbers.exact import ONE, ZERO, Exact

AnyBuilder = TypeVar("AnyBuilder", bound="Builder")


class Builder:
    """A program under construction: appends instructions and returns their positions.

    Each constant and each input element is appended only once. Operations are appended even if an
    equal one exists, unlike in a `ValueNumberingBuilder`.

    Args:
        name: the function that the program computes, such as `inverse_dynamics`.
        inputs: input arguments, in the order of the generated function's arguments.
        sections: titles of the first sections, at least one. A section is the group of instructions
            under one comment of the generated code. New instructions belong to the first section.
    """

    def __init__(
        self, name: str, inputs: Iterable[Argument], sections: Iterable[str] = ("",)
    ) -> None:
        self.name = name
        self.inputs = tuple(inputs)
        self._instructions: list[Instruction] = []
        self._leaves: dict[Exact | Element, int] = {}
        self._constants: dict[int, Exact] = {}
        self._signed: set[int] = set()  # negations, and constants with a minus sign
        self._zeros_and_ones: dict[int, int] = {}  # constants that are 0 or 1
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
        """Return the instruction that computes the value `position` (counted from 0)."""
        return self._instructions[position]

    def begin_section(self, title: str) -> None:
        """Begin or continue a section, to which all following instructions belong.

        Args:
            title: title of the section; an unknown title adds a section.
        """
        self._section = self._sections.setdefault(title, len(self._sections))

    def add_constant(self, value: Exact | int) -> int:
        """Return the position of the CONSTANT instruction with a value; append it if it is new."""
        return self._leaf(CONSTANT, value if isinstance(value, Exact) else Exact(value))

    def add_element(self, argument: str, index: int) -> int:
        """Return the position of an element of an input argument; append it if it is new.

        Args:
            argument: name of the input argument, such as "q".
            index: flat row-major index of the element, from 0.
        """
        return self._leaf(INPUT, Element(argument, index))

    def emit(self, operation: Operation, *operands: int) -> int:
        """Append an operation on earlier values and return the position of its result.

        Args:
            operation: the operation, such as ADD, but not CONSTANT or INPUT.
            operands: positions of the operands in this builder, in order.
        """
        return self._append(operation, operands)

    def _append(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """Append an operation on earlier values and return the position of its result."""
        position = len(self._instructions)
        self._instructions.append(
            make_instruction((operation, operands, None, None, self._section))
        )
        if operation is NEGATE:
            self._signed.add(position)
        return position

    def emit_all(
        self, operations: Iterable[tuple[Operation, tuple[int, ...]]], values: list[int]
    ) -> None:
        """Append several operations in order, and append the results' positions to `values`.

        Args:
            operations: each operation, with the indices in `values` of its operands.
            values: positions of the operands in this builder; the positions of the results are
                appended.
        """
        emit, append = self.emit, values.append
        for operation, places in operations:
            append(emit(operation, *[values[place] for place in places]))

    def repeat(self, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """Append a copy of an instruction of another program and return its position.

        For a constant or input that this builder already contains, the existing position is
        returned.

        Args:
            instruction: the instruction to copy; the copy has the same name and belongs to the
                current section.
            operands: positions in this builder of the copy's operands.
        """
        operation, before, payload, name, section = instruction
        if payload is not None:
            position = self._leaves.get(payload)
            if position is not None:
                return position
            if section == self._section:
                return self._append_leaf(payload, instruction)
            return self._leaf(operation, payload)
        # An unchanged instruction stays the same object, so that programs are compared fast.
        if operands != before or section != self._section:
            instruction = make_instruction((operation, operands, None, name, self._section))
        position = len(self._instructions)
        self._instructions.append(instruction)
        if operation is NEGATE:
            self._signed.add(position)
        return position

    def can_name(self, position: int) -> bool:
        """Return whether the instruction at a position is an operation that has no name yet."""
        return (
            bool(self._instructions[position].operands)
            and self._instructions[position].name is None
        )

    def give_name(self, position: int, name: str) -> None:
        """Set the name of the value at a position; an earlier name of the value is replaced."""
        operation, operands, payload, _, section = self._instructions[position]
        self._instructions[position] = make_instruction(
            (operation, operands, payload, name, section)
        )

    def declare(self, symbol: Symbol) -> None:
        """Declare a symbol, so that the table of names in generated code explains its names.

        Raises:
            InvalidProgramError: another declared symbol has the same stem (the first part of its
                names, such as "w" of `w2_x`).
        """
        if self._symbols.setdefault(symbol.stem, symbol) != symbol:
            raise InvalidProgramError(
                f"{self.name}: {symbol.stem} is {self._symbols[symbol.stem].meaning}; "
                f"not {symbol.meaning}"
            )

    @property
    def constants(self) -> Iterable[Exact]:
        """The values of all CONSTANT instructions so far, each value once."""
        return self._constants.values()

    def get_constant(self, position: int) -> Exact | None:
        """Return the value of the CONSTANT instruction at a position; None for other operations."""
        return self._constants.get(position)

    def get_constants(self, positions: Iterable[int]) -> list[Exact | None]:
        """Return the value of the CONSTANT instruction at each position; None for all others."""
        return list(map(self._constants.get, positions))

    def has_constant(self, positions: Iterable[int]) -> bool:
        """Return whether at least one of the positions holds a CONSTANT instruction."""
        return not self._constants.keys().isdisjoint(positions)

    def find_zeros_and_ones(self, positions: Sequence[int]) -> tuple[int | None, ...] | None:
        """Return for each position 0 or 1 if it holds the constant 0 or 1, else None.

        If no position holds the constant 0 or 1, the result is None instead of a tuple.
        """
        known = self._zeros_and_ones
        return None if known.keys().isdisjoint(positions) else tuple(map(known.get, positions))

    def has_sign(self, positions: Iterable[int]) -> bool:
        """Return whether at least one position holds a negation or a constant with a minus sign."""
        return not self._signed.isdisjoint(positions)

    def split_sign(self, position: int) -> tuple[bool, int]:
        """Split a value into a sign (True if negated) and the position of the value without it.

        A negative constant counts as the negation of a positive one.
        """
        if position not in self._signed:
            return False, position
        constant = self._constants.get(position)
        if constant is not None:
            return True, self.add_constant(-constant)
        return True, self._instructions[position].operands[0]

    def find_constant_factor(self, position: int) -> Exact | None:
        """Return k if the value at a position is a product k * x with a constant k, else None."""
        instruction = self._instructions[position]
        return (
            self._constants.get(instruction.operands[0])
            if instruction.operation is MULTIPLY
            else None
        )

    def finish(self, outputs: Iterable[Output]) -> Program:
        """Return the program of all instructions so far.

        Args:
            outputs: output arguments, each with the positions of its elements' values. If a status
                is among the outputs, it must be the last one.
        """
        return Program(
            self.name,
            self.inputs,
            tuple(outputs),
            tuple(self._instructions),
            tuple(self._sections),
            tuple(self._symbols.values()),
        )

    def _leaf(self, operation: Operation, payload: Exact | Element) -> int:
        """Return the position of a constant or an input element; append it if it is new."""
        # Constants and inputs exist once, in every kind of builder.
        position = self._leaves.get(payload)
        if position is None:
            position = self._append_leaf(
                payload, make_instruction((operation, (), payload, None, self._section))
            )
        return position

    def _append_leaf(self, payload: Exact | Element, instruction: Instruction) -> int:
        """Append the instruction of a new constant or input element; return its position."""
        position = self._leaves[payload] = len(self._instructions)
        if isinstance(payload, Exact):
            self._constants[position] = payload
            if payload.has_minus:
                self._signed.add(position)
            if payload in (ZERO, ONE):
                self._zeros_and_ones[position] = int(payload == ONE)
        self._instructions.append(instruction)
        return position

    def has_same_instructions(self, program: Program) -> bool:
        """Return whether this builder contains exactly the instruction objects of a program."""
        return len(self._instructions) == len(program.instructions) and all(
            map(operator.is_, self._instructions, program.instructions)
        )


Rule = Callable[[Builder, Instruction, tuple[int, ...]], int | None]
"""Type of functions that replace one instruction, or return None to keep it.

The arguments are the builder of the new program, the old instruction, and the positions of its
operands in the new program. The result is the position of the replacing value.
"""


def rewrite(
    program: Program,
    rule: Rule,
    builder_type: type[Builder] = Builder,
    operations: Container[Operation] | None = None,
) -> Program:
    """Rebuild a program instruction by instruction, with a rule applied to every operation.

    If the rule replaces a named value by a value without a name, the replacement receives the name.
    A program of which nothing is replaced is returned as it is.

    Args:
        program: the program to rebuild.
        rule: function that is called for each operation, but not for constants and inputs. Its
            arguments are the builder of the new program, the instruction, and the positions of its
            operands in the new program. It returns the position of the replacing value, or None to
            keep the operation.
        builder_type: class of the new program's builder. `ValueNumberingBuilder` also merges equal
            operations.
        operations: operations for which the rule is called; None for all.
    """
    builder = builder_type.for_program(program)
    repeat = builder.repeat
    replacement: list[int] = []
    operands: tuple[int, ...]
    current, moved = -1, False
    for position, instruction in enumerate(program.instructions):
        operation, operands, _, name, section = instruction
        # Replacements belong to the section of the instruction that they replace.
        if section != current:
            current = section
            builder.begin_section(program.sections[section])
        # Operands come before their use, so their replacements are known.
        if moved:
            if len(operands) == 2:  # as of most operations; a comprehension would take longer
                operands = replacement[operands[0]], replacement[operands[1]]
            else:
                operands = tuple([replacement[operand] for operand in operands])
        value = None
        if operands and (operations is None or operation in operations):
            value = rule(builder, instruction, operands)
        if value is None:
            value = repeat(instruction, operands)
        elif name is not None and builder.can_name(value):
            builder.give_name(value, name)
        replacement.append(value)
        # Until a rule replaces an instruction, operands keep their positions.
        moved = moved or value != position
    if not moved and builder.has_same_instructions(program):
        return program
    outputs = (
        replace(output, values=tuple(replacement[value] for value in output.values))
        for output in program.outputs
    )
    return builder.finish(outputs)


class ValueNumberingBuilder(Builder):
    """Builder that never appends an operation twice; a + b and b + a are the same operation."""

    def __init__(
        self, name: str, inputs: Iterable[Argument], sections: Iterable[str] = ("",)
    ) -> None:
        super().__init__(name, inputs, sections)
        self._numbers: dict[tuple[Operation, tuple[int, ...]], int] = {}

    def emit(self, operation: Operation, *operands: int) -> int:
        """Return the position of an operation's result; append the operation if it is new.

        An existing operation is equal if it is of the same kind, such as ADD, and has the same
        operands. Operands of a sum or product may be in either order.

        Args:
            operation: the operation, neither CONSTANT nor INPUT.
            operands: positions of the operands in this builder, in order.
        """
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
        """Append the operations that are new, in order; append all results' positions to `values`.

        Args:
            operations: each operation, with the indices in `values` of its operands.
            values: positions of the operands in this builder; the positions of the results are
                appended.
        """
        numbers, append = self._numbers, values.append
        for operation, places in operations:  # `emit` without a call: searches spend time here
            operands: tuple[int, ...]
            if len(places) == 2:
                left, right = values[places[0]], values[places[1]]
                operands = left, right
                is_reversed = left > right and operation.commutes
            else:
                operands, is_reversed = (values[places[0]],), False
            key = operation, operands[::-1] if is_reversed else operands
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = self.emit_new(operation, operands)
            append(number)

    def repeat(self, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """Repeat an instruction of another program, and return the position of the result.

        If this builder already contains an equal operation, its position is returned. If that
        operation has no name, it receives the name of the instruction. Without an equal operation,
        a copy of the instruction is appended.

        Args:
            instruction: the instruction of another program; the copy keeps its name.
            operands: positions in this builder of the copy's operands.
        """
        operation, _, payload, name, _ = instruction
        if payload is not None:
            return super().repeat(instruction, operands)
        is_reversed = operation.commutes and operands[0] > operands[1]
        key = operation, operands[::-1] if is_reversed else operands
        number = self._numbers.get(key)
        if number is None:
            opposite = operation, operands[::-1]
            if operation is not SUBTRACT or opposite not in self._numbers:
                self._numbers[key] = number = super().repeat(instruction, operands)
                return number
            self._numbers[key] = number = self.emit_new(operation, operands)
        if name is not None and self.can_name(number):
            self.give_name(number, name)
        return number

    def emit_new(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """Append an operation that the program does not contain yet, and return its position.

        If the program contains a - b, then b - a is appended as the negation of a - b.

        Args:
            operation: the operation, neither CONSTANT nor INPUT.
            operands: positions of its operands, in order.
        """
        if operation is SUBTRACT:
            # A sign is often free (in an addition or a literal), a second subtraction is not.
            opposite = self._numbers.get((operation, operands[::-1]))
            if opposite is not None:
                return self.emit(NEGATE, opposite)
        return self._append(operation, operands)
