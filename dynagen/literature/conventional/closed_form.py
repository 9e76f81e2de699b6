"""Lagrange's equations in closed form: Dhanaraj (1990), Appendix A.1, after Uicker (1965) and Kahn (1969).

tau_i = sum_k D_ik qdd_k + sum_(k <= m) h_ikm qd_k qd_m + c_i, where every coefficient is expanded into products of sines and
cosines. As textbooks do, angles of joints with parallel axes are added. What is computed once are sines and cosines, their
products, products of rates, and coefficients that are multiples of each other; no other subexpressions are shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynagen.description.pose import IDENTITY, ORIGIN, screw_x, screw_z
from dynagen.literature.conventional.algorithm import JointMotion
from dynagen.literature.conventional.chain import Chain
from dynagen.literature.conventional.tape import Array, Scalar, Tape
from dynagen.literature.conventional.trigonometry import Polynomial, Variable, constant, textbook_form, variable
from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.numbers.polynomials import Monomial


def record_closed_form(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record eq. A.3, row by row."""
    joints = range(len(chain.links))
    poses = _link_poses(chain)
    inertias, potential = _inertia_matrix(chain, poses), _potential(chain, poses)
    writer = _Writer(tape, motion)
    forces = []
    for i in joints:
        terms = [writer.value(inertias[i, k]) * motion.qdd[k] for k in joints]
        for k in joints:
            for m in joints[k:]:
                terms.append(writer.value(_velocity_coefficient(inertias, i, k, m)) * writer.rates[k, m])
        forces.append(sum([*terms, writer.value(potential.derivative(i))]))
    return forces


def _link_poses(chain: Chain) -> list[Array]:
    """The pose [R p] of every link, 3 x 4, from its axes to those of the base."""
    poses: list[Array] = []
    one, none = constant(ONE), constant(ZERO)
    base = rotation = _numbers(IDENTITY.rotation)
    position = _numbers(ORIGIN)
    joints: tuple[int, ...] = ()  # those with parallel axes since the last twist: one rotation by the sum of their positions
    offset = Angle(ZERO)
    for index, link in enumerate(chain.links):
        position = position + rotation @ _numbers(link.step)
        if link.joint.linear:
            position = position + rotation @ _numbers(link.axis) * variable("position", index)
        if link.alpha.quarter_turns != 0:
            base, joints, offset = rotation @ _numbers(screw_x(link.alpha, ZERO).rotation), (), Angle(ZERO)
        offset = offset + link.theta
        about_z = _numbers(screw_z(offset, ZERO).rotation)
        if link.joint.angular:
            joints = (*joints, index)
        if joints:
            cosine, sine = variable("cos", *joints), variable("sin", *joints)
            about_z = np.array([[cosine, -sine, none], [sine, cosine, none], [none, none, one]], dtype=object) @ about_z
        rotation = base @ about_z
        poses.append(np.column_stack([rotation, position]))
    return poses


def _inertia_matrix(chain: Chain, poses: list[Array]) -> Array:
    """D_ik = sum over links of Tr(U_k J U_i^T), U_i being the derivative of a link's pose by q_i."""
    size = len(poses)
    total = np.full((size, size), constant(ZERO), dtype=object)
    for link, pose in zip(chain.links, poses, strict=True):
        pseudo_inertia = _numbers(link.pseudo_inertia)
        slopes = [_derivative(pose, joint) for joint in range(size)]
        for i in range(size):
            weighted = slopes[i] @ pseudo_inertia
            for k in range(i, size):
                total[i, k] = total[i, k] + (weighted * slopes[k]).sum()
                total[k, i] = total[i, k]
    return total


def _derivative(pose: Array, joint: int) -> Array:
    return np.array([[entry.derivative(joint) for entry in row] for row in pose], dtype=object)


def _potential(chain: Chain, poses: list[Array]) -> Polynomial:
    """Potential energy: less gravity times the first moment of all links."""
    total = constant(ZERO)
    for link, pose in zip(chain.links, poses, strict=True):
        total = total - _numbers(chain.gravity) @ (pose @ _numbers(link.pseudo_inertia[3]))
    return total


def _velocity_coefficient(inertias: Array, i: int, k: int, m: int) -> Polynomial:
    """h_ikm, that of qd_k qd_m once for both orders, by Christoffel's symbols."""
    first, second, third = inertias[i, k].derivative(m), inertias[i, m].derivative(k), inertias[k, m].derivative(i)
    whole: Polynomial = first + second - third
    return whole if k != m else whole.scaled(ONE / 2)


class _Writer:
    """Writes polynomials on a tape; sines, cosines, their products and proportional polynomials once."""

    def __init__(self, tape: Tape, motion: JointMotion) -> None:
        self._tape = tape
        self._q = motion.q
        joints = range(len(motion.q))
        self.rates = {(k, m): motion.qd[k] * motion.qd[m] for k in joints for m in joints[k:]}
        self._products: dict[Monomial[Variable], Any] = {(): 1}
        self._written: dict[Polynomial, tuple[Exact, Any]] = {}

    def value(self, polynomial: Polynomial) -> Any:
        """The polynomial's value: a scalar, or 0."""
        polynomial = textbook_form(polynomial)
        if not polynomial.terms:
            return 0
        leading = polynomial.terms[0][1]
        shape = polynomial.scaled(leading.reciprocal())
        if shape not in self._written:
            terms = (self._tape.number(coefficient) * self._product(monomial) for monomial, coefficient in polynomial.terms)
            self._written[shape] = leading, sum(terms)
        written, value = self._written[shape]
        return value if written == leading else self._tape.number(leading / written) * value

    def _product(self, monomial: Monomial[Variable]) -> Any:
        if monomial not in self._products:
            *others, last = monomial
            if others:
                self._products[monomial] = self._product(tuple(others)) * self._product((last,))
            elif last.kind == "position":
                self._products[monomial] = self._q[last.joints[0]]
            else:
                first, *rest = (self._q[joint] for joint in last.joints)
                both = self._tape.sine_cosine(sum(rest, start=first))
                for kind, value in zip(("sin", "cos"), both, strict=True):
                    self._products[(Variable(kind, last.joints),)] = value
        return self._products[monomial]


def _numbers(entries: tuple[Any, ...]) -> Array:
    """An array of exact numbers as one of polynomials."""
    numbers = np.array(entries, dtype=object)
    return np.array([constant(number) for number in numbers.flat], dtype=object).reshape(numbers.shape)
