"""Chain: a serial robot in the link axes of either Denavit-Hartenberg convention.

Chain: a serial robot in the link axes of either Denavit-Hartenberg convention, as the papers number
    them.

In modified tables (Craig, Khalil) the origin of link i lies on the axis of joint i, in standard
ones (Denavit, Paul) on that of joint i + 1. The x axis of a link is along the common normal with
the next joint axis, so that for every robot one rotation about x and one about z lead from a link
to the next.

From link to link: the rotation and the displacement from the axes of a link to those of the next.
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
from dynagen.robot.model.model import BASE, InertialParameters, Placement, RobotModel, build_model
from dynagen.robot.pose import IDENTITY, ORIGIN, Matrix, Pose, Vector, add, scale, screw_x, screw_z

Convention = Literal["modified", "standard"]
"""Whether the rotation about x stands in front of a link's joint or behind it."""


@dataclass(frozen=True)
class Link:
    """A link and the joint that moves it.

    Attributes:
        alpha: constant rotation about x, in front of the joint's own about z (modified) or behind
            it (standard).
        theta: angle that the joint's rotation begins with.
        step: displacement from the origin of the link before to that of the link, but for what a
            sliding joint adds (m): in the axes of the link before (modified) or in the link's
            (standard), where it is constant.
        axis: unit vector along the joint's axis, in the axes of `step`.
        inertial: about the link's origin, in its axes.
        motor_inertia: reflected to the joint (kg m^2 or kg).
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
        """From the link's origin, in its axes (m).

        Raises:
            UsageError: the link has first moments but no mass.
        """
        mass, first_moment = self.inertial.mass, self.inertial.first_moment
        if mass:
            return scale(mass.reciprocal(), first_moment)
        if any(first_moment):
            raise UsageError(
                f"link {self.name} has first moments but no mass: this algorithm needs its "
                f"centre of mass"
            )
        return ORIGIN

    @property
    def central_inertia(self) -> Matrix:
        """Inertia tensor about the centre of mass, in the link's axes (kg m^2)."""
        removed = InertialParameters(-self.inertial.mass, ORIGIN, (ZERO,) * 6)
        central = self.inertial + removed.seen_from(Pose(IDENTITY.rotation, self.centre_of_mass))
        xx, yy, zz, xy, xz, yz = central.inertia
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)

    @property
    def pseudo_inertia(self) -> tuple[tuple[Exact, ...], ...]:
        """Dhanaraj (1990), eq. A.2: second moments, bordered by first moments and mass, 4 x 4."""
        body = self.inertial
        rows = zip(body.second_moments, body.first_moment, strict=True)
        return (*((*second, first) for second, first in rows), (*body.first_moment, body.mass))


@dataclass(frozen=True)
class Chain:
    """A serial robot.

    Attributes:
        gravity: m/s^2, in the axes of link 0, which is the base.
    """

    name: str
    gravity: Vector
    links: tuple[Link, ...]


def chain_of(description: RobotDescription, convention: Convention) -> Chain:
    """Convert a robot to a chain in the link axes of a convention.

    Fixed links are merged into the links that carry them.

    Raises:
        UsageError: the robot is a tree, has a helical joint, carries a load, or has run-time
            parameters.
    """
    model = build_model(description)
    _require_plain_chain(model)
    placements = [body.placement for body in model.bodies]
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
                screw_x(alpha, ZERO).z_axis,
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
                inertial=body.inertial.seen_from(own.inverse),
                motor_inertia=body.motor_inertia,
            )
        )
    return Chain(model.name, axes[0].inverse.rotate(model.gravity), tuple(links))


def _require_plain_chain(model: RobotModel) -> None:
    if any(body.parent != index - 1 for index, body in enumerate(model.bodies, start=BASE + 1)):
        raise UsageError(
            f"{model.name} is a tree: conventional algorithms are counted for serial robots"
        )
    if any(body.joint.angular and body.joint.linear for body in model.bodies):
        raise UsageError(
            f"{model.name} has a helical joint: conventional algorithms know revolute and "
            f"prismatic ones"
        )
    if model.external_wrenches or model.parameters:
        what = (
            "an external wrench"
            if model.external_wrenches
            else "a payload or other run-time parameters"
        )
        raise UsageError(
            f"{model.name} has {what}: conventional algorithms are counted for robots without"
        )


def _link_axes(next_joint: Placement, convention: Convention) -> Pose:
    """Axes of a link in its body's frame, from where the next joint sits on it."""
    about_z = screw_z(next_joint.gamma, ZERO)
    if convention == "modified":
        return about_z
    return (
        Pose(IDENTITY.rotation, next_joint.translation) @ about_z @ screw_x(next_joint.alpha, ZERO)
    )


Z = np.array([0, 0, 1], dtype=object)
"""The joint axis in axes whose z axis it is."""


def coriolis(w: Array, rate: Scalar) -> Array:
    """The vector product w x rate z, by two multiplications."""
    return np.array([rate * w[1], -(rate * w[0]), 0], dtype=object)


def joint_rotation(tape: Tape, link: Link, q: Scalar) -> Array:
    """Return the elements of Rz for a joint.

    Products with the zeros and ones of Rz are not computed.
    """
    if not link.joint.angular:
        return rotation_z(tape.number(link.theta.cos), tape.number(link.theta.sin))
    quarters = link.theta.quarter_turns
    sine, cosine = tape.sine_cosine(
        q if quarters is not None else q + tape.number(link.theta.radians)
    )
    for _ in range(quarters or 0):
        sine, cosine = cosine, -sine
    return rotation_z(cosine, sine)


def twist(tape: Tape, link: Link) -> Array:
    """The constant rotation by alpha: elements of Rx."""
    cosine, sine = tape.number(link.alpha.cos), tape.number(link.alpha.sin)
    return np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]], dtype=object)


def rotation_z(cosine: Scalar, sine: Scalar) -> Array:
    """Rotation about z."""
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]], dtype=object)


def displacement(tape: Tape, link: Link, q: Scalar) -> Array:
    """Return the displacement from the parent's origin to the link's origin.

    It is constant, unless the joint is prismatic.
    """
    step = tape.array(link.step)
    if not link.joint.linear:
        return step
    return np.asarray(step + joint_axis(tape, link) * q, dtype=object)


def joint_axis(tape: Tape, link: Link) -> Array:
    """Return the joint's axis.

    The axes are the parent's (modified) or the link's own (standard), where x is always zero.
    """
    _, y, z = link.axis
    return np.array([0, tape.number(y), tape.number(z)], dtype=object)


@dataclass(frozen=True)
class Rotation:
    """Rotation Q as two factors, from a link's standard axes to its parent's.

    Rotating a vector costs 8M + 4A.

    Angeles, eqs. 7.23 and 7.24.
    """

    joint: Array
    constant: Array

    def inward(self, vector: Array) -> Array:
        """Q v."""
        return np.asarray(self.joint @ (self.constant @ vector), dtype=object)

    def outward(self, vector: Array) -> Array:
        """Q^T v."""
        return np.asarray(self.constant.T @ (self.joint.T @ vector), dtype=object)


def rotation_of(tape: Tape, link: Link, q: Scalar) -> Rotation:
    """Q of a link."""
    return Rotation(joint_rotation(tape, link, q), twist(tape, link))
