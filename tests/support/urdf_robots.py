"""URDF texts for tests, and what Pinocchio's own reader makes of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.crosscheck.pinocchio import Pinocchio
from dynagen.robot.description import RobotDescription
from tests.support.libraries import pinocchio as pin

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
    """Joint forces of shape (n,) and the mass matrix, (n, n), at one state in the description's
    coordinates.

    Pinocchio reads the text itself.
    """
    model = pin.buildModelFromXML(text)
    moving = tuple(link for link in description.links if link.joint.moves)
    tool = Pinocchio(pin, model, model.createData(), moving, "the text")
    return tool.compute("inverse_dynamics", q, v, a), tool.compute("mass_matrix", q)
