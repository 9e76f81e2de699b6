"""RobotDescription -> what an engineer wants to see before trusting a model: frames, masses, inertias, gravity at home.

All of it comes from the numeric reference, in the user's own link frames, not from the generator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.markup import escape

from dynagen.description.description import CentralInertia, LinkDescription, RobotDescription
from dynagen.report.console import new_table
from dynagen.verification.kinematics import Array, joint_frames, symmetric, vector
from dynagen.verification.reference import references


@dataclass(frozen=True)
class LinkInspection:
    """One link at q = 0.

    Attributes:
        origin: of the link frame, in the base frame, shape (3,), m.
        rotation: of the link frame in the base frame, shape (3, 3).
        com: centre of mass in the link frame, shape (3,), m; None without mass.
        principal_inertias: about the centre of mass (about the frame's origin without mass), ascending, shape (3,), kg m^2.
        gravity_force: that holds the joint against gravity, N m or N; None for a joint that is fixed or follows another.
    """

    name: str
    joint: str
    origin: Array
    rotation: Array
    mass: float
    com: Array | None
    principal_inertias: Array
    gravity_force: float | None
    force_unit: str


@dataclass(frozen=True)
class Inspection:
    """A robot at q = 0."""

    name: str
    notation: str
    gravity: Array
    links: tuple[LinkInspection, ...]

    @property
    def total_mass(self) -> float:
        """Of all links, in kg."""
        return sum(link.mass for link in self.links)


def inspect(description: RobotDescription) -> Inspection:
    """Evaluate a robot at q = 0."""
    newton_euler, _ = references(description)
    home = np.zeros(newton_euler.degrees_of_freedom)
    forces = iter(newton_euler.inverse_dynamics(home, home, home))
    _, poses = joint_frames(newton_euler.links, newton_euler.coordinates.positions(home))
    links = tuple(
        _inspect_link(link, pose, float(next(forces)) if link.joint.nv else None)
        for link, pose in zip(description.links, poses, strict=True)
    )
    return Inspection(description.name, description.notation, vector(description.gravity), links)


def _inspect_link(link: LinkDescription, pose: Array, gravity_force: float | None) -> LinkInspection:
    mass, inertia = float(link.inertial.mass), symmetric(link.inertial.inertia)
    com = None
    if isinstance(link.inertial, CentralInertia):
        com = vector(link.inertial.com) if mass else None
    elif mass:
        com = vector(link.inertial.first_moment) / mass
        inertia = inertia - mass * (com @ com * np.eye(3) - np.outer(com, com))
    return LinkInspection(
        name=link.name,
        joint=link.joint.type.name,
        origin=pose[:3, 3],
        rotation=pose[:3, :3],
        mass=mass,
        com=com,
        principal_inertias=np.linalg.eigvalsh(inertia).astype(np.float64),
        gravity_force=gravity_force,
        force_unit=link.joint.type.force_unit,
    )


def print_inspection(console: Console, inspection: Inspection, warnings: tuple[str, ...], notes: tuple[str, ...]) -> None:
    """Print an inspection as tables, then warnings and notes."""
    console.print(
        f"[bold]{escape(inspection.name)}[/]: {inspection.notation}, "
        f"gravity {_vector(inspection.gravity)} m/s^2, total mass {_number(inspection.total_mass)} kg"
    )
    frames = new_table(
        console, "Link frames at q = 0, in the base frame", "link", "joint", "origin (m)", "x axis", "y axis", "z axis"
    )
    for link in inspection.links:
        axes = (_vector(axis) for axis in link.rotation.T)
        frames.add_row(escape(link.name), link.joint, _vector(link.origin), *axes)
    console.print(frames)
    masses = new_table(
        console,
        "Inertial data, in link frames",
        *("link", "mass (kg)", "centre of mass (m)", "principal inertias (kg m^2)", "gravity force at q = 0"),
    )
    for link in inspection.links:
        com = "-" if link.com is None else _vector(link.com)
        force = "-" if link.gravity_force is None else f"{_number(link.gravity_force)} {link.force_unit}"
        masses.add_row(escape(link.name), _number(link.mass), com, _vector(link.principal_inertias), force)
    console.print(masses)
    for warning in warnings:
        console.print(f"[yellow]warning:[/] {escape(warning)}")
    for note in notes:
        console.print(f"note: {escape(note)}")
    if not warnings:
        console.print("No warnings.")


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.5g}"


def _vector(values: Array) -> str:
    return " ".join(_number(float(value)) for value in values)
