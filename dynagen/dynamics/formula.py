"""Formulas in sympy, traced once per shape of their arguments into a small program that can be applied to recorded values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import sympy

from dynagen.dynamics.lowering import lower
from dynagen.ir.program import Argument, Program

Shape = tuple[int, ...]


class Formula:
    """A function of sympy scalars, column vectors and matrices that returns one of these."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self._function = function
        self.traced = cache(self._trace)

    def _trace(self, shapes: tuple[Shape, ...]) -> tuple[Program, Shape]:
        """The formula as a program with one input per argument, and the shape of its result."""
        inputs = tuple(Argument(f"x{index}", shape, (), "") for index, shape in enumerate(shapes))
        arguments = [_symbols(argument) for argument in inputs]
        result = self._function(*arguments)
        if isinstance(result, sympy.MatrixBase):
            shape = (result.rows,) if result.cols == 1 else (result.rows, result.cols)
            return lower(self.name, inputs, list(result)), shape
        return lower(self.name, inputs, [sympy.sympify(result)]), ()


def formula(function: Callable[..., Any]) -> Formula:
    """Decorator: write one step of a recursion with sympy; its docstring cites the equation."""
    return Formula(function)


def _symbols(argument: Argument) -> Any:
    names = [sympy.Symbol(f"{argument.name}[{index}]") for index in range(argument.size)]
    if not argument.shape:
        return names[0]
    rows, columns = (*argument.shape, 1)[:2]
    return sympy.ImmutableDenseMatrix(rows, columns, names)
