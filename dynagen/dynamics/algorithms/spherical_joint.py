"""Spherical joints, each modelled as a group of three bodies that move together.

The joint velocity has three components along the axes of the moved link. All three bodies move with
the link, and their axes are cyclic exchanges of the link's axes: z of each body is another axis of
the link. Each body has one component of the joint velocity, about its z axis. In contrast to a
joint with one axis, z turns with the link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.dynamics.algorithms.axis_joint import AxisBody
from dynagen.dynamics.algorithms.base_pose import BR, by_quaternion, rotation_of
from dynagen.dynamics.algorithms.frame_motion import (
    acceleration_on_base,
    angular_acceleration_on_base,
)
from dynagen.dynamics.algorithms.integration import ROTATION, record_rotation_between, record_turn
from dynagen.dynamics.algorithms.integration_derivatives import record_turn_derivatives
from dynagen.dynamics.algorithms.motions import (
    BodyMotion,
    ReferenceMotion,
    RelativeMotion,
    StepSlopes,
)
from dynagen.dynamics.algorithms.newton_euler import (
    LAMBDA,
    WD,
    A,
    K,
    W,
    acceleration_at,
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
    WR,
    WRD,
    reference_difference,
)
from dynagen.dynamics.algorithms.rotations import Rotation, record_tensor
from dynagen.dynamics.candidate import BodyChoice
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Matrix
from dynagen.numbers.exact import Exact
from dynagen.robot.model.model import Body


@formula
def spherical_acceleration(carried: Matrix, w: Matrix, turning: Matrix, change: Matrix) -> Matrix:
    """Return wd = R^T wd_parent + s' + cross(w, s), a body's angular acceleration (rad/s^2).

    A spherical joint moves the body. All vectors are in the axes of the body.

    Args:
        carried: R^T wd_parent, the parent's angular acceleration.
        w: angular velocity of the body.
        turning: s, the joint's angular velocity.
        change: s', the time derivative of the components of s.
    """
    return carried + change + w.cross(turning)


@dataclass(frozen=True, kw_only=True, eq=False)
class SphericalBody(AxisBody):
    """One of the three bodies that model a spherical joint."""

    @property
    def place(self) -> int:
        """Position of the body in its group of three bodies, from 0 to 2."""
        return self.column or 0

    def resolve_turning(self, values: Sequence[Quantity]) -> Quantity:
        """Return the spherical joint's angular velocity in the axes of this body (rad/s).

        `values` are the joint velocities of the robot. If `values` are joint accelerations, the
        result is the joint's angular acceleration.
        """
        column = self.place
        # The axes of the bodies are y, z, x, then z, x, y, then x, y, z of the joint.
        return join(values[self.entry - column + (column + axis) % 3] for axis in (1, 2, 3))

    def record_motion(
        self, recording: Recording, parent: BodyMotion, motion: JointMotion
    ) -> BodyMotion:
        """Record the motion of the body in its axes, from the parent's and the joints' motion.

        All three bodies have the motion of the link; the first one adds all three components of the
        joint velocity. In the result, `carried_velocity` is the whole angular velocity, and
        `about_z` is zero.
        """
        i, still = self.number, self.recorder.add_constant(0)
        w, wd = map(self.rotate_outward, (parent.angular_velocity, parent.angular_acceleration))
        if self.place == 0:
            turning, change = map(self.resolve_turning, (motion.velocities, motion.accelerations))
            w = w + turning
            wd = spherical_acceleration(wd, w, turning, change)
        w, wd = w.name(W(i)), wd.name(WD(i))
        k = velocity_products(w).name(K(i))
        difference = acceleration_difference(w, wd, k).name(LAMBDA(i))
        foot = acceleration_at(parent.acceleration, parent.difference, self.translation)
        a = self.rotate_outward(foot).name(A(i))
        return BodyMotion(w, wd, still, still, w, wd, k, difference, a)

    def record_reference_motion(
        self, recording: Recording, parent: ReferenceMotion
    ) -> ReferenceMotion:
        """Record the actual and the reference motion of the body, in its axes.

        The first of the joint's three bodies adds the joint's entries of the inputs qd,
        `qd_reference` and `qdd_reference`. The other two bodies have the same motion, in other
        axes.
        """
        i, nothing = self.number, recording.add_constant(0)
        w, wr, wd = (
            self.rotate_outward(each)
            for each in (
                parent.angular_velocity,
                parent.reference_velocity,
                parent.reference_acceleration,
            )
        )
        if self.place == 0:
            inputs = VELOCITY, ACCELERATION
            turning, change = (
                self.resolve_turning(recording.add_elements(each)) for each in inputs
            )
            w, wr = w + self.resolve_turning(recording.velocities), wr + turning
            # The axes turn with the actual velocity.
            wd = spherical_acceleration(wd, w, turning, change)
        w, wr, wd = w.name(W(i)), wr.name(WR(i)), wd.name(WRD(i))
        difference = reference_difference(w, wr, wd).name(LAMBDA(i))
        foot = acceleration_at(parent.acceleration, parent.difference, self.translation)
        a = self.rotate_outward(foot).name(A(i))
        return ReferenceMotion(w, wr, wd, (w, wr, wd), (nothing,) * 3, difference, a)

    def add_motion(
        self, recording: Recording, relative: RelativeMotion, accelerations: Sequence[Quantity]
    ) -> RelativeMotion:
        """Record a frame's motion relative to the parent, from its motion relative to this body.

        `relative` and the result are in the axes of this body. `accelerations` are the joint
        accelerations qdd of the robot; an empty sequence means zero. The last of the joint's three
        bodies adds the motion of the whole joint; the other two add nothing.
        """
        if self.place < 2:
            return relative
        turning = self.resolve_turning(recording.velocities)
        p, v, w = relative.position, relative.velocity, relative.angular_velocity
        a = acceleration_on_base(
            relative.acceleration, v, p, recording.add_constant(0, 0, 0), turning
        )
        wd = angular_acceleration_on_base(relative.angular_acceleration, w, turning)
        v, w = v + turning.cross(p), w + turning
        if accelerations:
            change = self.resolve_turning(accelerations)
            a, wd = a + change.cross(p), wd + change
        return RelativeMotion(p, v, w, a, wd)

    def list_position_changes(self, recording: Recording) -> list[list[Change]]:
        """List the joint's quaternion entries with their derivatives by rotation about z.

        The result is one list of four pairs: an entry of q, and its derivative by the angle of
        rotation about this body's z axis.
        """
        place, half = self.joint.idx_q, recording.add_constant(Exact("0.5"))
        entries = [recording.add_element("q", place + entry) for entry in range(4)]
        x, y, z, w = (half * entry for entry in entries)
        # A small rotation e changes the quaternion (u, w) by half of (w e + cross(u, e), -u.e).
        turned = ((w, z, -y, -x), (-z, w, x, -y), (y, -x, w, -z))[self.place]
        return [list(zip(entries, turned, strict=True))]

    def record_next_positions(
        self, recording: Recording, velocities: Sequence[Quantity], step: Quantity
    ) -> tuple[Quantity, ...]:
        """Record the joint's quaternion x, y, z, w after a time step (s).

        `velocities` are all joint velocities (rad/s or m/s), constant during the step. Only the
        first of the joint's three bodies returns the quaternion; the other two return ().
        """
        if self.place > 0:
            return ()
        turning = join(velocities[self.entry : self.entry + 3])
        place = self.joint.idx_q
        quaternion = join(recording.add_element("q", entry) for entry in range(place, place + 4))
        rotation = (step * turning).name(ROTATION(self.number))
        return (record_turn(recording, self.number, rotation, quaternion),)

    def record_coordinate_columns(
        self, recording: Recording, row: Sequence[Quantity]
    ) -> tuple[Quantity, ...]:
        """Record a scalar's derivatives by the joint's quaternion x, y, z, w.

        `row` has the scalar's derivatives by small motions, one for every joint velocity. Only the
        first of the joint's three bodies returns them; the other two return ().
        """
        if self.place > 0:
            return ()
        place = self.joint.idx_q
        quaternion = (recording.add_element("q", place + entry) for entry in range(4))
        return tuple(by_quaternion(*quaternion, join(row[self.entry : self.entry + 3])))

    def record_step_slopes(
        self, recording: Recording, motion: Sequence[Quantity]
    ) -> tuple[StepSlopes, ...]:
        """Record derivatives of the joint's quaternion after a time step at constant velocity.

        The derivatives are by the quaternion before the step, and by the motion: velocity times
        time step. `motion` has one scalar (rad or m) for every joint velocity of the robot. Only
        the first of the joint's three bodies returns derivatives; the other two return ().
        """
        if self.place > 0:
            return ()
        place, entries = self.joint.idx_q, range(self.entry, self.entry + 3)
        quaternion = join(recording.add_element("q", place + entry) for entry in range(4))
        rotation = join(motion[entry] for entry in entries)
        slopes = record_turn_derivatives(recording, quaternion, rotation)
        return (StepSlopes(range(place, place + 4), entries, *slopes),)

    def record_difference(self, recording: Recording, after: str) -> tuple[Quantity, ...]:
        """Record the rotation vector from the quaternion in q to that in the input `after` (rad).

        `after` is the name of an input with the entries of q. The vector is in the axes before the
        rotation. Only the first of the joint's three bodies returns the vector; the other two
        return ().
        """
        if self.place > 0:
            return ()
        before, ends = (
            join(recording.add_element(name, self.joint.idx_q + entry) for entry in range(4))
            for name in ("q", after)
        )
        rotation, _, _ = record_rotation_between(before, ends)
        return tuple(rotation.name(ROTATION(self.number)))

    @property
    def unobservable(self) -> tuple[str, ...]:
        """Names of the body's inertial parameters that do not affect its joint's force.

        The joint has three bodies. For the first body, the result contains only the mass. For the
        other two, it contains the same names as for the body of a revolute joint.
        """
        # Rotations about three axes observe all except the mass.
        return ("m",) if self.place == 0 else super().unobservable

    @property
    def rotations_by_entry(self) -> tuple[range, ...]:
        """Indices of the joint's three velocities, as a tuple of one range.

        Only the first of the joint's three bodies has this range; for the other two, the tuple is
        empty.
        """
        return () if self.place > 0 else (range(self.entry, self.entry + 3),)

    def find_axis_velocity(self, twice_w: Quantity, velocities: Sequence[Quantity]) -> Quantity:
        """Return twice the mean of the angular velocities of the link and the parent (rad/s).

        The parent's angular velocity is that of the link minus that of the joint. `twice_w` is
        twice the angular velocity of the link; `velocities` are the joint velocities of the robot.
        """
        # w of the carrier is w of the link minus the velocity of the joint.
        return twice_w - self.resolve_turning(velocities)

    def record_carrier_motion(
        self, moved: BodyMotion, motion: JointMotion
    ) -> tuple[Quantity, Quantity, Quantity]:
        """Record the rotational motion of the parent and the acceleration of the body's origin.

        The results are the parent's angular velocity (rad/s), the parent's acceleration difference
        matrix lambda (1/s^2), and the acceleration of the body's origin minus gravity (m/s^2), all
        in the axes of the body. `moved` is the motion of the body, `motion` that of all joints.
        """
        turning, change = map(self.resolve_turning, (motion.velocities, motion.accelerations))
        w = moved.angular_velocity - turning
        wd = moved.angular_acceleration - change - moved.angular_velocity.cross(turning)
        return w, acceleration_difference(w, wd, velocity_products(w)), moved.acceleration

    def add_turned_axis(self, entry: Quantity, joint: ResolvedBody, moment: Quantity) -> Quantity:
        """Return `entry` plus cross(z_j, z_i).n, the change of z_i.n by a rotation about z_j.

        z_i is the axis of this body and z_j the axis of the body `joint`; if they belong to
        different joints, nothing is added. `moment` is the moment n on the joint (N m), in the axes
        of `joint`. `entry` is the derivative of z_i.n by the rotation for a constant z_i.
        """
        if joint is self or not joint.is_grouped_with(self):
            return entry
        # In the axes of body j, z of the body before is y, and z of the body before that is x.
        return entry + (-moment[0] if joint.index - self.index == 1 else moment[1])


def resolve_spherical(
    recording: Recording,
    number: int,
    body: Body,
    choice: BodyChoice,
    parent: BodyAxesRotation | None,
    make: MakeBody,
) -> ResolvedBody:
    """Record the constants of one of a spherical joint's three bodies in its body axes.

    The axes x, y, z of the second and third body are the axes y, z, x of the preceding body.

    Args:
        recording: program under construction, with the robot model and its bodies.
        number: number of the body, from 1.
        body: one of the three bodies of the joint.
        choice: formulas chosen for the body; only the choice `by_second_moments` is used.
        parent: rotation from the parent's resolved axes to its body axes; None if these axes are
            equal.
        make: constructor of the result; its arguments are the axes and the recorded constants.
    """
    constant, placement = recording.add_constant, body.placement
    angles = placement.gamma, placement.alpha, placement.theta
    axes = Rotation.about_z, Rotation.about_x, Rotation.about_z
    rotations = [
        about(constant(angle.cos), constant(angle.sin))
        for about, angle in zip(axes, angles, strict=True)
    ]
    translation = constant(*placement.translation)
    if parent is not None:
        # From the parent's body axes to its resolved axes.
        translation = parent.rotation.rotate_inward(translation)
        rotations.insert(0, parent.rotation)
    if body.column == 0:
        x, y, z, w = (recording.add_element("q", body.joint.idx_q + entry) for entry in range(4))
        # The axes x, y, z of this body are y, z, x of the joint.
        rotation = rotation_of(y, z, x, w).name(BR(number))
        rotations.append(Rotation.from_matrix(rotation))
    return make(
        rotations=tuple(rotations),
        body_axes=None,
        translation=translation,
        displacement=constant(0),
        first_moment=constant(*body.inertial.first_moment),
        inertia=constant(*body.inertial.inertia),
        second_moments=record_tensor(recording.recorder, body.inertial.second_moments)
        if choice.by_second_moments
        else None,
    )
