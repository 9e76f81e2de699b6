"""Composite rigid bodies, a body and all that it carries: RobotModel -> composites, mass matrix and gravity forces.

A. Izaguirre, M. Hashimoto, R. P. Paul, V. Hayward, "A New Computational Structure for Real-Time Dynamics", Int. J. Robotics
Research 11(4), 1992, section 4 and eq. 13 (compound links); M. W. Walker, D. E. Orin, "Efficient Dynamic Computer Simulation
of Robotic Mechanisms", J. Dynamic Systems, Measurement, and Control 104, 1982 (one column of the mass matrix a joint). As in
the Newton-Euler recursion masses enter by first moments and inertias about the frame's origin, and the displacement to the
parent's origin is made in two steps: along the joint axis and, after the rotation, along the constant translation.

Column j of the mass matrix contains the forces for a unit acceleration of joint j while nothing else moves: composite j then
has the momenta p and h of a unit velocity, which are carried inward like a force and a moment, and M_ij is their component
along joint i (CRBA).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z, along_axis
from dynagen.dynamics.algorithms.coordinates import sum_forces, sum_matrix
from dynagen.dynamics.algorithms.floating_base import UP, record_up
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.recording import (
    Recording,
    ResolvedBody,
    Wrench,
    moment_about,
    moment_below,
)
from dynagen.dynamics.recording.formula import Quantity, formula
from dynagen.ir.symbols import SCALAR, TENSOR, VECTOR, Symbol
from dynagen.robot.model.model import BASE

CM = Symbol(
    "cm",
    "i",
    SCALAR,
    "mass of composite i: of body i and all that it carries",
    "kg",
    "Walker and Orin 1982",
)
CMS = Symbol("cms", "i", VECTOR, "first moment of composite i about the origin of body i", "kg m")
CJ = Symbol("cj", "i", TENSOR, "inertia of composite i about the origin of body i", "kg m^2")
P = Symbol(
    "p",
    "ji",
    VECTOR,
    "linear momentum of composite j at a unit rate of joint j, in the axes of body i",
)
H = Symbol(
    "h",
    "ji",
    VECTOR,
    "angular momentum of composite j at a unit rate of joint j, about the origin of body i",
)
M = Symbol("m", "ij", SCALAR, "entry i, j of the mass matrix")
G = Symbol("g", "i", SCALAR, "generalised force of joint i against gravity", "N m or N")


@formula
def first_moment_about(first_moment: Matrix, mass: Expr, translation: Matrix) -> Matrix:
    """First moment s + m r about a point from which the old origin lies at r."""
    return first_moment + mass * translation


@formula
def inertia_about(
    inertia: Matrix, first_moment: Matrix, shifted: Matrix, translation: Matrix
) -> Matrix:
    """Inertia J + r.(s + s') 1 - (s r^T + r s'^T), s' = s + m r: the parallel axis theorem between any two points.

    The last term is symmetric: it is s r^T + r s^T + m r r^T.
    """
    x, y, z = (
        along * (before + after)
        for along, before, after in zip(translation, first_moment, shifted, strict=True)
    )
    xy, xz, yz = (
        first_moment[i] * translation[j] + translation[i] * shifted[j]
        for i, j in ((0, 1), (0, 2), (1, 2))
    )
    return inertia + Matrix([y + z, x + z, x + y, -xy, -xz, -yz])


@formula
def unit_momentum(angular: Expr, linear: Expr, mass: Expr, first_moment: Matrix) -> Matrix:
    """Linear momentum at a unit velocity of the joint: p = angular z x s + linear m z."""
    return angular * Z.cross(first_moment) + linear * mass * Z


@formula
def unit_angular_momentum(
    angular: Expr, linear: Expr, first_moment: Matrix, inertia: Matrix
) -> Matrix:
    """Angular momentum about the origin at a unit velocity of the joint: h = angular J z + linear s x z."""
    return angular * Matrix([inertia[4], inertia[5], inertia[2]]) + linear * first_moment.cross(Z)


@formula
def weight(
    angular: Expr, linear: Expr, mass: Expr, first_moment: Matrix, acceleration: Matrix
) -> Expr:
    """Eq. 13, the base accelerating against gravity: angular z.(s x a) + linear m a_z."""
    return angular * first_moment.cross(acceleration)[2] + linear * mass * acceleration[2]


@dataclass(frozen=True)
class Composite:
    """Inertial parameters of a body with all that it carries, in the body's axes, about its origin."""

    mass: Quantity
    first_moment: Quantity
    inertia: Quantity

    def __add__(self, other: Composite) -> Composite:
        """The composite of two, which are given in the same axes and about the same origin."""
        return Composite(
            self.mass + other.mass,
            self.first_moment + other.first_moment,
            self.inertia + other.inertia,
        )

    def shift(self, translation: Quantity) -> Composite:
        """Record it about a point from which its origin lies at a translation."""
        first_moment = first_moment_about(self.first_moment, self.mass, translation)
        inertia = inertia_about(self.inertia, self.first_moment, first_moment, translation)
        return Composite(self.mass, first_moment, inertia)

    def carry_inward(self, body: ResolvedBody) -> Composite:
        """Record it in the axes and about the origin of its body's parent."""
        on_axis = self.shift(along_axis(body.displacement))
        rotated = Composite(
            on_axis.mass, body.inward(on_axis.first_moment), body.inward_tensor(on_axis.inertia)
        )
        return rotated.shift(body.translation)


def record_composites(recording: Recording) -> tuple[Composite, ...]:
    """Record the composites of all bodies, from the tips to the base; the passes drop unused values."""
    composites = [
        Composite(body.mass, body.first_moment, body.inertia) for body in recording.bodies
    ]
    for body in reversed(recording.bodies):
        body.section("Composite of body")
        i, whole = body.number, composites[body.index]
        whole = Composite(
            whole.mass.name(CM(i)), whole.first_moment.name(CMS(i)), whole.inertia.name(CJ(i))
        )
        composites[body.index] = whole
        if body.parent != BASE:
            composites[body.parent] += whole.carry_inward(body)
    return tuple(composites)


def record_mass_matrix(recording: Recording) -> JointMatrix:
    """Record the mass matrix, motor inertias included; both entries of a symmetric pair are the same quantity."""
    composites = record_composites(recording)
    entries: dict[tuple[int, int], Quantity] = {}
    for joint in recording.bodies:
        joint.section("Mass matrix, joint")
        if joint.is_free:
            entries |= _record_base_inertia(recording, composites[joint.index], joint.numbers)
            continue
        (column,) = joint.numbers
        for body, momenta in record_unit_momenta(recording, joint, composites[joint.index]):
            for row, entry in zip(body.numbers, body.project(momenta), strict=True):
                if body is joint:
                    entry += recording.constant(joint.motor_inertia)
                entries[row, column] = entries[column, row] = entry.name(M(row, column))
    return sum_matrix(recording, entries)


def _record_base_inertia(
    recording: Recording, whole: Composite, numbers: Sequence[int]
) -> JointMatrix:
    """Record the mass matrix of a composite that moves freely, for velocities of its origin and angular ones."""
    zero, mass = recording.constant(0), whole.mass
    xx, yy, zz, xy, xz, yz = whole.inertia
    x, y, z = whole.first_moment
    minus_x, minus_y, minus_z = -x, -y, -z
    rows = (
        (mass, zero, zero, zero, z, minus_y),  # the force m dv - s x dw
        (zero, mass, zero, minus_z, zero, x),
        (zero, zero, mass, y, minus_x, zero),
        (zero, minus_z, y, xx, xy, xz),  # the moment s x dv + J dw
        (z, zero, minus_x, xy, yy, yz),
        (minus_y, x, zero, xz, yz, zz),
    )
    return {
        (number, other): entry
        for number, row in zip(numbers, rows, strict=True)
        for other, entry in zip(numbers, row, strict=True)
    }


def record_gravity_forces(
    recording: Recording, composites: tuple[Composite, ...]
) -> tuple[Quantity, ...]:
    """Record the forces that hold the robot against gravity, one for every entry of v, from composites' first moments."""
    accelerations = _record_reverse_gravity(recording)
    forces: list[tuple[Quantity, ...]] = []
    for body, whole, upward in zip(recording.bodies, composites, accelerations, strict=True):
        if body.is_free:
            forces.append((*(whole.mass * upward), *whole.first_moment.cross(upward)))
        else:
            force = weight(body.angular, body.linear, whole.mass, whole.first_moment, upward)
            forces.append((force.name(G(body.number)),))
    return sum_forces(recording, forces)


def record_carried_weights(
    recording: Recording, composites: tuple[Composite, ...]
) -> tuple[Quantity, ...]:
    """Record the same forces by moments that are carried from body to body.

    Forces need not be carried: the force on composite i is its mass times the acceleration, in any axes.
    """
    accelerations = _record_reverse_gravity(recording)
    moments = [
        body.first_moment.cross(upward)
        for body, upward in zip(recording.bodies, accelerations, strict=True)
    ]
    forces = []
    for body in reversed(recording.bodies):
        mass, moment = composites[body.index].mass, moments[body.index]
        force = mass * accelerations[body.index]
        along = body.project(Wrench(force, moment))
        forces.append(along if body.is_free else tuple(each.name(G(body.number)) for each in along))
        if body.parent != BASE:
            on_axis = body.inward(moment_below(moment, body.displacement, force))
            moments[body.parent] += moment_about(
                on_axis, body.translation, mass * accelerations[body.parent]
            )
    return sum_forces(recording, forces[::-1])


def record_unit_momenta(
    recording: Recording, joint: ResolvedBody, composite: Composite
) -> Iterator[tuple[ResolvedBody, Wrench]]:
    """Record the momenta of a joint's composite at a unit velocity of that joint, from the joint's body to the base.

    Yields:
        A body, and linear and angular momentum in its axes, about its origin.
    """
    momenta = Wrench(
        unit_momentum(joint.angular, joint.linear, composite.mass, composite.first_moment),
        unit_angular_momentum(
            joint.angular, joint.linear, composite.first_moment, composite.inertia
        ),
    )
    for body in recording.path_to_base(joint.index):
        momenta = momenta.name(P(joint.number, body.number), H(joint.number, body.number))
        yield body, momenta
        if body.parent != BASE:
            momenta = body.carry_inward(momenta)


def _record_reverse_gravity(recording: Recording) -> tuple[Quantity, ...]:
    """Record the opposite of gravity in the axes of every body: an acceleration that loads a robot as its weight does."""
    recording.section("Gravity")
    upward = {BASE: recording.constant(*(-component for component in recording.model.gravity))}
    for body in recording.bodies:
        in_body_axes = record_up(recording) if body.is_free else body.outward(upward[body.parent])
        upward[body.index] = in_body_axes.name(UP(body.number))
    return tuple(upward[body.index] for body in recording.bodies)
