"""Compiled kernels as operators of PyTorch, with derivatives and `vmap`.

Each kernel is an operator `<name>_kernel` without derivatives; torch calls the library directly.
The operator `<name>` differentiates by the kernels of products. torch.compile sees it as one node.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ._description import Argument, Call, Function
from ._motions import find_motion, pull_motion

_TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.flexible_layout)
_libraries: dict[str, Any] = {}  # torch forgets the operators of a library that is deleted


def register(path: Path, functions: Sequence[Function]) -> list[Function]:
    """Register operators for the kernels of a library, and return the functions with them.

    Their namespace contains a hash of the library, so that different libraries of a process stay
    separate.
    """
    space = f"robot_{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    library, torch_library = ctypes.CDLL(str(path)), _find_torch()
    _bind(library, torch_library, functions[0].real)
    operators = torch.library.Library(space, "FRAGMENT")
    registered = []
    for function in functions:
        kernels = {}
        for product in ("", *function.products):
            kernel = "_".join(filter(None, (function.name, product)))
            call = Call(function, product, False)
            address = ctypes.cast(getattr(library, f"operate_{kernel}"), ctypes.c_void_p)
            names = [f"{kernel}_kernel"] if product else [f"{kernel}_kernel", kernel]
            for name in names:
                operators.define(f"{name}{_write_schema(call)}", tags=_TAGS)
                _implement(torch_library, space, name, address)
                qualified = f"{space}::{name}"
                torch.library.register_fake(
                    qualified, partial(_describe, call), lib=operators, allow_override=True
                )
                operator = getattr(getattr(torch.ops, space), name).default
                torch.library.register_vmap(qualified, partial(_map, call, operator), lib=operators)
                kernels[product if name != kernel else "differentiable"] = operator
        own = replace(function, kernels=kernels, operator=kernels["differentiable"])
        operators.impl(function.name, partial(_differentiate, own), "Autograd")
        registered.append(own)
    _libraries[space] = library, operators
    return registered


def _find_torch() -> ctypes.CDLL:
    """Return the library of torch that has the stable C interface."""
    (path,) = (
        path
        for path in (Path(torch.__file__).parent / "lib").glob("*torch_cpu.*")
        if path.suffix in (".so", ".dylib")
    )
    return ctypes.CDLL(str(path))


def _bind(library: ctypes.CDLL, torch_library: ctypes.CDLL, real: str) -> None:
    """Pass the functions of torch that the kernels call."""
    names = (
        *("get_dim", "get_sizes", "get_strides", "get_dtype", "get_data_ptr", "empty_strided"),
        *("delete_tensor_object", "device_type_cpu", f"dtype_{real}", "check"),
    )
    addresses = [
        ctypes.cast(getattr(torch_library, f"aoti_torch_{name}"), ctypes.c_void_p).value
        for name in names
    ]
    library.bind((ctypes.c_void_p * len(addresses))(*addresses))


def _implement(library: ctypes.CDLL, space: str, name: str, address: ctypes.c_void_p) -> None:
    """Register a function of the kernels' library as the operator on the CPU."""
    handle = ctypes.c_void_p()
    refused = library.aoti_torch_library_init_impl(
        space.encode(), b"CPU", b"", 0, ctypes.byref(handle)
    ) or library.aoti_torch_library_impl(handle, name.encode(), address)
    if refused:
        raise RuntimeError(
            f"torch {torch.__version__} refused the operator {name}; expected torch 2.10 or newer"
        )


def _write_schema(call: Call) -> str:
    """Return arguments and results of a kernel in torch's syntax."""
    inputs = [f"Tensor {name}" for name in _order(call, _name_inputs(call))]
    results = ", ".join(["Tensor"] * len(call.outputs))
    return f"({', '.join([*inputs, 'bool columns'])}) -> ({results})"


def _name_inputs(call: Call) -> list[str]:
    suffix = "_bar" if call.is_vjp else "_dot"
    return [
        *(each.name for each in call.function.inputs),
        *(f"{each.name}{suffix}" for each in call.more),
    ]


def _order(call: Call, inputs: Sequence[Any]) -> list[Any]:
    """Return inputs of a call in the order of its kernel: run-time parameters are the last one."""
    count = len(call.function.motion)
    return [
        *inputs[:count],
        *inputs[len(call.function.inputs) :],
        *inputs[count : len(call.function.inputs)],
    ]


def _find_states(array: Tensor, argument: Argument) -> tuple[Any, ...]:
    """Return the lengths of the axes over states."""
    return tuple(array.shape[: array.dim() - len(argument.shape)])


def _kernel_arguments(call: Call, arguments: Sequence[Argument]) -> list[Argument]:
    """Return arguments as the kernel has them: with small motions of a base in place of its q."""
    if not call.function.floats or arguments[0].name != "q":
        return list(arguments)
    first = arguments[0]
    return [Argument(first.name, (first.shape[0] - 1,)), *arguments[1:]]


def _describe(call: Call, *arrays: Any) -> Any:
    """Return empty results of a kernel with the shapes and strides that it makes."""
    *tensors, columns = arrays
    more = _kernel_arguments(call, call.more) if call.more else []
    inputs = _order(call, [*call.function.inputs, *more])
    pairs = zip(tensors, inputs, strict=True)
    states = torch.broadcast_shapes(*(_find_states(*pair) for pair in pairs))
    results = []
    for each in _kernel_arguments(call, call.outputs) if call.is_vjp else call.outputs:
        count = len(each.shape)
        if columns:
            made = tensors[0].new_empty((*each.shape, *states))
            results.append(made.permute(*range(count, made.dim()), *range(count)))
        else:
            results.append(tensors[0].new_empty((*states, *each.shape)))
    return results[0] if len(results) == 1 else tuple(results)


def _map(call: Call, operator: Any, info: Any, axes: Sequence[int | None], *arrays: Any) -> Any:
    """Add an axis over states in front of a kernel's arrays."""
    more = _kernel_arguments(call, call.more) if call.more else []
    inputs = _order(call, [*call.function.inputs, *more])
    outputs = operator(*_add_axis(arrays[:-1], axes[:-1], inputs), arrays[-1])
    return outputs, 0 if isinstance(outputs, Tensor) else (0,) * len(outputs)


def _add_axis(
    arrays: Sequence[Tensor], axes: Sequence[int | None], inputs: Sequence[Argument]
) -> list[Tensor]:
    """Return arrays with a common axis in front; an array without the axis serves all states."""
    moved = [
        array[None] if axis is None else array.movedim(axis, 0)
        for array, axis in zip(arrays, axes, strict=True)
    ]
    ranks = [array.dim() - len(each.shape) for array, each in zip(moved, inputs, strict=True)]
    return [
        array.reshape(array.shape[0], *[1] * (max(ranks) - rank), *array.shape[1:])
        for array, rank in zip(moved, ranks, strict=True)
    ]


def compute(call: Call, arrays: Sequence[Tensor]) -> list[Tensor]:
    """Call the kernel of a call, without derivatives.

    Kernels for derivatives have small motions of a floating base in place of changes of q.
    """
    function, arrays = call.function, list(arrays)
    by_motion = function.floats and call.product in ("jvp", "vjp")
    if by_motion and not call.is_vjp:
        place = len(function.inputs)
        arrays[place] = find_motion(arrays[0], arrays[place])
    outputs = _list(function.kernels[call.product](*_order(call, arrays), call.columns))
    if by_motion and call.is_vjp:
        outputs[0] = pull_motion(arrays[0], outputs[0])
    return outputs


def _list(outputs: Any) -> list[Tensor]:
    return [outputs] if isinstance(outputs, Tensor) else list(outputs)


class Rule(torch.autograd.Function):
    """A call with its derivatives: `Rule.apply(call, *arrays)` returns a tensor or a tuple.

    Products of derivatives are calls with derivatives too. They are linear in their last inputs,
    and there are no kernels for their derivatives by the others.
    """

    @staticmethod
    def forward(call: Call, *arrays: Tensor) -> Any:
        """Compute the call."""
        outputs = compute(call, arrays)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep the inputs, which the derivatives require."""
        ctx.call, *arrays = inputs
        ctx.results = [(each.shape, each.dtype) for each in _list(output)]
        ctx.save_for_backward(*arrays)
        ctx.save_for_forward(*arrays)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *given: Any) -> Any:
        """Return derivatives of a weighted sum of the outputs by the inputs."""
        call, arrays, needed = ctx.call, ctx.saved_tensors, ctx.needs_input_grad[1:]
        function = call.function
        count = len(function.inputs)
        weights = [
            arrays[0].new_zeros(shape) if each is None else each
            for each, (shape, _) in zip(given, ctx.results, strict=True)
        ]
        derivatives: list[Any] = [None] * len(arrays)
        if call.product:
            _refuse_second(call, any(needed[:count]))
            derivatives[count:] = _apply(call.transpose(), [*arrays[:count], *weights])
        else:
            _refuse_first(function)
            moved = len(function.motion)
            for product, start, end in (("vjp", 0, moved), ("parameter_vjp", moved, count)):
                if any(needed[start:end]):
                    other = Call(function, product, call.columns)
                    derivatives[start:end] = _apply(other, [*arrays, *weights])
        return None, *(
            None if each is None or not need else each.sum_to_size(array.shape)
            for each, need, array in zip(derivatives, needed, arrays, strict=True)
        )

    @staticmethod
    def jvp(ctx: Any, _: Any, *given: Any) -> Any:
        """Return changes of the outputs for changes of the inputs."""
        call, arrays = ctx.call, ctx.saved_tensors
        function = call.function
        count, moved = len(function.inputs), len(function.motion)
        changes = [
            torch.zeros_like(array) if each is None else each
            for each, array in zip(given, arrays, strict=True)
        ]
        if call.product:
            _refuse_second(call, any(each is not None for each in given[:count]))
            outputs = _apply(call, [*arrays[:count], *changes[count:]])
        else:
            _refuse_first(function)
            parts = []
            for product, start, end in (("jvp", 0, moved), ("parameter_jvp", moved, count)):
                if any(each is not None for each in given[start:end]):
                    other = Call(function, product, call.columns)
                    parts.append(_apply(other, [*arrays, *changes[start:end]]))
            outputs = [sum(pair[1:], pair[0]) for pair in zip(*parts, strict=True)]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    @staticmethod
    def vmap(info: Any, axes: Any, call: Call, *arrays: Tensor) -> Any:
        """Add an axis over states in front."""
        outputs = Rule.apply(call, *_add_axis(arrays, axes[1:], call.inputs))
        return outputs, 0 if isinstance(outputs, Tensor) else (0,) * len(outputs)


def _apply(call: Call, arrays: Sequence[Tensor]) -> list[Tensor]:
    return _list(Rule.apply(call, *arrays))


def _refuse_first(function: Function) -> None:
    if not function.differentiable:
        raise NotImplementedError(
            f"{function.name} has no kernels for derivatives; pass detached inputs, or "
            'differentiate the function of `--target jax` with backend="xla"'
        )


def _refuse_second(call: Call, wanted: bool) -> None:
    if wanted:
        raise NotImplementedError(
            f"{call.function.name} has kernels for first derivatives only; for second derivatives "
            'use the function of `--target jax` with backend="xla"'
        )


def _differentiate(function: Function, *arrays: Any) -> Any:
    """Compute the operator of a function with derivatives, in torch.compile or by `torch.ops`."""
    if torch._C._are_functorch_transforms_active():
        raise NotImplementedError(
            f"{function.name}: torch does not differentiate operators by torch.func inside "
            "torch.compile; call torch.func outside of it, or loss.backward() on a compiled loss"
        )
    *tensors, columns = arrays
    return Rule.apply(Call(function, "", columns), *tensors)
