"""Report of a cross-check, as tables and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape

from dynagen.apps.crosscheck.comparison import CrossCheck
from dynagen.report.console import make_table


def print_cross_check(console: Console, comparison: CrossCheck) -> None:
    """Print the largest difference of each function between the reference and another tool.

    If functions differ, the differences of joint axes and links are printed too.
    """
    title = f"Cross-check with {comparison.tool} on {comparison.source}"
    table = make_table(
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
        title = "Differences, in the base frame with all joints at zero"
        parts = make_table(console, title, "part", "quantity", "here", comparison.tool)
        for difference in comparison.differences:
            parts.add_row(
                escape(difference.part), difference.quantity, difference.ours, difference.theirs
            )
        console.print(parts)
        console.print(
            "Functions differ because these parts differ: correct the numbers of these parts in "
            f"ROBOT, or in the file that {comparison.tool} reads.",
            markup=False,
            soft_wrap=True,
        )
    elif not comparison.agrees:
        console.print(
            "All joints and links agree, but functions differ: check gravity and mimicking joints."
        )


def cross_check_to_json(comparison: CrossCheck) -> str:
    """Return the cross-check as a JSON object: robot, tool, functions and differences."""
    rows = [{**asdict(row), "agrees": row.agrees} for row in comparison.rows]
    return json.dumps({**asdict(comparison), "rows": rows, "agrees": comparison.agrees}, indent=2)
