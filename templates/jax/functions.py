"""Functions of JAX arrays, computed by compiled kernels, with derivatives in both modes.

Each kernel is a function of the library `kernels.so`, which XLA calls on the CPU. A function with
kernels for products of its derivatives has a JVP and a VJP; JAX then never sees inside. The
programs of `_programs`, in jax.numpy, compute the same on any device.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

FFI, XLA = BACKENDS = ("ffi", "xla")
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Argument:
    """An input or output: its name, and its shape for one state."""

    name: str
    shape: Shape


@dataclass(frozen=True)
class Function:
    """A function with compiled kernels.

    Attributes:
        name: name of the function.
        inputs: in order.
        outputs: in order.
        library: prefix of the names under which its kernels are registered.
        real: type of the numbers, float32 or float64.
        floats: whether the first input, q, begins with the position and quaternion of a base.
        differentiable: whether there are kernels `<name>_jvp` and `<name>_vjp`.
        program: name of the module with programs in jax.numpy.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    library: str
    real: str
    floats: bool
    differentiable: bool
    program: str

    def __call__(self, *values: Any, states_last: bool, backend: str) -> Any:
        """Return the only output, or a tuple of all outputs."""
        if backend not in BACKENDS:
            raise ValueError(
                f"{self.name}: expected backend {' or '.join(map(repr, BACKENDS))}, "
                f"found {backend!r}"
            )
        arrays, states = self._read(values, states_last, backend)
        if self.floats:
            arrays[0] = _normalise(arrays[0], -2 if states_last else -1)
        if backend == FFI:
            outputs = _kernel.bind(*arrays, call=_Call(self, "", states_last))
        else:
            outputs = _run_program(self, arrays, states_last)
        if states_last:
            outputs = [
                jnp.reshape(output, (*each.shape, *states))
                for output, each in zip(outputs, self.outputs, strict=True)
            ]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _read(
        self, values: Sequence[Any], states_last: bool, backend: str
    ) -> tuple[list[Any], Shape]:
        """Check the inputs; return them with equal numbers of axes over states, and these axes.

        With `states_last` the axes over states become one, the last.
        """
        arrays, axes = [], []
        for given, value in zip(self.inputs, values, strict=True):
            array = self._convert(given, value, backend)
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
                    f"{self.name}: {given.name} must have the shape "
                    f"{wanted if given.shape else '(...)'}, found {array.shape}"
                )
            arrays.append(array)
            axes.append(of_states)
        try:
            states = np.broadcast_shapes(*axes)
        except ValueError:
            found = ", ".join(
                f"{each.name} {shape}" for each, shape in zip(self.inputs, axes, strict=True)
            )
            raise ValueError(
                f"{self.name}: the axes over states do not broadcast: {found}"
            ) from None
        if states_last:
            count = int(np.prod(states, dtype=np.int64))
            for place, (given, own) in enumerate(zip(self.inputs, axes, strict=True)):
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

    def _convert(self, given: Argument, value: Any, backend: str) -> Any:
        """Return an input as an array of the right type on the right device."""
        if self.real == "float64" and not jax.config.jax_enable_x64:
            raise TypeError(
                f"{self.name} computes in float64, which JAX does not enable by default: call "
                'jax.config.update("jax_enable_x64", True) when the program starts, or generate '
                "with --real float"
            )
        if not isinstance(value, jax.Array | np.ndarray):
            value = np.asarray(value)
            if value.dtype.kind not in "iuf":
                raise TypeError(
                    f"{self.name}: {given.name} must contain real numbers, found {value.dtype}"
                )
            value = value.astype(self.real)
        array = jnp.asarray(value)
        if array.dtype != self.real:
            raise TypeError(
                f"{self.name}: {given.name} must be of type {self.real}, found {array.dtype}; "
                f"convert it with {given.name}.astype({self.real!r})"
            )
        if backend == FFI and not isinstance(array, jax.core.Tracer):
            for device in array.devices():
                if device.platform != "cpu":
                    raise ValueError(
                        f"{self.name}: {given.name} is on {device}, and the compiled kernels run "
                        f'on the CPU; pass jax.device_put({given.name}, jax.devices("cpu")[0]), or '
                        'backend="xla"'
                    )
        return array


@dataclass(frozen=True)
class _Call:
    """A call of a kernel in a JAX program.

    Attributes:
        function: the function.
        product: "" for the function, "jvp" or "vjp" for a product of its derivatives.
        states_last: whether states are the last axis of all arrays, instead of the first axes.

    The inputs of a product are those of the function, then changes of its inputs ("jvp") or weights
    of its outputs ("vjp").
    """

    function: Function
    product: str
    states_last: bool

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """Inputs of the call."""
        more = {"": (), "jvp": self.function.inputs, "vjp": self.function.outputs}
        return (*self.function.inputs, *more[self.product])

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Outputs of the call."""
        return self.function.inputs if self.product == "vjp" else self.function.outputs

    def find_states(self, array: Any, argument: Argument) -> Shape:
        """Return the lengths of the axes over states of an array."""
        outer = array.shape[: array.ndim - len(argument.shape) - self.states_last]
        return (*outer, array.shape[-1]) if self.states_last else outer

    def add_states(self, shape: Shape, states: Shape) -> Shape:
        """Return the shape of an array with axes over states."""
        if self.states_last:
            return (*states[:-1], *shape, states[-1])
        return (*states, *shape)

    def describe(self, arrays: Sequence[Any], shapes: Sequence[Shape]) -> list[Any]:
        """Return shapes and types of outputs that have these shapes for one state."""
        states = np.broadcast_shapes(*map(self.find_states, arrays, self.inputs))
        return [
            jax.ShapeDtypeStruct(self.add_states(shape, states), self.function.real)
            for shape in shapes
        ]


def _describe(*arrays: Any, call: _Call) -> list[Any]:
    described = call.describe(arrays, [each.shape for each in call.outputs])
    return [jax.core.ShapedArray(each.shape, each.dtype) for each in described]


def _compute(*given: Any, call: _Call) -> list[Any]:
    """Call the kernel of a call.

    Kernels for derivatives have small motions of a floating base in place of changes of q.
    """
    function, arrays = call.function, list(given)
    shapes = [each.shape for each in call.outputs]
    axis = -2 if call.states_last else -1
    moves = function.floats and call.product
    if moves and call.product == "jvp":
        place = len(function.inputs)
        arrays[place] = find_motion(arrays[0], arrays[place], axis)
    if moves and call.product == "vjp":
        shapes[0] = (shapes[0][0] - 1,)
    layout = "columns" if call.states_last else "rows"
    target = "_".join(filter(None, (function.library, function.name, call.product, layout)))
    outputs = list(jax.ffi.ffi_call(target, call.describe(arrays, shapes))(*arrays))
    if moves and call.product == "vjp":
        (change,) = call.describe(arrays, [call.outputs[0].shape])
        transpose = jax.linear_transpose(lambda each: find_motion(arrays[0], each, axis), change)
        (outputs[0],) = transpose(outputs[0])
    return outputs


@cache
def _compile(call: _Call) -> Callable[..., list[Any]]:
    return jax.jit(partial(_kernel.bind, call=call))


def _differentiate(
    primals: Sequence[Any], tangents: Sequence[Any], *, call: _Call
) -> tuple[list[Any], list[Any]]:
    """Return outputs and their changes. Products are linear in their last inputs."""
    function = call.function
    outputs = _kernel.bind(*primals, call=call)
    if not call.product:
        if not function.differentiable:
            raise NotImplementedError(
                f"{function.name} has no kernels for derivatives; to differentiate it, pass "
                'backend="xla"'
            )
        changes = [*primals, *map(ad.instantiate_zeros, tangents)]
        return outputs, _kernel.bind(*changes, call=_Call(function, "jvp", call.states_last))
    count = len(function.inputs)
    if not all(isinstance(each, ad.Zero) for each in tangents[:count]):
        raise NotImplementedError(
            f"{function.name} has kernels for first derivatives only; for second derivatives pass "
            'backend="xla"'
        )
    changes = [*primals[:count], *map(ad.instantiate_zeros, tangents[count:])]
    return outputs, _kernel.bind(*changes, call=call)


def _transpose(cotangents: Sequence[Any], *arrays: Any, call: _Call) -> list[Any]:
    """Return the transpose of a product: the product in the other direction."""
    count = len(call.function.inputs)
    other = _Call(call.function, {"jvp": "vjp", "vjp": "jvp"}[call.product], call.states_last)
    weights = map(ad.instantiate_zeros, cotangents)
    results = _kernel.bind(*arrays[:count], *weights, call=other)
    return [None] * count + [
        _sum_to(result, array.aval.shape) if ad.is_undefined_primal(array) else None
        for result, array in zip(results, arrays[count:], strict=True)
    ]


def _sum_to(array: Any, shape: Shape) -> Any:
    """Return the sums along axes that have length 1 in a shape."""
    pairs = zip(array.shape, shape, strict=True)
    axes = tuple(axis for axis, (long, short) in enumerate(pairs) if short == 1 < long)
    return jnp.sum(array, axes, keepdims=True) if axes else array


def _map(arrays: Sequence[Any], axes: Sequence[int | None], *, call: _Call) -> Any:
    """Add an axis over states in front; an array without the axis serves all states."""
    moved = [
        array[None] if axis is None else jnp.moveaxis(array, axis, 0)
        for array, axis in zip(arrays, axes, strict=True)
    ]
    outputs = _kernel.bind(*moved, call=call)
    return outputs, [0] * len(outputs)


_kernel = Primitive("robot_kernel")
_kernel.multiple_results = True
_kernel.def_impl(lambda *arrays, call: _compile(call)(*arrays))
_kernel.def_abstract_eval(_describe)
mlir.register_lowering(_kernel, mlir.lower_fun(_compute, multiple_results=True))
ad.primitive_jvps[_kernel] = _differentiate
ad.primitive_transposes[_kernel] = _transpose
batching.primitive_batchers[_kernel] = _map


def _run_program(function: Function, arrays: Sequence[Any], states_last: bool) -> list[Any]:
    """Compute a function by its program in jax.numpy."""
    from importlib import import_module

    programs = import_module(function.program)
    call = _Call(function, "", states_last)
    states = np.broadcast_shapes(*map(call.find_states, arrays, call.inputs))
    inputs = []
    for given, array in zip(function.inputs, arrays, strict=True):
        flat = jnp.reshape(array, call.add_states((-1,), call.find_states(array, given)))
        inputs.append(list(jnp.moveaxis(flat, -2 if states_last else -1, 0)))
    outputs = getattr(programs, function.name)(*inputs)
    axis = -2 if states_last else -1
    return [
        jnp.reshape(
            jnp.stack([jnp.broadcast_to(jnp.asarray(each, function.real), states) for each in output], axis),
            call.add_states(argument.shape, states),
        )
        for output, argument in zip(outputs, function.outputs, strict=True)
    ]


def _normalise(q: Any, axis: int) -> Any:
    """Return positions with a quaternion of length 1."""
    position, quaternion, joints = _divide(q, axis, 3, 4)
    length = jnp.sqrt(jnp.sum(quaternion**2, axis, keepdims=True))
    return jnp.concatenate([position, quaternion / length, joints], axis)


def find_motion(q: Any, dq: Any, axis: int = -1) -> Any:
    """Return the small motion of a floating base and the joints for a change of q.

    The base moves along and about its own axes: R^T dp, and twice the vector part of the product of
    the conjugate quaternion with its change. A change of the quaternion's length is no motion.

    Args:
        q: positions with a unit quaternion, shape (..., nq).
        dq: their changes, shape (..., nq).
        axis: axis of the entries.

    Returns:
        Small motions, shape (..., nv).
    """
    _, quaternion, _ = _divide(q, axis, 3, 4)
    position, turn, joints = _divide(dq, axis, 3, 4)
    x, y, z, w = _list_entries(quaternion, axis)
    dx, dy, dz, dw = _list_entries(turn, axis)
    angular = [
        2 * (w * dx - x * dw - y * dz + z * dy),
        2 * (w * dy - y * dw - z * dx + x * dz),
        2 * (w * dz - z * dw - x * dy + y * dx),
    ]
    linear = _rotate([-x, -y, -z], w, _list_entries(position, axis))
    return jnp.concatenate([jnp.stack([*linear, *angular], axis), joints], axis)


def find_change(q: Any, v: Any, axis: int = -1) -> Any:
    """Return the change of q for a small motion: dq = G(q) v, the inverse of `find_motion`.

    Args:
        q: positions with a unit quaternion, shape (..., nq).
        v: small motions, or velocities, shape (..., nv).
        axis: axis of the entries.

    Returns:
        Changes of q, or its time derivatives, shape (..., nq).
    """
    _, quaternion, _ = _divide(q, axis, 3, 4)
    linear, angular, joints = _divide(v, axis, 3, 3)
    x, y, z, w = _list_entries(quaternion, axis)
    a, b, c = _list_entries(angular, axis)
    turn = [
        (w * a + y * c - z * b) / 2,
        (w * b + z * a - x * c) / 2,
        (w * c + x * b - y * a) / 2,
        -(x * a + y * b + z * c) / 2,
    ]
    position = _rotate([x, y, z], w, _list_entries(linear, axis))
    return jnp.concatenate([jnp.stack([*position, *turn], axis), joints], axis)


def _divide(array: Any, axis: int, *sizes: int) -> tuple[Any, Any, Any]:
    """Return two parts of an array along an axis, with these sizes, and the rest."""
    first, second, rest = jnp.split(array, np.cumsum(sizes), axis)
    return first, second, rest


def _list_entries(array: Any, axis: int) -> list[Any]:
    return list(jnp.moveaxis(array, axis, 0))


def _rotate(vector: Sequence[Any], w: Any, point: Sequence[Any]) -> list[Any]:
    """Return a point rotated by the unit quaternion with this vector part and w."""
    cross = _cross(vector, point)
    twice = _cross(vector, cross)
    return [p + 2 * (w * c + t) for p, c, t in zip(point, cross, twice, strict=True)]


def _cross(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    (a, b, c), (x, y, z) = left, right
    return [b * z - c * y, c * x - a * z, a * y - b * x]


def register(path: Path, kernels: Sequence[str]) -> str:
    """Register the kernels of a library for XLA.

    Args:
        path: the library.
        kernels: names of its kernels.

    Returns:
        Prefix of the registered names; it contains a hash of the library, so that different
        libraries of a process stay separate.
    """
    prefix = f"robot_{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    library = ctypes.CDLL(str(path))
    for kernel in kernels:
        for layout in ("rows", "columns"):
            handler = jax.ffi.pycapsule(getattr(library, f"{kernel}_{layout}"))
            jax.ffi.register_ffi_target(f"{prefix}_{kernel}_{layout}", handler, platform="cpu")
    return prefix
