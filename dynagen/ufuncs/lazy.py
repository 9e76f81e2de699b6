"""Ufuncs on arrays of dask, which are computed later, in blocks, on one machine or many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from dynagen.ir.program import Argument
from dynagen.toolchain.kernel import Array


class Signed(Protocol):
    """The function that is called on every block."""

    signature: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    dtype: np.dtype[Any]

    def __call__(self, *inputs: Array) -> Any:
        """Results for the states of a block."""


def is_lazy(value: Any) -> bool:
    """Whether a value is an array of dask: asked without importing what may not be there."""
    return type(value).__module__.startswith("dask.")


def apply_lazily(ufunc: Signed, inputs: Sequence[Any], **options: Any) -> Any:
    """The results as arrays of dask, one or a tuple of them.

    Args:
        ufunc: to be called; it is pickled where blocks are computed in other processes.
        inputs: arrays of dask or of numpy; the axes of one state have to be in one chunk.
        options: of `dask.array.apply_gufunc`, as axes and allow_rechunk.
    """
    from dask.array import apply_gufunc

    types = [np.dtype(np.intc) if each.is_status else ufunc.dtype for each in ufunc.outputs]
    sizes = {
        str(size): size for each in (*ufunc.inputs, *ufunc.outputs) for size in each.shape
    }  # in signatures they are names
    dtypes = types if len(types) > 1 else types[0]
    return apply_gufunc(ufunc, ufunc.signature, *inputs, output_dtypes=dtypes, output_sizes=sizes, **options)
