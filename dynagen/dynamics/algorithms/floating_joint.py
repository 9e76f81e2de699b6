"""The joint of a floating base: six screws in the axes of the base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.dynamics.algorithms.base_pose import (
    ANGULAR,
    BR,
    LINEAR,
    UP,
    base_acceleration,
    by_point,
    by_quaternion,
    record_base_position,
    record_base_quaternion,
    record_base_rotation,
    record_up,
    rotated_back,
    twice_across,
)
from dynagen.dynamics.algorithms.external_wrenches import list_turned_forces
from dynagen.dynamics.algorithms.frame_motion import (
    acceleration_on_base,
    angular_acceleration_on_base,
)
from dynagen.dynamics.algorithms.integration import (
    ANGLE,
    ROTATION,
    TINY,
    TRANSLATION,
    angle_of,
    moved_by_twist,
    moved_point,
    record_rotation_between,
    rotated_quaternion,
    translation_of_twist,
)
from dynagen.dynamics.algorithms.integration_derivatives import record_pose_derivatives
from dynagen.dynamics.algorithms.motions import (
    BodyMotion,
    ReferenceMotion,
    RelativeMotion,
    StepSlopes,
)
from dynagen.dynamics.algorithms.newton_euler import (
    LAMBDA,
    A,
    K,
    acceleration_difference,
    velocity_products,
)
from dynagen.dynamics.algorithms.recording import (
    BodyAxesRotation,
    Change,
    JointMotion,
    MakeBody,
    Recording,
    ResolvedBody,
)
from dynagen.dynamics.algorithms.reference_motion import (
    ACCELERATION,
    VELOCITY,
    WRD,
    reference_difference,
)
from dynagen.dynamics.algorithms.rotations import Rotation, record_tensor
from dynagen.dynamics.algorithms.screws import Screw
from dynagen.dynamics.candidate import BodyChoice
from dynagen.dynamics.recording import Quantity, join
from dynagen.numbers.exact import ONE
from dynagen.robot.model.model import Body

_SCREWS = tuple(Screw(axis, *velocities) for velocities in ((0, 1), (1, 0)) for axis in range(3))
"""Screws of a floating base: translations along its axes x, y, z, then rotations about x, y, z."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FloatingBody(ResolvedBody):
    """A floating base: a body whose parent is the fixed frame."""

    @property
    def screws(self) -> tuple[Screw, ...]:
        """Three translations along the axes of the body, then three rotations about them."""
        return _SCREWS

    def resolve_up(self, recording: Recording, up: Quantity) -> Quantity:
        """Record the opposite of gravity in the axes of the base (m/s^2), from its quaternion.

        The argument `up` is not used.
        """
        return record_up(recording)

    def record_motion(
        self, recording: Recording, parent: BodyMotion, motion: JointMotion
    ) -> BodyMotion:
        """Record the motion of the floating base in its own axes, from the motion of all joints.

        The argument `parent` is not used. In the result, `carried_velocity` is the whole angular
        velocity, and `about_z` is zero.
        """
        i, no_velocity = self.number, recording.add_constant(0)
        v, w = join(motion.velocities[LINEAR]), join(motion.velocities[ANGULAR])
        vd, wd = join(motion.accelerations[LINEAR]), join(motion.accelerations[ANGULAR])
        up = record_up(recording).name(UP(i)) if motion.gravity else recording.add_constant(0, 0, 0)
        k = velocity_products(w).name(K(i))
        difference = acceleration_difference(w, wd, k).name(LAMBDA(i))
        # The input accelerations are derivatives of components in the axes of the base, so w x v is
        # added.
        a = base_acceleration(up, w, v, vd).name(A(i))
        return BodyMotion(w, wd, no_velocity, no_velocity, w, wd, k, difference, a)

    def record_reference_motion(
        self, recording: Recording, parent: ReferenceMotion
    ) -> ReferenceMotion:
        """Record the reference motion of the floating base from the inputs, in its own axes.

        The inputs are qd, `qd_reference` and `qdd_reference`. The argument `parent` is not used.
        """
        velocities, changes = recording.add_elements(VELOCITY), recording.add_elements(ACCELERATION)
        w = join(recording.velocities[ANGULAR])
        vr, wr = join(velocities[LINEAR]), join(velocities[ANGULAR])
        # The inputs are components in axes that rotate at w.
        wd = (join(changes[ANGULAR]) + w.cross(wr)).name(WRD(self.number))
        up = record_up(recording).name(UP(self.number))
        a = base_acceleration(up, w, vr, join(changes[LINEAR])).name(A(self.number))
        nothing = recording.add_constant(0)
        difference = reference_difference(w, wr, wd).name(LAMBDA(self.number))
        return ReferenceMotion(w, wr, wd, (w, wr, wd), (nothing,) * 3, difference, a)

    def record_velocity(
        self, recording: Recording, motion: BodyMotion, parent: tuple[Quantity, Quantity]
    ) -> Quantity:
        """Return the velocity of the base's origin in the base's axes (m/s), which is in qd."""
        return join(recording.velocities[LINEAR])

    def add_velocity(self, recording: Recording, relative: RelativeMotion) -> RelativeMotion:
        """Record a frame's velocities relative to the fixed frame, in the axes of the base.

        `relative` is the frame's motion relative to the base, in the axes of the base.
        """
        base_v, base_w = (join(recording.velocities[half]) for half in (LINEAR, ANGULAR))
        return RelativeMotion(
            relative.position,
            relative.velocity + base_v + base_w.cross(relative.position),
            relative.angular_velocity + base_w,
            relative.acceleration,
            relative.angular_acceleration,
        )

    def add_motion(
        self, recording: Recording, relative: RelativeMotion, accelerations: Sequence[Quantity]
    ) -> RelativeMotion:
        """Record a frame's accelerations relative to the fixed frame, in the axes of the base.

        `relative` is the frame's motion relative to the base, in the axes of the base; its
        velocities are returned unchanged. `accelerations` are the joint accelerations qdd, one for
        every joint velocity, or empty for zero.
        """
        base_v, base_w = (join(recording.velocities[half]) for half in (LINEAR, ANGULAR))
        p, v, w = relative.position, relative.velocity, relative.angular_velocity
        a = acceleration_on_base(relative.acceleration, v, p, base_v, base_w)
        wd = angular_acceleration_on_base(relative.angular_acceleration, w, base_w)
        if accelerations:
            base_a, base_wd = (join(accelerations[half]) for half in (LINEAR, ANGULAR))
            a, wd = a + base_a + base_wd.cross(p), wd + base_wd
        # Velocities in the base frame have no use after this body, the last one.
        return RelativeMotion(p, v, w, a, wd)

    def list_position_changes(self, recording: Recording) -> list[list[Change]]:
        """Return the vectors that a small rotation of the base changes, with their changes.

        The vectors u are the opposite of gravity and the contact forces, in the axes of the base.
        The result has six lists: three empty ones for translations of the base, and one for the
        rotation e about each axis, with pairs of u and its change cross(u, e).
        """
        vectors = [record_up(recording), *list_turned_forces(recording)]
        axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        turned = [
            [(vector, vector.cross(recording.add_constant(*axis))) for vector in vectors]
            for axis in axes
        ]
        return [[], [], [], *turned]

    def record_next_positions(
        self, recording: Recording, velocities: Sequence[Quantity], step: Quantity
    ) -> tuple[Quantity, ...]:
        """Record position and quaternion of the base after a step (s) with a constant twist.

        The first six of `velocities` are the twist of the base: linear (m/s), then angular velocity
        (rad/s), in its axes. The result has the position in the fixed frame (m) and the quaternion
        x, y, z, w.
        """
        # Rotation and translation of the step are in the axes of the base at its beginning.
        rotation = (step * join(velocities[ANGULAR])).name(ROTATION(1))
        along = step * join(velocities[LINEAR])
        angle = angle_of(rotation, TINY).name(ANGLE(1))
        # Half angles serve both the quaternion and V.
        sine, cosine = recording.recorder.add_sine_cosine(angle * (ONE / 2))
        # k = sin(phi/2) / phi; the tiny term in phi makes it 1/2 at rest.
        share = sine / angle
        moved = moved_by_twist(rotation, along, share, cosine, angle).name(TRANSLATION(1))
        quaternion = record_base_quaternion(recording)
        # R u is the translation in the base frame.
        position = moved_point(record_base_position(recording), quaternion, moved)
        return position, rotated_quaternion(quaternion, share * rotation, cosine)

    def record_coordinate_columns(
        self, recording: Recording, row: Sequence[Quantity]
    ) -> tuple[Quantity, ...]:
        """Record a scalar's derivatives by the base's position and quaternion x, y, z, w.

        `row` has the scalar's derivatives by small motions, one for every entry of the velocity
        vector. The first six are by motions along and about the axes of the base.
        """
        rotation, quaternion = record_base_rotation(recording), record_base_quaternion(recording)
        return (
            *by_point(rotation, join(row[LINEAR])),
            *by_quaternion(*quaternion, join(row[ANGULAR])),
        )

    def record_step_slopes(
        self, recording: Recording, motion: Sequence[Quantity]
    ) -> tuple[StepSlopes, ...]:
        """Record derivatives of the base's position and quaternion after a constant twist.

        The derivatives are by position and quaternion before the step, and by the motion d, which
        is the twist times the time step. The first six of `motion` are d: linear (m), then angular
        (rad), in the axes of the base.
        """
        return (StepSlopes(range(7), range(6), *record_pose_derivatives(recording, motion)),)

    def record_difference(self, recording: Recording, after: str) -> tuple[Quantity, ...]:
        """Record the base's motion from q to the input `after`, at a constant twist.

        `after` is the name of an input with the entries of q. The result has six scalars: the
        linear (m), then the angular part (rad) of the motion, in the moving axes of the base.
        """
        quaternion = record_base_quaternion(recording)
        ends = [recording.add_element(after, index) for index in range(7)]
        rotation, quotient, cosine = record_rotation_between(quaternion, join(ends[3:]))
        rotation = rotation.name(ROTATION(1))
        moved = join(ends[:3]) - record_base_position(recording)
        x, y, z, w = quaternion
        shift = rotated_back(x, y, z, w, moved, twice_across(x, y, z, moved))
        tiny = recording.add_constant(TINY)
        along = translation_of_twist(rotation, shift, quotient, cosine, tiny).name(TRANSLATION(1))
        return (*along, *rotation)

    @property
    def rotations_by_entry(self) -> tuple[range, ...]:
        """Indices of the base's angular velocity in the velocity vector: a tuple of one range."""
        return (range(ANGULAR.start, ANGULAR.stop),)


def resolve_floating(
    recording: Recording,
    number: int,
    body: Body,
    choice: BodyChoice,
    parent: BodyAxesRotation | None,
    make: MakeBody,
) -> ResolvedBody:
    """Record the constants of a floating base in its body axes.

    Args:
        recording: program under construction, with the robot model and its bodies.
        number: number of the body, from 1.
        body: the floating base in the model.
        choice: formulas chosen for the body; only the choice `by_second_moments` is used.
        parent: not used.
        make: constructor of the result; its arguments are the axes and the recorded constants.
    """
    # q holds the base's position in the base frame, so its displacement is all translation.
    return make(
        rotations=(Rotation.from_matrix(record_base_rotation(recording).name(BR(number))),),
        body_axes=None,
        translation=record_base_position(recording),
        displacement=recording.add_constant(0),
        first_moment=recording.add_constant(*body.inertial.first_moment),
        inertia=recording.add_constant(*body.inertial.inertia),
        second_moments=record_tensor(recording.recorder, body.inertial.second_moments)
        if choice.by_second_moments
        else None,
    )
