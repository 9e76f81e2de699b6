"""The contenders that are called from Python a state at a time, as their bindings offer it: Pinocchio and MuJoCo.

States are brought into their coordinates before; what is timed is their own functions, and what MuJoCo needs besides: copying
the state and the stages that come before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.benchmarking.contender import Contender, one_by_one
from dynagen.apps.benchmarking.lumping import lumped
from dynagen.apps.benchmarking.states import STATE, BenchStates
from dynagen.apps.crosscheck.mujoco import Mujoco, ask_mujoco
from dynagen.apps.crosscheck.pinocchio import Pinocchio
from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO
from dynagen.robot.description import RobotDescription
from dynagen.verification.kinematics import Array

Step = Callable[..., Any]
Read = Callable[[Any], Array]


def known_to_all(description: RobotDescription) -> RobotDescription:
    """The robot as every tool can know it: as a URDF says it, without the inertia of motors, fixed links lumped."""
    robot = lumped(description)
    links = tuple(replace(link, motor_inertia=ZERO) for link in robot.links)
    return replace(robot, links=links, notation="URDF" if description.notation == "URDF" else "")


def pinocchio_bindings(opinion: Pinocchio, states: BenchStates) -> dict[str, list[Contender]]:
    """Pinocchio's Python bindings, by function."""
    own = {"q": np.stack([opinion.configuration(q) for q in states.values["q"]])}
    own |= {name: states.values[name] @ opinion.rates.T for name in STATE[1:]}
    return _contenders(f"{opinion.tool}, Python", _steps_of_pinocchio(opinion), own)


def _contenders(
    tool: str, steps: Mapping[str, tuple[Step, Read]], states: Mapping[str, Array]
) -> dict[str, list[Contender]]:
    return {
        function: [
            one_by_one(tool, step, read, [states[each] for each in ALGORITHMS[function].inputs])
        ]
        for function, (step, read) in steps.items()
    }


def _steps_of_pinocchio(opinion: Pinocchio) -> dict[str, tuple[Step, Read]]:
    library, model, data, rates = opinion.library, opinion.model, opinion.data, opinion.rates

    def forces(tau: Array) -> Array:
        own: Array = rates.T @ tau
        return own

    def matrix(upper: Array) -> Array:
        upper = np.triu(upper)  # the rest is not computed
        own: Array = rates.T @ (upper + np.triu(upper, 1).T) @ rates
        return own

    return {
        "inverse_dynamics": (lambda q, v, a: library.rnea(model, data, q, v, a), forces),
        "gravity_forces": (lambda q: library.computeGeneralizedGravity(model, data, q), forces),
        "bias_forces": (lambda q, v: library.nonLinearEffects(model, data, q, v), forces),
        "mass_matrix": (lambda q: library.crba(model, data, q), matrix),
        "forward_dynamics": (lambda q, v, tau: library.aba(model, data, q, v, tau), forces),
    }


def mujoco_bindings(states: BenchStates) -> dict[str, list[Contender]]:
    """MuJoCo's Python bindings, by function: the stages that a function needs, and no others.

    Raises:
        ToolchainError: MuJoCo is not installed.
        UsageError: it has another robot than ours.
    """
    if any(link.joint.type.is_free for link in states.robot.links):
        raise UsageError(
            "the velocity of a floating base is in other axes there, which makes other functions"
        )
    require_joints_of_their_own(states.robot)
    opinion, _ = ask_mujoco(states.robot)
    rates = opinion.rates()
    own = {name: values @ rates.T for name, values in states.values.items()}
    return _contenders(f"{opinion.tool}, Python", _steps_of_mujoco(opinion), own)


def _steps_of_mujoco(opinion: Mujoco) -> dict[str, tuple[Step, Read]]:
    library, model, data, rates = opinion.library, opinion.model, opinion.data, opinion.rates()
    result, still = np.zeros(model.nv), np.zeros(model.nv)

    def place(q: Array, v: Array) -> None:
        data.qpos[:], data.qvel[:] = q, v
        library.mj_kinematics(model, data)
        library.mj_comPos(model, data)

    def bias(q: Array, v: Array) -> Array:
        place(q, v)
        library.mj_comVel(model, data)
        library.mj_rne(model, data, 0, result)
        return result

    def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
        place(q, v)
        data.qacc[:] = a
        library.mj_comVel(model, data)
        library.mj_rne(model, data, 1, result)
        return result

    def mass_matrix(q: Array) -> None:
        place(q, still)
        library.mj_crb(model, data)

    def forward_dynamics(q: Array, v: Array, tau: Array) -> Array:
        forces = tau - bias(q, v)
        library.mj_crb(model, data)
        library.mj_factorM(model, data)
        library.mj_solveM(model, data, result[None], forces[None])
        return result

    def forces(found: Array) -> Array:
        own: Array = rates.T @ found
        return own

    def matrix(_: None) -> Array:
        full = np.zeros((model.nv, model.nv))
        for row, unit in zip(full, np.eye(model.nv), strict=True):
            library.mj_mulM(model, data, row, unit)
        own: Array = rates.T @ full @ rates
        return own

    return {
        "inverse_dynamics": (inverse_dynamics, forces),
        "gravity_forces": (lambda q: bias(q, still), forces),
        "bias_forces": (bias, forces),
        "mass_matrix": (mass_matrix, matrix),
        "forward_dynamics": (forward_dynamics, forces),
    }


def require_joints_of_their_own(description: RobotDescription) -> None:
    """Refuse a robot whose joints follow others.

    Raises:
        UsageError: it has such joints.
    """
    if followers := [link.joint_name for link in description.links if link.joint.mimics]:
        raise UsageError(
            f"joints that follow others ({', '.join(followers)}) move by themselves there"
        )
