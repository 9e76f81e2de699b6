"""Live values: how many assigned values are still to be read, at every point of a sequence of statements.

A compiler keeps live values in registers and, as these are few, on the stack: where they are most tells how much stack a
straight-line kernel needs, and where they are few it can be cut in two.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from dynagen.ir.statements import Listing, Name, names_read


@dataclass(frozen=True)
class Access:
    """The names of the values that one step assigns, and of those that it reads."""

    assigned: Collection[str]
    read: Collection[str]


def live_counts(steps: Sequence[Access]) -> list[int]:
    """Numbers of values that are live before every step and after the last: assigned by an earlier step, read by a later.

    Args:
        steps: in order; every name is assigned once, before any step reads it.

    Returns:
        One number more than there are steps; the first and the last are zero.
    """
    ends = {name: position for position, step in enumerate(steps) for name in step.read}
    changes = [0] * (len(steps) + 1)
    for position, step in enumerate(steps):
        for name in step.assigned:
            if name in ends:
                changes[position + 1] += 1
                changes[ends[name] + 1] -= 1
    return list(accumulate(changes))


def most_live(listing: Listing) -> int:
    """The largest number of live values; results that no statement stores are stored after everything has been computed."""
    steps = [Access(statement.assigned, names_read(statement)) for block in listing.blocks for statement in block.statements]
    stored = Access((), [value.name for _, values in listing.results for value in values if isinstance(value, Name)])
    return max(live_counts([*steps, stored]))
