"""Exact numbers by their places in a table: comparing and dividing them becomes looking up."""

from __future__ import annotations

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.polynomials import Monomial, Polynomial

Terms = dict[Monomial[int], int]
"""A polynomial with places in place of numbers; never changed, but for another one."""


class NumberTable:
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

    def terms(self, polynomial: Polynomial[int]) -> Terms:
        """A polynomial with places."""
        return {factors: self.place(number) for factors, number in polynomial.items()}

    def polynomial(self, terms: Terms) -> Polynomial[int]:
        """A polynomial with numbers."""
        return {factors: self.value(place) for factors, place in terms.items()}
