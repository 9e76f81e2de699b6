"""Dynamics on several processors: tables and figures of docs/schedules.md.

python benchmarks/schedules.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from matplotlib.figure import Figure

from dynagen.apps.scheduling.checking import Violation, violations
from dynagen.apps.scheduling.clustering import program_tasks
from dynagen.apps.scheduling.decomposition import LinkShape, decompose, decomposition
from dynagen.apps.scheduling.methods import schedule
from dynagen.apps.scheduling.page import gantt
from dynagen.apps.scheduling.study import (
    PrintedSchedule,
    lagrange_operations,
    printed_tasks,
    published_schedules,
    simultaneous_steps,
    turney,
)
from dynagen.codegen.cores.schedule import Schedule, make_processors, parse_units
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.ir.cost import FLOPS, find_cost
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.report.drawing import GREY, draw_series, draw_to, make_panels
from dynagen.resources import list_bundled_robots
from dynagen.robot.loading import load_robot

DOCUMENT = Path(__file__).parents[1] / "docs" / "schedules.md"
PLOT = DOCUMENT.with_suffix(".png")
CHART = DOCUMENT.with_name("schedules_chart.png")
COUNTS = range(2, 11)
THREE = Fraction(3)


def program_of(robot: str, grain: Fraction | None = None) -> TaskGraph:
    """Return the task graph of a robot's inverse dynamics at the optimiser's default effort.

    Args:
        robot: name of the robot.
        grain: largest cost of a task; None makes a task of every operation.
    """
    (generated,) = generate(load_robot(robot), Settings(verify=False)).functions
    return program_tasks(generated.program, FLOPS, grain)


def on(graph: TaskGraph, counts: Sequence[int]) -> list[Schedule]:
    """Return the shortest valid schedule that is found for each number of processors."""
    found = [schedule(graph, make_processors(count)) for count in counts]
    assert not any(violations(graph, each.resources, each.placements) for each in found)
    return found


def cell(found: Schedule) -> str:
    """Format a schedule's length, with a lower bound if it is not proved to be the shortest."""
    return str(found.length) if found.is_optimal else f"{found.length} (at least {found.bound})"


def table(header: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table from its headings and rows."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def of_the_thesis() -> str:
    """Tabulate schedule lengths for the subtasks of Dhanaraj's thesis, and the thesis's lengths."""
    arms = {
        "230 subtasks": (decompose([LinkShape()] * 6), "general"),
        "Stanford, 156 as printed": (printed_tasks("stanford"), "stanford"),
        "Stanford, 153 by the rules": (
            decompose(decomposition().arms["stanford"].shapes),
            "stanford",
        ),
    }
    rows = []
    for name, (graph, arm) in arms.items():
        printed = published_schedules().lengths(arm)
        rows.append([name, *(cell(found) for found in on(graph, COUNTS))])
        rows.append(["the thesis", *(printed.get(count, "") for count in COUNTS)])
    return table(["levels of 3 operations", *COUNTS], rows)


def of_the_stanford_program() -> str:
    """Tabulate schedules of the emitted program for the Stanford arm, and the thesis's schedules.

    Lengths are in operations. The thesis counts lengths in levels; a level is three operations.
    """
    counts = [1, 2, 3, 4, 6, 7, 13]
    lengths = {1: 156, **published_schedules().lengths("stanford")}
    rows = [
        ["dynagen, one operation per task", *map(cell, on(program_of("stanford_listing"), counts))]
    ]
    rows.append(
        ["dynagen, up to three", *map(cell, on(program_of("stanford_listing", THREE), counts))]
    )
    rows.append(
        ["the thesis", *(3 * lengths[count] if count in lengths else "" for count in counts)]
    )
    return table(["operations", *counts], rows)


def of_the_robots() -> str:
    """Tabulate schedule lengths of all bundled robots on 2, 4 and 8 processors.

    One half of the columns is for tasks of one operation, the other half for tasks of up to three
    operations.
    """
    counts = (2, 4, 8)
    rows = []
    for robot in list_bundled_robots():
        fine, coarse = program_of(robot), program_of(robot, THREE)
        of_fine, of_coarse = (
            [cell(found) for found in on(graph, counts)] for graph in (fine, coarse)
        )
        rows.append(
            [
                robot,
                fine.work,
                fine.critical_path,
                *of_fine,
                len(coarse.tasks),
                coarse.critical_path,
                *of_coarse,
            ]
        )
    header = ["robot", "operations", "path", *(f"on {count}" for count in counts)]
    return table([*header, "tasks", "path", *(f"on {count}" for count in counts)], rows)


def of_the_printed() -> str:
    """Tabulate which scheduling rules are violated by the schedules that the thesis prints."""
    published = published_schedules()
    rows = []
    for printed in (*published.layers, *published.schedules):
        found = violations(
            printed_tasks(printed.arm), make_processors(printed.processors), printed.placements
        )
        rows.append([printed.table, printed.processors, printed.length, *_broken(printed, found)])
    return table(
        [
            "table",
            "processors",
            "levels",
            "same level as 110",
            "precedence",
            "missing",
            "repeated",
            "not of this arm",
        ],
        rows,
    )


def _broken(printed: PrintedSchedule, found: Sequence[Violation]) -> list[str]:
    """Return table cells, one for each rule: the tasks of a printed schedule that violate it.

    Task 110 has its own cell, because it violates a rule in all printed schedules.
    """
    beside = " ".join(each.tasks[1] for each in found if each.tasks[0] == "110")
    cells = [beside]
    for fault in ("precedence", "missing", "twice", "unknown"):
        names = [
            "/".join(each.tasks) for each in found if each.fault == fault and each.tasks[0] != "110"
        ]
        cells.append(
            f"{printed.lost} unreadable in the scan"
            if fault == "missing" and printed.lost
            else " ".join(names)
        )
    return cells


def of_turney() -> str:
    """Tabulate the shortest times of inverse dynamics with any number of processors.

    The times of Turney's report, of Dhanaraj's thesis and of generated code are counted in
    operations that must follow each other.
    """
    rows = []
    mul, add = simultaneous_steps()
    general = program_of("general6").critical_path
    for name, steps in {
        "Turney (1980), Table 5, multiplications": mul,
        "Turney (1980), Table 5, additions": add,
        "Dhanaraj (1990), layers of 3 operations": (9, 12),
    }.items():
        rows.append([name, f"{steps[1]}n + {steps[0]}", 6 * steps[1] + steps[0]])
    rows.append(["generated for `general6`, critical path", "", general])
    return table(["sequential operations", "n joints", "6 joints"], rows)


def of_lagrange() -> str:
    """Tabulate the operations of the Lagrange formulation, from the Appendix of Turney's report."""
    rows = [[term.term, _polynomial(term.mul), _polynomial(term.add)] for term in turney().lagrange]
    totals = lagrange_operations()
    rows.append(["all", *map(_polynomial, totals)])
    at_six = [str(sum(c * 6**k for k, c in enumerate(total))) for total in totals]
    rows.append(["for 6 joints", *at_six])
    return table(["Table 2", "multiplications", "additions"], rows)


def _polynomial(coefficients: Sequence[Fraction]) -> str:
    """Return a polynomial in n as text, the highest power first."""
    powers = ("", " n", " n^2", " n^3")
    terms = [(c, powers[k]) for k, c in enumerate(coefficients) if c]
    text = " ".join(f"{'-' if c < 0 else '+'} {abs(c)}{power}" for c, power in reversed(terms))
    return text.removeprefix("+ ")


def of_units() -> str:
    """Tabulate schedule lengths of the PUMA 560 on pipelined multipliers and adders, in cycles."""
    latencies = "mul=4,add=3"
    settings = Settings(verify=False, cost=latencies)
    (generated,) = generate(load_robot("puma560"), settings).functions
    graph = program_tasks(generated.program, find_cost(latencies))
    rows: list[list[object]] = [["in sequence", graph.work], ["critical path", graph.critical_path]]
    for count in (1, 2, 4):
        found = schedule(graph, parse_units(f"mul={count},add={count}"))
        assert not violations(graph, found.resources, found.placements)
        rows.append([f"{count} multipliers, {count} adders", cell(found)])
    return table(["units", "steps"], rows)


TABLES = {
    "thesis": of_the_thesis,
    "stanford": of_the_stanford_program,
    "robots": of_the_robots,
    "printed": of_the_printed,
    "turney": of_turney,
    "lagrange": of_lagrange,
    "units": of_units,
}


def plot() -> Figure:
    """Draw speed-up and time of inverse dynamics over the number of processors.

    The curves are for schedules of dynagen and of papers.
    """
    counts = range(1, 14)
    speedups: dict[str, Mapping[int, float]] = {}
    times: dict[str, Mapping[int, float]] = {}
    ours = {
        "generated, one operation per task": program_of("stanford_listing"),
        "subtasks of the thesis, shortest schedules": printed_tasks("stanford"),
    }
    for (label, graph), milliseconds in zip(ours.items(), (0.045, 0.135), strict=True):
        found = on(graph, counts)
        speedups[label] = {
            count: float(each.speedup) for count, each in zip(counts, found, strict=True)
        }
        times[label] = {
            count: each.length * milliseconds for count, each in zip(counts, found, strict=True)
        }
    for theirs in published_schedules().times:
        times[theirs.source] = theirs.milliseconds
        speedups[theirs.source] = {
            count: theirs.milliseconds[1] / each for count, each in theirs.milliseconds.items()
        }
    figure, ((left, right), below) = make_panels(2, 2, 7.6)
    draw_series(left, speedups)
    draw_series(right, times)
    left.plot([1, 9], [1, 9], ":", color=GREY, linewidth=1, label="speed-up = number of processors")
    left.set_title("Stanford arm, speed-up")
    right.set_title("Stanford arm, ms at 45 µs per operation (Fig. 4.13)")
    right.set_ylim(0)
    right.legend(*left.get_legend_handles_labels(), loc="upper right")
    general = _speedups_of_general()
    draw_series(below[0], general)
    efficiencies = {
        name: {count: 100 * each / count for count, each in values.items()}
        for name, values in general.items()
    }
    draw_series(below[1], efficiencies)
    below[0].set_title("Six general links, speed-up (Fig. 4.11)")
    below[1].set_title("Six general links, efficiency in % (Fig. 4.12)")
    below[1].set_ylim(0, 105)
    for axes in (left, right, *below):
        axes.set(xlabel="processors", xticks=counts)
    below[0].legend(loc="lower right")
    return figure


def _speedups_of_general() -> dict[str, Mapping[int, float]]:
    """Return speed-ups for an arm of six links, by source and number of processors.

    The sources are dynagen's shortest schedules and the schedules of Dhanaraj's thesis.
    """
    graph, counts = decompose([LinkShape()] * 6), range(1, 14)
    printed = published_schedules().lengths("general")
    work = len(graph.tasks)
    found = zip(counts, on(graph, counts), strict=True)
    return {
        "shortest schedules of the subtasks": {count: float(each.speedup) for count, each in found},
        "Dhanaraj (1990)": {1: 1.0, **{count: work / length for count, length in printed.items()}},
    }


def plot_chart() -> Figure:
    """Draw the shortest schedule found on eight processors, for an arm of six links.

    Each link has its own colour.
    """
    (found,) = on(decompose([LinkShape()] * 6), [8])
    return gantt(found)


def main() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, make in TABLES.items():
        before, rest = text.split(f"<!-- {name} -->\n")
        _, after = rest.split("<!-- end -->", 1)
        text = f"{before}<!-- {name} -->\n{make()}\n<!-- end -->{after}"
    DOCUMENT.write_text(text, encoding="utf-8")
    print(f"Tables: {DOCUMENT}")
    for picture, draw in ((PLOT, plot), (CHART, plot_chart)):
        picture.write_bytes(draw_to(picture, "bench", draw))
    print(f"Plots: {PLOT}, {CHART}")


if __name__ == "__main__":
    main()
