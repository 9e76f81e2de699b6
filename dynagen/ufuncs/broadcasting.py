"""CompiledKernel -> a function of arrays that broadcast, as a NumPy generalized ufunc does, for kernels that are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dynagen.ir.program import Argument
from dynagen.toolchain.kernel import Array, CompiledKernel, taking_values
from dynagen.ufuncs.lazy import is_lazy

Call = Callable[..., Any]
"""Takes inputs by position or name, and `out`; returns an array, or a tuple where there are several results."""


def broadcasting(kernel: CompiledKernel) -> Call:
    """A kernel whose inputs may have any leading axes, which broadcast.

    Of what ufuncs take there is `out`: an array, or a tuple of one for each result.
    """
    name, wanted = kernel.signature.name, kernel.signature.inputs

    def call(*inputs: Any, out: Any = None, **named: Any) -> Any:
        bound = _bound(name, wanted, inputs, named)
        arrays = [_converted(kernel, *each) for each in zip(wanted, bound, strict=True)]
        leading = _leading(name, wanted, arrays)
        rows = [
            np.ascontiguousarray(np.broadcast_to(array, (*leading, *each.shape))).reshape((-1, *each.shape))
            for each, array in zip(wanted, arrays, strict=True)
        ]
        results = [result.reshape((*leading, *result.shape[1:])) for result in kernel.run(rows)]
        if out is not None:
            results = _stored(name, results, out if isinstance(out, tuple) else (out,))
        elif not leading:
            results = [result[()] for result in results]  # a scalar for what has no axes, as numpy has it
        return results[0] if len(results) == 1 else tuple(results)

    return call


def preparing(kernel: CompiledKernel, prepare: CompiledKernel) -> CompiledKernel:
    """A kernel that takes the values of run-time parameters, and prepares them itself."""

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        *state, values = inputs
        params, _ = prepare.run([values])
        return kernel.run([*state, params])

    return replace(kernel, signature=taking_values(kernel.signature, prepare.signature), run=run)


def _bound(name: str, wanted: Sequence[Argument], inputs: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """The inputs in their order."""
    if len(inputs) > len(wanted):
        raise TypeError(f"{name}() takes {len(wanted)} inputs, not {len(inputs)}")
    given = dict(zip((argument.name for argument in wanted), inputs, strict=False))
    if twice := given.keys() & named.keys():
        raise TypeError(f"{name}() got {min(twice)} by position and by name")
    if unknown := named.keys() - {argument.name for argument in wanted}:
        raise TypeError(f"{name}() got an unexpected keyword argument '{min(unknown)}'")
    given |= named
    if missing := [argument.name for argument in wanted if argument.name not in given]:
        raise TypeError(f"{name}() takes {', '.join(argument.name for argument in wanted)}: {missing[0]} is missing")
    return [given[argument.name] for argument in wanted]


def _converted(kernel: CompiledKernel, argument: Argument, value: Any) -> Array:
    """An input as an array of the kernel's type."""
    if is_lazy(value):
        raise TypeError(f"{kernel.signature.name}(): {argument.name} is an array of dask, which is not computed yet")
    array = np.asarray(value)
    if not np.can_cast(array.dtype, kernel.real.dtype, "same_kind"):
        raise TypeError(f"{kernel.signature.name}(): {argument.name} must be real numbers, not {array.dtype}")
    leading = array.ndim - len(argument.shape)
    if leading < 0 or array.shape[leading:] != argument.shape:
        shape = ", ".join(map(str, argument.shape))
        raise ValueError(
            f"{kernel.signature.name}(): {argument.name} must have shape {argument.shape}, or (..., {shape}) for many states, "
            f"not {array.shape}"
        )
    return array.astype(kernel.real.dtype, copy=False)


def _leading(name: str, wanted: Sequence[Argument], arrays: Sequence[Array]) -> tuple[int, ...]:
    """The axes over states that all inputs together have."""
    try:
        return np.broadcast_shapes(
            *(array.shape[: array.ndim - len(each.shape)] for each, array in zip(wanted, arrays, strict=True))
        )
    except ValueError:
        shapes = ", ".join(f"{each.name} {array.shape}" for each, array in zip(wanted, arrays, strict=True))
        raise ValueError(f"{name}(): the leading axes of the inputs do not broadcast: {shapes}") from None


def _stored(name: str, results: Sequence[Array], out: Sequence[Any]) -> list[Array]:
    """The arrays of `out`, with the results in them."""
    if len(out) != len(results):
        raise ValueError(f"{name}(): out must have an array for each of {len(results)} results, not {len(out)}")
    for place, (result, array) in enumerate(zip(results, out, strict=True)):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name}(): out[{place}] must be an array")
        if array.shape != result.shape:
            raise ValueError(f"{name}(): out[{place}] must have shape {result.shape}, not {array.shape}")
        np.copyto(array, result, casting="same_kind")
    return list(out)
