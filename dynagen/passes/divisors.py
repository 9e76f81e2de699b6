"""Divisors: parts that sums have in common, extracted greedily, the one that saves most first.

A divisor is a sum of two terms; a sum in which it occurs, be it times a factor, can be written with a value in its place. It
is what is left of two terms without their common factor: a kernel in the sense of R. K. Brayton, C. McMullen, "The
Decomposition and Factorization of Boolean Expressions", ISCAS 1982, of two cubes. J. Rajski, J. Vasudevamurthy, "The
Testability-Preserving Concurrent Decomposition and Factorization of Boolean Expressions", IEEE Trans. Computer-Aided Design
11(6), 1992, show that two are enough: larger divisors are found as divisors of what divisors have left, and there are so few
of two terms that all of them are kept in a table, which is brought up to date where sums change. A. Hosangadi, F. Fallah, R.
Kastner, "Optimizing Polynomial Expressions by Algebraic Factorization and Common Subexpression Elimination", IEEE Trans.
Computer-Aided Design 25(10), 2006, do so with polynomials.

Here is the table; what a term is, and what an extraction saves, is said by whoever has the sums.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

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
        self._of_sum: dict[int, list[tuple[Divisor, Occurrence]]] = {}

    @abstractmethod
    def occurrences(self, value: int) -> Iterator[tuple[Divisor, Occurrence]]:
        """The divisors of a sum; none if there is no such sum any more."""

    @abstractmethod
    def extraction(self, divisor: Divisor) -> Extraction:
        """The best extraction of a divisor from the sums as they are now, and what it saves."""

    @abstractmethod
    def extract(self, divisor: Divisor, extraction: Extraction) -> Iterable[int]:
        """Make a divisor a value and write sums with it; returns the sums that are new, or different, or gone."""

    def look_at(self, changed: Iterable[int]) -> None:
        """Bring the table up to date with sums that are new, or different, or gone."""
        concerned: dict[Divisor, None] = {}
        for value in changed:
            occurrences = list(self.occurrences(value))
            before = self.exchange(value, occurrences)
            concerned.update((divisor, None) for divisor, _ in (*before, *occurrences))
        for divisor in concerned:
            self._note(divisor, self.extraction(divisor).saving if divisor in self.found else 0.0)

    def exchange(self, value: int, occurrences: list[tuple[Divisor, Occurrence]]) -> list[tuple[Divisor, Occurrence]]:
        """Give a sum other occurrences of divisors; returns those that it had."""
        before = self._of_sum.pop(value, [])
        for divisor, _ in before:
            having = self.found.get(divisor, {})
            having.pop(value, None)
            if not having:
                self.found.pop(divisor, None)
        for divisor, occurrence in occurrences:
            self.found.setdefault(divisor, {}).setdefault(value, []).append(occurrence)
        if occurrences:
            self._of_sum[value] = occurrences
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
            extraction = self.extraction(divisor)
            if extraction.saving == savings[divisor]:
                self.look_at(self.extract(divisor, extraction))
            else:
                self._note(divisor, extraction.saving)

    def _note(self, divisor: Divisor, saving: float) -> None:
        if saving > _LEAST_SAVING:
            self.savings[divisor] = saving
        else:
            self.savings.pop(divisor, None)
