"""Dependent joints of closed loops without a closed formula, solved by Newton's method.

A group of loops determines the positions x of its dependent joints by the constraints phi(q, x) =
0, with the positions q of other joints. Newton's method starts with x = 0:

    x <- x - (dphi/dx)^-1 phi

The method converges quadratically. Convergence is therefore checked before the last two steps: the
generated function returns a nonzero status code if the length of phi is not below 1e-6.

The constraints phi of a loop are the vector between the origins of its two frames, and scalar
products of axes that have to be zero. All vectors are in the axes of the last body that carries the
two frames. As many constraints are solved as joints are unknown. These constraints and the order of
pivots are chosen at the pose with all joints at zero. The determinant of dphi/dx changes its sign
in a singular pose, so its sign distinguishes neighbouring assembly branches.

Velocities and accelerations are computed from the derivatives of phi: dx/dt = G dq/dt with G =
-(dphi/dx)^-1 dphi/dq.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dynagen.dynamics.algorithms.dyads import NOT_CLOSED, Row, TreeMotion
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import ZERO, Angle, Exact
from dynagen.robot.description import Loop, NewtonGroup
from dynagen.robot.model.model import RobotModel
from dynagen.robot.pose import Pose

_SMALL = Exact("1e-12")  # m^2: square of the residual before the last two steps
_PAIRS = {"spherical": (), "revolute": ((0, 2), (1, 2)), "fixed": ((0, 2), (1, 2), (0, 1))}
"""Axes that each type of loop joint keeps perpendicular: (axis of first frame, of second frame)."""


class VariableMotion(TreeMotion, Protocol):
    """Recorded motion of a robot with its loops cut; Newton steps use trial joint positions."""

    @property
    def positions(self) -> Mapping[int, Quantity]:
        """Positions of the joints solved so far (rad or m), by index in the velocity vector."""

    def record_rotation(self, body: int, variable: Quantity) -> tuple[Quantity, Quantity]:
        """Record cosine and sine of a joint's angle plus offset, at a given joint position."""


@formula
def blend(x: Matrix, y: Matrix, z: Matrix, factors: Matrix) -> Matrix:
    """Return the vector with the components `factors` along the unit vectors x, y and z."""
    return x * factors[0] + y * factors[1] + z * factors[2]


@formula
def turn(cosine: Expr, along: Matrix, sine: Expr, across: Matrix) -> Matrix:
    """Return cosine times `along` plus sine times `across`."""
    return cosine * along + sine * across


@formula
def product(left: Matrix, right: Matrix) -> Expr:
    """Return the scalar product of two vectors."""
    return left.dot(right)


@formula
def eliminated(entry: Expr, factor: Expr, pivot_row: Expr) -> Expr:
    """Return entry - factor * pivot_row, a matrix entry after a step of Gaussian elimination."""
    return entry - factor * pivot_row


@formula
def carried(alpha: Matrix, omega: Matrix, arm: Matrix) -> Matrix:
    """Return cross(alpha, r) + cross(w, cross(w, r)), the acceleration of a point of a body.

    The acceleration is relative to another point of the body, and `arm` is r from this other point.
    `alpha` and `omega` (w) are the angular acceleration and velocity of the body.
    """
    return alpha.cross(arm) + omega.cross(omega.cross(arm))


@dataclass(frozen=True)
class _Joint:
    """A joint of a kinematic path: its body's index, its axis and a point on the axis (m)."""

    body: int
    axis: Quantity
    place: Quantity


@dataclass(frozen=True)
class _Way:
    """A kinematic path from a body to a frame: joints, and the frame's axes and origin (m)."""

    joints: tuple[_Joint, ...]
    axes: tuple[Quantity, ...]
    end: Quantity


@dataclass(frozen=True)
class _Constraints:
    """The loop-closure constraints phi = 0 of a group of loops, at trial positions of the joints.

    Attributes:
        ways: for each loop, the kinematic paths to its two frames.
        residuals: values of phi, one scalar for each constraint (row).
        columns: nonzero derivatives of phi, by row and index of a joint in the tree's velocity
            vector.
    """

    loops: VariableMotion
    group: NewtonGroup
    ways: tuple[tuple[_Way, _Way], ...]
    residuals: tuple[Quantity, ...]
    columns: Mapping[tuple[int, int], Quantity]

    def compute_bias(self, velocities: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Record the second time derivative of each constraint, at constant joint velocities."""
        rows = []
        for loop, ways in zip(self.group.loops, self.ways, strict=True):
            (near, far), motions = ways, [self._accelerate(way, velocities) for way in ways]
            # Rows of the gap: relative acceleration of its ends, in the axes of the common body.
            difference = motions[0][2] - motions[1][2]
            rows += list(difference)
            for i, j in _PAIRS[loop.joint]:
                vectors = near.axes[i], far.axes[j]
                (one, first), (two, second) = (
                    (omega.cross(vector), carried(alpha, omega, vector))
                    for (omega, alpha, _), vector in zip(motions, vectors, strict=True)
                )
                # (x.y)" = x".y + x.y" + 2 x'.y' for unit vectors x and y of the two frames.
                change = product(one, two)
                rows.append(
                    product(first, vectors[1]) + product(vectors[0], second) + (change + change)
                )
        return tuple(rows)

    def _accelerate(
        self, way: _Way, velocities: Sequence[Quantity]
    ) -> tuple[Quantity, Quantity, Quantity]:
        """Record angular velocity, angular and linear acceleration of a path's last frame."""
        bodies = self.loops.tree.bodies
        omega = alpha = acceleration = place = self.loops.recorder.add_constant(0, 0, 0)
        for joint in way.joints:
            body, speed = bodies[joint.body], velocities[self.loops.find_entry(joint.body)]
            acceleration = acceleration + carried(alpha, omega, joint.place - place)
            if body.linear:
                # Coriolis acceleration 2 w x v of a sliding joint, in the common body's axes.
                slide = omega.cross((speed * body.linear) * joint.axis)
                acceleration = acceleration + (slide + slide)
            if body.angular:
                rate = (speed * body.angular) * joint.axis
                # The axis turns with the bodies before it: at w without the joint's own rate.
                alpha, omega = alpha + omega.cross(rate), omega + rate
            place = joint.place
        return omega, alpha, acceleration + carried(alpha, omega, way.end - place)


@dataclass(frozen=True)
class _Factors:
    """Gaussian elimination of a square matrix whose absent entries are zero."""

    upper: Mapping[tuple[int, int], Quantity]
    lower: Mapping[tuple[int, int], Quantity]
    inverses: tuple[Quantity, ...]

    @classmethod
    def eliminate(cls, matrix: Mapping[tuple[int, int], Quantity], size: int) -> _Factors:
        """Record Gaussian elimination; `matrix` is by (row, column); its diagonal has pivots."""
        upper, lower, inverses = dict(matrix), {}, []
        for k in range(size):
            inverses.append(1 / upper[k, k])
            for i in range(k + 1, size):
                # An absent entry is zero in every pose: its step of elimination is empty.
                if (i, k) not in upper:
                    continue
                lower[i, k] = factor = upper.pop((i, k)) * inverses[k]
                for j in range(k + 1, size):
                    if (k, j) in upper:
                        upper[i, j] = _subtract(upper.get((i, j)), factor, upper[k, j])
        return cls(upper, lower, tuple(inverses))

    def solve(self, right: Sequence[Quantity | None]) -> list[Quantity | None]:
        """Record x of A x = b for the factored matrix A, with b = `right`; None means zero."""
        values, size = list(right), len(self.inverses)
        # Forward with the lower triangle, whose diagonal is one; then backward with the upper.
        for i in range(size):
            for k in range(i):
                value = values[k]
                if (i, k) in self.lower and value is not None:
                    values[i] = _subtract(values[i], self.lower[i, k], value)
        for i in reversed(range(size)):
            for j in range(i + 1, size):
                value = values[j]
                if (i, j) in self.upper and value is not None:
                    values[i] = _subtract(values[i], self.upper[i, j], value)
            value = values[i]
            values[i] = None if value is None else value * self.inverses[i]
        return values

    @property
    def determinant(self) -> Quantity:
        """Determinant of the matrix that was factored: the product of the pivots."""
        result = self.upper[0, 0]
        for k in range(1, len(self.inverses)):
            result = result * self.upper[k, k]
        return result


def _subtract(entry: Quantity | None, factor: Quantity, other: Quantity) -> Quantity:
    return -(factor * other) if entry is None else eliminated(entry, factor, other)


@dataclass(frozen=True)
class SolvedGroup:
    """A group of loops with the solved positions of its dependent joints.

    Attributes:
        loops: the recorded motion of the tree's joints.
        constraints: the constraints, recorded at the solution.
        rows: indices of the constraints that are solved, in the order of pivots.
        entries: indices of the dependent joints in the velocity vector v of the tree, in the order
            of pivots.
        positions: positions of the dependent joints (rad or m), by index in the tree's v.
        factors: Gaussian elimination of the derivatives of these constraints by the positions.
    """

    loops: VariableMotion
    constraints: _Constraints
    rows: tuple[int, ...]
    entries: tuple[int, ...]
    positions: Mapping[int, Quantity]
    factors: _Factors

    def find_rows(self, rows: Mapping[int, Row]) -> dict[int, Row]:
        """Record the rows of G in v_tree = G v for the dependent joints of this group of loops.

        v are the velocities of the independent joints, v_tree those of all joints. `rows` has the
        rows of the joints that are solved before. A row maps indices of independent joints to
        elements of G; all keys are indices in v_tree.
        """
        found: dict[int, dict[int, Quantity | int]] = {entry: {} for entry in self.entries}
        for entry in self.loops.free:
            # G = -(dphi/dx)^-1 dphi/dq, one column for each independent entry.
            right = self._multiply(
                {place: row[entry] for place, row in rows.items() if entry in row}
            )
            for place, value in zip(self.entries, self.factors.solve(right), strict=True):
                if value is not None:
                    found[place][entry] = value
        return dict(found)

    def find_drift(
        self, velocities: Sequence[Quantity], drift: Mapping[int, Quantity]
    ) -> dict[int, Quantity]:
        """Record the accelerations of the dependent joints at zero independent accelerations.

        `velocities` has the velocity of every joint of the tree. `drift` has the accelerations of
        the joints that are solved before. Keys are indices in the tree's velocity vector.
        """
        # Twice differentiated: dphi/dx xdd = -(dphi/dq qdd + bias), here with the drift as qdd.
        bias = self.constraints.compute_bias(velocities)
        known = self._multiply(drift)
        right = [
            -bias[row] if value is None else value - bias[row]
            for row, value in zip(self.rows, known, strict=True)
        ]
        solved = self.factors.solve(right)
        return {
            entry: value
            for entry, value in zip(self.entries, solved, strict=True)
            if value is not None
        }

    def _multiply(self, values: Mapping[int, Quantity | int]) -> list[Quantity | None]:
        """Record -(dphi/dq) y: phi are constraints, q joints outside the group; `values` is y."""
        result: list[Quantity | None] = []
        for row in self.rows:
            terms = [
                (factor, self.constraints.columns[row, entry])
                for entry, factor in values.items()
                if (row, entry) in self.constraints.columns and entry not in self.entries
            ]
            result.append(-self.loops.combine(terms) if terms else None)
        return result


def solve_group(loops: VariableMotion, number: int, group: NewtonGroup) -> SolvedGroup:
    """Record Newton steps that compute the dependent joints of a group of closed loops.

    Args:
        loops: the recorded motion of the joints; all except the group's dependent joints are
            solved.
        number: number of the group, from 1, in section titles.
        group: the loops that are solved together.
    """
    rows, entries, sign = _choose_pivots(
        loops, group, [loops.find_entry(loops.bodies[name]) for name in group.links]
    )
    zero = loops.recorder.add_constant(0)
    positions = dict.fromkeys(entries, zero)
    # Each of the two steps after the check squares the residual.
    checked = group.steps - 2
    for step in range(group.steps):
        loops.recorder.begin_section(f"Newton group {number}, step {step + 1}")
        constraints = _record_constraints(loops, group, positions)
        factors = _factor(constraints, rows, entries)
        if step == checked:
            squares = [residual * residual for residual in constraints.residuals]
            error = loops.combine([(1, square) for square in squares])
            loops.recorder.require_positive(
                loops.recorder.add_constant(_SMALL) - error, unless=NOT_CLOSED
            )
        # x <- x - (dphi/dx)^-1 phi
        changes = factors.solve([constraints.residuals[row] for row in rows])
        positions = {
            entry: positions[entry] if change is None else positions[entry] - change
            for entry, change in zip(entries, changes, strict=True)
        }
    # The derivatives of the last step are from before its change of x: record them again.
    loops.recorder.begin_section(f"Newton group {number}: derivatives")
    constraints = _record_constraints(loops, group, positions)
    factors = _factor(constraints, rows, entries)
    # With the sign of another branch the steps have left the branch of the pose at zero.
    loops.recorder.require_positive(
        factors.determinant if sign > 0 else -factors.determinant, unless=NOT_CLOSED
    )
    return SolvedGroup(loops, constraints, rows, entries, positions, factors)


def _factor(constraints: _Constraints, rows: Sequence[int], entries: Sequence[int]) -> _Factors:
    matrix = {
        (i, j): constraints.columns[row, entry]
        for i, row in enumerate(rows)
        for j, entry in enumerate(entries)
        if (row, entry) in constraints.columns
    }
    return _Factors.eliminate(matrix, len(rows))


def _list_ways(model: RobotModel, loop: Loop) -> list[tuple[list[int], Pose]]:
    """Return for both frames of a loop: the bodies that carry only this frame; the frame's pose."""
    frames = [model.find_frame(name) for name in (loop.first, loop.second)]
    paths = [model.find_path(frame.body) for frame in frames]
    return [
        ([index for index in reversed(path) if index not in paths[1 - side]], frame.pose)
        for side, (path, frame) in enumerate(zip(paths, frames, strict=True))
    ]


def _record_constraints(
    loops: VariableMotion, group: NewtonGroup, trial: Mapping[int, Quantity]
) -> _Constraints:
    """Record the loop-closure constraints and their derivatives at the joint positions `trial`."""
    known: dict[int, tuple[Quantity, Quantity]] = {}
    ways: list[tuple[_Way, _Way]] = []
    residuals: list[Quantity] = []
    columns: dict[tuple[int, int], Quantity] = {}
    for loop in group.loops:
        near, far = (
            _record_way(loops, bodies, pose, trial, known)
            for bodies, pose in _list_ways(loops.tree, loop)
        )
        ways.append((near, far))
        # A rotation about e changes x.y by e.(x x y) if it turns x, by the opposite if it turns y.
        pairs = [near.axes[i].cross(far.axes[j]) for i, j in _PAIRS[loop.joint]]
        start = len(residuals)
        for way, sense in ((near, 1), (far, -1)):
            for joint in way.joints:
                entry, body = loops.find_entry(joint.body), loops.tree.bodies[joint.body]
                rows: list[Quantity] = []
                change = loops.recorder.add_constant(0, 0, 0)
                if body.angular:
                    # The end of the path moves by e x r, with r from the axis to the end.
                    change = joint.axis.cross(way.end - joint.place) * (body.angular * sense)
                if body.linear:
                    change = change + joint.axis * (body.linear * sense)
                rows += list(change)
                rows += [product(joint.axis, pair) * (body.angular * sense) for pair in pairs]
                for row, value in enumerate(rows, start):
                    before = columns.get((row, entry))
                    columns[row, entry] = value if before is None else before + value
        residuals += list(near.end - far.end)
        residuals += [product(near.axes[i], far.axes[j]) for i, j in _PAIRS[loop.joint]]
    return _Constraints(loops, group, tuple(ways), tuple(residuals), columns)


def _record_way(
    loops: VariableMotion,
    bodies: Iterable[int],
    last: Pose,
    trial: Mapping[int, Quantity],
    known: dict[int, tuple[Quantity, Quantity]],
) -> _Way:
    """Record the path over `bodies` to a frame with pose `last`; add (cos, sin) to `known`."""
    constant = loops.recorder.add_constant
    axes = constant(1, 0, 0), constant(0, 1, 0), constant(0, 0, 1)
    place = constant(0, 0, 0)
    joints = []
    for index in bodies:
        body = loops.tree.bodies[index]
        entry = loops.find_entry(index)
        # Joints of the group have trial variables; joints that are solved before have final ones.
        variable = trial.get(entry, loops.positions.get(entry))
        front = replace(body.placement, theta=Angle(ZERO)).pose
        # All vectors of a path are in the axes of the last body that carries both frames.
        place, axes = _follow(axes, place, front)
        if body.linear and variable is not None:
            place = place + axes[2] * (variable * body.linear)
        joints.append(_Joint(index, axes[2], place))
        if index not in known:
            theta = body.placement.theta
            if not body.angular:
                known[index] = constant(theta.cos), constant(theta.sin)
            elif variable is None:
                known[index] = loops.find_rotation(index)
            else:
                known[index] = loops.record_rotation(index, variable)
        cosine, sine = known[index]
        x, y, z = axes
        axes = turn(cosine, x, sine, y), turn(cosine, y, -sine, x), z
    end, axes = _follow(axes, place, last)
    return _Way(tuple(joints), axes, end)


def _follow(
    axes: tuple[Quantity, ...], place: Quantity, pose: Pose
) -> tuple[Quantity, tuple[Quantity, Quantity, Quantity]]:
    """Record a frame's origin and axes from its `pose` in the frame with `place` and `axes`."""
    constant = axes[0].recorder.add_constant
    x, y, z = (
        blend(*axes, constant(*(pose.rotation[row][column] for row in range(3))))
        for column in range(3)
    )
    return place + blend(*axes, constant(*pose.translation)), (x, y, z)


def _choose_pivots(
    loops: VariableMotion, group: NewtonGroup, entries: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return constraints and joints in the order in which Gaussian elimination uses them.

    The matrix contains the derivatives of the constraints by joint positions, at zero positions;
    pivoting is complete. The third result is the sign of the matrix's determinant.
    """
    matrix = np.concatenate([_compute_jacobian(loops, loop, entries) for loop in group.loops])
    rows: list[int] = []
    columns: list[int] = []
    sign = 1
    for _ in entries:
        row, column = np.unravel_index(int(np.argmax(np.abs(matrix))), matrix.shape)
        pivot = matrix[row, column]
        sign = sign if pivot > 0 else -sign
        matrix = matrix - np.outer(matrix[:, column], matrix[row]) / pivot
        # Used rows and columns cannot be the pivot of a later step.
        matrix[row], matrix[:, column] = 0, 0
        rows.append(int(row))
        columns.append(int(column))
    return tuple(rows), tuple(entries[column] for column in columns), sign


def _compute_jacobian(loops: VariableMotion, loop: Loop, entries: Sequence[int]) -> Array:
    """Return the derivatives of a loop's constraints (rows) by joint positions (columns).

    `entries` are the joints' indices in the tree's velocity vector. All joint positions are zero.
    """
    ways = []
    for bodies, last in _list_ways(loops.tree, loop):
        pose, joints = np.eye(4), []
        for index in bodies:
            pose = pose @ _round(loops.tree.bodies[index].placement.pose)
            joints.append((index, pose))
        ways.append((joints, pose @ _round(last)))
    (_, near), (_, far) = ways
    pairs = [np.cross(near[:3, i], far[:3, j]) for i, j in _PAIRS[loop.joint]]
    matrix = np.zeros((3 + len(pairs), len(entries)))
    for (joints, end), sense in zip(ways, (1, -1), strict=True):
        for index, pose in joints:
            body, entry = loops.tree.bodies[index], loops.find_entry(index)
            if entry in entries:
                axis, angular = pose[:3, 2], float(body.angular) * sense
                column = angular * np.cross(axis, end[:3, 3] - pose[:3, 3])
                column = column + float(body.linear) * sense * axis
                turning = [angular * float(axis @ pair) for pair in pairs]
                matrix[:, list(entries).index(entry)] += np.concatenate([column, turning])
    return matrix


def _round(pose: Pose) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3] = [[float(number) for number in row] for row in pose.rotation]
    matrix[:3, 3] = [float(number) for number in pose.translation]
    return matrix
