"""External wrenches: an input, in frames of the user's -> forces and moments on bodies, in the axes of the recursion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dynagen.dynamics.algorithms.recording import Recording, Wrench, moment_about
from dynagen.dynamics.arguments import Arguments, joint_motion
from dynagen.dynamics.recording.formula import vector
from dynagen.ir.program import Argument
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE, RobotModel

WRENCH = "wrench"

FE = Symbol("fe", "i", VECTOR, "force that the surroundings exert on body i", "N")
NE = Symbol("ne", "i", VECTOR, "moment that the surroundings exert on body i", "N m")


Contacts = Mapping[int, Wrench]
"""Wrenches that the surroundings exert, by the positions of the bodies on which there are any."""

NO_CONTACTS: Contacts = MappingProxyType({})

_COMPONENTS = ("fx", "fy", "fz", "nx", "ny", "nz")


def formula_with_wrench(formula: str) -> str:
    """Return a formula that contains all bias forces, with the forces of an external wrench added to them."""

    def added(match: re.Match[str]) -> str:
        return f"{match[0]} {'-' if match[1] == '+' else '+'} J(q)^T wrench"

    return re.sub(r"C\(q, qd\) qd ([+-]) g\(q\)", added, formula)


def wrench_argument(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input: for every frame force, then moment about its origin, in its axes; () without such an input."""
    names = model.external_wrenches
    if not names:
        return ()
    meaning = f"force and moment {exerted_at(names)}"
    of_several = tuple(f"{name}.{component}" for name in names for component in _COMPONENTS)
    columns = _COMPONENTS if len(names) == 1 else of_several
    units = (("N",) * 3 + ("N m",) * 3) * len(names)
    return (Argument(WRENCH, (len(units),), units, meaning, columns),)


def motion_and_wrench(*names: str) -> Arguments:
    """Return inputs among q, qd and qdd, then the wrench, if the robot has such an input."""
    return lambda model: (*joint_motion(*names)(model), *wrench_argument(model))


def exerted_at(names: Sequence[str]) -> str:
    """Return the places where wrenches act, in words."""
    if len(names) == 1:
        return f"exerted on the robot at the origin of frame {names[0]}, in its axes"
    *others, last = names
    return f"exerted on the robot at the origin of each of the frames {', '.join(others)} and {last}, in its axes"


def record_contacts(recording: Recording) -> Contacts:
    """Record force and moment on every body that carries a frame with a wrench; a wrench on the base moves nothing."""
    contacts: dict[int, Wrench] = {}
    for number, name in enumerate(recording.model.external_wrenches):
        frame = recording.model.frame(name)
        if frame.body == BASE:
            continue
        recording.section(f"Wrench at {frame.name}")
        force, moment = (
            vector(recording.element(WRENCH, 6 * number + first + axis) for axis in range(3))
            for first in (0, 3)
        )
        # From the frame's axes to the body axes, and from the frame's origin to the body's.
        rotation = recording.recorder.constant_matrix(frame.pose.rotation)
        force, moment = rotation @ force, rotation @ moment
        moment = moment_about(moment, frame.pose.translation, force)
        body = recording.bodies[frame.body]
        wrench = Wrench(body.from_body_axes(force), body.from_body_axes(moment))
        contacts[frame.body] = contacts[frame.body] + wrench if frame.body in contacts else wrench
    return {body: wrench.name(FE(body + 1), NE(body + 1)) for body, wrench in contacts.items()}
