"""Exact numbers: rationals extended by square roots, and angles with exact cosines and sines.

The square roots are sqrt(2), sqrt(3) and sqrt(6), which the cosines of common angles need.
Constants stay exact from the description to the last pass. Therefore zeros, such as cos(pi/2) or
cancelled inertias, are exactly zero, and every machine prints the same literal. A constant is
rounded only once, when its literal is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd, isqrt

from dynagen.errors import UsageError
from dynagen.numbers import irrational

_SURD_BITS = 400  # precision of the roots in `to_fraction`: 120 decimal digits
_ROOTS = tuple(Fraction(isqrt(n << (2 * _SURD_BITS)), 1 << _SURD_BITS) for n in (1, 2, 3, 6))
_SQUARE_FREE = {1: 0, 2: 1, 3: 2, 6: 3}
# _PRODUCT[i][j] = (factor, k): root_i * root_j = factor * root_k over the basis 1, sqrt 2, sqrt 3,
# sqrt 6.
_PRODUCT = (
    ((1, 0), (1, 1), (1, 2), (1, 3)),
    ((1, 1), (2, 0), (1, 3), (2, 2)),
    ((1, 2), (1, 3), (3, 0), (3, 1)),
    ((1, 3), (2, 2), (3, 1), (6, 0)),
)


class Exact:
    """A number (a + b*sqrt(2) + c*sqrt(3) + d*sqrt(6)) / e with integers a, b, c, d and e > 0.

    An exact number is immutable and hashable. Rational numbers, by far the most frequent ones, are
    stored as two integers in lowest terms.
    """

    __slots__ = ("_denominator", "_numerator", "_roots")
    _numerator: int
    _denominator: int
    _roots: tuple[int, ...]  # b, c, d; empty if all are zero

    def __init__(self, value: ExactLike = 0) -> None:
        """Convert an integer, a fraction, a decimal string or a float.

        A float is read in its shortest decimal form; the float 0.1 means 1/10.
        """
        if isinstance(value, Exact):
            self._copy_value(value)
        elif isinstance(value, int):
            self._numerator, self._denominator, self._roots = int(value), 1, ()
        else:
            rational = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
            self._numerator, self._denominator, self._roots = (
                rational.numerator,
                rational.denominator,
                (),
            )

    def _copy_value(self, other: Exact) -> None:
        """Set this number's value to the value of `other`."""
        self._numerator, self._denominator, self._roots = (
            other._numerator,
            other._denominator,
            other._roots,
        )

    @property
    def is_known(self) -> bool:
        """Whether the number does not depend on run-time parameters."""
        return True

    @property
    def has_minus(self) -> bool:
        """Whether the number is written with a minus sign.

        A number that depends on run-time parameters may be positive nevertheless.
        """
        return self.is_negative

    @property
    def unsigned(self) -> Exact:
        """The number if it is written without a minus sign, else its negative."""
        return -self if self.has_minus else self

    @property
    def is_rational(self) -> bool:
        """Whether the number is rational, with no term in square roots of 2, 3 or 6."""
        return not self._roots

    @property
    def integers(self) -> tuple[int, ...]:
        """The integers a, b, c, d and e of (a + b*sqrt(2) + c*sqrt(3) + d*sqrt(6)) / e."""
        return (*self._integers, self._denominator)

    @property
    def _integers(self) -> tuple[int, ...]:
        """The integers a, b, c and d of (a + b*sqrt(2) + c*sqrt(3) + d*sqrt(6)) / e."""
        return (self._numerator, *(self._roots or (0, 0, 0)))

    def __add__(self, other: ExactLike) -> Exact:
        right = other if isinstance(other, Exact) else Exact(other)
        d, e = self._denominator, right._denominator
        if self._roots or right._roots:
            return _number(
                [x * e + y * d for x, y in zip(self._integers, right._integers, strict=True)], d * e
            )
        if d == e:  # a common case, with smaller integers
            return _ratio(self._numerator + right._numerator, d)
        return _ratio(self._numerator * e + right._numerator * d, d * e)

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return _make_exact(
            -self._numerator, self._denominator, tuple([-root for root in self._roots])
        )

    # Differences and quotients use sums, products and reciprocals, so that subclasses inherit them.
    def __sub__(self, other: ExactLike) -> Exact:
        return self + (-_exact(other))

    def __rsub__(self, other: ExactLike) -> Exact:
        return _exact(other) + (-self)

    def __mul__(self, other: ExactLike) -> Exact:
        right = other if isinstance(other, Exact) else Exact(other)
        denominator = self._denominator * right._denominator
        if not (self._roots or right._roots):
            return _ratio(self._numerator * right._numerator, denominator)
        sums = [0, 0, 0, 0]  # of the products of roots, on the basis 1, sqrt 2, sqrt 3, sqrt 6
        for i, x in enumerate(self._integers):
            for j, y in enumerate(right._integers):
                factor, k = _PRODUCT[i][j]
                sums[k] += factor * x * y
        return _number(sums, denominator)

    __rmul__ = __mul__

    def __truediv__(self, other: ExactLike) -> Exact:
        return self * _exact(other).reciprocal()

    def __rtruediv__(self, other: ExactLike) -> Exact:
        return _exact(other) * self.reciprocal()

    def reciprocal(self) -> Exact:
        """Return one over this number.

        Raises:
            ZeroDivisionError: the number is zero.
        """
        if self.is_rational:
            if not self._numerator:
                raise ZeroDivisionError("the reciprocal of zero")
            sign = -1 if self._numerator < 0 else 1
            return _make_exact(sign * self._denominator, sign * self._numerator)
        a, b, c, d = self._integers
        # First free the denominator of sqrt(3) (conjugate c, d -> -c, -d), then of sqrt(2).
        conjugate = _number([a, b, -c, -d], 1)
        # The product with the conjugate is p + q sqrt(2); its own conjugate gives p^2 - 2 q^2.
        p, q, *_ = (self * conjugate * self._denominator)._integers
        return (
            conjugate
            * _number([p, -q, 0, 0], 1)
            * Exact(Fraction(self._denominator, p * p - 2 * q * q))
        )

    def __pow__(self, exponent: int) -> Exact:
        result, base = Exact(1), self if exponent >= 0 else self.reciprocal()
        for _ in range(abs(exponent)):
            result = result * base
        return result

    def sqrt(self) -> Exact:
        """Return the square root of this number.

        The root is exact if it is a rational number times 1, sqrt(2), sqrt(3) or sqrt(6). Otherwise
        the result is a rational number with 50 correct digits.

        Raises:
            ValueError: the number is negative.
        """
        if self < 0:
            raise ValueError("square root of a negative number")
        if self.is_rational:
            for n, k in _SQUARE_FREE.items():
                square = self.to_fraction() / n
                root, denominator = isqrt(square.numerator), isqrt(square.denominator)
                if root**2 == square.numerator and denominator**2 == square.denominator:
                    return _number([root if place == k else 0 for place in range(4)], denominator)
        return Exact(irrational.compute_square_root(self.to_fraction()))

    def cosine_sine(self) -> tuple[Exact, Exact]:
        """Return cosine and sine of this angle (rad), with squares that add up to one exactly.

        For multiples of 15 degrees, the result is the true cosine and sine. For other angles, it is
        the cosine and sine of an angle that differs by less than 1e-25 rad.
        """
        return _cosine_sine(self)

    def atan2(self, cosine: Exact) -> Exact:
        """Return the angle (rad, -pi to pi) of the vector (cosine, sine) from the first axis.

        The length of the vector does not matter. This number is the second component (sine).

        Args:
            cosine: first component of the vector.

        Raises:
            UsageError: the angle depends on a run-time parameter; generated code cannot compute it.
        """
        if not (self.is_known and cosine.is_known):
            raise UsageError(
                "a run-time parameter enters an angle in a way that cannot be generated: "
                "make it a constant (remove `runtime`)"
            )
        return round_to_multiple_of_pi(
            Exact(irrational.compute_direction(cosine.to_fraction(), self.to_fraction()))
        )

    def to_fraction(self) -> Fraction:
        """Return the number as a fraction: exact if rational, else rounded.

        The rounding error is about 1e-120 times the largest term of the number, such as
        b*sqrt(2)/e.
        """
        if self.is_rational:
            return Fraction(self._numerator, self._denominator)
        return (
            sum((x * root for x, root in zip(self._integers, _ROOTS, strict=True)), Fraction(0))
            / self._denominator
        )

    @property
    def is_negative(self) -> bool:
        """Whether the number is below zero, for the default values of run-time parameters."""
        return _is_negative(self) if self._roots else self._numerator < 0

    def __float__(self) -> float:
        if not self._roots:  # rounded once, as the quotient of two integers
            return self._numerator / self._denominator
        return float(self.to_fraction())

    def __bool__(self) -> bool:
        return bool(self._numerator or self._roots)

    def __lt__(self, other: ExactLike) -> bool:
        return (self - _exact(other)).is_negative

    def __gt__(self, other: ExactLike) -> bool:
        return (_exact(other) - self).is_negative

    def __le__(self, other: ExactLike) -> bool:
        return not self > other

    def __ge__(self, other: ExactLike) -> bool:
        return not self < other

    def __abs__(self) -> Exact:
        return -self if self.is_negative else self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Exact):
            return isinstance(other, int) and self == Exact(other)
        return (
            self._numerator == other._numerator
            and self._denominator == other._denominator
            and self._roots == other._roots
        )

    def __hash__(self) -> int:
        if self._denominator == 1 and not self._roots:  # equal to an int, so with its hash
            return hash(self._numerator)
        return hash((self._numerator, self._denominator, self._roots))

    def __repr__(self) -> str:
        return f"Exact({self})"

    def __str__(self) -> str:
        """Return readable, exact text, such as `1/2`, `-3` or `1/4*sqrt(6) - 1/4*sqrt(2)`."""
        roots = ("", "*sqrt(2)", "*sqrt(3)", "*sqrt(6)")
        terms = zip(self._integers, roots, strict=True)
        parts = [f"{Fraction(x, self._denominator)}{root}" for x, root in terms if x]
        return " + ".join(parts).replace("+ -", "- ") or "0"


@lru_cache(maxsize=4096)
def _is_negative(number: Exact) -> bool:
    """Return whether a number with square roots is below zero."""
    return number.to_fraction() < 0


def _make_exact(numerator: int, denominator: int, roots: tuple[int, ...] = ()) -> Exact:
    """Return (numerator + b*sqrt(2) + c*sqrt(3) + d*sqrt(6)) / denominator.

    The roots are b, c and d; they are empty if all are zero. The denominator is positive, and the
    integers together have no common factor.
    """
    number = Exact.__new__(Exact)
    number._numerator, number._denominator, number._roots = numerator, denominator, roots
    return number


def _ratio(numerator: int, denominator: int) -> Exact:
    """Return numerator / denominator in lowest terms; the denominator must be positive."""
    divisor = gcd(numerator, denominator)
    if divisor != 1:
        numerator, denominator = numerator // divisor, denominator // divisor
    number = Exact.__new__(Exact)
    number._numerator, number._denominator, number._roots = numerator, denominator, ()
    return number


def _number(integers: Sequence[int], denominator: int) -> Exact:
    """Return (a + b*sqrt(2) + c*sqrt(3) + d*sqrt(6)) / denominator in lowest terms.

    The integers are a, b, c and d; the denominator is positive.
    """
    divisor = gcd(*integers, denominator)
    numerator, *roots = (integer // divisor for integer in integers)
    return _make_exact(numerator, denominator // divisor, tuple(roots) if any(roots) else ())


ExactLike = Exact | Fraction | int | str | float
ZERO, ONE = Exact(0), Exact(1)


def _exact(value: ExactLike) -> Exact:
    """Return an integer, fraction, decimal string, float or exact number as an `Exact`."""
    return value if isinstance(value, Exact) else Exact(value)


PI = Exact(irrational.PI)  # an approximation; twelfths_of_pi recognises its multiples
_PI_ERROR = Fraction(1, 10**30)
ROUNDING = Fraction(1, 10**20)
"""Magnitude below which a component of a displacement or direction counts as zero.

Lengths and directions computed from inexact angles have errors of about 1e-25.
"""


def is_zero(number: Exact) -> bool:
    """Return whether a number counts as zero: its magnitude is below 1e-20.

    Lengths and directions computed from inexact angles have errors of about 1e-25. For a number
    that depends on run-time parameters, the result is False.
    """
    return number.is_known and abs(number) < ROUNDING


def count_twelfths_of_pi(radians: Exact, within: Fraction = _PI_ERROR) -> int | None:
    """Return the integer k for an angle of k * 15 degrees; None for any other angle.

    Args:
        radians: the angle, in rad.
        within: largest accepted deviation from a multiple, in units of 15 degrees; by default
            1e-30.
    """
    if not radians.is_known:
        return None
    twelfths = (radians / PI).to_fraction() * 12  # of half a turn: units of 15 degrees
    nearest = round(twelfths)
    return nearest if abs(twelfths - nearest) < within else None


def round_to_multiple_of_pi(radians: Exact) -> Exact:
    """Return the multiple of 15 degrees (in rad) that an angle equals up to rounding.

    An angle (rad) that is not close to such a multiple is returned unchanged.
    """
    twelfths = count_twelfths_of_pi(radians, within=ROUNDING)
    return radians if twelfths is None else PI * Fraction(twelfths, 12)


@lru_cache(maxsize=4096)
def _cosine_sine(radians: Exact) -> tuple[Exact, Exact]:
    """Return cosine and sine of an angle (rad), cached."""
    twelfths = count_twelfths_of_pi(radians)
    if twelfths is not None:
        return _cosine_of_twelfth(twelfths), _cosine_of_twelfth(twelfths - 6)
    # Any other angle: a rational point exactly on the unit circle.
    cosine, sine = irrational.compute_cosine_sine(radians.to_fraction())
    return Exact(cosine), Exact(sine)


def _cosine_of_twelfth(k: int) -> Exact:
    """Return cos(k * 15 degrees)."""
    # cos is even, has the period 24, and cos(24 - k) = cos(k), cos(12 - k) = -cos(k).
    k = abs(k) % 24
    k = 24 - k if k > 12 else k
    if k > 6:
        return -_cosine_of_twelfth(12 - k)
    quarters = {  # a, b, c, d of 4 cos(k * 15 degrees)
        0: (4, 0, 0, 0),
        1: (0, 1, 0, 1),
        2: (0, 0, 2, 0),
        3: (0, 2, 0, 0),
        4: (2, 0, 0, 0),
        5: (0, -1, 0, 1),
        6: (0, 0, 0, 0),
    }
    return _number(quarters[k], 4)


@dataclass(frozen=True)
class Angle:
    """An angle with its cosine and sine, which satisfy cos^2 + sin^2 = 1 exactly.

    Multiples of 15 degrees have their true cosine and sine. Any other angle has the cosine and sine
    of a rational point on the unit circle, within 1e-25 rad of the angle, so that rotation matrices
    are exactly orthogonal.
    """

    radians: Exact

    @classmethod
    def from_cosine_sine(cls, cosine: Exact, sine: Exact) -> Angle:
        """Return the angle of the vector (cosine, sine), which may have any length.

        If cosine and sine were computed from an angle that depends on run-time parameters, that
        angle is returned.
        """
        return cls(sine.atan2(cosine))

    @cached_property
    def _cosine_sine(self) -> tuple[Exact, Exact]:
        """Cosine and sine of the angle, computed once."""
        return self.radians.cosine_sine()

    @property
    def cos(self) -> Exact:
        """Exact cosine of the angle, with cos^2 + sin^2 = 1."""
        return self._cosine_sine[0]

    @property
    def sin(self) -> Exact:
        """Exact sine of the angle, with cos^2 + sin^2 = 1."""
        return self._cosine_sine[1]

    @cached_property
    def quarter_turns(self) -> int | None:
        """Number k, 0 to 3, if the angle equals k quarter turns; None for any other angle."""
        quarters = {(1, 0): 0, (0, 1): 1, (-1, 0): 2, (0, -1): 3}
        return next(
            (
                k
                for (cosine, sine), k in quarters.items()
                if self.cos == cosine and self.sin == sine
            ),
            None,
        )

    def __bool__(self) -> bool:
        return bool(self.radians)

    def __neg__(self) -> Angle:
        return Angle(-self.radians)

    def __add__(self, other: Angle) -> Angle:
        return Angle(round_to_multiple_of_pi(self.radians + other.radians))
