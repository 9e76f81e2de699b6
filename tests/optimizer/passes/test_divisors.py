"""Whole sums and products: terms that disappear, shared parts, and cases left alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynagen.ir.program import Program
from dynagen.ir.text import print_program
from dynagen.ir.validation import validate
from dynagen.optimizer.passes.divisors import extract_common_divisors, extract_shared_pairs
from dynagen.optimizer.passes.sums import collect_terms
from tests.support.program_parser import parse_program

HEADER = (
    'program f\ninput k[3] "factors" "m"\ninput x[6] "lengths" "m"\noutput y[2] "results" "m"\n'
)


def apply(step: Callable[[Program], Program], statements: str) -> str:
    """Apply a pass to statements separated by semicolons, the last one both results."""
    *body, results = statements.split("; ")
    after = validate(step(parse_program("\n".join([HEADER, *body, f"result y = {results}"]))))
    return "; ".join(
        line.strip().removeprefix("result y = ")
        for line in print_program(after).splitlines()
        if not line.startswith(("program", "input", "output", "section"))
    )


COLLECTED = {
    "numbers": ("a = 0.82 + (x[0] - 0.43); a, 0", "a = 0.39 + x[0]; a, 0"),
    "a negative number": ("a = x[0] - 3 + (x[1] + 1); a, 0", "a = x[0] - 2 + x[1]; a, 0"),
    "numbers without a sum": ("a = 2 + (x[0] - 2); a, 0", "x[0], 0"),
    "opposite terms": ("a = x[0] + x[1] - (x[2] + x[0]); a, 0", "a = x[1] - x[2]; a, 0"),
    "all terms": ("a = x[0] + x[1] - (x[1] + x[0]); a, 0", "0, 0"),
    "equal products of other products": (
        "p = x[0]*x[1]; a = p*x[2] + x[3] - x[0]*(x[1]*x[2]); p, a",
        "p = x[0]*x[1]; p, x[3]",
    ),
    "all but one that is subtracted": ("a = x[0] - (x[1] + x[0]); a, 0", "a = -x[1]; a, 0"),
    "terms and their multiple": ("a = x[0] + x[1] + x[0] - 2*x[0]; a, 0", "x[1], 0"),
    "terms of a shared sum": (
        "r = x[0] + x[1]; a = r + x[2] - x[0]; r, a",
        "r = x[0] + x[1]; a = x[1] + x[2]; r, a",
    ),
    "several terms of a shared sum": (
        "r = x[0] + x[1] - x[2]; a = x[3] + x[4] - r + x[0] - x[2]; r, a",
        "r = x[0] + x[1] - x[2]; a = x[3] + x[4] - x[1]; r, a",
    ),
    "multiples of one value": ("a = 3*x[0] + x[1] - x[0]; a, 0", "a = 2*x[0] + x[1]; a, 0"),
    "multiples that need no number": ("a = 2*x[0] + x[1] - x[0]; a, 0", "a = x[0] + x[1]; a, 0"),
    "multiples of a product, with a negative total": (
        "p = x[0]*x[1]; a = 3*p + x[2] - 5*(x[1]*x[0]); p, a",
        "p = x[0]*x[1]; a = x[2] - 2*p; p, a",
    ),
    "a number near one": (
        "s = x[0] + x[1]; a = 0.99*s + x[2] - x[0]; s, a",
        "s = x[0] + x[1]; a = x[2] - 0.01*s + x[1]; s, a",
    ),
    "a number near one, with other signs": (
        "s = x[0] - x[1]; a = x[2] - 1.25*s - x[1]; s, a",
        "s = x[0] - x[1]; a = x[2] - 0.25*s - x[0]; s, a",
    ),
}


@pytest.mark.parametrize(("before", "after"), COLLECTED.values(), ids=COLLECTED.keys())
def test_terms_are_collected(before: str, after: str) -> None:
    assert apply(collect_terms, before) == after


def test_squares_of_squares_are_not_multiplied_out() -> None:
    squares = "; ".join(f"t{each + 1} = t{each}*t{each}" for each in range(60))
    statements = f"t0 = x[0]*x[1]; {squares}; a = t60 - t59*x[2]; a, t0"
    assert apply(collect_terms, statements) == statements


UNCOLLECTED = {
    "one number": "a = 2 + x[0] - x[1]; a, 0",
    "equal terms of one sign": "a = x[0] + x[1] + x[0]; a, 0",
    "a multiple with other uses": "p = 3*x[0]; a = p + x[1] - x[0]; p, a",
    "a multiple of zero, which has a number elsewhere": ("p = 3*x[0]; a = 2*p + x[1] - 0*p; p, a"),
    "a multiple with a shared number": "p = 3*x[0]; a = 2*p*x[1] + x[2] - x[0]*x[1]; p, a",
    "a number far from one": "s = x[0] + x[1]; a = 0.4*s + x[2] - x[0]; s, a",
    "a shared sum of many terms": "r = x[0] + x[1] + x[2]; a = r - x[0]; r, a",
}


@pytest.mark.parametrize("statements", UNCOLLECTED.values(), ids=UNCOLLECTED.keys())
def test_terms_that_stay(statements: str) -> None:
    assert apply(collect_terms, statements) == statements


SHARED = {
    "a pair of terms": (
        "a = x[0] + x[1] + x[2]; b = x[3] + x[1] + x[0]; a, b",
        "t1 = x[0] + x[1]; a = t1 + x[2]; b = x[3] + t1; a, b",
    ),
    "the opposite": (
        "a = x[0] - x[1] + x[2]; b = x[3] + x[1] - x[0]; a, b",
        "t1 = x[0] - x[1]; a = t1 + x[2]; b = x[3] - t1; a, b",
    ),
    "a pair up to a factor": (
        "a = k[0]*x[0] + k[0]*x[1] + x[2]; b = x[0] + x[1] + x[3]; a, b",
        "t1 = x[0] + x[1]; a = k[0]*t1 + x[2]; b = t1 + x[3]; a, b",
    ),
    "pairs of different factors": (
        "a = k[0]*x[0] - x[2] + k[0]*x[1]; b = k[1]*x[1] + k[1]*x[0]; a, b",
        "t1 = x[0] + x[1]; a = k[0]*t1 - x[2]; b = k[1]*t1; a, b",
    ),
    "a product that others need, if the pair is there": (
        "p = k[0]*x[0]; s = x[0] + x[1]; a = p + k[0]*x[1]; b = s*p; a, b",
        "p = k[0]*x[0]; s = x[0] + x[1]; a = k[0]*s; b = s*p; a, b",
    ),
    "three terms": (
        "a = x[0] + x[1] + x[2] + x[3]; b = x[4] + x[0] + x[1] + x[2]; a, b",
        "t1 = x[2] + (x[0] + x[1]); a = t1 + x[3]; b = x[4] + t1; a, b",
    ),
    "a sum that is there already": (
        "a = x[0] + x[1]; b = x[2] + x[0] + x[1]; a, b",
        "a = x[0] + x[1]; b = x[2] + a; a, b",
    ),
}


@pytest.mark.parametrize(("before", "after"), SHARED.values(), ids=SHARED.keys())
def test_kernels_are_shared(before: str, after: str) -> None:
    assert apply(extract_common_divisors, before) == after


UNSHARED = {
    "what would need a sign change": "a = x[0] - x[1]; b = x[1] - x[0]; a, b",
    "a pair of one sum": "a = x[0] + x[1] + x[2]; b = x[0] + x[3]; a, b",
    "different signs": "a = x[0] + x[1] + x[2]; b = x[0] - x[1] + x[3]; a, b",
    "products that others need": "p = k[0]*x[0]; r = k[0]*x[1]; a = p + r; b = p*r; a, b",
}


@pytest.mark.parametrize("statements", UNSHARED.values(), ids=UNSHARED.keys())
def test_what_several_sums_do_not_share(statements: str) -> None:
    assert apply(extract_common_divisors, statements) == statements


PRODUCTS = {
    "a pair of factors": (
        "a = k[0]*x[0]*x[1]; b = x[2]*k[0]*x[1]; a, b",
        "t1 = k[0]*x[1]; a = x[0]*t1; b = x[2]*t1; a, b",
    ),
    "a product that is there already": (
        "a = k[0]*x[0]; b = k[0]*(x[1]*x[0]); a, b",
        "a = k[0]*x[0]; b = a*x[1]; a, b",
    ),
    "a square": (
        "a = k[0]*x[0]*x[0]; b = k[1]*x[0]*x[0]; a, b",
        "t1 = x[0]*x[0]; a = k[0]*t1; b = k[1]*t1; a, b",
    ),
    "a product that is a pair with a pair of others": (
        "a = x[0]*x[1]*x[2]; b = k[0]*x[0]*x[1]*x[2] + k[1]*x[1]*x[2]; a, b",
        "t1 = x[1]*x[2]; a = x[0]*t1; b = a*k[0] + k[1]*t1; a, b",
    ),
    "nothing in common but one factor": ("a = k[0]*x[0]*x[1]; b = k[0]*x[2]*x[3]; a, b", None),
    "a factor that others need": (
        "p = x[0]*x[1]; a = k[0]*p; b = k[0]*x[2]*x[1]; c = p + a; c, b",
        None,
    ),
}


@pytest.mark.parametrize(("before", "after"), PRODUCTS.values(), ids=PRODUCTS.keys())
def test_products_are_shared(before: str, after: str | None) -> None:
    assert apply(extract_shared_pairs, before) == (before if after is None else after)
