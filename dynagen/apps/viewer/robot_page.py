"""A robot as one page: links, axes, masses and frames in 3D, and gravity torques that follow its sliders.

Poses and torques on the page are computed by the JavaScript that dynagen emits for this very robot; what is fixed to a link is
data. The page needs no network: the drawing library (plotly) is inside.
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

from dynagen.apps.viewer.inspection import Inspection
from dynagen.errors import Fault
from dynagen.pipeline.driver import generate
from dynagen.pipeline.settings import Settings
from dynagen.report.drawing import COLOURS, plotly_script
from dynagen.report.page import render_page
from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    NamedFrame,
    RobotDescription,
    central_inertia,
)
from dynagen.stages import Progress
from dynagen.verification.kinematics import Array, symmetric, transform, vector
from dynagen.version import __version__

_LANGUAGE = "javascript"
_FRAME = "link_{}"
_DENSE = 5.0  # semi-axes of the solid ellipsoid of a given inertia: m (b^2 + c^2) / 5 about its first axis


def robot_page(inspection: Inspection, warnings: Sequence[Fault], progress: Progress) -> str:
    """The page. Whatever comes from the description is escaped.

    Args:
        inspection: the robot at q = 0.
        warnings: about it, those of the inspection among them.
        progress: told what is being made.

    Raises:
        ToolchainError: plotly is missing.
    """
    plotly = plotly_script()
    robot = inspection.description
    program, proved = _program(robot, progress)
    beside, others = _by_link(robot, warnings)
    return render_page(
        "robot.html.j2",
        robot=robot.name,
        source=robot.source,
        links=[_row(inspection, index, beside.get(index, [])) for index in range(len(robot.links))],
        total_mass=inspection.total_mass,
        warnings=others,
        proved=proved,
        version=__version__,
        moving=[index for index, link in enumerate(robot.links) if link.joint.moves],
        data=_embedded(_data(inspection, beside)),
        colours=COLOURS,
        program=_script(program),
        plotly=_script(plotly),
    )


def _program(robot: RobotDescription, progress: Progress) -> tuple[str, bool]:
    """The JavaScript of the poses of all links and of gravity forces, and whether it is proved: that takes node."""
    frames = tuple(
        NamedFrame(_FRAME.format(index), link.name, ())
        for index, link in enumerate(robot.links)
        if link.joint.moves
    )
    bare = replace(robot, frames=frames, external_wrenches=(), parameters=(), payload=())
    names = (*(f"forward_kinematics@{frame.name}" for frame in frames), "gravity_forces")
    proved = which("node") is not None
    generation = generate(
        bare, Settings(_LANGUAGE, names, prefix="robot", verify=proved, states=100), progress
    )
    return next(file.text for file in generation.files if file.path == "robot.js"), proved


def _by_link(
    robot: RobotDescription, warnings: Sequence[Fault]
) -> tuple[dict[int, list[str]], list[str]]:
    """Warnings by the link that they mean, and those that mean none."""
    places = {link.name: index for index, link in enumerate(robot.links)}
    places |= {link.joint.name: index for index, link in enumerate(robot.links) if link.joint.name}
    beside: dict[int, list[str]] = {}
    others = []
    for warning in warnings:
        named = re.search(r"\((.*)\)", warning.where) or re.fullmatch(
            r"(?:link|joint) (.*)", warning.where
        )
        if named and named[1] in places:
            beside.setdefault(places[named[1]], []).append(warning.message)
        else:
            others.append(
                f"{warning.where}: {warning.message}" if warning.where else warning.message
            )
    return beside, others


def _row(inspection: Inspection, index: int, warnings: list[str]) -> dict[str, Any]:
    """What the page's list says of a link."""
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


def _data(inspection: Inspection, beside: dict[int, list[str]]) -> dict[str, Any]:
    """What is drawn, in the axes of the moving link that carries it (-1: the base); lengths in m."""
    robot = inspection.description
    carried = _carried(robot)
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
                "warned": index in beside,
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
                **_pose(carried[places[frame.link]].pose @ transform(frame.placement)),
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
                link.joint.type.velocity_names, link.joint.type.force_units, strict=True
            )
        ],
    }


@dataclass(frozen=True)
class _Carried:
    """Where a link is fixed: the last link before it that moves (-1: none, the base), and its pose in that one's frame."""

    carrier: int
    pose: Array


def _carried(robot: RobotDescription) -> list[_Carried]:
    """Where each link is fixed, in the order of the links."""
    found: dict[str, _Carried] = {}
    for index, link in enumerate(robot.links):
        parent = _Carried(-1, np.eye(4)) if link.parent is None else found[link.parent]
        step = transform(link.before) @ transform(link.after)
        found[link.name] = (
            _Carried(index, np.eye(4))
            if link.joint.moves
            else _Carried(parent.carrier, parent.pose @ step)
        )
    return list(found.values())


def _size(inspection: Inspection) -> float:
    """A length to draw axes and frames by: how far the robot reaches at q = 0."""
    points = [link.origin for link in inspection.links] + [
        frame.origin for frame in inspection.frames
    ]
    points += [link.com_in_base for link in inspection.links if link.com_in_base is not None]
    return max(float(np.ptp(np.array([np.zeros(3), *points]), axis=0).max()), 0.1)


def _joint(
    link: LinkDescription, carried: list[_Carried], places: dict[str, int]
) -> dict[str, Any]:
    """Where the joint is: in the parent's axes where it stands, in the link's where it has moved to, and its axis there."""
    parent = _Carried(-1, np.eye(4)) if link.parent is None else carried[places[link.parent]]
    behind = carried[places[link.name]].pose @ np.linalg.inv(transform(link.after))
    axis = behind[:3, :3] @ vector(link.joint.axis)
    return {
        "type": link.joint.type.name,
        "start": _list((parent.pose @ transform(link.before))[:3, 3]),
        "moved": _list(behind[:3, 3]),
        "axis": _list(axis / np.linalg.norm(axis))
        if link.joint.moves and not link.joint.type.is_free
        else None,
    }


def _mass(link: LinkDescription, pose: Array, longest: float) -> dict[str, Any]:
    """The centre of mass, and the semi-axes of the solid ellipsoid of the same inertia as columns, none beyond the longest."""
    central: CentralInertia = central_inertia(link.inertial)
    mass = float(central.mass)
    if mass <= 0:
        return {"com": None, "ellipsoid": None}
    moments, axes = np.linalg.eigh(symmetric(central.inertia))
    squares = _DENSE * (moments.sum() / 2 - moments) / mass  # flat where no body has such moments
    semiaxes = pose[:3, :3] @ axes * np.clip(np.sqrt(np.maximum(squares, 0)), 0, longest)
    return {
        "com": _list(pose[:3, :3] @ vector(central.com) + pose[:3, 3]),
        "ellipsoid": [_list(row) for row in semiaxes],
    }


def _sliders(link: LinkDescription, size: float) -> list[dict[str, Any]]:
    """The sliders of a joint: none for one that is fixed or follows another, six for a floating base."""
    joint = link.joint
    if not joint.nv:
        return []
    if joint.type.is_free:
        names = [("x", -size, size), ("y", -size, size), ("z", -size, size)]
        names += [(name, -np.pi, np.pi) for name in ("roll", "pitch", "yaw")]
        return [
            {"label": f"{link.joint_name} {name}", "q": joint.idx_q, "free": place, "low": low, "high": high,
             "unit": "m" if place < 3 else "rad"}
            for place, (name, low, high) in enumerate(names)
        ]  # fmt: skip
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


def _embedded(data: dict[str, Any]) -> str:
    """Data as a script can hold it: no text in it can end the script."""
    return (
        json.dumps(data, allow_nan=False)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def _script(source: str) -> str:
    """A script as a page can hold it: what would end it stands in comments and strings, where a backslash changes nothing."""
    return source.replace("</", "<\\/").replace("<!--", "<\\!--")
