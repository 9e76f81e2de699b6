"""Exact numbers -> the text that a description has for them, so that reading it gives the same number wherever text can."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from itertools import groupby

from dynagen.description.decimals import snap_angle
from dynagen.numbers.exact import PI, Exact, twelfths_of_pi
from dynagen.numbers.parametric import FunctionOf, Parametric

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
        return _sum([((f"sqrt({n})",) if n > 1 else (), Exact(Fraction(x, e))) for n, x in terms if x])
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
    return f"{over.numerator}/({over.denominator}*pi)" if over and over.denominator <= _SIMPLE else None


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
    return _plain(exact) if len(exact.normalize(Context(prec=400)).as_tuple().digits) <= _LONGEST else None


def _rounded(value: Fraction) -> str:
    return _plain(Context(prec=_DIGITS).divide(Decimal(value.numerator), Decimal(value.denominator)))


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
            written.append(f"/({argument}){power}" if atom.name == "reciprocal" else f"{atom.name}({argument}){power}")
        else:
            written.append(f"{atom}{power}")
    return tuple(sorted(written, key=lambda factor: factor.startswith("/")))


def _sum(terms: list[tuple[tuple[str, ...], Exact]]) -> str:
    """Products with their coefficients, added."""
    text = ""
    for factors, coefficient in terms:
        size = abs(coefficient)
        product = "" if size == 1 and factors and not factors[0].startswith("/") else _in_product(size)
        for factor in factors:
            product += factor if factor.startswith("/") or not product else f"*{factor}"
        sign = "-" if coefficient.is_negative else "+"
        text += f" {sign} {product}" if text else product if sign == "+" else f"-{product}"
    return text


def _in_product(coefficient: Exact) -> str:
    text = arithmetic(coefficient)
    return text if coefficient.is_rational else f"({text})"
