"""Reference: what a kernel is proved against. RobotDescription -> inverse dynamics in floating point, twice.

Only inverse dynamics is computed here. The expected values of every other function follow from it by an identity that the
function's definition supplies, such as gravity_forces(q) = inverse_dynamics(q, 0, 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dynagen.robot.description import RobotDescription
from dynagen.verification import lagrange, magnitudes, newton_euler
from dynagen.verification.kinematics import Array, NumericLink, numeric_links, vector

Formulation = Callable[[tuple[NumericLink, ...], Array, Array, Array, Array], Array]


@dataclass(frozen=True)
class Reference:
    """One robot under one formulation of its equations of motion.

    Attributes:
        gravity_vector: acceleration of gravity in the base frame, m/s^2, shape (3,).
    """

    name: str
    links: tuple[NumericLink, ...]
    gravity_vector: Array
    formulation: Formulation

    @property
    def degrees_of_freedom(self) -> int:
        """Number of moving joints, n."""
        return sum(link.variable is not None for link in self.links)

    @property
    def magnitudes(self) -> Reference:
        """The same robot, where inverse dynamics gives the sums of the magnitudes of its terms: the scale of rounding."""
        return replace(self, formulation=magnitudes.term_magnitudes)

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array, gravity: bool = True) -> Array:
        """Joint forces of a motion, motor inertias included, friction not.

        Args:
            q: joint positions, shape (..., n), in rad or m.
            qd: joint rates, shape (..., n).
            qdd: joint accelerations, shape (..., n).
            gravity: whether gravity acts.

        Returns:
            Joint forces tau, shape (..., n), in N m or N. Complex arguments give complex results.
        """
        acting = self.gravity_vector if gravity else np.zeros(3)
        return self.formulation(self.links, acting, q, qd, qdd)


def references(description: RobotDescription) -> tuple[Reference, ...]:
    """The independent references that every kernel of this robot has to agree with."""
    links, gravity = numeric_links(description), vector(description.gravity)
    return (
        Reference("Newton-Euler", links, gravity, newton_euler.inverse_dynamics),
        Reference("Lagrange", links, gravity, lagrange.inverse_dynamics),
    )
