"""Lagrange's equations as published: closed form, and recursions with 3 x 3 and 4 x 4 matrices.

`record_closed_form` records the closed form of Dhanaraj (1990), Appendix A.1, after Uicker (1965)
and Kahn (1969). The coefficients of the closed form are D_ik, h_ikm and the gravity forces c_i in

    tau_i = sum_k D_ik qdd_k + sum_(k <= m) h_ikm qd_k qd_m + c_i.

Each coefficient is a polynomial in sines, cosines and positions of prismatic joints. As in
textbooks, the angles of successive joints with parallel axes are added. Sines, cosines, their
products, and products of two joint velocities are computed once.

`record_lagrange_3x3` records the recursion with 3 x 3 rotations of Hollerbach (1980), as in
Dhanaraj (1990), Appendix A.3. The matrix W rotates vectors from the axes of link i to base axes,
and the matrix A rotates them to the axes of link i - 1. The recursion covers only revolute joints.
Two misprints of Appendix A.3 are corrected. The first moment m s of a link is printed as s / m. In
the first moment of a link and all outer links, the outer mass times the vector to the next link's
origin is missing.

`record_lagrange_4x4` records the recursion with 4 x 4 transformations of Hollerbach (1980), as in
Dhanaraj (1990), Appendix A.2. The matrix W transforms homogeneous coordinates from frame i to the
base frame, and the matrix A transforms them to frame i - 1. Three misprints of Appendix A.2 are
corrected. The inward recursion is printed with 0T instead of A. The pseudo-inertia is multiplied by
the first time derivative of W instead of the second. The gravity force is printed with m 0T instead
of the link's first moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from dynagen.apps.literature.conventional.algorithm import JointMotion
from dynagen.apps.literature.conventional.chain import (
    Chain,
    Link,
    displacement,
    joint_rotation,
    twist,
)
from dynagen.apps.literature.conventional.tape import Array, Scalar, Tape
from dynagen.numbers.exact import ONE, ZERO, Angle, Exact
from dynagen.numbers.parametric import (
    Monomial,
    add,
    collect,
    divide,
    find_common_factors,
    multiply,
    multiply_monomials,
    replace_squares,
)
from dynagen.numbers.parametric import Polynomial as Terms
from dynagen.robot.pose import IDENTITY, ORIGIN, make_screw_x, make_screw_z


@dataclass(frozen=True, order=True)
class Variable:
    """Sine or cosine of a sum of joint positions, or the position of a prismatic joint.

    Attributes:
        kind: `sin`, `cos` or `position`.
        joints: indices of the joints whose positions are added.
    """

    kind: str
    joints: tuple[int, ...]


@dataclass(frozen=True)
class Polynomial:
    """Sum of monomials with exact coefficients, in ascending order of the monomials.

    Squared sines are replaced by 1 - cosine^2, so that equal polynomials have equal terms.
    """

    terms: tuple[tuple[Monomial[Variable], Exact], ...]

    def __add__(self, other: Polynomial) -> Polynomial:
        return _sort_terms(collect((*self.terms, *other.terms)))

    def __neg__(self) -> Polynomial:
        return self.scaled(-ONE)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        squared = multiply(dict(self.terms), dict(other.terms))
        sines = {factor for monomial in squared for factor in monomial if factor.kind == "sin"}
        return _sort_terms(
            replace_squares(squared, {sine: Variable("cos", sine.joints) for sine in sines})
        )

    def scaled(self, factor: Exact) -> Polynomial:
        """Return the product of the polynomial and an exact number that is not zero."""
        return Polynomial(
            tuple((monomial, factor * coefficient) for monomial, coefficient in self.terms)
        )

    def derivative(self, joint: int) -> Polynomial:
        """Return the derivative with respect to the position of a joint, numbered from 0."""
        total = constant(ZERO)
        for monomial, coefficient in self.terms:
            for place, factor in enumerate(monomial):
                if joint in factor.joints:
                    others = Polynomial(((monomial[:place] + monomial[place + 1 :], coefficient),))
                    total = total + _differentiate_variable(factor) * others
        return total


def constant(value: Exact) -> Polynomial:
    """Return an exact number as a polynomial without variables."""
    return _sort_terms(collect([((), value)]))


def variable(kind: str, *joints: int) -> Polynomial:
    """Return a single variable, such as the sine of a sum of joint positions, as a polynomial.

    Args:
        kind: `sin`, `cos`, or `position` for the position of a prismatic joint.
        joints: indices from 0 of the joints whose positions are added.
    """
    return Polynomial((((Variable(kind, joints),), ONE),))


def textbook_form(polynomial: Polynomial) -> Polynomial:
    """Rewrite a polynomial in sines and cosines with fewer terms, as textbooks do.

    Let the angle u be a sum of joint positions, v the sum of u and further joint positions, and s
    and c the sines and cosines. The rules are cos(v - u) = c_u c_v + s_u s_v, sin(v - u) = s_v c_u
    - c_v s_u and s^2 = 1 - c^2.
    """
    angles = sorted(
        {
            factor.joints
            for monomial, _ in polynomial.terms
            for factor in monomial
            if factor.kind != "position"
        }
    )
    for u, v in combinations(angles, 2):
        if v[: len(u)] == u:
            (sine_u, cosine_u), (sine_v, cosine_v), (sine, cosine) = map(
                _make_variables, (u, v, v[len(u) :])
            )
            polynomial = _replace_pair(
                polynomial, (cosine_u, cosine_v), (sine_u, sine_v), ONE, (cosine,)
            )
            polynomial = _replace_pair(
                polynomial, (cosine_u, sine_v), (cosine_v, sine_u), -ONE, (sine,)
            )
    for angle in angles:
        sine, cosine = _make_variables(angle)
        polynomial = _replace_pair(polynomial, (), (cosine, cosine), -ONE, (sine, sine))
    return polynomial


def _replace_pair(
    polynomial: Polynomial,
    left: Monomial[Variable],
    right: Monomial[Variable],
    sign: Exact,
    into: Monomial[Variable],
) -> Polynomial:
    """Replace each sum a * m * left + sign * a * m * right by a * m * into.

    Here a is any coefficient, and m any monomial.
    """
    terms = dict(polynomial.terms)
    for monomial, coefficient in polynomial.terms:
        if monomial not in terms or find_common_factors(left, monomial) != left:
            continue
        rest = divide(monomial, left)
        partner = multiply_monomials(rest, right)
        if terms.get(partner) == sign * coefficient:
            del terms[monomial], terms[partner]
            terms = add(terms, {multiply_monomials(rest, into): coefficient})
    return _sort_terms(terms)


def _make_variables(joints: tuple[int, ...]) -> tuple[Variable, Variable]:
    return Variable("sin", joints), Variable("cos", joints)


def _differentiate_variable(factor: Variable) -> Polynomial:
    match factor.kind:
        case "sin":
            return variable("cos", *factor.joints)
        case "cos":
            return -variable("sin", *factor.joints)
    return constant(ONE)


def _sort_terms(terms: Terms[Variable]) -> Polynomial:
    return Polynomial(tuple(sorted(terms.items())))


def record_closed_form(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record inverse dynamics in closed form, eq. A.3 of Dhanaraj (1990).

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot in modified Denavit-Hartenberg axes.
        motion: joint positions, velocities and accelerations.

    Returns:
        Joint forces (N m or N), in the order of the joints from the base.
    """
    joints = range(len(chain.links))
    poses = _compute_link_poses(chain)
    inertias, potential = _compute_inertia_matrix(chain, poses), _compute_potential(chain, poses)
    writer = _Writer(tape, motion)
    forces = []
    for i in joints:
        terms = [writer.value(inertias[i, k]) * motion.qdd[k] for k in joints]
        for k in joints:
            # h_ikm and h_imk belong to the same product of velocities.
            for m in joints[k:]:
                terms.append(
                    writer.value(_compute_velocity_coefficient(inertias, i, k, m))
                    * writer.rates[k, m]
                )
        forces.append(sum([*terms, writer.value(potential.derivative(i))]))
    return forces


def _compute_link_poses(chain: Chain) -> list[Array]:
    """Return the pose [R p] (rotation, origin) of every link in the base frame as polynomials."""
    poses: list[Array] = []
    one, none = constant(ONE), constant(ZERO)
    base = rotation = _make_polynomials(IDENTITY.rotation)
    position = _make_polynomials(ORIGIN)
    # Joints with parallel axes since the last nonzero alpha: one rotation by the sum of their
    # positions, and by a constant offset.
    joints: tuple[int, ...] = ()
    offset = Angle(ZERO)
    for index, link in enumerate(chain.links):
        position = position + rotation @ _make_polynomials(link.step)
        if link.joint.linear:
            position = position + rotation @ _make_polynomials(link.axis) * variable(
                "position", index
            )
        if link.alpha.quarter_turns != 0:
            base, joints, offset = (
                rotation @ _make_polynomials(make_screw_x(link.alpha, ZERO).rotation),
                (),
                Angle(ZERO),
            )
        offset = offset + link.theta
        about_z = _make_polynomials(make_screw_z(offset, ZERO).rotation)
        if link.joint.angular:
            joints = (*joints, index)
        if joints:
            cosine, sine = variable("cos", *joints), variable("sin", *joints)
            about_z = (
                np.array(
                    [[cosine, -sine, none], [sine, cosine, none], [none, none, one]], dtype=object
                )
                @ about_z
            )
        rotation = base @ about_z
        poses.append(np.column_stack([rotation, position]))
    return poses


def _compute_inertia_matrix(chain: Chain, poses: list[Array]) -> Array:
    """Return the mass matrix D of n joints as polynomials, shape (n, n).

    D_ik is the sum over all links of trace(U_k J U_i^T), where U_i is the derivative of the link's
    pose with respect to q_i, and J the link's pseudo-inertia (Dhanaraj 1990, Appendix A.1).
    """
    size = len(poses)
    total = np.full((size, size), constant(ZERO), dtype=object)
    for link, pose in zip(chain.links, poses, strict=True):
        pseudo_inertia = _make_polynomials(link.pseudo_inertia)
        slopes = [_differentiate_pose(pose, joint) for joint in range(size)]
        for i in range(size):
            weighted = slopes[i] @ pseudo_inertia
            for k in range(i, size):
                # The trace of A B^T is the sum of the products of elements at equal places.
                total[i, k] = total[i, k] + (weighted * slopes[k]).sum()
                total[k, i] = total[i, k]
    return total


def _differentiate_pose(pose: Array, joint: int) -> Array:
    return np.array([[entry.derivative(joint) for entry in row] for row in pose], dtype=object)


def _compute_potential(chain: Chain, poses: list[Array]) -> Polynomial:
    """Return the potential energy -g^T h, with gravity g and the sum h of all first moments.

    The derivative of the potential energy with respect to q_i is c_i of Dhanaraj (1990), Appendix
    A.1.
    """
    total = constant(ZERO)
    for link, pose in zip(chain.links, poses, strict=True):
        total = total - _make_polynomials(chain.gravity) @ (
            pose @ _make_polynomials(link.pseudo_inertia[3])
        )
    return total


def _compute_velocity_coefficient(inertias: Array, i: int, k: int, m: int) -> Polynomial:
    """Return the coefficient of qd_k qd_m in the joint force tau_i, for k <= m.

    The coefficient is computed by Christoffel symbols. For different k and m, it is the sum of
    h_ikm and h_imk of Dhanaraj (1990), Appendix A.1.
    """
    first, second, third = (
        inertias[i, k].derivative(m),
        inertias[i, m].derivative(k),
        inertias[k, m].derivative(i),
    )
    whole: Polynomial = first + second - third
    return whole if k != m else whole.scaled(ONE / 2)


class _Writer:
    """Recorder of polynomials as operations of a program.

    Sines, cosines and their products are recorded once.
    """

    def __init__(self, tape: Tape, motion: JointMotion) -> None:
        self._tape = tape
        self._q = motion.q
        joints = range(len(motion.q))
        self.rates = {(k, m): motion.qd[k] * motion.qd[m] for k in joints for m in joints[k:]}
        self._products: dict[Monomial[Variable], Any] = {(): 1}
        # By the polynomial with leading coefficient one: leading coefficient and value of the
        # first proportional polynomial that was recorded.
        self._written: dict[Polynomial, tuple[Exact, Any]] = {}

    def value(self, polynomial: Polynomial) -> Any:
        """Record the operations of a polynomial; return its value, or 0 if it has no terms."""
        polynomial = textbook_form(polynomial)
        if not polynomial.terms:
            return 0
        leading = polynomial.terms[0][1]
        shape = polynomial.scaled(leading.reciprocal())
        if shape not in self._written:
            terms = (
                self._tape.number(coefficient) * self._record_product(monomial)
                for monomial, coefficient in polynomial.terms
            )
            self._written[shape] = leading, sum(terms)
        written, value = self._written[shape]
        return value if written == leading else self._tape.number(leading / written) * value

    def _record_product(self, monomial: Monomial[Variable]) -> Any:
        if monomial not in self._products:
            *others, last = monomial
            if others:
                self._products[monomial] = self._record_product(
                    tuple(others)
                ) * self._record_product((last,))
            elif last.kind == "position":
                self._products[monomial] = self._q[last.joints[0]]
            else:
                first, *rest = (self._q[joint] for joint in last.joints)
                both = self._tape.sine_cosine(sum(rest, start=first))
                for kind, value in zip(("sin", "cos"), both, strict=True):
                    self._products[(Variable(kind, last.joints),)] = value
        return self._products[monomial]


def _make_polynomials(entries: tuple[Any, ...]) -> Array:
    """Convert an array of exact numbers to an array of constant polynomials."""
    numbers = np.array(entries, dtype=object)
    return np.array([constant(number) for number in numbers.flat], dtype=object).reshape(
        numbers.shape
    )


_SLOPE = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]], dtype=object)
"""Matrix S with dR/dq = R S, for a rotation R about z by the angle q."""


def record_lagrange_3x3(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record inverse dynamics, Appendix A.3 of Dhanaraj (1990), with full 3 x 3 products.

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot with revolute joints, in modified Denavit-Hartenberg axes.
        motion: joint positions, velocities and accelerations.

    Returns:
        Joint torques (N m), in the order of the joints from the base.
    """
    identity, nothing = (
        tape.array(np.eye(3, dtype=int).tolist()),
        tape.array(np.zeros((3, 3), dtype=int).tolist()),
    )
    zero = tape.array([0, 0, 0])
    w, wd, wdd, pdd = identity, nothing, nothing, zero
    rotations: list[Array] = []
    displacements: list[Array] = []
    slopes: list[Array] = []
    accelerations: list[tuple[Array, Array]] = []
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        a, p = (
            tape.array(twist(tape, link) @ joint_rotation(tape, link, q)),
            displacement(tape, link, q),
        )
        # Acceleration of the link's origin, in base axes. p lies in the axes of the link before,
        # so W'' still belongs to the link before.
        pdd = pdd + wdd @ p
        first, second = tape.array(a @ _SLOPE), tape.array(a @ _SLOPE @ _SLOPE)
        slope = w @ first
        wdd = wdd @ a + (2 * qd) * (wd @ first) + (qd * qd) * (w @ second) + qdd * slope
        wd = wd @ a + qd * slope
        w = w @ a
        rotations.append(a)
        displacements.append(p)
        slopes.append(slope)
        accelerations.append((wdd, pdd))
    d, e, c, mass_behind = nothing, zero, zero, ZERO
    gravity = tape.array(chain.gravity)
    behind = zip([*rotations[1:], identity], [*displacements[1:], zero], strict=True)
    joint_forces: list[Scalar] = []
    for link, (a, p), slope, (wdd, pdd) in reversed(
        list(zip(chain.links, behind, slopes, accelerations, strict=True))
    ):
        # Rows of d and all of c are in link axes, columns of d and all of e in base axes.
        moment, mass = tape.array(link.inertial.first_moment), tape.number(link.inertial.mass)
        d = (
            tape.array(link.inertial.second_moments) @ wdd.T
            + np.outer(moment, pdd)
            + a @ d
            + np.outer(p, e)
        )
        e = e + mass * pdd + wdd @ moment
        c = moment + a @ c + tape.number(mass_behind) * p
        mass_behind = mass_behind + link.inertial.mass
        trace = sum(slope[row] @ d[:, row] for row in range(3))  # Tr(dW/dq_i D_i)
        joint_forces.append(trace - gravity @ (slope @ c))
    return joint_forces[::-1]


_SLOPE_REVOLUTE = np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=object)
"""Matrix S with dA/dq = A S, for the transformation A of a revolute joint."""
_SLOPE_PRISMATIC = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=object)
"""Matrix S with dA/dq = A S, for the transformation A of a prismatic joint."""


def record_lagrange_4x4(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record inverse dynamics, Appendix A.2 of Dhanaraj (1990), with full 4 x 4 products.

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot in modified Denavit-Hartenberg axes.
        motion: joint positions, velocities and accelerations.

    Returns:
        Joint forces (N m or N), in the order of the joints from the base.
    """
    nothing = tape.array(np.zeros((4, 4), dtype=int).tolist())
    w = tape.array(np.eye(4, dtype=int).tolist())
    wd = wdd = nothing
    transformations: list[Array] = []
    slopes: list[Array] = []
    accelerations: list[Array] = []
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        a = _record_transformation(tape, link, q)
        derivative = _SLOPE_REVOLUTE if link.joint.angular else _SLOPE_PRISMATIC
        first, second = tape.array(a @ derivative), tape.array(a @ derivative @ derivative)
        slope = w @ first
        wdd = wdd @ a + (2 * qd) * (wd @ first) + (qd * qd) * (w @ second) + qdd * slope
        wd = wd @ a + qd * slope
        w = w @ a
        transformations.append(a)
        slopes.append(slope)
        accelerations.append(wdd)
    d, c = nothing, tape.array([0, 0, 0, 0])
    gravity = tape.array([*chain.gravity, 0])
    joint_forces: list[Scalar] = []
    behind = [*transformations[1:], tape.array(np.eye(4, dtype=int).tolist())]
    for link, a, slope, wdd in reversed(
        list(zip(chain.links, behind, slopes, accelerations, strict=True))
    ):
        inertia = tape.array(link.pseudo_inertia)
        d = inertia @ wdd.T + a @ d
        c = inertia[3] + a @ c  # the last row of J: first moment and mass
        trace = sum(slope[row] @ d[:, row] for row in range(4))  # Tr(dW/dq_i D_i)
        joint_forces.append(trace - gravity @ (slope @ c))
    return joint_forces[::-1]


def _record_transformation(tape: Tape, link: Link, q: Scalar) -> Array:
    rotation = twist(tape, link) @ joint_rotation(tape, link, q)
    rows = [
        [*row, component]
        for row, component in zip(rotation, displacement(tape, link, q), strict=True)
    ]
    return tape.array([*rows, [0, 0, 0, 1]])
