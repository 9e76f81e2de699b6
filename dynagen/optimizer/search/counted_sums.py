"""Sums of products with their cost and users, and the table of their exact numbers; changes can be rolled back.

Exact numbers by their places in a table: comparing and dividing them becomes looking up.

Sums of products with their cost and their users, kept up to date while they change; changes can be undone.

A search changes a few of hundreds of sums, asks what that has saved, and most often takes it back. So nothing is counted
anew: a change adjusts the counts of the products that it releases and needs, and the old sums are kept until the change is
accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Monomial, Polynomial, without_common_factor

Terms = dict[Monomial[int], int]
"""A polynomial with places in place of numbers; never changed, but for another one."""


class NumberTable:
    """Exact numbers by their places in a table, negative for those with a minus sign; 1 is at 1, and nothing is at 0."""

    def __init__(self) -> None:
        self._values = [ONE, ONE]
        self._places = {ONE: 1}
        self._common: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._products: dict[tuple[int, int], int] = {}

    def find_place(self, number: Exact) -> int:
        """The place of a number that is not zero."""
        size = number.unsigned
        place = self._places.get(size)
        if place is None:
            place = self._places[size] = len(self._values)
            self._values.append(size)
        return -place if number.has_minus else place

    def number_at(self, place: int) -> Exact:
        """The number at a place."""
        return self._values[place] if place > 0 else -self._values[-place]

    def divide(self, numerator: int, denominator: int) -> int:
        """The place of the ratio of two numbers; 0 if it takes a division by run-time parameters."""
        if denominator == 1:
            return numerator
        _, of_denominator, of_numerator = self.split_common(denominator, numerator)
        return of_numerator if of_denominator == 1 else 0

    def split_common(self, first: int, second: int) -> tuple[int, int, int]:
        """The common factor of two numbers, and what is left of both: 1 of the first wherever it divides the second."""
        if first == 1:
            return 1, 1, second
        known = self._common.get((first, second))
        if known is None:
            numbers = without_common_factor(self.number_at(first), self.number_at(second))
            common, left, right = map(self.find_place, numbers)
            known = self._common[first, second] = common, left, right
        return known

    def multiply(self, left: int, right: int) -> int:
        """The place of the product of two numbers."""
        if left == 1:
            return right
        known = self._products.get((left, right))
        if known is None:
            known = self._products[left, right] = self.find_place(
                self.number_at(left) * self.number_at(right)
            )
        return known

    def encode(self, polynomial: Polynomial[int]) -> Terms:
        """A polynomial with places."""
        return {factors: self.find_place(number) for factors, number in polynomial.items()}

    def decode(self, terms: Terms) -> Polynomial[int]:
        """A polynomial with numbers."""
        return {factors: self.number_at(place) for factors, place in terms.items()}


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

    def __init__(
        self, sums: Mapping[int, Polynomial[int]], costs: TermCosts, numbers: NumberTable
    ) -> None:
        self.cost = 0.0
        self.numbers = numbers
        self.costs = costs
        self._sums: dict[int, Terms] = {}
        self._monomials: defaultdict[Monomial[int], int] = defaultdict(
            int
        )  # different multiples of each
        self._products: defaultdict[tuple[Monomial[int], int], int] = defaultdict(
            int
        )  # uses of each, be it negative
        self._users: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self._before: dict[int, Terms | None] = {}
        self._stale: dict[int, None] = {}
        for value, polynomial in sums.items():
            self.replace(value, numbers.encode(polynomial))

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
        return {value: self.numbers.decode(terms) for value, terms in self._sums.items()}

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
                saved += self.remove_term(factors, number)
                for factor in factors:
                    users = self._users[factor]
                    users[value] -= 1
                    if not users[value]:
                        del users[value]
            self.cost -= self.costs.addition * max(0, len(old) - 1)
        if terms is not None:
            self._sums[value] = terms
            for factors, number in terms.items():
                needed += self.add_term(factors, number)
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

    def changed_values(self) -> list[int]:
        """Values that have been given other terms since `begin`."""
        return list(self._before)

    def touched_values(self) -> list[int]:
        """Values that have changed since `begin`, and what they need or have needed."""
        touched = dict.fromkeys(self._before)
        for value, old in self._before.items():
            for terms in (old, self._sums.get(value)):
                touched.update((factor, None) for factors in terms or () for factor in factors)
        return list(touched)

    def roll_back(self) -> None:
        """Go back to what was."""
        before = self._before
        for value, terms in before.items():
            self.replace(value, terms)
        self.begin()

    def add_term(self, factors: Monomial[int], number: int) -> int:
        """Count a term in; returns the multiplications that it costs."""
        if not factors:
            return 0
        product = factors, abs(number)
        self._products[product] += 1
        if self._products[product] > 1:
            return 0
        self._monomials[factors] += 1
        return (product[1] != 1) + (len(factors) - 1 if self._monomials[factors] == 1 else 0)

    def remove_term(self, factors: Monomial[int], number: int) -> int:
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
