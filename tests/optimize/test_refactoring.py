"""Polynomials factored again and again: the same results, for ever less."""

from hypothesis import given, settings
from random_programs import programs
from same_meaning import assert_same_meaning

from dynagen.exact import ONE, Exact
from dynagen.ir.count import count
from dynagen.ir.program import Operation, Program
from dynagen.ir.validation import validate
from dynagen.optimize.proportional_kernels import Numbers, Weights, share_proportional
from dynagen.optimize.refactoring import refactorings
from dynagen.optimize.shared_factors import share_factors
from dynagen.passes.expansion import Extent, expand
from dynagen.passes.manager import run_passes
from dynagen.passes.polynomials import without_squares

X, Y, Z, U, FIRST, SECOND, NEW = range(7)


@settings(max_examples=40)
@given(programs(most_operations=15))
def test_the_meaning_stays_and_the_estimate_falls(program: Program) -> None:
    for extent in (Extent(1), Extent(16, Operation.COSINE)):
        forms = list(refactorings(expand(program, extent), Weights(), 4))
        costs = [cost for cost, _ in forms]
        assert costs == sorted(set(costs), reverse=True)
        assert_same_meaning(program, validate(forms[-1][1].emitted()))


@settings(max_examples=20)
@given(programs(most_operations=15))
def test_the_estimate_counts_what_is_emitted(program: Program) -> None:
    cost, form = list(refactorings(expand(program, Extent(16)), Weights(), 2))[-1]
    operations = count(run_passes(form.emitted())[0])
    divisions = count(program).div  # one by a number becomes a product
    assert operations.mul + operations.add <= cost + divisions


def test_numbers_count_by_their_ratio():
    sums = {FIRST: {(X, Y): Exact(3), (X, Y, Z, Z): Exact(5)}, SECOND: {(U,): Exact(6), (Z, Z, U): Exact(10)}}
    shared = share_proportional(sums, NEW, Weights(), Numbers())
    assert shared == {
        FIRST: {(X, Y, NEW): ONE},
        SECOND: {(U, NEW): Exact(2)},
        NEW: {(): Exact(3), (Z, Z): Exact(5)},
    }


def test_a_number_is_a_factor_as_others_are():
    sums = {FIRST: {(X, Y): Exact(3)}, SECOND: {(X, Z): Exact(-3), (): Exact(3)}}
    assert share_factors(sums) == {
        NEW: {(X,): Exact(3)},
        FIRST: {(Y, NEW): ONE},
        SECOND: {(Z, NEW): -ONE, (): Exact(3)},
    }


def test_a_square_becomes_one_minus_the_other():
    assert without_squares({(X, X, Z): Exact(2), (Y, Y, Z): Exact(2)}, {X: Y}) == {(Z,): Exact(2)}
