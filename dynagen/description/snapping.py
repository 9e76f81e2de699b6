"""Numbers that files give rounded, and that stand for round ones: angles for multiples of pi/12, lengths for zero.

A number that is read as another one costs operations less and changes torques a little; every such number is kept as a Snap.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dynagen.description.decimals import multiple_of_pi, snap_angle
from dynagen.errors import shown
from dynagen.numbers.exact import PI, ZERO, Exact, twelfths_of_pi


@dataclass(frozen=True)
class Snap:
    """A number that was read otherwise than it is written.

    Attributes:
        where: the field, with its line where the syntax counts lines.
        written, read: the number in the file, and what it is taken for.
    """

    where: str
    written: str
    read: str

    def __str__(self) -> str:
        return f"{self.where}: {self.written} read as {self.read}"


@dataclass(frozen=True)
class Snapping:
    """A choice of the numbers of a file that are read as round ones.

    Attributes:
        tolerance: of angles to multiples of pi/12 (rad), and of lengths and components of axes to zero (m). Zero: every
            number is as written. None: as the syntax has it.
        only: of the numbers that would be, the only one that is, counted from 0; None: all of them.
    """

    tolerance: Fraction | None = None
    only: int | None = None


AS_USUAL = Snapping()
"""What each syntax does unless it is told otherwise."""


@dataclass(frozen=True)
class Tolerances:
    """The tolerances of a syntax where the user names none: how far off an angle (rad) and a zero (m) may be."""

    angle: Fraction
    zero: Fraction


OF_TOOLS = Tolerances(angle=Fraction(5, 10**7), zero=Fraction(1, 10**9))
"""Of files that tools write: what single precision leaves of an angle up to a full rotation; what double precision leaves of a
zero, and room for CAD."""


class Snapper:
    """Reads the angles and lengths of one description.

    Attributes:
        snaps: what was read otherwise than it is written.
    """

    def __init__(self, snapping: Snapping, usual: Tolerances) -> None:
        chosen = snapping.tolerance
        self._tolerances = usual if chosen is None else Tolerances(chosen, chosen)
        self._is_off = chosen == 0
        self._only = snapping.only
        self._found = 0
        self.snaps: list[Snap] = []

    def angle(self, text: str, radians: Exact, where: str) -> Exact:
        """An angle in rad that is written as a bare decimal.

        It is a multiple of pi/12 where its digits are those of one, cut or rounded after four decimals or more, or where it is
        within the tolerance of one.
        """
        if self._is_off:
            return radians
        twelfths = twelfths_of_pi(radians, within=self._tolerances.angle * 12 / PI.to_fraction())
        meant = snap_angle(text) or (None if twelfths is None else multiple_of_pi(twelfths))
        return radians if meant is None else self._snapped(text, radians, *meant, where)

    def length(self, text: str, metres: Exact, where: str) -> Exact:
        """A length in m, or a component of an axis: zero within the tolerance."""
        return self._snapped(text, metres, ZERO, "0", where) if abs(metres) < self._tolerances.zero else metres

    def _snapped(self, text: str, value: Exact, meant: Exact, read: str, where: str) -> Exact:
        if float(value) == float(meant):  # no program that reads doubles could tell them apart
            return meant
        place, self._found = self._found, self._found + 1
        if self._only not in (None, place):
            return value
        self.snaps.append(Snap(where, shown(text.strip()), read))
        return meant
