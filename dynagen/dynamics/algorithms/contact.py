"""The external wrench: an input, in a frame of the user's -> force and moment on a body, in the axes of the recursion."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sympy import Matrix

from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.newton_euler_steps import moment_about
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.program import Argument
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.model.model import BASE, RobotModel

WRENCH = "wrench"

FE = Symbol("fe", "i", VECTOR, "force that the surroundings exert on body i", "N")
NE = Symbol("ne", "i", VECTOR, "moment that the surroundings exert on body i", "N m")


@formula
def rotated(rotation: Matrix, vector: Matrix) -> Matrix:
    """Components of a vector in other axes, R v."""
    return rotation * vector


@dataclass(frozen=True)
class Contact:
    """Force and moment that the surroundings exert on a body, in its axes and about its origin."""

    body: int
    force: Quantity
    moment: Quantity


def formula_with_wrench(formula: str) -> str:
    """A formula with all bias forces in it, with what an external wrench adds to them."""

    def added(match: re.Match[str]) -> str:
        return f"{match[0]} {'-' if match[1] == '+' else '+'} J(q)^T wrench"

    return re.sub(r"C\(q, qd\) qd ([+-]) g\(q\)", added, formula)


def wrench_argument(model: RobotModel) -> tuple[Argument, ...]:
    """The input: force, then moment about the frame's origin, in the frame's axes; none if the robot has no such input."""
    if model.external_wrench is None:
        return ()
    meaning = f"force and moment exerted on the robot at the origin of frame {model.external_wrench}, in its axes"
    return (Argument(WRENCH, (6,), ("N",) * 3 + ("N m",) * 3, meaning, ("fx", "fy", "fz", "nx", "ny", "nz")),)


def record_contact(recorder: Recorder, model: RobotModel, frames: Frames) -> Contact | None:
    """Record force and moment on the body that carries the wrench's frame; None without such an input, or on the base."""
    if model.external_wrench is None:
        return None
    frame = model.frame(model.external_wrench)
    if frame.body == BASE:
        return None
    recorder.section(f"Wrench at {frame.name}")
    force, moment = (Quantity((3,), _components(recorder, first)) for first in (0, 3))
    rotation = recorder.constant(*(entry for row in frame.pose.rotation for entry in row), shape=(3, 3))
    force, moment = recorder.apply(rotated, rotation, force), recorder.apply(rotated, rotation, moment)
    moment = recorder.apply(moment_about, moment, recorder.constant(*frame.pose.translation), force)
    body = frames[frame.body]
    return Contact(
        frame.body,
        recorder.name(FE(frame.body + 1), body.from_body_axes(recorder, force)),
        recorder.name(NE(frame.body + 1), body.from_body_axes(recorder, moment)),
    )


def _components(recorder: Recorder, first: int) -> tuple[int, ...]:
    return tuple(recorder.element(WRENCH, first + axis).values[0] for axis in range(3))
