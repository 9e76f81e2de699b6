"""Inspection of a robot: frames, inertial data and joints at q = 0.

All values are computed by the numeric reference, not by generated code, and refer to the link
frames of the robot description.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.errors import Fault
from dynagen.numbers.arrays import Array
from dynagen.report.accuracy import SnapEffect
from dynagen.report.console import make_table
from dynagen.robot.description import (
    TOOL,
    Friction,
    Limits,
    LinkDescription,
    RobotDescription,
    convert_to_central_inertia,
)
from dynagen.robot.edits import substitute
from dynagen.robot.plausibility import compute_radius_of_gyration
from dynagen.verification.kinematics import (
    compute_joint_frames,
    make_symmetric,
    make_transform,
    round_vector,
)
from dynagen.verification.reference import make_references


@dataclass(frozen=True)
class LinkInspection:
    """Properties of a link with all joints at zero (q = 0).

    Attributes:
        link: the link as described, with the defaults of run-time parameters.
        origin: origin of the link frame in the base frame, shape (3,), m.
        rotation: rotation matrix from the axes of the link frame to base axes, shape (3, 3).
        axis: joint axis, a unit vector in base axes, shape (3,); None for a fixed joint.
        mass: mass of the link, kg.
        com: centre of mass in the link frame, shape (3,), m; None without mass.
        com_in_base: centre of mass in the base frame, shape (3,), m; None without mass.
        principal_inertias: principal moments of inertia in ascending order, shape (3,), kg m^2;
            about the centre of mass, or about the frame's origin if the mass is zero.
        gyration: largest radius of gyration, m; None if the mass is not positive.
        gravity_force: joint force that holds the robot against gravity, N m or N; None for a fixed
            or mimicking joint, or a joint with several coordinates.
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
        """Magnitude of the joint's gravity force divided by its effort limit.

        The value is None if the gravity force or the effort limit is unknown.
        """
        effort = self.link.limits.effort if self.link.limits else None
        return (
            None
            if effort is None or self.gravity_force is None
            else abs(self.gravity_force) / float(effort)
        )


@dataclass(frozen=True)
class FrameInspection:
    """Pose of a named frame at q = 0.

    Attributes:
        name: name of the frame.
        link: link to which the frame is fixed.
        origin: origin of the frame in the base frame in m, shape (3,).
        rotation: rotation matrix from the frame's axes to base axes, shape (3, 3).
        is_default: True for the frame `tool` that dynagen adds if the description has none.
    """

    name: str
    link: str
    origin: Array
    rotation: Array
    is_default: bool = False


@dataclass(frozen=True)
class Inspection:
    """Properties of a robot with all joints at zero (q = 0).

    Attributes:
        description: the robot description, with default values for run-time parameters.
        links: properties of the links, in the order of the description.
        frames: poses of the tool and of other named frames.
        tips: names of the links without child links.
    """

    description: RobotDescription
    links: tuple[LinkInspection, ...]
    frames: tuple[FrameInspection, ...]
    tips: tuple[str, ...]

    @property
    def total_mass(self) -> float:
        """Mass of all links together, in kg."""
        return sum(link.mass for link in self.links)

    @property
    def com(self) -> Array | None:
        """Centre of mass of the whole robot in the base frame at q = 0, shape (3,), m.

        The value is None for a robot without mass.
        """
        moments = [
            link.mass * link.com_in_base for link in self.links if link.com_in_base is not None
        ]
        return np.sum(moments, axis=0) / self.total_mass if moments and self.total_mass else None

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """Warnings about joints whose effort limit is too low to hold the robot against gravity."""
        return tuple(
            Fault(
                f"link {found.link.name}",
                f"holding the robot at q = 0 requires {abs(found.gravity_force or 0.0):.4g} "
                f"{found.link.joint.type.force_unit}, {found.share_of_effort:.2g} times the "
                "joint's effort limit: check masses, lengths, gravity and the limit",
            )
            for found in self.links
            if found.share_of_effort is not None and found.share_of_effort > 1
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user: a sentence if the frame `tool` is at one of several tips by default.

        A tip is a link without child links. The sentence names all tips, and the chosen tip.
        """
        if len(self.tips) < 2:
            return ()
        tips = ", ".join(self.tips)
        return tuple(
            f"`tool` is the frame of {frame.link}, one of the tips {tips}; define a frame named "
            "`tool` to choose another"
            for frame in self.frames
            if frame.is_default
        )


def inspect(description: RobotDescription) -> Inspection:
    """Compute frames, inertial data and gravity forces of a robot at q = 0 in numpy.

    Args:
        description: the robot; run-time parameters have their defaults.
    """
    newton_euler, _ = make_references(description)
    home, rest = newton_euler.coordinates.home, np.zeros(newton_euler.degrees_of_freedom)
    forces = newton_euler.compute_inverse_dynamics(home, rest, rest)
    _, poses = compute_joint_frames(
        newton_euler.links, newton_euler.coordinates.compute_positions(home)
    )
    known = substitute(description, {})
    links = tuple(
        _inspect_link(link, pose, float(forces[link.joint.idx_v]) if link.joint.nv == 1 else None)
        for link, pose in zip(known.links, poses, strict=True)
    )
    placed = {link.name: pose for link, pose in zip(known.links, poses, strict=True)}
    # Frames with the name and pose of their link are link frames, which have a table of their own.
    named = [frame for frame in known.frames if frame.name != frame.link or frame.placement]
    frames = [
        (frame.name, frame.link, placed[frame.link] @ make_transform(frame.placement))
        for frame in named
    ]
    found = [FrameInspection(name, link, pose[:3, 3], pose[:3, :3]) for name, link, pose in frames]
    if TOOL not in placed and TOOL not in (frame.name for frame in known.frames):
        last = known.links[-1].name
        found.insert(
            0,
            FrameInspection(TOOL, last, placed[last][:3, 3], placed[last][:3, :3], is_default=True),
        )
    parents = {link.parent for link in known.links}
    return Inspection(
        known, links, tuple(found), tuple(name for name in placed if name not in parents)
    )


def _inspect_link(
    link: LinkDescription, pose: Array, gravity_force: float | None
) -> LinkInspection:
    central, mass = convert_to_central_inertia(link.inertial), float(link.inertial.mass)
    com = round_vector(central.com) if mass else None
    # The axis is given in the joint frame; `after` leads from there to the link frame.
    axis = (
        pose[:3, :3]
        @ np.linalg.inv(make_transform(link.after)[:3, :3])
        @ round_vector(link.joint.axis)
    )
    return LinkInspection(
        link=link,
        origin=pose[:3, 3],
        rotation=pose[:3, :3],
        axis=axis / np.linalg.norm(axis) if link.joint.type.has_axis else None,
        mass=mass,
        com=com,
        com_in_base=None if com is None else pose[:3, :3] @ com + pose[:3, 3],
        principal_inertias=np.linalg.eigvalsh(make_symmetric(central.inertia)).astype(np.float64),
        gyration=compute_radius_of_gyration(link) if mass > 0 else None,
        gravity_force=gravity_force,
    )


def print_inspection(console: Console, inspection: Inspection) -> None:
    """Print tables of a robot's frames, inertial data, joints, limits and parameters."""
    robot = inspection.description
    com = "" if inspection.com is None else f", centre of mass {_vector(inspection.com)} m"
    console.print(
        f"[bold]{escape(robot.name)}[/]: {robot.notation}, "
        f"gravity {_vector(round_vector(robot.gravity))} m/s^2, "
        f"total mass {_number(inspection.total_mass)} kg{com}",
        soft_wrap=True,
    )
    console.print(_tabulate_link_frames(console, inspection))
    console.print(_tabulate_inertial_data(console, inspection))
    console.print(_tabulate_joints(console, inspection))
    console.print(_tabulate_named_frames(console, inspection))
    if robot.parameters:
        console.print(_tabulate_parameters(console, robot))
    for frame in robot.external_wrenches:
        console.print(
            f"An external wrench acts at the origin of frame {escape(frame)}, in the frame's axes."
        )
    for frame in robot.contact_forces:
        console.print(f"A contact force acts at the origin of frame {escape(frame)}, in base axes.")


def print_snap_effects(console: Console, effects: Sequence[SnapEffect], of_all: float) -> None:
    """Print numbers that were snapped (rounded to exact values), with the effects on joint forces.

    Args:
        console: console to print on.
        effects: snapped numbers, each with the resulting relative change of joint forces.
        of_all: largest relative change of a joint force if all numbers are snapped.
    """
    table = make_table(
        console,
        "Snapped numbers, and the relative change of joint forces",
        "number",
        "written",
        "read as",
        "change",
    )
    for effect in effects:
        change = f"{effect.change:.1e}" if effect.change else "0"
        table.add_row(
            escape(effect.snap.where), escape(effect.snap.written), effect.snap.read, change
        )
    console.print(table)
    console.print(
        f"All snapped numbers together change joint forces by at most {of_all:.1e} of a joint's "
        "largest force. --snap 0 reads all numbers as written."
    )


def _tabulate_link_frames(console: Console, inspection: Inspection) -> Table:
    titles = ("link", "parent", "joint", "joint axis", "origin (m)", "x axis", "y axis", "z axis")
    table = make_table(console, "Link frames at q = 0, in the base frame", *titles)
    for row in inspection.links:
        axes = (_vector(axis) for axis in row.rotation.T)
        joint = row.link.joint.type.name + (
            f" with {row.link.joint.mimics}" if row.link.joint.mimics else ""
        )
        along = "-" if row.axis is None else _vector(row.axis)
        names = (escape(row.link.name), escape(row.link.parent or "base"), escape(joint))
        table.add_row(*names, along, _vector(row.origin), *axes)
    return table


def _tabulate_inertial_data(console: Console, inspection: Inspection) -> Table:
    titles = (
        "mass (kg)",
        "com in link frame (m)",
        "com in base frame (m)",
        "principal inertias (kg m^2)",
        "gyration (m)",
    )
    title = "Centres of mass (com) at q = 0, inertia about them, largest radius of gyration"
    table = make_table(console, title, "link", *titles)
    for row in inspection.links:
        com, in_base = (
            "-" if place is None else _vector(place) for place in (row.com, row.com_in_base)
        )
        gyration = "-" if row.gyration is None else _number(row.gyration)
        moments = _vector(row.principal_inertias)
        table.add_row(escape(row.link.name), _number(row.mass), com, in_base, moments, gyration)
    return table


def _gravity_force_text(link: LinkInspection) -> str:
    """Return a joint's gravity force at q = 0 as text, also in percent of the effort limit."""
    if link.gravity_force is None:
        return "-"
    share = "" if link.share_of_effort is None else f" ({link.share_of_effort:.0%})"
    return f"{_number(link.gravity_force)} {link.link.joint.type.force_unit}{share}"


def _tabulate_joints(console: Console, inspection: Inspection) -> Table:
    titles = ("force at q = 0", "motor inertia", "friction", "position", "velocity", "effort")
    table = make_table(
        console, "Joints: force to hold against gravity, friction and limits", "link", *titles
    )
    for row in inspection.links:
        if row.link.joint.moves:
            motor = _number(float(row.link.motor_inertia)) if row.link.motor_inertia else "-"
            friction = _friction_text(row.link.friction)
            table.add_row(
                escape(row.link.name),
                _gravity_force_text(row),
                motor,
                friction,
                *_limit_texts(row.link.limits),
            )
    return table


def _friction_text(friction: Friction | None) -> str:
    if friction is None:
        return "-"
    values = {"viscous": friction.viscous, "coulomb": friction.coulomb, "offset": friction.offset}
    terms = [f"{name} {_number(float(value))}" for name, value in values.items() if value]
    terms += [name for name in ("stribeck", "bearings", "transmission") if getattr(friction, name)]
    return ", ".join(terms) or "zero"


def _limit_texts(limits: Limits | None) -> tuple[str, str, str]:
    if limits is None:
        return "-", "-", "-"
    position = (
        "-"
        if limits.position is None
        else " to ".join(_number(float(end)) for end in limits.position)
    )
    velocity, effort = (
        "-" if value is None else _number(float(value))
        for value in (limits.velocity, limits.effort)
    )
    return position, velocity, effort


def _tabulate_named_frames(console: Console, inspection: Inspection) -> Table:
    titles = ("fixed to", "origin (m)", "x axis", "y axis", "z axis")
    table = make_table(console, "Named frames at q = 0, in the base frame", "frame", *titles)
    for frame in inspection.frames:
        name = f"{frame.name} (default)" if frame.is_default else frame.name
        table.add_row(
            escape(name), escape(frame.link), _vector(frame.origin), *map(_vector, frame.rotation.T)
        )
    return table


def _tabulate_parameters(console: Console, robot: RobotDescription) -> Table:
    table = make_table(console, "Run-time parameters", "parameter", "default", "unit")
    for parameter in robot.parameters:
        table.add_row(
            escape(parameter.name), _number(float(parameter.value)), escape(parameter.unit)
        )
    return table


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.5g}"


def _vector(values: Array) -> str:
    return " ".join(_number(float(value)) for value in values)
