"""Inverse dynamics and its parts: gravity, bias and Coriolis forces, joint wrenches, friction.

- Inverse dynamics (RNEA): the joint forces of a motion.
- Gravity forces: joint forces that balance gravity.
- Bias forces: joint forces at zero joint accelerations.
- Coriolis forces: bias forces without gravity.
- Joint wrenches: the force and the moment that every joint transmits, for the design of bearings
  and structures (Angeles, "Fundamentals of Robotic Mechanical Systems", 3rd edition, 2007, eqs.
  7.36 and 7.37). The wrench of a joint includes the actuator's force along the joint axis, but not
  the inertial force of the rotor.
- Friction forces: joint forces of friction in joints and transmissions.
- Inverse dynamics with friction: the sum of inverse dynamics and friction forces.
"""

from __future__ import annotations

from typing import Any

from dynagen.dynamics.algorithms.external_wrenches import (
    NO_CONTACTS,
    make_motion_and_wrench,
    record_contacts,
)
from dynagen.dynamics.algorithms.friction import depends_on_load, record_friction
from dynagen.dynamics.algorithms.joint_wrenches import record_in_link_frame
from dynagen.dynamics.algorithms.mass_matrix import (
    record_carried_weights,
    record_composites,
    record_gravity_forces,
)
from dynagen.dynamics.algorithms.newton_euler import record_joint_loads, record_newton_euler
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_joint_forces, make_joint_motion
from dynagen.dynamics.function import (
    Availability,
    Dependence,
    DynamicsFunction,
    ExpectedResults,
    Results,
)
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel


def _record_inverse_dynamics(recording: Recording) -> Results:
    return (record_newton_euler(recording, recording.motion, record_contacts(recording)),)


# The inputs also include external wrenches, if the description declares frames for them.
INVERSE_DYNAMICS = DynamicsFunction(
    name="inverse_dynamics",
    formula="tau = M(q) qdd + C(q, qd) qd + g(q)",
    inputs=make_motion_and_wrench("q", "qd", "qdd"),
    outputs=make_joint_forces("tau", "joint forces"),
    methods={"": _record_inverse_dynamics},
    expected_results=ExpectedResults(
        lambda reference, *state: (reference.compute_inverse_dynamics(*state),)
    ),
    availability=Availability(with_loops=True),
)


def _record_composite_weights(recording: Recording) -> Results:
    return (record_gravity_forces(recording, record_composites(recording)),)


def _record_carried_weights(recording: Recording) -> Results:
    return (record_carried_weights(recording, record_composites(recording)),)


GRAVITY_FORCES = DynamicsFunction(
    name="gravity_forces",
    formula="g = g(q)",
    inputs=make_joint_motion("q"),
    outputs=make_joint_forces("g", "joint forces that balance gravity"),
    methods={"composite": _record_composite_weights, "carried": _record_carried_weights},
    expected_results=ExpectedResults(
        lambda reference, q: (
            reference.compute_inverse_dynamics(q, reference.make_rest(q), reference.make_rest(q)),
        )
    ),
    availability=Availability(with_loops=True),
)


def record_bias_forces(recording: Recording, whole: bool = True) -> tuple[Quantity, ...]:
    """Record the joint forces at zero joint accelerations, C(q, qd) qd + g(q) - J^T w.

    C is the Coriolis matrix, g the gravity forces, w the external wrenches, and J the Jacobian of
    their frames.

    Args:
        recording: recording of the function for the robot.
        whole: whether gravity and external wrenches act; otherwise the result is C(q, qd) qd.

    Returns:
        Joint forces (N m or N), one scalar for every entry of the joint velocities qd.
    """
    # Constant folding removes all terms with zero accelerations.
    motion = recording.make_unaccelerated_motion(gravity=whole)
    return record_newton_euler(
        recording, motion, record_contacts(recording) if whole else NO_CONTACTS
    )


def _make_bias_function(
    name: str, formula: str, output: str, meaning: str, whole: bool
) -> DynamicsFunction:
    """Return the function for bias forces (`whole` True) or Coriolis forces (`whole` False).

    Bias forces include gravity and external wrenches. `name` and `formula` are attributes of the
    function; `output` and `meaning` are the name and the documentation of its output.
    """

    def record(recording: Recording) -> Results:
        return (record_bias_forces(recording, whole),)

    return DynamicsFunction(
        name=name,
        formula=formula,
        inputs=(make_motion_and_wrench if whole else make_joint_motion)("q", "qd"),
        outputs=make_joint_forces(output, meaning),
        methods={"": record},
        expected_results=ExpectedResults(
            lambda reference, q, qd, *wrench: (
                reference.compute_inverse_dynamics(q, qd, 0 * qd, *wrench, gravity=whole),
            )
        ),
        availability=Availability(with_loops=True),
    )


BIAS_FORCES = _make_bias_function(
    "bias_forces",
    "h = C(q, qd) qd + g(q)",
    "h",
    "Coriolis, centrifugal and gravity joint forces",
    whole=True,
)
CORIOLIS_FORCES = _make_bias_function(
    "coriolis_forces", "c = C(q, qd) qd", "c", "Coriolis and centrifugal joint forces", whole=False
)


def _resolve(reference: Any, *motion: Any) -> tuple[Any, ...]:
    """Return q, qd, qdd, and all external forces as wrenches, each in the axes of its frame.

    `motion` contains q, qd, qdd, and external wrenches and contact forces, if the robot has them.
    """
    return *motion[:3], *reference.resolve_forces(motion[0], *motion[3:])


_COMPONENTS = ("fx", "fy", "fz", "nx", "ny", "nz")
_MEANING = (
    "force and moment that each joint transmits to its link, one row for each joint, "
    "about the origin and in the axes of the link frame"
)


def _wrench_outputs(model: RobotModel) -> tuple[Argument, ...]:
    """Return the output argument of joint wrenches: one row per moving or mimicking joint."""
    # Force before moment, as in external wrenches.
    joints = len(model.links)
    units = (("N",) * 3 + ("N m",) * 3) * joints
    return (Argument("f", (joints, 6), units, _MEANING, _COMPONENTS),)


def _record_joint_wrenches(recording: Recording) -> Results:
    # The same recursion as inverse dynamics: fused with it, it costs only the last transformation.
    loads = record_joint_loads(recording, recording.motion, record_contacts(recording))
    wrenches = [
        record_in_link_frame(recording, recording.bodies[index], loads[index].wrench)
        for index in recording.model.links
    ]
    return ([part for wrench in wrenches for part in (wrench.force, wrench.moment)],)


JOINT_WRENCHES = DynamicsFunction(
    name="joint_wrenches",
    formula="f_i = wrench of joint i at q, qd, qdd; tau_i = S_i^T f_i + Ia_i qdd_i",
    inputs=make_motion_and_wrench("q", "qd", "qdd"),
    outputs=_wrench_outputs,
    methods={"": _record_joint_wrenches},
    expected_results=ExpectedResults(
        lambda reference, *motion: (
            reference.reactions.compute_wrenches(*_resolve(reference, *motion)),
        ),
        subjects=("reactions",),
    ),
    depends_on=Dependence.REACTIONS,
)


def _friction_inputs(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input qd, or the whole motion if friction depends on the loads of joints."""
    inputs = (
        make_motion_and_wrench("q", "qd", "qdd")
        if depends_on_load(model)
        else make_joint_motion("qd")
    )
    return inputs(model)


def _record_friction_forces(recording: Recording) -> Results:
    return (record_friction(recording),)


FRICTION_FORCES = DynamicsFunction(
    name="friction_forces",
    formula="tau_f = friction of joints and transmissions",
    inputs=_friction_inputs,
    outputs=make_joint_forces(
        "tau_f", "joint forces of friction; motors have to supply tau + tau_f"
    ),
    methods={"": _record_friction_forces},
    expected_results=ExpectedResults(
        lambda reference, *motion: (
            reference.friction.compute_forces(*_resolve(reference, *motion)),
        ),
        magnitudes=lambda reference, *motion: (
            reference.magnitudes.friction.compute_magnitudes(*_resolve(reference, *motion)),
        ),
    ),
    keeps_loads=True,
)


def _record_with_friction(recording: Recording) -> Results:
    (rigid,), (friction,) = _record_inverse_dynamics(recording), _record_friction_forces(recording)
    return ([force + lost for force, lost in zip(rigid, friction, strict=True)],)


INVERSE_DYNAMICS_WITH_FRICTION = DynamicsFunction(
    name="inverse_dynamics_with_friction",
    formula="tau = M(q) qdd + C(q, qd) qd + g(q) + tau_f(q, qd, qdd)",
    inputs=make_motion_and_wrench("q", "qd", "qdd"),
    outputs=make_joint_forces("tau", "joint forces with friction, which motors supply"),
    methods={"": _record_with_friction},
    expected_results=ExpectedResults(
        lambda reference, *motion: (
            reference.compute_inverse_dynamics(*motion)
            + reference.friction.compute_forces(*_resolve(reference, *motion)),
        ),
        magnitudes=lambda reference, *motion: (
            reference.magnitudes.compute_inverse_dynamics(*motion)
            + reference.magnitudes.friction.compute_magnitudes(*_resolve(reference, *motion)),
        ),
    ),
    availability=Availability(on_request=True),
    keeps_loads=True,
)
