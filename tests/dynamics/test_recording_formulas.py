"""Formulas in sympy become instructions; unsupported expressions are rejected by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Expr, Matrix, Rational, cos, log, pi, sin, tan

from dynagen.dynamics.lowering import lower, order_terms
from dynagen.dynamics.recording import Formula, Recorder, formula
from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.cost import count
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Argument, Operation
from dynagen.ir.symbols import MATRIX, SCALAR, TENSOR, VECTOR, Symbol, find_stem
from dynagen.numbers.exact import Exact

X = Argument("x", (3,), (), "")
x, y, z = (sympy.Symbol(f"x[{index}]") for index in range(3))
VALUES = [0.7, 1.3, -0.4]
V = Symbol("v", "i", VECTOR, "velocity of body i")

EXPRESSIONS = [
    x + y + z,
    x - y - z,
    -x - y,
    -x * y * z,
    x * (y - z),
    -x * (y - z),
    (x - y) * (z - y),
    -(x - y) * (z - y) * (y - z),
    x * y / z,
    -x / y,
    x / (y * z),
    -2 * x / (3 * y),
    1 / x,
    -1 / (x - y),
    x**4,
    x**-2,
    (x - y) ** 3 / (z - x) ** 2,
    Rational(1, 3) * x - Rational(2, 7),
    sin(x) * cos(y - z) + sin(-x),
    -(sin(x) ** 2),
    x - (y + z) * (x - z) / (y - x) - 1,
    sympy.Integer(0),
    Rational(-5, 2),
]


SUMS = [
    *(expression for expression in EXPRESSIONS if expression.is_Add),
    sympy.expand((x - 2 * y + z / 3) ** 3),
    sympy.expand((x - y) ** 2 * z - x * sympy.Symbol("x[10]") + 5 * y),
    sympy.expand((x + y + 1) ** 2),
    2 - 3 * x,
    x / y + x * y - y / x,
]


@pytest.mark.parametrize("expression", SUMS, ids=str)
def test_terms_are_in_the_order_of_the_printer(expression: Expr) -> None:
    assert order_terms(expression) == expression.as_ordered_terms()


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_an_expression_means_what_sympy_says(expression: Expr) -> None:
    (value,) = evaluate(lower("f", (X,), [expression]), {"x": VALUES})["result"]
    assert value == pytest.approx(
        float(expression.subs(dict(zip((x, y, z), VALUES, strict=True)))), rel=1e-14
    )


@pytest.mark.parametrize(
    "expression", [x - y, -x + y, x - y - z, -x + y * z - z, 2 * x - 3 * y], ids=str
)
def test_differences_need_no_sign_change(expression: Expr) -> None:
    assert count(lower("f", (X,), [expression])).neg == 0


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        (tan(x), "tan"),
        (sympy.erf(x), "erf"),
        (log(x) + 1, "log"),
        (x ** Rational(1, 3) * y, "Pow"),
        (x**y, "Pow"),
        (x * pi, "Pi"),
        (sympy.Float(0.5) * x, "Float"),
        (sympy.floor(x), "floor"),
        (sympy.I * x, "ImaginaryUnit"),
        (sympy.zoo, "ComplexInfinity"),
        (sympy.Piecewise((x, x > 0), (y, True)), "Piecewise"),
        (sympy.Symbol("unknown") + x, "unknown"),
    ],
    ids=str,
)
def test_what_cannot_be_recorded_is_named(expression: Expr, what: str) -> None:
    with pytest.raises(InvalidProgramError, match=f"^f: .*{what}"):
        lower("f", (X,), [expression])


@formula
def rotated(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """A rotation about z."""
    return Matrix([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]) * vector


def result(recorder: Recorder, quantity: Any) -> list[Any]:
    size = len(quantity.values)
    output = Argument("y", (size,), ("1",) * size, "result")
    return evaluate(recorder.finish([(output, [quantity])]), {"x": VALUES})["y"]


def test_a_formula_keeps_its_name_and_documentation() -> None:
    assert isinstance(rotated, Formula)
    assert (rotated.name, rotated.__doc__) == ("rotated", "A rotation about z.")


def test_a_formula_is_traced_once_for_every_shape() -> None:
    assert rotated.traced(((), (), (3,))) is rotated.traced(((), (), (3,)))
    trace = rotated.traced(((), (), (3,)))
    assert trace.shape == (3,)
    assert (
        trace.results[2] == 4
    )  # of cosine, sine, and three elements of the vector the last, as it is
    assert {operand for _, operands in trace.operations for operand in operands} >= {0, 1, 2, 3}


def test_a_formula_applies_to_recorded_values() -> None:
    recorder = Recorder(Builder("f", [X]))
    vector = recorder.add_constant(1, 2, 3)
    turned = rotated(recorder.add_element("x", 0), recorder.add_element("x", 1), vector)
    np.testing.assert_allclose(result(recorder, turned), [0.7 - 2.6, 1.3 + 1.4, 3])


def test_matrices_are_row_major() -> None:
    times = formula(lambda matrix, vector: matrix * vector)
    recorder = Recorder(Builder("f", [X]))
    matrix = recorder.add_constant_matrix([(1, 2, 3), (4, 5, 6), (7, 8, 9)])
    assert (
        result(recorder, times(matrix, (1, 0, 0)))
        == result(recorder, matrix @ recorder.add_constant(1, 0, 0))
        == [1, 4, 7]
    )
    assert formula(lambda matrix: matrix.T)(matrix).values == tuple(
        matrix.values[3 * column + row] for row in range(3) for column in range(3)
    )


def test_names_follow_the_axes_and_what_is_known_is_copied() -> None:
    recorder = Recorder(Builder("f", [X]))
    vector = rotated(recorder.add_element("x", 0), recorder.add_element("x", 1), (1, 2, 3))
    named = vector.name(V(2))
    again = named.name(Symbol("u", "i", VECTOR, "the same")(2))
    lists = recorder.finish([(Argument("y", (3,), ("1",) * 3, "result"), [again])]).instructions
    assert [lists[value].name for value in named.values] == ["v2_x", "v2_y", "v2_z"]
    assert [lists[value].name for value in again.values] == ["u2_x", "u2_y", "u2_z"]
    assert {lists[value].operation for value in again.values} == {Operation.COPY}


def test_only_declared_names_are_given() -> None:
    builder = Builder("f", [X])
    recorder = Recorder(builder)
    vector, scalar = recorder.add_constant(1, 2, 3), recorder.add_constant(1)
    with pytest.raises(InvalidProgramError, match=r"expected the shape .* for v2"):
        scalar.name(V(2))
    with pytest.raises(InvalidProgramError, match="the symbol v<i> does not accept"):
        V(2, 3)
    with pytest.raises(InvalidProgramError, match="the symbol v<i> does not accept"):
        V(2, label="x")
    vector.name(V(1))
    with pytest.raises(InvalidProgramError, match="v is velocity of body i; not volume of body i"):
        scalar.name(Symbol("v", "i", SCALAR, "volume of body i")(3))
    assert builder.finish(()).symbols == (V,)


@pytest.mark.parametrize(
    ("stem", "indices", "shape"),
    [("W", "i", ()), ("w2", "i", ()), ("w", "", (3,)), ("w", "i", (2,))],
)
def test_a_symbol_leads_back_from_its_names(
    stem: str, indices: str, shape: tuple[int, ...]
) -> None:
    with pytest.raises(InvalidProgramError, match="invalid symbol"):
        Symbol(stem, indices, shape, "")


def test_names_are_spelled_by_symbol_numbers_and_components() -> None:
    momentum = Symbol("p", "ji", VECTOR, "momentum")
    assert (momentum.pattern, momentum(3, 10).components) == (
        "p<j>_<i>",
        ("p3_10_x", "p3_10_y", "p3_10_z"),
    )
    column = Symbol("y", "ij", SCALAR, "column", label="parameter")
    assert (column.pattern, column(2, 1, label="jxx").components) == (
        "y<i>_<j>_<parameter>",
        ("y2_1_jxx",),
    )
    assert Symbol("least", "", SCALAR, "least")().components == ("least",)
    assert Symbol("j", "i", TENSOR, "inertia")(2).components[:4] == (
        "j2_xx",
        "j2_yy",
        "j2_zz",
        "j2_xy",
    )
    assert Symbol("l", "i", MATRIX, "lambda")(2).components[:4] == (
        "l2_xx",
        "l2_xy",
        "l2_xz",
        "l2_yx",
    )
    assert [find_stem(name) for name in ("minus_l2_xx", "y2_1_jxx", "least", "pi_base3_m")] == [
        "l",
        "y",
        "least",
        "pi_base",
    ]


def test_a_vector_s_entry_is_a_scalar_and_its_part_a_vector() -> None:
    recorder = Recorder(Builder("f", [X]))
    numbers = recorder.add_constant(Exact(1), Exact(2), Exact(3))
    assert numbers[1].shape == ()
    assert result(recorder, numbers[1]) == [2]
    assert result(recorder, numbers[1:]) == [2, 3]


def test_operators_record_one_operation_for_each_element() -> None:
    recorder = Recorder(Builder("f", [X]))
    scalar, numbers = recorder.add_element("x", 0), recorder.add_constant(1, 2, 3)
    values = {
        "sum": (numbers + numbers, [2, 4, 6]),
        "sum with zero": (0 + scalar, [0.7]),
        "difference": (numbers - numbers, [0, 0, 0]),
        "product": (scalar * numbers, [0.7, 1.4, 2.1]),
        "product with a number": (scalar * Exact(2), [1.4]),
        "number first": (2 * numbers, [2, 4, 6]),
        "quotient": (scalar / scalar, [1]),
        "reciprocal": (1 / scalar, [1 / 0.7]),
        "negative": (-numbers, [-1, -2, -3]),
        "vector product": (numbers.cross(recorder.add_constant(0, 0, 1)), [2, -1, 0]),
    }
    for name, (quantity, expected) in values.items():
        np.testing.assert_allclose(result(recorder, quantity), expected, err_msg=name)
    program = recorder.finish([(Argument("y", (1,), ("1",), "result"), [scalar])])
    operations = [each.operation for each in program.instructions if each.operands]
    assert operations.count(Operation.DIVIDE) == 2
    assert operations.count(Operation.NEGATE) == 3


def test_a_memoised_recorder_applies_no_formula_twice_to_the_same_values() -> None:
    recorder = Recorder(Builder("f", [X]))
    one, other = recorder.add_element("x", 0), recorder.add_element("x", 1)
    assert (one + other).values != (one + other).values
    with recorder.memoise():
        total = (one + other).name(Symbol("v", "", SCALAR, "sum")())
        with recorder.memoise(), recorder.suppress_names():
            assert (one + other).name(Symbol("u", "", SCALAR, "the same")()).values == total.values
        assert (one + other).values == total.values
    assert (one + other).values != total.values
    names = [
        each.name
        for each in recorder.finish([(Argument("y", (1,), ("1",), "result"), [total])]).instructions
    ]
    assert [name for name in names if name] == ["v"]
