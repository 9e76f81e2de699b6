"""`dynagen verify DIR [ROBOT]`: compile and prove the code in a folder again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import rich_click as click

from dynagen.cli.commands import command
from dynagen.cli.completion import complete_robot
from dynagen.cli.options import add_options, load_and_warn
from dynagen.codegen.targets.manifest import DeliveredFolder, read_folder
from dynagen.errors import UsageError
from dynagen.options import PROOF
from dynagen.pipeline.proof import verify_folder
from dynagen.pipeline.settings import Settings
from dynagen.report.console import make_console
from dynagen.report.generation import tabulate_proofs
from dynagen.resources import list_bundled_robots
from dynagen.robot.options import ReadingOptions
from dynagen.toolchain.gpu import GpuToolchain


@command(
    "dynagen verify build/arm arm.urdf --states 5000 --seed 7",
    "dynagen verify generated/puma560/cuda --device cuda",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("robot", required=False, shell_complete=complete_robot)
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    panel=PROOF,
    help="Where kernels of --lang cuda for many states run: plain C++, or the first NVIDIA GPU.",
)
@add_options(Settings, "states", "seed")
@add_options(ReadingOptions, "trust", "strict")
def verify(
    folder: Path,
    robot: str | None,
    device: str,
    states: int,
    seed: int,
    strict: bool,
    trust: bool,
) -> None:
    """Compile and prove the delivered kernels in DIR.

    ROBOT is the description that DIR was generated from. Without ROBOT, the file name in the
    manifest is searched for in DIR, in the folders above it and among the bundled robots. Options
    of reading, such as --tip, are in the manifest and need not be repeated.

    A delivery in one file, such as a wheel, is compared by `dynagen ROBOT --target NAME --stale`.
    """
    delivery = read_folder(folder)
    reading = replace(delivery.reading, strict=strict, trust=trust)
    description = load_and_warn(robot or find_description(delivery), reading)
    gpu = GpuToolchain() if device == "cuda" else None
    proofs = verify_folder(delivery, description, states, seed, gpu)
    console = make_console()
    console.print(tabulate_proofs(console, proofs))
    where = "; those for many states ran on the GPU" if gpu else ""
    console.print(f"All kernels in {folder} are proved{where}.", markup=False)


def find_description(delivery: DeliveredFolder) -> str:
    """Find the description that a folder was generated from, by the name of its file.

    Raises:
        UsageError: no such file exists in the folder, above it or among the bundled robots.
    """
    for folder in (delivery.folder.resolve(), *delivery.folder.resolve().parents):
        if (folder / delivery.input_name).is_file():
            return str(folder / delivery.input_name)
    name = Path(delivery.input_name).stem
    if name in list_bundled_robots():
        return name
    raise UsageError(
        f"{delivery.input_name}, from which {delivery.folder} was generated, is not in the folders "
        f"above it; name it: dynagen verify {delivery.folder} path/to/{delivery.input_name}"
    )
