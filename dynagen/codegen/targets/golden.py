"""Golden vectors: inputs and expected outputs of the kernels, for a test on the user's processor.

The emitted program is evaluated with 70 digits, and the results are rounded once, so that the
vectors are the same on every machine. The proof compares the same program with the references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import mpmath

from dynagen.codegen.documentation import make_unusable_values_error
from dynagen.codegen.package import GoldenKernel, GoldenOutput, Kernel, Package, Rows
from dynagen.errors import UsageError
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import PREPARE, STATUS, VALUES, Argument, Operation
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, Real

_DIGITS = 70  # enough for exact sums of doubles of similar size


class _NoValueError(Exception):
    """Error: in a state, a kernel divides by zero or computes the root of a negative number."""

    def __init__(
        self, message: str, kernel: Kernel, number: int, state: Mapping[str, Sequence[float]]
    ) -> None:
        super().__init__(message)
        self.kernel, self.number, self.state = kernel, number, state


def make_golden_kernels(package: Package) -> tuple[GoldenKernel, ...]:
    """Return the golden vectors of every kernel; empty if the package has no states for them.

    States in which a kernel has no value, such as singular poses, are omitted for all kernels.

    Raises:
        UsageError: a kernel has no finite value in any state, or `prepare` has no finite value in
            one of the states.
    """
    if not package.vectors:
        return ()
    vectors = dict(package.vectors)
    first: _NoValueError | None = None
    while True:
        try:
            return tuple(_golden_kernels(package, vectors))
        except _NoValueError as error:
            first, left_out = first or error, error.number
            if error.kernel.function == PREPARE:
                names = [parameter.name for parameter in package.parameters]
                raise make_unusable_values_error(
                    dict(zip(names, error.state[VALUES], strict=True))
                ) from error
            if all(len(rows) == 1 for rows in vectors.values()):
                values = ", ".join(f"{name} = {list(row)}" for name, row in first.state.items())
                raise UsageError(
                    f"{first.kernel.function} has no value at {values} ({first}): is there a joint "
                    "that moves no mass?"
                ) from error
        vectors = {
            name: (*rows[:left_out], *rows[left_out + 1 :]) for name, rows in vectors.items()
        }


def _golden_kernels(package: Package, vectors: Mapping[str, Rows]) -> Iterator[GoldenKernel]:
    """Yield the golden vectors of every kernel for given states.

    If there are no vectors for an input, the output of an earlier kernel with the same name is
    used.
    """
    known = dict(vectors)
    for kernel in package.kernels:
        inputs = {argument.name: known[argument.name] for argument in kernel.program.inputs}
        golden = _golden_kernel(kernel, inputs, package.real)
        # Given vectors take precedence over computed ones.
        known = {**{output.argument.name: output.expected for output in golden.outputs}, **known}
        yield golden


def _golden_kernel(kernel: Kernel, inputs: Mapping[str, Rows], real: Real) -> GoldenKernel:
    """Return the golden vectors of one kernel."""
    program = kernel.program
    # decimal evaluates arithmetic, mpmath the functions that decimal does not have.
    with localcontext(Context(prec=_DIGITS)), mpmath.workdps(_DIGITS):
        results = [_evaluate(kernel, number, state) for number, state in enumerate(_states(inputs))]
        outputs = tuple(
            _output(output.argument, [result[output.argument.name] for result in results], real)
            for output in program.results
        )
        statuses = (
            tuple(int(not result[STATUS][0].value > 0) for result in results)
            if program.can_fail
            else ()
        )
    return GoldenKernel(kernel, inputs, outputs, statuses)


def _evaluate(
    kernel: Kernel, number: int, state: Mapping[str, Sequence[float]]
) -> dict[str, list[_BoundedNumber]]:
    """Return the outputs of a kernel in one state, with running error bounds."""
    numbers = {
        name: [_number(Decimal(value), 0.0, 0) for value in values]
        for name, values in state.items()
    }
    try:
        return evaluate(kernel.program, numbers, _ARITHMETIC)
    except ArithmeticError as error:
        raise _NoValueError(str(error), kernel, number, state) from error


def _states(inputs: Mapping[str, Rows]) -> Iterator[dict[str, tuple[float, ...]]]:
    """Yield for each state a mapping from the names of inputs to their values."""
    for rows in zip(*inputs.values(), strict=True):
        yield dict(zip(inputs, rows, strict=True))


def _output(
    argument: Argument, states: Sequence[Sequence[_BoundedNumber]], real: Real
) -> GoldenOutput:
    """Return the rounded values of an output in all states, with the allowed errors."""
    expected = tuple(
        tuple(float(real.round(Exact(Fraction(number.value)))) for number in state)
        for state in states
    )
    largest = (max(number.error for number in numbers) for numbers in zip(*states, strict=True))
    # Epsilon is twice the unit roundoff.
    return GoldenOutput(argument, expected, tuple(float(real.epsilon * error) for error in largest))


@dataclass(frozen=True, slots=True)
class _BoundedNumber:
    """A number with a first-order bound on its rounding error, in units of the unit roundoff.

    The method is running error analysis (Higham, Accuracy and Stability of Numerical Algorithms,
    2002, section 3.3).

    Attributes:
        value: value of the number with 70 digits.
        magnitude: absolute value as a float, for the computation of the bound.
        error: bound on the error, in units of the unit roundoff.
    """

    value: Decimal
    magnitude: float
    error: float

    def __neg__(self) -> _BoundedNumber:
        return _BoundedNumber(-self.value, self.magnitude, self.error)

    def __abs__(self) -> _BoundedNumber:
        return _BoundedNumber(abs(self.value), self.magnitude, self.error)

    def __add__(self, other: _BoundedNumber) -> _BoundedNumber:
        # |fl(a + b) - (a + b)| <= u |a + b| + error(a) + error(b), Higham, section 3.3
        return _round_once(self.value + other.value, self.error + other.error)

    def __sub__(self, other: _BoundedNumber) -> _BoundedNumber:
        return _round_once(self.value - other.value, self.error + other.error)

    def __mul__(self, other: _BoundedNumber) -> _BoundedNumber:
        return _round_once(
            self.value * other.value, self.magnitude * other.error + other.magnitude * self.error
        )

    def __truediv__(self, other: _BoundedNumber) -> _BoundedNumber:
        if other.error * DOUBLE.epsilon > 2 * other.magnitude:
            raise ZeroDivisionError("a divisor is zero within rounding")
        quotient = self.value / other.value
        return _round_once(
            quotient, (self.error + abs(float(quotient)) * other.error) / other.magnitude
        )


def _number(value: Decimal, error: float, roundoffs: int) -> _BoundedNumber:
    """Return a number whose error bound is a propagated error plus `roundoffs` rounding errors."""
    magnitude = abs(float(value))
    return _BoundedNumber(value, magnitude, error + roundoffs * magnitude)


def _round_once(value: Decimal, error: float) -> _BoundedNumber:
    """Return the result of an operation that adds one rounding error."""
    return _number(value, error, 1)


def _library(value: Decimal, error: float) -> _BoundedNumber:
    """Return the result of a function of <math.h>, whose last bit may be wrong."""
    return _number(value, error, 2)


def _constant(value: Exact) -> _BoundedNumber:
    """Return a constant with the error of one rounding."""
    # Exact constants are evaluated with all digits and count as rounded once, as in a literal.
    fraction = value.to_fraction()
    return _round_once(Decimal(fraction.numerator) / fraction.denominator, 0.0)


def _sine(angle: _BoundedNumber) -> _BoundedNumber:
    return _library(
        _compute(mpmath.sin, angle.value),
        abs(float(_compute(mpmath.cos, angle.value))) * angle.error,
    )


def _cosine(angle: _BoundedNumber) -> _BoundedNumber:
    return _library(
        _compute(mpmath.cos, angle.value),
        abs(float(_compute(mpmath.sin, angle.value))) * angle.error,
    )


def _compute(function: Callable[[mpmath.mpf], mpmath.mpf], value: Decimal) -> Decimal:
    """Return the value of an mpmath function; `decimal` has no sine, cosine or tanh."""
    return Decimal(str(function(mpmath.mpf(str(value)))))


def _square_root(number: _BoundedNumber) -> _BoundedNumber:
    if number.value < 0:
        raise ArithmeticError("square root of a negative number")
    root = number.value.sqrt()
    return _round_once(root, number.error / (2 * float(root)) if number.error else 0.0)


def _sign(number: _BoundedNumber) -> _BoundedNumber:
    return _number(Decimal((number.value > 0) - (number.value < 0)), 0.0, 0)


def _tanh(number: _BoundedNumber) -> _BoundedNumber:
    tangent = _compute(mpmath.tanh, number.value)
    return _library(tangent, float(1 - tangent**2) * number.error)


def _exponential(number: _BoundedNumber) -> _BoundedNumber:
    power = number.value.exp()
    return _library(power, float(power) * number.error)


def _minimum(left: _BoundedNumber, right: _BoundedNumber) -> _BoundedNumber:
    return _number(min(left.value, right.value), max(left.error, right.error), 0)


def _maximum(left: _BoundedNumber, right: _BoundedNumber) -> _BoundedNumber:
    return _number(max(left.value, right.value), max(left.error, right.error), 0)


_ARITHMETIC = Arithmetic(
    _constant,
    {
        Operation.SINE: _sine,
        Operation.COSINE: _cosine,
        Operation.SQRT: _square_root,
        Operation.SIGN: _sign,
        Operation.HYPERBOLIC_TANGENT: _tanh,
        Operation.EXPONENTIAL: _exponential,
        Operation.MINIMUM: _minimum,
        Operation.MAXIMUM: _maximum,
    },
    locate=lambda number: number.value,
)
