"""External wrenches: an input in the user's frames, and the resulting wrenches on bodies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.screws import Wrench, moment_about
from dynagen.dynamics.arguments import Arguments, make_joint_motion
from dynagen.dynamics.recording import join
from dynagen.ir.program import Argument
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE, RobotModel

WRENCH = "wrench"

FE = Symbol("fe", "i", VECTOR, "external force on body i", "N")
NE = Symbol("ne", "i", VECTOR, "external moment on body i", "N m")


Contacts = Mapping[int, Wrench]
"""External wrenches by the indices of the bodies that they act on."""

NO_CONTACTS: Contacts = MappingProxyType({})

_COMPONENTS = ("fx", "fy", "fz", "nx", "ny", "nz")


def extend_formula(formula: str) -> str:
    """Return a formula with the joint forces of an external wrench added to its bias forces.

    `C(q, qd) qd + g(q)` becomes `C(q, qd) qd + g(q) - J(q)^T wrench`.
    """

    def added(match: re.Match[str]) -> str:
        # An external wrench acts on the robot, so it reduces the joint forces.
        return f"{match[0]} {'-' if match[1] == '+' else '+'} J(q)^T wrench"

    return re.sub(r"C\(q, qd\) qd ([+-]) g\(q\)", added, formula)


def make_wrench_argument(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input of external wrenches, or () for a robot without one.

    The input has six entries for each frame: the force (N), then the moment about the frame's
    origin (N m), in the frame's axes.
    """
    names = model.external_wrenches
    if not names:
        return ()
    # Columns name the elements; with several frames they contain the frame.
    meaning = f"force and moment {describe_frames(names)}"
    of_several = tuple(f"{name}.{component}" for name in names for component in _COMPONENTS)
    columns = _COMPONENTS if len(names) == 1 else of_several
    units = (("N",) * 3 + ("N m",) * 3) * len(names)
    return (Argument(WRENCH, (len(units),), units, meaning, columns),)


def make_motion_and_wrench(*names: str) -> Arguments:
    """Return the named inputs among q, qd and qdd, then the external wrench, if any."""
    return lambda model: (*make_joint_motion(*names)(model), *make_wrench_argument(model))


def describe_frames(names: Sequence[str]) -> str:
    """Return a phrase that names the frames at which wrenches act."""
    if len(names) == 1:
        return f"exerted on the robot at the origin of frame {names[0]}, in its axes"
    *others, last = names
    frames = f"{', '.join(others)} and {last}"
    return f"exerted on the robot at the origin of each of the frames {frames}, in its axes"


def record_contacts(recording: Recording) -> Contacts:
    """Record the external force (N) and moment (N m) on every body that has a frame with a wrench.

    The results are in the axes of the body, about its origin. A wrench on the base moves nothing
    and is skipped.
    """
    contacts: dict[int, Wrench] = {}
    # Two wrenches on one body are added in its axes.
    for number, name in enumerate(recording.model.external_wrenches):
        frame = recording.model.find_frame(name)
        if frame.body == BASE:
            continue
        recording.begin_section(f"Wrench at {frame.name}")
        force, moment = (
            join(recording.add_element(WRENCH, 6 * number + first + axis) for axis in range(3))
            for first in (0, 3)
        )
        # From the frame's axes to the body axes, and from the frame's origin to the body's.
        rotation = recording.recorder.add_constant_matrix(frame.pose.rotation)
        force, moment = rotation @ force, rotation @ moment
        moment = moment_about(moment, frame.pose.translation, force)
        body = recording.bodies[frame.body]
        wrench = Wrench(body.from_body_axes(force), body.from_body_axes(moment))
        contacts[frame.body] = contacts[frame.body] + wrench if frame.body in contacts else wrench
    return {body: wrench.name(FE(body + 1), NE(body + 1)) for body, wrench in contacts.items()}
