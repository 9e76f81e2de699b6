"""First-order bounds on rounding errors of a program at given states.

Each operation i of the program adds a small rounding error e_i to its value v_i. A result y of the
program changes with v_i by the derivative dy/dv_i. To first order, the error of y is therefore at
most

    sum_i |dy/dv_i| |e_i|,   for example |e_i| <= u |v_i| for a sum, product or quotient,

with the unit roundoff u. One reverse sweep computes the derivatives of all results by all values
(Linnainmaa, "Taylor expansion of the accumulated rounding error", BIT 16, 1976; Higham,
"Accuracy and Stability of Numerical Algorithms", 2002, section 3.3). Errors that cancel on their
way to the result cancel in the bound too. A bound that is computed forward, from operands to
results, ignores cancellation and grows exponentially along a chain of joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dynagen.ir.program import Element, Instruction, Operation, Program
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact

_EXACT = (
    Operation.COPY,
    Operation.NEGATE,
    Operation.ABSOLUTE,
    Operation.SIGN,
    Operation.MINIMUM,
    Operation.MAXIMUM,
)
_LIBRARY = (Operation.HYPERBOLIC_TANGENT, Operation.EXPONENTIAL)
_LIBRARY_ERROR = 2  # units of roundoff: one unit in the last place
_NEAR = 1e-6  # relative distance of two numbers of which rounding may exchange the smaller one


def bound_rounding_errors(program: Program, values: Array, places: Sequence[int]) -> Array:
    """Return first-order bounds on the rounding errors of some values of a program.

    The bounds assume exact inputs of the program and constants that are rounded once to floating
    point. Each sine and cosine may have an absolute error of two unit roundoffs.

    Args:
        program: the program.
        values: value of every instruction in every state, shape (instructions, states). A state is
            one set of inputs.
        places: positions of the instructions whose errors are bounded, each once.

    Returns:
        Bounds in units of the unit roundoff, shape (places, states). A division by zero adds
        nothing to the bounds.
    """
    bounds = np.zeros((len(places), values.shape[1]))
    adjoints = {}
    for row, place in enumerate(places):
        adjoints[place] = np.zeros_like(bounds)
        adjoints[place][row] = 1.0
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for place in range(max(places, default=-1), -1, -1):
            adjoint = adjoints.pop(place, None)
            if adjoint is None:
                continue
            instruction = program.instructions[place]
            error = _get_own_error(instruction, values[place])
            if error is not None:
                bounds += np.abs(adjoint) * error
            for operand, factor in _iterate_partials(instruction, values, place):
                change = adjoint * factor
                adjoints[operand] = adjoints[operand] + change if operand in adjoints else change
    return bounds


def _get_own_error(instruction: Instruction, value: Array) -> Array | float | None:
    """Return a bound of the error that an instruction adds to its value, in unit roundoffs.

    `value` and the bound have the shape (states,); the bound may be one number. The result is None
    if the instruction adds no error, for example a sign change.
    """
    if isinstance(instruction.payload, Element) or instruction.operation in _EXACT:
        return None
    if instruction.operation in (Operation.SINE, Operation.COSINE):
        return _LIBRARY_ERROR
    size: Array = np.abs(value)
    return _LIBRARY_ERROR * size if instruction.operation in _LIBRARY else size


def _iterate_partials(
    instruction: Instruction, values: Array, place: int
) -> Iterator[tuple[int, Array | float]]:
    """Yield each operand of an instruction with the derivative of the result by the operand.

    `values` has the shape (instructions, states); `place` is the instruction's position.
    """
    operation, operands, payload, *_ = instruction
    if isinstance(payload, (Element, Exact)):
        return
    if operation is Operation.SIGN or operation.table is not None:
        return  # steps: their derivative is zero
    first, value = operands[0], values[place]
    x = values[first]
    match operation:
        case Operation.COPY:
            yield first, 1.0
        case Operation.NEGATE:
            yield first, -1.0
        case Operation.ADD:
            yield first, 1.0
            yield operands[1], 1.0
        case Operation.SUBTRACT:
            yield first, 1.0
            yield operands[1], -1.0
        case Operation.MULTIPLY:
            yield first, values[operands[1]]
            yield operands[1], x
        case Operation.DIVIDE:
            per_divisor = _invert(values[operands[1]])
            yield first, per_divisor
            yield operands[1], -value * per_divisor
        case Operation.SQRT:
            yield first, _invert(2.0 * value)
        case Operation.SINE:
            yield first, np.cos(x)
        case Operation.COSINE:
            yield first, -np.sin(x)
        case Operation.ABSOLUTE:
            yield first, np.sign(x)
        case Operation.HYPERBOLIC_TANGENT:
            yield first, 1.0 - value**2
        case Operation.EXPONENTIAL:
            yield first, value
        case Operation.MINIMUM | Operation.MAXIMUM:
            y = values[operands[1]]
            near = np.abs(x - y) <= _NEAR * (np.abs(x) + np.abs(y))
            yield first, np.where((x == value) | near, 1.0, 0.0)
            yield operands[1], np.where((y == value) | near, 1.0, 0.0)


def _invert(value: Array) -> Array:
    """Return the reciprocal of each element of an array; zero for an element that is zero."""
    zero = value == 0
    inverse: Array = np.where(zero, 0.0, 1.0 / np.where(zero, 1.0, value))
    return inverse
