"""Large neighbourhood search: polynomials are factored, partly expanded, and factored again.

Polynomials are factored by greedy extraction of divisors: sums of two terms that are part of other
sums, perhaps times a factor. The result depends on the first choices: an extracted divisor hides
other divisors that overlap with it. If the search undid a single choice, the same choice would be
the best again. Therefore the search undoes several choices together, and extracts divisors again
with randomly perturbed savings. The new form of the polynomials is kept unless it costs more than
the old one (Shaw, "Using Constraint Programming and Local Search Methods to Solve Vehicle Routing
Problems", CP 1998).

A choice is undone by expanding a value in all sums that need it, where opposite terms cancel.
Occasionally the search replaces s^2 by 1 - c^2, or c^2 by 1 - s^2, for the sine s and cosine c of
an angle. Forms of equal cost are accepted, so that the search crosses plateaus. In experiments,
accepting more expensive forms as well did not improve the results.

    a = k*x + u;  b = k*y;  k = p + q              (2 mul, 2 add)
    loosened:  a = p*x + q*x + u;  b = p*y + q*y
    factored:  the same as before, or with other divisors
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from random import Random

from dynagen.numbers.parametric import replace_squares, substitute
from dynagen.optimizer.search.counted_sums import CountedSums, NumberTable, TermCosts
from dynagen.optimizer.search.expansion import Expansion
from dynagen.optimizer.search.factoring import ProportionalDivisors, count_shared_multiplications
from dynagen.watch import ENDLESS, Watch

_MOST_TERMS = 40  # of a sum that is factored again, as all pairs of terms are compared
# Values expanded in one trial. More undo too much: finding it again costs time and seldom pays.
_MOST_LOOSENED = 4
# How often a further value is a neighbour of those before. Of two distant changes, one may hide the
# gain of the other.
_NEAR = 0.8
_NOISE = 2.0  # in operations: divisors that save a little less may be taken first
_SQUARES = 0.25  # how often squares of a sine or cosine are replaced
_MOST_SHARED = 4.0  # further multiplications that shared pairs have ever saved in a trial


def search_forms(
    expansion: Expansion,
    costs: TermCosts,
    trials: int,
    seed: int = 0,
    watch: Watch = ENDLESS,
) -> Iterator[tuple[float, Expansion]]:
    """Yield ever cheaper forms of polynomials that define values, each with its estimated cost.

    The estimate counts the product of a pair of factors once if several products contain the pair.
    The first form is the given one, after simplification.

    Args:
        expansion: the polynomials to factor.
        costs: the prices of addition and multiplication.
        trials: how often the form is partly expanded (loosened) and factored again.
        seed: seed of the random choices.
        watch: may end the search early, even if the search has found no cheaper form.
    """
    search = _NeighbourhoodSearch(expansion, costs, Random(seed))
    yield search.cost, search.build_form()
    if search.factor():
        yield search.cost, search.build_form()
    for _ in range(trials):
        if watch.is_over:
            return
        if search.loosen_and_factor():
            yield search.cost, search.build_form()


class _NeighbourhoodSearch:
    """A search for a cheap form of polynomials, with the cheapest form so far and its cost.

    The cost counts a product of two factors once, even if several products contain the pair.
    """

    def __init__(self, expansion: Expansion, costs: TermCosts, random: Random) -> None:
        self._expansion = expansion
        self._random = random
        self._kept = {
            *expansion.results,
            *(value for values in expansion.operands.values() for value in values),
        }
        self._sums = CountedSums(expansion.sums, costs, NumberTable())
        _tidy(self._sums, self._kept, list(self._sums))
        self._divisors = ProportionalDivisors(self._sums, expansion.first_new)
        self.cost = _estimate_cost(self._sums)
        # The cost without shared pairs, which is known at any time without counting.
        self._unshared = self._sums.cost

    def build_form(self) -> Expansion:
        """Return the cheapest polynomials found so far, as an `Expansion`."""
        return replace(self._expansion, sums=self._sums.build_polynomials())

    def loosen_and_factor(self) -> bool:
        """Expand a few values drawn at random, and factor the sums again.

        Return whether the cost has decreased.
        """
        sums = self._sums
        _loosen(sums, self._expansion, self._random)
        _tidy(sums, self._kept, sums.list_touched_values())
        if (
            max(
                (len(sums[value]) for value in sums.list_changed_values() if value in sums),
                default=0,
            )
            > _MOST_TERMS
        ):
            self._divisors.roll_back()
            return False
        self._divisors.update()
        return self.factor(_NOISE * self._random.random())

    def factor(self, noise: float = 0.0) -> bool:
        """Factor the sums that are new or have been expanded; undo all changes if the cost rises.

        The divisor with the largest saving is extracted first. A random amount of up to `noise`
        operations is added to each saving, which changes this order. Return whether the cost has
        decreased.
        """
        # Counting shared pairs takes longer than all the rest, so it comes last. A form that is
        # dearer without them, by more than they have ever saved, is given up before.
        sums, cost = self._sums, self.cost
        self._divisors.extract_all(lambda _, saving: -saving - noise * self._random.random())
        _tidy(sums, self._kept, sums.list_touched_values())
        self._divisors.update()
        if (
            sums.cost > self._unshared + _MOST_SHARED * sums.costs.multiplication
            or (new_cost := _estimate_cost(sums)) > cost
        ):
            self._divisors.roll_back()
            return False
        # Equal cost is accepted: plateaus lead to other forms.
        self.cost, self._unshared = new_cost, sums.cost
        self._divisors.begin()
        return new_cost < cost


def _estimate_cost(sums: CountedSums) -> float:
    """Return the cost of sums if a pair of factors in several products is multiplied only once."""
    additions = sum(max(0, len(sums[value]) - 1) for value in sums)
    return (
        sums.costs.addition * additions
        + sums.costs.multiplication * count_shared_multiplications(sums.iterate_products())
    )


def _loosen(sums: CountedSums, expansion: Expansion, random: Random) -> None:
    """Expand a few values drawn at random, and sometimes replace squares in one sum.

    The square of a sine is replaced by 1 minus the square of the cosine, or the reverse.
    `expansion` contains the polynomials before the search, and the pairs of sines and cosines.
    """
    used = [value for value in sums if sums.find_users(value)]
    chosen: dict[int, None] = {}
    for _ in range(random.randint(1, _MOST_LOOSENED) if used else 0):
        near = _list_neighbours(sums, chosen) if random.random() < _NEAR else []
        # A dictionary serves as an ordered set: the search must not depend on hashes.
        chosen[random.choice(near or used)] = None
    for value in chosen:
        if value in sums:
            _expand_value(sums, value)
    if expansion.partners and random.random() < _SQUARES:
        value, square = random.choice(list(sums)), random.choice(list(expansion.partners))
        polynomial = replace_squares(
            sums.numbers.decode(sums[value]), {square: expansion.partners[square]}
        )
        sums.replace(value, sums.numbers.encode(polynomial))


def _list_neighbours(sums: CountedSums, values: Iterable[int]) -> list[int]:
    """Return the neighbours of values: the values themselves, their users, and their factors.

    The users of a value are the values whose sums contain it. The factors are those in the sums of
    the values and of their users. Neighbours without a user or a defining sum are left out.
    """
    around = [sum_ for value in values for sum_ in (value, *sums.find_users(value))]
    factors = (factor for sum_ in around for factors in sums[sum_] for factor in factors)
    near = dict.fromkeys([*around, *factors])
    return [value for value in near if value in sums and sums.find_users(value)]


def _expand_value(sums: CountedSums, value: int) -> None:
    """Expand a value where it is a factor: with the value v = b + c, a*v becomes a*b + a*c."""
    numbers, instead = sums.numbers, sums.numbers.decode(sums[value])
    for user in list(sums.find_users(value)):
        sums.replace(user, numbers.encode(substitute(numbers.decode(sums[user]), value, instead)))


def _tidy(sums: CountedSums, kept: Set[int], values: Iterable[int]) -> None:
    """Drop unused values, and insert the sums that define values where this adds no operation.

    `kept` are the results and the operands of operations other than sums and products. `values` are
    examined first, then the factors and users of values that have been dropped or replaced.
    """
    waiting = deque(values)
    while waiting:
        value = waiting.popleft()
        if value not in sums:
            continue
        factors = {factor: None for factors in sums[value] for factor in factors}
        if not sums.find_users(value) and value not in kept:
            sums.replace(value, None)
            waiting.extend(factors)
        # A value with one term, or with one user that adds it, is not a separate value.
        elif sums.find_users(value) and _is_free_to_expand(sums, value, kept):
            users = list(sums.find_users(value))
            _expand_value(sums, value)
            # The value has no users now, and its users and factors may have become trivial.
            waiting.extend([value, *users, *factors])


def _is_free_to_expand(sums: CountedSums, value: int, kept: Set[int]) -> bool:
    """Return whether expanding a value adds no operation to the sums.

    `kept` are the results and the operands of operations other than sums and products.
    """
    if len(sums[value]) < 2:
        return True
    ((user, times), *others) = sums.find_users(value).items()
    return value not in kept and times == 1 and not others and abs(sums[user].get((value,), 0)) == 1
