"""Large neighbourhood search: the same results at ever lower cost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dynagen.ir.cost import count
from dynagen.ir.program import Operation, Program
from dynagen.ir.validation import validate
from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Polynomial, replace_squares
from dynagen.optimizer.passes.manager import run_passes
from dynagen.optimizer.search.counted_sums import CountedSums, NumberTable, TermCosts
from dynagen.optimizer.search.expansion import Extent, expand
from dynagen.optimizer.search.factoring import (
    ProportionalDivisors,
    count_shared_multiplications,
    share_factors,
)
from dynagen.optimizer.search.neighbourhood_search import search_forms
from dynagen.watch import Watch
from tests.support.random_programs import programs
from tests.support.same_meaning import assert_same_meaning

X, Y, Z, U, FIRST, SECOND, NEW = range(7)


def polynomials():
    """Draw polynomials of four values with small numbers: many divisors and equal products."""
    factors = st.lists(st.sampled_from([X, Y, Z, U]), max_size=3).map(
        lambda values: tuple(sorted(values))
    )
    return st.dictionaries(factors, st.sampled_from([-2, -1, 1, 2, 3]).map(Exact), max_size=5)


@settings(max_examples=40)
@given(programs(most_operations=15))
def test_the_meaning_stays_and_the_estimate_falls(program: Program) -> None:
    for extent in (Extent(1), Extent(16, Operation.COSINE)):
        forms = list(search_forms(expand(program, extent), TermCosts(), 4))
        costs = [cost for cost, _ in forms]
        assert costs == sorted(set(costs), reverse=True)
        assert_same_meaning(program, validate(forms[-1][1].emit()))


@settings(max_examples=20)
@given(programs(most_operations=15))
def test_the_estimate_counts_what_is_emitted(program: Program) -> None:
    cost, form = list(search_forms(expand(program, Extent(16)), TermCosts(), 2))[-1]
    operations = count(run_passes(form.emit())[0])
    divisions = count(program).div  # one by a number becomes a product
    assert operations.mul + operations.add <= cost + divisions


@settings(max_examples=20)
@given(programs(most_operations=15))
def test_a_search_ends_with_its_time_although_it_finds_nothing_cheaper(program: Program) -> None:
    over = Watch(deadline=0.0)
    *_, (_, form) = search_forms(expand(program, Extent(1)), TermCosts(), 10**9, watch=over)
    assert_same_meaning(program, validate(form.emit()))


def counted(sums: dict[int, Polynomial]) -> CountedSums:
    return CountedSums(sums, TermCosts(), NumberTable())


def test_numbers_count_by_their_ratio():
    sums = counted(
        {
            FIRST: {(X, Y): Exact(3), (X, Y, Z, Z): Exact(5)},
            SECOND: {(U,): Exact(6), (Z, Z, U): Exact(10)},
        }
    )
    ProportionalDivisors(sums, NEW).extract_all(lambda _, saving: -saving)
    assert sums.build_polynomials() == {
        FIRST: {(X, Y, NEW): ONE},
        SECOND: {(U, NEW): Exact(2)},
        NEW: {(): Exact(3), (Z, Z): Exact(5)},
    }


@given(
    st.lists(
        st.tuples(st.sampled_from([FIRST, SECOND, NEW]), polynomials()), min_size=2, max_size=8
    ),
    st.data(),
)
def test_costs_and_users_follow_every_change_and_every_way_back(changes, data):
    sums = counted({})
    split = data.draw(st.integers(0, len(changes)))
    for value, polynomial in changes[:split]:
        sums.replace(value, sums.numbers.encode(polynomial))
    before = sums.build_polynomials()
    sums.begin()
    for value, polynomial in changes[split:]:
        sums.replace(value, sums.numbers.encode(polynomial))
    assert_counts_match(sums)
    sums.roll_back()
    assert sums.build_polynomials() == before
    assert_counts_match(sums)


def assert_counts_match(sums: CountedSums) -> None:
    recounted = counted(sums.build_polynomials())
    assert sums.cost == recounted.cost
    assert all(sums.find_users(value) == recounted.find_users(value) for value in range(NEW + 1))
    terms = [
        term for polynomial in recounted.build_polynomials().values() for term in polynomial.items()
    ]
    assert set(sums.iterate_products()) == {
        (factors, abs(sums.numbers.find_place(number))) for factors, number in terms if factors
    }


@given(
    st.dictionaries(st.sampled_from([FIRST, SECOND]), polynomials(), min_size=1),
    polynomials(),
    polynomials(),
)
def test_a_way_back_leaves_no_trace_in_what_is_shared_after_it(start, taken_back, changed):
    def shared(*, with_way_back: bool) -> dict[int, Polynomial]:
        sums = counted(start)
        divisors = ProportionalDivisors(sums, NEW)
        divisors.begin()
        if with_way_back:
            sums.replace(FIRST, sums.numbers.encode(taken_back))
            divisors.update()
            divisors.roll_back()
        sums.replace(SECOND, sums.numbers.encode(changed))
        divisors.update()
        divisors.extract_all(lambda _, saving: -saving)
        return sums.build_polynomials()

    assert shared(with_way_back=True) == shared(with_way_back=False)


@given(st.dictionaries(st.sampled_from([FIRST, SECOND]), polynomials(), min_size=1))
def test_shared_multiplications_are_those_that_sharing_leaves(polynomials):
    def multiplications(sums: dict[int, Polynomial]) -> int:
        products = {(m, abs(n)) for terms in sums.values() for m, n in terms.items() if m}
        return sum(len(m) - (n == ONE) for m, n in products)

    assert count_shared_multiplications(counted(polynomials).iterate_products()) == multiplications(
        share_factors(polynomials, NEW)
    )


def test_a_number_is_a_factor_as_others_are():
    sums = {FIRST: {(X, Y): Exact(3)}, SECOND: {(X, Z): Exact(-3), (): Exact(3)}}
    assert share_factors(sums, NEW) == {
        NEW: {(X,): Exact(3)},
        FIRST: {(Y, NEW): ONE},
        SECOND: {(Z, NEW): -ONE, (): Exact(3)},
    }


def test_a_square_becomes_one_minus_the_other():
    assert replace_squares({(X, X, Z): Exact(2), (Y, Y, Z): Exact(2)}, {X: Y}) == {(Z,): Exact(2)}
