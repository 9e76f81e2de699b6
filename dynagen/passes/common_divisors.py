"""Common divisors: sums of two terms that occur several times, or several times but for a factor, are computed once.

x*a + x*b + c and y*a + y*b are x*k + c and y*k with k = a + b. Candidates are all pairs of terms of all sums, as they are and
with each common factor taken out (see `divisors`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from dynagen.ir.program import Program
from dynagen.passes.divisors import DivisorTable
from dynagen.passes.sums_of_products import SumsOfProducts, Term, without


class _Divisor(NamedTuple):
    """The factors of the first term, those of the second, and whether this is subtracted."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    negative: bool


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """A divisor in a sum.

    Attributes:
        places: of its two terms.
        factor: what multiplies it there; None if nothing does.
        negative: whether it is subtracted.
    """

    places: tuple[int, int]
    factor: int | None
    negative: bool


class _Extraction(NamedTuple):
    """The savings of an extraction, in operations, and the occurrences that it replaces, by sums."""

    saving: int
    chosen: dict[int, list[_Occurrence]]


def extract_common_divisors(program: Program) -> Program:
    """Compute once what several sums have in common."""
    sums = SumsOfProducts(program)
    table = _CommonDivisors(sums)
    table.look_at(list(sums.sums))
    table.extract_all(lambda divisor, saving: (-saving, divisor))
    return sums.rebuilt()


class _CommonDivisors(DivisorTable[_Divisor, _Occurrence, _Extraction]):
    def __init__(self, sums: SumsOfProducts) -> None:
        super().__init__()
        self._sums = sums

    def occurrences(self, value: int) -> Iterator[tuple[_Divisor, _Occurrence]]:
        products = self._sums.products
        terms = self._sums.sums.get(value, ())
        for (i, (i_negative, left)), (j, (j_negative, right)) in combinations(enumerate(terms), 2):
            pairs: list[tuple[int | None, tuple[int, ...], tuple[int, ...]]] = [(None, (left,), (right,))]
            if left in products and right in products:
                shared = [factor for factor in dict.fromkeys(products[left]) if factor in products[right]]
                pairs += [(factor, without(products[left], factor), without(products[right], factor)) for factor in shared]
            for factor, a, b in pairs:
                first, second, negative = (a, b, i_negative) if a <= b else (b, a, j_negative)
                yield _Divisor(first, second, i_negative != j_negative), _Occurrence((i, j), factor, negative)

    def extraction(self, divisor: _Divisor) -> _Extraction:
        found = self.found[divisor]
        if len(found) == 1:  # most divisors occur once, and without a factor: nothing is gained then
            ((first, *others),) = found.values()
            if not others and first.factor is None:
                return _Extraction(0, {})
        # The divisor costs an addition, and its products unless they are there; every occurrence saves an addition. One with a
        # factor takes a multiplication, the first time with this factor, and saves those of products that nobody needs then.
        saving = -1 - sum(len(factors) - 1 for factors in divisor[:2] if self._sums.find_product(factors) is None)
        chosen: dict[int, list[_Occurrence]] = {}
        released: Counter[int] = Counter()
        multiplied: set[int] = set()
        for position, occurrences in found.items():
            terms = self._sums.sums[position]
            for occurrence in occurrences:
                taken = {place for other in chosen.get(position, ()) for place in other.places}
                if taken.intersection(occurrence.places) or _leaves_only_negative(terms, occurrence):
                    continue
                chosen.setdefault(position, []).append(occurrence)
                saving += 1
                if occurrence.factor is not None:
                    saving -= occurrence.factor not in multiplied
                    multiplied.add(occurrence.factor)
                    for place in occurrence.places:
                        product = terms[place][1]
                        released[product] += 1
                        if released[product] == self._sums.uses[product]:
                            saving += len(self._sums.products[product]) - 1
        return _Extraction(saving, chosen)

    def extract(self, divisor: _Divisor, extraction: _Extraction) -> list[int]:
        first, second, negative = divisor
        value = self._sums.sum(((False, self._sums.product(first)), (negative, self._sums.product(second))))
        for position, occurrences in extraction.chosen.items():
            terms = self._sums.sums[position]
            instead = {}
            for occurrence in occurrences:
                factor = occurrence.factor
                term = value if factor is None else self._sums.product(tuple(sorted((factor, value))))
                instead[occurrence.places[0]] = (occurrence.negative, term)
            gone = {occurrence.places[1] for occurrence in occurrences}
            left = (instead.get(place, term) for place, term in enumerate(terms) if place not in gone)
            self._sums.change_sum(position, tuple(left))
        return [value, *extraction.chosen]


def _leaves_only_negative(terms: tuple[Term, ...], occurrence: _Occurrence) -> bool:
    """Whether nothing would be left that is not subtracted, so that the sum would need a sign change."""
    rest = (negative for place, (negative, _) in enumerate(terms) if place not in occurrence.places)
    return occurrence.negative and all(rest)
