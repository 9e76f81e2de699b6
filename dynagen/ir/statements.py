"""Program -> statements with nested expressions: the form in which people read a program.

A value gets a statement of its own if it has a name, is used more than once or is a result; all others are written where they
are used. Every printer (the text form, C, Fortran, Python) starts from here, so all of them show the same program.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.exact import Exact
from dynagen.ir.program import Element, Operation, Output


@dataclass(frozen=True)
class Constant:
    """A literal; negative values are literals too."""

    value: Exact


@dataclass(frozen=True)
class Name:
    """A value assigned by an earlier statement."""

    name: str


@dataclass(frozen=True)
class Apply:
    """An operation on sub-expressions: NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE or SQRT."""

    operation: Operation
    operands: tuple[Expression, ...]


Expression = Constant | Name | Element | Apply


@dataclass(frozen=True)
class Assignment:
    """name = expression."""

    name: str
    expression: Expression


@dataclass(frozen=True)
class SineCosine:
    """Sine and cosine of one angle; None for the one that nobody uses."""

    angle: Expression
    sine: str | None
    cosine: str | None


Statement = Assignment | SineCosine


@dataclass(frozen=True)
class Block:
    """The statements of one section, in order."""

    title: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Listing:
    """A program as statements.

    Attributes:
        results: for every output, row-major, the expression of each element: a name, a constant, or an input element that is
            passed through; never arithmetic, so that outputs can be stored after everything has been computed.
    """

    blocks: tuple[Block, ...]
    results: tuple[tuple[Output, tuple[Constant | Name | Element, ...]], ...]
