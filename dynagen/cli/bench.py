"""`dynagen bench ROBOT`: how long its functions take here, beside those of other tools."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from dynagen.benchmarking.benchmark import FULL, QUICK, Benchmark, benchmark
from dynagen.benchmarking.ours import FUNCTIONS
from dynagen.cli.progress import stage_progress
from dynagen.cli.robot import load_and_warn, reading
from dynagen.description.options import ReadingOptions
from dynagen.report.console import new_console, new_table


@click.command()
@click.argument("robot")
@click.option(
    "-f",
    "--function",
    "functions",
    multiple=True,
    type=click.Choice(list(FUNCTIONS)),
    help="Function to time. May be repeated. [default: all of these]",
)
@click.option("--quick", is_flag=True, help="See that it runs and that results agree; times are rough.")
@click.option(
    "--report",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the report.",
)
@reading
def bench(robot: str, functions: tuple[str, ...], quick: bool, form: str, reading: ReadingOptions) -> None:
    """Time functions of ROBOT beside Pinocchio and MuJoCo, where these are installed, and numpy, in one process.

    Results are compared before anything is timed; exits with 1 where they differ. Programs take turns, and of each the least
    time counts. Ratios, which are to the C that is generated, hold on a busy machine better than nanoseconds do.
    """
    description = load_and_warn(robot, reading)
    with stage_progress() as progress:
        measured = benchmark(description, functions, QUICK if quick else FULL, progress)
    if form == "json":
        click.echo(json.dumps(asdict(measured), indent=2))
        return
    _print(measured)


def _print(measured: Benchmark) -> None:
    console = new_console()
    for function, rows in measured.functions.items():
        table = new_table(console, f"{measured.robot}: {function}", "", "times ours", "ns a state", "difference")
        for row in rows:
            table.add_row(row.contender, f"{row.ratio:.3g}", f"{row.nanoseconds:,.4g}", f"{row.difference:.0e}")
        console.print(table)
    for line in (*measured.notes, *(f"{name}: {value}" for name, value in measured.machine.items())):
        console.print(line, markup=False, soft_wrap=True)
