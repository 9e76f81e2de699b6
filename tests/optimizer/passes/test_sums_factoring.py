"""Factoring: which common factors are taken out, and sums of products keep their meaning."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagen.ir.builder import Builder
from dynagen.ir.cost import count
from dynagen.ir.evaluation import Arithmetic, evaluate
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.ir.text import print_program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import Exact
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.passes.manager import run_passes
from dynagen.optimizer.passes.signs import propagate_signs
from dynagen.optimizer.passes.sums import factor_sums
from tests.support.program_parser import parse_program

HEADER = 'program f\ninput k[3] "factors" "m"\ninput x[6] "lengths" "m"\noutput y[1] "result" "m"\n'


def factored(statements: str) -> str:
    """Propagate signs and factor sums in statements that are separated by semicolons."""
    *body, result = statements.split("; ")
    program = parse_program("\n".join([HEADER, *body, f"result y = {result}"]))
    lines = print_program(validate(factor_sums(propagate_signs(program)))).splitlines()
    return "; ".join(
        line.strip().removeprefix("result y = ")
        for line in lines
        if not line.startswith(("program", "input", "output", "section"))
    )


CHANGED = {
    "a factor": ("s = k[0]*x[0] + k[0]*x[1]; s", "s = k[0]*(x[0] + x[1]); s"),
    "a factor on either side": ("s = k[0]*x[0] - x[1]*k[0]; s", "s = k[0]*(x[0] - x[1]); s"),
    "a constant": ("s = 3*x[0] - 3*x[1]; s", "s = 3*(x[0] - x[1]); s"),
    "a constant and its negative": ("s = 3*x[0] + (-3)*x[1]; s", "s = 3*(x[0] - x[1]); s"),
    "from far away": (
        "s = k[0]*x[0] + x[1] - x[2] + k[0]*x[3]; s",
        "s = k[0]*(x[0] + x[3]) + x[1] - x[2]; s",
    ),
    "across parentheses": (
        "s = x[0] - (k[0]*x[1] - (x[2] + k[0]*x[3])); s",
        "s = x[0] - k[0]*(x[1] - x[3]) + x[2]; s",
    ),
    "across a partial sum with a name": (
        "r = k[0]*x[0] + x[1]; s = r - k[0]*x[2]; s",
        "s = k[0]*(x[0] - x[2]) + x[1]; s",
    ),
    "all of two factors": (
        "s = k[0]*k[1]*x[0] + k[0]*k[1]*x[1]; s",
        "s = k[0]*k[1]*(x[0] + x[1]); s",
    ),
    "the factor that most terms share first": (
        "s = k[0]*x[0] + k[0]*k[1] + k[1]*x[1] + k[1]*x[2]; s",
        "s = k[0]*x[0] + k[1]*(k[0] + x[1] + x[2]); s",
    ),
    "factors within factors": (
        "s = k[0]*k[1]*x[0] + k[0]*k[1]*x[1] + k[0]*x[2]; s",
        "s = k[0]*(k[1]*(x[0] + x[1]) + x[2]); s",
    ),
    "two factors one after the other": (
        "s = k[0]*x[0] + k[1]*x[1] + k[0]*x[2] + k[1]*x[3]; s",
        "s = k[0]*(x[0] + x[2]) + k[1]*(x[1] + x[3]); s",
    ),
    "a square": ("s = k[0]*k[0] + k[0]*x[0]; s", "s = k[0]*(k[0] + x[0]); s"),
    "what is taken from": (
        "s = x[0] - k[0]*x[1] - k[0]*x[2]; s",
        "s = x[0] - k[0]*(x[1] + x[2]); s",
    ),
    "more is taken than given": (
        "s = x[0] - k[0]*x[1] + k[0]*x[2]; s",
        "s = x[0] - k[0]*(x[1] - x[2]); s",
    ),
    "like terms, left to constant folding": ("s = 2*x[0] + 3*x[0]; s", "s = x[0]*(2 + 3); s"),
    "a sum within a product": (
        "s = x[0]*(k[0]*x[1] + k[0]*x[2]); s",
        "s = x[0]*(k[0]*(x[1] + x[2])); s",
    ),
}


@pytest.mark.parametrize(("before", "after"), CHANGED.values(), ids=CHANGED.keys())
def test_common_factors_are_taken_out(before: str, after: str) -> None:
    assert factored(before) == after


UNCHANGED = {
    "a product that others need": "p = k[0]*x[0]; s = p + k[0]*x[1]; r = s*p; r",
    "a partial sum that others need": "p = k[0]*x[0] + x[1]; s = p + k[0]*x[2]; r = s*p; r",
    "a term without a product": "s = k[0] + k[0]*x[0]; s",
    "a constant term": "s = 3 + 3*x[0]; s",
    "different constants": "s = 3*x[0] + 4*x[1]; s",
    "nothing in common": "s = k[0]*x[0] + k[1]*x[1]; s",
}


@pytest.mark.parametrize("statements", UNCHANGED.values(), ids=UNCHANGED.keys())
def test_what_saves_nothing_stays_as_it_is(statements: str) -> None:
    assert factored(statements) == statements


def test_names_of_what_is_left_are_kept() -> None:
    before = "p = k[1]*x[0]; t = sqrt(p); q = k[2]*x[1]; s = q + k[0]*t - x[2]*k[0]; s"
    assert (
        factored(before) == "p = k[1]*x[0]; t = sqrt(p); q = k[2]*x[1]; s = q + k[0]*(t - x[2]); s"
    )


@st.composite
def sums_of_products(draw: st.DrawFn) -> Program:
    """Draw sums of products of few factors; some sums and products are used in later ones."""
    builder = Builder("sums", [Argument("x", (4,), ("m",) * 4, "lengths")])
    factors = [builder.add_element("x", index) for index in range(4)]
    products: list[int] = []
    for _ in range(draw(st.integers(1, 4))):
        total = draw(st.sampled_from(factors))
        for _ in range(draw(st.integers(1, 6))):
            if products and draw(st.integers(0, 5)) == 0:
                term = draw(st.sampled_from(products))
            else:
                term = draw(st.sampled_from(factors))
                for _ in range(draw(st.integers(0, 2))):
                    term = builder.emit(Operation.MULTIPLY, term, draw(st.sampled_from(factors)))
                if draw(st.booleans()):
                    value = Exact(draw(st.sampled_from([Fraction(1, 3), 2, -2, 3, -1])))
                    term = builder.emit(Operation.MULTIPLY, builder.add_constant(value), term)
                products.append(term)
            operands = (total, term) if draw(st.integers(0, 3)) else (term, total)
            total = builder.emit(
                draw(st.sampled_from([Operation.ADD, Operation.SUBTRACT])), *operands
            )
        factors.append(total)
    return validate(builder.finish([Output(Argument("y", (1,), ("m",), "result"), (factors[-1],))]))


RATIONAL = Arithmetic(Exact)
INPUTS = {"x": [Exact(Fraction(2, 3)), Exact(-5), Exact(Fraction(7, 11)), Exact(13)]}


@given(sums_of_products())
def test_sums_keep_their_value_exactly_and_no_operation_becomes_more_frequent(
    program: Program,
) -> None:
    before = remove_dead_code(program)
    after = validate(factor_sums(before))
    assert evaluate(after, INPUTS, RATIONAL) == evaluate(before, INPUTS, RATIONAL)
    assert all(
        number <= count(before).as_dict()[name] for name, number in count(after).as_dict().items()
    )


@given(sums_of_products())
def test_sums_come_to_rest(program: Program) -> None:
    optimised, _ = run_passes(program)
    assert evaluate(optimised, INPUTS, RATIONAL) == evaluate(program, INPUTS, RATIONAL)
    assert factor_sums(optimised) == optimised
