"""Golden vectors: inputs and expected outputs of the kernels, for a test on the user's processor.

The program of each kernel is evaluated with 70 digits, and the results are rounded once, so that
the vectors are the same on every machine. The proof is a separate test, which compares compiled
kernels with independent references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np

from dynagen.codegen.documentation import make_unusable_values_error
from dynagen.codegen.package import GoldenKernel, GoldenOutput, Kernel, Package, Rows
from dynagen.errors import UsageError
from dynagen.ir.evaluation import Arithmetic, evaluate_instructions
from dynagen.ir.program import PREPARE, VALUES, Operation
from dynagen.ir.rounding import bound_rounding_errors
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, Real

_DIGITS = 70  # enough for exact sums of doubles of similar size


class _NoValueError(Exception):
    """Error: a kernel divides by zero in a state, or computes the root of a negative number.

    `number` is the index of the state, and `state` maps each input to its values in the state.
    """

    def __init__(
        self, message: str, kernel: Kernel, number: int, state: Mapping[str, Sequence[float]]
    ) -> None:
        super().__init__(message)
        self.kernel, self.number, self.state = kernel, number, state


def make_golden_kernels(package: Package) -> tuple[GoldenKernel, ...]:
    """Return each kernel with golden vectors: inputs and correct outputs of test states.

    The tuple is empty if the package has no states. States in which one of the kernels has no
    value, such as singular poses, are omitted for all kernels.

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
                    f"{first.kernel.function} has no value at {values} ({first}): a likely cause "
                    "is a "
                    "joint that moves no mass; give every link mass and inertia"
                ) from error
        vectors = {
            name: (*rows[:left_out], *rows[left_out + 1 :]) for name, rows in vectors.items()
        }


def _golden_kernels(package: Package, vectors: Mapping[str, Rows]) -> Iterator[GoldenKernel]:
    """Yield every kernel with its inputs and correct outputs in given states.

    `vectors` maps the name of an input to its values in every state. The values of any other input
    are the output with the same name of an earlier kernel.
    """
    known = dict(vectors)
    for kernel in package.kernels:
        inputs = {argument.name: known[argument.name] for argument in kernel.program.inputs}
        golden = _golden_kernel(kernel, inputs, package.real)
        # Given vectors take precedence over computed ones.
        known = {**{output.argument.name: output.expected for output in golden.outputs}, **known}
        yield golden


def _golden_kernel(kernel: Kernel, inputs: Mapping[str, Rows], real: Real) -> GoldenKernel:
    """Return one kernel with its inputs and correct outputs in all states, rounded to `real`."""
    program = kernel.program
    states = list(_states(inputs))
    # decimal evaluates arithmetic, mpmath the functions that decimal does not have.
    with localcontext(Context(prec=_DIGITS)), mpmath.workdps(_DIGITS):
        exact = [_evaluate(kernel, number, state) for number, state in enumerate(states)]
    bounds = _bound_errors(kernel, exact, states)
    outputs = tuple(
        GoldenOutput(
            output.argument,
            tuple(
                tuple(_round(values[place], real) for place in output.values) for values in exact
            ),
            # Epsilon is twice the unit roundoff.
            tuple(float(real.epsilon * bounds[place].max()) for place in output.values),
        )
        for output in program.results
    )
    statuses = tuple(
        int(not values[place] > 0)
        for output in program.outputs
        if output.argument.is_status
        for place in output.values
        for values in exact
    )
    return GoldenKernel(kernel, inputs, outputs, statuses)


def _evaluate(kernel: Kernel, number: int, state: Mapping[str, Sequence[float]]) -> list[Decimal]:
    """Return the value of every instruction of a kernel in one state.

    `number` is the index of the state, for the error.

    Raises:
        _NoValueError: an instruction has no value.
    """
    inputs = {name: [Decimal(value) for value in values] for name, values in state.items()}
    try:
        return evaluate_instructions(kernel.program, inputs, _ARITHMETIC)
    except ArithmeticError as error:
        raise _NoValueError(str(error), kernel, number, state) from error


def _bound_errors(
    kernel: Kernel, exact: Sequence[Sequence[Decimal]], states: Sequence[Mapping[str, Any]]
) -> dict[int, Array]:
    """Return bounds on the rounding errors of a kernel's values, in units of the unit roundoff.

    The keys are the positions in the program of the instructions that compute results, divisors and
    radicands. Each array holds one bound for each state. `exact` holds for each state the value of
    every instruction.

    Raises:
        _NoValueError: a divisor or radicand may be zero within rounding.
    """
    program = kernel.program
    divisors = {
        instruction.operands[-1]
        for instruction in program.instructions
        if instruction.operation in (Operation.DIVIDE, Operation.SQRT)
    }
    places = sorted(divisors | {place for output in program.results for place in output.values})
    values = np.array(exact, dtype=float).T
    bounds = dict(zip(places, bound_rounding_errors(program, values, places), strict=True))
    for number, state in enumerate(states):
        for place in divisors:
            if bounds[place][number] * DOUBLE.epsilon > 2 * abs(values[place, number]):
                message = "a divisor or a radicand is zero within rounding"
                raise _NoValueError(message, kernel, number, state)
    return bounds


def _states(inputs: Mapping[str, Rows]) -> Iterator[dict[str, tuple[float, ...]]]:
    """Yield for each state a mapping from the names of inputs to their values."""
    for rows in zip(*inputs.values(), strict=True):
        yield dict(zip(inputs, rows, strict=True))


def _round(value: Decimal, real: Real) -> float:
    """Return the number of the type `real` that is nearest to a decimal number."""
    # Python rounds to a double once, and fast; large numbers are refused below.
    if real is DOUBLE and abs(value) < 1e300:
        return float(value) + 0.0  # without the sign of a zero
    return float(real.round(Exact(Fraction(value))))


@lru_cache(maxsize=4096)  # every state needs the same constants
def _constant(value: Exact) -> Decimal:
    fraction = value.to_fraction()
    return Decimal(fraction.numerator) / fraction.denominator


def _compute(function: Callable[[mpmath.mpf], mpmath.mpf]) -> Callable[[Decimal], Decimal]:
    """Return a function of decimal numbers that calls `function`, which takes mpmath's numbers."""
    # Most kernels need the sines of the same joint positions.
    return lru_cache(maxsize=1024)(lambda value: Decimal(str(function(mpmath.mpf(str(value))))))


def _square_root(value: Decimal) -> Decimal:
    if value < 0:
        raise ArithmeticError("square root of a negative number")
    return value.sqrt()


_ARITHMETIC = Arithmetic(
    _constant,
    {
        Operation.SINE: _compute(mpmath.sin),
        Operation.COSINE: _compute(mpmath.cos),
        Operation.SQRT: _square_root,
        Operation.SIGN: lambda value: Decimal((value > 0) - (value < 0)),
        Operation.HYPERBOLIC_TANGENT: _compute(mpmath.tanh),
        Operation.EXPONENTIAL: Decimal.exp,
        Operation.MINIMUM: min,
        Operation.MAXIMUM: max,
    },
    locate=lambda number: number,
)
