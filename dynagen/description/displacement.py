"""Displacements between frames as elementary steps, each about or along the axes that the steps before it have led to.

Every input syntax writes its constant transforms so: Rx(alpha) Tx(a) Rz(theta) Tz(d) is a modified Denavit-Hartenberg row,
T(xyz) Rz(yaw) Ry(pitch) Rx(roll) the origin of a URDF. Angles and lengths stay the exact numbers that the user wrote.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import ZERO, Exact

Vector = tuple[Exact, Exact, Exact]

X, Y, Z = range(3)


@dataclass(frozen=True)
class Rotation:
    """A rotation by an angle (rad) about one of the axes X, Y, Z; its name is the one that descriptions have for the angle."""

    axis: int
    angle: Exact
    name: str = field(default="", compare=False)


@dataclass(frozen=True)
class Translation:
    """A translation (m); descriptions have these names for its components."""

    vector: Vector
    names: tuple[str, str, str] = field(default=("x", "y", "z"), compare=False)


Displacement = tuple[Rotation | Translation, ...]
"""Frame B in frame A: the steps that lead from A to B, in this order."""


def along(axis: int, length: Exact, name: str = "") -> Translation:
    """A translation along one of the axes X, Y, Z, which descriptions call so."""
    x, y, z = (length if axis == each else ZERO for each in (X, Y, Z))
    return Translation((x, y, z), (name, name, name) if name else ("x", "y", "z"))


def displacement(*steps: Rotation | Translation) -> Displacement:
    """The steps that do something: those by a zero are left out."""
    return tuple(step for step in steps if (step.angle if isinstance(step, Rotation) else any(step.vector)))


def part_about(axis: int, step: Rotation | Translation) -> Exact | None:
    """The angle or length of a step that is about or along one of the axes X, Y, Z and no other; None if it is not."""
    if isinstance(step, Rotation):
        return step.angle if step.axis == axis else None
    return None if any(component for place, component in enumerate(step.vector) if place != axis) else step.vector[axis]


def translation_and_rpy(xyz: Vector, rpy: Vector) -> Displacement:
    """T(xyz) Rz(yaw) Ry(pitch) Rx(roll), as URDF has it, with rpy = (roll, pitch, yaw) in rad."""
    roll, pitch, yaw = rpy
    rotations = Rotation(Z, yaw, "yaw"), Rotation(Y, pitch, "pitch"), Rotation(X, roll, "roll")
    return displacement(Translation(xyz), *rotations)


def rotation_onto(direction: Vector) -> Displacement:
    """Rz(azimuth) Ry(polar angle): rotates z onto a direction, whose length does not count; nothing for z itself."""
    x, y, z = direction
    azimuth = Angle.from_cosine_sine(x, y) if x or y else Angle(ZERO)
    polar = Angle.from_cosine_sine(z, azimuth.cos * x + azimuth.sin * y)
    return displacement(Rotation(Z, azimuth.radians), Rotation(Y, polar.radians))
