"""Comparisons as tables on a console, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.description.description import RobotDescription
from dynagen.literature.comparison import OURS, Comparison, Entry
from dynagen.report.console import new_table

KINDS = {"paper": "paper", "program": "generator", "recursion": "textbook recursion", "formula": "general formula"}
"""What a figure of others is, for readers."""


def print_comparisons(console: Console, description: RobotDescription, comparisons: Sequence[Comparison]) -> None:
    """Print a table of counts and one of passes for every function."""
    console.print(f"[bold]{escape(description.name)}[/]: operations of one call, sines and cosines of the joint angles given")
    for comparison in comparisons:
        console.print(_counts(console, comparison))
        for entry in comparison.others:
            if entry.erratum:
                console.print(f"  Erratum, {escape(entry.label)}: {escape(entry.erratum)}.", soft_wrap=True)
        for sentence in comparison.formulation:
            console.print(f"  {escape(sentence)}")
        console.print(_descent(console, comparison))
    sources = dict.fromkeys(entry.source for comparison in comparisons for entry in comparison.others)
    if sources:
        console.print("[bold]Sources[/]")
        for source in sources:
            console.print(f"  {escape(source)}", soft_wrap=True)


def comparisons_json(description: RobotDescription, comparisons: Sequence[Comparison]) -> str:
    """One object: `robot`, and under `functions`, by name, `ours`, `others`, `descent` and `formulation`."""
    functions = {comparison.function: _as_dict(comparison) for comparison in comparisons}
    return json.dumps({"robot": description.name, "functions": functions}, indent=2)


def ratio(entry: Entry, ours: Entry) -> str:
    """The operations that somebody needs, as a multiple of ours."""
    return f"{entry.total / ours.total:.2f}" if ours.total else "-"


def _counts(console: Console, comparison: Comparison) -> Table:
    table = new_table(console, comparison.function, "program", "mul", "add", "div", "total", "ratio", "what it is")
    table.columns[-1].justify = "left"
    best = comparison.ours[-1]
    for entry in (*comparison.ours, *comparison.others):
        remark = ", ".join(filter(None, (KINDS.get(entry.kind, ""), entry.note)))
        style = "bold" if entry.kind == OURS else ""
        numbers = (str(number) for number in (entry.mul, entry.add, entry.div, entry.total))
        table.add_row(escape(entry.label), *numbers, ratio(entry, best), escape(remark), style=style)
    return table


def _descent(console: Console, comparison: Comparison) -> Table:
    table = new_table(console, f"Pass by pass: {comparison.function}", "pass", "round", "total", "change")
    for step, change in zip(comparison.descent, comparison.changes, strict=True):
        table.add_row(step.name, str(step.round or ""), str(step.total), change)
    return table


def _as_dict(comparison: Comparison) -> dict[str, Any]:
    return {
        "ours": [{**asdict(entry), "total": entry.total} for entry in comparison.ours],
        "others": [{**asdict(entry), "total": entry.total} for entry in comparison.others],
        "descent": [asdict(step) for step in comparison.descent],
        "formulation": list(comparison.formulation),
    }
