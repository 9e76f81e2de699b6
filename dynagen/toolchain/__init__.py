"""Source text -> callable kernels: compile and load generated C and Fortran, or load generated Python.

Nothing in here knows how the text came about. C and Fortran are reached through cffi's ABI mode, which needs no
Python headers.
"""

from __future__ import annotations

from collections.abc import Mapping

from dynagen.errors import UsageError
from dynagen.ir.program import Program
from dynagen.real import DOUBLE, Real
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.toolchain.python_module import load_python
from dynagen.toolchain.shared_library import FORTRAN, C, load_library

__all__ = ["CompiledKernel", "compile_kernels"]


def compile_kernels(
    language: str, files: Mapping[str, str], programs: Mapping[str, Program], real: Real = DOUBLE
) -> dict[str, CompiledKernel]:
    """Make generated source callable.

    Args:
        language: c, fortran or python.
        files: path -> text of the source files, and of what they include.
        programs: symbol -> the program that it was generated from, which tells its arguments.
        real: type of its numbers.

    Returns:
        Name of the function -> kernel.

    Raises:
        ToolchainError: a compiler is missing or refuses the source.
    """
    match language:
        case "c":
            return load_library(C, files, programs, real)
        case "fortran":
            return load_library(FORTRAN, files, programs, real)
        case "python":
            return load_python(files, programs, real)
    raise UsageError(f"there is no toolchain for the language {language!r}")
