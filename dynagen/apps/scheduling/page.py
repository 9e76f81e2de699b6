"""HTML page with charts of schedules, without scripts and external files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from dynagen.apps.scheduling.methods import METHODS
from dynagen.apps.scheduling.report import gap, number, steps
from dynagen.apps.scheduling.study import Study, published_schedules
from dynagen.codegen.cores.schedule import Schedule
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.report.drawing import (
    GREY,
    draw_inline,
    draw_series,
    make_panels,
    put_legend_below,
)
from dynagen.report.page import render_page
from dynagen.report.task_charts import Box, choose_group_colours, draw_gantt, draw_graph
from dynagen.version import __version__

_MOST_TASKS_DRAWN = 700  # in the drawing of the graph
_MOST_BOXES = 12_000  # in all Gantt charts together
_WELL_USED = 0.95  # efficiency from which processors count as busy

OURS = "dynagen"
EXTRA = "schedule"


def study_html(study: Study) -> str:
    """Return an HTML page with charts of the schedules; text from the description is escaped.

    Raises:
        ToolchainError: matplotlib is not installed.
    """
    graph, schedules, chosen = study.graph, study.schedules, _choose_schedule(study)
    # If all charts are too large, only the chosen one is drawn, or none.
    drawn = (
        schedules
        if len(graph.tasks) * len(schedules) <= _MOST_BOXES
        else [chosen][: len(graph.tasks) <= _MOST_BOXES]
    )
    curves = _collect_curves(study)
    return render_page(
        "schedule.html.j2",
        study=study,
        graph=graph,
        chosen=chosen,
        resource="processors" if schedules[0].resources.are_processors else "units",
        steps=partial(steps, study),
        proof=partial(_describe_proof, proved="proved"),
        method=next(method.meaning for method in METHODS if method.name == study.method),
        findings=_list_findings(study),
        references=[reference for reference in study.references if reference.lengths],
        charts=[
            (each, draw_inline(f"Gantt chart: {each.resources.label}", EXTRA, partial(gantt, each)))
            for each in drawn
        ],
        curves=draw_inline("Speed-up and efficiency", EXTRA, partial(_draw_curves, curves))
        if curves
        else "",
        groups=_choose_colours(graph),
        drawing=_draw_tasks(graph) if 0 < len(graph.tasks) <= _MOST_TASKS_DRAWN else "",
        version=__version__,
    )


def _choose_colours(graph: TaskGraph) -> dict[str, str]:
    return choose_group_colours(list(dict.fromkeys(task.group for task in graph.tasks)))


def gantt(schedule: Schedule) -> Any:
    """Draw a Gantt chart: a row of tasks for each processor or unit, with time from left to right.

    Returns:
        The matplotlib figure of the Gantt chart.
    """
    graph, resources = schedule.graph, schedule.resources
    colours, slacks, step = _choose_colours(graph), graph.slacks, float(graph.step)
    boxes = []
    for position, placement in enumerate(schedule.placements):
        task = graph.tasks[position]
        start, occupied = (
            placement.start * step,
            min(task.duration, resources.count_occupied_steps(task)) * step,
        )
        when = f"{start:g} to {start + task.duration * step:g} {graph.unit}"
        tooltip = f"{task.name} ({task.group}): {when}; {task.label}"
        boxes.append(
            Box(
                start,
                occupied,
                placement.unit,
                colours[task.group],
                task.name,
                tooltip,
                not slacks[position],
            )
        )
    rows = [
        f"{kind or 'processor'} {number}"
        for kind, count in resources.counts
        for number in range(1, count + 1)
    ]
    return draw_gantt(boxes, rows, schedule.length * step, graph.unit)


def _draw_tasks(graph: TaskGraph) -> str:
    """Draw the task graph as SVG; each task is in a later layer than its predecessors."""
    colours, slacks, heads = _choose_colours(graph), graph.slacks, graph.heads
    nodes, links = [], []
    for position, task in enumerate(graph.tasks):
        place = (
            f"layer {graph.layers[position] + 1}, slack {slacks[position] * float(graph.step):g}"
        )
        tooltip = f"{task.name} ({task.group}), {place}; {task.label}"
        nodes.append(Box(0, 0, 0, colours[task.group], task.name, tooltip, not slacks[position]))
        for each in task.predecessors:
            tight = heads[each] + graph.tasks[each].duration == heads[position]
            links.append((each, position, tight and not slacks[each] and not slacks[position]))
    return draw_inline("Layered task graph", EXTRA, partial(draw_graph, nodes, graph.layers, links))


def _describe_proof(schedule: Schedule, proved: str) -> str:
    """Return `proved` if the schedule is proved to be a shortest one, else a bound as text.

    The bound is the largest possible excess over the shortest length, in percent.
    """
    return (
        proved if schedule.is_optimal else f"at most {gap(schedule):.1%} longer than the shortest"
    )


def _choose_schedule(study: Study) -> Schedule:
    """Choose the schedule with the most processors among the schedules with high efficiency.

    The efficiency is the fraction of the time in which the processors work. If no efficiency
    reaches _WELL_USED, the most efficient schedule is chosen.
    """
    used = [each for each in study.schedules if each.efficiency >= _WELL_USED]
    return (
        max(used, key=lambda each: each.resources.total)
        if used
        else max(study.schedules, key=lambda each: each.efficiency)
    )


def _list_findings(study: Study) -> list[str]:
    """Return sentences for the page on proved shortest schedules and on processor usage."""
    schedules, graph = study.schedules, study.graph
    found = []
    proved = sum(each.is_optimal for each in schedules)
    if len(schedules) == 1:
        found.append(
            f"The schedule is {_describe_proof(schedules[0], 'proved to be the shortest')}."
        )
    elif proved == len(schedules):
        found.append("All schedules are proved to be the shortest.")
    else:
        found.append(f"{proved} of {len(schedules)} schedules are proved to be the shortest.")
    if not schedules[0].resources.are_processors:
        return found
    best = _choose_schedule(study)
    if best.efficiency >= _WELL_USED and best.resources.total > 1:
        found.append(
            f"{best.resources.total} processors are busy {float(best.efficiency):.1%} of the time."
        )
    enough = next((each for each in schedules if each.length == graph.critical_path), None)
    if enough is not None:
        found.append(
            f"More than {enough.resources.total} processors do not help: with this number the "
            "schedule is as long as the critical path."
        )
    return found


def _collect_curves(study: Study) -> dict[str, dict[str, dict[int, float]]]:
    """Return the curves of the page's charts: values over the number of processors.

    The charts show speed-up and efficiency, and run times if they are published for the robot. The
    keys are chart, source (dynagen or a paper) and number of processors.
    """
    schedules = [each for each in study.schedules if each.resources.are_processors]
    if len(schedules) < 2:
        return {}
    most = max(each.resources.total for each in schedules)

    def up_to_most(values: Mapping[int, float]) -> dict[int, float]:
        return {count: value for count, value in sorted(values.items()) if count <= most}

    speedups = {OURS: {each.resources.total: float(each.speedup) for each in schedules}}
    speedups |= {each.source: up_to_most(each.speedups) for each in study.references}
    efficiencies = {
        name: {count: 100 * value / count for count, value in values.items()}
        for name, values in speedups.items()
    }
    curves = {"speed-up": speedups, "efficiency in %": efficiencies}
    if study.milliseconds_per_step is not None:
        times = {
            OURS: {
                each.resources.total: float(each.length * study.milliseconds_per_step)
                for each in schedules
            }
        }
        times |= {each.source: up_to_most(each.milliseconds) for each in study.references}
        speed = published_schedules().microseconds_per_operation
        curves[f"time in ms at {number(speed)} µs per operation"] = times
    return curves


def _draw_curves(curves: Mapping[str, Mapping[str, Mapping[int, float]]]) -> Any:
    figure, axes = make_panels(1, len(curves), 2.9)
    for each, (label, series) in zip(axes, curves.items(), strict=True):
        draw_series(each, series, "{:.3g}")
        each.set(
            xlabel="processors",
            ylim=(0, 1.05 * max(value for values in series.values() for value in values.values())),
        )
        each.set_title(label, loc="left")
        each.xaxis.get_major_locator().set_params(integer=True)
    ours = curves["speed-up"][OURS]
    reach = min(max(ours), max(ours.values()))
    axes[0].plot(
        [1, reach],
        [1, reach],
        ":",
        color=GREY,
        linewidth=1.0,
        label="speed-up = number of processors",
        zorder=1,
    )
    put_legend_below(figure, axes[0], 3)
    return figure
