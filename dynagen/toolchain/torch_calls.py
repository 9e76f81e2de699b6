"""Calls of generated functions of PyTorch tensors, in a process without dynagen.

The script `run_ufuncs.py` of that process uses this module. The states of a batch are divided into
parts. Each part is computed in one of the ways in which users compute many states: with states on
leading axes, with states on the last axis (`states_last`), or by `torch.vmap`. Products with
Jacobians are computed by `torch.func` and by `torch.autograd`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import torch


def make_call(entry: dict[str, Any]) -> Callable[..., tuple[Any, ...]]:
    """Return a function of numpy arrays that calls a generated PyTorch function.

    The first axis of each array is over states. The last result is the status code if the function
    can fail.

    Args:
        entry: description of the function, with these keys: `module` and `function` are names.
            `inputs` holds the shapes for one state; `one_by_one` is whether to call the function
            for each state separately. `can_fail` is whether the status is a result, `parameters`
            whether the last input holds run-time parameters. `quaternions` is the length of q
            minus the length of qd. `product` names a product with the Jacobian, such as `jvp`;
            `added` is the number of inputs that the product has in addition to the inputs of the
            function.
    """
    module = import_module(entry["module"])
    compute = partial(_compute, module, getattr(module, entry["function"]), entry)
    ways: list[Callable[..., Sequence[Any]]]
    if entry["one_by_one"]:
        ways = [lambda *inputs: _stack([compute(*state) for state in zip(*inputs, strict=True)])]
    else:
        ways = [
            compute,
            partial(_compute_columns, compute, entry),
            partial(_compute_mapped, compute, entry),
        ]

    def call(*inputs: Any) -> tuple[Any, ...]:
        count = len(inputs[0])
        tensors = [torch.from_numpy(np.array(each)) for each in inputs]
        parts = []
        for way, places in zip(ways, np.array_split(np.arange(count), len(ways)), strict=True):
            if len(places):
                found = way(*(each[torch.from_numpy(places)] for each in tensors))
                parts.append([each.detach().numpy() for each in found])
        results = [np.concatenate(each) for each in zip(*parts, strict=True)]
        if entry["can_fail"]:
            failed = [np.isnan(each.reshape(count, -1)).any(1) for each in results]
            results.append(np.any(failed, 0).astype(np.int32))
        return tuple(results)

    return call


def _stack(rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [torch.stack(each) for each in zip(*rows, strict=True)]


def _compute(
    module: Any, function: Callable[..., Any], entry: dict[str, Any], *inputs: Any, **options: Any
) -> tuple[Any, ...]:
    """Compute a function of the robot, or a product of its Jacobian and a vector.

    `entry["product"]` names the product, such as `parameter_jvp`; it is empty for the function
    itself.
    """
    product, call = entry["product"], partial(function, **options)
    if not product:
        return _listed(call(*inputs))
    axis = 0 if options.get("states_last") else -1
    count = len(entry["inputs"]) - entry["added"]
    if entry["parameters"]:  # they come last
        state, more = [*inputs[: count - 1], inputs[-1]], list(inputs[count - 1 : -1])
    else:
        state, more = list(inputs[:count]), list(inputs[count:])
    if product.endswith("jvp"):
        still = [torch.zeros_like(each) for each in state]
        if product == "parameter_jvp":
            changes = [*still[:-1], *more]
        else:
            if entry["quaternions"]:
                more[0] = module.find_change(state[0], more[0], axis)
            changes = [*more, *still[len(more) :]]
        return _listed(torch.func.jvp(call, tuple(state), tuple(changes))[1])
    adjoints = _pull(call, state, more, by_func=bool(options))
    if product == "parameter_vjp":
        return (adjoints[-1],)
    if entry["parameters"]:
        adjoints.pop()
    if entry["quaternions"]:
        rest = torch.zeros_like(
            torch.movedim(torch.movedim(state[0], axis, 0)[entry["quaternions"] :], 0, axis)
        )
        _, pull = torch.func.vjp(lambda motion: module.find_change(state[0], motion, axis), rest)
        adjoints[0] = pull(adjoints[0])[0]
    return tuple(adjoints)


def _pull(
    call: Callable[..., Any], state: Sequence[Any], weights: Sequence[Any], by_func: bool
) -> list[Any]:
    """Return the derivatives of the weighted sum of all outputs with respect to each input.

    Each of the `weights` has the shape of its output. `by_func` selects `torch.func` in place of
    autograd; `torch.vmap` always requires it.
    """
    if by_func or any(torch._C._functorch.is_batchedtensor(each) for each in state):
        outputs, pull = torch.func.vjp(call, *state)
        return list(pull(weights[0] if len(_listed(outputs)) == 1 else tuple(weights)))
    leaves = [each.detach().requires_grad_() for each in state]
    return list(torch.autograd.grad(_listed(call(*leaves)), leaves, weights))


def _compute_mapped(
    compute: Callable[..., tuple[Any, ...]], entry: dict[str, Any], *inputs: Any
) -> tuple[Any, ...]:
    """Compute a function by `vmap` over states; all states have the same run-time parameters."""
    if not entry["parameters"]:
        return tuple(torch.vmap(compute)(*inputs))
    axes = (*[0] * (len(inputs) - 1), None)
    return tuple(torch.vmap(compute, axes)(*inputs[:-1], inputs[-1][0]))


def _compute_columns(
    compute: Callable[..., tuple[Any, ...]], entry: dict[str, Any], *inputs: Any
) -> list[Any]:
    """Compute all states by one call of `compute`, whose arrays have the states on the last axis.

    In `inputs` and in the results, the states are on the first axis; the arrays are transposed
    before and after the call. All states have the same run-time parameters.
    """
    columns = [torch.movedim(each, 0, -1).contiguous() for each in inputs]
    if entry["parameters"] and not entry["product"].startswith("parameter"):
        columns[-1] = columns[-1][:, :1]
    return [torch.movedim(each, -1, 0) for each in compute(*columns, states_last=True)]


def _listed(outputs: Any) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)
