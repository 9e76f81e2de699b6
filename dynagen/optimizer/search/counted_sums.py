"""Sums of products with their cost and users, and a table of numbers.

A search changes only a few of its hundreds of sums, measures the saving, and most often undoes the
changes. For speed, a change of a sum only adjusts the counts of the affected products. Changes can
be undone until they are accepted (transaction).

Exact numbers are replaced by their indices in a table, so that numbers are compared and divided by
a look-up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import Monomial, Polynomial, split_common_factor
from dynagen.numbers.traced import TracedNumber

Terms = dict[Monomial[int], int]
"""Type of a polynomial: mapping from products to indices of coefficients in a `NumberTable`.

A polynomial is never modified.
"""


class NumberTable:
    """Table of exact numbers, which are identified by their indices.

    Only magnitudes are stored: a negative number has minus the index of its magnitude. The index of
    1 is 1, and no number has the index 0.
    """

    def __init__(self) -> None:
        self._values = [ONE, ONE]
        self._places = {ONE: 1}
        self._common: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._products: dict[tuple[int, int], int] = {}

    def find_place(self, number: Exact) -> int:
        """Return the index of a number's magnitude in the table, with the sign of the number.

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
        """Return the number that has a given index in the table."""
        return self._values[place] if place > 0 else -self._values[-place]

    def divide(self, numerator: int, denominator: int) -> int:
        """Return the index of the ratio of two numbers that are given by their indices.

        The result is 0, an invalid index, if the ratio has a denominator that depends on run-time
        parameters.
        """
        if denominator == 1:
            return numerator
        _, denominator_rest, numerator_rest = self.split_common(denominator, numerator)
        return numerator_rest if denominator_rest == 1 else 0

    def split_common(self, first: int, second: int) -> tuple[int, int, int]:
        """Return the indices of a common factor of two numbers, and of both numbers divided by it.

        If the first number divides the second one, the first quotient is 1.

        Args:
            first: index of the first number.
            second: index of the second number.
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
        """Return the index of the product of two numbers that are given by their indices."""
        if left == 1:
            return right
        known = self._products.get((left, right))
        if known is None:
            known = self._products[left, right] = self.find_place(
                self.get_number(left) * self.get_number(right)
            )
        return known

    def encode(self, polynomial: Polynomial[int]) -> Terms:
        """Return a polynomial with each coefficient replaced by its index in the table."""
        return {factors: self.find_place(number) for factors, number in polynomial.items()}

    def decode(self, terms: Terms) -> Polynomial[int]:
        """Return a polynomial with the exact number for each index; the inverse of `encode`."""
        return {factors: self.get_number(place) for factors, place in terms.items()}


@dataclass(frozen=True)
class TermCosts:
    """The prices of one addition and one multiplication in the cost model."""

    addition: float = 1.0
    multiplication: float = 1.0


class CountedSums(Mapping[int, Terms]):
    """Sums of products that define values, with the cost of computing all of them.

    Values are identified by integers. A changed sum can be restored until the next call of `begin`.

    Attributes:
        cost: cost of computing all sums term by term; products that are equal except for the sign
            are counted once.
        numbers: table of the coefficients in the sums.
        costs: the prices of addition and multiplication.
    """

    def __init__(
        self, sums: Mapping[int, Polynomial[int]], costs: TermCosts, numbers: NumberTable
    ) -> None:
        """Count the cost of some sums.

        Args:
            sums: polynomials, by the identifying numbers of the values that they define.
            costs: the prices of addition and multiplication.
            numbers: table for the numbers of the polynomials.
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
        """Return a mapping from values to the polynomials, with exact numbers, that define them."""
        return {value: self.numbers.decode(terms) for value, terms in self._sums.items()}

    def find_users(self, value: int) -> Mapping[int, int]:
        """Return the sums in which `value` is a factor, with the number of its occurrences.

        The keys of the result are the values that these sums define.
        """
        return self._users[value]

    def iterate_products(self) -> Iterator[tuple[Monomial[int], int]]:
        """Yield each different product: its factors, and the index of its numeric factor."""
        return iter(self._products)

    def replace(self, value: int, terms: Terms | None) -> None:
        """Replace the sum that defines a value, and update the cost.

        Args:
            value: identifying number of the value.
            terms: new sum, as a mapping from each monomial (ascending factors) to the index of its
                coefficient in the table of numbers. None removes the sum.
        """
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
        """Return the values whose sums have changed since the last call of this method."""
        stale, self._stale = list(self._stale), {}
        return stale

    def begin(self) -> None:
        """Accept all changes of sums so far; `roll_back` then undoes only later changes."""
        self._before = {}

    def list_changed_values(self) -> list[int]:
        """Return the values whose sums have changed since the call of `begin`."""
        return list(self._before)

    def list_touched_values(self) -> list[int]:
        """Return the values whose sums have changed since the call of `begin`, and their factors.

        The factors are the values that occur in the sums before or after the change.
        """
        touched = dict.fromkeys(self._before)
        for value, old in self._before.items():
            for terms in (old, self._sums.get(value)):
                touched.update((factor, None) for factors in terms or () for factor in factors)
        return list(touched)

    def roll_back(self) -> None:
        """Undo all changes of sums since the call of `begin`."""
        before = self._before
        for value, terms in before.items():
            self.replace(value, terms)
        self.begin()

    def add_term(self, factors: Monomial[int], number: int) -> int:
        """Count one more use of a product; return the number of added multiplications.

        Args:
            factors: ascending factors of the product, without its numeric factor.
            number: index of the product's numeric factor; its sign has no effect.
        """
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
        """Reduce the uses of a product by one; return the number of saved multiplications.

        Args:
            factors: ascending factors of the product, without its numeric factor.
            number: index of the product's numeric factor; its sign has no effect.
        """
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
