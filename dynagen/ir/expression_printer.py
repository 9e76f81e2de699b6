"""Expressions -> text, once for the text form and all languages: precedence and parentheses.

Text means exactly what the tree means: parentheses are written where grouping from the left would regroup a sum or a product,
so that compiled kernels round as the program does; nowhere else, except around a minus sign that follows an operator, which
Fortran forbids.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from dynagen.ir.program import FUNCTIONS, Element, Operation
from dynagen.ir.statements import Constant, Expression, Name
from dynagen.numbers.exact import Exact

_ATOM = 1 + max(operation.precedence for operation in Operation)


class _Text(NamedTuple):
    """A printed expression, how tightly its outermost operator binds, and whether it begins with a minus sign."""

    text: str
    precedence: int = _ATOM
    signed: bool = False


class ExpressionPrinter(ABC):
    """Prints expressions; a language says how it writes atoms.

    Attributes:
        rounding: name of a function that rounds the result of every operation, for a language that computes in wider numbers
            than the program is for; empty for all others.
    """

    rounding = ""

    @abstractmethod
    def literal(self, value: Exact) -> str:
        """A number."""

    @abstractmethod
    def name(self, name: str) -> str:
        """A value that has been assigned."""

    @abstractmethod
    def element(self, element: Element) -> str:
        """An element of an argument."""

    @abstractmethod
    def function(self, operation: Operation) -> str:
        """The language's name for one of `program.FUNCTIONS`."""

    def expression(self, expression: Expression) -> str:
        """An expression, without outer parentheses."""
        return self._print(expression).text

    def _print(self, expression: Expression) -> _Text:
        match expression:
            case Constant(value):
                return _Text(self.literal(value), signed=value < 0)
            case Name(name):
                return _Text(self.name(name))
            case Element():
                return _Text(self.element(expression))
        if expression.operation in FUNCTIONS:
            passed = ", ".join(self.expression(operand) for operand in expression.operands)
            return self._rounded(_Text(f"{self.function(expression.operation)}({passed})"))
        operands = [self._print(operand) for operand in expression.operands]
        if expression.operation is Operation.NEGATE:
            is_literal = isinstance(expression.operands[0], Constant)  # -3 is a literal, -(3) an operation
            bare = operands[0].precedence == _ATOM and not operands[0].signed and not is_literal
            return _Text(f"-{operands[0].text}" if bare else f"-({operands[0].text})", signed=True)
        precedence, symbol = expression.operation.precedence, expression.operation.symbol
        left, right = operands
        # A minus sign may lead a product: -x*y rounds alike as (-x)*y (C, Python) and -(x*y) (Fortran).
        if left.precedence < precedence:
            left = _Text(f"({left.text})")
        if right.precedence <= precedence or right.signed:
            right = _Text(f"({right.text})")
        spaced = f" {symbol} " if expression.operation.kind == "add" else symbol
        return self._rounded(_Text(f"{left.text}{spaced}{right.text}", precedence, left.signed))

    def _rounded(self, text: _Text) -> _Text:
        return _Text(f"{self.rounding}({text.text})") if self.rounding else text
