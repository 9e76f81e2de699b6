"""Compiled kernels (functions of numpy arrays), and the interface of toolchains that make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dynagen.ir.signature import Argument, Signature, describe_signature
from dynagen.numbers.real import DOUBLE, Real

Array = npt.NDArray[Any]
"""Array of doubles or floats."""
Batch = Callable[[Sequence[Array]], Sequence[Array]]
"""Function that runs a kernel on a batch.

Inputs are C-contiguous and, like results, have the shape (count, *shape of one state). The last
result of a kernel that can fail is the status, shape (count,).
"""


@dataclass(frozen=True, repr=False)
class CompiledKernel:
    """Compiled kernel: a generated function, called on numpy arrays.

    Attributes:
        signature: name of the kernel, and its inputs and outputs in order, with names and shapes.
        run: function that runs the kernel on arrays whose first axis is over states.
        real: floating-point type of inputs, results and computations.
    """

    signature: Signature
    run: Batch
    real: Real = DOUBLE

    def __repr__(self) -> str:
        """Return inputs and outputs with their shapes in one line."""
        return describe_signature(self.signature, self.real.name)

    def __call__(self, *inputs: npt.ArrayLike) -> tuple[Array, ...]:
        """Run the kernel on one state or many states.

        Args:
            inputs: inputs in the order of the signature. An input has the shape of one state, or a
                leading axis over states in addition.

        Returns:
            All results of the kernel in the order of the signature. If an input has a leading axis
            over states, every result has this axis too. The last result of a kernel that can fail
            is its status, 0 or 1.

        Raises:
            ValueError: an input is missing or has a wrong shape.
        """
        wanted = self.signature.inputs
        if len(inputs) != len(wanted):
            names = ", ".join(argument.name for argument in wanted)
            raise ValueError(
                f"{self.signature.name}: expected {len(wanted)} arguments ({names}), "
                f"found {len(inputs)}"
            )
        arrays = [np.asarray(value, dtype=self.real.dtype) for value in inputs]
        counts = [
            _count_states(array, argument) for array, argument in zip(arrays, wanted, strict=True)
        ]
        known = {count for count in counts if count is not None}
        if len(known) > 1:
            raise ValueError(
                f"{self.signature.name}: the arguments have different numbers of states: "
                f"{sorted(known)}"
            )
        count = known.pop() if known else None
        batch = [
            np.ascontiguousarray(
                np.broadcast_to(array, (1 if count is None else count, *argument.shape))
            )
            for array, argument in zip(arrays, wanted, strict=True)
        ]
        # An argument without a leading axis serves all states.
        results = self.run(batch)
        return tuple(result[0] if count is None else result for result in results)


def _count_states(array: Array, argument: Argument) -> int | None:
    """Return the number of states of an input, or None if it has the shape of one state."""
    if array.shape == argument.shape:
        return None
    if array.ndim == len(argument.shape) + 1 and array.shape[1:] == argument.shape:
        return len(array)
    shape = ", ".join(map(str, argument.shape))
    raise ValueError(
        f"{argument.name} must have shape ({shape},) or (states, {shape}), not {array.shape}"
    )


def add_values_argument(signature: Signature, prepare: Signature) -> Signature:
    """Return a kernel's signature with parameter values in place of the results of `prepare`.

    Args:
        signature: inputs and outputs of a kernel, whose last input is the result of the kernel
            `prepare`.
        prepare: inputs and outputs of the kernel `prepare`, whose only input is the array of
            run-time parameter values.
    """
    *state, _ = signature.inputs  # the last input is `params`
    return replace(signature, inputs=(*state, *prepare.inputs))


def make_prepare_kernel(prepare: Signature, real: Real = DOUBLE) -> CompiledKernel:
    """Return a substitute for the kernel `prepare`, for functions that call `prepare` themselves.

    The substitute returns zeros in place of the values that `prepare` computes from run-time
    parameters, and the status 0.
    """

    def call(inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        params = np.zeros((count, *prepare.results[0].shape), real.dtype)
        return [params, np.zeros(count, np.int32)]

    return CompiledKernel(prepare, call, real)


class Toolchain(Protocol):
    """Interface of a toolchain, which turns source code into kernels."""

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Compile source code if necessary, and load its kernels.

        Args:
            files: mapping from path to text, for the source files and the files that they include.
            symbols: mapping from the name of each function in the source to its inputs and outputs.
            real: floating-point type of the kernels.
            optimise: whether to compile with optimisation, for code that is called often.

        Returns:
            Mapping from the name of each signature to its kernel, a function of numpy arrays. No
            temporary files of the compilation remain on disk.

        Raises:
            ToolchainError: a compiler or interpreter is not installed, or rejects the source.
        """
