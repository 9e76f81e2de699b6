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
    help="Device for batch kernels of --lang cuda: cpu runs them as plain C++, cuda on the first "
    "NVIDIA GPU.",
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

    ROBOT is the description from which DIR was generated. By default, the file that the manifest
    names is searched in DIR, in the folders above and among the bundled robots. Options for reading
    ROBOT, such as --tip, are in the manifest and need not be repeated.

    A delivery in one file, such as a wheel, cannot be proved again; `dynagen ROBOT --target NAME
    --stale` compares it with a new run.
    """
    delivery = read_folder(folder)
    reading = replace(delivery.reading, strict=strict, trust=trust)
    description = load_and_warn(robot or find_description(delivery), reading)
    gpu = GpuToolchain() if device == "cuda" else None
    proofs = verify_folder(delivery, description, states, seed, gpu)
    console = make_console()
    console.print(tabulate_proofs(console, proofs))
    where = "; kernels for many states ran on the GPU" if gpu else ""
    console.print(f"All kernels in {folder} are proved{where}.", markup=False)


def find_description(delivery: DeliveredFolder) -> str:
    """Return the path or name of the description from which a folder was generated.

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
        f"{delivery.input_name}, from which {delivery.folder} was generated, was not found in "
        f"this folder or the folders above; add its path: dynagen verify {delivery.folder} "
        f"path/to/{delivery.input_name}"
    )
