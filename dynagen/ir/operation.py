"""The table of operations: arity, cost, evaluation, folding and printing of each.

Evaluation, constant folding, sign propagation, value numbering, counts, costs, validation and
printers read the table. To add an operation, write one line of the table, and for each language the
function that computes the operation. Every table of constants has its own lookup operation
(`make_lookup`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from dynagen.ir.tables import Table
from dynagen.numbers.exact import ONE, ZERO, Angle, Exact

EVEN, ODD = 1, -1
LOOKUP = "lookup"
"""The word of all lookup operations, whichever table they read, in counts of operations by word."""


def _restrict_to_known(rule: Callable[..., Exact | None]) -> Callable[..., Exact | None]:
    """Return a folding rule that returns None if an operand depends on run-time parameters.

    `rule` returns the exact result, or None if there is no exact result.
    """
    return lambda *numbers: rule(*numbers) if all(number.is_known for number in numbers) else None


class Operation(Enum):
    """Operation of an instruction; the member's value is its word in the text form and in messages.

    The operation `sign` of zero is zero, and NaN operands yield NaN.

    Attributes:
        operand_count: number of operands; 0 for CONSTANT and INPUT.
        kind: field of `OperationCount` that counts the operation, such as "mul"; empty for a copy,
            CONSTANT and INPUT, which are not counted.
        compute: function from operands (numbers or numpy arrays) to the result; None for CONSTANT
            and INPUT.
        fold: function from exact operands to the exact result; it returns None if the operation
            must be computed at run time. For CONSTANT and INPUT, `fold` is None.
        parity: constant EVEN if f(-x) = f(x), constant ODD if f(-x) = -f(x), where f is the
            operation and x any one of its operands; else 0.
        commutes: whether the operands may change places.
        symbol: operator in expressions, such as "+"; empty for operations written as a call or a
            sign.
        precedence: number 2 for a product or quotient, 1 for a sum or difference, else 0; an
            operator of higher precedence binds more tightly.
        table: the constants that a lookup operation reads; None for all other operations.
    """

    operand_count: int
    kind: str
    compute: Callable[..., Any] | None
    fold: Callable[..., Exact | None] | None
    parity: int
    commutes: bool
    symbol: str
    precedence: int
    table: Table | None

    def __new__(
        cls,
        word: str,
        operand_count: int,
        kind: str = "",
        compute: Callable[..., Any] | None = None,
        fold: Callable[..., Exact | None] | None = None,
        parity: int = 0,
        commutes: bool = False,
        symbol: str = "",
        precedence: int = 0,
    ) -> Operation:
        """Create a member of the enumeration from the values that the class body assigns."""
        member = object.__new__(cls)
        member._value_, member.operand_count, member.kind = word, operand_count, kind
        member.compute, member.fold, member.parity, member.commutes = (
            compute,
            fold,
            parity,
            commutes,
        )
        member.symbol, member.precedence, member.table = symbol, precedence, None
        return member

    @property
    def word(self) -> str:
        """The operation's word in the text form of programs; `LOOKUP` for all lookups."""
        return self.value if self.table is None else LOOKUP

    @property
    def is_function(self) -> bool:
        """Whether the operation is printed as a function call; sine and cosine are not."""
        return self.kind in ("sqrt", "other")

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return how pickle restores the operation: a lookup is made again from its table."""
        return (Operation, (self.value,)) if self.table is None else (make_lookup, (self.table,))

    CONSTANT = "constant", 0
    INPUT = "input", 0
    COPY = "copy", 1, "", lambda x: x, lambda x: x, ODD
    NEGATE = "negate", 1, "neg", operator.neg, operator.neg, ODD
    ADD = "add", 2, "add", operator.add, operator.add, 0, True, "+", 1
    SUBTRACT = "subtract", 2, "add", operator.sub, operator.sub, 0, False, "-", 1
    MULTIPLY = "multiply", 2, "mul", operator.mul, operator.mul, ODD, True, "*", 2
    DIVIDE = (
        "divide",
        2,
        "div",
        operator.truediv,
        lambda x, y: x / y if y else None,
        ODD,
        False,
        "/",
        2,
    )
    SQRT = "sqrt", 1, "sqrt", np.sqrt, lambda x: None if x.is_known and x < 0 else x.sqrt()
    SINE = "sin", 1, "sincos", np.sin, lambda x: Angle(x).sin, ODD
    COSINE = "cos", 1, "sincos", np.cos, lambda x: Angle(x).cos, EVEN
    ABSOLUTE = "abs", 1, "other", operator.abs, _restrict_to_known(abs), EVEN
    SIGN = "sign", 1, "other", np.sign, _restrict_to_known(lambda x: Exact((x > 0) - (x < 0))), ODD
    HYPERBOLIC_TANGENT = "tanh", 1, "other", np.tanh, lambda x: None if x else ZERO, ODD
    EXPONENTIAL = "exp", 1, "other", np.exp, lambda x: None if x else ONE
    MINIMUM = "min", 2, "other", np.minimum, _restrict_to_known(min), 0, True
    MAXIMUM = "max", 2, "other", np.maximum, _restrict_to_known(max), 0, True

    __hash__ = object.__hash__  # members are single objects; Enum's own hash is a Python call


# Python 3.11 reads a name ten times as fast as a member of an enumeration, and the passes compare
# operations millions of times.
CONSTANT, INPUT, COPY, NEGATE = (
    Operation.CONSTANT,
    Operation.INPUT,
    Operation.COPY,
    Operation.NEGATE,
)
ADD, SUBTRACT, MULTIPLY, DIVIDE = (
    Operation.ADD,
    Operation.SUBTRACT,
    Operation.MULTIPLY,
    Operation.DIVIDE,
)
SINE, COSINE = Operation.SINE, Operation.COSINE


FUNCTIONS = tuple(operation for operation in Operation if operation.is_function)
"""Operations that generated code writes as calls, except sine and cosine.

One statement computes the sine and the cosine of an angle together.
"""


@cache
def make_lookup(table: Table) -> Operation:
    """Return the operation that looks up the integer part of its operand in a table.

    In operation counts, a lookup belongs to the kind `other`, as a minimum does. Equal tables have
    the same lookup operation. Iteration over `Operation` does not include lookups.
    """
    lookup = object.__new__(Operation)
    lookup._name_, lookup._value_ = "LOOKUP", table.name
    lookup.operand_count, lookup.kind, lookup.table = 1, "other", table
    lookup.compute, lookup.fold = table.compute, table.fold
    lookup.parity, lookup.commutes, lookup.symbol, lookup.precedence = 0, False, "", 0
    return lookup


def list_tables(operations: Iterable[Operation]) -> tuple[Table, ...]:
    """Return the tables that lookups among the operations read, in alphabetical order of names."""
    tables = (operation.table for operation in operations if operation.table is not None)
    return tuple(sorted(tables, key=lambda table: table.name))
