"""The centre of mass of all that moves, and the momenta about it: RobotModel, frames -> position, Jacobian, momentum matrix.

D. E. Orin, A. Goswami, S.-H. Lee, "Centroidal Dynamics of a Humanoid Robot", Autonomous Robots 35, 2013: with x_j for the
velocity that a unit rate of entry j of v gives to a particle, column j of the centroidal momentum matrix is the sum of m x_j
and that of m (x - c) x x_j, c being the centre of mass. They are the momenta p and h of the mass matrix, carried inward as far
as there are bodies, and taken about c there. Its linear rows over the mass are the Jacobian of c.

The bodies end at the floating base, in whose axes all is added up before it is rotated into those of the base frame, or at
the base itself, where nothing is left to rotate. What the mass matrix does not observe of inertial parameters counts here: on
a fixed base they cannot be regrouped. On a floating one its base observes all of the momentum.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import negative, product, sum_of, symmetric
from dynagen.dynamics.algorithms.composite import (
    Composite,
    add_composites,
    carry_composite_inward,
    carry_inward,
    record_composites,
    record_unit_momenta,
)
from dynagen.dynamics.algorithms.coordinates import sum_forces
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.newton_euler_steps import moment_about
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.model.model import BASE, RobotModel

COM = Symbol(
    "com",
    "i",
    VECTOR,
    "centre of mass of all that moves, from the origin of body i (0: the base)",
    "m",
)


@formula
def momenta_of_rotation(first_moment: Matrix) -> Matrix:
    """Columns of linear momentum at unit rates about the axes: e x s."""
    return -first_moment.hat()


@formula
def mass_columns(mass: Expr) -> Matrix:
    """Columns of linear momentum at unit velocities along the axes: m e."""
    return mass * Matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])


@formula
def inertia_about_com(inertia: Matrix, com: Matrix, first_moment: Matrix) -> Matrix:
    """Inertia about the centre of mass, J + [c x] [s x], s = m c: the moments of unit rates about the axes."""
    return symmetric(inertia) + com.hat() * first_moment.hat()


@formula
def column_of(matrix: Matrix) -> Matrix:
    """The three columns of a matrix below each other."""
    return Matrix([*matrix[:, 0], *matrix[:, 1], *matrix[:, 2]])


@dataclass(frozen=True)
class Momenta:
    """Linear momentum at a unit rate of an entry of v, and the angular one about the centre of mass."""

    linear: Quantity
    angular: Quantity


def mass_of_all(model: RobotModel) -> Exact:
    """Mass of all that moves (kg)."""
    return sum((body.inertial.mass for body in model.bodies), ZERO)


def record_center_of_mass(recorder: Recorder, model: RobotModel, frames: Frames) -> Quantity:
    """Record the position of the centre of mass of all that moves, in the base frame (m)."""
    composites = record_composites(recorder, model, frames)
    com = _record_com(recorder, model, _record_whole(recorder, model, frames, composites))
    if model.floats:
        com = recorder.apply(sum_of, frames[0].inward(recorder, com), frames[0].translation)
    return recorder.name(COM(BASE + 1), com)


def record_com_jacobian(recorder: Recorder, model: RobotModel, frames: Frames) -> list[Quantity]:
    """Record the elements of the 3 x n Jacobian of the centre of mass, row-major."""
    per_mass = recorder.constant(mass_of_all(model).reciprocal())
    columns = [
        [recorder.apply(product, per_mass, element) for element in each.linear]
        for each in _record_momenta(recorder, model, frames, about_com=False)
    ]
    return [column[row] for row in range(3) for column in columns]


def record_centroidal_momenta(
    recorder: Recorder, model: RobotModel, frames: Frames
) -> list[Quantity]:
    """Record the elements of the 6 x n centroidal momentum matrix, linear rows first, row-major."""
    columns = _record_momenta(recorder, model, frames, about_com=True)
    halves = ([list(each.linear) for each in columns], [list(each.angular) for each in columns])
    return [column[row] for half in halves for row in range(3) for column in half]


def _record_momenta(
    recorder: Recorder, model: RobotModel, frames: Frames, about_com: bool
) -> list[Momenta]:
    """Record the momenta of all entries of v; the angular ones, unless about the centre of mass, are of no meaning."""
    composites = record_composites(recorder, model, frames)
    whole = _record_whole(recorder, model, frames, composites)
    com = _record_com(recorder, model, whole) if about_com else recorder.constant(0, 0, 0)
    to_com = recorder.apply(negative, com)
    of_bodies: list[list[Momenta]] = []
    for joint, body in enumerate(model.bodies):
        recorder.section(f"Momenta of joint {joint + 1} ({body.name})")
        if body.is_free:
            of_bodies.append(_momenta_of_base(recorder, whole, com))
            continue
        *_, (last, linear, angular) = record_unit_momenta(
            recorder, model, frames, composites[joint], joint
        )
        if not model.bodies[last].is_free:
            linear, angular = carry_inward(recorder, frames[last], linear, angular)
        of_bodies.append([Momenta(linear, recorder.apply(moment_about, angular, to_com, linear))])
    if model.floats:
        rotate = frames[0].inward
        of_bodies = [
            [
                Momenta(rotate(recorder, each.linear), rotate(recorder, each.angular))
                for each in of_joint
            ]
            for of_joint in of_bodies
        ]
    linear_parts = sum_forces(
        recorder, model, [tuple(each.linear for each in of_joint) for of_joint in of_bodies]
    )
    angular_parts = sum_forces(
        recorder, model, [tuple(each.angular for each in of_joint) for of_joint in of_bodies]
    )
    return [Momenta(*parts) for parts in zip(linear_parts, angular_parts, strict=True)]


def _momenta_of_base(recorder: Recorder, whole: Composite, com: Quantity) -> list[Momenta]:
    """The momenta of a floating base that carries all, in its axes: along them nothing rotates about the centre of mass."""
    none = recorder.constant(0, 0, 0)
    along = recorder.apply(column_of, recorder.apply(mass_columns, whole.mass))
    about = recorder.apply(column_of, recorder.apply(momenta_of_rotation, whole.first_moment))
    moments = recorder.apply(
        column_of, recorder.apply(inertia_about_com, whole.inertia, com, whole.first_moment)
    )
    thirds = [slice(start, start + 3) for start in (0, 3, 6)]

    def vectors(columns: Quantity) -> list[Quantity]:
        return [Quantity((3,), columns.values[third]) for third in thirds]

    return [
        *(Momenta(linear, none) for linear in vectors(along)),
        *(Momenta(*pair) for pair in zip(vectors(about), vectors(moments), strict=True)),
    ]


def _record_whole(
    recorder: Recorder, model: RobotModel, frames: Frames, composites: tuple[Composite, ...]
) -> Composite:
    """The composite of all bodies, in the axes of the floating base, or of the base."""
    if model.floats:
        return composites[0]
    zero, none = recorder.constant(0), recorder.constant(0, 0, 0)
    whole = Composite(zero, none, recorder.constant(0, 0, 0, 0, 0, 0))
    for index, body in enumerate(model.bodies):
        if body.parent == BASE:
            whole = add_composites(
                recorder, whole, carry_composite_inward(recorder, frames[index], composites[index])
            )
    return whole


def _record_com(recorder: Recorder, model: RobotModel, whole: Composite) -> Quantity:
    per_mass = recorder.constant(mass_of_all(model).reciprocal())
    elements = [recorder.apply(product, per_mass, element) for element in whole.first_moment]
    values = tuple(value for element in elements for value in element.values)
    return recorder.name(COM(int(model.floats)), Quantity((3,), values))
