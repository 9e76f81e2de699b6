"""Checks of errata (errors in papers), with one function for each kind of error."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dynagen.apps.literature.errata.identities import IDENTITIES
from dynagen.apps.literature.errata.schedules import check_layers, check_schedule, check_tasks

_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_IDENTITY_HOLDS, _IDENTITY_FAILS = 1e-9, 1e-3  # relative residuals


@dataclass(frozen=True)
class Verdict:
    """Result of a check: whether the printed and the corrected statement are true.

    Attributes:
        printed_holds: whether the printed statement is true, which it must not be.
        correct_holds: whether the corrected statement is true.
        detail: the evaluated values, as text for the report.
    """

    printed_holds: bool
    correct_holds: bool
    detail: str

    @property
    def passed(self) -> bool:
        """Whether the printed statement is false and the corrected statement true."""
        return self.correct_holds and not self.printed_holds


def check_value(data: Mapping[str, Any]) -> Verdict:
    """Check a printed and a corrected number against the value of an arithmetic expression.

    Args:
        data: `value`, the expression; `printed` and `correct`, the numbers to compare with the
            expression; `within`, the allowed difference of a right number, 0 by default.
    """
    value, within = evaluate(data["value"]), float(data.get("within", 0))
    return Verdict(
        abs(value - float(data["printed"])) <= within,
        abs(value - float(data["correct"])) <= within,
        f"{data['value']} = {value:.6g}",
    )


def evaluate(text: str) -> float:
    """Return the value of an arithmetic expression of numbers, such as `2*3 + 1`."""

    def visit(node: ast.AST) -> Fraction | float:
        match node:
            case ast.Expression(body):
                return visit(body)
            case ast.Constant(value=int() | float() as number):
                return Fraction(str(number))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -visit(operand)
            case ast.BinOp(left=left, op=kind, right=right):
                exponent = visit(right)
                if isinstance(kind, ast.Pow):
                    exponent = int(exponent)
                result: Fraction | float = _OPERATIONS[type(kind)](visit(left), exponent)
                return result
        raise ValueError(f"expected an arithmetic expression, found {text!r}")

    return float(visit(ast.parse(str(text), mode="eval")))


def check_order(data: Mapping[str, Sequence[float]]) -> Verdict:
    """Check that the printed numbers do not ascend, and that the corrected numbers do.

    Args:
        data: `printed` and `correct`, the numbers in their order.
    """

    def ascends(numbers: Sequence[float]) -> bool:
        return all(before <= after for before, after in pairwise(numbers))

    return Verdict(
        ascends(data["printed"]),
        ascends(data["correct"]),
        f"{', '.join(map(str, data['printed']))} do not ascend",
    )


def check_names(data: Mapping[str, Any]) -> Verdict:
    """Check that a printed listing of formulas uses names that it does not define.

    Args:
        data: `defines`, the names that the listing defines; `undefined`, a mapping from each
            undefined name to the defined name whose formula contains the undefined name.
    """
    undefined = [name for name in data["undefined"] if name not in data["defines"]]
    return Verdict(
        not undefined,
        undefined == list(data["undefined"]),
        ", ".join(f"{name} in {data['undefined'][name]}" for name in undefined),
    )


def check_identity(name: str) -> Verdict:
    """Check that a printed formula is wrong and a corrected formula right for random states.

    Args:
        name: name of the formula, a key of `identities.IDENTITIES`.
    """
    printed, correct = IDENTITIES[name]()
    return Verdict(
        printed < _IDENTITY_FAILS,
        correct < _IDENTITY_HOLDS,
        f"relative error {printed:.2g} as printed, {correct:.1g} as corrected",
    )


def _decide(check: Callable[[Mapping[str, Any]], tuple[bool, bool, str]]) -> Any:
    return lambda data: Verdict(*check(data))


CHECKS: dict[str, Callable[[Any], Verdict]] = {
    "value": check_value,
    "order": check_order,
    "names": check_names,
    "identity": check_identity,
    "schedule": _decide(check_schedule),
    "tasks": _decide(check_tasks),
    "layers": _decide(check_layers),
}
