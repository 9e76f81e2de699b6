"""Possible links: a robot's links as unknowns of a convex problem, in which no link is what nobody can build.

Each link is P = C X C^T with C C^T what the description says of it, so that X = 1 is the described link and all numbers of a
problem are near one, whatever the units. The link is possible if and only if X is positive definite (`pseudo_inertia`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dynagen.apps.identification.link_parameters import (
    Array,
    LinkParameters,
    factor_of_nearest_body,
    parameters_in,
)
from dynagen.resources import without_module
from dynagen.robot.model.regrouping import INERTIAL_PARAMETERS

# cvxpy imports every solver that is there. Two wheels have a HiGHS of one name, highspy's and that of OR-Tools: a process can
# load one of them, and schedules ask for the second.
with without_module("highspy"):
    import cvxpy as cp

Prior = Literal["entropic", "euclidean"]

_TEN = len(INERTIAL_PARAMETERS)
_ROUGH_EXTENT = 0.1  # m, of links whose description tells nothing


@dataclass(frozen=True)
class PossibleLinks:
    """The unknowns.

    Attributes:
        links: where they come from.
        shapes: X of every free link, a symmetric 4 x 4 variable.
        motors: inertias of motors in units of what the description has; where that is nothing, of the links' own.
        described_motors: those of the description, one or zero.
        standard: all standard parameters, affine in the variables.
    """

    links: LinkParameters
    shapes: tuple[Any, ...]
    motors: Any
    described_motors: Array
    standard: Any

    def distance(self, kind: Prior) -> Any:
        """The distance from the description, convex.

        Entropic: tr X - log det X - 4, which no change of axes or units alters (T. Lee, P. Wensing, F. Park, "Geometric robot
        dynamic identification: a convex programming approach", IEEE Transactions on Robotics 36(2), 2020). Euclidean: its
        second-order part |X - 1|^2 / 2.
        """
        of_motors = cp.sum_squares(self.motors - self.described_motors) / 2
        if kind == "entropic":
            return sum((cp.trace(x) - cp.log_det(x) - 4 for x in self.shapes), of_motors)
        return sum((cp.sum_squares(x - np.eye(4)) / 2 for x in self.shapes), of_motors)

    def conditions(self, margin: float, short: Any = None) -> list[Any]:
        """That links and motors are possible.

        Args:
            margin: least eigenvalue of every X.
            short: one for every link, by which that may be less.
        """
        allowed = np.zeros(len(self.shapes)) if short is None else short
        bodies = [
            x + (allowed[number] - margin) * np.eye(4) >> 0 for number, x in enumerate(self.shapes)
        ]
        return [*bodies, self.motors >= 0]

    def fixed(self, rows: Sequence[int], values: Array) -> list[Any]:
        """That some base parameters have given values."""
        if not len(rows):
            return []
        matrix = self.links.grouping[list(rows)]
        scale = np.linalg.norm(matrix * np.maximum(self._sizes, 1e-3 * self._sizes.max()), axis=1)
        return [(matrix / scale[:, None]) @ self.standard == values / scale]

    @property
    def _sizes(self) -> Array:
        """How large each standard parameter is for the described robot."""
        return np.array([abs(float(each)) for each in self.links.described])


def possible_links(links: LinkParameters) -> PossibleLinks:
    """The unknowns for a robot."""
    described = np.array([float(each) for each in links.described])
    tens = {
        link: described[links.places[link] : links.places[link] + _TEN] for link in links.free_links
    }
    masses = [each[0] for each in tens.values() if each[0] > 0]
    mass = float(np.mean(masses)) if masses else 1.0
    known = described.copy()
    known[[*links.motors.values()]] = 0.0
    for link in links.free_links:
        known[links.places[link] : links.places[link] + _TEN] = 0.0
    standard: Any = cp.Constant(known)
    shapes = []
    for link, own in tens.items():
        x = cp.Variable((4, 4), symmetric=True)
        rows = np.zeros((len(described), 16))
        rows[links.places[link] : links.places[link] + _TEN] = parameters_in(
            factor_of_nearest_body(own, mass, _ROUGH_EXTENT)
        )
        standard = standard + rows @ cp.vec(x, order="C")
        shapes.append(x)
    motors = described[[*links.motors.values()]]
    scales = np.where(
        motors > 0, motors, [_inertia_of(tens.get(link), mass) for link in links.motors]
    )
    y = cp.Variable(len(scales))
    rows = np.zeros((len(described), len(scales)))
    rows[[*links.motors.values()], range(len(scales))] = scales
    return PossibleLinks(
        links, tuple(shapes), y, np.where(motors > 0, 1.0, 0.0), standard + rows @ y
    )


def _inertia_of(ten: Array | None, mass: float) -> float:
    """The largest moment of inertia of a link, or what one of this mass may have."""
    largest = 0.0 if ten is None else float(ten[4:7].max())
    return largest if largest > 0 else mass * _ROUGH_EXTENT**2
