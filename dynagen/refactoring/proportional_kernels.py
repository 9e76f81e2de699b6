"""Proportional kernels: what polynomials have in common but for a factor, numbers included, becomes a value of its own.

With k = 3 + 5 z^2, the terms 3 x y + 5 x y z^2 are x y k, and 6 u + 10 u z^2 are 2 u k. The pass `kernels` shares what is
equal but for one value; here numbers count by their ratio, and any monomial may be the factor. As there, candidates are pairs
of terms (A. Hosangadi, F. Fallah, R. Kastner, "Optimizing Polynomial[int] Expressions by Algebraic Factorization and Common
Subexpression Elimination", IEEE Trans. Computer-Aided Design 25(10), 2006): the one that saves most goes first, a single
occurrence with a common factor among them, and larger kernels are found as kernels of kernels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

from dynagen.numbers.polynomials import Monomial, common_factors, divide
from dynagen.refactoring.counted_sums import CountedSums
from dynagen.refactoring.number_table import Terms

_Kernel = tuple[Monomial[int], Monomial[int], int]
"""Both terms without their common factor, and the ratio of the second number to the first."""


class _Occurrence(NamedTuple):
    """Two terms of a polynomial, what divides both, and the number of the first."""

    value: int
    first: Monomial[int]
    second: Monomial[int]
    factor: Monomial[int]
    number: int


_Occurrences = list[tuple[_Kernel, _Occurrence]]
"""All of one polynomial."""


class _Replacement(NamedTuple):
    """Where a kernel is to be replaced, the number that its first term is to have, and what that saves."""

    saving: float
    occurrences: list[_Occurrence]
    unit: int


_LEAST_SAVING = 1e-6  # less is rounding of weights
_NOTHING = _Replacement(0.0, [], 1)


class Kernels:
    """All kernels of sums that change, and those that save something."""

    def __init__(self, sums: CountedSums, first_new: int) -> None:
        """Look at all sums, and remember them.

        Args:
            sums: of which kernels are shared.
            first_new: a number from which on there are no values.
        """
        self._sums = sums
        self._new = first_new
        self._found: dict[_Kernel, dict[int, list[_Occurrence]]] = {}
        self._of_value: dict[int, _Occurrences] = {}
        self._savings: dict[_Kernel, float] = {}
        self._before: dict[int, _Occurrences] = {}
        self.update()
        self._before.clear()
        sums.begin()

    def update(self) -> None:
        """Look at the sums that have changed."""
        concerned: dict[_Kernel, None] = {}
        for value in self._sums.take_stale():
            occurrences = list(self._occurrences(value)) if value in self._sums else []
            before = self._exchange(value, occurrences)
            self._before.setdefault(value, before)
            concerned.update((kernel, None) for kernel, _ in (*before, *occurrences))
        for kernel in concerned:
            self._note(kernel, self._replacement(kernel).saving)

    def begin(self) -> None:
        """Remember what is here now, sums too, and share only what changes from now on."""
        self._sums.begin()
        self._before = {}
        self._savings = {}

    def undo(self) -> None:
        """Go back to what was, sums too."""
        self._sums.undo()
        self._sums.take_stale()
        for value, occurrences in self._before.items():
            self._exchange(value, occurrences)
        self.begin()

    def share(self, perturbed: Callable[[float], float] = float) -> None:
        """Share kernels until none saves anything.

        Args:
            perturbed: what a saving is taken for, by which the next kernel is chosen.
        """
        savings = self._savings
        while savings:
            kernel = max(savings, key=lambda each: perturbed(savings[each]))
            replacement = self._replacement(kernel)
            if replacement.saving == savings[kernel]:
                self._replace(kernel, replacement)
                self.update()
            else:  # it has changed with what other sums need
                self._note(kernel, replacement.saving)

    def _exchange(self, value: int, occurrences: _Occurrences) -> _Occurrences:
        """Give a value other occurrences of kernels; returns those that it had."""
        before = self._of_value.pop(value, [])
        for kernel, _ in before:
            having = self._found.get(kernel, {})
            having.pop(value, None)
            if not having:
                self._found.pop(kernel, None)
        for kernel, occurrence in occurrences:
            self._found.setdefault(kernel, {}).setdefault(value, []).append(occurrence)
        if occurrences:
            self._of_value[value] = occurrences
        return before

    def _note(self, kernel: _Kernel, saving: float) -> None:
        if saving > _LEAST_SAVING:
            self._savings[kernel] = saving
        else:
            self._savings.pop(kernel, None)

    def _occurrences(self, value: int) -> Iterator[tuple[_Kernel, _Occurrence]]:
        ratio = self._sums.numbers.ratio
        for (left, of_left), (right, of_right) in combinations(sorted(self._sums[value].items()), 2):
            factor = common_factors(left, right)
            a, b = divide(left, factor), divide(right, factor)
            if a <= b:
                yield (a, b, ratio(of_right, of_left)), _Occurrence(value, left, right, factor, of_left)
            else:
                yield (b, a, ratio(of_left, of_right)), _Occurrence(value, right, left, factor, of_right)

    def _replacement(self, kernel: _Kernel) -> _Replacement:
        chosen = self._apart(kernel)
        sums, unit = self._sums, 1
        if len(chosen) < 2:
            if not chosen or (not chosen[0].factor and (abs(kernel[2]) != 1 or abs(chosen[0].number) == 1)):
                return _NOTHING
            if abs(kernel[2]) != 1:
                unit = abs(chosen[0].number)
        else:
            times = Counter(abs(each.number) for each in chosen)
            unit = max(times, key=lambda number: (times[number], number == 1))
        before = [(factors, sums[each.value][factors]) for each in chosen for factors in (each.first, each.second)]
        after = [*self._terms(kernel, unit).items()]
        after += [((*each.factor, -1), sums.numbers.ratio(each.number, unit)) for each in chosen]  # -1 is the kernel
        saved = sum(sums.release(*term) for term in before) - sum(sums.need(*term) for term in after)
        for term in after:
            sums.release(*term)
        for term in before:
            sums.need(*term)
        saving = sums.weights.addition * (len(chosen) - 1) + sums.weights.multiplication * saved
        return _Replacement(saving, chosen, unit)

    def _apart(self, kernel: _Kernel) -> list[_Occurrence]:
        """The occurrences of a kernel that have no term in common, the first ones first."""
        taken: set[tuple[int, Monomial[int]]] = set()
        chosen = []
        for occurrences in self._found.get(kernel, {}).values():
            for each in occurrences:
                ends = (each.value, each.first), (each.value, each.second)
                if taken.isdisjoint(ends):
                    taken.update(ends)
                    chosen.append(each)
        return chosen

    def _terms(self, kernel: _Kernel, unit: int) -> Terms:
        first, second, ratio = kernel
        return {first: unit, second: self._sums.numbers.product(unit, ratio)}

    def _replace(self, kernel: _Kernel, replacement: _Replacement) -> None:
        """Make a kernel a new value."""
        sums, numbers, new = self._sums, self._sums.numbers, self._new
        self._new += 1
        sums.replace(new, self._terms(kernel, replacement.unit))
        changed: dict[int, Terms] = {}
        for each in replacement.occurrences:
            terms = changed.setdefault(each.value, dict(sums[each.value]))
            del terms[each.first], terms[each.second]
            factors, number = (*each.factor, new), numbers.value(numbers.ratio(each.number, replacement.unit))
            if factors in terms:
                number = number + numbers.value(terms.pop(factors))
            if number:
                terms[factors] = numbers.place(number)
        for value, terms in changed.items():
            sums.replace(value, terms)
