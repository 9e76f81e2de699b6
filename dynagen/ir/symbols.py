"""Symbols: the names that a program's values may have, each declared once with its meaning.

A recursion declares its symbols next to its formulas, for example `W = Symbol("w", "i", VECTOR,
"angular velocity of body i", "rad/s")`. Then `W(2)` is the name of the values w2_x, w2_y and w2_z.
The first part of the names, here "w", is the stem. A stem belongs to one symbol and contains no
digit, so that the symbol of every name can be found. The table of names in generated code lists the
symbols of the names that occur in the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from dynagen.errors import InvalidProgramError

SCALAR: tuple[int, ...] = ()
VECTOR = (3,)
TENSOR = (6,)
"""Shape of a symmetric tensor, whose six elements are in the order xx, yy, zz, xy, xz, yz."""
MATRIX = (3, 3)

_STEM = re.compile("[a-z][a-z_]*")
_AXES = "xyz"
_COMPONENTS = {
    SCALAR: ("",),
    VECTOR: tuple(f"_{axis}" for axis in _AXES),
    TENSOR: ("_xx", "_yy", "_zz", "_xy", "_xz", "_yz"),
    MATRIX: tuple(f"_{row}{column}" for row in _AXES for column in _AXES),
}


@dataclass(frozen=True)
class Symbol:
    """A symbol such as w for angular velocities: the first part of the names of values.

    Attributes:
        stem: first part of the names, before the numbers, such as "w" in `w2_x`.
        indices: one letter for each body or joint number in a name, such as "ji"; `meaning` refers
            to the numbers by these letters.
        shape: one of SCALAR, VECTOR, TENSOR and MATRIX; the shape determines the endings, such as
            `_x`.
        meaning: text for the table of names in generated code, such as "angular velocity of body
            i".
        unit: the SI unit; empty for a quantity without a unit or with a unit that depends on the
            joint.
        source: paper and equation of the quantity; empty if none is cited.
        label: what the last word of a name denotes, such as "parameter" for the word `jxx`; empty
            if names have no such word.
    """

    stem: str
    indices: str
    shape: tuple[int, ...]
    meaning: str
    unit: str = ""
    source: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        if (
            not _STEM.fullmatch(self.stem)
            or self.shape not in _COMPONENTS
            or (self.shape and not self.indices)
        ):
            raise InvalidProgramError(f"invalid symbol {self.stem!r} of shape {self.shape}")

    def __call__(self, *numbers: int, label: str = "") -> Name:
        """Return the name of one quantity: `w2` for the number 2, if the stem is "w".

        Args:
            numbers: numbers of bodies or joints, from 1 (0 is the base); as many as `indices` has
                letters.
            label: word after the numbers; required if the symbol has a label, else empty.

        Raises:
            InvalidProgramError: the number of `numbers` is wrong, or `label` is absent or not
                expected.
        """
        return _make_name(self, numbers, label)

    @property
    def pattern(self) -> str:
        """Spelling of the symbol's names without their components, such as `p<j>_<i>`."""
        return (
            self.stem
            + "_".join(f"<{index}>" for index in self.indices)
            + (self.label and f"_<{self.label}>")
        )


@dataclass(frozen=True)
class Name:
    """Name of one quantity.

    Attributes:
        symbol: the symbol of the quantity.
        text: beginning of the names of the quantity's values: stem and numbers, such as `w2`.
    """

    symbol: Symbol
    text: str

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the quantity's values, row-major, such as `w2_x`, `w2_y` and `w2_z`."""
        return tuple(self.text + suffix for suffix in _COMPONENTS[self.symbol.shape])


@cache  # estimates of candidates make the same names again and again
def _make_name(symbol: Symbol, numbers: tuple[int, ...], label: str) -> Name:
    """Return the name of one quantity; the arguments are as in `Symbol.__call__`."""
    if len(numbers) != len(symbol.indices) or bool(label) != bool(symbol.label):
        raise InvalidProgramError(
            f"the symbol {symbol.pattern} does not accept {(*numbers, label)}"
        )
    return Name(symbol, symbol.stem + "_".join(map(str, numbers)) + (label and f"_{label}"))


MINUS = "minus_"
"""Prefix of the name of a value that is the negative of the named quantity."""

PART = Symbol("t", "k", SCALAR, "a part of an expression")
"""Symbol of the names t1, t2, ... that values without a name of their own receive."""


def find_stem(name: str) -> str:
    """Return the stem (first part, without `minus_`) of a value's name: "l" for `minus_l2_xx`."""
    return re.split(r"\d", name.removeprefix(MINUS), maxsplit=1)[0]
