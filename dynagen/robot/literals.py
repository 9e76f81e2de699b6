"""Decimal numbers in descriptions: limits, snapping, and text for exact numbers.

Files often contain rounded numbers, such as 1.5708 for pi/2 or 1e-17 for zero. Snapping replaces a
rounded angle by the multiple of pi/12, and a length near zero by zero. Code from snapped numbers
has fewer operations, and its results differ slightly. Each snapped number is reported to the user.

The functions `format_...` write exact numbers as text. Reading such a text yields the same number,
unless the number had to be rounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import groupby

from dynagen.errors import clip
from dynagen.numbers.exact import PI, ZERO, Exact, count_twelfths_of_pi
from dynagen.numbers.parametric import FunctionAtom, ParametricNumber

MAX_EXPONENT = 300
MAX_MAGNITUDE = 30  # 1e30 kg is the Sun; products of a few such numbers still fit a double
MAX_ANGLE = 1_000_000
_PI_DECIMALS = 40  # PI has 50 digits here, so longer literals cannot be compared with it
_FRACTION = re.compile(r"([+-]?)([0-9]*)\.([0-9]{4,})")
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
"""Regular expression of a decimal number; its only group matches the exponent."""


def find_multiple_of_pi(text: str) -> tuple[Exact, str] | None:
    """Recognise a multiple of pi/12 by its digits.

    The text must have at least four decimals. All its digits must equal the digits of the truncated
    or rounded multiple. For example, 1.5707 and 1.5708 are pi/2, but 1.570800 is not. Zero is not
    recognised.

    Args:
        text: a number; only decimal numbers without arithmetic are recognised.

    Returns:
        The multiple of pi/12, and its text such as "pi/2"; None if the digits do not match a
        multiple.
    """
    match = _FRACTION.fullmatch(text.strip())
    if not match or len(text) > _PI_DECIMALS:
        return None
    sign, whole, decimals = match.groups()
    written = int(whole + decimals)
    scale = PI.to_fraction() / 12 * 10 ** len(decimals)
    twelfths = round(written / scale)
    digits = twelfths * scale
    # The written digits must equal the digits of the multiple, truncated or rounded to the same
    # length.
    if twelfths == 0 or written not in (int(digits), int(digits + Fraction(1, 2))):
        return None
    return make_multiple_of_pi(-twelfths if sign == "-" else twelfths)


def make_multiple_of_pi(twelfths: int) -> tuple[Exact, str]:
    """Return `twelfths` times pi/12 and its text, such as "-3*pi/4"."""
    multiple = Fraction(twelfths, 12)
    if not multiple:
        return ZERO, "0"
    factor = {1: "", -1: "-"}.get(multiple.numerator, f"{multiple.numerator}*")
    divisor = "" if multiple.denominator == 1 else f"/{multiple.denominator}"
    return PI * multiple, f"{factor}pi{divisor}"


@dataclass(frozen=True)
class Snap:
    """A number that was read as a nearby round value.

    Attributes:
        where: name of the field, with its line if the format has line numbers.
        written: text of the number in the file.
        read: text of the number that is used instead.
    """

    where: str
    written: str
    read: str

    def __str__(self) -> str:
        return f"{self.where}: {self.written} read as {self.read}"


@dataclass(frozen=True)
class Snapping:
    """Settings for snapping the numbers of a file.

    Attributes:
        tolerance: largest distance of an angle from a multiple of pi/12 (rad), and largest
            magnitude of a length (m) or of a component of an axis that is read as zero. A tolerance
            of zero switches snapping off. None selects the tolerances of the file format.
        only: index of the only number to snap, among the numbers that are snapped by default; None
            snaps all. An index is used to measure the effect of a single snap.
    """

    tolerance: Fraction | None = None
    only: int | None = None


AS_USUAL = Snapping()
"""Default settings for snapping, which select the tolerances of the file format."""


@dataclass(frozen=True)
class Tolerances:
    """Default tolerances of a file format for snapping: reading numbers as nearby round values.

    Attributes:
        angle: largest distance of an angle from a multiple of pi/12, rad.
        zero: largest magnitude of a length (m) that is read as zero.
    """

    angle: Fraction
    zero: Fraction


OF_TOOLS = Tolerances(angle=Fraction(5, 10**7), zero=Fraction(1, 10**9))
"""Default tolerances for formats whose files are written by programs, such as URDF.

The tolerance of angles covers rounding to single precision, up to a full rotation. The tolerance of
zero covers rounding errors of double precision and of CAD programs.
"""


class Snapper:
    """Snapping of the angles and lengths of one description, with a record of the snapped numbers.

    Attributes:
        snaps: numbers that were read as nearby round values.
    """

    def __init__(self, snapping: Snapping, usual: Tolerances) -> None:
        chosen = snapping.tolerance
        self._tolerances = usual if chosen is None else Tolerances(chosen, chosen)
        self._is_off = chosen == 0
        self._only = snapping.only
        self._found = 0
        self.snaps: list[Snap] = []

    def snap_angle(self, text: str, radians: Exact, where: str) -> Exact:
        """Return the value of an angle (rad) after snapping.

        An angle is replaced by a multiple of pi/12 if `find_multiple_of_pi` recognises its digits,
        or if its distance from the multiple is within the tolerance.

        Args:
            text: the number as written in the file.
            radians: exact value of the text in rad.
            where: name of the field, for the record of snaps.
        """
        if self._is_off:
            return radians
        twelfths = count_twelfths_of_pi(
            radians, within=self._tolerances.angle * 12 / PI.to_fraction()
        )
        meant = find_multiple_of_pi(text) or (
            None if twelfths is None else make_multiple_of_pi(twelfths)
        )
        return radians if meant is None else self._snap(text, radians, *meant, where)

    def snap_length(self, text: str, metres: Exact, where: str) -> Exact:
        """Return a length (m) or a component of an axis after snapping.

        Args:
            text: the number as written in the file.
            metres: exact value of the text in m.
            where: name of the field, for the record of snaps.
        """
        return (
            self._snap(text, metres, ZERO, "0", where)
            if abs(metres) < self._tolerances.zero
            else metres
        )

    def _snap(self, text: str, value: Exact, meant: Exact, read: str, where: str) -> Exact:
        """Return the round value `meant` in place of the nearby `value`, and record this snap.

        If the settings exclude this number from snapping, `value` is returned.
        """
        if float(value) == float(meant):  # equal in double precision: nothing to report
            return meant
        position, self._found = self._found, self._found + 1
        if self._only not in (None, position):
            return value
        self.snaps.append(Snap(where, clip(text.strip()), read))
        return meant


_DIGITS = 30
"""Number of digits with which numbers without a finite decimal form are written."""

_LONGEST = 40  # digits of a decimal that a person may have written
_SIMPLE = 100_000  # denominator of a fraction or multiple of pi that a person may have written


def format_arithmetic(value: Exact) -> str:
    """Write a number in the arithmetic of YAML descriptions.

    Examples are `0.4318`, `1/3`, `sqrt(2)/2`, `2*load + 0.1` and `5*pi/18`.
    """
    if isinstance(value, ParametricNumber):
        return _format_sum(
            [(_format_factors(monomial), coefficient) for monomial, coefficient in value.terms]
        )
    if not value.is_rational:
        # An Exact is (a + b sqrt(2) + c sqrt(3) + d sqrt(6)) / e with integers a to e.
        a, *roots, e = value.integers
        terms = zip((1, 2, 3, 6), (a, *roots), strict=True)
        return _format_sum(
            [((f"sqrt({n})",) if n > 1 else (), Exact(Fraction(x, e))) for n, x in terms if x]
        )
    return _format_multiple_of_pi(value) or _format_rational(value.to_fraction())


def format_angle(value: Exact) -> str:
    """Write an angle (rad) in arithmetic that is read as the same number.

    Zeros are appended to a decimal number that snapping would replace by a multiple of pi/12.
    """
    text = format_arithmetic(value)
    while find_multiple_of_pi(text) is not None:
        text += "0"
    return text


def format_decimal(value: Exact) -> str:
    """Write a number as a decimal, for formats without arithmetic.

    Multiples of pi/12 are written with the digits of double precision, finite decimals with all
    digits, and other numbers with 30 digits.
    """
    if value and count_twelfths_of_pi(value) is not None:
        return repr(float(value))
    fraction = value.to_fraction()
    return _format_terminating(fraction) or _format_rounded(fraction)


def _format_multiple_of_pi(value: Exact) -> str | None:
    """Write a simple multiple of pi or of 1/pi; None for other numbers."""
    # PI has 50 digits, so that no other number has a small denominator after this division.
    multiple, over = (value / PI).to_fraction(), (value * PI).to_fraction()
    if multiple and multiple.denominator <= _SIMPLE:
        factor = {1: "pi", -1: "-pi"}.get(multiple.numerator, f"{multiple.numerator}*pi")
        return factor if multiple.denominator == 1 else f"{factor}/{multiple.denominator}"
    return (
        f"{over.numerator}/({over.denominator}*pi)"
        if over and over.denominator <= _SIMPLE
        else None
    )


def _format_rational(value: Fraction) -> str:
    if text := _format_terminating(value):
        return text
    return str(value) if value.denominator <= _SIMPLE else _format_rounded(value)


def _format_terminating(value: Fraction) -> str | None:
    """Write a number as a finite decimal; None if it has more than _LONGEST digits."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest > 1:
        return None
    exact = Context(prec=400).divide(Decimal(value.numerator), Decimal(value.denominator))
    return (
        _format_plain(exact)
        if len(exact.normalize(Context(prec=400)).as_tuple().digits) <= _LONGEST
        else None
    )


def _format_rounded(value: Fraction) -> str:
    return _format_plain(
        Context(prec=_DIGITS).divide(Decimal(value.numerator), Decimal(value.denominator))
    )


def _format_plain(value: Decimal) -> str:
    """Write a decimal number, without an exponent if the result is short."""
    trimmed = value.normalize(Context(prec=400))
    plain = f"{trimmed:f}"
    return plain if len(plain) <= len(trimmed.as_tuple().digits) + 6 else str(trimmed).lower()


def _format_factors(monomial: tuple[object, ...]) -> tuple[str, ...]:
    """Write the factors of a product of parameters; divisors begin with a slash and come last."""
    written = []
    for atom, same in groupby(monomial):
        count = len(list(same))
        power = f"**{count}" if count > 1 else ""
        if isinstance(atom, FunctionAtom):
            argument = format_arithmetic(atom.argument)
            written.append(
                f"/({argument}){power}"
                if atom.name == "reciprocal"
                else f"{atom.name}({argument}){power}"
            )
        else:
            written.append(f"{atom}{power}")
    return tuple(sorted(written, key=lambda factor: factor.startswith("/")))


def _format_sum(terms: list[tuple[tuple[str, ...], Exact]]) -> str:
    """Write a sum of products; each product has a tuple of factors as text, and a coefficient."""
    text = ""
    for factors, coefficient in terms:
        size = abs(coefficient)
        product = (
            ""
            if size == 1 and factors and not factors[0].startswith("/")
            else _format_coefficient(size)
        )
        for factor in factors:
            product += factor if factor.startswith("/") or not product else f"*{factor}"
        sign = "-" if coefficient.is_negative else "+"
        text += f" {sign} {product}" if text else product if sign == "+" else f"-{product}"
    return text


def _format_coefficient(coefficient: Exact) -> str:
    text = format_arithmetic(coefficient)
    return text if coefficient.is_rational else f"({text})"
