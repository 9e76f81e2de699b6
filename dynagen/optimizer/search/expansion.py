"""Expansion: conversion of a program to polynomials, which can be factored in other ways.

The recursion determines how the results of a recorded program are factored. For a robot with few
joints, expansion can undo this factoring. Values become polynomials in inputs, sines, cosines, and
results of other operations that are neither sums nor products. Opposite terms cancel. For the sine
s and cosine c of an angle, c^2 may be replaced by 1 - s^2, or s^2 by 1 - c^2.

Expansion alone adds operations; it saves operations if better factors are found afterwards.

    t = l1*c1 + l2*c12;  y = t*t     (4 mul, 1 add)
    ->  y = l1^2*c1^2 + 2*l1*l2*c1*c12 + l2^2*c12^2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce

from dynagen.ir.builder import Builder
from dynagen.ir.operation import ADD, CONSTANT, COSINE, INPUT, MULTIPLY, NEGATE, SINE, SUBTRACT
from dynagen.ir.program import Operation, Output, Program
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.numbers.parametric import (
    Polynomial,
    add,
    make_variable,
    multiply,
    multiply_by_number,
    replace_squares,
)

_SUM = (ADD, SUBTRACT)
_LEAVES = (CONSTANT, INPUT)
_CIRCLE = {SINE: COSINE, COSINE: SINE}


@dataclass(frozen=True)
class Extent:
    """Settings that limit how far a program is expanded.

    Attributes:
        most_terms: largest number of terms of a polynomial that is inserted in other values.
        replaced: SINE to replace s^2 by 1 - c^2, COSINE to replace c^2 by 1 - s^2, None to replace
            neither.
        opens_offsets: whether sums of inputs and numbers, except angles, are expanded too. Their
            terms may cancel, for example offsets of the positions of prismatic joints.
    """

    most_terms: int
    replaced: Operation | None = None
    opens_offsets: bool = False


@dataclass(frozen=True)
class Expansion:
    """A program in which products of sums are multiplied out, so that values are polynomials.

    Attributes:
        program: the program before expansion; the position of a value in the program identifies the
            value.
        operands: for each value that is computed by an operation other than a sum or product, the
            operands of this operation.
        sums: for each value that a polynomial defines, this polynomial in other values. The numbers
            of new values, which are parts of other polynomials, are not positions in the program.
        results: values of the output elements, output by output, row-major.
        partners: mapping from the value of each sine to the value of the cosine of the same angle,
            and from the cosine to the sine.
    """

    program: Program
    operands: Mapping[int, tuple[int, ...]]
    sums: Mapping[int, Polynomial[int]]
    results: tuple[int, ...]
    partners: Mapping[int, int]

    @property
    def first_new(self) -> int:
        """Lowest integer that identifies no value; lower integers identify all existing values."""
        return 1 + max((len(self.program.instructions), *self.sums))

    def emit(self) -> Program:
        """Return a program that computes the polynomials term by term."""
        return _ExpansionEmitter(self).run()


def expand(program: Program, extent: Extent) -> Expansion:
    """Return the values of a program as polynomials, as far as `extent` permits."""
    return _Expander(program, extent).run()


class _Expander:
    """Conversion of a program to polynomials, instruction by instruction."""

    def __init__(self, program: Program, extent: Extent) -> None:
        self._program = program
        self._extent = extent
        self._polynomials: list[Polynomial[int]] = []
        # for each position whether it is a sum or multiple of inputs, such as q2 + q3 or 2*qd1
        self._is_linear_in_inputs: list[bool] = []
        self._operands: dict[int, tuple[int, ...]] = {}
        self._sums: dict[int, Polynomial[int]] = {}
        self._known: dict[tuple[tuple[tuple[int, ...], Exact], ...], int] = {}
        self._turned = {
            operand
            for instruction in program.instructions
            if instruction.operation in _CIRCLE
            for operand in instruction.operands
        }
        self._angles: dict[tuple[Operation, int], int] = {}
        self._partners: dict[int, int] = {}

    def run(self) -> Expansion:
        """Return the program's expansion, in which values are polynomials."""
        for position in range(len(self._program.instructions)):
            self._polynomials.append(self._expand_instruction(position))
        results = tuple(self._value(position) for position in self._program.iterate_result_values())
        return Expansion(self._program, self._operands, self._sums, results, self._partners)

    def _expand_instruction(self, position: int) -> Polynomial[int]:
        """Return the result of the instruction at a position, as a polynomial in other values."""
        instruction = self._program.instructions[position]
        operation, operands = instruction.operation, instruction.operands
        known = [self._polynomials[operand] for operand in operands]
        # A product is a multiple of inputs only if one factor is a number.
        linear = operation in _SUM or (
            operation is MULTIPLY and any(() in factor for factor in known)
        )
        self._is_linear_in_inputs.append(
            operation in _LEAVES
            or (linear and all(self._is_linear_in_inputs[operand] for operand in operands))
        )
        if isinstance(instruction.payload, Exact):
            # A constant is a polynomial without variables; zero has no terms at all.
            return {(): instruction.payload} if instruction.payload else {}
        if operation is NEGATE:
            return multiply_by_number(known[0], -ONE)
        if operation in _SUM:
            polynomial = add(
                known[0],
                known[1] if operation is ADD else multiply_by_number(known[1], -ONE),
            )
        elif operation is MULTIPLY:
            # Squares only arise in products.
            polynomial = replace_squares(multiply(*known), self._list_replaced_squares())
        else:
            values = tuple(self._value(operand) for operand in operands)
            self._operands[position] = values
            if operation in _CIRCLE:
                self._record_partner(operation, values[0], position)
            return make_variable(position)
        # Sums of inputs stay whole, as the angles of parallel joints: each is one addition with
        # many uses. Writing it out would multiply the terms of all its users.
        is_open = self._extent.opens_offsets and () in polynomial and position not in self._turned
        whole = (self._is_linear_in_inputs[position] and not is_open) or len(
            polynomial
        ) > self._extent.most_terms
        return self._name_polynomial(position, polynomial) if whole else polynomial

    def _list_replaced_squares(self) -> dict[int, int]:
        """Return a mapping from each sine or cosine whose square is replaced to its partner.

        The partner is the cosine or sine of the same angle: s^2 is replaced by 1 - c^2, or c^2 by
        1 - s^2. Keys and values are positions in the program.
        """
        replaced = self._extent.replaced
        instructions = self._program.instructions
        return {
            function: partner
            for function, partner in self._partners.items()
            if instructions[function].operation is replaced
        }

    def _record_partner(self, function: Operation, angle: int, position: int) -> None:
        """Record a sine or cosine, and connect it to the other function of the same angle."""
        # Sine and cosine may come in any order; the second one finds the first.
        self._angles[function, angle] = position
        other = self._angles.get((_CIRCLE[function], angle))
        if other is not None:
            self._partners[position], self._partners[other] = other, position

    def _value(self, position: int) -> int:
        """Return a value that equals the polynomial of the instruction at a position.

        If there is no such value, it is defined.
        """
        ((factors, number), *others) = self._polynomials[position].items() or [((), ZERO)]
        if not others and len(factors) == 1 and number == ONE:
            return factors[0]
        ((factors, _),) = self._name_polynomial(position, self._polynomials[position]).items()
        return factors[0]

    def _name_polynomial(self, position: int, polynomial: Polynomial[int]) -> Polynomial[int]:
        """Define a value by a polynomial; return the polynomial that consists of this value.

        Equal polynomials define one value, which is identified by the position of the first one.
        """
        value = self._known.setdefault(
            # Equal polynomials may list their terms in different orders.
            tuple(sorted(polynomial.items(), key=lambda term: term[0])),
            position,
        )
        self._sums[value] = polynomial
        return make_variable(value)


class _ExpansionEmitter:
    """Conversion of an expansion to a program that computes its polynomials term by term."""

    def __init__(self, expansion: Expansion) -> None:
        self._expansion = expansion
        self._program = program = expansion.program
        self._builder = Builder.for_program(program)
        self._made: dict[int, int] = {}

    def run(self) -> Program:
        """Return the program that computes the polynomials term by term."""
        for value in sorted(
            # In the order of the program, so that sections stay together.
            filter(self._is_own, {*self._expansion.sums, *self._expansion.operands})
        ):
            self._value(value, 0)
        results = iter(self._expansion.results)
        outputs = [
            Output(output.argument, tuple(self._value(next(results), 0) for _ in output.values))
            for output in self._program.outputs
        ]
        return self._builder.finish(outputs)

    def _value(self, value: int, section: int) -> int:
        """Return the position of a value in the new program; emit the value if needed.

        A value that is not in the old program is emitted in the section with the index `section`.
        """
        if value not in self._made:
            # Values of the program keep their section and name.
            own = self._is_own(value)
            if own:
                section = self._program.instructions[value].section
            made = (
                self._emit_sum(value, section)
                if value in self._expansion.sums
                else self._emit_operation(value, section)
            )
            if (
                own
                and (name := self._program.instructions[value].name) is not None
                and self._builder.can_name(made)
            ):
                self._builder.give_name(made, name)
            self._made[value] = made
        return self._made[value]

    def _is_own(self, value: int) -> bool:
        """Return whether a value belongs to the original program; other values are new sums."""
        return value < len(self._program.instructions)

    def _emit_operation(self, value: int, section: int) -> int:
        """Emit an input, or an operation other than a sum or product; return its position."""
        instruction = self._program.instructions[value]
        if instruction.payload is not None:
            assert not isinstance(instruction.payload, Exact)
            return self._builder.add_element(
                instruction.payload.argument, instruction.payload.index
            )
        operands = [self._value(operand, section) for operand in self._expansion.operands[value]]
        self._builder.begin_section(self._program.sections[section])
        return self._builder.emit(instruction.operation, *operands)

    def _emit_sum(self, value: int, section: int) -> int:
        """Emit a polynomial term by term; in each term, the numeric factor comes first."""
        polynomial = self._expansion.sums[value]
        values = {
            factor: self._value(factor, section) for factors in polynomial for factor in factors
        }
        self._builder.begin_section(self._program.sections[section])
        total: int | None = None
        for factors, number in polynomial.items():
            # The first term keeps its sign; later signs become additions and subtractions.
            size = number if total is None else number.unsigned
            numbers = [] if size == ONE and factors else [self._builder.add_constant(size)]
            product = reduce(
                partial(self._builder.emit, MULTIPLY),
                numbers + [values[factor] for factor in factors],
            )
            joining = ADD if size == number else SUBTRACT
            total = product if total is None else self._builder.emit(joining, total, product)
        return self._builder.add_constant(ZERO) if total is None else total
