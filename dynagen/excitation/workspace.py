"""Workspace: regions that points of a robot stay inside or outside of, and how far they are from what they must not pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.description.description import TOOL, RobotDescription
from dynagen.errors import UsageError, did_you_mean
from dynagen.identification.samples import Array
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import NumericLink, joint_frames, numeric_links, transform


@dataclass(frozen=True)
class Box:
    """A box along the axes of the base frame, in m: `low` and `high` are (x, y, z) of its corners, which may be infinite."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]

    def depths(self, points: Array) -> tuple[Array, Array]:
        """How far points, (..., 3), are inside each face, (..., faces), and what that grows with, (..., faces, 3)."""
        normals = np.concatenate([np.eye(3), -np.eye(3)])
        faces = np.concatenate([np.array(self.low), -np.array(self.high)])
        there = np.isfinite(faces)
        depths = points @ normals[there].T - faces[there]
        return depths, np.broadcast_to(normals[there], (*depths.shape, 3))

    def distances(self, points: Array) -> tuple[Array, Array]:
        """How far points are outside, negative inside, shape (..., 1), and what that grows with, (..., 1, 3)."""
        depths, inward = self.depths(points)
        beyond = np.maximum(-depths, 0)
        distance = np.linalg.norm(beyond, axis=-1, keepdims=True)
        nearest = np.argmin(depths, axis=-1)[..., None]
        within = np.take_along_axis(depths, nearest, axis=-1)
        from_face = np.take_along_axis(inward, nearest[..., None], axis=-2)
        slope = np.sum(beyond[..., None] * inward, axis=-2, keepdims=True) / np.where(distance > 0, distance, 1)[..., None]
        outside = distance > 0
        return np.where(outside, distance, -within), -np.where(outside[..., None], slope, from_face)


@dataclass(frozen=True)
class Sphere:
    """A sphere in the base frame, in m."""

    centre: tuple[float, float, float]
    radius: float

    def depths(self, points: Array) -> tuple[Array, Array]:
        """How far points are inside, and what that grows with, as of a box."""
        distances, outward = self.distances(points)
        return -distances, -outward

    def distances(self, points: Array) -> tuple[Array, Array]:
        """How far points are outside, and what that grows with, as of a box."""
        away = points - np.array(self.centre)
        length = np.linalg.norm(away, axis=-1, keepdims=True)
        return length - self.radius, (away / np.where(length > 0, length, 1))[..., None, :]


@dataclass(frozen=True)
class Region:
    """A box or sphere that points stay inside, or else outside, of."""

    shape: Box | Sphere
    inside: bool

    def clearances(self, points: Array) -> tuple[Array, Array]:
        """How far points, (..., 3), are from leaving what is allowed, shape (..., faces), and what that grows with."""
        return self.shape.depths(points) if self.inside else self.shape.distances(points)

    def __str__(self) -> str:
        """The region as a message names it."""
        return f"{'inside' if self.inside else 'outside'} the {type(self.shape).__name__.lower()} {self.shape}"


@dataclass(frozen=True)
class Point:
    """A point of a robot: fixed to a link (its number), at a place in the link's frame in m."""

    name: str
    link: int
    place: tuple[float, float, float]


@dataclass(frozen=True)
class Workspace:
    """Points of a robot and the regions that hold for each of them, kept at a distance of `clearance` m."""

    links: tuple[NumericLink, ...]
    coordinates: Coordinates
    points: tuple[Point, ...]
    regions: tuple[Region, ...]
    clearance: float

    def clearances(self, q: Array) -> tuple[Array, Array]:
        """What is left of every distance at positions q, shape (times, n).

        Returns:
            The smallest of every region's for every point, shape (times, regions, points), in m, and its derivatives by q,
            shape (times, regions, points, n).
        """
        joints, poses = joint_frames(self.links, self.coordinates.positions(q))
        values = np.empty((len(q), len(self.regions), len(self.points)))
        slopes = np.empty((*values.shape, q.shape[1]))
        for number, point in enumerate(self.points):
            position = poses[point.link][..., :3, 3] + poses[point.link][..., :3, :3] @ np.array(point.place)
            moved = self._jacobian(joints, point.link, position)
            for which, region in enumerate(self.regions):
                found, growth = region.clearances(position)
                nearest = np.argmin(found, axis=-1)[:, None]
                values[:, which, number] = np.take_along_axis(found, nearest, axis=-1)[:, 0] - self.clearance
                slope = np.take_along_axis(growth, nearest[..., None], axis=-2)
                slopes[:, which, number] = (slope @ moved)[:, 0]
        return values, slopes

    def _jacobian(self, joints: list[Array], link: int | None, position: Array) -> Array:
        """How a point that a link carries moves with q: shape (times, 3, n)."""
        jacobian = np.zeros((len(position), 3, self.coordinates.count))
        while link is not None:
            each, frame = self.links[link], joints[link]
            if each.variable is not None:
                axis = frame[..., :3, :3] @ each.axis
                column = each.angular * np.cross(axis, position - frame[..., :3, 3]) + each.linear * axis
                jacobian[..., self.coordinates.index[each.variable]] += self.coordinates.ratio[each.variable] * column
            link = each.parent
        return jacobian


def workspace_of(
    robot: RobotDescription, regions: Sequence[Region], names: Sequence[str] = (), clearance: float = 0.0
) -> Workspace:
    """The workspace of a robot.

    Args:
        robot: its description.
        regions: that hold for all points.
        names: of links, whose origins are meant, and of named frames; empty: the origins of all links that move, and the tool.
        clearance: of every point, m.

    Raises:
        UsageError: there is no such link or frame.
    """
    numbers = {link.name: number for number, link in enumerate(robot.links)}
    known = {name: Point(name, number, (0.0, 0.0, 0.0)) for name, number in numbers.items()}
    for frame in robot.frames:
        x, y, z = transform(frame.placement)[:3, 3]
        known[frame.name] = Point(frame.name, numbers[frame.link], (float(x), float(y), float(z)))
    known.setdefault(TOOL, Point(TOOL, len(robot.links) - 1, (0.0, 0.0, 0.0)))
    for name in names:
        if name not in known:
            raise UsageError(
                f"points: {robot.name} has no link or frame `{name}`{did_you_mean(name, known)}; it has {', '.join(known)}"
            )
    links = numeric_links(robot)
    usual = [*(link.name for link in robot.links if link.joint.moves), TOOL]
    points = tuple(known[name] for name in (names or usual))
    return Workspace(links, Coordinates.of(robot), points, tuple(regions), clearance)
