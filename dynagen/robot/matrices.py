"""Operations on square matrices of exact numbers, which are stored as rows."""

from __future__ import annotations

from dynagen.numbers.exact import ONE, ZERO, Exact, is_zero

Rows = tuple[tuple[Exact, ...], ...]


def invert(matrix: Rows) -> Rows | None:
    """Return the inverse of a square matrix, given as rows; None if the matrix is singular."""
    size = len(matrix)
    rows = [
        [*row, *(ONE if column == place else ZERO for column in range(size))]
        for place, row in enumerate(matrix)
    ]
    for column in range(size):
        pivot = max(range(column, size), key=lambda place: abs(rows[place][column]))
        if is_zero(rows[pivot][column]):
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        factor = rows[column][column].reciprocal()
        rows[column] = [factor * number for number in rows[column]]
        for place in range(size):
            if place != column:
                share = rows[place][column]
                rows[place] = [
                    number - share * other
                    for number, other in zip(rows[place], rows[column], strict=True)
                ]
    return tuple(tuple(row[size:]) for row in rows)
