"""Divisors: parts that several sums or products share are computed once.

Divisors: parts that sums have in common, extracted greedily, the one that saves most first.

A divisor is a sum of two terms; a sum in which it occurs, be it times a factor, can be written with a value in its place. It
is what is left of two terms remove_factor their common factor: a kernel in the sense of R. K. Brayton, C. McMullen, "The
Decomposition and Factorization of Boolean Expressions", ISCAS 1982, of two cubes. J. Rajski, J. Vasudevamurthy, "The
Testability-Preserving Concurrent Decomposition and Factorization of Boolean Expressions", IEEE Trans. Computer-Aided Design
11(6), 1992, show that two are enough: larger divisors are found as divisors of what divisors have left, and there are so few
of two terms that all of them are kept in a table, which is brought up to date where sums change. A. Hosangadi, F. Fallah, R.
Kastner, "Optimizing Polynomial Expressions by Algebraic Factorization and Common Subexpression Elimination", IEEE Trans.
Computer-Aided Design 25(10), 2006, do so with polynomials.

Here is the table; what a term is, and what an extraction saves, is said by whoever has the sums.

Common divisors: sums of two terms that occur several times, or several times but for a factor, are computed once.

x*a + x*b + c and y*a + y*b are x*k + c and y*k with k = a + b. Candidates are all pairs of terms of all sums, as they are and
with each common factor taken out (see `divisors`).

Shared pairs: two factors that several products contain are multiplied once: x*y*a and x*b*y are p*a and p*b with p = x*y.

The pair that most products contain goes first, as in the extraction of divisors from sums (`divisors`); as there, three
factors that several products contain are found as a pair of a pair. Of pairs that are equally common the one goes first whose
products have the fewest other factors: those have the least to share besides, so the least is lost for other pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from dynagen.ir.program import Program
from dynagen.optimizer.passes.sums_of_products import SumsOfProducts, Term, remove_factor

Divisor = TypeVar("Divisor")
Occurrence = TypeVar("Occurrence")


class Saving(Protocol):
    """An extraction that is possible."""

    @property
    def saving(self) -> float:
        """The cost that it saves; the extraction pays only if this is positive."""


Extraction = TypeVar("Extraction", bound=Saving)

_LEAST_SAVING = 1e-6  # less is rounding of costs


class DivisorTable(ABC, Generic[Divisor, Occurrence, Extraction]):
    """All divisors of sums, where they occur, and what each saves."""

    def __init__(self) -> None:
        self.found: dict[Divisor, dict[int, list[Occurrence]]] = {}
        self.savings: dict[Divisor, float] = {}
        self._occurrences_by_sum: dict[int, list[tuple[Divisor, Occurrence]]] = {}

    @abstractmethod
    def find_occurrences(self, value: int) -> Iterator[tuple[Divisor, Occurrence]]:
        """The divisors of a sum; none if there is no such sum any more."""

    @abstractmethod
    def plan_extraction(self, divisor: Divisor) -> Extraction:
        """The best extraction of a divisor from the sums as they are now, and what it saves."""

    @abstractmethod
    def extract(self, divisor: Divisor, extraction: Extraction) -> Iterable[int]:
        """Make a divisor a value and write sums with it; returns the sums that are new, or different, or gone."""

    def refresh(self, changed: Iterable[int]) -> None:
        """Bring the table up to date with sums that are new, or different, or gone."""
        concerned: dict[Divisor, None] = {}
        for value in changed:
            occurrences = list(self.find_occurrences(value))
            before = self.replace_occurrences(value, occurrences)
            concerned.update((divisor, None) for divisor, _ in (*before, *occurrences))
        for divisor in concerned:
            self._note_saving(
                divisor, self.plan_extraction(divisor).saving if divisor in self.found else 0.0
            )

    def replace_occurrences(
        self, value: int, occurrences: list[tuple[Divisor, Occurrence]]
    ) -> list[tuple[Divisor, Occurrence]]:
        """Give a sum other occurrences of divisors; returns those that it had."""
        before = self._occurrences_by_sum.pop(value, [])
        for divisor, _ in before:
            having = self.found.get(divisor, {})
            having.pop(value, None)
            if not having:
                self.found.pop(divisor, None)
        for divisor, occurrence in occurrences:
            self.found.setdefault(divisor, {}).setdefault(value, []).append(occurrence)
        if occurrences:
            self._occurrences_by_sum[value] = occurrences
        return before

    def extract_all(self, order: Callable[[Divisor, float], Any]) -> None:
        """Extract divisors until none saves anything.

        Savings overlap: an extraction takes terms away from others. So none is trusted that was computed before another
        extraction; the sums that change are looked at again, and a saving is computed anew before it is acted upon, for it
        depends on which products sums elsewhere still need.

        Args:
            order: of a divisor and its saving: that for which it is least goes first.
        """
        savings = self.savings
        while savings:
            divisor = min(savings, key=lambda each: order(each, savings[each]))
            extraction = self.plan_extraction(divisor)
            if extraction.saving == savings[divisor]:
                self.refresh(self.extract(divisor, extraction))
            else:
                self._note_saving(divisor, extraction.saving)

    def _note_saving(self, divisor: Divisor, saving: float) -> None:
        if saving > _LEAST_SAVING:
            self.savings[divisor] = saving
        else:
            self.savings.pop(divisor, None)


class _PlainDivisor(NamedTuple):
    """The factors of the first term, those of the second, and whether this is subtracted."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    negative: bool


@dataclass(frozen=True, slots=True)
class _PlainOccurrence:
    """A divisor in a sum.

    Attributes:
        places: of its two terms.
        factor: what multiplies it there; None if nothing does.
        negative: whether it is subtracted.
    """

    places: tuple[int, int]
    factor: int | None
    negative: bool


class _PlainExtraction(NamedTuple):
    """The savings of an extraction, in operations, and the occurrences that it replaces, by sums."""

    saving: int
    chosen: dict[int, list[_PlainOccurrence]]


def extract_common_divisors(program: Program) -> Program:
    """Compute once what several sums have in common."""
    sums = SumsOfProducts(program)
    table = _CommonDivisors(sums)
    table.refresh(list(sums.sums))
    table.extract_all(lambda divisor, saving: (-saving, divisor))
    return sums.rebuild()


class _CommonDivisors(DivisorTable[_PlainDivisor, _PlainOccurrence, _PlainExtraction]):
    def __init__(self, sums: SumsOfProducts) -> None:
        super().__init__()
        self._sums = sums

    def find_occurrences(self, value: int) -> Iterator[tuple[_PlainDivisor, _PlainOccurrence]]:
        products = self._sums.products
        terms = self._sums.sums.get(value, ())
        for (i, (i_negative, left)), (j, (j_negative, right)) in combinations(enumerate(terms), 2):
            pairs: list[tuple[int | None, tuple[int, ...], tuple[int, ...]]] = [
                (None, (left,), (right,))
            ]
            if left in products and right in products:
                shared = [
                    factor for factor in dict.fromkeys(products[left]) if factor in products[right]
                ]
                pairs += [
                    (
                        factor,
                        remove_factor(products[left], factor),
                        remove_factor(products[right], factor),
                    )
                    for factor in shared
                ]
            for factor, a, b in pairs:
                first, second, negative = (a, b, i_negative) if a <= b else (b, a, j_negative)
                yield (
                    _PlainDivisor(first, second, i_negative != j_negative),
                    _PlainOccurrence((i, j), factor, negative),
                )

    def plan_extraction(self, divisor: _PlainDivisor) -> _PlainExtraction:
        found = self.found[divisor]
        if (
            len(found) == 1
        ):  # most divisors occur once, and remove_factor a factor: nothing is gained then
            ((first, *others),) = found.values()
            if not others and first.factor is None:
                return _PlainExtraction(0, {})
        # The divisor costs an addition, and its products unless they are there; every occurrence saves an addition. One with a
        # factor takes a multiplication, the first time with this factor, and saves those of products that nobody needs then.
        saving = -1 - sum(
            len(factors) - 1 for factors in divisor[:2] if self._sums.find_product(factors) is None
        )
        chosen: dict[int, list[_PlainOccurrence]] = {}
        released: Counter[int] = Counter()
        multiplied: set[int] = set()
        for position, occurrences in found.items():
            terms = self._sums.sums[position]
            for occurrence in occurrences:
                taken = {place for other in chosen.get(position, ()) for place in other.places}
                if taken.intersection(occurrence.places) or _leaves_only_negative(
                    terms, occurrence
                ):
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
        return _PlainExtraction(saving, chosen)

    def extract(self, divisor: _PlainDivisor, extraction: _PlainExtraction) -> list[int]:
        first, second, negative = divisor
        value = self._sums.add_sum(
            ((False, self._sums.add_product(first)), (negative, self._sums.add_product(second)))
        )
        for position, occurrences in extraction.chosen.items():
            terms = self._sums.sums[position]
            instead = {}
            for occurrence in occurrences:
                factor = occurrence.factor
                term = (
                    value
                    if factor is None
                    else self._sums.add_product(tuple(sorted((factor, value))))
                )
                instead[occurrence.places[0]] = (occurrence.negative, term)
            gone = {occurrence.places[1] for occurrence in occurrences}
            left = (
                instead.get(place, term) for place, term in enumerate(terms) if place not in gone
            )
            self._sums.change_sum(position, tuple(left))
        return [value, *extraction.chosen]


def _leaves_only_negative(terms: tuple[Term, ...], occurrence: _PlainOccurrence) -> bool:
    """Whether nothing would be left that is not subtracted, so that the sum would need a sign change."""
    rest = (negative for place, (negative, _) in enumerate(terms) if place not in occurrence.places)
    return occurrence.negative and all(rest)


_Pair = tuple[int, int]


def extract_shared_pairs(program: Program) -> Program:
    """Compute once what several products have in common."""
    sums = SumsOfProducts(program)
    before = list(sums.products.items())
    shared = SharedPairs(sums.products.values(), len(program.instructions))
    became = {position: shared.rewrite_product(factors) for position, factors in before}
    of_pairs = {instead[0]: position for position, instead in became.items() if len(instead) == 1}
    values: dict[int, int] = {}

    def factors_of(numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(values.get(number, number) for number in numbers))

    def change(position: int, factors: tuple[int, ...]) -> None:
        if sums.products[position] != factors:
            sums.change_product(position, factors)

    # A pair that is a whole product of the program is computed there, under its name; any other pair is a new value. Pairs of
    # pairs come after those that they are made of, so that these have their values by then.
    for new, pair in shared.pairs.items():
        if new in of_pairs:
            values[new] = of_pairs[new]
            change(of_pairs[new], factors_of(pair))
        else:
            values[new] = sums.add_product(factors_of(pair))
    for position, instead in became.items():
        if len(instead) > 1:
            change(position, factors_of(instead))
    return sums.rebuild()


class SharedPairs:
    """Products in which pairs are replaced until no two have one in common.

    Attributes:
        pairs: new values and what they are products of.
        multiplications: for pairs and products, equal ones counted once.
    """

    def __init__(self, products: Iterable[tuple[int, ...]], new: int) -> None:
        self.pairs: dict[int, _Pair] = {}
        self._replacements: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._containing: dict[_Pair, dict[tuple[int, ...], None]] = {}
        self._ranks: dict[
            _Pair, tuple[int, int]
        ] = {}  # of those in several products, and in which they are most of it
        distinct = dict.fromkeys(products)
        self.multiplications = sum(len(factors) - 1 for factors in distinct if factors)
        for factors in distinct:
            self._add_product(factors)
        while self._ranks:
            _, pair = max((rank, pair) for pair, rank in self._ranks.items())
            self.pairs[new] = pair
            self.multiplications += 1
            for factors in list(self._containing[pair]):
                self._replace_product(factors, _replace_pair(factors, pair, new))
            new += 1

    def rewrite_product(self, factors: tuple[int, ...]) -> tuple[int, ...]:
        """The product with its pairs replaced."""
        while factors in self._replacements:
            factors = self._replacements[factors]
        return factors

    def _add_product(self, factors: tuple[int, ...]) -> None:
        for pair in set(combinations(factors, 2)):
            self._containing.setdefault(pair, {})[factors] = None
            self._update_rank(pair)

    def _update_rank(self, pair: _Pair) -> None:
        """Rank a pair by the products that have it; of equally common ones that goes first which leaves the fewest factors."""
        having = self._containing[pair]
        if len(having) > 1:
            self._ranks[pair] = len(having), -sum(map(len, having))
        else:
            self._ranks.pop(pair, None)

    def _replace_product(self, factors: tuple[int, ...], changed: tuple[int, ...]) -> None:
        for pair in set(combinations(factors, 2)):
            del self._containing[pair][factors]
            self._update_rank(pair)
        self._replacements[factors] = changed
        self.multiplications -= len(factors) - 1
        if len(changed) < 2 or changed not in self._containing.get((changed[0], changed[1]), {}):
            self.multiplications += len(changed) - 1
            self._add_product(changed)


def _replace_pair(factors: tuple[int, ...], pair: _Pair, product: int) -> tuple[int, ...]:
    left, right = pair
    rest = list(factors)
    while left in rest and right in rest and (left != right or rest.count(left) > 1):
        rest.remove(left)
        rest.remove(right)
        rest.append(product)
    return tuple(rest)
