"""Expansion: a program written out as polynomials, so that the other passes can factor it anew.

A recursion decides early in which sums its results are factored. What it has become for a robot with few joints is small
enough to forget that: values become polynomials in sines, cosines, sums of inputs and whatever is neither a sum nor a product;
opposite terms meet and disappear, and the square of a cosine may become 1 - s^2, or that of a sine 1 - c^2. On its own an
expansion only adds operations. It pays where the passes that follow find better factors than the recursion had.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise

from dynagen.exact import ONE, ZERO, Exact
from dynagen.ir.builder import Builder
from dynagen.ir.program import Operation, Output, Program

_SUM = (Operation.ADD, Operation.SUBTRACT)
_LEAVES = (Operation.CONSTANT, Operation.INPUT)

Polynomial = dict[tuple[int, ...], Exact]
"""Products of values, each in ascending order, and what they are multiplied by; never zero."""


@dataclass(frozen=True)
class Extent:
    """How far to write out.

    Attributes:
        most_terms: a polynomial with more terms is computed where it is, and is one value for those that need it.
        replaced: SINE or COSINE if squares of this function of an angle become one minus the square of the other.
    """

    most_terms: int
    replaced: Operation | None = None


def expand(program: Program, extent: Extent) -> Program:
    """Write a program out."""
    return _Expansion(program, extent).run()


class _Expansion:
    def __init__(self, program: Program, extent: Extent) -> None:
        self._program = program
        self._extent = extent
        self._builder = Builder(program.name, program.inputs, program.sections)
        self._polynomials: list[Polynomial] = []
        self._of_inputs: list[bool] = []  # sums of inputs and numbers, which stay whole: q2 + q3
        self._made: dict[int, int] = {}  # position in the program -> in the new one, of what is computed there
        self._angles: dict[int, dict[Operation, int]] = {}
        self._partner: dict[int, int] = {}  # the sine or cosine whose square is replaced -> the other one

    def run(self) -> Program:
        for position in range(len(self._program.instructions)):
            self._polynomials.append(self._polynomial(position))
        outputs = (
            Output(output.argument, tuple(self._value(value) for value in output.values)) for output in self._program.outputs
        )
        return self._builder.finish(outputs)

    def _polynomial(self, position: int) -> Polynomial:
        instruction = self._program.instructions[position]
        operation, operands = instruction.operation, instruction.operands
        known = [self._polynomials[operand] for operand in operands]
        of_inputs = operation in _LEAVES or (operation in _SUM and all(self._of_inputs[operand] for operand in operands))
        self._of_inputs.append(of_inputs)
        polynomial: Polynomial | None = None
        if isinstance(instruction.payload, Exact):
            return {(): instruction.payload} if instruction.payload else {}
        if operation is Operation.NEGATE:
            return _multiple(known[0], -ONE)
        if operation in _SUM and not of_inputs:
            polynomial = _sum(known[0], known[1] if operation is Operation.ADD else _multiple(known[1], -ONE))
        elif operation is Operation.MULTIPLY:
            polynomial = self._without_squares(_product(*known))
        if polynomial is not None and len(polynomial) <= self._extent.most_terms:
            return polynomial
        return {(self._compute(position),): ONE}

    def _compute(self, position: int) -> int:
        """The value of an operation on what its operands have become."""
        instruction = self._program.instructions[position]
        operands = [self._value(operand) for operand in instruction.operands]
        self._builder.begin_section(self._program.sections[instruction.section])
        if instruction.payload is not None:
            assert not isinstance(instruction.payload, Exact)
            return self._builder.element(instruction.payload.argument, instruction.payload.index)
        value = self._builder.emit(instruction.operation, *operands)
        if instruction.name is not None:
            self._builder.give_name(value, instruction.name)
        if instruction.operation in (Operation.SINE, Operation.COSINE):
            self._meet(instruction.operation, operands[0], value)
        return value

    def _meet(self, function: Operation, angle: int, value: int) -> None:
        functions = self._angles.setdefault(angle, {})
        functions[function] = value
        if len(functions) == 2 and self._extent.replaced is not None:
            other = Operation.SINE if self._extent.replaced is Operation.COSINE else Operation.COSINE
            self._partner[functions[self._extent.replaced]] = functions[other]

    def _value(self, position: int) -> int:
        """The polynomial of a value, computed term by term: numbers first, then the factors in order."""
        if position not in self._made:
            instruction = self._program.instructions[position]
            self._builder.begin_section(self._program.sections[instruction.section])
            self._made[position] = value = self._emit(self._polynomials[position])
            if instruction.name is not None and self._builder.can_name(value):
                self._builder.give_name(value, instruction.name)
        return self._made[position]

    def _emit(self, polynomial: Polynomial) -> int:
        total: int | None = None
        for factors, number in polynomial.items():
            values = factors if number == ONE and factors else (self._builder.constant(number), *factors)
            product = reduce(partial(self._builder.emit, Operation.MULTIPLY), values)
            total = product if total is None else self._builder.emit(Operation.ADD, total, product)
        return self._builder.constant(ZERO) if total is None else total

    def _without_squares(self, polynomial: Polynomial) -> Polynomial:
        """c^2 x is x - s^2 x."""
        while (found := next(self._squares(polynomial), None)) is not None:
            factors, square = found
            number = polynomial[factors]
            rest = list(factors)
            rest.remove(square)
            rest.remove(square)
            partner = self._partner[square]
            change = {factors: -number, tuple(rest): number, tuple(sorted((*rest, partner, partner))): -number}
            polynomial = _sum(polynomial, change)
        return polynomial

    def _squares(self, polynomial: Polynomial) -> Iterator[tuple[tuple[int, ...], int]]:
        for factors in polynomial:
            for left, right in pairwise(factors):
                if left == right and left in self._partner:
                    yield factors, left


def _multiple(polynomial: Polynomial, number: Exact) -> Polynomial:
    return {factors: number * each for factors, each in polynomial.items()}


def _sum(left: Polynomial, right: Polynomial) -> Polynomial:
    total = dict(left)
    for factors, number in right.items():
        total[factors] = total.get(factors, ZERO) + number
    return {factors: number for factors, number in total.items() if number}


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for factors, number in left.items():
        for others, other in right.items():
            together = tuple(sorted(factors + others))
            total[together] = total.get(together, ZERO) + number * other
    return {factors: number for factors, number in total.items() if number}
