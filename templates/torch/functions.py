"""Calls of functions with tensors: checks, axes over states, and the choice of the operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import forward_ad

from ._description import Argument, Call, Function
from ._motions import normalise
from ._rules import Rule


def call(function: Function, values: Sequence[Any], states_last: bool) -> Any:
    """Compute a function; return its only output, or a tuple of all outputs."""
    if not (states_last or function.has_quaternions or torch.compiler.is_compiling()):
        # The shortest way for tensors that need no preparation: the operator itself checks shapes.
        for value in values:
            if type(value) is not Tensor or value.requires_grad:
                break
        else:
            if not _is_transformed():
                try:
                    return function.kernels[""](*values, False)
                except RuntimeError:  # explained below
                    pass
    arrays = _read(function, values, states_last)
    if function.has_quaternions:
        arrays[0] = normalise(arrays[0], -1)
    if torch.compiler.is_compiling():
        outputs = function.operator(*arrays, states_last)
    elif _needs_derivatives(arrays):
        outputs = Rule.apply(Call(function, "", states_last), *arrays)
    else:
        outputs = function.kernels[""](*arrays, states_last)
    if not states_last:
        return outputs
    if isinstance(outputs, Tensor):
        return _move_states_last(outputs, function.outputs[0])
    pairs = zip(outputs, function.outputs, strict=True)
    return tuple(_move_states_last(*pair) for pair in pairs)


def _needs_derivatives(arrays: Sequence[Tensor]) -> bool:
    recorded = torch.is_grad_enabled() and any(array.requires_grad for array in arrays)
    return recorded or _is_transformed()


def _is_transformed() -> bool:
    """Return whether torch.func or forward differentiation is active.

    The attributes of tensors do not show this.
    """
    return forward_ad._current_level >= 0 or torch._C._are_functorch_transforms_active()


def _move_states_last(output: Tensor, argument: Argument) -> Tensor:
    count = len(argument.shape)
    return output.permute(*range(output.dim() - count, output.dim()), *range(output.dim() - count))


def _read(function: Function, values: Sequence[Any], states_last: bool) -> list[Tensor]:
    """Check the inputs, and return the tensors with their axes over states in front."""
    arrays, axes = [], []
    # Lists and numbers go to the device of the first tensor.
    device = next(
        (value.device for value in values if isinstance(value, Tensor)), torch.device("cpu")
    )
    for given, value in zip(function.inputs, values, strict=True):
        array = _convert(function, given, value, device)
        count = len(given.shape)
        outer = max(array.dim() - count, 0)
        own = array.shape[:count] if states_last else array.shape[outer:]
        if array.dim() < count or tuple(own) != given.shape:
            sizes = ", ".join(map(str, given.shape))
            wanted = f"({sizes}, ...)" if states_last else f"(..., {sizes})"
            raise ValueError(
                f"{function.name}: {given.name} must have the shape "
                f"{wanted if given.shape else '(...)'}, found {tuple(array.shape)}"
            )
        if states_last:
            array = array.permute(*range(count, array.dim()), *range(count))
        if array.device != device and "meta" not in (array.device.type, device.type):
            raise ValueError(
                f"{function.name}: {given.name} is on {array.device}, and other inputs are on "
                f"{device}; pass {given.name}.to({str(device)!r})"
            )
        arrays.append(array)
        axes.append(tuple(array.shape[:outer]))
    try:
        torch.broadcast_shapes(*axes)
    except RuntimeError:
        found = ", ".join(
            f"{each.name} {shape}" for each, shape in zip(function.inputs, axes, strict=True)
        )
        raise ValueError(
            f"{function.name}: the axes over states do not broadcast: {found}"
        ) from None
    return arrays


def _convert(function: Function, given: Argument, value: Any, device: torch.device) -> Tensor:
    """Return an input as a tensor of the right type; lists and numbers are moved to a device."""
    real = torch.float64 if function.real == "float64" else torch.float32
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(value)
    elif not isinstance(value, Tensor):
        array = torch.as_tensor(value)
        if array.is_complex() or array.dtype == torch.bool:
            raise TypeError(
                f"{function.name}: {given.name} must contain real numbers, found {array.dtype}"
            )
        value = torch.as_tensor(value, dtype=real, device=device)
    if value.dtype != real:
        raise TypeError(
            f"{function.name}: {given.name} must be of type {real}, found {value.dtype}; "
            f"convert it with {given.name}.to({real})"
        )
    devices = ("cpu", "meta", "cuda") if function.has_gpu else ("cpu", "meta")
    if value.device.type not in devices or value.layout != torch.strided:
        places = "the CPU or an NVIDIA GPU" if function.has_gpu else "the CPU"
        raise ValueError(
            f"{function.name}: {given.name} is on {value.device} in layout {value.layout}, and the "
            f"compiled kernels compute dense tensors on {places}; pass "
            f"{given.name}.cpu().to_dense()"
        )
    return value
