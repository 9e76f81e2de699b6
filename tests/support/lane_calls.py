"""Calls of compiled kernels through ctypes: of those over lanes on structures of arrays, and of
those for one state.
"""

import ctypes

import numpy as np


def called(library, made, states, stride, aliased=None):
    """What the kernel over lanes returns, (count, size) for each result; what lies behind the
    states stays as it is.
    """
    (one,) = made.kernels
    signature, dtype, count = (
        one.program.signature,
        made.real.dtype,
        len(next(iter(states.values()))),
    )
    arrays = {}
    for argument in (*signature.inputs, *signature.results):
        arrays[argument.name] = np.full((argument.size, stride), 777, dtype)
    for argument in signature.inputs:
        arrays[argument.name][:, :count] = states[argument.name].T
    if aliased:
        arrays[signature.results[0].name] = arrays[aliased]
    status = np.full(stride, 777, np.intc)
    pointers = [array.ctypes for array in arrays.values()] + [status.ctypes] * signature.can_fail
    function = getattr(library, f"puma560_{one.function}_batch")
    function(ctypes.c_size_t(count), ctypes.c_size_t(stride), *pointers)
    for array in (*arrays.values(), status):
        assert np.all(array[..., count:] == 777)
    results = [arrays[result.name][:, :count].T for result in signature.results]
    return [*results, status[:count]] if signature.can_fail else results


def one_by_one(library, made, states, returns_status=True):
    """What the kernel for one state returns, elements in the order of the language's memory.

    A status comes as the function's own value, or in a last argument.
    """
    (one,) = made.kernels
    signature, dtype = one.program.signature, made.real.dtype
    count = len(next(iter(states.values())))
    results = [np.empty((count, result.size), dtype) for result in signature.results]
    status = np.zeros(count, np.intc)
    for state in range(count):
        inputs = [
            np.ascontiguousarray(states[argument.name][state]) for argument in signature.inputs
        ]
        outputs = [result[state] for result in results]
        arrays = [array.ctypes for array in (*inputs, *outputs)]
        if signature.can_fail and not returns_status:
            arrays.append(status[state:].ctypes)
        returned = getattr(library, f"puma560_{one.function}")(*arrays)
        if signature.can_fail and returns_status:
            status[state] = returned
    return [*results, status] if signature.can_fail else results


def random_states(made, count, seed=3):
    """Inputs of a package's only kernel."""
    generator = np.random.default_rng(seed)
    inputs = made.kernels[0].program.inputs
    return {
        each.name: generator.uniform(-2, 2, (count, each.size)).astype(made.real.dtype)
        for each in inputs
    }


def hostile_states(made):
    """Inputs of four elements, each of them any number that is none, has none beside it, or is
    zero.
    """
    numbers = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-300, -1.5, 0.25, 2.0]
    columns = np.meshgrid(*[numbers] * 4)
    return {"q": np.stack([column.ravel() for column in columns], 1).astype(made.real.dtype)[::7]}


def assert_same(first, second):
    """Results are the same, NaN where it is NaN."""
    for left, right in zip(first, second, strict=True):
        np.testing.assert_array_equal(left, right)
