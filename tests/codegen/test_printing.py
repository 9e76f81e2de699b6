"""How every language writes an expression, and how all of them break long lines."""

from fractions import Fraction

import numpy as np
import pytest

from dynagen.codegen.printing import break_line, format_shortest_decimal
from dynagen.errors import UsageError
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT
from tests.support.packages import kernel, package, render, texts

# Text form; then C, Fortran and Python.
EXPRESSIONS = [
    ("q[0] + q[1] + q[2]", "q[0] + q[1] + q[2]", "q(1) + q(2) + q(3)", "q[0] + q[1] + q[2]"),
    (
        "q[0] + (q[1] + q[2])",
        "q[0] + (q[1] + q[2])",
        "q(1) + (q(2) + q(3))",
        "q[0] + (q[1] + q[2])",
    ),
    (
        "q[0] - (q[1] - q[2])",
        "q[0] - (q[1] - q[2])",
        "q(1) - (q(2) - q(3))",
        "q[0] - (q[1] - q[2])",
    ),
    ("(q[0] - q[1]) - q[2]", "q[0] - q[1] - q[2]", "q(1) - q(2) - q(3)", "q[0] - q[1] - q[2]"),
    ("q[0]*(q[1] + q[2])", "q[0]*(q[1] + q[2])", "q(1)*(q(2) + q(3))", "q[0]*(q[1] + q[2])"),
    ("q[0] + q[1]*q[2]", "q[0] + q[1]*q[2]", "q(1) + q(2)*q(3)", "q[0] + q[1]*q[2]"),
    ("q[0]*(q[1]*q[2])", "q[0]*(q[1]*q[2])", "q(1)*(q(2)*q(3))", "q[0]*(q[1]*q[2])"),
    ("q[0]/(q[1]*q[2])", "q[0]/(q[1]*q[2])", "q(1)/(q(2)*q(3))", "q[0]/(q[1]*q[2])"),
    ("q[0]/q[1]*q[2]", "q[0]/q[1]*q[2]", "q(1)/q(2)*q(3)", "q[0]/q[1]*q[2]"),
    ("-(q[0] + q[1])", "-(q[0] + q[1])", "-(q(1) + q(2))", "-(q[0] + q[1])"),
    ("-(q[0]*q[1])", "-(q[0]*q[1])", "-(q(1)*q(2))", "-(q[0]*q[1])"),
    ("(-q[0])*q[1]", "-q[0]*q[1]", "-q(1)*q(2)", "-q[0]*q[1]"),
    ("q[0]*(-q[1])", "q[0]*(-q[1])", "q(1)*(-q(2))", "q[0]*(-q[1])"),
    ("q[0] + (-q[1])*q[2]", "q[0] + (-q[1]*q[2])", "q(1) + (-q(2)*q(3))", "q[0] + (-q[1]*q[2])"),
    ("-(-q[0])", "-(-q[0])", "-(-q(1))", "-(-q[0])"),
    ("-3*q[0]", "-3.0*q[0]", "-3.0_wp*q(1)", "-3.0*q[0]"),
    ("q[0] - 3*q[1]", "q[0] - 3.0*q[1]", "q(1) - 3.0_wp*q(2)", "q[0] - 3.0*q[1]"),
    ("q[0] + (-3)", "q[0] + (-3.0)", "q(1) + (-3.0_wp)", "q[0] + (-3.0)"),
    ("q[0]*(-3)", "q[0]*(-3.0)", "q(1)*(-3.0_wp)", "q[0]*(-3.0)"),
    (
        "sqrt(2 - q[0])*q[1]",
        "sqrt(2.0 - q[0])*q[1]",
        "sqrt(2.0_wp - q(1))*q(2)",
        "np.sqrt(2.0 - q[0])*q[1]",
    ),
    (
        "{1/3}*q[0]",
        "0.3333333333333333*q[0]",
        "0.3333333333333333_wp*q(1)",
        "0.3333333333333333*q[0]",
    ),
    (
        "{1/2*sqrt(2)}*q[0]",
        "0.7071067811865476*q[0]",
        "0.7071067811865476_wp*q(1)",
        "0.7071067811865476*q[0]",
    ),
    ("0.00001*q[0]", "1e-05*q[0]", "1e-05_wp*q(1)", "1e-05*q[0]"),
]

ONE_VALUE = """
program f
input q[3] "joint positions" "rad"
output y[1] "result" "N m"
section ""
  v = {}
result y = v
"""


@pytest.mark.parametrize(
    ("text", "c", "fortran", "python"), EXPRESSIONS, ids=[row[0] for row in EXPRESSIONS]
)
def test_an_expression_in_every_language(text, c, fortran, python):
    made = package(kernel(ONE_VALUE.replace("{}", text)))
    lines = {
        language: [
            line.strip()
            for source in texts(render(language, made)).values()
            for line in source.splitlines()
        ]
        for language in ("c", "fortran", "python", "javascript", "matlab")
    }
    javascript = c.replace("sqrt", "Math.sqrt")  # all else is as in C
    assert f"const puma560_real v = {c};" in lines["c"]
    assert f"v = {fortran}" in lines["fortran"]
    assert f"v = {python}" in lines["python"]
    assert f"const v = {javascript};" in lines["javascript"]
    matlab = fortran.replace("_wp", "").replace("sqrt", "root_of")
    assert f"v = {matlab};" in lines["matlab"]


def test_matrix_elements_have_the_shape_of_the_language():
    text = """
    program f
    input m[2, 3] "matrix" "m"
    output y[3, 2] "transposed" "m"
    section ""
      v = 2*m[5]
    result y = v, 0, 0, v, 0, 1
    """
    made = package(kernel(text))
    assert "const puma560_real m_5 = m[5];" in texts(render("c", made))["src/puma560_f.c"]
    fortran = texts(render("fortran", made))["puma560_dynamics.f90"]
    assert "real(wp), intent(in) :: m(2, 3)" in fortran
    assert "v = 2.0_wp*m(2, 3)" in fortran
    assert "y(2, 2) = v" in fortran
    assert "y[..., 1, 1] = v" in texts(render("python", made))["puma560.py"]


def test_lines_break_at_the_outermost_operator_that_fits():
    assert break_line("a = bb + cc*(dd - ee)", "  ", 16) == ["a = bb", "  + cc*(dd - ee)"]
    assert break_line("a = bbbb*cccc*dddd", "  ", 12) == ["a = bbbb*", "  cccc*dddd"]
    assert break_line("a = f(bbbb + cccc)", "  ", 12) == ["a = f(bbbb", "  + cccc)"]
    nested = "a = low(low(low(bbbb, c), d), e)"  # the opening parts leave no room for an argument
    assert break_line(nested, "  ", 15) == ["a = low(low(", "  low(bbbb, c),", "  d), e)"]
    assert break_line("a = bbbbbbbbbbbbb", "  ", 8) == ["a = bbbbbbbbbbbbb"]
    assert break_line("a = 1e-05 + b", "  ", 20) == ["a = 1e-05 + b"]


def test_no_line_of_code_is_longer_than_100_columns(language):
    terms = " + ".join(f"{1.5 + k}*q[{k % 3}]*(q[1] - {k + 2}*q[2])" for k in range(40))
    made = package(kernel(ONE_VALUE.replace("{}", terms)))
    for path, text in texts(render(language, made)).items():
        if path.endswith((".c", ".h", ".f90", ".py", ".js")):
            assert max(map(len, text.splitlines())) <= 100, path


def test_literals_read_back_equal_and_look_real():
    for value in (0.1, 1e22, 5e-324, 1.7976931348623157e308, 123456789.0):
        text = format_shortest_decimal(Exact(value), DOUBLE)
        assert float(text) == value
        assert "." in text or "e" in text
    with pytest.raises(UsageError, match="beyond the range of double precision"):
        format_shortest_decimal(Exact(10) ** 400, DOUBLE)


def test_literals_of_float_are_shortest_and_rounded_once():
    for value in (0.1, 1e22, 1e-45, 3.4028235e38, 16777217.0):
        text = format_shortest_decimal(Exact(value), FLOAT)
        assert np.float32(text) == np.float32(value)
        assert len(text) <= 13
    # Just above the middle of 1 and the next float. As a double this is the middle itself, which
    # would round to 1.
    assert (
        format_shortest_decimal(Exact(1 + Fraction(1, 2**24) + Fraction(1, 2**80)), FLOAT)
        == "1.0000001"
    )
    assert format_shortest_decimal(Exact(1 + Fraction(1, 2**24)), FLOAT) == "1.0"
    with pytest.raises(UsageError, match="beyond the range of float precision"):
        format_shortest_decimal(Exact(10) ** 39, FLOAT)
