"""Tables of numbers with named columns, read from CSV, Parquet or npz files."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from dynagen.errors import UsageError, clip
from dynagen.numbers.arrays import Array
from dynagen.resources import require_extra

_FORMATS = "CSV (.csv, .txt), Parquet (.parquet) or numpy (.npz)"
_SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True)
class LogTable:
    """Table of numbers, with named or numbered columns.

    Attributes:
        names: names of the columns, or column numbers as text if the file has no names.
        values: numbers of the table, shape (rows, columns).
        source: name of the file, for messages.
        has_names: whether the file contains names of the columns.
        first_row: number of the table's first row in the file, counted from 0.
    """

    names: tuple[str, ...]
    values: Array
    source: str
    has_names: bool = True
    first_row: int = 0

    def name_column(self, place: int) -> str:
        """Return a column's name and number for messages, such as `q1 (column 1)`.

        The text is `column 1` if the file has no names.

        Args:
            place: number of the column, from 0.
        """
        return f"{self.names[place]} (column {place})" if self.has_names else f"column {place}"


def read_log_table(path: Path) -> LogTable:
    """Read all rows of a table from a Parquet (.parquet, .pq), npz or CSV file.

    Files with other suffixes are read as CSV.

    Raises:
        UsageError: the file cannot be read, or contains entries that are not numbers.
        ToolchainError: the file is Parquet, and pyarrow is not installed.
    """
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return _read_parquet(path)
        return _read_npz(path) if path.suffix.lower() == ".npz" else _read_csv(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or f"not a text file: expected {_FORMATS}"
        raise UsageError(f"cannot read {path}: {reason}") from error


def read_csv_head(path: Path) -> tuple[list[str], str | None, bool]:
    """Read the first line with text of a CSV file.

    Returns:
        The cells of the line, the separator (None for blanks), and whether the cells are column
        names.

    Raises:
        UsageError: the file is empty.
    """
    with open(path, encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip()), "")
    if not first:
        raise UsageError(f"{path} is empty: expected a line of names and rows of numbers")
    separator = next((character for character in _SEPARATORS if character in first), None)
    head = [
        name.strip().strip('"') for name in (first.split(separator) if separator else first.split())
    ]
    return head, separator, not all(_is_number(cell) for cell in head)


def _read_csv(path: Path) -> LogTable:
    head, separator, has_names = read_csv_head(path)
    if has_names and _has_one_line(path):
        raise UsageError(f"{path} has column names but no rows of numbers")
    try:
        values = np.loadtxt(
            path,
            delimiter=separator,
            skiprows=int(has_names),
            ndmin=2,
            encoding="utf-8-sig",
            comments=None,
        )
    except ValueError:
        raise UsageError(describe_csv_fault(path)) from None
    if values.shape[1] != len(head):
        raise UsageError(
            f"{path}: expected a name for each column, found {len(head)} names and "
            f"{values.shape[1]} columns of numbers"
        )
    names = tuple(head) if has_names else tuple(map(str, range(len(head))))
    return LogTable(names, values, str(path), has_names)


def _has_one_line(path: Path) -> bool:
    with open(path, encoding="utf-8-sig") as file:
        return sum(1 for _ in islice((line for line in file if line.strip()), 2)) < 2


def describe_csv_fault(path: Path) -> str:
    """Describe the first fault of a CSV file that numpy cannot read, with line and column."""
    head, separator, has_names = read_csv_head(path)
    row = -1
    with open(path, encoding="utf-8-sig") as file:
        for line_number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            row += 1
            cells = line.split(separator)
            if len(cells) != len(head):
                return f"{path}:{line_number}: expected {len(head)} cells, found {len(cells)}"
            for place, cell in enumerate(cells):
                if (row or not has_names) and not _is_number(cell):
                    name = head[place] if has_names else f"column {place}"
                    found = f"`{clip(cell.strip())}`" if cell.strip() else "nothing"
                    if _is_number(cell.replace(",", ".")):
                        found += ": write decimal points instead of commas"
                    return f"{path}:{line_number}: {name}: expected a number, found {found}"
    return f"{path}: expected rows of numbers"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _read_parquet(path: Path) -> LogTable:
    require_extra("pyarrow", "identify", "to read Parquet")
    from pyarrow import ArrowInvalid, parquet

    try:
        table = parquet.read_table(path)
        columns = [
            np.asarray(table.column(name).to_numpy(), dtype=float) for name in table.column_names
        ]
    except (ArrowInvalid, ValueError, TypeError) as error:
        raise UsageError(
            f"cannot read {path}: expected Parquet with columns of numbers: {clip(str(error))}"
        ) from error
    return LogTable(tuple(table.column_names), np.column_stack(columns), str(path))


def _read_npz(path: Path) -> LogTable:
    """Read an npz file; an array `q` of shape (rows, n) becomes n columns, named q1 to qn."""
    names: list[str] = []
    columns: list[Array] = []
    try:
        with np.load(path, allow_pickle=False) as arrays:
            for name in arrays.files:
                array = np.asarray(arrays[name], dtype=float)
                if array.ndim not in (1, 2):
                    raise UsageError(
                        f"{path}: {name}: expected shape (rows,) or (rows, joints), "
                        f"found {array.shape}"
                    )
                names += (
                    [name]
                    if array.ndim == 1
                    else [f"{name}{number + 1}" for number in range(array.shape[1])]
                )
                columns += [array] if array.ndim == 1 else list(array.T)
    except ValueError as error:
        raise UsageError(
            f"cannot read {path}: expected a file of arrays of numbers, written by numpy.savez"
        ) from error
    if len({len(column) for column in columns}) != 1:
        lengths = ", ".join(
            f"{name} {len(column)}" for name, column in zip(names, columns, strict=True)
        )
        raise UsageError(f"{path}: expected arrays with equal numbers of rows, found {lengths}")
    return LogTable(tuple(names), np.column_stack(columns), str(path))
