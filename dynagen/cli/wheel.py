"""`dynagen wheel ROBOT`: Python wheel with compiled functions of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from dynagen.cli.commands import command
from dynagen.cli.options import add_options, load_and_warn, reading, robot_argument
from dynagen.cli.output import report_files, show_progress
from dynagen.codegen.targets.wheel import WHEEL
from dynagen.dynamics.requests import ALL
from dynagen.options import OUTPUT, list_options, make
from dynagen.pipeline.delivery import deliver
from dynagen.pipeline.driver import generate
from dynagen.pipeline.settings import CompileKeywords, Settings
from dynagen.processes import begin_workers
from dynagen.report.console import make_console
from dynagen.report.generation import tabulate_proofs
from dynagen.robot.options import ReadingOptions

# Settings that the command offers before -o; the kernels are always in C.
_OFFERED = {"functions", "prefix", *CompileKeywords.__annotations__} - {"lang"}


@command(
    "dynagen wheel puma560 -f inverse_dynamics -f mass_matrix",
    "dynagen wheel panda -f all --release 1.2 --native -o dist",
)
@robot_argument
@add_options(Settings, *(name for name in list_options(Settings) if name in _OFFERED))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    panel=OUTPUT,
    default=Path(WHEEL.out),
    show_default=True,
    help="Folder to write the wheel to.",
)
@add_options(Settings, "release", meaning="Version of the package, for example 1.0 or 2.1.3.")
@add_options(
    Settings,
    "native",
    meaning="Compile for this machine's type of processor; by default, the wheel runs on all "
    "processors of the same architecture.",
)
@reading
def wheel(
    robot: str,
    out: Path,
    reading: ReadingOptions,
    **settings: Any,  # options of the table `Settings`, by keyword
) -> None:
    """Compile and prove functions of ROBOT, and pack them as a wheel that requires only numpy.

    The package is named after the robot: after `pip install dist/puma560-*.whl`, use `from puma560
    import inverse_dynamics`.
    """
    description = load_and_warn(robot, reading)
    chosen = make(Settings, {**settings, "target": WHEEL.name})
    several = len(chosen.functions) > 1 or ALL in chosen.functions
    workers = begin_workers(now=several)
    with show_progress() as progress:
        generation = generate(description, chosen, progress, workers=workers)
        path = deliver(generation, out)
    console = make_console()
    console.print(tabulate_proofs(console, generation.proofs.values()))
    report_files(console, path)
