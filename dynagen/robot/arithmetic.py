"""Arithmetic in robot descriptions: a parser from text to exact numbers.

Text is never evaluated as code. The grammar is:

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed)*
    signed  = ("-" | "+") signed | power
    power   = atom ("**" signed)?
    atom    = number | name | function "(" sum ")" | "(" sum ")"

Numbers are decimal and exact (0.4318 is 2159/5000). Names are `pi` and the parameters of the
description. Length, depth, powers and the size of all intermediate results are bounded, so that no
text can hang the reader or exhaust the memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from dynagen.errors import DynagenError, clip, suggest_word
from dynagen.numbers.exact import ONE, PI, Angle, Exact
from dynagen.numbers.parametric import ParametricNumber
from dynagen.robot.literals import MAX_ANGLE, MAX_EXPONENT, MAX_MAGNITUDE

MAX_LENGTH = 1000
MAX_DEPTH = 40
MAX_POWER = 16
_MAX_BITS = 10_000
_MAX_TERMS = 100  # of a polynomial in run-time parameters

CONSTANTS: Mapping[str, Exact] = {"pi": PI}
FUNCTIONS: Mapping[str, Callable[[Exact], Exact]] = {
    "sin": lambda x: _angle(x).sin,
    "cos": lambda x: _angle(x).cos,
    "sqrt": lambda x: x.sqrt(),  # not Exact.sqrt: x may be Parametric, which overrides sqrt
    "deg": lambda x: x * PI / 180,
}
_NOT_FINITE = ("nan", "inf", "infinity")
RESERVED_NAMES = frozenset({*CONSTANTS, *FUNCTIONS, *_NOT_FINITE})

_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*|\.(?i:nan|inf)\b)"
    r"|(?P<sign>\*\*|[-+*/()])"
)
_WORD = re.compile(r"[A-Za-z0-9_.]+")
_HINTS = {  # by the character that the grammar does not have
    "^": "write ** for a power",
    ",": "write a decimal point as .",
    "\u2212": "write minus as -",
    "%": "write a fraction",
    "\u00b0": "write degrees as deg(90)",
    "\u03c0": "write pi",
}
_UNITS = {  # how to write a number with this unit in SI units
    "deg": "deg({})",
    "rad": "{}",
    "m": "{}",
    "cm": "{}/100",
    "mm": "{}/1000",
    "kg": "{}",
    "g": "{}/1000",
}


class ArithmeticTextError(DynagenError):
    """Error: a text is neither a number nor valid arithmetic.

    Attributes:
        text: the invalid text.
        position: position of the error in the text, counted in characters from 1.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        self.text = text
        self.position = position
        super().__init__(f"{message} (character {position} of `{clip(text)}`)")


def evaluate(text: str, names: Mapping[str, Exact] | None = None) -> Exact:
    """Return the exact value of a number or of arithmetic such as `2*a2 + 0.1`.

    Args:
        text: the user's text.
        names: values of the names that the text may use in addition to pi.

    Raises:
        ArithmeticTextError: the text is invalid; the message states the position and the expected
            text.
    """
    return _Reader(text, names or {}).read()


def _angle(radians: Exact) -> Angle:
    if abs(radians) > MAX_ANGLE:
        raise ValueError("expected an angle of at most a million radians")
    return Angle(radians)


def _is_too_large(value: Exact) -> bool:
    if isinstance(value, ParametricNumber) and len(value.terms) > _MAX_TERMS:
        return True
    fraction = value.to_fraction()  # the default, where the number depends on run-time parameters
    return fraction.numerator.bit_length() + fraction.denominator.bit_length() > _MAX_BITS


class _Reader:
    """A recursive descent parser of one text, with a method for each rule of the grammar.

    The next token is `text[start:end]`, and empty at the end. `kind` is "number", "name", "sign" or
    "end". `depth` counts the nested uses of the rule `signed`, to limit them.
    """

    def __init__(self, text: str, names: Mapping[str, Exact]) -> None:
        self.text = text
        self.names = {**CONSTANTS, **names}
        self.end = 0
        self.depth = 0

    def read(self) -> Exact:
        """Return the exact value of the whole text."""
        self.start = 0
        if len(self.text) > MAX_LENGTH:
            raise self.error(f"longer than {MAX_LENGTH} characters")
        self.advance()
        if not self.token:
            raise self.error("expected a number, found nothing")
        value = self.sum()
        if self.token:
            raise self.error(f"expected an operator or the end, found `{clip(self.token)}`")
        if abs(value) > Fraction(10) ** MAX_MAGNITUDE:
            raise self.error(f"beyond 1e{MAX_MAGNITUDE}", at=0)
        return value

    def error(self, message: str, at: int | None = None) -> ArithmeticTextError:
        """Return the error for a position in the text (from 0), by default the next token's."""
        return ArithmeticTextError(message, self.text, (self.start if at is None else at) + 1)

    def advance(self) -> None:
        """Move to the next token; at the end of the text, the token is empty."""
        self.start = self.end
        while self.text[self.start : self.start + 1] in (" ", "\t", "\n"):
            self.start += 1
        self.kind, self.token = "end", ""
        if self.start == len(self.text):
            return
        match = _TOKEN.match(self.text, self.start)
        if match is None or match.lastgroup is None:
            character = self.text[self.start]
            hint = _HINTS.get(character)
            raise self.error(f"unexpected `{clip(character)}`" + (f"; {hint}" if hint else ""))
        self.kind, self.token, self.end = match.lastgroup, match.group(), match.end()
        if self.kind == "number" and (tail := _WORD.match(self.text, self.end)):
            unit = _UNITS.get(tail.group())
            hint = (
                f"; write SI units without their names: {unit.format(self.token)}"
                if unit
                else "; write products with *"
            )
            raise self.error(f"`{clip(self.token + tail.group())}` is not a decimal number{hint}")

    def bounded(self, value: Exact, at: int) -> Exact:
        """Return a value; raise an error at position `at` if it has too many digits."""
        if _is_too_large(value):
            raise self.error("the result has too many digits", at)
        return value

    def sum(self) -> Exact:
        """Read products with + or - between them; return the exact value of their sum."""
        value = self.product()
        while self.token in ("+", "-"):
            operator, at = self.token, self.start
            self.advance()
            term = self.product()
            value = self.bounded(value + term if operator == "+" else value - term, at)
        return value

    def product(self) -> Exact:
        """Read signed factors with * or / between them; return the exact value."""
        value = self.signed()
        while self.token in ("*", "/"):
            operator, at = self.token, self.start
            self.advance()
            factor = self.signed()
            if operator == "/" and not factor.to_fraction():
                raise self.error("division by zero", at)
            value = self.bounded(value * factor if operator == "*" else value / factor, at)
        return value

    def signed(self) -> Exact:
        """Read a power with any number of signs in front; return the exact value."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"expected at most {MAX_DEPTH} nested parentheses and signs")
        if self.token in ("-", "+"):
            operator = self.token
            self.advance()
            value = self.signed()
            value = -value if operator == "-" else value
        else:
            value = self.power()
        self.depth -= 1
        return value

    def power(self) -> Exact:
        """Read an atom and an optional integer exponent after **; return the exact value."""
        base = self.atom()
        if self.token != "**":
            return base
        at = self.start
        self.advance()
        exponent = self.signed()
        if (
            not exponent.is_known
            or not exponent.is_rational
            or exponent.to_fraction().denominator != 1
            or abs(exponent) > MAX_POWER
        ):
            raise self.error(
                f"a power must be an integer from -{MAX_POWER} to {MAX_POWER}; "
                "a square root is sqrt(x)",
                at,
            )
        if not base.to_fraction() and exponent < 0:
            raise self.error("division by zero", at)
        # One multiplication at a time, so that the size of each intermediate result is checked.
        power = base
        for _ in range(abs(int(exponent.to_fraction())) - 1):
            power = self.bounded(power * base, at)
        if not exponent:
            return ONE
        return power if exponent > 0 else self.bounded(power.reciprocal(), at)

    def atom(self) -> Exact:
        """Read a number, a name, a function call or a parenthesis; return the exact value."""
        kind, token, at = self.kind, self.token, self.start
        if kind == "number":
            self.advance()
            return self.number(token, at)
        if kind == "name":
            self.advance()
            return self.call(token, at) if self.token == "(" else self.name(token, at)
        if token == "(":
            return self.parenthesis()
        raise self.error(
            f"expected a number, a name or (, found {f'`{token}`' if token else 'the end'}"
        )

    def number(self, token: str, at: int) -> Exact:
        """Return the exact value of a decimal number, the token at position `at` of the text."""
        exponent = token.lower().partition("e")[2]
        if len(exponent) > 5 or abs(int(exponent or 0)) > MAX_EXPONENT:
            raise self.error(f"an exponent must lie between -{MAX_EXPONENT} and {MAX_EXPONENT}", at)
        return Exact(token)

    def name(self, token: str, at: int) -> Exact:
        """Return the value of a parameter or constant, named by the token at position `at`."""
        if token in FUNCTIONS:
            raise self.error(f"`{token}` is a function: write {token}(...)", at)
        if token not in self.names:
            if token.lower().removeprefix(".") in _NOT_FINITE:
                raise self.error(f"`{token}` is not a finite number", at)
            raise self.error(
                f"unknown name `{clip(token)}`{suggest_word(token, [*self.names, *FUNCTIONS])}", at
            )
        return self.names[token]

    def call(self, token: str, at: int) -> Exact:
        """Read the argument of the function `token` at position `at`; return the result."""
        if token not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise self.error(
                f"unknown function `{clip(token)}`; "
                f"known functions are {known}{suggest_word(token, FUNCTIONS)}",
                at,
            )
        argument = self.parenthesis()
        try:
            return self.bounded(FUNCTIONS[token](argument), at)
        except ValueError as error:
            raise self.error(str(error), at) from None

    def parenthesis(self) -> Exact:
        """Read a sum in parentheses; return its exact value."""
        at = self.start
        self.advance()
        value = self.sum()
        if self.token != ")":
            raise self.error("this parenthesis is not closed; expected `)`", at)
        self.advance()
        return value
