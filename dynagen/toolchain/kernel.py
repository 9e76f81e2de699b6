"""CompiledKernel: a generated function that takes and returns numpy arrays; Toolchain: what makes one of source text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dynagen.ir.program import Argument, Signature
from dynagen.numbers.real import DOUBLE, Real

Array = npt.NDArray[Any]
"""Of doubles or floats."""
Batch = Callable[[Sequence[Array]], Sequence[Array]]
"""Runs a kernel on a batch: inputs of shape (count, *shape), C-contiguous, to results of shape (count, *shape).

A kernel that can fail gives its status as one more, of shape (count,)."""


@dataclass(frozen=True, repr=False)
class CompiledKernel:
    """A generated function.

    Attributes:
        signature: names, shapes and order of the arguments.
        run: the function itself.
        real: type of the numbers that it computes in, takes and returns.
    """

    signature: Signature
    run: Batch
    real: Real = DOUBLE

    def __repr__(self) -> str:
        """One line: what it takes and returns, as it is called."""
        taken, returned = (
            ", ".join(f"{each.name}({', '.join(map(str, each.shape))})" for each in arguments)
            for arguments in (self.signature.inputs, self.signature.outputs)
        )
        return f"<{self.signature.name}: {taken} -> {returned}, {self.real.name}>"

    def __call__(self, *inputs: npt.ArrayLike) -> tuple[Array, ...]:
        """Run the kernel on one state, or on many.

        Args:
            inputs: in the order of the signature, each of its own shape for one state, or with one leading axis over states.

        Returns:
            Every result, with the leading axis if any input has it. Of a kernel that can fail the last is its status, 0 or 1.

        Raises:
            ValueError: an input is missing or has a wrong shape.
        """
        wanted = self.signature.inputs
        if len(inputs) != len(wanted):
            names = ", ".join(argument.name for argument in wanted)
            raise ValueError(
                f"{self.signature.name} takes {len(wanted)} arguments ({names}), not {len(inputs)}"
            )
        arrays = [np.asarray(value, dtype=self.real.dtype) for value in inputs]
        counts = [_count(array, argument) for array, argument in zip(arrays, wanted, strict=True)]
        known = {count for count in counts if count is not None}
        if len(known) > 1:
            raise ValueError(
                f"{self.signature.name}: the arguments have different numbers of states: {sorted(known)}"
            )
        count = known.pop() if known else None
        batch = [
            np.ascontiguousarray(
                np.broadcast_to(array, (1 if count is None else count, *argument.shape))
            )
            for array, argument in zip(arrays, wanted, strict=True)
        ]
        results = self.run(batch)
        return tuple(result[0] if count is None else result for result in results)


def _count(array: Array, argument: Argument) -> int | None:
    """Number of states of an argument; None if it has no leading axis."""
    if array.shape == argument.shape:
        return None
    if array.ndim == len(argument.shape) + 1 and array.shape[1:] == argument.shape:
        return len(array)
    shape = ", ".join(map(str, argument.shape))
    raise ValueError(
        f"{argument.name} must have shape ({shape},) or (states, {shape}), not {array.shape}"
    )


def core_signature(signature: Signature) -> str:
    """The signature of a generalized ufunc, as numpy calls it: the shapes of one state, as `(6),(6)->(6,6),()`."""
    taken, returned = (
        ",".join(
            f"({','.join(map(str, each.shape))})" if not each.is_status else "()"
            for each in arguments
        )
        for arguments in (signature.inputs, signature.outputs)
    )
    return f"{taken}->{returned}"


def taking_values(signature: Signature, prepare: Signature) -> Signature:
    """The arguments of a kernel that prepares its run-time parameters itself."""
    *state, _ = signature.inputs
    return replace(signature, inputs=(*state, *prepare.inputs))


class Toolchain(Protocol):
    """A toolchain: it makes the source of a language callable."""

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Compile if need be, and load.

        Args:
            files: path -> text of the files that functions are in, and of what they include.
            symbols: what functions are called -> their arguments.
            real: type of the numbers.
            optimise: whether a compiler is to take its time for code that is called often.

        Returns:
            Name of the function -> kernel. Nothing stays on disk.

        Raises:
            ToolchainError: a compiler or interpreter is missing, or refuses the source.
        """
