"""`dynagen schedule ROBOT`: a function's time on several processors or units."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import click

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
from dynagen.cli.options import load_and_warn, options, reading
from dynagen.cli.output import OUTPUT_FILE, report_form, report_written, stage_progress, write_whole
from dynagen.codegen.cores.schedule import Resources, processors, units
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.errors import UsageError, refuse_if
from dynagen.ir.cost import FLOPS, find_cost
from dynagen.pipeline.driver import generate
from dynagen.pipeline.settings import Settings
from dynagen.report.console import new_console
from dynagen.report.drawing import require_drawing
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import build_model
from dynagen.robot.options import ReadingOptions
from dynagen.stages import Progress

_MOST_SCHEDULES = 64
_PROCESSORS = "1..8"
_THESIS_FUNCTION = "inverse_dynamics"


@click.command()
@click.argument("robot")
@click.option(
    "-f",
    "--function",
    default=_THESIS_FUNCTION,
    show_default=True,
    metavar="NAME",
    help="Function to schedule.",
)
@click.option(
    "--processors",
    "counts",
    metavar="LIST",
    help=f"Equal processors, as 4, 2,4,8 or 1..13. [default: {_PROCESSORS}]",
)
@click.option(
    "--units", "kinds", metavar="KINDS", help="Pipelined arithmetic units instead, as mul=2,add=2."
)
@click.option(
    "--grain",
    metavar="COST",
    help="Most that the operations of one task cost. [default: every operation is a task]",
)
@click.option(
    "--tasks",
    type=click.Choice(["program", "thesis", "printed"]),
    default="program",
    show_default=True,
    help="What to schedule: the generated program, the thesis's subtasks for this robot, or "
    "those of its tables for this arm.",
)
@click.option(
    "--friction",
    type=click.Choice(["none", "transmission", "all"]),
    default="none",
    show_default=True,
    help="Friction among the thesis's subtasks: of transmissions, or of bearings too.",
)
@click.option(
    "--handover",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="Cost of handing a value to another processor.",
)
@click.option(
    "--method",
    type=click.Choice([method.name for method in METHODS]),
    default=METHODS[0].name,
    show_default=True,
    help="; ".join(f"{method.name}: {method.meaning}" for method in METHODS) + ".",
)
@click.option(
    "--seconds",
    default=DEFAULT_SECONDS,
    show_default=True,
    type=click.IntRange(1),
    help="Time limit of the exact search for one length, by the solver's deterministic clock.",
)
@options(Settings, "optimize", meaning="As for `generate`.")
@options(Settings, "cost", meaning="How long operations take, as for `generate`.")
@report_form("text", "json")
@click.option("--html", "page", type=OUTPUT_FILE, help="Write a page with charts to this file.")
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

    Each schedule is printed with a lower bound that no schedule can beat.

    Program lengths are in the cost model's unit (operations, cycles); the thesis's are levels of
    three operations. What costs nothing takes no time: by `flops` sines and cosines are given.
    """
    if page is not None:
        require_drawing(EXTRA)
    description = load_and_warn(robot, reading)
    resources = _resources(counts, kinds)
    refuse_if(
        kinds is not None and handover > 0,
        "--handover is between processors: units share their registers",
    )
    notes: tuple[str, ...] = ()
    with stage_progress() as progress:
        if tasks == "program":
            refuse_if(
                function == "all",
                "one schedule is for one function; -f mass_matrix+gravity_forces is one of both",
            )
            refuse_if(
                friction != "none",
                "--friction adds subtasks of the thesis: it needs --tasks thesis",
            )
            graph = _of_program(
                description, function, optimize, cost, _grain(grain, kinds), progress
            )
        else:
            refuse_if(
                function != _THESIS_FUNCTION,
                f"the thesis's subtasks are those of {_THESIS_FUNCTION}; leave -f out",
            )
            refuse_if(
                kinds is not None,
                "the thesis's subtasks mix operations: they run on --processors, not on --units",
            )
            refuse_if(
                cost != FLOPS.name, "the thesis's subtasks are counted in levels: leave --cost out"
            )
            refuse_if(
                grain not in (None, str(OPERATIONS)),
                f"the thesis's subtasks have {OPERATIONS} operations: leave --grain out",
            )
            refuse_if(
                tasks == "printed" and friction != "none",
                "the printed subtasks have no friction: take --tasks thesis",
            )
            graph, notes = (
                _printed(description)
                if tasks == "printed"
                else _by_the_rules(description, friction)
            )
        resources = [replace(each, handover=int(handover / graph.step)) for each in resources]
        (chosen,) = (each for each in METHODS if each.name == method)
        found = study(description, function, graph, resources, chosen, seconds, progress, notes)
        if page is not None:
            write_whole(page, study_html(found), "--html")
    if form == "json":
        click.echo(study_json(found), nl=False)
        return
    console = new_console()
    print_study(console, found)
    report_written(console, page)


def _resources(counts: str | None, kinds: str | None) -> list[Resources]:
    """The resources that the options name."""
    if kinds is None:
        return [processors(count) for count in _counts(counts or _PROCESSORS)]
    refuse_if(counts is not None, "--units and --processors exclude each other")
    return [units(kinds)]


def _counts(text: str) -> list[int]:
    """Numbers of processors, as `1..13` or `2,4,8`, ascending."""
    counts: set[int] = set()
    for part in text.split(","):
        if not (match := re.fullmatch(r"\s*(-?\d{1,9})(?:\.\.(-?\d{1,9}))?\s*", part, re.ASCII)):
            raise UsageError(f"--processors: expected numbers as 4, 2,4,8 or 1..13, found {text!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        refuse_if(
            last < first, f"--processors: {part.strip()} goes backwards; write {last}..{first}"
        )
        for bound in (first, last):
            processors(bound)
        counts |= set(range(first, last + 1))
    refuse_if(
        len(counts) > _MOST_SCHEDULES,
        f"--processors: at most {_MOST_SCHEDULES} schedules at once, found {len(counts)}",
    )
    return sorted(counts)


def _grain(text: str | None, kinds: str | None) -> Fraction | None:
    if text is None:
        return None
    refuse_if(kinds is not None, "units take single operations: leave --grain out")
    if not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text, re.ASCII) or not Fraction(text):
        raise UsageError(f"--grain: expected a number above zero, found {text!r}")
    return Fraction(text)


def _of_program(
    description: RobotDescription,
    function: str,
    optimize: str,
    cost: str,
    grain: Fraction | None,
    progress: Progress,
) -> TaskGraph:
    """The tasks of what is generated."""
    settings = Settings(functions=(function,), verify=False, optimize=optimize, cost=cost)
    (generated,) = generate(description, settings, progress).functions
    return program_tasks(generated.program, find_cost(cost), grain)


def _printed(description: RobotDescription) -> tuple[TaskGraph, tuple[str, ...]]:
    """The tasks of the thesis's tables."""
    if (arm := arm_of(description)) is not None:
        return printed_tasks(arm[0]), ()
    known = ", ".join(robot for arm in decomposition().arms.values() for robot in arm.robots)
    raise UsageError(
        f"the thesis prints no subtasks for {description.name}, only for {known}; --tasks "
        f"thesis makes them by its rules"
    )


def _by_the_rules(
    description: RobotDescription, friction: FrictionPart
) -> tuple[TaskGraph, tuple[str, ...]]:
    """Decompose inverse dynamics of a robot by the thesis's rules, with notes.

    Zeros of the thesis's own arms are counted as the thesis counts them.
    """
    own = decompose(link_shapes(build_model(description)), friction)
    if (arm := arm_of(description)) is None:
        return own, ()
    note = (
        f"zeros as the thesis counts them for this arm (Table 4.6); by the description's "
        f"own there are {len(own.tasks)} tasks"
    )
    return decompose(arm[1].shapes, friction), (note,)
