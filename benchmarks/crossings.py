"""Numbers of states from which batch kernels, threads and a GPU pay off, for inverse dynamics.

    pip install frax
    python benchmarks/crossings.py      # writes a table of docs/cuda.md; two minutes

A C program times three ways to compute many states: calls of the function for one state, the batch
kernel, and the batch kernel with OpenMP threads. Each time is the shortest of many calls. The
number of states for a GPU is an estimate from the start time of a kernel on a GPU, some
microseconds.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import dynagen
from benchmarks.ptxas import find_robots
from dynagen.codegen.targets.folder import write_folder

PAGE = Path(__file__).parents[1] / "docs" / "cuda.md"
START = 6000  # ns; estimated time of the start of a kernel on a GPU
_TABLE = re.compile(r"(<!-- table: crossings -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_HEAD = (
    "| robot | one call | batch kernel, per state | batch pays off from | "
    "{threads} threads pay off from | GPU pays off from (estimate) |\n"
    "| --- | --- | --- | --- | --- | --- |"
)
_PROGRAM = Path(__file__).with_suffix(".c")


def main() -> None:
    """Time inverse dynamics of all robots whose packages are installed; write the table."""
    rows, threads = [], 0
    for title, robot in find_robots().items():
        if title.startswith("Go2"):
            continue
        times, threads = measure(robot)
        rows.append(f"| {title} | {' | '.join(describe(times))} |")
        print(rows[-1], flush=True)
    table = "\n".join([_HEAD.format(threads=threads), *rows])
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(rf"\g<1>{table}\n\g<3>", text), encoding="utf-8")


def measure(robot: str) -> tuple[dict[int, list[float]], int]:
    """Return times (ns) by number of states: one state per call, batch, batch with threads.

    The second result is the number of threads.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, joints = Path(name), 0
        for prefix in ("one", "many"):
            made = dynagen.generate(
                robot,
                batch=True,
                threads=prefix == "many",
                verify=False,
                real="float",
                prefix=prefix,
            )
            joints = made.package.nv
            write_folder(folder / prefix, made.files)
        sources = [str(path) for path in folder.glob("*/src/*.c")]
        options = ["-std=c11", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno"]
        options += ["-fno-trapping-math", "-fopenmp", f"-DN={joints}"]
        options += [f"-I{folder}/{prefix}/include" for prefix in ("one", "many")]
        program = str(folder / "crossings")
        subprocess.run(
            ["cc", *options, str(_PROGRAM), *sources, "-lm", "-o", program],
            check=True,
        )
        done = subprocess.run([program], check=True, capture_output=True, text=True)
        count = subprocess.run(["nproc"], check=True, capture_output=True, text=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return {int(states): [*map(float, times)] for states, *times in lines}, int(count.stdout)


def describe(times: dict[int, list[float]]) -> list[str]:
    """Return the table row of a robot: two times per state, and three numbers of states.

    The times belong to single calls and to the batch kernel. From the three numbers of states on,
    the batch kernel, threads, and a GPU pay off.
    """
    largest = max(times)
    one, batch = times[largest][0] / largest, times[largest][1] / largest
    return [
        f"{one:.1f} ns",
        f"{batch:.2f} ns",
        find_first(times, 1, 0),
        find_first(times, 2, 1),
        f"{START / batch:.0f}",
    ]


def find_first(times: dict[int, list[float]], better: int, worse: int) -> str:
    """Return the number of states from which one way is at least 10 % faster than another.

    Args:
        times: mapping from the number of states to the times of the three ways (ns): one state per
            call, batch, threads.
        better: index of the faster way (0 to 2).
        worse: index of the slower way (0 to 2).

    Returns:
        The number as text, or "more than" and the largest measured number.
    """
    found = ""
    for states, measured in sorted(times.items(), reverse=True):
        if measured[better] > 0.9 * measured[worse]:
            break
        found = str(states)
    return found or f"more than {max(times)}"


if __name__ == "__main__":
    main()
