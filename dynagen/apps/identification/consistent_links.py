"""Convex optimisation of a robot's inertial parameters, with physically consistent links.

The pseudo-inertia P of a link is a symmetric 4 x 4 matrix of its ten inertial parameters (module
`link_parameters`). In the problem, P = C X C^T with an unknown matrix X, where C C^T is the
pseudo-inertia in the robot's description. For the described link, X is the identity matrix. The
entries of X are therefore near one in any units. A link is physically consistent if and only if its
matrix X is positive definite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dynagen.apps.identification.link_parameters import (
    LinkParameters,
    factor_nearest_body,
    make_parameter_map,
)
from dynagen.numbers.arrays import Array
from dynagen.resources import hide_module
from dynagen.robot.model.regrouping import INERTIAL_PARAMETERS

# cvxpy imports every installed solver. The wheels of highspy and OR-Tools contain HiGHS libraries
# with the same name. A process can load only one of them, and schedules need OR-Tools.
with hide_module("highspy"):
    import cvxpy as cp

Prior = Literal["entropic", "euclidean"]

_TEN = len(INERTIAL_PARAMETERS)
_ROUGH_EXTENT = 0.1  # m, extent of a link without a described inertia


@dataclass(frozen=True)
class ConsistentLinks:
    """Unknown pseudo-inertias and motor inertias in an optimisation of physically consistent links.

    Attributes:
        links: standard parameters of the robot (ten inertial parameters of each link, and motor
            inertias), with their described values.
        shapes: for each link whose inertia may be changed, the unknown symmetric 4 x 4 matrix X.
            The link's pseudo-inertia is C X C^T, where C C^T is the described pseudo-inertia.
        motors: vector of unknown motor inertias. Each is divided by the described motor inertia. If
            the described motor inertia is zero, the divisor is the largest moment of inertia of the
            link, or an estimate from the link's mass.
        described_motors: value of `motors` for the described robot. An entry is zero if the
            described motor inertia is zero, and otherwise one.
        standard: vector of all standard parameters in SI units, an affine expression of the
            variables in `shapes` and `motors`.
    """

    links: LinkParameters
    shapes: tuple[Any, ...]
    motors: Any
    described_motors: Array
    standard: Any

    def make_distance(self, kind: Prior) -> Any:
        """Return the distance of the unknown links from the described links as a convex expression.

        Each link has an unknown 4 x 4 matrix X. If X is the identity matrix 1, the link is as
        described. The entropic distance of a link is tr X - log det X - 4, which is invariant to
        changes of axes and units (Lee, Wensing and Park, "Geometric robot dynamic identification: a
        convex programming approach", IEEE Transactions on Robotics 36(2), 2020). The euclidean
        distance |X - 1|^2 / 2, with the Frobenius norm, is the second-order approximation of the
        entropic distance.

        Args:
            kind: "entropic" or "euclidean".

        Returns:
            Sum of the distances of all links, plus half of the sum of squared differences between
            the unknown and the described motor inertias (`motors` and `described_motors`).
        """
        of_motors = cp.sum_squares(self.motors - self.described_motors) / 2
        if kind == "entropic":
            return sum((cp.trace(x) - cp.log_det(x) - 4 for x in self.shapes), of_motors)
        return sum((cp.sum_squares(x - np.eye(4)) / 2 for x in self.shapes), of_motors)

    def make_conditions(self, margin: float, short: Any = None) -> list[Any]:
        """Return the constraints of cvxpy that make links and motors physically consistent.

        Args:
            margin: lower bound of the eigenvalues of every link's matrix X (attribute `shapes`).
                For the described links, X is the identity matrix, so all eigenvalues are 1.
            short: variable of cvxpy with one entry per link: the amount by which the link's
                eigenvalues may be below `margin`. None: no eigenvalue may be below `margin`.
        """
        allowed = np.zeros(len(self.shapes)) if short is None else short
        bodies = [
            x + (allowed[number] - margin) * np.eye(4) >> 0 for number, x in enumerate(self.shapes)
        ]
        return [*bodies, self.motors >= 0]

    def fix_base_parameters(self, rows: Sequence[int], values: Array) -> list[Any]:
        """Return the constraints of cvxpy that set some base parameters to given values.

        Args:
            rows: indices of the base parameters to fix.
            values: value of each of these base parameters in SI units, in the order of `rows`.
        """
        if not len(rows):
            return []
        # Rows of similar size for the solver, which has one tolerance for all equations.
        matrix = self.links.grouping[list(rows)]
        scale = np.linalg.norm(matrix * np.maximum(self._sizes, 1e-3 * self._sizes.max()), axis=1)
        return [(matrix / scale[:, None]) @ self.standard == values / scale]

    @property
    def _sizes(self) -> Array:
        """Magnitude of the described value of each standard parameter, in SI units."""
        return np.array([abs(float(value)) for value in self.links.described])


def make_consistent_links(links: LinkParameters) -> ConsistentLinks:
    """Return the unknowns of a convex optimisation of a robot's physically consistent links.

    Args:
        links: standard parameters of the robot. The unknowns are scaled by the described values.
    """
    described = np.array([float(value) for value in links.described])
    tens = {
        link: described[links.places[link] : links.places[link] + _TEN] for link in links.free_links
    }
    masses = [ten[0] for ten in tens.values() if ten[0] > 0]
    mass = float(np.mean(masses)) if masses else 1.0
    # Links that may not change enter as constants.
    known = described.copy()
    known[[*links.motors.values()]] = 0.0
    for link in links.free_links:
        known[links.places[link] : links.places[link] + _TEN] = 0.0
    standard: Any = cp.Constant(known)
    shapes = []
    for link, own in tens.items():
        x = cp.Variable((4, 4), symmetric=True)
        rows = np.zeros((len(described), 16))
        rows[links.places[link] : links.places[link] + _TEN] = make_parameter_map(
            factor_nearest_body(own, mass, _ROUGH_EXTENT)
        )
        standard = standard + rows @ cp.vec(x, order="C")
        shapes.append(x)
    motors = described[[*links.motors.values()]]
    scales = np.where(
        motors > 0, motors, [_estimate_inertia(tens.get(link), mass) for link in links.motors]
    )
    y = cp.Variable(len(scales))
    rows = np.zeros((len(described), len(scales)))
    rows[[*links.motors.values()], range(len(scales))] = scales
    return ConsistentLinks(
        links, tuple(shapes), y, np.where(motors > 0, 1.0, 0.0), standard + rows @ y
    )


def _estimate_inertia(ten: Array | None, mass: float) -> float:
    """Return the largest moment of inertia of a link, or an estimate from the link's mass."""
    largest = 0.0 if ten is None else float(ten[4:7].max())
    return largest if largest > 0 else mass * _ROUGH_EXTENT**2
