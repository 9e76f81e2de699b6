"""The centre of mass of all that moves, and the momenta about it: RobotModel, frames -> position, Jacobian, momentum matrix.

D. E. Orin, A. Goswami, S.-H. Lee, "Centroidal Dynamics of a Humanoid Robot", Autonomous Robots 35, 2013: with x_j for the
velocity of a particle at a unit velocity of entry j of v, column j of the centroidal momentum matrix is the sum of m x_j and
the sum of m (x - c) x x_j, c being the centre of mass. They are the momenta p and h of the mass matrix, carried inward as far
as there are bodies, and taken about c there. Its linear rows over the mass are the Jacobian of c.

The bodies end at the floating base, in whose axes all momenta are summed before they are rotated into the axes of the base
frame, or at the base itself, where no rotation is left. Inertial parameters that the mass matrix does not observe count here:
on a fixed base they cannot be regrouped. A floating base observes all of the momentum.
"""

from __future__ import annotations

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import symmetric
from dynagen.dynamics.algorithms.composite import Composite, record_composites, record_unit_momenta
from dynagen.dynamics.algorithms.coordinates import sum_forces
from dynagen.dynamics.algorithms.recording import Recording, Wrench, moment_about
from dynagen.dynamics.recording.formula import Quantity, formula, vector
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
    """Columns of linear momentum at unit velocities about the axes: e x s."""
    return -first_moment.hat()


@formula
def mass_columns(mass: Expr) -> Matrix:
    """Columns of linear momentum at unit velocities along the axes: m e."""
    return mass * Matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])


@formula
def inertia_about_com(inertia: Matrix, com: Matrix, first_moment: Matrix) -> Matrix:
    """Inertia about the centre of mass, J + [c x] [s x], s = m c: the moments of unit velocities about the axes."""
    return symmetric(inertia) + com.hat() * first_moment.hat()


def sum_masses(model: RobotModel) -> Exact:
    """Return the mass of all that moves (kg)."""
    return sum((body.inertial.mass for body in model.bodies), ZERO)


def record_center_of_mass(recording: Recording) -> Quantity:
    """Record the position of the centre of mass of all that moves, in the base frame (m)."""
    com = _record_com(recording, _record_whole(recording, record_composites(recording)))
    if recording.model.floats:
        base = recording.bodies[0]
        com = base.inward(com) + base.translation
    return com.name(COM(BASE + 1))


def record_com_jacobian(recording: Recording) -> list[Quantity]:
    """Record the elements of the 3 x n Jacobian of the centre of mass, row-major."""
    per_mass = recording.constant(sum_masses(recording.model).reciprocal())
    columns = [
        [per_mass * element for element in each.force]
        for each in _record_momenta(recording, about_com=False)
    ]
    return [column[row] for row in range(3) for column in columns]


def record_centroidal_momenta(recording: Recording) -> list[Quantity]:
    """Record the elements of the 6 x n centroidal momentum matrix, linear rows first, row-major."""
    columns = _record_momenta(recording, about_com=True)
    halves = ([each.force for each in columns], [each.moment for each in columns])
    return [column[row] for half in halves for row in range(3) for column in half]


def _record_momenta(recording: Recording, about_com: bool) -> list[Wrench]:
    """Record the momenta of all entries of v, in base axes; unless about the centre of mass, the angular ones mean nothing."""
    composites = record_composites(recording)
    whole = _record_whole(recording, composites)
    com = _record_com(recording, whole) if about_com else recording.constant(0, 0, 0)
    to_com = -com
    momenta: list[list[Wrench]] = []
    for joint in recording.bodies:
        joint.section("Momenta of joint")
        if joint.is_free:
            momenta.append(_momenta_of_base(whole, com))
            continue
        *_, (last, unit) = record_unit_momenta(recording, joint, composites[joint.index])
        if not last.is_free:
            unit = last.carry_inward(unit)
        momenta.append([Wrench(unit.force, moment_about(unit.moment, to_com, unit.force))])
    if recording.model.floats:
        inward = recording.bodies[0].inward
        momenta = [
            [Wrench(inward(each.force), inward(each.moment)) for each in of_joint]
            for of_joint in momenta
        ]
    linear = sum_forces(recording, [tuple(each.force for each in of_joint) for of_joint in momenta])
    angular = sum_forces(
        recording, [tuple(each.moment for each in of_joint) for of_joint in momenta]
    )
    return [Wrench(*halves) for halves in zip(linear, angular, strict=True)]


def _momenta_of_base(whole: Composite, com: Quantity) -> list[Wrench]:
    """Record the momenta of a floating base that carries all, in its axes: along them nothing rotates about the com."""
    none = com.recorder.constant(0, 0, 0)
    along = _columns(mass_columns(whole.mass))
    about = _columns(momenta_of_rotation(whole.first_moment))
    moments = _columns(inertia_about_com(whole.inertia, com, whole.first_moment))
    return [
        *(Wrench(linear, none) for linear in along),
        *(Wrench(*pair) for pair in zip(about, moments, strict=True)),
    ]


def _columns(matrix: Quantity) -> list[Quantity]:
    """Return the columns of a 3 x 3 matrix."""
    return [vector(matrix[3 * row + column] for row in range(3)) for column in range(3)]


def _record_whole(recording: Recording, composites: tuple[Composite, ...]) -> Composite:
    """Record the composite of all bodies, in the axes of the floating base, or of the base."""
    if recording.model.floats:
        return composites[0]
    whole = Composite(
        recording.constant(0), recording.constant(0, 0, 0), recording.constant(0, 0, 0, 0, 0, 0)
    )
    for body, composite in zip(recording.bodies, composites, strict=True):
        if body.parent == BASE:
            whole += composite.carry_inward(body)
    return whole


def _record_com(recording: Recording, whole: Composite) -> Quantity:
    """Record the centre of mass, from the origin that the first moment of all bodies is about."""
    per_mass = recording.constant(sum_masses(recording.model).reciprocal())
    return vector(per_mass * element for element in whole.first_moment).name(
        COM(int(recording.model.floats))
    )
