"""Numeric links and their inverse dynamics -> regressors: a column is what a unit of one parameter alone asks of the joints.

Which columns make a base is found from numbers: by what a joint observes of its own body at random states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynagen.description.description import OriginInertia
from dynagen.numbers.exact import ONE, ZERO
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import Array, InverseDynamics, NumericLink, joint_value
from dynagen.verification.memory import remembered

Dynamics = Callable[[tuple[NumericLink, ...], Array, Array, Array], InverseDynamics]
"""Inverse dynamics of links: (links, q, qd, qdd) -> the links with their inertial data -> tau, shape (..., n)."""

_INERTIAL = 10
_STATES = 60
_SEED = 1
_ROUNDING = 1e-11
# Base columns are looked for in this order: m, Jxx, Jzz, Jxy, Jxz, Jyz, mx, my, mz, Jyy, motor inertia.
_ORDER = (0, 4, 6, 7, 8, 9, 1, 2, 3, 5, 10)


@dataclass(frozen=True)
class RegressorReference:
    """The regressor of a robot and its base.

    The parameters are, link by link: m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the origin of the user's link frame,
    and the motor's inertia where the joint moves; p in all. A base parameter is one of these of a moving link, in a frame that
    moves with the joint and has its z axis, instead of the user's link frame; b in all.

    Attributes:
        dynamics: gives the columns; linear in the parameters, of one link at a time.
        coordinates: of the robot; its base is that of a robot whose joints are all free.
    """

    links: tuple[NumericLink, ...]
    dynamics: Dynamics
    coordinates: Coordinates

    def standard(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Y with tau = Y pi, for states of shape (..., n): shape (..., n, p)."""
        return self._standard(q, qd, qdd)

    @cached_property
    def _standard(self) -> Callable[..., Array]:
        return remembered(self._columns)

    def _columns(self, q: Array, qd: Array, qdd: Array) -> Array:
        joints, columns = self.coordinates, []
        q, qd, qdd = joints.positions(q), joints.rates(qd), joints.rates(qdd)
        for position, link in enumerate(self.links):
            chain = _chain(self.links, position)
            joint_forces = self.dynamics(chain, q, qd, qdd)
            columns += [joint_forces((*chain[:-1], _with_unit(chain[-1], number))) for number in range(_INERTIAL)]
            if link.variable is not None:
                motor = np.zeros_like(columns[-1])
                motor[..., link.variable] = joint_value(link, qdd)
                columns.append(motor)
        stacked: Array = np.stack([joints.forces(column) for column in columns], axis=-1)
        return stacked

    @cached_property
    def base_units(self) -> Array:
        """Base parameters of value one, in standard parameters: Y_base = Y base_units. Shape (p, b)."""
        standard = self._stacked
        columns = []
        first = 0
        for link in self.links:
            size = _INERTIAL + (link.variable is not None)
            if link.variable is not None:
                in_joint = np.zeros((standard.shape[-1], size))
                in_joint[first : first + size, :_INERTIAL] = _unit_parameters_of_joint(link, size)
                in_joint[first + _INERTIAL, _INERTIAL] = 1.0
                observed = (standard @ in_joint)[:, link.variable, :]
                columns += [in_joint[:, number] for number in _independent(observed)]
            first += size
        return np.stack(columns, axis=-1)

    @cached_property
    def grouping(self) -> Array:
        """Base parameters of a robot from its standard ones, pi_base = grouping pi. Shape (b, p)."""
        standard = self._stacked.reshape(-1, self._stacked.shape[-1])
        return np.linalg.pinv(standard @ self.base_units) @ standard

    @cached_property
    def _stacked(self) -> Array:
        """The regressor at random states, (states, n, p)."""
        shape = 3, _STATES, self.coordinates.count
        q, qd, qdd = np.random.Generator(np.random.PCG64(_SEED)).uniform(-2, 2, shape)
        return self.standard(q, qd, qdd)


def _chain(links: tuple[NumericLink, ...], position: int) -> tuple[NumericLink, ...]:
    """A link and what carries it, without mass: all that moves with it or makes it move."""
    parent = links[position].parent
    before = () if parent is None else _chain(links, parent)
    massless = OriginInertia(ZERO, (ZERO,) * 3, (ZERO,) * 6)
    return (
        *before,
        replace(links[position], parent=len(before) - 1 if before else None, inertial=massless, motor_inertia=0.0),
    )


def _with_unit(link: NumericLink, number: int) -> NumericLink:
    m, mx, my, mz, *tensor = (ONE if index == number else ZERO for index in range(_INERTIAL))
    xx, yy, zz, xy, xz, yz = tensor
    return replace(link, inertial=OriginInertia(m, (mx, my, mz), (xx, yy, zz, xy, xz, yz)))


def _unit_parameters_of_joint(link: NumericLink, size: int) -> Array:
    """Unit parameters in a frame that moves with the joint and has its z axis, as parameters in the link frame."""
    to_link = np.linalg.inv(link.after) @ link.axis_frame
    columns = np.zeros((size, _INERTIAL))
    for number in range(_INERTIAL):
        columns[:_INERTIAL, number] = _parameters(to_link @ _pseudo_inertia(np.eye(_INERTIAL)[number]) @ to_link.T)
    return columns


def _pseudo_inertia(parameters: Array) -> Array:
    """Integral of x x^T dm, x = (position, 1)."""
    m, mx, my, mz, xx, yy, zz, xy, xz, yz = parameters
    half = (xx + yy + zz) / 2
    return np.array([[half - xx, -xy, -xz, mx], [-xy, half - yy, -yz, my], [-xz, -yz, half - zz, mz], [mx, my, mz, m]])


def _parameters(pseudo: Array) -> Array:
    xx, yy, zz = np.diag(pseudo)[:3]
    moments = [yy + zz, xx + zz, xx + yy, -pseudo[0, 1], -pseudo[0, 2], -pseudo[1, 2]]
    return np.array([pseudo[3, 3], *pseudo[:3, 3], *moments])


def _independent(columns: Array) -> list[int]:
    """Numbers of the columns that do not depend on those before them in `_ORDER`."""
    basis: list[Array] = []
    found = []
    for number in _ORDER:
        column = columns[:, number] / max(1.0, float(np.linalg.norm(columns[:, number])))
        for _ in range(2):  # twice is enough for orthogonality to rounding
            for direction in basis:
                column = column - direction * (direction @ column)
        length = float(np.linalg.norm(column))
        if length > _ROUNDING:
            basis.append(column / length)
            found.append(number)
    return sorted(found)
