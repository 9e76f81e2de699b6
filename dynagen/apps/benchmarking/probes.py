"""Small programs that measure the times of single operations on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from time import perf_counter_ns

import numpy as np

from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.ours import PREFIX, GeneratedCode, arrange_columns, compute_stride
from dynagen.codegen.language import collect_kernel_sources
from dynagen.codegen.templating import fill

ANGLES_AT_ONCE = 4
"""Number of angles whose sines and cosines a kernel for one state computes together."""
_ROUNDS = 1000  # rounds of a timed call
_STEPS = 8  # operations of a round
_TRIES = 40  # timed calls; the shortest one counts
_WIDEST = 64  # upper bound on the numbers in a vector
# A step that writes x delays the next step, which reads it: this measures latency. Steps that write
# y are independent: they measure throughput.
_PROBES = {
    "add": ("y = x + z",) * _STEPS,
    "multiply": ("y = x * z",) * _STEPS,
    "mixed": ("y = x + z", "y = x * z") * (_STEPS // 2),
    "divide": ("y = z / x",) * _STEPS,
    "add_latency": ("x = x + z",) * _STEPS,
    "multiply_latency": ("x = x * y",) * _STEPS,
    "divide_latency": ("x = y / x",) * _STEPS,
}


@dataclass(frozen=True)
class Speeds:
    """Times of arithmetic instructions on this machine (ns).

    Attributes:
        states: number of states per instruction (SIMD lanes); 1 for scalar instructions.
        add, multiply, divide: time of one instruction in a sequence of independent instructions of
            the same kind.
        mixed: time of one instruction in a sequence of as many additions as multiplications.
        add_latency, multiply_latency, divide_latency: time from the start of one instruction until
            its result is available.
        sincos_latency: time from an angle to its sine and cosine. Sines and cosines of several
            angles are computed together: one angle of each state, or four angles of one state.
    """

    states: int
    add: float
    multiply: float
    mixed: float
    divide: float
    add_latency: float
    multiply_latency: float
    divide_latency: float
    sincos_latency: float


class Probes:
    """Compiled programs that measure the times of scalar or of vector instructions."""

    def __init__(self, made: GeneratedCode, compiler: Compiler, many: bool) -> None:
        """Compile the probes, together with the sine and cosine routines of generated code.

        The probes are small programs that measure the times of instructions.

        Args:
            made: generated code.
            compiler: compiler of the probes.
            many: True if an instruction computes a vector of states, as in batch kernels.

        Raises:
            ToolchainError: the compiler fails.
        """
        self._real = made.real
        files, _ = collect_kernel_sources(
            made.generation.request.language, made.generation.package, made.generation.files
        )
        text = fill(
            "benchmarking/probes.c.j2",
            real=made.real.name,
            prefix=PREFIX,
            macro=PREFIX.upper(),
            many=many,
            probes=_PROBES,
        )
        headers = {path: each for path, each in files.items() if path.endswith(".h")}
        self._library = compiler.compile_library({**headers, "probes.c": text}, "-Isrc")
        self._states = self._library.bind("states", returns="size_t")()

    def measure_speeds(self) -> Speeds:
        """Measure the time per instruction and the latency of each kind of instruction, in ns."""
        out = np.zeros(_WIDEST, self._real.dtype)
        calls = {name: self._library.bind(name, _ROUNDS, out) for name in _PROBES}
        times = {name: _time_call(call) / (_ROUNDS * _STEPS) for name, call in calls.items()}
        sincos = _time_call(self._library.bind("sincos_latency", _ROUNDS, out)) / _ROUNDS
        return Speeds(self._states, sincos_latency=sincos, **times)

    def measure_memory(self, states: int, inputs: int, outputs: int) -> float:
        """Measure the time in ns per state to read inputs and write outputs, without arithmetic.

        The arrays have a row for each input or output, and a column for each state.

        Args:
            states: number of states.
            inputs: number of doubles or floats that are read for each state.
            outputs: number of doubles or floats that are written for each state.
        """
        stride = compute_stride(states)
        taken, given = (
            arrange_columns(np.zeros((states, size)), stride, self._real)
            for size in (inputs, outputs)
        )
        return (
            _time_call(self._library.bind("move", states, stride, inputs, outputs, taken, given))
            / states
        )


def select_fastest(speeds: Sequence[Speeds]) -> Speeds:
    """Return, for each kind of instruction, its shortest time among several measurements."""
    return Speeds(*map(min, zip(*map(astuple, speeds), strict=True)))


def _time_call(call: Callable[[], object]) -> float:
    times = []
    for _ in range(_TRIES):
        start = perf_counter_ns()
        call()
        times.append(perf_counter_ns() - start)
    return float(min(times))
