"""`dynagen identify ROBOT LOG...`: estimates of a robot's parameters from logs of its motion."""

from __future__ import annotations

import json
from pathlib import Path

import rich_click as click

from dynagen.apps.identification.advice import give_advice
from dynagen.apps.identification.estimation import DEFAULT_ESTIMATOR, ESTIMATORS
from dynagen.apps.identification.identification import identify as run
from dynagen.apps.identification.identified_description import (
    IdentifiedDescription,
    write_identified,
)
from dynagen.apps.identification.page import EXTRA, build_identification_page
from dynagen.apps.identification.regression import DEFAULT_LAWS, LAWS
from dynagen.apps.identification.report import (
    count_operations,
    identification_to_json,
    print_identification,
)
from dynagen.apps.identification.uncertainty import ESSENTIAL
from dynagen.cli.commands import command
from dynagen.cli.completion import complete_file
from dynagen.cli.options import load_and_warn, parse_numbers, reading, robot_argument, warn
from dynagen.cli.output import (
    OUTPUT_FILE,
    force_option,
    refuse_existing,
    report_files,
    report_form,
    show_progress,
    suggest_command,
    write_whole,
)
from dynagen.errors import UsageError, clip
from dynagen.options import OUTPUT
from dynagen.report.console import make_console
from dynagen.report.drawing import require_drawing
from dynagen.robot.column_units import TIME_UNITS
from dynagen.robot.options import ReadingOptions


@command(
    "dynagen identify arm.urdf log.csv -o identified.yaml --html report.html",
    "dynagen identify arm.urdf log.csv --validate other.csv --friction viscous",
)
@robot_argument
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=complete_file)
@click.option(
    "--columns",
    panel="Logs",
    metavar="MAP",
    help="Columns of the logs by quantity, as numbers (time=0,q=1:7,qd=7:13,current=13:19), as "
    "names (q=pos#), or in a YAML file with the keys columns, gains, rows, degrees, time_unit. "
    "[default: t, q1, ..., qd1, ..., tau1, ...]",
)
@click.option(
    "--gains",
    panel="Logs",
    metavar="NUMBERS",
    help="Torque (N m) or force (N) per ampere of motor current, one number per joint; a number "
    "is negative if current and force have opposite signs.",
)
@click.option(
    "--rows",
    panel="Logs",
    metavar="FIRST:LAST",
    help="Rows of the logs to use: 354:5090 uses rows 354 to 5089, counted from 0. A single log "
    "can have its own range, as in log.csv:354:5090. [default: all]",
)
@click.option(
    "--degrees",
    panel="Logs",
    is_flag=True,
    default=None,
    help="Angles are in degrees, angular velocities in degrees/s.",
)
@click.option(
    "--time-unit",
    panel="Logs",
    type=click.Choice(list(TIME_UNITS)),
    help="Unit of the time column. [default: from the column's name, as in time_ms; else s]",
)
@click.option(
    "--validate",
    panel="Logs",
    multiple=True,
    metavar="LOG",
    help="Log on which the result is validated; it is not used for the estimate. May be repeated.",
)
@click.option(
    "--friction",
    panel="Estimation",
    default=",".join(DEFAULT_LAWS),
    show_default=True,
    metavar="LAWS",
    help=f"Friction laws of all joints, separated by commas: any of {', '.join(LAWS)}; or none.",
)
@click.option(
    "--estimator",
    panel="Estimation",
    type=click.Choice(list(ESTIMATORS)),
    metavar="NAME",
    default=DEFAULT_ESTIMATOR,
    show_default=True,
    help="; ".join(f"{name}: {meaning}" for name, (meaning, _) in ESTIMATORS.items()) + ".",
)
@click.option(
    "--essential",
    panel="Estimation",
    type=click.Choice(list(ESSENTIAL)),
    metavar="NAME",
    help="Rule for dropping insignificant parameters; all other parameters are then identified "
    "again. "
    + "; ".join(f"{name}: {meaning}" for name, meaning in ESSENTIAL.items())
    + ". [default: keep all]",
)
@click.option(
    "-o",
    "--out",
    panel=OUTPUT,
    type=OUTPUT_FILE,
    help="Robot description to write (.yaml). Its links are physically consistent and have "
    "exactly the identified base parameters; identified friction is included.",
)
@force_option
@click.option(
    "--base-parameters",
    panel=OUTPUT,
    is_flag=True,
    help="With -o: write the base parameters as the links' inertial data, and zero for all other "
    "inertial data. The joint forces are the same, but the links are not physical bodies.",
)
@click.option(
    "--smooth",
    panel=OUTPUT,
    type=float,
    metavar="WIDTH",
    help="With -o: write friction with tanh(velocity / WIDTH) in place of the sign of the "
    "velocity, so that friction does not chatter with encoder noise at rest; for example 0.05 "
    "(rad/s or m/s). "
    "[default: as described]",
)
@click.option(
    "--html",
    panel=OUTPUT,
    type=OUTPUT_FILE,
    help="HTML page to write: forces, spectra of residuals, parameters.",
)
@click.option(
    "--cutoff",
    panel="Logs",
    type=float,
    metavar="HZ",
    help="Cut-off frequency of the low-pass filter. [default: from the spectra of the logs]",
)
@click.option(
    "--advise",
    panel="Estimation",
    is_flag=True,
    help="Also try other friction laws, estimators and --essential, and list the gain of each on "
    "held-out samples.",
)
@click.option(
    "--despite-faults",
    panel="Logs",
    is_flag=True,
    help="Continue even if a log has a fault that makes the result wrong.",
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
    time_unit: str | None,
    validate: tuple[str, ...],
    friction: str,
    estimator: str,
    essential: str | None,
    out: Path | None,
    force: bool,
    base_parameters: bool,
    smooth: float | None,
    html: Path | None,
    cutoff: float | None,
    advise: bool,
    despite_faults: bool,
    form: str,
    reading: ReadingOptions,
) -> None:
    """Identify base parameters, motor inertias and friction of ROBOT from LOGs of its motion.

    ROBOT describes the geometry; the described masses, inertias and friction may be guesses. A LOG
    is a CSV, Parquet or npz file with positions and joint forces or motor currents. Faults of a log
    are reported by file and column.
    """
    if base_parameters and out is None:
        raise UsageError("--base-parameters changes what -o writes: add -o FILE")
    if smooth is not None and (out is None or not smooth > 0):
        raise UsageError(
            f"--smooth changes what -o writes: add -o FILE (found --smooth {smooth:g}, expected a "
            "positive velocity)"
        )
    if out is not None:
        refuse_existing(out, "--out", force)
    if html is not None:
        require_drawing(EXTRA)
    description = load_and_warn(robot, reading)
    with show_progress() as progress:
        found = run(
            description,
            logs,
            columns=columns,
            gains=None if gains is None else parse_numbers("--gains", gains),
            rows=rows,
            degrees=degrees,
            time_unit=time_unit,
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
        advice = give_advice(found, progress) if advise else None
        written = None if out is None else write_identified(found, out, base_parameters, smooth)
        built = None if written is None or base_parameters else written.description
        page = (
            None
            if html is None
            else build_identification_page(
                found, built, "" if written is None else written.impossible
            )
        )
        operations = (
            None
            if written is None or form == "none"
            else count_operations(description, written.description)
        )
    if out is not None and written is not None:
        write_whole(out, written.text, "--out", replace=force)
    if html is not None and page is not None:
        write_whole(html, page, "--html")
    for fault in found.faults:
        click.echo(f"warning: {fault}", err=True)
    if written is not None and written.impossible:
        click.echo(f"warning: {written.impossible}. {_describe_substitute(written)}", err=True)
    if built is not None:
        known = {fault.message for fault in description.warnings}
        odd = [fault for fault in built.warnings if fault.message not in known]
        warn(built, odd)
        if odd and essential is None:
            click.echo(
                "The numbers in these warnings are estimates; --essential test leaves out "
                "parameters that the logs do not determine",
                err=True,
            )
    if form == "json":
        report = identification_to_json(found, None if written is None else written.found)
        click.echo(
            json.dumps(
                report
                | ({"operations": operations.as_dict()} if operations else {})
                | ({"advice": advice.as_dict()} if advice else {}),
                indent=2,
            )
        )
    elif form == "text":
        console = make_console()
        print_identification(console, found, advice)
        report_files(console, out, html)
        if operations is not None:
            console.print(f"{operations}", markup=False, soft_wrap=True)
        if written is not None and any(link.friction for link in written.description.links):
            words = (str(out), "-f", "inverse_dynamics_with_friction")
            suggest_command(console, "generate code with friction", *words)


def _describe_substitute(written: IdentifiedDescription) -> str:
    """Return a warning that the file contains the physical estimator's result instead."""
    predictions = written.found.validation or written.found.fit
    residuals = ", ".join(
        f"{residual:.3g}" for residual in predictions[0].relative_residual_percent
    )
    return (
        "Causes are noise, a motion that hardly excites these links, and friction that the laws do "
        "not describe. The links of --estimator physical are written instead; they leave "
        f"{residuals} % of the joint forces unexplained in "
        f"{clip(Path(predictions[0].samples.source).name)}. "
        "--base-parameters writes the base parameters themselves"
    )
