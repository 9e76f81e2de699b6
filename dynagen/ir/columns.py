"""Matrices stored in compressed columns without their zeros, as sparse solvers expect them.

In compressed columns, the stored elements of each column are in order of increasing row, and the
columns follow one another. An element is left out if its value in the program is the constant 0,
so that it is zero for all inputs.
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
    """One block of a matrix: a whole output, a rectangle of an output, or zeros.

    Attributes:
        output: name of the output; empty for a block of zeros.
        rows: first row of the rectangle, and the row after its last one; None for all rows. For a
            block of zeros, the pair is (0, number of rows).
        columns: first column of the rectangle, and the column after its last one, as for `rows`.
        transposed: whether the block is the transpose of the rectangle.
    """

    output: str
    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None
    transposed: bool = False

    def select(self, values: Any) -> Any:
        """Return the block's elements from an array with the elements of its output.

        Args:
            values: array of shape (..., rows, columns) with the elements of the output.

        Returns:
            The rectangle in the last two axes, which are exchanged if the block is `transposed`.
        """
        rows, columns = (
            slice(None) if bounds is None else slice(*bounds)
            for bounds in (self.rows, self.columns)
        )
        part = values[..., rows, columns]
        return np.swapaxes(part, -1, -2) if self.transposed else part

    @property
    def size_of_zeros(self) -> tuple[int, int]:
        """Number of rows and number of columns; defined only for a block of zeros."""
        assert self.rows is not None
        assert self.columns is not None
        return self.rows[1], self.columns[1]


Blocks = tuple[tuple[Part, ...], ...]
"""Type of the blocks of a matrix: one tuple for each row of blocks, from top to bottom."""


@dataclass(frozen=True)
class Sparsity:
    """Positions of the elements of a matrix that are stored in compressed columns.

    Attributes:
        rows: number of rows of the matrix.
        starts: one entry for each column: index in `indices` of the column's first stored element.
            The last entry of `starts` is the number of stored elements.
        indices: row of each stored element, from 0, column after column.
    """

    rows: int
    starts: tuple[int, ...]
    indices: tuple[int, ...]

    @property
    def columns(self) -> int:
        """Number of columns of the matrix, including columns without a stored element."""
        return len(self.starts) - 1

    @property
    def count(self) -> int:
        """Number of stored elements of the matrix."""
        return len(self.indices)

    @property
    def is_dense(self) -> bool:
        """Whether every element of the matrix is stored."""
        return self.count == self.rows * self.columns


@dataclass(frozen=True)
class ColumnMatrix:
    """A matrix whose blocks are outputs of a program, with its compressed columns.

    Attributes:
        name: name of the matrix, and of the argument with its stored elements.
        blocks: one tuple for each row of blocks, from top to bottom; the tuple contains the blocks
            of the row from left to right.
        sparsity: positions of the stored elements. If the matrix is a column vector without a block
            of zeros, all elements are stored.
    """

    name: str
    blocks: Blocks
    sparsity: Sparsity


def store_by_columns(
    program: Program, matrices: Sequence[tuple[str, Blocks]]
) -> tuple[Program, tuple[ColumnMatrix, ...]]:
    """Replace the outputs of a program by matrices in compressed columns.

    Args:
        program: program that computes all outputs that the blocks name. Its status, if any, stays
            the last output. A matrix without any stored element is not an output of the resulting
            program.
        matrices: pairs of the name and the blocks of a matrix. The blocks are a tuple of rows, and
            each row is a tuple of blocks. An output with one dimension is a block of one column. If
            an output has more than two dimensions, all dimensions after the first form the columns.

    Returns:
        The program with flat arrays of stored elements as outputs, and the matrices.
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
    """Return the numbers of rows and columns of an argument that is viewed as a matrix.

    The first dimension of the shape is the number of rows, the product of all others the number of
    columns. A vector is one column, a scalar is 1 x 1.
    """
    rows = argument.shape[0] if argument.shape else 1
    return rows, argument.size // rows


def _as_matrix(output: Output, elements: Sequence[Any]) -> Any:
    """Return a row-major list as an object array with an output's shape (rows, columns)."""
    return np.array(elements, dtype=object).reshape(shape_matrix(output.argument))


def _find_elements(values: Mapping[str, Any], part: Part) -> Any:
    """Return an array with one item for each element of one block (`part`) of a matrix.

    The items are selected from `values`, which contains for the name of each output an object array
    of shape (rows, columns). For a block of zeros, all items are None.
    """
    if part.output:
        return part.select(values[part.output])
    return np.full(part.size_of_zeros, None, dtype=object)


def _find_sparsity(program: Program, places: Any) -> Sparsity:
    """Return which elements of a matrix are stored: all except constant zeros.

    A single column without a block of zeros is stored completely. `places`, shape (rows, columns),
    contains for each element the position of the instruction that computes it, or None in a block
    of zeros.
    """
    known = np.array([[place is not None for place in row] for row in places])
    stored = known.copy()
    if stored.shape[1] > 1 or not known.all():
        for row, column in np.argwhere(known):
            payload = program.instructions[places[row, column]].payload
            stored[row, column] = not (isinstance(payload, Exact) and not payload)
    columns, rows = np.nonzero(stored.T)
    starts = np.searchsorted(columns, range(stored.shape[1] + 1))
    return Sparsity(len(stored), tuple(map(int, starts)), tuple(map(int, rows)))
