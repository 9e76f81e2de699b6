"""What a call from Python costs beside the C kernel over lanes and Pinocchio's bindings, in one process: for docs/python.md.

python benchmarks/python_calls.py [ROBOT ...]

Times are the least of many, of this thread alone, so that other programs disturb little. Results are compared before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import thread_time
from typing import Any

import cffi
import numpy as np
import pinocchio

import dynagen
from dynagen.compiling import generate_for_calls
from dynagen.generation import Settings
from dynagen.languages import find_language
from dynagen.languages.loading import kernel_sources
from dynagen.toolchain.commands import run, source_folder
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
ROUNDS = 12
CALLS = 5000  # of one state, timed together


def nanoseconds(calls: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """The least time of each call, in turns, so that all have the same good and bad moments."""
    best = [np.inf] * len(calls)
    for _ in range(ROUNDS):
        for place, call in enumerate(calls):
            start = thread_time()
            for _ in range(repeats):
                call()
            best[place] = min(best[place], (thread_time() - start) / repeats * 1e9)
    return best


def kernel_over_lanes(robot: str) -> Callable[..., None]:
    """The C kernel, compiled as the ufunc is, without Python's module around it; takes structures of arrays."""
    language = find_language("c")
    generation = generate_for_calls(dynagen.load_robot(robot), Settings())
    files, routines = kernel_sources(language, generation.package, generation.files)
    ffi = cffi.FFI()
    ffi.cdef(f"void {routines[-1].symbol}(size_t, size_t, double *, double *, double *, double *);")
    with source_folder(files) as folder:
        sources = [path for path in files if path.endswith(".c")]
        options = ["-std=c99", *OPTIMISED, *THIS_MACHINE, "-fPIC", "-shared", "-Iinclude", "-o", "kernel.so"]
        run([*language.extension.compiler.find(), *options, *sources, "-lm"], folder, "the kernel")
        library = ffi.dlopen(str(folder / "kernel.so"))

    def call(*arrays: Any) -> None:
        count = arrays[0].shape[1]
        getattr(library, routines[-1].symbol)(count, count, *(ffi.from_buffer("double[]", each) for each in arrays))

    return call


def bindings(robot: str) -> Callable[..., Any]:
    """Pinocchio's inverse dynamics, of the same robot."""
    sys.path.append(str(SUPPORT))
    from pinocchio_robots import pinocchio_model

    model, _ = pinocchio_model(dynagen.load_robot(robot))
    data = model.createData()
    return lambda q, qd, qdd: pinocchio.rnea(model, data, q, qd, qdd)


def one_state(robot: str) -> None:
    """A line for calls of one state."""
    function, rnea = dynagen.compile(robot), bindings(robot)
    q, qd, qdd = list(np.random.default_rng(1).uniform(-1, 1, (3, function.inputs[0].size)))
    tau = function(q, qd, qdd)
    np.testing.assert_allclose(tau, rnea(q, qd, qdd), rtol=1e-9, atol=1e-9)
    calls = (lambda: function(q, qd, qdd), lambda: function(q, qd, qdd, out=tau), lambda: rnea(q, qd, qdd))
    new, stored, theirs = nanoseconds(calls, CALLS)
    print(f"| {robot} | {theirs / new:.1f} | {theirs / stored:.1f} | {new:.0f} | {stored:.0f} | {theirs:.0f} |")


def many_states(robot: str, count: int) -> None:
    """A line for a call of many states: ratios to the C kernel first."""
    function, lanes = dynagen.compile(robot), kernel_over_lanes(robot)
    columns = np.random.default_rng(1).uniform(-1, 1, (3, function.inputs[0].size, count))
    rows, transposed = list(np.ascontiguousarray(columns.transpose(0, 2, 1))), [each.T for each in columns]
    results, stored = np.zeros(columns.shape[1:]), np.zeros(rows[0].shape)
    lanes(*columns, results)
    np.testing.assert_allclose(function(*rows, out=stored), results.T, rtol=1e-12, atol=1e-12)
    calls = (
        lambda: lanes(*columns, results),
        lambda: function(*transposed, out=results.T),
        lambda: function(*rows, out=stored),
        lambda: function(*rows),
    )
    times = [each / count for each in nanoseconds(calls, max(1, 100_000 // count))]
    ratios = (f"{time / times[0]:.2f}" for time in times[1:])
    print(f"| {robot} | {count:,} | {' | '.join([*ratios, *(f'{time:.1f}' for time in times)])} |")


def main(robots: Sequence[str]) -> None:
    """Two tables."""
    print("| one state | pin.rnea : f | pin.rnea : f with out= | f, ns | with out= | pin.rnea |")
    print("| --- | --- | --- | --- | --- | --- |")
    for robot in robots:
        one_state(robot)
    print("\n| many | states | columns : C | rows : C | new array : C | C, ns | columns | rows | new array |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for robot in robots:
        for count in (100, 1000, 10_000, 1_000_000):
            many_states(robot, count)


if __name__ == "__main__":
    main(sys.argv[1:] or ["panda", "puma560"])
