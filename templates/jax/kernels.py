"""Compiled kernels as a primitive operation of JAX, with its derivatives and `vmap`.

Each kernel is a function of the library `kernels.so`, which XLA calls on the CPU; in some packages
the kernels also run on an NVIDIA GPU. If a function has kernels for products of its Jacobian with
vectors (JVP and VJP), JAX differentiates the function by these kernels.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._description import Call, Shape
from ._motions import QUATERNIONS, find_motion, pull_motion


def _describe(*arrays: Any, call: Call) -> list[Any]:
    described = call.describe(arrays, [each.shape for each in call.outputs])
    return [jax.core.ShapedArray(each.shape, each.dtype) for each in described]


def _compute(*given: Any, call: Call) -> list[Any]:
    """Return the outputs of a call, computed by its kernels.

    If q contains quaternions, kernels for derivatives have velocities in place of changes of q;
    these are converted here. Separate kernels compute products with the Jacobian by run-time
    parameters. XLA does not run a kernel whose results are unused.
    """
    function, count = call.function, len(call.function.inputs)
    state, more = list(given[:count]), list(given[count:])
    axis = -2 if call.states_last else -1
    parameters = [state.pop()] if function.takes_parameters else []

    def run(product: str, arrays: Sequence[Any], shapes: Sequence[Shape]) -> list[Any]:
        layout = "columns" if call.states_last else "rows"
        target = "_".join(filter(None, (function.library, function.name, product, layout)))
        described = call.describe(given, shapes)
        return list(jax.ffi.ffi_call(target, described)(*state, *arrays, *parameters))

    shapes = [each.shape for each in call.outputs]
    if call.product == "jvp":
        changes = [more.pop()] if parameters else []
        if function.has_quaternions:
            more[0] = find_motion(state[0], more[0], axis)
        outputs = run("jvp", more, shapes)
        if not parameters:
            return outputs
        return [
            sum(pair) for pair in zip(outputs, run("parameter_jvp", changes, shapes), strict=True)
        ]
    if call.product == "vjp":
        by_parameters = run("parameter_vjp", more, [shapes.pop()]) if parameters else []
        if function.has_quaternions:
            shapes[0] = (shapes[0][0] - QUATERNIONS,)
        outputs = run("vjp", more, shapes)
        if function.has_quaternions:
            outputs[0] = pull_motion(state[0], outputs[0], axis)
        return [*outputs, *by_parameters]
    return run("", (), shapes)


@cache
def _compile(call: Call) -> Callable[..., list[Any]]:
    return jax.jit(partial(call_kernel.bind, call=call))


def _differentiate(
    primals: Sequence[Any], tangents: Sequence[Any], *, call: Call
) -> tuple[list[Any], list[Any]]:
    """Return the outputs of a call and their changes, as a JVP rule of JAX.

    A product (JVP or VJP) is differentiated only by its last inputs, in which it is linear.
    """
    function = call.function
    outputs = call_kernel.bind(*primals, call=call)
    if not call.product:
        if not function.differentiable:
            raise NotImplementedError(
                f"{function.name} has no kernels for derivatives; to differentiate it, pass "
                'backend="xla"'
            )
        changes = [*primals, *map(ad.instantiate_zeros, tangents)]
        return outputs, call_kernel.bind(*changes, call=Call(function, "jvp", call.states_last))
    count = len(function.inputs)
    if not all(isinstance(each, ad.Zero) for each in tangents[:count]):
        raise NotImplementedError(
            f"{function.name} has kernels for first derivatives only; for second derivatives pass "
            'backend="xla"'
        )
    changes = [*primals[:count], *map(ad.instantiate_zeros, tangents[count:])]
    return outputs, call_kernel.bind(*changes, call=call)


def _transpose(cotangents: Sequence[Any], *arrays: Any, call: Call) -> list[Any]:
    """Return the transpose of a product: the VJP for a JVP, and the reverse."""
    count = len(call.function.inputs)
    other = Call(call.function, {"jvp": "vjp", "vjp": "jvp"}[call.product], call.states_last)
    weights = map(ad.instantiate_zeros, cotangents)
    results = call_kernel.bind(*arrays[:count], *weights, call=other)
    return [None] * count + [
        _sum_to(result, array.aval.shape) if ad.is_undefined_primal(array) else None
        for result, array in zip(results, arrays[count:], strict=True)
    ]


def _sum_to(array: Any, shape: Shape) -> Any:
    """Return an array summed along the axes that have length 1 in a shape."""
    pairs = zip(array.shape, shape, strict=True)
    axes = tuple(axis for axis, (long, short) in enumerate(pairs) if short == 1 < long)
    return jnp.sum(array, axes, keepdims=True) if axes else array


def _map(arrays: Sequence[Any], axes: Sequence[int | None], *, call: Call) -> Any:
    """Run a call under `vmap`: the mapped axis becomes the first axis over states."""
    moved = [
        array[None] if axis is None else jnp.moveaxis(array, axis, 0)
        for array, axis in zip(arrays, axes, strict=True)
    ]
    outputs = call_kernel.bind(*moved, call=call)
    return outputs, [0] * len(outputs)


call_kernel = Primitive("robot_kernel")
call_kernel.multiple_results = True
call_kernel.def_impl(lambda *arrays, call: _compile(call)(*arrays))
call_kernel.def_abstract_eval(_describe)
mlir.register_lowering(call_kernel, mlir.lower_fun(_compute, multiple_results=True))
ad.primitive_jvps[call_kernel] = _differentiate
ad.primitive_transposes[call_kernel] = _transpose
batching.primitive_batchers[call_kernel] = _map


_code: dict[str, bytes] = {}  # of GPU kernels; libraries keep its address


def register(path: Path, kernels: Sequence[str], gpu: bool = False) -> str:
    """Register the kernels of a library for XLA.

    Args:
        path: path of the library.
        kernels: names of the kernels in the library.
        gpu: whether the kernels also run on an NVIDIA GPU; `kernels.ptx` is then next to the
            library.

    Returns:
        Prefix of the registered names; it contains a hash of the library, so that different
        libraries of a process stay separate.
    """
    prefix = f"robot_{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    library = ctypes.CDLL(str(path))
    platforms = ("cpu", "CUDA") if gpu else ("cpu",)
    if gpu:
        _code[prefix] = path.with_name("kernels.ptx").read_bytes()
        library.attach(_code[prefix])
    for kernel, platform in product(kernels, platforms):
        for layout in ("rows", "columns"):
            suffix = "" if platform == "cpu" else "_cuda"
            handler = jax.ffi.pycapsule(getattr(library, f"{kernel}_{layout}{suffix}"))
            jax.ffi.register_ffi_target(f"{prefix}_{kernel}_{layout}", handler, platform=platform)
    return prefix
