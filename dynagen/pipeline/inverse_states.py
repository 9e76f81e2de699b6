"""Inputs of inverse functions, such as reachable poses for inverse kinematics."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.dynamics.function import InverseCheck
from dynagen.numbers.arrays import Array
from dynagen.optimizer.compile import CompiledFunction
from dynagen.robot.description import RobotDescription
from dynagen.verification.reference import Reference, make_references
from dynagen.verification.sampling import sample_states

SOURCE = "q"
"""Name of the joint positions, from which the inputs of inverse functions are computed."""


def compute_inputs(
    inverse: InverseCheck, names: Sequence[str], reference: Reference, q: Array
) -> dict[str, Array]:
    """Return the inputs of an inverse function that belong to given joint positions.

    For example, the inputs of inverse kinematics are computed by forward kinematics.

    Args:
        inverse: definition of the inputs, as functions of joint positions.
        names: names of the inputs.
        reference: numeric dynamics of the robot, which computes the inputs.
        q: joint positions (rad or m), shape (count, nq).

    Returns:
        Mapping from the name of each input to its values, an array with count as its first axis.
    """
    return dict(zip(names, inverse.inputs(reference, q), strict=True))


def sample_inputs(
    description: RobotDescription, function: CompiledFunction, count: int, seed: int
) -> dict[str, Array]:
    """Return inputs of an inverse function, such as inverse kinematics, for random positions.

    The special joint positions of the proof, such as multiples of right angles, are excluded,
    because solution branches meet there, or angles are at the ends of their ranges.

    Args:
        description: the robot.
        function: the compiled function.
        count: number of states.
        seed: seed of the random states.

    Returns:
        Mapping from the name of each input to its values, shape (count, number of elements); empty
        for functions that are not inverse.
    """
    inverse = function.definition.expected_results.inverse
    if inverse is None:
        return {}
    names = [argument.name for argument in function.program.inputs]
    q = sample_states(description, (SOURCE,), 2 * count, seed)[SOURCE][count:]
    inputs = compute_inputs(inverse, names, make_references(description)[0], q)
    return {name: values.reshape(count, -1) for name, values in inputs.items()}
