"""Compiled kernels as operators of PyTorch, with derivatives and `vmap`.

Each kernel is an operator `<name>_kernel` without derivatives; torch calls the library directly.
The operator `<name>` is differentiated by the kernels for products of Jacobians with vectors.
torch.compile treats `<name>` as a single node of its graph. Some packages also contain kernels for
NVIDIA GPUs.
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
from ._motions import QUATERNIONS
from ._rules import Rule, add_axis, order

_TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.flexible_layout)
_libraries: dict[str, Any] = {}  # torch forgets the operators of a library that is deleted
_code: dict[str, bytes] = {}  # of GPU kernels; libraries keep its address


def register(path: Path, functions: Sequence[Function], gpu: bool = False) -> list[Function]:
    """Register the kernels of a library as operators; return the functions with their operators.

    The operators' namespace contains a hash of the library, so that different libraries of a
    process stay separate.

    Args:
        path: path of the library.
        functions: functions whose kernels are in the library.
        gpu: whether the library also starts kernels on an NVIDIA GPU; `kernels.ptx` is then next to
            the library. With a torch that was built without CUDA, GPU kernels are not registered.
    """
    space = f"robot_{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    library, torch_library = ctypes.CDLL(str(path)), _find_torch()
    _bind(library, torch_library, functions[0].real)
    platforms = {"CPU": ""}
    if gpu and torch.version.cuda:
        _code[space] = path.with_name("kernels.ptx").read_bytes()
        library.attach(_code[space])
        library.bind_stream(ctypes.cast(_find_stream_getter(), ctypes.c_void_p))
        platforms["CUDA"] = "_cuda"
    operators = torch.library.Library(space, "FRAGMENT")
    registered = []
    for function in functions:
        kernels = {}
        for product in ("", *function.products):
            kernel = "_".join(filter(None, (function.name, product)))
            call = Call(function, product, False)
            names = [f"{kernel}_kernel"] if product else [f"{kernel}_kernel", kernel]
            for name in names:
                operators.define(f"{name}{_write_schema(call)}", tags=_TAGS)
                for platform, suffix in platforms.items():
                    operation = getattr(library, f"operate_{kernel}{suffix}")
                    _implement(torch_library, space, platform, name, operation)
                qualified = f"{space}::{name}"
                torch.library.register_fake(
                    qualified, partial(_describe, call), lib=operators, allow_override=True
                )
                operator = getattr(getattr(torch.ops, space), name).default
                torch.library.register_vmap(qualified, partial(_map, call, operator), lib=operators)
                kernels[product if name != kernel else "differentiable"] = operator
        own = replace(
            function,
            kernels=kernels,
            operator=kernels["differentiable"],
            has_gpu="CUDA" in platforms,
        )
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
    """Pass the addresses of torch's functions to the library, whose kernels call them."""
    names = (
        *("get_dim", "get_sizes", "get_strides", "get_dtype", "get_data_ptr"),
        *("get_device_type", "get_device_index", "empty_strided"),
        *("delete_tensor_object", f"dtype_{real}", "check"),
    )
    addresses = [
        ctypes.cast(getattr(torch_library, f"aoti_torch_{name}"), ctypes.c_void_p).value
        for name in names
    ]
    library.bind((ctypes.c_void_p * len(addresses))(*addresses))


def _find_stream_getter() -> Any:
    """Return the function of torch's library for CUDA that returns the current stream of a GPU."""
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cuda.so"))
    return library.aoti_torch_get_current_cuda_stream


def _implement(library: ctypes.CDLL, space: str, platform: str, name: str, operation: Any) -> None:
    """Register a function of the kernels' library as operator `name` for `platform` (CPU or CUDA).

    `space` is the namespace of the operator.
    """
    handle = ctypes.c_void_p()
    refused = library.aoti_torch_library_init_impl(
        space.encode(), platform.encode(), b"", 0, ctypes.byref(handle)
    ) or library.aoti_torch_library_impl(
        handle, name.encode(), ctypes.cast(operation, ctypes.c_void_p)
    )
    if refused:
        raise RuntimeError(
            f"torch {torch.__version__} refused the operator {name}; expected torch 2.10 or newer"
        )


def _write_schema(call: Call) -> str:
    """Return arguments and results of a kernel in torch's syntax."""
    inputs = [f"Tensor {name}" for name in order(call, _name_inputs(call))]
    results = ", ".join(["Tensor"] * len(call.outputs))
    return f"({', '.join([*inputs, 'bool columns'])}) -> ({results})"


def _name_inputs(call: Call) -> list[str]:
    suffix = "_bar" if call.is_vjp else "_dot"
    return [
        *(each.name for each in call.function.inputs),
        *(f"{each.name}{suffix}" for each in call.more),
    ]


def _find_states(array: Tensor, argument: Argument) -> tuple[Any, ...]:
    """Return the lengths of a tensor's leading axes, which count states."""
    return tuple(array.shape[: array.dim() - len(argument.shape)])


def _kernel_arguments(call: Call, arguments: Sequence[Argument]) -> list[Argument]:
    """Return the arguments of a kernel for derivatives, with a suitable change of q.

    If q contains quaternions, the kernel has a velocity vector in place of the change of q.
    """
    if not call.function.has_quaternions or arguments[0].name != "q":
        return list(arguments)
    first = arguments[0]
    return [Argument(first.name, (first.shape[0] - QUATERNIONS,)), *arguments[1:]]


def _describe(call: Call, *arrays: Any) -> Any:
    """Return empty tensors with the shapes and strides of a kernel's results."""
    *tensors, columns = arrays
    more = _kernel_arguments(call, call.more) if call.more else []
    inputs = order(call, [*call.function.inputs, *more])
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
    """Run a kernel under `vmap`: the mapped axis becomes the first axis over states."""
    more = _kernel_arguments(call, call.more) if call.more else []
    inputs = order(call, [*call.function.inputs, *more])
    outputs = operator(*add_axis(arrays[:-1], axes[:-1], inputs), arrays[-1])
    return outputs, 0 if isinstance(outputs, Tensor) else (0,) * len(outputs)


def _differentiate(function: Function, *arrays: Any) -> Any:
    """Compute a function with derivatives, for calls in torch.compile and by `torch.ops`."""
    if torch._C._are_functorch_transforms_active():
        raise NotImplementedError(
            f"{function.name}: torch does not differentiate operators by torch.func inside "
            "torch.compile; call torch.func outside of it, or loss.backward() on a compiled loss"
        )
    *tensors, columns = arrays
    return Rule.apply(Call(function, "", columns), *tensors)
