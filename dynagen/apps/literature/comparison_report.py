"""Output of compared operation counts to the console and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.apps.literature.comparison import OURS, Comparison, Entry
from dynagen.report.console import make_table
from dynagen.robot.description import RobotDescription

KINDS = {
    "paper": "paper",
    "program": "generator",
    "recursion": "textbook recursion",
    "formula": "general formula",
}
"""Texts in tables for the kinds of sources with which dynagen's operation counts are compared."""


def print_comparisons(
    console: Console,
    description: RobotDescription,
    comparisons: Sequence[Comparison],
    verbose: bool,
) -> None:
    """Print the operation counts of each function, next to counts of other sources.

    Args:
        console: console to print on.
        description: the robot, for its name.
        comparisons: operation counts of each function.
        verbose: whether to print one table per function, with all sources. Otherwise several
            functions are printed in one table, each with the other source that has the fewest
            operations.
    """
    console.print(
        f"[bold]{escape(description.name)}[/]: operations of one call, without sines and "
        f"cosines of joint angles"
    )
    compared = any(comparison.others for comparison in comparisons)
    if compared and len(comparisons) > 1 and not verbose:
        console.print(_tabulate_best(console, comparisons))
        console.print("-v lists all sources, errata and passes; -f NAME shows one function")
        return
    for comparison in comparisons:
        console.print(_tabulate_counts(console, comparison))
        for entry in comparison.others:
            if entry.erratum:
                console.print(
                    f"  Erratum, {escape(entry.label)}: {escape(entry.erratum)}.", soft_wrap=True
                )
        for sentence in comparison.formulation:
            console.print(f"  {escape(sentence)}")
        if verbose or not compared:
            console.print(_tabulate_passes(console, comparison))
    sources = dict.fromkeys(
        entry.source for comparison in comparisons for entry in comparison.others
    )
    if sources:
        console.print("[bold]Sources[/]")
        for source in sources:
            console.print(f"  {escape(source)}", soft_wrap=True)


def _tabulate_best(console: Console, comparisons: Sequence[Comparison]) -> Table:
    table = make_table(
        console, "Fewest operations", "function", "dynagen", "others", "ratio", "by", "sources"
    )
    table.columns[-2].justify = "left"
    for comparison in comparisons:
        ours, other = comparison.ours[-1], comparison.best_other
        found = (
            ("", "", "") if other is None else (str(other.total), ratio(other, ours), other.label)
        )
        table.add_row(
            comparison.function,
            f"[bold]{ours.total}[/]",
            *map(escape, found),
            str(len(comparison.others)),
        )
    return table


def comparisons_json(description: RobotDescription, comparisons: Sequence[Comparison]) -> str:
    """Return operation counts as a JSON object with the keys `robot` and `functions`.

    The value of `functions` maps each function name to dynagen's counts (`ours`), counts of other
    sources (`others`), counts after each pass of the optimiser (`descent`), and sentences on the
    chosen link frames and parameters (`formulation`).
    """
    functions = {comparison.function: _as_dict(comparison) for comparison in comparisons}
    return json.dumps({"robot": description.name, "functions": functions}, indent=2)


def ratio(entry: Entry, ours: Entry) -> str:
    """Return the operations of `entry` divided by the operations of `ours`, such as `1.25`.

    The text is `-` if dynagen's count `ours` is zero.
    """
    return f"{entry.total / ours.total:.2f}" if ours.total else "-"


def _tabulate_counts(console: Console, comparison: Comparison) -> Table:
    table = make_table(
        console, comparison.function, "program", "mul", "add", "div", "total", "ratio", "kind"
    )
    table.columns[-1].justify = "left"
    best = comparison.ours[-1]
    for entry in (*comparison.ours, *comparison.others):
        remark = ", ".join(filter(None, (KINDS.get(entry.kind, ""), entry.note)))
        style = "bold" if entry.kind == OURS else ""
        numbers = (str(number) for number in (entry.mul, entry.add, entry.div, entry.total))
        table.add_row(
            escape(entry.label), *numbers, ratio(entry, best), escape(remark), style=style
        )
    return table


def _tabulate_passes(console: Console, comparison: Comparison) -> Table:
    table = make_table(
        console, f"Pass by pass: {comparison.function}", "pass", "round", "total", "change"
    )
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
