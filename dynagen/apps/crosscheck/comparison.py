"""Cross-check: comparison of a robot's functions with another tool on random states.

If functions differ, joint axes, masses, centres of mass and inertias are compared too. Their
differences show which joints and links cause the difference of the functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dynagen.apps.crosscheck.reference import ReferenceModel
from dynagen.apps.crosscheck.tool import FUNCTIONS, JointLine, OtherTool, RigidBody
from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription
from dynagen.verification.sampling import sample_states

WITHIN = 1e-9
"""Allowed difference of a function's results, relative to the largest result.

This bound is far above rounding errors and far below the effect of a typical mistake in a model.
"""

_STATES = 50
# Largest difference of equal parts: masses and inertias relative to the larger one, lengths
# relative to the robot's size.
_SAME = 1e-8
# Smallest scale of forces, relative to the largest force of a motion.
_LEAST_FORCES = 1e-3
_DOUBLE = 1e-15  # rounding of one operation; the condition of M multiplies it


@dataclass(frozen=True)
class FunctionRow:
    """Comparison of one function between the numeric reference (numpy) and another tool.

    Attributes:
        function: name of the function.
        states: number of compared states.
        difference: largest difference over all states and entries of the result, divided by the
            largest value of the reference.
        allowed: largest allowed value of `difference`.
    """

    function: str
    states: int
    difference: float
    allowed: float

    @property
    def agrees(self) -> bool:
        """Whether the largest difference of the function's results is at most `allowed`."""
        return self.difference <= self.allowed


@dataclass(frozen=True)
class Difference:
    """Quantity of a joint or link in which the numeric reference (numpy) and another tool differ.

    Attributes:
        part: the joint or link, as `joint NAME` or `link NAME`.
        quantity: name of the quantity, with its unit.
        ours, theirs: values in the reference and in the other tool, as text, in the base frame with
            all joints at zero.
    """

    part: str
    quantity: str
    ours: str
    theirs: str


@dataclass(frozen=True)
class CrossCheck:
    """Result of a cross-check of a robot with another tool.

    Attributes:
        robot: name of the robot.
        tool: name and version of the other tool.
        source: the kind of file that the other tool read, in words.
        rows: comparison of each function.
        differences: quantities of joints and links that differ, which may explain why functions
            differ; empty if all functions agree.
        notes: sentences on properties of the robot that are not compared.
    """

    robot: str
    tool: str
    source: str
    rows: tuple[FunctionRow, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether the other tool agrees with the numeric reference in all functions."""
        return all(row.agrees for row in self.rows)


def compare(
    description: RobotDescription, robot: RobotDescription, theirs: OtherTool
) -> CrossCheck:
    """Compare the functions of the numeric reference (numpy) with another tool on random states.

    Args:
        description: the robot as loaded.
        robot: the same robot with only the properties that the tool reads, for example without
            motor inertias. The numeric reference uses this description.
        theirs: the same robot in the other tool.
    """
    ours = ReferenceModel(robot)
    states = sample_states(robot, ("q", "qd", "qdd", "tau"), count=_STATES).inputs
    rows = tuple(_compare_functions(ours, theirs, states))
    differences = () if all(row.agrees for row in rows) else tuple(_compare_parts(ours, theirs))
    motors, known = (
        sum(bool(link.motor_inertia) for link in version.links) for version in (description, robot)
    )
    notes = (
        ("motor inertias are omitted in both models, since the file that the tool reads has none",)
        if motors > known
        else ()
    )
    return CrossCheck(robot.name, theirs.name, theirs.source, rows, differences, notes)


def _compare_functions(
    ours: ReferenceModel, theirs: OtherTool, states: Mapping[str, Array]
) -> Iterator[FunctionRow]:
    """Compare all functions, and the poses of common frames, of the reference and another tool."""
    q = states["q"]
    # Forces that vanish, as those of a vertical axis, are only the rounding of their terms.
    forces = _LEAST_FORCES * float(
        np.abs(
            ours.functions["inverse_dynamics"](
                *(states[argument] for argument in FUNCTIONS["inverse_dynamics"])
            )
        ).max()
    )
    condition = float(np.linalg.cond(ours.functions["mass_matrix"](q)).max())
    for name, function in ours.functions.items():
        if name == "forward_dynamics" and condition > 1 / _DOUBLE:
            continue  # M is singular, so accelerations are not defined
        inputs = [states[argument] for argument in FUNCTIONS[name]]
        found = np.stack([theirs.compute(name, *state) for state in zip(*inputs, strict=True)])
        allowed = max(WITHIN, condition * _DOUBLE) if name == "forward_dynamics" else WITHIN
        least = forces if name.endswith("_forces") else 0.0
        difference = _relative_difference(function(*inputs), found, least)
        yield FunctionRow(name, len(q), difference, allowed)
    if common := [name for name in ours.frames if name in theirs.frames]:
        placed = [
            [
                np.stack(parts)
                for parts in zip(*(theirs.compute_pose(name, state) for state in q), strict=True)
            ]
            for name in common
        ]
        own = [ours.compute_pose(name, q) for name in common]
        for place, kind in enumerate(("rotations", "positions")):
            mine, other = (
                np.stack([np.broadcast_to(pose[place], placed[0][place].shape) for pose in poses])
                for poses in (own, placed)
            )
            yield FunctionRow(
                f"forward_kinematics: {kind} of {len(common)} frames",
                len(q),
                _relative_difference(mine, other),
                WITHIN,
            )


def _relative_difference(ours: Array, theirs: Array, least: float = 0.0) -> float:
    """Return the largest difference of two arrays, divided by the largest magnitude in `ours`.

    The divisor is at least `least`. If the divisor would be zero, it is 1.
    """
    scale = max(float(np.abs(ours).max()), least)
    difference = float(np.abs(ours - theirs).max())
    return difference / scale if scale else difference


def _compare_parts(ours: ReferenceModel, theirs: OtherTool) -> Iterator[Difference]:
    """Yield the joint axes, and the inertias of bodies, in which reference and tool differ."""
    size = max([float(np.linalg.norm(line.point)) for line in ours.joints.values()] + [1e-3])
    for name, line in ours.joints.items():
        if name not in theirs.joints:
            yield Difference(f"joint {name}", "axis", _text(line.direction), "no such joint")
        else:
            yield from _compare_lines(f"joint {name}", line, theirs.joints[name], size)
    for joint, names in ours.carried_links.items():
        if joint not in theirs.bodies:
            continue
        # Tools may merge fixed links. Compare the merged bodies first, and name single links only
        # if both sides know them.
        whole = list(
            _compare_bodies(f"link {names[0]}", ours.bodies[joint], theirs.bodies[joint], size)
        )
        if whole:
            known = [name for name in names if name in theirs.links]
            single = [
                _compare_bodies(f"link {name}", ours.links[name], theirs.links[name], size)
                for name in known
            ]
            yield from [difference for found in single for difference in found] or whole
    for joint in set(theirs.joints) - set(ours.joints):
        yield Difference(
            f"joint {joint}", "axis", "no such joint", _text(theirs.joints[joint].direction)
        )


def _compare_lines(
    part: str, ours: JointLine, theirs: JointLine, size: float
) -> Iterator[Difference]:
    """Yield the differences between two joint axes: type, direction and position.

    `part` names the joint in the result. `size` is the extent of the robot in m, by which
    differences of positions are judged.
    """
    if ours.is_angular != theirs.is_angular:
        kinds = {True: "rotates", False: "slides"}
        yield Difference(part, "type", kinds[ours.is_angular], kinds[theirs.is_angular])
    if np.abs(ours.direction - theirs.direction).max() > _SAME:
        yield Difference(part, "axis", _text(ours.direction), _text(theirs.direction))
    elif ours.is_angular:
        # Any point of the axis will do: only the distance across the axis counts.
        between = theirs.point - ours.point
        across = between - between @ ours.direction * ours.direction
        if np.abs(across).max() > _SAME * size:
            yield Difference(
                part, "point on the axis (m)", _text(ours.point), _text(ours.point + across)
            )


def _compare_bodies(
    part: str, ours: RigidBody, theirs: RigidBody, size: float
) -> Iterator[Difference]:
    """Yield the differences between two bodies: mass, centre of mass, and inertia about it.

    `part` names the body in the result. `size` is the extent of the robot in m, by which
    differences of positions are judged.
    """
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
