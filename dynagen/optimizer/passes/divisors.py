"""Extraction of divisors: parts that several sums or products share are computed once.

A divisor is a sum of two terms that occurs in several sums, perhaps times a factor. Two terms of a
sum, divided by their common factor, form a divisor. Logic synthesis calls such a divisor a kernel
of two cubes (Brayton and McMullen, "The Decomposition and Factorization of Boolean Expressions",
ISCAS 1982). Divisors of two terms suffice, because repeated extraction finds larger divisors
(Rajski and Vasudevamurthy, "The Testability-Preserving Concurrent Decomposition and Factorization
of Boolean Expressions", IEEE Transactions on Computer-Aided Design 11(6), 1992). The method was
applied to polynomials by Hosangadi, Fallah and Kastner ("Optimizing Polynomial Expressions by
Algebraic Factorization and Common Subexpression Elimination", IEEE Transactions on Computer-Aided
Design 25(10), 2006).

`DivisorTable` is a table of all divisors, with greedy extraction. `_CommonDivisors` for the pass
and `search.factoring.ProportionalDivisors` for the search are its subclasses. `SharedPairs` finds
pairs of factors that several products share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from dynagen.ir.program import Program
from dynagen.optimizer.passes.sums_of_products import SumsOfProducts, Term, remove_factor

Divisor = TypeVar("Divisor")
Occurrence = TypeVar("Occurrence")


class Saving(Protocol):
    """Interface of plans to compute a common part of sums only once, with the saved cost."""

    @property
    def saving(self) -> float:
        """Cost that the extraction of a divisor saves; only a positive saving is useful."""


Extraction = TypeVar("Extraction", bound=Saving)

_LEAST_SAVING = 1e-6  # smaller differences are rounding of costs


class DivisorTable(ABC, Generic[Divisor, Occurrence, Extraction]):
    """Table of all divisors (sums of two terms) of sums, with their occurrences and savings.

    Attributes:
        found: for each divisor its occurrences, by the identifying number of the sum.
        savings: mapping from each divisor whose extraction saves cost to the saved cost.
    """

    def __init__(self) -> None:
        self.found: dict[Divisor, dict[int, list[Occurrence]]] = {}
        self.savings: dict[Divisor, float] = {}
        self._occurrences_by_sum: dict[int, list[tuple[Divisor, Occurrence]]] = {}

    @abstractmethod
    def find_occurrences(self, value: int) -> Iterator[tuple[Divisor, Occurrence]]:
        """Yield each divisor of a sum with its occurrence; nothing if the sum was removed.

        Args:
            value: identifying number of the value that the sum defines.
        """

    def may_save(self, found: dict[int, list[Occurrence]]) -> bool:
        """Return whether the extraction of a divisor may save cost; a quick test before the plan.

        Args:
            found: the occurrences of the divisor, by the identifying number of the sum.
        """
        return True

    @abstractmethod
    def plan_extraction(self, divisor: Divisor) -> Extraction:
        """Return the occurrences of a divisor whose replacement by one value saves most.

        A divisor is a sum of two terms that other sums contain. The result also contains the
        saved cost.
        """

    @abstractmethod
    def extract(self, divisor: Divisor, extraction: Extraction) -> Iterable[int]:
        """Define a divisor, a sum of two terms, as a new value, and use it in the other sums.

        Args:
            divisor: the divisor.
            extraction: occurrences to replace, from `plan_extraction`.

        Returns:
            Identifying numbers of the sums that are new, have changed, or no longer exist.
        """

    def refresh(self, changed: Iterable[int]) -> None:
        """Update divisors and savings for the sums `changed`, given by their identifying numbers.

        These sums are new, have changed, or have been removed.
        """
        # A dictionary serves as an ordered set: results must not depend on hashes.
        concerned: dict[Divisor, None] = {}
        for value in changed:
            occurrences = list(self.find_occurrences(value))
            # Divisors that a sum has lost change their savings, and so do divisors that it has
            # gained.
            before = self.replace_occurrences(value, occurrences)
            for divisor, _ in before:
                concerned[divisor] = None
            for divisor, _ in occurrences:
                concerned[divisor] = None
        for divisor in concerned:
            found = self.found.get(divisor)
            if found and self.may_save(found):
                self._note_saving(divisor, self.plan_extraction(divisor).saving)
            elif self.savings:
                self.savings.pop(divisor, None)

    def replace_occurrences(
        self, value: int, occurrences: list[tuple[Divisor, Occurrence]]
    ) -> list[tuple[Divisor, Occurrence]]:
        """Record where divisors (sums of two terms) occur in a sum; return the old record.

        Args:
            value: identifying number of the value that the sum defines.
            occurrences: pairs of a divisor and its occurrence in the sum.
        """
        before = self._occurrences_by_sum.pop(value, [])
        for divisor, _ in before:
            having = self.found.get(divisor, {})
            having.pop(value, None)
            if not having:
                self.found.pop(divisor, None)
        for divisor, occurrence in occurrences:
            sums = self.found.get(divisor)
            if sums is None:  # as for most divisors
                self.found[divisor] = {value: [occurrence]}
            else:
                sums.setdefault(value, []).append(occurrence)
        if occurrences:
            self._occurrences_by_sum[value] = occurrences
        return before

    def extract_all(self, order: Callable[[Divisor, float], Any]) -> None:
        """Extract divisors (sums of two terms) until no further extraction saves anything.

        An extracted divisor is computed only once, as a new value. Because the extraction of a
        divisor changes the savings by other divisors, each saving is computed again just before the
        extraction.

        Args:
            order: function of a divisor and its saving that returns a rank; the divisor with the
                lowest rank is extracted first.
        """
        savings = self.savings
        while savings:
            divisor = min(savings, key=lambda candidate: order(candidate, savings[candidate]))
            extraction = self.plan_extraction(divisor)
            # An outdated saving is corrected, and the order looked at again.
            if extraction.saving == savings[divisor]:
                self.refresh(self.extract(divisor, extraction))
            else:
                self._note_saving(divisor, extraction.saving)

    def _note_saving(self, divisor: Divisor, saving: float) -> None:
        """Store the saving of a divisor, or drop it if it is not positive."""
        if saving > _LEAST_SAVING:
            self.savings[divisor] = saving
        else:
            self.savings.pop(divisor, None)


class _PlainDivisor(NamedTuple):
    """A divisor: the sum or difference of two products.

    `first` and `second` are the positions of the products' factors. The second product is
    subtracted if `negative`.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    negative: bool


class _PlainOccurrence(NamedTuple):
    """An occurrence of a divisor (a sum of two terms) in a longer sum.

    Attributes:
        places: indices of the divisor's two terms in the sum.
        factor: position of the factor by which this sum multiplies the divisor; None for factor 1.
        negative: whether the divisor is subtracted.
    """

    places: tuple[int, int]
    factor: int | None
    negative: bool


class _PlainExtraction(NamedTuple):
    """A plan to compute a divisor (a sum of two terms) once for all sums that contain it.

    `saving` is the number of saved operations. `chosen` contains the occurrences of the divisor, by
    the position of the sum.
    """

    saving: int
    chosen: dict[int, list[_PlainOccurrence]]


def extract_common_divisors(program: Program) -> Program:
    """Compute a sum of two terms once if it occurs several times, perhaps times a factor.

    Each pair of terms of each sum is a candidate, and so is the pair divided by each common factor.
    The pair whose extraction saves most operations is extracted first.

        a = x*p + x*q + c    ->  k = p + q
                                 a = x*k + c
        b = y*p + y*q        ->  b = y*k
        4 mul + 3 add        ->  2 mul + 2 add
    """
    sums = SumsOfProducts(program)
    table = _CommonDivisors(sums)
    table.refresh(list(sums.sums))
    table.extract_all(lambda divisor, saving: (-saving, divisor))
    return sums.rebuild()


class _CommonDivisors(DivisorTable[_PlainDivisor, _PlainOccurrence, _PlainExtraction]):
    """Table of divisors (sums of two terms) in a program's sums; it counts saved operations."""

    def __init__(self, sums: SumsOfProducts) -> None:
        super().__init__()
        self._sums = sums

    def find_occurrences(self, value: int) -> Iterator[tuple[_PlainDivisor, _PlainOccurrence]]:
        """Yield the divisors in a sum, each with its occurrence.

        Each pair of terms is a divisor, and so is the pair divided by each common factor.
        """
        products = self._sums.products
        terms = self._sums.sums.get(value, ())
        # Named tuples made in this way take a third of the time.
        make_divisor = partial(tuple.__new__, _PlainDivisor)
        make_occurrence = partial(tuple.__new__, _PlainOccurrence)
        places = combinations(range(len(terms)), 2)
        for place, ((i_negative, left), (j_negative, right)) in zip(
            places, combinations(terms, 2), strict=True
        ):
            # The unchanged pair, such as the sum of x*p and x*q. Terms are put in order, so that
            # q + p is found where p + q is; an occurrence has the sign of the first term.
            first, second, sign = (
                (left, right, i_negative) if left <= right else (right, left, j_negative)
            )
            yield (
                make_divisor(((first,), (second,), i_negative != j_negative)),
                make_occurrence((place, None, sign)),
            )
            if left not in products or right not in products:
                continue
            # The pair without each common factor: p + q, times x.
            for factor in dict.fromkeys(products[left]):
                if factor in products[right]:
                    a = remove_factor(products[left], factor)
                    b = remove_factor(products[right], factor)
                    in_order = (a, b, i_negative) if a <= b else (b, a, j_negative)
                    yield (
                        make_divisor((*in_order[:2], i_negative != j_negative)),
                        make_occurrence((place, factor, in_order[2])),
                    )

    def may_save(self, found: dict[int, list[_PlainOccurrence]]) -> bool:
        """Return whether a divisor occurs at least twice, or is multiplied by a factor.

        Most divisors do neither, and their extraction saves nothing.
        """
        if len(found) > 1:
            return True
        (occurrences,) = found.values()
        return len(occurrences) > 1 or occurrences[0].factor is not None

    def plan_extraction(self, divisor: _PlainDivisor) -> _PlainExtraction:
        """Plan to compute a divisor, a sum of two terms, once for all sums that contain it.

        The plan contains the number of saved operations and the occurrences to replace.
        """
        # The divisor costs an addition, and the multiplications of its products unless these exist.
        # Each occurrence saves an addition. An occurrence with a factor costs a multiplication, if
        # it is the first with that factor, and saves the factors of products that lose their last
        # use.
        saving = -1 - sum(
            len(factors) - 1 for factors in divisor[:2] if self._sums.find_product(factors) is None
        )
        chosen: dict[int, list[_PlainOccurrence]] = {}
        released: Counter[int] = Counter()
        multiplied: set[int] = set()
        for position, occurrences in self.found[divisor].items():
            terms = self._sums.sums[position]
            for occurrence in occurrences:
                # Two occurrences in one sum must not share a term.
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
        """Define a divisor, a sum of two terms, as a new value, and use it in the other sums.

        Return the positions of the new sum and of the rewritten sums.
        """
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
                # The divisor takes the place of the first term; the second term disappears.
                instead[occurrence.places[0]] = (occurrence.negative, term)
            gone = {occurrence.places[1] for occurrence in occurrences}
            left = (
                instead.get(place, term) for place, term in enumerate(terms) if place not in gone
            )
            self._sums.change_sum(position, tuple(left))
        return [value, *extraction.chosen]


def _leaves_only_negative(terms: tuple[Term, ...], occurrence: _PlainOccurrence) -> bool:
    """Return whether all terms of a sum are subtracted after a new value replaces a divisor in it.

    Such a sum costs a negation.
    """
    rest = (negative for place, (negative, _) in enumerate(terms) if place not in occurrence.places)
    return occurrence.negative and all(rest)


_Pair = tuple[int, int]


def extract_shared_pairs(program: Program) -> Program:
    """Compute the product of two factors once if several products contain both factors.

    The pair of factors that most products contain is replaced first. If several products share
    three factors, the product of two of them becomes a factor of the next pair.

        a = x*y*u            ->  p = x*y
        b = x*v*y            ->  a = p*u
                                 b = p*v
    """
    sums = SumsOfProducts(program)
    before = list(sums.products.items())
    shared = SharedPairs(sums.products.values(), len(program.instructions))
    if not shared.pairs:
        return program
    replaced = {position: shared.rewrite_product(factors) for position, factors in before}
    position_of_pair = {rest[0]: position for position, rest in replaced.items() if len(rest) == 1}
    position_of_new: dict[int, int] = {}

    def list_factors(numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(position_of_new.get(number, number) for number in numbers))

    def change(position: int, factors: tuple[int, ...]) -> None:
        if sums.products[position] != factors:
            sums.change_product(position, factors)

    # A pair that is a whole product of the program is computed there, under its name; any other
    # pair is a new value. A pair of pairs comes after its parts, which have positions by then.
    for new, pair in shared.pairs.items():
        if new in position_of_pair:
            position_of_new[new] = position_of_pair[new]
            change(position_of_pair[new], list_factors(pair))
        else:
            position_of_new[new] = sums.add_product(list_factors(pair))
    for position, rest in replaced.items():
        if len(rest) > 1:
            change(position, list_factors(rest))
    return sums.rebuild()


class SharedPairs:
    """Products in which new values replace pairs of factors until no two products share a pair.

    The most common pair is replaced first; among equally common pairs, the pair whose products have
    the fewest other factors.

        x*y*u, x*y*v, z*u    ->  p = x*y;  p*u, p*v, z*u

    Attributes:
        pairs: mapping from each new value to its two factors.
        multiplications: number of different multiplications in all pairs and products.
    """

    def __init__(self, products: Iterable[tuple[int, ...]], new: int) -> None:
        """Replace pairs of factors by new values until no two products share a pair.

        Args:
            products: factors of each product, in ascending order.
            new: identifying number of the first new value, larger than the number of any factor.
        """
        self.pairs: dict[int, _Pair] = {}
        self._replacements: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._containing: dict[_Pair, dict[tuple[int, ...], None]] = {}
        # Ranks of the pairs in several products: their number, and minus the factors of these.
        self._ranks: dict[_Pair, tuple[int, int]] = {}
        # Equal products are computed once, so they count once.
        distinct = dict.fromkeys(products)
        self.multiplications = sum(len(factors) - 1 for factors in distinct if factors)
        # Of products of two factors only those are counted that may be a part of another product.
        parts = {
            pair for factors in distinct if len(factors) > 2 for pair in combinations(factors, 2)
        }
        for factors in distinct:
            if len(factors) > 2 or factors in parts:
                self._add_product(factors)
        while self._ranks:
            # Ties go to the larger pair, so that results do not depend on the order of insertion.
            _, pair = max((rank, pair) for pair, rank in self._ranks.items())
            self.pairs[new] = pair
            self.multiplications += 1
            for factors in list(self._containing[pair]):
                self._replace_product(factors, _replace_pair(factors, pair, new))
            new += 1

    def rewrite_product(self, factors: tuple[int, ...]) -> tuple[int, ...]:
        """Return the factors that remain of a product after the replacement of pairs of factors."""
        while factors in self._replacements:
            factors = self._replacements[factors]
        return factors

    def _add_product(self, factors: tuple[int, ...]) -> None:
        """Count all pairs of factors of a product."""
        for pair in set(combinations(factors, 2)):
            self._containing.setdefault(pair, {})[factors] = None
            self._update_rank(pair)

    def _update_rank(self, pair: _Pair) -> None:
        """Update the rank of a pair of factors, by which the next pair to replace is chosen.

        The rank is the number of products that contain the pair; among equal numbers, the products
        with the fewest factors in total come first. A pair in a single product has no rank.
        """
        having = self._containing[pair]
        if len(having) > 1:
            self._ranks[pair] = len(having), -sum(map(len, having))
        else:
            self._ranks.pop(pair, None)

    def _replace_product(self, factors: tuple[int, ...], changed: tuple[int, ...]) -> None:
        """Replace a product's factors by `changed`, and update the ranks of its pairs."""
        for pair in set(combinations(factors, 2)):
            del self._containing[pair][factors]
            self._update_rank(pair)
        self._replacements[factors] = changed
        self.multiplications -= len(factors) - 1
        # A product that equals another one after the replacement is counted once.
        if len(changed) < 2 or changed not in self._containing.get((changed[0], changed[1]), {}):
            self.multiplications += len(changed) - 1
            self._add_product(changed)


def _replace_pair(factors: tuple[int, ...], pair: _Pair, product: int) -> tuple[int, ...]:
    """Return factors with each occurrence of a pair replaced by the value `product`."""
    left, right = pair
    rest = list(factors)
    # A square x*x needs two occurrences of x.
    while left in rest and right in rest and (left != right or rest.count(left) > 1):
        rest.remove(left)
        rest.remove(right)
        rest.append(product)
    return tuple(rest)
