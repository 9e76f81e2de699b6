"""`dynagen report`: operation counts by pass, published counts, and errata of the papers."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from dynagen.apps.literature.comparison import compare, compared_functions
from dynagen.apps.literature.comparison_page import EXTRA, comparisons_html
from dynagen.apps.literature.comparison_report import comparisons_json, print_comparisons
from dynagen.apps.literature.errata.report import (
    check_errata,
    errata_json,
    print_errata,
    require_passed,
)
from dynagen.cli.commands import command
from dynagen.cli.completion import complete_robot
from dynagen.cli.options import add_options, jobs_option, load_and_warn, reading
from dynagen.cli.output import OUTPUT_FILE, report_files, report_form, show_progress, write_whole
from dynagen.errors import UsageError
from dynagen.optimizer.effort import OPTIMIZE
from dynagen.options import FUNCTIONS, OUTPUT
from dynagen.pipeline.settings import DEFAULT_FUNCTIONS, Settings
from dynagen.processes import begin_workers
from dynagen.report.console import make_console
from dynagen.report.drawing import require_drawing
from dynagen.robot.options import ReadingOptions


@command(
    "dynagen report puma560 --compare --html counts.html",
    "dynagen report --errata",
)
@click.argument("robot", required=False, shell_complete=complete_robot)
@click.option(
    "-f",
    "--function",
    "functions",
    panel=FUNCTIONS,
    multiple=True,
    metavar="NAME",
    help="Function to report on, or `all`. May be repeated, as in `-f mass_matrix -f jacobian`. "
    "[default: inverse_dynamics; with --compare all functions that have published counts]",
)
@click.option(
    "--compare",
    "rivals",
    panel=OUTPUT,
    is_flag=True,
    help="Also show published counts, and the counts of other generators and of textbook "
    "recursions.",
)
@click.option(
    "--errata",
    "errata",
    panel=OUTPUT,
    is_flag=True,
    help="List the errors of the papers and check each of them; ROBOT is omitted.",
)
@add_options(
    Settings, "optimize", meaning="Greatest effort to report on; smaller efforts are reported too."
)
@add_options(Settings, "cost", meaning="Cost model that is minimised, as for `generate`.")
@report_form("text", "json")
@click.option(
    "--html",
    "page",
    panel=OUTPUT,
    type=OUTPUT_FILE,
    help="Also write a page with charts to this file, as in `--html counts.html`.",
)
@click.option(
    "-v",
    "--verbose",
    panel=OUTPUT,
    is_flag=True,
    help="With --compare: list all sources, errata and passes of every function.",
)
@jobs_option
@reading
def report(
    robot: str | None,
    functions: tuple[str, ...],
    rivals: bool,
    errata: bool,
    optimize: str,
    cost: str,
    form: str,
    page: Path | None,
    verbose: bool,
    jobs: int | None,
    reading: ReadingOptions,
) -> None:
    """Report the operations of one call of ROBOT's functions, pass by pass.

    The command generates code but does not write it to files.

    With --compare, a count that was published for one robot is shown for this robot only. General
    formulas are shown for all chains of revolute joints.
    """
    if errata != (robot is None):
        raise UsageError(
            "--errata lists the errors of the papers: omit the robot"
            if errata
            else "a robot is missing; expected for example `dynagen report puma560`, or --errata"
        )
    if robot is None:
        _report_errata(form)
        return
    if page is not None:
        require_drawing(EXTRA)
    description = load_and_warn(robot, reading)
    wanted = functions or (compared_functions(description) if rivals else ()) or DEFAULT_FUNCTIONS
    workers = begin_workers(jobs)
    with show_progress() as progress:
        efforts = OPTIMIZE[: OPTIMIZE.index(optimize) + 1]
        comparisons = compare(
            description, wanted, efforts, Settings(cost=cost), rivals, progress, workers
        )
    if page is not None:
        write_whole(page, comparisons_html(description, comparisons), "--html")
    if form == "json":
        click.echo(comparisons_json(description, comparisons))
        return
    console = make_console()
    print_comparisons(console, description, comparisons, verbose)
    report_files(console, page)


def _report_errata(form: str) -> None:
    """Print all errata; raise an error if the check of an erratum fails."""
    checked = check_errata()
    if form == "json":
        click.echo(errata_json(checked))
    else:
        print_errata(make_console(), checked)
    require_passed(checked)
