"""`dynagen identify ROBOT LOG...`: parameters of a robot from logs of its motion and joint forces."""

from __future__ import annotations

import json
from pathlib import Path

import click

from dynagen.apps.identification.estimation import DEFAULT_ESTIMATOR, ESTIMATORS
from dynagen.apps.identification.identification import identify as run
from dynagen.apps.identification.identified_description import Identified, write_identified
from dynagen.apps.identification.page import EXTRA, identification_page
from dynagen.apps.identification.regression import DEFAULT_LAWS, LAWS
from dynagen.apps.identification.report import (
    identification_json,
    operations_of,
    print_identification,
)
from dynagen.apps.identification.uncertainty import ESSENTIAL
from dynagen.cli.options import load_and_warn, numbers, reading
from dynagen.cli.output import (
    OUTPUT_FILE,
    force_option,
    refuse_existing,
    report_form,
    report_written,
    stage_progress,
    write_whole,
)
from dynagen.errors import UsageError, shown
from dynagen.report.console import new_console
from dynagen.report.drawing import require_drawing
from dynagen.robot.options import ReadingOptions


@click.command()
@click.argument("robot")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option(
    "--columns",
    metavar="MAP",
    help="Which columns of the logs hold what: time=0,q=1:7,qd=7:13,current=13:19, names as q=pos#, or a YAML file with the "
    "keys columns, gains, rows, degrees. [default: t, q1, ..., qd1, ..., tau1, ...]",
)
@click.option(
    "--gains",
    metavar="NUMBERS",
    help="Of motor currents, N m/A or N/A, one a joint; below zero where signs differ.",
)
@click.option(
    "--rows",
    metavar="FIRST:LAST",
    help="Rows of the logs that count, from 0. A log may say its own: log.csv:354:5090.",
)
@click.option(
    "--degrees", is_flag=True, default=None, help="Angles are in degrees, their rates in degrees/s."
)
@click.option(
    "--validate",
    multiple=True,
    metavar="LOG",
    help="Log to try the parameters on, not to identify from. May be repeated.",
)
@click.option(
    "--friction",
    default=",".join(DEFAULT_LAWS),
    show_default=True,
    metavar="LAWS",
    help=f"Any of {', '.join(LAWS)}; or none.",
)
@click.option(
    "--estimator",
    type=click.Choice(list(ESTIMATORS)),
    default=DEFAULT_ESTIMATOR,
    show_default=True,
    help="; ".join(f"{name}: {meaning}" for name, (meaning, _) in ESTIMATORS.items()) + ".",
)
@click.option(
    "--essential",
    type=click.Choice(list(ESSENTIAL)),
    help="Leave out parameters that forces do not need, and identify the rest again. "
    + "; ".join(f"{name}: {meaning}" for name, meaning in ESSENTIAL.items())
    + ". [default: all are kept]",
)
@click.option(
    "-o",
    "--out",
    type=OUTPUT_FILE,
    help="Description to write (.yaml): links that can be built, with exactly these base parameters, and friction.",
)
@force_option
@click.option(
    "--base-parameters",
    is_flag=True,
    help="Write base parameters as they are into the links, which are no bodies then but give the same forces.",
)
@click.option(
    "--html", type=OUTPUT_FILE, help="Page to write: forces, spectra of residuals, parameters."
)
@click.option(
    "--cutoff",
    type=float,
    metavar="HZ",
    help="Of the low-pass that logs go through. [default: from their spectra]",
)
@click.option(
    "--despite-faults", is_flag=True, help="Go on where a log has a fault that should stop it."
)
@report_form("text", "json", "none")
@reading
def identify(
    robot: str,
    logs: tuple[str, ...],
    columns: str | None,
    gains: str | None,
    rows: str | None,
    degrees: bool | None,
    validate: tuple[str, ...],
    friction: str,
    estimator: str,
    essential: str | None,
    out: Path | None,
    force: bool,
    base_parameters: bool,
    html: Path | None,
    cutoff: float | None,
    despite_faults: bool,
    form: str,
    reading: ReadingOptions,
) -> None:
    """Identify base parameters, motor inertias and friction of ROBOT from LOGs of its motion and joint forces.

    ROBOT gives the geometry; its masses, inertias and friction may be guesses. A LOG is CSV, Parquet or npz. What is wrong
    with a log is said by file and column.
    """
    if base_parameters and out is None:
        raise UsageError("--base-parameters says what -o writes: name a file")
    if out is not None:
        refuse_existing(out, "--out", force)
    if html is not None:
        require_drawing(EXTRA)
    description = load_and_warn(robot, reading)
    with stage_progress() as progress:
        found = run(
            description,
            logs,
            columns=columns,
            gains=None if gains is None else numbers("--gains", gains),
            rows=rows,
            degrees=degrees,
            validate=validate,
            friction=()
            if friction == "none"
            else tuple(law.strip() for law in friction.split(",")),
            estimator=estimator,
            essential=essential,
            cutoff=cutoff,
            despite_faults=despite_faults,
            progress=progress,
        )
        written = None if out is None else write_identified(found, out, base_parameters)
        built = None if written is None or base_parameters else written.description
        page = (
            None
            if html is None
            else identification_page(found, built, "" if written is None else written.impossible)
        )
        operations = (
            None
            if written is None or form == "none"
            else operations_of(description, written.description)
        )
    if out is not None and written is not None:
        write_whole(out, written.text, "--out", replace=force)
    if html is not None and page is not None:
        write_whole(html, page, "--html")
    for fault in found.faults:
        click.echo(f"warning: {fault}", err=True)
    if written is not None and written.impossible:
        click.echo(f"warning: {written.impossible}. {_instead(written)}", err=True)
    if form == "json":
        report = identification_json(found, None if written is None else written.found)
        click.echo(
            json.dumps(
                report | ({"operations": operations.as_dict()} if operations else {}), indent=2
            )
        )
    elif form == "text":
        console = new_console()
        print_identification(console, found)
        report_written(console, out, html)
        if operations is not None:
            console.print(f"{operations}", markup=False, soft_wrap=True)


def _instead(written: Identified) -> str:
    """What is written instead of numbers that are no bodies."""
    predictions = written.found.validation or written.found.fit
    residuals = ", ".join(
        f"{residual:.3g}" for residual in predictions[0].relative_residual_percent
    )
    return (
        f"Written are those of --estimator physical, which leave {residuals} % of the joints' forces in "
        f"{shown(Path(predictions[0].samples.source).name)}; --base-parameters writes the others, which are no bodies"
    )
