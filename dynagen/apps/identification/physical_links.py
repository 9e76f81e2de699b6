"""Physical: base parameters of robots that can be built, and the links that have given base parameters.

That every link has a positive definite pseudo-inertia is a linear matrix inequality in the links' parameters, and base
parameters are linear in these: so the best fit among possible robots is a convex problem with one solution (C. Sousa,
R. Cortesao, "Physical feasibility of robot base inertial parameter identification: a linear matrix inequality approach",
International Journal of Robotics Research 33(6), 2014; P. Wensing, S. Kim, J.-J. Slotine, IEEE Robotics and Automation Letters
3(1), 2018). What the data do not tell, the description does, by a distance from it with a small weight.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagen.apps.identification.link_parameters import Array, LinkParameters, pseudo_inertia
from dynagen.errors import ImpossibleLinksError, UsageError
from dynagen.resources import require_extra
from dynagen.robot.model.regrouping import INERTIAL_PARAMETERS

if TYPE_CHECKING:
    from dynagen.apps.identification.possible_links import PossibleLinks, Prior

_TEN = len(INERTIAL_PARAMETERS)

# Of the prior: a link at distance one from its description costs this part of the sum of squared residuals. The first is taken
# that can be solved: where possible robots leave far more than the least residual, a small part is too small for the solver.
_WEIGHTS = (1e-6, 1e-4, 1e-2, 1.0)
_MARGIN = 1e-4  # least eigenvalue of a link relative to the described one, in an estimate
_ZERO = 1e-6  # of the largest motor: what a solver calls zero
_MARGIN_EXACT = 1e-5  # in links that are found for given base parameters, so that those of an estimate have some


@dataclass(frozen=True)
class Shortfall:
    """A link that base parameters do not leave possible.

    Attributes:
        link: its name.
        least: eigenvalue of its pseudo-inertia relative to the described link's: zero or less for what nobody can build.
    """

    link: str
    least: float

    def __str__(self) -> str:
        """As part of a sentence."""
        return f"{self.link} (the least eigenvalue of its pseudo-inertia would be {self.least:.2g} times the described one)"


def fit_physical(
    links: LinkParameters,
    factor: Array,
    kept: Sequence[int],
    braking: Sequence[int] = (),
    prior: Prior = "entropic",
    known: Mapping[int, float] = MappingProxyType({}),
) -> Array:
    """The parameters of a possible robot that fit best.

    Args:
        links: of the robot.
        factor: triangular, shape (p + 1, p + 1), of [Y | tau] with every joint weighted.
        kept: the base parameters that the first columns of Y belong to; the others are zero. The last columns are friction's.
        braking: columns of Y whose parameters cannot be negative.
        prior: distance from the description that decides what the data do not tell.
        known: columns of friction whose parameters are given.

    Returns:
        One value for each column of Y, shape (p,).

    Raises:
        ToolchainError: cvxpy is missing.
        UsageError: no possible links have zeros where they are asked for; names the links that are in the way.
    """
    solved, unknowns = _started(links, "take another --estimator")
    import cvxpy as cp

    count = len(factor) - 1
    matrix, measured, residual = (
        factor[:count, :count],
        factor[:count, count],
        abs(factor[count, count]),
    )
    scales = np.linalg.norm(matrix[:, len(kept) :], axis=0)
    scales[scales == 0] = 1.0
    friction = cp.Variable(count - len(kept))  # by the torque that it explains
    scale = max(residual, 1e-6 * float(np.linalg.norm(measured))) or 1.0
    bodies = (matrix[:, : len(kept)] / scale) @ (links.grouping[list(kept)] @ unknowns.standard)
    misfit = cp.sum_squares(
        bodies + (matrix[:, len(kept) :] / scales) @ friction - measured / scale
    )
    dropped = sorted(set(range(len(links.base))) - set(kept))
    conditions = unknowns.conditions(_MARGIN) + unknowns.fixed(dropped, np.zeros(len(dropped)))
    conditions += [friction[index - len(kept)] >= 0 for index in braking if index not in known]
    conditions += [
        friction[index - len(kept)] == value * scales[index - len(kept)] / scale
        for index, value in known.items()
    ]
    objectives = [misfit / weight + unknowns.distance(prior) for weight in _WEIGHTS]
    if not any(solved(each, conditions, precisely=True) for each in objectives) and not solved(
        objectives[0], conditions
    ):
        zero = ", ".join(links.base[index].name for index in dropped)
        raise UsageError(
            f"no links that can be built have {zero} zero: {_reason(links, dropped, np.zeros(len(dropped)))}"
        )
    return np.concatenate(
        [
            links.grouping[list(kept)] @ _without_dust(links, unknowns),
            friction.value * scale / scales,
        ]
    )


def _without_dust(links: LinkParameters, unknowns: PossibleLinks) -> Array:
    """The standard parameters that were found; motors that a solver leaves a little beside zero have no inertia."""
    standard, motors = np.array(unknowns.standard.value), [*links.motors.values()]
    least = _ZERO * np.abs(standard[motors]).max(initial=0.0)
    standard[motors] = np.where(standard[motors] > least, standard[motors], 0.0)
    return standard


def nearest_links(links: LinkParameters, base: Array, prior: Prior = "entropic") -> Array:
    """The possible links with given base parameters that are nearest to the described ones.

    Args:
        links: of the robot.
        base: values of all base parameters.
        prior: which distance is meant.

    Returns:
        All standard parameters, which have the base parameters to the precision of the solver (`LinkParameters.reproducing`).

    Raises:
        ToolchainError: cvxpy is missing.
        ImpossibleLinksError: there are none; names the links that are in the way.
    """
    solved, unknowns = _started(links, "take --base-parameters")
    every = range(len(links.base))
    if not solved(
        unknowns.distance(prior), unknowns.conditions(_MARGIN_EXACT) + unknowns.fixed(every, base)
    ):
        raise ImpossibleLinksError(
            f"no links that can be built have these base parameters: {_reason(links, every, base, _MARGIN_EXACT)}"
        )
    return _without_dust(links, unknowns)


def possible_zeros(links: LinkParameters, wanted: Sequence[int]) -> tuple[int, ...]:
    """Those of some base parameters that possible links may have zero, all together; those named first go before others.

    Args:
        links: of the robot.
        wanted: places of base parameters.
    """
    zeros: tuple[int, ...] = ()
    for index in wanted:
        if not shortfalls(links, (*zeros, index), np.zeros(len(zeros) + 1)):
            zeros += (index,)
    return zeros


def shortfalls(
    links: LinkParameters, rows: Sequence[int], values: Array, margin: float = _MARGIN
) -> tuple[Shortfall, ...]:
    """The links that would have to be impossible for some base parameters to have given values, the fewest, the worst first.

    Args:
        links: of the robot.
        rows: which base parameters have given values.
        values: theirs.
        margin: least eigenvalue of a possible link relative to the described one.
    """
    solved, unknowns = _started(links, "take --base-parameters")
    import cvxpy as cp

    short = cp.Variable(len(unknowns.shapes), nonneg=True)
    if not solved(cp.sum(short), unknowns.conditions(margin, short) + unknowns.fixed(rows, values)):
        return ()  # no links would do: a motor is in the way
    found = zip(links.free_links, short.value, strict=True)
    return tuple(
        sorted(
            (Shortfall(link, margin - float(by)) for link, by in found if by > margin / 2),
            key=lambda each: each.least,
        )
    )


def eigenvalues(links: LinkParameters, standard: Array) -> dict[str, Array]:
    """Eigenvalues of the pseudo-inertias of links, ascending: all are positive if the links can be built."""
    matrices = {
        link: pseudo_inertia(standard[place : place + _TEN]) for link, place in links.places.items()
    }
    return {link: np.asarray(np.linalg.eigvalsh(matrices[link])) for link in links.free_links}


def _started(links: LinkParameters, instead: str) -> tuple[Any, PossibleLinks]:
    """A function that minimises under conditions and says whether it could, and the unknowns."""
    require_extra("cvxpy", "identify", "for links that can be built", instead)
    from dynagen.apps.identification.possible_links import possible_links

    unknowns = possible_links(links)
    import cvxpy as cp

    def solved(objective: Any, conditions: list[Any], precisely: bool = False) -> bool:
        problem = cp.Problem(cp.Minimize(objective), conditions)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # on how sure it is that there is no solution
            try:
                problem.solve(solver=cp.CLARABEL)
            except cp.SolverError:
                return False
        return problem.status in (
            (cp.OPTIMAL,) if precisely else (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
        )

    return solved, unknowns


def _reason(
    links: LinkParameters, rows: Sequence[int], values: Array, margin: float = _MARGIN
) -> str:
    return (
        "; ".join(map(str, shortfalls(links, rows, values, margin)))
        or "the inertia of a motor would be negative"
    )
