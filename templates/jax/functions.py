"""Calls of functions with JAX arrays: checks, axes over states, and the choice of the back end."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._description import Argument, Call, Function, Shape
from ._kernels import call_kernel
from ._motions import normalise

FFI, XLA = BACKENDS = ("ffi", "xla")
GPU = ("gpu", "cuda")  # names of the platform of NVIDIA's GPUs


def call(function: Function, *values: Any, states_last: bool, backend: str) -> Any:
    """Compute a function; return its only output, or a tuple of all outputs."""
    if backend not in BACKENDS:
        raise ValueError(
            f"{function.name}: expected backend {' or '.join(map(repr, BACKENDS))}, "
            f"found {backend!r}"
        )
    arrays, states = _read(function, values, states_last, backend)
    if function.has_quaternions:
        arrays[0] = normalise(arrays[0], -2 if states_last else -1)
    if backend == FFI:
        outputs = call_kernel.bind(*arrays, call=Call(function, "", states_last))
    else:
        outputs = _run_program(function, arrays, states_last)
    if states_last:
        outputs = [
            jnp.reshape(output, (*each.shape, *states))
            for output, each in zip(outputs, function.outputs, strict=True)
        ]
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _read(
    function: Function, values: Sequence[Any], states_last: bool, backend: str
) -> tuple[list[Any], Shape]:
    """Check the inputs; return them with equally many axes over states, and the axes' lengths.

    With `states_last`, each returned input has a single axis over states, which is the last.
    """
    arrays, axes = [], []
    for given, value in zip(function.inputs, values, strict=True):
        array = _convert(function, given, value, backend)
        rank = array.ndim - len(given.shape)
        own, of_states = (
            (array.shape[: len(given.shape)], array.shape[len(given.shape) :])
            if states_last
            else (array.shape[max(rank, 0) :], array.shape[: max(rank, 0)])
        )
        if rank < 0 or own != given.shape:
            sizes = ", ".join(map(str, given.shape))
            wanted = f"({sizes}, ...)" if states_last else f"(..., {sizes})"
            raise ValueError(
                f"{function.name}: {given.name} must have the shape "
                f"{wanted if given.shape else '(...)'}, found {array.shape}"
            )
        arrays.append(array)
        axes.append(of_states)
    try:
        states = np.broadcast_shapes(*axes)
    except ValueError:
        found = ", ".join(
            f"{each.name} {shape}" for each, shape in zip(function.inputs, axes, strict=True)
        )
        raise ValueError(
            f"{function.name}: the axes over states do not broadcast: {found}"
        ) from None
    if states_last:
        count = int(np.prod(states, dtype=np.int64))
        for place, (given, own) in enumerate(zip(function.inputs, axes, strict=True)):
            one = all(size == 1 for size in own)
            shape = (*given.shape, *([1] * len(states) if one else states))
            padded = jnp.reshape(
                arrays[place], (*given.shape, *[1] * (len(states) - len(own)), *own)
            )
            arrays[place] = jnp.reshape(
                jnp.broadcast_to(padded, shape), (*given.shape, 1 if one else count)
            )
    else:
        arrays = [
            jnp.reshape(array, (*[1] * (len(states) - len(own)), *array.shape))
            for array, own in zip(arrays, axes, strict=True)
        ]
    return arrays, states


def _convert(function: Function, given: Argument, value: Any, backend: str) -> Any:
    """Return an input as an array of the right type on the right device."""
    if function.real == "float64" and not jax.config.jax_enable_x64:
        raise TypeError(
            f"{function.name} computes in float64, which JAX does not enable by default: call "
            'jax.config.update("jax_enable_x64", True) when the program starts, or generate '
            "with --real float"
        )
    if not isinstance(value, jax.Array | np.ndarray):
        value = np.asarray(value)
        if value.dtype.kind not in "iuf":
            raise TypeError(
                f"{function.name}: {given.name} must contain real numbers, found {value.dtype}"
            )
        value = value.astype(function.real)
    array = jnp.asarray(value)
    if array.dtype != function.real:
        raise TypeError(
            f"{function.name}: {given.name} must be of type {function.real}, found {array.dtype}; "
            f"convert it with {given.name}.astype({function.real!r})"
        )
    if backend == FFI and not isinstance(array, jax.core.Tracer):
        for device in array.devices():
            if device.platform != "cpu" and not (function.has_gpu and device.platform in GPU):
                raise ValueError(
                    f"{function.name}: {given.name} is on {device}, and the compiled kernels run "
                    f'on the CPU; pass jax.device_put({given.name}, jax.devices("cpu")[0]), or '
                    'backend="xla"'
                )
    return array


def _run_program(function: Function, arrays: Sequence[Any], states_last: bool) -> list[Any]:
    """Return a function's outputs, computed by its program in jax.numpy."""
    programs = import_module(function.program)
    call = Call(function, "", states_last)
    states = np.broadcast_shapes(*map(call.find_states, arrays, call.inputs))
    inputs = []
    for given, array in zip(function.inputs, arrays, strict=True):
        flat = jnp.reshape(array, call.add_states((-1,), call.find_states(array, given)))
        inputs.append(list(jnp.moveaxis(flat, -2 if states_last else -1, 0)))
    outputs = getattr(programs, function.name)(*inputs)
    axis = -2 if states_last else -1
    return [
        jnp.reshape(
            jnp.stack(
                [jnp.broadcast_to(jnp.asarray(each, function.real), states) for each in output],
                axis,
            ),
            call.add_states(argument.shape, states),
        )
        for output, argument in zip(outputs, function.outputs, strict=True)
    ]
