"""Forward dynamics without bias forces, qdd = M(q)^-1 tau, for comparison with published counts.

Some publications count only the operations that solve M qdd = tau for qdd, with the mass matrix M,
and assume that the bias forces are known. Users cannot generate this function; dynagen compiles it
only to count operations.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.articulated import record_articulated_bodies
from dynagen.dynamics.algorithms.external_wrenches import NO_CONTACTS
from dynagen.dynamics.algorithms.factorisation import solve
from dynagen.dynamics.algorithms.mass_matrix import (
    find_parallel_pairs,
    record_mass_matrix,
    recover_accelerations,
    transform_forces,
    transform_matrix,
)
from dynagen.dynamics.algorithms.recording import JointMotion, Recording
from dynagen.dynamics.arguments import make_joint_forces, make_joint_motion
from dynagen.dynamics.function import DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.ir.program import Argument
from dynagen.optimizer.compile import CompiledFunction, compile_function
from dynagen.optimizer.effort import Effort
from dynagen.optimizer.formulation import DesignSpace
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import RobotModel, build_model


def _inputs(model: RobotModel) -> tuple[Argument, ...]:
    return (*make_joint_motion("q")(model), *make_joint_forces("tau", "joint forces")(model))


def _outputs(model: RobotModel) -> tuple[Argument, ...]:
    (qdd,) = make_joint_motion("qdd")(model)
    return (qdd,)


def _record_composite(recording: Recording) -> Results:
    model = recording.model
    pairs = find_parallel_pairs(model)
    matrix = transform_matrix(pairs, record_mass_matrix(recording))
    forces = transform_forces(pairs, dict(enumerate(recording.add_elements("tau"))))
    names = [body.name for body in model.coordinates for _ in body.entries]
    absolute = solve(recording.recorder, names, matrix, list(forces.values()))
    return (tuple(recover_accelerations(pairs, dict(enumerate(absolute))).values()),)


def _record_articulated(recording: Recording) -> Results:
    rest = JointMotion(recording.zeros, recording.zeros, gravity=False)
    forces = recording.add_elements("tau")
    return (record_articulated_bodies(recording, rest, forces, NO_CONTACTS),)


def _expect(reference: Any, q: Any, tau: Any) -> tuple[Any]:
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    return (np.linalg.solve(mass_matrix, tau[..., None])[..., 0],)


UNBIASED_ACCELERATION = DynamicsFunction(
    name="forward_dynamics_without_bias",
    formula="qdd = M(q)^-1 tau",
    inputs=_inputs,
    outputs=_outputs,
    methods={"composite": _record_composite, "articulated": _record_articulated},
    expected_results=ExpectedResults(_expect, magnitudes=partial(_expect)),
)


def compile_unbiased(description: RobotDescription, effort: Effort) -> CompiledFunction:
    """Compile qdd = M(q)^-1 tau, forward dynamics without bias forces, to count operations.

    Args:
        description: a robot with a fixed base.
        effort: how long the optimiser searches for a program with fewer operations.
    """
    space = DesignSpace(build_model(description))
    return compile_function(UNBIASED_ACCELERATION, space, effort)
