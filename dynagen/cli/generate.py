"""`dynagen ROBOT --lang c`: generate, compile, prove, write, report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dynagen.cli.options import jobs_option, load_and_warn, options, reading, times_in_ns
from dynagen.cli.output import stage_progress, write_depfile
from dynagen.codegen.targets.folder import stale_files, write_folder
from dynagen.dynamics.requests import ALL
from dynagen.errors import StaleOutputError, ToolchainError
from dynagen.ir.text import print_program
from dynagen.options import make, options_of
from dynagen.pipeline.driver import generate as run_pipeline
from dynagen.pipeline.generation import Generation, check_settings
from dynagen.pipeline.settings import Settings
from dynagen.pipeline.staleness import explain_staleness
from dynagen.processes import begin_workers, collect_rarely
from dynagen.report.accuracy import change_of_all, measure_rounding, rounding_table
from dynagen.report.console import new_console
from dynagen.report.constants import explain, print_explanation
from dynagen.report.footprint import footprint_table, measure_footprint, refuse_unmeasurable
from dynagen.report.generation import generation_json, print_generation
from dynagen.robot.options import ReadingOptions
from dynagen.toolchain.footprint import TARGETS, Footprint

_REQUESTED = ("lang", "functions")
_QUICKLY = 100
"""States on which rounded numbers are measured: a small part of the time that the proof takes."""


@click.command()
@click.argument("robot")
@options(Settings, *_REQUESTED)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Output folder. [default: generated/<robot>/<lang>]",
)
@options(Settings, *(name for name in options_of(Settings) if name not in _REQUESTED))
@jobs_option
@reading
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Write nothing; exit 1 if the folder's content is stale.",
)
@click.option(
    "--footprint",
    type=click.Choice([target.name for target in TARGETS]),
    help="C: also measure code and stack on a target, into a file beside the manifest.",
)
@click.option(
    "--rounding",
    is_flag=True,
    help="Also measure rounding against 50 digits, before and after optimisation.",
)
@click.option(
    "--explain-constants",
    is_flag=True,
    help="Also print what every constant is made of, in the description's numbers.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Report passes, methods, costs, base parameters and files as well.",
)
@click.option(
    "--depfile",
    type=click.Path(path_type=Path),
    help="Also write what the output depends on, for make and ninja.",
)
@click.option(
    "--dump-ir",
    is_flag=True,
    help="Print the optimised programs in text form instead of the report.",
)
@click.option(
    "--report",
    type=click.Choice(["text", "json", "none"]),
    default="text",
    show_default=True,
    help="Form of the report on standard output.",
)
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Show a traceback if something goes wrong."
)  # read by main
def generate(
    robot: str,
    out: Path | None,
    jobs: int | None,
    reading: ReadingOptions,
    only_check: bool,
    footprint: str | None,
    rounding: bool,
    explain_constants: bool,
    verbose: bool,
    depfile: Path | None,
    dump_ir: bool,
    report: str,
    **settings: Any,  # as in the table `Settings`
) -> None:
    """Generate code for ROBOT, compile it and prove it against an independent reference before it is written."""
    collect_rarely()
    chosen = make(Settings, {**settings, **times_in_ns(settings)})
    check_settings(chosen)
    if footprint and not only_check:
        refuse_unmeasurable(chosen.language, footprint)
    description = load_and_warn(robot, reading)
    workers = begin_workers(jobs) if len(chosen.functions) > 1 or ALL in chosen.functions else 1
    if only_check:
        _check(run_pipeline(description, chosen, prove=False, workers=workers), out)
        return
    with stage_progress() as progress:
        generation = run_pipeline(description, chosen, progress, workers=workers)
        folder = out or default_folder(generation)
        write_folder(folder, generation.files)
        footprints = _footprints(generation, footprint, folder) if footprint else ()
        if depfile is not None:
            write_depfile(depfile, folder / generation.manifest.path, description)
    roundings = measure_rounding(generation) if rounding else {}
    explanation = explain(generation) if explain_constants else None
    if dump_ir:
        click.echo(
            "\n".join(print_program(function.program) for function in generation.functions),
            nl=False,
        )
    elif report == "json":
        click.echo(generation_json(generation, folder, roundings, explanation))
    elif report == "text":
        console = new_console()
        print_generation(console, generation, folder, verbose)
        if description.snaps:
            change = change_of_all(description, _QUICKLY)
            console.print(
                f"Numbers read as round ones change torques by {change:.1e} of a joint's largest; `dynagen check` says which "
                "by how much, --snap 0 reads all as written"
            )
        if roundings:
            console.print(rounding_table(console, roundings))
        if footprint:
            console.print(footprint_table(console, footprint, footprints))
        if explanation is not None:
            print_explanation(console, explanation)


def _footprints(generation: Generation, target: str, folder: Path) -> tuple[Footprint, ...]:
    """The footprints of what is in the folder, where a file then says them too.

    A proof may have taken minutes: what it has proved stays, whatever the target's compiler makes of it.

    Raises:
        ToolchainError: it makes nothing of it.
    """
    try:
        measured, footprints = measure_footprint(generation, target)
    except ToolchainError as error:
        raise ToolchainError(f"{folder} is written, but for its footprint: {error}") from error
    write_folder(folder, [measured, *generation.files])
    return footprints


def default_folder(generation: Generation) -> Path:
    """The folder for output if the user names none."""
    return Path("generated", generation.package.prefix, generation.request.language.name)


def _check(generation: Generation, out: Path | None) -> None:
    folder = out or default_folder(generation)
    stale = stale_files(folder, generation.files)
    if stale:
        causes = "".join(
            f"; {reason}" for reason in explain_staleness(folder, generation.manifest.text)
        )
        raise StaleOutputError(
            f"{folder} is stale{causes}. Missing or different: {', '.join(stale)}. "
            "The same command without --check writes them"
        )
    click.echo(f"{folder} is up to date")
