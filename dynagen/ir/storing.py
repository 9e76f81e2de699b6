"""Results that are stored where they are computed.

Compilers store what they find last in the source last. There are more results than registers: those of a regressor would be
written to the stack as they are computed, read again at the end, and written once more to where they belong.

In some languages an output may be the same array as an input. What is read after the first store is copied before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from dynagen.ir.program import Element
from dynagen.ir.statements import (
    Apply,
    Assignment,
    Block,
    Expression,
    Listing,
    Name,
    SineCosine,
    Statement,
    Store,
    atoms,
)

COPIES, FIRST_RESULTS = "Inputs", "Results that take no operation"
"""Titles of the blocks that precede those of the recursion."""


def store_early(listing: Listing, copies: Callable[[Element], str] | None) -> Listing:
    """The same statements with every result stored behind the statement that computes it; the status stays a result.

    Results that take no operation are stored first: what they are does not depend on anything, and blocks of zeros are written
    in one go.

    Args:
        listing: statements without stores.
        copies: names for the copies of inputs that are read after a store; None where inputs need none.
    """
    of_value: dict[str, list[Store]] = {}
    first: list[Store] = []
    for store in listing.stores:
        (
            of_value.setdefault(store.value.name, []) if isinstance(store.value, Name) else first
        ).append(store)
    blocks = [Block(FIRST_RESULTS, tuple(first))] if first else []
    for block in listing.blocks:
        statements = [
            each
            for statement in block.statements
            for each in (
                statement,
                *(store for name in statement.assigned for store in of_value.get(name, ())),
            )
        ]
        blocks.append(replace(block, statements=tuple(statements)))
    status = tuple(
        (output, values) for output, values in listing.results if output.argument.is_status
    )
    late = {element: Name(copies(element)) for element in _read_late(blocks)} if copies else {}
    copied = tuple(Assignment(name.name, element) for element, name in late.items())
    stored = [
        replace(block, statements=tuple(replaced(each, late) for each in block.statements))
        for block in blocks
    ]
    return Listing(tuple([Block(COPIES, copied)] * bool(copied) + stored), status)


def _read_late(blocks: Iterable[Block]) -> list[Element]:
    """The inputs that are read after the first store, and those that are stored, in the order of their places."""
    statements: Iterator[Statement] = (
        statement for block in blocks for statement in block.statements
    )
    late: set[Element] = set()
    storing = False
    for statement in statements:
        storing |= isinstance(statement, Store)
        if storing:
            late.update(atom for atom in atoms(statement.expression) if isinstance(atom, Element))
    return sorted(late, key=lambda element: (element.argument, element.index))


def replaced(statement: Statement, names: Mapping[Element, Name]) -> Statement:
    """A statement that reads copies of inputs."""
    expression = _replaced(statement.expression, names)
    if isinstance(statement, Assignment):
        return Assignment(statement.name, expression)
    if isinstance(statement, SineCosine):
        return SineCosine(expression, statement.sine, statement.cosine)
    assert not isinstance(expression, Apply)
    return Store(statement.place, expression)


def _replaced(expression: Expression, names: Mapping[Element, Name]) -> Expression:
    if isinstance(expression, Apply):
        return Apply(
            expression.operation,
            tuple(_replaced(operand, names) for operand in expression.operands),
        )
    return names.get(expression, expression) if isinstance(expression, Element) else expression
