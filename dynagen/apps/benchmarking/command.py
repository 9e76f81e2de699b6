"""`dynagen bench ROBOT`: run times of the robot's functions, in dynagen and in other tools."""

from __future__ import annotations

import json
from dataclasses import asdict

import rich_click as click
from rich.console import Console

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.benchmarking.benchmark import FULL, QUICK, Row, benchmark
from dynagen.apps.benchmarking.contender import ONE_STATE
from dynagen.cli.commands import command
from dynagen.cli.options import load_and_warn, reading, robot_argument
from dynagen.cli.output import report_form, show_progress
from dynagen.options import FUNCTIONS, PROOF
from dynagen.report.console import make_console, make_table
from dynagen.robot.options import ReadingOptions

ALL = "all"
USUAL = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
"""Functions that are timed by default. Other functions take minutes to compile in other tools."""


@command(
    "dynagen bench ur5 -f inverse_dynamics",
    "dynagen bench solo12 --base floating -f mass_matrix --format json",
)
@robot_argument
@click.option(
    "-f",
    "--function",
    "functions",
    panel=FUNCTIONS,
    multiple=True,
    type=click.Choice([*ALGORITHMS, ALL]),
    metavar="NAME",
    help="Function to time, or `all`. May be repeated, as in `-f mass_matrix -f regressor`. "
    f"[default: {', '.join(USUAL)}]",
)
@click.option(
    "--quick",
    panel=PROOF,
    is_flag=True,
    help="Only check that all programs run and agree. Programs are compiled without optimisation, "
    "so their times have no meaning.",
)
@report_form("text", "json")
@reading
def bench(
    robot: str, functions: tuple[str, ...], quick: bool, form: str, reading: ReadingOptions
) -> None:
    """Time functions of ROBOT in dynagen and in other tools.

    All programs run in one process, and are compiled by the same compilers with the same flags. The
    other tools, if installed, are Pinocchio in C++ and from Python, the C that CasADi generates
    from Pinocchio's algorithms, MuJoCo, and numpy. The Python package `pin` contains Pinocchio's
    C++ headers. The first run of `bench` compiles Pinocchio's headers, which takes minutes.

    The results of all tools are compared before a function is timed; the exit status is 1 if the
    results differ. Programs are timed alternately, and the shortest time of each program is
    reported. A ratio is a program's time divided by the time of the generated C, called with one
    state at a time. On a busy machine ratios are more reliable than nanoseconds.

    The bound is the least possible time on this machine, by the throughput of additions,
    multiplications, divisions and memory. The bound for one state per call counts scalar
    instructions: a compiler that puts two operations of a state into one vector instruction can be
    faster than this bound.
    """
    description = load_and_warn(robot, reading)
    wanted = () if ALL in functions else functions or USUAL
    console = make_console()

    def show(function: str, rows: tuple[Row, ...]) -> None:
        if form == "text":
            _print_rows(console, f"{description.name}: {function}", rows)

    with show_progress() as progress:
        measured = benchmark(description, wanted, QUICK if quick else FULL, progress, show)
    if form == "json":
        click.echo(json.dumps(asdict(measured), indent=2))
        return
    for line in (
        *measured.notes,
        *(f"{name}: {value}" for name, value in measured.machine.items()),
    ):
        console.print(line, markup=False, soft_wrap=True)


def _print_rows(console: Console, title: str, rows: tuple[Row, ...]) -> None:
    """Print a table with the times of one function in all tools."""
    headings = ("", "called", "compiler", "ratio", "ns per state", "bound", "difference")
    table = make_table(console, title, *headings)
    for row in rows:
        bound = "" if row.roof is None else f"{row.roof.bound:.3g}"
        if row.roof is not None and row.called == ONE_STATE:
            bound += "*"
        figures = f"{row.ratio:.3g}", f"{row.nanoseconds:,.4g}", bound, f"{row.difference:.0e}"
        table.add_row(row.tool, row.called, row.compiler, *figures)
    console.print(table)
    if any(row.roof is not None and row.called == ONE_STATE for row in rows):
        console.print(
            "* bound of scalar instructions: code in which one vector instruction computes two "
            "operations of a state can be faster",
            soft_wrap=True,
        )
