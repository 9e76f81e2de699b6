"""CasADi functions in shared libraries, called as kernels.

CasADi evaluates a function on all states in one `map`. A function that can fail is called for each
state, because CasADi stops a map at the first failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.columns import ColumnMatrix
from dynagen.ir.program import PARAMS, Signature
from dynagen.toolchain.kernel import Array, CompiledKernel, add_values_argument


@dataclass(frozen=True)
class ExternalCall:
    """A kernel that a CasADi function computes.

    Attributes:
        name: name of the function in CasADi.
        signature: arguments of the kernel.
        inputs: for each input of the CasADi function the inputs of the kernel that it joins.
        matrices: results, and the outputs of the kernel that they consist of.
        is_jacobian: whether it computes the function's Jacobian.
    """

    name: str
    signature: Signature
    inputs: tuple[tuple[str, ...], ...]
    matrices: tuple[ColumnMatrix, ...]
    is_jacobian: bool


def load_externals(
    name: str, content: bytes, calls: Sequence[ExternalCall], prepare: Signature | None
) -> dict[str, CompiledKernel]:
    """Load functions of a shared library by `casadi.external`.

    Args:
        name: file name of the library.
        content: the library.
        calls: kernels to load.
        prepare: arguments of `prepare`; None without run-time parameters. The functions prepare
            the parameters themselves, so that the kernel `prepare` only passes values on.

    Returns:
        Kernels under the names of their signatures.

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
                function = casadi.external(call.name, importer)
                called = function.jacobian() if call.is_jacobian else function
            except RuntimeError as error:
                raise ToolchainError(f"CasADi cannot load {call.name}: {error}") from error
            signature = (
                add_values_argument(call.signature, prepare)
                if prepare is not None and _takes_parameters(call.signature)
                else call.signature
            )
            kernels[signature.name] = CompiledKernel(
                signature, _Batch(casadi, called, function.n_out(), call, signature)
            )
    if prepare is not None:
        kernels[prepare.name] = CompiledKernel(
            prepare,
            lambda inputs: [
                np.zeros((len(inputs[0]), *prepare.results[0].shape)),
                np.zeros(len(inputs[0]), np.int32),
            ],
        )
    return kernels


def _takes_parameters(signature: Signature) -> bool:
    return any(argument.name == PARAMS for argument in signature.inputs)


class _Batch:
    """A CasADi function, called on the arrays of a batch."""

    def __init__(
        self,
        casadi: Any,
        function: Any,
        outputs: int,
        call: ExternalCall,
        signature: Signature,
    ) -> None:
        self._casadi = casadi
        self._function = function
        self._originals = outputs if call.is_jacobian else 0
        self._call = call
        self._names = [argument.name for argument in signature.inputs]
        self._signature = signature

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        by_name = dict(zip(self._names, inputs, strict=True))
        values = self._names[-1]
        arguments = [
            np.concatenate(
                [by_name[values if part == PARAMS else part].reshape(count, -1) for part in parts],
                axis=1,
            ).T
            for parts in self._call.inputs
        ]
        # A Jacobian also receives the outputs of its function, which it does not read.
        sizes = [self._function.size1_in(len(arguments) + k) for k in range(self._originals)]
        arguments += [np.zeros((size, count)) for size in sizes]
        if not self._signature.can_fail:
            matrices = self._function.map(count).call(list(map(self._casadi.DM, arguments)))
            return self._take_apart([matrix.full() for matrix in matrices], count)
        results, statuses = [], np.zeros(count, np.int32)
        empty = [np.full(self._function.size_out(k), np.nan) for k in range(self._function.n_out())]
        for state in range(count):
            try:
                called = self._function.call(
                    [self._casadi.DM(each[:, state]) for each in arguments]
                )
                results.append([matrix.full() for matrix in called])
            except RuntimeError:  # the kernel reported a failure
                results.append(empty)
                statuses[state] = 1
        joined = [np.concatenate(parts, axis=1) for parts in zip(*results, strict=True)]
        return [*self._take_apart(joined, count), statuses]

    def _take_apart(self, matrices: Sequence[Array], count: int) -> list[Array]:
        """Return the outputs of the kernel from matrices of all states side by side."""
        shapes = {argument.name: argument.shape for argument in self._signature.results}
        found: dict[str, Array] = {}
        for matrix, layout in zip(matrices, self._call.matrices, strict=True):
            states = matrix.reshape(len(matrix), count, -1).transpose(1, 0, 2)
            row = 0
            for names in layout.blocks:
                column = 0
                for name in names:
                    rows, columns = _matrix_shape(shapes[name])
                    block = states[:, row : row + rows, column : column + columns]
                    found[name] = np.ascontiguousarray(block.reshape(count, *shapes[name]))
                    column += columns
                row += rows
        return [found[name] for name in shapes]


def _matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    rows = shape[0] if shape else 1
    return rows, int(np.prod(shape[1:], dtype=int))
