"""Calls of kernels in Python, JavaScript and MATLAB, and of functions in installed packages.

Python modules are loaded in this process. node, Octave and installed packages run in separate
processes, which receive calls over a pipe.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import IO, Any, cast

import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.program import Signature
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.toolchain.commands import MOST_LINES, Tool, make_source_folder
from dynagen.toolchain.kernel import Array, Batch, CompiledKernel


@dataclass(frozen=True)
class PythonModule:
    """Toolchain for a single generated Python file.

    The functions in the file accept arrays whose first axis is over states.
    """

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Load kernels from the text of a generated Python module.

        Args:
            files: mapping from the path of the only file to its text.
            symbols: mapping from the name of each function in the file to its inputs and outputs.
            real: floating-point type of the kernels.
            optimise: has no effect.

        Returns:
            Mapping from the name of each signature to its kernel, a function of numpy arrays.

        Raises:
            ToolchainError: Python rejects the text.
        """
        ((path, text),) = files.items()
        module = ModuleType(path.removesuffix(".py"))
        try:
            exec(compile(text, path, "exec"), module.__dict__)
        except SyntaxError as error:
            raise ToolchainError(f"Python rejected generated code: {error}") from error
        return {
            signature.name: CompiledKernel(signature, _make_batch(getattr(module, symbol)), real)
            for symbol, signature in symbols.items()
        }


def _make_batch(function: Callable[..., Any]) -> Batch:
    """Return a function that calls `function`, and always returns a sequence of results."""

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        outputs = function(*inputs)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    return run


_NODE_RUNNER = Path(__file__).with_name("run_states.mjs")
_OCTAVE_RUNNER = Path(__file__).with_name("run_states.m")
_PYTHON_RUNNER = Path(__file__).with_name("run_ufuncs.py")
_ARRAYS = {DOUBLE: "Float64Array", FLOAT: "Float32Array"}
_GROUPS = ("inputs", "outputs")
_CLASSES = {DOUBLE: "double", FLOAT: "single"}


@dataclass(frozen=True)
class NodeModule:
    """Toolchain for a single generated JavaScript file, an ES module.

    The module runs in a process of node, which ends when the last kernel is deleted.

    Attributes:
        interpreter: the program node.
    """

    interpreter: Tool

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Load kernels from the text of a generated JavaScript module.

        Args:
            files: mapping from the path of the only file to its text.
            symbols: mapping from the name of each function in the file to its inputs and outputs.
            real: floating-point type of the kernels.
            optimise: has no effect.

        Returns:
            Mapping from the name of each signature to its kernel, a function of numpy arrays.

        Raises:
            ToolchainError: node is not installed, or rejects the text.
        """
        (path,) = files
        description = json.dumps({"array": _ARRAYS[real], "functions": _describe(symbols)})
        with make_source_folder({**files, "package.json": '{"type": "module"}'}) as folder:
            process = _Process(
                "node",
                [*self.interpreter.find(), str(_NODE_RUNNER), str(folder / path), description],
            )
        return _make_kernels(process, symbols, real)


@dataclass(frozen=True)
class OctaveFunctions:
    """Toolchain for generated MATLAB functions, one in each file, which Octave runs.

    The functions run in a process of Octave, which ends when the last kernel is deleted.

    Attributes:
        interpreter: the program octave-cli.
    """

    interpreter: Tool

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Load kernels from the text of generated MATLAB functions.

        Args:
            files: mapping from path to text, with one file for each function.
            symbols: mapping from the name of each function to its inputs and outputs.
            real: floating-point type of the kernels.
            optimise: has no effect.

        Returns:
            Mapping from the name of each signature to its kernel, a function of numpy arrays.

        Raises:
            ToolchainError: Octave is not installed, or rejects a function.
        """
        options = ("--no-gui", "--norc", "--no-history", "--quiet")
        # Octave reads a list of lists of equal length as a matrix, but not a list of words.
        described = [
            each
            | {group: [" ".join(map(str, shape)) for shape in each[group]] for group in _GROUPS}
            for each in _describe(symbols)
        ]
        description = json.dumps({"real": _CLASSES[real], "functions": described})
        with make_source_folder(files) as folder:
            runner = [str(_OCTAVE_RUNNER), str(folder), description]
            process = _Process("Octave", [*self.interpreter.find(), *options, *runner])
        return _make_kernels(process, symbols, real)


def _describe(symbols: Mapping[str, Signature]) -> list[dict[str, Any]]:
    """Return names and shapes of functions as JSON data, for the process that runs them."""
    return [
        {
            "symbol": symbol,
            "inputs": [argument.shape for argument in signature.inputs],
            "outputs": [result.shape for result in signature.results],
            "can_fail": signature.can_fail,
        }
        for symbol, signature in symbols.items()
    ]


def _make_kernels(
    process: _Process, symbols: Mapping[str, Signature], real: Real
) -> dict[str, CompiledKernel]:
    """Return a mapping from the name of each function to the kernel that runs in a process."""
    return {
        signature.name: CompiledKernel(signature, _Function(process, index, signature, real), real)
        for index, signature in enumerate(symbols.values())
    }


@dataclass(frozen=True)
class InstalledFunction:
    """Function of numpy arrays in an installed Python package.

    Attributes:
        module: module that contains the function; the name of the function is in `signature`.
        signature: name of the function, and its inputs and outputs for one state.
        one_by_one: whether the function is called once for each state, instead of once for all
            states.
        caller: file, next to this module, whose function `make_call` returns a function of numpy
            arrays; empty if the function itself accepts numpy arrays.
        details: additional data that `make_call` in the file `caller` receives.
    """

    module: str
    signature: Signature
    one_by_one: bool = False
    caller: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


def load_installed(
    folders: Sequence[str], functions: Mapping[str, InstalledFunction], real: Real
) -> dict[str, CompiledKernel]:
    """Load functions of a Python package in a new process of this interpreter.

    The process cannot import dynagen. The process ends when its last kernel is deleted.

    Args:
        folders: folders in which the process first searches for modules. The folders may be deleted
            after this call.
        functions: mapping from a name that the caller chooses to a function to load.
        real: floating-point type of the functions.

    Returns:
        Mapping from each name in `functions` to the kernel that calls the function.

    Raises:
        ToolchainError: a module cannot be imported, or lacks a function.
    """
    described = [
        {
            "module": function.module,
            "name": function.signature.name,
            "inputs": [argument.shape for argument in function.signature.inputs],
            "outputs": [result.shape for result in function.signature.results],
            "can_fail": function.signature.can_fail,
            "one_by_one": function.one_by_one,
            "caller": str(Path(__file__).with_name(function.caller)) if function.caller else "",
            **function.details,
        }
        for function in functions.values()
    ]
    description = {
        "folders": list(folders),
        "real": np.dtype(real.dtype).name,
        "functions": described,
    }
    process = _Process(
        "Python", [sys.executable, "-I", str(_PYTHON_RUNNER), json.dumps(description)]
    )
    return {
        name: CompiledKernel(
            function.signature, _Function(process, index, function.signature, real), real
        )
        for index, (name, function) in enumerate(functions.items())
    }


class _Process:
    """Process that has loaded functions and executes calls one at a time.

    The process ends when its last kernel is deleted.
    """

    def __init__(self, title: str, command: Sequence[str]) -> None:
        self._title = title
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        pipes = (process.stdin, process.stdout, process.stderr)
        self._requests, self._answers, self._complaints = (cast(IO[bytes], pipe) for pipe in pipes)
        self._lock = Lock()
        weakref.finalize(self, _end, process)
        # The process sends one byte when the module is loaded.
        self._receive([np.empty(1, np.uint8)], f"{title} rejected generated code")

    def call(
        self, index: int, count: int, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> None:
        """Run function number `index` on `count` states, and write the results into `outputs`.

        Inputs and outputs have the shape (count, *shape for one state).

        Raises:
            ToolchainError: the process has ended.
        """
        with self._lock:  # one pipe: requests and responses of threads must not mix
            with suppress(BrokenPipeError):  # `_receive` reports the error of the process
                self._requests.write(struct.pack("=II", index, count))
                for array in inputs:
                    self._requests.write(array.tobytes())
                self._requests.flush()
            self._receive(outputs, f"{self._title} stopped in generated code")

    def _receive(self, arrays: Sequence[Array], refusal: str) -> None:
        """Fill arrays with the process's output; an error message begins with `refusal`."""
        for array in arrays:
            answer = self._answers.read(array.nbytes)
            if len(answer) != array.nbytes:
                lines = self._complaints.read().decode(errors="replace").splitlines()
                raise ToolchainError("\n".join([f"{refusal}:", *lines[:MOST_LINES]]))
            array[...] = np.frombuffer(answer, array.dtype).reshape(array.shape)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that runs kernels, by closing its standard input."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            cast(IO[bytes], pipe).close()
    process.wait()


class _Function:
    """Call of a function in another process, for the arrays of a batch."""

    def __init__(self, process: _Process, index: int, signature: Signature, real: Real) -> None:
        self._process = process
        self._index = index
        self._outputs = [result.shape for result in signature.results]
        self._can_fail = signature.can_fail
        self._real = real

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        results: list[Array] = [
            np.empty((count, *shape), self._real.dtype) for shape in self._outputs
        ]
        if self._can_fail:
            results.append(np.empty(count, np.int32))
        self._process.call(self._index, count, inputs, results)
        return results
