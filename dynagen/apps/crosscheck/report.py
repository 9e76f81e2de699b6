"""Comparison with another tool -> tables on a console, or JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape

from dynagen.apps.crosscheck.comparison import Comparison
from dynagen.report.console import new_table


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print how far functions are apart, and where they are, what parts of the robots differ."""
    title = f"Second opinion of {comparison.tool} on {comparison.source}"
    table = new_table(
        console, title, "function", "states", "largest difference", "allowed", "agrees"
    )
    for row in comparison.rows:
        cells = (
            str(row.states),
            f"{row.difference:.1e}",
            f"{row.allowed:.0e}",
            "yes" if row.agrees else "NO",
        )
        table.add_row(row.function, *cells)
    console.print(table)
    for note in comparison.notes:
        console.print(f"note: {note}", markup=False)
    if comparison.differences:
        title = "What differs, in the base frame with all joints at zero"
        parts = new_table(console, title, "part", "quantity", "here", comparison.tool)
        for each in comparison.differences:
            parts.add_row(escape(each.part), each.quantity, each.ours, each.theirs)
        console.print(parts)
    elif not comparison.agrees:
        console.print(
            "No part of the two robots differs by itself: compare gravity, and what joints follow."
        )


def comparison_json(comparison: Comparison) -> str:
    """The comparison as one JSON object."""
    rows = [{**asdict(row), "agrees": row.agrees} for row in comparison.rows]
    return json.dumps({**asdict(comparison), "rows": rows, "agrees": comparison.agrees}, indent=2)
