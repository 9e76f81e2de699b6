"""The regressor of a reference motion: joint forces per unit of every inertial parameter.

The joint forces are those of `reference_motion`. The columns are computed as in the module
`regressor`, with the matrix lambda of `reference_difference`.
"""

from __future__ import annotations

from dynagen.dynamics.algorithms.motions import ReferenceMotion
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody
from dynagen.dynamics.algorithms.reference_motion import (
    ACCELERATION,
    record_reference_motions,
    reference_difference,
)
from dynagen.dynamics.algorithms.regressor import (
    Columns,
    UnitMotion,
    Y,
    first_moment_along,
    first_moments_across,
    mass_column,
    record_columns_of_motion,
)
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Matrix
from dynagen.numbers.exact import ONE


@formula
def second_moment_columns(e: Matrix, lam: Matrix) -> Matrix:
    """Return the regressor's entries for the second moments Sxx, Syy and Szz.

    Each entry is e.n: e is the angular velocity of the body at a unit velocity of the joint to
    which the row belongs, and n the inertial moment of a body with a unit second moment. `lam` is
    the matrix lambda that `reference_difference` computes. All quantities are in the body axes.
    """
    # n is the axial vector of lambda S - (lambda S)^T.
    return Matrix(
        [
            e[2] * lam[1, 0] - e[1] * lam[2, 0],
            e[0] * lam[2, 1] - e[2] * lam[0, 1],
            e[1] * lam[0, 2] - e[0] * lam[1, 2],
        ]
    )


@formula
def product_columns(e: Matrix, lam: Matrix) -> Matrix:
    """Return the regressor's entries for the products of inertia Jxy, Jxz and Jyz.

    Each entry is e.n: e is the angular velocity of the body at a unit velocity of the joint to
    which the row belongs, and n the inertial moment of a body with a unit product of inertia. `lam`
    is the matrix lambda that `reference_difference` computes. All quantities are in the body axes.
    """
    return Matrix(
        [
            e[1] * lam[2, 1] - e[0] * lam[2, 0] + e[2] * (lam[0, 0] - lam[1, 1]),
            e[0] * lam[1, 0] - e[2] * lam[1, 2] + e[1] * (lam[2, 2] - lam[0, 0]),
            e[2] * lam[0, 2] - e[1] * lam[0, 1] + e[0] * (lam[1, 1] - lam[2, 2]),
        ]
    )


def record_reference_columns(recording: Recording) -> tuple[dict[int, Columns], ...]:
    """Record the joint forces of the reference motion per unit of every inertial parameter.

    Returns:
        One mapping for each body. The keys are the numbers (`number_entries`) of the joints that
        move the body. The values are the forces of these joints per unit of each inertial parameter
        of the body.
    """
    motions = record_reference_motions(recording)
    return record_columns_of_motion(
        recording,
        lambda body: _resolve_in_body_axes(body, motions[body.index]),
        recording.add_elements(ACCELERATION),
        _record_unit_parameters,
    )


def _record_unit_parameters(
    pair: tuple[int, int],
    screw: UnitMotion,
    motion: tuple[Quantity, Quantity],
    motor: Quantity,
    known: Columns,
) -> Columns:
    """Record the forces of one joint per unit of one body's parameters, by parameter name.

    `pair` has the numbers of the body and of the joint. `screw` is the motion of the body at a unit
    velocity of the joint. `motion` contains the matrix lambda (`reference_difference`) and the
    reference acceleration of the body's origin, in the body axes. `motor` is the force of the joint
    per unit of its motor's inertia. `known` has the forces that are already recorded, by parameter
    name.
    """
    e, v, (lam, a) = screw.angular, screw.linear, motion
    computed = {
        "m": mass_column(v, a),
        **dict(zip(("mx", "my"), first_moments_across(e, v, lam, a), strict=True)),
        "mz": first_moment_along(e, v, lam, a),
        **dict(zip(("Sxx", "Syy", "Szz"), second_moment_columns(e, lam), strict=True)),
        **dict(zip(("Jxy", "Jxz", "Jyz"), product_columns(e, lam), strict=True)),
    }
    columns = {
        name: column.name(Y(*pair, label=name.lower()))
        for name, column in {**computed, **known}.items()
    }
    if "Jxx" not in known:
        # Jxx = 1 has the second moments -1/2, 1/2, 1/2.
        half = (columns["Syy"] + columns["Szz"] - columns["Sxx"]) * (ONE / 2)
        columns["Jxx"] = half.name(Y(*pair, label="jxx"))
    columns["Jyy"] = (columns["Szz"] - columns["Jxx"]).name(Y(*pair, label="jyy"))
    columns["Jzz"] = (columns["Syy"] - columns["Jxx"]).name(Y(*pair, label="jzz"))
    if "Jxx" in known:
        columns["Sxx"] = columns["Jyy"] + columns["Jzz"]
    return {**columns, "Ia": motor}


def _resolve_in_body_axes(body: ResolvedBody, motion: ReferenceMotion) -> tuple[Quantity, Quantity]:
    """Record the matrix lambda of a body and its origin's reference acceleration, in body axes.

    `motion` is the reference motion of the body, in its resolved axes; `motion.difference` is
    lambda.
    """
    if body.body_axes is None:
        return motion.difference, motion.acceleration
    w, wr, wd = (
        body.to_body_axes(each)
        for each in (
            motion.angular_velocity,
            motion.reference_velocity,
            motion.reference_acceleration,
        )
    )
    # lambda is computed again there: rotating nine elements costs more.
    return reference_difference(w, wr, wd), body.to_body_axes(motion.acceleration)
