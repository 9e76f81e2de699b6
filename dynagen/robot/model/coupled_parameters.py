"""Relations between the base parameters of a tree whose joints are coupled.

Coupled joints have fewer motions than independent joints, so that fewer combinations of parameters
determine the joint forces. By Lagrange's equations, a change of the parameters does not affect the
joint forces if and only if, for every motion, it keeps the kinetic energy and changes the potential
energy by a constant. Both energies are linear in the parameters.

The relations follow from a matrix of energies at random motions. Each column contains the energies
of a robot for which one parameter is one and all others are zero. The columns are examined from the
base to the tips. If a column is a linear combination of earlier columns, its parameter is not a
base parameter: it is added to the earlier parameters with the factors of this combination. Gautier
uses the same method with joint forces instead of energies ("Numerical calculation of the base
inertial parameters of robots", Journal of Robotic Systems 8(4), 1991).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.robot.loop_tree import COMPLEX_STEP, LoopTree, round_pose
from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import INERTIAL_PARAMETERS, MOTOR_INERTIA

_VANISHES, _RESOLVED = 1e-10, 1e-6
"""Bounds that decide whether a parameter's column of energies depends on earlier columns.

The residual of the column, scaled to length one, is computed by projection on the earlier columns.
It is at most the first bound if the column is dependent, and at least the second one if it is
independent. A residual between the bounds is an error.
"""
_CORRECTIONS = 4
_DENOMINATOR, _ROUNDING = 1000, 2e-13
"""Largest denominator of a fraction that replaces a computed factor, and largest difference between
the fraction and the factor. The difference is relative to the largest factor or 1."""
_PRODUCTS = {"Jxy": (0, 1), "Jxz": (0, 2), "Jyz": (1, 2)}


def find_relations(
    model: RobotModel, parameters: Sequence[tuple[int, str]]
) -> Mapping[int, Mapping[int, Exact]]:
    """Return the base parameters of a robot with coupled joints, as sums of given parameters.

    Args:
        model: a robot with coupled joints, in the frames of the description.
        parameters: base parameters of the tree with independent joints, from the base to the tips.
            Each is given by the index of the body and the name of the parameter, such as Jzz.

    Returns:
        A mapping with an entry for each base parameter of the coupled joints. The key is its index
        in `parameters`. The value contains the other terms of its sum, as a mapping from the index
        in `parameters` to the factor.

    Raises:
        UsageError: rounding errors prevent the decision whether a parameter is a base parameter.
    """
    columns = _compute_energies(model, parameters)
    basis = np.zeros((len(columns), 0), dtype=columns.dtype)
    kept: list[int] = []
    for place, column in enumerate(columns.T):
        size = float(np.linalg.norm(column))
        rest = column / max(size, 1.0)
        for _ in range(2):  # twice is enough for orthogonality to rounding
            rest = rest - basis @ (basis.T @ rest)
        length = float(np.linalg.norm(rest))
        if _VANISHES < length < _RESOLVED:
            body, parameter = parameters[place]
            raise UsageError(
                f"the base parameters of {model.name} cannot be decided: the effect of "
                f"{model.bodies[body].name}.{parameter} differs from the effects of other "
                "parameters by "
                f"{length:.0e} only; request `regressor` instead"
            )
        if length >= _RESOLVED:
            basis = np.column_stack([basis, rest / length])
            kept.append(place)
    left = [place for place in range(len(parameters)) if place not in kept]
    factors = _solve(columns[:, kept], columns[:, left])
    return {
        place: {
            other: factor
            for other, number in zip(left, row, strict=True)
            if (factor := _recognise(float(number), float(np.abs(row).max())))
        }
        for place, row in zip(kept, factors, strict=True)
    }


def _solve(matrix: Array, right: Array) -> Array:
    """Return the least-squares solution X of `matrix` X = `right`, in the precision of `matrix`.

    numpy solves in double precision; iterative refinement restores the precision of `matrix`.
    """
    inverse = np.linalg.pinv(matrix.astype(np.float64))
    solution = inverse @ right
    for _ in range(_CORRECTIONS):
        solution = solution + inverse @ (right - matrix @ solution)
    return solution


def _recognise(number: float, largest: float) -> Exact:
    """Return the simple fraction that equals a factor up to rounding errors, or the factor itself.

    A base parameter is a sum of parameters with factors. `largest` is the largest magnitude of the
    factors in this sum, which limits the accuracy of all of them.
    """
    short = Fraction(number).limit_denominator(_DENOMINATOR)
    near = abs(number - float(short)) < _ROUNDING * max(1.0, largest)
    return Exact(short if near else Fraction(number))


def _compute_energies(model: RobotModel, parameters: Sequence[tuple[int, str]]) -> Array:
    """Return the energies of random motions for each parameter, shape (energies, parameters).

    Each row is the kinetic or the potential energy of one motion. In each column, one parameter of
    the robot is one and all others are zero.
    """
    assert model.description is not None  # `build_model` sets it
    # Nearly dependent columns magnify rounding: extended precision, if the machine has it.
    tree = LoopTree(model.description, np.longdouble)
    gravity = np.array([float(component) for component in model.gravity])
    poses = {
        body.name: round_pose(model.attachments[body.name][1].inverse, np.longdouble)
        for body in model.bodies
    }
    units = {name: _make_unit(name) for name in INERTIAL_PARAMETERS}

    def weigh(states: NDArray[Any]) -> NDArray[Any]:
        """Return the potential energy in each state (row) for a unit of each parameter (column)."""
        frames = tree.compute_poses(states)
        columns = []
        for index, name in parameters:
            body = model.bodies[index].name
            moments = (frames[body][1] @ poses[body])[..., :3, :] @ units.get(
                name, np.zeros((4, 4))
            )
            columns.append(-moments[..., 3] @ gravity + np.zeros(len(states)))
        return np.stack(columns, axis=-1)

    states = LoopTree(model.description).walk(4 * len(parameters) + 100).astype(np.longdouble)
    if model.description.loops:
        states = np.array([tree.close(tree.close(state)) for state in states])
    rows = [weigh(states) - weigh(np.zeros((1, len(tree.joints))))]
    motions = [_list_motions(tree.find_motions(state)) for state in states]
    velocities = np.concatenate(motions)
    places = np.repeat(states, [len(each) for each in motions], axis=0)
    frames = tree.compute_poses(places + 1j * COMPLEX_STEP * velocities)
    columns = []
    for index, name in parameters:
        body = model.bodies[index]
        if name == MOTOR_INERTIA:
            # The motor inertia counts the velocity of the joint that this joint follows.
            leader = tree.joints.index(body.joint.mimics or body.name)
            columns.append(velocities[:, leader] ** 2 / 2)
            continue
        # tr(T' P T'^T) / 2 with the pose T of the body and the pseudo-inertia P.
        change = (frames[body.name][1] @ poses[body.name]).imag / COMPLEX_STEP
        gram = np.swapaxes(change, -1, -2) @ change
        columns.append(np.einsum("...ij,ij->...", gram, units[name]) / 2)
    rows.append(np.stack(columns, axis=-1))
    return np.concatenate(rows)


def _list_motions(basis: Array) -> Array:
    """Return the sums of all pairs of basis motions, and twice each basis motion.

    The kinetic energies of these sums determine the kinetic energy of every motion.
    """
    pairs: Iterator[Array] = (
        first + second for place, first in enumerate(basis) for second in basis[place:]
    )
    return np.array(list(pairs)).reshape(-1, basis.shape[1])


def _make_unit(name: str) -> Array:
    """Return the pseudo-inertia of a body whose parameter `name` is one and whose others are zero.

    It is the integral of x x^T dm with x = (position, 1), shape (4, 4).
    """
    matrix = np.zeros((4, 4))
    if name == "m":
        matrix[3, 3] = 1.0
    elif name in ("mx", "my", "mz"):
        place = "xyz".index(name[1])
        matrix[place, 3] = matrix[3, place] = 1.0
    elif name in _PRODUCTS:
        row, column = _PRODUCTS[name]
        matrix[row, column] = matrix[column, row] = -1.0
    else:
        # Second moments tr(J)/2 1 - J of a unit of Jxx, Jyy or Jzz.
        place = "xyz".index(name[1])
        matrix[:3, :3] = np.eye(3) / 2
        matrix[place, place] = -0.5
    return matrix
