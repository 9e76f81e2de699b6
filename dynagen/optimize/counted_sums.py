"""Sums of products with what they cost and who needs what, kept up to date while they change, and a way back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dynagen.exact import ONE, Exact
from dynagen.passes.polynomials import Monomial, Polynomial

Terms = dict[Monomial, int]
"""A polynomial with numbers of a table; never changed in place."""


@dataclass(frozen=True)
class Weights:
    """What an addition and a multiplication cost."""

    addition: float = 1.0
    multiplication: float = 1.0


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

    def terms(self, polynomial: Polynomial) -> Terms:
        """A polynomial with places."""
        return {factors: self.place(number) for factors, number in polynomial.items()}

    def polynomial(self, terms: Terms) -> Polynomial:
        """A polynomial with numbers."""
        return {factors: self.value(place) for factors, place in terms.items()}


class CountedSums:
    """Values as sums of products of others.

    Attributes:
        cost: of all sums, term by term, where equal products, be it with opposite signs, are computed once.
        numbers: the table.
    """

    def __init__(self, sums: Mapping[int, Polynomial], weights: Weights, numbers: Numbers) -> None:
        self.cost = 0.0
        self.numbers = numbers
        self.weights = weights
        self._sums: dict[int, Terms] = {}
        self._monomials: defaultdict[Monomial, int] = defaultdict(int)  # how many different multiples of each are needed
        self._products: defaultdict[tuple[Monomial, int], int] = defaultdict(int)  # how often each is needed, be it negative
        self._users: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self._before: dict[int, Terms | None] = {}
        for value, polynomial in sums.items():
            self.replace(value, numbers.terms(polynomial))

    def __getitem__(self, value: int) -> Terms:
        return self._sums[value]

    def __contains__(self, value: int) -> bool:
        return value in self._sums

    def __iter__(self) -> Iterator[int]:
        return iter(self._sums)

    def __len__(self) -> int:
        return len(self._sums)

    def polynomials(self) -> dict[int, Polynomial]:
        """All sums."""
        return {value: self.numbers.polynomial(terms) for value, terms in self._sums.items()}

    def users(self, value: int) -> Mapping[int, int]:
        """The sums that need a value, and how often it is a factor in each."""
        return self._users[value]

    def products(self) -> Iterator[tuple[Monomial, int]]:
        """All that are multiplied, without signs."""
        return iter(self._products)

    def replace(self, value: int, terms: Terms | None) -> None:
        """Give a value other terms, or drop it."""
        old = self._sums.pop(value, None)
        self._before.setdefault(value, old)
        saved = needed = 0
        if old is not None:
            for factors, number in old.items():
                saved += self.release(factors, number)
                for factor in factors:
                    users = self._users[factor]
                    users[value] -= 1
                    if not users[value]:
                        del users[value]
            self.cost -= self.weights.addition * max(0, len(old) - 1)
        if terms is not None:
            self._sums[value] = terms
            for factors, number in terms.items():
                needed += self.need(factors, number)
                for factor in factors:
                    users = self._users[factor]
                    users[value] = users.get(value, 0) + 1
            self.cost += self.weights.addition * max(0, len(terms) - 1)
        self.cost += self.weights.multiplication * (needed - saved)

    def begin(self) -> None:
        """Remember what is here now."""
        self._before = {}

    def changed(self) -> list[int]:
        """Values that have been given other terms since."""
        return list(self._before)

    def touched(self) -> list[int]:
        """These, and what they need or have needed."""
        touched = dict.fromkeys(self._before)
        for value, old in self._before.items():
            for terms in (old, self._sums.get(value)):
                touched.update((factor, None) for factors in terms or () for factor in factors)
        return list(touched)

    def undo(self) -> list[int]:
        """Go back to what was; returns what that changes."""
        before = self._before
        for value, terms in before.items():
            self.replace(value, terms)
        self.begin()
        return list(before)

    def need(self, factors: Monomial, number: int) -> int:
        """Take note of a term; the multiplications that it costs."""
        if not factors:
            return 0
        product = factors, abs(number)
        self._products[product] += 1
        if self._products[product] > 1:
            return 0
        self._monomials[factors] += 1
        return (product[1] != 1) + (len(factors) - 1 if self._monomials[factors] == 1 else 0)

    def release(self, factors: Monomial, number: int) -> int:
        """The opposite; the multiplications that it saves."""
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
