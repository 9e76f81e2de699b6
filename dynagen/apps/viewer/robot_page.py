"""HTML page of a robot in 3D, with a slider for each joint and with gravity forces.

Poses and gravity forces are computed in the page by JavaScript that dynagen generates for the
robot. Geometry that is fixed to a link is stored in the page as JSON data. The page contains
plotly, and works without a network.

The *carrier* of a link is the moving link to which the link is fixed, given by its index; -1 is the
base. Vectors in the data of a link are in the frame of the carrier.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shutil import which
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.viewer.geometry import Shape
from dynagen.apps.viewer.inspection import Inspection
from dynagen.errors import Fault
from dynagen.numbers.arrays import Array
from dynagen.pipeline.driver import generate
from dynagen.pipeline.settings import Settings
from dynagen.report.drawing import COLOURS, read_plotly_script
from dynagen.report.page import render_page
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    NamedFrame,
    RobotDescription,
    convert_to_central_inertia,
)
from dynagen.stages import Progress
from dynagen.verification.kinematics import make_symmetric, make_transform, round_vector
from dynagen.version import __version__

_LANGUAGE = "javascript"
_FRAME = "link_{}"
_SOLID = 5.0  # a solid ellipsoid with semi-axes a, b, c has the inertia m (b^2 + c^2) / 5 about a


def render_robot_page(
    inspection: Inspection,
    warnings: Sequence[Fault],
    progress: Progress,
    motion: str = "",
    shapes: Sequence[Shape] = (),
) -> str:
    """Render an HTML page that shows a robot in 3D with its data; input text is escaped.

    Args:
        inspection: frames, inertial data and joints of the robot at q = 0.
        warnings: warnings about the robot and from the inspection.
        progress: called when a stage of the code generation begins.
        motion: CSV text with the columns t, q1, ..., which the page plays; empty for no motion.
        shapes: visual geometry of the links.

    Returns:
        The HTML text.

    Raises:
        ToolchainError: plotly is not installed.
        UsageError: the robot has a spherical joint.
    """
    robot = inspection.description
    refuse_special_joints(robot.name, (link.joint for link in robot.links), "the page of a robot")
    plotly = read_plotly_script()
    program, proved = _generate_script(robot, progress)
    by_link, others = _assign_warnings(robot, warnings)
    return render_page(
        "robot.html.j2",
        robot=robot.name,
        source=robot.source,
        links=[
            _list_link(inspection, index, by_link.get(index, []))
            for index in range(len(robot.links))
        ],
        total_mass=inspection.total_mass,
        warnings=others,
        proved=proved,
        version=__version__,
        moving=[index for index, link in enumerate(robot.links) if link.joint.moves],
        has_shapes=bool(shapes),
        data=_embed(
            {
                **_collect_data(inspection, by_link),
                "motion": motion,
                "shapes": _place_shapes(robot, shapes),
            }
        ),
        colours=COLOURS,
        program=_escape_script(program),
        plotly=_escape_script(plotly),
    )


def _generate_script(robot: RobotDescription, progress: Progress) -> tuple[str, bool]:
    """Generate JavaScript for the poses of moving links and for gravity forces.

    The second result is whether the code is proved, which requires node.
    """
    frames = tuple(
        NamedFrame(_FRAME.format(index), link.name, ())
        for index, link in enumerate(robot.links)
        if link.joint.moves
    )
    bare = replace(robot, frames=frames, external_wrenches=(), contact_forces=(), parameters=())
    bare = replace(bare, payload=())
    names = (*(f"forward_kinematics@{frame.name}" for frame in frames), "gravity_forces")
    proved = which("node") is not None
    generation = generate(
        bare, Settings(_LANGUAGE, names, prefix="robot", verify=proved, states=100), progress
    )
    return next(file.text for file in generation.files if file.path == "robot.js"), proved


def _assign_warnings(
    robot: RobotDescription, warnings: Sequence[Fault]
) -> tuple[dict[int, list[str]], list[str]]:
    """Divide warnings into warnings about a link or joint, by the link's index, and all others."""
    places = {link.name: index for index, link in enumerate(robot.links)}
    places |= {link.joint.name: index for index, link in enumerate(robot.links) if link.joint.name}
    by_link: dict[int, list[str]] = {}
    others = []
    for warning in warnings:
        named = re.search(r"\((.*)\)", warning.where) or re.fullmatch(
            r"(?:link|joint) (.*)", warning.where
        )
        if named and named[1] in places:
            by_link.setdefault(places[named[1]], []).append(warning.message)
        else:
            others.append(
                f"{warning.where}: {warning.message}" if warning.where else warning.message
            )
    return by_link, others


def _list_link(inspection: Inspection, index: int, warnings: list[str]) -> dict[str, Any]:
    """Return the data of link number `index` for its row in the page's table."""
    found = inspection.links[index]
    link = found.link
    limits = link.limits.position if link.limits else None
    return {
        "name": link.name,
        "joint": link.joint_name if link.joint.moves else "",
        "type": link.joint.type.name,
        "parent": link.parent or "base",
        "mass": found.mass,
        "inertias": found.principal_inertias,
        "limits": None if limits is None else [float(end) for end in limits],
        "unit": link.joint.type.position_unit,
        "warnings": warnings,
    }


def _collect_data(inspection: Inspection, by_link: dict[int, list[str]]) -> dict[str, Any]:
    """Collect the data of the 3D drawing.

    Lengths are in m. Vectors of a link are in the frame of its carrier, the moving link to which
    the link is fixed.
    """
    robot = inspection.description
    carried = _find_carriers(robot)
    places = {link.name: index for index, link in enumerate(robot.links)}
    return {
        "nq": sum(link.joint.nq for link in robot.links),
        "nv": sum(link.joint.nv for link in robot.links),
        "size": _size(inspection),
        "moving": [index for index, link in enumerate(robot.links) if link.joint.moves],
        "links": [
            {
                "name": link.name,
                "parent": -1 if link.parent is None else places[link.parent],
                "mass": float(link.inertial.mass),
                "warned": index in by_link,
                "carrier": carried[index].carrier,
                **_joint(link, carried, places),
                **_mass(link, carried[index].pose, _size(inspection)),
                **_pose(carried[index].pose),
            }
            for index, link in enumerate(robot.links)
        ],
        "frames": [
            {
                "name": frame.name,
                "carrier": carried[places[frame.link]].carrier,
                "link": places[frame.link],
                **_pose(carried[places[frame.link]].pose @ make_transform(frame.placement)),
            }
            for frame in robot.frames
            if frame.name != frame.link or frame.placement
        ],
        "sliders": [slider for link in robot.links for slider in _sliders(link, _size(inspection))],
        "forces": [
            {"label": f"{link.joint_name} {name}".strip(), "unit": unit}
            for link in robot.links
            if link.joint.nv
            for name, unit in zip(
                link.joint.type.force_names, link.joint.type.force_units, strict=True
            )
        ],
    }


def _place_shapes(robot: RobotDescription, shapes: Sequence[Shape]) -> list[dict[str, Any]]:
    """Return the shapes of links, each in the frame of the moving link that carries it.

    Lengths are in m, rounded to 0.01 mm.
    """
    carried = _find_carriers(robot)
    places = {link.name: index for index, link in enumerate(robot.links)}
    placed = []
    for shape in shapes:
        carrier = carried[places[shape.link]]
        points = shape.points @ carrier.pose[:3, :3].T + carrier.pose[:3, 3]
        placed.append(
            {
                "carrier": carrier.carrier,
                "points": points.round(5).tolist(),
                "triangles": shape.triangles.tolist(),
            }
        )
    return placed


@dataclass(frozen=True)
class _Carried:
    """Carrier of a link, and the link's pose in the carrier's frame.

    The carrier is the moving link to which the link is fixed; a moving link is its own carrier.

    Attributes:
        carrier: index in the description's links; -1 for the base.
        pose: homogeneous transform, shape (4, 4).
    """

    carrier: int
    pose: Array


def _find_carriers(robot: RobotDescription) -> list[_Carried]:
    """Return the carrier of each link, and the link's pose in the frame of the carrier.

    The carrier is the moving link to which the link is fixed.
    """
    found: dict[str, _Carried] = {}
    for index, link in enumerate(robot.links):
        parent = _Carried(-1, np.eye(4)) if link.parent is None else found[link.parent]
        step = make_transform(link.before) @ make_transform(link.after)
        found[link.name] = (
            _Carried(index, np.eye(4))
            if link.joint.moves
            else _Carried(parent.carrier, parent.pose @ step)
        )
    return list(found.values())


def _size(inspection: Inspection) -> float:
    """Return the robot's largest extent (m) along a base axis at q = 0; at least 0.1 m."""
    points = [link.origin for link in inspection.links] + [
        frame.origin for frame in inspection.frames
    ]
    points += [link.com_in_base for link in inspection.links if link.com_in_base is not None]
    return max(float(np.ptp(np.array([np.zeros(3), *points]), axis=0).max()), 0.1)


def _joint(
    link: LinkDescription, carried: list[_Carried], places: dict[str, int]
) -> dict[str, Any]:
    """Return type, position and axis of a link's joint, for the drawing.

    The carrier of a link is the moving link to which the link is fixed. `start` is the joint's
    origin in the frame of the parent link's carrier. `moved` and `axis` are the joint's origin and
    axis in the frame of the link's carrier.
    """
    parent = _Carried(-1, np.eye(4)) if link.parent is None else carried[places[link.parent]]
    behind = carried[places[link.name]].pose @ np.linalg.inv(make_transform(link.after))
    axis = behind[:3, :3] @ round_vector(link.joint.axis)
    return {
        "type": link.joint.type.name,
        "start": _list((parent.pose @ make_transform(link.before))[:3, 3]),
        "moved": _list(behind[:3, 3]),
        "axis": _list(axis / np.linalg.norm(axis))
        if link.joint.moves and not link.joint.type.is_free
        else None,
    }


def _mass(link: LinkDescription, pose: Array, longest: float) -> dict[str, Any]:
    """Return centre of mass and inertia ellipsoid of a link, in its carrier's frame, in m.

    The carrier is the moving link to which the link is fixed; `pose` is the link's pose in the
    carrier's frame. The inertia ellipsoid is a solid ellipsoid with the mass and inertia of the
    link, stored as a matrix with the semi-axes as columns. Semi-axes are limited to `longest`. Both
    results are None if the mass is not positive.
    """
    central: CentralInertia = convert_to_central_inertia(link.inertial)
    mass = float(central.mass)
    if mass <= 0:
        return {"com": None, "ellipsoid": None}
    moments, axes = np.linalg.eigh(make_symmetric(central.inertia))
    # From I1 = m (b^2 + c^2) / 5 and so on: a^2 = 5 ((I1 + I2 + I3) / 2 - I1) / m. Moments that no
    # body can have give a negative square; the ellipsoid is flat there.
    squares = _SOLID * (moments.sum() / 2 - moments) / mass
    semiaxes = pose[:3, :3] @ axes * np.clip(np.sqrt(np.maximum(squares, 0)), 0, longest)
    return {
        "com": _list(pose[:3, :3] @ round_vector(central.com) + pose[:3, 3]),
        "ellipsoid": [_list(row) for row in semiaxes],
    }


def _sliders(link: LinkDescription, size: float) -> list[dict[str, Any]]:
    """Return a joint's sliders: six for a floating base, none for a fixed or mimicking joint.

    For a joint without position limits, a slider for a length ends at `size` (m).
    """
    joint = link.joint
    if not joint.nv:
        return []
    if joint.type.is_free:
        names = [("x", -size, size), ("y", -size, size), ("z", -size, size)]
        names += [(name, -np.pi, np.pi) for name in ("roll", "pitch", "yaw")]
        return [
            {
                "label": f"{link.joint_name} {name}",
                "q": joint.idx_q,
                "free": place,
                "low": low,
                "high": high,
                "unit": "m" if place < 3 else "rad",
            }
            for place, (name, low, high) in enumerate(names)
        ]
    ends = link.limits.position if link.limits else None
    reach = np.pi if joint.angular else size
    low, high = (
        (-reach, reach) if ends is None else (max(float(ends[0]), -1e3), min(float(ends[1]), 1e3))
    )
    return [
        {
            "label": link.joint_name,
            "q": joint.idx_q,
            "low": low,
            "high": high,
            "unit": joint.type.position_unit,
        }
    ]


def _pose(pose: Array) -> dict[str, Any]:
    return {"origin": _list(pose[:3, 3]), "rotation": [_list(row) for row in pose[:3, :3]]}


def _list(values: NDArray[Any]) -> list[float]:
    return [float(value) for value in values]


def _embed(data: dict[str, Any]) -> str:
    """Return data as JSON for a script element; `<` is escaped, to avoid an early `</script>`."""
    return (
        json.dumps(data, allow_nan=False)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def _escape_script(source: str) -> str:
    """Escape text in JavaScript code that would end the script element.

    Such text occurs only in comments and strings, where an additional backslash has no effect.
    """
    return source.replace("</", "<\\/").replace("<!--", "<\\!--")
