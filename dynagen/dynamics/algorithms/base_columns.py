"""Columns of a floating base in the Coriolis matrix, in derivatives and in centroidal momenta.

The columns of a floating base are derivatives in the tangent space, as in Pinocchio: by small
motions along and about the axes of the base, and by its velocities v and w in these axes.
Components in the axes of the base have the following derivatives:

- Translations of the base change no component. A small rotation e changes only the components of
  the vector up, the opposite of gravity: up changes by up x e.
- The acceleration of the base's origin minus gravity is dv/dt + w x v + up. A change e of v changes
  this acceleration by w x e, and a change e of w by e x v.
- A change e of w also changes the acceleration of a particle at r from the origin by 2 e x r' + (w
  x e) x r, where r' is the derivative of r in axes that do not rotate. For the axis of a joint the
  term w x e counts twice, because the axis rotates with the base.

The formulas contain sums over particles of mass m. Sums over the composite of joint j, which are
the bodies that it moves, use the velocity x_j of a particle at a unit velocity of joint j: p is the
sum of m x_j, h the sum of m r x x_j, and hx the sum of 2 m r' x x_j. Sums over the whole robot are
its mass, first moment, inertia, P = sum of 2 m r' and V = sum of 2 m r' r^T. All sums are about the
base's origin.

The entry of the Coriolis matrix in row j and in the column of a rotation e of the base is the sum
of m x_j.(dx/dt) with x = e x r. Its formula is that of the derivative without v, and with r' in
place of 2 r'.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix, eye

from dynagen.dynamics.algorithms.base_pose import ANGULAR, LINEAR, record_up
from dynagen.dynamics.algorithms.coriolis import CompositeMotion, CoriolisEntries
from dynagen.dynamics.algorithms.mass_matrix import Composite
from dynagen.dynamics.algorithms.recording import JointMatrix, Recording
from dynagen.dynamics.algorithms.rotations import unpack
from dynagen.dynamics.algorithms.screws import Wrench, moment_about
from dynagen.dynamics.recording import Quantity, formula, join

# The vectors of the formulas are in the axes of the floating base, about its origin.


@formula
def by_base_angular_velocity(
    momentum: Matrix, moment: Matrix, places: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivative of a joint's force by the angular velocity w of a floating base.

    The three derivatives are hx + h x w + v x p. p (`momentum`), h (`moment`) and hx (`places`) are
    the sums of m x_j, m r x x_j and 2 m r' x x_j over the particles that the joint moves. A
    particle of mass m at r from the base's origin has the velocity x_j at a unit joint velocity,
    and r' is dr/dt in axes that do not rotate. v is the velocity of the base's origin. All vectors
    are in the axes of the base.
    """
    return places + moment.cross(w) + v.cross(momentum)


@formula
def base_force_across(mass: Expr, vector: Matrix) -> Matrix:
    """Return m [u x], 3 x 3: the derivative of the base's force by a motion e of the base.

    The motion e, a small rotation or a velocity, changes the acceleration of the base's origin by u
    x e; u is `vector`, and m the mass of the robot (kg). Rows and columns are in the axes of the
    base.
    """
    return mass * vector.hat()


@formula
def base_moment_across(first_moment: Matrix, vector: Matrix) -> Matrix:
    """Return [s x] [u x], 3 x 3: the derivative of the base's moment by a motion e of the base.

    The motion e, a small rotation or a velocity, changes the acceleration of the base's origin by u
    x e; u is `vector`, and s the robot's first moment about this origin (kg m). Rows and columns
    are in the axes of the base.
    """
    return first_moment.hat() * vector.hat()


@formula
def base_force_by_angular_velocity(
    mass: Expr, first_moment: Matrix, momentum: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivative of the base's force by its angular velocity w, shape (3, 3).

    The derivative is -[P x] - [s x] [w x] - m [v x]. For a change e of w this is the sum of m (2 e
    x r' + (w x e) x r + e x v) over all particles of mass m at r from the base's origin, where r'
    is dr/dt in axes that do not rotate. P (`momentum`) is the sum of 2 m r', m the mass and s the
    first moment of the whole robot, and v the velocity of the base's origin. All vectors are in the
    axes of the base.
    """
    return -momentum.hat() - first_moment.hat() * w.hat() - mass * v.hat()


@formula
def base_moment_by_angular_velocity(
    first_moment: Matrix, inertia: Matrix, flux: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivative of the base's moment by its angular velocity w, shape (3, 3).

    The derivative is tr(V) 1 - V + J [w x] - [s x] [v x]. For a change e of w this is the sum of m
    r x (2 e x r' + (w x e) x r + e x v) over all particles of mass m at r from the base's origin,
    where r' is dr/dt in axes that do not rotate. V (`flux`) is the sum of 2 m r' r^T, J the inertia
    (elements xx, yy, zz, xy, xz, yz) and s the first moment of the whole robot, and v the velocity
    of the base's origin. All quantities are in the axes of the base, about its origin.
    """
    return flux.trace() * eye(3) - flux + unpack(inertia) * w.hat() - first_moment.hat() * v.hat()


@formula
def base_moment_about_com(
    first_moment: Matrix, inertia: Matrix, com: Matrix, momentum: Matrix, flux: Matrix, w: Matrix
) -> Matrix:
    """Return the derivative of the moment of all inertial forces about the centre of mass by w.

    w is the angular velocity of the base. The derivative is the 3 x 3 matrix tr(V) 1 - V + J [w x]
    + [c x] ([P x] + [s x] [w x]).

    Args:
        first_moment: first moment s of the whole robot about the base's origin (kg m).
        inertia: elements xx, yy, zz, xy, xz, yz of the inertia J about the same origin (kg m^2).
        com: position c of the centre of mass, from the origin of the base (m).
        momentum: the vector P, twice the sum of m r' over all particles, with r from the origin to
            a particle of mass m and r' = dr/dt in axes that do not rotate (kg m/s).
        flux: the matrix V, twice the sum of m r' r^T (kg m^2/s).
        w: angular velocity of the base (rad/s), in its axes like all other vectors.
    """
    about_origin = flux.trace() * eye(3) - flux + unpack(inertia) * w.hat()
    return about_origin + com.hat() * (momentum.hat() + first_moment.hat() * w.hat())


@formula
def momenta_of_rotation(first_moment: Matrix) -> Matrix:
    """Return the linear momenta e x s at unit angular velocities about the axes e, as columns.

    s (`first_moment`) is the first moment about the origin that the axes pass through, in the same
    axes (kg m).
    """
    return -first_moment.hat()


@formula
def mass_columns(mass: Expr) -> Matrix:
    """Return m 1, 3 x 3: the linear momenta m e at unit velocities along the axes e, as columns."""
    return mass * Matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])


@formula
def inertia_about_com(inertia: Matrix, com: Matrix, first_moment: Matrix) -> Matrix:
    """Return J + [c x] [s x], 3 x 3: the inertia about the centre of mass c (`com`).

    J (`inertia`, elements xx, yy, zz, xy, xz, yz) and the first moment s = m c are about the origin
    from which c is measured. The columns of the result are the angular momenta at unit angular
    velocities about the axes.
    """
    return unpack(inertia) + com.hat() * first_moment.hat()


@formula
def base_moment_change(dyads: Matrix) -> Matrix:
    """Return tr(D) 1 - D^T: the derivative of -n, the base's joint moment, by base rotations.

    `dyads` is D, the sum of r f^T over all contact forces f at the points r, and n is the sum of r
    x f, in the axes of the base and about its origin. The forces are constant in fixed axes. The
    result is a 3 x 3 matrix.
    """
    return dyads.trace() * eye(3) - dyads.T


@formula
def base_force_change(force: Matrix) -> Matrix:
    """Return -[F x]: the derivative of -F, the base's joint force, by a rotation of the base.

    `force` is F, the sum of all contact forces, in the axes of the base. The forces are constant in
    fixed axes. The result is a 3 x 3 matrix.
    """
    return -force.hat()


@dataclass(frozen=True)
class BaseMotion:
    """Velocities of a floating base, in its axes.

    Attributes:
        linear: velocity of the base's origin (m/s).
        angular: angular velocity (rad/s).
        in_fall: whether the base is in free fall, so that the term w x v with v = `linear` and w =
            `angular` is omitted from the acceleration of the origin (`bases.FloatingBase`).
    """

    linear: Quantity
    angular: Quantity
    in_fall: bool


def record_base_velocity_columns(
    recording: Recording, motion: BaseMotion, found: CoriolisEntries
) -> JointMatrix:
    """Record the derivatives of the joint forces by the velocities of a floating base.

    Args:
        recording: program under construction, with the robot model and its bodies.
        motion: velocities of the floating base, in its axes.
        found: Coriolis matrix of the other joints for twice the joint velocities, with the
            intermediate results of `record_coriolis_matrix`. For the velocities themselves, the
            result contains columns of the Coriolis matrix.

    Returns:
        The derivatives by the linear and the angular velocity of the base, with rows and columns by
        the joint numbers of `number_entries`, which count from 1.
    """
    v, w = motion.linear, motion.angular
    base = recording.bodies[0].numbers
    recording.begin_section("Derivatives by the velocities of the base")
    # By v: w x e accelerates the origin. In free fall this term is omitted.
    entries = {} if motion.in_fall else _columns_across(recording, w, found, base[LINEAR])
    for joint, unit in found.in_base_axes.items():
        (row,) = recording.bodies[joint].numbers
        column = by_base_angular_velocity(unit.momentum, unit.moment, unit.places, w, v)
        entries |= {
            (row, number): entry for number, entry in zip(base[ANGULAR], column, strict=True)
        }
    # The composite of the base is the whole robot.
    whole, flow = found.composites[0], found.motions[0]
    force = base_force_by_angular_velocity(whole.mass, whole.first_moment, flow.momentum, w, v)
    moment = base_moment_by_angular_velocity(whole.first_moment, whole.inertia, flow.flux, w, v)
    return (
        entries
        | _block(base[LINEAR], base[ANGULAR], force)
        | _block(base[ANGULAR], base[ANGULAR], moment)
    )


def record_base_contact_columns(
    recording: Recording, force: Quantity, dyads: Quantity
) -> JointMatrix:
    """Record derivatives, by rotations of a floating base, of its joint forces due to contacts.

    `force` is the sum of all contact forces f (N), which are constant in fixed axes; `dyads` is the
    3 x 3 sum of r f^T over the points r where the forces act (N m). Both sums are in the axes of
    the floating base, about its origin. Rows and columns of the result have the joint numbers of
    `number_entries`, which count from 1.
    """
    base = recording.bodies[recording.model.root]
    entries: dict[tuple[int, int], Quantity] = {}
    for rows, block in ((LINEAR, base_force_change(force)), (ANGULAR, base_moment_change(dyads))):
        places = [(row, column) for row in base.numbers[rows] for column in base.numbers[ANGULAR]]
        entries |= zip(places, block, strict=True)
    return entries


def record_base_rotation_columns(recording: Recording, found: CoriolisEntries) -> JointMatrix:
    """Record the derivatives of the joint forces by small rotations of a floating base.

    Translations of the base change no joint force.

    Args:
        recording: program under construction, with the robot model and its bodies.
        found: Coriolis matrix of the other joints, with the momenta from which it is computed
            (`record_coriolis_matrix`).

    Returns:
        The derivatives by rotations about the three axes of the base, with rows and columns by the
        joint numbers of `number_entries`, which count from 1.
    """
    # A small rotation e of the base changes gravity in its axes: up changes by up x e.
    up = record_up(recording)
    recording.begin_section("Derivatives by rotations of the base")
    return _columns_across(recording, up, found, recording.bodies[0].numbers[ANGULAR])


def _columns_across(
    recording: Recording, vector: Quantity, found: CoriolisEntries, columns: range
) -> dict[tuple[int, int], Quantity]:
    """Record columns for base motions e that change the acceleration of the base's origin by u x e.

    `vector` is u, and `columns` are the joint numbers of the three motions. `found` has the momenta
    of all bodies that each joint moves, at a unit velocity of the joint.
    """
    base, whole = recording.bodies[0].numbers, found.composites[0]
    force, moment = (
        base_force_across(whole.mass, vector),
        base_moment_across(whole.first_moment, vector),
    )
    entries = {**_block(base[LINEAR], columns, force), **_block(base[ANGULAR], columns, moment)}
    for joint, unit in found.in_base_axes.items():
        (row,) = recording.bodies[joint].numbers
        # Derivative of a joint's force by e: p x u, p in the axes of the base.
        entries |= {
            (row, number): entry
            for number, entry in zip(columns, unit.momentum.cross(vector), strict=True)
        }
    return entries


def _block(rows: range, columns: range, matrix: Quantity) -> dict[tuple[int, int], Quantity]:
    """Return the entries of a matrix by (row, column) with the given row and column numbers."""
    places = [(row, column) for row in rows for column in columns]
    return dict(zip(places, matrix, strict=True))


def record_base_momenta(whole: Composite, com: Quantity) -> list[Wrench]:
    """Record the momenta of the whole robot at unit velocities of a floating base, in its axes.

    Args:
        whole: inertial parameters of all bodies together, about the base's origin.
        com: position of the centre of mass, from the base's origin (m).

    Returns:
        One wrench for each of the base's six velocities, three translations before three rotations:
        the linear momentum as force, and the angular momentum about the centre of mass as moment.
    """
    zero = com.recorder.add_constant(0, 0, 0)
    along = _columns(mass_columns(whole.mass))
    about = _columns(momenta_of_rotation(whole.first_moment))
    moments = _columns(inertia_about_com(whole.inertia, com, whole.first_moment))
    return [
        # A translation along the axes has no angular momentum about the centre of mass.
        *(Wrench(linear, zero) for linear in along),
        *(Wrench(*pair) for pair in zip(about, moments, strict=True)),
    ]


def _columns(matrix: Quantity) -> list[Quantity]:
    """Return the columns of a 3 x 3 matrix."""
    return [join(matrix[3 * row + column] for row in range(3)) for column in range(3)]


def record_base_momentum_columns(
    recording: Recording,
    momentum: Wrench,
    force: Wrench,
    com: Quantity,
    whole: Composite,
    flow: CompositeMotion,
) -> list[tuple[Wrench, Wrench, Wrench]]:
    """Record derivatives of the centroidal momentum h and of dh/dt by a floating base's motion.

    h contains the robot's linear momentum, and its angular momentum about the centre of mass.

    Args:
        recording: program under construction, with the robot model and its bodies.
        momentum: linear momentum of all bodies as force, and angular momentum about the base's
            origin as moment, for velocities relative to this origin.
        force: sum of the inertial forces of all bodies, and of their moments about the base's
            origin.
        com: position of the centre of mass, from the base's origin (m).
        whole: inertial parameters of all bodies together, about the base's origin.
        flow: sums of m r' and m r' r^T over all particles of mass m at r from the base's origin,
            for twice the joint velocities.

    Returns:
        Six entries, for the translations along and the rotations about the three axes of the base.
        Each entry has three derivatives: of h and of dh/dt by the small motion, and of dh/dt by the
        velocity. All derivatives are in the axes of the base, about the centre of mass.
    """
    v, w = join(recording.velocities[LINEAR]), join(recording.velocities[ANGULAR])
    zero = recording.add_constant(0, 0, 0)
    none = Wrench(zero, zero)
    # The base's own velocity adds to the linear momentum, and nothing about c.
    linear = momentum.force + whole.mass * v
    vectors = [
        moment_about(momentum.moment, -com, momentum.force),
        force.force,
        moment_about(force.moment, -com, force.force),
    ]
    across = _columns(base_force_across(whole.mass, w))
    by_w = _columns(
        base_force_by_angular_velocity(whole.mass, whole.first_moment, flow.momentum, w, v)
    )
    arguments = whole.first_moment, whole.inertia, com, flow.momentum, flow.flux, w
    moments = _columns(base_moment_about_com(*arguments))
    columns = [(none, none, Wrench(each, zero)) for each in across]
    for axis, each, moment in zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), by_w, moments, strict=True):
        unit = recording.add_constant(*axis)
        turned = [unit.cross(vector) for vector in (linear, *vectors)]
        columns.append((Wrench(*turned[:2]), Wrench(*turned[2:]), Wrench(each, moment)))
    return columns
