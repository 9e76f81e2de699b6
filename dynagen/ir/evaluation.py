"""Evaluation of programs on numbers, which defines the meaning of the intermediate form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from dynagen.ir.program import Element, Operation, Program
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import ParametricNumber, iterate_parameters

_EXAMPLE = ONE / 3


@dataclass(frozen=True)
class Arithmetic:
    """A kind of numbers with which programs are evaluated, such as numpy doubles or mpmath numbers.

    Attributes:
        constant: converts an exact constant into a number of this kind.
        functions: mapping from some operations to functions that replace `Operation.compute`.
        locate: converts a number of this kind into one that can be compared with integers and
            truncated, for the lookup in a table of constants. None for numpy numbers.
    """

    constant: Callable[[Exact], Any]
    functions: Mapping[Operation, Callable[..., Any]] = field(default_factory=dict)
    locate: Callable[[Any], Any] | None = None

    def get_function(self, operation: Operation) -> Callable[..., Any]:
        """Return the function that computes an operation from its operands' numbers.

        The operation must be neither CONSTANT nor INPUT.
        """
        table, locate = operation.table, self.locate
        if table is not None and locate is not None:
            return lambda x: self.constant(table.find(locate(x)))
        function = self.functions.get(operation, operation.compute)
        assert function is not None  # only leaves have none
        return function


NUMPY = Arithmetic(float)


def evaluate(
    program: Program, inputs: Mapping[str, Any], arithmetic: Arithmetic = NUMPY
) -> dict[str, list[Any]]:
    """Return the outputs of a program for given inputs, by computing its instructions in order.

    The result of a division by zero depends on `arithmetic`; numpy returns an infinity or NaN.

    Args:
        program: the program to run.
        inputs: mapping from the name of each input argument to the flat sequence of its elements,
            row-major. Elements are numbers, or arrays of equal shape with one entry for each set of
            inputs.
        arithmetic: the kind of numbers; numpy's double precision by default.

    Returns:
        Mapping from the name of each output argument to the flat list of its elements, row-major.
    """
    values = evaluate_instructions(program, inputs, arithmetic)
    return {
        output.argument.name: [values[value] for value in output.values]
        for output in program.outputs
    }


def evaluate_instructions(
    program: Program, inputs: Mapping[str, Any], arithmetic: Arithmetic = NUMPY
) -> list[Any]:
    """Return the value of every instruction of a program, in order.

    Args:
        program: the program to run.
        inputs: mapping from the name of each input argument to the flat sequence of its elements,
            row-major. Elements are numbers, or arrays of equal shape with one entry for each set of
            inputs.
        arithmetic: the kind of numbers; numpy's double precision by default.
    """
    get_function = cache(arithmetic.get_function)
    values: list[Any] = []
    for operation, operands, payload, *_ in program.instructions:
        if isinstance(payload, Exact):
            values.append(arithmetic.constant(payload))
        elif isinstance(payload, Element):
            values.append(inputs[payload.argument][payload.index])
        else:
            values.append(get_function(operation)(*[values[operand] for operand in operands]))
    return values


def evaluate_example(number: Exact) -> float:
    """Return the value of an exact number, with example values for its run-time parameters.

    The example value of a parameter is its default. A default of zero is replaced by 1/3, because
    zero would hide the parameter's effect.
    """
    if not isinstance(number, ParametricNumber):
        return float(number)
    return float(
        number.substitute(
            {
                parameter.name: _EXAMPLE
                for parameter in iterate_parameters(number)
                if not parameter.value
            }
        )
    )
