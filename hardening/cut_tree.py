"""Random robots with closed loops, and comparison with the trees that result if loops are cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dynagen.dynamics.function import DynamicsFunction
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    CentralInertia,
    LinkDescription,
    Loop,
    NamedFrame,
    RobotDescription,
)
from dynagen.robot.joints import REVOLUTE, Joint
from dynagen.robot.pose import Displacement, make_translation_and_rpy
from dynagen.toolchain.kernel import CompiledKernel
from hardening.differences import find_largest
from tests.support.cut_trees import CutTree

_STATES = 6
_Point = tuple[Exact, Exact]
_ENDS = ("left_end", "right_end")
_ONE_FORCE = ("q", "qd", "qdd"), ("q", "qd", "tau")


def add_loop(
    robot: RobotDescription, rng: np.random.Generator
) -> tuple[RobotDescription, tuple[Loop, ...]]:
    """Add a planar four-bar or five-bar linkage to a link of a robot or to its base.

    Args:
        robot: a tree without loops.
        rng: random generator.

    Returns:
        The tree with three or four more links, and the joint that closes the loop.
    """
    carriers = [None, *(link.name for link in robot.links)]
    carrier = carriers[int(rng.integers(len(carriers)))]
    pivot, left, right = _draw_arms(rng)
    turn = tuple(Exact(int(n)) / 10 for n in rng.integers(-30, 31, 3))
    at = tuple(Exact(int(n)) / 10 for n in rng.integers(-5, 6, 3))
    plane = make_translation_and_rpy(at, turn)
    links, frames = list(robot.links), list(robot.frames)
    for side, start, arms in (("left", (ZERO, ZERO), left), ("right", pivot, right)):
        parent, place = carrier, (*plane, *_move(start))
        for number, arm in enumerate(arms):
            name = f"{side}_{number}"
            links.append(_make_link(name, parent, place, rng))
            parent, place = name, _move(arm)
        frames.append(NamedFrame(f"{side}_end", str(parent), place))
    tree = replace(robot, links=number_coordinates(links), frames=tuple(frames))
    return tree, (Loop(*_ENDS),)


def _draw_arms(rng: np.random.Generator) -> tuple[_Point, list[_Point], list[_Point]]:
    """Draw a planar loop: two chains of vectors that start at two pivots and end in one point.

    Returns:
        The second pivot, and the vectors of the links of both chains from their pivots to the
            common point (m). The first pivot is the origin.
    """
    crank = _draw_point(rng)
    if rng.random() < 0.3:  # a parallelogram: the crank and the rocker are equal vectors
        pivot = _draw_tenths(rng, 3, 8), ZERO
        return pivot, [crank, pivot], [crank]
    pivot, left = (_draw_tenths(rng, 4, 8), _draw_tenths(rng, -2, 3)), [crank, _draw_point(rng)]
    right = [_draw_point(rng)] if rng.random() < 0.5 else []
    start = [pivot, *right]
    gap = [
        sum((p[axis] for p in left), ZERO) - sum((p[axis] for p in start), ZERO) for axis in (0, 1)
    ]
    return pivot, left, [*right, (gap[0], gap[1])]


def _draw_tenths(rng: np.random.Generator, low: int, high: int) -> Exact:
    return Exact(int(rng.integers(low, high))) / 10


def _draw_point(rng: np.random.Generator) -> _Point:
    return _draw_tenths(rng, -2, 4), _draw_tenths(rng, 1, 5)


def _move(point: _Point) -> Displacement:
    return make_translation_and_rpy((*point, ZERO), (ZERO, ZERO, ZERO))


def _make_link(
    name: str, parent: str | None, place: Displacement, rng: np.random.Generator
) -> LinkDescription:
    """Return a link on a revolute joint about z, with a random, physically consistent body."""
    mass, x, y, z = (_draw_tenths(rng, 1, 20) for _ in range(4))
    least = _draw_tenths(rng, 1, 9) / 100
    inertia = (least + ONE / 100, least, least + ONE / 200, ZERO, ZERO, ZERO)
    inertial = CentralInertia(mass, (x / 10, y / 10, z / 10), inertia)
    motor = _draw_tenths(rng, 0, 5) / 10
    return LinkDescription(name, parent, place, Joint(REVOLUTE), (), inertial, motor)


def compare_with_cut_tree(
    text: str,
    functions: Sequence[DynamicsFunction],
    kernels: Mapping[str, CompiledKernel],
    within: float,
) -> Mapping[str, float]:
    """Compare inverse and forward dynamics of a robot with loops with those of its cut tree.

    The cut tree is the tree that results if the loops are cut. Only functions of q, qd, and qdd or
    tau are compared.

    Args:
        text: the description with its loops, in YAML.
        functions: functions that have a kernel.
        kernels: kernels by the names of their functions.
        within: largest difference, relative to the largest value.

    Returns:
        Mapping from the name of a function to its largest difference.

    Raises:
        DifferenceError: a difference is larger.
    """
    cut, largest = CutTree.read(text, "robot"), {}
    free = cut.independent
    for function in functions:
        kernel = kernels[function.name]
        inputs = tuple(argument.name for argument in kernel.signature.inputs)
        forces_or_motion = {"inverse_dynamics": 0, "forward_dynamics": 1}.get(function.name)
        if forces_or_motion is None or inputs != _ONE_FORCE[forces_or_motion]:
            continue
        generator = np.random.default_rng(len(largest))
        q = cut.draw(_STATES, seed=3)
        v = cut.find_velocities(q, generator.uniform(-3, 3, (_STATES, len(free))))
        a = cut.find_accelerations(q, v, generator.uniform(-9, 9, (_STATES, len(free))))
        tau = cut.compute_forces(q, v, a)
        given, expected = (tau, a[:, free]) if forces_or_motion else (a[:, free], tau)
        found = kernel(q[:, free], v[:, free], given)[0]
        largest[function.name] = find_largest(
            "the cut tree",
            function.name,
            [[pair] for pair in zip(found, expected, strict=True)],
            within,
        )
    return largest
