"""Fuzzing: comparison of code for random robots with Pinocchio, MuJoCo and numeric references.

    python -m hardening.fuzz --minutes 10

A run continues the sequence of random robots where the last run stopped. `build/fuzz/progress.json`
contains the number of robots and the largest errors. A robot whose code is wrong is shrunk to the
smallest robot with the same failure, and written to `build/fuzz` as YAML.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType

from hardening.cases import Case, draw_case
from hardening.shrinking import shrink
from hardening.trial import Outcome, run_case

FOLDER = Path("build/fuzz")
_SECONDS = 180


class TooLongError(BaseException):
    """Error: a case takes too long.

    The class does not derive from Exception, because tested code may catch every Exception.
    """


@dataclass
class Progress:
    """Counts and largest errors of all runs of the fuzzing.

    Attributes:
        next_seed: seed of the next robot.
        robots: number of robots whose code was compared.
        kernels: number of kernels that were compared with numeric references, as in a proof.
        refused: number of robots that were rejected, by the first words of the message.
        forms: number of robots by form of the code (such as a language) and number type.
        references: largest error by function of kernels in double precision, in the comparison with
            numeric references.
        pinocchio: largest difference from Pinocchio by function.
        in_pinocchio: number of kernels that were compared with Pinocchio.
        in_mujoco: number of robots that were compared with MuJoCo.
        mujoco: largest difference from MuJoCo.
        loops: number of robots with a closed loop.
        cut_tree: largest difference by function between a robot with a closed loop and the tree
            that results if the loop is cut.
        floats: largest error by function of kernels in single precision, in the comparison with
            numeric references.
        seconds: time of all runs (s).
        failures: names of the files in which failures are stored.
    """

    next_seed: int = 0
    robots: int = 0
    kernels: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    forms: dict[str, int] = field(default_factory=dict)
    references: dict[str, float] = field(default_factory=dict)
    pinocchio: dict[str, float] = field(default_factory=dict)
    in_pinocchio: int = 0
    in_mujoco: int = 0
    mujoco: float = 0.0
    loops: int = 0
    cut_tree: dict[str, float] = field(default_factory=dict)
    floats: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)

    def add(self, case: Case, outcome: Outcome) -> None:
        """Add the outcome of a case to the counts and largest errors."""
        if outcome.refused:
            reason = " ".join(outcome.refused.split()[:6])
            self.refused[reason] = self.refused.get(reason, 0) + 1
            return
        self.robots += 1
        self.forms = dict(Counter(self.forms) + Counter([f"{case.form}, {case.real}"]))
        self.kernels += len(outcome.references)
        self.in_pinocchio += len(outcome.pinocchio)
        own = self.references if case.real == "double" else self.floats
        self.loops += bool(case.loops)
        for largest, found in (
            (own, outcome.references),
            (self.pinocchio, outcome.pinocchio),
            (self.cut_tree, outcome.cut_tree),
        ):
            for name, error in found.items():
                name = name.partition("_at_")[0]
                largest[name] = max(largest.get(name, 0.0), error)
        if outcome.mujoco is not None:
            self.in_mujoco += 1
            self.mujoco = max(self.mujoco, outcome.mujoco)

    def summarise(self) -> str:
        """Return the counts and the largest errors as lines of text."""
        lines = [
            f"{self.robots} robots, {self.kernels} kernels in {self.seconds / 60:.1f} minutes; "
            f"{sum(self.refused.values())} refused, {len(self.failures)} failures",
            f"references: {_worst(self.references)}; float: {_worst(self.floats)}",
            f"Pinocchio: {_worst(self.pinocchio)} in {self.in_pinocchio} kernels",
            f"MuJoCo: {self.mujoco:.2g} in {self.in_mujoco} robots",
            f"closed loops: {self.loops} robots, cut trees: {_worst(self.cut_tree)}",
        ]
        return "\n".join(lines)


def _worst(errors: dict[str, float]) -> str:
    if not errors:
        return "none"
    name = max(errors, key=lambda key: errors[key])
    return f"{errors[name]:.2g} ({name})"


def read_progress(folder: Path) -> Progress:
    """Return the progress of earlier runs from its file."""
    path = folder / "progress.json"
    return Progress(**json.loads(path.read_text())) if path.exists() else Progress()


def write_failure(folder: Path, case: Case, outcome: Outcome) -> Path:
    """Shrink a failing case; write the smallest failing robot as YAML, and return its path.

    Comments in the file contain the options of the case and the error message.
    """
    smallest = shrink(case, lambda each: run_case(each).kind == outcome.kind)
    lines = run_case(smallest).failure.splitlines()
    path = folder / f"failure_{case.seed}.yaml"
    comments = "".join(f"# {line}\n" for line in lines)
    path.write_text(smallest.summary + comments + smallest.text, encoding="utf-8")
    return path


def run_within_limit(case: Case) -> Outcome:
    """Run a case; a case that exceeds the time limit counts as refused."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLongError

    earlier = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        return run_case(case)
    except TooLongError:
        return Outcome(refused=f"longer than {_SECONDS} s: {case.form}, --optimize {case.optimize}")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)


def fuzz(folder: Path, minutes: float, robots: int | None = None) -> Progress:
    """Try random robots until the time or the number of robots is reached.

    Args:
        folder: receives progress and failures.
        minutes: time to run.
        robots: number of robots to try; None for no limit.
    """
    folder.mkdir(parents=True, exist_ok=True)
    progress, began, tried = read_progress(folder), time.monotonic(), 0
    earlier = progress.seconds
    while time.monotonic() - began < 60 * minutes and tried != robots:
        case = draw_case(progress.next_seed)
        outcome = run_within_limit(case)
        progress.add(case, outcome)
        if outcome.failure:
            path = write_failure(folder, case, outcome)
            progress.failures.append(path.name)
            print(f"seed {case.seed}: {outcome.failure}\n  {path}", flush=True)
        progress.next_seed += 1
        tried += 1
        progress.seconds = earlier + time.monotonic() - began
        (folder / "progress.json").write_text(json.dumps(asdict(progress), indent=1) + "\n")
    return progress


def main() -> None:
    """Run from the command line; the status is 1 if a failure was found."""
    parser = argparse.ArgumentParser(description="fuzz dynagen with random robots")
    parser.add_argument("--minutes", type=float, default=10, help="minutes to run [default: 10]")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"default {FOLDER}")
    options = parser.parse_args()
    progress = fuzz(options.folder, options.minutes)
    print(progress.summarise())
    sys.exit(bool(progress.failures))


if __name__ == "__main__":
    main()
