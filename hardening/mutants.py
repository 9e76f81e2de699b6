"""Mutation testing of the proof: insert a fault, generate code, and check that the proof fails.

    python -m hardening.mutants --sample 400

Each fault is inserted in a separate process, which then runs a few cases that execute the faulty
line. There are five outcomes: the generation stops; the proof fails; the emitted code does not
change; the code changes, but not its results; or the results change and the proof passes. The last
outcome (the fault survives) is a defect of the proof.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import dynagen
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.errors import DynagenError, VerificationError
from dynagen.ir.program import PARAMS, PREPARE, VALUES
from dynagen.pipeline.driver import Settings, generate
from dynagen.pipeline.proof import prove_kernels
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import build_model
from dynagen.verification.sampling import sample_states
from hardening.mutation import Mutant, list_mutants, plant
from hardening.robots import make_robots

ROOT = Path(dynagen.__file__).parent
GROUPS: Mapping[str, tuple[str, ...]] = {
    "model": ("robot/model",),
    "algorithms": ("dynamics/algorithms", "dynamics/lowering.py", "dynamics/recording.py"),
    "passes": ("optimizer/passes", "optimizer/search", "optimizer/value_graph.py", "ir/builder.py"),
    "lowering": (
        "ir/statements.py",
        "ir/composition.py",
        "codegen/layouts.py",
        "codegen/lanes.py",
        "codegen/trigonometry.py",
    ),
    "printers": (
        "codegen/writer.py",
        "codegen/printing.py",
        "ir/text.py",
        "codegen/languages/python.py",
        "codegen/languages/javascript.py",
        "codegen/languages/c/writer.py",
        "codegen/languages/c/lanes.py",
        "codegen/languages/fortran/writer.py",
        "codegen/languages/fortran/lanes.py",
    ),
}
"""Modules in which faults are planted, by name of a group; paths are relative to `dynagen`."""

KILLED, STOPPED, HUNG = "proof", "error", "time"
SAME, HARMLESS, SURVIVED, UNREACHED = "same code", "same results", "survived", "not reached"
_STATES, _ALL_STATES = 100, 1000
_CASES = 3
# Parts of names of functions that take several seconds: they are left out.
_DEAR = ("hessian", "step_euler_", "vjp", "parameter_j", "forward_dynamics_j")
# Functions that are generated for every robot; others for the first robot only.
_BASIC = (
    "inverse_dynamics",
    "gravity_forces",
    "joint_wrenches",
    "mass_matrix",
    "coriolis_matrix",
    "forward_dynamics",
    "regressor",
    "body_jacobian",
    "step_euler",
    "centroidal_momentum_matrix",
    "synchronous",
)
_SECONDS = 90
_WITHIN = 1e-9


@dataclass(frozen=True)
class Case:
    """Case of mutation testing: a robot, a function and a form of code.

    Attributes:
        robot: description of the robot.
        function: name of the function.
        language: language of the code.
        batch: whether the code contains batch kernels besides the kernel for one state.
        optimize: effort of the optimiser: none, default or max.
    """

    robot: RobotDescription
    function: str
    language: str
    batch: bool = False
    optimize: str = "default"

    @property
    def settings(self) -> Settings:
        """Settings for the generation of the case's code."""
        return Settings(
            self.language,
            (self.function,),
            batch=self.batch,
            optimize=self.optimize,
            budget=10,
            verify=False,
        )


@dataclass(frozen=True)
class Baseline:
    """Results of a case that ran without a fault.

    Attributes:
        code: hash of the emitted files.
        results: outputs of all kernels.
        seconds: time of the case (s).
        lines: lines (file, number) of the modules in GROUPS that the case executes.
    """

    code: str
    results: Mapping[str, list[np.ndarray]]
    seconds: float
    lines: frozenset[tuple[str, int]]


def list_cases() -> list[Case]:
    """Return the cases: functions of small robots, and a few functions in every language."""
    loaded, *others, planar = make_robots()
    cases = [
        Case(robot, function.name, "python")
        for robot in (loaded, *others)
        for function in FUNCTIONS
        if not function.availability.unavailable_because(build_model(robot))
        and (function.name in _BASIC or robot is loaded)
        and not any(word in function.name for word in _DEAR)
    ]
    for function in ("inverse_dynamics", "forward_dynamics", "friction_forces"):
        cases += [Case(loaded, function, name) for name in ("c", "fortran", "javascript")]
        cases += [Case(loaded, function, name, batch=True) for name in ("c", "fortran")]
    cases += [Case(loaded, "step", "c"), Case(planar, "gravity_forces", "python", optimize="max")]
    return cases


def run(case: Case, states: int = _STATES) -> tuple[str, Mapping[str, list[np.ndarray]]]:
    """Generate, prove and run a case; return a hash of the code, and the results of its kernels.

    The results are computed for 60 states that are not among the states of the proof.
    """
    generation = generate(case.robot, case.settings, prove=False)
    request = generation.request
    kernels = request.target.load(
        generation.package, request.language, generation.files, generation.built
    )
    prove_kernels(case.robot, request.functions, kernels, request.real, states, 1)
    results = {}
    values = np.array([0.8 * float(each.value) + 0.1 for each in case.robot.parameters])
    given = {VALUES: values}
    if PREPARE in kernels:
        given[PARAMS] = kernels[PREPARE](values)[0]
    for name, kernel in kernels.items():
        if name != PREPARE:
            names = [argument.name for argument in kernel.signature.inputs]
            sampled = sample_states(case.robot, tuple(n for n in names if n not in given), 60, 7)
            results[name] = list(kernel(*({**sampled.inputs, **given}[n] for n in names)))
    text = "".join(
        file.text for file in generation.files if not file.path.endswith((".json", ".md"))
    )
    return sha256(text.encode()).hexdigest(), results


def judge(mutant: Mutant, cases: Sequence[Case], baselines: Sequence[Baseline]) -> str:
    """Insert a fault in this process, run the cases, and return the outcome.

    Args:
        mutant: the fault.
        cases: cases that execute the changed line.
        baselines: results of the cases without the fault, in the same order.
    """
    if not plant(mutant):
        return UNREACHED
    verdict = SAME
    for case, baseline in zip(cases, baselines, strict=True):
        try:
            found = _judge_case(case, baseline, _STATES)
            if found == SURVIVED:  # the product proves with more states than these trials
                found = _judge_case(case, baseline, _ALL_STATES)
        except VerificationError:
            return KILLED
        except DynagenError:
            return STOPPED
        except Exception:  # a fault may raise anything
            return STOPPED
        if found == SURVIVED:
            return SURVIVED
        verdict = HARMLESS if HARMLESS in (found, verdict) else verdict
    return verdict


def _judge_case(case: Case, baseline: Baseline, states: int) -> str:
    code, results = run(case, states)
    if code == baseline.code:
        return SAME
    return HARMLESS if _agree(results, baseline.results) else SURVIVED


def _agree(left: Mapping[str, list[np.ndarray]], right: Mapping[str, list[np.ndarray]]) -> bool:
    """Return whether the results of two runs agree within rounding errors."""
    return left.keys() == right.keys() and all(
        a.shape == b.shape
        and np.all(np.abs(a - b) <= _WITHIN * max(1e-3, np.abs(b).max(initial=0)))
        for name in left
        for a, b in zip(left[name], right[name], strict=True)
    )


def run_apart(work: Callable[[], Any], seconds: float = _SECONDS) -> Any:
    """Call a function in a child process, and return its result.

    Args:
        work: function to call.
        seconds: longest run time (s).

    Returns:
        The result; HUNG if the time is exceeded; STOPPED if the process ends without a result.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(seconds))
        try:
            data = pickle.dumps(work())
        except BaseException:
            os._exit(1)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(data)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return HUNG
    return pickle.loads(data) if data else STOPPED


def measure(case: Case, files: frozenset[str]) -> Baseline:
    """Run a case without a fault, and record the lines that it executes.

    The lines are recorded in a first run, because later runs use caches. A second run is timed.
    """
    lines: set[tuple[str, int]] = set()

    def trace_lines(frame: FrameType, event: str, argument: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace_lines

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        return trace_lines if frame.f_code.co_filename in files else None

    sys.settrace(trace)
    try:
        generate(case.robot, case.settings, prove=False)
    finally:
        sys.settrace(None)
    began = time.monotonic()
    code, results = run(case)
    seconds = time.monotonic() - began
    return Baseline(code, results, seconds, frozenset(lines))


def list_modules(group: str) -> Iterator[Path]:
    """Yield the Python files of a group of modules, a key of GROUPS."""
    for name in GROUPS[group]:
        path = ROOT / name
        yield from sorted(path.glob("*.py")) if path.is_dir() else [path]


def import_modules() -> None:
    """Import every module in GROUPS, so that faults are inserted before a function has run."""
    for group in GROUPS:
        for path in list_modules(group):
            parts = path.relative_to(ROOT.parent).with_suffix("").parts
            import_module(".".join(part for part in parts if part != "__init__"))


def draw(
    groups: Sequence[str], per_group: int, seed: int, lines: Set[tuple[str, int]]
) -> Iterator[tuple[str, int, list[Mutant]]]:
    """Yield for each group of modules its name, the number of its mutants, and a random sample.

    A mutant is a fault that can be inserted.

    Args:
        groups: keys of GROUPS.
        per_group: largest number of mutants in a sample.
        seed: seed of the samples.
        lines: lines (file, number) that the cases execute. Samples contain mutants on these lines
            only.
    """
    rng = random.Random(seed)
    for group in groups:
        found = [mutant for path in list_modules(group) for mutant in list_mutants(path)]
        reached = [mutant for mutant in found if (str(mutant.path), mutant.line) in lines]
        yield group, len(found), rng.sample(reached, min(per_group, len(reached)))


def main() -> None:
    """Run from the command line; the status is 1 if the proof missed a planted fault."""
    parser = argparse.ArgumentParser(
        description="plant faults in dynagen's code, and check that the proof finds them"
    )
    parser.add_argument("--sample", type=int, default=100, help="number of mutants of each group")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample")
    parser.add_argument(
        "--groups", default=",".join(GROUPS), help="groups of modules, separated by commas"
    )
    parser.add_argument(
        "--functions", default="", help="functions to generate, separated by commas [default: all]"
    )
    options = parser.parse_args()
    groups = options.groups.split(",")
    import_modules()
    files = frozenset(str(path) for group in groups for path in list_modules(group))
    cases, baselines = [], []
    for case in list_cases():
        if options.functions and case.function not in options.functions.split(","):
            continue
        found = run_apart(lambda case=case: measure(case, files))
        if isinstance(found, Baseline):
            cases.append(case)
            baselines.append(found)
        else:
            print(f"left out: {case.function} of {case.robot.name} in {case.language}: {found}")
    print(f"{len(cases)} cases", flush=True)
    counts: dict[str, Counter[str]] = {group: Counter() for group in groups}
    by_time = sorted(range(len(cases)), key=lambda position: baselines[position].seconds)
    lines = frozenset().union(*(baseline.lines for baseline in baselines))
    for group, total, mutants in draw(groups, options.sample, options.seed, lines):
        print(f"{group}: {total} mutants", flush=True)
        for mutant in mutants:
            place = (str(mutant.path), mutant.line)
            touching = [each for each in by_time if place in baselines[each].lines][:_CASES]
            chosen = [cases[each] for each in touching], [baselines[each] for each in touching]
            verdict = run_apart(lambda mutant=mutant, chosen=chosen: judge(mutant, *chosen))
            counts[group][verdict] += 1
            name, text = mutant.path.relative_to(ROOT), mutant.text
            used = ", ".join(f"{case.function} {case.robot.name}" for case in chosen[0])
            print(f"{verdict}: {name}:{mutant.line} {mutant.change} `{text}` ({used})", flush=True)
    print("\n" + make_table(counts))
    sys.exit(any(count[SURVIVED] for count in counts.values()))


def make_table(counts: Mapping[str, Counter[str]]) -> str:
    """Return a table with the number of mutants of each outcome, for each group of modules."""
    verdicts = (KILLED, STOPPED, HUNG, HARMLESS, SAME, UNREACHED, SURVIVED)
    lines = ["| modules | mutants | " + " | ".join(verdicts) + " |"]
    lines.append("| --- |" + " --- |" * (len(verdicts) + 1))
    for group, found in counts.items():
        cells = [sum(found.values()), *(found[verdict] for verdict in verdicts)]
        lines.append(f"| {group} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
