"""Bounds on rounding errors for all joint positions, by ball arithmetic (the library Arb).

Every value of a program has an enclosure, which contains its exact value for all inputs in their
ranges, and a bound of the error of the computed value. Enclosures and bounds are computed
instruction by instruction, in one pass (Higham, "Accuracy and Stability of Numerical Algorithms",
2002, section 3.3, with balls in place of numbers; Johansson, "Arb: efficient arbitrary-precision
midpoint-radius interval arithmetic", IEEE Transactions on Computers 66(8), 2017). The error bound
of an addition, for example, is the sum e1 + e2 of its operands' error bounds, plus u |result| for
rounding, with the unit roundoff u.

The bound holds for every order of rounding that IEEE 754 allows, with or without fused
multiplication and addition, if sine and cosine are accurate to one unit in the last place. The
bound does not hold for -ffast-math. Enclosures ignore the dependence between values, so that the
bound is larger than the actual errors.

For single states, ball arithmetic yields exact values of the recorded recursion, before the passes.
The generated code is compared with these exact values. The proof compares it in the same way with
two numeric references.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.errors import UsageError, VerificationError
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import Element, Instruction, Operation, Program
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import REALS, Real
from dynagen.pipeline.generation import Generation
from dynagen.resources import require_extra
from dynagen.verification.sampling import list_ranges, sample_states

_BITS = 128  # precision of midpoints
_STATES = 100
_SINE_ERROR = 2  # units of roundoff: one unit in the last place of a result up to 1
_LARGEST = {"double": float(np.finfo(np.float64).max), "float": float(np.finfo(np.float32).max)}
_SMALLEST = {"double": 2.0**-1074, "float": 2.0**-149}  # error of a result that underflows

Ranges = Mapping[str, Sequence[tuple[float, float]]]
"""Mapping from the name of an input to pairs (least value, largest value), one for each element."""


@dataclass(frozen=True)
class RoundingBound:
    """Bound of the rounding error of one output.

    Attributes:
        function: name of the function.
        output: name of the output.
        real: floating-point type.
        bound: upper bound of the absolute error of an element for all inputs in their ranges;
            infinite if a divisor or the argument of a square root may vanish, or an operation has
            no bound.
        largest: largest magnitude of an element in random states.
        measured: largest absolute error of an element in random states.
    """

    function: str
    output: str
    real: str
    bound: float
    largest: float
    measured: float


def bound_rounding(generation: Generation) -> tuple[RoundingBound, ...]:
    """Return bounds for all outputs of the generated functions, in double and in float.

    Raises:
        ToolchainError: python-flint is not installed.
        UsageError: the robot has run-time parameters, whose ranges are unknown.
        VerificationError: an error in a random state exceeds the bound.
    """
    require_extra("flint", "bounds", "to bound rounding errors")
    description = generation.description
    if description.parameters:
        raise UsageError(
            f"{description.name} has run-time parameters, whose ranges are unknown: "
            "replace the parameters by numbers, and remove the payload"
        )
    bounds = []
    for function in generation.functions:
        program = function.program
        names = tuple(argument.name for argument in program.inputs)
        ranges = {name: list_ranges(description, name) for name in names}
        states = sample_states(description, names, 2 * _STATES, generation.request.settings.seed)
        inputs = {name: states[name][-_STATES:] for name in names}
        recorded = function.definition.build(generation.model, function.method)
        for real in REALS:
            rounded = {name: values.astype(real.dtype) for name, values in inputs.items()}
            errors = compute_bounds(program, ranges, real)
            exact = _evaluate_exactly(recorded, rounded)
            found = _evaluate(program, rounded, real)
            for output in program.results:
                name = output.argument.name
                error = _measure(found[name], exact[name])
                bounds.append(
                    RoundingBound(
                        function.name,
                        name,
                        real.name,
                        max(errors[name]),
                        float(np.abs(found[name]).max()),
                        float(error.max()),
                    )
                )
                if not np.all(error <= np.array(errors[name])):
                    raise VerificationError(
                        f"{function.name}: {name} has an error of {error.max():.2g}, above the "
                        f"bound {max(errors[name]):.2g} of its rounding in {real.name}. "
                        "This is a bug in dynagen: please report it with the description"
                    )
    return tuple(bounds)


def compute_bounds(program: Program, ranges: Ranges, real: Real) -> dict[str, list[float]]:
    """Return a bound of the absolute rounding error of every element of a program's outputs.

    A bound is infinite if a divisor or the argument of a square root may vanish, or an operation
    has no bound.

    Args:
        program: the program, whose inputs are numbers of type `real`.
        ranges: ranges of the inputs.
        real: floating-point type of all operations.

    Returns:
        For each output name the bounds of its elements, in their order and units.
    """
    from flint import arb, ctx

    with ctx.workprec(_BITS):
        errors = _Errors(real)
        values: list[tuple[Any, Any]] = []
        for instruction in program.instructions:
            if isinstance(instruction.payload, Element):
                low, high = ranges[instruction.payload.argument][instruction.payload.index]
                values.append((arb(low).union(arb(high)), arb(0)))
            else:
                values.append(errors.follow(instruction, values))
        return {
            output.argument.name: [float(values[value][1].upper()) for value in output.values]
            for output in program.results
        }


class _Errors:
    """Rules for the enclosure and the error bound of each operation, for a floating-point type.

    An enclosure is a ball (an interval) that contains the exact value for all inputs.
    """

    def __init__(self, real: Real) -> None:
        from flint import arb

        self._unit = arb(real.epsilon) / 2
        self._tiny = arb(_SMALLEST[real.name])
        self._largest = arb(_LARGEST[real.name])
        self._infinite = arb("inf")

    def follow(
        self, instruction: Instruction, values: Sequence[tuple[Any, Any]]
    ) -> tuple[Any, Any]:
        """Return the pair of enclosure and error bound of an instruction's result.

        An enclosure is a ball (an interval) that contains the exact value for all inputs. `values`
        contains such pairs for the results of all earlier instructions.
        """
        if isinstance(instruction.payload, Exact):
            value = _convert(instruction.payload)
            return value, self._round(value, 0)
        operands = [values[operand] for operand in instruction.operands]
        match instruction.operation, operands:
            case (Operation.COPY, [(x, e)]):
                return x, e
            case (Operation.NEGATE, [(x, e)]):
                return -x, e
            case (Operation.ABSOLUTE, [(x, e)]):
                return abs(x), e
            case (Operation.ADD, [(x, e), (y, f)]):
                return x + y, self._round(x + y, e + f)
            case (Operation.SUBTRACT, [(x, e), (y, f)]):
                return x - y, self._round(x - y, e + f)
            case (Operation.MULTIPLY, [(x, e), (y, f)]):
                return x * y, self._round(x * y, abs(x).upper() * f + abs(y).upper() * e + e * f)
            case (Operation.DIVIDE, [(x, e), (y, f)]):
                return self._divide(x, e, y, f)
            case (Operation.SQRT, [(x, e)]):
                return self._take_root(x, e)
            case (Operation.SINE | Operation.COSINE as kind, [(x, e)]):
                value = x.sin() if kind is Operation.SINE else x.cos()
                value = value.intersection(_unit_ball())
                # Neither function changes faster than its argument.
                return value, e + _SINE_ERROR * self._unit * abs(value).upper() + self._tiny
        return self._infinite, self._infinite  # an operation without a rule

    def _round(self, value: Any, error: Any) -> Any:
        """Add the error of rounding `value` to `error`; the sum is infinite if it may overflow."""
        size = abs(value).upper() + error
        total = error + self._unit * size + self._tiny
        return total.upper() if size + total < self._largest else self._infinite

    def _divide(self, x: Any, e: Any, y: Any, f: Any) -> tuple[Any, Any]:
        """Return the enclosure (ball) x / y and the bound of its error.

        With the errors e of x and f of y, the bound is (e |y| + f |x|) / (|y| (|y| - f)) plus
        rounding.
        """
        least = abs(y).lower()
        if not least > f:
            return self._infinite, self._infinite
        error = (e + f * abs(x).upper() / least) / (least - f)
        return x / y, self._round(x / y, error.upper())

    def _take_root(self, x: Any, e: Any) -> tuple[Any, Any]:
        """Return sqrt(x) and its error bound e / sqrt(x - e) plus rounding; x has the error e."""
        least = x.lower() - e
        if not least > 0:
            return self._infinite, self._infinite
        return x.sqrt(), self._round(x.sqrt(), (e / least.sqrt()).upper())


def _unit_ball() -> Any:
    from flint import arb

    return arb(-1).union(arb(1))


def _convert(number: Exact) -> Any:
    """Return an exact number as a ball (interval) of nearly zero radius."""
    from flint import arb

    a, b, c, d, e = number.integers
    roots = [b * arb(2).sqrt(), c * arb(3).sqrt(), d * arb(6).sqrt()]
    return (a + sum(roots, arb(0))) / e


def _evaluate(program: Program, inputs: Mapping[str, Any], real: Real) -> dict[str, Array]:
    """Evaluate a program in a floating-point type.

    Inputs and outputs have the shape (states, elements).
    """
    columns = {name: list(values.T) for name, values in inputs.items()}
    found = evaluate(program, columns, Arithmetic(real.round))
    return {
        name: np.stack(
            [
                np.broadcast_to(np.float64(value), len(next(iter(inputs.values()))))
                for value in values
            ],
            axis=-1,
        )
        for name, values in found.items()
    }


def _evaluate_exactly(program: Program, inputs: Mapping[str, Any]) -> dict[str, list[list[Any]]]:
    """Evaluate a program with balls (intervals) of nearly zero radius in place of numbers.

    Return for each output a list of balls for each state.
    """
    from flint import arb, ctx

    exact = Arithmetic(
        _convert,
        {
            Operation.SINE: lambda x: x.sin(),
            Operation.COSINE: lambda x: x.cos(),
            Operation.SQRT: lambda x: x.sqrt(),
        },
    )
    rows: dict[str, list[list[Any]]] = {}
    with ctx.workprec(_BITS):
        for state in range(len(next(iter(inputs.values())))):
            given = {
                name: [arb(float(value)) for value in np.atleast_1d(values[state])]
                for name, values in inputs.items()
            }
            for name, values in evaluate(program, given, exact).items():
                rows.setdefault(name, []).append(values)
    return rows


def _measure(found: Array, exact: Sequence[Sequence[Any]]) -> Array:
    """Return lower bounds on the errors of the values `found`, shape (states, elements).

    `exact` contains a ball (an interval) around each exact value. A bound is the distance of a
    value in `found` from the ball, rounded down.
    """
    from flint import arb, ctx

    with ctx.workprec(_BITS):
        return np.array(
            [
                [
                    float((arb(float(value)) - ball).abs_lower())
                    for value, ball in zip(*row, strict=True)
                ]
                for row in zip(found, exact, strict=True)
            ]
        )
