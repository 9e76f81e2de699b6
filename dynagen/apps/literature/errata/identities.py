"""Relative errors of printed and corrected formulas, for random or given numbers.

Each function that checks a formula returns two numbers: the relative error of the formula as
printed, and the relative error of the corrected formula.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.robot.loading import load_robot
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states

Residuals = tuple[float, float]
"""Relative errors of the printed and of the corrected formula."""
# The outputs in joint angles of the thesis's listing D.4, and the tool point of its listing D.1.3.
_FIRST_ANGLES = (3.6997, 2.3083, 0.5951)


def _random() -> np.random.Generator:
    return np.random.default_rng(5)


def _cross(vector: Array) -> Array:
    x, y, z = vector
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _lambda(velocity: Array, acceleration: Array) -> Array:
    """Return the matrix lambda with lambda r = cross(wd, r) + cross(w, cross(w, r)) for all r.

    The vector w is the angular velocity `velocity`, and wd the angular acceleration `acceleration`.
    """
    return np.asarray(_cross(acceleration) + _cross(velocity) @ _cross(velocity))


def _compare(true: Array, printed: Array, correct: Array) -> Residuals:
    scale = float(np.abs(true).max())
    return float(np.abs(printed - true).max()) / scale, float(np.abs(correct - true).max()) / scale


def _rotate_z(angle: float) -> Array:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])


def _rotate_x(angle: float) -> Array:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])


def prismatic_lambda() -> Residuals:
    """Return the relative errors of eq. 2.29 of Dhanaraj (1990), printed and corrected.

    For an angular velocity w and acceleration wd, lambda r = cross(wd, r) + cross(w, cross(w, r))
    for all r. For axes rotated by R, the printed result is R lambda R^T and the corrected result is
    R^T lambda R.
    """
    random = _random()
    rotation = _rotate_x(0.7) @ _rotate_z(1.9)
    w, wd = random.normal(size=(2, 3))
    before = _lambda(w, wd)
    true = _lambda(rotation.T @ w, rotation.T @ wd)
    return _compare(true, rotation @ before @ rotation.T, rotation.T @ before @ rotation)


def stanford_lambda() -> Residuals:
    """Return the relative errors of eq. 2.37 of Dhanaraj (1990), printed and corrected.

    The equation transforms the matrix lambda of the Stanford arm's link 2 to the axes of link 3,
    and is printed with wrong signs. For an angular velocity w and acceleration wd, lambda r =
    cross(wd, r) + cross(w, cross(w, r)) for all r.
    """
    w, wd = _random().normal(size=(2, 3))
    (a, b, c), (d, e, f), (g, h, i) = _lambda(w, wd)
    true = _lambda(np.array([w[0], w[2], -w[1]]), np.array([wd[0], wd[2], -wd[1]]))
    printed = np.array([[a, -c, b], [-g, i, -h], [d, -f, e]])
    correct = np.array([[a, c, -b], [g, i, -h], [-d, -f, e]])
    return _compare(true, printed, correct)


def lambda_element() -> Residuals:
    """Return the relative errors of element (2, 1) of lambda in Table 2.4 of Dhanaraj (1990).

    For an angular velocity w and acceleration wd, lambda r = cross(wd, r) + cross(w, cross(w, r))
    for all r. The printed element is w_y w_z + wd_x, and the corrected element w_x w_y + wd_z.
    """
    w, wd = _random().normal(size=(2, 3))
    true = np.array([_lambda(w, wd)[1, 0]])
    return _compare(true, np.array([w[1] * w[2] + wd[0]]), np.array([w[0] * w[1] + wd[2]]))


def gyroscopic_constant() -> Residuals:
    """Return the relative errors of the factor D_x in Table 2.4, step 6, of Dhanaraj (1990).

    For an angular velocity w and a diagonal inertia I, the x component of cross(w, I w) is D_x w_y
    w_z. The printed D_x is I_xx - I_yy, and the corrected D_x is I_zz - I_yy.
    """
    random = _random()
    w, inertia = random.normal(size=3), random.uniform(1, 2, size=3)
    true = np.cross(w, inertia * w)[:1]
    k_x = w[1] * w[2]
    return _compare(
        true,
        np.array([(inertia[0] - inertia[1]) * k_x]),
        np.array([(inertia[2] - inertia[1]) * k_x]),
    )


def transformation_matrix() -> Residuals:
    """Return the relative errors of the position in eq. 2.4 of Dhanaraj (1990).

    The errors of the printed and of the corrected equation are relative to the true position.
    The transformation is a rotation about x by alpha, a translation along x by a and a translation
    along z by d. The x component of its origin is a, which is printed as -a.
    """
    alpha, a, d = 0.4, 0.3, 0.2
    true = np.array([a, 0, 0]) + _rotate_x(alpha) @ np.array([0, 0, d])
    others = [-np.sin(alpha) * d, np.cos(alpha) * d]
    return _compare(true, np.array([-a, *others]), np.array([a, *others]))


def journal_bearing() -> Residuals:
    """Return the relative errors of bearing loads by eq. 3.3 of Dhanaraj (1990).

    The two bearings of a joint balance a force and a moment. The formulas with printed and with
    corrected signs are compared with statics.
    """
    fx, fy, nx, ny = _random().normal(size=4)
    d = 0.3
    # f1 + f2 = f, and moments of f1 at z = d/2 and f2 at z = -d/2 are (nx, ny).
    balance = np.array(
        [
            [1, 0, 1, 0],
            [0, 1, 0, 1],
            [0, -d / 2, 0, d / 2],
            [d / 2, 0, -d / 2, 0],
        ]
    )
    loads = np.linalg.solve(balance, [fx, fy, nx, ny])
    true = np.hypot(*loads[:2]) + np.hypot(*loads[2:])
    half_x, half_y = d / 2 * fx, d / 2 * fy
    printed = np.hypot(half_x - ny, half_y - nx) + np.hypot(half_x + ny, half_y + nx)
    correct = np.hypot(half_x - ny, half_y + nx) + np.hypot(half_x + ny, half_y - nx)
    return _compare(np.array([true]), np.array([printed / d]), np.array([correct / d]))


def thrust_bearing() -> Residuals:
    """Return the relative changes of |f_x| and |f_z| if the axes are rotated about z.

    The friction moment of a thrust bearing about z does not depend on the direction of the x axis.
    The moment is mu r |f_z|, with the bearing force f, the friction coefficient mu and the
    bearing's radius r. Eq. 3.5 of Dhanaraj (1990) prints mu r |f_x|.
    """
    force = _random().normal(size=3)
    turned = _rotate_z(1.1) @ force
    return (
        float(abs(abs(turned[0]) - abs(force[0])) / abs(force[0])),
        float(abs(abs(turned[2]) - abs(force[2])) / abs(force[2])),
    )


def braking_torque() -> Residuals:
    """Return the relative errors of a braking joint's torque in Table 3.5 of Dhanaraj (1990).

    Eq. 3.7 subtracts the friction torque from the dynamic torque; the correct eq. 3.6 adds the
    friction torque.
    """
    dynamic, friction, total = -0.8042, 0.1241, -0.6801
    return _compare(
        np.array([total]), np.array([dynamic - friction]), np.array([round(dynamic + friction, 4)])
    )


def lambda_of_first_link() -> Residuals:
    """Return the relative errors of the matrix LAM1 in listing D.2 of Dhanaraj (1990).

    For an angular velocity w and acceleration wd about z, the listed and the corrected matrix are
    compared with the matrix lambda with lambda r = cross(wd, r) + cross(w, cross(w, r)) for all r.
    """
    v, a = _random().normal(size=2)
    true = _lambda(np.array([0, 0, v]), np.array([0, 0, a]))
    correct = np.array([[-(v**2), -a, 0], [a, -(v**2), 0], [0, 0, 0]])
    return _compare(true, np.diag([0, 0, v**2 - a]), correct)


def _wrist(a3: float, d4: float, offset: float) -> Array:
    """Return the position of the PUMA 560's wrist (m), at the first joint angles of listing D.4.

    `a3` and `d4` are Denavit-Hartenberg parameters. `offset` is the sum of the displacements along
    the shoulder's axis.
    """
    q1, q2, q3 = _FIRST_ANGLES
    along = 0.4318 * np.cos(q2) + a3 * np.cos(q2 + q3) + d4 * np.sin(q2 + q3)
    height = -0.4318 * np.sin(q2) - a3 * np.sin(q2 + q3) + d4 * np.cos(q2 + q3)
    return np.array([*(_rotate_z(q1)[:2, :2] @ [along, offset]), height])


def first_point() -> Residuals:
    """Return the relative errors of the first tool point in listing D.1.3 of Dhanaraj (1990).

    The tool point at the angles of listing D.4 is compared with x = 0.3 m (printed) and x = 0.4 m
    (corrected).
    """
    reached = np.round(_wrist(0.0, -0.4318, 0.127), 3)
    return _compare(reached, np.array([0.3, 0.1, 0.1]), np.array([0.4, 0.1, 0.1]))


def forearm_direction() -> Residuals:
    """Return the relative errors of a tool position, computed with two forearms of Dhanaraj (1990).

    The first error belongs to the forearm in Table 2.1, the second to the forearm in listing D.1.3,
    which has the opposite direction. The joint angles are from listing D.4.
    """
    table_2_1 = np.round(_wrist(-0.0203, 0.4331, 0.1501), 3)
    listing = np.round(_wrist(0.0, -0.4318, 0.127), 3)
    return _compare(np.array([0.4, 0.1, 0.1]), table_2_1, listing)


def boom_position() -> Residuals:
    """Return the relative errors of the torque change when the Stanford arm's boom moves 0.4 m.

    In listing D.3.1 of Dhanaraj (1990), the torque of joint 2 does not change. The correct change
    is the change of the moment of the boom's weight.
    """
    reference, *_ = make_references(load_robot("stanford_listing_3dof"))
    rest = np.zeros((1, 3))
    near, far = (
        reference.compute_inverse_dynamics(np.array([[0, 0.3, q3]]), rest, rest)[0, 1]
        for q3 in (0.2, 0.6)
    )
    gained = -9.8 * 4.25 * 0.4 * np.sin(0.3)
    change = far - near
    return _compare(
        np.array([change]), np.zeros(1), np.array([gained if gained * change > 0 else -gained])
    )


def rotated_inertia() -> Residuals:
    """Return the relative errors of JS311 to JS323 in Appendix A of Izaguirre et al. (1992).

    Each of these five entries of an inertia in rotated axes is printed without one of its terms;
    the corrected formulas contain all terms.
    """
    random = _random()
    x11, x12, x13, _, x23, x33 = random.normal(size=6)
    cosine, sine = np.cos(0.8), np.sin(0.8)
    tensor = np.array([[x11, x12, x13], [x12, 0.0, x23], [x13, x23, x33]])
    axes = np.array([[cosine, 0, -sine], [sine, 0, cosine], [0, -1, 0]])
    rotated = axes @ tensor @ axes.T
    true = rotated[[0, 1, 0, 0, 1], [0, 1, 1, 2, 2]]
    printed = np.array(
        [
            cosine**2 * x11 + sine**2 * x33,
            sine**2 * x11 + cosine**2 * x33,
            sine * cosine * (x11 - x33),
            -cosine * x12,
            -sine * x12,
        ]
    )
    terms = [
        -2 * sine * cosine * x13,
        2 * sine * cosine * x13,
        (cosine**2 - sine**2) * x13,
        sine * x23,
        -cosine * x23,
    ]
    return _compare(true, printed, printed + terms)


@cache
def _fit_gravity() -> float:
    """Return the coefficient of sin(q2 + q3) in the gravity torque of joint 2 of the PUMA 260."""
    description = load_robot("puma260")
    reference, *_ = make_references(description)
    q = sample_states(description, ("q",), 50)["q"]
    elbow = q[:, 1] + q[:, 2]
    wrist = np.cos(elbow) * np.cos(q[:, 3]) * np.sin(q[:, 4]) + np.sin(elbow) * np.cos(q[:, 4])
    terms = np.column_stack([np.cos(q[:, 1]), np.sin(elbow), wrist])
    torques = reference.compute_inverse_dynamics(q, 0 * q, 0 * q)[:, 1]
    return abs(float(np.linalg.lstsq(terms, torques, rcond=None)[0][1]))


def gravity_coefficient() -> Residuals:
    """Return the relative errors of the gravity coefficient c13 of Izaguirre et al. (1992).

    The coefficient of sin(q2 + q3) in the gravity torque of the PUMA 260's joint 2 has the printed
    magnitude 1.176644 N m and the corrected magnitude 1.76865 N m.
    """
    true = np.array([round(_fit_gravity(), 5)])
    return _compare(true, np.array([1.176644]), np.array([1.76865]))


def end_of_trajectory() -> Residuals:
    """Return the relative errors of the trajectory's final position by eq. 18 of Saha (2003).

    With the initial position q0 and the final position q1, the position at time t <= T is q0 + k
    (q1 - q0) (2 pi t/T - sin(2 pi t/T)). The factor k is printed as 1/2, and corrected to 1/(2 pi).
    """
    start, end, ratio = 0.3, 1.7, 2 * np.pi  # 2 pi t/T - sin(2 pi t/T) at t = T
    return _compare(
        np.array([end]),
        np.array([start + (end - start) / 2 * ratio]),
        np.array([start + (end - start) / (2 * np.pi) * ratio]),
    )


def first_link_moment() -> Residuals:
    """Return the relative sizes of the first link's inertial force and inertial moments.

    The first number is 1, the second 0. Table 4.2 of Dhanaraj (1990) lists subtasks of inverse
    dynamics that are eliminated for the first link, because their results are zero. The moments
    about x and y (subtasks T27 and T28) are zero, but the force (T26) is not.

    Each number is the largest magnitude of a component, divided by the largest magnitude of a
    component of the force.
    """
    w, wd = np.array([0, 0, 0.7]), np.array([0, 0, -1.3])
    inertia, centre = np.diag([0.2, 0.3, 0.4]), np.array([0.1, 0.2, 0.3])
    force = _lambda(w, wd) @ centre
    moment = inertia @ wd + np.cross(w, inertia @ w)
    # Dropped tasks have to compute zero: T26 is the force, T27 and T28 are moments about x and y.
    scale = np.abs(force).max()
    return float(np.abs(force).max() / scale), float(np.abs(moment[:2]).max() / scale)


IDENTITIES: dict[str, Callable[[], Residuals]] = {
    function.__name__: function
    for function in (
        prismatic_lambda,
        stanford_lambda,
        lambda_element,
        gyroscopic_constant,
        transformation_matrix,
        journal_bearing,
        thrust_bearing,
        braking_torque,
        lambda_of_first_link,
        first_point,
        forearm_direction,
        boom_position,
        rotated_inertia,
        gravity_coefficient,
        end_of_trajectory,
        first_link_moment,
    )
}
"""Functions that check formulas of papers, by function name.

Each function returns the relative error of the printed and of the corrected formula.
"""
