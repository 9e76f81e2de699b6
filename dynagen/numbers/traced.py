"""Exact numbers that know what they are made of: polynomials in the names of the numbers that they come from.

To the model and to whoever records a program such a number is an Exact like any other, and known. It is equal to another one
if it has the same formula, so that nothing kept for plain numbers is taken for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from dynagen.numbers.exact import ONE, ZERO, Exact, ExactLike, twelfths_of_pi
from dynagen.numbers.parametric import collect

MOST_TERMS = 12
"""Terms of a formula, and of a product that is written out; what is longer is a part of its own, which formulas then name."""

Factors = frozenset[tuple["str | Part", int]]
"""What a term is a product of: names or parts with their powers, which are not zero."""
Terms = Mapping[Factors, Exact]
"""A formula: products and their coefficients, which are plain numbers and not zero."""


class Named(Exact):
    """A number that the description has a name for; a plain number to all but those who ask for the name."""

    __slots__ = ("name",)

    def __init__(self, name: str, value: Exact) -> None:
        self._take(value)
        self.name = name

    # What comes at run time is another subclass of Exact, and so not asked first: here it is.
    def __add__(self, other: ExactLike) -> Exact:
        return NotImplemented if _comes_at_run_time(other) else super().__add__(other)

    __radd__ = __add__

    def __mul__(self, other: ExactLike) -> Exact:
        return NotImplemented if _comes_at_run_time(other) else super().__mul__(other)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return NotImplemented if _comes_at_run_time(other) else super().__eq__(other)

    __hash__ = Exact.__hash__


def _comes_at_run_time(number: object) -> bool:
    return isinstance(number, Exact) and not number.is_known


class Part:
    """A part of formulas that is too long to be written where it is used; equal to another one that is made alike.

    Attributes:
        function: sin, cos, atan2 or sqrt of the arguments; empty for the only argument itself.
        value: for putting parts in order.
    """

    def __init__(self, function: str, arguments: tuple[Terms, ...], value: Exact) -> None:
        self.function = function
        self.arguments = arguments
        self.value = value
        self._key = function, tuple(frozenset(terms.items()) for terms in arguments)
        self._hash = hash(self._key)

    def text(self, names: Mapping[Part, str]) -> str:
        """As arithmetic, with names for the parts in it."""
        arguments = ", ".join(formula_text(terms, names) for terms in self.arguments)
        return f"{self.function}({arguments})" if self.function else arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and self._hash == other._hash and self._key == other._key

    def __hash__(self) -> int:
        return self._hash


class Traced(Exact):
    """A number with its formula. Zero has none, nor has a sum that makes one: they are plain, as rules of arithmetic ask for.

    Attributes:
        value: the number without its formula.
        terms: its formula.
    """

    __slots__ = ("_hash", "terms", "value")
    _hash: int
    value: Exact
    terms: Terms

    def __add__(self, other: ExactLike) -> Exact:
        if _comes_at_run_time(other):
            return NotImplemented
        return _number(
            self.value + _plain(other), collect((*self.terms.items(), *_terms(other).items()))
        )

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return _number(-self.value, {factors: -x for factors, x in self.terms.items()})

    def __mul__(self, other: ExactLike) -> Exact:
        if _comes_at_run_time(other):
            return NotImplemented
        value = self.value * _plain(other)
        if not value:
            return value
        left, right = self.terms, _terms(other)
        if len(left) * len(right) > MOST_TERMS:
            left, right = _in_one_term(self), _in_one_term(other)
        return _number(
            value,
            collect(
                (_product(a, b), x * y) for (a, x), (b, y) in product(left.items(), right.items())
            ),
        )

    __rmul__ = __mul__

    def reciprocal(self) -> Exact:
        """One over this number, which is not zero."""
        ((factors, x),) = _in_one_term(self).items()
        return _number(
            self.value.reciprocal(),
            {frozenset((each, -power) for each, power in factors): x.reciprocal()},
        )

    def sqrt(self) -> Exact:
        """Square root."""
        return _function("sqrt", self.value.sqrt(), self)

    def cosine_sine(self) -> tuple[Exact, Exact]:
        """Cosine and sine of this number of radians, without formulas where they are zero and one."""
        cosine, sine = self.value.cosine_sine()
        if not (cosine and sine):
            return cosine, sine
        return _function("cos", cosine, self), _function("sin", sine, self)

    def arc_of(self, cosine: Exact) -> Exact:
        """The angle (rad) of the direction (cosine, sine), this being the sine."""
        radians = self.value.arc_of(_plain(cosine))
        if not isinstance(cosine, Traced):
            return radians
        name = _single_name(self).removeprefix("sin(").removesuffix(")")
        if (_single_name(cosine), _single_name(self)) == (f"cos({name})", f"sin({name})"):
            return named(name, radians)
        return _function("atan2", radians, self, cosine)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Traced) or self._hash != other._hash:
            return False
        return (
            self.value == other.value and self.terms == other.terms
        )  # one name is another number in another robot

    def __hash__(self) -> int:
        return self._hash

    @property
    def formula(self) -> str:
        """As `m4*d4**2 - 2*Ixx4`; for a number without parts."""
        return formula_text(self.terms, {})


def named(name: str, value: Exact) -> Exact:
    """The number of this name; zero stays plain, and what comes at run time stays what it is."""
    return _number(_plain(value), _term(name)) if value.is_known else value


def parts_in(terms: Terms, known: dict[Part, None] | None = None) -> dict[Part, None]:
    """The parts that terms name and those that they are made of, in an order in which each uses those before it.

    Args:
        terms: of a formula.
        known: parts of other formulas, to which those of this one are added.
    """
    known = {} if known is None else known
    for factors in terms:
        for each, _ in sorted(factors, key=_order_of_factors):
            if isinstance(each, Part) and each not in known:
                for inner in each.arguments:
                    parts_in(inner, known)
                known[each] = None
    return known


def formula_text(terms: Terms, names: Mapping[Part, str]) -> str:
    """Terms as arithmetic that a description may contain: `m4*d4**2 - 2*Ixx4`, with names for the parts in it."""
    written = ((x.is_negative, _term_text(factors, abs(x), names)) for factors, x in terms.items())
    text = ""
    for is_negative, term in sorted(written):
        sign = ("-" if is_negative else "") if not text else " - " if is_negative else " + "
        text += sign + term
    return text


def _term_text(factors: Factors, number: Exact, names: Mapping[Part, str]) -> str:
    above: list[str] = []
    below: list[str] = []
    for each, power in sorted(factors, key=_order_of_factors):
        name = names[each] if isinstance(each, Part) else each
        (above if power > 0 else below).append(name + (f"**{abs(power)}" if abs(power) > 1 else ""))
    if number != ONE or not above:
        above.insert(0, number_text(number))
    return "*".join(above) + "".join(f"/{each}" for each in below)


def number_text(number: Exact) -> str:
    """An exact number in the shortest arithmetic that means it, or means it to the last digit of double."""
    if not number.is_rational:
        return f"({number})"
    if twelfths := twelfths_of_pi(number):
        multiple = Fraction(twelfths, 12)
        times = f"{multiple.numerator}*pi" if multiple.numerator > 1 else "pi"
        return times if multiple.denominator == 1 else f"{times}/{multiple.denominator}"
    fraction, decimal = number.to_fraction(), repr(float(number)).removesuffix(".0")
    small = f"{fraction.numerator}/{fraction.denominator}"
    return f"({small})" if Fraction(decimal) != fraction and len(small) < len(decimal) else decimal


def _number(value: Exact, terms: Terms) -> Exact:
    """Return a number with its formula; plain if it has none, or if squares of a cosine and a sine make one."""
    if not value or (abs(value) == ONE and len(terms) > 1) or not any(terms):
        return value
    number = Traced.__new__(Traced)
    number._take(value)
    number.value = value
    number.terms = terms if len(terms) <= MOST_TERMS else _term(Part("", (terms,), value))
    number._hash = hash(frozenset(number.terms.items()))
    return number


def _function(name: str, value: Exact, *arguments: Traced) -> Exact:
    """A function of numbers, written out where it is one of a name."""
    text = _single_name(arguments[0])
    is_short = len(arguments) == 1 and text.isidentifier()
    return _number(
        value,
        _term(
            f"{name}({text})"
            if is_short
            else Part(name, tuple(each.terms for each in arguments), value)
        ),
    )


def _single_name(number: Traced) -> str:
    """The name that a formula consists of; empty if it is anything else."""
    (factors, x), *others = number.terms.items()
    (name, power), *_ = factors
    return (
        name
        if isinstance(name, str) and power == 1 and x == ONE and len(factors) == 1 and not others
        else ""
    )


def _term(atom: str | Part) -> Terms:
    return {frozenset([(atom, 1)]): ONE}


def _in_one_term(number: ExactLike) -> Terms:
    terms = _terms(number)
    return terms if len(terms) == 1 else _term(Part("", (terms,), _plain(number)))


def _order_of_factors(factor: tuple[str | Part, int]) -> tuple[int, str, Exact]:
    """Masses and first moments first, then other names, then parts."""
    atom, _ = factor
    return (
        (2, atom.function, atom.value)
        if isinstance(atom, Part)
        else (int(not atom.startswith("m")), atom, ZERO)
    )


def _plain(value: ExactLike) -> Exact:
    return (
        value.value
        if isinstance(value, Traced)
        else value
        if isinstance(value, Exact)
        else Exact(value)
    )


def _terms(value: ExactLike) -> Terms:
    if isinstance(value, Traced):
        return value.terms
    plain = _plain(value)
    return {frozenset(): plain} if plain else {}


def _product(left: Factors, right: Factors) -> Factors:
    if not (left and right):
        return left or right
    powers = Counter(dict(left))
    powers.update(dict(right))
    return frozenset((each, power) for each, power in powers.items() if power)
