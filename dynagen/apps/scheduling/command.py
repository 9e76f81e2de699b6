"""`dynagen schedule ROBOT`: schedules of a function on several processors or units."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import rich_click as click

from dynagen.apps.scheduling.clustering import program_tasks
from dynagen.apps.scheduling.decomposition import (
    OPERATIONS,
    FrictionPart,
    arm_of,
    decompose,
    decomposition,
    link_shapes,
)
from dynagen.apps.scheduling.methods import DEFAULT_SECONDS, METHODS
from dynagen.apps.scheduling.page import EXTRA, study_html
from dynagen.apps.scheduling.report import print_study, study_json
from dynagen.apps.scheduling.study import printed_tasks, study
from dynagen.cli.commands import command
from dynagen.cli.options import add_options, load_and_warn, reading, robot_argument
from dynagen.cli.output import OUTPUT_FILE, report_files, report_form, show_progress, write_whole
from dynagen.codegen.cores.schedule import Resources, make_processors, parse_units
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.errors import UsageError, refuse_if
from dynagen.ir.cost import FLOPS, find_cost
from dynagen.options import FUNCTIONS, OUTPUT
from dynagen.pipeline.driver import generate
from dynagen.pipeline.settings import Settings
from dynagen.report.console import make_console
from dynagen.report.drawing import require_drawing
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import build_model
from dynagen.robot.options import ReadingOptions
from dynagen.stages import Progress

_MOST_SCHEDULES = 64
_PROCESSORS = "1..8"
_THESIS_FUNCTION = "inverse_dynamics"


@command(
    "dynagen schedule puma560 --processors 2,4,8",
    "dynagen schedule planar3 --units mul=2,add=2 --html schedule.html",
)
@robot_argument
@click.option(
    "-f",
    "--function",
    panel=FUNCTIONS,
    default=_THESIS_FUNCTION,
    show_default=True,
    metavar="NAME",
    help="Function to schedule; `-f mass_matrix+gravity_forces` fuses two functions.",
)
@click.option(
    "--processors",
    "counts",
    panel="Machine",
    metavar="LIST",
    help="Numbers of equal processors, one schedule for each; for example 4 or 2,4,8 or 1..13. "
    f"[default: {_PROCESSORS}]",
)
@click.option(
    "--units",
    "kinds",
    panel="Machine",
    metavar="KINDS",
    help="Pipelined arithmetic units instead of processors, for example mul=2,add=2.",
)
@click.option(
    "--grain",
    panel="Tasks",
    metavar="COST",
    help="Largest total cost of the operations in one task, for example 3. [default: each "
    "operation is a task]",
)
@click.option(
    "--tasks",
    panel="Tasks",
    type=click.Choice(["program", "thesis", "printed"]),
    default="program",
    show_default=True,
    help="Tasks to schedule. program: operations of the generated program. thesis: subtasks by "
    "the rules in the thesis of Dhanaraj (1990). printed: subtasks in the tables of this thesis, "
    "for the arms in the thesis.",
)
@click.option(
    "--friction",
    panel="Tasks",
    type=click.Choice(["none", "transmission", "all"]),
    default="none",
    show_default=True,
    help="Friction in --tasks thesis: none, friction of transmissions, or all friction, "
    "including bearings.",
)
@click.option(
    "--handover",
    panel="Machine",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="Time to pass a value to another processor, in units of schedule length; for example 2.",
)
@click.option(
    "--method",
    panel="Search",
    type=click.Choice([method.name for method in METHODS]),
    default=METHODS[0].name,
    show_default=True,
    help="; ".join(f"{method.name}: {method.meaning}" for method in METHODS) + ".",
)
@click.option(
    "--seconds",
    panel="Search",
    default=DEFAULT_SECONDS,
    show_default=True,
    type=click.IntRange(1),
    help="Time limit in s of the exact search for each schedule length, by the solver's "
    "deterministic clock.",
)
@add_options(Settings, "optimize", meaning="Effort of generation, as for `generate`.")
@add_options(Settings, "cost", meaning="Time of each operation: a cost model, as for `generate`.")
@report_form("text", "json")
@click.option(
    "--html",
    "page",
    panel=OUTPUT,
    type=OUTPUT_FILE,
    help="Also write a page with charts to this file.",
)
@reading
def schedule(
    robot: str,
    function: str,
    counts: str | None,
    kinds: str | None,
    grain: str | None,
    tasks: str,
    friction: FrictionPart,
    handover: int,
    method: str,
    seconds: int,
    optimize: str,
    cost: str,
    form: str,
    page: Path | None,
    reading: ReadingOptions,
) -> None:
    """Schedule one of ROBOT's functions on several processors.

    Each schedule is printed with a lower bound on the length of any schedule.

    Lengths are in the unit of the cost model, such as operations or cycles; for subtasks of the
    thesis, they are in levels of three operations. Operations without cost take no time; with
    `--cost flops`, sines and cosines have no cost.
    """
    if page is not None:
        require_drawing(EXTRA)
    description = load_and_warn(robot, reading)
    resources = _read_resources(counts, kinds)
    refuse_if(
        kinds is not None and handover > 0,
        "--handover applies to processors only: units share their registers",
    )
    notes: tuple[str, ...] = ()
    with show_progress() as progress:
        if tasks == "program":
            refuse_if(
                function == "all",
                "-f: expected one function, found all; -f mass_matrix+gravity_forces fuses two",
            )
            refuse_if(
                friction != "none",
                "--friction adds subtasks of the thesis: add --tasks thesis",
            )
            graph = _make_program_tasks(
                description, function, optimize, cost, _read_grain(grain, kinds), progress
            )
        else:
            refuse_if(
                function != _THESIS_FUNCTION,
                f"the thesis's subtasks compute {_THESIS_FUNCTION} only: omit -f",
            )
            refuse_if(
                kinds is not None,
                "a subtask of the thesis contains operations of several kinds, which one unit "
                "cannot "
                "compute: use --processors instead of --units",
            )
            refuse_if(
                cost != FLOPS.name,
                "every subtask of the thesis takes one unit of time (a level): omit --cost",
            )
            refuse_if(
                grain not in (None, str(OPERATIONS)),
                f"every subtask of the thesis has {OPERATIONS} operations: omit --grain",
            )
            refuse_if(
                tasks == "printed" and friction != "none",
                "--tasks printed does not support --friction: use --tasks thesis",
            )
            graph, notes = (
                _find_printed_tasks(description)
                if tasks == "printed"
                else _decompose_by_rules(description, friction)
            )
        resources = [replace(each, handover=int(handover / graph.step)) for each in resources]
        (chosen,) = (each for each in METHODS if each.name == method)
        found = study(description, function, graph, resources, chosen, seconds, progress, notes)
        if page is not None:
            write_whole(page, study_html(found), "--html")
    if form == "json":
        click.echo(study_json(found), nl=False)
        return
    console = make_console()
    print_study(console, found)
    report_files(console, page)


def _read_resources(counts: str | None, kinds: str | None) -> list[Resources]:
    """Return the sets of processors or units, one per schedule, from --processors or --units."""
    if kinds is None:
        return [make_processors(count) for count in _read_counts(counts or _PROCESSORS)]
    refuse_if(counts is not None, "--units and --processors exclude each other")
    return [parse_units(kinds)]


def _read_counts(text: str) -> list[int]:
    """Read counts of processors, such as `1..13` or `2,4,8`; return them in ascending order."""
    counts: set[int] = set()
    for part in text.split(","):
        if not (match := re.fullmatch(r"\s*(-?\d{1,9})(?:\.\.(-?\d{1,9}))?\s*", part, re.ASCII)):
            raise UsageError(
                f"--processors: expected for example 4, 2,4,8 or 1..13, found {text!r}"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        refuse_if(
            last < first, f"--processors: {part.strip()} is descending; write {last}..{first}"
        )
        for bound in (first, last):
            make_processors(bound)  # checks the number before a long range is made
        counts |= set(range(first, last + 1))
    refuse_if(
        len(counts) > _MOST_SCHEDULES,
        f"--processors: at most {_MOST_SCHEDULES} schedules at once, found {len(counts)}",
    )
    return sorted(counts)


def _read_grain(text: str | None, kinds: str | None) -> Fraction | None:
    if text is None:
        return None
    refuse_if(kinds is not None, "units run single operations: omit --grain")
    if not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text, re.ASCII) or not Fraction(text):
        raise UsageError(f"--grain: expected a number above zero, found {text!r}")
    return Fraction(text)


def _make_program_tasks(
    description: RobotDescription,
    function: str,
    optimize: str,
    cost: str,
    grain: Fraction | None,
    progress: Progress,
) -> TaskGraph:
    """Generate the program of a function, and divide the program into a graph of tasks."""
    settings = Settings(functions=(function,), verify=False, optimize=optimize, cost=cost)
    (generated,) = generate(description, settings, progress).functions
    return program_tasks(generated.program, find_cost(cost), grain)


def _find_printed_tasks(description: RobotDescription) -> tuple[TaskGraph, tuple[str, ...]]:
    """Return the graph of an arm's subtasks in Dhanaraj's tables, and an empty tuple of notes."""
    if (arm := arm_of(description)) is not None:
        return printed_tasks(arm[0]), ()
    known = ", ".join(robot for arm in decomposition().arms.values() for robot in arm.robots)
    raise UsageError(
        f"the thesis prints no subtasks for {description.name}, only for {known}; --tasks "
        f"thesis derives them by its rules"
    )


def _decompose_by_rules(
    description: RobotDescription, friction: FrictionPart
) -> tuple[TaskGraph, tuple[str, ...]]:
    """Decompose inverse dynamics by the rules of Dhanaraj's thesis; return the graph and notes.

    The rules use the zero components of vectors between link origins and of the centres of mass.
    For the example arms of the thesis, the numbers of zero components are taken from the thesis
    instead of the description. The notes are remarks for the user.
    """
    own = decompose(link_shapes(build_model(description)), friction)
    if (arm := arm_of(description)) is None:
        return own, ()
    note = (
        "the components that are zero are from the thesis (Table 4.6); with the zeros of the "
        f"description, there are {len(own.tasks)} tasks"
    )
    return decompose(arm[1].shapes, friction), (note,)
