"""Symbols: the names that a program's values may bear, each declared once with what it stands for.

A recursion declares its symbols beside its formulas: `W = Symbol("w", "i", VECTOR, "angular velocity of body i", "rad/s")`.
W(2) is the name of the values w2_x, w2_y and w2_z. A stem belongs to one symbol and contains no digit, so every name leads
back to its symbol, and the table of names in generated code is made of the program itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dynagen.errors import InvalidProgramError

SCALAR: tuple[int, ...] = ()
VECTOR = (3,)
TENSOR = (6,)
"""A symmetric tensor: xx, yy, zz, xy, xz, yz."""
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
    """A symbol of the literature: what the names of some quantities begin with, and what these quantities are.

    Attributes:
        stem: what the names begin with, before their numbers.
        indices: a letter for each number, as "ji"; the meaning speaks of bodies and joints by these letters.
        shape: of the quantity, SCALAR, VECTOR, TENSOR or MATRIX; tells the components at the end of the names.
        meaning: for the table of names in generated code.
        unit: SI unit; empty where it depends on the joints, or there is none.
        source: paper and equation, where the quantity is known from one.
        label: what a word after the numbers is, if there is one; as "parameter".
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
            raise InvalidProgramError(f"{self.stem!r} of the shape {self.shape} cannot be a symbol")

    def __call__(self, *numbers: int, label: str = "") -> Name:
        """The name of one quantity.

        Args:
            numbers: of bodies or joints, from 1; the base is 0.
            label: the word after them, for a symbol that has one.

        Raises:
            InvalidProgramError: there are more or fewer numbers than indices, or a label where there is none.
        """
        if len(numbers) != len(self.indices) or bool(label) != bool(self.label):
            raise InvalidProgramError(f"{self.pattern} is not the symbol of {(*numbers, label)}")
        return Name(self, self.stem + "_".join(map(str, numbers)) + (label and f"_{label}"))

    @property
    def pattern(self) -> str:
        """The spelling of its names, without their components: `p<j>_<i>`."""
        return (
            self.stem
            + "_".join(f"<{index}>" for index in self.indices)
            + (self.label and f"_<{self.label}>")
        )


@dataclass(frozen=True)
class Name:
    """The name of one quantity: its symbol with numbers."""

    symbol: Symbol
    text: str

    @property
    def components(self) -> tuple[str, ...]:
        """The names of the quantity's values, row-major."""
        return tuple(self.text + suffix for suffix in _COMPONENTS[self.symbol.shape])


MINUS = "minus_"
"""What the name of a value begins with if the program computes its opposite."""

PART = Symbol("t", "k", SCALAR, "a part of an expression")
"""What values without a name are called where they need one."""


def stem_of(name: str) -> str:
    """The stem of a value's name: l of `minus_l2_xx`."""
    return re.split(r"\d", name.removeprefix(MINUS), maxsplit=1)[0]
