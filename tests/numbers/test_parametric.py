"""Numbers with run-time parameters: operations commute with the substitution of values."""

import operator
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dynagen.errors import UsageError
from dynagen.numbers.exact import ONE, PI, ZERO, Angle, Exact
from dynagen.numbers.parametric import Parameter, ParametricNumber, differentiate
from dynagen.robot.arithmetic import evaluate

M, A = (ParametricNumber(Parameter(name, Exact(value))) for name, value in (("m", 2), ("a", "0.5")))
VALUES = st.fractions(min_value=-5, max_value=5, max_denominator=12).map(Exact)
LEAVES = st.one_of(VALUES, st.sampled_from([M, A, Exact(2).sqrt()]))
NUMBERS = st.recursive(
    LEAVES,
    lambda inner: st.tuples(
        st.sampled_from([operator.add, operator.sub, operator.mul]), inner, inner
    ).map(lambda parts: parts[0](parts[1], parts[2])),
    max_leaves=8,
)


def at(number, values):
    return number.substitute(values) if isinstance(number, ParametricNumber) else number


@given(NUMBERS, NUMBERS, VALUES, VALUES)
def test_arithmetic_commutes_with_substitution(x, y, m, a):
    values = {"m": m, "a": a}
    for operation in (operator.add, operator.sub, operator.mul):
        assert at(operation(x, y), values) == operation(at(x, values), at(y, values))
    assert at(-x, values) == -at(x, values)
    if at(y, values) and at(y, {}):
        assert at(x / y, values) == at(x, values) / at(y, values)


@given(NUMBERS)
def test_a_number_has_its_nominal_value_and_vanishes_with_itself(x):
    assert float(x) == float(at(x, {}))
    assert x - x == ZERO
    assert (x - x).is_known
    assert x + ZERO == x
    assert hash(x * ONE) == hash(x)


def test_equal_polynomials_are_equal_however_they_came_about():
    assert (M + A) * (M - A) == M * M - A * A
    assert M * A == A * M
    assert M * A / A == M
    assert M / M == ONE
    assert 3 * M - M - M - M == ZERO
    assert M != A
    assert Exact(2) != M


def test_a_reciprocal_is_taken_though_the_default_of_another_factor_vanishes():
    cosine = Angle(ParametricNumber(Parameter("tilt", PI / 2))).cos
    assert cosine * M == M * cosine
    assert float(cosine) == 0


@given(st.fractions(min_value=-3, max_value=3, max_denominator=9))
def test_sine_cosine_and_root_are_taken_of_the_value(value):
    assume(value > 0)
    angle = Angle(2 * A)
    assert at(angle.sin, {"a": Exact(value)}) == Angle(Exact(2 * value)).sin
    assert at(angle.cos, {"a": Exact(value)}) == Angle(Exact(2 * value)).cos
    assert at(M.sqrt(), {"m": Exact(value * value)}) == Exact(Fraction(value))


@pytest.mark.parametrize(
    "text",
    ["sqrt(m)", "sin(m)", "cos(a*m)", "1/m", "m**2", "-m", "2 - m", "deg(m)", "sqrt(3 - m)/2"],
)
def test_whatever_a_description_does_to_a_parameter_stays_for_run_time(text):
    number = evaluate(text, {"m": M, "a": A})
    assert not number.is_known
    assert at(number, {"m": Exact(1)}) == evaluate(text, {"m": Exact(1), "a": Exact("0.5")})


def test_the_angle_of_its_own_sine_and_cosine_is_found_and_no_other():
    angle = Angle(A + 1)
    assert Angle.from_cosine_sine(angle.cos, angle.sin).radians == A + 1
    with pytest.raises(UsageError, match="run-time parameter"):
        Angle.from_cosine_sine(angle.sin, angle.cos)
    with pytest.raises(UsageError, match="run-time parameter"):
        Angle.from_cosine_sine(ZERO, M)


def test_numbers_read_well():
    assert str(2 * M * A * A + Fraction(1, 3)) == "2*a**2*m + 1/3"


def test_derivatives_by_a_parameter_are_exact():
    """Differences of sines, roots, reciprocals and their products; the other parameter is fixed."""
    sine, cosine = (M * A).cosine_sine()[::-1]
    number = sine * A + cosine * (M + A).sqrt() + (M + A * A).reciprocal() * M * M + A * Exact(3)
    change, step = differentiate(number, "m"), Fraction(1, 10**5)

    def at(mass):
        return float(number.substitute({"m": Exact(mass)}))

    quotient = (at(2 + step) - at(2 - step)) / (2 * float(step))
    assert float(change.substitute({})) == pytest.approx(quotient, rel=1e-9)
    assert differentiate(M * M * A, "m") == M * A * Exact(2)
    assert differentiate(M, "a") == differentiate(ONE, "a") == ZERO
