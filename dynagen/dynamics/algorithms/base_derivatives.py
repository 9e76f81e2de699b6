"""Derivatives of inverse dynamics by the motion of a floating base: the columns that `derivatives` leaves out.

They are derivatives in the tangent space, as Pinocchio's: by small motions along and about the axes of the base, and by its
velocities, whose components in these axes are v and w. With forces and motions in the axes of the base,

- where the base is changes nothing; a small rotation e of it changes only gravity in its axes, up by up x e;
- v and w change the acceleration of the base's origin, dv/dt + w x v + up, by w x e and e x v;
- w changes the acceleration of a particle at r from the origin by 2 e x r' + (w x e) x r also, r' being the rate of change
  of r in axes that do not rotate. For an axis that a joint carries w x e counts twice, as the axis rotates with the base.

The Coriolis matrix is the same with r' and hx once instead of twice, and without v: the sum of m x_j . dx/dt, x = e x r.

Summed over a joint's composite with the motion x_j at its unit velocity these use the momenta p and h of the mass matrix and
hx = 2 sum of m r' x x_j, about the base's origin; over the whole robot its first moments, its inertia, and P = 2 sum of m r',
V = 2 sum of m r' r^T.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix, eye

from dynagen.dynamics.algorithms.algebra import symmetric
from dynagen.dynamics.algorithms.coriolis import CoriolisEntries
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR, record_up
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording.formula import Quantity, formula


@formula
def by_base_angular_velocity(
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
def base_force_by_angular_velocity(
    mass: Expr, first_moment: Matrix, momentum: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Derivative of the base's force by w: sum of m (2 e x r' + (w x e) x r + e x v) = -[P x] - [s x] [w x] - m [v x]."""
    return -momentum.hat() - first_moment.hat() * w.hat() - mass * v.hat()


@formula
def base_moment_by_angular_velocity(
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
        in_fall: whether w x v is left out of the acceleration of the base's origin, as in `floating_base.motion_in_fall`.
    """

    linear: Quantity
    angular: Quantity
    in_fall: bool


def record_base_velocity_columns(
    recording: Recording, motion: BaseMotion, found: CoriolisEntries
) -> JointMatrix:
    """Record the derivatives by the velocities of a floating base.

    Args:
        recording: of the robot.
        motion: of its base.
        found: the other entries, for twice the velocities; for the velocities where the result is the Coriolis matrix.

    Returns:
        Columns of the base's entries, by the numbers of `number_entries`.
    """
    v, w = motion.linear, motion.angular
    base = recording.bodies[0].numbers
    recording.section("Derivatives by the velocities of the base")
    entries = {} if motion.in_fall else _columns_across(recording, w, found, base[LINEAR])
    for joint, unit in found.in_base_axes.items():
        (row,) = recording.bodies[joint].numbers
        column = by_base_angular_velocity(unit.momentum, unit.moment, unit.places, w, v)
        entries |= {
            (row, number): entry for number, entry in zip(base[ANGULAR], column, strict=True)
        }
    whole, flow = found.composites[0], found.motions[0]
    force = base_force_by_angular_velocity(whole.mass, whole.first_moment, flow.momentum, w, v)
    moment = base_moment_by_angular_velocity(whole.first_moment, whole.inertia, flow.flux, w, v)
    return (
        entries
        | _block(base[LINEAR], base[ANGULAR], force)
        | _block(base[ANGULAR], base[ANGULAR], moment)
    )


def record_base_rotation_columns(recording: Recording, found: CoriolisEntries) -> JointMatrix:
    """Record the derivatives by small rotations of a floating base; those by its translations are zero.

    Args:
        recording: of the robot.
        found: the entries for the other joints, with their parts.

    Returns:
        As `record_base_velocity_columns`.
    """
    up = record_up(recording)
    recording.section("Derivatives by rotations of the base")
    return _columns_across(recording, up, found, recording.bodies[0].numbers[ANGULAR])


def _columns_across(
    recording: Recording, vector: Quantity, found: CoriolisEntries, columns: range
) -> dict[tuple[int, int], Quantity]:
    """Record the columns of motions e that accelerate the base's origin by u x e."""
    base, whole = recording.bodies[0].numbers, found.composites[0]
    force, moment = (
        base_force_across(whole.mass, vector),
        base_moment_across(whole.first_moment, vector),
    )
    entries = {**_block(base[LINEAR], columns, force), **_block(base[ANGULAR], columns, moment)}
    for joint, unit in found.in_base_axes.items():
        (row,) = recording.bodies[joint].numbers
        # Derivative of a joint's force by e: p x u.
        entries |= {
            (row, number): entry
            for number, entry in zip(columns, unit.momentum.cross(vector), strict=True)
        }
    return entries


def _block(rows: range, columns: range, matrix: Quantity) -> dict[tuple[int, int], Quantity]:
    places = [(row, column) for row in rows for column in columns]
    return dict(zip(places, matrix, strict=True))
