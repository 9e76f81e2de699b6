"""Constraints J qdd + b = 0: accelerations and constraint forces of a constrained robot.

Contacts, closed loops and impacts have the same equations, with different J and b. The constraint
matrix J has one row for each constraint and one column for each joint velocity. b is the
acceleration of the constraint at qdd = 0. The equations of motion are M qdd = net + J^T f with the
mass matrix M; net are the joint forces minus the bias forces. The constraint forces f are the
solution of

    J M^-1 J^T f = -(b + J M^-1 net),

and qdd = M^-1 (net + J^T f). M is not inverted but factored: M = L^T D L (`factorisation`). J M^-1
J^T is X^T D^-1 X with X = L^-T J^T.

The sources are Featherstone, "Rigid Body Dynamics Algorithms", 2008, chapter 8 (closed loops) and
section 11.4 (impacts), and for the stabilisation Baumgarte, "Stabilization of constraints and
integrals of motion in dynamical systems", Computer Methods in Applied Mechanics and Engineering
1(1), 1972.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from dynagen.dynamics.algorithms.factorisation import eliminate, substitute
from dynagen.dynamics.algorithms.frame_motion import record_acceleration, record_velocity
from dynagen.dynamics.algorithms.inverse_mass_matrix import list_entry_names
from dynagen.dynamics.algorithms.kinematics import record_jacobian, record_pose
from dynagen.dynamics.algorithms.mass_matrix import (
    find_parallel_pairs,
    record_mass_matrix,
    recover_accelerations,
    transform_forces,
    transform_matrix,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.robot.model.model import AttachedFrame

POINT = 3
"""Number of constraints that hold the origin of a frame; six constraints hold its pose."""

_DEPENDENT = "the constraints are dependent in this position"

Rows = Sequence[Sequence[Quantity]]
"""Rows of the constraint matrix J in J qdd + b = 0: one scalar for every joint velocity."""


@dataclass(frozen=True)
class ConstrainedMotion:
    """The solution of the constrained equations of motion.

    Attributes:
        accelerations: joint accelerations qdd, one for each entry of the velocity vector v.
        forces: constraint forces f on the robot, one for each constraint; their joint forces are
            J^T f.
    """

    accelerations: tuple[Quantity, ...]
    forces: tuple[Quantity, ...]


def record_frame_rows(
    recording: Recording, frame: AttachedFrame, count: int
) -> tuple[tuple[Quantity, ...], ...]:
    """Record the matrix J of the constraints that hold a frame.

    J v is the velocity of the frame at the joint velocities v.

    Args:
        recording: program under construction, with the robot model and its bodies.
        frame: the frame that the constraints hold.
        count: 3 for the velocity of the frame's origin in base axes; 6 for this velocity and the
            angular velocity in base axes.

    Returns:
        `count` rows, each with one scalar for every entry of the velocity vector v.
    """
    nv = recording.model.nv
    jacobian = record_jacobian(recording, frame, in_frame_axes=False, two_axes=False)
    return tuple(tuple(jacobian[row * nv : (row + 1) * nv]) for row in range(count))


def record_frame_velocities(
    recording: Recording, frame: AttachedFrame, count: int
) -> tuple[Quantity, ...]:
    """Record J qd, the velocity of a frame that constraints hold, in base axes.

    If `count` is 3, the result is the velocity of the frame's origin (m/s). If `count` is 6, the
    angular velocity (rad/s) follows.
    """
    velocity = record_velocity(recording, frame)
    return (*velocity.linear, *velocity.angular)[:count]


@formula
def turn_between(
    from_x: Matrix, from_y: Matrix, from_z: Matrix, x: Matrix, y: Matrix, z: Matrix
) -> Matrix:
    """Return the rotation vector between two sets of axes, times sin(angle) / angle.

    The rotation vector is the unit vector of the rotation axis times the angle (rad). `from_x`,
    `from_y`, `from_z` are the unit vectors of the first set; x, y, z are those of the second set.
    """
    return (from_x.cross(x) + from_y.cross(y) + from_z.cross(z)) / 2


@formula
def stabilised(drift: Expr, stiffness: Expr, error: Expr, damping: Expr, velocity: Expr) -> Expr:
    """Return b of a constraint: drift + stiffness error + damping velocity (Baumgarte 1972).

    The constraint is J qdd + b = 0, with one row of J. `drift` is the acceleration dJ/dt qd (m/s^2
    or rad/s^2), and `velocity` is J qd. `error` is the deviation from the position that the
    constraint prescribes (m or rad). `stiffness` is in 1/s^2, `damping` in 1/s.
    """
    return drift + (stiffness * error + damping * velocity)


def record_frame_biases(
    recording: Recording,
    frame: AttachedFrame,
    count: int,
    gains: Sequence[Quantity],
    anchor: Quantity,
    axes: Sequence[Quantity] = (),
) -> tuple[Quantity, ...]:
    """Record b in the constraints J qdd + b = 0 that hold a frame: one scalar for each constraint.

    b is the acceleration of the frame at qdd = 0 plus Baumgarte's stabilisation terms, in base
    axes: three linear entries, then three angular entries if `count` is 6.

    Args:
        recording: program under construction, with the robot model and its bodies.
        frame: the frame that the constraints hold.
        count: number of constraints: 3 for the origin, 6 for the origin and the orientation.
        gains: stiffness (1/s^2) and damping (1/s) of the stabilisation.
        anchor: the position at which the frame's origin is held, in base axes (m).
        axes: the directions in which the frame's axes x, y, z are held, as unit vectors in base
            axes, if `count` is 6.
    """
    # dJ/dt qd: the frame's acceleration without joint accelerations, in base axes.
    drift = record_acceleration(recording, frame)
    own, position = record_pose(recording, frame, two_axes=False)
    errors = [*(position - anchor), *(turn_between(*axes, *own) if axes else ())]
    stiffness, damping = gains
    return tuple(
        stabilised(each, stiffness, error, damping, velocity)
        for each, error, velocity in zip(
            (*drift.linear, *drift.angular)[:count],
            errors,
            record_frame_velocities(recording, frame, count),
            strict=True,
        )
    )


def record_constrained_motion(
    recording: Recording, rows: Rows, biases: Sequence[Quantity], net: Sequence[Quantity]
) -> ConstrainedMotion:
    """Record the solution qdd and f of M qdd = net + J^T f and J qdd + b = 0.

    M is the mass matrix, J the constraint matrix, and f are the constraint forces. For an impact,
    `net` is zero and b is J qd; the solution then contains the changes of qd and the impulses of
    the constraints.

    Args:
        recording: program under construction, with the robot model and its bodies.
        rows: the rows of J. If they are linearly dependent in a state, the generated function
            returns the status code 1.
        biases: b, one for each row.
        net: joint forces tau minus bias forces (N m or N), one for each entry of the velocity
            vector v.
    """
    pairs, entries, last = find_parallel_pairs(recording.model), range(len(net)), len(rows)
    matrix = transform_matrix(pairs, record_mass_matrix(recording))
    # One elimination of M serves all right-hand sides: the columns of J^T, then the net forces.
    sides = transform_forces(
        pairs, {entry: join((*(row[entry] for row in rows), net[entry])) for entry in entries}
    )
    names = dict(enumerate(list_entry_names(recording)))
    elimination = eliminate(recording.recorder, names, matrix, sides)

    recording.begin_section("Accelerations along the constraints per unit constraint force")

    def multiply(row: int, column: int) -> Quantity:
        return reduce(
            add,
            (elimination.swept[each][row] * elimination.scaled[each][column] for each in names),
        )

    # J M^-1 J^T is symmetric, and its lower triangle suffices. `swept` is L^-T of the sides, and
    # `scaled` has them over the pivots.
    flexibility = {
        (row, column): multiply(row, column) for row in range(last) for column in range(row + 1)
    }
    # J M^-1 J^T f = -(J M^-1 net + b)
    wanted = {row: -(multiply(row, last) + biases[row]) for row in range(last)}
    with recording.recorder.suppress_names():
        reduced = eliminate(
            recording.recorder,
            dict.fromkeys(range(last), ""),
            flexibility,
            wanted,
            title="Constraint forces",
            dependent=_DEPENDENT,
        )
        forces = substitute(reduced.factors, reduced.scaled)

    recording.begin_section("Joint accelerations")
    # M^-1 (net + J^T f) from the sides that are swept already: no second elimination.
    scaled = {
        each: reduce(
            add,
            (elimination.scaled[each][row] * forces[row] for row in range(last)),
            elimination.scaled[each][last],
        )
        for each in names
    }
    relative = recover_accelerations(pairs, substitute(elimination.factors, scaled))
    return ConstrainedMotion(
        tuple(relative[entry] for entry in entries), tuple(forces[row] for row in range(last))
    )
