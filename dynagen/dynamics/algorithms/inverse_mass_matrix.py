"""The inverse of the mass matrix M, from its factors or from articulated bodies.

Three methods compute the inverse Z = M^-1. The first two require about the same number of
operations for a matrix without zeros:

- By columns: with the factors M = L^T D L of `factorisation` (L lower triangular with ones on its
  diagonal, D diagonal), solve M z = e for every unit vector e.
- By rows: L Z = D^-1 L^-T is upper triangular and has the diagonal of D^-1. Row i of Z up to the
  diagonal is therefore minus the sum of L_ik times row k over k < i, plus 1 / D_i on the diagonal
  (Takahashi, Fagan and Chin, "Formation of a Sparse Bus Impedance Matrix and Its Application to
  Short Circuit Study", PICA 1973). For parallel joints, T^T M T is factored instead of M, where qd
  = T yd defines absolute velocities yd (`mass_matrix`). The inverse of M is then T Z T^T.

- By articulated bodies: column j of Z contains the joint accelerations of a robot at rest, without
  gravity, under a unit force of joint j (Carpentier, "Analytical Inverse of the Joint Space Inertia
  Matrix", LAAS report 18045, 2018). This method requires fewer operations for arms with many zeros
  in their wrenches and motions, such as arms with a spherical wrist.
"""

from __future__ import annotations

from dynagen.dynamics.algorithms.articulated import record_articulated_bodies
from dynagen.dynamics.algorithms.external_wrenches import NO_CONTACTS
from dynagen.dynamics.algorithms.factorisation import Elimination, eliminate, reduced, solve
from dynagen.dynamics.algorithms.mass_matrix import (
    find_parallel_pairs,
    record_mass_matrix,
    recover_accelerations,
    transform_matrix,
)
from dynagen.dynamics.algorithms.recording import JointMotion, Recording
from dynagen.dynamics.recording import Quantity, join


def record_inverse_by_columns(recording: Recording) -> list[Quantity]:
    """Record the inverse of the mass matrix M by solving M z = e for all unit vectors e.

    The result is an nv x nv matrix, row-major.
    """
    entries = range(recording.model.nv)
    units = [
        join(recording.add_constant(int(row == column)) for column in entries) for row in entries
    ]
    columns = solve(
        recording.recorder, list_entry_names(recording), record_mass_matrix(recording), units
    )
    # The passes remove the other half of this symmetric matrix.
    return [columns[min(row, column)][max(row, column)] for row in entries for column in entries]


def record_inverse_by_rows(recording: Recording) -> list[Quantity]:
    """Record the inverse of the mass matrix row by row, from the factors of the matrix.

    The result is an nv x nv matrix, row-major.
    """
    pairs, entries = find_parallel_pairs(recording.model), range(recording.model.nv)
    matrix = transform_matrix(pairs, record_mass_matrix(recording))
    names = dict(enumerate(list_entry_names(recording)))
    elimination = eliminate(recording.recorder, names, matrix)
    recording.begin_section("Inverse of the mass matrix")
    inverse = invert(recording, elimination)
    # T Z, then T (T Z)^T.
    for _ in range(2):
        rows = {row: join(inverse[column, row] for column in entries) for row in entries}
        rows = recover_accelerations(pairs, rows)
        inverse = {(row, column): rows[row][column] for row in entries for column in entries}
    return [inverse[max(row, column), min(row, column)] for row in entries for column in entries]


def record_inverse_by_bodies(recording: Recording) -> list[Quantity]:
    """Record the inverse of the mass matrix by the articulated-body algorithm.

    The result is an nv x nv matrix, row-major.
    """
    entries = range(recording.model.nv)
    still = JointMotion(recording.zeros, recording.zeros, gravity=False)
    # All columns share the articulated inertias.
    with recording.recorder.memoise():
        columns = [
            record_articulated_bodies(
                recording,
                still,
                tuple(recording.add_constant(int(row == column)) for row in entries),
                NO_CONTACTS,
            )
            for column in entries
        ]
    # M^-1 is symmetric, so of each force only the accelerations of its own joint and of the joints
    # before it are used. The other half costs more (PUMA 560: 290 operations instead of 276).
    return [columns[max(row, column)][min(row, column)] for row in entries for column in entries]


def invert(recording: Recording, elimination: Elimination) -> dict[tuple[int, int], Quantity]:
    """Record the inverse of a symmetric matrix by (row, column), from its factors L^T D L.

    The two entries of a symmetric pair are the same quantity.
    """
    inverse: dict[tuple[int, int], Quantity] = {}
    for row, pivot in elimination.inverses.items():
        for column in range(row + 1):
            # Z_ij = delta_ij / D_i - sum over k < i of L_ik Z_kj (Takahashi and others 1973).
            entry = pivot if row == column else recording.add_constant(0)
            for carrier in range(row):
                if (row, carrier) in elimination.factors:
                    entry = reduced(
                        entry, elimination.factors[row, carrier], inverse[carrier, column]
                    )
            inverse[row, column] = inverse[column, row] = entry
    return inverse


def list_entry_names(recording: Recording) -> list[str]:
    """Return for every entry of the velocity vector the name of the body that its joint moves."""
    return [body.name for body in recording.model.coordinates for _ in body.entries]
