"""Traces: formulas as lists of operations, stored in files for later processes.

Sympy evaluates a formula on symbols, and the expression tree is lowered to operations. To import
sympy and to trace the formulas of one robot function takes a quarter of a second. A trace depends
only on source code, as bytecode does. It is therefore stored in the folder `__pycache__`, in which
Python stores bytecode.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from typing import Any

from dynagen.ir.program import Element, Operation, Program
from dynagen.numbers.exact import Exact
from dynagen.on_demand import import_on_call

Shape = tuple[int, ...]

_FOLDER = Path(__file__).parent
# The folders with the source code on which traces depend.
_SOURCES = (_FOLDER, _FOLDER.parent / "ir", _FOLDER.parent / "numbers")

# `lowering` imports sympy.
_lower_formula = import_on_call("dynagen.dynamics.lowering.lower_formula")


@dataclass(frozen=True)
class Trace:
    """A formula as operations on numbered values.

    Values are numbered in this order: elements of the formula's arguments, its constants, the
    results of its operations.

    Attributes:
        constants: the constant numbers in the formula.
        operations: each operation with the numbers of the values that are its operands.
        results: number of the value of each element of the formula's result, row-major.
        shape: shape of the formula's result.
    """

    constants: tuple[Exact, ...]
    operations: tuple[tuple[Operation, tuple[int, ...]], ...]
    results: tuple[int, ...]
    shape: Shape


_Traces = dict[tuple[str, int, tuple[Shape, ...]], Trace]
"""Traces of the formulas in a module, by name, line and shapes of the arguments."""


def find_trace(function: Callable[..., Any], shapes: tuple[Shape, ...]) -> Trace:
    """Return the trace of a formula, from a file if an earlier process has stored it.

    Args:
        function: the formula as a function of sympy symbols.
        shapes: shape of each argument.
    """
    code = function.__code__
    if (
        function.__closure__
        or function.__defaults__
        or _FOLDER not in Path(code.co_filename).parents
    ):
        # The trace may depend on other things than the source code of this package.
        return make_trace(*_lower_formula(function, shapes))
    file = Path(cache_from_source(code.co_filename)).with_suffix(".traces")
    traces = _load(file)
    key = function.__qualname__, code.co_firstlineno, shapes
    if key not in traces:
        traces[key] = make_trace(*_lower_formula(function, shapes))
        if not sys.dont_write_bytecode:
            _store(file, traces)
    return traces[key]


def make_trace(program: Program, shape: Shape) -> Trace:
    """Return the trace (list of operations) of a formula from a program for the formula.

    `shape` is the shape of the formula's result; the program's outputs are the result's elements,
    row-major.
    """
    # Leaves of a trace: input elements first, then constants; their places number all values.
    elements = [
        Element(argument.name, index)
        for argument in program.inputs
        for index in range(argument.size)
    ]
    constants = [each.payload for each in program.instructions if isinstance(each.payload, Exact)]
    leaves: list[Element | Exact] = [*elements, *constants]
    places = {leaf: place for place, leaf in enumerate(leaves)}
    operations: list[tuple[Operation, tuple[int, ...]]] = []
    # Position of each instruction's value among leaves and operations.
    positions: list[int] = []
    for instruction in program.instructions:
        if instruction.payload is None:
            positions.append(len(places) + len(operations))
            operations.append(
                (
                    instruction.operation,
                    tuple(positions[operand] for operand in instruction.operands),
                )
            )
        else:
            positions.append(places[instruction.payload])
    return Trace(
        tuple(constants),
        tuple(operations),
        tuple(positions[value] for value in program.iterate_result_values()),
        shape,
    )


@cache
def _load(file: Path) -> _Traces:
    """Return the traces in a file; this process adds its own traces to the dictionary."""
    return _read(file)


def _read(file: Path) -> _Traces:
    """Return the traces in a file; empty if the file is missing, outdated or damaged."""
    try:
        stamp, traces = pickle.loads(file.read_bytes())
    except Exception:  # damaged bytes may raise any error
        return {}
    return traces if stamp == _read_stamp() else {}


def _store(file: Path, traces: _Traces) -> None:
    """Write traces to a file, together with the traces that other processes have stored there.

    If the file cannot be written, nothing happens, as with Python's bytecode.
    """
    content = pickle.dumps((_read_stamp(), _read(file) | traces))
    # Python's writer of bytecode makes the folder, and never leaves half a file.
    SourceFileLoader(file.stem, str(file)).set_data(str(file), content)


@cache
def _read_stamp() -> tuple[tuple[str, int, int], ...]:
    """Return name, time and size of all files on which traces depend."""
    sympy = find_spec("sympy")
    assert sympy is not None, "sympy is a requirement of dynagen"
    files = [Path(str(sympy.origin))]
    for folder in _SOURCES:
        files += sorted(folder.rglob("*.py"))
    states = [file.stat() for file in files]
    return tuple(
        (file.name, state.st_mtime_ns, state.st_size)
        for file, state in zip(files, states, strict=True)
    )
