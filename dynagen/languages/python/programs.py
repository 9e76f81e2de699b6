"""The programs that come with a Python module: an example and a golden test."""

from __future__ import annotations

from functools import partial

from dynagen.languages.package import Package
from dynagen.languages.printing import subscripts
from dynagen.languages.programs import Spelling, bracketed, bracketed_rows
from dynagen.languages.python.printer import RESERVED

# The names that the templates use.
_TAKEN = ("path", "sys", "table", "count_wrong", "wrong", "print", "int", "min", "sum", "str")
_INDENT = "    "


def spelling(package: Package) -> Spelling:
    """Return how Python writes the programs of a package."""
    return Spelling(
        "py",
        reserved=(*RESERVED, *_TAKEN, package.prefix),
        values={
            "row": partial(bracketed, indent=_INDENT),
            "rows": partial(bracketed_rows, indent=_INDENT),
            "subscripts": subscripts,
        },
    )
