"""Limits of a motion: joint limits, and regions for points of the robot.

Distances from regions are returned with their gradients, because the optimiser requires gradients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynagen.errors import UsageError, suggest_word
from dynagen.numbers.arrays import Array
from dynagen.robot.description import TOOL, RobotDescription
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import (
    NumericLink,
    compute_joint_frames,
    make_numeric_links,
    make_transform,
)

QUANTITIES = ("position", "velocity", "acceleration", "effort")
_EXAMPLES = {"position": "position=-pi/2:pi/2", "velocity": "velocity=2", "effort": "effort=100"}


@dataclass(frozen=True)
class MotionLimits:
    """Limits of n joints, in SI units: rad or m, their time derivatives, and N m or N.

    Attributes:
        low, high: smallest and largest position of each joint, shape (n,).
        velocity, acceleration, effort: largest magnitudes, shape (n,); accelerations may be
            infinite.
    """

    low: Array
    high: Array
    velocity: Array
    acceleration: Array
    effort: Array

    @property
    def middle(self) -> Array:
        """Middle between the lower and upper position limit of each joint, in rad or m."""
        return (self.low + self.high) / 2

    @property
    def reach(self) -> Array:
        """Half of the position range of each joint, in rad or m."""
        return (self.high - self.low) / 2

    def scale(self, part: float) -> MotionLimits:
        """Multiply all limits by `part`, 0 to 1; position ranges shrink about their middle."""
        reach = part * self.reach
        others = (part * limit for limit in (self.velocity, self.acceleration, self.effort))
        return MotionLimits(self.middle - reach, self.middle + reach, *others)

    def compute_usage(self, q: Array, qd: Array, qdd: Array, tau: Array) -> Mapping[str, Array]:
        """Compute every quantity of a motion as a fraction of its limit, with sign.

        Fractions are between -1 and 1 within the limits. For a position, the fraction is the
        distance from the middle of the range, divided by half the range.

        Args:
            q: positions of the n joints in rad or m, shape (times, n).
            qd: velocities in rad/s or m/s, shape (times, n).
            qdd: accelerations in rad/s^2 or m/s^2, shape (times, n).
            tau: joint forces, shape (times, n), N m or N.

        Returns:
            Fractions by quantity (position, velocity, acceleration, effort), shape (times, n) each.
        """
        return {
            "position": (q - self.middle) / self.reach,
            "velocity": qd / self.velocity,
            "acceleration": qdd / self.acceleration,
            "effort": tau / self.effort,
        }


def make_motion_limits(
    robot: RobotDescription, given: Mapping[str, ArrayLike] | None = None
) -> MotionLimits:
    """Return the limits of positions, velocities, accelerations and efforts of a robot's joints.

    Without an acceleration limit in `given`, the acceleration limit is infinite. Effort limits
    still restrict the accelerations of a motion.

    Args:
        robot: description, whose limits apply to the quantities that `given` lacks.
        given: limits by quantity (position, velocity, acceleration, effort) in SI units. A limit is
            a number, or one number per joint. A position limit is a pair (low, high), or one pair
            per joint.

    Raises:
        UsageError: a limit is missing or invalid.
    """
    given = given or {}
    for quantity in given:
        if quantity not in QUANTITIES:
            raise UsageError(
                f"limits: unknown quantity `{quantity}`{suggest_word(quantity, QUANTITIES)}; "
                f"expected {', '.join(QUANTITIES)}"
            )
    joints = [link for link in robot.links if link.joint.nv]
    described = [link.limits for link in joints]
    names = [link.joint_name for link in joints]
    count, missing = len(names), {}
    found: dict[str, Array] = {}
    for quantity in QUANTITIES:
        shape = (count, 2) if quantity == "position" else (count,)
        if quantity in given:
            found[quantity] = _spread(quantity, given[quantity], shape)
        elif quantity == "acceleration":
            found[quantity] = np.full(shape, np.inf)
        else:
            values = [getattr(limits, quantity) if limits else None for limits in described]
            lacking = [name for name, value in zip(names, values, strict=True) if value is None]
            if lacking:
                missing[quantity] = lacking
            else:
                found[quantity] = np.array(values, dtype=float)
    if missing:
        parts = "; ".join(
            f"of {quantity} for {', '.join(lacking)}" for quantity, lacking in missing.items()
        )
        options = " ".join(f"--limits {_EXAMPLES[quantity]}" for quantity in missing)
        raise UsageError(
            f"{robot.name}: a motion requires limits of all joints; missing are limits {parts}. "
            "Add "
            "`limits` to the description, or set a limit for all joints or for each joint: "
            f"{options}"
        )
    limits = MotionLimits(*found["position"].T, *(found[quantity] for quantity in QUANTITIES[1:]))
    _refuse_empty(limits, names)
    return limits


def _spread(quantity: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Return the limits of a quantity for all joints, from one limit or one for each joint."""
    try:
        return np.array(np.broadcast_to(np.asarray(value, dtype=float), shape))
    except ValueError:
        kind = "pairs low:high" if quantity == "position" else "numbers"
        raise UsageError(
            f"limits: expected one limit for all joints or {shape[0]} {kind} of {quantity}, "
            f"found {np.shape(value)[0]}"
        ) from None


def _refuse_empty(limits: MotionLimits, names: list[str]) -> None:
    """Check that position ranges are finite and not empty, and that all limits are above zero."""
    for joint, name in enumerate(names):
        low, high = limits.low[joint], limits.high[joint]
        if not (np.isfinite([low, high]).all() and low < high):
            raise UsageError(
                f"limits: expected positions of {name} between two finite ascending numbers, "
                f"found {low:g}:{high:g}"
            )
        for quantity in QUANTITIES[1:]:
            limit = getattr(limits, quantity)[joint]
            if not limit > 0 or (quantity != "acceleration" and not np.isfinite(limit)):
                raise UsageError(
                    f"limits: expected a number above zero for {quantity} of {name}, "
                    f"found {limit:g}"
                )


@dataclass(frozen=True)
class Box:
    """A box whose edges are parallel to the axes of the base frame.

    Attributes:
        low, high: corners with the smallest and the largest (x, y, z), in m; entries may be
            infinite.
    """

    low: tuple[float, float, float]
    high: tuple[float, float, float]

    def compute_depths(self, points: Array) -> tuple[Array, Array]:
        """Compute distances of points from the planes of the box's finite faces, and gradients.

        Args:
            points: positions in the base frame in m, shape (..., 3).

        Returns:
            Distances of each point from the planes of the finite faces in m, positive on the inner
            side, shape (..., faces), and their gradients with respect to the point, shape (...,
            faces, 3).
        """
        normals = np.concatenate([np.eye(3), -np.eye(3)])
        faces = np.concatenate([np.array(self.low), -np.array(self.high)])
        there = np.isfinite(faces)
        depths = points @ normals[there].T - faces[there]
        return depths, np.broadcast_to(normals[there], (*depths.shape, 3))

    def compute_distances(self, points: Array) -> tuple[Array, Array]:
        """Compute the distance of points from the box, and the gradients.

        Args:
            points: positions in the base frame in m, shape (..., 3).

        Returns:
            Distances in m, negative inside, shape (..., 1), and their gradients with respect to the
            point, shape (..., 1, 3).
        """
        depths, inward = self.compute_depths(points)
        # Outside, the norm of the amounts beyond the faces; inside, the least depth.
        beyond = np.maximum(-depths, 0)
        distance = np.linalg.norm(beyond, axis=-1, keepdims=True)
        nearest = np.argmin(depths, axis=-1)[..., None]
        within = np.take_along_axis(depths, nearest, axis=-1)
        from_face = np.take_along_axis(inward, nearest[..., None], axis=-2)
        slope = (
            np.sum(beyond[..., None] * inward, axis=-2, keepdims=True)
            / np.where(distance > 0, distance, 1)[..., None]
        )
        outside = distance > 0
        return np.where(outside, distance, -within), -np.where(outside[..., None], slope, from_face)


@dataclass(frozen=True)
class Sphere:
    """A sphere with its centre given in the base frame.

    Attributes:
        centre: (x, y, z) in m.
        radius: radius of the sphere in m.
    """

    centre: tuple[float, float, float]
    radius: float

    def compute_depths(self, points: Array) -> tuple[Array, Array]:
        """Compute the depth of points below the sphere's surface, and the gradients.

        Args:
            points: positions in the base frame in m, shape (..., 3).

        Returns:
            Depths in m, negative outside, shape (..., 1), and gradients, shape (..., 1, 3).
        """
        distances, outward = self.compute_distances(points)
        return -distances, -outward

    def compute_distances(self, points: Array) -> tuple[Array, Array]:
        """Compute the distance of points from the sphere's surface, and the gradients.

        Args:
            points: positions in the base frame in m, shape (..., 3).

        Returns:
            Distances in m, negative inside, shape (..., 1), and their gradients with respect to the
            point, shape (..., 1, 3).
        """
        away = points - np.array(self.centre)
        length = np.linalg.norm(away, axis=-1, keepdims=True)
        return length - self.radius, (away / np.where(length > 0, length, 1))[..., None, :]


@dataclass(frozen=True)
class Region:
    """Box or sphere that points of the robot must not leave, or must not enter.

    Attributes:
        shape: the box or sphere.
        inside: True if points must stay inside the shape, False if outside.
    """

    shape: Box | Sphere
    inside: bool

    def compute_clearances(self, points: Array) -> tuple[Array, Array]:
        """Compute distances of points from the region's border, and their gradients.

        Args:
            points: positions in the base frame in m, shape (..., 3).

        Returns:
            Distances in m, positive where points are permitted, shape (..., k), and their gradients
            with respect to the point, shape (..., k, 3). If points must stay inside a box, there is
            a distance for each of its k finite faces. For any other region, k is 1.
        """
        return (
            self.shape.compute_depths(points)
            if self.inside
            else self.shape.compute_distances(points)
        )

    def __str__(self) -> str:
        """Return the text that describes the region in messages."""
        side = "inside" if self.inside else "outside"
        return f"{side} the {type(self.shape).__name__.lower()} {self.shape}"


@dataclass(frozen=True)
class Point:
    """A point of the robot whose distance from regions is checked.

    Attributes:
        name: name of a link or a named frame.
        link: index of the link that carries the point, from 0, in the order of the description.
        place: position of the point in the link's frame, in m.
    """

    name: str
    link: int
    place: tuple[float, float, float]


@dataclass(frozen=True)
class Workspace:
    """Points of a robot, and regions that these points must not leave or must not enter.

    Attributes:
        links: links of the robot, with floating-point numbers.
        coordinates: conversion from the position vector q to the positions of all joints.
        points: points of the robot that are checked.
        regions: regions that apply to every point.
        clearance: minimum distance of the points from the borders of the regions, m.
    """

    links: tuple[NumericLink, ...]
    coordinates: Coordinates
    points: tuple[Point, ...]
    regions: tuple[Region, ...]
    clearance: float

    def compute_clearances(self, q: Array) -> tuple[Array, Array]:
        """Compute each point's distance from each region's border, minus the required clearance.

        Args:
            q: positions of the n joints in rad or m, shape (times, n).

        Returns:
            The distance of each point from the border of each region in m, minus the required
            clearance, shape (times, regions, points). For a box, the nearest face counts. The
            derivatives with respect to q follow, shape (times, regions, points, n). Distances are
            positive where points are permitted.
        """
        joints, poses = compute_joint_frames(self.links, self.coordinates.compute_positions(q))
        values = np.empty((len(q), len(self.regions), len(self.points)))
        slopes = np.empty((*values.shape, q.shape[1]))
        for number, point in enumerate(self.points):
            position = poses[point.link][..., :3, 3] + poses[point.link][..., :3, :3] @ np.array(
                point.place
            )
            jacobian = self._jacobian(joints, point.link, position)
            # A region has several faces: the nearest one counts.
            for which, region in enumerate(self.regions):
                found, growth = region.compute_clearances(position)
                nearest = np.argmin(found, axis=-1)[:, None]
                values[:, which, number] = (
                    np.take_along_axis(found, nearest, axis=-1)[:, 0] - self.clearance
                )
                slope = np.take_along_axis(growth, nearest[..., None], axis=-2)
                slopes[:, which, number] = (slope @ jacobian)[:, 0]
        return values, slopes

    def _jacobian(self, joints: list[Array], link: int | None, position: Array) -> Array:
        """Compute the derivatives of a point's position with respect to q, shape (times, 3, n).

        The point is fixed to the link with index `link`, at `position` in the base frame, shape
        (times, 3). For each link, `joints` contains the pose of the joint frame before the joint's
        motion, shape (times, 4, 4).
        """
        jacobian = np.zeros((len(position), 3, self.coordinates.count))
        while link is not None:
            joint, frame = self.links[link], joints[link]
            if joint.variable is not None:
                axis = frame[..., :3, :3] @ joint.axis  # in the base frame
                arm = position - frame[..., :3, 3]
                column = joint.angular * np.cross(axis, arm) + joint.linear * axis
                # Several joints may share a coordinate: a mimicking joint has a ratio to it.
                jacobian[..., self.coordinates.index[joint.variable]] += (
                    self.coordinates.ratio[joint.variable] * column
                )
            link = joint.parent
        return jacobian


def make_workspace(
    robot: RobotDescription,
    regions: Sequence[Region],
    names: Sequence[str] = (),
    clearance: float = 0.0,
) -> Workspace:
    """Return the points of a robot to check, and the regions that restrict these points.

    Args:
        robot: the description.
        regions: regions that apply to all points.
        names: names of links (their origins) and of named frames; empty: all moving links and the
            tool.
        clearance: minimum distance of every point from the borders of the regions, m.

    Raises:
        UsageError: a link or frame is unknown.
    """
    numbers = {link.name: number for number, link in enumerate(robot.links)}
    known = {name: Point(name, number, (0.0, 0.0, 0.0)) for name, number in numbers.items()}
    for frame in robot.frames:
        x, y, z = make_transform(frame.placement)[:3, 3]
        known[frame.name] = Point(frame.name, numbers[frame.link], (float(x), float(y), float(z)))
    known.setdefault(TOOL, Point(TOOL, len(robot.links) - 1, (0.0, 0.0, 0.0)))
    for name in names:
        if name not in known:
            raise UsageError(
                f"points: {robot.name} has no link or frame `{name}`{suggest_word(name, known)}; "
                f"expected {', '.join(known)}"
            )
    links = make_numeric_links(robot)
    usual = [*(link.name for link in robot.links if link.joint.moves), TOOL]
    points = tuple(known[name] for name in (names or usual))
    return Workspace(links, Coordinates.from_description(robot), points, tuple(regions), clearance)
