"""The table of operations: arity, cost, evaluation, folding and printing of each.

Evaluation, constant folding, sign propagation, value numbering, counts, costs, validation and
printers read the table. A new operation is one line here, and its name in every language.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from dynagen.numbers.exact import ONE, ZERO, Angle, Exact

EVEN, ODD = 1, -1


def _restrict_to_known(rule: Callable[..., Exact | None]) -> Callable[..., Exact | None]:
    """Restrict a rule to numbers without run-time parameters, whose signs and sizes are known."""
    return lambda *numbers: rule(*numbers) if all(number.is_known for number in numbers) else None


class Operation(Enum):
    """Operation of an instruction; the value is the word in the text form and in messages.

    The sign of zero is zero, and NaN operands give NaN.

    Attributes:
        operand_count: number of operands.
        kind: field of `OperationCount` in which it counts; empty for operations that cost nothing.
        compute: its value for numbers or numpy arrays; None for leaves.
        fold: its exact value for exact numbers; it returns None to leave the operation to run time.
        parity: EVEN if f(-x) = f(x), ODD if f(-x) = -f(x), in each operand by itself; else 0.
        commutes: whether the operands may change places.
        symbol: its operator in text; empty for calls and for a sign.
        precedence: precedence of the operator; a product binds more tightly than a sum.
    """

    operand_count: int
    kind: str
    compute: Callable[..., Any] | None
    fold: Callable[..., Exact | None] | None
    parity: int
    commutes: bool
    symbol: str
    precedence: int

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
        """Create a member from its line of the table."""
        member = object.__new__(cls)
        member._value_, member.operand_count, member.kind = word, operand_count, kind
        member.compute, member.fold, member.parity, member.commutes = (
            compute,
            fold,
            parity,
            commutes,
        )
        member.symbol, member.precedence = symbol, precedence
        return member

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


FUNCTIONS = tuple(operation for operation in Operation if operation.kind in ("sqrt", "other"))
"""Operations that are written as calls; sine and cosine are written together."""
