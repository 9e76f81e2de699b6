"""Run a program on numbers: the meaning of the intermediate form."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.ir.program import Element, Operation, Program
from dynagen.numbers.exact import Exact


@dataclass(frozen=True)
class Arithmetic:
    """How to turn exact constants into numbers, and the functions that operators do not cover."""

    constant: Callable[[Exact], Any]
    sin: Callable[[Any], Any]
    cos: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]
    sign: Callable[[Any], Any] = np.sign
    tanh: Callable[[Any], Any] = np.tanh
    exp: Callable[[Any], Any] = np.exp
    minimum: Callable[[Any, Any], Any] = np.minimum
    maximum: Callable[[Any, Any], Any] = np.maximum


NUMPY = Arithmetic(float, np.sin, np.cos, np.sqrt)


def evaluate(program: Program, inputs: Mapping[str, Any], arithmetic: Arithmetic = NUMPY) -> dict[str, list[Any]]:
    """Evaluate every instruction in order.

    Args:
        program: the program to run.
        inputs: for every input argument a flat sequence of its elements, row-major: numbers, or arrays of equal shape (then
            every element of the arrays is a state of its own).
        arithmetic: numpy's double precision unless told otherwise; mpmath's functions give any precision.

    Returns:
        For every output argument the flat list of its elements.
    """
    functions: dict[Operation, Callable[..., Any]] = {
        Operation.COPY: lambda x: x,
        Operation.NEGATE: operator.neg,
        Operation.ADD: operator.add,
        Operation.SUBTRACT: operator.sub,
        Operation.MULTIPLY: operator.mul,
        Operation.DIVIDE: operator.truediv,
        Operation.SQRT: arithmetic.sqrt,
        Operation.SINE: arithmetic.sin,
        Operation.COSINE: arithmetic.cos,
        Operation.ABSOLUTE: operator.abs,
        Operation.SIGN: arithmetic.sign,
        Operation.HYPERBOLIC_TANGENT: arithmetic.tanh,
        Operation.EXPONENTIAL: arithmetic.exp,
        Operation.MINIMUM: arithmetic.minimum,
        Operation.MAXIMUM: arithmetic.maximum,
    }
    values: list[Any] = []
    for operation, operands, payload, *_ in program.instructions:
        if isinstance(payload, Exact):
            values.append(arithmetic.constant(payload))
        elif isinstance(payload, Element):
            values.append(inputs[payload.argument][payload.index])
        else:
            values.append(functions[operation](*[values[operand] for operand in operands]))
    return {output.argument.name: [values[value] for value in output.values] for output in program.outputs}
