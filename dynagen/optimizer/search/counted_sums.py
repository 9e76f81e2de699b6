"""Sums of products with cost and users, changed in transactions, and a table of numbers.

A search changes a few of hundreds of sums, measures the saving, and most often rolls the changes
back. So costs are never counted from scratch: a change adjusts the counts of the products involved,
and old sums are kept until the transaction ends.

Exact numbers are replaced by places in a table. So numbers are compared and divided by a look-up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Monomial, Polynomial, split_common_factor
from dynagen.numbers.traced import TracedNumber

Terms = dict[Monomial[int], int]
"""A polynomial with places in place of numbers; replaced as a whole, never changed."""


class NumberTable:
    """Exact numbers by place.

    Numbers are stored by magnitude; the place of a negative number is negative. The place of 1 is
    1, and 0 is the place of no number.
    """

    def __init__(self) -> None:
        self._values = [ONE, ONE]
        self._places = {ONE: 1}
        self._common: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._products: dict[tuple[int, int], int] = {}

    def find_place(self, number: Exact) -> int:
        """Return the place of a number, which is negative for a negative number.

        Args:
            number: number that is not zero; its absolute value is appended if it is new.
        """
        size = number.unsigned
        # Equal numbers with different formulas are one number, as they are in a run without names.
        value = size.value if isinstance(size, TracedNumber) else size
        place = self._places.get(value)
        if place is None:
            place = self._places[value] = len(self._values)
            self._values.append(size)
        return -place if number.has_minus else place

    def get_number(self, place: int) -> Exact:
        """Return the number at a place."""
        return self._values[place] if place > 0 else -self._values[-place]

    def divide(self, numerator: int, denominator: int) -> int:
        """Return the place of a ratio, or 0 if it would divide by run-time parameters."""
        if denominator == 1:
            return numerator
        _, denominator_rest, numerator_rest = self.split_common(denominator, numerator)
        return numerator_rest if denominator_rest == 1 else 0

    def split_common(self, first: int, second: int) -> tuple[int, int, int]:
        """Return the places of the common factor of two numbers and of both without it.

        The first number without the common factor is 1 wherever it divides the second number.
        """
        # 1 has no common factor with any number; this case is by far the commonest.
        if first == 1:
            return 1, 1, second
        known = self._common.get((first, second))
        if known is None:
            numbers = split_common_factor(self.get_number(first), self.get_number(second))
            common, left, right = map(self.find_place, numbers)
            known = self._common[first, second] = common, left, right
        return known

    def multiply(self, left: int, right: int) -> int:
        """Return the place of the product of two numbers."""
        if left == 1:
            return right
        known = self._products.get((left, right))
        if known is None:
            known = self._products[left, right] = self.find_place(
                self.get_number(left) * self.get_number(right)
            )
        return known

    def encode(self, polynomial: Polynomial[int]) -> Terms:
        """Return a polynomial in which table places stand for its numbers."""
        return {factors: self.find_place(number) for factors, number in polynomial.items()}

    def decode(self, terms: Terms) -> Polynomial[int]:
        """Return a polynomial with exact numbers."""
        return {factors: self.get_number(place) for factors, place in terms.items()}


@dataclass(frozen=True)
class TermCosts:
    """The prices of one addition and one multiplication."""

    addition: float = 1.0
    multiplication: float = 1.0


class CountedSums(Mapping[int, Terms]):
    """Values as sums of products of other values.

    Attributes:
        cost: cost of all sums, term by term. Products that are equal up to the sign are computed
            once.
        numbers: the table of numbers.
        costs: the prices of addition and multiplication.
    """

    def __init__(
        self, sums: Mapping[int, Polynomial[int]], costs: TermCosts, numbers: NumberTable
    ) -> None:
        """Count some sums.

        Args:
            sums: polynomials by value.
            costs: the prices of addition and multiplication.
            numbers: the table for their numbers.
        """
        self.cost = 0.0
        self.numbers = numbers
        self.costs = costs
        self._sums: dict[int, Terms] = {}
        # 3 x y and 5 x y are two products of one monomial: x y is multiplied once, then by each
        # number.
        self._monomials: defaultdict[Monomial[int], int] = defaultdict(int)
        self._products: defaultdict[tuple[Monomial[int], int], int] = defaultdict(int)
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

    def build_polynomials(self) -> dict[int, Polynomial[int]]:
        """Return all sums as polynomials with exact numbers."""
        return {value: self.numbers.decode(terms) for value, terms in self._sums.items()}

    def find_users(self, value: int) -> Mapping[int, int]:
        """Return the sums with a value as a factor, and how often each contains it."""
        return self._users[value]

    def iterate_products(self) -> Iterator[tuple[Monomial[int], int]]:
        """Yield all products without signs: monomial and place of the number."""
        return iter(self._products)

    def replace(self, value: int, terms: Terms | None) -> None:
        """Replace the terms of a value; None drops the value."""
        old = self._sums.pop(value, None)
        # A rollback restores the terms at `begin`, so only the first old ones are kept.
        self._before.setdefault(value, old)
        # The table of divisors reads stale values later, independently of transactions.
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
        """Return the values whose terms have changed since the last call of this method."""
        stale, self._stale = list(self._stale), {}
        return stale

    def begin(self) -> None:
        """Commit all changes and start a transaction."""
        self._before = {}

    def list_changed_values(self) -> list[int]:
        """Return the values whose terms have changed since `begin`."""
        return list(self._before)

    def list_touched_values(self) -> list[int]:
        """Return the values that have changed since `begin`, and their old and new factors."""
        touched = dict.fromkeys(self._before)
        for value, old in self._before.items():
            for terms in (old, self._sums.get(value)):
                touched.update((factor, None) for factors in terms or () for factor in factors)
        return list(touched)

    def roll_back(self) -> None:
        """Undo all changes since `begin`."""
        before = self._before
        for value, terms in before.items():
            self.replace(value, terms)
        self.begin()

    def add_term(self, factors: Monomial[int], number: int) -> int:
        """Add number times the product of `factors` to the counts; return its multiplications."""
        if not factors:
            return 0
        product = factors, abs(number)
        self._products[product] += 1
        if self._products[product] > 1:
            return 0
        self._monomials[factors] += 1
        # One multiplication for the number, unless it is 1; those of the monomial only the first
        # time.
        return (product[1] != 1) + (len(factors) - 1 if self._monomials[factors] == 1 else 0)

    def remove_term(self, factors: Monomial[int], number: int) -> int:
        """Remove number times the product of `factors` from the counts; return the savings."""
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
