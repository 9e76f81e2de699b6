"""Reader of small CSV tables over time: positions or torques, with units in column names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.robot.column_units import split_unit

_SEPARATORS = ",;\t"  # the first one in the line of names separates columns; else blanks do


def read_motion_table(path: Path, columns: Sequence[str]) -> tuple[Array, Array]:
    """Read times and columns of a CSV file in SI units; its first line contains the column names.

    A name may end in a unit, as in `q1_deg`, `q3_mm`, `tau2_Nm`, `time_ms`. Columns without unit
    are in SI units.

    Args:
        path: the file; its columns are separated by commas, semicolons, tabs or blanks.
        columns: names of the columns to read, without units, such as `q1`.

    Returns:
        Times in s, shape (rows,), and values, shape (rows, columns).

    Raises:
        UsageError: the file cannot be read, a column is missing, an entry is not a number, or times
            do not ascend.
    """
    expected = ",".join(["t", *columns])
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise UsageError(f"cannot read {path}: {reason}") from error
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise UsageError(
            f"{path} is empty: expected a line of names such as {expected}, and rows of numbers"
        )
    separator = next((symbol for symbol in _SEPARATORS if symbol in lines[0]), None)
    head, *rows = ([cell.strip().strip('"') for cell in line.split(separator)] for line in lines)
    found = [_find_column(head, column) for column in ("t", *columns)]
    values = np.empty((len(rows), len(found)))
    for column, (wanted, place) in enumerate(zip(("t", *columns), found, strict=True)):
        if place is None:
            raise UsageError(
                f"{path}: there is no column {wanted}; expected {expected}, found {','.join(head)}"
            )
        index, unit = place
        for number, row in enumerate(rows):
            try:
                values[number, column] = float(row[index]) * unit
            except (IndexError, ValueError):
                raise UsageError(
                    f"{path}, row {number + 1}: {head[index]} is not a number"
                ) from None
    if len(values) < 2 or not np.isfinite(values).all() or np.any(np.diff(values[:, 0]) <= 0):
        raise UsageError(f"{path}: expected at least two rows of finite numbers with ascending t")
    return values[:, 0], values[:, 1:]


def _find_column(names: Sequence[str], wanted: str) -> tuple[int, float] | None:
    """Return the index of a column and the factor to SI units; None if the column is missing."""
    if wanted in names:
        return names.index(wanted), 1.0
    quantity = "time" if wanted == "t" else re.sub(r"\d+$", "", wanted)
    for place, name in enumerate(names):
        for rotates in (True, False):  # units of angles and of lengths have different names
            base, unit = split_unit(name, quantity, rotates)
            if base in (wanted, quantity if wanted == "t" else wanted) and (unit or not rotates):
                return place, unit or 1.0
    return None
