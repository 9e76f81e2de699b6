"""Motors that move several joints together, with numbers in floating point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription


@dataclass(frozen=True)
class CoupledMotors:
    """Group of k motors that together move k joints.

    Attributes:
        entries: indices in v of the k coupled joints.
        matrix: matrix that converts motor velocities to joint velocities, shape (k, k).
        inertias: inertias of the motors about their own axes (kg m^2), shape (k,).
    """

    entries: tuple[int, ...]
    matrix: Array
    inertias: Array

    @property
    def joint_inertia(self) -> Array:
        """Inertia matrix of the motors for the velocities of the joints (kg m^2), shape (k, k)."""
        inverse = np.linalg.inv(self.matrix)
        inertia: Array = inverse.T @ np.diag(self.inertias) @ inverse
        return inertia


def make_coupled_motors(description: RobotDescription) -> tuple[CoupledMotors, ...]:
    """Return the groups of coupled motors of a robot."""
    joints = {link.name: link.joint for link in description.links}
    return tuple(
        CoupledMotors(
            tuple(joints[name].idx_v for name in coupling.links),
            np.array([[float(number) for number in row] for row in coupling.matrix]),
            np.array([float(inertia) for inertia in coupling.inertias]),
        )
        for coupling in description.couplings
    )
