"""Serial robots in the link axes of either Denavit-Hartenberg convention.

In modified Denavit-Hartenberg tables (Craig, Khalil), the origin of link i lies on the axis of
joint i. In standard Denavit-Hartenberg tables (Denavit, Paul), the origin of link i lies on the
axis of joint i + 1. The x axis of a link is parallel to the common normal of two successive joint
axes. Therefore one rotation about x and one rotation about z lead from one link's axes to the next
link's axes. `joint_rotation` and `twist` record the rotations about z and x, and `displacement` the
vector between the origins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from dynagen.apps.literature.conventional.tape import Array, Scalar, Tape
from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO, Angle, Exact
from dynagen.robot.description import RobotDescription
from dynagen.robot.joints import JointType
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.model.model import BASE, RobotModel, build_model
from dynagen.robot.model.placement import Placement
from dynagen.robot.pose import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Pose,
    Vector,
    add,
    make_screw_x,
    make_screw_z,
    scale,
)

Convention = Literal["modified", "standard"]
"""Denavit-Hartenberg convention, modified or standard.

In the modified convention, a link's constant rotation about x precedes the rotation of the joint.
In the standard convention, it follows the rotation of the joint.
"""


@dataclass(frozen=True)
class Link:
    """Link with its joint and its inertial parameters.

    Attributes:
        name: name of the link.
        joint: type of the joint.
        alpha: angle of the constant rotation about x (rad), before (modified convention) or after
            (standard convention) the joint's rotation about z.
        theta: constant part of the angle of the joint's rotation about z (rad).
        step: displacement from the parent's origin to the link's origin with the joint at zero (m).
            The displacement is a constant vector in the parent's axes (modified) or in the link's
            axes (standard).
        axis: unit vector along the joint axis, in the same axes as `step`.
        inertial: inertial parameters about the link's origin, in the link's axes.
        motor_inertia: inertia of the motor, as seen at the joint (kg m^2 or kg).
    """

    name: str
    joint: JointType
    alpha: Angle
    theta: Angle
    step: Vector
    axis: Vector
    inertial: InertialParameters
    motor_inertia: Exact

    @cached_property
    def centre_of_mass(self) -> Vector:
        """Centre of mass relative to the link's origin, in the link's axes (m).

        Raises:
            UsageError: the link has first moments but no mass.
        """
        mass, first_moment = self.inertial.mass, self.inertial.first_moment
        if mass:
            return scale(mass.reciprocal(), first_moment)
        if any(first_moment):
            raise UsageError(
                f"link {self.name} has first moments but no mass: this algorithm requires a "
                f"centre of mass"
            )
        return ORIGIN

    @property
    def central_inertia(self) -> Matrix:
        """Inertia tensor about the link's centre of mass, in the link's axes, 3 x 3 (kg m^2)."""
        # Steiner: subtract the inertia of all mass, concentrated at the centre of mass.
        removed = InertialParameters(-self.inertial.mass, ORIGIN, (ZERO,) * 6)
        central = self.inertial + removed.transform(Pose(IDENTITY.rotation, self.centre_of_mass))
        xx, yy, zz, xy, xz, yz = central.inertia
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)

    @property
    def pseudo_inertia(self) -> tuple[tuple[Exact, ...], ...]:
        """Pseudo-inertia [[S, h], [h^T, m]] about the link's origin, in the link's axes, 4 x 4.

        S contains the second moments (kg m^2), h the first moments (kg m), and m is the mass (kg).
        The matrix is [J] of Dhanaraj (1990), eq. A.2.
        """
        body = self.inertial
        rows = zip(body.second_moments, body.first_moment, strict=True)
        return (*((*second, first) for second, first in rows), (*body.first_moment, body.mass))


@dataclass(frozen=True)
class Chain:
    """Serial robot in the link axes of a Denavit-Hartenberg convention.

    Attributes:
        name: name of the robot.
        gravity: acceleration of gravity in the axes of link 0, the base (m/s^2).
        links: links from the base to the tip, without the base.
    """

    name: str
    gravity: Vector
    links: tuple[Link, ...]


def chain_of(description: RobotDescription, convention: Convention) -> Chain:
    """Return a serial robot with link frames of a Denavit-Hartenberg convention.

    Fixed links are merged into the links that carry them.

    Args:
        description: the robot.
        convention: `modified` (Craig, Khalil) or `standard` (Paul).

    Raises:
        UsageError: the robot is a tree, has a helical joint, carries a payload, or has run-time
            parameters.
    """
    model = build_model(description)
    _require_plain_chain(model)
    placements = [body.placement for body in model.bodies]
    # axes[i]: link axes of link i in its body's frame. They depend on the next joint; the last
    # link has no such frame and keeps its body's frame.
    axes = [*(_link_axes(placement, convention) for placement in placements), IDENTITY]
    gammas = [*(placement.gamma for placement in placements[1:]), Angle(ZERO)]
    alphas = [placement.alpha for placement in placements]
    if convention == "standard":
        alphas = [*alphas[1:], Angle(ZERO)]
    links = []
    for index, (body, alpha, gamma) in enumerate(zip(model.bodies, alphas, gammas, strict=True)):
        before, own = axes[index : index + 2]
        if convention == "modified":
            start, axis = (
                before.inverse.rotate(body.placement.translation),
                make_screw_x(alpha, ZERO).z_axis,
            )
        else:
            start, axis = own.inverse.rotate(own.translation), own.inverse.z_axis
        links.append(
            Link(
                name=body.name,
                joint=body.joint.type,
                alpha=alpha,
                theta=body.placement.theta + gamma,
                step=add(start, scale(body.placement.d, axis)),
                axis=axis,
                inertial=body.inertial.transform(own.inverse),
                motor_inertia=body.motor_inertia,
            )
        )
    return Chain(model.name, axes[0].inverse.rotate(model.gravity), tuple(links))


def _require_plain_chain(model: RobotModel) -> None:
    if any(body.parent != index - 1 for index, body in enumerate(model.bodies, start=BASE + 1)):
        raise UsageError(
            f"{model.name} is a tree: conventional algorithms cover serial robots only"
        )
    if any(body.joint.angular and body.joint.linear for body in model.bodies):
        raise UsageError(
            f"{model.name} has a helical joint: conventional algorithms cover revolute and "
            f"prismatic joints only"
        )
    if model.has_external_forces or model.parameters:
        what = (
            "external forces"
            if model.has_external_forces
            else "a payload or other run-time parameters"
        )
        raise UsageError(f"{model.name} has {what}, which conventional algorithms do not cover")


def _link_axes(next_joint: Placement, convention: Convention) -> Pose:
    """Return the pose of a link's Denavit-Hartenberg axes in the body frame of the robot model.

    `next_joint` is the placement of the next joint in this body frame.
    """
    about_z = make_screw_z(next_joint.gamma, ZERO)
    if convention == "modified":
        return about_z
    return (
        Pose(IDENTITY.rotation, next_joint.translation)
        @ about_z
        @ make_screw_x(next_joint.alpha, ZERO)
    )


Z = np.array([0, 0, 1], dtype=object)
"""Unit vector of the joint axis, in link axes with the joint axis as z axis, shape (3,)."""


def coriolis(w: Array, rate: Scalar) -> Array:
    """Record the cross product of w and `rate` times z, shape (3,), by two multiplications.

    The vector w is an angular velocity, z = (0, 0, 1) is the joint axis, and `rate` is the joint
    velocity. The formula is in the thesis of Dhanaraj (1990), section 2.3.2, boxes 1 and 4, and in
    the book of Angeles, Fundamentals of Robotic Mechanical Systems, eq. 7.30.
    """
    return np.array([rate * w[1], -(rate * w[0]), 0], dtype=object)


def joint_rotation(tape: Tape, link: Link, q: Scalar) -> Array:
    """Record the rotation of a joint about z by theta + q, a matrix of shape (3, 3).

    The angle theta is the link's Denavit-Hartenberg constant, and q the joint position. The zeros
    and ones of the matrix are Python integers, with which products are not recorded.

    Args:
        tape: recorder of the algorithm's operations.
        link: link that the joint moves.
        q: joint position (rad); the position of a prismatic joint does not change the rotation.
    """
    if not link.joint.angular:
        return rotation_z(tape.number(link.theta.cos), tape.number(link.theta.sin))
    # Quarter turns exchange and negate sine and cosine, so they need no addition to q.
    quarters = link.theta.quarter_turns
    sine, cosine = tape.sine_cosine(
        q if quarters is not None else q + tape.number(link.theta.radians)
    )
    for _ in range(quarters or 0):
        sine, cosine = cosine, -sine
    return rotation_z(cosine, sine)


def twist(tape: Tape, link: Link) -> Array:
    """Return the matrix of a link's constant rotation about x by its angle alpha, shape (3, 3)."""
    cosine, sine = tape.number(link.alpha.cos), tape.number(link.alpha.sin)
    return np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]], dtype=object)


def rotation_z(cosine: Scalar, sine: Scalar) -> Array:
    """Return the rotation matrix about z, shape (3, 3), from an angle's cosine and sine."""
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]], dtype=object)


def displacement(tape: Tape, link: Link, q: Scalar) -> Array:
    """Record the displacement from the parent's origin to the link's origin (m), shape (3,).

    The displacement is in the parent's axes (modified Denavit-Hartenberg convention) or in the
    link's axes (standard convention).

    Args:
        tape: recorder of the algorithm's operations.
        link: link with its joint.
        q: joint position (m for a prismatic joint).
    """
    step = tape.array(link.step)
    if not link.joint.linear:
        return step
    return np.asarray(step + joint_axis(tape, link) * q, dtype=object)


def joint_axis(tape: Tape, link: Link) -> Array:
    """Return the unit vector along a link's joint axis as values of the program, shape (3,).

    The vector is in the parent's axes (modified Denavit-Hartenberg convention) or in the link's
    axes (standard convention). Its x component is zero, because one rotation about x turns the z
    axis into the joint axis.
    """
    _, y, z = link.axis
    return np.array([0, tape.number(y), tape.number(z)], dtype=object)


@dataclass(frozen=True)
class Rotation:
    """Rotation Q from a link's axes (standard convention) to the axes of the parent.

    Q is the product of two plane rotations. Rotating a vector costs 8 multiplications and 4
    additions (Angeles, Fundamentals of Robotic Mechanical Systems, eqs. 7.23 and 7.24).

    Attributes:
        joint: rotation about z by the joint angle, shape (3, 3).
        constant: rotation about x by alpha, shape (3, 3).
    """

    joint: Array
    constant: Array

    def inward(self, vector: Array) -> Array:
        """Record the product Q v, which converts a vector from the link's to the parent's axes."""
        return np.asarray(self.joint @ (self.constant @ vector), dtype=object)

    def outward(self, vector: Array) -> Array:
        """Record the product Q^T v, which converts a vector from parent's to link's axes."""
        return np.asarray(self.constant.T @ (self.joint.T @ vector), dtype=object)


def rotation_of(tape: Tape, link: Link, q: Scalar) -> Rotation:
    """Record the rotation from a link's axes to its parent's axes at a joint position.

    Args:
        tape: recorder of the algorithm's operations.
        link: link that the joint moves.
        q: joint position (rad); the position of a prismatic joint does not change the rotation.
    """
    return Rotation(joint_rotation(tape, link, q), twist(tape, link))
