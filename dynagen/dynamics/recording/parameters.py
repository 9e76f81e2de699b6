"""Numbers that depend on run-time parameters -> instructions that compute them from the input `params`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from dynagen.ir.builder import Builder
from dynagen.ir.interface import PARAMS
from dynagen.ir.program import Argument, Operation
from dynagen.numbers.exact import ONE
from dynagen.numbers.parametric import Atom, FunctionOf, Parameter, Parametric

_FUNCTIONS = {"sin": Operation.SINE, "cos": Operation.COSINE, "sqrt": Operation.SQRT}


def parameter_argument(parameters: Sequence[Parameter]) -> Argument:
    """The input that carries the run-time parameters, in the order of the description."""
    units = tuple(parameter.unit for parameter in parameters)
    return Argument(PARAMS, (len(parameters),), units, "run-time parameters")


def emit_number(builder: Builder, number: Parametric, order: Sequence[str]) -> int:
    """Emit the evaluation of a polynomial in the parameters.

    Args:
        builder: receives the instructions; it has the input `params`.
        number: what to compute.
        order: names of all parameters, in the order of the input.
    """

    def atom_value(atom: Atom) -> int:
        if isinstance(atom, Parameter):
            return builder.element(PARAMS, order.index(atom.name))
        assert isinstance(atom, FunctionOf)
        argument = emit_number(builder, atom.argument, order)
        if atom.name == "reciprocal":
            return builder.emit(Operation.DIVIDE, builder.constant(ONE), argument)
        return builder.emit(_FUNCTIONS[atom.name], argument)

    terms = []
    for monomial, coefficient in number.terms:
        factors = [atom_value(atom) for atom in monomial]
        if coefficient != ONE or not factors:
            factors.insert(0, builder.constant(coefficient))
        terms.append(reduce(lambda left, right: builder.emit(Operation.MULTIPLY, left, right), factors))
    return reduce(lambda left, right: builder.emit(Operation.ADD, left, right), terms)
