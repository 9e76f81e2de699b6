"""Derivatives of inverse dynamics by the motion of a floating base: the columns that `derivatives` leaves out.

They are derivatives in the tangent space, as Pinocchio's: by small motions along and about the axes of the base, and by its
velocities, whose components in these axes are v and w. With forces and motions in the axes of the base,

- where the base is changes nothing; a small rotation e of it changes only gravity in its axes, up by up x e;
- v and w change the acceleration of the base's origin, dv/dt + w x v + up, by w x e and e x v;
- w changes the acceleration of a particle at r from the origin by 2 e x r' + (w x e) x r besides, r' being the rate of change
  of r in axes that do not rotate. For an axis that a joint carries w x e counts twice, as the axis rotates with the base.

The Coriolis matrix is the same with r' and hx once instead of twice, and without v: the sum of m x_j . dx/dt, x = e x r.

Summed over a joint's composite with the motion x_j at its unit rate these take the momenta p and h of the mass matrix and
hx = 2 sum of m r' x x_j, about the base's origin; over the whole robot its first moments, its inertia, and P = 2 sum of m r',
V = 2 sum of m r' r^T.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix, eye

from dynagen.dynamics.algorithms.algebra import symmetric
from dynagen.dynamics.algorithms.coordinates import entry_numbers
from dynagen.dynamics.algorithms.coriolis import CoriolisEntries
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.robot.model.model import RobotModel


@formula
def by_acceleration_across(momentum: Matrix, vector: Matrix) -> Matrix:
    """Derivative of a joint's force by e, where the base's origin accelerates by u x e: p x u."""
    return momentum.cross(vector)


@formula
def by_base_rotation_rate(
    momentum: Matrix, moment: Matrix, places: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Derivative of a joint's force by w: hx + h x w + v x p."""
    return places + moment.cross(w) + v.cross(momentum)


@formula
def base_force_across(mass: Expr, vector: Matrix) -> Matrix:
    """Derivative of the base's force by e, where its origin accelerates by u x e: m [u x]."""
    return mass * vector.hat()


@formula
def base_moment_across(first_moment: Matrix, vector: Matrix) -> Matrix:
    """Derivative of the base's moment by e, where its origin accelerates by u x e: [s x] [u x]."""
    return first_moment.hat() * vector.hat()


@formula
def base_force_by_rotation_rate(
    mass: Expr, first_moment: Matrix, momentum: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Derivative of the base's force by w: sum of m (2 e x r' + (w x e) x r + e x v) = -[P x] - [s x] [w x] - m [v x]."""
    return -momentum.hat() - first_moment.hat() * w.hat() - mass * v.hat()


@formula
def base_moment_by_rotation_rate(
    first_moment: Matrix, inertia: Matrix, flux: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Derivative of the base's moment by w, the sum of m r x (...): tr(V) 1 - V + J [w x] - [s x] [v x]."""
    return (
        flux.trace() * eye(3) - flux + symmetric(inertia) * w.hat() - first_moment.hat() * v.hat()
    )


@dataclass(frozen=True)
class BaseMotion:
    """Velocity of the origin of a floating base and its angular velocity, in its axes.

    Attributes:
        in_fall: whether w x v is left out of the acceleration of the base's origin, as in `floating_base.relative_to_fall`.
    """

    linear: Quantity
    angular: Quantity
    in_fall: bool


def record_base_rate_columns(
    recorder: Recorder,
    model: RobotModel,
    motion: BaseMotion,
    found: CoriolisEntries,
) -> JointMatrix:
    """Record the derivatives by the velocities of a floating base.

    Args:
        recorder: receives the program.
        model: the robot.
        motion: of its base.
        found: the other entries, for twice the rates; for the rates where the Coriolis matrix is asked for.

    Returns:
        Columns of the base's entries, by the numbers of `entry_numbers`.
    """
    v, w = motion.linear, motion.angular
    numbers = entry_numbers(model)
    base = numbers[0]
    recorder.section("Derivatives by the velocities of the base")
    entries = {} if motion.in_fall else _columns_across(recorder, model, w, found, base[LINEAR])
    for index, each in found.in_base_axes.items():
        (row,) = numbers[index]
        column = recorder.apply(
            by_base_rotation_rate, each.momentum, each.moment, each.places, w, v
        )
        entries |= {
            (row, number): entry for number, entry in zip(base[ANGULAR], column, strict=True)
        }
    whole, flow = found.composites[0], found.motions[0]
    force = recorder.apply(
        base_force_by_rotation_rate, whole.mass, whole.first_moment, flow.momentum, w, v
    )
    moment = recorder.apply(
        base_moment_by_rotation_rate, whole.first_moment, whole.inertia, flow.flux, w, v
    )
    return (
        entries
        | _block(base[LINEAR], base[ANGULAR], force)
        | _block(base[ANGULAR], base[ANGULAR], moment)
    )


def record_base_rotation_columns(
    recorder: Recorder, model: RobotModel, up: Quantity, found: CoriolisEntries
) -> JointMatrix:
    """Record the derivatives by small rotations of a floating base; those by its translations are zero.

    Args:
        recorder: receives the program.
        model: the robot.
        up: opposite of gravity, in the axes of the base.
        found: what the entries for the other joints were made of.

    Returns:
        As `record_base_rate_columns`.
    """
    recorder.section("Derivatives by rotations of the base")
    return _columns_across(recorder, model, up, found, entry_numbers(model)[0][ANGULAR])


def _columns_across(
    recorder: Recorder,
    model: RobotModel,
    vector: Quantity,
    found: CoriolisEntries,
    columns: range,
) -> dict[tuple[int, int], Quantity]:
    """Record the columns of motions e that accelerate the base's origin by u x e."""
    numbers, whole = entry_numbers(model), found.composites[0]
    force = recorder.apply(base_force_across, whole.mass, vector)
    moment = recorder.apply(base_moment_across, whole.first_moment, vector)
    entries = {
        **_block(numbers[0][LINEAR], columns, force),
        **_block(numbers[0][ANGULAR], columns, moment),
    }
    for index, each in found.in_base_axes.items():
        (row,) = numbers[index]
        column = recorder.apply(by_acceleration_across, each.momentum, vector)
        entries |= {(row, number): entry for number, entry in zip(columns, column, strict=True)}
    return entries


def _block(rows: range, columns: range, matrix: Quantity) -> dict[tuple[int, int], Quantity]:
    places = [(row, column) for row in rows for column in columns]
    return dict(zip(places, matrix, strict=True))
