"""HTML page with charts of operation counts, without scripts and external files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from dynagen.apps.literature.comparison import OURS, Comparison
from dynagen.apps.literature.comparison_report import KINDS, ratio
from dynagen.report.drawing import COLOURS, Bar, draw_bars, draw_inline
from dynagen.report.page import render_page
from dynagen.robot.description import RobotDescription
from dynagen.version import __version__

EXTRA = "view"
KIND_COLOURS = {
    OURS: COLOURS[0],
    "program": COLOURS[1],
    "recursion": COLOURS[2],
    "paper": COLOURS[4],
    "formula": COLOURS[6],
}
"""Colours of the chart's bars, by kind of source of an operation count."""

_LONGEST = 6  # times our own count; longer bars are cut off, so short bars remain distinguishable


def comparisons_html(description: RobotDescription, comparisons: Sequence[Comparison]) -> str:
    """Return the text of an HTML page with charts of operation counts.

    Args:
        description: the robot, whose texts are escaped.
        comparisons: operation counts of each function.

    Raises:
        ToolchainError: matplotlib is not installed.
    """
    return render_page(
        "comparison.html.j2",
        robot=description.name,
        joints="".join(link.joint.type.name[0].upper() for link in description.links),
        comparisons=comparisons,
        ratio=ratio,
        headline=_write_headline,
        counts=lambda each: draw_inline(
            f"Operations of {each.function}", EXTRA, partial(_draw_counts, each)
        ),
        descent=lambda each: draw_inline(
            f"Descent of {each.function}", EXTRA, partial(_draw_descent, each)
        ),
        sources=dict.fromkeys(
            entry.source for comparison in comparisons for entry in comparison.others
        ),
        version=__version__,
    )


def _draw_counts(comparison: Comparison) -> Any:
    entries, best = (*comparison.ours, *comparison.others), comparison.ours[-1]
    meanings = {OURS: OURS, **KINDS}
    bars = [
        Bar(
            entry.label, entry.total, f"{entry.total} ({ratio(entry, best)}x)", meanings[entry.kind]
        )
        for entry in entries
    ]
    shown = {entry.kind for entry in entries}
    colours = {meanings[kind]: colour for kind, colour in KIND_COLOURS.items() if kind in shown}
    return draw_bars(
        bars, colours, min(max(entry.total for entry in entries), _LONGEST * max(best.total, 1))
    )


def _draw_descent(comparison: Comparison) -> Any:
    bars = []
    for step, change in zip(comparison.descent, comparison.changes, strict=True):
        label = f"{step.name}, round {step.round}" if step.round else step.name
        bars.append(
            Bar(label, step.total, f"{step.total} ({change})" if change else f"{step.total}", OURS)
        )
    return draw_bars(bars, {OURS: KIND_COLOURS[OURS]}, max(comparison.descent[0].total, 1))


def _write_headline(comparison: Comparison) -> str:
    best, other = comparison.ours[-1], comparison.best_other
    text = f"{best.total} operations: {best.mul} multiplications, {best.add} additions"
    text += f", {best.div} divisions" if best.div else ""
    if other is None:
        return f"{text}."
    note = f" ({other.note})" if other.note else ""
    return f"{text}. Best of other sources: {other.total}, {other.label}{note}."
