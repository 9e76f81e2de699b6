"""Layout of drawings of schedules: Gantt charts, layered graphs, curves; in pixels of the drawing.

Schedules as one page that needs nothing else: no network, no script; everything is drawn in SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from dynagen.apps.scheduling.methods import METHODS
from dynagen.apps.scheduling.report import gap, number, steps
from dynagen.apps.scheduling.study import Study, published_schedules
from dynagen.report.page import render_page
from dynagen.scheduling.schedule import Schedule
from dynagen.scheduling.tasks import TaskGraph
from dynagen.version import __version__

WIDTH = 920.0
_ROW, _GAP, _MARGIN = 20.0, 3.0, 64.0
_LABEL = 6.0  # width of a character of a box's label
_SWEEPS = 6


@dataclass(frozen=True)
class Box:
    """A task, drawn.

    Attributes:
        hue: of its group, in degrees.
        label: what fits into it.
        title: what shows under the pointer.
        is_critical: whether it lies on a longest path.
    """

    x: float
    y: float
    width: float
    height: float
    hue: int
    label: str
    title: str
    is_critical: bool


@dataclass(frozen=True)
class Drawing:
    """Boxes, with what is behind them.

    Attributes:
        rows: label and middle of every row.
        ticks: label and place of the marks along the top.
        links: paths between boxes, and whether they are critical.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    rows: tuple[tuple[str, float], ...] = ()
    ticks: tuple[tuple[str, float], ...] = ()
    links: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class Curve:
    """A line of a chart: its name, the number of its colour, its points, and what shows under the pointer at each."""

    label: str
    colour: int
    points: tuple[tuple[float, float], ...]
    titles: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """Curves over the number of processors; ticks are labels with their places."""

    title: str
    curves: tuple[Curve, ...]
    x_ticks: tuple[tuple[str, float], ...]
    y_ticks: tuple[tuple[str, float], ...]
    ideal: tuple[tuple[float, float], tuple[float, float]] | None
    width: float = 360.0
    height: float = 250.0


def hues(graph: TaskGraph) -> dict[str, int]:
    """A colour for every group, round the circle in the order in which groups come."""
    groups = list(dict.fromkeys(task.group for task in graph.tasks))
    return {
        group: round(360 * number_text / len(groups) + 150) % 360
        for number_text, group in enumerate(groups)
    }


def gantt(schedule: Schedule, unit: str) -> Drawing:
    """A row for each processor, time from left to right."""
    graph, resources = schedule.graph, schedule.resources
    scale = (WIDTH - _MARGIN) / max(1, schedule.length)
    colours, slacks = hues(graph), graph.slacks
    boxes = []
    for position, placement in enumerate(schedule.placements):
        task = graph.tasks[position]
        width = task.duration * scale
        when = f"{_shown(placement.start, graph)} to {_shown(placement.start + task.duration, graph)} {unit}"
        title = f"{task.name} ({task.group}): {when}\n{task.label}"
        x, y = _MARGIN + placement.start * scale, 18 + placement.unit * _ROW
        occupied = resources.occupied(task) * scale
        label = task.name if len(task.name) * _LABEL < occupied - 2 else ""
        boxes.append(
            Box(
                x,
                y,
                min(width, occupied),
                _ROW - _GAP,
                colours[task.group],
                label,
                title,
                not slacks[position],
            )
        )
    names = [
        f"{kind or 'processor'} {number_text}"
        for kind, count in resources.counts
        for number_text in range(1, count + 1)
    ]
    rows = tuple((name, 18 + (number_text + 0.5) * _ROW) for number_text, name in enumerate(names))
    ticks = tuple(
        (_shown(at, graph), _MARGIN + at * scale) for at in _round_steps(schedule.length, 10)
    )
    return Drawing(WIDTH, 20 + resources.total * _ROW, tuple(boxes), rows, ticks)


def layered_graph(graph: TaskGraph) -> Drawing:
    """Layers from left to right; in each the tasks stand near those that they depend on."""
    column = max(WIDTH / max(1, graph.layer_count), 30.0)
    places = _ordered_layers(graph)
    height = 24 + graph.concurrency * _ROW
    named = max((len(task.name) for task in graph.tasks), default=0) * _LABEL < 0.72 * column
    size = min(0.72 * column, 40.0) if named else min(0.5 * column, 14.0)
    colours, slacks, heads = hues(graph), graph.slacks, graph.heads
    centres = [
        (column * (graph.layers[i] + 0.5), 22 + places[i] * _ROW + _ROW / 2)
        for i in range(len(graph.tasks))
    ]
    boxes, links = [], []
    for position, task in enumerate(graph.tasks):
        x, y = centres[position]
        place = f"layer {graph.layers[position] + 1}, slack {_shown(slacks[position], graph)}"
        title = f"{task.name} ({task.group}), {place}\n{task.label}"
        label = task.name if named else ""
        boxes.append(
            Box(
                x - size / 2,
                y - 7,
                size,
                14,
                colours[task.group],
                label,
                title,
                not slacks[position],
            )
        )
        for each in task.predecessors:
            (x1, y1), (x2, y2) = (centres[each][0] + size / 2, centres[each][1]), (x - size / 2, y)
            bend = (x2 - x1) / 2
            path = f"M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
            tight = heads[each] + graph.tasks[each].duration == heads[position]
            links.append((path, tight and not slacks[each] and not slacks[position]))
    ticks = tuple((str(layer + 1), column * (layer + 0.5)) for layer in range(graph.layer_count))
    return Drawing(
        column * graph.layer_count, height, tuple(boxes), ticks=ticks, links=tuple(links)
    )


def _ordered_layers(graph: TaskGraph) -> list[float]:
    """Row of every task: layer by layer, tasks are sorted by the mean row of its neighbours, so that few links cross."""
    layers: list[list[int]] = [[] for _ in range(graph.layer_count)]
    for position, layer in enumerate(graph.layers):
        layers[layer].append(position)
    rows = [0.0] * len(graph.tasks)

    def place(column: list[int]) -> None:
        for number_text, position in enumerate(column):
            rows[position] = number_text + (graph.concurrency - len(column)) / 2

    for column in layers:
        place(column)
    for sweep in range(_SWEEPS):
        for column in layers if sweep % 2 == 0 else reversed(layers):
            near = {
                i: graph.tasks[i].predecessors if sweep % 2 == 0 else graph.successors[i]
                for i in column
            }
            wanted = {
                i: fmean(rows[each] for each in near[i]) if near[i] else rows[i] for i in column
            }
            column.sort(key=wanted.__getitem__)
            place(column)
    return rows


def chart(
    title: str,
    series: Mapping[str, Mapping[int, float]],
    percent: bool = False,
    ideal: bool = False,
) -> Chart:
    """Curves of values over numbers of processors.

    Args:
        title: what is shown.
        series: by name of the curve the value for each number of processors.
        percent: whether values are parts of one.
        ideal: whether to draw the line on which the value is the number of processors.
    """
    shape = Chart(title, (), (), (), None)
    left, top, right, bottom = 44.0, 12.0, shape.width - 12, shape.height - 34
    most = max(count for values in series.values() for count in values)
    highest = (
        1.0 if percent else max(value for values in series.values() for value in values.values())
    )

    def place(count: float, value: float) -> tuple[float, float]:
        return left + (count - 1) / max(1, most - 1) * (right - left), bottom - value / highest * (
            bottom - top
        )

    def shown(value: float) -> str:
        return f"{value:.1%}" if percent else f"{value:.2f}"

    curves = tuple(
        Curve(
            label,
            number_text,
            tuple(place(count, value) for count, value in sorted(values.items())),
            tuple(f"{label}: {shown(value)} on {count}" for count, value in sorted(values.items())),
        )
        for number_text, (label, values) in enumerate(series.items())
    )
    counts = range(1, most + 1) if most <= 16 else _round_steps(most, 8)[1:]
    values = (
        [0, 0.25, 0.5, 0.75, 1]
        if percent
        else [float(each) for each in _round_steps(int(highest), 6)]
    )
    reach = min(most, highest)
    return Chart(
        title,
        curves,
        tuple((str(count), place(count, 0)[0]) for count in counts),
        tuple(
            (f"{value:.0%}" if percent else f"{value:g}", place(1, value)[1]) for value in values
        ),
        (place(1, 1), place(reach, reach)) if ideal and most > 1 else None,
    )


def _round_steps(most: int, about: int) -> Sequence[int]:
    """Round numbers from 0 to a largest one, in about so many steps of 1, 2 or 5 times a power of ten."""
    step, sizes = 1, (2, 2.5, 2)
    place = 0
    while most / step > about:
        step, place = int(step * sizes[place % 3]), place + 1
    return range(0, most + 1, step)


def _shown(count: int, graph: TaskGraph) -> str:
    return f"{float(count * graph.step):g}"


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
    return (
        max(used, key=lambda each: each.resources.total)
        if used
        else max(study.schedules, key=lambda each: each.efficiency)
    )


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
        found.append(
            f"{best.resources.total} processors are busy {float(best.efficiency):.1%} of the time."
        )
    enough = next((each for each in schedules if each.length == graph.critical_path), None)
    if enough is not None:
        found.append(
            f"More than {enough.resources.total} gain nothing: no number of processors can beat the critical path."
        )
    return found


def _charts(study: Study) -> list[Chart]:
    """Speed-up and efficiency, and the time where others give theirs; none for a single number of processors."""
    schedules = [each for each in study.schedules if each.resources.are_processors]
    if len(schedules) < 2:
        return []
    most = max(each.resources.total for each in schedules)
    ours = {each.resources.total: float(each.speedup) for each in schedules}
    speedups = {OURS: ours} | {
        each.source: {count: value for count, value in each.speedups.items() if count <= most}
        for each in study.references
    }
    efficiencies = {
        name: {count: value / count for count, value in values.items()}
        for name, values in speedups.items()
    }
    charts = [
        chart("Speed-up", speedups, ideal=True),
        chart("Efficiency", efficiencies, percent=True),
    ]
    if study.milliseconds_per_step is not None:
        times = {
            OURS: {
                each.resources.total: float(each.length * study.milliseconds_per_step)
                for each in schedules
            }
        }
        times |= {
            each.source: {
                count: value for count, value in each.milliseconds.items() if count <= most
            }
            for each in study.references
        }
        speed = published_schedules().microseconds_per_operation
        charts.append(chart(f"Time (ms) at {number(speed)} µs an operation", times))
    return charts
