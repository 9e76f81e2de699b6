"""Exact numbers with formulas, which show how they were computed from a robot description.

A formula is a polynomial. Its variables are the names of numbers in the description, such as `m4`.
The robot model and the recording of programs use a traced number like any other `Exact`. Two traced
numbers are equal only if their formulas are equal, so that a cache never returns a number with a
different formula.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from dynagen.numbers.exact import ONE, ZERO, Exact, ExactLike, count_twelfths_of_pi
from dynagen.numbers.parametric import collect

MOST_TERMS = 12
"""Largest number of terms of a formula that is written in full inside another formula.

A longer formula becomes a part, to which other formulas refer by name. A product of two formulas is
expanded only if it has at most this number of terms, before like terms are added.
"""

Factors = frozenset[tuple["str | Part", int]]
"""Type of a product in a formula: pairs of a factor and its power, which is not zero.

A factor is the name of a number, or a part: a formula or function that other formulas refer to by
name.
"""
Terms = Mapping[Factors, Exact]
"""Type of a formula: mapping from each product to its coefficient, a plain number but not zero."""


class NamedNumber(Exact):
    """A number with a name in the description, which behaves as a plain number in arithmetic."""

    __slots__ = ("name",)

    def __init__(self, name: str, value: Exact) -> None:
        self._copy_value(value)
        self.name = name

    # Python tries the left operand first unless the right one is of a subclass. `ParametricNumber`
    # is not a subclass of this class, so its own operation is requested by NotImplemented.
    def __add__(self, other: ExactLike) -> Exact:
        return NotImplemented if _is_parametric(other) else super().__add__(other)

    __radd__ = __add__

    def __mul__(self, other: ExactLike) -> Exact:
        return NotImplemented if _is_parametric(other) else super().__mul__(other)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return NotImplemented if _is_parametric(other) else super().__eq__(other)

    __hash__ = Exact.__hash__


def _is_parametric(number: object) -> bool:
    """Return whether a number depends on run-time parameters."""
    return isinstance(number, Exact) and not number.is_known


class Part:
    """A subformula that is printed once under a name, because it is too long to be repeated.

    Parts with equal functions and arguments are equal.

    Attributes:
        function: name of the function of the arguments: sin, cos, atan2 or sqrt; empty if the part
            equals its only argument.
        arguments: formulas of the arguments.
        value: value of the part, by which parts are sorted.
    """

    def __init__(self, function: str, arguments: tuple[Terms, ...], value: Exact) -> None:
        self.function = function
        self.arguments = arguments
        self.value = value
        self._key = function, tuple(frozenset(terms.items()) for terms in arguments)
        self._hash = hash(self._key)

    def to_text(self, names: Mapping[Part, str]) -> str:
        """Return this part of a formula as arithmetic text, such as `sin(q)`.

        Args:
            names: for each other part inside this part, the name to write in its place.
        """
        arguments = ", ".join(format_formula(terms, names) for terms in self.arguments)
        return f"{self.function}({arguments})" if self.function else arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and self._hash == other._hash and self._key == other._key

    def __hash__(self) -> int:
        return self._hash


class TracedNumber(Exact):
    """A number with its formula.

    Zero, and sums that equal 1 or -1, stay plain numbers without a formula, because rules that
    simplify a program compare numbers with 0 and 1.

    Attributes:
        value: the number without its formula.
        terms: the formula as a polynomial: mapping from each product to its coefficient. A product
            is a set of pairs (factor, power); a factor is a name or a named subformula (`Part`).
    """

    __slots__ = ("_hash", "terms", "value")
    _hash: int
    value: Exact
    terms: Terms

    def __add__(self, other: ExactLike) -> Exact:
        if _is_parametric(other):
            return NotImplemented
        return _attach_formula(
            self.value + _plain(other), collect((*self.terms.items(), *_terms(other).items()))
        )

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return _attach_formula(-self.value, {factors: -x for factors, x in self.terms.items()})

    def __mul__(self, other: ExactLike) -> Exact:
        if _is_parametric(other):
            return NotImplemented
        value = self.value * _plain(other)
        if not value:
            return value
        left, right = self.terms, _terms(other)
        # A long product is not expanded: its sums become parts, and the product one term.
        if len(left) * len(right) > MOST_TERMS:
            left, right = _in_one_term(self), _in_one_term(other)
        return _attach_formula(
            value,
            collect(
                (_product(a, b), x * y) for (a, x), (b, y) in product(left.items(), right.items())
            ),
        )

    __rmul__ = __mul__

    def reciprocal(self) -> Exact:
        """Return one over this number (not zero), with its formula."""
        ((factors, x),) = _in_one_term(self).items()
        return _attach_formula(
            self.value.reciprocal(),
            {frozenset((factor, -power) for factor, power in factors): x.reciprocal()},
        )

    def sqrt(self) -> Exact:
        """Return the square root of this number, with its formula."""
        return _function("sqrt", self.value.sqrt(), self)

    def cosine_sine(self) -> tuple[Exact, Exact]:
        """Return cosine and sine of this angle (rad), with formulas if neither of them is zero."""
        cosine, sine = self.value.cosine_sine()
        if not (cosine and sine):
            return cosine, sine
        return _function("cos", cosine, self), _function("sin", sine, self)

    def atan2(self, cosine: Exact) -> Exact:
        """Return the angle (rad, -pi to pi) of the vector (cosine, this number), with a formula."""
        radians = self.value.atan2(_plain(cosine))
        if not isinstance(cosine, TracedNumber):
            return radians
        # cos(x) and sin(x) of one name x: the angle is x itself.
        name = _single_name(self).removeprefix("sin(").removesuffix(")")
        if (_single_name(cosine), _single_name(self)) == (f"cos({name})", f"sin({name})"):
            return attach_name(name, radians)
        return _function("atan2", radians, self, cosine)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TracedNumber) or self._hash != other._hash:
            return False
        # One name is another number in another robot, so the values are compared too.
        return self.value == other.value and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    @property
    def formula(self) -> str:
        """Formula of the number as text, such as `m4*d4**2 - 2*Ixx4`.

        The formula must not contain parts (named subformulas).
        """
        return format_formula(self.terms, {})


def attach_name(name: str, value: Exact) -> Exact:
    """Return a number that carries a name, so that formulas of later results contain the name.

    Zero remains a number without a name, and numbers with run-time parameters are not changed.
    """
    return _attach_formula(_plain(value), _term(name)) if value.is_known else value


def list_parts(terms: Terms, known: dict[Part, None] | None = None) -> dict[Part, None]:
    """Return the parts (named subformulas) of a formula, inner parts first, as dictionary keys.

    Args:
        terms: terms of the formula.
        known: parts of other formulas. The parts of this formula are appended to this dictionary,
            which is returned.
    """
    known = {} if known is None else known
    for factors in terms:
        for factor, _ in sorted(factors, key=_factor_sort_key):
            if isinstance(factor, Part) and factor not in known:
                for argument in factor.arguments:
                    list_parts(argument, known)
                known[factor] = None
    return known


def format_formula(terms: Terms, names: Mapping[Part, str]) -> str:
    """Return a formula as arithmetic that a description may contain, such as `m4*d4**2 - 2*Ixx4`.

    Args:
        terms: terms of the formula.
        names: for each part (subformula) in the formula, the name to write in its place.
    """
    written = ((x.is_negative, _term_text(factors, abs(x), names)) for factors, x in terms.items())
    text = ""
    for is_negative, term in sorted(written):
        sign = ("-" if is_negative else "") if not text else " - " if is_negative else " + "
        text += sign + term
    return text


def _term_text(factors: Factors, number: Exact, names: Mapping[Part, str]) -> str:
    """Return one term of a formula as arithmetic text, factors before divisors.

    `names` contains the name to write in place of each part.
    """
    numerator: list[str] = []
    denominator: list[str] = []
    for factor, power in sorted(factors, key=_factor_sort_key):
        name = names[factor] if isinstance(factor, Part) else factor
        text = name + (f"**{abs(power)}" if abs(power) > 1 else "")
        (numerator if power > 0 else denominator).append(text)
    if number != ONE or not numerator:
        numerator.insert(0, format_number(number))
    return "*".join(numerator) + "".join(f"/{divisor}" for divisor in denominator)


def format_number(number: Exact) -> str:
    """Return arithmetic text for a number, such as `pi/2`, `(1/3)` or `0.25`.

    Multiples of 15 degrees (as rad) are written with pi, irrational numbers with square roots. A
    decimal is the shortest one with the same value in double precision.
    """
    if not number.is_rational:
        return f"({number})"
    if twelfths := count_twelfths_of_pi(number):  # a multiple of 15 degrees is written with pi
        multiple = Fraction(twelfths, 12)
        times = f"{multiple.numerator}*pi" if multiple.numerator > 1 else "pi"
        return times if multiple.denominator == 1 else f"{times}/{multiple.denominator}"
    fraction, decimal = number.to_fraction(), repr(float(number)).removesuffix(".0")
    small = f"{fraction.numerator}/{fraction.denominator}"
    return f"({small})" if Fraction(decimal) != fraction and len(small) < len(decimal) else decimal


def _attach_formula(value: Exact, terms: Terms) -> Exact:
    """Return a number with a formula.

    The result has no formula if it is zero, if the formula has no names, or if the formula is a sum
    with the value 1 or -1, such as cos^2 + sin^2.
    """
    # Folding rules compare with 0 and 1, also where a sum of squares makes the one.
    if not value or (abs(value) == ONE and len(terms) > 1) or not any(terms):
        return value
    number = TracedNumber.__new__(TracedNumber)
    number._copy_value(value)
    number.value = value
    number.terms = terms if len(terms) <= MOST_TERMS else _term(Part("", (terms,), value))
    number._hash = hash(frozenset(number.terms.items()))
    return number


def _function(name: str, value: Exact, *arguments: TracedNumber) -> Exact:
    """Return a number whose formula is the function `name` of arguments.

    A function of a single name is written in full in formulas; any other function becomes a part,
    a subformula that is printed once under a name.
    """
    text = _single_name(arguments[0])
    if len(arguments) == 1 and text.isidentifier():
        return _attach_formula(value, _term(f"{name}({text})"))
    return _attach_formula(
        value, _term(Part(name, tuple(number.terms for number in arguments), value))
    )


def _single_name(number: TracedNumber) -> str:
    """Return the name that is the whole formula of a number, else an empty text."""
    (factors, x), *others = number.terms.items()
    (name, power), *_ = factors
    is_single = power == 1 and x == ONE and len(factors) == 1 and not others
    return name if isinstance(name, str) and is_single else ""


def _term(atom: str | Part) -> Terms:
    """Return the formula that consists of a single name or part, with coefficient and power 1."""
    return {frozenset([(atom, 1)]): ONE}


def _in_one_term(number: ExactLike) -> Terms:
    """Return the formula of a number as one term.

    A formula of several terms is replaced by a part, a subformula that is printed once under a
    name.
    """
    terms = _terms(number)
    return terms if len(terms) == 1 else _term(Part("", (terms,), _plain(number)))


def _factor_sort_key(factor: tuple[str | Part, int]) -> tuple[int, str, Exact]:
    """Return a sort key: names that begin with m (masses), then other names, then parts.

    A part is a subformula that is printed under a name. `factor` is a pair (name or part, power).
    """
    atom, _ = factor
    if isinstance(atom, Part):
        return 2, atom.function, atom.value
    return int(not atom.startswith("m")), atom, ZERO


def _plain(value: ExactLike) -> Exact:
    """Return a number without its formula."""
    if isinstance(value, TracedNumber):
        return value.value
    return value if isinstance(value, Exact) else Exact(value)


def _terms(value: ExactLike) -> Terms:
    """Return the formula of a number; for a number without a formula, its constant value."""
    if isinstance(value, TracedNumber):
        return value.terms
    plain = _plain(value)
    return {frozenset(): plain} if plain else {}


def _product(left: Factors, right: Factors) -> Factors:
    """Return the factors of the product of two terms; the powers of equal factors are added."""
    if not (left and right):
        return left or right
    powers = Counter(dict(left))  # powers of equal factors add up; x/x disappears below
    powers.update(dict(right))
    return frozenset((factor, power) for factor, power in powers.items() if power)
