"""Inspection of a model at q = 0: frames, inertial data, joints, and the structure of its dynamics.

Structure of a robot: what has no effect on any joint force, or the same effect as something else, found by fingerprints.

Inverse dynamics, gravity forces and regressor are recorded for the robot as described and evaluated exactly at random points
modulo a prime (`ir.fingerprints`), once more for every joint with another position or acceleration of that joint. So what is
said is true for all states, not only for those that were tried; a chance of 1e-50 is left that it is not.

RobotDescription -> what an engineer wants to see before trusting a model, at q = 0 and in the base frame.

All of it comes from the numeric reference, in the user's own link frames, not from the generator.

Inspection -> tables on a console: frames, inertial data, joints, named frames, and what comes at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.dynamics.functions.inverse_dynamics import GRAVITY_FORCES, INVERSE_DYNAMICS
from dynagen.dynamics.functions.regressors import REGRESSOR
from dynagen.errors import Fault
from dynagen.ir.fingerprints import FIELD, Fingerprint, Fingerprints
from dynagen.ir.program import Element, Program
from dynagen.report.accuracy import SnapEffect
from dynagen.report.console import new_table
from dynagen.robot.description import (
    TOOL,
    Friction,
    Limits,
    LinkDescription,
    RobotDescription,
    central_inertia,
)
from dynagen.robot.edits import substitute
from dynagen.robot.model.model import RobotModel
from dynagen.robot.plausibility import radius_of_gyration
from dynagen.verification.kinematics import Array, joint_frames, symmetric, transform, vector
from dynagen.verification.reference import references

_MOST_JOINTS = 30  # of robots that are looked at: that takes two seconds then


def find_structure(model: RobotModel) -> tuple[str, ...]:
    """The structure of a robot, in sentences; none of floating or very long ones."""
    if model.floats or not 0 < model.nv <= _MOST_JOINTS:
        return ()
    names = [body.name for body in model.coordinates]
    return (*_of_joints(model, names), *_of_gravity(model, names), *_of_parameters(model))


def _of_joints(model: RobotModel, names: list[str]) -> list[str]:
    program = INVERSE_DYNAMICS.build(model)
    forces = _results(program)
    by_position, by_acceleration = (
        [
            _changed(forces, _results(program, Element(argument, joint)))
            for joint in range(len(names))
        ]
        for argument in ("q", "qdd")
    )
    found = []
    without = [name for name, changed in zip(names, by_position, strict=True) if not changed]
    if without:
        found.append(f"no joint force depends on the position of {_listed(without)}")
    fixed = [
        name
        for joint, name in enumerate(names)
        if not any(joint in changed for changed in by_position)
    ]
    if fixed:
        found.append(
            f"at no position of the robot is the force of {_listed(fixed)} another than at q = 0, motion being equal"
        )
    pairs = combinations(range(len(names)), 2)
    loose = [f"{names[i]} and {names[j]}" for i, j in pairs if j not in by_acceleration[i]]
    if loose:
        found.append(f"an acceleration of one takes no force of the other: {'; '.join(loose)}")
    return found


def _of_gravity(model: RobotModel, names: list[str]) -> list[str]:
    free = [
        name
        for name, force in zip(names, _results(GRAVITY_FORCES.build(model)), strict=True)
        if not any(force)
    ]
    return [f"gravity takes no force of {_listed(free)}, at any position"] if free else []


def _of_parameters(model: RobotModel) -> list[str]:
    """Columns of the regressor that are zero, equal or opposite."""
    program = REGRESSOR.build(model)
    parameters = program.outputs[0].argument.columns
    elements = _results(program)
    columns: dict[tuple[Fingerprint, ...], list[str]] = {}
    for place, parameter in enumerate(parameters):
        column = tuple(elements[place :: len(parameters)])
        opposite = tuple(map(FIELD.opposite, column))
        known = opposite in columns and any(map(any, column))
        columns.setdefault(opposite if known else column, []).append(
            f"-{parameter}" if known else parameter
        )
    found = []
    for column, alike in columns.items():
        if not any(map(any, column)):
            found.append(f"no joint force depends on {_listed(alike)}")
        elif len(alike) > 1:
            found.append(f"joint forces depend only on the sum of {_listed(alike, 'and')}")
    return sorted(found)


def _results(program: Program, other: Element | None = None) -> list[Fingerprint]:
    """The fingerprints of all results; with another value of one input, if one is given."""
    prints = Fingerprints()
    for instruction in program.instructions:
        asked = instruction
        if other is not None and instruction.payload == other:
            asked = instruction._replace(payload=Element("another " + other.argument, other.index))
        prints.append(instruction, prints.of(asked))
    return [prints[position] for position in program.result_values()]


def _changed(before: list[Fingerprint], after: list[Fingerprint]) -> set[int]:
    return {place for place, (x, y) in enumerate(zip(before, after, strict=True)) if x != y}


def _listed(names: Iterable[str], joined: str = "or") -> str:
    *others, last = names
    return f"{', '.join(others)} {joined} {last}" if others else last


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
        return (
            None
            if effort is None or self.gravity_force is None
            else abs(self.gravity_force) / float(effort)
        )


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
        moments = [
            link.mass * link.com_in_base for link in self.links if link.com_in_base is not None
        ]
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
    named = [
        frame for frame in known.frames if frame.name != frame.link or frame.placement
    ]  # others are the links' frames
    frames = [
        (frame.name, frame.link, placed[frame.link] @ transform(frame.placement)) for frame in named
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
    central, mass = central_inertia(link.inertial), float(link.inertial.mass)
    com = vector(central.com) if mass else None
    axis = pose[:3, :3] @ np.linalg.inv(transform(link.after)[:3, :3]) @ vector(link.joint.axis)
    return LinkInspection(
        link=link,
        origin=pose[:3, 3],
        rotation=pose[:3, :3],
        axis=axis / np.linalg.norm(axis)
        if link.joint.moves and not link.joint.type.is_free
        else None,
        mass=mass,
        com=com,
        com_in_base=None if com is None else pose[:3, :3] @ com + pose[:3, 3],
        principal_inertias=np.linalg.eigvalsh(symmetric(central.inertia)).astype(np.float64),
        gyration=radius_of_gyration(link) if mass > 0 else None,
        gravity_force=gravity_force,
    )


def print_inspection(console: Console, inspection: Inspection) -> None:
    """Print an inspection."""
    robot = inspection.description
    com = "" if inspection.com is None else f", centre of mass {_vector(inspection.com)} m"
    console.print(
        f"[bold]{escape(robot.name)}[/]: {robot.notation}, gravity {_vector(vector(robot.gravity))} m/s^2, "
        f"total mass {_number(inspection.total_mass)} kg{com}",
        soft_wrap=True,
    )
    console.print(_frames(console, inspection))
    console.print(_inertial_data(console, inspection))
    console.print(_joints(console, inspection))
    console.print(_named_frames(console, inspection))
    if robot.parameters:
        console.print(_parameters(console, robot))
    for frame in robot.external_wrenches:
        console.print(
            f"An external wrench acts at the origin of frame {escape(frame)}, in its axes."
        )


def print_snap_effects(console: Console, effects: Sequence[SnapEffect], of_all: float) -> None:
    """Print the numbers that were read as round ones, and how far each changes torques."""
    table = new_table(
        console,
        "Numbers read as round ones, and how far torques change",
        "number",
        "written",
        "read as",
        "change",
    )
    for each in effects:
        change = f"{each.change:.1e}" if each.change else "0"
        table.add_row(escape(each.snap.where), escape(each.snap.written), each.snap.read, change)
    console.print(table)
    console.print(
        f"All of them together: {of_all:.1e} of a joint's largest torque. --snap 0 reads every number as written."
    )


def _frames(console: Console, inspection: Inspection) -> Table:
    titles = ("link", "parent", "joint", "joint axis", "origin (m)", "x axis", "y axis", "z axis")
    table = new_table(console, "Link frames at q = 0, in the base frame", *titles)
    for each in inspection.links:
        axes = (_vector(axis) for axis in each.rotation.T)
        joint = each.link.joint.type.name + (
            f" with {each.link.joint.mimics}" if each.link.joint.mimics else ""
        )
        along = "-" if each.axis is None else _vector(each.axis)
        names = (escape(each.link.name), escape(each.link.parent or "base"), escape(joint))
        table.add_row(*names, along, _vector(each.origin), *axes)
    return table


def _inertial_data(console: Console, inspection: Inspection) -> Table:
    titles = (
        "mass (kg)",
        "com in link frame (m)",
        "com in base frame (m)",
        "principal inertias (kg m^2)",
        "gyration (m)",
    )
    title = "Centres of mass (com) at q = 0, inertia about them, largest radius of gyration"
    table = new_table(console, title, "link", *titles)
    for each in inspection.links:
        com, in_base = (
            "-" if place is None else _vector(place) for place in (each.com, each.com_in_base)
        )
        gyration = "-" if each.gyration is None else _number(each.gyration)
        moments = _vector(each.principal_inertias)
        table.add_row(escape(each.link.name), _number(each.mass), com, in_base, moments, gyration)
    return table


def _holding(link: LinkInspection) -> str:
    """The force that holds a joint against gravity at q = 0, and how much of its limit that is."""
    if link.gravity_force is None:
        return "-"
    share = "" if link.share_of_effort is None else f" ({link.share_of_effort:.0%})"
    return f"{_number(link.gravity_force)} {link.link.joint.type.force_unit}{share}"


def _joints(console: Console, inspection: Inspection) -> Table:
    titles = ("holds at q = 0", "motor inertia", "friction", "position", "velocity", "effort")
    table = new_table(
        console, "Joints: force against gravity, friction and limits", "link", *titles
    )
    for each in inspection.links:
        if each.link.joint.moves:
            motor = _number(float(each.link.motor_inertia)) if each.link.motor_inertia else "-"
            friction = _friction(each.link.friction)
            table.add_row(
                escape(each.link.name), _holding(each), motor, friction, *_limits(each.link.limits)
            )
    return table


def _friction(friction: Friction | None) -> str:
    if friction is None:
        return "-"
    values = {"viscous": friction.viscous, "coulomb": friction.coulomb, "offset": friction.offset}
    said = [f"{name} {_number(float(value))}" for name, value in values.items() if value]
    said += [name for name in ("stribeck", "bearings", "transmission") if getattr(friction, name)]
    return ", ".join(said) or "zero"


def _limits(limits: Limits | None) -> tuple[str, str, str]:
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


def _named_frames(console: Console, inspection: Inspection) -> Table:
    titles = ("fixed to", "origin (m)", "x axis", "y axis", "z axis")
    table = new_table(console, "Named frames at q = 0, in the base frame", "frame", *titles)
    for frame in inspection.frames:
        name = f"{frame.name} (as none is named)" if frame.is_default else frame.name
        table.add_row(
            escape(name), escape(frame.link), _vector(frame.origin), *map(_vector, frame.rotation.T)
        )
    return table


def _parameters(console: Console, robot: RobotDescription) -> Table:
    table = new_table(console, "Run-time parameters", "parameter", "default", "unit")
    for parameter in robot.parameters:
        table.add_row(
            escape(parameter.name), _number(float(parameter.value)), escape(parameter.unit)
        )
    return table


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.5g}"


def _vector(values: Array) -> str:
    return " ".join(_number(float(value)) for value in values)
