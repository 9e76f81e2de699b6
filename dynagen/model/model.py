"""RobotModel: the tree of moving bodies in the generator's own frames, made from a RobotDescription.

Every body's frame has z along its joint axis and its origin on it; `placement` leads there from the parent's frame. What
stands behind a joint goes into the inertial data and into the children's placements: so standard Denavit-Hartenberg tables
become modified ones, and frames of any other kind the cheapest form there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dynagen.description.description import TOOL, Friction, RobotDescription
from dynagen.description.displacement import Vector
from dynagen.description.joints import Joint
from dynagen.description.names import identifier
from dynagen.description.pose import IDENTITY, Pose, pose_after
from dynagen.errors import UsageError, did_you_mean
from dynagen.model.inertia import InertialParameters
from dynagen.model.placement import Placement, place_joint
from dynagen.numbers.exact import Exact
from dynagen.numbers.parametric import Parameter

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
        raise UsageError(f"{self.name} has no frame `{name}`; its frames are {', '.join(known)}{did_you_mean(name, known)}")


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
            moved, motor_inertia = inertial.seen_from(behind), link.joint.ratio**2 * link.motor_inertia
            bodies.append(Body(link.name, parent, link.joint, placement, moved, motor_inertia, friction=link.friction))
            attachments[link.name] = len(bodies) - 1, behind
            if link.joint.mimics:
                notes.append(f"the joint of {link.name} follows that of {link.joint.mimics} and has no coordinate of its own")
            continue
        pose = pose @ pose_after((*link.before, *link.after))
        attachments[link.name] = parent, pose
        if parent == BASE:
            notes.append(f"link {link.name} is fixed to the base: it does not move and does not count")
        else:
            body = bodies[parent]
            merged = (*body.merged, link.name)
            bodies[parent] = replace(body, inertial=body.inertial + inertial.seen_from(pose), merged=merged)
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


def _frames(description: RobotDescription, attachments: dict[str, tuple[int, Pose]]) -> tuple[AttachedFrame, ...]:
    frames = {TOOL: AttachedFrame(TOOL, *attachments[description.links[-1].name])}
    for frame in description.frames:
        body, pose = attachments[frame.link]
        frames[identifier(frame.name)] = AttachedFrame(frame.name, body, pose @ pose_after(frame.placement))
    return tuple(frames.values())
