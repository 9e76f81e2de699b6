"""Inspection -> tables on a console: frames, inertial data, joints, named frames, and what comes at run time."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.description.description import Friction, Limits, RobotDescription
from dynagen.report.console import new_table
from dynagen.report.inspection import Inspection, LinkInspection
from dynagen.report.snap_effects import SnapEffect
from dynagen.verification.kinematics import Array, vector


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
        console.print(f"An external wrench acts at the origin of frame {escape(frame)}, in its axes.")


def print_snap_effects(console: Console, effects: Sequence[SnapEffect], of_all: float) -> None:
    """Print the numbers that were read as round ones, and how far each changes torques."""
    table = new_table(
        console, "Numbers read as round ones, and how far torques change", "number", "written", "read as", "change"
    )
    for each in effects:
        change = f"{each.change:.1e}" if each.change else "0"
        table.add_row(escape(each.snap.where), escape(each.snap.written), each.snap.read, change)
    console.print(table)
    console.print(f"All of them together: {of_all:.1e} of a joint's largest torque. --snap 0 reads every number as written.")


def _frames(console: Console, inspection: Inspection) -> Table:
    titles = ("link", "parent", "joint", "joint axis", "origin (m)", "x axis", "y axis", "z axis")
    table = new_table(console, "Link frames at q = 0, in the base frame", *titles)
    for each in inspection.links:
        axes = (_vector(axis) for axis in each.rotation.T)
        joint = each.link.joint.type.name + (f" with {each.link.joint.mimics}" if each.link.joint.mimics else "")
        along = "-" if each.axis is None else _vector(each.axis)
        names = (escape(each.link.name), escape(each.link.parent or "base"), escape(joint))
        table.add_row(*names, along, _vector(each.origin), *axes)
    return table


def _inertial_data(console: Console, inspection: Inspection) -> Table:
    titles = ("mass (kg)", "com in link frame (m)", "com in base frame (m)", "principal inertias (kg m^2)", "gyration (m)")
    title = "Centres of mass (com) at q = 0, inertia about them, largest radius of gyration"
    table = new_table(console, title, "link", *titles)
    for each in inspection.links:
        com, in_base = ("-" if place is None else _vector(place) for place in (each.com, each.com_in_base))
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
    table = new_table(console, "Joints: force against gravity, friction and limits", "link", *titles)
    for each in inspection.links:
        if each.link.joint.moves:
            motor = _number(float(each.link.motor_inertia)) if each.link.motor_inertia else "-"
            friction = _friction(each.link.friction)
            table.add_row(escape(each.link.name), _holding(each), motor, friction, *_limits(each.link.limits))
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
    position = "-" if limits.position is None else " to ".join(_number(float(end)) for end in limits.position)
    velocity, effort = ("-" if value is None else _number(float(value)) for value in (limits.velocity, limits.effort))
    return position, velocity, effort


def _named_frames(console: Console, inspection: Inspection) -> Table:
    titles = ("fixed to", "origin (m)", "x axis", "y axis", "z axis")
    table = new_table(console, "Named frames at q = 0, in the base frame", "frame", *titles)
    for frame in inspection.frames:
        name = f"{frame.name} (as none is named)" if frame.is_default else frame.name
        table.add_row(escape(name), escape(frame.link), _vector(frame.origin), *map(_vector, frame.rotation.T))
    return table


def _parameters(console: Console, robot: RobotDescription) -> Table:
    table = new_table(console, "Run-time parameters", "parameter", "default", "unit")
    for parameter in robot.parameters:
        table.add_row(escape(parameter.name), _number(float(parameter.value)), escape(parameter.unit))
    return table


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.5g}"


def _vector(values: Array) -> str:
    return " ".join(_number(float(value)) for value in values)
