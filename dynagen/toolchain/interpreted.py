"""Kernels in Python and JavaScript: modules loaded in this process or in a node process."""

from __future__ import annotations

import json
import struct
import subprocess
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import IO, Any, cast

import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.program import Signature
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.toolchain.commands import MOST_LINES, Tool, source_folder
from dynagen.toolchain.kernel import Array, Batch, CompiledKernel


@dataclass(frozen=True)
class PythonModule:
    """Toolchain for the one Python file among the generated files.

    Its functions accept arrays of states directly.
    """

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Load the kernels, as `Toolchain.load`."""
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
    """Return a function that always returns a sequence of results."""

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        outputs = function(*inputs)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    return run


_RUNNER = Path(__file__).with_name("run_states.mjs")
_ARRAYS = {DOUBLE: "Float64Array", FLOAT: "Float32Array"}


@dataclass(frozen=True)
class NodeModule:
    """Toolchain for the one JavaScript file among the generated files, an ES module.

    It runs in a process that lives as long as its kernels.

    Attributes:
        interpreter: node.
    """

    interpreter: Tool

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Load the kernels, as `Toolchain.load`."""
        (path,) = files
        functions = [
            {
                "symbol": symbol,
                "inputs": [argument.shape for argument in signature.inputs],
                "outputs": [result.shape for result in signature.results],
                "can_fail": signature.can_fail,
            }
            for symbol, signature in symbols.items()
        ]
        description = json.dumps({"array": _ARRAYS[real], "functions": functions})
        with source_folder({**files, "package.json": '{"type": "module"}'}) as folder:
            process = _NodeProcess(
                [*self.interpreter.find(), str(_RUNNER), str(folder / path), description]
            )
        return {
            signature.name: CompiledKernel(
                signature, _NodeFunction(process, index, signature, real), real
            )
            for index, signature in enumerate(symbols.values())
        }


class _NodeProcess:
    """A node process that has loaded a module and executes calls one at a time.

    It ends when its last kernel is deleted.
    """

    def __init__(self, command: Sequence[str]) -> None:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        pipes = (process.stdin, process.stdout, process.stderr)
        self._requests, self._answers, self._complaints = (cast(IO[bytes], pipe) for pipe in pipes)
        self._lock = Lock()
        weakref.finalize(self, _end, process)
        # The process sends one byte when the module is loaded.
        self._receive([np.empty(1, np.uint8)], "node rejected generated code")

    def call(
        self, index: int, count: int, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> None:
        """Run a function on a number of states, and fill the outputs.

        Args:
            index: of the function.
            count: number of states.
            inputs: arrays (count, *shape).
            outputs: arrays (count, *shape) to fill.

        Raises:
            ToolchainError: the process has ended.
        """
        with self._lock:  # one pipe: requests and responses of threads must not mix
            with suppress(BrokenPipeError):  # `_receive` reports the error of the process
                self._requests.write(struct.pack("=II", index, count))
                for array in inputs:
                    self._requests.write(array.tobytes())
                self._requests.flush()
            self._receive(outputs, "node stopped in generated code")

    def _receive(self, arrays: Sequence[Array], refusal: str) -> None:
        """Fill arrays with bytes from the process."""
        for array in arrays:
            answer = self._answers.read(array.nbytes)
            if len(answer) != array.nbytes:
                lines = self._complaints.read().decode(errors="replace").splitlines()
                raise ToolchainError("\n".join([f"{refusal}:", *lines[:MOST_LINES]]))
            array[...] = np.frombuffer(answer, array.dtype).reshape(array.shape)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process: it exits when its standard input is closed."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            cast(IO[bytes], pipe).close()
    process.wait()


class _NodeFunction:
    """A function of the module, called on the arrays of a batch."""

    def __init__(self, process: _NodeProcess, index: int, signature: Signature, real: Real) -> None:
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
