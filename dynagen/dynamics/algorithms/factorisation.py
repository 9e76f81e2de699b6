"""The factorisation M = L^T D L of a mass matrix M, and solutions of M x = b with the factors.

L is lower triangular with ones on its diagonal, and D is a diagonal matrix of pivots. Joints are
eliminated from the tips to the base, as in Featherstone, "Efficient Factorization of the
Joint-Space Inertia Matrix for Branched Kinematic Trees", International Journal of Robotics Research
24(6), 2005. In this order, the row of a joint in L has entries only for the joints between the
joint and the base, and the pivots of joints at the tips are constants. If mimicking joints couple
two branches, L may also have entries where M is zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dynagen.dynamics.algorithms.recording import JointMatrix
from dynagen.dynamics.recording import Quantity, Recorder, formula
from dynagen.dynamics.symbolic import Expr
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import Exact

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


SMALLEST_PIVOT = Exact("1e-7")
"""Smallest pivot of a linearly independent row, relative to the diagonal entry of the row.

With this pivot, the solution has about half of the digits of double precision. The value is below
1e-6, because kernels are proved in states with condition numbers up to 1e6.
"""


@formula
def reduced(value: Expr, factor: Expr, other: Expr) -> Expr:
    """Return value - factor other: one step of the elimination.

    `factor` is an entry of L in M = L^T D L. `value` and `other` are entries of M or of a
    right-hand side.
    """
    return value - factor * other


def record_reciprocal(recorder: Recorder, number: int, pivot: Quantity) -> Quantity:
    """Record the reciprocal 1 / D of a joint's pivot D; require that D and 1 / D are positive.

    D (`pivot`) is the inertia along a joint while the joints beyond it are free. It is positive for
    physically consistent bodies. If D or 1 / D is not positive for some values of the run-time
    parameters, the generated function returns a nonzero status code. `number` is the joint's number
    from 1, for the name of the result.
    """
    inverse = (1 / pivot).name(DINV(number))
    recorder.require_positive(pivot, inverse)
    return inverse


@dataclass(frozen=True)
class Elimination:
    """The factors of a matrix M = L^T D L, and a right-hand side b multiplied by inverse factors.

    L is lower triangular with ones on its diagonal, and D is diagonal.

    Attributes:
        factors: entries of L below the diagonal, by (row, column); absent entries are zero.
        inverses: reciprocals of the diagonal entries of D (pivots), by row.
        swept: the quantities L^-T b, by row; empty without a right-hand side.
        scaled: the quantities D^-1 L^-T b, by row; empty without a right-hand side.
    """

    factors: Mapping[tuple[int, int], Quantity]
    inverses: Mapping[int, Quantity]
    swept: Mapping[int, Quantity]
    scaled: Mapping[int, Quantity]

    @cached_property
    def carriers(self) -> Mapping[int, Sequence[int]]:
        """For each row of L, the column indices of its entries left of the diagonal, largest first.

        L is the lower-triangular factor in M = L^T D L. The columns belong to the joints between
        the row's joint and the base.
        """
        return {
            joint: [row for row in reversed([*self.inverses]) if (joint, row) in self.factors]
            for joint in self.inverses
        }


def eliminate(
    recorder: Recorder,
    names: Mapping[int, str],
    mass_matrix: JointMatrix,
    right_hand_side: Mapping[int, Quantity] | None = None,
    title: str = "",
    dependent: str = "",
) -> Elimination:
    """Record the factors of M = L^T D L, and the solution y of L^T y = b for right-hand sides b.

    L is lower triangular with a diagonal of ones, and D is a diagonal matrix of pivots.

    Args:
        recorder: object that appends operations to the program under construction.
        names: names of the bodies by row of M, in ascending order. M may contain only some of the
            robot's joints.
        mass_matrix: the symmetric matrix M by (row, column); only the lower triangle is used.
        right_hand_side: b by row: scalars, or vectors of equal length for several right-hand sides;
            None for only the factors.
        title: title of the program section; "" for one section for each joint.
        dependent: "" if M is regular in every state. Else each pivot has to be above
            `SMALLEST_PIVOT` times the diagonal entry of M, and this text describes the status code
            of states where a pivot is not.

    Returns:
        The factors, and the quantities y = L^-T b and D^-1 y.
    """
    rows, lower = list(names), dict(mass_matrix)
    factors: dict[tuple[int, int], Quantity] = {}
    inverses: dict[int, Quantity] = {}
    scaled: dict[int, Quantity] = {}
    solution = dict(right_hand_side or {})
    # Featherstone 2005, algorithm LTDL. When the joints beyond k are eliminated, D_k = M_kk and
    # L_ki = M_ki / M_kk. L_ki M_kj is subtracted from the entries i, j of the joints that carry k,
    # and L_ki y_k from their right-hand sides, which solves L^T y = b in the same sweep.
    for joint in reversed(rows):
        recorder.begin_section(title or f"Elimination of joint {joint + 1} ({names[joint]})")
        pivot = lower[joint, joint]
        if dependent:
            recorder.require_positive(
                pivot - mass_matrix[joint, joint] * SMALLEST_PIVOT, unless=dependent
            )
            inverse = 1 / pivot
        else:
            inverse = record_reciprocal(recorder, joint + 1, pivot)
        inverses[joint] = inverse
        # Only joints that carry this one have entries in its row.
        coupled = [row for row in reversed(rows) if row < joint and (joint, row) in lower]
        for row in coupled:
            factors[joint, row] = factor = (inverse * lower[joint, row]).name(
                LF(joint + 1, row + 1)
            )
            for column in (column for column in coupled if column <= row):
                before = lower.get((row, column))
                if before is None:
                    before = recorder.add_constant(0)
                lower[row, column] = reduced(before, factor, lower[joint, column])
            if solution:
                solution[row] = reduced(solution[row], factor, solution[joint])
        if solution:
            scaled[joint] = inverse * solution[joint]
    return Elimination(
        factors,
        {row: inverses[row] for row in rows},
        solution,
        {row: scaled[row] for row in rows if scaled},
    )


def substitute(
    factors: Mapping[tuple[int, int], Quantity], scaled: Mapping[int, Quantity]
) -> dict[int, Quantity]:
    """Record the solution x of L x = y, outward from the base to the tips.

    Args:
        factors: entries of the lower-triangular L below its diagonal of ones, by (row, column).
        scaled: the quantities y by row: scalars, or vectors for several right-hand sides.

    Returns:
        The quantities x, by row.
    """
    solution = dict(scaled)
    # Nearest carriers first: their order decides how sums are nested, and so what passes can share.
    for joint, row in sorted(factors, key=lambda place: (place[0], -place[1])):
        solution[joint] = reduced(solution[joint], factors[joint, row], solution[row])
    return solution


def solve(
    recorder: Recorder,
    names: Sequence[str],
    mass_matrix: JointMatrix,
    right_hand_side: Sequence[Quantity],
) -> tuple[Quantity, ...]:
    """Record the solution of M x = b by the factorisation M = L^T D L.

    Args:
        recorder: object that appends operations to the program under construction.
        names: name of the body for each of the n rows of M, used in section titles.
        mass_matrix: the symmetric matrix M by (row, column); only the lower triangle is used.
        right_hand_side: b: n scalars, or n vectors of equal length for several right-hand sides.

    Returns:
        The solution x, with the shape of b.
    """
    solution, _ = solve_and_keep_factors(recorder, names, mass_matrix, right_hand_side)
    return solution


def solve_and_keep_factors(
    recorder: Recorder,
    names: Sequence[str],
    mass_matrix: JointMatrix,
    right_hand_side: Sequence[Quantity],
) -> tuple[tuple[Quantity, ...], Elimination]:
    """Record the solution x of M x = b, and return it with the factors of M = L^T D L.

    The arguments are those of `solve`. `solve_with_factors` reuses the factors.
    """
    rows = dict(enumerate(names))
    elimination = eliminate(recorder, rows, mass_matrix, dict(enumerate(right_hand_side)))
    # L x = D^-1 L^-T b.
    recorder.begin_section("Joint accelerations")
    solution = substitute(elimination.factors, elimination.scaled)
    return tuple(solution[row] for row in rows), elimination


def solve_with_factors(
    elimination: Elimination, right_hand_side: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record the solution x of M x = b with the factors of M from an earlier elimination.

    Args:
        elimination: the factors of M = L^T D L.
        right_hand_side: b: n scalars, or n vectors of equal length for several right-hand sides.

    Returns:
        The solution x, with the shape of b.
    """
    # L^T y = b from the tips to the base, then L x = D^-1 y from the base to the tips.
    solution, scaled = list(right_hand_side), dict[int, Quantity]()
    for joint in reversed([*elimination.inverses]):
        for row in elimination.carriers[joint]:
            solution[row] = reduced(solution[row], elimination.factors[joint, row], solution[joint])
        scaled[joint] = elimination.inverses[joint] * solution[joint]
    found = substitute(elimination.factors, {row: scaled[row] for row in elimination.inverses})
    return tuple(found[row] for row in elimination.inverses)
