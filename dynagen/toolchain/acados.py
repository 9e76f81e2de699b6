"""Compilation of external functions for acados, which are then called as kernels.

acados is found by the environment variable ACADOS_SOURCE_DIR, or as the Python package `acados` of
the wheel comma-deps-acados, which contains the library and headers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.columns import ColumnMatrix
from dynagen.ir.program import Signature
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.externals import split_matrices
from dynagen.toolchain.kernel import (
    Array,
    CompiledKernel,
    add_values_argument,
    make_prepare_kernel,
)
from dynagen.toolchain.shared_library import SHARED, compile_library

_CALLS = Path(__file__).with_name("acados_calls.c")
_STATE, _FORCES, _LENGTH = ("q", "qd"), "tau", "dt"


@dataclass(frozen=True)
class AcadosFunction:
    """External function in the form that acados calls.

    Attributes:
        symbol: name of the function in C.
        signature: inputs and outputs of the kernel whose values the function computes.
        layouts: for each matrix that the function returns, the positions of the kernel's outputs in
            the matrix.
    """

    symbol: str
    signature: Signature
    layouts: tuple[ColumnMatrix, ...]


def find_acados() -> Path:
    """Return the installation folder of acados, which contains the folders `include` and `lib`.

    Raises:
        ToolchainError: acados is not installed.
    """
    found = find_spec("acados")
    folders = [os.environ.get("ACADOS_SOURCE_DIR")]
    if found and found.origin:
        folders.append(str(Path(found.origin).with_name("install")))
    for folder in folders:
        header = "include/acados/utils/external_function_generic.h"
        if folder and Path(folder, header).is_file():
            return Path(folder)
    raise ToolchainError(
        "acados is required to prove the functions: set ACADOS_SOURCE_DIR to the folder of "
        "acados, or install acados with `python -m dynagen.toolchain.install_acados`"
    )


def load_acados(
    source: str,
    functions: Sequence[AcadosFunction],
    prepare: Signature | None,
    parameter_count: int,
) -> dict[str, CompiledKernel]:
    """Compile external functions for acados, and load the functions as kernels.

    Args:
        source: text of the C file with all functions.
        functions: functions to load, at least one.
        prepare: inputs and outputs of the kernel `prepare`, which computes all values that depend
            only on run-time parameters; None for a robot without run-time parameters. The functions
            call `prepare` themselves. The returned kernel `prepare` is a substitute whose results
            are zeros.
        parameter_count: number of run-time parameters of the robot.

    Returns:
        Mapping from the name of each signature to its kernel, a function of numpy arrays.

    Raises:
        ToolchainError: acados is not installed, or the compiler rejects the code.
    """
    folder = find_acados()
    sizes = {each.name: each.size for each in functions[0].signature.inputs}
    command = [
        *C_COMPILER.find(),
        *("-std=c99", "-O1", "-ffp-contract=off", *SHARED, "-Wall", "-Wextra", "-Werror"),
        *("-isystem", str(folder / "include"), "-isystem", str(folder / "include/blasfeo/include")),
        f"-DNX={sum(sizes[name] for name in _STATE)}",
        f"-DNU={sizes[_FORCES]}",
    ]
    # The external functions define NX and NU themselves.
    files = {
        "externals.c": f"#undef NX\n#undef NU\n{source}",
        "acados_calls.c": _CALLS.read_text(encoding="utf-8"),
    }
    library = str(folder / "lib")
    path = compile_library(
        command, files, [f"-L{library}", f"-Wl,-rpath,{library}", "-lblasfeo", "-lm"], [library]
    )
    ffi = cffi.FFI()
    ffi.cdef(
        "void call_external(int (*)(void **, void **, void *), size_t, size_t, double *, double *,"
        " double *, double *, double *, int *);"
    )
    for each in functions:
        ffi.cdef(f"int {each.symbol}(void **, void **, void *);")
    opened = ffi.dlopen(str(path))
    kernels = {}
    for each in functions:
        takes_parameters = prepare is not None
        signature = (
            add_values_argument(each.signature, prepare) if prepare is not None else each.signature
        )
        batch = _make_batch(ffi, opened, each, signature, parameter_count * takes_parameters)
        kernels[signature.name] = CompiledKernel(signature, batch)
    if prepare is not None:
        kernels[prepare.name] = make_prepare_kernel(prepare)
    return kernels


def _make_batch(
    ffi: Any, library: Any, function: AcadosFunction, signature: Signature, parameter_count: int
) -> Callable[[Sequence[Array]], list[Array]]:
    """Return a Python function that calls an external function for all states of a batch."""
    names = [argument.name for argument in signature.inputs]

    def call(inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        by_name = dict(zip(names, inputs, strict=True))
        x = np.concatenate([by_name[name] for name in _STATE], axis=1)
        u = np.ascontiguousarray(by_name[_FORCES])
        p = by_name[_LENGTH].reshape(count, 1)
        if parameter_count:
            p = np.concatenate([p, inputs[-1]], axis=1)  # the parameters come last
        p, x_next = np.ascontiguousarray(p), np.empty_like(x)
        nx, rows = x.shape[1], x.shape[1] + u.shape[1]
        jacobian = np.empty((count, nx, rows)) if len(function.layouts) > 1 else None
        failed = np.zeros(count, np.int32)
        addresses = [
            ffi.NULL if each is None else ffi.from_buffer("double[]", each)
            for each in (x, u, p, x_next, jacobian)
        ]
        library.call_external(
            getattr(library, function.symbol),
            *(count, p.shape[1], *addresses, ffi.from_buffer("int[]", failed)),
        )
        matrices = [x_next.T]
        if jacobian is not None:
            matrices.append(jacobian.reshape(count * nx, rows).T)
        outputs = split_matrices(matrices, function.layouts, signature, count)
        return [*outputs, failed] if signature.can_fail else outputs

    return call
