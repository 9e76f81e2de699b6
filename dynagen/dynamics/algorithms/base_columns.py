"""Columns of a floating base in the Coriolis matrix, in derivatives and in centroidal momenta.

The columns of a floating base are derivatives in the tangent space, as in Pinocchio: with respect
to small motions along and about the axes of the base, and to its velocities v (linear) and w
(angular) in these axes. Components in the axes of the base have the following derivatives:

- Translations of the base change no component. A small rotation e changes only the components of
  the vector up, the opposite of gravity, by cross(up, e).
- The acceleration of the base's origin minus gravity is dv/dt + cross(w, v) + up. A change e of v
  changes this acceleration by cross(w, e), and a change e of w by cross(e, v).
- A change e of w also changes the acceleration of a particle at r from the origin by 2 cross(e, r')
  + cross(cross(w, e), r). Here r' is dr/dt in axes that do not rotate.

The formulas contain sums over particles of mass m. Let c_j be the velocity of a particle at a unit
velocity of joint j. Over all particles that joint j moves, p is the sum of m c_j, h the sum of m
cross(r, c_j), and hx the sum of 2 m cross(r', c_j). Over the whole robot, P is the sum of 2 m r',
and V the sum of 2 m r' r^T. All sums are about the base's origin.

The entry of the Coriolis matrix in row j and in the column of a rotation e of the base is the sum
of m c_j.(dx/dt) with x = cross(e, r). This entry has the same formula as the derivative of a
joint force by w, without the terms with v, and with r' in place of 2 r'.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.dynamics.algorithms.base_pose import ANGULAR, LINEAR, record_up
from dynagen.dynamics.algorithms.coriolis import CompositeMotion, CoriolisEntries
from dynagen.dynamics.algorithms.mass_matrix import Composite
from dynagen.dynamics.algorithms.recording import JointMatrix, Recording
from dynagen.dynamics.algorithms.rotations import unpack
from dynagen.dynamics.algorithms.screws import Wrench, moment_about
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Expr, Matrix, eye

# The vectors of the formulas are in the axes of the floating base, about its origin.


@formula
def by_base_angular_velocity(
    momentum: Matrix, moment: Matrix, places: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivatives of a joint force by the angular velocity w of a floating base.

    The vector of the three derivatives is hx + cross(h, w) + cross(v, p). In the sums, r is the
    position of a particle of mass m from the base's origin, r' is dr/dt in axes that do not rotate,
    and c_j is the particle's velocity at a unit joint velocity.

    Args:
        momentum: p, the sum of m c_j over the particles that the joint moves.
        moment: h, the sum of m cross(r, c_j).
        places: hx, the sum of 2 m cross(r', c_j).
        w: angular velocity of the base, in its axes.
        v: velocity of the base's origin, in the axes of the base.
    """
    return places + moment.cross(w) + v.cross(momentum)


@formula
def base_force_across(mass: Expr, vector: Matrix) -> Matrix:
    """Return m [u x], 3 x 3: the derivative of the base's force by a motion e of the base.

    The motion e is a small rotation or a velocity. It changes the acceleration of the base's origin
    by the cross product of u (`vector`) and e. m is the mass of the robot (kg).
    """
    return mass * vector.hat()


@formula
def base_moment_across(first_moment: Matrix, vector: Matrix) -> Matrix:
    """Return [s x] [u x], 3 x 3: the derivative of the base's moment by a motion e of the base.

    The motion e is a small rotation or a velocity. It changes the acceleration of the base's origin
    by the cross product of u (`vector`) and e. s is the robot's first moment about this origin (kg
    m).
    """
    return first_moment.hat() * vector.hat()


@formula
def base_force_by_angular_velocity(
    mass: Expr, first_moment: Matrix, momentum: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivative of the base's force by its angular velocity w, shape (3, 3).

    The derivative is -[P x] - [s x] [w x] - m [v x], with all vectors in the axes of the base.

    Args:
        mass: mass m of the robot.
        first_moment: first moment s of the robot about the base's origin.
        momentum: P, the sum of 2 m r' over all particles of mass m at r from the base's origin; r'
            is dr/dt in axes that do not rotate.
        w: angular velocity of the base.
        v: velocity of the base's origin.
    """
    return -momentum.hat() - first_moment.hat() * w.hat() - mass * v.hat()


@formula
def base_moment_by_angular_velocity(
    first_moment: Matrix, inertia: Matrix, flux: Matrix, w: Matrix, v: Matrix
) -> Matrix:
    """Return the derivative of the base's moment by its angular velocity w, shape (3, 3).

    The derivative is tr(V) 1 - V + J [w x] - [s x] [v x], in the axes of the base.

    Args:
        first_moment: first moment s of the robot about the base's origin.
        inertia: elements xx, yy, zz, xy, xz, yz of the robot's inertia J about the base's origin.
        flux: V, the sum of 2 m r' r^T over all particles of mass m at r from the base's origin; r'
            is dr/dt in axes that do not rotate.
        w: angular velocity of the base.
        v: velocity of the base's origin.
    """
    return flux.trace() * eye(3) - flux + unpack(inertia) * w.hat() - first_moment.hat() * v.hat()


@formula
def base_moment_about_com(
    first_moment: Matrix, inertia: Matrix, com: Matrix, momentum: Matrix, flux: Matrix, w: Matrix
) -> Matrix:
    """Return the derivative by w of the moment of all inertial forces about the centre of mass.

    w is the angular velocity of the base. The derivative is tr(V) 1 - V + J [w x] + [c x] ([P x] +
    [s x] [w x]), shape (3, 3).

    Args:
        first_moment: first moment s of the whole robot about the base's origin (kg m).
        inertia: elements xx, yy, zz, xy, xz, yz of the robot's inertia J about the base's origin
            (kg m^2).
        com: position c of the centre of mass, from the origin of the base (m).
        momentum: P, the sum of 2 m r' over all particles of mass m at r from the base's origin; r'
            is dr/dt in axes that do not rotate (kg m/s).
        flux: the matrix V, the sum of 2 m r' r^T (kg m^2/s).
        w: angular velocity of the base (rad/s), in its axes like all other vectors.
    """
    about_origin = flux.trace() * eye(3) - flux + unpack(inertia) * w.hat()
    return about_origin + com.hat() * (momentum.hat() + first_moment.hat() * w.hat())


@formula
def momenta_of_rotation(first_moment: Matrix) -> Matrix:
    """Return the robot's linear momenta at unit angular velocities about the axes, as columns.

    The column for the axis e is cross(e, s). s (`first_moment`) is the first moment about the
    origin of the axes (kg m).
    """
    return -first_moment.hat()


@formula
def mass_columns(mass: Expr) -> Matrix:
    """Return m 1: the robot's linear momenta at unit velocities along the axes, as 3 columns."""
    return mass * Matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])


@formula
def inertia_about_com(inertia: Matrix, com: Matrix, first_moment: Matrix) -> Matrix:
    """Return J + [c x] [s x], 3 x 3: the inertia about the centre of mass c (`com`).

    J (`inertia`, elements xx, yy, zz, xy, xz, yz) and the first moment s = m c are about the
    origin.
    """
    return unpack(inertia) + com.hat() * first_moment.hat()


@formula
def base_moment_change(dyads: Matrix) -> Matrix:
    """Return tr(D) 1 - D^T, 3 x 3: the derivative of -n by small rotations of the base.

    n is the sum of cross(r, f) over all contact forces f at the points r, and D (`dyads`) the sum
    of r f^T, in the axes of the base and about its origin. The forces are constant in fixed axes.
    Contacts contribute -n to the base's joint moment.
    """
    return dyads.trace() * eye(3) - dyads.T


@formula
def base_force_change(force: Matrix) -> Matrix:
    """Return -[F x], 3 x 3: the derivative of -F by small rotations of the base.

    `force` is F, the sum of all contact forces, in the axes of the base. The forces are constant in
    fixed axes. Contacts contribute -F to the base's joint force.
    """
    return -force.hat()


@dataclass(frozen=True)
class BaseMotion:
    """Velocities of a floating base, in its axes.

    Attributes:
        linear: velocity of the base's origin (m/s).
        angular: angular velocity (rad/s).
        in_fall: whether the base is in free fall (`bases.FloatingBase`). The acceleration of the
            origin then does not contain the cross product of `angular` and `linear`.
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
        found: result of `record_coriolis_matrix` for twice the joint velocities. If it was recorded
            for the joint velocities, the columns returned are those of the Coriolis matrix.

    Returns:
        The derivatives by the linear and the angular velocity of the base, by (row, column). Row
        and column are positions among the joint velocities, from 1 (`number_entries`).
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
    """Record the derivatives of a floating base's joint force due to contacts, by small rotations.

    Args:
        recording: program under construction, with the robot model and its bodies.
        force: sum of all contact forces f (N). The forces are constant in fixed axes.
        dyads: sum of r f^T over the points r where the forces act (N m), 3 x 3. Both sums are in
            the axes of the floating base, about its origin.

    Returns:
        Derivatives by (row, column), which are positions among the joint velocities, from 1
        (`number_entries`).
    """
    base = recording.bodies[recording.model.root]
    entries: dict[tuple[int, int], Quantity] = {}
    for rows, block in ((LINEAR, base_force_change(force)), (ANGULAR, base_moment_change(dyads))):
        places = [(row, column) for row in base.numbers[rows] for column in base.numbers[ANGULAR]]
        entries |= zip(places, block, strict=True)
    return entries


def record_base_rotation_columns(recording: Recording, found: CoriolisEntries) -> JointMatrix:
    """Record the derivatives of the joint forces by small rotations of a floating base.

    Args:
        recording: program under construction, with the robot model and its bodies.
        found: result of `record_coriolis_matrix`.

    Returns:
        The derivatives by rotations about the three axes of the base, by (row, column). Row and
        column are positions among the joint velocities, from 1 (`number_entries`).
    """
    # A small rotation e of the base changes gravity in its axes: up changes by up x e.
    up = record_up(recording)
    recording.begin_section("Derivatives by rotations of the base")
    return _columns_across(recording, up, found, recording.bodies[0].numbers[ANGULAR])


def _columns_across(
    recording: Recording, vector: Quantity, found: CoriolisEntries, columns: range
) -> dict[tuple[int, int], Quantity]:
    """Record derivatives of the joint forces by motions e that accelerate the base by cross(u, e).

    The three motions are along or about the axes x, y, z of the base. `vector` is u. `found` is the
    result of `record_coriolis_matrix`. The keys of the result are (row, column): the numbers, from
    1, of a joint force and of a motion. `columns` contains the numbers of the three motions.
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
    """Return the entries of a matrix by (row, column); `rows` and `columns` contain these keys."""
    places = [(row, column) for row in rows for column in columns]
    return dict(zip(places, matrix, strict=True))


def record_base_momenta(whole: Composite, com: Quantity) -> list[Wrench]:
    """Record the momenta of the whole robot at unit velocities of a floating base, in its axes.

    Args:
        whole: inertial parameters of the whole robot, about the base's origin.
        com: position of the centre of mass, from the base's origin (m).

    Returns:
        One wrench for each of the base's six velocities, first linear, then angular. The force is
        the linear momentum, the moment the angular momentum about the centre of mass.
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
        momentum: momentum of the robot for velocities relative to the base's origin: linear
            momentum as force, and angular momentum about this origin as moment.
        force: sum of the inertial forces of all bodies, and sum of their moments about the base's
            origin.
        com: position of the centre of mass, from the base's origin (m).
        whole: inertial parameters of the whole robot, about the base's origin.
        flow: sums of 2 m r' and 2 m r' r^T over all particles of mass m at r from the base's
            origin; r' is dr/dt in axes that do not rotate.

    Returns:
        Six entries: three for motions along the axes of the base, three for motions about them.
        Each entry has three derivatives, in the axes of the base: of h and of dh/dt by the small
        motion, and of dh/dt by the velocity.
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
