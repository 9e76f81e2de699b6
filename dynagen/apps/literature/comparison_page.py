"""Comparisons as one page that needs nothing else: no network, no script; charts are drawn in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.apps.literature.comparison import KINDS, OURS, Comparison, Entry, ratio
from dynagen.report.page import render_page
from dynagen.robot.description import RobotDescription
from dynagen.version import __version__

_WIDTH = 100  # of the longest bar, in the chart's units
_LONGEST = 6  # times our own count: longer bars are cut off, so that short ones can be told apart


@dataclass(frozen=True)
class Bar:
    """A bar of a chart, with what is written beside it.

    Attributes:
        width: out of 100.
        is_cut: whether the bar is shown shorter than it is.
        kind: of the entry, for its colour.
        erratum: what is known to be wrong with it.
    """

    label: str
    remark: str
    value: int
    change: str
    width: float
    is_cut: bool
    kind: str
    erratum: str = ""


@dataclass(frozen=True)
class Chart:
    """A function's section of the page.

    Attributes:
        best: of ours.
        advantage: how many times as many operations the best elsewhere takes; empty if there is none.
    """

    comparison: Comparison
    best: Entry
    advantage: str
    headline: str
    counts: tuple[Bar, ...]
    descent: tuple[Bar, ...]


def comparisons_html(description: RobotDescription, comparisons: Sequence[Comparison]) -> str:
    """The page. Whatever comes from the description is escaped."""
    sources = dict.fromkeys(
        entry.source for comparison in comparisons for entry in comparison.others
    )
    return render_page(
        "comparison.html.j2",
        robot=description.name,
        joints="".join(link.joint.type.name[0].upper() for link in description.links),
        charts=[_chart(comparison) for comparison in comparisons],
        sources=sources,
        kinds={OURS: "dynagen", **KINDS},
        shown={
            entry.kind
            for comparison in comparisons
            for entry in (*comparison.ours, *comparison.others)
        },
        version=__version__,
    )


def _chart(comparison: Comparison) -> Chart:
    best = comparison.ours[-1]
    entries = (*comparison.ours, *comparison.others)
    longest = min(max(entry.total for entry in entries), _LONGEST * max(best.total, 1))
    first = comparison.descent[0].total
    descent = []
    for step, change in zip(comparison.descent, comparison.changes, strict=True):
        label = f"{step.name}, round {step.round}" if step.round else step.name
        descent.append(
            Bar(label, "", step.total, change, _WIDTH * step.total / max(first, 1), False, OURS)
        )
    counts = tuple(_bar(entry, best, longest) for entry in entries)
    advantage = f"{ratio(comparison.best_other, best)}x" if comparison.best_other else ""
    return Chart(comparison, best, advantage, _headline(comparison), counts, tuple(descent))


def _bar(entry: Entry, best: Entry, longest: int) -> Bar:
    width = _WIDTH * min(1.0, entry.total / max(longest, 1))
    detail = f"{entry.mul} mul, {entry.add} add" + (f", {entry.div} div" if entry.div else "")
    remark = "; ".join(filter(None, (detail, entry.note)))
    change, is_cut = f"{ratio(entry, best)}x", entry.total > longest
    return Bar(entry.label, remark, entry.total, change, width, is_cut, entry.kind, entry.erratum)


def _headline(comparison: Comparison) -> str:
    best, other = comparison.ours[-1], comparison.best_other
    text = f"{best.total} operations: {best.mul} multiplications, {best.add} additions"
    text += f", {best.div} divisions" if best.div else ""
    if other is None:
        return f"{text}."
    note = f" ({other.note})" if other.note else ""
    return f"{text}. The best elsewhere: {other.total}, {other.label}{note}."
