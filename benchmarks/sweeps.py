"""Sweeps for speed.py: time over joints, over states in a call, and over threads.

All times of the sweeps are in nanoseconds per state.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from time import perf_counter_ns, thread_time_ns

import numpy as np
from growth import general_robot

from dynagen.apps.benchmarking.benchmark import Effort, benchmark
from dynagen.apps.benchmarking.compilers import Compiler, find_compilers
from dynagen.apps.benchmarking.contender import BATCH, ONE_STATE
from dynagen.apps.benchmarking.ours import FROM_C, PREFIX, arrange_columns, compute_stride
from dynagen.codegen.language import collect_kernel_sources
from dynagen.codegen.languages import find_language
from dynagen.numbers.real import DOUBLE
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import Settings
from dynagen.robot.description import RobotDescription
from dynagen.runtime.api import compile as compile_function
from dynagen.runtime.api import load_robot
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE
from dynagen.toolchain.shared_library import NativeLibrary

Series = dict[str, dict[int, float]]
"""Mapping from the name of a curve to its points: a mapping from the x value to ns per state.

The x value is a number of joints, of states in a call, or of threads.
"""

JOINTS = (2, 4, 8, 16, 32, 48)
COUNTS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000)
FUNCTION = "inverse_dynamics"
_ROBOT_OF_SWEEPS = "puma560"
_EFFORT = Effort(states=200, rounds=1000)
_ROUNDS, _STATES_A_ROUND = 15, 200_000
_MANY = 1_000_000


def over_joints() -> Series:
    """Time inverse dynamics of chains of 6 to 60 joints, by the fastest program of each tool."""
    lines: Series = {"one state per call": {}, "batch": {}, "Pinocchio, C++": {}, "CasADi, C": {}}
    for joints in JOINTS:
        (rows,) = benchmark(general_robot(joints), (FUNCTION,), _EFFORT).functions.values()
        chosen: dict[str, Callable[[str, str], bool]] = {
            "one state per call": lambda tool, called: (tool, called) == (FROM_C, ONE_STATE),
            "batch": lambda tool, called: (tool, called) == (FROM_C, BATCH),
            "Pinocchio, C++": lambda tool, called: (
                tool.startswith("Pinocchio") and tool.endswith("C++")
            ),
            "CasADi, C": lambda tool, called: tool.startswith("CasADi"),
        }
        for name, is_it in chosen.items():
            lines[name][joints] = min(
                row.nanoseconds for row in rows if is_it(row.tool, row.called)
            )
    return lines


def over_states() -> Series:
    """Time inverse dynamics from C and from Python, for various numbers of states per call."""
    description, command = load_robot(_ROBOT_OF_SWEEPS), " ".join(C_COMPILER.find())
    function = compile_function(description, FUNCTION)
    as_python = Compiler("as Python's", command, "", (*OPTIMISED, *THIS_MACHINE))
    best, alike = (
        _library(description, each, threads=False)
        for each in (find_compilers(quick=False)[0], as_python)
    )
    names = (
        "C, --batch",
        "C, compiled as Python's",
        "Python, columns",
        "Python, rows",
        "Python, rows to a new array",
    )
    lines: Series = {name: {} for name in names}
    for count in COUNTS:
        stride = compute_stride(count)
        rows = [np.random.default_rng(1).uniform(-1, 1, (count, 6)) for _ in range(3)]
        arrays = [arrange_columns(each, stride, DOUBLE) for each in (*rows, np.zeros((count, 6)))]
        *taken, given = (each[:, :count].T for each in arrays)
        stored = np.zeros((count, 6))
        kernel, same = (
            each.bind(f"{PREFIX}_{FUNCTION}_batch", count, stride, *arrays)
            for each in (best, alike)
        )
        calls = (
            kernel,
            same,
            lambda taken=taken, given=given: function(*taken, out=given),
            lambda rows=rows, stored=stored: function(*rows, out=stored),
            lambda rows=rows: function(*rows),
        )
        kernel()
        expected = given.copy()
        np.testing.assert_allclose(function(*rows), expected, rtol=1e-10, atol=1e-10)
        repeats = max(1, min(5000, _STATES_A_ROUND // count))
        for name, time in zip(lines, _least(calls, repeats), strict=True):
            lines[name][count] = time / count
    return lines


def over_threads() -> Series:
    """Time the batch kernel for a million states, with one thread up to one for each processor."""
    description, compiler = load_robot(_ROBOT_OF_SWEEPS), find_compilers(quick=False)[-1]
    library = _library(description, compiler, threads=True)
    stride = compute_stride(_MANY)
    arrays = [
        arrange_columns(np.random.default_rng(1).uniform(-1, 1, (_MANY, 6)), stride, DOUBLE)
        for _ in range(4)
    ]
    kernel = library.bind(f"{PREFIX}_{FUNCTION}_batch", _MANY, stride, *arrays)
    line = {}
    for threads in _thread_counts(len(os.sched_getaffinity(0))):
        library.bind("omp_set_num_threads", threads)()
        line[threads] = _least([kernel], 1, perf_counter_ns)[0] / _MANY
    return {"C, --batch --threads": line}


def _thread_counts(processors: int) -> list[int]:
    counts = [1]
    while counts[-1] < processors:
        counts.append(min(2 * counts[-1], processors))
    return counts


def _library(description: RobotDescription, compiler: Compiler, threads: bool) -> NativeLibrary:
    """Compile the batch kernel of inverse dynamics."""
    settings = Settings("c", (FUNCTION,), prefix=PREFIX, batch=True, threads=threads, verify=False)
    generation = generate(description, settings)
    files, _ = collect_kernel_sources(find_language("c"), generation.package, generation.files)
    return compiler.compile_library(files, *(("-fopenmp",) if threads else ()))


def _least(
    calls: Sequence[Callable[[], object]], repeats: int, clock: Callable[[], int] = thread_time_ns
) -> list[float]:
    """Measure the time of each call (ns): the least of several rounds of alternating calls."""
    best = [np.inf] * len(calls)
    for _ in range(_ROUNDS):
        for place, call in enumerate(calls):
            start = clock()
            for _ in range(repeats):
                call()
            best[place] = min(best[place], (clock() - start) / repeats)
    return best
