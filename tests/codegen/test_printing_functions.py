"""Kernels that call functions: the same values in every language, including zero and NaN."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.ir.cost import count
from dynagen.ir.evaluation import evaluate
from dynagen.numbers.real import DOUBLE, FLOAT
from tests.support.c_operations import count_operations
from tests.support.packages import kernel, loaded, package, render, texts
from tests.support.program_parser import parse_program

TEXT = """
program f
input x[2] "lengths" "m"
output y[6] "result" "m"
section ""
  a = abs(x[0])
  b = sign(x[0])
  c = min(x[0], x[1])
  d = max(x[0], x[1])
  e = tanh(x[0])
  g = exp(-x[0])
result y = a, b, c, d, e, g
"""
NAN = float("nan")
POINTS = np.array(
    [[1.5, 2.0], [-1.5, -2.0], [0.0, 1.0], [3.0, 3.0], [NAN, 1.0], [1.0, NAN], [1e300, -1e300]]
)


@pytest.mark.parametrize("real", [DOUBLE, FLOAT], ids=lambda real: real.name)
def test_values_are_numpys_and_nan_goes_through(language, real):
    compiled = loaded(language, package(kernel(TEXT), real=real))
    with np.errstate(all="ignore"):
        points = POINTS.astype(real.dtype)
        (computed,) = compiled["f"](points)
        expected = np.stack(evaluate(parse_program(TEXT), {"x": points.T})["y"], axis=-1)
    np.testing.assert_allclose(computed, expected, rtol=4 * real.epsilon)
    assert (np.isnan(computed) == np.isnan(expected)).all()


def test_a_c_parser_counts_calls_and_not_the_helpers_bodies():
    made = package(kernel(TEXT))
    (source,) = (text for path, text in texts(render("c", made)).items() if path.startswith("src/"))
    assert source.count("static ") == 3
    assert count_operations(source, made.prefix) == count(parse_program(TEXT))


def test_helpers_come_only_where_they_are_called():
    made = package(kernel(TEXT.replace("sign(", "abs(").replace("min(", "max(")))
    files = texts(render("c", made)) | texts(render("fortran", made))
    written = "\n".join(files.values())
    assert "max_of" in written
    assert "min_of" not in written
    assert "sign_of" not in written
