"""Plants: robots for simulation, compiled once for many motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dynagen.apps.simulation.motor_plants import choose_plant
from dynagen.apps.simulation.rigid_plant import Plant
from dynagen.errors import UsageError, refuse_if, suggest_word
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.pipeline.settings import Settings
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.options import ReadingKeywords, make_reading_options
from dynagen.runtime.api import AnyRobot, as_description
from dynagen.runtime.compilation import compile_ufuncs

if TYPE_CHECKING:
    from typing_extensions import Unpack


def plant_of(
    robot: AnyRobot,
    parameters: Mapping[str, float] | None = None,
    wrench: ArrayLike | None = None,
    friction: bool = True,
    force: ArrayLike | None = None,
    **options: Unpack[ReadingKeywords],
) -> Plant:
    """Compile and prove the functions for the simulation of a robot, for many motions.

    Args:
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        parameters: values of run-time parameters by name, including the parameters of a payload;
            other parameters keep their defaults.
        wrench: constant external wrenches: for each frame of external wrenches in the description,
            the force (N), then the moment (N m) about the frame's origin, in the frame's axes; None
            for zero.
        friction: whether the described friction is simulated.
        force: constant contact forces (N): three numbers in base axes for each frame of contact
            forces in the description; None for zero.
        options: options for reading the robot, as for `dynagen.load_robot`.

    Returns:
        The robot with compiled functions; its run-time parameters are replaced by numbers.

    Raises:
        UsageError: the robot has no such parameter or no frame for external forces, or a number is
            not finite.
    """
    robot = as_description(robot, make_reading_options(**options))
    joints = (link.joint for link in robot.links)
    refuse_special_joints(
        robot.name, joints, "the simulation", with_loops=True, with_spherical_joints=True
    )
    known = [parameter.name for parameter in robot.parameters]
    for name, value in (parameters or {}).items():
        if name not in known:
            listed = f"; expected {', '.join(known)}" if known else ", nor any other"
            raise UsageError(
                f"{robot.name} has no run-time parameter `{name}`{suggest_word(name, known)}"
                f"{listed}"
            )
        refuse_if(
            not np.isfinite(value), f"parameter {name}: expected a finite number, found {value}"
        )
    external = (
        *_read_external(robot.name, "wrench", wrench, robot.external_wrenches),
        *_read_external(robot.name, "force", force, robot.contact_forces),
    )
    numeric = set_parameter_values(robot, parameters or {})
    kind = choose_plant(numeric)
    names = [kind.forward_dynamics, "mass_matrix", "forward_kinematics"]
    names += (
        ["friction_forces"]
        if friction and any(link.friction is not None for link in robot.links)
        else []
    )
    names += ["inverse_dynamics"] if external else []
    return kind(numeric, compile_ufuncs(numeric, Settings(functions=tuple(names))), external)


_EXTERNAL = {
    "wrench": (6, "force and moment", "external_wrench", "wrench_at"),
    "force": (3, "force in base axes", "contact_force", "contact_force"),
}
"""Kinds of external force by name, each with four properties.

The properties are the count of numbers for each frame, the meaning of the numbers, and the YAML key
and the option that define the frames.
"""


def _read_external(
    robot: str, kind: str, values: ArrayLike | None, frames: Sequence[str]
) -> tuple[Array, ...]:
    """Check the numbers of one kind of external force; return them in a tuple with one array.

    The tuple is empty if `frames` is empty: the robot has no frame for this kind of force. `values`
    contains the user's numbers; None stands for zero.
    """
    each, meaning, key, option = _EXTERNAL[kind]
    if not frames:
        refuse_if(
            values is not None,
            f"{robot} has no frame for a {kind}: name it in the description ({key}) or with "
            f"{option}",
        )
        return ()
    size = each * len(frames)
    acting = np.zeros(size) if values is None else np.asarray(values, dtype=float)
    numbers = f"{size} numbers, {meaning}" + (" for each frame" if len(frames) > 1 else "")
    refuse_if(
        acting.shape != (size,),
        f"{kind}: expected {numbers}, found an array of shape {acting.shape}",
    )
    refuse_if(not np.isfinite(acting).all(), f"{kind}: expected finite numbers")
    return (acting,)


def set_parameter_values(
    robot: RobotDescription, parameters: Mapping[str, float]
) -> RobotDescription:
    """Return the robot's description with numbers in place of its run-time parameters.

    Args:
        robot: the description.
        parameters: value by parameter name, in SI units; other parameters have their defaults.
    """
    values = {name: Exact(Fraction(repr(float(value)))) for name, value in parameters.items()}
    return replace(substitute(robot, values), parameters=(), payload=())
