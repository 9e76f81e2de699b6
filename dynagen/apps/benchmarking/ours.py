"""Timed programs with dynagen's generated C, called from C and from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.contender import (
    BATCH,
    ONE_STATE,
    Contender,
    make_batch_contender,
    make_single_state_contender,
)
from dynagen.apps.benchmarking.python_contenders import ALL_STATES
from dynagen.apps.benchmarking.states import BenchStates
from dynagen.codegen.language import collect_kernel_sources
from dynagen.codegen.routine import Routine, name_batch_kernel
from dynagen.codegen.templating import fill
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.ir.program import Program
from dynagen.numbers.arrays import Array
from dynagen.numbers.real import DOUBLE, Real
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import RobotDescription
from dynagen.runtime.compilation import generate_for_calls, make_ufuncs
from dynagen.stages import Progress
from dynagen.toolchain.shared_library import NativeLibrary

PREFIX = "robot"
FROM_C, FROM_PYTHON = "dynagen, C", "dynagen, Python"
ONE_STATE_LIBM = f"{ONE_STATE}, --trig libm"
BATCH_FLOAT = f"{BATCH}, float"
_SINCOS_OF_LIBM = f"-D{PREFIX.upper()}_OWN_SINCOS"
# Rows at a distance of a power of two would share few sets of the cache. So rows are a multiple of
# _LINE plus _APART numbers apart.
_LINE, _APART = 64, 16
_TIMES = 8  # passes over all states in one timed call of a batch kernel


@dataclass(frozen=True)
class GeneratedCode:
    """Generated code for a robot, before it is compiled.

    Attributes:
        generation: generated functions, for one state and for many states per call.
        functions: mapping from the name of a timed function to the name of the generated function.
    """

    generation: Generation
    functions: Mapping[str, str]

    @property
    def real(self) -> Real:
        """Floating-point type of the generated code, double or float."""
        return self.generation.request.real

    def find_program(self, function: str) -> Program:
        """Return the straight-line program that computes a timed function for one state."""
        named = {each.name: each.program for each in self.generation.functions}
        return named[self.functions[function]]


def generate_ours(
    description: RobotDescription, functions: Sequence[str], real: Real, progress: Progress
) -> GeneratedCode:
    """Generate C for timed functions, without a proof: the benchmark compares the results anyway.

    Args:
        description: the robot.
        functions: names of timed functions.
        real: floating-point type.
        progress: called when a stage begins.

    Raises:
        UsageError: a function has inputs besides the state, such as run-time parameters.
    """
    requests = tuple(ALGORITHMS[function].request for function in functions)
    generation = generate_for_calls(
        description, Settings("c", requests, prefix=PREFIX, real=real.name), progress
    )
    names = {
        function: find_functions((ALGORITHMS[function].request,), generation.model)[0].name
        for function in functions
    }
    made = GeneratedCode(generation, names)
    for function in functions:
        taken = tuple(each.name for each in made.find_program(function).inputs)
        if more := [name for name in taken if name not in ALGORITHMS[function].inputs]:
            raise UsageError(
                f"{function} of {description.name} has the inputs {', '.join(more)} besides "
                f"{', '.join(ALGORITHMS[function].inputs)}, which other tools do not support"
            )
    return made


def make_native_contenders(
    made: GeneratedCode, states: BenchStates, compiler: Compiler
) -> dict[str, list[Contender]]:
    """Compile generated C for calls from C; return, for each function, the programs to time.

    Functions for one state are timed in double precision only: once with generated code for sines
    and cosines, and once with the C library's sines and cosines.

    Raises:
        ToolchainError: the compiler fails.
    """
    language, package = made.generation.request.language, made.generation.package
    files, routines = collect_kernel_sources(language, package, made.generation.files)
    symbols = {each.signature.name: each for each in routines}
    one_state = [symbols[name] for name in made.functions.values()] if made.real is DOUBLE else []
    over_lanes = [symbols[name_batch_kernel(name)] for name in made.functions.values()]
    library = compiler.compile_library({**files, "calls.c": _write_calls(one_state, over_lanes)})
    contenders = {
        function: [_make_batch(library, routine, function, states, compiler, made.real)]
        for function, routine in zip(made.functions, over_lanes, strict=True)
    }
    if one_state:
        # Batch kernels always use their own sines and cosines, so they are not compiled again.
        alone = {path: text for path, text in files.items() if not path.endswith("_batch.c")}
        with_libm = compiler.compile_library(
            {**alone, "calls.c": _write_calls(one_state, [])}, _SINCOS_OF_LIBM
        )
        for function, routine in zip(made.functions, one_state, strict=True):
            contenders[function][:0] = [
                _make_one_state(each, routine, function, states, compiler, called)
                for each, called in ((library, ONE_STATE), (with_libm, ONE_STATE_LIBM))
            ]
    return contenders


def _write_calls(one_state: Sequence[Routine], over_lanes: Sequence[Routine]) -> str:
    return fill(
        "benchmarking/calls.c.j2", prefix=PREFIX, one_state=one_state, over_lanes=over_lanes
    )


def _make_one_state(
    library: NativeLibrary,
    routine: Routine,
    function: str,
    states: BenchStates,
    compiler: Compiler,
    called: str,
) -> Contender:
    inputs = states.select_inputs(function)
    results = [np.zeros((states.count, *each.shape)) for each in routine.signature.results]
    arrays = [*inputs, *results, *_make_statuses(routine, states.count)]
    timed, kept = (
        library.bind(f"{routine.symbol}_of_states", states.count, keep, *arrays) for keep in (0, 1)
    )
    found = states.adapt_results(function, lambda: tuple(results))
    return make_batch_contender(FROM_C, called, compiler.name, timed, kept, found)


def _make_batch(
    library: NativeLibrary,
    routine: Routine,
    function: str,
    states: BenchStates,
    compiler: Compiler,
    real: Real,
) -> Contender:
    count, outputs = states.count, routine.signature.results
    stride = compute_stride(count)
    inputs = [arrange_columns(each, stride, real) for each in states.select_inputs(function)]
    results = [arrange_columns(np.zeros((count, each.size)), stride, real) for each in outputs]
    call = library.bind(
        f"{routine.symbol}_again",
        _TIMES,
        count,
        stride,
        *inputs,
        *results,
        *_make_statuses(routine, count),
    )

    def rows() -> tuple[Array, ...]:
        return tuple(
            each[:, :count].T.reshape(count, *output.shape)
            for each, output in zip(results, outputs, strict=True)
        )

    called = BATCH if real is DOUBLE else BATCH_FLOAT
    return make_batch_contender(
        FROM_C,
        called,
        compiler.name,
        call,
        call,
        states.adapt_results(function, rows),
        _TIMES,
        real,
    )


def compute_stride(states: int) -> int:
    """Return the row length (numbers per row) of arrays with a column for each state.

    The row length is a multiple of 64, plus 16. With a power of two, the elements of a column would
    all need the same cache lines.
    """
    return -(-states // _LINE) * _LINE + _APART


def arrange_columns(rows: Array, stride: int, real: Real) -> Array:
    """Return states in the layout of batch kernels, with a column for each state.

    Element j of state i is at `[j, i]` of the returned array, whose shape is (elements, stride).
    The array is aligned to cache lines.

    Args:
        rows: states, shape (states, elements).
        stride: row length of the array, at least the number of states, from `compute_stride`.
        real: floating-point type of the array.
    """
    count, size = rows.shape
    room = np.zeros(size * stride + _LINE, real.dtype)
    first = -room.ctypes.data % _LINE // room.itemsize
    array = room[first : first + size * stride].reshape(size, stride)
    array[:, :count] = rows.T
    return array


def _make_statuses(routine: Routine, count: int) -> list[Array]:
    return [np.zeros(count, np.intc)] if routine.signature.can_fail else []


def make_python_contenders(made: GeneratedCode, states: BenchStates) -> dict[str, list[Contender]]:
    """Return, for each function, two programs to time, which call generated code from Python.

    Each function has a program for all states in one call, and a program for one state per call.
    The generated code is compiled with the same flags as `dynagen.compile` uses.
    """
    ufuncs = make_ufuncs(made.generation)
    return {
        function: _make_python(ufuncs[name], function, states)
        for function, name in made.functions.items()
    }


def _make_python(ufunc: Callable[..., Any], function: str, states: BenchStates) -> list[Contender]:
    inputs = states.select_inputs(function)

    def whole() -> tuple[Array, ...]:
        found = ufunc(*inputs)
        return found if isinstance(found, tuple) else (found,)

    def single() -> tuple[Array, ...]:
        found = [ufunc(*state) for state in zip(*inputs, strict=True)]
        parts = [each if isinstance(each, tuple) else (each,) for each in found]
        return tuple(np.stack(part) for part in zip(*parts, strict=True))

    run = make_single_state_contender(FROM_PYTHON, ufunc, np.asarray, inputs).run
    return [
        Contender(
            FROM_PYTHON,
            ALL_STATES,
            "",
            lambda _: whole(),
            states.adapt_results(function, whole),
            is_one_call=True,
        ),
        Contender(FROM_PYTHON, ONE_STATE, "", run, states.adapt_results(function, single)),
    ]
