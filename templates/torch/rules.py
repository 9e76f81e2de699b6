"""Calls of kernels with derivatives and `vmap`, for tensors that torch differentiates eagerly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ._description import Argument, Call, Function
from ._motions import find_motion, pull_motion


def order(call: Call, inputs: Sequence[Any]) -> list[Any]:
    """Return the inputs of a call in the order of its kernel: run-time parameters come last."""
    count = len(call.function.motion)
    return [
        *inputs[:count],
        *inputs[len(call.function.inputs) :],
        *inputs[count : len(call.function.inputs)],
    ]


def add_axis(
    arrays: Sequence[Tensor], axes: Sequence[int | None], inputs: Sequence[Argument]
) -> list[Tensor]:
    """Return arrays in which the axis that `vmap` maps comes first.

    `axes` holds the number of this axis for each array. Where it is None, an axis of length 1 is
    added. Axes of length 1 also give all arrays equally many axes over states.
    """
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
    """Return the outputs of a call, computed by its kernel, without differentiation.

    If q contains quaternions, kernels for derivatives have velocities in place of changes of q;
    these are converted here.
    """
    function, arrays = call.function, list(arrays)
    by_motion = function.has_quaternions and call.product in ("jvp", "vjp")
    if by_motion and not call.is_vjp:
        place = len(function.inputs)
        arrays[place] = find_motion(arrays[0], arrays[place])
    outputs = _list(function.kernels[call.product](*order(call, arrays), call.columns))
    if by_motion and call.is_vjp:
        outputs[0] = pull_motion(arrays[0], outputs[0])
    return outputs


def _list(outputs: Any) -> list[Tensor]:
    return [outputs] if isinstance(outputs, Tensor) else list(outputs)


class Rule(torch.autograd.Function):
    """Call of a kernel that torch.autograd can differentiate.

    `Rule.apply(call, *arrays)` returns a tensor, or a tuple of tensors for several outputs.
    A product (JVP or VJP) is also differentiable, but only by its last inputs, in which the product
    is linear. No kernel computes the second derivatives of the function.
    """

    @staticmethod
    def forward(call: Call, *arrays: Tensor) -> Any:
        """Return the outputs of a call, computed by its kernel."""
        outputs = compute(call, arrays)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Save the inputs of a call, which its derivatives require."""
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
        """Return the changes of the outputs that result from changes of the inputs."""
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
        """Run a call under `vmap`: the mapped axis becomes the first axis over states."""
        outputs = Rule.apply(call, *add_axis(arrays, axes[1:], call.inputs))
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
