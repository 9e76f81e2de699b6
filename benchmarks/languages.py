"""Time of `dynagen ROBOT -f all` in each language, in a fresh process.

python benchmarks/languages.py [ROBOT]
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from dynagen.codegen.languages import LANGUAGES

REPEATS = 3


def seconds(robot: str, language: str) -> tuple[float, int]:
    """Return the time of `dynagen ROBOT -f all` (s), and the number of kernels that it proves.

    The time is the least of a few runs, each in a new process.
    """
    best, kernels = float("inf"), 0
    for _ in range(REPEATS):
        with TemporaryDirectory() as folder:
            out = str(Path(folder) / "out")
            command = [
                sys.executable,
                "-m",
                "dynagen",
                robot,
                "-f",
                "all",
                "--lang",
                language,
                "--out",
                out,
                "--format",
                "json",
            ]
            start = perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            best = min(best, perf_counter() - start)
            kernels = len(json.loads(done.stdout)["kernels"])
    return best, kernels


def main(robot: str = "puma560") -> None:
    total = 0.0
    print(f"{'language':10}{'kernels':>9}{'seconds':>9}")
    for language in (each.name for each in LANGUAGES):
        best, kernels = seconds(robot, language)
        total += best
        print(f"{language:10}{kernels:>9}{best:>9.2f}")
    print(f"{'together':10}{'':>9}{total:>9.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
