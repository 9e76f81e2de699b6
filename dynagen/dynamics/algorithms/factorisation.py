"""The factorisation M = L^T D L of a mass matrix, and solution with it.

R. Featherstone, "Efficient Factorization of the Joint-Space Inertia Matrix for Branched Kinematic
Trees", Int. J. Robotics Research 24(6), 2005.
Joints are eliminated from the tips to the base. Then the row of a joint in L has entries only for
the joints that carry it, branches do not couple, and the pivots of joints at the tips are
constants. Mimicking joints may couple branches. There the elimination fills zeros of M.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr

from dynagen.dynamics.algorithms.recording import JointMatrix
from dynagen.dynamics.recording import Quantity, Recorder, formula
from dynagen.ir.symbols import SCALAR, Symbol

DINV = Symbol(
    "dinv",
    "i",
    SCALAR,
    "reciprocal of pivot i, the inertia along joint i while the joints beyond it are free",
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
    """Return value - factor other: one step of the elimination."""
    return value - factor * other


def record_reciprocal(recorder: Recorder, number: int, pivot: Quantity) -> Quantity:
    """Record the reciprocal of a joint's pivot D, and require both to be positive.

    D is the inertia along a joint while the joints beyond it are free. It is positive for every
    real body. If D is finite, its reciprocal is positive too.
    """
    inverse = (1 / pivot).name(DINV(number))
    recorder.require_positive(pivot, inverse)
    return inverse


@dataclass(frozen=True)
class Elimination:
    """The factors of M = L^T D L, and a right-hand side after the sweep from the tips to the base.

    Attributes:
        factors: the entries of L below its diagonal of ones.
        inverses: reciprocals of the pivots D, one for each row.
        swept: L^-T b, n quantities; empty without a right-hand side.
        scaled: D^-1 L^-T b, n quantities; empty without a right-hand side.
    """

    factors: Mapping[tuple[int, int], Quantity]
    inverses: tuple[Quantity, ...]
    swept: tuple[Quantity, ...]
    scaled: tuple[Quantity, ...]


def eliminate(
    recorder: Recorder,
    names: Sequence[str],
    mass_matrix: JointMatrix,
    right_hand_side: Sequence[Quantity] = (),
    title: str = "",
) -> Elimination:
    """Record the factorisation M = L^T D L, and its first sweep over right-hand sides.

    The arguments are those of `solve`; without right-hand sides only the factors are recorded.
    """
    lower = dict(mass_matrix)
    factors: dict[tuple[int, int], Quantity] = {}
    inverses: dict[int, Quantity] = {}
    scaled: dict[int, Quantity] = {}
    solution = list(right_hand_side)
    # Featherstone 2005, algorithm LTDL. When the joints beyond k are eliminated, D_k = M_kk and
    # L_ki = M_ki / M_kk. L_ki M_kj is subtracted from the entries i, j of the joints that carry k,
    # and L_ki y_k from their right-hand sides, which solves L^T y = b in the same sweep.
    for joint, name in reversed(list(enumerate(names))):
        recorder.begin_section(title or f"Elimination of joint {joint + 1} ({name})")
        inverses[joint] = inverse = record_reciprocal(recorder, joint + 1, lower[joint, joint])
        # Only joints that carry this one have entries in its row.
        coupled = [row for row in reversed(range(joint)) if (joint, row) in lower]
        for row in coupled:
            factors[joint, row] = factor = (inverse * lower[joint, row]).name(
                LF(joint + 1, row + 1)
            )
            for column in (column for column in coupled if column <= row):
                before = lower.get((row, column), recorder.add_constant(0))
                lower[row, column] = reduced(before, factor, lower[joint, column])
            if solution:
                solution[row] = reduced(solution[row], factor, solution[joint])
        if solution:
            scaled[joint] = inverse * solution[joint]
    rows = range(len(names))
    return Elimination(
        factors,
        tuple(inverses[row] for row in rows),
        tuple(solution),
        tuple(scaled[row] for row in rows if scaled),
    )


def solve(
    recorder: Recorder,
    names: Sequence[str],
    mass_matrix: JointMatrix,
    right_hand_side: Sequence[Quantity],
    title: str = "",
) -> tuple[Quantity, ...]:
    """Record the solution of M x = b by M = L^T D L.

    Args:
        recorder: receives the program.
        names: names of the bodies to which the n rows belong.
        mass_matrix: its lower triangle is sufficient.
        right_hand_side: n quantities, scalars or vectors of equal length (several right-hand
            sides).
        title: title of one section for all; without it there is a section for each joint, and one
            for the result.

    Returns:
        n quantities of the same shape.
    """
    elimination = eliminate(recorder, names, mass_matrix, right_hand_side, title)
    factors, solution = elimination.factors, list(elimination.scaled)
    # L x = D^-1 y, outward: a joint's solution requires those of the joints that carry it.
    recorder.begin_section(title or "Joint accelerations")
    # Nearest carriers first: their order decides how sums are nested, and so what passes can share.
    for joint, row in sorted(factors, key=lambda place: (place[0], -place[1])):
        solution[joint] = reduced(solution[joint], factors[joint, row], solution[row])
    return tuple(solution)
