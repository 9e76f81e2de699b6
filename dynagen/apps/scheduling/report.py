"""Schedules as a table on the console, and as JSON for programs."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from rich.console import Console

from dynagen.apps.scheduling.study import Study
from dynagen.codegen.cores.schedule import Schedule
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.report.console import make_table


def number(value: Fraction) -> str:
    """Format a length or cost as an integer, or as a decimal number with up to six digits."""
    return f"{float(value):g}" if value.denominator > 1 else str(value)


def print_study(console: Console, study: Study) -> None:
    """Print the size of a task graph; and length, lower bound and speed-up of each schedule."""
    graph = study.graph
    console.print(
        f"{study.description.name}: {study.function}, {len(graph.tasks)} tasks in "
        f"{graph.layer_count} layers, "
        f"at most {graph.concurrency} tasks per layer; {graph.crossing_values} values pass "
        "between tasks"
    )
    work, longest = steps(study, graph.work), steps(study, graph.critical_path)
    console.print(f"Lengths in {graph.unit}: all tasks together {work}, critical path {longest}")
    printed = [reference for reference in study.references if reference.lengths]
    are_processors = all(each.resources.are_processors for each in study.schedules)
    first = "processors" if are_processors else "units"
    table = make_table(
        console,
        "Schedules",
        first,
        "length",
        "bound",
        "proved",
        "speed-up",
        "efficiency",
        *(each.source for each in printed),
    )
    for each in study.schedules:
        theirs = (reference.lengths.get(each.resources.total) for reference in printed)
        table.add_row(
            each.resources.label,
            steps(study, each.length),
            steps(study, each.bound),
            "yes" if each.is_optimal else f"{gap(each):.1%} above",
            f"{float(each.speedup):.2f}",
            f"{float(each.efficiency):.1%}",
            *("" if length is None else str(length) for length in theirs),
        )
    console.print(table)
    for note in study.notes:
        console.print(f"note: {note}", markup=False, highlight=False, soft_wrap=True)


def steps(study: Study, count: int) -> str:
    """Format a number of steps (`count`) as a time in the unit of the study's cost model."""
    return number(count * study.graph.step)


def gap(schedule: Schedule) -> float:
    """Return (length - bound) / bound for the length and the lower bound of a schedule.

    The result is 0 if the bound is 0.
    """
    return schedule.length / schedule.bound - 1 if schedule.bound else 0.0


def study_json(study: Study) -> str:
    """Return schedules, tasks and published lengths as a JSON object.

    All times and lengths are in the unit given by the key `unit`.
    """
    graph = study.graph
    document: dict[str, Any] = {
        "robot": study.description.name,
        "function": study.function,
        "unit": graph.unit,
        "tasks": len(graph.tasks),
        "layers": graph.layer_count,
        "work": _make_number(graph.work * graph.step),
        "critical_path": _make_number(graph.critical_path * graph.step),
        "concurrency": graph.concurrency,
        "crossing_values": graph.crossing_values,
        "method": study.method,
        "schedules": {each.resources.label: _summarise_schedule(each) for each in study.schedules},
        "placements": {each.resources.label: _list_placements(each) for each in study.schedules},
        "graph": _list_tasks(graph),
        "published": {each.source: dict(each.lengths) for each in study.references if each.lengths},
        "notes": list(study.notes),
    }
    return json.dumps(document, indent=2) + "\n"


def _summarise_schedule(schedule: Schedule) -> dict[str, Any]:
    step = schedule.graph.step
    return {
        "length": _make_number(schedule.length * step),
        "bound": _make_number(schedule.bound * step),
        "optimal": schedule.is_optimal,
        "speedup": round(float(schedule.speedup), 4),
        "efficiency": round(float(schedule.efficiency), 4),
    }


def _list_placements(schedule: Schedule) -> list[list[Any]]:
    """Return task, processor and start of each placement."""
    step = schedule.graph.step
    return [[each.task, each.unit, _make_number(each.start * step)] for each in schedule.placements]


def _list_tasks(graph: TaskGraph) -> list[dict[str, Any]]:
    """Return each task with its predecessors, so that programs can check the placements."""
    properties = zip(
        graph.tasks, graph.earliest_layers, graph.latest_layers, graph.slacks, strict=True
    )
    return [
        {
            "task": task.name,
            "duration": _make_number(task.duration * graph.step),
            "after": [graph.tasks[each].name for each in task.predecessors],
            "layers": [earliest + 1, latest + 1],
            "slack": _make_number(slack * graph.step),
        }
        for task, earliest, latest, slack in properties
    ]


def _make_number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
