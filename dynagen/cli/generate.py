"""`dynagen generate ROBOT`: generation of code, with its proof and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from dynagen.cli.commands import command
from dynagen.cli.options import (
    add_options,
    jobs_option,
    load_and_warn,
    parse_times,
    reading,
    robot_argument,
)
from dynagen.cli.output import report_form, show_progress, write_depfile, write_whole
from dynagen.codegen.targets import TARGETS
from dynagen.codegen.targets.folder import write_folder
from dynagen.dynamics.requests import ALL
from dynagen.errors import StaleOutputError, ToolchainError, UsageError
from dynagen.ir.text import print_program
from dynagen.options import BUILD, OUTPUT, PROOF, list_options, make
from dynagen.pipeline.delivery import choose_default_folder, deliver, find_staleness
from dynagen.pipeline.driver import generate as run_pipeline
from dynagen.pipeline.generation import Generation, check_settings
from dynagen.pipeline.settings import Settings
from dynagen.processes import begin_workers
from dynagen.report.accuracy import measure_rounding, measure_total_snap_effect, tabulate_rounding
from dynagen.report.console import make_console
from dynagen.report.constants import explain, print_explanation
from dynagen.report.footprint import check_footprint_target, measure_footprint, tabulate_footprints
from dynagen.report.generation import generation_to_json, print_generation
from dynagen.robot.options import ReadingOptions
from dynagen.toolchain.footprint import TARGETS as FOOTPRINT_TARGETS
from dynagen.toolchain.footprint import Footprint

_REQUESTED = ("lang", "target", "functions")
_SNAP_STATES = 100
"""Number of states on which the effect of snapping numbers to exact ones is measured."""

_OUT = f"{TARGETS[0].out}; others: `dynagen targets`"
"""Text that the help shows as the default of --out."""


@command(
    "dynagen generate puma560 -f inverse_dynamics -f mass_matrix -o puma560",
    "dynagen generate panda -f forward_dynamics --real float --optimize max",
    renamed={"--check": "--stale"},
)
@robot_argument
@add_options(Settings, *_REQUESTED)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    panel=OUTPUT,
    help=f"Folder to write. [default: {_OUT}]",
)
@add_options(Settings, *(name for name in list_options(Settings) if name not in _REQUESTED))
@jobs_option
@reading
@click.option(
    "--stale",
    "only_compare",
    is_flag=True,
    panel=BUILD,
    help="Write nothing; exit with 1 and print the reasons if the output on disk is stale.",
)
@click.option(
    "--footprint",
    type=click.Choice([target.name for target in FOOTPRINT_TARGETS]),
    panel=BUILD,
    help="For C: also measure code size, stack and instructions per call for a processor.",
)
@click.option(
    "--rounding",
    is_flag=True,
    panel=PROOF,
    help="Also measure rounding errors before and after optimisation, compared with arithmetic "
    "of 50 digits.",
)
@click.option(
    "--explain-constants",
    is_flag=True,
    panel=OUTPUT,
    help="Also print how each constant is computed from numbers of the description, for example "
    "a3 + d4.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    panel=OUTPUT,
    help="Also report notes, passes, methods, costs, base parameters and files.",
)
@click.option(
    "--depfile",
    type=click.Path(path_type=Path),
    metavar="FILE",
    panel=BUILD,
    help="Also write a dependency file for make and ninja.",
)
@click.option(
    "--stamp",
    type=click.Path(path_type=Path),
    metavar="FILE",
    panel=BUILD,
    help="Write this empty file after a successful run, as the target of --depfile.",
)
@click.option(
    "--dump-ir",
    is_flag=True,
    panel=OUTPUT,
    help="Print the optimised programs in text form instead of the report.",
)
@report_form("text", "json", "none")
@click.option(
    "--debug", is_flag=True, expose_value=False, panel=BUILD, help="Show a traceback on errors."
)  # `main` reads it
def generate(
    robot: str,
    out: Path | None,
    jobs: int | None,
    reading: ReadingOptions,
    only_compare: bool,
    footprint: str | None,
    rounding: bool,
    explain_constants: bool,
    verbose: bool,
    depfile: Path | None,
    stamp: Path | None,
    dump_ir: bool,
    form: str,
    **settings: Any,  # options of the table `Settings`, by keyword
) -> None:
    """Generate code for ROBOT, prove it against two independent references, and write it.

    The word `generate` may be omitted, as in `dynagen puma560`.
    """
    chosen = make(Settings, {**settings, **parse_times(settings)})
    target, _ = check_settings(chosen)
    if footprint and target.build is not None:
        raise UsageError(
            f"--footprint measures source code in a folder, but --target {target.name} delivers "
            "compiled code; omit --footprint"
        )
    if footprint and not only_compare:
        check_footprint_target(chosen.language, footprint)
    description = load_and_warn(robot, reading)
    several = len(chosen.functions) > 1 or ALL in chosen.functions
    workers = begin_workers(jobs, now=several)
    if only_compare:
        _compare(run_pipeline(description, chosen, prove=False, workers=workers), out)
        return
    with show_progress() as progress:
        generation = run_pipeline(description, chosen, progress, workers=workers)
        folder = out or choose_default_folder(generation)
        written = deliver(generation, folder)
        footprints = _footprints(generation, footprint, folder) if footprint else ()
        if depfile is not None:
            write_depfile(depfile, stamp or written, description)
        if stamp is not None:
            write_whole(stamp, "", "--stamp")
    roundings = measure_rounding(generation) if rounding else {}
    explanation = explain(generation) if explain_constants else None
    if dump_ir:
        click.echo(
            "\n".join(print_program(function.program) for function in generation.functions),
            nl=False,
        )
    elif form == "json":
        click.echo(generation_to_json(generation, folder, roundings, explanation))
    elif form == "text":
        console = make_console()
        print_generation(console, generation, folder, verbose)
        if description.snaps:
            change = measure_total_snap_effect(description, _SNAP_STATES)
            console.print(
                f"Snapped numbers change joint forces by at most {change:.1e} of each joint's "
                "largest force. `dynagen check` lists the numbers; --snap 0 reads them as written"
            )
        if roundings:
            console.print(tabulate_rounding(console, roundings))
        if footprint:
            console.print(tabulate_footprints(console, footprint, footprints))
        if explanation is not None:
            print_explanation(console, explanation)


def _footprints(generation: Generation, target: str, folder: Path) -> tuple[Footprint, ...]:
    """Measure flash, memory and instructions of the code, and add a file with them to the folder.

    The proved code is already in the folder, so that it is not lost if the measurement fails.

    Raises:
        ToolchainError: the processor's compiler is not installed or rejects the code.
    """
    try:
        measured, footprints = measure_footprint(generation, target)
    except ToolchainError as error:
        raise ToolchainError(f"{folder} is written without its footprint: {error}") from error
    write_folder(folder, [measured, *generation.contents])
    return footprints


def _compare(generation: Generation, out: Path | None) -> None:
    """Compare the output on disk with the files that this run would write.

    Raises:
        StaleOutputError: the output differs; the message lists the reasons and the files.
    """
    folder = out or choose_default_folder(generation)
    place = generation.place(folder)
    if stale := find_staleness(generation, folder):
        causes = "".join(f"; {reason}" for reason in stale.reasons)
        raise StaleOutputError(
            f"{place} is stale{causes}. Missing or different: {', '.join(stale.files)}. "
            "The same command without --stale writes them"
        )
    click.echo(f"{place} is up to date")
