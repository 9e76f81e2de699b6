"""Exact numbers: an ordered field, rounded once; angles with exact points of the unit circle."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dynagen.numbers.exact import ONE, PI, ZERO, Angle, Exact
from tests.support.random_programs import small_exacts, small_rationals

DIGITS = 60
ROOTS = tuple(Exact(n).sqrt() for n in (1, 2, 3, 6))

numbers = small_exacts()
terms = st.tuples(small_rationals(), small_rationals(), small_rationals(), small_rationals())
decimal_angles = st.builds(
    lambda digits: Exact(Fraction(digits, 10**6)), st.integers(-(10**8), 10**8)
)
multiples_of_15_degrees = st.integers(-60, 60)


def exact(parts: tuple[Fraction, ...]) -> Exact:
    return sum((part * root for part, root in zip(parts, ROOTS, strict=True)), ZERO)


def real(parts: tuple[Fraction, ...]) -> Any:
    """The same number in mpmath."""
    return mpmath.fsum(
        ratio(part) * mpmath.sqrt(n) for part, n in zip(parts, (1, 2, 3, 6), strict=True)
    )


def ratio(number: Fraction) -> Any:
    return mpmath.mpf(number.numerator) / number.denominator


def assert_close(number: Exact, expected: Any, digits: int = DIGITS) -> None:
    assert abs(ratio(number.to_fraction()) - expected) <= mpmath.mpf(10) ** -digits * max(
        1, abs(expected)
    )


@given(numbers, numbers, numbers)
def test_addition_and_multiplication_are_those_of_a_commutative_ring(
    x: Exact, y: Exact, z: Exact
) -> None:
    assert (x + y) + z == x + (y + z)
    assert (x * y) * z == x * (y * z)
    assert (x + y, x * y) == (y + x, y * x)
    assert x * (y + z) == x * y + x * z
    assert (x + 0, x * 1, x * 0, x - x, x + -x) == (x, x, ZERO, ZERO, ZERO)
    assert x - y == -(y - x)


@given(numbers, numbers)
def test_every_number_but_zero_has_a_reciprocal(x: Exact, y: Exact) -> None:
    assume(x)
    assert x * x.reciprocal() == ONE
    assert (y / x) * x == y
    assert 1 / x == x.reciprocal()
    assert x**-2 * x**3 == x


def test_zero_has_no_reciprocal() -> None:
    with pytest.raises(ZeroDivisionError):
        ZERO.reciprocal()
    with pytest.raises(ZeroDivisionError):
        _ = 1 / (Exact(2).sqrt() * Exact(3).sqrt() - Exact(6).sqrt())


@given(terms, terms)
def test_arithmetic_agrees_with_mpmath(x: tuple[Fraction, ...], y: tuple[Fraction, ...]) -> None:
    with mpmath.workdps(DIGITS + 20):
        assert_close(exact(x) + exact(y), real(x) + real(y))
        assert_close(exact(x) - exact(y), real(x) - real(y))
        assert_close(exact(x) * exact(y), real(x) * real(y))
        if any(y):
            assert_close(exact(x) / exact(y), real(x) / real(y), DIGITS - 10)


@given(terms, terms)
def test_order_is_that_of_the_real_numbers(
    x: tuple[Fraction, ...], y: tuple[Fraction, ...]
) -> None:
    with mpmath.workdps(DIGITS + 20):
        assert (exact(x) == exact(y)) == (x == y)
        assert (exact(x) < exact(y)) == (x != y and real(x) < real(y))
        assert (exact(x) > exact(y)) == (x != y and real(x) > real(y))
        assert_close(abs(exact(x)), abs(real(x)))


@given(st.builds(Fraction, st.integers(), st.integers(min_value=1)))
def test_rationals_are_kept_and_integers_are_equal_to_python_s(value: Fraction) -> None:
    assert Exact(value).to_fraction() == value
    assert Exact(value.numerator) == value.numerator
    assert hash(Exact(value.numerator)) == hash(value.numerator)
    assert Exact(value) != Exact(value) + Exact(2).sqrt()


@given(numbers, numbers)
def test_equal_numbers_hash_alike_however_they_were_computed(x: Exact, y: Exact) -> None:
    assume(y)
    again = (x * y) / y
    assert again == x
    assert hash(again) == hash(x)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_comes_back_bit_for_bit(value: float) -> None:
    assert float(Exact(value)) == value


def test_a_float_means_its_shortest_decimal() -> None:
    assert Exact(0.1) == Exact("0.1") == Exact(1) / 10
    assert Exact(1e-7) == Exact(1) / 10**7


@given(terms)
def test_a_float_is_the_nearest_one(parts: tuple[Fraction, ...]) -> None:
    with mpmath.workdps(DIGITS + 20):
        value = real(parts)
    with mpmath.workprec(53):
        assert float(exact(parts)) == float(+value)


@given(small_rationals(), st.sampled_from([1, 2, 3, 6]))
def test_square_roots_within_the_field_of_rational_squares_are_exact(
    value: Fraction, n: int
) -> None:
    root = Exact(value * value * n).sqrt()
    assert root * root == Exact(value * value * n)
    assert root == abs(Exact(value)) * Exact(n).sqrt()


@given(numbers)
def test_other_square_roots_are_good_to_50_digits(x: Exact) -> None:
    square = (x * x + 1).to_fraction()
    with mpmath.workdps(DIGITS + 20):
        assert_close((x * x + 1).sqrt(), mpmath.sqrt(ratio(square)), 49)


def test_a_negative_number_has_no_square_root() -> None:
    with pytest.raises(ValueError, match="negative"):
        (ONE - Exact(2).sqrt()).sqrt()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (ZERO, "0"),
        (Exact("-0.50"), "-1/2"),
        (Exact(2).sqrt() / 2, "1/2*sqrt(2)"),
        (Angle(PI / 12).sin, "-1/4*sqrt(2) + 1/4*sqrt(6)"),
        (1 - Exact(3).sqrt(), "1 - 1*sqrt(3)"),
    ],
)
def test_text_is_readable_and_exact(number: Exact, text: str) -> None:
    assert str(number) == text


@given(decimal_angles)
def test_cosine_and_sine_lie_on_the_unit_circle_exactly(radians: Exact) -> None:
    angle = Angle(radians)
    assert angle.cos * angle.cos + angle.sin * angle.sin == ONE


@given(decimal_angles)
def test_cosine_and_sine_are_those_of_the_angle(radians: Exact) -> None:
    angle = Angle(radians)
    with mpmath.workdps(DIGITS):
        assert_close(angle.cos, mpmath.cos(ratio(radians.to_fraction())), 24)
        assert_close(angle.sin, mpmath.sin(ratio(radians.to_fraction())), 24)


@given(multiples_of_15_degrees)
def test_multiples_of_15_degrees_have_their_true_cosine_and_sine(k: int) -> None:
    for angle in (
        Angle(PI * Fraction(k, 12)),
        Angle(PI * k / 12),
        Angle(PI / 12 * k),
        Angle(PI / 180 * 15 * k),
    ):
        assert angle.cos * angle.cos + angle.sin * angle.sin == ONE
        with mpmath.workdps(DIGITS + 20):
            assert_close(angle.cos, mpmath.cos(k * mpmath.pi / 12))
            assert_close(angle.sin, mpmath.sin(k * mpmath.pi / 12))


@given(decimal_angles | multiples_of_15_degrees.map(lambda k: PI * Fraction(k, 12)))
def test_the_angle_of_a_cosine_and_sine_has_the_same_ones(radians: Exact) -> None:
    angle = Angle(radians)
    again = Angle.from_cosine_sine(angle.cos, angle.sin)
    assert (again.cos, again.sin) == (angle.cos, angle.sin)


@given(numbers, numbers)
def test_the_direction_need_not_have_length_one(x: Exact, y: Exact) -> None:
    assume(x or y)
    angle = Angle.from_cosine_sine(x, y)
    with mpmath.workdps(DIGITS):
        assert_close(angle.cos * y - angle.sin * x, 0, 22)
    assert angle.cos * x + angle.sin * y > 0


@given(decimal_angles)
def test_the_opposite_angle_has_the_opposite_sine(radians: Exact) -> None:
    angle, opposite = Angle(radians), -Angle(radians)
    assert (opposite.cos, opposite.sin) == (angle.cos, -angle.sin)
    assert (angle + opposite) == Angle(ZERO)


@given(multiples_of_15_degrees, multiples_of_15_degrees)
def test_sums_of_multiples_of_15_degrees_stay_exact(j: int, k: int) -> None:
    x, y = Angle(PI * Fraction(j, 12)), Angle(PI / 12 * k)
    assert (x + y).cos == x.cos * y.cos - x.sin * y.sin
    assert (x + y).sin == x.sin * y.cos + x.cos * y.sin


@given(st.integers(-40, 40))
def test_quarter_turns_are_counted_modulo_a_turn(k: int) -> None:
    assert Angle(PI / 2 * k).quarter_turns == k % 4


@pytest.mark.parametrize("radians", [PI / 4, PI / 12, Exact("1.5707963"), Exact("1e-20"), Exact(1)])
def test_other_angles_are_no_quarter_turns(radians: Exact) -> None:
    assert Angle(radians).quarter_turns is None
