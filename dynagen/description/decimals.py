"""Decimal numbers in robot descriptions of any syntax: how large they may be, and which are multiples of pi/12."""

from __future__ import annotations

import re
from fractions import Fraction

from dynagen.numbers.exact import PI, ZERO, Exact

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
