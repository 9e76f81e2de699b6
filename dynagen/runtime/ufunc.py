"""Generated function for Python users, with support for many states, pickling and dask arrays.

This module does not import the generator, so that functions in the cache load fast.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dynagen.ir.signature import (
    Argument,
    Signature,
    describe_signature,
    format_core_signature,
)
from dynagen.numbers.arrays import Array

if TYPE_CHECKING:
    from dynagen.ir.cost import OperationCount

Call = Callable[..., Any]
"""Type of functions of arrays: inputs by position or by name; arrays for the results as `out`."""
_TYPE_NAMES = {8: "double", 4: "float"}


class BlockFunction(Protocol):
    """Function that dask calls on each block of states.

    Attributes:
        signature: shapes of inputs and results for one state, in numpy's notation, for example
            `(6),(6),(6)->(6)`.
        inputs, outputs: arguments in order, each with its name and its shape for one state.
        dtype: numpy type of all numbers.
    """

    signature: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    dtype: np.dtype[Any]

    def __call__(self, *inputs: Array) -> Any:
        """Return the results for the states of a block."""


def is_lazy(value: Any) -> bool:
    """Return whether a value is a dask array, without importing dask."""
    return type(value).__module__.startswith("dask.")


def apply_lazily(ufunc: BlockFunction, inputs: Sequence[Any], **options: Any) -> Any:
    """Apply a function to dask arrays, without computing the results yet.

    Args:
        ufunc: the function. The function is pickled if dask computes blocks in other processes.
        inputs: dask or numpy arrays, whose last axes belong to one state. The leading axes index
            the states. Only these leading axes may be divided into several chunks.
        options: options of `dask.array.apply_gufunc`, for example axes and allow_rechunk.

    Returns:
        A dask array, or a tuple of dask arrays for several results.
    """
    from dask.array import apply_gufunc

    types = [np.dtype(np.intc) if output.is_status else ufunc.dtype for output in ufunc.outputs]
    # dask reads the sizes in a signature such as (6)->(6) as names of dimensions.
    sizes = {
        str(size): size for argument in (*ufunc.inputs, *ufunc.outputs) for size in argument.shape
    }
    dtypes = types if len(types) > 1 else types[0]
    return apply_gufunc(
        ufunc, ufunc.signature, *inputs, output_dtypes=dtypes, output_sizes=sizes, **options
    )


@dataclass(frozen=True)
class UfuncNotes:
    """Notes on a generated function, which `help` shows to the user.

    Attributes:
        robot: name of the robot.
        counts: number of operations of one call for one state, by kind of operation such as
            multiplications and additions.
        text: docstring of the function: formula, operation counts, proof and arguments.
    """

    robot: str
    counts: Mapping[str, int]
    text: str

    @property
    def operations(self) -> OperationCount:
        """Operation counts of one call for one state, by kind."""
        from dynagen.ir.cost import OperationCount

        return OperationCount(**self.counts)


class Ufunc:
    """Generated function of numpy arrays, which is called like a NumPy generalized ufunc.

    Inputs are given by position or by name. The last axes of an input belong to one state; leading
    axes index the states and broadcast. `out` is an array for the result, or a tuple of arrays.
    Functions in C also accept `axes`, `axis`, `casting`, `order` and `dtype` of numpy, and release
    the global interpreter lock during a call.

    One result is returned as an array, several results as a tuple of arrays. If the function can
    fail, the last result is the status code, 0 for success or 1 for failure. A Ufunc can be pickled
    and copied. The process that unpickles a Ufunc compiles the same source code with the same
    options, or finds the compiled function in its cache.

    Attributes:
        signature: shapes of inputs and results for one state, in numpy's notation, for example
            `(6),(6),(6)->(6)`.
        inputs, outputs: arguments in order, each with its name, shape for one state, and unit. A
            regressor (a matrix whose columns belong to parameters) also has the names of its
            columns.
        nin, nout: number of inputs and outputs.
        dtype: numpy type of all numbers, float64 or float32; inputs are converted to this type.
        notes: robot, operation counts and help text.
        entry: name of the cache file with this function; empty if the function is not in the cache.
    """

    entry: str = ""

    def __init__(
        self,
        call: Call,
        signature: Signature,
        dtype: np.dtype[Any],
        notes: UfuncNotes,
        find_source: Callable[[], Any],
    ) -> None:
        """Make a Ufunc from a compiled function of arrays.

        Args:
            call: compiled function of arrays.
            signature: name of the function, and its inputs and outputs.
            dtype: numpy floating-point type of the function, float64 or float32.
            notes: text and operation counts that `help` shows.
            find_source: function that returns the source code, a `UfuncSource`; called when the
                Ufunc is pickled.
        """
        self._call = call
        self._arguments = signature
        self._find_source = find_source
        self.notes = notes
        self.signature = format_core_signature(signature)
        self.inputs, self.outputs = signature.inputs, signature.outputs
        self.nin, self.nout = len(self.inputs), len(self.outputs)
        self.dtype = dtype
        name = signature.name
        self.__name__ = self.__qualname__ = name
        self.__doc__ = notes.text
        parameters = [
            inspect.Parameter(argument.name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for argument in self.inputs
        ]
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
        self.__signature__ = inspect.Signature(
            [*parameters, inspect.Parameter("keywords", inspect.Parameter.VAR_KEYWORD)]
        )

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Compute the results for one state or many; the class explains the arguments and results.

        If an input is a dask array, the results are dask arrays, and keywords are options of
        `dask.array.apply_gufunc`.
        """
        try:
            return self._call(*arguments, **keywords)
        except TypeError:
            # Only a failed call looks for dask arrays, so that calls with numpy arrays stay fast.
            named = [
                keywords.pop(argument.name)
                for argument in self.inputs[len(arguments) :]
                if argument.name in keywords
            ]
            if not any(map(is_lazy, (*arguments, *named))):
                raise
        return apply_lazily(self, (*arguments, *named), **keywords)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._find_source(), self.__name__, self.notes)

    def __dask_tokenize__(self) -> tuple[str, str]:
        return self._find_source().digest, self.__name__

    def __repr__(self) -> str:
        """Return name, inputs, outputs and type in one line."""
        return describe_signature(self._arguments, _TYPE_NAMES[self.dtype.itemsize])

    def _repr_html_(self) -> str:
        """Return signature, operation counts and notes as HTML, for notebooks."""
        head = "".join(f"<th>{kind}</th>" for kind in self.notes.counts)
        cells = "".join(f"<td>{count}</td>" for count in self.notes.counts.values())
        table = (
            f"<table><caption>{escape(repr(self))}</caption><tr>{head}</tr><tr>{cells}</tr></table>"
        )
        return f"{table}<pre>{escape(self.notes.text)}</pre>"


def _restore(source: Any, name: str, notes: UfuncNotes) -> Ufunc:
    """Return a function from its pickled parts: a `UfuncSource`, the function's name and notes."""
    restored: Ufunc = source.make_ufunc(name, notes)
    return restored
