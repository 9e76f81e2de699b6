"""Expected regressors of standard and base parameters.

A column of the regressor contains the joint forces for a unit of one parameter, computed by inverse
dynamics. The base parameters of a body are found numerically: they are parameters whose columns are
linearly independent in the rows of the body's joint at random states. Nearly parallel axes make
columns nearly dependent, which amplifies rounding errors. The regressors are therefore computed in
extended precision, if the machine has it.

If joints are coupled by closed loops or by mimicking, further columns are dependent. They are found
from the regressor of the base parameters for independent joints, at states with closed loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import ONE, ZERO
from dynagen.robot.description import OriginInertia
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import (
    InverseDynamics,
    NumericLink,
    cache_results,
)
from dynagen.verification.wrenches import WITHOUT_INERTIA

Dynamics = Callable[[tuple[NumericLink, ...], Array, Array, Array], InverseDynamics]
"""Type of inverse dynamics: a function (links, q, qd, qdd) that returns another function.

The returned function computes the joint forces of the motion q, qd, qdd, shape (..., n). Its first
argument contains the links with their inertial data.
"""

_INERTIAL = 10
_STATES = 60
_SEED = 1
_VANISHES = 1e4 * float(np.finfo(np.longdouble).eps)
"""Largest residual of a regressor column that counts as linearly dependent on earlier columns.

A column is scaled to length one. Its residual is the length of its part orthogonal to the preceding
columns.
"""
_COUPLED_VANISHES = 1e-9
"""Largest residual of a regressor column that counts as dependent, for coupled joints.

A column is scaled to length one. Its residual is the length of its part orthogonal to the preceding
columns. The limit is larger than `_VANISHES`, because closed loops enlarge the errors of joint
positions.
"""
_RESOLVED = 2e-6
"""Smallest residual of a regressor column that counts as linearly independent of earlier columns.

A column is scaled to length one. Its residual is the length of its part orthogonal to the preceding
columns.
"""
# Base columns are looked for in this order: m, Jxx, Jzz, Jxy, Jxz, Jyz, mx, my, mz, Jyy, motor
# inertia.
_ORDER = (0, 4, 6, 7, 8, 9, 1, 2, 3, 5, 10)


@dataclass(frozen=True)
class RegressorReference:
    """The regressor of a robot, and the robot's base parameters.

    The p standard parameters are, for each link, m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about
    the origin of the user's link frame, and the motor inertia if the joint has an axis. The b base
    parameters have the same names, but refer to a frame that moves with the joint and whose z axis
    is the joint axis.

    Attributes:
        links: links of the robot.
        dynamics: inverse dynamics of the links, computed as if all joints were independent.
        coordinates: relation between q, v and all joints of the robot.
        precise_links: the links in extended precision.
    """

    links: tuple[NumericLink, ...]
    dynamics: Dynamics
    coordinates: Coordinates
    precise_links: tuple[NumericLink, ...]

    def compute_standard(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the regressor Y, shape (..., n, p): the joint forces are Y times the p parameters.

        q has shape (..., nq), qd and qdd have shape (..., n).
        """
        return self._standard(q, qd, qdd)

    @cached_property
    def _standard(self) -> Callable[..., Array]:
        """Function that computes the columns of the regressor Y, with a cache of its results."""
        return cache_results(self._columns)

    def _columns(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Compute the columns of the regressor Y: the joint forces for a unit of each parameter."""
        joints, columns = self.coordinates, []
        positions, (q, qd, qdd) = q, joints.compute_motion(q, qd, qdd)
        # The motions are computed once for all parameters of all links.
        joint_forces = self.dynamics(self.links, q, qd, qdd)
        for position, link in enumerate(self.links):
            chain, places = _chain(self.links, position), _list_chain(self.links, position)
            columns += [
                joint_forces((*chain[:-1], _set_unit(chain[-1], number)), places)
                for number in range(_INERTIAL)
            ]
            if link.has_axis:
                motor = np.zeros_like(columns[-1])
                motor[..., link.variable] = qdd[..., link.variable]
                columns.append(motor)
        stacked: Array = np.stack(
            [joints.compute_forces(column, positions) for column in columns], axis=-1
        )
        return stacked

    @property
    def base_units(self) -> Array:
        """Matrix B, shape (p, b), that converts the regressor Y to the base regressor Y B.

        Column j contains the standard parameters of a robot whose base parameter j is one and whose
        other base parameters are zero.
        """
        return self._tree_units[:, self._independent].astype(np.float64)

    @cached_property
    def _tree(self) -> RegressorReference:
        """The reference of the same links that treats all joints as independent."""
        return (
            replace(self, coordinates=Coordinates.from_links(self.links))
            if self._is_coupled
            else self
        )

    @property
    def _is_coupled(self) -> bool:
        return self.coordinates.count < len(Coordinates.from_links(self.links).index)

    @property
    def _tree_units(self) -> Array:
        """Matrix that converts the regressor to the base regressor if all joints are independent.

        Column j contains the standard parameters of a robot whose base parameter j is one and whose
        other base parameters are zero.
        """
        units = self._tree._precise_base_units.copy()
        # A motor's base parameter counts the velocity of the entry of v that its joint follows.
        row = 0
        for link in self.links:
            row += _INERTIAL + link.has_axis
            if link.has_axis:
                units[row - 1] /= self.coordinates.ratio[link.variable] ** 2
        return units

    @cached_property
    def _closed(self) -> Array:
        """The regressor of the robot with coupled joints at random states, shape (states * n, p).

        Each row belongs to one joint force in one state, each column to one of p parameters.
        """
        generator = np.random.Generator(np.random.PCG64(_SEED))
        q, qd, qdd = generator.uniform(-2, 2, (3, 2 * _STATES, self.coordinates.count))
        state = self.coordinates.shrink_to_closed(q), qd, qdd
        precise = replace(self, links=self.precise_links, coordinates=self.coordinates.precise)
        extended: list[Any] = [each.astype(np.longdouble) for each in state]
        columns = precise._columns(*extended)
        return columns.reshape(-1, columns.shape[-1])

    @cached_property
    def _independent(self) -> list[int]:
        """Indices of the base parameters that remain independent when joints are coupled.

        The indices refer to the base parameters of the same robot with independent joints.
        """
        if not self._is_coupled:
            return list(range(self._tree_units.shape[1]))
        columns = self._closed @ self._tree_units
        return _find_independent(columns, range(columns.shape[1]), _COUPLED_VANISHES)

    @cached_property
    def _precise_base_units(self) -> Array:
        """Matrix B that converts the regressor Y to the base regressor Y B, in extended precision.

        Column j contains the standard parameters of a robot whose base parameter j is one and whose
        other base parameters are zero.
        """
        standard = self._stacked
        columns = []
        first = 0
        for link in self.precise_links:
            size = _INERTIAL + link.has_axis
            if link.variable is not None:
                in_joint = np.zeros((standard.shape[-1], size), dtype=standard.dtype)
                in_joint[first : first + size, :_INERTIAL] = _unit_parameters_of_joint(link, size)
                in_joint[first + _INERTIAL : first + size, _INERTIAL:] = 1.0
                # A joint's rows depend on its own body and on bodies beyond it: the regressor is
                # block-triangular. Columns that are independent in the blocks on the diagonal,
                # a joint's rows of its own body, are independent as a whole.
                observed = (standard @ in_joint)[:, link.columns, :].reshape(-1, size)
                columns += [in_joint[:, number] for number in _find_independent(observed)]
            first += size
        return np.stack(columns, axis=-1)

    @cached_property
    def grouping(self) -> Array:
        """Matrix, shape (b, p), that converts standard parameters to base parameters."""
        if self._is_coupled:
            base = self._closed @ self._tree_units[:, self._independent]
            return _solve_least_squares(base, self._closed).astype(np.float64)
        standard = self._stacked.reshape(-1, self._stacked.shape[-1])
        return _solve_least_squares(standard @ self._precise_base_units, standard).astype(
            np.float64
        )

    @cached_property
    def _stacked(self) -> Array:
        """The regressor at random states, in extended precision.

        The shape is (states, n, p) for n joint forces and p standard parameters.
        """
        shape = 3, _STATES, self.coordinates.count
        q, qd, qdd = (
            np.random.Generator(np.random.PCG64(_SEED)).uniform(-2, 2, shape).astype(np.longdouble)
        )
        if self.coordinates.floats:
            q[:, :6] = 0  # the pose of a floating base changes no observable parameter
        if self.coordinates.has_turning_axes:
            q = self.coordinates.integrate(self.coordinates.home.astype(np.longdouble), q)
        return replace(self, links=self.precise_links).compute_standard(q, qd, qdd)


def explain_undecided_base(regressors: RegressorReference) -> str:
    """Return the reason why the base parameters of a robot cannot be proved; empty if they can.

    They cannot be proved if rounding errors decide whether a column of the regressor depends on
    other columns.
    """
    try:
        _ = regressors.base_units  # computed at the first use
    except UsageError as error:
        return str(error)
    return ""


def _chain(links: tuple[NumericLink, ...], position: int) -> tuple[NumericLink, ...]:
    """Return a link and the links that carry it, all without inertia."""
    parent = links[position].parent
    before = () if parent is None else _chain(links, parent)
    link = replace(
        links[position],
        parent=len(before) - 1 if before else None,
        inertial=WITHOUT_INERTIA,
        motor_inertia=0.0,
    )
    return (*before, link)


def _list_chain(links: tuple[NumericLink, ...], position: int) -> tuple[int, ...]:
    """Return the indices of all links from the base to the link with the index `position`."""
    parent = links[position].parent
    return (*(() if parent is None else _list_chain(links, parent)), position)


def _set_unit(link: NumericLink, number: int) -> NumericLink:
    """Return the link with inertial parameter `number` equal to one, and the others zero."""
    m, mx, my, mz, *tensor = (ONE if index == number else ZERO for index in range(_INERTIAL))
    xx, yy, zz, xy, xz, yz = tensor
    return replace(link, inertial=OriginInertia(m, (mx, my, mz), (xx, yy, zz, xy, xz, yz)))


def _unit_parameters_of_joint(link: NumericLink, size: int) -> Array:
    """Return the matrix that converts inertial parameters from the joint's frame to the link frame.

    The joint's frame moves with the joint, and its z axis is the joint axis. The result has shape
    (size, 10); rows beyond the tenth are zero.
    """
    # `after` maps link coordinates to the frame after the joint; its inverse maps back.
    to_link = np.eye(4, dtype=link.after.dtype)
    to_link[:3, :3] = link.after[:3, :3].T
    to_link[:3, 3] = -to_link[:3, :3] @ link.after[:3, 3]
    to_link = to_link @ link.axis_frame
    columns = np.zeros((size, _INERTIAL), dtype=to_link.dtype)
    for number in range(_INERTIAL):
        columns[:_INERTIAL, number] = _parameters(
            to_link @ _pseudo_inertia(np.eye(_INERTIAL)[number]) @ to_link.T
        )
    return columns


def _pseudo_inertia(parameters: Array) -> Array:
    """Return the pseudo-inertia, (4, 4), of a body with ten given inertial parameters."""
    m, mx, my, mz, xx, yy, zz, xy, xz, yz = parameters
    half = (xx + yy + zz) / 2  # the integral of r^2 dm, so that half - xx is the integral of x^2 dm
    return np.array(
        [
            [half - xx, -xy, -xz, mx],
            [-xy, half - yy, -yz, my],
            [-xz, -yz, half - zz, mz],
            [mx, my, mz, m],
        ]
    )


def _parameters(pseudo: Array) -> Array:
    """Return the ten inertial parameters of a pseudo-inertia of shape (4, 4)."""
    xx, yy, zz = np.diag(pseudo)[:3]
    moments = [yy + zz, xx + zz, xx + yy, -pseudo[0, 1], -pseudo[0, 2], -pseudo[1, 2]]
    return np.array([pseudo[3, 3], *pseudo[:3, 3], *moments])


def _find_independent(
    columns: Array, order: Sequence[int] = _ORDER, vanishes: float = _VANISHES
) -> list[int]:
    """Return the sorted indices of the columns that are independent of the preceding columns.

    The columns are examined in the given order, and scaled to length one if they are longer. A
    column is dependent if its part orthogonal to the preceding columns is not longer than
    `vanishes`.

    Raises:
        UsageError: rounding errors decide whether a column is dependent.
    """
    basis = np.zeros((len(columns), 0), dtype=columns.dtype)
    independent = []
    for number in (candidate for candidate in order if candidate < columns.shape[1]):
        norm = max(1.0, float(np.linalg.norm(columns[:, number])))
        rest, _ = _orthogonalise(basis, columns[:, number] / norm)
        length = np.linalg.norm(rest)
        if vanishes < length < _RESOLVED:
            raise UsageError(
                "base parameters of this robot cannot be proved: a parameter has an effect of only "
                f"{float(length):.0e} of the effect of others (expected zero, or at least "
                f"{_RESOLVED:.0e}), because axes are nearly parallel, or gravity is nearly along "
                "an axis. Write such angles as exact multiples of pi/2, or round them "
                "(--snap 1e-4); or generate `regressor` instead"
            )
        if length > vanishes:
            basis = np.column_stack([basis, rest / length])
            independent.append(number)
    return sorted(independent)


def _solve_least_squares(matrix: Array, right_hand_sides: Array) -> Array:
    """Return the least-squares solution X of `matrix` X = `right_hand_sides`.

    The arrays may have the type long double, which numpy's linear algebra does not support.
    """
    count = matrix.shape[1]
    # QR decomposition by Gram and Schmidt, then back substitution in R X = Q^T B.
    basis = np.zeros_like(matrix)
    triangle = np.zeros((count, count), dtype=matrix.dtype)
    for number in range(count):
        rest, triangle[:number, number] = _orthogonalise(basis[:, :number], matrix[:, number])
        triangle[number, number] = np.linalg.norm(rest)
        basis[:, number] = rest / triangle[number, number]
    solution = basis.T @ right_hand_sides
    for number in reversed(range(count)):
        solution[number] -= triangle[number, number + 1 :] @ solution[number + 1 :]
        solution[number] /= triangle[number, number]
    return solution


def _orthogonalise(basis: Array, column: Array) -> tuple[Array, Array]:
    """Split a column into a part orthogonal to orthonormal columns, and components along them."""
    parts = np.zeros(basis.shape[1], dtype=basis.dtype)
    for _ in range(2):  # twice is enough for orthogonality to rounding
        more = basis.T @ column
        column, parts = column - basis @ more, parts + more
    return column, parts
