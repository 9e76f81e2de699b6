"""Times of C batch kernels at two strides: a multiple of 4096 bytes, and 16 numbers more.

    pip install example-robot-data
    python benchmarks/strides.py            # the table of docs/benchmarks.md; half an hour
    python benchmarks/strides.py puma560 -f mass_matrix -f jacobian

The stride is the distance between two elements of one state. Elements that are 4096 bytes apart
fall into the same sets of the first-level cache. Every function is called with count = stride =
1024 and 4096, and with a stride 16 numbers larger, in interleaved rounds. The ratio is the shortest
time at stride = count, divided by the shortest time at the larger stride.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynagen.codegen.targets.folder import write_folder
from dynagen.ir.program import Signature
from dynagen.numbers.real import Real
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
COUNTS = (1024, 4096)
FURTHER = 16
LIMIT = 1.6
_ROUNDS, _SECONDS = 9, 4e-4
_GO2 = "cmeel.prefix/share/example-robot-data/robots/go2_description/urdf/go2.urdf"
_TABLE = re.compile(r"(<!-- table: strides -->\n)(.*?)(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Times:
    """Times of one function of a robot at two strides.

    Attributes:
        robot: name of the robot.
        function: name of the function.
        rows: number of elements of all inputs and outputs of one state.
        at: mapping from the number of states (count) to two times in ns per state: at stride =
            count, and at a stride that is 16 numbers larger.
    """

    robot: str
    function: str
    rows: int
    at: dict[int, tuple[float, float]]

    @property
    def ratios(self) -> list[float]:
        """Ratios of two times, one for each number of states (count).

        The stride is the distance between two elements of one state, as a count of numbers. The
        time at stride = count is divided by the time at stride = count + 16.
        """
        return [crowded / spread for crowded, spread in self.at.values()]


def main() -> None:
    """Time functions of the robots on the command line.

    Without arguments, all functions of all robots are timed, and the table is written.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("robots", nargs="*", help="puma560, panda or go2 [default: all]")
    parser.add_argument("-f", dest="functions", action="append", help="[default: all functions]")
    parser.add_argument("--compiler", default="clang")
    arguments = parser.parse_args()
    measured: list[Times] = []
    for robot in arguments.robots or ("puma560", "panda", "go2"):
        for times in measure(robot, arguments.functions or ["all"], arguments.compiler):
            print(format_row(times), flush=True)
            measured.append(times)
    if not arguments.robots and not arguments.functions:
        text = PAGE.read_text(encoding="utf-8")
        table = write_table(measured)
        PAGE.write_text(_TABLE.sub(rf"\g<1>{table}\n\g<3>", text), encoding="utf-8")


def measure(robot: str, functions: Sequence[str], compiler: str) -> Iterator[Times]:
    """Yield the times of functions of a robot at two strides.

    The stride is the distance between two elements of one state in the arrays, as a count of
    numbers.

    Args:
        robot: name of a bundled robot, or go2.
        functions: names of the functions, or `all`.
        compiler: command of the C compiler.
    """
    path, options = robot, ReadingOptions()
    if robot == "go2":
        found = (Path(entry) / _GO2 for entry in sys.path)
        path = str(next((each for each in found if each.is_file()), "")) or sys.exit(
            "the URDF of the Go2 is not installed: pip install example-robot-data"
        )
        options = ReadingOptions(base="floating")
    settings = Settings(functions=tuple(functions), batch=True, verify=False, prefix="robot")
    generation = generate(load_robot(path, options), settings)
    with tempfile.TemporaryDirectory() as folder:
        write_folder(Path(folder), generation.files)
        library = build(Path(folder), compiler)
        for each in generation.functions:
            signature = each.program.signature
            call = getattr(library, f"robot_{each.program.name}_batch")
            at = {
                count: time_strides(call, signature, generation.package.real, count)
                for count in COUNTS
            }
            rows = sum(argument.size for argument in signature.arguments)
            yield Times(robot, each.program.name, rows, at)


def build(folder: Path, compiler: str) -> ctypes.CDLL:
    """Compile the batch kernels of a folder for this machine."""
    library = folder / "kernels.so"
    sources = sorted(map(str, folder.glob("src/*_batch.c")))
    options = ["-O3", "-march=native", "-shared", "-fPIC", f"-I{folder}/include"]
    subprocess.run([compiler, *options, *sources, "-lm", "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def time_strides(
    call: Callable[..., object], signature: Signature, real: Real, count: int
) -> tuple[float, float]:
    """Return the shortest times at stride = count and at stride = count + 16 (ns per state).

    The stride is the distance between two elements of one state in the arrays, as a count of
    numbers.

    Args:
        call: batch kernel in the compiled library.
        signature: arguments of the kernel.
        real: floating-point type.
        count: number of states.
    """
    calls = [bind(call, signature, real, count, stride) for stride in (count, count + FURTHER)]
    shortest = [np.inf, np.inf]
    for _ in range(_ROUNDS):
        for place, run in enumerate(calls):
            shortest[place] = min(shortest[place], time_call(run))
    return shortest[0] / count, shortest[1] / count


def bind(
    call: Callable[..., object], signature: Signature, real: Real, count: int, stride: int
) -> Callable[[], object]:
    """Return a function that calls a batch kernel with random arrays.

    Each array begins at the start of a memory page. `stride` is the distance between two elements
    of one state, as a count of numbers.
    """
    generator = np.random.default_rng(1)
    arrays = []
    for argument in signature.arguments:
        dtype = np.dtype(np.intc if argument.is_status else real.dtype)
        room = np.zeros(argument.size * stride + 8192, dtype)
        first = -room.ctypes.data % 4096 // dtype.itemsize
        array = room[first : first + argument.size * stride]
        array[:] = generator.random(array.size).astype(dtype)
        arrays.append(array)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    sizes = [ctypes.c_size_t(count), ctypes.c_size_t(stride)]

    def run(kept: list[np.ndarray] = arrays) -> object:
        return call(*sizes, *pointers)

    return run


def time_call(run: Callable[[], object]) -> float:
    """Return the mean time of a call (ns), after one call that is not measured."""
    started = time.perf_counter()
    run()
    repeats = max(1, round(_SECONDS / (time.perf_counter() - started)))
    started = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - started) / repeats * 1e9


def format_row(times: Times) -> str:
    """Return a table row with the times and ratios of one function of a robot."""
    cells = (f"{crowded / spread:.2f} | {spread:.3g}" for crowded, spread in times.at.values())
    return f"| {times.robot} | `{times.function}` | {times.rows} | {' | '.join(cells)} |"


def write_table(measured: Sequence[Times]) -> str:
    """Return a Markdown table of times and ratios, followed by a sentence.

    The sentence states how many functions have no ratio above LIMIT. The stride is the distance
    between two elements of one state in the arrays, as a count of numbers. A ratio is the time with
    the number of states as stride, divided by the time with a stride that is 16 numbers larger.
    """
    heads = (f"ratio, {count} | ns at {count + FURTHER}" for count in COUNTS)
    below = sum(max(each.ratios) <= LIMIT for each in measured)
    return "\n".join(
        [
            f"| robot | function | rows | {' | '.join(heads)} |",
            "| --- | --- |" + " --: |" * (1 + 2 * len(COUNTS)),
            *map(format_row, measured),
            "",
            f"{below} of {len(measured)} functions have ratios of at most {LIMIT}.",
        ]
    )


if __name__ == "__main__":
    main()
