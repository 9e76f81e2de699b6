"""Each pass, one rule at a time: statements in, statements out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynagen.ir.program import Program
from dynagen.ir.text import print_program
from dynagen.optimizer.passes.folding import (
    fold_constants,
    propagate_copies,
    remove_dead_code,
    share_common_subexpressions,
)
from dynagen.optimizer.passes.manager import run_passes
from dynagen.optimizer.passes.signs import absorb_signs, propagate_signs
from dynagen.optimizer.passes.sums import cancel_terms
from tests.support.program_parser import parse_program

HEADER = 'program f\ninput x[4] "lengths" "m"\noutput y[1] "result" "m"\n'


def apply(step: Callable[[Program], Program], statements: str) -> str:
    """Apply a pass to statements separated by semicolons, then remove dead code."""
    *body, result = statements.split("; ")
    before = parse_program("\n".join([HEADER, *body, f"result y = {result}"]))
    after = print_program(remove_dead_code(step(before))).splitlines()
    return "; ".join(
        line.strip().removeprefix("result y = ")
        for line in after
        if not line.startswith(("program", "input", "output", "section"))
    )


FOLDING = [
    ("a = 0*x[0]; a", "0"),
    ("a = x[0]*0; a", "0"),
    ("a = 1*x[0]; a", "a = x[0]; a"),
    ("a = x[0]*1; a", "a = x[0]; a"),
    ("a = -1*x[0]; a", "a = -x[0]; a"),
    ("a = x[0]*(-1); a", "a = -x[0]; a"),
    ("a = x[0] + 0; a", "a = x[0]; a"),
    ("a = 0 + x[0]; a", "a = x[0]; a"),
    ("a = x[0] - 0; a", "a = x[0]; a"),
    ("a = 0 - x[0]; a", "a = -x[0]; a"),
    ("a = x[0] - x[0]; a", "0"),
    ("a = 2 + 3*4 - 5/8; a", "13.375"),
    ("a = sqrt({1/2}); a", "{1/2*sqrt(2)}"),
    ("a = sqrt(-2); a", "a = sqrt(-2); a"),
    ("a, b = sincos(0); c = a + b; c", "1"),
    ("a = 2*(3*x[0]); a", "a = 6*x[0]; a"),
    ("a = (x[0]*3)*2; a", "a = 6*x[0]; a"),
    ("a = 2*(0.5*x[0]); a", "a = x[0]; a"),
    ("a = x[0]*3; a", "a = 3*x[0]; a"),
    ("a = 3*x[0]; b = 2*a; c = a*b; c", "a = 3*x[0]; b = 6*x[0]; c = a*b; c"),
    ("a = x[0]/4; a", "a = 0.25*x[0]; a"),
    ("a = x[0]/3; a", "a = {1/3}*x[0]; a"),
    ("a = x[0]/1; a", "a = x[0]; a"),
    ("a = x[0]/0; a", "a = x[0]/0; a"),
    ("a = 1/0; a", "a = 1/0; a"),
    ("a = 1/x[0]; a", "a = 1/x[0]; a"),
    ("a = x[0]/{1/2*sqrt(2)}; a", "a = {1*sqrt(2)}*x[0]; a"),
]

CANCELLING = [
    ("a = x[0] - x[1]; b = x[0] - a; b", "b = x[1]; b"),
    ("a = x[0] + x[1]; b = x[0] - a; b", "b = -x[1]; b"),
    ("a = x[1] - x[0]; b = a + x[0]; b", "b = x[1]; b"),
    ("a = x[0] - x[1]; b = a - x[0]; b", "b = -x[1]; b"),
    ("a = x[1] + x[0]; b = a - x[0]; b", "b = x[1]; b"),
    ("a = x[0] + x[1]; b = a + x[0]; b", "a = x[0] + x[1]; b = a + x[0]; b"),
    ("a = x[0] - x[1]; b = x[1] - a; b", "a = x[0] - x[1]; b = x[1] - a; b"),
    ("a = 2*x[0]; b = a - x[0]; b", "b = 1*x[0]; b"),
    ("a = 2*x[0]; b = x[0] - a; b", "b = -1*x[0]; b"),
    ("a = 2*x[0]; b = 3*x[0]; c = a + b; c", "c = 5*x[0]; c"),
    ("a = 2*x[0]; b = 2*x[1]; c = a + b; c", "a = 2*x[0]; b = 2*x[1]; c = a + b; c"),
    ("a = x[0] + x[0]; a", "a = 2*x[0]; a"),
]

COPIES = [
    ("a = x[0]; b = a*a; b", "b = x[0]*x[0]; b"),
    ("a = x[0]*x[1]; b = a; c = b; c", "a = x[0]*x[1]; a"),
    ("a = 3; b = a*x[0]; b", "b = 3*x[0]; b"),
    ("a = x[0]; a", "x[0]"),
]

SIGNS = [
    ("a = x[0] + (-x[1]); a", "a = x[0] - x[1]; a"),
    ("a = -x[0] + x[1]; a", "a = x[1] - x[0]; a"),
    ("a = -x[0] + (-x[1]); a", "minus_a = x[0] + x[1]; a = -minus_a; a"),
    ("a = x[0] - (-x[1]); a", "a = x[0] + x[1]; a"),
    ("a = -x[0] - x[1]; a", "minus_a = x[0] + x[1]; a = -minus_a; a"),
    ("a = -x[0] - (-x[1]); a", "a = x[1] - x[0]; a"),
    ("a = (-x[0])*x[1]; a", "minus_a = x[0]*x[1]; a = -minus_a; a"),
    ("a = x[0]*(-x[1]); a", "minus_a = x[0]*x[1]; a = -minus_a; a"),
    ("a = (-x[0])*(-x[1]); a", "a = x[0]*x[1]; a"),
    ("a = (-x[0])/x[1]; a", "minus_a = x[0]/x[1]; a = -minus_a; a"),
    ("a = x[0]/(-x[1]); a", "minus_a = x[0]/x[1]; a = -minus_a; a"),
    ("a = -(-x[0]); b = a*a; b", "b = x[0]*x[0]; b"),
    ("a = -(x[0] - x[1]); a", "a = x[1] - x[0]; a"),
    ("a = x[0] - x[1]; b = -a; c = a*b; c", "a = x[0] - x[1]; minus_c = a*a; c = -minus_c; c"),
    (
        "s = x[0] - x[1]; a = -s; b = -a; c = -b; d = s*c; d",
        "s = x[0] - x[1]; minus_d = s*s; d = -minus_d; d",
    ),
    ("a = -3*x[0]; a", "minus_a = 3*x[0]; a = -minus_a; a"),
    ("a = x[0] + (-3); a", "a = x[0] - 3; a"),
    ("a = -3 + x[0]; a", "a = x[0] - 3; a"),
    ("a = x[0] - (-3); a", "a = x[0] + 3; a"),
    ("a = -3 - x[0]; a", "a = -3 - x[0]; a"),
    ("a, _ = sincos(-x[0]); a", "minus_a, _ = sincos(x[0]); a = -minus_a; a"),
    ("_, a = sincos(-x[0]); a", "_, a = sincos(x[0]); a"),
]

SHARING = [
    ("a = x[0]*x[1]; b = x[0]*x[1]; c = a + b; c", "a = x[0]*x[1]; c = a + a; c"),
    ("a = x[0]*x[1]; b = x[1]*x[0]; c = a + b; c", "a = x[0]*x[1]; c = a + a; c"),
    ("a = x[0] + x[1]; b = x[1] + x[0]; c = a*b; c", "a = x[0] + x[1]; c = a*a; c"),
    ("a = x[0] - x[1]; b = x[1] - x[0]; c = a*b; c", "a = x[0] - x[1]; b = -a; c = a*b; c"),
    ("a = x[0]/x[1]; b = x[1]/x[0]; c = a*b; c", "a = x[0]/x[1]; b = x[1]/x[0]; c = a*b; c"),
    ("a = sqrt(x[0]); b = sqrt(x[0]); c = a*b; c", "a = sqrt(x[0]); c = a*a; c"),
    (
        "a, _ = sincos(x[0]); b, _ = sincos(x[1]*1); c = a + b; c",
        "a, _ = sincos(x[0]); b, _ = sincos(x[1]*1); c = a + b; c",
    ),
    (
        "a = x[0]*x[1]; b = a + x[2]; d = x[1]*x[0] + x[2]; e = b*d; e",
        "a = x[0]*x[1]; b = a + x[2]; e = b*b; e",
    ),
]

ABSORPTION = [
    ("a = -(3*x[0]); a", "a = -3*x[0]; a"),
    ("a = 3*x[0]; b = -a; c = a*b; c", "a = 3*x[0]; b = -a; c = a*b; c"),
    ("a = -(x[0]*x[1]); a", "a = -(x[0]*x[1]); a"),
]

DEAD = [
    ("a = x[0]*x[1]; b = sqrt(a); c = x[2] + 1; c", "c = x[2] + 1; c"),
    ("a, b = sincos(x[0]); b", "_, b = sincos(x[0]); b"),
]

WHOLE = [
    ("a = (-x[0])*(-3); b = x[0]/2*6; c = a + b; c", "c = 6*x[0]; c"),
    ("a = -(x[0]*x[1]); b = x[2] + a; b", "minus_a = x[0]*x[1]; b = x[2] - minus_a; b"),
    (
        "a = -3*x[0]; b = 3*x[0]; c = b*x[1]; d = c + a; d",
        "minus_a = 3*x[0]; c = minus_a*x[1]; d = c - minus_a; d",
    ),
    ("a = -(x[0] - x[1]); b = x[1] - x[0]; c = a*b; c", "a = x[1] - x[0]; c = a*a; c"),
    ("a = -2*x[0]*x[1]; a", "minus_a = 2*x[0]*x[1]; a = -minus_a; a"),
    ("a = -x[0]*2; a", "a = -2*x[0]; a"),
    ("a = 0*x[0]; b = a*x[1]; c = b + x[2]*x[3]; c", "c = x[2]*x[3]; c"),
]


def cases(step: Callable[[Program], Program], table: list[tuple[str, str]]) -> list[object]:
    return [
        pytest.param(step, before, after, id=f"{step.__name__}: {before}")
        for before, after in table
    ]


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        *cases(fold_constants, FOLDING),
        *cases(cancel_terms, CANCELLING),
        *cases(propagate_copies, COPIES),
        *cases(propagate_signs, SIGNS),
        *cases(share_common_subexpressions, SHARING),
        *cases(absorb_signs, ABSORPTION),
        *cases(remove_dead_code, DEAD),
        *cases(lambda program: run_passes(program)[0], WHOLE),
    ],
)
def test_rule(step: Callable[[Program], Program], before: str, after: str) -> None:
    assert apply(step, before) == after


def test_dead_code_takes_its_sections_along() -> None:
    program = parse_program(
        f'{HEADER}section "dead"\na = x[0]*x[1]\nsection "live"\nb = x[2] + x[3]\nresult y = b'
    )
    assert remove_dead_code(program).sections == ("live",)


@pytest.mark.parametrize(
    "statements",
    [
        "b = x[0]*x[1]; minus_b = -2*b; minus_b",
        "a = x[0]*x[1]; minus_a = a*x[2]; c = (-x[0])*x[3]; d = minus_a*c; minus_c = d*c; minus_c",
        "minus_y = -2*x[0]; c = minus_y*minus_y; d = c*minus_y; d",
        f"{'a' * 60} = -2*x[0]; {'a' * 60}",
    ],
    ids=[
        "trace of a name that is taken",
        "name that a trace would take",
        "name of an argument",
        "name that is almost too long",
    ],
)
def test_signs_move_whatever_the_values_are_called(statements: str) -> None:
    assert apply(propagate_signs, statements)
    assert apply(lambda program: run_passes(program)[0], statements)
