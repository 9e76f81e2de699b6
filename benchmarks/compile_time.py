"""Compile time, code size and stack of C kernels, whole and in segments.

Each kernel is compiled with --trig libm and with --trig vector. The program prints a table, and the
ratios of measured values to the estimates of `dynagen/codegen/size.py` for gcc -O2.

    python benchmarks/compile_time.py [ROBOT ...]
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dynagen.codegen.languages import find_language
from dynagen.codegen.package import VECTOR, Package
from dynagen.codegen.size import Size, measure_kernel_size
from dynagen.errors import UsageError
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot

ROBOTS = ("puma560", "ur5", "panda", "general6")
FUNCTIONS = (
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
    "coriolis_matrix",
    "regressor",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
COMMAND = ("gcc", "-std=c99", "-O2", "-fstack-usage", "-Iinclude", "-c", "-o", "kernel.o")
REPEATS = 3
_WHOLE = 10**9  # longest segment, in operations, with which no kernel is split


@dataclass(frozen=True)
class Measurement:
    """Measurements of one compiled kernel.

    Attributes:
        robot: name of the robot.
        function: name of the function.
        trig: method for sines and cosines.
        size: estimates of code size, stack and compile time by `dynagen/codegen/size.py`.
        seconds: processor time of the compiler, the least of a few runs (s).
        code: size of the code (bytes).
        stack: sum of the kernel's stack frame and the largest frame of its segments (bytes).
    """

    robot: str
    function: str
    trig: str
    size: Size
    seconds: float
    code: int
    stack: int


def measure(package: Package) -> Measurement:
    """Compile the only kernel of a package, and measure compile time, code size and stack."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file in find_language("c").print_kernels(package):
            (folder / file.path).parent.mkdir(exist_ok=True)
            (folder / file.path).write_text(file.text, encoding="utf-8")
        source = next(str(path) for path in folder.glob("src/*.c"))
        seconds = min(_seconds([*COMMAND, source], folder) for _ in range(REPEATS))
        listing = subprocess.run(
            ["size", "kernel.o"], cwd=folder, capture_output=True, text=True, check=True
        ).stdout
        *segments, kernel = [
            int(line.split("\t")[1]) for line in (folder / "kernel.su").read_text().splitlines()
        ]
    return Measurement(
        package.robot,
        package.kernels[0].function,
        package.trig,
        measure_kernel_size(package, package.kernels[0]),
        seconds,
        int(listing.splitlines()[1].split()[0]),
        kernel + max(segments, default=0),
    )


def _seconds(command: list[str], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measurements(robots: list[str]) -> Iterator[Measurement]:
    """Yield measurements of all functions; large functions are compiled in segments and whole."""
    for robot in robots:
        description = load_robot(robot)
        for function in FUNCTIONS:
            try:
                package = generate(
                    description, Settings("c", (function,), prefix="robot"), prove=False
                ).package
            except UsageError as error:
                print(f"{robot}: {error}", file=sys.stderr)
                continue
            yield measure(package)
            yield measure(replace(package, trig=VECTOR))
            if measure_kernel_size(package, package.kernels[0]).segments > 1:
                yield measure(replace(package, longest=_WHOLE))


def main(robots: list[str]) -> None:
    print(
        f"{'robot':12}{'function':30}{'trig':8}{'length':>8}{'statements':>11}{'live':>6}{'segments':>9}"
        f"{'seconds':>9}{'expected':>9}{'code':>9}{'expected':>9}{'stack':>7}{'expected':>9}"
    )
    found = []
    for each in measurements(robots or list(ROBOTS)):
        size = each.size
        print(
            f"{each.robot[:11]:12}{each.function:30}{each.trig:8}{size.length:>8}{size.statements:>11}{size.live:>6}{size.segments:>9}"
            f"{each.seconds:>9.2f}{size.seconds:>9.2f}{each.code:>9}{size.code:>9}{each.stack:>7}{size.stack:>9}",
            flush=True,
        )
        found.append(each)
    as_emitted = [each for each in found if each.size.segments > 1 or each.size.length <= 5000]
    print(
        f"measured compile time / estimate: "
        f"{_range(np.array([each.seconds / each.size.seconds for each in as_emitted]))}"
    )
    print(
        f"measured code size / estimate: "
        f"{_range(np.array([each.code / each.size.code for each in as_emitted]))}"
    )
    print(
        f"measured stack size / estimate: "
        f"{_range(np.array([each.stack / each.size.stack for each in as_emitted]))}"
    )


def _range(values: np.ndarray) -> str:
    return f"median {np.median(values):.3g}, {values.min():.3g} to {values.max():.3g}"


if __name__ == "__main__":
    main(sys.argv[1:])
