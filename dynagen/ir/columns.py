"""Results stored by columns without their zeros, as solvers expect sparse matrices.

The form is compressed columns: the elements of each column in order of their rows, one column after
the other. Which elements are always zero is known from the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.ir.program import Argument, Output, Program
from dynagen.numbers.exact import Exact

Blocks = tuple[tuple[str, ...], ...]
"""Names of outputs that are the blocks of one matrix, row by row."""


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
        name: of the matrix.
        blocks: outputs that it consists of.
        sparsity: its stored elements. Vectors store all elements.
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
        places = np.block([[_places(by_name[block]) for block in row] for row in blocks])
        units = np.block([[_units(by_name[block]) for block in row] for row in blocks])
        sparsity = _find_sparsity(program, places)
        made.append(ColumnMatrix(name, blocks, sparsity))
        if not sparsity.count:
            continue
        columns = np.repeat(range(sparsity.columns), np.diff(sparsity.starts))
        meaning = " and ".join(
            dict.fromkeys(by_name[block].argument.meaning for row in blocks for block in row)
        )
        if not sparsity.is_dense or sparsity.columns > 1:
            meaning += "; by columns" + ("" if sparsity.is_dense else ", without zeros")
        outputs.append(
            Output(
                Argument(
                    name,
                    (sparsity.count,),
                    tuple(units[sparsity.indices, columns]),
                    meaning,
                ),
                tuple(map(int, places[sparsity.indices, columns])),
            )
        )
    status = tuple(output for output in program.outputs if output.argument.is_status)
    return replace(program, outputs=(*outputs, *status)), tuple(made)


def _find_sparsity(program: Program, places: np.ndarray) -> Sparsity:
    """Return the elements that are not always zero; all elements of a vector."""
    stored = np.array(
        [[not _is_zero(program.instructions[place].payload) for place in row] for row in places]
    )
    if stored.shape[1] == 1:
        stored[:] = True
    columns, rows = np.nonzero(stored.T)
    starts = np.searchsorted(columns, range(stored.shape[1] + 1))
    return Sparsity(len(stored), tuple(map(int, starts)), tuple(map(int, rows)))


def _is_zero(payload: object) -> bool:
    return isinstance(payload, Exact) and not payload


def _places(output: Output) -> np.ndarray:
    """Return the positions of an output's values as a matrix."""
    return np.reshape(output.values, _matrix_shape(output.argument))


def _units(output: Output) -> np.ndarray:
    """Return the units of an output's elements as a matrix."""
    return np.reshape(np.array(output.argument.units, dtype=object), _matrix_shape(output.argument))


def _matrix_shape(argument: Argument) -> tuple[int, int]:
    rows = argument.shape[0] if argument.shape else 1
    return rows, argument.size // rows
