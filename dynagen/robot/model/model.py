"""The robot model: a tree of moving bodies in the generator's frames.

The z axis of a body's frame is the axis of the joint that moves the body. The body's `placement` is
the pose of this frame in the frame of the parent body, with the joint at zero. The placement has
the parameters of Khalil and Kleinfinger: the modified Denavit-Hartenberg parameters alpha, a,
theta, d, and gamma and b if the parent carries several joints.

     z  parent's axis                            z  joint axis
     ^                                          ^
     |                                         /    alpha: angle from the parent's axis
     |                                        /            to the joint axis, about n
     |                                       o      origin of the joint frame
     |                                      /       theta: angle from n to the frame's x axis,
     |                                     /               about the joint axis
     |        n (common normal)           /         d: from * to o, along the joint axis
     +---------------------------------->*
     |                 a                            a: length of the common normal
     |
     | b: height of the normal on the parent's axis
     |
     o - - -> x                                     gamma: angle from the parent's x axis to n,
     origin of the parent's frame                          about the parent's axis

The variable of a revolute joint is added to theta, the variable of a prismatic joint to d. A
constant displacement after a joint is included in the body's inertial data and in the placements of
its children. A standard Denavit-Hartenberg table thus becomes a modified table.

Inertial data are mass, first moments and inertia about the origin of the body's frame, because the
joint forces are linear in these parameters.

The notation is by Khalil and Kleinfinger, "A new geometric notation for open and closed-loop
robots", IEEE International Conference on Robotics and Automation, 1986.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dynagen.errors import UsageError, suggest_word
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.numbers.parametric import Parameter
from dynagen.robot.description import (
    NO_INERTIA,
    TOOL,
    Closure,
    Coupling,
    Elasticity,
    Friction,
    LinkDescription,
    RobotDescription,
)
from dynagen.robot.joints import SPHERICAL_COLUMNS, Joint
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.model.placement import Placement, place, place_joint
from dynagen.robot.names import make_identifier
from dynagen.robot.pose import (
    IDENTITY,
    ORIGIN,
    Pose,
    Vector,
    compute_pose,
    transpose,
)

BASE = -1
"""Index of the base, the parent of the first bodies."""


@dataclass(frozen=True)
class Body:
    """A moving body: a link, and the fixed links that are merged into it.

    A floating body has no joint axis: its frame is the frame of its link, and its placement is the
    identity.

    Attributes:
        name: name of the link.
        parent: index of the body that carries the joint; BASE (-1) for the base.
        joint: the joint that moves the body.
        placement: pose of the body's frame in the parent's frame, with the joint at zero.
        inertial: inertial parameters of the body, including merged links, in the body's frame.
        motor_inertia: inertia of the motor, reflected to the joint (kg m^2 or kg).
        merged: names of the merged links, in the order of the description.
        friction: friction of the joint; None without friction.
        elasticity: spring between motor and joint; None for a rigid joint.
    """

    name: str
    parent: int
    joint: Joint
    placement: Placement
    inertial: InertialParameters
    motor_inertia: Exact
    merged: tuple[str, ...] = ()
    friction: Friction | None = None
    elasticity: Elasticity | None = None

    @property
    def angular(self) -> Exact:
        """Rotation about z (rad) per unit of the entry of q that moves the joint."""
        return self.joint.ratio * self.joint.angular

    @property
    def linear(self) -> Exact:
        """Translation along z (m) per unit of the entry of q that moves the joint."""
        return self.joint.ratio * self.joint.linear

    @property
    def entries(self) -> range:
        """Indices of the entries of v that move the body; mimicking joints share entries."""
        return range(self.joint.idx_v, self.joint.idx_v + len(self.joint.type.velocity_names))

    @property
    def is_free(self) -> bool:
        """Whether the body is the floating base, which moves freely."""
        return self.joint.type.is_free

    @property
    def column(self) -> int | None:
        """Index (0 to 2) among the three bodies of a spherical joint; None for other bodies."""
        return self.joint.type.column

    def is_grouped_with(self, other: Body) -> bool:
        """Return whether this body and another one belong to the same spherical joint."""
        return (
            self.column is not None
            and other.column is not None
            and self.joint.idx_q == other.joint.idx_q
        )

    @property
    def keeps_frame(self) -> bool:
        """Whether the body's frame must not be moved, because the joint determines it."""
        return self.is_free or self.column is not None


@dataclass(frozen=True)
class AttachedFrame:
    """A named frame that is fixed to a body.

    Attributes:
        body: index of the body, or BASE.
        pose: pose of the frame in the body's frame, or in the base frame.
    """

    name: str
    body: int
    pose: Pose


@dataclass(frozen=True)
class RobotModel:
    """A robot as a tree of moving bodies. In `bodies`, every parent comes before its children.

    Attributes:
        gravity: acceleration of gravity in the base frame (m/s^2).
        attachments: for each link of the description, the index of its body (or BASE)
            and the pose of the user's link frame in the body's frame.
        frames: named frames. By default, the frame `tool` is the frame of the last link.
        notes: sentences on merged and dropped links, and on mimicking joints.
        parameters: run-time parameters, on which numbers of the model may depend.
        payload: names of the run-time parameters for the inertia of the payload.
        external_wrenches: names of the frames at which external wrenches act.
        contact_forces: names of the frames at which forces in base axes act.
        described: the robot in the frames of the description, if frames have been moved
            (`moving_frames`); otherwise None.
        closure: formulas of the dependent joints of closed loops, in the order of computation.
        couplings: motors that move several joints together.
        description: the description of the robot.
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
    contact_forces: tuple[str, ...] = ()
    described: RobotModel | None = None
    closure: tuple[Closure, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    description: RobotDescription | None = field(default=None, compare=False, repr=False)

    @property
    def tree(self) -> RobotModel:
        """The robot with all loops cut, so that dependent joints are independent."""
        if not self.closure:
            return self
        joints = {body.name: replace(body.joint, is_dependent=False) for body in self.bodies}
        position = velocity = 0
        for name, joint in joints.items():
            joints[name] = replace(joint, idx_q=position, idx_v=velocity)
            position, velocity = position + joint.nq, velocity + joint.nv
        for name, joint in joints.items():
            if joint.mimics:
                leader = joints[joint.mimics]
                joints[name] = replace(joint, idx_q=leader.idx_q, idx_v=leader.idx_v)
        bodies = tuple(replace(body, joint=joints[body.name]) for body in self.bodies)
        return replace(self, bodies=bodies, closure=())

    @property
    def geometry(self) -> tuple[Exact, ...]:
        """All exact numbers of the geometry: gravity, placements and joint motions."""
        joints = ((*body.placement.numbers, body.angular, body.linear) for body in self.bodies)
        return (*self.gravity, *(number for joint in joints for number in joint))

    @property
    def coordinates(self) -> tuple[Body, ...]:
        """The bodies whose joints have their own entries of q and v, in the order of v."""
        return tuple(body for body in self.bodies if body.joint.nv)

    @property
    def nv(self) -> int:
        """Number of entries of the velocity vector v."""
        return sum(body.joint.nv for body in self.bodies)

    @property
    def links(self) -> tuple[int, ...]:
        """Indices of the bodies, without the first two of the three bodies of spherical joints."""
        return tuple(
            index
            for index, body in enumerate(self.bodies)
            if not any(
                self.bodies[child].is_grouped_with(body) for child in self.list_children(index)
            )
        )

    @property
    def has_mimics(self) -> bool:
        """Whether the robot has mimicking joints or joints that depend on others by loops."""
        return len(self.coordinates) < len(self.bodies)

    @property
    def has_external_forces(self) -> bool:
        """Whether external wrenches or contact forces act on the robot."""
        return bool(self.external_wrenches or self.contact_forces)

    @property
    def floats(self) -> bool:
        """Whether the robot has a floating base: its first body moves freely."""
        return any(body.is_free for body in self.bodies)

    @property
    def root(self) -> int:
        """Index of the floating base (0), or BASE if the base is fixed."""
        return 0 if self.floats else BASE

    @property
    def has_turning_axes(self) -> bool:
        """Whether a joint is floating or spherical, so that its velocity is in rotating axes."""
        return self.floats or bool(self.spherical_joints)

    @property
    def spherical_joints(self) -> tuple[Body, ...]:
        """The first body of each spherical joint, which has the joint's quaternion."""
        return tuple(body for body in self.bodies if body.column == 0)

    def list_children(self, parent: int) -> tuple[int, ...]:
        """Return the indices of the bodies whose parent is `parent`."""
        return tuple(index for index, body in enumerate(self.bodies) if body.parent == parent)

    def iterate_inward(self) -> Iterator[tuple[int, Body]]:
        """Yield indices and bodies from the tips to the base: parents follow their children."""
        return reversed(list(enumerate(self.bodies)))

    def find_path(self, index: int) -> tuple[int, ...]:
        """Return the indices of a body, of its parent and so on to the base, without the base."""
        return () if index == BASE else (index, *self.find_path(self.bodies[index].parent))

    def find_frame(self, name: str) -> AttachedFrame:
        """Return a frame by its name in the description, or by its identifier in generated code.

        Raises:
            UsageError: the frame does not exist; the message lists the frames.
        """
        for frame in self.frames:
            if make_identifier(frame.name) == make_identifier(name):
                return frame
        known = [frame.name for frame in self.frames]
        hint = suggest_word(name, known)
        if "," in name:
            joined = "+".join(f"jacobian@{each}" for each in name.split(","))
            hint = f"; for several frames, join the functions with +, as in {joined}"
        raise UsageError(
            f"{self.name} has no frame `{name}`; its frames are {', '.join(known)}{hint}"
        )


def build_model(description: RobotDescription) -> RobotModel:
    """Build the model of a description.

    Fixed links are merged into the bodies that carry them, without rounding. Links that are fixed
    to the base are dropped.

    Raises:
        UsageError: a run-time parameter rotates a joint axis about the parent body's joint axis.
    """
    bodies: list[Body] = []
    attachments: dict[str, tuple[int, Pose]] = {}
    notes: list[str] = []
    fixed: dict[str | None, list[str]] = {}  # body, None for the base -> links fixed to it
    for link in description.links:
        parent, pose = attachments[link.parent] if link.parent is not None else (BASE, IDENTITY)
        if link.joint.type.is_spherical:
            bodies += _build_group(link, parent, pose, len(bodies))
            attachments[link.name] = len(bodies) - 1, compute_pose(link.after)
            continue
        if link.joint.moves:
            try:
                placement = place_joint(pose, link.before, link.joint)
            except UsageError as error:
                raise UsageError(f"link {link.name}: {error}") from None
            # The user's link frame in the body's frame, whose z axis is the joint axis.
            link_frame = compute_pose(link.joint.axis_frame).inverse @ compute_pose(link.after)
            bodies.append(_build_body(link, parent, placement, link_frame))
            attachments[link.name] = len(bodies) - 1, link_frame
            if link.joint.mimics:
                notes.append(
                    f"the joint of {link.name} follows the joint of {link.joint.mimics} "
                    "and has no coordinate of its own"
                )
            elif link.joint.is_dependent:
                notes.append(
                    f"closed loops determine the joint of {link.name}: "
                    "the joint has no coordinate of its own"
                )
            continue
        pose = pose @ compute_pose((*link.before, *link.after))
        attachments[link.name] = parent, pose
        body = None if parent == BASE else bodies[parent]
        fixed.setdefault(body.name if body else None, []).append(link.name)
        if body:
            merged = (*body.merged, link.name)
            bodies[parent] = replace(
                body,
                inertial=body.inertial + InertialParameters.convert(link.inertial).transform(pose),
                merged=merged,
            )
    return RobotModel(
        name=description.name,
        gravity=description.gravity,
        bodies=tuple(bodies),
        attachments=attachments,
        frames=_attach_frames(description, attachments),
        notes=(*notes, *_describe_fixed(fixed)),
        parameters=description.parameters,
        payload=description.payload,
        external_wrenches=description.external_wrenches,
        contact_forces=description.contact_forces,
        closure=description.closure,
        couplings=description.couplings,
        description=description,
    )


def _describe_fixed(fixed: Mapping[str | None, Sequence[str]]) -> Iterator[str]:
    """Yield a note for each body into which fixed links are merged."""
    for body, links in fixed.items():
        *others, last = links
        names = f"links {', '.join(others)} and {last} are" if others else f"link {last} is"
        it, has = ("they", "have") if others else ("it", "has")
        if body is None:
            yield f"{names} fixed to the base: {it} {has} no effect on the dynamics"
        else:
            yield f"{names} fixed to {body}: merged into it"


_EXCHANGE = Pose(transpose(((ZERO, ONE, ZERO), (ZERO, ZERO, ONE), (ONE, ZERO, ZERO))), ORIGIN)
"""Pose of each of the three bodies of a spherical joint in the frame of the preceding body.

The x, y and z axes of the body are the y, z and x axes of the preceding frame.
"""


def _build_group(link: LinkDescription, parent: int, pose: Pose, index: int) -> Iterator[Body]:
    """Yield the three bodies of a spherical joint; only the last one has mass.

    Their z axes are the x, y and z axes of the frame after the joint. `pose` is the pose of the
    parent link's frame in the parent body's frame. `index` is the index of the first of the three
    bodies.
    """
    first = pose @ compute_pose(link.before) @ _EXCHANGE
    # All of the displacement is in front of the joint's rotation.
    placement = replace(place(first, ZERO, ZERO), translation=first.translation, d=ZERO)
    between = place(_EXCHANGE, ZERO, ZERO)
    names = f"{link.name}.x", f"{link.name}.y", link.name
    nothing = InertialParameters.convert(NO_INERTIA)
    own = InertialParameters.convert(link.inertial).transform(compute_pose(link.after))
    for column, name in enumerate(names):
        joint = replace(
            link.joint,
            type=SPHERICAL_COLUMNS[column],
            idx_v=link.joint.idx_v + column,
            name=f"{link.joint.name}.{'xyz'[column]}" if link.joint.name else "",
        )
        yield Body(
            name,
            index + column - 1 if column else parent,
            joint,
            between if column else placement,
            nothing if column < 2 else own,
            ZERO,
        )


def _build_body(link: LinkDescription, parent: int, placement: Placement, frame: Pose) -> Body:
    """Return the body of a moving link; `frame` is the link frame's pose in the body's frame."""
    return Body(
        link.name,
        parent,
        link.joint,
        placement,
        InertialParameters.convert(link.inertial).transform(frame),
        # The motor of a mimicking joint moves ratio times as fast as the entry of v.
        link.joint.ratio**2 * link.motor_inertia,
        friction=link.friction,
        elasticity=link.elasticity,
    )


def _attach_frames(
    description: RobotDescription, attachments: dict[str, tuple[int, Pose]]
) -> tuple[AttachedFrame, ...]:
    """Return the named frames of the description, with `tool` first."""
    frames = {TOOL: AttachedFrame(TOOL, *attachments[description.links[-1].name])}
    for frame in description.frames:
        body, pose = attachments[frame.link]
        frames[make_identifier(frame.name)] = AttachedFrame(
            frame.name, body, pose @ compute_pose(frame.placement)
        )
    return tuple(frames.values())
