"""Polynomials factored, loosened in places and factored again, as long as it pays: a search in large neighbourhoods.

Greedy extraction is bound by its first choices: a divisor that has become a value hides those that overlap with it. To undo
one choice alone gains nothing, for the same choice is the best again. So some choices are undone together and made anew, with
savings perturbed a little, and what comes of it is kept unless it costs more (P. Shaw, "Using Constraint Programming and
Local Search Methods to Solve Vehicle Routing Problems", CP 1998, calls this large neighbourhood search). To undo a choice is
to write a value out in the sums that need it, where opposite terms meet; replacing the squares of a sine or cosine goes where
no extraction leads. Forms of equal cost are accepted, so that the search drifts over plateaus; worse ones are not, which
gained nothing when tried. Costs are counted on the polynomials, of which only those are looked at again that have changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from random import Random

from dynagen.numbers.parametric import substitute, without_squares
from dynagen.optimizer.search.counted_sums import CountedSums, NumberTable, TermCosts
from dynagen.optimizer.search.expansion import Expansion
from dynagen.optimizer.search.factoring import ProportionalDivisors, count_shared_multiplications

_MOST_TERMS = 40  # of a sum that is factored again: it looks at all pairs
_MOST_LOOSENED = (
    4  # more undo too much: what a trial then has to find again costs time, and is seldom better
)
_NEAR = 0.8  # how often a further value is a neighbour of those before: of distant changes one may hide the other's gain
_NOISE = 2.0  # of savings, in operations: divisors that save a little less may be taken first
_SQUARES = 0.25  # how often they are replaced
_MOST_SHARED = 4.0  # operations that products may share more than before


def search_forms(
    expansion: Expansion, costs: TermCosts, trials: int, seed: int = 0
) -> Iterator[tuple[float, Expansion]]:
    """Ever cheaper forms of an expansion and their estimated costs, where products share factors; the last is the cheapest.

    Args:
        expansion: what to factor.
        costs: of operations.
        trials: how often to loosen it.
        seed: of all that is drawn at random.
    """
    search = _NeighbourhoodSearch(expansion, costs, Random(seed))
    yield search.cost, search.form()
    if search.factor():
        yield search.cost, search.form()
    for _ in range(trials):
        if search.loosen_and_factor():
            yield search.cost, search.form()


class _NeighbourhoodSearch:
    """The cheapest form so far, and what it costs."""

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
        self._unshared = self._sums.cost

    def form(self) -> Expansion:
        return replace(self._expansion, sums=self._sums.polynomials())

    def loosen_and_factor(self) -> bool:
        """Loosen the form in places and factor it again; whether it is cheaper then."""
        sums = self._sums
        _loosen(sums, self._expansion, self._random)
        _tidy(sums, self._kept, sums.touched_values())
        if (
            max((len(sums[value]) for value in sums.changed_values() if value in sums), default=0)
            > _MOST_TERMS
        ):
            self._divisors.roll_back()
            return False
        self._divisors.update()
        return self.factor(_NOISE * self._random.random())

    def factor(self, noise: float = 0.0) -> bool:
        """Factor what has changed, and take it all back if it costs more; whether it costs less."""
        # Factors that products share are counted last: to count them takes longer than all the rest. A form that without them
        # is dearer by more than they have ever brought is given up before.
        sums, cost = self._sums, self.cost
        self._divisors.extract_all(lambda _, saving: -saving - noise * self._random.random())
        _tidy(sums, self._kept, sums.touched_values())
        self._divisors.update()
        if (
            sums.cost > self._unshared + _MOST_SHARED * sums.costs.multiplication
            or (new_cost := _estimate_cost(sums)) > cost
        ):
            self._divisors.roll_back()
            return False
        self.cost, self._unshared = new_cost, sums.cost
        self._divisors.begin()
        return new_cost < cost


def _estimate_cost(sums: CountedSums) -> float:
    """The cost of sums once products share pairs of factors."""
    additions = sum(max(0, len(sums[value]) - 1) for value in sums)
    return (
        sums.costs.addition * additions
        + sums.costs.multiplication * count_shared_multiplications(sums.products())
    )


def _loosen(sums: CountedSums, expansion: Expansion, random: Random) -> None:
    """Write out a few values, most often neighbours, and now and then the squares of a sine or cosine in one sum."""
    used = [value for value in sums if sums.users(value)]
    chosen: dict[int, None] = {}
    for _ in range(random.randint(1, _MOST_LOOSENED) if used else 0):
        near = _list_neighbours(sums, chosen) if random.random() < _NEAR else []
        chosen[random.choice(near or used)] = None
    for value in chosen:
        if value in sums:
            _expand_value(sums, value)
    if expansion.partners and random.random() < _SQUARES:
        value, square = random.choice(list(sums)), random.choice(list(expansion.partners))
        polynomial = without_squares(
            sums.numbers.decode(sums[value]), {square: expansion.partners[square]}
        )
        sums.replace(value, sums.numbers.encode(polynomial))


def _list_neighbours(sums: CountedSums, values: Iterable[int]) -> list[int]:
    """Sums that values need, that need them, or that are needed together with them."""
    around = [sum_ for value in values for sum_ in (value, *sums.users(value))]
    factors = (factor for each in around for factors in sums[each] for factor in factors)
    near = dict.fromkeys([*around, *factors])
    return [value for value in near if value in sums and sums.users(value)]


def _expand_value(sums: CountedSums, value: int) -> None:
    """Write a value out wherever it is a factor."""
    numbers, instead = sums.numbers, sums.numbers.decode(sums[value])
    for user in list(sums.users(value)):
        sums.replace(user, numbers.encode(substitute(numbers.decode(sums[user]), value, instead)))


def _tidy(sums: CountedSums, kept: Set[int], values: Iterable[int]) -> None:
    """Drop values that nobody needs; write out single terms and parts of one sum, which costs nothing more then.

    Args:
        sums: to tidy.
        kept: values that are needed besides.
        values: where to look first.
    """
    waiting = deque(values)
    while waiting:
        value = waiting.popleft()
        if value not in sums:
            continue
        factors = {factor: None for factors in sums[value] for factor in factors}
        if not sums.users(value) and value not in kept:
            sums.replace(value, None)
            waiting.extend(factors)
        elif sums.users(value) and _is_free_to_expand(sums, value, kept):
            users = list(sums.users(value))
            _expand_value(sums, value)
            waiting.extend([value, *users, *factors])


def _is_free_to_expand(sums: CountedSums, value: int, kept: Set[int]) -> bool:
    """Whether to write a value out where it is needed adds no operation, as far as sums are concerned."""
    if len(sums[value]) < 2:
        return True
    ((user, times), *others) = sums.users(value).items()
    return value not in kept and times == 1 and not others and abs(sums[user].get((value,), 0)) == 1
