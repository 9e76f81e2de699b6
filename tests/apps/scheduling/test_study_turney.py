"""Turney's tables: what they print, and what the sums of the Appendix give."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dynagen.apps.scheduling.study import lagrange_operations, simultaneous_steps, turney


def test_simultaneous_steps_are_those_of_table_5() -> None:
    assert simultaneous_steps() == ((42, 27), (41, 27))


def test_the_stages_hold_every_operation_of_table_4() -> None:
    stages = turney().simultaneous
    terms = (*stages.outward, *stages.inward)
    assert (sum(term.mul for term in terms), sum(term.add for term in terms)) == (90, 88)


@pytest.mark.parametrize("joints", range(1, 11))
def test_lagrange_operations_are_the_sums_of_the_appendix(joints: int) -> None:
    links = range(1, joints + 1)
    # Two 4 x 4 matrices are multiplied by 64 multiplications and 48 additions; a matrix has 16.
    products = (
        sum(joints - m for m in links)
        + sum(m - 1 for m in links)
        + sum(Fraction(m * (m - 1), 2) for m in links)
    )
    mul = 64 * products + 2 * joints**2 + 2 * joints
    add = 48 * products + 2 * joints**2 + joints
    for q in links:
        matrices = q + Fraction(q * (q + 1), 2) - q  # one for each pair of joints up to q
        mul += 16 * matrices + 64
        # Two sums, of q matrices and of one for each pair; their sum; its product with J.
        add += 16 * (q - 1) + 16 * (matrices - 1) + 16 + 48
    for i in links:
        mul += 16 * (joints - i + 1)
        add += 15 * (joints - i + 1) + joints - i
    polynomials = lagrange_operations()
    counted = [sum(c * joints**k for k, c in enumerate(each)) for each in polynomials]
    assert counted == [mul, add]
    assert polynomials[0] == (0, Fraction(14, 3), 82, Fraction(40, 3))
    assert polynomials[1] == (0, Fraction(-8, 3), 74, Fraction(32, 3))
