"""External wrenches: an input, in frames of the user's -> forces and moments on bodies, in the axes of the recursion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dynagen.dynamics.algorithms.algebra import sum_of
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.newton_euler_steps import moment_about
from dynagen.dynamics.algorithms.rotations import rotate
from dynagen.dynamics.arguments import Arguments, joint_motion
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.program import Argument
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE, RobotModel

WRENCH = "wrench"

FE = Symbol("fe", "i", VECTOR, "force that the surroundings exert on body i", "N")
NE = Symbol("ne", "i", VECTOR, "moment that the surroundings exert on body i", "N m")


@dataclass(frozen=True)
class Contact:
    """Force and moment that the surroundings exert on a body, in its axes and about its origin."""

    force: Quantity
    moment: Quantity


Contacts = Mapping[int, Contact]
"""By the positions of the bodies on which there are any."""

NO_CONTACTS: Contacts = MappingProxyType({})

_COMPONENTS = ("fx", "fy", "fz", "nx", "ny", "nz")


def formula_with_wrench(formula: str) -> str:
    """A formula with all bias forces in it, with what an external wrench adds to them."""

    def added(match: re.Match[str]) -> str:
        return f"{match[0]} {'-' if match[1] == '+' else '+'} J(q)^T wrench"

    return re.sub(r"C\(q, qd\) qd ([+-]) g\(q\)", added, formula)


def wrench_argument(model: RobotModel) -> tuple[Argument, ...]:
    """The input: for every frame force, then moment about its origin, in its axes; none if the robot has no such input."""
    names = model.external_wrenches
    if not names:
        return ()
    meaning = f"force and moment {exerted_at(names)}"
    of_several = tuple(f"{name}.{component}" for name in names for component in _COMPONENTS)
    columns = _COMPONENTS if len(names) == 1 else of_several
    units = (("N",) * 3 + ("N m",) * 3) * len(names)
    return (Argument(WRENCH, (len(units),), units, meaning, columns),)


def motion_and_wrench(*names: str) -> Arguments:
    """Inputs among q, qd and qdd, then the wrench, if the robot has such an input."""
    return lambda model: (*joint_motion(*names)(model), *wrench_argument(model))


def exerted_at(names: Sequence[str]) -> str:
    """The places where wrenches act, in words."""
    if len(names) == 1:
        return f"exerted on the robot at the origin of frame {names[0]}, in its axes"
    *others, last = names
    return f"exerted on the robot at the origin of each of the frames {', '.join(others)} and {last}, in its axes"


def record_contacts(recorder: Recorder, model: RobotModel, frames: Frames) -> Contacts:
    """Record force and moment on every body that carries a frame with a wrench; what acts on the base moves nothing."""
    contacts: dict[int, Contact] = {}
    for number, name in enumerate(model.external_wrenches):
        frame = model.frame(name)
        if frame.body == BASE:
            continue
        recorder.section(f"Wrench at {frame.name}")
        force, moment = (
            Quantity((3,), _components(recorder, 6 * number + first)) for first in (0, 3)
        )
        rotation = recorder.constant(
            *(entry for row in frame.pose.rotation for entry in row), shape=(3, 3)
        )
        force, moment = (
            recorder.apply(rotate, rotation, force),
            recorder.apply(rotate, rotation, moment),
        )
        moment = recorder.apply(
            moment_about, moment, recorder.constant(*frame.pose.translation), force
        )
        force, moment = (
            frames[frame.body].from_body_axes(recorder, vector) for vector in (force, moment)
        )
        if before := contacts.get(frame.body):
            force, moment = (
                recorder.apply(sum_of, before.force, force),
                recorder.apply(sum_of, before.moment, moment),
            )
        contacts[frame.body] = Contact(force, moment)
    return {
        body: Contact(
            recorder.name(FE(body + 1), each.force), recorder.name(NE(body + 1), each.moment)
        )
        for body, each in contacts.items()
    }


def _components(recorder: Recorder, first: int) -> tuple[int, ...]:
    return tuple(recorder.element(WRENCH, first + axis).values[0] for axis in range(3))
