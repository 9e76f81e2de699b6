"""Lowering: expressions in sympy become the operations of a program.

Operations are in the order of sympy's printer, which does not depend on hashes, so that the results
of the optimisation passes are reproducible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import sympy

from dynagen.dynamics.traces import Shape
from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.numbers.exact import Exact

_FUNCTIONS = {
    sympy.sin: Operation.SINE,
    sympy.cos: Operation.COSINE,
    sympy.Abs: Operation.ABSOLUTE,
    sympy.sign: Operation.SIGN,
    sympy.tanh: Operation.HYPERBOLIC_TANGENT,
    sympy.exp: Operation.EXPONENTIAL,
    sympy.Min: Operation.MINIMUM,
    sympy.Max: Operation.MAXIMUM,
}
_ELEMENT = re.compile(r"(\w+)\[(\d+)\]")


def lower_formula(function: Callable[..., Any], shapes: tuple[Shape, ...]) -> tuple[Program, Shape]:
    """Evaluate a formula on sympy symbols; return its program, and the shape of its result.

    The program has one output, the elements of the result, row-major.

    Args:
        function: the formula as a function of sympy symbols.
        shapes: shape of each argument.
    """
    inputs = tuple(Argument(f"x{index}", shape, (), "") for index, shape in enumerate(shapes))
    result = function(*[make_symbols(argument) for argument in inputs])
    if isinstance(result, sympy.MatrixBase):
        shape = (result.rows,) if result.cols == 1 else (result.rows, result.cols)
        return lower(function.__name__, inputs, list(result)), shape
    return lower(function.__name__, inputs, [sympy.sympify(result)]), ()


def lower(name: str, inputs: tuple[Argument, ...], expressions: Sequence[Any]) -> Program:
    """Return the program that computes the given sympy expressions.

    The program has one output, the vector `result` with an element for each expression.

    Args:
        name: name of the program.
        inputs: arguments of the program; the symbol `x[2]` is element 2 of the input x.
        expressions: sympy scalars.

    Raises:
        InvalidProgramError: an expression contains an unknown symbol or function.
    """
    builder = Builder(name, inputs)
    values = tuple(_lower(builder, expression) for expression in expressions)
    return builder.finish([Output(Argument("result", (len(values),), (), ""), values)])


def _lower(builder: Builder, expression: Any) -> int:
    """Emit the operations of an expression; return the position of its result in the program."""
    if expression.is_Symbol:
        match = _ELEMENT.fullmatch(expression.name)
        if match is None:
            raise InvalidProgramError(
                f"{builder.name}: expected an argument of the formula, found {expression}"
            )
        return builder.add_element(match[1], int(match[2]))
    if expression.is_Rational:
        return builder.add_constant(Exact(Fraction(int(expression.p), int(expression.q))))
    if expression.is_Add:
        return _lower_sum(builder, expression)
    if expression.is_Mul:
        # x/y is one division, not a product with a reciprocal. x/2 stays the product of 1/2 and x.
        if not all(factor.is_Symbol or factor.is_Rational for factor in expression.args):
            numerator, denominator = expression.as_numer_denom()
            if denominator != 1 and not denominator.is_Rational:
                return builder.emit(
                    Operation.DIVIDE, _lower(builder, numerator), _lower(builder, denominator)
                )
        # Products that differ only in sign then share one value.
        if expression.could_extract_minus_sign():
            return builder.emit(Operation.NEGATE, _lower(builder, -expression))
        factors = (_lower(builder, factor) for factor in expression.args)
        return reduce(lambda left, right: builder.emit(Operation.MULTIPLY, left, right), factors)
    if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
        base = _lower(builder, expression.base)
        return reduce(
            lambda left, _: builder.emit(Operation.MULTIPLY, left, base),
            range(int(expression.exp) - 1),
            base,
        )
    if expression.is_Pow and expression.exp.is_Integer:
        one = builder.add_constant(1)
        return builder.emit(Operation.DIVIDE, one, _lower(builder, 1 / expression))
    if expression.is_Pow and expression.exp == sympy.Rational(1, 2):
        return builder.emit(Operation.SQRT, _lower(builder, expression.base))
    if expression.func in _FUNCTIONS:
        operands = [
            _lower(builder, argument)
            # The arguments of Min and Max are an unordered set in sympy.
            for argument in sorted(expression.args, key=sympy.default_sort_key)
        ]
        if len(operands) == _FUNCTIONS[expression.func].operand_count:
            return builder.emit(_FUNCTIONS[expression.func], *operands)
    raise InvalidProgramError(
        f"{builder.name}: a formula may not contain {type(expression).__name__}: {expression}"
    )


def _lower_sum(builder: Builder, expression: Any) -> int:
    """Emit a sum, and return the position of its result in the program.

    If the sum has a positive term, a positive term is first, so that no negation is needed.
    """
    positive: list[Any] = []
    negative: list[Any] = []
    for term in order_terms(expression):
        if term.could_extract_minus_sign():
            negative.append(-term)
        else:
            positive.append(term)
    if positive:
        value = reduce(
            lambda left, term: builder.emit(Operation.ADD, left, _lower(builder, term)),
            positive[1:],
            _lower(builder, positive[0]),
        )
        return reduce(
            lambda left, term: builder.emit(Operation.SUBTRACT, left, _lower(builder, term)),
            negative,
            value,
        )
    return builder.emit(Operation.NEGATE, _lower_sum(builder, sympy.Add(*negative)))


def order_terms(expression: Any) -> list[Any]:
    """Return the terms of a sum in the order of sympy's printer.

    The printer's own method takes ten times as long as this function for sums of products of
    symbols, as most sums are.
    """
    monomials = [(term, _read_monomial(term)) for term in expression.args]
    if not all(powers for _, powers in monomials):
        return list(expression.as_ordered_terms())
    # Lexicographic order, from the highest power of the first symbol.
    names = sorted({name for _, powers in monomials for name in powers})
    monomials.sort(key=lambda each: [-each[1].get(name, 0) for name in names])
    return [term for term, _ in monomials]


def _read_monomial(term: Any) -> dict[str, int]:
    """Return the power of each symbol in a product of symbols; empty for any other expression."""
    powers: dict[str, int] = {}
    for factor in term.args if term.is_Mul else (term,):
        base, exponent = factor.as_base_exp()
        if base.is_Symbol and exponent.is_Integer:
            powers[base.name] = int(exponent)
        elif not (factor.is_Rational and term.is_Mul):
            return {}
    return powers


@cache  # many formulas have arguments of equal shapes
def make_symbols(argument: Argument) -> Any:
    """Return sympy symbols for an argument: a scalar, a column vector or a matrix by its shape.

    The symbol of element i (row-major, from 0) of the argument x is named `x[i]`.
    """
    names = [sympy.Symbol(f"{argument.name}[{index}]") for index in range(argument.size)]
    if not argument.shape:
        return names[0]
    rows, columns = (*argument.shape, 1)[:2]  # a vector is one column
    return sympy.ImmutableDenseMatrix(rows, columns, names)
