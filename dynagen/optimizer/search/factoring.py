"""Factoring of polynomials by divisors that are equal up to a number, and by pairs of factors.

A divisor is a sum of two terms that is part of other sums, perhaps times a factor. An extracted
divisor is computed once. The pass on common divisors (`passes.divisors`) extracts sums that are
equal up to one factor. This search also extracts sums that are equal up to a number and any product
of values. The extraction of a divisor that occurs only once, with a common factor, factors a single
sum.

    a = 3*x*y + 5*x*y*z^2    ->  k = 3 + 5*z^2
    b = 6*u + 10*u*z^2       ->  a = x*y*k
                                 b = 2*u*k

Afterwards, each pair of factors that several products contain is multiplied once, the most common
pair first. A number is a factor too: 3*x*y and 3*x*z share 3*x. Only magnitudes of numbers are
compared, because signs cost nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Monomial, Polynomial, divide, find_common_factors
from dynagen.optimizer.passes.divisors import DivisorTable, SharedPairs
from dynagen.optimizer.search.counted_sums import CountedSums, Terms


class _ProportionalDivisor(NamedTuple):
    """A divisor: a sum of two terms from which their common factor has been divided out.

    Attributes:
        first, second: factors of the two terms, ascending, without numeric factors.
        first_number, second_number: indices, in the table of numbers, of the numeric factors of the
            two terms.
    """

    first: Monomial[int]
    second: Monomial[int]
    first_number: int
    second_number: int


class _ProportionalOccurrence(NamedTuple):
    """Two terms of a polynomial, and their common factor.

    Attributes:
        value: identifying number of the value that the polynomial defines.
        first, second: factors of the two terms, ascending, without numeric factors.
        factor: common factors of the terms, ascending.
        number: index, in the table of numbers, of the terms' common numeric factor.
    """

    value: int
    first: Monomial[int]
    second: Monomial[int]
    factor: Monomial[int]
    number: int


_Occurrences = list[tuple[_ProportionalDivisor, _ProportionalOccurrence]]
"""Type of a list of all divisors in one polynomial, each with its occurrence there.

A divisor is a sum of two terms without their common factor.
"""


class _ProportionalExtraction(NamedTuple):
    """A plan to compute a divisor (a sum of two terms) once: saved cost, replaced occurrences.

    A new value replaces the occurrences. It is the divisor times the number with the index `unit`
    in the table of numbers.
    """

    saving: float
    occurrences: list[_ProportionalOccurrence]
    unit: int


_NOTHING = _ProportionalExtraction(0.0, [], 1)


class ProportionalDivisors(
    DivisorTable[_ProportionalDivisor, _ProportionalOccurrence, _ProportionalExtraction]
):
    """Table of divisors (sums of two terms) in sums with counted cost; changes can be undone."""

    def __init__(self, sums: CountedSums, first_new: int) -> None:
        """Find the divisors of all sums, and start a transaction (see `begin`).

        Args:
            sums: sums from which divisors are extracted.
            first_new: lowest number by which a new value may be identified.
        """
        super().__init__()
        self._sums = sums
        self._new = first_new
        self._before: dict[int, _Occurrences] = {}
        self.update()
        self._before.clear()
        sums.begin()

    def update(self) -> None:
        """Update the table of divisors for the sums that have changed since the last update."""
        self.refresh(self._sums.take_stale())

    def begin(self) -> None:
        """Accept all changes of sums and divisors so far, and start a transaction.

        `roll_back` then undoes only later changes. During a transaction, only divisors that occur
        in a changed sum are extracted.
        """
        self._sums.begin()
        self._before = {}
        self.savings.clear()

    def roll_back(self) -> None:
        """Undo all changes of sums and divisors since the call of `begin`."""
        self._sums.roll_back()
        self._sums.take_stale()
        # Without the override: a rollback is not recorded.
        for value, occurrences in self._before.items():
            super().replace_occurrences(value, occurrences)
        self.begin()

    def replace_occurrences(self, value: int, occurrences: _Occurrences) -> _Occurrences:
        """Record where divisors (sums of two terms) occur in a sum; return the old record.

        A call of `roll_back` restores the old record.

        Args:
            value: identifying number of the value that the sum defines.
            occurrences: pairs of a divisor and its occurrence in the sum.
        """
        before = super().replace_occurrences(value, occurrences)
        self._before.setdefault(value, before)
        return before

    def find_occurrences(
        self, value: int
    ) -> Iterator[tuple[_ProportionalDivisor, _ProportionalOccurrence]]:
        """Yield for each pair of terms of a sum the divisor and its occurrence.

        The divisor is the sum of the two terms, divided by their common factors and number.

        Args:
            value: identifying number of the value that the sum defines.
        """
        if value not in self._sums:
            return
        split_common = self._sums.numbers.split_common
        for (left, left_number), (right, right_number) in combinations(
            sorted(self._sums[value].items()), 2
        ):
            # 3 x y and 5 x y z^2 leave 3 and 5 z^2 after division by x y.
            factor = find_common_factors(left, right)
            a, b = divide(left, factor), divide(right, factor)
            if b < a:  # in one order, so that x + y and y + x are one divisor
                a, b, left, right, left_number, right_number = (
                    b,
                    a,
                    right,
                    left,
                    right_number,
                    left_number,
                )
            number, a_number, b_number = split_common(left_number, right_number)
            yield (
                _ProportionalDivisor(a, b, a_number, b_number),
                _ProportionalOccurrence(value, left, right, factor, number),
            )

    def plan_extraction(self, divisor: _ProportionalDivisor) -> _ProportionalExtraction:
        """Plan to compute a divisor, a sum of two terms, once as a new value; return the plan.

        The plan contains the replaced occurrences and the saved cost. The new value is the divisor
        times a number, the unit. The unit is chosen so that most occurrences need no further
        numeric factor.
        """
        chosen = self._disjoint(divisor)
        sums, numbers, unit = self._sums, self._sums.numbers, 1
        is_plain = divisor.first_number == 1 and abs(divisor.second_number) == 1  # x + y or x - y
        if len(chosen) < 2:
            # Taking a number out of a single k x + k y saves a multiplication. Taking it out of
            # 2 k x + 3 k y costs one, so the number stays with the divisor then.
            if not chosen or (
                not chosen[0].factor and (not is_plain or abs(chosen[0].number) == 1)
            ):
                return _NOTHING
            if not is_plain:
                unit = abs(chosen[0].number)
        else:
            times = Counter(abs(occurrence.number) for occurrence in chosen)
            # The commonest number is the unit; of equally common ones, 1 is preferred.
            unit = max(times, key=lambda number: (times[number], number == 1))
            # A ratio that divides by run-time parameters is not allowed; then no unit is taken out.
            if not all(numbers.divide(occurrence.number, unit) for occurrence in chosen):
                unit = 1
        # Terms that disappear, and terms that appear: the difference of their multiplications is
        # saved.
        before = [
            (factors, sums[occurrence.value][factors])
            for occurrence in chosen
            for factors in (occurrence.first, occurrence.second)
        ]
        after = [*self._list_divisor_terms(divisor, unit).items()]
        # -1 stands for the divisor, which has no number yet.
        after += [
            ((*occurrence.factor, -1), numbers.divide(occurrence.number, unit))
            for occurrence in chosen
        ]
        saved = sum(sums.remove_term(*term) for term in before) - sum(
            sums.add_term(*term) for term in after
        )
        # Restore the counts in reverse: the table is only being queried.
        for term in after:
            sums.remove_term(*term)
        for term in before:
            sums.add_term(*term)
        # All occurrences but one save an addition; the first one pays for the divisor.
        saving = sums.costs.addition * (len(chosen) - 1) + sums.costs.multiplication * saved
        return _ProportionalExtraction(saving, chosen, unit)

    def _disjoint(self, divisor: _ProportionalDivisor) -> list[_ProportionalOccurrence]:
        """Return occurrences of a divisor; of occurrences with a common term, only the first."""
        taken: set[tuple[int, Monomial[int]]] = set()
        chosen = []
        for occurrences in self.found.get(divisor, {}).values():
            for occurrence in occurrences:
                ends = (occurrence.value, occurrence.first), (occurrence.value, occurrence.second)
                if taken.isdisjoint(ends):
                    taken.update(ends)
                    chosen.append(occurrence)
        return chosen

    def _list_divisor_terms(self, divisor: _ProportionalDivisor, unit: int) -> Terms:
        """Return the terms of a divisor times a number, given by its index `unit` in the table."""
        product = self._sums.numbers.multiply
        return {
            divisor.first: product(unit, divisor.first_number),
            divisor.second: product(unit, divisor.second_number),
        }

    def extract(
        self, divisor: _ProportionalDivisor, extraction: _ProportionalExtraction
    ) -> list[int]:
        """Define a divisor, a sum of two terms, as a new value, and use it in the other sums.

        Args:
            divisor: the divisor.
            extraction: occurrences to replace, from `plan_extraction`.

        Returns:
            Identifying numbers of the changed sums, including the sum that defines the divisor.
        """
        sums, numbers, new = self._sums, self._sums.numbers, self._new
        self._new += 1
        sums.replace(new, self._list_divisor_terms(divisor, extraction.unit))
        changed: dict[int, Terms] = {}
        for occurrence in extraction.occurrences:
            terms = changed.setdefault(occurrence.value, dict(sums[occurrence.value]))
            del terms[occurrence.first], terms[occurrence.second]
            factors, number = (
                (*occurrence.factor, new),
                numbers.get_number(numbers.divide(occurrence.number, extraction.unit)),
            )
            # Two occurrences may leave the same product, for instance 2 k + 3 k: numbers are added.
            if factors in terms:
                number = number + numbers.get_number(terms.pop(factors))
            if number:
                terms[factors] = numbers.find_place(number)
        for value, terms in changed.items():
            sums.replace(value, terms)
        return sums.take_stale()


def share_factors(
    sums: Mapping[int, Polynomial[int]], first_new: int
) -> dict[int, Polynomial[int]]:
    """Return sums in which a new value replaces each pair of factors that several products share.

    Args:
        sums: polynomials, by the identifying number of the value that each defines.
        first_new: lowest number for a new value.

    Returns:
        The sums, with the products of pairs as further sums of one term.
    """
    # Numbers become factors below zero, which sort before all values.
    numbers: dict[Exact, int] = {}
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
    """Count the multiplications of products if each shared pair of factors is multiplied once.

    Args:
        products: for each product, its factors, and the index of its numeric factor's magnitude in
            the table of numbers.
    """
    flat = {factors if number == 1 else (-number, *factors): None for factors, number in products}
    new = 1 + max((factor for factors in flat for factor in factors), default=0)
    return SharedPairs(flat, new).multiplications


def _decode_term(
    negative: bool, factors: Monomial[int], values: dict[int, Exact]
) -> tuple[Monomial[int], Exact]:
    """Return a term of a polynomial as a pair: ascending factors, and exact coefficient.

    The first factor may be a key of `values`, which stands for a number.
    """
    number = values[factors[0]] if factors[0] < 0 else ONE
    return factors[1:] if factors[0] < 0 else factors, -number if negative else number
