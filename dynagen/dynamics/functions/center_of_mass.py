"""Centre of mass of all that moves: where it is, and how it moves with the joints."""

from __future__ import annotations

from dynagen.dynamics.algorithms.centroidal import mass_of_all, record_center_of_mass, record_com_jacobian
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.jacobians import linear_units
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, Interface, Oracle, Results
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.ir.program import Argument
from dynagen.model.model import RobotModel
from dynagen.numbers.exact import is_zero


def without_mass(model: RobotModel) -> str:
    """The reason for which there is no centre of mass, if there is none."""
    return "nothing that moves has mass. Give its links some" if is_zero(mass_of_all(model)) else ""


def _position(model: RobotModel) -> tuple[Argument, ...]:
    return (Argument("com", (3,), ("m",) * 3, "centre of mass of all that moves, in the base frame"),)


def _jacobian(model: RobotModel) -> tuple[Argument, ...]:
    meaning = "Jacobian of the centre of mass, in base axes"
    return (Argument("Jcom", (3, model.nv), linear_units(model) * 3, meaning),)


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    return ([record_center_of_mass(recorder, model, frames)],)


def _record_jacobian(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    return (record_com_jacobian(recorder, model, frames),)


CENTER_OF_MASS = DynamicsFunction(
    name="center_of_mass",
    formula="com = centre of mass of all that moves, in the base frame",
    interface=Interface(joint_motion("q"), _position),
    methods={"": _record},
    oracle=Oracle(
        lambda reference, q: (reference.centroidal.position(q),),
        magnitudes=lambda reference, q: (reference.centroidal.position_magnitudes(q),),
        subjects=("kinematics",),
    ),
    availability=Availability(without_mass),
    of_all_momentum=True,
)

COM_JACOBIAN = DynamicsFunction(
    name="com_jacobian",
    formula="Jcom(q) qd = velocity of the centre of mass in base axes",
    interface=Interface(joint_motion("q"), _jacobian),
    methods={"": _record_jacobian},
    oracle=Oracle(
        lambda reference, q: (reference.centroidal.jacobian(q),),
        magnitudes=lambda reference, q: (reference.centroidal.jacobian_magnitudes(q),),
        subjects=("kinematics",),
    ),
    availability=Availability(without_mass),
    of_all_momentum=True,
)
