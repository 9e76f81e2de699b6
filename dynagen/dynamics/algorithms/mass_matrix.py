"""Mass matrix and gravity forces by composite rigid bodies (CRBA).

A composite is a body and all bodies that it carries. The sources are Izaguirre, Hashimoto, Paul and
Hayward, "A New Computational Structure for Real-Time Dynamics", International Journal of Robotics
Research 11(4), 1992, section 4 (compound links), and Walker and Orin, "Efficient Dynamic Computer
Simulation of Robotic Mechanisms", Journal of Dynamic Systems, Measurement, and Control 104, 1982
(method 3: one column of the mass matrix for each joint). Formulas use first moments and inertias
about the origin of the body, and all vectors of a formula are in the axes of one body. The
reference point is moved to the parent's origin in two steps: along the joint axis and, after the
rotation, along the constant translation.

Column j of the mass matrix contains the joint forces at a unit acceleration of joint j, with all
velocities and other accelerations zero. The force and the moment on composite j are then equal to
its linear momentum p and angular momentum h at a unit velocity of joint j. The momenta are
transformed from body to body towards the base, like a force and a moment. Their component along
joint i is the entry M_ij of the mass matrix.

A row of parallel joints is a chain of revolute joints with parallel axes. The absolute velocities
yd_i are the angular velocities of the bodies of the row about this axis, relative to the body that
carries the row. The joint velocities are qd_i = yd_i - yd_parent(i), or qd = T yd with a
lower-triangular matrix T that has ones on its diagonal. The equation M qdd = b becomes (T^T M T)
ydd = T^T b. A unit velocity yd_i rotates body i and only translates the following bodies of the
row. Therefore the moment of inertia of a body about the axis appears in only one entry of T^T M T,
but in many entries of M.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynagen.dynamics.algorithms.base_pose import UP
from dynagen.dynamics.algorithms.recording import (
    JointMatrix,
    Recording,
    ResolvedBody,
    sum_forces,
    sum_matrix,
)
from dynagen.dynamics.algorithms.rotations import along_axis, unit_z
from dynagen.dynamics.algorithms.screws import Screw, Wrench, moment_about, moment_below
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import SCALAR, TENSOR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, RobotModel

CM = Symbol(
    "cm",
    "i",
    SCALAR,
    "mass of composite i: body i and all bodies that it carries",
    "kg",
    "Walker and Orin 1982",
)
CMS = Symbol(
    "cms",
    "i",
    VECTOR,
    "first moment of composite i (body i and all it carries) about the origin of body i",
    "kg m",
)
CJ = Symbol(
    "cj",
    "i",
    TENSOR,
    "inertia of composite i (body i and all it carries) about the origin of body i",
    "kg m^2",
)
P = Symbol(
    "p",
    "ji",
    VECTOR,
    "linear momentum of composite j at a unit velocity of joint j, in the axes of body i",
)
H = Symbol(
    "h",
    "ji",
    VECTOR,
    "angular momentum of composite j at a unit velocity of joint j, about the origin of body i",
)
M = Symbol("m", "ij", SCALAR, "entry i, j of the mass matrix")
G = Symbol("g", "i", SCALAR, "joint force of joint i that balances gravity", "N m or N")


@formula
def first_moment_about(first_moment: Matrix, mass: Expr, translation: Matrix) -> Matrix:
    """Return the first moment s + m r about a new point (kg m; Izaguirre, eq. 15).

    `mass` is m (kg), `first_moment` is s about the old origin (kg m), and `translation` is r from
    the new point to the old origin (m).
    """
    return first_moment + mass * translation


@formula
def inertia_about(
    inertia: Matrix, first_moment: Matrix, shifted: Matrix, translation: Matrix
) -> Matrix:
    """Return the inertia about a new point (kg m^2), by the parallel axis theorem.

    Args:
        inertia: elements Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the old origin (kg m^2).
        first_moment: first moment about the old origin (kg m).
        shifted: first moment about the new point (kg m).
        translation: vector from the new point to the old origin (m).
    """
    x, y, z = (
        along * (before + after)
        for along, before, after in zip(translation, first_moment, shifted, strict=True)
    )
    # Each product occurs in two diagonal elements, or in two symmetric ones.
    xy, xz, yz = (
        first_moment[i] * translation[j] + translation[i] * shifted[j]
        for i, j in ((0, 1), (0, 2), (1, 2))
    )
    return inertia + Matrix([y + z, x + z, x + y, -xy, -xz, -yz])


@formula
def unit_momentum(angular: Expr, linear: Expr, mass: Expr, first_moment: Matrix) -> Matrix:
    """Return the linear momentum p of all bodies that a joint moves, at a unit joint velocity.

    `angular` and `linear` are the rotation about and the translation along the joint axis z per
    unit of the joint position. `mass` and `first_moment` are those of the bodies, about the origin
    of the joint's body. For a revolute joint, p is the factor z_j x L_j of Izaguirre, eq. 9.
    """
    return angular * unit_z().cross(first_moment) + linear * mass * unit_z()


@formula
def unit_angular_momentum(
    angular: Expr, linear: Expr, first_moment: Matrix, inertia: Matrix
) -> Matrix:
    """Return the angular momentum h of all bodies that a joint moves, at a unit joint velocity.

    `angular` and `linear` are the rotation about and the translation along the joint axis z per
    unit of the joint position. `first_moment` and `inertia` (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) are
    those of the bodies, about the origin of the joint's body. For a revolute joint, h is the factor
    I_j z_j of Izaguirre, eq. 9.
    """
    return angular * Matrix([inertia[4], inertia[5], inertia[2]]) + linear * first_moment.cross(
        unit_z()
    )


@formula
def weight(
    angular: Expr, linear: Expr, mass: Expr, first_moment: Matrix, acceleration: Matrix
) -> Expr:
    """Return the joint force against gravity (Izaguirre, eq. 13).

    `angular` and `linear` are the rotation about and the translation along the joint axis z per
    unit of the joint position. `mass` and `first_moment` are those of all bodies that the joint
    moves, about the origin of the joint's body. `acceleration` is the opposite of the acceleration
    of gravity.
    """
    return angular * first_moment.cross(acceleration)[2] + linear * mass * acceleration[2]


@dataclass(frozen=True)
class Composite:
    """Inertial parameters of a body and all bodies that it carries, in the body's axes.

    Attributes:
        mass: total mass (kg).
        first_moment: first moment about the origin of the body (kg m).
        inertia: the elements Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the origin of the body (kg m^2).
    """

    mass: Quantity
    first_moment: Quantity
    inertia: Quantity

    def __add__(self, other: Composite) -> Composite:
        """Record the sum of two composites in the same axes and about the same origin."""
        return Composite(
            self.mass + other.mass,
            self.first_moment + other.first_moment,
            self.inertia + other.inertia,
        )

    def shift(self, translation: Quantity) -> Composite:
        """Record the inertial parameters about a new point, in the same axes.

        `translation` points from the new point to the old origin (m).
        """
        first_moment = first_moment_about(self.first_moment, self.mass, translation)
        inertia = inertia_about(self.inertia, self.first_moment, first_moment, translation)
        return Composite(self.mass, first_moment, inertia)

    def carry_inward(self, body: ResolvedBody) -> Composite:
        """Record the inertial parameters in the axes of `body`'s parent, about the parent's origin.

        The parameters of this composite are in the axes of `body`, about the origin of `body`.
        """
        # In the body's axes.
        on_axis = self.shift(along_axis(body.displacement))
        rotated = Composite(
            on_axis.mass,
            body.rotate_inward(on_axis.first_moment),
            body.rotate_tensor_inward(on_axis.inertia),
        )
        # In the parent's axes.
        return rotated.shift(body.translation)


def record_composites(recording: Recording) -> tuple[Composite, ...]:
    """Record the inertial parameters of all composites: each body with all bodies that it carries.

    The composites are in the order of the bodies, each in the axes and about the origin of its
    body.
    """
    composites = [
        Composite(body.mass, body.first_moment, body.inertia) for body in recording.bodies
    ]
    for body in reversed(recording.bodies):
        body.begin_section("Composite of body")
        i, whole = body.number, composites[body.index]
        whole = Composite(
            whole.mass.name(CM(i)), whole.first_moment.name(CMS(i)), whole.inertia.name(CJ(i))
        )
        composites[body.index] = whole
        if body.parent != BASE:
            # Izaguirre, eqs. 15 and 17, in the parent's axes and about its origin. The tips come
            # first, so the parent's sum is complete when it is visited.
            composites[body.parent] += whole.carry_inward(body)
    return tuple(composites)


def record_mass_matrix(recording: Recording) -> JointMatrix:
    """Record the mass matrix with the motor inertias (CRBA).

    Returns:
        Entries of the matrix by (row, column), which are indices in the velocity vector. The two
        entries of a symmetric pair are the same quantity. Absent entries are zero.
    """
    composites = record_composites(recording)
    entries: dict[tuple[int, int], Quantity] = {}
    for joint in recording.bodies:
        joint.begin_section("Mass matrix, joint")
        # A column of M for each screw (Walker and Orin 1982, method 3).
        for column, screw in zip(joint.numbers, joint.screws, strict=True):
            path = record_unit_momenta(recording, joint, column, screw, composites[joint.index])
            for body, momenta in path:
                # Row of every joint that carries it: the component along that joint, in the axes
                # of its body. For two revolute joints it is D_ij of Izaguirre, eq. 9.
                for row, entry in zip(body.numbers, body.project(momenta), strict=True):
                    if row == column:
                        # A rotor moves with its own joint only: a term on the diagonal.
                        entry += recording.add_constant(screw.motor_inertia)
                    entries[row, column] = entries[column, row] = entry.name(M(row, column))
    return sum_matrix(recording, entries)


def record_gravity_forces(
    recording: Recording, composites: tuple[Composite, ...]
) -> tuple[Quantity, ...]:
    """Record the joint forces that hold the robot against gravity, from first moments.

    `composites` has the inertial parameters of each body with all bodies that it carries
    (`record_composites`).

    Returns:
        Joint forces (N m or N), one for every entry of the velocity vector.
    """
    accelerations = record_reverse_gravity(recording)
    forces: list[tuple[Quantity, ...]] = []
    for body, whole, upward in zip(recording.bodies, composites, accelerations, strict=True):
        # Izaguirre, eq. 13: z.(s x a) in the axes of the body. Only mass and first moment of the
        # composite enter.
        of_joint = []
        for number, screw in zip(body.numbers, body.screws, strict=True):
            s, up = screw.exchange(whole.first_moment), screw.exchange(upward)
            force = weight(screw.angular, screw.linear, whole.mass, s, up)
            of_joint.append(force.name(G(number)))
        forces.append(tuple(of_joint))
    return sum_forces(recording, forces)


def record_carried_weights(
    recording: Recording, composites: tuple[Composite, ...]
) -> tuple[Quantity, ...]:
    """Record the joint forces that hold the robot against gravity, from carried weights.

    The weights and their moments are summed from body to body, towards the base. `composites` has
    the inertial parameters of each body with all bodies that it carries; only the masses are used.
    The result has one joint force (N m or N) for every entry of the velocity vector.
    """
    accelerations = record_reverse_gravity(recording)
    moments = [
        body.first_moment.cross(upward)
        for body, upward in zip(recording.bodies, accelerations, strict=True)
    ]
    forces = []
    for body in reversed(recording.bodies):
        # The moment is the sum over all carried bodies, about the origin of this body.
        mass, moment = composites[body.index].mass, moments[body.index]
        force = mass * accelerations[body.index]
        along = zip(body.numbers, body.project(Wrench(force, moment)), strict=True)
        forces.append(tuple(force.name(G(number)) for number, force in along))
        if body.parent != BASE:
            # Moments about the parent's origin, in the parent's axes.
            on_axis = body.rotate_inward(moment_below(moment, body.displacement, force))
            moments[body.parent] += moment_about(
                on_axis, body.translation, mass * accelerations[body.parent]
            )
    return sum_forces(recording, forces[::-1])


def record_unit_momenta(
    recording: Recording, joint: ResolvedBody, number: int, screw: Screw, composite: Composite
) -> Iterator[tuple[ResolvedBody, Wrench]]:
    """Record momenta at a unit joint velocity, in the axes of each body from joint to base.

    The momenta are those of all bodies that the joint moves.

    Args:
        recording: program under construction, with the robot model and its bodies.
        joint: body that the joint moves.
        number: number of the joint velocity (`number_entries`), for the names of values.
        screw: motion of the joint's body at a unit joint velocity, in the body's axes.
        composite: inertial parameters of all bodies that the joint moves, in the same axes, about
            the same origin.

    Yields:
        The bodies from the joint's body to the base, each with the momenta in its axes, about its
        origin.
    """
    momenta = record_own_momenta(screw, composite)
    for body in recording.find_path(joint.index):
        momenta = momenta.name(P(number, body.number), H(number, body.number))
        yield body, momenta
        if body.parent != BASE:
            # Momenta transform like a wrench.
            momenta = body.carry_inward(momenta)


def record_own_momenta(screw: Screw, composite: Composite) -> Wrench:
    """Record the momenta of a composite body at a unit velocity of a screw.

    The result is a wrench in the axes of the body, with the linear momentum as force and the
    angular momentum as moment.
    """
    angular, linear, s = screw.angular, screw.linear, screw.exchange(composite.first_moment)
    inertia = screw.exchange_tensor(composite.inertia)
    return Wrench(
        screw.restore(unit_momentum(angular, linear, composite.mass, s)),
        screw.restore(unit_angular_momentum(angular, linear, s, inertia)),
    )


def record_reverse_gravity(recording: Recording) -> tuple[Quantity, ...]:
    """Record the opposite of gravity (m/s^2) in the axes of each body."""
    recording.begin_section("Gravity")
    # In the base frame. All other vectors are in the axes of their bodies.
    upward = {BASE: recording.add_constant(*(-component for component in recording.model.gravity))}
    for body in recording.bodies:
        in_body_axes = body.resolve_up(recording, upward[body.parent])
        upward[body.index] = in_body_axes.name(UP(body.number))
    return tuple(upward[body.index] for body in recording.bodies)


def transform_matrix(
    pairs: Sequence[tuple[int, int]], matrix: JointMatrix
) -> dict[tuple[int, int], Quantity]:
    """Record T^T M T, the mass matrix for absolute velocities yd, from the mass matrix M.

    The absolute velocities of parallel joints are relative to the body that carries the first of
    these joints. T in qd = T yd has ones on its diagonal, and -1 at (joint, carrier) for every
    pair.

    Args:
        pairs: pairs (joint, carrier) of neighbouring parallel joints, as indices in the velocity
            vector (`find_parallel_pairs`).
        matrix: the matrix M by (row, column), with all entries of the two triangles.

    Returns:
        Entries of T^T M T by (row, column); absent entries are zero.
    """
    entries = dict(matrix)

    # T has 1 on its diagonal and -1 below it for every parallel pair. So the column (row) of the
    # carried joint is subtracted from the column (row) of its carrier. The order is outward, so
    # the subtracted column is still one of M.

    def subtract(place: tuple[int, int], other: tuple[int, int]) -> None:
        if place in entries and other in entries:
            entries[place] -= entries[other]

    joints = sorted({row for row, _ in matrix})
    for joint, carrier in pairs:
        for row in joints:
            subtract((row, carrier), (row, joint))
    for joint, carrier in pairs:
        for column in joints:
            subtract((carrier, column), (joint, column))
    return entries


def transform_forces(
    pairs: Sequence[tuple[int, int]], forces: Mapping[int, Quantity]
) -> dict[int, Quantity]:
    """Record T^T b, the right-hand side of (T^T M T) ydd = T^T b, from the joint forces b.

    M is the mass matrix, and ydd are absolute accelerations about parallel axes. `forces` is b by
    index in the velocity vector. T is the matrix of qdd = T ydd: it has ones on its diagonal, and
    -1 at (joint, carrier) for each of `pairs` (`find_parallel_pairs`).
    """
    result = dict(forces)
    for joint, carrier in pairs:
        result[carrier] -= result[joint]
    return result


def recover_accelerations(
    pairs: Sequence[tuple[int, int]], absolute: Mapping[int, Quantity]
) -> dict[int, Quantity]:
    """Record qdd = T ydd: joint accelerations from absolute accelerations about parallel axes.

    `absolute` is ydd by index in the velocity vector, and so is the result qdd. Each of `pairs`
    contains a joint and the parallel joint nearer to the base that carries it
    (`find_parallel_pairs`). The ydd of the carrying joint is subtracted from the ydd of the carried
    joint.
    """
    result = dict(absolute)
    for joint, carrier in pairs:
        result[joint] = absolute[joint] - absolute[carrier]
    return result


def find_parallel_pairs(model: RobotModel) -> list[tuple[int, int]]:
    """Return pairs (joint, carrier) of neighbouring revolute joints with parallel axes.

    Joint and carrier are indices in the velocity vector; the carrier's body is the parent of the
    joint's body. The pairs are in order from the base to the tips. Joints that other joints mimic
    are omitted.
    """
    if model.closure:
        return []  # dependent joints have no entries of their own
    # An entry that several joints follow has mimicking joints.
    joints_per_entry = Counter(body.joint.idx_v for body in model.bodies)
    unmimicked = {
        index
        for index, body in enumerate(model.bodies)
        if body.angular and joints_per_entry[body.joint.idx_v] == 1
    }
    return [
        (body.joint.idx_v, model.bodies[body.parent].joint.idx_v)
        for index, body in enumerate(model.bodies)
        if body.placement.is_parallel and {index, body.parent} <= unmimicked
    ]
