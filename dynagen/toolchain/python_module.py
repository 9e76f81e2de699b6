"""Generated Python -> module -> CompiledKernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from dynagen.errors import ToolchainError
from dynagen.ir.program import Signature
from dynagen.real import Real
from dynagen.toolchain.kernel import Array, Batch, CompiledKernel


@dataclass(frozen=True)
class PythonModule:
    """Runs the one Python file among the generated files; its functions take many states as they are."""

    def load(
        self, files: Mapping[str, str], symbols: Mapping[str, Signature], real: Real, optimise: bool = False
    ) -> dict[str, CompiledKernel]:
        """Load the kernels, as `Toolchain.load`."""
        ((path, text),) = files.items()
        module = ModuleType(path.removesuffix(".py"))
        try:
            exec(compile(text, path, "exec"), module.__dict__)
        except SyntaxError as error:
            raise ToolchainError(f"Python refused generated code: {error}") from error
        return {
            signature.name: CompiledKernel(signature, _batch(getattr(module, symbol)), real)
            for symbol, signature in symbols.items()
        }


def _batch(function: Callable[..., Any]) -> Batch:
    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        outputs = function(*inputs)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    return run
