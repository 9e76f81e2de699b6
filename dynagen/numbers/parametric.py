"""Exact numbers that depend on run-time parameters: polynomials in the parameters and in functions of them.

To the model such a number is an Exact like any other; only whoever records a program asks what it is made of. As a plain
number, in a comparison or a message, it has its nominal value, that of the parameters' defaults.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import ONE, Exact, ExactLike


@dataclass(frozen=True)
class Parameter:
    """A run-time parameter: an argument of the generated code.

    Attributes:
        value: its default.
        unit: as the user writes it; empty if not given.
    """

    name: str
    value: Exact
    unit: str = ""


@dataclass(frozen=True)
class FunctionOf:
    """A function of a number that depends on parameters; `name` is sin, cos, sqrt or reciprocal."""

    name: str
    argument: Parametric


Atom = Parameter | FunctionOf
Monomial = tuple[tuple[Atom, int], ...]
"""Atoms with positive powers, in a fixed order; the empty monomial is one."""


class Parametric(Exact):
    """A polynomial in atoms with exact coefficients, which is not constant. Equal polynomials are equal numbers."""

    __slots__ = ("_polynomial",)
    _polynomial: tuple[tuple[Monomial, Exact], ...]

    def __init__(self, atom: Atom) -> None:
        """The number that a parameter, or a function of parameters, stands for."""
        super().__init__(_nominal(atom))
        self._polynomial = ((((atom, 1),), ONE),)

    @property
    def is_known(self) -> bool:
        """Always false: the value comes at run time."""
        return False

    @property
    def polynomial(self) -> tuple[tuple[Monomial, Exact], ...]:
        """Monomials and their coefficients, in a fixed order."""
        return self._polynomial

    def substitute(self, values: Mapping[str, Exact]) -> Exact:
        """The number for given values of the parameters."""
        total = Exact(0)
        for monomial, coefficient in self._polynomial:
            term = coefficient
            for atom, power in monomial:
                term = term * _value(atom, values) ** power
            total = total + term
        return total

    def __add__(self, other: ExactLike) -> Exact:
        sums = dict(self._polynomial)
        for monomial, coefficient in _polynomial(other):
            sums[monomial] = sums.get(monomial, Exact(0)) + coefficient
        return _number(sums.items())

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return _number((monomial, -coefficient) for monomial, coefficient in self._polynomial)

    def __mul__(self, other: ExactLike) -> Exact:
        products: dict[Monomial, Exact] = {}
        for left, x in self._polynomial:
            for right, y in _polynomial(other):
                monomial = _product(left, right)
                products[monomial] = products.get(monomial, Exact(0)) + x * y
        return _number(products.items())

    __rmul__ = __mul__

    def reciprocal(self) -> Exact:
        """One over this number; a monomial's leaves a polynomial, so that x / x is one."""
        if len(self._polynomial) > 1:
            return Parametric(FunctionOf("reciprocal", self))
        ((monomial, coefficient),) = self._polynomial
        result = coefficient.reciprocal()
        for atom, power in monomial:
            result = result * _inverse(atom) ** power
        return result

    def sqrt(self) -> Exact:
        """Square root."""
        return Parametric(FunctionOf("sqrt", self))

    def cosine_sine(self) -> tuple[Exact, Exact]:
        """Cosine and sine of this number of radians."""
        return Parametric(FunctionOf("cos", self)), Parametric(FunctionOf("sin", self))

    def arc_of(self, cosine: Exact) -> Exact:
        """The angle whose sine this is, if it is recorded as one and the cosine is that of the same angle."""
        for atom in _single_atom(self):
            if isinstance(atom, FunctionOf) and atom.name == "sin" and atom.argument.cosine_sine() == (cosine, self):
                return atom.argument
        return super().arc_of(cosine)

    def __sub__(self, other: ExactLike) -> Exact:
        return self + (-other if isinstance(other, Exact) else -Exact(other))

    def __rsub__(self, other: ExactLike) -> Exact:
        return -self + other

    def __rtruediv__(self, other: ExactLike) -> Exact:
        return self.reciprocal() * other

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parametric) and self._polynomial == other._polynomial

    def __hash__(self) -> int:
        return hash(self._polynomial)

    def __str__(self) -> str:
        """Readable: `2*m_load*a2**2 + 1/3`."""
        terms = []
        for monomial, coefficient in self._polynomial:
            factors = [f"{_text(atom)}**{power}" if power > 1 else _text(atom) for atom, power in monomial]
            if coefficient != ONE or not factors:
                factors.insert(0, str(coefficient) if coefficient.is_rational else f"({coefficient})")
            terms.append("*".join(factors))
        return " + ".join(terms)


def parameter_names(number: Exact) -> Iterator[str]:
    """Names of the parameters that a number depends on; none if it is known."""
    for monomial, _ in number.polynomial if isinstance(number, Parametric) else ():
        for atom, _ in monomial:
            yield from (atom.name,) if isinstance(atom, Parameter) else parameter_names(atom.argument)


def _number(terms: Iterable[tuple[Monomial, Exact]]) -> Exact:
    """The polynomial with these terms; one that turns out to be constant is a plain Exact."""
    kept = sorted(((monomial, coefficient) for monomial, coefficient in terms if coefficient), key=_order)
    if not kept:
        return Exact(0)
    if len(kept) == 1 and not kept[0][0]:
        return kept[0][1]
    number = Parametric.__new__(Parametric)
    number._polynomial = tuple(kept)
    number._take(number.substitute({}))
    return number


def _polynomial(value: ExactLike) -> tuple[tuple[Monomial, Exact], ...]:
    if isinstance(value, Parametric):
        return value._polynomial
    return (((), value if isinstance(value, Exact) else Exact(value)),)


def _product(left: Monomial, right: Monomial) -> Monomial:
    """Product of monomials; x times the reciprocal of x is one."""
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    for atom in list(powers):
        if isinstance(atom, FunctionOf) and atom.name == "reciprocal":
            for inverse in _single_atom(atom.argument):
                cancelled = min(powers[atom], powers.get(inverse, 0))
                powers[atom] -= cancelled
                powers[inverse] = powers.get(inverse, 0) - cancelled
    return tuple(sorted(((atom, power) for atom, power in powers.items() if power), key=lambda entry: _text(entry[0])))


def _single_atom(value: Exact) -> tuple[Atom, ...]:
    """The one atom that a number consists of; none if it is anything else."""
    if isinstance(value, Parametric) and len(value._polynomial) == 1:
        ((monomial, coefficient),) = value._polynomial
        if len(monomial) == 1 and monomial[0][1] == 1 and coefficient == ONE:
            return (monomial[0][0],)
    return ()


def _inverse(atom: Atom) -> Exact:
    if isinstance(atom, FunctionOf) and atom.name == "reciprocal":
        return atom.argument
    return Parametric(FunctionOf("reciprocal", Parametric(atom)))


def _order(term: tuple[Monomial, Exact]) -> tuple[int, str]:
    """Highest degree first, then by name."""
    monomial, _ = term
    return -sum(power for _, power in monomial), "*".join(f"{_text(atom)}**{power}" for atom, power in monomial)


def _value(atom: Atom, values: Mapping[str, Exact]) -> Exact:
    if isinstance(atom, Parameter):
        return values.get(atom.name, atom.value)
    argument = atom.argument.substitute(values)
    match atom.name:
        case "sin":
            return Angle(argument).sin
        case "cos":
            return Angle(argument).cos
        case "sqrt":
            return argument.sqrt()
        case _:
            return argument.reciprocal()


def _nominal(atom: Atom) -> Exact:
    return _value(atom, {})


def _text(atom: Atom) -> str:
    return atom.name if isinstance(atom, Parameter) else f"{atom.name}({atom.argument})"
