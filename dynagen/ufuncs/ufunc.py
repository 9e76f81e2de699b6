"""Ufunc: a generated function as Python users call it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from dynagen.ir.count import KINDS, OperationCount
from dynagen.ir.program import Signature
from dynagen.real import Real
from dynagen.toolchain.kernel import Array, CompiledKernel, core_signature
from dynagen.ufuncs.broadcasting import Call
from dynagen.ufuncs.lazy import apply_lazily, is_lazy
from dynagen.ufuncs.source import UfuncSource, load_calls


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
        parameters = [inspect.Parameter(each.name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in self.inputs]
        parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
        self.__signature__ = inspect.Signature([*parameters, inspect.Parameter("keywords", inspect.Parameter.VAR_KEYWORD)])

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """The results for one state or many; arrays of dask give such arrays, and take the options of `apply_gufunc`."""
        try:
            return self._call(*arguments, **keywords)
        except TypeError:
            named = [keywords.pop(each.name) for each in self.inputs[len(arguments) :] if each.name in keywords]
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
        table = f"<table><caption>{escape(repr(self))}</caption><tr>{head}</tr><tr>{cells}</tr></table>"
        return f"{table}<pre>{escape(self.notes.text)}</pre>"


def kernel_of(call: Call, signature: Signature, real: Real, one_by_one: bool = False) -> CompiledKernel:
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
