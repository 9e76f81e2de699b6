"""Composite rigid bodies, a body and all that it carries: RobotModel -> composites, mass matrix and gravity forces.

A. Izaguirre, M. Hashimoto, R. P. Paul, V. Hayward, "A New Computational Structure for Real-Time Dynamics", Int. J. Robotics
Research 11(4), 1992, section 4 and eq. 13 (compound links); M. W. Walker, D. E. Orin, "Efficient Dynamic Computer Simulation
of Robotic Mechanisms", J. Dynamic Systems, Measurement, and Control 104, 1982 (one column of the mass matrix a joint). As in
the Newton-Euler recursion masses enter by first moments and inertias about the frame's origin, and the displacement to the
parent's origin is taken in two steps: along the joint axis and, after the rotation, along the constant translation.

Column j of the mass matrix is what a unit acceleration of joint j takes while nothing else moves: composite j then has the
momenta p and h of a unit rate, which are carried inward as a force and a moment are, and M_ij is their component along joint
i.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z, along_axis, negative, product, sum_of
from dynagen.dynamics.algorithms.coordinates import (
    entry_numbers,
    project_on_joint,
    sum_forces,
    sum_matrix,
)
from dynagen.dynamics.algorithms.floating_base import UP, record_up
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames, joint_constants
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.newton_euler_steps import moment_about, moment_below
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import SCALAR, TENSOR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, Body, RobotModel

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
    """Linear momentum at a unit rate of the joint: p = angular z x s + linear m z."""
    return angular * Z.cross(first_moment) + linear * mass * Z


@formula
def unit_angular_momentum(
    angular: Expr, linear: Expr, first_moment: Matrix, inertia: Matrix
) -> Matrix:
    """Angular momentum about the origin at a unit rate of the joint: h = angular J z + linear s x z."""
    return angular * Matrix([inertia[4], inertia[5], inertia[2]]) + linear * first_moment.cross(Z)


@formula
def weight(
    angular: Expr, linear: Expr, mass: Expr, first_moment: Matrix, acceleration: Matrix
) -> Expr:
    """Eq. 13, the base accelerating against gravity: angular z.(s x a) + linear m a_z."""
    return angular * first_moment.cross(acceleration)[2] + linear * mass * acceleration[2]


@formula
def moment_of(first_moment: Matrix, acceleration: Matrix) -> Matrix:
    """A body's moment about its origin, s x a."""
    return first_moment.cross(acceleration)


@dataclass(frozen=True)
class Composite:
    """Inertial parameters of a body with all that it carries, in the body's axes, about its origin."""

    mass: Quantity
    first_moment: Quantity
    inertia: Quantity


def record_composites(
    recorder: Recorder, model: RobotModel, frames: Frames
) -> tuple[Composite, ...]:
    """Record the composites of all bodies, from the tips to the base; the passes drop what is not used of them."""
    composites = [
        Composite(recorder.constant(body.inertial.mass), frame.first_moment, frame.inertia)
        for body, frame in zip(model.bodies, frames, strict=True)
    ]
    for index, body in model.inward():
        recorder.section(f"Composite of body {index + 1} ({body.name})")
        whole = composites[index]
        composites[index] = whole = Composite(
            recorder.name(CM(index + 1), whole.mass),
            recorder.name(CMS(index + 1), whole.first_moment),
            recorder.name(CJ(index + 1), whole.inertia),
        )
        if body.parent != BASE:
            carried = carry_composite_inward(recorder, frames[index], whole)
            composites[body.parent] = add_composites(recorder, composites[body.parent], carried)
    return tuple(composites)


def record_mass_matrix(recorder: Recorder, model: RobotModel, frames: Frames) -> JointMatrix:
    """Record the mass matrix, motor inertias included; both entries of a symmetric pair are the same quantity."""
    composites, numbers = record_composites(recorder, model, frames), entry_numbers(model)
    entries: dict[tuple[int, int], Quantity] = {}
    for joint, body in enumerate(model.bodies):
        recorder.section(f"Mass matrix, joint {joint + 1} ({body.name})")
        if body.is_free:
            entries |= _record_base_inertia(recorder, composites[joint], numbers[joint])
            continue
        (column,) = numbers[joint]
        for index, momentum, moment in record_unit_momenta(
            recorder, model, frames, composites[joint], joint
        ):
            onto = project_on_joint(recorder, model.bodies[index], momentum, moment)
            for row, entry in zip(numbers[index], onto, strict=True):
                if index == joint:
                    entry = recorder.apply(sum_of, entry, recorder.constant(body.motor_inertia))
                entries[row, column] = entries[column, row] = recorder.name(M(row, column), entry)
    return sum_matrix(recorder, model, entries)


def _record_base_inertia(
    recorder: Recorder, whole: Composite, numbers: Sequence[int]
) -> JointMatrix:
    """Record the mass matrix of a composite that moves freely, for velocities of its origin and angular ones."""
    zero = recorder.constant(0)
    xx, yy, zz, xy, xz, yz = whole.inertia
    x, y, z = whole.first_moment
    minus_x, minus_y, minus_z = (recorder.apply(negative, each) for each in (x, y, z))
    mass = whole.mass
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
    recorder: Recorder, model: RobotModel, frames: Frames, composites: tuple[Composite, ...]
) -> tuple[Quantity, ...]:
    """Record the forces that hold the robot against gravity, one for every entry of v, from composites' first moments."""
    accelerations = _record_reverse_gravity(recorder, model, frames)
    forces: list[tuple[Quantity, ...]] = []
    for index, body in enumerate(model.bodies):
        whole, upward = composites[index], accelerations[index]
        if body.is_free:
            force = recorder.apply(product, whole.mass, upward)
            forces.append((*force, *recorder.apply(moment_of, whole.first_moment, upward)))
            continue
        angular, linear = joint_constants(recorder, body)
        forces.append(
            (
                recorder.record(
                    G(index + 1), weight, angular, linear, whole.mass, whole.first_moment, upward
                ),
            )
        )
    return sum_forces(recorder, model, forces)


def record_carried_weights(
    recorder: Recorder, model: RobotModel, frames: Frames, composites: tuple[Composite, ...]
) -> tuple[Quantity, ...]:
    """Record the same forces by moments that are carried from body to body.

    Forces need not be carried: that on composite i is its mass times the acceleration, in any axes.
    """
    accelerations = _record_reverse_gravity(recorder, model, frames)
    moments = [
        recorder.apply(moment_of, frame.first_moment, upward)
        for frame, upward in zip(frames, accelerations, strict=True)
    ]
    forces = []
    for index, body in model.inward():
        frame, mass = frames[index], composites[index].mass
        force = recorder.apply(product, mass, accelerations[index])
        forces.append(
            _name_force(
                recorder, index, body, project_on_joint(recorder, body, force, moments[index])
            )
        )
        if body.parent != BASE:
            on_axis = frame.inward(
                recorder, recorder.apply(moment_below, moments[index], frame.displacement, force)
            )
            force = recorder.apply(product, mass, accelerations[body.parent])
            carried = recorder.apply(moment_about, on_axis, frame.translation, force)
            moments[body.parent] = recorder.apply(sum_of, moments[body.parent], carried)
    return sum_forces(recorder, model, forces[::-1])


def record_unit_momenta(
    recorder: Recorder, model: RobotModel, frames: Frames, composite: Composite, joint: int
) -> Iterator[tuple[int, Quantity, Quantity]]:
    """Record the momenta of a joint's composite at a unit rate of that joint, from the joint's body to the base.

    Yields:
        A body, and linear and angular momentum in its axes, about its origin.
    """
    body = model.bodies[joint]
    angular, linear = joint_constants(recorder, body)
    momentum = recorder.apply(
        unit_momentum, angular, linear, composite.mass, composite.first_moment
    )
    moment = recorder.apply(
        unit_angular_momentum, angular, linear, composite.first_moment, composite.inertia
    )
    for index in model.path_to_base(joint):
        momentum = recorder.name(P(joint + 1, index + 1), momentum)
        moment = recorder.name(H(joint + 1, index + 1), moment)
        yield index, momentum, moment
        if model.bodies[index].parent != BASE:
            momentum, moment = carry_inward(recorder, frames[index], momentum, moment)


def carry_inward(
    recorder: Recorder, frame: BodyFrame, force: Quantity, moment: Quantity
) -> tuple[Quantity, Quantity]:
    """Record a force and a moment, or two momenta, in the parent's axes and about the parent's origin."""
    on_axis = recorder.apply(moment_below, moment, frame.displacement, force)
    force = frame.inward(recorder, force)
    return force, recorder.apply(
        moment_about, frame.inward(recorder, on_axis), frame.translation, force
    )


def _name_force(
    recorder: Recorder, index: int, body: Body, forces: tuple[Quantity, ...]
) -> tuple[Quantity, ...]:
    return forces if body.is_free else tuple(recorder.name(G(index + 1), force) for force in forces)


def _record_reverse_gravity(
    recorder: Recorder, model: RobotModel, frames: Frames
) -> tuple[Quantity, ...]:
    """Record the opposite of gravity in the axes of every body: an acceleration that loads a robot as its weight does."""
    recorder.section("Gravity")
    base = recorder.constant(*(-component for component in model.gravity))
    accelerations: list[Quantity] = []
    for index, body in enumerate(model.bodies):
        of_parent = base if body.parent == BASE else accelerations[body.parent]
        upward = (
            record_up(recorder, model)
            if body.is_free
            else frames[index].outward(recorder, of_parent)
        )
        accelerations.append(recorder.name(UP(index + 1), upward))
    return tuple(accelerations)


def carry_composite_inward(recorder: Recorder, frame: BodyFrame, composite: Composite) -> Composite:
    """Record a composite in its parent's axes and about its parent's origin."""
    on_axis = _shift(recorder, composite, recorder.apply(along_axis, frame.displacement))
    rotated = Composite(
        on_axis.mass,
        frame.inward(recorder, on_axis.first_moment),
        frame.inward_tensor(recorder, on_axis.inertia),
    )
    return _shift(recorder, rotated, frame.translation)


def _shift(recorder: Recorder, composite: Composite, translation: Quantity) -> Composite:
    """A composite about a point from which its origin lies at a translation."""
    shifted = recorder.apply(
        first_moment_about, composite.first_moment, composite.mass, translation
    )
    inertia = recorder.apply(
        inertia_about, composite.inertia, composite.first_moment, shifted, translation
    )
    return Composite(composite.mass, shifted, inertia)


def add_composites(recorder: Recorder, left: Composite, right: Composite) -> Composite:
    """Record the composite of two, which are given in the same axes and about the same origin."""
    return Composite(
        recorder.apply(sum_of, left.mass, right.mass),
        recorder.apply(sum_of, left.first_moment, right.first_moment),
        recorder.apply(sum_of, left.inertia, right.inertia),
    )
