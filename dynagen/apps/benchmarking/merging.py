"""Reduction of a robot to a form that all tools support, without fixed links and motor inertias.

Merging fixed links changes neither motion nor joint forces. After merging, the regressor has ten
columns for each moving body, as in the other tools.
"""

from __future__ import annotations

from dataclasses import replace

from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO
from dynagen.robot.description import LinkDescription, OriginInertia, RobotDescription
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.pose import Displacement, compute_pose


def reduce_to_urdf(description: RobotDescription) -> RobotDescription:
    """Return the robot without motor inertias, which URDF lacks, and with fixed links merged."""
    robot = merge_fixed_links(description)
    links = tuple(replace(link, motor_inertia=ZERO) for link in robot.links)
    return replace(robot, links=links, notation="URDF" if description.notation == "URDF" else "")


def require_independent_joints(description: RobotDescription) -> None:
    """Check that a robot has no mimicking joints.

    Raises:
        UsageError: the robot has mimicking joints.
    """
    if followers := [link.joint_name for link in description.links if link.joint.mimics]:
        raise UsageError(
            f"mimicking joints move independently in this tool: {', '.join(followers)}; lock the "
            "joints that they follow with --lock"
        )


def require_no_loads(description: RobotDescription) -> None:
    """Check that a robot has no payload, wrenches or contact forces: other tools lack them.

    Raises:
        UsageError: the robot has a payload, wrenches or contact forces.
    """
    loads = {
        "a payload (--payload)": description.payload,
        "external wrenches (--wrench-at)": description.external_wrenches,
        "contact forces (--contact-force)": description.contact_forces,
    }
    if found := [name for name, load in loads.items() if load]:
        raise UsageError(
            f"other tools cannot compute {description.name} with {' and '.join(found)}: leave "
            "them out"
        )


def merge_fixed_links(description: RobotDescription) -> RobotDescription:
    """Add the inertia of each fixed link to the link that carries it, and remove the fixed link.

    Links that are fixed to the base have no effect and are removed. Named frames are removed too.
    """
    # Link -> moving link that carries it (None for the base), and the displacement between them.
    carriers: dict[str | None, tuple[str | None, Displacement]] = {None: (None, ())}
    links: dict[str, LinkDescription] = {}
    for link in description.links:
        carrier, steps = carriers[link.parent]
        if link.joint.moves:
            carriers[link.name] = link.name, ()
            links[link.name] = replace(link, parent=carrier, before=(*steps, *link.before))
            continue
        steps = (*steps, *link.before, *link.after)
        carriers[link.name] = carrier, steps
        if carrier is not None:
            links[carrier] = _add_inertia(
                links[carrier],
                InertialParameters.convert(link.inertial).transform(compute_pose(steps)),
            )
    return replace(description, links=tuple(links.values()), frames=())


def _add_inertia(link: LinkDescription, other: InertialParameters) -> LinkDescription:
    whole = InertialParameters.convert(link.inertial) + other
    return replace(link, inertial=OriginInertia(whole.mass, whole.first_moment, whole.inertia))
