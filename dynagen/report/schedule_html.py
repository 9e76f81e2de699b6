"""Schedules as one page that needs nothing else: no network, no script; everything is drawn in SVG."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.report.page import render_page
from dynagen.report.schedule_drawing import Chart, Drawing, chart, gantt, hues, layered_graph
from dynagen.report.schedule_text import gap, number, steps
from dynagen.scheduling.methods import METHODS
from dynagen.scheduling.printed import published_schedules
from dynagen.scheduling.schedule import Schedule
from dynagen.scheduling.study import Study
from dynagen.version import __version__

_MOST_TASKS_DRAWN = 700  # of a graph with its links
_MOST_BOXES = 12_000  # of all Gantt charts together
_WELL_USED = 0.95

OURS = "dynagen"


@dataclass(frozen=True)
class Row:
    """A line of the table, with its chart, if that is drawn.

    Attributes:
        published: length by each of the references that have one.
        is_open: whether the chart shows at once.
    """

    label: str
    length: str
    bound: str
    proof: str
    speedup: str
    efficiency: str
    published: tuple[str, ...]
    drawing: Drawing | None
    is_open: bool


def study_html(study: Study) -> str:
    """The page. Whatever comes from the description is escaped."""
    graph = study.graph
    return render_page(
        "schedule.html.j2",
        study=study,
        graph=graph,
        robot=study.description.name,
        function=study.function,
        resource="processors" if study.schedules[0].resources.are_processors else "units",
        work=steps(study, graph.work),
        critical_path=steps(study, graph.critical_path),
        method=next(method.meaning for method in METHODS if method.name == study.method),
        findings=_findings(study),
        references=[reference.source for reference in study.references if reference.lengths],
        rows=_rows(study),
        charts=_charts(study),
        groups=hues(graph),
        drawing=layered_graph(graph) if 0 < len(graph.tasks) <= _MOST_TASKS_DRAWN else None,
        version=__version__,
    )


def _rows(study: Study) -> list[Row]:
    chosen = _best_used(study)
    printed = [reference for reference in study.references if reference.lengths]
    every = len(study.graph.tasks) * len(study.schedules) <= _MOST_BOXES
    rows = []
    for each in study.schedules:
        is_drawn = len(study.graph.tasks) <= _MOST_BOXES and (every or each is chosen)
        theirs = (reference.lengths.get(each.resources.total) for reference in printed)
        rows.append(
            Row(
                each.resources.label,
                steps(study, each.length),
                steps(study, each.bound),
                _proof(each, "proved"),
                f"{float(each.speedup):.2f}",
                f"{float(each.efficiency):.1%}",
                tuple("" if length is None else str(length) for length in theirs),
                gantt(each, study.graph.unit) if is_drawn else None,
                each is chosen,
            )
        )
    return rows


def _proof(schedule: Schedule, proved: str) -> str:
    """The distance that a schedule may have from the shortest."""
    return proved if schedule.is_optimal else f"at most {gap(schedule):.1%} above the shortest"


def _best_used(study: Study) -> Schedule:
    """The schedule on most processors of those that keep nearly all of them busy; else the one that does best."""
    used = [each for each in study.schedules if each.efficiency >= _WELL_USED]
    return max(used, key=lambda each: each.resources.total) if used else max(study.schedules, key=lambda each: each.efficiency)


def _findings(study: Study) -> list[str]:
    """Findings from the schedules, in sentences."""
    schedules, graph = study.schedules, study.graph
    found = []
    proved = sum(each.is_optimal for each in schedules)
    if len(schedules) == 1:
        found.append(f"The schedule is {_proof(schedules[0], 'as short as can be')}.")
    elif proved == len(schedules):
        found.append("Every schedule is as short as can be.")
    else:
        found.append(f"{proved} of {len(schedules)} schedules are proved to be as short as can be.")
    if not schedules[0].resources.are_processors:
        return found
    best = _best_used(study)
    if best.efficiency >= _WELL_USED and best.resources.total > 1:
        found.append(f"{best.resources.total} processors are busy {float(best.efficiency):.1%} of the time.")
    enough = next((each for each in schedules if each.length == graph.critical_path), None)
    if enough is not None:
        found.append(f"More than {enough.resources.total} gain nothing: no number of processors can beat the critical path.")
    return found


def _charts(study: Study) -> list[Chart]:
    """Speed-up and efficiency, and the time where others give theirs; none for a single number of processors."""
    schedules = [each for each in study.schedules if each.resources.are_processors]
    if len(schedules) < 2:
        return []
    most = max(each.resources.total for each in schedules)
    ours = {each.resources.total: float(each.speedup) for each in schedules}
    speedups = {OURS: ours} | {
        each.source: {count: value for count, value in each.speedups.items() if count <= most} for each in study.references
    }
    efficiencies = {name: {count: value / count for count, value in values.items()} for name, values in speedups.items()}
    charts = [chart("Speed-up", speedups, ideal=True), chart("Efficiency", efficiencies, percent=True)]
    if study.milliseconds_per_step is not None:
        times = {OURS: {each.resources.total: float(each.length * study.milliseconds_per_step) for each in schedules}}
        times |= {
            each.source: {count: value for count, value in each.milliseconds.items() if count <= most}
            for each in study.references
        }
        speed = published_schedules().microseconds_per_operation
        charts.append(chart(f"Time (ms) at {number(speed)} µs an operation", times))
    return charts
