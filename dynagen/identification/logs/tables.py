"""Tables: files of numbers in named columns: CSV with or without a line of names, Parquet, npz."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from dynagen.errors import UsageError, shown
from dynagen.extras import require_extra
from dynagen.identification.samples import Array

_FORMATS = "CSV (.csv, .txt), Parquet (.parquet) or numpy (.npz)"
_SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True)
class Table:
    """Numbers by row and column.

    Attributes:
        names: of columns; their numbers in words where the file has none.
        values: shape (rows, columns).
        source: name of the file.
        has_names: whether the file names its columns.
        first_row: number that the first row has in the file, from 0.
    """

    names: tuple[str, ...]
    values: Array
    source: str
    has_names: bool = True
    first_row: int = 0

    def column_name(self, place: int) -> str:
        """As a message says it: by name and number, or by number."""
        return f"{self.names[place]} (column {place})" if self.has_names else f"column {place}"


def read_table(path: Path) -> Table:
    """Read a file, by the ending of its name; one that is none of the known is read as CSV.

    Raises:
        UsageError: the file cannot be read, or holds what is no number.
        ToolchainError: it is Parquet, and pyarrow is missing.
    """
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return _read_parquet(path)
        return _read_npz(path) if path.suffix.lower() == ".npz" else _read_csv(path)
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or f"it is no text: expected {_FORMATS}"
        raise UsageError(f"cannot read {path}: {what}") from error


def csv_head(path: Path) -> tuple[list[str], str | None, bool]:
    """The cells of a file's first line, what separates them (None: blanks), and whether they are names.

    Raises:
        UsageError: the file is empty.
    """
    with open(path, encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip()), "")
    if not first:
        raise UsageError(f"{path} is empty: expected a line of names and rows of numbers")
    separator = next((each for each in _SEPARATORS if each in first), None)
    head = [name.strip().strip('"') for name in (first.split(separator) if separator else first.split())]
    return head, separator, not all(_is_number(cell) for cell in head)


def _read_csv(path: Path) -> Table:
    head, separator, has_names = csv_head(path)
    if has_names and _has_one_line(path):
        raise UsageError(f"{path} has names and no rows of numbers")
    try:
        values = np.loadtxt(path, delimiter=separator, skiprows=int(has_names), ndmin=2, encoding="utf-8-sig", comments=None)
    except ValueError:
        raise UsageError(fault_of_csv(path)) from None
    if values.shape[1] != len(head):
        raise UsageError(f"{path}: {len(head)} names, but {values.shape[1]} columns of numbers")
    names = tuple(head) if has_names else tuple(map(str, range(len(head))))
    return Table(names, values, str(path), has_names)


def _has_one_line(path: Path) -> bool:
    with open(path, encoding="utf-8-sig") as file:
        return sum(1 for _ in islice((line for line in file if line.strip()), 2)) < 2


def fault_of_csv(path: Path) -> str:
    """What is the first thing wrong with a file that numpy does not read."""
    head, separator, has_names = csv_head(path)
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
                    found = f"`{shown(cell.strip())}`" if cell.strip() else "nothing"
                    return f"{path}:{line_number}: {name}: expected a number, found {found}"
    return f"{path}: expected rows of numbers"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _read_parquet(path: Path) -> Table:
    require_extra("pyarrow", "identify", "to read Parquet")
    from pyarrow import ArrowInvalid, parquet

    try:
        table = parquet.read_table(path)
        columns = [np.asarray(table.column(name).to_numpy(), dtype=float) for name in table.column_names]
    except (ArrowInvalid, ValueError, TypeError) as error:
        raise UsageError(f"cannot read {path}: expected Parquet with columns of numbers: {shown(str(error))}") from error
    return Table(tuple(table.column_names), np.column_stack(columns), str(path))


def _read_npz(path: Path) -> Table:
    """Arrays of shape (rows,) are columns; those of shape (rows, n) are n, with numbers from 1 behind the name."""
    names: list[str] = []
    columns: list[Array] = []
    try:
        with np.load(path, allow_pickle=False) as arrays:
            for name in arrays.files:
                array = np.asarray(arrays[name], dtype=float)
                if array.ndim not in (1, 2):
                    raise UsageError(f"{path}: {name}: expected shape (rows,) or (rows, joints), found {array.shape}")
                names += [name] if array.ndim == 1 else [f"{name}{number + 1}" for number in range(array.shape[1])]
                columns += [array] if array.ndim == 1 else list(array.T)
    except ValueError as error:
        raise UsageError(f"cannot read {path}: expected arrays of numbers, as numpy.savez writes them") from error
    if len({len(column) for column in columns}) != 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in zip(names, columns, strict=True))
        raise UsageError(f"{path}: expected arrays with as many rows each, found {lengths}")
    return Table(tuple(names), np.column_stack(columns), str(path))


def parse_rows(text: str) -> slice:
    """Rows as Python slices them: `354:5090`, `:5090`, `354:`.

    Raises:
        UsageError: it is no such range.
    """
    match = re.fullmatch(r"(-?\d*):(-?\d*)", text.strip())
    if not match:
        raise UsageError(f"rows: expected first:last, as 354:5090 (from 0, without the last), found `{text}`")
    first, last = (int(each) if each else None for each in match.groups())
    return slice(first, last)
