"""Results stored by columns without their zeros, as solvers expect sparse matrices.

The form is compressed columns: the elements of each column in order of their rows, one column after
the other. Which elements are always zero is known from the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynagen.ir.program import Argument, Output, Program
from dynagen.numbers.exact import Exact


@dataclass(frozen=True)
class Part:
    """A block of a matrix: an output, a part of one, or zeros.

    Attributes:
        output: name of the output; empty for zeros.
        rows: first row of the part in the output, and the row after its last; None for all rows.
        columns: the same for columns.
        transposed: whether the part is transposed in the matrix.
    """

    output: str
    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None
    transposed: bool = False

    def select(self, values: Any) -> Any:
        """Return the part of an array whose last two axes are rows and columns of the output.

        Its rows are those of the matrix.
        """
        rows, columns = (
            slice(None) if bounds is None else slice(*bounds)
            for bounds in (self.rows, self.columns)
        )
        part = values[..., rows, columns]
        return np.swapaxes(part, -1, -2) if self.transposed else part

    @property
    def size_of_zeros(self) -> tuple[int, int]:
        """Numbers of rows and columns of zeros."""
        assert self.rows is not None
        assert self.columns is not None
        return self.rows[1], self.columns[1]


Blocks = tuple[tuple[Part, ...], ...]
"""The blocks of a matrix, row by row."""


@dataclass(frozen=True)
class Sparsity:
    """The stored elements of a matrix by columns.

    Attributes:
        rows: number of rows.
        starts: place of the first stored element of each column, and the number of all of them.
        indices: row of each stored element.
    """

    rows: int
    starts: tuple[int, ...]
    indices: tuple[int, ...]

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.starts) - 1

    @property
    def count(self) -> int:
        """Number of stored elements."""
        return len(self.indices)

    @property
    def is_dense(self) -> bool:
        """Whether all elements are stored."""
        return self.count == self.rows * self.columns


@dataclass(frozen=True)
class ColumnMatrix:
    """A matrix that is put together from outputs.

    Attributes:
        name: name of the matrix.
        blocks: its blocks.
        sparsity: its stored elements. A vector that is an output stores all elements.
    """

    name: str
    blocks: Blocks
    sparsity: Sparsity


def store_by_columns(
    program: Program, matrices: Sequence[tuple[str, Blocks]]
) -> tuple[Program, tuple[ColumnMatrix, ...]]:
    """Replace the outputs of a program by matrices in compressed columns.

    Args:
        program: its status, if any, remains the last output.
        matrices: name and blocks of each matrix. An output without a second dimension is a column;
            dimensions after the second are counted as columns.

    Returns:
        The program whose outputs contain the stored elements, and the matrices in the same order.
        A matrix without a stored element is not an output.
    """
    by_name = {output.argument.name: output for output in program.results}
    outputs, made = [], []
    for name, blocks in matrices:
        places, units = (
            np.block([[_find_elements(values, part) for part in row] for row in blocks])
            for values in (
                {each: _as_matrix(output, output.values) for each, output in by_name.items()},
                {
                    each: _as_matrix(output, output.argument.units)
                    for each, output in by_name.items()
                },
            )
        )
        sparsity = _find_sparsity(program, places)
        made.append(ColumnMatrix(name, blocks, sparsity))
        if not sparsity.count:
            continue
        columns = np.repeat(range(sparsity.columns), np.diff(sparsity.starts))
        stored = sparsity.indices, columns
        meanings = [
            by_name[part.output].argument.meaning for row in blocks for part in row if part.output
        ]
        meaning = " and ".join(dict.fromkeys(meanings))
        if not sparsity.is_dense or sparsity.columns > 1:
            meaning += "; by columns" + ("" if sparsity.is_dense else ", without zeros")
        argument = Argument(name, (sparsity.count,), tuple(units[stored]), meaning)
        outputs.append(Output(argument, tuple(places[stored])))
    status = tuple(output for output in program.outputs if output.argument.is_status)
    return replace(program, outputs=(*outputs, *status)), tuple(made)


def shape_matrix(argument: Argument) -> tuple[int, int]:
    """Return the numbers of rows and columns of an argument that is stored as a matrix."""
    rows = argument.shape[0] if argument.shape else 1
    return rows, argument.size // rows


def _as_matrix(output: Output, elements: Sequence[Any]) -> Any:
    """Return something about each element of an output as a matrix of objects."""
    return np.array(elements, dtype=object).reshape(shape_matrix(output.argument))


def _find_elements(values: Mapping[str, Any], part: Part) -> Any:
    """Return a part of one of some matrices; for zeros, None for each element."""
    if part.output:
        return part.select(values[part.output])
    return np.full(part.size_of_zeros, None, dtype=object)


def _find_sparsity(program: Program, places: Any) -> Sparsity:
    """Return the elements that are not always zero; all elements of a vector without zero parts."""
    known = np.array([[place is not None for place in row] for row in places])
    stored = known.copy()
    if stored.shape[1] > 1 or not known.all():
        for row, column in np.argwhere(known):
            payload = program.instructions[places[row, column]].payload
            stored[row, column] = not (isinstance(payload, Exact) and not payload)
    columns, rows = np.nonzero(stored.T)
    starts = np.searchsorted(columns, range(stored.shape[1] + 1))
    return Sparsity(len(stored), tuple(map(int, starts)), tuple(map(int, rows)))
