"""Small programs, compiled and run, that tell what this machine's operations take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from time import perf_counter_ns

import numpy as np

from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.ours import PREFIX, Generated, columns, stride_of
from dynagen.codegen.language import kernel_sources
from dynagen.codegen.templating import fill

ANGLES_AT_ONCE = 4
"""Of one state."""
_ROUNDS = 1000
_STEPS = 8  # of a round
_TRIES = 40
_WIDEST = 64  # numbers of a vector
# Where x is written the next operation waits, where y is, none does.
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
    """Nanoseconds of an instruction.

    Attributes:
        states: how many it computes at once.
        add, multiply, divide: by throughput.
        mixed: by throughput where half of them are multiplications.
        add_latency, multiply_latency, divide_latency: until the result is there.
        sincos_latency: until both are there, of an angle of all these states, or of four angles of
            one.
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
    """The programs of one compiler, for one state or for as many as a vector has lanes."""

    def __init__(self, made: Generated, compiler: Compiler, many: bool) -> None:
        """Compile them, with the sines and cosines of generated code.

        Raises:
            ToolchainError: the compiler refuses.
        """
        self._real = made.real
        files, _ = kernel_sources(
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
        self._library = compiler.library({**headers, "probes.c": text}, "-Isrc")
        self._states = self._library.bind("states", returns="size_t")()

    def speeds(self) -> Speeds:
        """All that operations take."""
        out = np.zeros(_WIDEST, self._real.dtype)
        calls = {name: self._library.bind(name, _ROUNDS, out) for name in _PROBES}
        times = {name: _least(call) / (_ROUNDS * _STEPS) for name, call in calls.items()}
        sincos = _least(self._library.bind("sincos_latency", _ROUNDS, out)) / _ROUNDS
        return Speeds(self._states, sincos_latency=sincos, **times)

    def memory(self, states: int, inputs: int, outputs: int) -> float:
        """Measure nanoseconds per state to read and write arrays of a given size.

        The arrays have the layout of the timed kernels.
        """
        stride = stride_of(states)
        taken, given = (
            columns(np.zeros((states, size)), stride, self._real) for size in (inputs, outputs)
        )
        return (
            _least(self._library.bind("move", states, stride, inputs, outputs, taken, given))
            / states
        )


def fastest(speeds: Sequence[Speeds]) -> Speeds:
    """Of what several compilers make of the programs the best, number by number."""
    return Speeds(*map(min, zip(*map(astuple, speeds), strict=True)))


def _least(call: Callable[[], object]) -> float:
    times = []
    for _ in range(_TRIES):
        start = perf_counter_ns()
        call()
        times.append(perf_counter_ns() - start)
    return float(min(times))
