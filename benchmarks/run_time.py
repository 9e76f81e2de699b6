"""How long one call takes: our C, Pinocchio, and the C that CasADi writes of Pinocchio's algorithms.

All of them are kernels of one signature, called through a pointer on the same states, in turns, on one processor; their
results have to agree. Prints tables of ratios to our own, and draws docs/run_time.png. Needs g++, clang++ and the packages of
`pip install -e '.[bench]'`; compiles Pinocchio's headers once, which takes minutes, into build/run_time.

    python benchmarks/run_time.py [ROBOT ...]
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
from timed_kernels import (
    BUILD,
    FUNCTIONS,
    NATIVE,
    Kernel,
    casadi_kernel,
    casadi_writer,
    our_batch_kernel,
    our_kernel,
    pinocchio_library,
    robot_text,
    shared,
)

from dynagen.description.loading import load_robot
from dynagen.languages.package import LIBM, VECTOR
from dynagen.model.model import build_model
from dynagen.real import find_real

PLOT = Path(__file__).parents[1] / "docs" / "run_time.png"
ROBOTS = ("puma560", "stanford", "ur5", "panda")
STATES = 512
STRIDE = STATES + 16  # a power of two would put the rows of a matrix into the same few sets of the cache
BLOCKS = 41
BLOCK_SECONDS = 2e-3
AGREEMENT = 1e-9
AGREEMENT_IN_FLOAT = 1e-2
LARGEST_RESULT = 1000  # numbers

CLANG = ("clang", *NATIVE, "-fno-math-errno")  # as the delivered CMake target has it
OURS = "one step, clang -O3"
OUR_BUILDS = {
    OURS: (CLANG, VECTOR),
    "one step, gcc -O3": (("gcc", *NATIVE), VECTOR),
    "libm, clang -O3": (CLANG, LIBM),
    "libm, gcc -O3": (("gcc", *NATIVE), LIBM),
    "libm, gcc -O2, any x86-64": (("gcc", "-O2"), LIBM),
}
BATCHES = {
    "batch, clang -O3": (CLANG, "double"),
    "batch, gcc -O3": (("gcc", *NATIVE), "double"),
    "batch, float, clang -O3": (CLANG, "float"),
}
NO_TRIGONOMETRY = "sin and cos given, gcc -O3"
PINOCCHIO_BUILDS = {"Pinocchio, clang -O3": "clang++", "Pinocchio, gcc -O3": "g++"}
CASADI = "Pinocchio and CasADi, gcc -O3"

TIMER = """
#include <stddef.h>
#include <time.h>
typedef void Kernel(const double *, const double *, const double *, double *);
double seconds(Kernel *kernel, const double *states, int n, int count, double *out)
{
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (int state = 0; state < count; ++state) {
        const double *q = states + 3*n*(state % STATES);
        kernel(q, q + n, q + 2*n, out);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return end.tv_sec - start.tv_sec + 1e-9*(end.tv_nsec - start.tv_nsec);
}
typedef void Batch(size_t, size_t, const void *, const void *, const void *, void *);
double batch_seconds(Batch *kernel, const void *q, const void *qd, const void *u, int count, void *out)
{
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (int state = 0; state < count; state += STATES) {
        kernel(STATES, STRIDE, q, qd, u, out);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return end.tv_sec - start.tv_sec + 1e-9*(end.tv_nsec - start.tv_nsec);
}
"""


@cache
def timers() -> tuple[Kernel, Kernel]:
    """Those of kernels for one state and for many, which return seconds."""
    library = shared(TIMER.replace("STATES", str(STATES)).replace("STRIDE", str(STRIDE)), BUILD / "timer.so", ("gcc", "-O2"))
    for timer in (library.seconds, library.batch_seconds):
        timer.restype = ctypes.c_double
    return library.seconds, library.batch_seconds


def measure(kernels: dict[str, Kernel], states: np.ndarray) -> dict[str, float]:
    """Nanoseconds of one state of each, the median of blocks taken in turns; those of Pinocchio deliver nothing."""
    (seconds, batch_seconds), joints = timers(), states.shape[1] // 3
    out = np.zeros(LARGEST_RESULT * STRIDE)
    times: dict[str, list[float]] = {name: [] for name in kernels}
    counts = dict.fromkeys(kernels, STATES)
    columns = {real: side_by_side(states, real) for real in ("double", "float")}

    def block(name: str) -> float:
        if name in BATCHES:
            arrays = map(_pointer, columns[BATCHES[name][1]])
            return batch_seconds(kernels[name], *arrays, counts[name], _pointer(out)) / counts[name]
        where = None if name in PINOCCHIO_BUILDS else _pointer(out)
        return seconds(kernels[name], _pointer(states), joints, counts[name], where) / counts[name]

    for name in kernels:
        counts[name] = STATES * max(1, int(BLOCK_SECONDS / block(name) / STATES))
    for _ in range(BLOCKS):
        for name in kernels:
            times[name].append(block(name))
    return {name: 1e9 * median(values) for name, values in times.items()}


def side_by_side(states: np.ndarray, real: str) -> list[np.ndarray]:
    """Positions, rates and accelerations as kernels for many states take them."""
    padded = np.pad(states, ((0, STRIDE - STATES), (0, 0)))
    return [np.ascontiguousarray(part.T, find_real(real).dtype) for part in np.split(padded, 3, axis=1)]


def check(function: str, kernels: dict[str, Kernel], states: np.ndarray) -> None:
    """All kernels compute the same, or the comparison is void."""
    results = {}
    for name, kernel in kernels.items():
        results[name] = np.zeros((len(states), LARGEST_RESULT))
        if name in BATCHES:
            real = BATCHES[name][1]
            rows = np.zeros((LARGEST_RESULT, STRIDE), find_real(real).dtype)
            columns = side_by_side(states, real)
            kernel(ctypes.c_size_t(STATES), ctypes.c_size_t(STRIDE), *map(_pointer, columns), _pointer(rows))
            results[name][:] = rows.T[:STATES]
            continue
        for state, out in zip(states, results[name], strict=True):
            kernel(*(_pointer(part) for part in np.split(state, 3)), _pointer(out))
    largest = np.max(np.abs(results[OURS]), axis=0)
    for name, result in results.items():
        worst = np.max(np.abs(result - results[OURS]) / (largest + 1e-3 * np.max(largest)))
        if worst > (AGREEMENT_IN_FLOAT if name in BATCHES and BATCHES[name][1] == "float" else AGREEMENT):
            raise SystemExit(f"{function}: {name} differs from {OURS} by {worst:.1e}")


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def measure_robot(name: str) -> dict[str, dict[str, float]]:
    """Function -> kernel -> nanoseconds."""
    description = load_robot(name)
    model = build_model(description)
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "robot.txt").write_text(robot_text(model))
    subprocess.run([casadi_writer(), "robot.txt"], cwd=folder, check=True)
    libraries = {each: pinocchio_library(compiler) for each, compiler in PINOCCHIO_BUILDS.items()}
    for library in libraries.values():
        library.load(str(folder / "robot.txt").encode())
    states = np.random.default_rng(1).uniform(-3, 3, (STATES, 3 * len(model.bodies)))
    given = ("-DROBOT_SINCOS(x,s,c)=((s)=(x),(c)=0.5*(x))", "-DROBOT_SIN(x)=(x)", "-DROBOT_COS(x)=(0.5*(x))")
    measured = {}
    for function in FUNCTIONS:
        kernels = {each: our_kernel(description, function, each, *build) for each, build in OUR_BUILDS.items()}
        kernels |= {each: our_batch_kernel(description, function, each, *build) for each, build in BATCHES.items()}
        kernels |= {each: library[function] for each, library in libraries.items()}
        kernels[CASADI] = casadi_kernel(folder, function)
        check(f"{name}, {function}", kernels, states)
        kernels[NO_TRIGONOMETRY] = our_kernel(description, function, NO_TRIGONOMETRY, ("gcc", *NATIVE, *given))
        measured[function] = measure(kernels, states)
    return measured


def table(measured: dict[str, dict[str, float]]) -> str:
    """Markdown: the first column in nanoseconds, the others as multiples of it."""
    others = [name for name in next(iter(measured.values())) if name != OURS]
    lines = [f"| | {OURS}, ns | " + " | ".join(others) + " |", "| --- |" + " --: |" * (len(others) + 1)]
    for function, times in measured.items():
        ratios = (f"{times[name] / times[OURS]:.2f}" for name in others)
        lines.append(f"| `{function}` | {times[OURS]:.0f} | " + " | ".join(ratios) + " |")
    return "\n".join(lines)


def plot(measured: dict[str, dict[str, dict[str, float]]], path: Path) -> None:
    """One panel a robot, one group of bars a function: time as a multiple of ours."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    shown = {CASADI: "#3a6ea5", "Pinocchio, clang -O3": "#7a5195", "Pinocchio, gcc -O3": "#bda6cc"}
    figure, panels = pyplot.subplots(
        1, len(measured), figsize=(3.2 * len(measured), 4.2), sharex=True, sharey=True, layout="constrained"
    )
    for axes, (robot, functions) in zip(np.atleast_1d(panels), measured.items(), strict=True):
        for row, name in enumerate(shown):
            ratios = [times[name] / times[OURS] for times in functions.values()]
            axes.barh(np.arange(len(ratios)) + 0.27 * (row - 1), ratios, 0.25, color=shown[name], label=name)
        axes.axvline(1, color="#0b6e4f", linewidth=2, label=OURS)
        axes.set(title=robot, yticks=range(len(functions)), yticklabels=[each.replace("_", " ") for each in functions])
        axes.grid(visible=True, axis="x", alpha=0.3)
    axes.invert_yaxis()
    figure.supxlabel("time of one call, ours = 1")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    figure.savefig(path, dpi=110)


def main(robots: list[str]) -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    measured = {}
    for robot in robots or ROBOTS:
        measured[robot] = measure_robot(robot)
        print(f"{robot}\n\n{table(measured[robot])}\n", flush=True)
    plot(measured, PLOT)
    print(f"Plot: {PLOT}")


if __name__ == "__main__":
    main(sys.argv[1:])
