"""Whether two programs compute the same, to 60 digits."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import mpmath
from hypothesis import assume

from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import Operation, Program

MPMATH = Arithmetic(
    lambda number: mpmath.mpf(number.to_fraction().numerator) / number.to_fraction().denominator,
    {Operation.SINE: mpmath.sin, Operation.COSINE: mpmath.cos, Operation.SQRT: mpmath.sqrt},
)


@lru_cache(maxsize=2)  # one program is compared with several
def results(program: Program) -> tuple[Any, ...]:
    """Values at 60 digits for inputs that are positive and have nothing in common."""
    inputs = {
        argument.name: [mpmath.sqrt(1 + index + 10 * number) / 2 for index in range(argument.size)]
        for number, argument in enumerate(program.inputs)
    }
    return tuple(value for values in evaluate(program, inputs, MPMATH).values() for value in values)


def assert_same_meaning(before: Program, after: Program) -> None:
    assert after.arguments == before.arguments
    with mpmath.workdps(60):
        expected, got = results(before), results(after)
        # Sines of constants are folded to 25 digits; huge intermediate values magnify that beyond
        # any bound.
        assume(all(abs(value) < 1e4 for value in expected))
        for x, y in zip(expected, got, strict=True):
            assert abs(x - y) <= mpmath.mpf(10) ** -15 * max(1, abs(x))
