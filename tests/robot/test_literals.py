"""Numbers as text: what is written is read as the same number."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.numbers.exact import PI, Exact
from dynagen.numbers.parametric import Parameter, ParametricNumber
from dynagen.robot.arithmetic import evaluate
from dynagen.robot.literals import (
    find_multiple_of_pi,
    format_angle,
    format_arithmetic,
    format_decimal,
)

A, B = (
    ParametricNumber(Parameter(name, Exact(value))) for name, value in (("a", "0.3"), ("b", "2"))
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Exact("0.4318"), "0.4318"),
        (Exact(Fraction(-1, 3)), "-1/3"),
        (Exact("2.5e-9"), "2.5e-9"),
        (Exact("1e-20"), "1e-20"),
        (Exact("1e25"), "1e+25"),
        (-PI, "-pi"),
        (50 * PI / 180, "5*pi/18"),
        (Exact(2).sqrt() / 2 - 3, "-3 + 0.5*sqrt(2)"),
        (2 * A * A - B / 3, "2*a**2 - 1/3*b"),
        ((A + 1).reciprocal() * B, "b/(a + 1)"),
        (A.cosine_sine()[0] * -1, "-cos(a)"),
        (A * PI / 180, "pi/180*a"),
        (B.reciprocal(), "1/(b)"),
    ],
)
def test_numbers_are_written_as_people_do(value: Exact, text: str) -> None:
    assert format_arithmetic(value) == text
    assert evaluate(text, {"a": A, "b": B}) == value


@given(
    st.decimals(min_value=-(10**25), max_value=10**25, allow_nan=False, places=12),
    st.integers(1, 5000),
    st.integers(-99, 99),
)
def test_what_somebody_may_have_written_is_read_as_it_was(number, denominator, root) -> None:
    for value in (
        Exact(str(number)),
        Exact(Fraction(root, denominator)),
        Exact(3).sqrt() * root + denominator,
        PI * root / 360,
    ):
        assert evaluate(format_arithmetic(value)) == value
    assert Exact(format_decimal(Exact(str(number)))) == Exact(str(number))


def test_other_numbers_have_30_digits() -> None:
    value = Exact(Fraction(10**40 + 1, 3 * 10**40))
    for text in (format_arithmetic(value), format_decimal(value)):
        assert text == "0.333333333333333333333333333333"


def test_an_angle_that_looks_rounded_and_is_not_is_written_so_that_it_is_read_as_it_is() -> None:
    assert find_multiple_of_pi("1.5708") is not None
    text = format_angle(Exact("1.5708"))
    assert (find_multiple_of_pi(text), evaluate(text)) == (None, Exact("1.5708"))
    assert format_decimal(PI / 2) == "1.5707963267948966"
