"""Functions of numpy arrays, made from the source code of kernels.

Functions in C are NumPy generalized ufuncs in an extension module. For other languages, and without
Python's headers, `broadcast_states` wraps a compiled kernel so that it accepts the same arrays. A
`UfuncSource` contains the source code and is part of a pickled `Ufunc`. The process that unpickles
the `Ufunc` compiles the source code, or finds the compiled module in its cache.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from types import ModuleType
from typing import Any

import numpy as np

from dynagen.codegen.language import UfuncModule, collect_kernel_sources, load_kernels
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.routine import Routine
from dynagen.codegen.ufuncs import list_ufunc_signatures
from dynagen.ir.program import PARAMS, PREPARE, Argument, Signature
from dynagen.numbers.real import Real
from dynagen.runtime.ufunc import Call, Ufunc, UfuncNotes, is_lazy
from dynagen.toolchain.extension import explain_unavailable, load_module
from dynagen.toolchain.kernel import (
    Array,
    CompiledKernel,
    add_values_argument,
)

_MODULES = 256  # sources whose functions a process keeps; it cannot unload compiled modules


@dataclass(frozen=True)
class UfuncSource:
    """Source code of kernels, from which their functions are compiled.

    Attributes:
        language: name of the programming language, as in the option `lang`.
        files: pairs (path, text) of the files with kernels, and of the files that they include.
        routines: the kernels in the files; for a robot with run-time parameters also the kernel
            `prepare`, which computes all values that depend only on the parameters.
        real: floating-point type of the kernels, double or float.
    """

    language: str
    files: tuple[tuple[str, str], ...]
    routines: tuple[Routine, ...]
    real: Real

    @property
    def signatures(self) -> dict[str, Signature]:
        """Inputs and outputs of each function, by name of the function.

        The last input of a function is the array of run-time parameter values, if the robot has
        run-time parameters. The last input of the kernel is the result of `prepare` instead.
        """
        return list_ufunc_signatures(self.routines)

    @property
    def digest(self) -> str:
        """SHA-256 hash that identifies the source code."""
        return sha256(
            repr((self.language, self.files, self.routines, self.real.name)).encode()
        ).hexdigest()

    def make_ufunc(self, name: str, notes: UfuncNotes) -> Ufunc:
        """Load a function, and compile its source code if necessary.

        Raises:
            ToolchainError: a compiler or interpreter is not installed, or rejects the source.
        """
        dtype = np.dtype(self.real.dtype)
        return Ufunc(load_calls(self)[name], self.signatures[name], dtype, notes, lambda: self)

    def print_module_files(
        self, module: UfuncModule, help_lines: Mapping[str, Sequence[str]] | None = None
    ) -> dict[str, str]:
        """Return the C source files of an extension module, as a mapping from path to text.

        Args:
            module: printer of the source code of extension modules, which the language provides.
            help_lines: mapping from function name to the lines that `help` shows; None to show the
                arguments only.
        """
        return module.print_module(dict(self.files), self.routines, self.real, help_lines or {})


def collect_source(language: str, package: Package, files: tuple[SourceFile, ...]) -> UfuncSource:
    """Collect the source files with kernels, and the files that they include.

    Args:
        language: name of the programming language.
        package: the robot's kernels and constants, which the files contain.
        files: all generated files, from which the files with kernels are selected.
    """
    sources, routines = collect_kernel_sources(find_language(language), package, files)
    return UfuncSource(language, tuple(sources.items()), tuple(routines), package.real)


@lru_cache(maxsize=_MODULES)
def find_module(source: UfuncSource) -> ModuleType | None:
    """Return the Python extension module of generated code, from the cache or newly compiled.

    The result is None if the language has no extension modules, or if Python's headers are missing.

    Raises:
        ToolchainError: a compiler is not installed, or rejects the source.
    """
    module = find_language(source.language).ufunc_module
    if module is None or explain_unavailable(module.compiler):
        return None
    return load_module(
        module.compiler, source.print_module_files(module), module.print_calls(source.real)
    )


@lru_cache(maxsize=_MODULES)
def load_calls(source: UfuncSource) -> Mapping[str, Call]:
    """Return functions of arrays by name for generated code, from the cache or newly compiled.

    If Python's headers are missing, a warning is printed, and the functions are called through the
    library cffi, which is slower.

    Raises:
        ToolchainError: a compiler or interpreter is not installed, or rejects the source.
    """
    language = find_language(source.language)
    if (module := find_module(source)) is not None:
        return {name: getattr(module, name) for name in source.signatures}
    if language.ufunc_module is not None:
        warnings.warn(
            f"{explain_unavailable(language.ufunc_module.compiler)}. Until then, calls use cffi, "
            "which is slower for few states",
            stacklevel=2,
        )
    kernels = load_kernels(
        language, dict(source.files), source.routines, source.real, optimise=True
    )
    return {
        name: broadcast_states(
            add_preparation(kernel, kernels[PREPARE])
            if kernel.signature.inputs[-1].name == PARAMS
            else kernel
        )
        for name, kernel in kernels.items()
    }


def broadcast_states(kernel: CompiledKernel) -> Call:
    """Return a function that calls a kernel for inputs whose leading axes (states) broadcast.

    The returned function accepts inputs by position or by name. It also accepts `out`, an array or
    a tuple with one array for each result, but no other option of NumPy's ufuncs.
    """
    name, wanted = kernel.signature.name, kernel.signature.inputs

    def call(*inputs: Any, out: Any = None, **named: Any) -> Any:
        bound = _bind(name, wanted, inputs, named)
        arrays = [_convert(kernel, *pair) for pair in zip(wanted, bound, strict=True)]
        leading = _broadcast_leading(name, wanted, arrays)
        rows = [
            np.ascontiguousarray(np.broadcast_to(array, (*leading, *argument.shape))).reshape(
                (-1, *argument.shape)
            )
            for argument, array in zip(wanted, arrays, strict=True)
        ]
        results = [result.reshape((*leading, *result.shape[1:])) for result in kernel.run(rows)]
        if out is not None:
            results = _store(name, results, out if isinstance(out, tuple) else (out,))
        elif not leading:
            # As numpy does, return scalars instead of arrays without axes.
            results = [result[()] for result in results]
        return results[0] if len(results) == 1 else tuple(results)

    return call


def add_preparation(kernel: CompiledKernel, prepare: CompiledKernel) -> CompiledKernel:
    """Return a kernel whose last input is the array of run-time parameter values.

    The returned kernel calls `prepare` with the values, and `kernel` with its result.

    Args:
        kernel: kernel whose last input is the result of `prepare`.
        prepare: kernel that computes all values that depend only on the run-time parameters.
    """

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        *state, values = inputs
        params, _ = prepare.run([values])
        return kernel.run([*state, params])

    return replace(
        kernel, signature=add_values_argument(kernel.signature, prepare.signature), run=run
    )


def _bind(
    name: str, wanted: Sequence[Argument], inputs: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    """Return the inputs of a call in the order of the signature.

    Raises:
        TypeError: too many inputs, an unknown name, or an input that is missing or given twice.
    """
    if len(inputs) > len(wanted):
        raise TypeError(f"{name}() takes {len(wanted)} inputs, not {len(inputs)}")
    given = dict(zip((argument.name for argument in wanted), inputs, strict=False))
    if twice := given.keys() & named.keys():
        raise TypeError(f"{name}() got {min(twice)} by position and by name")
    if unknown := named.keys() - {argument.name for argument in wanted}:
        raise TypeError(f"{name}() got an unexpected keyword argument '{min(unknown)}'")
    given |= named
    if missing := [argument.name for argument in wanted if argument.name not in given]:
        names = ", ".join(argument.name for argument in wanted)
        raise TypeError(f"{name}() takes {names}: {missing[0]} is missing")
    return [given[argument.name] for argument in wanted]


def _convert(kernel: CompiledKernel, argument: Argument, value: Any) -> Array:
    """Convert the value of an input to an array of the kernel's floating-point type.

    Raises:
        TypeError: the input is a dask array, or does not contain real numbers.
        ValueError: the last axes do not have the shape of one state.
    """
    if is_lazy(value):
        raise TypeError(
            f"{kernel.signature.name}(): {argument.name} is a dask array that is not computed yet; "
            "call "
            "compute() first"
        )
    array = np.asarray(value)
    if not np.can_cast(array.dtype, kernel.real.dtype, "same_kind"):
        raise TypeError(
            f"{kernel.signature.name}(): {argument.name} must be real numbers, not {array.dtype}"
        )
    leading = array.ndim - len(argument.shape)
    if leading < 0 or array.shape[leading:] != argument.shape:
        shape = ", ".join(map(str, argument.shape))
        raise ValueError(
            f"{kernel.signature.name}(): {argument.name} must have shape {argument.shape}, "
            f"or (..., {shape}) for many states, not {array.shape}"
        )
    return array.astype(kernel.real.dtype, copy=False)


def _broadcast_leading(
    name: str, wanted: Sequence[Argument], arrays: Sequence[Array]
) -> tuple[int, ...]:
    """Return the broadcast shape of the leading axes of all inputs; these axes index the states."""
    try:
        return np.broadcast_shapes(
            *(
                array.shape[: array.ndim - len(argument.shape)]
                for argument, array in zip(wanted, arrays, strict=True)
            )
        )
    except ValueError:
        shapes = ", ".join(
            f"{argument.name} {array.shape}" for argument, array in zip(wanted, arrays, strict=True)
        )
        raise ValueError(
            f"{name}(): the leading axes of the inputs do not broadcast: {shapes}"
        ) from None


def _store(name: str, results: Sequence[Array], out: Sequence[Any]) -> list[Array]:
    """Copy the results of the function `name` into the arrays of `out`, and return these arrays."""
    if len(out) != len(results):
        raise ValueError(
            f"{name}(): out must have an array for each of {len(results)} results, not {len(out)}"
        )
    for place, (result, array) in enumerate(zip(results, out, strict=True)):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name}(): out[{place}] must be an array")
        if array.shape != result.shape:
            raise ValueError(
                f"{name}(): out[{place}] must have shape {result.shape}, not {array.shape}"
            )
        np.copyto(array, result, casting="same_kind")
    return list(out)


def as_kernel(
    call: Call, signature: Signature, real: Real, one_by_one: bool = False
) -> CompiledKernel:
    """Return a function of arrays in the form of a kernel, which the proof can call.

    Args:
        call: function of arrays, whose leading axes index the states.
        signature: name, inputs and outputs of the function.
        real: floating-point type that the function computes with.
        one_by_one: whether to call the function separately for each state. Functions in C run
            different code for one state and for many states.
    """

    def results(*state: Array) -> tuple[Array, ...]:
        returned = call(*state)
        return returned if len(signature.outputs) > 1 else (returned,)

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        if not one_by_one:
            return results(*inputs)
        return [np.stack(rows) for rows in zip(*map(results, *inputs), strict=True)]

    return CompiledKernel(signature, run, real)
