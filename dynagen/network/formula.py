"""A formula of a few operations for a node of a network, numbers left open; and the node computed by it."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from dynagen.ir.operation import Operation
from dynagen.ir.residues import NARROW_FIELD
from dynagen.network.network import Network
from dynagen.network.node_values import Combination, Literal
from dynagen.network.reading import constant
from dynagen.numbers.exact import ONE, ZERO


class Formula(NamedTuple):
    """A node, but for numbers: a base, and what is to be added to a multiple of it, or multiplied by it, to give the node."""

    base: Literal | Combination
    outer: Combination | None = None


def cost_of(network: Network, node: int, formula: Formula) -> int:
    """What the operations of a formula cost, were none of them there."""
    base, outer = formula
    operations = [] if outer is None else [outer.operation]
    if isinstance(base, Combination):
        operations.append(base.operation)
        base = network.combined(base)
    factor, term = network.values.affine_residues(2 * node, base, outer)
    if factor not in (1, NARROW_FIELD.prime - 1):
        operations.append(Operation.MULTIPLY)
    if term:
        operations.append(Operation.ADD)
    return sum(network.weights[operation] for operation in operations)


def apply(network: Network, node: int, formula: Formula, dependent: Set[int]) -> bool:
    """Compute a node by a formula, if it is one and another than before."""
    value, steps = _steps(network, node, formula)
    # A number of the formula may be a node that is computed, from this one, or this one itself.
    if not steps or any(right >> 1 in dependent for _, right in steps):
        return False
    *inner, last = steps
    for operation, right in inner:
        combination = Combination(operation, value, right)
        value = network.helper(combination)
        helper = value >> 1
        is_there = network.uses[helper] or not network.definitions[helper].is_fixed
        if helper in dependent or not is_there or not network.may_need(node, helper):
            return False
        if not network.is_well_conditioned(helper, combination):
            return False
    definition = network.definition_by(node, Combination(last[0], value, last[1]))
    if definition is None or definition == network.definitions[node]:
        return False
    network.define(node, definition)
    return True


def _steps(network: Network, node: int, formula: Formula) -> tuple[Literal, list[tuple[Operation, Literal]]]:
    """The begin of a formula, and what is added to it, or multiplied by it, one after the other: a node, or its opposite."""
    base, outer = formula
    value, steps = (base.left, [base[0::2]]) if isinstance(base, Combination) else (base, [])
    base = network.combined(base) if isinstance(base, Combination) else base
    factor, term = network.values.affine(2 * node, base, outer) or (ZERO, ZERO)
    if not factor:
        return value, []
    sign = 1
    if factor.unsigned != ONE:
        steps.append((Operation.MULTIPLY, constant(network, factor)))
    elif factor.has_minus:  # all that follows with the opposite sign
        sign, term = -1, -term
    if term:
        steps.append((Operation.ADD, constant(network, term)))
    if outer is not None:
        steps.append((outer.operation, outer.right ^ (sign < 0 and outer.operation is Operation.ADD)))
    return value, steps
