"""`dynagen verify DIR [ROBOT]`: prove again what lies on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from dynagen.cli.options import load_and_warn, options
from dynagen.codegen.targets.manifest import Delivery, read_delivery
from dynagen.errors import UsageError
from dynagen.pipeline.proof import verify_delivery
from dynagen.pipeline.settings import Settings
from dynagen.report.console import new_console
from dynagen.report.generation import proof_table
from dynagen.resources import bundled_robots
from dynagen.robot.options import ReadingOptions


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("robot", required=False)
@options(Settings, "states", "seed")
@options(ReadingOptions, "trust", "strict")
def verify(
    folder: Path, robot: str | None, states: int, seed: int, strict: bool, trust: bool
) -> None:
    """Compile the kernels in DIR, which dynagen has written, as they are now, and prove them.

    ROBOT is the description that they were generated from. Without it, the file of that name is looked for in the folders
    above DIR, and among the bundled robots. The part of it that was generated for, and how its numbers were read, is known.
    """
    delivery = read_delivery(folder)
    reading = replace(delivery.reading, strict=strict, trust=trust)
    description = load_and_warn(robot or find_description(delivery), reading)
    proofs = verify_delivery(delivery, description, states, seed)
    console = new_console()
    console.print(proof_table(console, proofs))
    console.print(f"{folder} is what it claims to be.", markup=False)


def find_description(delivery: Delivery) -> str:
    """The description that a folder was generated from, by its name.

    Raises:
        UsageError: there is none.
    """
    for folder in (delivery.folder.resolve(), *delivery.folder.resolve().parents):
        if (folder / delivery.input_name).is_file():
            return str(folder / delivery.input_name)
    name = Path(delivery.input_name).stem
    if name in bundled_robots():
        return name
    raise UsageError(
        f"{delivery.input_name}, which {delivery.folder} was generated from, is not in the folders above it; "
        f"say where it is: dynagen verify {delivery.folder} path/to/{delivery.input_name}"
    )
