"""Forward dynamics: the joint accelerations that joint forces cause.

The method `composite` computes the mass matrix from composite bodies (a body with all bodies that
it carries), and factors the matrix along the tree of bodies. The method `articulated` (ABA)
eliminates clusters of joints: the accelerations of the joints of a cluster are solved for together.
The clusters are chosen for the fewest operations. In long chains most clusters are single joints,
so that the number of operations is proportional to the number of joints. The method is wrong for
robots with mimicking joints.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.articulated import record_articulated_bodies
from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.external_wrenches import make_external_arguments, record_contacts
from dynagen.dynamics.algorithms.factorisation import solve
from dynagen.dynamics.algorithms.mass_matrix import (
    find_parallel_pairs,
    record_mass_matrix,
    recover_accelerations,
    transform_forces,
    transform_matrix,
)
from dynagen.dynamics.algorithms.newton_euler import record_newton_euler
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_joint_forces, make_joint_motion
from dynagen.dynamics.candidate import ARTICULATED
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.numbers.exact import ZERO, Exact
from dynagen.numbers.parametric import ParametricNumber
from dynagen.robot.edits import substitute
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.model.model import Body, RobotModel

# Largest condition number of a mass matrix; ordinary robots stay below 1e3.
_WORST_CONDITION = 1e6


def _inputs(model: RobotModel) -> tuple[Argument, ...]:
    forces = make_joint_forces("tau", "joint forces")(model)
    return (*make_joint_motion("q", "qd")(model), *forces, *make_external_arguments(model))


def describe_missing_inertia(model: RobotModel, excepted: Collection[int] = ()) -> str:
    """Return the reason why missing inertia makes a robot's mass matrix singular, or "".

    Run-time parameters are assumed to be positive, and payloads to be zero. A mass matrix that is
    singular only in some poses is not reported.

    Args:
        model: the robot.
        excepted: indices in qd of the joints whose bodies may lack inertia, such as joints with
            coupled motors.
    """
    for index, body in enumerate(model.bodies):
        if body.is_free and len(model.list_children(index)) < 2 and not _is_heavy(model, body):
            return (
                f"floating base {body.name} has no inertia. "
                "Give the base mass and inertia, or fix a link with mass to the base"
            )
    for entry, body in reversed(
        find_bare_bodies(model).items()
    ):  # a tip before the bodies that carry it
        if entry in excepted:
            continue
        needed = "an inertia about the joint axis" if body.angular else "a mass"
        return (
            f"link {body.name} has no inertia that its joint can move. "
            f"Give the link {needed}, or its joint a motor inertia"
        )
    return ""


def find_bare_bodies(model: RobotModel) -> dict[int, Body]:
    """Return the bodies whose joints move no inertia if payloads are zero.

    A joint also moves the inertia of its motor and of all bodies that its body carries. The keys
    are the joints' indices in the joint velocities qd. Run-time parameters are assumed to be
    positive.
    """
    moving = set()
    bare: dict[int, Body] = {}
    for index, body in enumerate(model.bodies):
        inertial = _unload(model, body)
        own = body.angular**2 * inertial.inertia[2] + body.linear**2 * inertial.mass
        carries = any(_has_inertia(model, child) for child in model.list_children(index))
        if body.is_free or carries or any(map(_may_count, (own, body.motor_inertia))):
            moving.add(body.joint.idx_v)
        else:
            bare[body.joint.idx_v] = body
    # Another joint with the same entry of v may move inertia.
    return {entry: body for entry, body in bare.items() if entry not in moving}


def _has_inertia(model: RobotModel, index: int) -> bool:
    """Return whether a body, or one that it carries, may have mass or inertia."""
    return _is_heavy(model, model.bodies[index]) or any(
        _has_inertia(model, child) for child in model.list_children(index)
    )


def _is_heavy(model: RobotModel, body: Body) -> bool:
    """Return whether a body may have mass or inertia."""
    inertial = _unload(model, body)
    return any(map(_may_count, (inertial.mass, *inertial.inertia)))


def _unload(model: RobotModel, body: Body) -> InertialParameters:
    """Return a body's inertial parameters with zero payload."""
    values = {
        each.name: ZERO if each.name in model.payload else ParametricNumber(each)
        for each in model.parameters
    }
    return substitute(body.inertial, values)


def _may_count(number: Exact) -> bool:
    """Return whether a number is nonzero, or unknown before run time."""
    return bool(number) or not number.is_known


def _record_composite(recording: Recording) -> tuple[Quantity, ...]:
    model = recording.robot
    # M qdd = tau - h: the inverse dynamics at zero acceleration is h.
    bias = record_newton_euler(
        recording, find_base(recording).make_fall_motion(), record_contacts(recording)
    )
    # Absolute velocities of parallel joints make entries of M constant or short.
    pairs = find_parallel_pairs(model)
    matrix = transform_matrix(pairs, record_mass_matrix(recording))
    differences = (
        force - known for force, known in zip(recording.add_elements("tau"), bias, strict=True)
    )
    net = transform_forces(pairs, dict(enumerate(differences)))
    names = [body.name for body in model.coordinates for _ in body.entries]
    absolute = solve(recording.recorder, names, matrix, list(net.values()))
    return tuple(recover_accelerations(pairs, dict(enumerate(absolute))).values())


def _record_articulated(recording: Recording) -> tuple[Quantity, ...]:
    motion, forces = find_base(recording).make_fall_motion(), recording.add_elements("tau")
    return record_articulated_bodies(recording, motion, forces, record_contacts(recording))


SOLUTIONS = {"composite": _record_composite, ARTICULATED: _record_articulated}
"""Mapping from the name of a method to the function that records the joint accelerations.

The accelerations of a floating base are relative to free fall.
"""


def _record(method: str, recording: Recording) -> Results:
    """Record the joint accelerations by the given method."""
    solution = SOLUTIONS[method](recording)
    return (find_base(recording).add_fall(solution),)


def _expect(reference: Any, q: Any, qd: Any, tau: Any, *wrench: Any) -> tuple[Any]:
    net = tau - reference.compute_inverse_dynamics(q, qd, 0 * qd, *wrench)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    return (np.linalg.solve(mass_matrix, net[..., None])[..., 0],)


def _scaled_mass_matrix(reference: Any, q: Any) -> Any:
    """Return the mass matrix for each state, scaled so that diagonal entries are at most one."""
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    largest = np.sqrt(np.max(np.diagonal(np.abs(mass_matrix), axis1=-2, axis2=-1), axis=0))
    # Metres and radians are made comparable by the largest inertia of each joint.
    unit = np.where(largest > 0, largest, 1)
    # States that overflow stay defined here, so that the proof reports them.
    finite = np.isfinite(mass_matrix).all(axis=(-2, -1), keepdims=True)
    return np.where(finite, mass_matrix / np.outer(unit, unit), reference.units)


def is_defined(reference: Any, q: Any, *state: Any) -> Any:
    """Return for each state whether the mass matrix is well conditioned, shape (states,).

    The mass matrix is scaled so that its diagonal entries are at most one; its condition number
    must then not exceed 1e6. The inverse of a nearly singular matrix consists mostly of rounding
    errors. The positions q have shape (states, nq); other inputs (`state`) are ignored.
    """
    return np.linalg.cond(_scaled_mass_matrix(reference, q)) <= _WORST_CONDITION


def is_solvable(reference: Any, q: Any, *state: Any) -> Any:
    """Return for each state whether the mass matrix is positive definite, shape (states,).

    The positions q have shape (states, nq); other inputs (`state`) are ignored.
    """
    return np.linalg.eigvalsh(_scaled_mass_matrix(reference, q)).min(axis=-1) > 0


def _magnitudes(reference: Any, q: Any, qd: Any, tau: Any, *wrench: Any) -> tuple[Any]:
    """Return magnitudes to which rounding errors of the accelerations qdd are proportional.

    qdd solves M qdd + h = tau with the mass matrix M, the bias forces h and the joint forces tau.
    The magnitude |M^-1| (|tau| + |M| |qdd| + |h|), times the unit roundoff, bounds the error if the
    residual is as small as rounding permits (Higham, "Accuracy and Stability of Numerical
    Algorithms", 2nd edition, theorem 7.4). `wrench` contains external wrenches and contact forces,
    if the robot has them.
    """
    (qdd,) = _expect(reference, q, qd, tau, *wrench)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    residual = np.abs(tau) + reference.magnitudes.compute_inverse_dynamics(
        q, qd, np.abs(qdd), *wrench
    )
    return (np.einsum("...ij,...j->...i", np.abs(np.linalg.inv(mass_matrix)), residual),)


FORWARD_DYNAMICS = DynamicsFunction(
    name="forward_dynamics",
    formula="qdd = M(q)^-1 (tau - C(q, qd) qd - g(q))",
    inputs=_inputs,
    outputs=make_joint_motion("qdd"),
    methods={method: partial(_record, method) for method in SOLUTIONS},
    expected_results=ExpectedResults(
        _expect,
        magnitudes=_magnitudes,
        defined=is_defined,
        solvable=is_solvable,
    ),
    availability=Availability(
        unavailable_because=describe_missing_inertia,
        methods_for_free_joints=(ARTICULATED,),
        with_loops=True,
    ),
)
