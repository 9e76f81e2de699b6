"""Tables of constants that a program looks up by the integer part of a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.numbers.exact import Exact


@dataclass(frozen=True)
class Table:
    """A table of constants: entry k is the value for all numbers x with k <= x < k + 1.

    The first entry also applies to all smaller numbers, the last one to all greater numbers. The
    value for NaN is NaN.

    Attributes:
        name: lower-case identifier, unique in the program; also the name of the table in generated
            code.
        entries: the constants, at least one. They do not depend on run-time parameters.
        meaning: the entries in words, for comments of generated code.
    """

    name: str
    entries: tuple[Exact, ...]
    meaning: str = ""

    @property
    def last(self) -> int:
        """Index of the last entry, from 0."""
        return len(self.entries) - 1

    def find(self, x: Any) -> Exact:
        """Return the table's value at x: the entry whose index is the integer part of x.

        For smaller numbers the first entry is returned, for greater numbers the last one.

        Args:
            x: number of any type that can be compared with integers and truncated.
        """
        return self.entries[0 if x < 0 else self.last if x >= self.last else int(x)]

    def fold(self, x: Exact) -> Exact | None:
        """Return the table's value at x; None if x depends on run-time parameters."""
        return self.find(x.to_fraction()) if x.is_known else None

    def compute(self, x: Any) -> Any:
        """Return the table's value at each number in x, with the type and shape of x.

        The value at x is the entry whose index is the integer part of x. Below the first and above
        the last index, the first and the last entry are used.
        """
        x = np.asarray(x)
        entries = np.array([float(entry) for entry in self.entries], x.dtype)
        # fmin and fmax return the other operand for NaN, so every index is valid.
        cells = np.fmax(np.fmin(x, self.last), 0).astype(int)
        return np.where(np.isnan(x), x, entries[cells])[()]
