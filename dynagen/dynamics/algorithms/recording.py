"""Bodies, joints, wrenches and sums over joints as recorded values, used by every recursion.

The resolved axes of a body are the axes in which its vectors are computed: the body axes, which
move with the joint, or the axes before the joint's rotation (see the drawing in `frames`). In both
cases z is the joint axis.

The screws of a joint are the columns of its motion subspace, in the axes of its body. Recursions
loop over `screws`, and call the abstract methods of `ResolvedBody` where joints differ. The modules
`axis_joint`, `spherical_joint` and `floating_joint` contain one subclass each.

The entries of the velocity vector v are joint velocities. A joint about or along an axis has one
entry. A floating joint has six entries: linear, then angular velocity in the axes of its body. A
mimicking joint shares the entry of another joint; `angular` and `linear` of its body contain its
ratio. The velocities of all joints are v_joints = G v, with zeros and ones in G. By virtual work
tau = G^T tau_joints and M = G^T M_joints G, so results of joints that share an entry are added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TypeVar

from dynagen.dynamics.algorithms.motions import (
    BodyMotion,
    ReferenceMotion,
    RelativeMotion,
    StepSlopes,
)
from dynagen.dynamics.algorithms.rotations import Rotation
from dynagen.dynamics.algorithms.screws import Screw, Wrench, moment_about, moment_below
from dynagen.dynamics.recording import Number, Quantity, Recorder
from dynagen.robot.model.model import Body, RobotModel


@dataclass(frozen=True)
class BodyAxesRotation:
    """Rotation about z from the resolved axes of a body to its body axes.

    Attributes:
        angle: sum of joint positions and offsets (rad), without quarter turns.
        quarter_turns: number of rotations by 90 degrees to add to the angle.
        rotation: rotation about z by the angle and the quarter turns.
    """

    angle: Quantity
    quarter_turns: int
    rotation: Rotation


@dataclass(frozen=True, kw_only=True, eq=False)
class ResolvedBody(Body, ABC):
    """A body of the model with its resolved axes, and its constants in the resolved axes.

    The components of the body's vectors are computed in the resolved axes. The abstract methods
    depend on the type of the joint that moves the body.

    Attributes:
        recorder: object that appends operations to the program under construction.
        index: index of the body among the bodies of the model, from 0.
        numbers: numbers of the joint's velocities, counted from 1 over all joints of the robot
            (`number_entries`).
        rotations: rotations from the parent's resolved axes to the body's, in outward order.
        body_axes: rotation from the resolved axes to the body axes; None if they are the same.
        translation: constant part of the displacement from the parent's origin to the body's, in
            the parent's axes (m).
        displacement: part of the displacement from the parent's origin along the joint axis z (m).
        first_moment: first moment of the body about its origin (kg m).
        inertia: the elements Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the body's origin (kg m^2).
        second_moments: the elements xx, yy, zz, xy, xz, yz, if the body's inertial moment is
            computed from second moments; else None (kg m^2).
        joined: whether ABA eliminates the body's joint and the parent's joint in one cluster.
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
        """Number of the body, from 1, which names of values and section titles contain."""
        return self.index + 1

    @property
    def entry(self) -> int:
        """Index of the joint's first velocity in the velocity vector of the robot, from 0."""
        return self.joint.idx_v

    @property
    def mass(self) -> Quantity:
        """Mass of the body with its merged links (kg), a recorded constant."""
        return self.recorder.add_constant(self.inertial.mass)

    def begin_section(self, title: str) -> None:
        """Begin a program section with a title such as `Outward, body 2 (shoulder)`."""
        self.recorder.begin_section(f"{title} {self.number} ({self.name})")

    def rotate_outward(self, vector: Quantity) -> Quantity:
        """Record a free vector in the body's resolved axes, from the parent's resolved axes."""
        for rotation in self.rotations:
            vector = rotation.rotate_outward(vector)
        return vector

    def rotate_inward(self, vector: Quantity) -> Quantity:
        """Record a free vector in the parent's resolved axes, from the body's resolved axes."""
        # Inward the last rotation is undone first.
        for rotation in reversed(self.rotations):
            vector = rotation.rotate_inward(vector)
        return vector

    def rotate_matrix_inward(self, matrix: Quantity) -> Quantity:
        """Record a 3 x 3 matrix in the parent's resolved axes, from the body's resolved axes."""
        for rotation in reversed(self.rotations):
            matrix = rotation.rotate_matrix_inward(matrix)
        return matrix

    def rotate_tensor_inward(self, tensor: Quantity) -> Quantity:
        """Record a tensor (xx, yy, zz, xy, xz, yz) in the parent's axes, from the body's axes."""
        for rotation in reversed(self.rotations):
            tensor = rotation.rotate_tensor_inward(tensor)
        return tensor

    def from_body_axes(self, vector: Quantity) -> Quantity:
        """Record a free vector in the body's resolved axes, from the axes that move with it."""
        return vector if self.body_axes is None else self.body_axes.rotation.rotate_inward(vector)

    def to_body_axes(self, vector: Quantity) -> Quantity:
        """Record a free vector in the axes that move with the body, from its resolved axes."""
        return vector if self.body_axes is None else self.body_axes.rotation.rotate_outward(vector)

    def carry_inward(self, wrench: Wrench) -> Wrench:
        """Record a wrench in the parent's axes, about the parent's origin.

        `wrench` is in this body's axes, about its origin (Dhanaraj 1990, Table 2.4, steps 7 and 8).
        """
        # First in the body's axes; `rotate_inward` then brings both vectors to the parent's axes.
        on_axis = moment_below(wrench.moment, self.displacement, wrench.force)
        force = self.rotate_inward(wrench.force)
        return Wrench(force, moment_about(self.rotate_inward(on_axis), self.translation, force))

    def project(self, wrench: Wrench) -> tuple[Quantity, ...]:
        """Record a wrench's components along the screws of the body's joint (N m or N).

        `wrench` is in this body's axes, about its origin.
        """
        return tuple(screw.project(wrench) for screw in self.screws)

    @property
    @abstractmethod
    def screws(self) -> tuple[Screw, ...]:
        """The motion subspace in the body's axes: one screw for each velocity of the joint."""

    @abstractmethod
    def resolve_up(self, recording: Recording, up: Quantity) -> Quantity:
        """Record the opposite of gravity (m/s^2) in the body's axes, from the parent's axes."""

    @abstractmethod
    def record_motion(
        self, recording: Recording, parent: BodyMotion, motion: JointMotion
    ) -> BodyMotion:
        """Record the body's motion in its axes, from the motions of its parent and all joints."""

    @abstractmethod
    def record_reference_motion(
        self, recording: Recording, parent: ReferenceMotion
    ) -> ReferenceMotion:
        """Record the body's actual and reference motion in its axes, from its parent's motion."""

    @abstractmethod
    def record_velocity(
        self, recording: Recording, motion: BodyMotion, parent: tuple[Quantity, Quantity]
    ) -> Quantity:
        """Record the velocity of the body's origin in its axes (m/s).

        `parent` contains the angular velocity of the parent body (rad/s) and the velocity of its
        origin (m/s), in the parent's axes. `motion` contains the body's angular velocity.
        """

    @abstractmethod
    def add_velocity(self, recording: Recording, relative: RelativeMotion) -> RelativeMotion:
        """Add the joint's velocity to a frame's motion relative to the body (`relative`).

        The resulting velocities are relative to the parent, in the body's axes. The accelerations
        are not changed.
        """

    @abstractmethod
    def add_motion(
        self, recording: Recording, relative: RelativeMotion, accelerations: Sequence[Quantity]
    ) -> RelativeMotion:
        """Add the joint's motion to a frame's motion relative to the body (`relative`).

        The results are relative to the parent, in the body's axes. `accelerations` are the joint
        accelerations qdd of the robot; an empty sequence means zero.
        """

    @abstractmethod
    def list_position_changes(self, recording: Recording) -> list[list[Change]]:
        """List the variables that a small motion of the joint changes, with their changes.

        The result has a list for each velocity of the joint. A variable is an entry of q, or
        gravity or a contact force in the axes of a floating base (`differentiation`).
        """

    @abstractmethod
    def record_next_positions(
        self, recording: Recording, velocities: Sequence[Quantity], step: Quantity
    ) -> tuple[Quantity, ...]:
        """Record the joint's entries of q after a time step `step` (s) with constant velocities.

        `velocities` are all joint velocities. The result has scalars or vectors in the order of q.
        """

    @abstractmethod
    def record_step_slopes(
        self, recording: Recording, motion: Sequence[Quantity]
    ) -> tuple[StepSlopes, ...]:
        """Record derivatives of the joint's entries of q after a time step at constant velocity.

        `motion` is velocity times time step, one scalar (rad or m) for every joint velocity. The
        result is empty for a mimicking joint.
        """

    @abstractmethod
    def record_difference(self, recording: Recording, after: str) -> tuple[Quantity, ...]:
        """Record the joint's motion from q to the input `after`, one scalar for each velocity."""

    @abstractmethod
    def record_coordinate_columns(
        self, recording: Recording, row: Sequence[Quantity]
    ) -> tuple[Quantity, ...]:
        """Record a scalar's derivatives by the joint's entries of q, one for each entry.

        `row` has the scalar's derivatives by small motions, one for every joint velocity.
        """

    @property
    @abstractmethod
    def rotations_by_entry(self) -> tuple[range, ...]:
        """Ranges of the velocity vector with three rotations about the axes x, y, z of one body."""

    def find_axis_velocity(self, twice_w: Quantity, velocities: Sequence[Quantity]) -> Quantity:
        """Return twice the angular velocity (rad/s) with which the joint axis turns.

        The axis turns with the body of the joint. For a spherical joint, twice the mean of the
        angular velocities of link and parent is returned. `twice_w` is twice the angular
        velocity of the joint's body; `velocities` are qd.
        """
        return twice_w

    def record_carrier_motion(
        self, moved: BodyMotion, motion: JointMotion
    ) -> tuple[Quantity, Quantity, Quantity]:
        """Record the motion (w, lambda, a) of a body in which the axis of this joint is fixed.

        For a joint with one axis, the body is the one that the joint moves. w is the angular
        velocity (rad/s), lambda the acceleration difference matrix (1/s^2), and a the acceleration
        of the joint's origin minus gravity (m/s^2). `moved` is the motion of the moved body.
        """
        return moved.angular_velocity, moved.difference, moved.acceleration

    @property
    def unobservable(self) -> tuple[str, ...]:
        """Names of the body's inertial parameters that do not affect its joint's force."""
        # A translation observes no second moments, a rotation neither m nor mz nor Szz.
        inertia = ("Szz",) if self.angular else ("Jxx", "Syy", "Szz", "Jxy", "Jxz", "Jyz")
        return inertia if self.linear else ("m", "mz", *inertia)

    def add_turned_axis(self, entry: Quantity, joint: ResolvedBody, moment: Quantity) -> Quantity:
        """Return `entry` plus the part that is due to the rotation of this joint's axis.

        Args:
            entry: derivative of this joint's force by the motion of another joint, for a fixed axis
                of this joint.
            joint: body of the other joint.
            moment: moment on this joint (N m), in the axes of `joint`.
        """
        return entry


MakeBody = Callable[..., ResolvedBody]
"""Constructor of a body from its resolved axes and recorded constants."""

Change = tuple[Quantity, Quantity]
"""A quantity, and its derivative by a small motion of a joint."""


@dataclass(frozen=True)
class JointMotion:
    """Motion of all joints, in the order of the velocity vector v.

    Attributes:
        velocities: joint velocities qd, one scalar each (rad/s or m/s).
        accelerations: joint accelerations qdd, one scalar each (rad/s^2 or m/s^2).
        gravity: whether gravity acts, represented by an upward acceleration of the base.
    """

    velocities: tuple[Quantity, ...]
    accelerations: tuple[Quantity, ...]
    gravity: bool = True


@dataclass(frozen=True)
class Recording:
    """A program under construction, which computes one function of one robot.

    Attributes:
        recorder: object that appends the operations to the program.
        model: the robot.
        bodies: bodies of the model with their recorded constants; empty for a function without the
            input q.
    """

    recorder: Recorder
    model: RobotModel
    bodies: tuple[ResolvedBody, ...] = ()

    @property
    def robot(self) -> RobotModel:
        """The robot with its closed loops; inputs and results are for its independent joints."""
        return self.model

    @property
    def floating_base(self) -> ResolvedBody | None:
        """The floating base; None if the base is fixed."""
        return next(iter(self.find_path(self.model.root)), None)

    @property
    def carried(self) -> tuple[ResolvedBody, ...]:
        """All bodies except a floating base; each is moved about or along its z axis."""
        return tuple(body for body in self.bodies if body.index != self.model.root)

    @cached_property
    def zeros(self) -> tuple[Quantity, ...]:
        """Constants 0, one recorded scalar for every joint velocity."""
        return (self.add_constant(0),) * self.model.nv

    @cached_property
    def velocities(self) -> tuple[Quantity, ...]:
        """Joint velocities, the input qd (rad/s or m/s), one scalar each."""
        return self.add_elements("qd")

    @property
    def motion(self) -> JointMotion:
        """Joint motion with the inputs qd and qdd, under gravity."""
        return JointMotion(self.velocities, self.add_elements("qdd"))

    def make_unaccelerated_motion(self, gravity: bool) -> JointMotion:
        """Return the joint motion with the input qd and qdd = 0, with or without gravity."""
        return JointMotion(self.velocities, self.zeros, gravity)

    def solve_loops(self) -> None:
        """Record the positions of the dependent joints, which closed loops determine."""

    def find_position(self, body: Body) -> Quantity:
        """Return the position of a body's joint (rad or m)."""
        return self.add_element("q", body.joint.idx_q)

    def find_rotation(self, body: Body) -> tuple[Quantity, Quantity] | None:
        """Return cosine and sine of a joint's angle plus offset, if closed loops determine them.

        Otherwise the result is None.
        """
        return None

    def gather(self, values: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Return G^T x, one quantity for each independent joint; `values` are x.

        G maps the velocities of the independent joints to those of all joints. Without loops G is
        the identity.
        """
        return tuple(values)

    def gather_matrix(self, matrix: JointMatrix) -> JointMatrix:
        """Record G^T M G for a symmetric matrix M; G maps independent to all joint velocities."""
        return matrix

    def add_constant(self, *numbers: Number) -> Quantity:
        """Record a constant: a scalar from one number, a vector from several numbers."""
        return self.recorder.add_constant(*numbers)

    def add_element(self, argument: str, index: int = 0) -> Quantity:
        """Return the scalar at `index` (from 0, row-major) of the input named `argument`."""
        return self.recorder.add_element(argument, index)

    def add_elements(self, argument: str) -> tuple[Quantity, ...]:
        """Return the scalars of the input named `argument`, one for every joint velocity."""
        return tuple(self.add_element(argument, index) for index in range(self.model.nv))

    def begin_section(self, title: str) -> None:
        """Begin a section of the program, which becomes a comment in generated code."""
        self.recorder.begin_section(title)

    def find_path(self, index: int) -> tuple[ResolvedBody, ...]:
        """Return the bodies from body `index` to the base, in this order; () for BASE."""
        return tuple(self.bodies[each] for each in self.model.find_path(index))


JointMatrix = Mapping[tuple[int, int], Quantity]
"""Entries of a matrix over joint velocities, by (row, column); absent entries are zero."""


def lower_pairs(model: RobotModel) -> tuple[tuple[int, int], ...]:
    """List pairs (row, column <= row) of joint velocities that move a common body, row-major."""
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
    """Return the nv x nv entries of a matrix over joint velocities, row-major."""
    zero, entries = recording.add_constant(0), range(recording.robot.nv)
    return tuple(matrix.get((row, column), zero) for row in entries for column in entries)


K = TypeVar("K", bound=Hashable)


def number_entries(model: RobotModel) -> tuple[range, ...]:
    """Return for every body the numbers of its joint's velocities, counted from 1 over all joints.

    A mimicking joint has a number too. `sum_matrix` converts a matrix from these numbers to indices
    in the velocity vector v.
    """
    # A joint has as many entries as its type has velocities: one, or six.
    ends = list(accumulate((len(body.joint.type.rotates) for body in model.bodies), initial=1))
    return tuple(range(first, end) for first, end in pairwise(ends))


def sum_forces(
    recording: Recording, joint_forces: Iterable[tuple[Quantity, ...]]
) -> tuple[Quantity, ...]:
    """Record tau = G^T tau_joints: one joint force for each entry of the velocity vector v.

    tau_joints are the forces of all joints. G has a 1 where a joint (row) moves by an entry of v
    (column), else 0. Mimicking joints share an entry of v.

    Args:
        recording: program under construction, with the robot model and its bodies.
        joint_forces: tau_joints, for every body one force (N m or N) or vector for each velocity of
            its joint.

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
    """Record M = G^T M_joints G, a matrix over entries of the velocity vector v.

    `joint_matrix` is M_joints by (row, column): positions among the joint velocities, from 1
    (`number_entries`). G has a 1 where a joint (row) moves by an entry of v (column), else 0.
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
    """Add a quantity to the sum under the key `place`."""
    sums[place] = sums[place] + quantity if place in sums else quantity
