"""Physically consistent links, fitted to data or computed for given base parameters.

A link is physically consistent if its pseudo-inertia is positive definite, which is a linear matrix
inequality in the link's parameters. The base parameters are linear in the link parameters. The best
fit with consistent links is therefore a convex problem (Sousa and Cortesao, "Physical feasibility
of robot base inertial parameter identification: a linear matrix inequality approach", International
Journal of Robotics Research 33(6), 2014; Wensing, Kim and Slotine, IEEE Robotics and Automation
Letters 3(1), 2018). If the data do not determine a parameter, a prior does: the distance from the
described links is minimised with a small weight.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagen.apps.identification.link_parameters import LinkParameters, make_pseudo_inertia
from dynagen.errors import ImpossibleLinksError, UsageError
from dynagen.numbers.arrays import Array
from dynagen.resources import require_extra
from dynagen.robot.model.regrouping import INERTIAL_PARAMETERS

if TYPE_CHECKING:
    from dynagen.apps.identification.consistent_links import ConsistentLinks, Prior

_TEN = len(INERTIAL_PARAMETERS)

# Weights of the prior: a link at distance one from its description costs this part of the sum of
# squared residuals. The first weight with which the solver succeeds is used. A small weight fails
# where consistent robots leave a far larger residual than the least one.
_WEIGHTS = (1e-6, 1e-4, 1e-2, 1.0)
_MARGIN = 1e-4  # least eigenvalue of a link relative to the described one, in an estimate
_ZERO = 1e-6  # motor inertia relative to the largest, which is zero to the solver's precision
# Margin for links with given base parameters: smaller, so that every estimate has such links.
_MARGIN_EXACT = 1e-5


@dataclass(frozen=True)
class Shortfall:
    """Link that cannot be physically consistent for given base parameters.

    Attributes:
        link: name of the link.
        least: least eigenvalue of the matrix X, where C X C^T is the link's pseudo-inertia and C
            C^T the described pseudo-inertia. The eigenvalue is not positive if the link is
            inconsistent.
    """

    link: str
    least: float

    def __str__(self) -> str:
        """Return text for messages: the link and its least eigenvalue (`least`)."""
        return (
            f"{self.link} (its mass distribution would be negative somewhere: the least "
            f"eigenvalue of its pseudo-inertia is {self.least:.2g} times the described one)"
        )


def fit_physical(
    links: LinkParameters,
    factor: Array,
    kept: Sequence[int],
    braking: Sequence[int] = (),
    prior: Prior = "entropic",
    known: Mapping[int, float] = MappingProxyType({}),
) -> Array:
    """Fit the parameters of physically consistent links to data by weighted least squares.

    Args:
        links: standard parameters of the robot.
        factor: upper triangular R with R^T R = [Y | tau]^T [Y | tau], shape (p + 1, p + 1). The
            regressor Y has p columns, tau contains the measured forces, and the rows of each joint
            are multiplied by its weight.
        kept: indices of the base parameters to which the first columns of Y belong; all other base
            parameters are zero. The last columns of Y belong to friction parameters.
        braking: columns of Y whose parameters must not be negative, such as viscous friction.
        prior: kind of distance from the described links, "entropic" or "euclidean", by which
            parameters that the data do not determine are chosen.
        known: given values of friction parameters that are not fitted, in SI units, by column of Y.

    Returns:
        The parameter of each column of Y in SI units, shape (p,).

    Raises:
        ToolchainError: cvxpy is not installed.
        UsageError: no physically consistent links exist if all base parameters outside `kept` are
            zero; the message names the inconsistent links.
    """
    minimise, unknowns = _start(links, "take another --estimator")
    import cvxpy as cp

    count = len(factor) - 1
    matrix, measured, residual = (
        factor[:count, :count],
        factor[:count, count],
        abs(factor[count, count]),
    )
    scales = np.linalg.norm(matrix[:, len(kept) :], axis=0)
    scales[scales == 0] = 1.0
    # Scaling for the solver: friction by the torque that it explains, the misfit by the residual.
    friction = cp.Variable(count - len(kept))
    scale = max(residual, 1e-6 * float(np.linalg.norm(measured))) or 1.0
    bodies = (matrix[:, : len(kept)] / scale) @ (links.grouping[list(kept)] @ unknowns.standard)
    misfit = cp.sum_squares(
        bodies + (matrix[:, len(kept) :] / scales) @ friction - measured / scale
    )
    dropped = sorted(set(range(len(links.base))) - set(kept))
    conditions = unknowns.make_conditions(_MARGIN) + unknowns.fix_base_parameters(
        dropped, np.zeros(len(dropped))
    )
    conditions += [friction[index - len(kept)] >= 0 for index in braking if index not in known]
    conditions += [
        friction[index - len(kept)] == value * scales[index - len(kept)] / scale
        for index, value in known.items()
    ]
    objectives = [misfit / weight + unknowns.make_distance(prior) for weight in _WEIGHTS]
    if not any(
        minimise(objective, conditions, precisely=True) for objective in objectives
    ) and not minimise(objectives[0], conditions):
        zero = ", ".join(links.base[index].name for index in dropped)
        reason = _reason(links, dropped, np.zeros(len(dropped)))
        raise UsageError(f"no physically consistent links exist with zero for {zero}: {reason}")
    base = links.grouping[list(kept)] @ _extract_parameters(links, unknowns)
    return np.concatenate([base, friction.value * scale / scales])


def _extract_parameters(links: LinkParameters, unknowns: ConsistentLinks) -> Array:
    """Return the standard parameters that the solver found; tiny motor inertias become zero."""
    standard, motors = np.array(unknowns.standard.value), [*links.motors.values()]
    least = _ZERO * np.abs(standard[motors]).max(initial=0.0)
    standard[motors] = np.where(standard[motors] > least, standard[motors], 0.0)
    return standard


def find_nearest_links(links: LinkParameters, base: Array, prior: Prior = "entropic") -> Array:
    """Find the consistent links with given base parameters that are nearest to the description.

    Args:
        links: standard parameters of the robot.
        base: values of all b base parameters in SI units, shape (b,).
        prior: kind of distance from the described links, "entropic" or "euclidean".

    Returns:
        Values of all standard parameters of the found links in SI units, in the order of
        `links.standard`. The base parameters of the links are `base` up to the solver's precision;
        `LinkParameters.reproduce` makes them exact.

    Raises:
        ToolchainError: cvxpy is not installed.
        ImpossibleLinksError: no consistent links have these base parameters; the message names the
            inconsistent links.
    """
    minimise, unknowns = _start(links, "take --base-parameters")
    every = range(len(links.base))
    conditions = unknowns.make_conditions(_MARGIN_EXACT) + unknowns.fix_base_parameters(every, base)
    if not minimise(unknowns.make_distance(prior), conditions):
        raise ImpossibleLinksError(
            "no physically consistent links have these base parameters: "
            f"{_reason(links, every, base, _MARGIN_EXACT)}"
        )
    return _extract_parameters(links, unknowns)


def choose_consistent_zeros(links: LinkParameters, wanted: Sequence[int]) -> tuple[int, ...]:
    """Choose base parameters that can all be zero for physically consistent links.

    Args:
        links: standard parameters of the robot.
        wanted: indices of base parameters; earlier indices have priority.

    Returns:
        The indices of base parameters that can be zero together, in the order of `wanted`.
    """
    zeros: tuple[int, ...] = ()
    for index in wanted:
        if not find_shortfalls(links, (*zeros, index), np.zeros(len(zeros) + 1)):
            zeros += (index,)
    return zeros


def find_shortfalls(
    links: LinkParameters, rows: Sequence[int], values: Array, margin: float = _MARGIN
) -> tuple[Shortfall, ...]:
    """Find links that cannot be consistent for given base parameters, the worst first.

    The solver minimises the sum of the amounts by which eigenvalues are below `margin`, so that few
    links are inconsistent.

    Args:
        links: standard parameters of the robot.
        rows: indices of the given base parameters.
        values: given value of each of these base parameters in SI units, in the order of `rows`.
        margin: least allowed eigenvalue of X for a consistent link, where C X C^T is the link's
            pseudo-inertia and C C^T the described pseudo-inertia.

    Returns:
        The links that need an eigenvalue of X below margin / 2, with this eigenvalue. The result is
        empty if all links can be consistent, and also if a motor inertia would have to be negative.
    """
    minimise, unknowns = _start(links, "take --base-parameters")
    import cvxpy as cp

    # A linear penalty: like an L1 norm it concentrates the violation on few links.
    short = cp.Variable(len(unknowns.shapes), nonneg=True)
    conditions = unknowns.make_conditions(margin, short) + unknowns.fix_base_parameters(
        rows, values
    )
    if not minimise(cp.sum(short), conditions):
        return ()  # infeasible even with inconsistent links: a motor inertia would be negative
    found = zip(links.free_links, short.value, strict=True)
    return tuple(
        sorted(
            (Shortfall(link, margin - float(by)) for link, by in found if by > margin / 2),
            key=lambda shortfall: shortfall.least,
        )
    )


def compute_eigenvalues(links: LinkParameters, standard: Array) -> dict[str, Array]:
    """Compute the four eigenvalues of the pseudo-inertia of each link in `links.free_links`.

    The inertia of these links may be changed by identification. Eigenvalues are in ascending order.

    A pseudo-inertia is [[S, h], [h^T, m]] with second moments S, first moment h and mass m about
    the origin of the link frame. The eigenvalues are positive if the link is physically consistent.

    Args:
        links: standard parameters of the robot.
        standard: values of all standard parameters in SI units, in the order of `links.standard`.

    Returns:
        Eigenvalues by name of the link, shape (4,), for m in kg, h in kg m and S in kg m^2.
    """
    matrices = {
        link: make_pseudo_inertia(standard[place : place + _TEN])
        for link, place in links.places.items()
    }
    return {link: np.asarray(np.linalg.eigvalsh(matrices[link])) for link in links.free_links}


def _start(links: LinkParameters, instead: str) -> tuple[Any, ConsistentLinks]:
    """Return the solver and the unknowns of a convex optimisation of physically consistent links.

    The solver is a function that minimises an objective under constraints, and returns whether it
    succeeded. The unknowns are the pseudo-inertias of links, and motor inertias.
    `instead` is advice for users without cvxpy.
    """
    require_extra("cvxpy", "identify", "for physically consistent links", instead)
    from dynagen.apps.identification.consistent_links import make_consistent_links

    unknowns = make_consistent_links(links)
    import cvxpy as cp

    def minimise(objective: Any, conditions: list[Any], precisely: bool = False) -> bool:
        problem = cp.Problem(cp.Minimize(objective), conditions)
        with warnings.catch_warnings():
            # cvxpy warns about inaccurate solutions, which the status below reports as well.
            warnings.simplefilter("ignore", UserWarning)
            try:
                problem.solve(solver=cp.CLARABEL)
            except cp.SolverError:
                return False
        return problem.status in (
            (cp.OPTIMAL,) if precisely else (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
        )

    return minimise, unknowns


def _reason(
    links: LinkParameters, rows: Sequence[int], values: Array, margin: float = _MARGIN
) -> str:
    """Return text that names the links that cannot be consistent for given base parameters."""
    return (
        "; ".join(map(str, find_shortfalls(links, rows, values, margin)))
        or "the inertia of a motor would be negative"
    )
