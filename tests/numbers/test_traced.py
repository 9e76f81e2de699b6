"""Numbers with formulas: the arithmetic of plain numbers, and formulas with the right value."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.numbers.exact import PI, Exact
from dynagen.numbers.parametric import Parameter, ParametricNumber
from dynagen.numbers.traced import (
    MOST_TERMS,
    NamedNumber,
    TracedNumber,
    attach_name,
    format_formula,
    list_parts,
)

VALUES = {
    "m": Exact("1.5"),
    "a": Exact("-0.25"),
    "d": Exact(1),
    "alpha": Exact("0.3"),
    "third": Exact(Fraction(1, 3)),
}
FUNCTIONS = {name: getattr(mpmath, name) for name in ("sin", "cos", "atan2", "sqrt", "pi")}


def in_mpmath(value: Exact) -> mpmath.mpf:
    return mpmath.mpf(value.to_fraction().numerator) / value.to_fraction().denominator


def evaluated(number: Exact) -> mpmath.mpf:
    """What the text of a formula means, parts by their names."""
    assert isinstance(number, TracedNumber)
    names = {**FUNCTIONS, **{name: in_mpmath(value) for name, value in VALUES.items()}}
    parts = {each: f"part{index}" for index, each in enumerate(list_parts(number.terms))}
    for each, name in parts.items():
        names[name] = eval(each.to_text(parts), names)
    return eval(format_formula(number.terms, parts), names)


def combined(parts: tuple[str, Exact, Exact]) -> Exact:
    operator, left, right = parts
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    return left * right if operator == "*" or not Exact(right) else left / right


numbers = st.recursive(
    st.sampled_from([attach_name(name, value) for name, value in VALUES.items()])
    | st.integers(-3, 3).map(Exact),
    lambda inner: st.tuples(st.sampled_from("+-*/"), inner, inner).map(combined),
    max_leaves=25,
)


@given(numbers)
def test_a_formula_means_the_value(number: Exact) -> None:
    if isinstance(number, TracedNumber):
        with mpmath.workdps(50):
            assert abs(evaluated(number) - in_mpmath(Exact(number))) <= 1e-12 * (
                1 + abs(in_mpmath(Exact(number)))
            )


@given(numbers, numbers)
def test_values_are_those_of_plain_numbers(left: Exact, right: Exact) -> None:
    assert Exact(left + right) == Exact(left) + Exact(right)
    assert Exact(left - right) == Exact(left) - Exact(right)
    assert Exact(left * right) == Exact(left) * Exact(right)
    assert (left < right) == (Exact(left) < Exact(right))
    assert bool(left) == bool(Exact(left))


def test_formulas_are_written_as_descriptions_have_them() -> None:
    m, a, d = (attach_name(name, VALUES[name]) for name in ("m", "a", "d"))
    assert (m * a**2 - 2 * d).formula == "m*a**2 - 2*d"
    assert (-m / a).formula == "-m/a"
    assert (m / 3).formula == "(1/3)*m"
    assert (m + PI / 2).formula == "m + pi/2"
    assert (m - PI * 3 / 4).formula == "m - 3*pi/4"
    assert (a - a) == Exact(0)
    assert not isinstance(a - a, TracedNumber)


def test_a_long_sum_is_a_number_of_its_own_and_the_same_wherever_it_is_used() -> None:
    terms = [attach_name(f"x{index}", Exact(index + 2)) for index in range(MOST_TERMS + 1)]
    once, again = sum(terms, Exact(0)), sum(reversed(terms), Exact(0))
    assert once == again
    assert hash(once) == hash(again)
    (part,) = list_parts(once.terms)
    assert part.to_text({}) == " + ".join(sorted(f"x{index}" for index in range(MOST_TERMS + 1)))
    assert format_formula((once * 2).terms, {part: "part1"}) == "2*part1"
    assert once * 2 - again - again == Exact(0)


def test_cosines_and_angles_keep_their_names() -> None:
    alpha = attach_name("alpha", VALUES["alpha"])
    cosine, sine = alpha.cosine_sine()
    assert (cosine.formula, sine.formula) == ("cos(alpha)", "sin(alpha)")
    assert sine.atan2(cosine).formula == "alpha"
    assert (cosine * cosine + sine * sine) == Exact(1)
    right_angle = attach_name("beta", PI / 2).cosine_sine()
    assert right_angle == (Exact(0), Exact(1))
    m, a = attach_name("m", VALUES["m"]), attach_name("a", VALUES["a"])
    assert [part.to_text({}) for part in list_parts(m.atan2(a).terms)] == ["atan2(m, a)"]


def test_what_comes_at_run_time_stays_what_it_is() -> None:
    load = ParametricNumber(Parameter("load", Exact(2)))
    assert attach_name("m", load) is load
    product = attach_name("a", VALUES["a"]) * load
    assert not product.is_known
    ((_, coefficient),) = product.terms
    assert coefficient.formula == "a"


@pytest.mark.parametrize("value", [Exact(0), Exact("0")])
def test_zero_has_no_name(value: Exact) -> None:
    assert not isinstance(attach_name("x", value), TracedNumber)


def test_named_numbers_add_to_multiply_and_differ_from_what_comes_at_run_time():
    load = ParametricNumber(Parameter("load", Exact(2)))
    length, plain = NamedNumber("length", Exact(3)), Exact(3)
    for named_first, plain_first in (
        (length + load, plain + load),
        (length * load, plain * load),
        (length - load, plain - load),
    ):
        assert named_first == plain_first
    assert (length / load, load + length, load * length) == (
        plain / load,
        load + plain,
        load * plain,
    )
    assert length != load
    assert length == plain
