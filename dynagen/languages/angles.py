"""Statements in another order: calls, of sines and cosines above all, together where a language makes several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from dynagen.ir.statements import Block, Listing, SineCosine, Statement, names_read

TITLE = "Sines and cosines"
AT_ONCE = 4
"""Angles of one state whose sines and cosines are taken in one step, by --trig vector."""


@dataclass(frozen=True)
class Round:
    """Statements, in the blocks that they come from, and the calls that are made after them."""

    blocks: tuple[Block, ...]
    calls: tuple[Statement, ...]


def angles_first(listing: Listing) -> Listing:
    """The same statements with sines and cosines in a block of their own at the front, behind what their angles are made of.

    An angle that depends on a sine or cosine stays where it is.
    """
    first, rest = _next_round(listing.blocks, lambda statement: isinstance(statement, SineCosine))
    if not first.calls:
        return listing
    before = (statement for block in first.blocks for statement in block.statements)
    return Listing((Block(TITLE, (*before, *first.calls)), *rest), listing.results)


def angles_of_steps(listing: Listing) -> tuple[int, ...]:
    """How many angles each step of --trig vector takes, of the statements in the order of `angles_first`."""
    runs = [
        len(list(statements))
        for block in angles_first(listing).blocks
        for is_angle, statements in groupby(
            block.statements, lambda each: isinstance(each, SineCosine)
        )
        if is_angle
    ]
    return tuple(min(AT_ONCE, run - first) for run in runs for first in range(0, run, AT_ONCE))


def rounds(listing: Listing, is_call: Callable[[Statement], bool]) -> tuple[Round, ...]:
    """All statements in the fewest rounds: each has what its calls need, and the last one, without calls, all others."""
    found, rest = [], listing.blocks
    while (following := _next_round(rest, is_call))[0].calls:
        found.append(following[0])
        rest = following[1]
    return (*found, Round(rest, ()))


def _next_round(
    blocks: tuple[Block, ...], is_call: Callable[[Statement], bool]
) -> tuple[Round, tuple[Block, ...]]:
    """The calls that depend on no other, after what they are made of; and what is left."""
    early: dict[str, Statement] = {}
    later: set[str] = set()  # what depends on a call
    calls: list[Statement] = []
    for statement in (statement for block in blocks for statement in block.statements):
        if not later.isdisjoint(names_read(statement)):
            later.update(statement.assigned)
        elif is_call(statement):
            calls.append(statement)
            later.update(statement.assigned)
        else:
            early.update(dict.fromkeys(statement.assigned, statement))
    needed = {id(statement) for statement in _needed(calls, early)}
    gone = needed.union(map(id, calls))
    before = _filtered(blocks, lambda statement: id(statement) in needed)
    return Round(before, tuple(calls)), _filtered(
        blocks, lambda statement: id(statement) not in gone
    )


def _filtered(blocks: Iterable[Block], keep: Callable[[Statement], bool]) -> tuple[Block, ...]:
    kept = (replace(block, statements=tuple(filter(keep, block.statements))) for block in blocks)
    return tuple(block for block in kept if block.statements)


def _needed(calls: Iterable[Statement], early: Mapping[str, Statement]) -> Iterable[Statement]:
    """All statements that calls are made of, but for those of earlier rounds."""
    needed: dict[str, Statement] = {}
    pending = [name for call in calls for name in names_read(call)]
    while pending:
        name = pending.pop()
        if name in early and name not in needed:
            needed[name] = early[name]
            pending.extend(names_read(early[name]))
    return needed.values()
