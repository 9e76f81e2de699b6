"""Judgement: how certain an estimate is, and what it is without the parameters that forces do not need."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.errors import UsageError, did_you_mean
from dynagen.identification.estimate import Estimate
from dynagen.identification.estimation import Estimator, Observations
from dynagen.identification.judgement.deviations import Deviations, coloured_deviations
from dynagen.identification.judgement.significance import Dropped, contributions, without_certainty, without_contribution
from dynagen.identification.links.link_parameters import link_parameters
from dynagen.identification.links.physical import possible_zeros

ESSENTIAL = {
    "test": "stepwise F test at 5 %, with the deviations that coloured residuals leave",
    "contribution": "contributes under 1 % of the greatest force in every log (Izaguirre)",
}
"""Rules by which parameters are left out."""


@dataclass(frozen=True)
class Judgement:
    """An estimate that is judged.

    Attributes:
        seen: all that was given to the estimator.
        essential: the rule by which parameters were left out; None: there was none.
        observations: with the regressor of what is kept.
        deviations: of what is kept.
        dropped: parameters of the whole regressor that are left out, in the order in which they were.
    """

    seen: Observations
    essential: str | None
    observations: Observations
    deviations: Deviations
    dropped: tuple[Dropped, ...]

    @property
    def estimate(self) -> Estimate:
        """What is kept, with the covariance that coloured residuals leave."""
        return self.deviations.estimate


def judge(estimator: Estimator, seen: Observations, essential: str | None = None) -> Judgement:
    """Estimate, and judge; then without what is not essential, if that is asked for.

    Args:
        estimator: that estimates.
        seen: what it sees.
        essential: a rule of `ESSENTIAL` by which parameters are left out; None keeps all.

    Raises:
        UsageError: there is no such rule, or as the estimator.
    """
    if essential is not None and essential not in ESSENTIAL:
        known = ", ".join(ESSENTIAL)
        raise UsageError(f"essential: there is no rule `{essential}`{did_you_mean(essential, ESSENTIAL)}; there are {known}")
    deviations = _judged(estimator, seen)
    if essential is None:
        return Judgement(seen, essential, seen, deviations, ())
    dropped = _dropped(seen, deviations, essential)
    if deviations.estimate.estimator.startswith("physical"):
        dropped = _possible(seen, dropped)
    out = {each.index for each in dropped}
    kept = seen.restricted([index for index in range(len(seen.model.parameters)) if index not in out])
    return Judgement(seen, essential, kept, _judged(estimator, kept), dropped)


def _judged(estimator: Estimator, seen: Observations) -> Deviations:
    return coloured_deviations(seen.model, seen.samples, estimator(seen))


def _dropped(seen: Observations, deviations: Deviations, rule: str) -> tuple[Dropped, ...]:
    if rule == "test":
        return without_certainty(deviations.estimate, float(deviations.effective.sum()))
    terms, greatest = contributions(seen.model, seen.samples, deviations.estimate.values)
    return without_contribution(terms, greatest)


def _possible(seen: Observations, dropped: tuple[Dropped, ...]) -> tuple[Dropped, ...]:
    """Those that links which can be built may all have zero: an inertia that is too small to be told is still one."""
    links = link_parameters(seen.model.robot)
    places = {each.name: place for place, each in enumerate(links.base)}
    wanted = {places.get(seen.model.parameters[each.index].name): each for each in dropped}
    zeros = possible_zeros(links, [place for place in wanted if place is not None])
    of_links = {wanted[place].index for place in zeros}
    return tuple(each for each in dropped if each.index in of_links or seen.model.parameters[each.index].kind == "friction")
