"""Ufuncs: generated functions on numpy arrays, with broadcasting, `out`, pickling, and lazily on dask.

UfuncSource: what ufuncs are compiled from, which is all that another process needs to have the same.

CompiledKernel -> a function of arrays that broadcast, as a NumPy generalized ufunc does, for kernels that are none.

Ufuncs on arrays of dask, which are computed later, in blocks, on one machine or many.

Ufunc: a generated function as Python users call it.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from html import escape
from typing import Any, Protocol

import numpy as np

from dynagen.codegen.language import Extension, kernel_sources, load_kernels
from dynagen.codegen.languages import find_language
from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.routine import Routine
from dynagen.ir.cost import KINDS, OperationCount
from dynagen.ir.program import PARAMS, PREPARE, Argument, Signature
from dynagen.numbers.real import Real
from dynagen.toolchain.extension import load_module, unavailable_because
from dynagen.toolchain.kernel import Array, CompiledKernel, core_signature, taking_values

_MODULES = 256  # that a process keeps the functions of; it cannot unload them anyway


@dataclass(frozen=True)
class UfuncSource:
    """Generated kernels before they are compiled.

    Attributes:
        language: its name.
        files: path and text of those that kernels are in, and of what they include.
        routines: the kernels in them; the one that prepares run-time parameters is among them.
        real: type of their numbers.
    """

    language: str
    files: tuple[tuple[str, str], ...]
    routines: tuple[Routine, ...]
    real: Real

    @property
    def signatures(self) -> dict[str, Signature]:
        """The signatures of the ufuncs, by name: values of run-time parameters, not what is prepared of them."""
        kernels = {
            routine.signature.name: routine.signature
            for routine in self.routines
            if routine.loop is None
        }
        return {
            name: taking_values(each, kernels[PREPARE]) if each.inputs[-1].name == PARAMS else each
            for name, each in kernels.items()
        }

    @property
    def digest(self) -> str:
        """Tells sources apart."""
        return sha256(
            repr((self.language, self.files, self.routines, self.real.name)).encode()
        ).hexdigest()

    def module_files(
        self, extension: Extension, help_lines: Mapping[str, Sequence[str]] | None = None
    ) -> dict[str, str]:
        """The files that the compiled module is made of, path -> text.

        Args:
            extension: of the language.
            help_lines: what `help` shows, by function; its arguments alone if there is nothing else.
        """
        return extension.print_module(dict(self.files), self.routines, self.real, help_lines or {})


def source_of(language: str, package: Package, files: tuple[SourceFile, ...]) -> UfuncSource:
    """The kernels of a package, from all files that were made of it."""
    sources, routines = kernel_sources(find_language(language), package, files)
    return UfuncSource(language, tuple(sources.items()), tuple(routines), package.real)


@lru_cache(maxsize=_MODULES)
def load_calls(source: UfuncSource) -> Mapping[str, Call]:
    """The functions of a source, by name: from the cache of compiled modules, or compiled.

    Raises:
        ToolchainError: a compiler or interpreter is missing, or refuses the source.
    """
    language = find_language(source.language)
    if language.extension is not None:
        reason = unavailable_because(language.extension.compiler)
        if reason is None:
            module = load_module(
                language.extension.compiler, source.module_files(language.extension)
            )
            return {name: getattr(module, name) for name in source.signatures}
        warnings.warn(
            f"{reason}. Until then calls go through cffi, and take longer for few states",
            stacklevel=2,
        )
    kernels = load_kernels(
        language, dict(source.files), source.routines, source.real, optimise=True
    )
    return {
        name: broadcasting(
            preparing(kernel, kernels[PREPARE])
            if kernel.signature.inputs[-1].name == PARAMS
            else kernel
        )
        for name, kernel in kernels.items()
    }


Call = Callable[..., Any]
"""Takes inputs by position or name, and `out`; returns an array, or a tuple where there are several results."""


def broadcasting(kernel: CompiledKernel) -> Call:
    """A kernel whose inputs may have any leading axes, which broadcast.

    Of what ufuncs take there is `out`: an array, or a tuple of one for each result.
    """
    name, wanted = kernel.signature.name, kernel.signature.inputs

    def call(*inputs: Any, out: Any = None, **named: Any) -> Any:
        bound = _bound(name, wanted, inputs, named)
        arrays = [_converted(kernel, *each) for each in zip(wanted, bound, strict=True)]
        leading = _leading(name, wanted, arrays)
        rows = [
            np.ascontiguousarray(np.broadcast_to(array, (*leading, *each.shape))).reshape(
                (-1, *each.shape)
            )
            for each, array in zip(wanted, arrays, strict=True)
        ]
        results = [result.reshape((*leading, *result.shape[1:])) for result in kernel.run(rows)]
        if out is not None:
            results = _stored(name, results, out if isinstance(out, tuple) else (out,))
        elif not leading:
            results = [
                result[()] for result in results
            ]  # a scalar for what has no axes, as numpy has it
        return results[0] if len(results) == 1 else tuple(results)

    return call


def preparing(kernel: CompiledKernel, prepare: CompiledKernel) -> CompiledKernel:
    """A kernel that takes the values of run-time parameters, and prepares them itself."""

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        *state, values = inputs
        params, _ = prepare.run([values])
        return kernel.run([*state, params])

    return replace(kernel, signature=taking_values(kernel.signature, prepare.signature), run=run)


def _bound(
    name: str, wanted: Sequence[Argument], inputs: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    """The inputs in their order."""
    if len(inputs) > len(wanted):
        raise TypeError(f"{name}() takes {len(wanted)} inputs, not {len(inputs)}")
    given = dict(zip((argument.name for argument in wanted), inputs, strict=False))
    if twice := given.keys() & named.keys():
        raise TypeError(f"{name}() got {min(twice)} by position and by name")
    if unknown := named.keys() - {argument.name for argument in wanted}:
        raise TypeError(f"{name}() got an unexpected keyword argument '{min(unknown)}'")
    given |= named
    if missing := [argument.name for argument in wanted if argument.name not in given]:
        raise TypeError(
            f"{name}() takes {', '.join(argument.name for argument in wanted)}: {missing[0]} is missing"
        )
    return [given[argument.name] for argument in wanted]


def _converted(kernel: CompiledKernel, argument: Argument, value: Any) -> Array:
    """An input as an array of the kernel's type."""
    if is_lazy(value):
        raise TypeError(
            f"{kernel.signature.name}(): {argument.name} is an array of dask, which is not computed yet"
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
            f"{kernel.signature.name}(): {argument.name} must have shape {argument.shape}, or (..., {shape}) for many states, "
            f"not {array.shape}"
        )
    return array.astype(kernel.real.dtype, copy=False)


def _leading(name: str, wanted: Sequence[Argument], arrays: Sequence[Array]) -> tuple[int, ...]:
    """The axes over states that all inputs together have."""
    try:
        return np.broadcast_shapes(
            *(
                array.shape[: array.ndim - len(each.shape)]
                for each, array in zip(wanted, arrays, strict=True)
            )
        )
    except ValueError:
        shapes = ", ".join(
            f"{each.name} {array.shape}" for each, array in zip(wanted, arrays, strict=True)
        )
        raise ValueError(
            f"{name}(): the leading axes of the inputs do not broadcast: {shapes}"
        ) from None


def _stored(name: str, results: Sequence[Array], out: Sequence[Any]) -> list[Array]:
    """The arrays of `out`, with the results in them."""
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


class Signed(Protocol):
    """The function that is called on every block."""

    signature: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    dtype: np.dtype[Any]

    def __call__(self, *inputs: Array) -> Any:
        """Results for the states of a block."""


def is_lazy(value: Any) -> bool:
    """Whether a value is an array of dask: asked without importing what may not be there."""
    return type(value).__module__.startswith("dask.")


def apply_lazily(ufunc: Signed, inputs: Sequence[Any], **options: Any) -> Any:
    """The results as arrays of dask, one or a tuple of them.

    Args:
        ufunc: to be called; it is pickled where blocks are computed in other processes.
        inputs: arrays of dask or of numpy; the axes of one state have to be in one chunk.
        options: of `dask.array.apply_gufunc`, as axes and allow_rechunk.
    """
    from dask.array import apply_gufunc

    types = [np.dtype(np.intc) if each.is_status else ufunc.dtype for each in ufunc.outputs]
    sizes = {
        str(size): size for each in (*ufunc.inputs, *ufunc.outputs) for size in each.shape
    }  # in signatures they are names
    dtypes = types if len(types) > 1 else types[0]
    return apply_gufunc(
        ufunc, ufunc.signature, *inputs, output_dtypes=dtypes, output_sizes=sizes, **options
    )


@dataclass(frozen=True)
class Notes:
    """The notes on a function that help shows.

    Attributes:
        robot: its name.
        operations: of one call.
        text: formula, counts, proof and arguments.
    """

    robot: str
    operations: OperationCount
    text: str


class Ufunc:
    """A generated function that is called as NumPy's generalized ufuncs are.

    Inputs come by position or by name, with the axes of one state last; leading axes broadcast. `out` names arrays for the
    results. Functions that are compiled as C also take `axes`, `axis`, `casting`, `order` and `dtype` as numpy has them, and
    let other threads of Python run meanwhile. One result comes as an array, several as a tuple; of a function that can fail
    the last of them is its status, 0 or 1. A Ufunc can be pickled and copied: another process compiles the same source with
    the same options, or finds that done in its cache.

    Attributes:
        signature: shapes of one state, as numpy has it: `(6),(6),(6)->(6)`.
        inputs, outputs: arguments in order, with their names, shapes, units and, of regressors, columns.
        nin, nout: how many there are.
        dtype: of the numbers that it computes in.
        notes: its robot, and what it costs.
    """

    def __init__(self, source: UfuncSource, name: str, notes: Notes) -> None:
        """Load a function.

        Args:
            source: what it is compiled from.
            name: of the function.
            notes: for help.

        Raises:
            ToolchainError: a compiler or interpreter is missing, or refuses the source.
        """
        self._source = source
        self._call = load_calls(source)[name]
        self._arguments = source.signatures[name]
        self.notes = notes
        self.signature = core_signature(self._arguments)
        self.inputs, self.outputs = self._arguments.inputs, self._arguments.outputs
        self.nin, self.nout = len(self.inputs), len(self.outputs)
        self.dtype = np.dtype(source.real.dtype)
        self.__name__ = self.__qualname__ = name
        self.__doc__ = notes.text
        parameters = [
            inspect.Parameter(each.name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for each in self.inputs
        ]
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
        self.__signature__ = inspect.Signature(
            [*parameters, inspect.Parameter("keywords", inspect.Parameter.VAR_KEYWORD)]
        )

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """The results for one state or many; arrays of dask give such arrays, and take the options of `apply_gufunc`."""
        try:
            return self._call(*arguments, **keywords)
        except TypeError:
            named = [
                keywords.pop(each.name)
                for each in self.inputs[len(arguments) :]
                if each.name in keywords
            ]
            if not any(map(is_lazy, (*arguments, *named))):
                raise
        return apply_lazily(self, (*arguments, *named), **keywords)

    def __reduce__(self) -> tuple[Any, ...]:
        return Ufunc, (self._source, self.__name__, self.notes)

    def __dask_tokenize__(self) -> tuple[str, str]:
        return self._source.digest, self.__name__

    def __repr__(self) -> str:
        """One line: what it takes and returns, as it is called."""
        return repr(kernel_of(self, self._arguments, self._source.real))

    def _repr_html_(self) -> str:
        """The line, formula and arguments, and a table of what a call costs, for notebooks."""
        head = "".join(f"<th>{kind}</th>" for kind in KINDS)
        cells = "".join(f"<td>{getattr(self.notes.operations, kind)}</td>" for kind in KINDS)
        table = (
            f"<table><caption>{escape(repr(self))}</caption><tr>{head}</tr><tr>{cells}</tr></table>"
        )
        return f"{table}<pre>{escape(self.notes.text)}</pre>"


def kernel_of(
    call: Call, signature: Signature, real: Real, one_by_one: bool = False
) -> CompiledKernel:
    """A kernel as proofs take it: rows of states in, rows of results out.

    Args:
        call: a ufunc.
        signature: its arguments.
        real: type of its numbers.
        one_by_one: whether each state is a call of its own, which C functions answer on a shorter way.
    """

    def results(*state: Array) -> tuple[Array, ...]:
        returned = call(*state)
        return returned if len(signature.outputs) > 1 else (returned,)

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        if not one_by_one:
            return results(*inputs)
        return [np.stack(each) for each in zip(*map(results, *inputs), strict=True)]

    return CompiledKernel(signature, run, real)
