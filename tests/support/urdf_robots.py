"""URDF texts for tests, and what Pinocchio's own reader makes of them."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from dynagen.robot.description import RobotDescription

INERTIAL = """<inertial><origin xyz="0.1 -0.2 0.05" rpy="0.3 -0.5 1.1"/><mass value="1.7"/>
  <inertia ixx="0.4" iyy="0.3" izz="0.25" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial>"""


def link(name: str, content: str = INERTIAL) -> str:
    """A link, by default with a centre of mass and principal axes in general position."""
    return f'<link name="{name}">{content}</link>\n'


def joint(name: str, parent: str, child: str, content: str = "", kind: str = "revolute") -> str:
    """A joint, with <origin>, <axis> and the like as its content."""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    limit = (
        '<limit lower="-2" upper="2" velocity="3" effort="0"/>'
        if kind in ("revolute", "prismatic")
        else ""
    )
    return f'<joint name="{name}" type="{kind}">{ends}{limit}{content}</joint>\n'


def robot(*parts: str, name: str = "arm") -> str:
    """A whole document."""
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{"".join(parts)}</robot>\n'


def pinocchio_forces(
    text: str,
    description: RobotDescription,
    q: NDArray[np.float64],
    v: NDArray[np.float64],
    a: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Joint forces of shape (n,) and the mass matrix, (n, n), at one state in the description's coordinates.

    Pinocchio reads the text itself, has a joint of its own for every mimic joint, and orders joints as it likes: rows of the
    map from the description's rates to its rates are found by the names of joints.
    """
    model = pin.buildModelFromXML(text)
    data = model.createData()
    joint_of = {
        each.find("child").get("link"): each.get("name")
        for each in ElementTree.fromstring(text).findall("joint")
    }
    configuration, rates = pin.neutral(model), np.zeros((model.nv, len(q)))
    for each in description.links:
        if not each.joint.moves:
            continue
        theirs = model.joints[model.getJointId(joint_of[each.name])]
        ratio = float(each.joint.ratio)
        position = ratio * q[each.joint.idx_q] + float(each.joint.offset)
        as_numbers = [position] if theirs.nq == 1 else [np.cos(position), np.sin(position)]
        configuration[theirs.idx_q : theirs.idx_q + theirs.nq] = as_numbers
        rates[theirs.idx_v, each.joint.idx_v] = ratio
    tau = rates.T @ pin.rnea(model, data, configuration, rates @ v, rates @ a)
    upper = np.triu(pin.crba(model, data, configuration))
    matrix = upper + np.triu(upper, 1).T
    return tau, rates.T @ matrix @ rates
