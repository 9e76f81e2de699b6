"""Factoring of polynomials by shared factors and by divisors that agree up to a constant.

Proportional divisors: what polynomials have in common but for a factor, numbers included, becomes a value of its own.

With k = 3 + 5 z^2, the terms 3 x y + 5 x y z^2 are x y k, and 6 u + 10 u z^2 are 2 u k. The pass `common_divisors` extracts
what is equal but for one value; here numbers count by their ratio, and any monomial may be the factor. A single occurrence
with a common factor is a candidate, too: to factor one sum and to share parts of several is the same step
(`passes.divisors`).

Pairs of factors that products of several polynomials share, numbers among them, are multiplied once, commonest first.

A number is a factor like any other here: 3 x y and 3 x z share 3 x. Only the size of numbers counts, for a sign costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Monomial, Polynomial, common_factors, divide
from dynagen.optimizer.passes.divisors import DivisorTable, SharedPairs
from dynagen.optimizer.search.counted_sums import CountedSums, Terms


class _ProportionalDivisor(NamedTuple):
    """Two terms without their common factor: monomials, and places of numbers, of which at least one is most often 1."""

    first: Monomial[int]
    second: Monomial[int]
    of_first: int
    of_second: int


class _ProportionalOccurrence(NamedTuple):
    """Two terms of a polynomial, and what divides both: a monomial and a number."""

    value: int
    first: Monomial[int]
    second: Monomial[int]
    factor: Monomial[int]
    number: int


_Occurrences = list[tuple[_ProportionalDivisor, _ProportionalOccurrence]]
"""All of one polynomial."""


class _ProportionalExtraction(NamedTuple):
    """The savings of an extraction, the occurrences that it replaces, and the number that multiplies the divisor itself."""

    saving: float
    occurrences: list[_ProportionalOccurrence]
    unit: int


_NOTHING = _ProportionalExtraction(0.0, [], 1)


class ProportionalDivisors(
    DivisorTable[_ProportionalDivisor, _ProportionalOccurrence, _ProportionalExtraction]
):
    """A table of all divisors of changing sums, whose changes can be undone."""

    def __init__(self, sums: CountedSums, first_new: int) -> None:
        """Look at all sums, and remember them.

        Args:
            sums: of which divisors are extracted.
            first_new: a number from which on there are no values.
        """
        super().__init__()
        self._sums = sums
        self._new = first_new
        self._before: dict[int, _Occurrences] = {}
        self.update()
        self._before.clear()
        sums.begin()

    def update(self) -> None:
        """Look at the sums that have changed."""
        self.refresh(self._sums.take_stale())

    def begin(self) -> None:
        """Remember what is here now, sums too, and extract only what changes from now on."""
        self._sums.begin()
        self._before = {}
        self.savings.clear()

    def roll_back(self) -> None:
        """Go back to what was, sums too."""
        self._sums.roll_back()
        self._sums.take_stale()
        for value, occurrences in self._before.items():
            super().replace_occurrences(value, occurrences)
        self.begin()

    def replace_occurrences(self, value: int, occurrences: _Occurrences) -> _Occurrences:
        """Exchange as the base class does, and remember what the sum had at `begin`."""
        before = super().replace_occurrences(value, occurrences)
        self._before.setdefault(value, before)
        return before

    def find_occurrences(
        self, value: int
    ) -> Iterator[tuple[_ProportionalDivisor, _ProportionalOccurrence]]:
        """Every pair of terms, without the greatest monomial that divides both, and without what divides both numbers."""
        if value not in self._sums:
            return
        split_common = self._sums.numbers.split_common
        for (left, of_left), (right, of_right) in combinations(
            sorted(self._sums[value].items()), 2
        ):
            factor = common_factors(left, right)
            a, b = divide(left, factor), divide(right, factor)
            if b < a:  # in one order, so that x + y is found where y + x is
                a, b, left, right, of_left, of_right = b, a, right, left, of_right, of_left
            number, of_a, of_b = split_common(of_left, of_right)
            yield (
                _ProportionalDivisor(a, b, of_a, of_b),
                _ProportionalOccurrence(value, left, right, factor, number),
            )

    def plan_extraction(self, divisor: _ProportionalDivisor) -> _ProportionalExtraction:
        """The best extraction of a divisor, with the unit that leaves most occurrences without a number of their own.

        What it saves is found by trying: terms are released and needed in the sums' count of products, and back again.
        """
        chosen = self._disjoint(divisor)
        sums, numbers, unit = self._sums, self._sums.numbers, 1
        is_plain = divisor.of_first == 1 and abs(divisor.of_second) == 1  # x + y or x - y
        if len(chosen) < 2:
            # To take a number out of a single x + y saves a multiplication; to take it out of 2 x + 3 y costs one.
            if not chosen or (
                not chosen[0].factor and (not is_plain or abs(chosen[0].number) == 1)
            ):
                return _NOTHING
            if not is_plain:
                unit = abs(chosen[0].number)
        else:
            times = Counter(abs(each.number) for each in chosen)
            unit = max(times, key=lambda number: (times[number], number == 1))
            if not all(numbers.divide(each.number, unit) for each in chosen):
                unit = 1
        before = [
            (factors, sums[each.value][factors])
            for each in chosen
            for factors in (each.first, each.second)
        ]
        after = [*self._list_divisor_terms(divisor, unit).items()]
        after += [
            ((*each.factor, -1), numbers.divide(each.number, unit)) for each in chosen
        ]  # -1 is the divisor
        saved = sum(sums.remove_term(*term) for term in before) - sum(
            sums.add_term(*term) for term in after
        )
        for term in after:
            sums.remove_term(*term)
        for term in before:
            sums.add_term(*term)
        saving = sums.costs.addition * (len(chosen) - 1) + sums.costs.multiplication * saved
        return _ProportionalExtraction(saving, chosen, unit)

    def _disjoint(self, divisor: _ProportionalDivisor) -> list[_ProportionalOccurrence]:
        """The occurrences of a divisor that have no term in common, the first ones first."""
        taken: set[tuple[int, Monomial[int]]] = set()
        chosen = []
        for occurrences in self.found.get(divisor, {}).values():
            for each in occurrences:
                ends = (each.value, each.first), (each.value, each.second)
                if taken.isdisjoint(ends):
                    taken.update(ends)
                    chosen.append(each)
        return chosen

    def _list_divisor_terms(self, divisor: _ProportionalDivisor, unit: int) -> Terms:
        product = self._sums.numbers.multiply
        return {
            divisor.first: product(unit, divisor.of_first),
            divisor.second: product(unit, divisor.of_second),
        }

    def extract(
        self, divisor: _ProportionalDivisor, extraction: _ProportionalExtraction
    ) -> list[int]:
        """Make a divisor a new value; a term that the sum has already takes it up."""
        sums, numbers, new = self._sums, self._sums.numbers, self._new
        self._new += 1
        sums.replace(new, self._list_divisor_terms(divisor, extraction.unit))
        changed: dict[int, Terms] = {}
        for each in extraction.occurrences:
            terms = changed.setdefault(each.value, dict(sums[each.value]))
            del terms[each.first], terms[each.second]
            factors, number = (
                (*each.factor, new),
                numbers.number_at(numbers.divide(each.number, extraction.unit)),
            )
            if factors in terms:
                number = number + numbers.number_at(terms.pop(factors))
            if number:
                terms[factors] = numbers.find_place(number)
        for value, terms in changed.items():
            sums.replace(value, terms)
        return sums.take_stale()


def share_factors(
    sums: Mapping[int, Polynomial[int]], first_new: int
) -> dict[int, Polynomial[int]]:
    """The sums, with a new value for every pair that is multiplied once.

    Args:
        sums: in which products share factors.
        first_new: a number from which on there are no values, be they in the sums or not.
    """
    numbers: dict[Exact, int] = {}  # as factors below zero
    terms: dict[int, list[tuple[bool, Monomial[int]]]] = {}
    for value, polynomial in sums.items():
        terms[value] = mine = []
        for factors, number in polynomial.items():
            size = number.unsigned
            if size != ONE or not factors:
                factors = (-1 - numbers.setdefault(size, len(numbers)), *factors)
            mine.append((size != number, factors))
    values = {-1 - place: number for number, place in numbers.items()}
    products = dict.fromkeys(factors for mine in terms.values() for _, factors in mine)
    shared = SharedPairs(products, first_new)
    result = {new: dict([_decode_term(False, pair, values)]) for new, pair in shared.pairs.items()}
    for value, mine in terms.items():
        result[value] = dict(
            _decode_term(negative, shared.rewrite_product(factors), values)
            for negative, factors in mine
        )
    return result


def count_shared_multiplications(products: Iterable[tuple[Monomial[int], int]]) -> int:
    """The number of multiplications that are left where pairs are shared.

    Args:
        products: all that are multiplied: factors, and the place of a number above zero; that of 1 is 1.
    """
    flat = {factors if number == 1 else (-number, *factors): None for factors, number in products}
    new = 1 + max((factor for factors in flat for factor in factors), default=0)
    return SharedPairs(flat, new).multiplications


def _decode_term(
    negative: bool, factors: Monomial[int], values: dict[int, Exact]
) -> tuple[Monomial[int], Exact]:
    number = values[factors[0]] if factors[0] < 0 else ONE
    return factors[1:] if factors[0] < 0 else factors, -number if negative else number
