"""Run-time parameters as an input of a program; numbers that depend on them are constants of it until `passes.hoisting`."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.ir.program import PARAMS, Argument
from dynagen.numbers.parametric import Parameter


def parameter_argument(parameters: Sequence[Parameter]) -> Argument:
    """The input that carries the run-time parameters, in the order of the description."""
    units, names = tuple(each.unit for each in parameters), tuple(each.name for each in parameters)
    return Argument(PARAMS, (len(parameters),), units, "run-time parameters", names)
