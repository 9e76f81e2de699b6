"""Comparison of dynagen's operation counts with the lowest counts of other sources.

The comparison covers each function of each bundled robot for which other sources have counts. The
program writes docs/comparison.md and docs/comparison.png (`pip install 'dynagen[bench]'`). It
prints the functions for which another source needs fewer operations.

    python benchmarks/comparison.py
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill

from comparison_picture import DOCS, KINDS, draw

from dynagen.apps.literature.comparison import Comparison, Entry, compare, compared_functions
from dynagen.pipeline.generation import Settings
from dynagen.resources import list_bundled_robots
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot

SEARCHED = 600  # most operations of a program that is searched, which takes up to a minute
HEAD = """# Comparison of operation counts

This page compares dynagen's operation counts with the lowest published counts. To compare all
known counts for a robot, run

```sh
dynagen report puma560 --compare
```

For each robot, the tables show the lowest count of each kind of source. [others.md](others.md)
names the sources and explains how to repeat the counts. `python benchmarks/comparison.py` counts
dynagen's programs again and writes this page; `python benchmarks/comparison_picture.py` draws the
picture from the tables below.

- The counted operations are multiplications, additions and divisions of one call. Sines and
  cosines of the joint angles are not counted.
- The columns `default` and `max` are dynagen's counts with these two efforts (`--optimize`). The
  count for `max` is shown if the program of `default` has at most {searched} operations. The search
  of `max` has the default budget (`--budget 600`). [optimizer.md](optimizer.md) has the counts of
  longer searches, which are up to four operations lower.
- The factor in the last column is the lowest count of other sources divided by dynagen's lowest
  count.
- The word "formula" marks a published formula in the number of joints, which holds for any robot.
  Other published counts are for the inertial parameters of their paper.
- Textbook recursions are counted for the same robot, without operations on zeros and ones.
- A dagger (†) marks a count of a computation that differs from dynagen's. The list below each
  table states how the two computations differ.
- The pendulum is left out, because a robot with one joint has hardly any operations to save.

![Operations of the best other source as multiples of dynagen's, for each function and robot: \
up to 8.5](comparison.png)
"""


@dataclass(frozen=True)
class Row:
    """Operation counts of one function of one robot, by dynagen and by other sources.

    Attributes:
        robot: name of the robot.
        comparison: counts of the function by dynagen and by all other sources.
    """

    robot: str
    comparison: Comparison

    @property
    def ours(self) -> int:
        """Fewest operations that dynagen finds, with any effort of the optimiser."""
        return min(entry.total for entry in self.comparison.ours)

    def best(self, kind: str) -> Entry | None:
        """Return the entry with the lowest operation count of a kind of source; None without entry.

        `kind` is a key of KINDS. The kind `published` contains papers and general formulas.
        """
        kinds = ("paper", "formula") if kind == "published" else (kind,)
        return min(
            (each for each in self.comparison.others if each.kind in kinds),
            key=lambda each: each.total,
            default=None,
        )

    @property
    def factor(self) -> float:
        """Fewest operations of all other sources, divided by dynagen's fewest operations."""
        return min(entry.total for entry in self.comparison.others) / self.ours


def rows() -> Iterator[Row]:
    for robot in list_bundled_robots():
        description = load_robot(robot)
        functions = compared_functions(description)
        if len(description.links) == 1 or not functions:
            continue
        # A search is added where the program is small enough.
        usual = _compare(description, functions, ("default",))
        searched = tuple(each.function for each in usual if each.ours[0].total <= SEARCHED)
        found = _compare(description, searched, ("default", "max")) if searched else ()
        by_function = {each.function: each for each in (*usual, *found)}
        for function in functions:
            row = Row(robot, by_function[function])
            print(f"{robot:24}{function:44}{row.factor:6.2f}", file=sys.stderr)
            yield row


def _compare(
    description: RobotDescription, functions: Sequence[str], efforts: Sequence[str]
) -> Sequence[Comparison]:
    return compare(
        description, functions, efforts, Settings(), rivals=True, workers=os.cpu_count() or 1
    )


def document(found: list[Row]) -> str:
    """Return docs/comparison.md: a table for each function, with remarks on the counts."""
    lines = [HEAD.format(searched=SEARCHED)]
    behind = [row for row in found if row.factor < 1]
    if behind:
        lines += [f"**{_describe_behind(row)}**\n" for row in behind]
    rows_of = Counter(row.comparison.function for row in found)
    headings = " | ".join(heading for heading, _ in KINDS.values())
    for function, _ in rows_of.most_common():
        chosen = [row for row in found if row.comparison.function == function]
        lines += [
            f"## {function}\n",
            f"| robot | default | max | {headings} | factor |",
            "| --- | --: | --: | --- | --- | --- | --: |",
        ]
        for row in chosen:
            totals = [str(entry.total) for entry in row.comparison.ours]
            cells = [
                row.robot,
                totals[0],
                totals[1] if len(totals) > 1 else "",
                *(_cell(row.best(kind)) for kind in KINDS),
            ]
            lines.append(f"| {' | '.join(cells)} | {row.factor:.2f} |")
        lines += ["", *_remarks(chosen)]
    return "\n".join(lines).rstrip() + "\n"


def _describe_behind(row: Row) -> str:
    """Return a sentence on a function for which another source needs fewer operations."""
    lowest = min(row.comparison.others, key=lambda each: each.total)
    difference = "; ".join(filter(None, (lowest.note, lowest.erratum)))
    return (
        f"A lower count than ours exists for `{row.comparison.function}` of {row.robot}: "
        f"{lowest.total}, {lowest.label}{f' ({difference})' if difference else ''}."
    )


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    return (
        f"{entry.total}{'†' if _differs(entry) else ''} "
        f"{entry.label}{', formula' if entry.kind == 'formula' else ''}"
    )


def _differs(entry: Entry) -> bool:
    return entry.kind != "recursion" and bool(entry.note or entry.erratum)


def _remarks(chosen: list[Row]) -> list[str]:
    figures: dict[str, list[int]] = {}
    for row in chosen:
        for entry in filter(None, map(row.best, KINDS)):
            if _differs(entry):
                remark = "; ".join(filter(None, (entry.note, entry.erratum)))
                text = f"remark on the count of {entry.label}: {remark}."
                figures.setdefault(text, []).append(entry.total)
    lines = [
        fill(
            f"- † {', '.join(map(str, dict.fromkeys(totals)))}: {text}", 100, subsequent_indent="  "
        )
        for text, totals in figures.items()
    ]
    return [*lines, ""] if lines else []


def main() -> None:
    found = list(rows())
    (DOCS / "comparison.md").write_text(document(found), encoding="utf-8")
    for row in found:
        if row.factor < 1:
            print(
                f"Another source has fewer operations than dynagen: {row.robot}, "
                f"{row.comparison.function}, {row.factor:.2f} times dynagen's count",
                file=sys.stderr,
            )
    draw()


if __name__ == "__main__":
    main()
