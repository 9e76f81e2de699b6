"""Proportional kernels: what polynomials have in common but for a factor, numbers included, becomes a value of its own.

With k = 3 + 5 z^2, the terms 3 x y + 5 x y z^2 are x y k, and 6 u + 10 u z^2 are 2 u k. The pass `kernels` shares what is
equal but for one value; here numbers count by their ratio, and any monomial may be the factor. As there, candidates are pairs
of terms (A. Hosangadi, F. Fallah, R. Kastner, "Optimizing Polynomial Expressions by Algebraic Factorization and Common
Subexpression Elimination", IEEE Trans. Computer-Aided Design 25(10), 2006): the one that saves most goes first, a single
occurrence with a common factor among them, and larger kernels are found as kernels of kernels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from dynagen.exact import ONE, Exact
from dynagen.passes.polynomials import Monomial, Polynomial, common_factors, divide

_Kernel = tuple[Monomial, Monomial, int]
"""Both terms without their common factor, and the ratio of the second number to the first."""
_Terms = dict[Monomial, int]
"""A polynomial with numbers of a table."""


@dataclass(frozen=True)
class Weights:
    """What an addition and a multiplication cost."""

    addition: float = 1.0
    multiplication: float = 1.0


class _Occurrence(NamedTuple):
    """Two terms of a polynomial, what divides both, and the number of the first."""

    value: int
    first: Monomial
    second: Monomial
    factor: Monomial
    number: int


class Numbers:
    """Exact numbers by their places in a table, negative for those below zero; 1 is at 1. Ratios are computed once."""

    def __init__(self) -> None:
        self._values = [ONE, ONE]
        self._places = {ONE: 1}
        self._ratios: dict[tuple[int, int], int] = {}
        self._products: dict[tuple[int, int], int] = {}

    def place(self, number: Exact) -> int:
        """Where a number is, which is not zero."""
        size = abs(number)
        place = self._places.get(size)
        if place is None:
            place = self._places[size] = len(self._values)
            self._values.append(size)
        return place if size == number else -place

    def value(self, place: int) -> Exact:
        """The number at a place."""
        return self._values[place] if place > 0 else -self._values[-place]

    def ratio(self, numerator: int, denominator: int) -> int:
        """Where the ratio of two numbers is."""
        if denominator == 1:
            return numerator
        known = self._ratios.get((numerator, denominator))
        if known is None:
            known = self._ratios[numerator, denominator] = self.place(self.value(numerator) / self.value(denominator))
        return known

    def product(self, left: int, right: int) -> int:
        """Where the product of two numbers is."""
        if left == 1:
            return right
        known = self._products.get((left, right))
        if known is None:
            known = self._products[left, right] = self.place(self.value(left) * self.value(right))
        return known


def share_proportional(
    sums: Mapping[int, Polynomial],
    first_new: int,
    weights: Weights,
    numbers: Numbers,
    perturbed: Callable[[float], float] = float,
) -> dict[int, Polynomial]:
    """Share kernels until none saves anything.

    Args:
        sums: values as polynomials in others.
        first_new: a number from which on there are no values.
        weights: of operations.
        numbers: a table.
        perturbed: what a saving is taken for, by which the next kernel is chosen.

    Returns:
        The sums with new ones.
    """
    sharing = _Sharing(
        {value: {m: numbers.place(n) for m, n in each.items()} for value, each in sums.items()}, weights, numbers
    )
    sharing.run(first_new, perturbed)
    return {value: {m: numbers.value(n) for m, n in each.items()} for value, each in sharing.sums.items()}


class _Sharing:
    """Sums, which products they need, and kernels with all their occurrences and what each saves."""

    def __init__(self, sums: dict[int, _Terms], weights: Weights, numbers: Numbers) -> None:
        self.sums = sums
        self._weights = weights
        self._numbers = numbers
        self._monomials: Counter[Monomial] = Counter()  # how many different multiples of each are needed
        self._products: Counter[tuple[Monomial, int]] = Counter()  # how often each is needed, be it negative
        self._found: dict[_Kernel, dict[int, list[_Occurrence]]] = {}
        self._kernels: dict[int, list[_Kernel]] = {}
        self._savings: dict[_Kernel, float] = {}
        for terms in sums.values():
            for term in terms.items():
                self._need(*term)
        self._look_at(sums)

    def run(self, first_new: int, perturbed: Callable[[float], float]) -> None:
        while self._savings:
            savings = self._savings
            kernel = max(savings, key=lambda each: perturbed(savings[each]))
            saving, occurrences, unit = self._choice(kernel)
            if saving == savings[kernel]:
                self._look_at([first_new, *self._share(kernel, occurrences, unit, first_new)])
                first_new += 1
            else:  # it has changed with what other sums need
                self._note(kernel, saving)

    def _need(self, factors: Monomial, number: int) -> int:
        """Take note of a term; the multiplications that it costs."""
        if not factors:
            return 0
        product = factors, abs(number)
        self._products[product] += 1
        if self._products[product] > 1:
            return 0
        self._monomials[factors] += 1
        return (product[1] != 1) + (len(factors) - 1 if self._monomials[factors] == 1 else 0)

    def _release(self, factors: Monomial, number: int) -> int:
        """The opposite; the multiplications that it saves."""
        if not factors:
            return 0
        product = factors, abs(number)
        self._products[product] -= 1
        if self._products[product]:
            return 0
        self._monomials[factors] -= 1
        return (product[1] != 1) + (0 if self._monomials[factors] else len(factors) - 1)

    def _look_at(self, changed: Iterable[int]) -> None:
        concerned: dict[_Kernel, None] = {}
        for value in changed:
            for kernel in self._kernels.pop(value, ()):
                self._found[kernel].pop(value, None)
                concerned[kernel] = None
            self._kernels[value] = mine = []
            for kernel, occurrence in self._occurrences(value):
                self._found.setdefault(kernel, {}).setdefault(value, []).append(occurrence)
                mine.append(kernel)
                concerned[kernel] = None
        for kernel in concerned:
            self._note(kernel, self._choice(kernel)[0])

    def _note(self, kernel: _Kernel, saving: float) -> None:
        if saving > 0:
            self._savings[kernel] = saving
        else:
            self._savings.pop(kernel, None)

    def _occurrences(self, value: int) -> Iterator[tuple[_Kernel, _Occurrence]]:
        ratio = self._numbers.ratio
        for (left, of_left), (right, of_right) in combinations(sorted(self.sums[value].items()), 2):
            factor = common_factors(left, right)
            a, b = divide(left, factor), divide(right, factor)
            if a <= b:
                yield (a, b, ratio(of_right, of_left)), _Occurrence(value, left, right, factor, of_left)
            else:
                yield (b, a, ratio(of_left, of_right)), _Occurrence(value, right, left, factor, of_right)

    def _choice(self, kernel: _Kernel) -> tuple[float, list[_Occurrence], int]:
        """What a kernel saves, where it is to be replaced, and the number that its first term is to have."""
        taken: set[tuple[int, Monomial]] = set()
        chosen = []
        for occurrences in self._found[kernel].values():
            for each in occurrences:
                ends = (each.value, each.first), (each.value, each.second)
                if taken.isdisjoint(ends):
                    taken.update(ends)
                    chosen.append(each)
        if not chosen or (len(chosen) == 1 and not chosen[0].factor and abs(kernel[2]) != 1):
            return 0.0, chosen, 1
        unit = 1
        if len(chosen) > 1 or abs(kernel[2]) != 1:
            times = Counter(abs(each.number) for each in chosen)
            unit = max(times, key=lambda number: (times[number], number == 1))
        before = [(factors, self.sums[each.value][factors]) for each in chosen for factors in (each.first, each.second)]
        after = [*self._terms(kernel, unit).items()]
        after += [((*each.factor, -1), self._numbers.ratio(each.number, unit)) for each in chosen]  # -1 is the kernel
        saved = sum(self._release(*term) for term in before) - sum(self._need(*term) for term in after)
        for term in after:
            self._release(*term)
        for term in before:
            self._need(*term)
        return self._weights.addition * (len(chosen) - 1) + self._weights.multiplication * saved, chosen, unit

    def _terms(self, kernel: _Kernel, unit: int) -> _Terms:
        first, second, ratio = kernel
        return {first: unit, second: self._numbers.product(unit, ratio)}

    def _share(self, kernel: _Kernel, chosen: list[_Occurrence], unit: int, new: int) -> Iterable[int]:
        """Make a kernel a new value; returns the sums that this changes."""
        self.sums[new] = self._terms(kernel, unit)
        for term in self.sums[new].items():
            self._need(*term)
        numbers = self._numbers
        for each in chosen:
            terms = self.sums[each.value]
            for factors in (each.first, each.second):
                self._release(factors, terms.pop(factors))
            factors, number = (*each.factor, new), numbers.value(numbers.ratio(each.number, unit))
            if factors in terms:
                self._release(factors, known := terms.pop(factors))
                number = number + numbers.value(known)
            if number:
                terms[factors] = numbers.place(number)
                self._need(factors, terms[factors])
        return dict.fromkeys(each.value for each in chosen)
