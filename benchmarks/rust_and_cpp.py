"""Run times of Rust and C++ next to the same kernels in C, in pairs of runs.

Every row shows the shortest times of a call in C and in the other language, and the median ratio of
pairs of runs. The C code is compiled by clang. In the comparison with Rust, the C code computes
sines as the Rust code does (`--trig vector`).

    python benchmarks/rust_and_cpp.py rust|cpp [--native] [ROBOT ...]
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median

import numpy as np

from dynagen.codegen.language import collect_kernel_sources, load_kernels
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import LIBM, VECTOR, Package
from dynagen.pipeline.driver import Settings, generate
from dynagen.robot.loading import load_robot
from dynagen.toolchain import shared_library
from dynagen.toolchain.kernel import Array, CompiledKernel

FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_dynamics_derivatives")
ROBOTS = ("puma560", "panda")
STATES, ROUNDS, CALLS = 500, 100, 20


def main() -> None:
    """Print the times in C and in Rust or C++, with one row for each robot and function."""
    other, *options = sys.argv[1:]
    if "--native" not in options:
        use_default_processor()
    robots = [option for option in options if option != "--native"] or ROBOTS
    os.environ |= {"CC": "clang", "CXX": "clang++"}
    trig = VECTOR if other == "rust" else LIBM
    for robot in robots:
        settings = Settings("c", FUNCTIONS, verify=False, trig=trig)
        package = generate(load_robot(robot), settings, prove=False).package
        kernels = {language: load(package, language) for language in ("c", other)}
        for name, kernel in kernels["c"].items():
            rng = np.random.default_rng(0)
            inputs = [rng.uniform(-1, 1, (STATES, *each.shape)) for each in kernel.signature.inputs]
            row = compare(*(prepare(kernels[each][name], inputs) for each in ("c", other)))
            print(
                f"{robot:10} {name:30} C %7.1f ns  {other} %7.1f ns  ratio %.3f" % row, flush=True
            )


def use_default_processor() -> None:
    """Compile for all processors of this architecture instead of only this machine's processor."""
    faster = shared_library._FASTER
    faster["-O0"] = tuple(each for each in faster["-O0"] if not each.startswith("-m"))
    option = shared_library.CARGO_OPTIONS[-1]
    faster[option] = faster[option][:1]


def load(package: Package, language: str) -> dict[str, CompiledKernel]:
    """Compile the kernels of a package with optimisation by the compiler; return them by name."""
    written_in = find_language(language)
    package = replace(
        package, trig=VECTOR if VECTOR in written_in.trig and package.trig == VECTOR else LIBM
    )
    sources = collect_kernel_sources(written_in, package, written_in.print_kernels(package))
    return load_kernels(written_in, *sources, package.real, optimise=True)


def prepare(kernel: CompiledKernel, inputs: list[Array]) -> Callable[[], None]:
    """Return a function that runs a kernel for all states once, without copying arrays."""
    run = kernel.run
    assert isinstance(run, shared_library._LibraryFunction)
    outputs = [np.empty((STATES, *shape)) for shape in run._outputs]
    pointers = [run._ffi.from_buffer("double[]", each) for each in (*inputs, *outputs)]
    if run._can_fail:
        pointers.append(run._ffi.from_buffer("int[]", np.empty(STATES, np.intc)))
    return lambda: run._function(STATES, *pointers)


def compare(first: Callable[[], None], second: Callable[[], None]) -> tuple[float, float, float]:
    """Time two calls alternately; return both shortest times per state (ns) and a median ratio.

    The ratio is the time of `second` divided by the time of `first` in the same round.
    """
    times = []
    for _ in range(ROUNDS):
        pair = []
        for call in (first, second):
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            pair.append((time.perf_counter() - start) / (CALLS * STATES) * 1e9)
        times.append(pair)
    return (
        min(one for one, _ in times),
        min(other for _, other in times),
        median(other / one for one, other in times),
    )


if __name__ == "__main__":
    main()
