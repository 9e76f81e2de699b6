"""Kernels: sums of two terms that occur several times, or several times but for a factor, are computed once.

x*a + x*b + c and y*a + y*b are x*k + c and y*k with k = a + b. A. Hosangadi, F. Fallah, R. Kastner, "Optimizing Polynomial
Expressions by Algebraic Factorization and Common Subexpression Elimination", IEEE Trans. Computer-Aided Design 25(10), 2006:
candidates are all pairs of terms of all sums, with each common factor taken out and without; the one that saves most goes
first, and what it leaves is looked at again. Larger sums are found as sums of such sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from dynagen.ir.program import Program
from dynagen.passes.sums_of_products import SumsOfProducts, Term

_Kernel = tuple[tuple[int, ...], tuple[int, ...], bool]
"""The factors of the first term, those of the second, and whether this is subtracted."""


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """A kernel in a sum.

    Attributes:
        places: of its two terms.
        factor: what multiplies it there; None if nothing does.
        negative: whether it is subtracted.
    """

    places: tuple[int, int]
    factor: int | None
    negative: bool


def share_kernels(program: Program) -> Program:
    """Compute once what several sums have in common."""
    sums = SumsOfProducts(program)
    _Sharing(sums).run()
    return sums.rebuilt()


class _Sharing:
    """Candidates with all their occurrences, and what each saves."""

    def __init__(self, sums: SumsOfProducts) -> None:
        self._sums = sums
        self._found: dict[_Kernel, dict[int, list[_Occurrence]]] = {}
        self._kernels: dict[int, list[_Kernel]] = {}
        self._savings: dict[_Kernel, int] = {}

    def run(self) -> None:
        """Share kernels until none saves anything."""
        self._look_at(list(self._sums.sums))
        while self._savings:
            kernel = min(self._savings, key=lambda each: (-self._savings[each], each))
            saving, chosen = self._choice(kernel)
            if saving == self._savings[kernel]:
                self._look_at(self._share(kernel, chosen))
            else:  # it has changed with what other sums need
                self._note(kernel, saving)

    def _look_at(self, changed: list[int]) -> None:
        """Take notice that these sums are new, or different, or gone."""
        concerned: dict[_Kernel, None] = {}
        for position in changed:
            for kernel in self._kernels.pop(position, ()):
                self._found[kernel].pop(position, None)
                concerned[kernel] = None
            if position in self._sums.sums:
                self._kernels[position] = mine = []
                for kernel, occurrence in self._occurrences(self._sums.sums[position]):
                    self._found.setdefault(kernel, {}).setdefault(position, []).append(occurrence)
                    mine.append(kernel)
                    concerned[kernel] = None
        for kernel in concerned:
            self._note(kernel, self._choice(kernel)[0] if self._may_save(kernel) else 0)

    def _note(self, kernel: _Kernel, saving: int) -> None:
        if saving > 0:
            self._savings[kernel] = saving
        else:
            self._savings.pop(kernel, None)

    def _may_save(self, kernel: _Kernel) -> bool:
        """Whether it occurs more than once, or with a factor: most kernels do not."""
        found = self._found[kernel].values()
        return len(found) > 1 or any(len(occurrences) > 1 or occurrences[0].factor is not None for occurrences in found)

    def _occurrences(self, terms: tuple[Term, ...]) -> Iterator[tuple[_Kernel, _Occurrence]]:
        products = self._sums.products
        for (i, (i_negative, left)), (j, (j_negative, right)) in combinations(enumerate(terms), 2):
            pairs: list[tuple[int | None, tuple[int, ...], tuple[int, ...]]] = [(None, (left,), (right,))]
            if left in products and right in products:
                shared = [factor for factor in dict.fromkeys(products[left]) if factor in products[right]]
                pairs += [(factor, _without(products[left], factor), _without(products[right], factor)) for factor in shared]
            for factor, a, b in pairs:
                first, second, negative = (a, b, i_negative) if a <= b else (b, a, j_negative)
                yield (first, second, i_negative != j_negative), _Occurrence((i, j), factor, negative)

    def _choice(self, kernel: _Kernel) -> tuple[int, dict[int, list[_Occurrence]]]:
        """What a kernel saves, in operations, and the occurrences that are to be replaced by it."""
        saving = -1 - sum(len(factors) - 1 for factors in kernel[:2] if self._sums.find_product(factors) is None)
        chosen: dict[int, list[_Occurrence]] = {}
        released: Counter[int] = Counter()
        multiplied: set[int] = set()
        for position, occurrences in self._found[kernel].items():
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
        return saving, chosen

    def _share(self, kernel: _Kernel, chosen: dict[int, list[_Occurrence]]) -> list[int]:
        """Replace a kernel where it was chosen; returns the sums that this changes."""
        first, second, negative = kernel
        shared = self._sums.sum(((False, self._sums.product(first)), (negative, self._sums.product(second))))
        for position, occurrences in chosen.items():
            terms = self._sums.sums[position]
            instead = {}
            for occurrence in occurrences:
                factor = occurrence.factor
                value = shared if factor is None else self._sums.product(tuple(sorted((factor, shared))))
                instead[occurrence.places[0]] = (occurrence.negative, value)
            gone = {occurrence.places[1] for occurrence in occurrences}
            left = (instead.get(place, term) for place, term in enumerate(terms) if place not in gone)
            self._sums.change_sum(position, tuple(left))
        return [shared, *chosen]


def _without(factors: tuple[int, ...], factor: int) -> tuple[int, ...]:
    at = factors.index(factor)
    return factors[:at] + factors[at + 1 :]


def _leaves_only_negative(terms: tuple[Term, ...], occurrence: _Occurrence) -> bool:
    """Whether nothing would be left that is not subtracted, so that the sum would need a sign change."""
    rest = (negative for place, (negative, _) in enumerate(terms) if place not in occurrence.places)
    return occurrence.negative and all(rest)
