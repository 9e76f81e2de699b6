"""RobotDescription -> what an engineer wants to see before trusting a model, at q = 0 and in the base frame.

All of it comes from the numeric reference, in the user's own link frames, not from the generator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynagen.description.description import TOOL, LinkDescription, RobotDescription
from dynagen.description.inertia import central_inertia
from dynagen.description.scale import radius_of_gyration
from dynagen.description.substitution import substitute
from dynagen.errors import Fault
from dynagen.verification.kinematics import Array, joint_frames, symmetric, transform, vector
from dynagen.verification.reference import references


@dataclass(frozen=True)
class LinkInspection:
    """One link at q = 0.

    Attributes:
        link: as described, run-time parameters by their defaults.
        origin: of the link frame, in the base frame, shape (3,), m.
        rotation: of the link frame in the base frame, shape (3, 3).
        axis: of the joint, a unit vector in base axes, shape (3,); None for a fixed joint.
        mass: kg.
        com: centre of mass in the link frame, shape (3,), m; None without mass.
        com_in_base: the same in the base frame.
        principal_inertias: about the centre of mass (about the frame's origin without mass), ascending, shape (3,), kg m^2.
        gyration: the largest radius of gyration, m; None without a positive mass.
        gravity_force: that holds the joint against gravity, N m or N; None for a joint that is fixed or follows another.
    """

    link: LinkDescription
    origin: Array
    rotation: Array
    axis: Array | None
    mass: float
    com: Array | None
    com_in_base: Array | None
    principal_inertias: Array
    gyration: float | None
    gravity_force: float | None

    @property
    def share_of_effort(self) -> float | None:
        """The gravity force by the joint's effort limit; None without either."""
        effort = self.link.limits.effort if self.link.limits else None
        return None if effort is None or self.gravity_force is None else abs(self.gravity_force) / float(effort)


@dataclass(frozen=True)
class FrameInspection:
    """A named frame at q = 0.

    Attributes:
        link: that it is fixed to.
        origin, rotation: in the base frame, shapes (3,) and (3, 3).
        is_default: whether it is the tool only because the description names none.
    """

    name: str
    link: str
    origin: Array
    rotation: Array
    is_default: bool = False


@dataclass(frozen=True)
class Inspection:
    """A robot at q = 0.

    Attributes:
        description: the robot, run-time parameters by their defaults.
        frames: the tool and other named frames.
        tips: names of the links that carry no other.
    """

    description: RobotDescription
    links: tuple[LinkInspection, ...]
    frames: tuple[FrameInspection, ...]
    tips: tuple[str, ...]

    @property
    def total_mass(self) -> float:
        """Mass of all links, in kg."""
        return sum(link.mass for link in self.links)

    @property
    def com(self) -> Array | None:
        """Centre of mass of all links, in the base frame, shape (3,), m; None without mass."""
        moments = [link.mass * link.com_in_base for link in self.links if link.com_in_base is not None]
        return np.sum(moments, axis=0) / self.total_mass if moments and self.total_mass else None

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """Joints that cannot hold the robot against gravity."""
        return tuple(
            Fault(
                f"link {each.link.name}",
                f"to hold the robot at q = 0 takes {abs(each.gravity_force or 0.0):.4g} {each.link.joint.type.force_unit}, "
                f"{each.share_of_effort:.2g} times the joint's effort limit: check masses, lengths, gravity and the limit",
            )
            for each in self.links
            if each.share_of_effort is not None and each.share_of_effort > 1
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what `tool` means where that is not obvious: on a tree whose description names none."""
        if len(self.tips) < 2:
            return ()
        tips = ", ".join(self.tips)
        return tuple(
            f"`tool` is the frame of {frame.link}, one of the tips {tips}; a frame of that name is taken instead"
            for frame in self.frames
            if frame.is_default
        )


def inspect(description: RobotDescription) -> Inspection:
    """Evaluate a robot at q = 0."""
    newton_euler, _ = references(description)
    home, rest = newton_euler.coordinates.home, np.zeros(newton_euler.degrees_of_freedom)
    forces = newton_euler.inverse_dynamics(home, rest, rest)
    _, poses = joint_frames(newton_euler.links, newton_euler.coordinates.positions(home))
    known = substitute(description, {})
    links = tuple(
        _inspect_link(link, pose, float(forces[link.joint.idx_v]) if link.joint.nv == 1 else None)
        for link, pose in zip(known.links, poses, strict=True)
    )
    placed = {link.name: pose for link, pose in zip(known.links, poses, strict=True)}
    named = [frame for frame in known.frames if frame.name != frame.link or frame.placement]  # others are the links' frames
    frames = [(frame.name, frame.link, placed[frame.link] @ transform(frame.placement)) for frame in named]
    found = [FrameInspection(name, link, pose[:3, 3], pose[:3, :3]) for name, link, pose in frames]
    if TOOL not in placed and TOOL not in (frame.name for frame in known.frames):
        last = known.links[-1].name
        found.insert(0, FrameInspection(TOOL, last, placed[last][:3, 3], placed[last][:3, :3], is_default=True))
    parents = {link.parent for link in known.links}
    return Inspection(known, links, tuple(found), tuple(name for name in placed if name not in parents))


def _inspect_link(link: LinkDescription, pose: Array, gravity_force: float | None) -> LinkInspection:
    central, mass = central_inertia(link.inertial), float(link.inertial.mass)
    com = vector(central.com) if mass else None
    axis = pose[:3, :3] @ np.linalg.inv(transform(link.after)[:3, :3]) @ vector(link.joint.axis)
    return LinkInspection(
        link=link,
        origin=pose[:3, 3],
        rotation=pose[:3, :3],
        axis=axis / np.linalg.norm(axis) if link.joint.moves and not link.joint.type.is_free else None,
        mass=mass,
        com=com,
        com_in_base=None if com is None else pose[:3, :3] @ com + pose[:3, 3],
        principal_inertias=np.linalg.eigvalsh(symmetric(central.inertia)).astype(np.float64),
        gyration=radius_of_gyration(link) if mass > 0 else None,
        gravity_force=gravity_force,
    )
