"""Turney's tables: what they print, and what the sums of the Appendix give."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dynagen.apps.scheduling.study import lagrange_multiplications, simultaneous_steps, turney


def test_simultaneous_steps_are_those_of_table_5() -> None:
    assert simultaneous_steps() == ((42, 27), (41, 27))


def test_the_stages_hold_every_operation_of_table_4() -> None:
    stages = turney().simultaneous
    terms = (*stages.outward, *stages.inward)
    assert (sum(term.mul for term in terms), sum(term.add for term in terms)) == (90, 88)


@pytest.mark.parametrize("joints", range(1, 11))
def test_lagrange_multiplications_are_the_sums_of_the_appendix(joints: int) -> None:
    links = range(1, joints + 1)
    product, matrix = 64, 16  # multiplications of two 4 x 4 matrices, and of one by a number
    transforms = sum(joints - m for m in links) * product
    first = sum(m - 1 for m in links) * 2 * Fraction(product, 2)
    second = sum(Fraction(m * (m - 1), 2) for m in links) * product
    kinetic = sum(matrix * Fraction(q * (q + 1), 2) + product for q in links)
    traces = sum(16 * (joints - i + 1) for i in links)
    gravity = 2 * joints**2 + 2 * joints
    counted = transforms + first + second + kinetic + traces + gravity
    polynomial = lagrange_multiplications()
    assert sum(c * joints**k for k, c in enumerate(polynomial)) == counted
    assert polynomial == (0, Fraction(14, 3), 82, Fraction(40, 3))
