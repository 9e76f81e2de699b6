"""Absolute value, sign, minimum, maximum, tanh and exp: meaning, simplification, spelling."""

from __future__ import annotations

import numpy as np
import pytest

from dynagen.ir.cost import OperationCount, count
from dynagen.ir.evaluation import evaluate
from dynagen.ir.program import Program
from dynagen.ir.text import print_program
from dynagen.optimizer.passes.manager import run_passes
from tests.support.program_parser import parse_program

HEADER = 'program f\ninput x[2] "lengths" "m"\noutput y[1] "result" "m"\nsection ""\n'


def program(expression: str) -> Program:
    return parse_program(f"{HEADER}  v = {expression}\nresult y = v\n")


def simplified(expression: str) -> str:
    """The result, with the statement that computes it, after all passes."""
    lines = [
        line.strip() for line in print_program(run_passes(program(expression))[0]).splitlines()
    ]
    return "; ".join(
        line for line in lines if not line.startswith(("program", "input", "output", "section"))
    )


EVERYTHING = "abs(x[0]) + sign(x[0])*min(x[0], max(x[1], 2)) - tanh(x[0])*exp(-x[1])"


def test_the_text_form_reads_what_it_writes() -> None:
    text = print_program(program(EVERYTHING))
    assert f"v = {EVERYTHING}" in text
    assert print_program(parse_program(text)) == text


def test_they_mean_what_numpy_says() -> None:
    x = np.array([[-1.5, 0.0, 0.7, 3.0], [0.3, -0.2, 4.0, 1.0]])
    ((value,),) = evaluate(program(EVERYTHING), {"x": x}).values()
    expected = (
        np.abs(x[0])
        + np.sign(x[0]) * np.minimum(x[0], np.maximum(x[1], 2))
        - np.tanh(x[0]) * np.exp(-x[1])
    )
    np.testing.assert_array_equal(value, expected)


def test_each_counts_as_other() -> None:
    assert count(program(EVERYTHING)) == OperationCount(mul=2, add=2, neg=1, other=6)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("abs(-2)", "result y = 2"),
        ("sign(-2) + sign(0)", "result y = -1"),
        ("min(2, 3) + max(2, 3)", "result y = 5"),
        ("tanh(0) + exp(0)", "result y = 1"),
        ("tanh(1)", "v = tanh(1); result y = v"),
        ("abs(-x[0])", "v = abs(x[0]); result y = v"),
        ("x[1] + sign(-x[0])", "v = x[1] - sign(x[0]); result y = v"),
        ("x[1]*tanh(-x[0])*tanh(-x[0])", "t1 = tanh(x[0]); v = x[1]*t1*t1; result y = v"),
        ("min(x[0], x[1]) - min(x[1], x[0])", "result y = 0"),
        ("max(x[0], 1) - max(1, x[0])", "result y = 0"),
    ],
)
def test_passes_know_them(expression: str, expected: str) -> None:
    assert simplified(expression).replace("minus_", "") == expected
