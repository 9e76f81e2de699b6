"""Formulas in sympy, traced once per shape of their arguments into operations that can be applied to recorded values.

sympy sees nothing but the symbols of one step: expressions stay as small as they are printed, however many bodies there are,
and a search that records thousands of programs does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy

from dynagen.dynamics.recording.lowering import lower
from dynagen.ir.program import Argument, Element, Operation, Program
from dynagen.numbers.exact import Exact

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Trace:
    """A formula as operations on values: the elements of its arguments in order, then its constants, then what it computes.

    Attributes:
        constants: numbers that it uses.
        operations: each on values before it, given by their positions.
        results: positions of what it returns, row-major.
        shape: of that.
    """

    constants: tuple[Exact, ...]
    operations: tuple[tuple[Operation, tuple[int, ...]], ...]
    results: tuple[int, ...]
    shape: Shape


class Formula:
    """A function of sympy scalars, column vectors and matrices that returns one of these."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self._function = function
        self.traced = cache(self._trace)

    def _trace(self, shapes: tuple[Shape, ...]) -> Trace:
        inputs = tuple(Argument(f"x{index}", shape, (), "") for index, shape in enumerate(shapes))
        arguments = [_symbols(argument) for argument in inputs]
        result = self._function(*arguments)
        if isinstance(result, sympy.MatrixBase):
            shape = (result.rows,) if result.cols == 1 else (result.rows, result.cols)
            return _trace_of(lower(self.name, inputs, list(result)), shape)
        return _trace_of(lower(self.name, inputs, [sympy.sympify(result)]), ())


def _trace_of(program: Program, shape: Shape) -> Trace:
    elements = [
        Element(argument.name, index)
        for argument in program.inputs
        for index in range(argument.size)
    ]
    constants = [each.payload for each in program.instructions if isinstance(each.payload, Exact)]
    leaves: list[Element | Exact] = [*elements, *constants]
    places = {leaf: place for place, leaf in enumerate(leaves)}
    operations: list[tuple[Operation, tuple[int, ...]]] = []
    positions: list[int] = []
    for instruction in program.instructions:
        if instruction.payload is None:
            positions.append(len(places) + len(operations))
            operations.append(
                (
                    instruction.operation,
                    tuple(positions[operand] for operand in instruction.operands),
                )
            )
        else:
            positions.append(places[instruction.payload])
    return Trace(
        tuple(constants),
        tuple(operations),
        tuple(positions[value] for value in program.result_values()),
        shape,
    )


def formula(function: Callable[..., Any]) -> Formula:
    """Decorator: write one step of a recursion with sympy; its docstring cites the equation."""
    return Formula(function)


def _symbols(argument: Argument) -> Any:
    names = [sympy.Symbol(f"{argument.name}[{index}]") for index in range(argument.size)]
    if not argument.shape:
        return names[0]
    rows, columns = (*argument.shape, 1)[:2]
    return sympy.ImmutableDenseMatrix(rows, columns, names)
