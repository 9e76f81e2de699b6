"""Decimal numbers in descriptions: their limits, rounded numbers that stand for round ones, and the text of exact numbers.

Decimal numbers in robot descriptions of any syntax: how large they may be, and which are multiples of pi/12.

Numbers that files give rounded, and that stand for round ones: angles for multiples of pi/12, lengths for zero.

A number that is read as another one costs operations less and changes torques a little; every such number is kept as a Snap.

Exact numbers -> the text that a description has for them, so that reading it gives the same number wherever text can.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import groupby

from dynagen.errors import shown
from dynagen.numbers.exact import PI, ZERO, Exact, twelfths_of_pi
from dynagen.numbers.parametric import FunctionOf, Parametric

MAX_EXPONENT = 300
MAX_MAGNITUDE = 30  # 1e30 kg is the Sun; products of a few such numbers still fit a double
MAX_ANGLE = 1_000_000
_PI_DECIMALS = 40  # PI is known to 50 digits; a literal longer than this is not compared with it
_FRACTION = re.compile(r"([+-]?)([0-9]*)\.([0-9]{4,})")
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
"""A bare decimal number; its group is the exponent."""


def snap_angle(text: str) -> tuple[Exact, str] | None:
    """The multiple of pi/12 that a bare decimal stands for, and how to write it; None for any other text.

    A rule about digits, not a tolerance: 1.5707 and 1.5708 are pi/2 cut or rounded after four decimals, 1.570800 is not.
    At least four decimals are needed, and zero is never meant.
    """
    match = _FRACTION.fullmatch(text.strip())
    if not match or len(text) > _PI_DECIMALS:
        return None
    sign, whole, decimals = match.groups()
    written = int(whole + decimals)
    scale = PI.to_fraction() / 12 * 10 ** len(decimals)
    twelfths = round(written / scale)
    digits = twelfths * scale
    if twelfths == 0 or written not in (int(digits), int(digits + Fraction(1, 2))):
        return None
    return multiple_of_pi(-twelfths if sign == "-" else twelfths)


def multiple_of_pi(twelfths: int) -> tuple[Exact, str]:
    """A multiple of pi/12, by its number of twelfths, and how to write it."""
    multiple = Fraction(twelfths, 12)
    if not multiple:
        return ZERO, "0"
    factor = {1: "", -1: "-"}.get(multiple.numerator, f"{multiple.numerator}*")
    divisor = "" if multiple.denominator == 1 else f"/{multiple.denominator}"
    return PI * multiple, f"{factor}pi{divisor}"


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
        return (
            self._snapped(text, metres, ZERO, "0", where)
            if abs(metres) < self._tolerances.zero
            else metres
        )

    def _snapped(self, text: str, value: Exact, meant: Exact, read: str, where: str) -> Exact:
        if float(value) == float(meant):  # no program that reads doubles could tell them apart
            return meant
        place, self._found = self._found, self._found + 1
        if self._only not in (None, place):
            return value
        self.snaps.append(Snap(where, shown(text.strip()), read))
        return meant


_DIGITS = 30
"""Of numbers that are approximations themselves, to 25 digits: cosines of angles in general position, and the like."""

_LONGEST = 40  # digits of a decimal that somebody may have written
_SIMPLE = 100_000  # denominators of fractions and multiples of pi that somebody may have written


def arithmetic(value: Exact) -> str:
    """A number as the arithmetic of YAML descriptions has it: `0.4318`, `1/3`, `sqrt(2)/2`, `2*load + 0.1`, `5*pi/18`."""
    if isinstance(value, Parametric):
        return _sum([(_factors(monomial), coefficient) for monomial, coefficient in value.terms])
    if not value.is_rational:
        a, *roots, e = value.integers
        terms = zip((1, 2, 3, 6), (a, *roots), strict=True)
        return _sum(
            [((f"sqrt({n})",) if n > 1 else (), Exact(Fraction(x, e))) for n, x in terms if x]
        )
    return _of_pi(value) or _rational(value.to_fraction())


def angle(value: Exact) -> str:
    """As `arithmetic`; a decimal that looks like a rounded multiple of pi/12, and is none, gets zeros to be read as it is."""
    text = arithmetic(value)
    while snap_angle(text) is not None:
        text += "0"
    return text


def decimal(value: Exact) -> str:
    """A number as other formats have it: the decimal itself, or 30 digits; multiples of pi/12 as double precision has them."""
    if value and twelfths_of_pi(value) is not None:
        return repr(float(value))
    fraction = value.to_fraction()
    return _terminating(fraction) or _rounded(fraction)


def _of_pi(value: Exact) -> str | None:
    """A simple multiple of pi or of one over pi, else None: PI has 50 digits, so that no other number looks like one."""
    multiple, over = (value / PI).to_fraction(), (value * PI).to_fraction()
    if multiple and multiple.denominator <= _SIMPLE:
        factor = {1: "pi", -1: "-pi"}.get(multiple.numerator, f"{multiple.numerator}*pi")
        return factor if multiple.denominator == 1 else f"{factor}/{multiple.denominator}"
    return (
        f"{over.numerator}/({over.denominator}*pi)"
        if over and over.denominator <= _SIMPLE
        else None
    )


def _rational(value: Fraction) -> str:
    if text := _terminating(value):
        return text
    return str(value) if value.denominator <= _SIMPLE else _rounded(value)


def _terminating(value: Fraction) -> str | None:
    """The decimal that a number is, or None if it is none, or one that nobody writes."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest > 1:
        return None
    exact = Context(prec=400).divide(Decimal(value.numerator), Decimal(value.denominator))
    return (
        _plain(exact)
        if len(exact.normalize(Context(prec=400)).as_tuple().digits) <= _LONGEST
        else None
    )


def _rounded(value: Fraction) -> str:
    return _plain(
        Context(prec=_DIGITS).divide(Decimal(value.numerator), Decimal(value.denominator))
    )


def _plain(value: Decimal) -> str:
    """A decimal as text, without an exponent where that is short."""
    trimmed = value.normalize(Context(prec=400))
    plain = f"{trimmed:f}"
    return plain if len(plain) <= len(trimmed.as_tuple().digits) + 6 else str(trimmed).lower()


def _factors(monomial: tuple[object, ...]) -> tuple[str, ...]:
    """The factors of a product of parameters and functions of them; those that it is divided by begin with a slash."""
    written = []
    for atom, same in groupby(monomial):
        count = len(list(same))
        power = f"**{count}" if count > 1 else ""
        if isinstance(atom, FunctionOf):
            argument = arithmetic(atom.argument)
            written.append(
                f"/({argument}){power}"
                if atom.name == "reciprocal"
                else f"{atom.name}({argument}){power}"
            )
        else:
            written.append(f"{atom}{power}")
    return tuple(sorted(written, key=lambda factor: factor.startswith("/")))


def _sum(terms: list[tuple[tuple[str, ...], Exact]]) -> str:
    """Products with their coefficients, added."""
    text = ""
    for factors, coefficient in terms:
        size = abs(coefficient)
        product = (
            "" if size == 1 and factors and not factors[0].startswith("/") else _in_product(size)
        )
        for factor in factors:
            product += factor if factor.startswith("/") or not product else f"*{factor}"
        sign = "-" if coefficient.is_negative else "+"
        text += f" {sign} {product}" if text else product if sign == "+" else f"-{product}"
    return text


def _in_product(coefficient: Exact) -> str:
    text = arithmetic(coefficient)
    return text if coefficient.is_rational else f"({text})"
