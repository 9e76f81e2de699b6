"""Polynomials factored, loosened in places and factored again, as long as it pays: a search in large neighbourhoods.

What is loosened are a few values, which those that need them write out, and squares of a sine or cosine. What factoring then
makes of it is kept unless it costs more (P. Shaw, "Using Constraint Programming and Local Search Methods to Solve Vehicle
Routing Problems", CP 1998, calls this large neighbourhood search). Costs are counted on the polynomials: to factor and count
takes a tenth of the time of all passes, which see only what was found last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from dynagen.exact import ONE
from dynagen.optimize.proportional_kernels import Numbers, Weights, share_proportional
from dynagen.optimize.shared_factors import share_factors
from dynagen.passes.expansion import Expansion
from dynagen.passes.polynomials import Polynomial, substitute, without_squares

_MOST_TERMS = 500
_MOST_LOOSENED = 3
_NOISE = 2.0  # of savings, in operations: kernels that save a little less may be taken first
_SQUARES = 0.25  # how often they are replaced

Sums = dict[int, Polynomial]


def refactorings(expansion: Expansion, weights: Weights, trials: int, seed: int = 0) -> Iterator[tuple[float, Expansion]]:
    """Ever cheaper forms of an expansion and their estimated costs; the last is the cheapest.

    Args:
        expansion: what to factor.
        weights: of operations.
        trials: how often to loosen it.
        seed: of all that is drawn at random.
    """
    random, numbers = Random(seed), Numbers()
    kept = {*expansion.results, *(value for values in expansion.operands.values() for value in values)}
    first_new = 1 + max((len(expansion.program.instructions), *expansion.sums))

    def factored(sums: Sums, noise: float) -> Sums:
        def perturbed(saving: float) -> float:
            return saving + noise * random.random()

        new = max((first_new, *(value + 1 for value in sums)))
        return _tidied(share_proportional(sums, new, weights, numbers, perturbed), kept)

    sums = factored(_tidied(dict(expansion.sums), kept), 0.0)
    shared = share_factors(sums)
    cost = _cost(shared, weights)
    yield cost, replace(expansion, sums=shared)
    for _ in range(trials):
        loosened = _tidied(_loosened(sums, expansion, random), kept)
        if max(map(len, loosened.values()), default=0) > _MOST_TERMS:
            continue
        candidate = factored(loosened, _NOISE * random.random())
        shared = share_factors(candidate)
        of_candidate = _cost(shared, weights)
        if of_candidate <= cost:
            if of_candidate < cost:
                yield of_candidate, replace(expansion, sums=shared)
            sums, cost = candidate, of_candidate


def _cost(sums: Sums, weights: Weights) -> float:
    """What sums cost, term by term, where equal products are computed once."""
    additions = sum(max(0, len(terms) - 1) for terms in sums.values())
    products = {(factors, abs(number)) for terms in sums.values() for factors, number in terms.items() if factors}
    multiplications = sum(len(factors) - (number == ONE) for factors, number in products)
    return weights.addition * additions + weights.multiplication * multiplications


def _loosened(sums: Sums, expansion: Expansion, random: Random) -> Sums:
    """The sums after a few values, and now and then the squares of a sine or cosine in one of them, were written out."""
    loosened = dict(sums)
    used = sorted({factor for terms in sums.values() for factors in terms for factor in factors if factor in sums})
    for value in random.sample(used, min(len(used), random.randint(1, _MOST_LOOSENED))):
        loosened = _written_out(loosened, value)
    if expansion.partners and random.random() < _SQUARES:
        value, square = random.choice(list(loosened)), random.choice(list(expansion.partners))
        loosened[value] = without_squares(loosened[value], {square: expansion.partners[square]})
    return loosened


def _written_out(sums: Sums, value: int) -> Sums:
    """The sums with a value written out wherever it is a factor."""
    return {
        each: substitute(terms, value, sums[value]) if any(value in factors for factors in terms) else terms
        for each, terms in sums.items()
    }


def _tidied(sums: Sums, kept: set[int]) -> Sums:
    """Without values that nobody needs; single terms and parts of one sum, which cost nothing more then, are written out."""
    while True:
        uses = Counter(factor for terms in sums.values() for factors in terms for factor in factors)
        plain = {factors[0]: number for terms in sums.values() for factors, number in terms.items() if len(factors) == 1}
        sums = {value: terms for value, terms in sums.items() if value in kept or uses[value]}
        free = (
            value
            for value, terms in sums.items()
            if uses[value]
            and (len(terms) < 2 or (uses[value] == 1 and value not in kept and abs(plain.get(value, ONE + ONE)) == ONE))
        )
        value = next(free, None)
        if value is None:
            if all(value in kept or uses[value] for value in sums):
                return sums
            continue
        sums = _written_out(sums, value)
