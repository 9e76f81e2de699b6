"""Centroidal momentum matrix: the momenta of all that moves, about its centre of mass."""

from __future__ import annotations

from dynagen.dynamics.algorithms.centroidal import record_centroidal_momenta
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.arguments import entries_that_rotate, joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, Interface, Oracle, Results
from dynagen.dynamics.functions.center_of_mass import without_mass
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.ir.program import Argument
from dynagen.model.model import RobotModel


def _outputs(model: RobotModel) -> tuple[Argument, ...]:
    rotates = entries_that_rotate(model)
    linear, angular = (tuple(units[each] for each in rotates) for units in (("kg", "kg m"), ("kg m", "kg m^2")))
    meaning = "centroidal momentum matrix in base axes, linear rows first"
    return (Argument("Ag", (6, model.nv), linear * 3 + angular * 3, meaning),)


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    return (record_centroidal_momenta(recorder, model, frames),)


CENTROIDAL_MOMENTUM_MATRIX = DynamicsFunction(
    name="centroidal_momentum_matrix",
    formula="Ag(q) qd = linear and angular momentum about the centre of mass, in base axes",
    interface=Interface(joint_motion("q"), _outputs),
    methods={"": _record},
    oracle=Oracle(
        lambda reference, q: (reference.centroidal.momentum_matrix(q),),
        magnitudes=lambda reference, q: (reference.centroidal.momentum_magnitudes(q),),
        subjects=("kinematics",),
    ),
    availability=Availability(without_mass),
    of_all_momentum=True,
)
