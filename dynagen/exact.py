"""Exact numbers: rationals extended by the square roots that the cosines of common angles need.

Constants stay exact from the description to the last pass, so that a zero is a zero (cos(pi/2), or inertias that cancel) and
every machine prints the same literal. Rounding happens once, when a literal is printed.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

import mpmath

from dynagen.errors import UsageError

DIGITS = 60  # working precision of whatever cannot be exact; far beyond double's 17
_SURD_BITS = 400
_ROOTS = tuple(Fraction(isqrt(n << (2 * _SURD_BITS)), 1 << _SURD_BITS) for n in (1, 2, 3, 6))
_NO_ROOTS = (Fraction(0), Fraction(0), Fraction(0))
_SQUARE_FREE = {1: 0, 2: 1, 3: 2, 6: 3}
# _PRODUCT[i][j] = (factor, k): root_i * root_j = factor * root_k over the basis 1, sqrt 2, sqrt 3, sqrt 6.
_PRODUCT = (
    ((1, 0), (1, 1), (1, 2), (1, 3)),
    ((1, 1), (2, 0), (1, 3), (2, 2)),
    ((1, 2), (1, 3), (3, 0), (3, 1)),
    ((1, 3), (2, 2), (3, 1), (6, 0)),
)


class Exact:
    """A number a + b*sqrt(2) + c*sqrt(3) + d*sqrt(6) with rational a, b, c, d; immutable and hashable."""

    __slots__ = ("_has_roots", "_terms")
    _terms: tuple[Fraction, Fraction, Fraction, Fraction]
    _has_roots: bool

    def __init__(self, value: ExactLike = 0) -> None:
        """Take an integer, a fraction, a decimal string, or a float by its shortest decimal form (0.1 means 1/10)."""
        if isinstance(value, Exact):
            self._terms, self._has_roots = value._terms, value._has_roots
        else:
            rational = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
            self._terms, self._has_roots = (rational, *_NO_ROOTS), False

    @classmethod
    def _of(cls, a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> Exact:
        number = cls.__new__(cls)
        number._terms, number._has_roots = (a, b, c, d), bool(b or c or d)
        return number

    @classmethod
    def _rational(cls, value: Fraction) -> Exact:
        number = cls.__new__(cls)
        number._terms, number._has_roots = (value, *_NO_ROOTS), False
        return number

    @property
    def is_known(self) -> bool:
        """Whether the value is known now, and does not depend on run-time parameters."""
        return True

    @property
    def is_rational(self) -> bool:
        """Whether no square root is left."""
        return not self._has_roots

    def __add__(self, other: ExactLike) -> Exact:
        right = _exact(other)
        x, y = self._terms, right._terms
        if not (self._has_roots or right._has_roots):
            return Exact._rational(x[0] + y[0])
        return Exact._of(x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3])

    __radd__ = __add__

    def __neg__(self) -> Exact:
        a, b, c, d = self._terms
        return Exact._of(-a, -b, -c, -d) if self._has_roots else Exact._rational(-a)

    def __sub__(self, other: ExactLike) -> Exact:
        return self + (-_exact(other))

    def __rsub__(self, other: ExactLike) -> Exact:
        return _exact(other) + (-self)

    def __mul__(self, other: ExactLike) -> Exact:
        right = _exact(other)
        if not (self._has_roots or right._has_roots):
            return Exact._rational(self._terms[0] * right._terms[0])
        sums = [Fraction(0)] * 4
        for i, x in enumerate(self._terms):
            for j, y in enumerate(right._terms):
                if x and y:
                    factor, k = _PRODUCT[i][j]
                    sums[k] += factor * x * y
        return Exact._of(*sums)

    __rmul__ = __mul__

    def __truediv__(self, other: ExactLike) -> Exact:
        return self * _exact(other).reciprocal()

    def __rtruediv__(self, other: ExactLike) -> Exact:
        return _exact(other) * self.reciprocal()

    def reciprocal(self) -> Exact:
        """One over this number.

        Raises:
            ZeroDivisionError: the number is zero.
        """
        a, b, c, d = self._terms
        if self.is_rational:
            return Exact(1 / a)
        # First free the denominator of sqrt(3) (conjugate c, d -> -c, -d), then of sqrt(2).
        conjugate = Exact._of(a, b, -c, -d)
        p, q, *_ = (self * conjugate)._terms
        return conjugate * Exact._of(p, -q, Fraction(0), Fraction(0)) * Exact(1 / (p * p - 2 * q * q))

    def __pow__(self, exponent: int) -> Exact:
        result, base = Exact(1), self if exponent >= 0 else self.reciprocal()
        for _ in range(abs(exponent)):
            result = result * base
        return result

    def sqrt(self) -> Exact:
        """Square root: exact where the result is a rational times 1, sqrt 2, sqrt 3 or sqrt 6, else to 50 digits.

        Raises:
            ValueError: the number is negative.
        """
        if self < 0:
            raise ValueError("square root of a negative number")
        value = self.to_fraction()
        if self.is_rational:
            for n, k in _SQUARE_FREE.items():
                square = value / n
                roots = isqrt(square.numerator), isqrt(square.denominator)
                if roots[0] ** 2 == square.numerator and roots[1] ** 2 == square.denominator:
                    terms = [Fraction(0)] * 4
                    terms[k] = Fraction(*roots)
                    return Exact._of(*terms)
        with mpmath.workdps(DIGITS):
            return from_mpmath(mpmath.sqrt(to_mpmath(self)))

    def cosine_sine(self) -> tuple[Exact, Exact]:
        """Cosine and sine of this number of radians, as Angle describes them."""
        return _cosine_sine(self)

    def arc_of(self, cosine: Exact) -> Exact:
        """The angle whose sine this is, given its cosine, where one of them depends on run-time parameters."""
        raise UsageError("a run-time parameter enters an angle in a way that is not generated: fold it (remove `runtime`)")

    def to_fraction(self) -> Fraction:
        """The number itself if rational, else an approximation to about 120 digits of its largest term."""
        if self.is_rational:
            return self._terms[0]
        return sum((x * root for x, root in zip(self._terms, _ROOTS, strict=True)), Fraction(0))

    def __float__(self) -> float:
        return float(self.to_fraction())

    def __bool__(self) -> bool:
        return self._has_roots or bool(self._terms[0])

    def __lt__(self, other: ExactLike) -> bool:
        return (self - _exact(other)).to_fraction() < 0

    def __gt__(self, other: ExactLike) -> bool:
        return (self - _exact(other)).to_fraction() > 0

    def __le__(self, other: ExactLike) -> bool:
        return not self > other

    def __ge__(self, other: ExactLike) -> bool:
        return not self < other

    def __abs__(self) -> Exact:
        return -self if self < 0 else self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Exact):
            if not (self._has_roots or other._has_roots):
                return self._terms[0] == other._terms[0]
            return self._terms == other._terms
        return isinstance(other, int | Fraction) and self.is_rational and self._terms[0] == other

    def __hash__(self) -> int:
        return hash(self._terms) if self._has_roots else hash(self._terms[0])

    def __repr__(self) -> str:
        return f"Exact({self})"

    def __str__(self) -> str:
        """Readable and exact: `1/2`, `-3`, `1/2*sqrt(2)`, `1/4*sqrt(6) - 1/4*sqrt(2)`."""
        roots = ("", "*sqrt(2)", "*sqrt(3)", "*sqrt(6)")
        parts = [f"{x}{root}" for x, root in zip(self._terms, roots, strict=True) if x]
        return " + ".join(parts).replace("+ -", "- ") or "0"


ExactLike = Exact | Fraction | int | str | float
ZERO, ONE = Exact(0), Exact(1)


def _exact(value: ExactLike) -> Exact:
    return value if isinstance(value, Exact) else Exact(value)


def to_mpmath(value: Exact) -> mpmath.mpf:
    """In mpmath's current precision."""
    fraction = value.to_fraction()
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def from_mpmath(value: mpmath.mpf) -> Exact:
    """To 50 digits."""
    return Exact(Fraction(mpmath.nstr(value, DIGITS - 10)))


with mpmath.workdps(DIGITS):
    PI = from_mpmath(+mpmath.pi)  # to 50 digits; a multiple of it is recognised by Angle


def twelfths_of_pi(radians: Exact, within: Fraction = Fraction(1, 10**30)) -> int | None:
    """The k of an angle that is known to be k * 15 degrees, by default to within the precision of PI, else None."""
    if not radians.is_known:
        return None
    twelfths = (radians / PI).to_fraction() * 12
    nearest = round(twelfths)
    return nearest if abs(twelfths - nearest) < within else None


def near_multiple_of_pi(radians: Exact) -> Exact:
    """An angle made of others, which are good to 1e-25: a multiple of 15 degrees if it is one to within 1e-20."""
    twelfths = twelfths_of_pi(radians, Fraction(1, 10**20))
    return radians if twelfths is None else PI * Fraction(twelfths, 12)


@lru_cache(maxsize=4096)
def _cosine_sine(radians: Exact) -> tuple[Exact, Exact]:
    twelfths = twelfths_of_pi(radians)
    if twelfths is not None:
        return _cosine_of_twelfth(twelfths), _cosine_of_twelfth(twelfths - 6)
    quarters = round((radians / PI).to_fraction() * 2)
    with mpmath.workdps(DIGITS):
        half = to_mpmath(radians - PI * Fraction(quarters, 2)) / 2
        tangent = Fraction(mpmath.nstr(mpmath.tan(half), 25))
    # The rational parametrisation of the unit circle: t = tan(x / 2).
    cosine = Exact((1 - tangent**2) / (1 + tangent**2))
    sine = Exact(2 * tangent / (1 + tangent**2))
    for _ in range(quarters % 4):
        cosine, sine = -sine, cosine
    return cosine, sine


def _cosine_of_twelfth(k: int) -> Exact:
    """cos(k * 15 degrees)."""
    k = abs(k) % 24
    k = 24 - k if k > 12 else k
    if k > 6:
        return -_cosine_of_twelfth(12 - k)
    zero, half, quarter = Fraction(0), Fraction(1, 2), Fraction(1, 4)
    terms = {
        0: (Fraction(1), zero, zero, zero),
        1: (zero, quarter, zero, quarter),
        2: (zero, zero, half, zero),
        3: (zero, half, zero, zero),
        4: (half, zero, zero, zero),
        5: (zero, -quarter, zero, quarter),
        6: (zero, zero, zero, zero),
    }[k]
    return Exact._of(*terms)
