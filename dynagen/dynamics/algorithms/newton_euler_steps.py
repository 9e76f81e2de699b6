"""The formulas of the reformulated Newton-Euler recursion, for one body.

C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng. thesis, Memorial University
of Newfoundland, 1990, Table 2.4 and the equations that it stands on, as `newton_euler` changes them.
"""

from __future__ import annotations

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z
from dynagen.dynamics.recording.formula import formula


@formula
def joint_velocity(before: Expr, angular: Expr, velocity: Expr) -> Expr:
    """Velocity of a joint about z, or its change, added to the velocity of the joints before it whose axes are parallel."""
    return before + angular * velocity


@formula
def angular_velocity(carried: Matrix, about_z: Expr) -> Matrix:
    """Step 1: w = R^T w_parent + qd z."""
    return carried + about_z * Z


@formula
def angular_acceleration(carried: Matrix, w: Matrix, about_z: Expr, change: Expr) -> Matrix:
    """Step 2: wd = R^T wd_parent + qdd z + w x qd z."""
    return carried + change * Z + about_z * Matrix([w[1], -w[0], 0])


@formula
def velocity_products(w: Matrix) -> Matrix:
    """Eq. 2.28: k = (w_y w_z, w_x w_z, w_x w_y)."""
    return Matrix([w[1] * w[2], w[0] * w[2], w[0] * w[1]])


@formula
def acceleration_difference(w: Matrix, wd: Matrix, k: Matrix) -> Matrix:
    """Eq. 2.27: lambda r = wd x r + w x (w x r) for every r fixed in the body."""
    xx, yy, zz = w[0] ** 2, w[1] ** 2, w[2] ** 2
    return Matrix(
        [
            [-(yy + zz), k[2] - wd[2], k[1] + wd[1]],
            [k[2] + wd[2], -(xx + zz), k[0] - wd[0]],
            [k[1] - wd[1], k[0] + wd[0], -(xx + yy)],
        ]
    )


@formula
def acceleration_at(acceleration: Matrix, difference: Matrix, point: Matrix) -> Matrix:
    """Eq. 2.26: acceleration of another point of the body."""
    return acceleration + difference * point


@formula
def origin_acceleration(
    carried: Matrix,
    difference: Matrix,
    displacement: Expr,
    w: Matrix,
    linear: Expr,
    velocity: Expr,
    acceleration: Expr,
) -> Matrix:
    """Step 3: a = carried + d lambda z + linear (qdd z + 2 w x qd z)."""
    coriolis = linear * 2 * velocity * Matrix([w[1], -w[0], 0])
    return carried + displacement * difference[:, 2] + linear * acceleration * Z + coriolis


@formula
def body_force(
    mass: Expr, acceleration: Matrix, difference: Matrix, first_moment: Matrix
) -> Matrix:
    """Steps 4 and 5 about the origin: F = m a + lambda s."""
    return mass * acceleration + difference * first_moment


@formula
def body_moment(
    inertia: Matrix,
    w: Matrix,
    wd: Matrix,
    k: Matrix,
    difference: Matrix,
    first_moment: Matrix,
    acceleration: Matrix,
) -> Matrix:
    """Step 6 and eq. 2.41 about the origin: N = J wd + w x J w + s x a.

    inertia: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz. Products of inertia find their terms in the entries of lambda.
    """
    xx, yy, zz, xy, xz, yz = inertia
    lam = difference
    moment = Matrix(
        [
            xx * wd[0]
            + (zz - yy) * k[0]
            + xz * lam[1, 0]
            - xy * lam[2, 0]
            + yz * (w[1] ** 2 - w[2] ** 2),
            yy * wd[1]
            + (xx - zz) * k[1]
            + xy * lam[2, 1]
            - yz * lam[0, 1]
            + xz * (w[2] ** 2 - w[0] ** 2),
            zz * wd[2]
            + (yy - xx) * k[2]
            + yz * lam[0, 2]
            - xz * lam[1, 2]
            + xy * (w[0] ** 2 - w[1] ** 2),
        ]
    )
    return moment + first_moment.cross(acceleration)


@formula
def body_moment_by_difference(
    second: Matrix, difference: Matrix, first_moment: Matrix, acceleration: Matrix
) -> Matrix:
    """Step 6 by second moments: N = integral of r x (a + lambda r) dm = s x a + the vector of lambda S - (lambda S)^T.

    second: elements xx, yy, zz, xy, xz, yz of S, the integral of r r^T dm.
    """
    xx, yy, zz, xy, xz, yz = second
    lam = difference
    moment = Matrix(
        [
            yy * lam[2, 1]
            - zz * lam[1, 2]
            + xy * lam[2, 0]
            - xz * lam[1, 0]
            + yz * (lam[2, 2] - lam[1, 1]),
            zz * lam[0, 2]
            - xx * lam[2, 0]
            + yz * lam[0, 1]
            - xy * lam[2, 1]
            + xz * (lam[0, 0] - lam[2, 2]),
            xx * lam[1, 0]
            - yy * lam[0, 1]
            + xz * lam[1, 2]
            - yz * lam[0, 2]
            + xy * (lam[1, 1] - lam[0, 0]),
        ]
    )
    return moment + first_moment.cross(acceleration)


@formula
def joint_force(
    angular: Expr, n: Matrix, linear: Expr, f: Matrix, motor_inertia: Expr, acceleration: Expr
) -> Expr:
    """Step 9, with the motor's reflected inertia: tau = angular n_z + linear f_z + Ia qdd."""
    return angular * n[2] + linear * f[2] + motor_inertia * acceleration
