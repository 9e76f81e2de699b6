from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.errors import DynagenError
from dynagen.numbers.exact import PI, Exact
from dynagen.robot.arithmetic import ArithmeticTextError, evaluate
from dynagen.robot.literals import find_multiple_of_pi

NAMES = {"a2": Exact("0.4318"), "payload": Exact(2)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.4318", Fraction(2159, 5000)),
        ("-9.8", Fraction(-49, 5)),
        (" 1e-3 ", Fraction(1, 1000)),
        ("1.", Fraction(1)),
        (".5E+1", Fraction(5)),
        ("010", Fraction(10)),
        ("1/12", Fraction(1, 12)),
        ("2*a2 + 0.1", Fraction(4818, 5000)),
        ("1 - 2 - 3", Fraction(-4)),
        ("8/4/2", Fraction(1)),
        ("-2**2", Fraction(-4)),
        ("2**-2", Fraction(1, 4)),
        ("2**3**2", Fraction(512)),
        ("--1", Fraction(1)),
        ("+(1 + 2)*3", Fraction(9)),
        ("sqrt(payload)**2", Fraction(2)),
        ("cos(pi/2)", Fraction(0)),
        ("sin(deg(30))", Fraction(1, 2)),
        ("cos(pi/6)**2", Fraction(3, 4)),
    ],
)
def test_arithmetic_is_exact(text: str, value: Fraction) -> None:
    assert evaluate(text, NAMES) == Exact(value)


def test_pi_is_the_exact_module_s_pi() -> None:
    assert evaluate("-pi/2") == evaluate("deg(-90)") == -PI / 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a number, found nothing (character 1 of ``)"),
        ("1/0", "division by zero (character 2 of `1/0`)"),
        ("1/cos(pi/2)", "division by zero (character 2 of `1/cos(pi/2)`)"),
        ("0**-1", "division by zero (character 2 of `0**-1`)"),
        (
            "2*paylaod",
            "unknown name `paylaod`; did you mean `payload`? (character 3 of `2*paylaod`)",
        ),
        ("heavy", "unknown name `heavy` (character 1 of `heavy`)"),
        (
            "cosh(1)",
            "unknown function `cosh`; known functions are sin, cos, sqrt, deg; did you mean `cos`? "
            "(character 1 of `cosh(1)`)",
        ),
        (
            "pi(2)",
            "unknown function `pi`; known functions are sin, cos, sqrt, deg (character 1 of "
            "`pi(2)`)",
        ),
        ("cos 1", "`cos` is a function: write cos(...) (character 1 of `cos 1`)"),
        ("nan", "`nan` is not a finite number (character 1 of `nan`)"),
        ("-Inf", "`Inf` is not a finite number (character 2 of `-Inf`)"),
        (".inf", "`.inf` is not a finite number (character 1 of `.inf`)"),
        ("2^3", "unexpected `^`; write ** for a power (character 2 of `2^3`)"),
        ("1,5", "unexpected `,`; write a decimal point as . (character 2 of `1,5`)"),
        ("\u22121", "unexpected `\u2212`; write minus as - (character 1 of `\u22121`)"),
        ("0x10", "`0x10` is not a decimal number; write products with * (character 1 of `0x10`)"),
        (
            "1_000",
            "`1_000` is not a decimal number; write products with * (character 1 of `1_000`)",
        ),
        ("2pi", "`2pi` is not a decimal number; write products with * (character 1 of `2pi`)"),
        (
            "90deg",
            "`90deg` is not a decimal number; write SI units without their names: deg(90) "
            "(character 1 of `90deg`)",
        ),
        (
            "2+100mm",
            "`100mm` is not a decimal number; write SI units without their names: 100/1000 "
            "(character 3 of `2+100mm`)",
        ),
        ("90\u00b0", "unexpected `\u00b0`; write degrees as deg(90) (character 3 of `90\u00b0`)"),
        ("-\u03c0/2", "unexpected `\u03c0`; write pi (character 2 of `-\u03c0/2`)"),
        (
            "1.2.3",
            "`1.2.3` is not a decimal number; write products with * (character 1 of `1.2.3`)",
        ),
        ("1 2", "expected an operator or the end, found `2` (character 3 of `1 2`)"),
        ("2*", "expected a number, a name or (, found the end (character 3 of `2*`)"),
        ("*2", "expected a number, a name or (, found `*` (character 1 of `*2`)"),
        ("2*(1+3", "this parenthesis is not closed; expected `)` (character 3 of `2*(1+3`)"),
        ("(1))", "expected an operator or the end, found `)` (character 4 of `(1))`)"),
        ("sqrt(-1)", "square root of a negative number (character 1 of `sqrt(-1)`)"),
        ("cos(1e9)", "expected an angle of at most a million radians (character 1 of `cos(1e9)`)"),
        (
            "2**17",
            "a power must be an integer from -16 to 16; a square root is sqrt(x) (character 2 "
            "of `2**17`)",
        ),
        (
            "2**0.5",
            "a power must be an integer from -16 to 16; a square root is sqrt(x) (character 2 "
            "of `2**0.5`)",
        ),
        ("1e999999999", "an exponent must lie between -300 and 300 (character 1 of `1e999999999`)"),
        ("1e30*10", "beyond 1e30 (character 1 of `1e30*10`)"),
        (
            "9**16**16",
            "a power must be an integer from -16 to 16; a square root is sqrt(x) (character 2 "
            "of `9**16**16`)",
        ),
        (
            "(((9**16)**16)**16)**16",
            "the result has too many digits (character 15 of `(((9**16)**16)**16)**16`)",
        ),
        (
            "-" * 50 + "1",
            f"expected at most 40 nested parentheses and signs (character 41 of `{'-' * 50}1`)",
        ),
        ("1" * 1001, f"longer than 1000 characters (character 1 of `{'1' * 57}...`)"),
        (
            "().__class__",
            "expected a number, a name or (, found `)` (character 2 of `().__class__`)",
        ),
        ("a2.real", "unexpected `.` (character 3 of `a2.real`)"),
        (
            "__import__('os')",
            "unknown function `__import__`; known functions are sin, cos, sqrt, deg "
            "(character 1 of `__import__('os')`)",
        ),
        ("lambda: 0", "unexpected `:` (character 7 of `lambda: 0`)"),
    ],
)
def test_a_faulty_text_is_refused_with_its_position(text: str, message: str) -> None:
    with pytest.raises(ArithmeticTextError) as error:
        evaluate(text, NAMES)
    assert str(error.value) == message
    assert f"character {error.value.position} " in message


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40) | st.text("0123456789.eE+-*/() pisncoqrtdeg", max_size=60))
def test_any_text_is_a_number_or_a_message(text: str) -> None:
    try:
        value = evaluate(text, NAMES)
    except DynagenError as error:
        message = str(error)
    else:
        message = f"{float(value)}"
        assert not abs(value) > 10**300
    assert message.isprintable()


def expressions() -> st.SearchStrategy[tuple[str, Fraction | None]]:
    """Texts with their value by Fraction, None where a division by zero happens."""

    def join(
        parts: tuple[tuple[str, Fraction | None], str, tuple[str, Fraction | None]],
    ) -> tuple[str, Fraction | None]:
        (left, x), operator, (right, y) = parts
        text = f"({left}){operator}({right})"
        if x is None or y is None or (operator == "/" and y == 0):
            return text, None
        return text, {"+": x + y, "-": x - y, "*": x * y}[operator] if operator != "/" else x / y

    def negate(part: tuple[str, Fraction | None]) -> tuple[str, Fraction | None]:
        return f"-({part[0]})", None if part[1] is None else -part[1]

    def square(part: tuple[str, Fraction | None]) -> tuple[str, Fraction | None]:
        return f"({part[0]})**2", None if part[1] is None else part[1] ** 2

    literals = st.decimals(-1000, 1000, places=3).map(lambda d: (f"({d})", Fraction(d)))
    return st.recursive(
        literals,
        lambda inner: (
            st.tuples(inner, st.sampled_from("+-*/"), inner).map(join)
            | inner.map(negate)
            | inner.map(square)
        ),
        max_leaves=8,
    )


@settings(max_examples=150, deadline=None)
@given(expressions())
def test_arithmetic_agrees_with_fractions(expression: tuple[str, Fraction | None]) -> None:
    text, value = expression
    if value is None:
        with pytest.raises(ArithmeticTextError, match="division by zero"):
            evaluate(text)
    elif abs(value) > 10**30:
        with pytest.raises(ArithmeticTextError, match="beyond 1e30"):
            evaluate(text)
    else:
        assert evaluate(text) == Exact(value)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("1.5707963", "pi/2"),
        ("1.5708", "pi/2"),
        ("1.5707", "pi/2"),
        ("-0.785398", "-pi/4"),
        ("+3.1415926535897932384626", "pi"),
        ("-3.14159", "-pi"),
        ("6.2832", "2*pi"),
        ("2.35619", "3*pi/4"),
        ("0.2617", "pi/12"),
        (".2618", "pi/12"),
    ],
)
def test_a_rounded_or_cut_multiple_of_a_twelfth_of_pi_is_that_multiple(
    text: str, meaning: str
) -> None:
    assert find_multiple_of_pi(text) == (evaluate(meaning), meaning)


@pytest.mark.parametrize(
    "text",
    [
        "1.570800",
        "1.571",
        "1.5709",
        "0.0000",
        "0.00001",
        "1.5708*1",
        "1.5708e0",
        "1",
        "pi/2",
        "",
        "1.2345",
    ],
)
def test_other_digits_stay_what_they_are(text: str) -> None:
    assert find_multiple_of_pi(text) is None
