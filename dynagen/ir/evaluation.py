"""Run a program on numbers: the meaning of the intermediate form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dynagen.ir.program import Element, Operation, Program
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Parametric, parameters_of

_SOME = ONE / 3


@dataclass(frozen=True)
class Arithmetic:
    """A kind of numbers: made from exact constants, with functions where those of the table of operations do not suit."""

    constant: Callable[[Exact], Any]
    functions: Mapping[Operation, Callable[..., Any]] = field(default_factory=dict)


NUMPY = Arithmetic(float)


def evaluate(
    program: Program, inputs: Mapping[str, Any], arithmetic: Arithmetic = NUMPY
) -> dict[str, list[Any]]:
    """Evaluate every instruction in order.

    Args:
        program: the program to run.
        inputs: for every input argument a flat sequence of its elements, row-major: numbers, or arrays of equal shape (then
            every element of the arrays is a state of its own).
        arithmetic: numpy's double precision unless told otherwise; mpmath's functions give any precision.

    Returns:
        For every output argument the flat list of its elements.
    """
    compute = {operation: operation.compute for operation in Operation} | dict(arithmetic.functions)
    values: list[Any] = []
    for operation, operands, payload, *_ in program.instructions:
        if isinstance(payload, Exact):
            values.append(arithmetic.constant(payload))
        elif isinstance(payload, Element):
            values.append(inputs[payload.argument][payload.index])
        else:
            function = compute[operation]
            assert function is not None  # only leaves have none
            values.append(function(*[values[operand] for operand in operands]))
    return {
        output.argument.name: [values[value] for value in output.values]
        for output in program.outputs
    }


def example(number: Exact) -> float:
    """The value of a number for the defaults of its run-time parameters, but for zeros, which would hide what they do."""
    if not isinstance(number, Parametric):
        return float(number)
    return float(
        number.substitute({each.name: _SOME for each in parameters_of(number) if not each.value})
    )
