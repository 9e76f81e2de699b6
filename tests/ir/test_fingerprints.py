"""Fingerprints: equal for equal functions, different for all others."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

from dynagen.ir.fingerprints import FIELD, NARROW_FIELD, Fingerprint, Fingerprints, ResidueField
from dynagen.ir.program import Program
from dynagen.numbers.exact import Exact
from dynagen.numbers.parametric import Parameter, ParametricNumber
from tests.support.program_parser import parse_program
from tests.support.random_programs import programs, small_exacts
from tests.support.same_meaning import results

M, A = (ParametricNumber(Parameter(name, Exact(2))) for name in "ma")


FIELDS = pytest.mark.parametrize("field", [FIELD, NARROW_FIELD], ids=["one by one", "with numpy"])


def fingerprints(program: Program, field: ResidueField = FIELD) -> list[Fingerprint]:
    prints = Fingerprints(field)
    for instruction in program.instructions:
        prints.append(instruction, prints.compute(instruction))
    return [prints[position] for position in program.iterate_result_values()]


def of_texts(field: ResidueField, *expressions: str) -> list[Fingerprint]:
    """Expressions in q, x, and the sines and cosines of q0, q1 and q0 + q1."""
    lines = [
        "program f",
        'input q[3] "positions" "rad"',
        'input x[3] "values" ""',
        f'output y[{len(expressions)}] "" ""',
    ]
    lines += [
        'section ""',
        "s0, c0 = sincos(q[0])",
        "s1, c1 = sincos(q[1])",
        "s01, c01 = sincos(q[0] + q[1])",
    ]
    lines += [f"e{number} = {expression}" for number, expression in enumerate(expressions)]
    lines.append("result y = " + ", ".join(f"e{number}" for number in range(len(expressions))))
    return fingerprints(parse_program("\n".join(lines)), field)


EQUAL = [
    ("c0*c0 + s0*s0", "1 + 0*x[0]"),
    ("c0*c1 - s0*s1", "c01*1"),
    ("s01*c0 - c01*s0", "s1*1"),
    ("(x[0] + x[1])*(x[0] - x[1])", "x[0]*x[0] - x[1]*x[1]"),
    ("x[0]/x[1]*x[1]", "x[0]*1"),
    ("1/(1/x[0] + 1/x[1])", "x[0]*x[1]/(x[0] + x[1])"),
    ("{1*sqrt(2)}*x[0]*{1*sqrt(3)}", "{1*sqrt(6)}*x[0]"),
    ("abs(x[0] - x[1])", "abs(x[1] - x[0])"),
    ("tanh(x[0] - x[1])", "-tanh(x[1] - x[0])"),
    ("max(x[0], 2*x[1])", "max(x[1] + x[1], x[0])"),
]
DIFFERENT = [
    ("c0*c0 + s1*s1", "1 + 0*x[0]"),
    ("x[0]", "{1000000000001/1000000000000}*x[0]"),
    ("x[0] + 1e-30*x[1]", "x[0]*1"),
    ("sqrt(x[0])", "abs(x[0])"),
    ("abs(x[0])", "x[0]*1"),
    ("sign(x[0])", "sign(x[1])"),
    ("min(x[0], x[1])", "max(x[0], x[1])"),
    ("s0*c1", "c0*s1"),
]


@FIELDS
@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_what_is_the_same_function_has_the_same_fingerprint(left, right, field):
    one, other = of_texts(field, left, right)
    assert one == other


@FIELDS
@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_what_is_nearly_the_same_has_not(left, right, field):
    one, other = of_texts(field, left, right)
    assert one != other
    assert one != field.negate(other)


def test_angles_are_known_by_their_terms():
    program = parse_program(
        'program f\ninput q[2] "" "rad"\noutput y[4] "" ""\nsection ""\n'
        "s0, c0 = sincos(q[0])\ns1, c1 = sincos(2*q[0])\ns2, c2 = sincos(q[1] - (q[0] + q[1]))\n"
        "a = 2*s0*c0\nb = s1*1\nc = s2 + s0\nd = c2 - c0\nresult y = a, b, c, d\n"
    )
    double, of_double, zero, also_zero = fingerprints(program)
    assert double == of_double
    assert zero == also_zero == (0, 0, 0)


@given(small_exacts(), small_exacts())
def test_numbers_compute_as_their_residues(x, y):
    for number, computed in ((x + y, int.__add__), (x * y, int.__mul__)):
        pairs = zip(FIELD.of_number(x), FIELD.of_number(y), strict=True)
        assert FIELD.of_number(number) == tuple(computed(a, b) % FIELD.prime for a, b in pairs)
    assert (FIELD.of_number(x) == FIELD.of_number(y)) == (x == y)


def test_numbers_at_run_time_are_variables():
    assert FIELD.of_number((M + A) * (M - A)) == FIELD.of_number(M * M - A * A)
    assert FIELD.of_number(M / A * A) == FIELD.of_number(M)
    assert (
        len(
            {
                FIELD.of_number(number)
                for number in (M, A, M * A, M + A, M - A, 1 / M, M.sqrt(), Exact(2))
            }
        )
        == 8
    )
    assert len(set(FIELD.of_number(M))) > 1


def test_a_denominator_that_is_the_prime_has_a_fingerprint():
    number = Exact(Fraction(1, FIELD.prime))
    assert FIELD.of_number(number) not in (FIELD.of_number(2 * number), FIELD.of_number(Exact(0)))


@given(programs())
def test_values_with_one_fingerprint_are_equal(program):
    by_print: dict[Fingerprint, object] = {}
    for value, fingerprint in zip(results(program), fingerprints(program), strict=True):
        known = by_print.setdefault(fingerprint, value)
        assert abs(known - value) <= 1e-9 * max(
            1, abs(value)
        )  # sines of numbers are good to 1e-25, and errors grow
