"""External wrenches and contact forces: inputs, and the resulting wrenches on bodies.

An external wrench acts at a frame that is fixed to a body. It is given in the axes of the frame, so
it turns with the body. A contact force acts at the origin of a frame. It is given in base axes, so
its components along the body's axes depend on the joint positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.screws import Wrench, moment_about
from dynagen.dynamics.arguments import Arguments, make_joint_motion
from dynagen.dynamics.recording import Quantity, join
from dynagen.ir.program import Argument
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE, RobotModel

WRENCH = "wrench"
CONTACT_FORCE = "contact_force"

FE = Symbol("fe", "i", VECTOR, "external force on body i", "N")
NE = Symbol("ne", "i", VECTOR, "external moment on body i", "N m")


Contacts = Mapping[int, Wrench]
"""Mapping from a body's index to the external wrench on it, in its axes and about its origin."""


@dataclass(frozen=True)
class ContactForce:
    """A contact force on a body.

    Attributes:
        body: index of the body.
        point: point where the force acts, from the body's origin, in the axes of the body (m).
        force: the force, in the axes of the body (N).
    """

    body: int
    point: Quantity
    force: Quantity


NO_CONTACTS: Contacts = MappingProxyType({})

_COMPONENTS = ("fx", "fy", "fz", "nx", "ny", "nz")


def extend_formula(formula: str, inputs: Iterable[Argument], outputs: Iterable[Argument]) -> str:
    """Return a function's formula as text, with the terms of wrenches and contact forces.

    With the input `wrench`, `C(q, qd) qd + g(q)` becomes `C(q, qd) qd + g(q) - J(q)^T wrench`, and
    `C(q, qd) qd - g(q)` becomes `C(q, qd) qd - g(q) + J(q)^T wrench`. With the output
    `dqdd_dcontact_force`, `dqdd_dtau dtau` becomes `dqdd_dtau dtau + dqdd_dcontact_force
    dcontact_force`. With several such outputs, their term is `C dcontact_force`.

    Args:
        formula: the formula of the function for robots without external forces.
        inputs: the function's inputs.
        outputs: the function's outputs.
    """
    names = list_external_inputs(inputs)
    change = f"d{CONTACT_FORCE}"
    derivatives = [each.name for each in outputs if each.name.endswith(f"_{change}")]
    if derivatives:
        factor = derivatives[0] if len(derivatives) == 1 else "C"
        formula = re.sub(r"d(tau|qdd)(?=,|$)", rf"\g<0> + {factor} {change}", formula, count=1)

    def added(match: re.Match[str]) -> str:
        # An external force acts on the robot, so it reduces the joint forces.
        sign = "-" if match[1] == "+" else "+"
        return "".join((match[0], *(f" {sign} J(q)^T {name}" for name in names)))

    return re.sub(r"C\(q, qd\) qd ([+-]) g\(q\)", added, formula)


def list_external_inputs(arguments: Iterable[Argument]) -> tuple[str, ...]:
    """Return the names of the external inputs (`wrench`, `contact_force`) among arguments."""
    return tuple(each.name for each in arguments if each.name in (WRENCH, CONTACT_FORCE))


def make_external_arguments(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input arguments for external wrenches and for contact forces.

    A wrench has six entries for each frame: the force (N), then the moment about the frame's origin
    (N m), in the frame's axes. A contact force has three entries (N) for each frame, in base axes.
    """
    made = []
    for argument, names, components, meaning in (
        (WRENCH, model.external_wrenches, _COMPONENTS, describe_wrenches),
        (CONTACT_FORCE, model.contact_forces, _COMPONENTS[:3], describe_contact_forces),
    ):
        if not names:
            continue
        # Columns name the elements; with several frames they contain the frame.
        of_several = tuple(f"{name}.{component}" for name in names for component in components)
        columns = components if len(names) == 1 else of_several
        units = tuple("N" if each.startswith("f") else "N m" for each in components) * len(names)
        made.append(Argument(argument, (len(units),), units, meaning(names), columns))
    return tuple(made)


def make_contact_force_argument(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input argument for contact forces as a tuple; () for a robot without such forces.

    The input has three entries (N) for each frame, in base axes.
    """
    return tuple(each for each in make_external_arguments(model) if each.name == CONTACT_FORCE)


def make_motion_and_wrench(*names: str) -> Arguments:
    """Return a function that makes a robot's inputs: motion, external wrenches, contact forces.

    The function has the robot model as its argument. `names` are the inputs of the motion
    among q, qd and qdd. The function omits inputs that the robot does not have.
    """
    return lambda model: (*make_joint_motion(*names)(model), *make_external_arguments(model))


def describe_wrenches(names: Sequence[str]) -> str:
    """Return the description of the input that contains external wrenches, as a phrase.

    `names` are the names of the frames where the wrenches act.
    """
    where = _describe_origins(names)
    return f"force and moment exerted on the robot {where}, in the axes of the frame"


def describe_contact_forces(names: Sequence[str]) -> str:
    """Return the description of the input that contains contact forces, as a phrase.

    `names` are the names of the frames where the forces act.
    """
    return f"force exerted on the robot {_describe_origins(names)}, in base axes"


def _describe_origins(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"at the origin of frame {names[0]}"
    *others, last = names
    return f"at the origin of each of the frames {', '.join(others)} and {last}"


def record_contacts(recording: Recording) -> Contacts:
    """Record the sum of all external wrenches and contact forces on every body.

    The results, by body index, are in the axes of the body, about its origin (N, N m). Wrenches and
    forces on the fixed base are omitted.
    """
    contacts = dict(_record_wrenches(recording))
    for each in record_contact_forces(recording):
        wrench = Wrench(each.force, each.point.cross(each.force))
        _add(contacts, each.body, wrench)
    return _name(contacts)


def record_wrenches(recording: Recording) -> Contacts:
    """Record the external wrenches on bodies, by body index.

    Each wrench is in the axes of its body, about the body's origin (N, N m).
    """
    return _name(_record_wrenches(recording))


def _add(contacts: dict[int, Wrench], body: int, wrench: Wrench) -> None:
    contacts[body] = contacts[body] + wrench if body in contacts else wrench


def _name(contacts: Contacts) -> Contacts:
    return {body: wrench.name(FE(body + 1), NE(body + 1)) for body, wrench in contacts.items()}


def list_turned_forces(recording: Recording) -> list[Quantity]:
    """Record the contact forces (N) in the axes of a floating base; in base axes for a fixed base.

    The result has one vector for each frame with a contact force, in the order of the input.
    """
    forces = [
        join(recording.add_element(CONTACT_FORCE, 3 * number + axis) for axis in range(3))
        for number in range(len(recording.model.contact_forces))
    ]
    if base := recording.floating_base:
        forces = [base.rotate_outward(force) for force in forces]
    return forces


def record_contact_forces(recording: Recording) -> list[ContactForce]:
    """Record the contact forces on moving bodies, in the axes of the bodies.

    The result is in the order of the input. Forces at frames that do not move are omitted.
    """
    contacts = []
    for name, force in zip(
        recording.model.contact_forces, list_turned_forces(recording), strict=True
    ):
        frame = recording.model.find_frame(name)
        if frame.body == BASE:
            continue
        recording.begin_section(f"Contact force at {frame.name}")
        # To the resolved axes of the body, joint by joint. A floating base has rotated it already.
        for carrier in reversed(recording.find_path(frame.body)):
            if carrier is not recording.floating_base:
                force = carrier.rotate_outward(force)
        point = recording.bodies[frame.body].from_body_axes(
            recording.add_constant(*frame.pose.translation)
        )
        contacts.append(ContactForce(frame.body, point, force))
    return contacts


def _record_wrenches(recording: Recording) -> Contacts:
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
        _add(contacts, frame.body, wrench)
    return contacts
