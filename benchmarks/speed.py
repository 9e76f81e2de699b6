"""Times of calls of dynagen and other tools: tables and figure of docs/benchmarks.md.

The program requires clang or gcc, and the packages of `pip install 'dynagen[bench]'`. Pinocchio's
headers are compiled the first time, which takes minutes. All measurements together take about ten
minutes.

    python benchmarks/speed.py
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sweeps import Series, over_joints, over_states, over_threads

from dynagen.apps.benchmarking.benchmark import FULL, Benchmark, Row, benchmark
from dynagen.apps.benchmarking.contender import BATCH, ONE_STATE
from dynagen.apps.benchmarking.ours import BATCH_FLOAT, FROM_C, FROM_PYTHON, ONE_STATE_LIBM
from dynagen.report.drawing import COLOURS, draw_to, make_axes_logarithmic, make_panels
from dynagen.robot.loading import load_robot

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
ROBOTS = ("puma560", "panda")
_TABLE = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n)(?P<table>.*?)(<!-- end -->)", re.DOTALL)


def best(rows: Sequence[Row], tool: str, called: str = ONE_STATE, compiler: str = "") -> Row | None:
    """Return the fastest row of a tool; None if the tool has no row.

    Args:
        rows: rows of one function.
        tool: name of the tool without its version, such as `Pinocchio, C++`.
        called: way to call the function, such as ONE_STATE.
        compiler: compiler of the program; empty for all compilers.
    """
    found = [
        row
        for row in rows
        if row.tool.startswith(tool.partition(",")[0])
        and row.tool.endswith(tool.rpartition(",")[2])
        and row.called == called
        and compiler in ("", row.compiler)
    ]
    return min(found, key=lambda row: row.nanoseconds, default=None)


def times_as_fast(rows: Sequence[Row], *which: str) -> str:
    """Format Pinocchio's best time divided by the best time of another tool.

    Args:
        rows: rows of one function.
        which: the other tool, and optionally the way to call it, as arguments of `best`.
    """
    theirs, ours = best(rows, "Pinocchio, C++"), best(rows, *which)
    return "" if theirs is None or ours is None else digits(theirs.nanoseconds / ours.nanoseconds)


def digits(number: float) -> str:
    """Format a number below 20 with one decimal, and a larger number as an integer."""
    return f"{number:.1f}" if number < 20 else f"{number:,.0f}"


def nanoseconds(row: Row | None) -> str:
    return "" if row is None else digits(row.nanoseconds)


def table(
    heading: str, columns: Mapping[str, Callable[[Sequence[Row]], str]], measured: Benchmark
) -> str:
    """Return a table in Markdown with a row for each function.

    Args:
        heading: heading of the column with the names of the functions.
        columns: further columns: mapping from each heading to a function that returns the text of a
            cell for the times of one function.
        measured: times of all functions.
    """
    lines = [f"| {' | '.join([heading, *columns])} |", "| --- |" + " --: |" * len(columns)]
    lines += [
        f"| `{name}` | {' | '.join(each(rows) for each in columns.values())} |"
        for name, rows in measured.functions.items()
    ]
    return "\n".join(lines)


FASTER: Mapping[str, Callable[[Sequence[Row]], str]] = {
    "Pinocchio: ns": lambda rows: nanoseconds(best(rows, "Pinocchio, C++")),
    "one state, clang": lambda rows: times_as_fast(rows, FROM_C, ONE_STATE, "clang"),
    "gcc": lambda rows: times_as_fast(rows, FROM_C, ONE_STATE, "gcc"),
    "`--trig libm`": lambda rows: times_as_fast(rows, FROM_C, ONE_STATE_LIBM),
    "CasADi's C": lambda rows: times_as_fast(rows, "CasADi, C"),
    "`--batch`, clang": lambda rows: times_as_fast(rows, FROM_C, BATCH, "clang"),
    "gcc ": lambda rows: times_as_fast(rows, FROM_C, BATCH, "gcc"),
    "float": lambda rows: times_as_fast(rows, FROM_C, BATCH_FLOAT),
}


def bounded(called: str) -> dict[str, Callable[[Sequence[Row]], str]]:
    """Return table columns that compare kernel times with the limits of the processor.

    The columns contain dynagen's best time (ns), the least time that arithmetic units and memory
    permit (ns), and their ratio.
    """

    def ours(rows: Sequence[Row]) -> Row:
        found = best(rows, FROM_C, called)
        assert found is not None
        assert found.roof is not None
        return found

    return {
        f"{called}: ns": lambda rows: nanoseconds(ours(rows)),
        f"bound, {called}": lambda rows: digits(ours(rows).roof.bound),
        f"ns : bound, {called}": lambda rows: (
            f"{ours(rows).nanoseconds / ours(rows).roof.bound:.2f}"
        ),
    }


FROM_PYTHON_COLUMNS: Mapping[str, Callable[[Sequence[Row]], str]] = {
    "ours, Python: ns": lambda rows: nanoseconds(best(rows, FROM_PYTHON)),
    "Pinocchio, Python": lambda rows: nanoseconds(best(rows, "Pinocchio, Python")),
    "MuJoCo, Python": lambda rows: nanoseconds(best(rows, "MuJoCo, Python")),
    "numpy": lambda rows: nanoseconds(best(rows, "numpy")),
}


def series_table(heading: str, series: Series) -> str:
    """Return a table of ns per state in Markdown: columns are curves, rows are x values."""
    places = list(next(iter(series.values())))
    lines = [f"| {' | '.join([heading, *series])} |", "| --: |" + " --: |" * len(series)]
    lines += [
        f"| {place:,} | {' | '.join(digits(line[place]) for line in series.values())} |"
        for place in places
    ]
    return "\n".join(lines)


def draw(axes_of: Sequence[tuple[str, Series]]) -> Figure:
    """Draw one panel for each set of curves; panels with several curves have logarithmic axes."""
    figure, panel = make_panels(1, len(axes_of), 3.6, 3.9 * len(axes_of))
    for axes, (label, series) in zip(panel, axes_of, strict=True):
        _lines(axes, label, series)
    return figure


def _lines(axes: Axes, label: str, series: Series) -> None:
    for colour, (name, line) in zip(COLOURS, series.items(), strict=False):
        axes.plot(list(line), list(line.values()), marker="o", color=colour, label=name)
    axes.set(xlabel=label, ylabel="ns per state")
    if len(series) == 1:
        axes.set_ylim(bottom=0)
    make_axes_logarithmic(axes, "xy" if len(series) > 1 else "x")
    places = list(next(iter(series.values())))
    axes.set_xticks(places if len(places) < 8 else (1, 100, 10_000, 1_000_000))
    axes.minorticks_off()
    axes.legend(fontsize=8)


def write(tables: Mapping[str, str]) -> None:
    """Write tables, by name, between their marks in docs/benchmarks.md."""
    text = PAGE.read_text(encoding="utf-8")
    text = _TABLE.sub(
        lambda match: (
            f"{match[1]}{tables[match['name']]}\n{match[4]}"
            if match["name"] in tables
            else match[0]
        ),
        text,
    )
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    tables = {}
    for robot in ROBOTS:
        print(f"{robot}: eight functions", flush=True)
        measured = benchmark(load_robot(robot), (), FULL, show_stage)
        tables[robot] = table(robot, FASTER, measured)
        tables[f"{robot}-bounds"] = table(
            robot, bounded(ONE_STATE) | bounded(BATCH) | bounded(BATCH_FLOAT), measured
        )
        tables[f"{robot}-python"] = table(robot, FROM_PYTHON_COLUMNS, measured)
        tables["machine"] = "\n".join(
            f"- {name}: {value}" for name, value in measured.machine.items()
        )
        tables[f"{robot}-notes"] = (
            "\n".join(f"- {robot}: {note}" for note in measured.notes)
            or f"- {robot}: no tool or function is left out."
        )
    sweeps: dict[str, tuple[str, Callable[[], Series]]] = {
        "joints": ("joints", over_joints),
        "states": ("states in a call", over_states),
        "threads": ("threads", over_threads),
    }
    found = {}
    for name, (label, sweep) in sweeps.items():
        print(f"over {label}", flush=True)
        found[name] = label, sweep()
        tables[name] = series_table(label, found[name][1])
    write(tables)
    picture = PAGE.with_suffix(".svg")
    picture.write_bytes(draw_to(picture, "bench", partial(draw, list(found.values()))))
    print(f"{PAGE}, load {os.getloadavg()[0]:.1f}")


def show_stage(stage: str, done: float | None) -> None:
    print(f"  {stage}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
