"""One robot here and in another tool: functions on random states, and where these differ, the joints and links that do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dynagen.apps.crosscheck.reference import ReferenceModel
from dynagen.apps.crosscheck.tool import FUNCTIONS, JointLine, OtherTool, RigidBody
from dynagen.robot.description import RobotDescription
from dynagen.verification.kinematics import Array
from dynagen.verification.sampling import sample_states

WITHIN = 1e-9
"""How far two tools may differ, by the largest value: far above rounding, far below any mistake in a model."""

_STATES = 50
_SAME = 1e-8  # of masses, by the larger; of lengths by the robot's size; of inertias by the larger
_DOUBLE = 1e-15


@dataclass(frozen=True)
class FunctionRow:
    """A function, compared.

    Attributes:
        difference: the largest of all states, by the largest value.
        allowed: that counts as the same.
    """

    function: str
    states: int
    difference: float
    allowed: float

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.difference <= self.allowed


@dataclass(frozen=True)
class Difference:
    """A difference between two robots, in the base frame with all joints at zero: numbers as text."""

    part: str
    quantity: str
    ours: str
    theirs: str


@dataclass(frozen=True)
class Comparison:
    """A description, compared with the same robot in another tool.

    Attributes:
        tool, source: the other tool, and what it has read.
        differences: that may explain why functions differ; none where they do not.
        notes: what is not compared.
    """

    robot: str
    tool: str
    source: str
    rows: tuple[FunctionRow, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether all functions do."""
        return all(row.agrees for row in self.rows)


def compare(
    description: RobotDescription, robot: RobotDescription, theirs: OtherTool
) -> Comparison:
    """Compare the numeric reference with another tool.

    Args:
        description: a robot.
        robot: its description as the tool reads it.
        theirs: the robot in the tool.
    """
    ours = ReferenceModel(robot)
    states = sample_states(robot, ("q", "qd", "qdd", "tau"), count=_STATES).inputs
    rows = tuple(_rows(ours, theirs, states))
    differences = () if all(row.agrees for row in rows) else tuple(_differences(ours, theirs))
    motors, known = (
        sum(bool(link.motor_inertia) for link in each.links) for each in (description, robot)
    )
    notes = (
        ("inertia of motors is left out on both sides: it is not in what was read",)
        if motors > known
        else ()
    )
    return Comparison(robot.name, theirs.name, theirs.source, rows, differences, notes)


def _rows(
    ours: ReferenceModel, theirs: OtherTool, states: Mapping[str, Array]
) -> Iterator[FunctionRow]:
    q = states["q"]
    condition = float(np.linalg.cond(ours.functions["mass_matrix"](q)).max())
    for name, function in ours.functions.items():
        if name == "forward_dynamics" and condition > 1 / _DOUBLE:
            continue  # M is singular: there are no accelerations
        inputs = [states[each] for each in FUNCTIONS[name]]
        found = np.stack([theirs.compute(name, *state) for state in zip(*inputs, strict=True)])
        allowed = max(WITHIN, condition * _DOUBLE) if name == "forward_dynamics" else WITHIN
        yield FunctionRow(name, len(q), _apart(function(*inputs), found), allowed)
    if common := [name for name in ours.frames if name in theirs.frames]:
        placed = [
            [
                np.stack(parts)
                for parts in zip(*(theirs.pose(name, each) for each in q), strict=True)
            ]
            for name in common
        ]
        own = [ours.pose(name, q) for name in common]
        for place, kind in enumerate(("rotations", "positions")):
            mine, other = (
                np.stack([np.broadcast_to(pose[place], placed[0][place].shape) for pose in of])
                for of in (own, placed)
            )
            yield FunctionRow(
                f"forward_kinematics: {kind} of {len(common)} frames",
                len(q),
                _apart(mine, other),
                WITHIN,
            )


def _apart(ours: Array, theirs: Array) -> float:
    scale = float(np.abs(ours).max())
    difference = float(np.abs(ours - theirs).max())
    return difference / scale if scale else difference


def _differences(ours: ReferenceModel, theirs: OtherTool) -> Iterator[Difference]:
    size = max([float(np.linalg.norm(line.point)) for line in ours.joints.values()] + [1e-3])
    for name, line in ours.joints.items():
        if name not in theirs.joints:
            yield Difference(f"joint {name}", "axis", _text(line.direction), "no such joint")
        else:
            yield from _line_differences(f"joint {name}", line, theirs.joints[name], size)
    for joint, names in ours.moved_with.items():
        if joint not in theirs.bodies:
            continue
        whole = list(
            _body_differences(f"link {names[0]}", ours.bodies[joint], theirs.bodies[joint], size)
        )
        if whole:
            known = [name for name in names if name in theirs.links]
            single = [
                _body_differences(f"link {name}", ours.links[name], theirs.links[name], size)
                for name in known
            ]
            yield from [difference for found in single for difference in found] or whole
    for joint in set(theirs.joints) - set(ours.joints):
        yield Difference(
            f"joint {joint}", "axis", "no such joint", _text(theirs.joints[joint].direction)
        )


def _line_differences(
    part: str, ours: JointLine, theirs: JointLine, size: float
) -> Iterator[Difference]:
    if ours.is_angular != theirs.is_angular:
        kinds = {True: "rotates", False: "slides"}
        yield Difference(part, "type", kinds[ours.is_angular], kinds[theirs.is_angular])
    if np.abs(ours.direction - theirs.direction).max() > _SAME:
        yield Difference(part, "axis", _text(ours.direction), _text(theirs.direction))
    elif ours.is_angular:
        between = theirs.point - ours.point
        across = between - between @ ours.direction * ours.direction
        if np.abs(across).max() > _SAME * size:
            yield Difference(
                part, "point on the axis (m)", _text(ours.point), _text(ours.point + across)
            )


def _body_differences(
    part: str, ours: RigidBody, theirs: RigidBody, size: float
) -> Iterator[Difference]:
    scale = max(abs(ours.mass), abs(theirs.mass))
    if abs(ours.mass - theirs.mass) > _SAME * scale:
        yield Difference(part, "mass (kg)", f"{ours.mass:.6g}", f"{theirs.mass:.6g}")
    elif np.abs(ours.first_moment - theirs.first_moment).max() > _SAME * scale * size:
        yield Difference(part, "centre of mass (m)", _text(ours.com), _text(theirs.com))
    mine, other = ours.inertia_about_com, theirs.inertia_about_com
    largest = max(float(np.abs(mine).max()), float(np.abs(other).max()), scale * (size * 1e-3) ** 2)
    if np.abs(mine - other).max() > _SAME * largest:
        for row, column, name in (
            (0, 0, "xx"),
            (1, 1, "yy"),
            (2, 2, "zz"),
            (0, 1, "xy"),
            (0, 2, "xz"),
            (1, 2, "yz"),
        ):
            if abs(mine[row, column] - other[row, column]) > _SAME * largest:
                yield Difference(
                    part,
                    f"inertia {name} (kg m^2)",
                    f"{mine[row, column]:.6g}",
                    f"{other[row, column]:.6g}",
                )


def _text(vector: Array) -> str:
    return " ".join(f"{0.0 if abs(value) < 1e-12 else value:.6g}" for value in vector)
