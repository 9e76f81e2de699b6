"""Kinematics: poses and Jacobians of frames, and centroidal momenta.

The pose of a frame in its body is transformed to the pose in the parent body, and so on to the
base.

The column of the geometric Jacobian for a revolute joint contains cross(z, r) and z, with the joint
axis z and the vector r from the axis to the origin of the frame (Whitney, IEEE Transactions on
Man-Machine Systems 10(2), 1969). The Jacobian is resolved in the axes of the base or of the frame.
The unit vectors of these axes are rotated to the axes of each body, where z is (0, 0, 1). The
components of z in the result are therefore the third components of the unit vectors, and no joint
axis is transformed to the base.

Column j of the centroidal momentum matrix contains the robot's linear momentum, and its angular
momentum about the centre of mass c, at a unit velocity of joint j (Orin, Goswami and Lee,
"Centroidal Dynamics of a Humanoid Robot", Autonomous Robots 35, 2013). The module `mass_matrix`
transforms the momenta to the axes and the origin of the base; the angular momentum is then moved to
c. The linear rows of the centroidal momentum matrix, divided by the mass, are the Jacobian of the
centre of mass.

Momenta depend on inertial parameters that do not affect the mass matrix of a robot on a fixed base.
For momenta, these parameters can therefore not be regrouped (moved to other bodies).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.mass_matrix import (
    Composite,
    record_composites,
    record_unit_momenta,
)
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody, sum_forces
from dynagen.dynamics.algorithms.rotations import unit_z
from dynagen.dynamics.algorithms.screws import Wrench, moment_about
from dynagen.dynamics.arguments import Arguments, find_rotating_entries
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.program import Argument
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.model.model import BASE, AttachedFrame, RobotModel
from dynagen.robot.pose import ORIGIN, Pose, transpose

AXES_OF_FRAME = tuple(
    Symbol(
        f"f{axis}",
        "i",
        VECTOR,
        f"unit vector {axis} of the frame, in the axes of body i (0: the base)",
    )
    for axis in "xyz"
)
FP = Symbol("fp", "i", VECTOR, "position of the frame from the origin of body i (0: the base)", "m")


@formula
def from_foot(position: Matrix, displacement: Expr) -> Matrix:
    """Return p + d z, the position of a point from the start of the displacement d z (m).

    `position` is p, the position of the point from the end of the displacement. `displacement` is d
    along the joint axis z.
    """
    return position + displacement * unit_z()


UnitVectors = tuple[Quantity, ...]
"""Unit vectors x, y, z of one set of axes, resolved in other axes."""


@dataclass(frozen=True)
class FrameMotion:
    """Velocity or acceleration of a frame.

    Attributes:
        linear: velocity (m/s) or acceleration (m/s^2) of the frame's origin.
        angular: angular velocity (rad/s) or acceleration (rad/s^2) of the frame.
    """

    linear: Quantity
    angular: Quantity


def record_pose(
    recording: Recording, frame: AttachedFrame, two_axes: bool
) -> tuple[UnitVectors, Quantity]:
    """Record a frame's unit vectors and the position of its origin (m), in base axes.

    Args:
        recording: program under construction, with the robot model and its bodies.
        frame: the frame whose pose is recorded.
        two_axes: whether one of the unit vectors is computed as the cross product of the other two.

    Returns:
        The unit vectors x, y, z (columns of the frame's rotation matrix), and the position from the
        origin of the base.
    """
    axes, position = record_pose_in_body(recording, frame)
    for body in recording.find_path(frame.body):
        body.begin_section("Inward, body")
        axes, position = name_axes(AXES_OF_FRAME, body.number, axes), position.name(FP(body.number))
        # Free vectors are rotated; the position also gets the displacement between the origins.
        axes, position = tuple(map(body.rotate_inward, axes)), carry_position_inward(body, position)
    if two_axes:
        axes = complete_axes(axes)
    return name_axes(AXES_OF_FRAME, 0, axes), position.name(FP(0))


def record_pose_in_body(recording: Recording, frame: AttachedFrame) -> tuple[UnitVectors, Quantity]:
    """Record a frame's unit vectors and the position of its origin (m) in the axes of its body.

    The axes are the body's resolved axes, in which its vectors are computed. The position is
    measured from the body's origin.
    """
    vectors = [
        recording.add_constant(*each)
        for each in (*transpose(frame.pose.rotation), frame.pose.translation)
    ]
    if frame.body != BASE:
        vectors = [recording.bodies[frame.body].from_body_axes(each) for each in vectors]
    return tuple(vectors[:3]), vectors[3]


def complete_axes(axes: UnitVectors) -> UnitVectors:
    """Replace the second unit vector by the cross product of the third and the first one."""
    x, _, z = axes
    # y = z x x of a right-handed set of axes.
    return x, z.cross(x), z


def name_axes(symbols: tuple[Symbol, ...], number: int, axes: UnitVectors) -> UnitVectors:
    """Name unit vectors in generated code by axis and body, for example ex2, ey2, ez2 for body 2.

    `number` is the number of the body; 0 is the base.
    """
    return tuple(axis.name(symbol(number)) for symbol, axis in zip(symbols, axes, strict=True))


def carry_position_inward(body: ResolvedBody, position: Quantity) -> Quantity:
    """Record a point's position from the parent's origin in the parent's axes (m).

    `position` is from the origin of `body`, in its axes (m).
    """
    return body.rotate_inward(from_foot(position, body.displacement)) + body.translation


AXES_OF_JACOBIAN = tuple(
    Symbol(f"e{axis}", "i", VECTOR, f"unit vector {axis} of the Jacobian's axes, in axes of body i")
    for axis in "xyz"
)
ER = Symbol(
    "er",
    "i",
    VECTOR,
    "position of the frame from the origin of body i, in the Jacobian's axes",
    "m",
)
JV = Symbol("jv", "i", VECTOR, "linear part of column i of the Jacobian", source="Whitney 1969")
JW = Symbol("jw", "i", VECTOR, "angular part of column i of the Jacobian", source="Whitney 1969")


@formula
def resolved(ex: Matrix, ey: Matrix, ez: Matrix, vector: Matrix) -> Matrix:
    """Return the components of a vector along the unit vectors ex, ey, ez."""
    return Matrix([ex.dot(vector), ey.dot(vector), ez.dot(vector)])


@formula
def position_from_parent(
    position: Matrix, displacement: Expr, axis: Matrix, translation: Matrix
) -> Matrix:
    """Return p + d z + t, the position of a point from the origin of a body's parent (m).

    `position` is p, the position from the body's origin. The displacement between the two origins
    is t (`translation`) plus d (`displacement`) along the joint axis z (`axis`).
    """
    return position + displacement * axis + translation


@formula
def linear_column(angular: Expr, linear: Expr, axis: Matrix, position: Matrix) -> Matrix:
    """Return the velocity of a point at a unit joint velocity: angular cross(z, p) + linear z.

    `angular` and `linear` are the rotation about and the translation along the joint axis z
    (`axis`) per unit of the joint position. `position` is p, from the origin of the joint's body to
    the point (m).
    """
    return angular * axis.cross(position) + linear * axis


@formula
def angular_column(angular: Expr, axis: Matrix) -> Matrix:
    """Return the angular velocity of a body at a unit velocity of its joint: angular * axis."""
    return angular * axis


def make_jacobian_argument(name: str, meaning: str) -> Arguments:
    """Return a function that makes the output argument for a robot's 6 x n Jacobian.

    The function has the robot model as its argument.

    Args:
        name: name of the argument.
        meaning: description of the argument in the documentation of generated code.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        rotates = find_rotating_entries(model)
        linear = list_linear_units(model)
        angular = tuple("" if each else "rad/m" for each in rotates)
        return (Argument(name, (6, len(rotates)), linear * 3 + angular * 3, meaning),)

    return arguments


def list_linear_units(model: RobotModel) -> tuple[str, ...]:
    """Return the unit of the Jacobian's linear rows for every joint velocity: "m/rad" or ""."""
    return tuple("m/rad" if rotates else "" for rotates in find_rotating_entries(model))


def record_jacobian(
    recording: Recording, frame: AttachedFrame, in_frame_axes: bool, two_axes: bool
) -> list[Quantity]:
    """Record the geometric Jacobian of a frame: velocity of its origin, then angular velocity.

    Args:
        recording: program under construction, with the robot model and its bodies.
        frame: the frame whose Jacobian is recorded.
        in_frame_axes: whether the components are in the frame's axes instead of the base's.
        two_axes: whether one of the unit vectors is computed as the cross product of the other two,
            at every body where that may save operations.

    Returns:
        The elements of the 6 x n matrix, row-major, with one column for each of the n entries of
        the velocity vector.
    """
    columns = record_joint_columns(recording, frame, in_frame_axes, two_axes)
    linear = sum_forces(
        recording, [tuple(column.linear for column in of_joint) for of_joint in columns]
    )
    angular = sum_forces(
        recording, [tuple(column.angular for column in of_joint) for of_joint in columns]
    )
    return [column[row] for half in (linear, angular) for row in range(3) for column in half]


def record_joint_columns(
    recording: Recording, frame: AttachedFrame, in_frame_axes: bool = False, two_axes: bool = False
) -> list[list[FrameMotion]]:
    """Record the columns of a frame's Jacobian for the joint of every body.

    A joint has one column for each of its velocities. A mimicking joint has a column too. The
    columns of joints that do not move the frame are zero.

    Args:
        recording: program under construction, with the robot model and its bodies.
        frame: the frame whose Jacobian is recorded.
        in_frame_axes: whether the components are in the frame's axes instead of the base's.
        two_axes: whether one of the unit vectors is computed as the cross product of the other two,
            at every body where that may save operations.

    Returns:
        A list for every body, with the velocity of the frame at a unit of each velocity of the
        body's joint.
    """
    path = recording.find_path(frame.body)
    if in_frame_axes:
        axes = _record_frame_axes(recording, frame, path, two_axes)
        # From the body's origin to the frame's, in the frame's own axes: R^T p.
        position = recording.add_constant(
            *Pose(transpose(frame.pose.rotation), ORIGIN).rotate(frame.pose.translation)
        )
    else:
        axes = record_base_axes(recording, path, two_axes)
        position = resolved(*axes[frame.body], record_pose_in_body(recording, frame)[1])
    rest = recording.add_constant(0, 0, 0)
    columns = [[FrameMotion(rest, rest)] * len(body.entries) for body in recording.bodies]
    # All vectors are in the Jacobian's axes. Unit vector k of a body has there the components k of
    # the Jacobian's unit vectors, which `axes` contains in the body's axes.
    for body in path:
        body.begin_section("Columns, body")
        position = position.name(ER(body.number))
        for place, (number, screw) in enumerate(zip(body.numbers, body.screws, strict=True)):
            axis = join(unit[screw.axis] for unit in axes[body.index])
            columns[body.index][place] = FrameMotion(
                # z x r and z (Whitney 1969); mimicking joints add to one column in `sum_forces`.
                linear_column(screw.angular, screw.linear, axis, position).name(JV(number)),
                angular_column(screw.angular, axis).name(JW(number)),
            )
        if body.parent != BASE:
            axis = join(unit[2] for unit in axes[body.index])
            translation = resolved(*axes[body.parent], body.translation)
            position = position_from_parent(position, body.displacement, axis, translation)
    return columns


def _record_frame_axes(
    recording: Recording, frame: AttachedFrame, path: tuple[ResolvedBody, ...], two_axes: bool
) -> Mapping[int, UnitVectors]:
    """Record a frame's unit vectors in the axes of every body on a path, by body index.

    `path` leads from the frame's body inward to the base. If `two_axes` is True, one of the unit
    vectors is computed as the cross product of the other two, at every body where that may save
    operations.
    """
    axes, _ = record_pose_in_body(recording, frame)
    in_bodies = {}
    for place, body in enumerate(path):
        body.begin_section("Inward, body")
        if two_axes and place in _find_saving_places(path):
            axes = complete_axes(axes)
        in_bodies[body.index] = name_axes(AXES_OF_JACOBIAN, body.number, axes)
        axes = tuple(body.rotate_inward(axis) for axis in in_bodies[body.index])
    return in_bodies


def record_base_axes(
    recording: Recording, path: tuple[ResolvedBody, ...], two_axes: bool
) -> Mapping[int, UnitVectors]:
    """Record the base's unit vectors in the axes of the base and of all bodies on a path.

    Args:
        recording: program under construction, with the robot model and its bodies.
        path: bodies from a body inward to the base.
        two_axes: whether the second unit vector is computed as the cross product of the other two,
            at every body where that may save operations.

    Returns:
        The unit vectors x, y, z of the base by the index of the body (BASE for the base), in the
        body's axes.
    """
    in_bodies = {
        BASE: tuple(recording.add_constant(*unit) for unit in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    }
    for place, body in enumerate(reversed(path)):
        body.begin_section("Outward, body")
        axes = tuple(body.rotate_outward(axis) for axis in in_bodies[body.parent])
        if two_axes and place in _find_saving_places(path):
            axes = complete_axes(axes)
        in_bodies[body.index] = name_axes(AXES_OF_JACOBIAN, body.number, axes)
    return in_bodies


def _find_saving_places(path: tuple[ResolvedBody, ...]) -> range:
    """Return the indices of the bodies on a path at which a cross product may save operations.

    The cross product computes one of a frame's three unit vectors from the other two.
    """
    # The first rotations of a unit vector meet zeros and ones and cost less. At the last body only
    # third components are used.
    return range(2, len(path) - 1)


COM = Symbol(
    "com",
    "i",
    VECTOR,
    "centre of mass of all moving bodies, from the origin of body i (0: the base)",
    "m",
)


def sum_masses(model: RobotModel) -> Exact:
    """Return the mass of all moving bodies (kg)."""
    return sum((body.inertial.mass for body in model.bodies), ZERO)


def record_center_of_mass(recording: Recording) -> Quantity:
    """Record the position of the centre of mass of all moving bodies in the base frame (m)."""
    com = record_com(recording, record_whole(recording, record_composites(recording)))
    if base := recording.floating_base:
        com = base.rotate_inward(com) + base.translation
    return com.name(COM(BASE + 1))


def record_com_jacobian(recording: Recording) -> list[Quantity]:
    """Record the 3 x n Jacobian of the centre of mass in base axes, row-major.

    n is the number of entries of the velocity vector.
    """
    per_mass = recording.add_constant(sum_masses(recording.model).reciprocal())
    columns = [
        [per_mass * element for element in each.force]
        for each in _record_momenta(recording, about_com=False)
    ]
    return [column[row] for row in range(3) for column in columns]


def record_centroidal_momenta(recording: Recording) -> list[Quantity]:
    """Record the 6 x n centroidal momentum matrix in base axes, row-major, linear rows first.

    Column j contains the robot's linear momentum, and its angular momentum about the centre of
    mass, at a unit of entry j of the velocity vector.
    """
    columns = _record_momenta(recording, about_com=True)
    halves = ([each.force for each in columns], [each.moment for each in columns])
    return [column[row] for half in halves for row in range(3) for column in half]


def _record_momenta(recording: Recording, about_com: bool) -> list[Wrench]:
    """Record the momenta of the robot at a unit of every joint velocity, in base axes.

    The result has one wrench for every entry of the velocity vector: linear momentum as force,
    angular momentum as moment. The angular momenta are valid only with `about_com`; they are about
    the centre of mass.
    """
    composites = record_composites(recording)
    whole = record_whole(recording, composites)
    com = record_com(recording, whole) if about_com else recording.add_constant(0, 0, 0)
    to_com = -com
    momenta = find_base(recording).record_momenta(whole, com)
    for joint in recording.carried:
        joint.begin_section("Momenta of joint")
        (number,), (screw,) = joint.numbers, joint.screws
        path = record_unit_momenta(recording, joint, number, screw, composites[joint.index])
        *_, (last, unit) = path
        if last is not recording.floating_base:
            unit = last.carry_inward(unit)
        # From the origin to the centre of mass: h - c x p.
        momenta.append([Wrench(unit.force, moment_about(unit.moment, to_com, unit.force))])
    if base := recording.floating_base:
        inward = base.rotate_inward
        momenta = [
            [Wrench(inward(each.force), inward(each.moment)) for each in of_joint]
            for of_joint in momenta
        ]
    linear = sum_forces(recording, [tuple(each.force for each in of_joint) for of_joint in momenta])
    angular = sum_forces(
        recording, [tuple(each.moment for each in of_joint) for of_joint in momenta]
    )
    return [Wrench(*halves) for halves in zip(linear, angular, strict=True)]


def record_whole(recording: Recording, composites: tuple[Composite, ...]) -> Composite:
    """Record the inertial parameters of the whole robot, about the base's origin.

    `composites` has the inertial parameters of each body with all bodies that it carries
    (`record_composites`). The axes are those of a floating base or, without one, fixed base axes.
    """
    if base := recording.floating_base:
        return composites[base.index]
    mass, first_moment = recording.add_constant(0), recording.add_constant(0, 0, 0)
    whole = Composite(mass, first_moment, recording.add_constant(0, 0, 0, 0, 0, 0))
    for body, composite in zip(recording.bodies, composites, strict=True):
        if body.parent == BASE:
            whole += composite.carry_inward(body)
    return whole


def record_com(recording: Recording, whole: Composite) -> Quantity:
    """Record the position of the centre of mass of all moving bodies from the base's origin (m).

    `whole` has the inertial parameters of the whole robot (`record_whole`). The axes are those of a
    floating base or, without one, fixed base axes.
    """
    per_mass = recording.add_constant(sum_masses(recording.model).reciprocal())
    return join(per_mass * element for element in whole.first_moment).name(
        COM(recording.model.root + 1)
    )
