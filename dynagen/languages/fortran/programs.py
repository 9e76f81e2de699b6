"""The programs that come with Fortran kernels: an example and a golden test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import numpy as np

from dynagen.languages.fortran.batch import batch_subroutines
from dynagen.languages.fortran.printer import KINDS, RESERVED, continued
from dynagen.languages.naming import prefixed_symbol
from dynagen.languages.package import VECTOR, Package
from dynagen.languages.printing import WIDTH, subscripts
from dynagen.languages.programs import Call, Spelling, Table

# The names that the templates use.
_TAKEN = ("wp", "c_int", "states", "wrong", "k", "count_wrong", "count", "abs")
_MOST = 500  # numbers of a statement, which a standard compiler accepts on 256 lines
_STEP = "  "


def spelling(package: Package) -> Spelling:
    """Return how Fortran writes the programs of a package."""
    prefix = package.prefix
    symbols = [prefixed_symbol(prefix, kernel.function) for kernel in package.kernels]

    def called(call: Call, of_state: bool = False) -> Iterator[str]:
        """Write a call, or that of state k in a test."""
        taken = [_of_state(table) for table in call.inputs] if of_state else call.taken
        yield from continued(
            f"call {prefixed_symbol(prefix, call.kernel.function)}({', '.join([*taken, *call.filled])})"
        )

    return Spelling(
        "f90",
        reserved=(
            *RESERVED,
            *_TAKEN,
            *symbols,
            f"{prefix}_golden",
            f"{prefix}_dynamics",
            f"{prefix}_n",
        ),
        values={
            "kind": KINDS[package.real],
            "uses": list(continued(f"use {prefix}_dynamics, only: {', '.join(symbols)}")),
            "subscripts": subscripts,
            "called": called,
            "continued": continued,
            "data": _data,
        },
    )


def readme_values(package: Package) -> dict[str, Any]:
    """Return the call of the first kernel over lanes, and options."""
    return {
        "batch": next((each.call for each in batch_subroutines(package)), ""),
        "one_step": package.trig == VECTOR,
        "threads": package.threads,
    }


def _of_state(table: Table) -> str:
    return f"{table.name}(:, k)" if table.argument.shape else f"{table.name}(k)"


def _data(table: Table, of_states: bool = True) -> Iterator[str]:
    """Write statements that give a table its numbers, the elements of each state column-major.

    Args:
        table: what is filled.
        of_states: whether the last subscript counts states; otherwise the table has one row.
    """
    shape, suffix = table.argument.shape, "_c_int" if table.argument.is_status else "_wp"
    if table.argument.is_status or not shape:
        yield from _statements(table.name, "", [number + suffix for number in table.numbers])
        return
    for state, row in enumerate(table.rows, 1):
        numbers = [number + suffix for number in np.reshape(row, shape).ravel("F")]
        yield from _statements(table.name, f", {state}" if of_states else "", numbers)


def _statements(name: str, state: str, numbers: Sequence[str]) -> Iterator[str]:
    """Write statements that give an array its numbers, or a table those of one state."""
    for first in range(0, len(numbers), _MOST):
        part = numbers[first : first + _MOST]
        section = ":" if len(part) == len(numbers) else f"{first + 1}:{first + len(part)}"
        head, listed = f"data {name}({section}{state}) /", ", ".join(part)
        if len(f"{head} {listed} /") <= WIDTH:
            yield f"{head} {listed} /"
        else:
            yield f"{head} &"
            *lines, last = wrap(listed, WIDTH, break_long_words=False, break_on_hyphens=False)
            yield from (f"{_STEP}{line} &" for line in lines)
            yield f"{_STEP}{last} /"
