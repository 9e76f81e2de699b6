"""Exact numbers by their places in a table: comparing and dividing them becomes looking up."""

from __future__ import annotations

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.parametric import without_common_factor
from dynagen.numbers.polynomials import Monomial, Polynomial

Terms = dict[Monomial[int], int]
"""A polynomial with places in place of numbers; never changed, but for another one."""


class NumberTable:
    """Exact numbers by their places in a table, negative for those with a minus sign; 1 is at 1, and nothing is at 0."""

    def __init__(self) -> None:
        self._values = [ONE, ONE]
        self._places = {ONE: 1}
        self._common: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._products: dict[tuple[int, int], int] = {}

    def place(self, number: Exact) -> int:
        """The place of a number that is not zero."""
        size = number.unsigned
        place = self._places.get(size)
        if place is None:
            place = self._places[size] = len(self._values)
            self._values.append(size)
        return -place if number.has_minus else place

    def value(self, place: int) -> Exact:
        """The number at a place."""
        return self._values[place] if place > 0 else -self._values[-place]

    def ratio(self, numerator: int, denominator: int) -> int:
        """The place of the ratio of two numbers; 0 if it takes a division by run-time parameters."""
        if denominator == 1:
            return numerator
        _, of_denominator, of_numerator = self.without_common(denominator, numerator)
        return of_numerator if of_denominator == 1 else 0

    def without_common(self, first: int, second: int) -> tuple[int, int, int]:
        """The common factor of two numbers, and what is left of both: 1 of the first wherever it divides the second."""
        if first == 1:
            return 1, 1, second
        known = self._common.get((first, second))
        if known is None:
            numbers = without_common_factor(self.value(first), self.value(second))
            common, left, right = map(self.place, numbers)
            known = self._common[first, second] = common, left, right
        return known

    def product(self, left: int, right: int) -> int:
        """The place of the product of two numbers."""
        if left == 1:
            return right
        known = self._products.get((left, right))
        if known is None:
            known = self._products[left, right] = self.place(self.value(left) * self.value(right))
        return known

    def terms(self, polynomial: Polynomial[int]) -> Terms:
        """A polynomial with places."""
        return {factors: self.place(number) for factors, number in polynomial.items()}

    def polynomial(self, terms: Terms) -> Polynomial[int]:
        """A polynomial with numbers."""
        return {factors: self.value(place) for factors, place in terms.items()}
