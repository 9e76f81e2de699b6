"""Derivatives of joint positions after a time step, by the positions before it and the motion.

For a joint with one axis, the position after a step is position plus motion, and both derivatives
are 1. The pose of a floating base (position p, quaternion, rotation matrix R) is multiplied by the
exponential of the motion (u, r), a translation and a rotation vector in its own axes:

    p' = p + R V(r) u,   quaternion' = quaternion * (k r, cos(phi/2))

Here * is the product of quaternions, [r] is the cross product matrix of r, phi = |r|, k =
sin(phi/2)/phi, V = 1 + a [r] + b [r]^2, a = (1 - cos phi)/phi^2 = 2 k^2, and b = (phi - sin
phi)/phi^3. The derivatives of k, a and b by phi, divided by phi, are

    k_d = (cos(phi/2)/2 - k)/phi^2,   a_d = 4 k k_d,   b_d = (a - 3 b)/phi^2.

k_d, a_d and b_d are multiplied by two or more components of r, so their cancellation near phi = 0
is harmless as long as b is precise. Near phi = 0 the quotient b is imprecise, and a power series
replaces it. Quotient and series are both computed, and a factor 0 or 1 selects one of them, because
a program has no branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from dynagen.dynamics.algorithms.base_pose import (
    ANGULAR,
    LINEAR,
    record_base_quaternion,
    record_base_rotation,
)
from dynagen.dynamics.algorithms.integration import (
    STEP_LENGTH,
    TINY,
    advance,
    angle_of,
    rotated_quaternion,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Expr, Matrix, Max, Min, Rational, eye, sign
from dynagen.numbers.exact import ONE

# The next term is below 5e-17 of the sum where the series counts, up to an angle of 1 rad.
_SERIES_TERMS = 8

_UNIT = ((1, 0, 0), (0, 1, 0), (0, 0, 1))

Row = tuple[Quantity, ...]
"""A row of a matrix, as recorded scalars."""


@formula
def cubic_quotient(square: Expr, share: Expr, cosine: Expr) -> Expr:
    """Return b = (phi - sin phi)/phi^3 for an angle phi, with a power series near phi = 0.

    Args:
        square: phi^2 (rad^2).
        share: k = sin(phi/2)/phi.
        cosine: cos(phi/2).
    """
    near = Min(square, 1)
    series = Rational((-1) ** (_SERIES_TERMS - 1), factorial(2 * _SERIES_TERMS + 1))
    # Horner's scheme: 1/3! - x/5! + x^2/7! - ...
    for power in reversed(range(_SERIES_TERMS - 1)):
        series = Rational((-1) ** power, factorial(2 * power + 3)) + near * series
    # sin phi / phi = 2 k cos(phi/2).
    quotient = (1 - 2 * share * cosine) / Max(square, 1)
    # The two agree at 1 rad, where the sign is zero and each counts half.
    chosen = (1 + sign(square - 1)) / 2
    return series + chosen * (quotient - series)


@formula
def slope_of_share(share: Expr, cosine: Expr, square: Expr) -> Expr:
    """Return the slope k_d = (cos(phi/2)/2 - k)/phi^2 of k = sin(phi/2)/phi.

    The slope is the derivative of k by the angle phi (rad), divided by phi. `share` is k, `cosine`
    is cos(phi/2), and `square` is phi^2.
    """
    return (cosine / 2 - share) / square


@formula
def slope_of_cubic(share: Expr, cubic: Expr, square: Expr) -> Expr:
    """Return the slope b_d = (a - 3 b)/phi^2 of b = (phi - sin phi)/phi^3, with a = 2 k^2.

    The slope is the derivative of b by the angle phi (rad), divided by phi. `share` is k =
    sin(phi/2)/phi, `cubic` is b, and `square` is phi^2.
    """
    return (2 * share**2 - 3 * cubic) / square


@formula
def translation_by_shift(rotation: Matrix, share: Expr, cubic: Expr) -> Matrix:
    """Return V, the derivative by u of the displacement V u at a constant twist, shape (3, 3).

    V is 1 + a [r] + b [r]^2 with the cross product matrix [r] of the rotation vector r (`rotation`)
    and a = 2 k^2. `share` is k = sin(phi/2)/phi and `cubic` is b = (phi - sin phi)/phi^3, with phi
    = |r|.
    """
    x, y, z = rotation
    across = Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    # [r]^2 = r r^T - phi^2: entries on the diagonal are sums of two squares.
    products = rotation * rotation.T
    twice = Matrix(
        3,
        3,
        lambda i, j: products[i, j] if i != j else -sum(products[k, k] for k in range(3) if k != i),
    )
    return eye(3) + 2 * share**2 * across + cubic * twice


@formula
def translation_by_rotation(
    rotation: Matrix, along: Matrix, share: Expr, slope: Expr, cubic: Expr, cubic_slope: Expr
) -> Matrix:
    """Return the derivative of the displacement V u by the rotation vector r, shape (3, 3).

    V is 1 + a [r] + b [r]^2 with the cross product matrix [r]. In the arguments, phi = |r|.

    Args:
        rotation: rotation vector r (rad).
        along: u, linear velocity in the moving axes times the time step (m).
        share: k = sin(phi/2)/phi; a is 2 k^2.
        slope: derivative of k by phi, divided by phi.
        cubic: b = (phi - sin phi)/phi^3.
        cubic_slope: derivative of b by phi, divided by phi.
    """
    across = rotation.cross(along)
    turned = 4 * share * slope * across + cubic_slope * rotation.cross(across)
    first = 2 * share**2
    columns = []
    for axis in range(3):
        unit = eye(3)[:, axis]
        # r x (e_j x u) = e_j (r.u) - u r_j.
        twice = unit * rotation.dot(along) - along * rotation[axis]
        columns.append(
            first * unit.cross(along)
            + rotation[axis] * turned
            + cubic * (unit.cross(across) + twice)
        )
    return Matrix([list(column) for column in columns]).T


@formula
def half_turn_by_rotation(rotation: Matrix, share: Expr, slope: Expr) -> Matrix:
    """Return the derivative of the quaternion (k r, cos(phi/2)) by r, shape (4, 3).

    `rotation` is the rotation vector r, with phi = |r|. `share` is k = sin(phi/2)/phi, and `slope`
    the derivative of k by phi, divided by phi.
    """
    vector = share * eye(3) + slope * rotation * rotation.T
    return vector.col_join(-share / 2 * rotation.T)


@formula
def product_with_left(quaternion: Matrix, columns: Matrix) -> Matrix:
    """Return the products of a quaternion (x, y, z, w) with each column of a 4 x n matrix.

    A column is the right factor of a product: a quaternion (x, y, z, w). The result is a 4 x n
    matrix.
    """
    x, y, z, w = quaternion
    left = Matrix([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
    return left * columns


@formula
def matrix_product(left: Matrix, right: Matrix) -> Matrix:
    """Return the product `left` times `right` of two matrices."""
    return left * right


@formula
def dot(left: Matrix, right: Matrix) -> Expr:
    """Return the scalar product of two vectors."""
    return left.dot(right)


@formula
def point_by_quaternion(quaternion: Matrix, rotation: Matrix, shift: Matrix) -> Matrix:
    """Return the derivative of a rotated vector R s by the quaternion of R, shape (3, 4).

    A small rotation d about the rotated axes moves R s by R cross(d, s). For a change dv, dw of the
    unit quaternion (v, w), d is 2 (w dv - dw v - cross(v, dv)).

    Args:
        quaternion: the unit quaternion x, y, z, w.
        rotation: rotation matrix R of the quaternion.
        shift: vector s in the rotated axes (m).
    """
    x, y, z, w = quaternion
    a, b, c = shift
    by_turn = rotation * Matrix([[0, c, -b], [-c, 0, a], [b, -a, 0]])
    turns = 2 * Matrix([[w, z, -y, -x], [-z, w, x, -y], [y, -x, w, -z]])
    return by_turn * turns


@formula
def turned_by_quaternion(quaternion: Matrix, turn: Matrix, after: Matrix) -> Matrix:
    """Return the derivative of a product of two quaternions by the first factor, shape (4, 4).

    A change of the first factor's length has no effect, as if it were normalised first.

    Args:
        quaternion: the first factor x, y, z, w, of unit length.
        turn: the second factor x, y, z, w, of unit length.
        after: the product x, y, z, w.
    """
    x, y, z, w = turn
    right = Matrix([[w, z, -y, x], [-z, w, x, y], [y, -x, w, z], [-x, -y, -z, w]])
    return right - after * quaternion.T


def record_pose_derivatives(
    recording: Recording, motion: Sequence[Quantity]
) -> tuple[list[Row], list[Row]]:
    """Record the derivatives of a floating base's pose after a step with a constant twist.

    The first six of `motion` are the twist of the base times the time step: linear (m), then
    angular (rad), in its own axes.

    Returns:
        Two matrices of seven rows, one for each entry of the pose after the step (position, then
        quaternion x, y, z, w). The first contains the derivatives by the pose before the step, the
        second those by the motion of the base.
    """
    recording.begin_section("Derivatives of the pose after the step")
    along, rotation = join(motion[LINEAR]), join(motion[ANGULAR])
    angle = angle_of(rotation, TINY)
    sine, cosine = recording.recorder.add_sine_cosine(angle * (ONE / 2))
    share, square = sine / angle, angle * angle
    slope, cubic = slope_of_share(share, cosine, square), cubic_quotient(square, share, cosine)
    cubic_slope = slope_of_cubic(share, cubic, square)
    quaternion, base = record_base_quaternion(recording), record_base_rotation(recording)
    by_shift = translation_by_shift(rotation, share, cubic)
    by_rotation = translation_by_rotation(rotation, along, share, slope, cubic, cubic_slope)
    point_rows = (
        matrix_product(base, by_shift),
        matrix_product(base, by_rotation),
        point_by_quaternion(quaternion, base, by_shift @ along),
    )
    by_translation, by_turn, by_quaternion = (_split(each, 3) for each in point_rows)
    kept, turned = _record_turn_slopes(quaternion, rotation, share, slope, cosine)
    unit, none = (
        _split(recording.recorder.add_constant_matrix(_UNIT), 3),
        (recording.add_constant(0),) * 3,
    )
    by_pose = [
        *(first + second for first, second in zip(unit, by_quaternion, strict=True)),
        *(none + row for row in kept),
    ]
    by_motion = [
        *(first + second for first, second in zip(by_translation, by_turn, strict=True)),
        *(none + row for row in turned),
    ]
    return by_pose, by_motion


def record_turn_derivatives(
    recording: Recording, quaternion: Quantity, rotation: Quantity
) -> tuple[list[Row], list[Row]]:
    """Record derivatives of a body's quaternion x, y, z, w after a rotation.

    `quaternion` is x, y, z, w before the rotation. `rotation` is the rotation vector in the axes of
    the body (rad).

    Returns:
        Two matrices of four rows: the derivatives by the quaternion before the rotation, and by the
        rotation vector.
    """
    recording.begin_section("Derivatives of a quaternion after the step")
    angle = angle_of(rotation, TINY)
    sine, cosine = recording.recorder.add_sine_cosine(angle * (ONE / 2))
    share = sine / angle
    slope = slope_of_share(share, cosine, angle * angle)
    return _record_turn_slopes(quaternion, rotation, share, slope, cosine)


def _record_turn_slopes(
    quaternion: Quantity, rotation: Quantity, share: Quantity, slope: Quantity, cosine: Quantity
) -> tuple[list[Row], list[Row]]:
    """Record the derivatives of a rotated quaternion, the results of `record_turn_derivatives`.

    The derivatives are by the quaternion before the rotation, and by the rotation vector. phi is
    the length of the rotation vector (`rotation`). `share` is k = sin(phi/2)/phi, `slope` the
    derivative of k by phi, divided by phi, and `cosine` is cos(phi/2).
    """
    vector = share * rotation
    after = rotated_quaternion(quaternion, vector, cosine)
    turn = half_turn_by_rotation(rotation, share, slope)
    return (
        _split(turned_by_quaternion(quaternion, join((vector, cosine)), after), 4),
        _split(product_with_left(quaternion, turn), 4),
    )


def _split(matrix: Quantity, count: int) -> list[Row]:
    """Return the rows of a matrix with `count` rows, as scalars."""
    entries = tuple(matrix)
    size = len(entries) // count
    return [entries[size * row : size * (row + 1)] for row in range(count)]


def record_position_changes(
    recording: Recording, motion: Sequence[Quantity], changes: Sequence[Sequence[Quantity]]
) -> list[list[list[Quantity]]]:
    """Record derivatives of the joint positions after a motion, from derivatives of the motion.

    Args:
        recording: program under construction. Its recorder has to be memoised: a formula that is
            applied twice to the same values is recorded once.
        motion: joint velocities times the time step, one scalar for each of the nv entries of the
            velocity vector.
        changes: matrices with derivatives of the motion, each row-major with nv rows and one column
            for each variable. The first matrix, which may be empty, is by the positions q before
            the motion. Only for this matrix, the result also contains the direct effect of q.

    Returns:
        One matrix for each of `changes`, with the derivatives of the positions after the motion:
        one row for every entry of q, and the columns of the matrix in `changes`.
    """
    slopes = [
        slope for body in recording.bodies for slope in body.record_step_slopes(recording, motion)
    ]
    recording.begin_section("Derivatives of the positions after the step")
    results = []
    for place, change in enumerate(changes):
        size = len(change) // recording.model.nv
        rows: list[list[Quantity]] = []
        for slope in slopes:
            moved = [
                join(change[entry * size + column] for entry in slope.motions)
                for column in range(size)
            ]
            own = [[dot(join(row), column) for column in moved] for row in slope.by_motion]
            if place == 0 and own:
                entries = slice(slope.positions.start, slope.positions.stop)
                for row, kept in zip(own, slope.by_position, strict=True):
                    row[entries] = [
                        entry + more for entry, more in zip(row[entries], kept, strict=False)
                    ]
            rows += own
        results.append(rows)
    return results


def record_turning_step(
    recording: Recording,
    next_velocities: Sequence[Quantity],
    accelerations: Sequence[Quantity],
    changes: Sequence[Sequence[Quantity]],
) -> list[list[Quantity]]:
    """Record the derivatives of the joint positions after a semi-implicit Euler step.

    Args:
        recording: program under construction, for a robot that has a floating base or spherical
            joints.
        next_velocities: joint velocities after the step, one scalar for each of the nv entries of
            the velocity vector.
        accelerations: constant joint accelerations during the step, in the order of
            `next_velocities`.
        changes: matrices with derivatives of `next_velocities`, row-major with nv rows. The first
            matrix is by q.

    Returns:
        The derivatives of the positions after the step as row-major matrices, with one row for
        every entry of q: one matrix for each of `changes`, and a last one by the length of the
        step.
    """
    step = recording.add_element(STEP_LENGTH)
    # The motion is dt qd_next.
    by_length = [
        advance(velocity, step, acceleration)
        for velocity, acceleration in zip(next_velocities, accelerations, strict=True)
    ]
    motions = [*([step * entry for entry in change] for change in changes), by_length]
    results = record_position_changes(recording, [step * v for v in next_velocities], motions)
    return [[entry for row in rows for entry in row] for rows in results]
