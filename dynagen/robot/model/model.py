"""RobotModel: the tree of moving bodies in the generator's frames, with placements by Khalil's parameters.

Inertial parameters in the form in which they are linear in the dynamics: mass, first moments, inertia about the origin.

Placement of a joint: a constant pose in the parent's frame <-> the parameters of Khalil and Kleinfinger.

W. Khalil, J. Kleinfinger, "A new geometric notation for open and closed-loop robots", IEEE Int. Conf. Robotics and Automation,
1986: modified Denavit-Hartenberg parameters, with two more at a branch.

RobotModel: the tree of moving bodies in the generator's own frames, made from a RobotDescription.

Every body's frame has z along its joint axis and its origin on it; `placement` leads there from the parent's frame. What
stands behind a joint goes into the inertial data and into the children's placements: so standard Denavit-Hartenberg tables
become modified ones, and frames of any other kind the cheapest form there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dynagen.errors import UsageError, did_you_mean
from dynagen.numbers.exact import ZERO, Angle, Exact, is_zero
from dynagen.numbers.parametric import Parameter
from dynagen.robot.description import (
    TOOL,
    CentralInertia,
    Friction,
    OriginInertia,
    RobotDescription,
    Tensor,
)
from dynagen.robot.joints import Joint
from dynagen.robot.names import identifier
from dynagen.robot.pose import (
    IDENTITY,
    ORIGIN,
    Displacement,
    Matrix,
    Pose,
    Rotation,
    Translation,
    Vector,
    add,
    dot,
    part_about,
    pose_after,
    product,
    scale,
    screw_x,
    screw_z,
    transpose,
)


@dataclass(frozen=True)
class InertialParameters:
    """Ten inertial parameters of a body in its frame.

    Attributes:
        mass: kg.
        first_moment: mass times centre of mass, kg m.
        inertia: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the frame's origin, kg m^2.
    """

    mass: Exact
    first_moment: Vector
    inertia: Tensor

    @classmethod
    def of(cls, inertial: CentralInertia | OriginInertia) -> InertialParameters:
        """From either form of a description."""
        if isinstance(inertial, OriginInertia):
            return cls(inertial.mass, inertial.first_moment, inertial.inertia)
        about_com = cls(inertial.mass, ORIGIN, inertial.inertia)
        return about_com.seen_from(Pose(IDENTITY.rotation, inertial.com))

    def seen_from(self, pose: Pose) -> InertialParameters:
        """The same body in frame A, where `pose` is its own frame in A.

        The second moments S = integral of x x^T dm transform as R S R^T + (R s) p^T + p (R s)^T + m p p^T; J = tr(S) 1 - S.
        """
        p, s = pose.translation, pose.rotate(self.first_moment)
        rotated = product(product(pose.rotation, self.second_moments), transpose(pose.rotation))

        def moment(i: int, j: int) -> Exact:
            return rotated[i][j] + s[i] * p[j] + p[i] * s[j] + self.mass * p[i] * p[j]

        xx, yy, zz = moment(0, 0), moment(1, 1), moment(2, 2)
        inertia = (yy + zz, xx + zz, xx + yy, -moment(0, 1), -moment(0, 2), -moment(1, 2))
        return InertialParameters(self.mass, add(s, scale(self.mass, p)), inertia)

    def __add__(self, other: InertialParameters) -> InertialParameters:
        """Two bodies fixed to each other, in the same frame."""
        xx, yy, zz, xy, xz, yz = (a + b for a, b in zip(self.inertia, other.inertia, strict=True))
        moment = add(self.first_moment, other.first_moment)
        return InertialParameters(self.mass + other.mass, moment, (xx, yy, zz, xy, xz, yz))

    @property
    def second_moments(self) -> Matrix:
        """Integral of x x^T dm about the frame's origin: tr(J)/2 1 - J (kg m^2)."""
        jxx, jyy, jzz, jxy, jxz, jyz = self.inertia
        half_trace = (jxx + jyy + jzz) / 2
        return (
            (half_trace - jxx, -jxy, -jxz),
            (-jxy, half_trace - jyy, -jyz),
            (-jxz, -jyz, half_trace - jzz),
        )


_NEARLY_PARALLEL = Exact("0.1")


@dataclass(frozen=True)
class Placement:
    """A joint frame in its parent's frame: T(translation) Rz(gamma) Rx(alpha) Rz(theta) Tz(d).

    theta and d are the offsets of the joint variable. For a row of a modified table gamma is zero and the translation is
    (a, 0, 0); at a branch it is (a cos gamma, a sin gamma, b) with Khalil's gamma and b.
    """

    gamma: Angle
    translation: Vector
    alpha: Angle
    theta: Angle
    d: Exact

    @property
    def is_parallel(self) -> bool:
        """Whether the joint axis has the direction of the parent's, so that no constant rotation lies between their axes."""
        return self.gamma.quarter_turns == 0 and self.alpha.quarter_turns == 0

    @property
    def pose(self) -> Pose:
        """The joint frame in its parent's with the joint at zero."""
        foot = Pose(IDENTITY.rotation, self.translation) @ screw_z(self.gamma, ZERO)
        return foot @ screw_x(self.alpha, ZERO) @ screw_z(self.theta, self.d)

    @property
    def numbers(self) -> tuple[Exact, ...]:
        """All that it is made of: rad and m."""
        return self.gamma.radians, self.alpha.radians, self.theta.radians, self.d, *self.translation


def place_joint(parent: Pose, before: Displacement, joint: Joint) -> Placement:
    """The placement of a joint whose axis may have any direction: the z axis of its frame is that axis.

    The last steps in front of a joint, as far as they rotate about its axis or lead along it, are offsets of its variable, and
    stay the numbers that they are: the angle of a pose would be found again from its cosine and sine only to 1e-25.

    Args:
        parent: frame in the parent body's frame in which the steps begin.
        before: the steps in front of the joint.
        joint: what stands behind them.

    Raises:
        UsageError: as `place`.
    """
    theta, d = joint.angular * joint.offset, joint.linear * joint.offset
    for count, step in enumerate(reversed(before)):
        along = _part_along(joint.axis, step)
        if along is None:
            before = before[: len(before) - count]
            break
        if isinstance(step, Rotation):
            theta = theta + along
        else:
            d = d + along
    else:
        before = ()
    return place(parent @ pose_after((*before, *joint.axis_frame)), theta, d)


def _part_along(axis: Vector, step: Rotation | Translation) -> Exact | None:
    """The angle or length of a step about or along an axis, if that is X, Y or Z, and all of the step; else None."""
    directions = [number for number, component in enumerate(axis) if component]
    if len(directions) > 1:
        return None
    (direction,) = directions
    part = part_about(direction, step)
    return part if part is None or not axis[direction].is_negative else -part


def place(pose: Pose, theta: Exact, d: Exact) -> Placement:
    """Write a constant pose as T(translation) Rz(gamma) Rx(alpha) Rz(theta) Tz(d), and add the joint's own offsets.

    The translation is the foot of the common normal on the parent's axis plus the normal itself. Axes that are parallel or
    nearly so have no common normal worth the name: theirs begins where the joint frame is. Axes that may become so at run
    time keep the translation as it is.

    Args:
        pose: in the parent's frame.
        theta: offset about the joint axis (rad).
        d: offset along it (m).

    Raises:
        UsageError: a run-time parameter tilts the joint axis out of the plane that alpha tilts it in.
    """
    axis = pose.z_axis
    if not axis[0].is_known:
        raise UsageError(
            "a run-time parameter tilts its joint axis in general position, which is not generated: "
            "use it in alpha, a, d or theta of plain rows, or fold it (remove `runtime`)"
        )
    # The axis is Rz(gamma) Rx(alpha) z = (sin gamma sin alpha, -cos gamma sin alpha, cos alpha). Where its x component is
    # zero, gamma is zero too, and not pi, so that alpha has either sign as in a table of Denavit-Hartenberg parameters.
    gamma = Angle(ZERO) if is_zero(axis[0]) else Angle.from_cosine_sine(-axis[1], axis[0])
    sine = axis[0] * gamma.sin - axis[1] * gamma.cos
    alpha = Angle.from_cosine_sine(axis[2], ZERO if is_zero(sine) else sine)
    # The point p - along z of the axis is the foot of the common normal: it has no component along (sin gamma, -cos gamma, 0),
    # which is at a right angle to the normal and to the parent's axis, and along which z has the component sin alpha.
    if not sine.is_known:
        along = ZERO
    elif abs(sine) < _NEARLY_PARALLEL:
        along = pose.translation[2] / axis[2]
    else:
        along = dot(pose.translation, (gamma.sin, -gamma.cos, ZERO)) / sine
    normal = (gamma.cos, gamma.sin, ZERO)
    x_axis, y_axis, _ = transpose(pose.rotation)
    offset = Angle.from_cosine_sine(dot(normal, x_axis), -dot(normal, y_axis))
    return Placement(
        gamma, add(pose.translation, scale(-along, axis)), alpha, offset + Angle(theta), along + d
    )


BASE = -1


@dataclass(frozen=True)
class Body:
    """A moving body: a link, with whatever is fixed to it.

    Attributes:
        parent: position of the body that its joint sits on; BASE (-1) for the base.
        merged: names of the links that are fixed to this one, in order.
        motor_inertia: reflected to the joint's entry of v, kg m^2 or kg; acts on that acceleration alone.

    A body whose joint is floating has no axis: its frame is that of its link, and its placement none.
    """

    name: str
    parent: int
    joint: Joint
    placement: Placement
    inertial: InertialParameters
    motor_inertia: Exact
    merged: tuple[str, ...] = ()
    friction: Friction | None = None

    @property
    def angular(self) -> Exact:
        """Rotation about z per unit of the joint's entry of q (rad); of a mimic joint the ratio is in it."""
        return self.joint.ratio * self.joint.angular

    @property
    def linear(self) -> Exact:
        """Translation along z per unit of the joint's entry of q (m), likewise."""
        return self.joint.ratio * self.joint.linear

    @property
    def entries(self) -> range:
        """The entries of v that its joint moves by."""
        return range(self.joint.idx_v, self.joint.idx_v + len(self.joint.type.rotates))

    @property
    def is_free(self) -> bool:
        """Whether it floats."""
        return self.joint.type.is_free


@dataclass(frozen=True)
class AttachedFrame:
    """A frame of the user's that is fixed to a body.

    Attributes:
        body: position of the body, or BASE.
        pose: in the body's frame, or in that of the base.
    """

    name: str
    body: int
    pose: Pose


@dataclass(frozen=True)
class RobotModel:
    """A robot as the generator sees it: bodies in an order in which parents come first.

    Attributes:
        gravity: m/s^2, in the base frame.
        attachments: for every link of the description its body (or BASE) and the pose of the user's link frame in the body's
            frame.
        frames: points of interest, the tool always among them: the last link's frame unless the description names one.
        notes: what was merged or dropped, and which joints follow others.
        parameters: run-time parameters that numbers may depend on.
        payload: names of those that are the inertial parameters of what the robot carries.
        external_wrenches: names of the frames at which wrenches are an input.
        described: the same robot in the frames of the description, if the bodies have others; None if these are they.
    """

    name: str
    gravity: Vector
    bodies: tuple[Body, ...]
    attachments: dict[str, tuple[int, Pose]] = field(hash=False)
    frames: tuple[AttachedFrame, ...]
    notes: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    payload: tuple[str, ...] = ()
    external_wrenches: tuple[str, ...] = ()
    described: RobotModel | None = None

    @property
    def geometry(self) -> tuple[Exact, ...]:
        """The numbers that place joints, say how they move, and direct gravity."""
        of_joints = ((*body.placement.numbers, body.angular, body.linear) for body in self.bodies)
        return (*self.gravity, *(number for numbers in of_joints for number in numbers))

    @property
    def coordinates(self) -> tuple[Body, ...]:
        """The bodies whose joints have entries of q and v of their own, in the order of these."""
        return tuple(body for body in self.bodies if body.joint.nv)

    @property
    def nv(self) -> int:
        """Number of entries of v."""
        return sum(body.joint.nv for body in self.bodies)

    @property
    def has_mimics(self) -> bool:
        """Whether a joint follows another."""
        return len(self.coordinates) < len(self.bodies)

    @property
    def floats(self) -> bool:
        """Whether the first body moves freely, with all that it carries."""
        return any(body.is_free for body in self.bodies)

    def children(self, parent: int) -> tuple[int, ...]:
        """Positions of the bodies whose joints sit on a body."""
        return tuple(index for index, body in enumerate(self.bodies) if body.parent == parent)

    def inward(self) -> Iterator[tuple[int, Body]]:
        """Positions and bodies from the tips to the base: what a body carries comes before it."""
        return reversed(list(enumerate(self.bodies)))

    def path_to_base(self, index: int) -> tuple[int, ...]:
        """Positions of a body and of those that carry it, the last next to the base; none for BASE."""
        return () if index == BASE else (index, *self.path_to_base(self.bodies[index].parent))

    def frame(self, name: str) -> AttachedFrame:
        """A point of interest by its name, which may also be written as the identifier that generated code uses.

        Raises:
            UsageError: there is no such frame; names those that there are.
        """
        for frame in self.frames:
            if identifier(frame.name) == identifier(name):
                return frame
        known = [frame.name for frame in self.frames]
        raise UsageError(
            f"{self.name} has no frame `{name}`; its frames are {', '.join(known)}{did_you_mean(name, known)}"
        )


def build_model(description: RobotDescription) -> RobotModel:
    """Put a description into the generator's frames; fixed links are merged into the body that carries them, exactly."""
    bodies: list[Body] = []
    attachments: dict[str, tuple[int, Pose]] = {}
    notes: list[str] = []
    for link in description.links:
        parent, pose = attachments[link.parent] if link.parent is not None else (BASE, IDENTITY)
        inertial = InertialParameters.of(link.inertial)
        if link.joint.moves:
            try:
                placement = place_joint(pose, link.before, link.joint)
            except UsageError as error:
                raise UsageError(f"link {link.name}: {error}") from None
            behind = pose_after(link.joint.axis_frame).inverse @ pose_after(link.after)
            moved, motor_inertia = (
                inertial.seen_from(behind),
                link.joint.ratio**2 * link.motor_inertia,
            )
            bodies.append(
                Body(
                    link.name,
                    parent,
                    link.joint,
                    placement,
                    moved,
                    motor_inertia,
                    friction=link.friction,
                )
            )
            attachments[link.name] = len(bodies) - 1, behind
            if link.joint.mimics:
                notes.append(
                    f"the joint of {link.name} follows that of {link.joint.mimics} and has no coordinate of its own"
                )
            continue
        pose = pose @ pose_after((*link.before, *link.after))
        attachments[link.name] = parent, pose
        if parent == BASE:
            notes.append(
                f"link {link.name} is fixed to the base: it does not move and does not count"
            )
        else:
            body = bodies[parent]
            merged = (*body.merged, link.name)
            bodies[parent] = replace(
                body, inertial=body.inertial + inertial.seen_from(pose), merged=merged
            )
            notes.append(f"link {link.name} is fixed to {body.name}: merged into it")
    return RobotModel(
        name=description.name,
        gravity=description.gravity,
        bodies=tuple(bodies),
        attachments=attachments,
        frames=_frames(description, attachments),
        notes=tuple(notes),
        parameters=description.parameters,
        payload=description.payload,
        external_wrenches=description.external_wrenches,
    )


def _frames(
    description: RobotDescription, attachments: dict[str, tuple[int, Pose]]
) -> tuple[AttachedFrame, ...]:
    frames = {TOOL: AttachedFrame(TOOL, *attachments[description.links[-1].name])}
    for frame in description.frames:
        body, pose = attachments[frame.link]
        frames[identifier(frame.name)] = AttachedFrame(
            frame.name, body, pose @ pose_after(frame.placement)
        )
    return tuple(frames.values())
