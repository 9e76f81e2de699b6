"""Statements in another order: all sines and cosines first, so that a language can take several of them in one step."""

from __future__ import annotations

from collections.abc import Iterable

from dynagen.ir.statements import Apply, Assignment, Block, Expression, Listing, Name, SineCosine, Statement

TITLE = "Sines and cosines"


def angles_first(listing: Listing) -> Listing:
    """The same statements with sines and cosines in a block of their own at the front, behind what their angles are made of.

    An angle that depends on a sine or cosine stays where it is.
    """
    assigned: dict[str, Assignment] = {}
    later: set[str] = set()  # what depends on a sine or cosine
    first: list[SineCosine] = []
    for statement in (statement for block in listing.blocks for statement in block.statements):
        names = _names(statement.expression if isinstance(statement, Assignment) else statement.angle)
        if isinstance(statement, SineCosine):
            later.update(name for name in (statement.sine, statement.cosine) if name is not None)
            if later.isdisjoint(names):
                first.append(statement)
        elif later.isdisjoint(names):
            assigned[statement.name] = statement
        else:
            later.add(statement.name)
    if not first:
        return listing
    wanted = _needed(first, assigned)
    moved: list[Statement] = [*(each for name, each in assigned.items() if name in wanted), *first]
    gone = {id(statement) for statement in moved}
    rest = (
        Block(block.title, tuple(statement for statement in block.statements if id(statement) not in gone))
        for block in listing.blocks
    )
    return Listing((Block(TITLE, tuple(moved)), *(block for block in rest if block.statements)), listing.results)


def _needed(first: Iterable[SineCosine], assigned: dict[str, Assignment]) -> set[str]:
    """Names of all assignments that the angles are made of."""
    needed: set[str] = set()
    pending = [name for statement in first for name in _names(statement.angle)]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending.extend(_names(assigned[name].expression))
    return needed


def _names(expression: Expression) -> set[str]:
    """The assigned values that an expression reads."""
    match expression:
        case Name(name):
            return {name}
        case Apply(_, operands):
            return set().union(*map(_names, operands))
    return set()
