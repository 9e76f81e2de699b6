"""M x = b by the factorisation M = L^T D L along a tree. Mass matrix and right-hand side -> solution.

R. Featherstone, "Efficient Factorization of the Joint-Space Inertia Matrix for Branched Kinematic Trees", Int. J. Robotics
Research 24(6), 2005. Joints are eliminated from the tips to the base. Then a joint's row of L has entries for the joints that
carry it and nowhere else, branches never meet, and the pivots of joints at the tips are constants. Mimic joints may couple
branches: where elimination meets a zero of M then, it fills it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from dynagen.dynamics.algorithms.algebra import product
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.model.model import RobotModel

# What the recorded names stand for.
FACTORISATION_LEGEND = (
    ("r", "reciprocal of a pivot: of what a joint feels at a unit acceleration while the joints beyond it are free"),
    ("e_i_j", "entry of the unit triangular factor (L) of the mass matrix"),
)


@formula
def reciprocal(pivot: Expr) -> Expr:
    """1 / D: a pivot is the inertia that a joint feels while the joints beyond it are free, positive for every real body."""
    return 1 / pivot


@formula
def reduced(value: Expr, factor: Expr, other: Expr) -> Expr:
    """One step of elimination: value - factor other."""
    return value - factor * other


def record_reciprocal(recorder: Recorder, number: int, pivot: Quantity) -> Quantity:
    """The reciprocal of the pivot of a joint, which has to be positive and finite: then the reciprocal is positive too."""
    inverse = recorder.record(f"r{number}", reciprocal, pivot)
    recorder.require_positive(pivot, inverse)
    return inverse


def solve(
    recorder: Recorder, model: RobotModel, mass_matrix: JointMatrix, right_hand_side: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record the solution of M x = b.

    Args:
        recorder: receives the program.
        model: the robot, for its tree.
        mass_matrix: its lower triangle is enough.
        right_hand_side: n scalars.

    Returns:
        n scalars.
    """
    lower = dict(mass_matrix)
    factors: dict[tuple[int, int], Quantity] = {}
    solution = list(right_hand_side)
    for joint, body in reversed(list(enumerate(model.coordinates))):
        recorder.section(f"Elimination of joint {joint + 1} ({body.name})")
        inverse = record_reciprocal(recorder, joint + 1, lower[joint, joint])
        coupled = [row for row in reversed(range(joint)) if (joint, row) in lower]
        for row in coupled:
            factors[joint, row] = factor = recorder.record(f"e_{joint + 1}_{row + 1}", product, inverse, lower[joint, row])
            for column in (column for column in coupled if column <= row):
                before = lower.get((row, column), recorder.constant(0))
                lower[row, column] = recorder.apply(reduced, before, factor, lower[joint, column])
            solution[row] = recorder.apply(reduced, solution[row], factor, solution[joint])
        solution[joint] = recorder.apply(product, inverse, solution[joint])
    recorder.section("Joint accelerations")
    for joint, row in sorted(factors, key=lambda place: (place[0], -place[1])):
        solution[joint] = recorder.apply(reduced, solution[joint], factors[joint, row], solution[row])
    return tuple(solution)
