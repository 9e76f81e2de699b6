"""MATLAB syntax for two scripts: the example, and the test with stored correct results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dynagen.codegen.examples import Array, Spelling
from dynagen.codegen.languages.matlab.writer import CLASSES, CONTINUED, RESERVED
from dynagen.codegen.naming import prefix_symbol, wrap_text
from dynagen.codegen.package import Package
from dynagen.codegen.printing import WIDTH

# Names that the templates use.
_TAKEN = ("wrong", "states", "k", "count_wrong", "info")


def make_spelling(package: Package) -> Spelling:
    """Return the syntax of MATLAB for the templates of the example and of the golden test.

    The golden test is a program that compares results with stored correct results.
    """
    symbols = [prefix_symbol(package.prefix, kernel.function) for kernel in package.kernels]
    return Spelling(
        "m",
        reserved=(*RESERVED, *_TAKEN, *symbols),
        values={
            "real": CLASSES[package.real],
            "column": _write_column,
            "rows": _write_rows,
            "of_state": _select_state,
            "in_rows": _order_by_rows,
        },
        one_scope=True,
    )


def _write_column(numbers: Sequence[str]) -> str:
    """Return the MATLAB text of a column vector; n zeros are written as `zeros(n, 1)`."""
    if len(numbers) > 1 and len(set(numbers)) == 1 and not float(numbers[0]):
        return f"zeros({len(numbers)}, 1)"
    return f"[{'; '.join(numbers)}]"


def _write_rows(rows: Iterable[Sequence[str]]) -> str:
    """Return the MATLAB text of a matrix with given rows, each in one line or several."""
    lines = [
        f"{CONTINUED}\n".join(f"  {line}" for line in wrap_text(", ".join(row), WIDTH - 8))
        for row in rows
    ]
    return "\n".join(["[", *lines, "]"])


def _select_state(array: Array) -> str:
    """Return the MATLAB text that reads the input for state k from a table with a row per state.

    The rows contain the elements in row-major order.
    """
    shape = array.argument.shape
    if not shape:
        return f"{array.name}(k)"
    row = f"{array.name}(k, :)"
    if len(shape) == 1:
        return f"{row}.'"
    given = f"reshape({row}, {', '.join(map(str, reversed(shape)))})"
    return f"{given}.'" if len(shape) == 2 else f"permute({given}, {_reverse(shape)})"


def _order_by_rows(array: Array) -> str:
    """Return the MATLAB text for a result with its elements rearranged in row-major order."""
    shape = array.argument.shape
    if len(shape) < 2:
        return array.name
    if len(shape) == 2:
        return f"{array.name}.'"
    return f"permute({array.name}, {_reverse(shape)})"


def _reverse(shape: Sequence[Any]) -> str:
    """Return the MATLAB text of the permutation that reverses the axes of an array."""
    return f"[{' '.join(str(axis) for axis in range(len(shape), 0, -1))}]"
