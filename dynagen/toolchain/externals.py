"""Calls of CasADi functions in shared libraries as kernels.

A function is evaluated on all states with CasADi's `map`. A function that can fail is called for
each state separately, because `map` stops at the first failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.columns import ColumnMatrix, shape_matrix
from dynagen.ir.program import PARAMS, Signature
from dynagen.toolchain.kernel import (
    Array,
    CompiledKernel,
    add_values_argument,
    make_prepare_kernel,
)

DERIVATIVES: Mapping[str, Callable[[Any], Any]] = {
    "": lambda function: function,
    "jac_": lambda function: function.jacobian(),
    "adj1_": lambda function: function.reverse(1),
    "jac_adj1_": lambda function: function.reverse(1).jacobian(),
}
"""Mapping from a prefix of C symbols to the derivative that such a symbol computes.

CasADi calls the symbol that consists of the prefix and the function's name. The function itself has
the empty prefix.
"""


@dataclass(frozen=True)
class ExternalCall:
    """Kernel whose results a CasADi function in a shared library computes.

    Attributes:
        name: name of the CasADi function in the library.
        prefix: empty for the function itself, or CasADi's prefix for one of its derivatives, such
            as `jac_` for the Jacobian (a key of `DERIVATIVES`).
        signature: inputs and outputs of the kernel.
        inputs: for each input vector of the CasADi function, the names of the kernel inputs of
            which the vector consists; empty if the kernel does not use the vector.
        matrices: for each matrix that the CasADi function returns, the positions of the kernel's
            outputs in the matrix.
    """

    name: str
    prefix: str
    signature: Signature
    inputs: tuple[tuple[str, ...], ...]
    matrices: tuple[ColumnMatrix, ...]


def load_externals(
    name: str, content: bytes, calls: Sequence[ExternalCall], prepare: Signature | None
) -> dict[str, CompiledKernel]:
    """Load functions of a shared library by `casadi.external`.

    Args:
        name: file name of the library.
        content: content of the library's file.
        calls: kernels to load.
        prepare: inputs and outputs of the kernel `prepare`, which computes all values that depend
            only on run-time parameters; None for a robot without run-time parameters. The functions
            call `prepare` themselves. The returned kernel `prepare` is a substitute whose results
            are zeros.

    Returns:
        Mapping from the name of each signature to its kernel, a function of numpy arrays.

    Raises:
        ToolchainError: CasADi cannot load the library or a function.
    """
    import casadi

    kernels: dict[str, CompiledKernel] = {}
    # The folder may be deleted when the library is open, except on Windows.
    with TemporaryDirectory(prefix="dynagen-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        importer = casadi.Importer(str(path), "dll")
        for call in calls:
            try:
                function = DERIVATIVES[call.prefix](casadi.external(call.name, importer))
            except RuntimeError as error:
                raise ToolchainError(
                    f"CasADi cannot load {call.prefix}{call.name}: {error}"
                ) from error
            takes_parameters = any(each.name == PARAMS for each in call.signature.inputs)
            signature = (
                add_values_argument(call.signature, prepare)
                if prepare is not None and takes_parameters
                else call.signature
            )
            kernels[signature.name] = CompiledKernel(
                signature, _Batch(casadi, function, call, signature)
            )
    if prepare is not None:
        kernels[prepare.name] = make_prepare_kernel(prepare)
    return kernels


class _Batch:
    """Call of a CasADi function for all states of a batch."""

    def __init__(
        self, casadi: Any, function: Any, call: ExternalCall, signature: Signature
    ) -> None:
        self._casadi = casadi
        self._function = function
        self._call = call
        self._names = [argument.name for argument in signature.inputs]
        self._signature = signature

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        by_name = dict(zip(self._names, inputs, strict=True))
        # The parameters themselves come last.
        by_name[PARAMS] = inputs[-1]
        arguments = [
            np.concatenate([by_name[part].reshape(count, -1) for part in parts], axis=1).T
            if parts
            else np.zeros((self._function.numel_in(place), count)).reshape(
                self._function.size1_in(place), -1
            )
            for place, parts in enumerate(self._call.inputs)
        ]
        if not self._signature.can_fail:
            matrices = self._function.map(count).call(list(map(self._casadi.DM, arguments)))
            return self._split([matrix.full() for matrix in matrices], count)
        results, statuses = [], np.zeros(count, np.int32)
        empty = [np.full(self._function.size_out(k), np.nan) for k in range(self._function.n_out())]
        for state in range(count):
            one = [np.array_split(each, count, axis=1)[state] for each in arguments]
            try:
                called = self._function.call(list(map(self._casadi.DM, one)))
                results.append([matrix.full() for matrix in called])
            except RuntimeError:  # the kernel reported a failure
                results.append(empty)
                statuses[state] = 1
        joined = [np.concatenate(parts, axis=1) for parts in zip(*results, strict=True)]
        return [*self._split(joined, count), statuses]

    def _split(self, matrices: Sequence[Array], count: int) -> list[Array]:
        return split_matrices(matrices, self._call.matrices, self._signature, count)


def split_matrices(
    matrices: Sequence[Array], layouts: Sequence[ColumnMatrix], signature: Signature, count: int
) -> list[Array]:
    """Return the outputs of a kernel, split from matrices that contain the outputs as blocks.

    Args:
        matrices: for each result, an array of shape (rows, count * columns): the matrices of all
            states side by side, each with `rows` rows and `columns` columns.
        layouts: for each result, the positions of the kernel's outputs in the matrix of one state.
        signature: inputs and outputs of the kernel.
        count: number of states.

    Returns:
        An array of shape (count, *shape of the output) for each output, in the order of the
        signature.
    """
    outputs = {argument.name: argument for argument in signature.results}
    found = {
        name: np.full((count, *shape_matrix(argument)), np.nan)
        for name, argument in outputs.items()
    }
    for matrix, layout in zip(matrices, layouts, strict=True):
        states = matrix.reshape(len(matrix), count, -1).transpose(1, 0, 2)
        row = 0
        for parts in layout.blocks:
            column = rows = 0
            for part in parts:
                if part.output:
                    place = part.select(found[part.output])  # a view
                    rows, columns = place.shape[-2:]
                    place[:] = states[:, row : row + rows, column : column + columns]
                else:
                    rows, columns = part.size_of_zeros
                column += columns
            row += rows
    return [
        np.ascontiguousarray(found[name].reshape(count, *argument.shape))
        for name, argument in outputs.items()
    ]
