"""The factorisation M = L^T D L of a mass matrix along a tree: M, b -> solution of M x = b.

R. Featherstone, "Efficient Factorization of the Joint-Space Inertia Matrix for Branched Kinematic Trees", Int. J. Robotics
Research 24(6), 2005. Joints are eliminated from the tips to the base. Then a joint's row of L has entries for the joints that
carry it and nowhere else, branches never meet, and the pivots of joints at the tips are constants. Mimic joints may couple
branches: where elimination meets a zero of M then, it fills it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.recording.formula import Quantity, formula
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.ir.symbols import SCALAR, Symbol

DINV = Symbol(
    "dinv",
    "i",
    SCALAR,
    "reciprocal of pivot i: of the inertia along joint i while the joints beyond it are free",
)
LF = Symbol(
    "lf",
    "ij",
    SCALAR,
    "entry i, j of L in the factorisation M = L^T D L of the mass matrix",
    source="Featherstone 2005",
)


@formula
def reduced(value: Expr, factor: Expr, other: Expr) -> Expr:
    """One step of elimination: value - factor other."""
    return value - factor * other


def record_reciprocal(recorder: Recorder, number: int, pivot: Quantity) -> Quantity:
    """Record the reciprocal of a joint's pivot, which has to be positive and finite: then the reciprocal is positive too.

    A pivot D is the inertia along a joint while the joints beyond it are free, positive for every real body.
    """
    inverse = (1 / pivot).name(DINV(number))
    recorder.require_positive(pivot, inverse)
    return inverse


def solve(
    recorder: Recorder,
    names: Sequence[str],
    mass_matrix: JointMatrix,
    right_hand_side: Sequence[Quantity],
    title: str = "",
) -> tuple[Quantity, ...]:
    """Record the solution of M x = b.

    Args:
        recorder: receives the program.
        names: of the bodies that its n rows belong to.
        mass_matrix: its lower triangle is enough.
        right_hand_side: n scalars.
        title: of the section of all this; by default there are sections for the elimination of each joint and for the result.

    Returns:
        n scalars.
    """
    lower = dict(mass_matrix)
    factors: dict[tuple[int, int], Quantity] = {}
    solution = list(right_hand_side)
    # Once the joints beyond k are eliminated, D_k = M_kk and L_ki = M_ki / M_kk. Joint k then takes L_ki M_kj from the entries
    # i, j of the joints that carry it, and L_ki y_k from their right-hand sides, which solves L^T y = b, too.
    for joint, name in reversed(list(enumerate(names))):
        recorder.section(title or f"Elimination of joint {joint + 1} ({name})")
        inverse = record_reciprocal(recorder, joint + 1, lower[joint, joint])
        coupled = [row for row in reversed(range(joint)) if (joint, row) in lower]
        for row in coupled:
            factors[joint, row] = factor = (inverse * lower[joint, row]).name(
                LF(joint + 1, row + 1)
            )
            for column in (column for column in coupled if column <= row):
                before = lower.get((row, column), recorder.constant(0))
                lower[row, column] = reduced(before, factor, lower[joint, column])
            solution[row] = reduced(solution[row], factor, solution[joint])
        solution[joint] = inverse * solution[joint]
    # Outward L x = D^-1 y: the solutions of the joints that carry a joint are known before its own.
    recorder.section(title or "Joint accelerations")
    for joint, row in sorted(factors, key=lambda place: (place[0], -place[1])):
        solution[joint] = reduced(solution[joint], factors[joint, row], solution[row])
    return tuple(solution)
