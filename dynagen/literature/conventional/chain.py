"""Chain: a serial robot in the link axes of either Denavit-Hartenberg convention, as the papers number them.

In modified tables (Craig, Khalil) the origin of link i lies on the axis of joint i, in standard ones (Denavit, Paul) on
that of joint i + 1. The x axis of a link is along the common normal with the next joint axis, so that for every robot one
rotation about x and one about z lead from a link to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from dynagen.description.description import RobotDescription
from dynagen.description.displacement import Vector
from dynagen.description.joints import JointType
from dynagen.description.pose import IDENTITY, ORIGIN, Matrix, Pose, add, scale, screw_x, screw_z
from dynagen.errors import UsageError
from dynagen.model.inertia import InertialParameters
from dynagen.model.model import BASE, RobotModel, build_model
from dynagen.model.placement import Placement
from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import ZERO, Exact

Convention = Literal["modified", "standard"]
"""Whether the rotation about x stands in front of a link's joint or behind it."""


@dataclass(frozen=True)
class Link:
    """A link and the joint that moves it.

    Attributes:
        alpha: constant rotation about x, in front of the joint's own about z (modified) or behind it (standard).
        theta: angle that the joint's rotation begins with.
        step: displacement from the origin of the link before to that of the link, but for what a sliding joint adds (m): in
            the axes of the link before (modified) or in the link's (standard), where it is constant.
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
            raise UsageError(f"link {self.name} has first moments but no mass: this algorithm needs its centre of mass")
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
    """A robot as a chain, in the link axes of a convention; fixed links are merged into those that carry them.

    Raises:
        UsageError: the robot is a tree, has a helical joint, carries a load, or has run-time parameters.
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
            start, axis = before.inverse.rotate(body.placement.translation), screw_x(alpha, ZERO).z_axis
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
        raise UsageError(f"{model.name} is a tree: conventional algorithms are counted for serial robots")
    if any(body.joint.angular and body.joint.linear for body in model.bodies):
        raise UsageError(f"{model.name} has a helical joint: conventional algorithms know revolute and prismatic ones")
    if model.external_wrenches or model.parameters:
        what = "an external wrench" if model.external_wrenches else "a payload or other run-time parameters"
        raise UsageError(f"{model.name} has {what}: conventional algorithms are counted for robots without")


def _link_axes(next_joint: Placement, convention: Convention) -> Pose:
    """Axes of a link in its body's frame, from where the next joint sits on it."""
    about_z = screw_z(next_joint.gamma, ZERO)
    if convention == "modified":
        return about_z
    return Pose(IDENTITY.rotation, next_joint.translation) @ about_z @ screw_x(next_joint.alpha, ZERO)
