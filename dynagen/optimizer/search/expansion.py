"""Expansion: a program written out as polynomials, so that it can be factored anew.

A recursion decides early in which sums its results are factored. What it has become for a robot with few joints is small
enough to forget that: values become polynomials in sines, cosines, sums and multiples of inputs, and whatever is neither a sum
nor a product; opposite terms meet and disappear, and the square of a cosine may become 1 - s^2, or that of a sine 1 - c^2. On
its own an expansion only adds operations. It pays where what follows finds better factors than the recursion had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce

from dynagen.ir.builder import Builder
from dynagen.ir.program import Operation, Output, Program
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.numbers.parametric import (
    Polynomial,
    add,
    multiple,
    multiply,
    variable,
    without_squares,
)

_SUM = (Operation.ADD, Operation.SUBTRACT)
_LEAVES = (Operation.CONSTANT, Operation.INPUT)
_CIRCLE = {Operation.SINE: Operation.COSINE, Operation.COSINE: Operation.SINE}


@dataclass(frozen=True)
class Extent:
    """The extent to which a program is written out.

    Attributes:
        most_terms: a polynomial with more terms is one value for those that need it.
        replaced: SINE or COSINE if squares of this function of an angle become one minus the square of the other.
    """

    most_terms: int
    replaced: Operation | None = None


@dataclass(frozen=True)
class Expansion:
    """A program whose sums and products are polynomials.

    Attributes:
        program: what was written out. Its positions are the values.
        operands: of operations that are neither sums nor products: the values that they take, by position.
        sums: values as polynomials in others; those that are not positions of the program are parts of others.
        results: the value of every element of every output.
        partners: for every sine the cosine of the same angle, and the other way round.
    """

    program: Program
    operands: Mapping[int, tuple[int, ...]]
    sums: Mapping[int, Polynomial[int]]
    results: tuple[int, ...]
    partners: Mapping[int, int]

    @property
    def first_new(self) -> int:
        """A number from which on there are no values: results of operations, which may be no factor of any sum, count too."""
        return 1 + max((len(self.program.instructions), *self.sums))

    def emit(self) -> Program:
        """The polynomials as a program, term by term."""
        return _ExpansionEmitter(self).run()


def expand(program: Program, extent: Extent) -> Expansion:
    """Write a program out."""
    return _Expander(program, extent).run()


class _Expander:
    def __init__(self, program: Program, extent: Extent) -> None:
        self._program = program
        self._extent = extent
        self._polynomials: list[Polynomial[int]] = []
        self._is_linear_in_inputs: list[
            bool
        ] = []  # sums and multiples of inputs, which stay whole: q2 + q3, 2*qd1
        self._operands: dict[int, tuple[int, ...]] = {}
        self._sums: dict[int, Polynomial[int]] = {}
        self._known: dict[tuple[tuple[tuple[int, ...], Exact], ...], int] = {}
        self._angles: dict[tuple[Operation, int], int] = {}
        self._partners: dict[int, int] = {}

    def run(self) -> Expansion:
        for position in range(len(self._program.instructions)):
            self._polynomials.append(self._expand_instruction(position))
        results = tuple(self._value(position) for position in self._program.result_values())
        return Expansion(self._program, self._operands, self._sums, results, self._partners)

    def _expand_instruction(self, position: int) -> Polynomial[int]:
        instruction = self._program.instructions[position]
        operation, operands = instruction.operation, instruction.operands
        known = [self._polynomials[operand] for operand in operands]
        linear = operation in _SUM or (
            operation is Operation.MULTIPLY and any(() in each for each in known)
        )
        self._is_linear_in_inputs.append(
            operation in _LEAVES
            or (linear and all(self._is_linear_in_inputs[each] for each in operands))
        )
        if isinstance(instruction.payload, Exact):
            return {(): instruction.payload} if instruction.payload else {}
        if operation is Operation.NEGATE:
            return multiple(known[0], -ONE)
        if operation in _SUM:
            polynomial = add(
                known[0], known[1] if operation is Operation.ADD else multiple(known[1], -ONE)
            )
        elif operation is Operation.MULTIPLY:
            polynomial = without_squares(multiply(*known), self._list_replaced_squares())
        else:
            values = tuple(self._value(operand) for operand in operands)
            self._operands[position] = values
            if operation in _CIRCLE:
                self._record_partner(operation, values[0], position)
            return variable(position)
        # Sums of inputs, as angles of parallel joints, stay whole: each is one addition with many uses, and to write it out
        # would multiply the terms of all that needs it.
        whole = self._is_linear_in_inputs[position] or len(polynomial) > self._extent.most_terms
        return self._name_polynomial(position, polynomial) if whole else polynomial

    def _list_replaced_squares(self) -> dict[int, int]:
        replaced = self._extent.replaced
        instructions = self._program.instructions
        return {
            each: other
            for each, other in self._partners.items()
            if instructions[each].operation is replaced
        }

    def _record_partner(self, function: Operation, angle: int, position: int) -> None:
        self._angles[function, angle] = position
        other = self._angles.get((_CIRCLE[function], angle))
        if other is not None:
            self._partners[position], self._partners[other] = other, position

    def _value(self, position: int) -> int:
        """The value that the polynomial of a position is; one that is a value by itself needs no other name."""
        ((factors, number), *others) = self._polynomials[position].items() or [((), ZERO)]
        if not others and len(factors) == 1 and number == ONE:
            return factors[0]
        ((factors, _),) = self._name_polynomial(position, self._polynomials[position]).items()
        return factors[0]

    def _name_polynomial(self, position: int, polynomial: Polynomial[int]) -> Polynomial[int]:
        """A polynomial as one value, the same for equal polynomials."""
        value = self._known.setdefault(
            tuple(sorted(polynomial.items(), key=lambda term: term[0])), position
        )
        self._sums[value] = polynomial
        return variable(value)


class _ExpansionEmitter:
    def __init__(self, expansion: Expansion) -> None:
        self._expansion = expansion
        self._program = program = expansion.program
        self._builder = Builder.replacing(program)
        self._made: dict[int, int] = {}

    def run(self) -> Program:
        for value in sorted(
            filter(self._is_own, {*self._expansion.sums, *self._expansion.operands})
        ):
            self._value(value, 0)  # in the order of the program, so that its sections stay together
        results = iter(self._expansion.results)
        outputs = [
            Output(each.argument, tuple(self._value(next(results), 0) for _ in each.values))
            for each in self._program.outputs
        ]
        return self._builder.finish(outputs)

    def _value(self, value: int, section: int) -> int:
        """Where a value is computed; parts of polynomials are computed in the section that needs them first."""
        if value not in self._made:
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
        return value < len(self._program.instructions)

    def _emit_operation(self, value: int, section: int) -> int:
        instruction = self._program.instructions[value]
        if instruction.payload is not None:
            assert not isinstance(instruction.payload, Exact)
            return self._builder.element(instruction.payload.argument, instruction.payload.index)
        operands = [self._value(operand, section) for operand in self._expansion.operands[value]]
        self._builder.begin_section(self._program.sections[section])
        return self._builder.emit(instruction.operation, *operands)

    def _emit_sum(self, value: int, section: int) -> int:
        """A polynomial term by term: numbers first, then the factors in order."""
        polynomial = self._expansion.sums[value]
        values = {
            factor: self._value(factor, section) for factors in polynomial for factor in factors
        }
        self._builder.begin_section(self._program.sections[section])
        total: int | None = None
        for factors, number in polynomial.items():
            size = number if total is None else number.unsigned
            numbers = [] if size == ONE and factors else [self._builder.constant(size)]
            product = reduce(
                partial(self._builder.emit, Operation.MULTIPLY),
                numbers + [values[each] for each in factors],
            )
            joining = Operation.ADD if size == number else Operation.SUBTRACT
            total = product if total is None else self._builder.emit(joining, total, product)
        return self._builder.constant(ZERO) if total is None else total
