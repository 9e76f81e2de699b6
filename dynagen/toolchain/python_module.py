"""Generated Python -> module -> CompiledKernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from dynagen.errors import ToolchainError
from dynagen.ir.program import Program
from dynagen.real import Real
from dynagen.toolchain.kernel import Array, Batch, CompiledKernel


def load_python(files: Mapping[str, str], programs: Mapping[str, Program], real: Real) -> dict[str, CompiledKernel]:
    """Load the one Python file among the generated files.

    Args:
        files: path -> text.
        programs: symbol -> program.
        real: type of the numbers.

    Returns:
        Name of the function -> kernel.

    Raises:
        ToolchainError: the file is no Python.
    """
    path, text = next((path, text) for path, text in files.items() if path.endswith(".py"))
    module = ModuleType(path.removesuffix(".py"))
    try:
        exec(compile(text, path, "exec"), module.__dict__)
    except SyntaxError as error:
        raise ToolchainError(f"Python refused generated code: {error}") from error
    return {
        program.name: CompiledKernel(program, _batch(getattr(module, symbol)), real) for symbol, program in programs.items()
    }


def _batch(function: Callable[..., Any]) -> Batch:
    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        outputs = function(*inputs)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    return run
