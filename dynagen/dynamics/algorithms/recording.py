"""Bodies, wrenches and sums over joints as recorded values, with which every recursion starts.

The axes of a body are the axes in which its vectors are resolved. These axes are the body axes,
which move with the joint, or the axes before the joint's rotation (see the drawing in `frames`).
Recursions use `rotate_outward` (parent's axes to the body's axes), `rotate_inward` (the reverse)
and the body's constants. The only assumption of recursions on the axes is that z is the joint axis.
`frames` makes the bodies.

The entries of v are joint velocities. A joint about or along an axis has one entry. A floating
joint has six: linear, then angular velocity in the axes of its body. A mimicking joint follows an
entry that belongs to another joint. The ratio of the mimicking joint is contained in `angular` and
`linear` of its body. So every joint moves by the entry that it follows: v_joints = G v, with zeros
and ones in G. By virtual work tau = G^T tau_joints and M = G^T M_joints G. So results for joints
are summed for the entries that the joints follow.

A matrix over pairs of joints has entries only for joints on one branch of the tree.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TypeVar

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.rotations import Rotation
from dynagen.dynamics.recording import Number, Quantity, Recorder, formula, join
from dynagen.ir.symbols import Name
from dynagen.robot.model.model import Body, RobotModel


@formula
def moment_below(moment: Matrix, displacement: Expr, force: Matrix) -> Matrix:
    """Return the moment n + d z x f about the foot, where the displacement d z begins.

    `moment` is n about the end of the displacement, `force` is f; all in the axes of one body.
    """
    # d z x f has no component along z.
    return moment + displacement * Matrix([-force[1], force[0], 0])


@formula
def moment_about(moment: Matrix, point: Matrix, force: Matrix) -> Matrix:
    """Return the moment n + p x f about a new point.

    `moment` is n about the old origin, `point` is p: from the new point to the old origin (m).
    """
    return moment + point.cross(force)


@formula
def along_joint(angular: Expr, moment: Matrix, linear: Expr, force: Matrix) -> Expr:
    """Return the component of a wrench along a joint: angular n_z + linear f_z.

    `moment` is n and `force` is f, in the axes of the joint's body and about its origin. For a
    momentum they are its angular and its linear part.
    """
    # In the body's axes the joint axis is z. By virtual work the component is the power of the
    # wrench at a unit joint velocity.
    return angular * moment[2] + linear * force[2]


@dataclass(frozen=True)
class Wrench:
    """Force and moment about the origin of a body, in its axes.

    Linear and angular momentum transform in the same way and are also represented by this class.
    """

    force: Quantity
    moment: Quantity

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.force + other.force, self.moment + other.moment)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.force - other.force, self.moment - other.moment)

    def name(self, force: Name, moment: Name) -> Wrench:
        """Name the force and the moment."""
        return Wrench(self.force.name(force), self.moment.name(moment))


@dataclass(frozen=True)
class BodyAxesRotation:
    """Rotation about z from the resolved axes of a body to its body axes.

    Attributes:
        angle: sum of joint positions and offsets (rad), without the quarter turns.
        quarter_turns: number of quarter turns to add to the angle.
        rotation: rotation about z by the angle and the quarter turns.
    """

    angle: Quantity
    quarter_turns: int
    rotation: Rotation


@dataclass(frozen=True, kw_only=True, eq=False)
class ResolvedBody(Body):
    """A body of the model with the axes in which it is resolved, and its constants in them.

    Attributes:
        recorder: receives the program.
        index: position of the body among the bodies of the model.
        numbers: numbers from 1 of the joint's entries, counted as if every joint had entries of its
            own (`number_entries`). A mimicking joint has a number too.
        rotations: rotations from the parent's resolved axes to the body's, in the order in which
            they lead outward; most are elementary.
        body_axes: rotation from the resolved axes to the body axes; None if they are the same.
        translation: constant part of the displacement from the parent's origin to the body's, in
            the parent's axes (m).
        displacement: the other part of the displacement, along the joint axis z (m).
        first_moment: first moment of the body about its origin, in its axes (kg m).
        inertia: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz of the body about its origin, in its axes (kg m^2).
        second_moments: xx, yy, zz, xy, xz, yz in the same axes, if the body's inertial moment is
            computed from them; else None (kg m^2).
        joined: whether the joint is in a cluster with the parent's joint (`articulated`).
    """

    recorder: Recorder
    index: int
    numbers: range
    rotations: tuple[Rotation, ...]
    body_axes: BodyAxesRotation | None
    translation: Quantity
    displacement: Quantity
    first_moment: Quantity
    inertia: Quantity
    second_moments: Quantity | None
    joined: bool

    @property
    def number(self) -> int:
        """The number of the body in names: 1 for the first."""
        return self.index + 1

    @property
    def entry(self) -> int:
        """The first entry of v that the joint moves by; a floating base has five more."""
        return self.joint.idx_v

    @property
    def mass(self) -> Quantity:
        """Mass (kg)."""
        return self.recorder.add_constant(self.inertial.mass)

    def resolve_turning(self, values: Sequence[Quantity]) -> Quantity:
        """Return the angular velocity of a spherical joint in the axes of a body of its group.

        `values` has one velocity, or acceleration, for every entry of v.
        """
        column = self.column or 0
        # The axes of the bodies are y, z, x, then z, x, y, then x, y, z of the joint.
        return join(values[self.entry - column + (column + axis) % 3] for axis in (1, 2, 3))

    def begin_section(self, title: str) -> None:
        """Begin a section of this body, for example `Outward, body 2 (shoulder)`."""
        self.recorder.begin_section(f"{title} {self.number} ({self.name})")

    def rotate_outward(self, vector: Quantity) -> Quantity:
        """Record the components of a free vector in the body's axes, from those in the parent's."""
        for rotation in self.rotations:
            vector = rotation.rotate_outward(vector)
        return vector

    def rotate_inward(self, vector: Quantity) -> Quantity:
        """Record the components of a free vector in the parent's axes, from those in the body's."""
        # Inward the last rotation is undone first.
        for rotation in reversed(self.rotations):
            vector = rotation.rotate_inward(vector)
        return vector

    def rotate_matrix_inward(self, matrix: Quantity) -> Quantity:
        """Record the entries of a matrix in the parent's axes, from those in the body's."""
        for rotation in reversed(self.rotations):
            matrix = rotation.rotate_matrix_inward(matrix)
        return matrix

    def rotate_tensor_inward(self, tensor: Quantity) -> Quantity:
        """Record R A R^T with the rotation R from the body's axes to the parent's.

        Argument and result are the elements xx, yy, zz, xy, xz, yz of a symmetric tensor.
        """
        for rotation in reversed(self.rotations):
            tensor = rotation.rotate_tensor_inward(tensor)
        return tensor

    def from_body_axes(self, vector: Quantity) -> Quantity:
        """Record the components of a free vector in the resolved axes, from the body axes.

        Both sets of axes belong to this body; they differ by a rotation about z.
        """
        return vector if self.body_axes is None else self.body_axes.rotation.rotate_inward(vector)

    def to_body_axes(self, vector: Quantity) -> Quantity:
        """Record the components of a free vector in the body axes, from the resolved axes."""
        return vector if self.body_axes is None else self.body_axes.rotation.rotate_outward(vector)

    def carry_inward(self, wrench: Wrench) -> Wrench:
        """Record a wrench in the parent's axes, about the parent's origin.

        `wrench` is in this body's axes, about its origin.

        The displacement between the origins is made in two steps: along the joint axis in the
        body's axes, then along the constant translation in the parent's axes (Dhanaraj 1990, Table
        2.4: step 7 rotates the force, step 8 the moment).
        """
        # In the body's axes; after it both vectors are in the parent's axes.
        on_axis = moment_below(wrench.moment, self.displacement, wrench.force)
        force = self.rotate_inward(wrench.force)
        return Wrench(force, moment_about(self.rotate_inward(on_axis), self.translation, force))

    def project(self, wrench: Wrench) -> tuple[Quantity, ...]:
        """Record the components of a wrench along the joint, one for each of its entries of v.

        `wrench` is in this body's axes, about its origin. A floating base has six components: force
        (N), then moment (N m).
        """
        if self.is_free:
            # A floating base: its motion subspace is the identity.
            return (*wrench.force, *wrench.moment)
        return (along_joint(self.angular, wrench.moment, self.linear, wrench.force),)


@dataclass(frozen=True)
class JointMotion:
    """Motion of all joints, in the order of v.

    Attributes:
        velocities: scalars (rad/s or m/s).
        accelerations: scalars (rad/s^2 or m/s^2).
        gravity: whether gravity acts. Gravity enters as an upward acceleration of the base.
    """

    velocities: tuple[Quantity, ...]
    accelerations: tuple[Quantity, ...]
    gravity: bool = True


@dataclass(frozen=True)
class Recording:
    """The recording of one function for one robot.

    Attributes:
        recorder: receives the program.
        model: the robot.
        bodies: bodies of the model in their resolved axes; empty for a function that does not take
            joint positions.
    """

    recorder: Recorder
    model: RobotModel
    bodies: tuple[ResolvedBody, ...] = ()

    @property
    def robot(self) -> RobotModel:
        """The robot to whose entries of q and v inputs and results belong."""
        return self.model

    @cached_property
    def zeros(self) -> tuple[Quantity, ...]:
        """Zeros for all entries of v."""
        return (self.add_constant(0),) * self.model.nv

    @cached_property
    def velocities(self) -> tuple[Quantity, ...]:
        """The input qd."""
        return self.add_elements("qd")

    @property
    def motion(self) -> JointMotion:
        """The inputs qd and qdd, under gravity."""
        return JointMotion(self.velocities, self.add_elements("qdd"))

    def make_unaccelerated_motion(self, gravity: bool) -> JointMotion:
        """Return the input qd with zero accelerations."""
        return JointMotion(self.velocities, self.zeros, gravity)

    def solve_loops(self) -> None:
        """Record the positions that closed loops determine."""

    def find_position(self, body: Body) -> Quantity:
        """Return the entry of q that a joint follows."""
        return self.add_element("q", body.joint.idx_q)

    def find_rotation(self, body: Body) -> tuple[Quantity, Quantity] | None:
        """Return cosine and sine of a joint's angle plus offset, if closed loops determine them.

        None: the angle is an entry of q, and its cosine and sine are computed from it.
        """
        return None

    def gather(self, values: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Record G^T x of forces x of the tree, with v_tree = G v; without closed loops it is x."""
        return tuple(values)

    def gather_matrix(self, matrix: JointMatrix) -> JointMatrix:
        """Record G^T M G of a symmetric matrix M of the tree; without closed loops it is M."""
        return matrix

    def add_constant(self, *numbers: Number) -> Quantity:
        """Record numbers: one is a scalar, several are a vector."""
        return self.recorder.add_constant(*numbers)

    def add_element(self, argument: str, index: int = 0) -> Quantity:
        """Record an element of an input."""
        return self.recorder.add_element(argument, index)

    def add_elements(self, argument: str) -> tuple[Quantity, ...]:
        """Record all elements of an input that has one for each entry of v."""
        return tuple(self.add_element(argument, index) for index in range(self.model.nv))

    def begin_section(self, title: str) -> None:
        """Begin a section: a comment in generated code."""
        self.recorder.begin_section(title)

    def find_path(self, index: int) -> tuple[ResolvedBody, ...]:
        """Return a body and the bodies that carry it, towards the base; an empty tuple for BASE."""
        return tuple(self.bodies[each] for each in self.model.find_path(index))


JointMatrix = Mapping[tuple[int, int], Quantity]
"""Scalars by row and column. Pairs that move no body in common have no entry."""


def lower_pairs(model: RobotModel) -> tuple[tuple[int, int], ...]:
    """Return the pairs (row, column) of entries of v that move a body in common.

    Only pairs with column <= row are returned (lower triangle and diagonal), in row-major order.
    """
    # For each body the entries of v that move it.
    moving = (
        [entry for each in model.find_path(index) for entry in model.bodies[each].entries]
        for index in range(len(model.bodies))
    )
    return tuple(
        sorted(
            {
                (row, column)
                for entries in moving
                for row in entries
                for column in entries
                if column <= row
            }
        )
    )


def flatten(recording: Recording, matrix: JointMatrix) -> tuple[Quantity, ...]:
    """Return all n x n elements of a matrix over entries of v, row-major; absent pairs are zero."""
    zero, entries = recording.add_constant(0), range(recording.robot.nv)
    return tuple(matrix.get((row, column), zero) for row in entries for column in entries)


K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class JointScrew:
    """A motion that a joint leaves free, at a unit velocity.

    Attributes:
        axis: 0, 1 or 2: the axis x, y or z of the body about and along which the joint moves.
        angular: angular velocity about the axis (rad/s per unit of the joint velocity).
        linear: velocity of the origin along the axis (m/s per unit of the joint velocity).
    """

    axis: int
    angular: Number
    linear: Number


def list_screws(body: Body) -> tuple[JointScrew, ...]:
    """Return the screws of a body's joint, one for each of its entries of v."""
    if not body.is_free:
        # The joint axis is z.
        return (JointScrew(2, body.angular, body.linear),)
    # Three translations, then three rotations.
    return tuple(
        JointScrew(axis, *velocities) for velocities in ((0, 1), (1, 0)) for axis in range(3)
    )


def number_entries(model: RobotModel) -> tuple[range, ...]:
    """Return for every body the numbers of its joint's entries, counted from 1.

    Each joint has numbers of its own: a mimicking joint does not share numbers with the joint that
    it follows. So matrices over joints are computed before joints are coupled (`sum_matrix`).
    """
    # A joint has as many entries as its type has velocities: one, or six.
    ends = list(accumulate((len(body.joint.type.rotates) for body in model.bodies), initial=1))
    return tuple(range(first, end) for first, end in pairwise(ends))


def sum_forces(
    recording: Recording, joint_forces: Iterable[tuple[Quantity, ...]]
) -> tuple[Quantity, ...]:
    """Record tau = G^T tau_joints: forces for entries of v from the forces of all joints.

    Args:
        recording: recording of the function for the robot.
        joint_forces: tau_joints: for every body the forces of its joint (N m or N), one for each
            entry of v that the joint moves by. Columns of a matrix are summed in the same way.

    Returns:
        One quantity for every entry of v.
    """
    # Mimicking joints add their force to the entry that they follow (tau = G^T tau_joints).
    forces: dict[int, Quantity] = {}
    for body, of_joint in zip(recording.model.bodies, joint_forces, strict=True):
        for entry, force in zip(body.entries, of_joint, strict=True):
            _add(forces, entry, force)
    return recording.gather([forces[index] for index in range(recording.model.nv)])


def sum_matrix(recording: Recording, joint_matrix: JointMatrix) -> JointMatrix:
    """Record M = G^T M_joints G: a matrix over entries of v from a matrix over joints.

    `joint_matrix` has rows and columns by the numbers of `number_entries`. Entries of joints that
    follow the same entry of v are added.
    """
    # The entry of v behind every number.
    entry = {
        number: entry
        for body in recording.bodies
        for number, entry in zip(body.numbers, body.entries, strict=True)
    }
    entries: dict[tuple[int, int], Quantity] = {}
    for (row, column), value in joint_matrix.items():
        _add(entries, (entry[row], entry[column]), value)
    return recording.gather_matrix(entries)


def _add(sums: dict[K, Quantity], place: K, quantity: Quantity) -> None:
    """Add a quantity to a table of sums."""
    sums[place] = sums[place] + quantity if place in sums else quantity
