"""Sums of products with their cost and their users, kept up to date while they change; changes can be undone.

A search changes a few of hundreds of sums, asks what that has saved, and most often takes it back. So nothing is counted
anew: a change adjusts the counts of the products that it releases and needs, and the old sums are kept until the change is
accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dynagen.numbers.polynomials import Monomial, Polynomial
from dynagen.refactoring.number_table import NumberTable, Terms


@dataclass(frozen=True)
class TermCosts:
    """The costs of one addition and one multiplication."""

    addition: float = 1.0
    multiplication: float = 1.0


class CountedSums(Mapping[int, Terms]):
    """Values as sums of products of others.

    Attributes:
        cost: of all sums, term by term, where equal products, be it with opposite signs, are computed once.
        numbers: the table.
    """

    def __init__(self, sums: Mapping[int, Polynomial[int]], costs: TermCosts, numbers: NumberTable) -> None:
        self.cost = 0.0
        self.numbers = numbers
        self.costs = costs
        self._sums: dict[int, Terms] = {}
        self._monomials: defaultdict[Monomial[int], int] = defaultdict(int)  # different multiples of each
        self._products: defaultdict[tuple[Monomial[int], int], int] = defaultdict(int)  # uses of each, be it negative
        self._users: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self._before: dict[int, Terms | None] = {}
        self._stale: dict[int, None] = {}
        for value, polynomial in sums.items():
            self.replace(value, numbers.terms(polynomial))

    def __getitem__(self, value: int) -> Terms:
        return self._sums[value]

    def __contains__(self, value: object) -> bool:
        return value in self._sums

    def __iter__(self) -> Iterator[int]:
        return iter(self._sums)

    def __len__(self) -> int:
        return len(self._sums)

    def polynomials(self) -> dict[int, Polynomial[int]]:
        """All sums, as polynomials."""
        return {value: self.numbers.polynomial(terms) for value, terms in self._sums.items()}

    def users(self, value: int) -> Mapping[int, int]:
        """The sums that need a value, and how often it is a factor in each."""
        return self._users[value]

    def products(self) -> Iterator[tuple[Monomial[int], int]]:
        """All that are multiplied, without signs."""
        return iter(self._products)

    def replace(self, value: int, terms: Terms | None) -> None:
        """Give a value other terms, or drop it."""
        old = self._sums.pop(value, None)
        self._before.setdefault(value, old)
        self._stale[value] = None
        saved = needed = 0
        if old is not None:
            for factors, number in old.items():
                saved += self.release(factors, number)
                for factor in factors:
                    users = self._users[factor]
                    users[value] -= 1
                    if not users[value]:
                        del users[value]
            self.cost -= self.costs.addition * max(0, len(old) - 1)
        if terms is not None:
            self._sums[value] = terms
            for factors, number in terms.items():
                needed += self.need(factors, number)
                for factor in factors:
                    users = self._users[factor]
                    users[value] = users.get(value, 0) + 1
            self.cost += self.costs.addition * max(0, len(terms) - 1)
        self.cost += self.costs.multiplication * (needed - saved)

    def take_stale(self) -> list[int]:
        """Values that have been given other terms since this was asked last."""
        stale, self._stale = list(self._stale), {}
        return stale

    def begin(self) -> None:
        """Remember what is here now."""
        self._before = {}

    def changed(self) -> list[int]:
        """Values that have been given other terms since `begin`."""
        return list(self._before)

    def touched(self) -> list[int]:
        """Values that have changed since `begin`, and what they need or have needed."""
        touched = dict.fromkeys(self._before)
        for value, old in self._before.items():
            for terms in (old, self._sums.get(value)):
                touched.update((factor, None) for factors in terms or () for factor in factors)
        return list(touched)

    def undo(self) -> None:
        """Go back to what was."""
        before = self._before
        for value, terms in before.items():
            self.replace(value, terms)
        self.begin()

    def need(self, factors: Monomial[int], number: int) -> int:
        """Count a term in; returns the multiplications that it costs."""
        if not factors:
            return 0
        product = factors, abs(number)
        self._products[product] += 1
        if self._products[product] > 1:
            return 0
        self._monomials[factors] += 1
        return (product[1] != 1) + (len(factors) - 1 if self._monomials[factors] == 1 else 0)

    def release(self, factors: Monomial[int], number: int) -> int:
        """Count a term out; returns the multiplications that it saves."""
        if not factors:
            return 0
        product = factors, abs(number)
        self._products[product] -= 1
        if self._products[product]:
            return 0
        del self._products[product]
        self._monomials[factors] -= 1
        if self._monomials[factors]:
            return int(product[1] != 1)
        del self._monomials[factors]
        return (product[1] != 1) + len(factors) - 1
