"""Exact synthesis finds planted programs or shorter ones, and its programs are correct."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.ir.fingerprints import NARROW_FIELD
from dynagen.ir.operation import Operation
from dynagen.optimizer.search.exact_synthesis import ShortProgram, enumerate_programs

PRIME = NARROW_FIELD.prime
LEAVES = [123456789, 987654321, 555555555, 777777771]


def unsigned(residue: int) -> int:
    return min(residue % PRIME, -residue % PRIME)


@st.composite
def planted(draw: st.DrawFn) -> tuple[int, list[int], int]:
    """Return the number of leaves, the outputs, and a sufficient number of helpers."""
    leaves = draw(st.integers(2, 4))
    values = LEAVES[:leaves]
    for _ in range(draw(st.integers(1, 5))):
        left, right = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        result = unsigned(draw(st.sampled_from([left + right, left - right, left * right])))
        if result and result not in values:
            values = [*values, result]
    made = values[leaves:]
    helpers = draw(st.sets(st.sampled_from(made[:-1]), max_size=2)) if made[1:] else set()
    return leaves, [value for value in made if value not in helpers], len(helpers)


def assert_computes(program: ShortProgram, outputs: list[int]) -> None:
    for place, (operation, left, right, is_difference) in program.steps.items():
        assert max(left, right) < place
        a, b = program.values[left], program.values[right]
        result = a * b if operation is Operation.MULTIPLY else a - b if is_difference else a + b
        assert unsigned(result) == program.values[place]
    assert {*outputs} <= {program.values[place] for place in program.steps}


@settings(max_examples=60)
@given(planted())
def test_what_is_planted_is_found(of):
    leaves, outputs, helpers = of
    found = list(enumerate_programs([], LEAVES[:leaves], outputs, helpers))
    assert min(len(program.steps) for program in found) <= len(outputs) + helpers
    for program in found:
        assert_computes(program, outputs)


def test_numbers_are_not_combined_with_each_other():
    (program,) = enumerate_programs([7, 9], LEAVES[:1], [unsigned(7 * LEAVES[0] + 9)], 1)
    assert_computes(program, [unsigned(7 * LEAVES[0] + 9)])
    assert not list(enumerate_programs([7, 9], LEAVES[:1], [63], 1))


def test_what_needs_more_helpers_is_not_found():
    a, b, c, d = LEAVES
    output = [unsigned((a + b) * (c + d))]
    assert not list(enumerate_programs([], LEAVES, output, 1))
    assert {len(program.steps) for program in enumerate_programs([], LEAVES, output, 2)} == {3}
