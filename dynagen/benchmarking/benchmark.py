"""RobotDescription -> Benchmark: every function by every tool that is installed, compared, then timed."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynagen.benchmarking.contender import Contender, difference, least_times
from dynagen.benchmarking.numpy_loops import numpy_contenders
from dynagen.benchmarking.others import known_to_all, mujoco_contenders, pinocchio_contenders
from dynagen.benchmarking.ours import FUNCTIONS, generated_contenders
from dynagen.description.description import RobotDescription
from dynagen.errors import ToolchainError, UsageError, VerificationError
from dynagen.languages import find_language
from dynagen.opinions.comparison import WITHIN
from dynagen.opinions.own import Own
from dynagen.stages import Progress
from dynagen.toolchain.commands import run
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE
from dynagen.verification.kinematics import Array
from dynagen.verification.sampling import sample_states

_COMPARED = 30  # states
_DOUBLE = 1e-15


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Attributes:
        states: that lie in memory, and are run through.
        rounds: how often every program is timed.
    """

    states: int
    rounds: int


FULL, QUICK = Effort(1000, 60), Effort(200, 2)


@dataclass(frozen=True)
class Row:
    """A function by one tool.

    Attributes:
        nanoseconds: for a state.
        ratio: to the C that is generated, state by state.
        difference: from the numeric reference, by the largest value.
    """

    contender: str
    nanoseconds: float
    ratio: float
    difference: float


@dataclass(frozen=True)
class Benchmark:
    """What was measured.

    Attributes:
        robot: its name.
        functions: rows by function, the C that is generated first.
        notes: what is left out, and why.
        machine: what the times are of.
    """

    robot: str
    functions: Mapping[str, tuple[Row, ...]]
    notes: tuple[str, ...]
    machine: Mapping[str, str]


def benchmark(
    description: RobotDescription, functions: Sequence[str], effort: Effort, progress: Progress = lambda stage, done: None
) -> Benchmark:
    """Compare and time functions of a robot.

    Args:
        description: the robot; motors, which URDF has not, are left out for all.
        functions: names; none for all that every tool has.
        effort: how long to measure.
        progress: is called when a stage begins.

    Raises:
        UsageError: a function is none of those, or takes more than a state.
        VerificationError: a tool and the numeric reference differ; nothing is timed then.
        ToolchainError: there is no C compiler.
    """
    for function in functions:
        if function not in FUNCTIONS:
            raise UsageError(f"no function `{function}` that all tools have; expected {', '.join(FUNCTIONS)}")
    robot = known_to_all(description)
    wanted = tuple(dict.fromkeys(functions)) or tuple(FUNCTIONS)
    sampled = sample_states(robot, ("q", "qd", "qdd", "tau"), effort.states)
    # The last are ordinary states, those that slow calls get; the first are special poses.
    states = {name: np.ascontiguousarray(values[::-1]) for name, values in sampled.inputs.items()}
    ours = generated_contenders(robot, wanted, states, progress)
    theirs, notes = _installed(robot, wanted, states)
    reference = numpy_contenders(robot, wanted, states)
    if any(link.motor_inertia for link in description.links):
        notes.append("inertia of motors is left out for all: not every tool reads it")
    condition = float(np.linalg.cond(Own(robot).mass_matrix(states["q"][:_COMPARED])).max())
    measured = {}
    for place, function in enumerate(wanted):
        progress(f"timing {function}", place / len(wanted))
        others = [each for tool in theirs for each in tool[function]]
        contenders = [*ours[function], *others, *reference[function]]
        allowed = max(WITHIN, condition * _DOUBLE) if function == "forward_dynamics" else WITHIN
        differences = _compared(function, contenders, reference[function][0], min(_COMPARED, effort.states), allowed)
        times = least_times(contenders, effort.states, effort.rounds)
        measured[function] = tuple(
            Row(each.name, time, time / times[0], apart)
            for each, time, apart in zip(contenders, times, differences, strict=True)
        )
    return Benchmark(description.name, measured, tuple(notes), machine())


def _installed(
    robot: RobotDescription, functions: Sequence[str], states: Mapping[str, Array]
) -> tuple[list[dict[str, list[Contender]]], list[str]]:
    """Contenders of every other tool that is there and can have the robot, and why the others are left out."""
    found, notes = [], []
    tools: dict[str, Callable[..., dict[str, list[Contender]]]] = {
        "Pinocchio": pinocchio_contenders,
        "MuJoCo": mujoco_contenders,
    }
    for name, tool in tools.items():
        try:
            found.append(tool(robot, functions, states))
        except (ToolchainError, UsageError) as error:
            notes.append(f"{name} is left out: {error}")
    return found, notes


def _compared(function: str, contenders: Sequence[Contender], reference: Contender, count: int, allowed: float) -> list[float]:
    expected = reference.results(count)
    differences = [difference(each.results(count), expected) for each in contenders]
    for each, found in zip(contenders, differences, strict=True):
        if not found <= allowed:
            raise VerificationError(
                f"{function}: {each.name} differs from the numeric reference by {found:.1e}, where {allowed:.1e} is allowed; "
                "nothing was timed (`dynagen check --against` finds the link or joint)"
            )
    return differences


def machine() -> dict[str, str]:
    """What times depend on: processor, its load by other programs, system, compiler and flags."""
    processor = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line for line in lines if line.startswith("model name")).partition(":")[2].strip()
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    extension = find_language("c").extension
    compiler = "" if extension is None else run([*extension.compiler.find(), "--version"], None, "no version of the compiler")
    return {
        "processor": f"{processor}, {os.cpu_count()} of them",
        "load": load,
        "system": platform.platform(),
        "compiler": compiler.partition("\n")[0],
        "flags": " ".join((*OPTIMISED, *THIS_MACHINE)),
        "python": f"{platform.python_version()}, numpy {np.__version__}",
    }
