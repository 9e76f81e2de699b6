"""Joint wrenches: the force and the moment that every joint carries, as bearings and structures bear them.

J. Angeles, "Fundamentals of Robotic Mechanical Systems", 3rd ed., 2007, eqs. 7.36 and 7.37: what the motion of a link takes
and what it hands on to the links that it carries comes to it through its joint. Forces of actuators are in these wrenches,
along the axes; what motors take to accelerate their rotors is not, and friction about an axis changes no wrench.
"""

from __future__ import annotations

from dynagen.dynamics.algorithms.contact import motion_and_wrench, record_contacts
from dynagen.dynamics.algorithms.link_wrenches import record_in_link_frame
from dynagen.dynamics.algorithms.newton_euler import record_joint_loads
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.function import Dependence, DynamicsFunction, Oracle, Results
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

_COMPONENTS = ("fx", "fy", "fz", "nx", "ny", "nz")
_MEANING = (
    "wrench of every joint, one a row: force and moment that its link receives through it, "
    "about the origin of the link's frame and in its axes"
)


def _outputs(model: RobotModel) -> tuple[Argument, ...]:
    """One row for every joint that moves, also for one that follows another."""
    units = (("N",) * 3 + ("N m",) * 3) * len(model.bodies)
    return (Argument("f", (len(model.bodies), 6), units, _MEANING, _COMPONENTS),)


def _record(recording: Recording) -> Results:
    loads = record_joint_loads(recording, recording.motion, record_contacts(recording))
    joints = zip(recording.bodies, loads, strict=True)
    wrenches = [record_in_link_frame(recording, body, load.wrench) for body, load in joints]
    return ([part for wrench in wrenches for part in (wrench.force, wrench.moment)],)


JOINT_WRENCHES = DynamicsFunction(
    name="joint_wrenches",
    formula="f_i = wrench that joint i carries at q, qd, qdd; tau_i = S_i^T f_i + Ia_i qdd_i",
    inputs=motion_and_wrench("q", "qd", "qdd"),
    outputs=_outputs,
    methods={"": _record},
    oracle=Oracle(
        lambda reference, *motion: (reference.reactions.wrenches(*motion),), subjects=("reactions",)
    ),
    depends_on=Dependence.REACTIONS,
)
