"""Schedules as a table for people, and as JSON for programs."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from rich.console import Console

from dynagen.apps.scheduling.study import Study
from dynagen.codegen.cores.schedule import Schedule
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.report.console import new_table


def number(value: Fraction) -> str:
    """A length as text, without decimals where it is whole."""
    return f"{float(value):g}" if value.denominator > 1 else str(value)


def print_study(console: Console, study: Study) -> None:
    """Print what the tasks are, and a row for each of the resources."""
    graph = study.graph
    console.print(
        f"{study.description.name}: {study.function}, {len(graph.tasks)} tasks in "
        f"{graph.layer_count} layers, "
        f"at most {graph.concurrency} in one; {graph.crossing_values} values cross between tasks"
    )
    work, longest = steps(study, graph.work), steps(study, graph.critical_path)
    console.print(f"Lengths in {graph.unit}; all tasks take {work}, the critical path {longest}")
    printed = [reference for reference in study.references if reference.lengths]
    are_processors = all(each.resources.are_processors for each in study.schedules)
    first = "processors" if are_processors else "units"
    table = new_table(
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
    """A number of steps as text, in the unit of the cost model."""
    return number(count * study.graph.step)


def gap(schedule: Schedule) -> float:
    """The part of the bound by which a schedule may be longer than the shortest."""
    return schedule.length / schedule.bound - 1 if schedule.bound else 0.0


def study_json(study: Study) -> str:
    """The study as one JSON object; times of a step and lengths in the unit that is named."""
    graph = study.graph
    document: dict[str, Any] = {
        "robot": study.description.name,
        "function": study.function,
        "unit": graph.unit,
        "tasks": len(graph.tasks),
        "layers": graph.layer_count,
        "work": _plain(graph.work * graph.step),
        "critical_path": _plain(graph.critical_path * graph.step),
        "concurrency": graph.concurrency,
        "crossing_values": graph.crossing_values,
        "method": study.method,
        "schedules": {each.resources.label: _schedule(each) for each in study.schedules},
        "placements": {each.resources.label: _placements(each) for each in study.schedules},
        "graph": _graph(graph),
        "published": {each.source: dict(each.lengths) for each in study.references if each.lengths},
        "notes": list(study.notes),
    }
    return json.dumps(document, indent=2) + "\n"


def _schedule(schedule: Schedule) -> dict[str, Any]:
    step = schedule.graph.step
    return {
        "length": _plain(schedule.length * step),
        "bound": _plain(schedule.bound * step),
        "optimal": schedule.is_optimal,
        "speedup": round(float(schedule.speedup), 4),
        "efficiency": round(float(schedule.efficiency), 4),
    }


def _placements(schedule: Schedule) -> list[list[Any]]:
    """Task, processor, start."""
    step = schedule.graph.step
    return [[each.task, each.unit, _plain(each.start * step)] for each in schedule.placements]


def _graph(graph: TaskGraph) -> list[dict[str, Any]]:
    """Every task with what it needs: what a program has to know to judge the placements."""
    properties = zip(
        graph.tasks, graph.earliest_layers, graph.latest_layers, graph.slacks, strict=True
    )
    return [
        {
            "task": task.name,
            "duration": _plain(task.duration * graph.step),
            "after": [graph.tasks[each].name for each in task.predecessors],
            "layers": [earliest + 1, latest + 1],
            "slack": _plain(slack * graph.step),
        }
        for task, earliest, latest, slack in properties
    ]


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
