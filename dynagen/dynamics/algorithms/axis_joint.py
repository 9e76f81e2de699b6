"""Joints about or along one axis: revolute, prismatic and helical joints.

A joint with one axis rotates about the z axis of its body, slides along this axis, or does both.
Formulas for the z axis require fewer operations than formulas for any axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.dynamics.algorithms.frame_motion import add_axis_motion, add_axis_velocity
from dynagen.dynamics.algorithms.integration import advance
from dynagen.dynamics.algorithms.kinetic_energy import record_axis_velocity
from dynagen.dynamics.algorithms.motions import (
    BodyMotion,
    ReferenceMotion,
    RelativeMotion,
    StepSlopes,
)
from dynagen.dynamics.algorithms.newton_euler import record_axis_motion
from dynagen.dynamics.algorithms.recording import Change, JointMotion, Recording, ResolvedBody
from dynagen.dynamics.algorithms.reference_motion import record_axis_reference
from dynagen.dynamics.algorithms.screws import Screw
from dynagen.dynamics.recording import Quantity


@dataclass(frozen=True, kw_only=True, eq=False)
class AxisBody(ResolvedBody):
    """A body whose joint rotates about z, slides along z, or does both (helical joint)."""

    @property
    def screws(self) -> tuple[Screw, ...]:
        """One screw: rotation about and translation along z, per unit of the joint position."""
        return (Screw(2, self.angular, self.linear, self.motor_inertia),)

    def resolve_up(self, recording: Recording, up: Quantity) -> Quantity:
        """Record the opposite of gravity (m/s^2) in the axes of the body.

        `up` is in the axes of the parent.
        """
        return self.rotate_outward(up)

    def record_motion(
        self, recording: Recording, parent: BodyMotion, motion: JointMotion
    ) -> BodyMotion:
        """Record the motion of the body, in its axes.

        Args:
            recording: program under construction, with the robot model and its bodies.
            parent: motion of the parent body, in the parent's axes.
            motion: velocities and accelerations of all joints.
        """
        return record_axis_motion(self, parent, motion)

    def record_reference_motion(
        self, recording: Recording, parent: ReferenceMotion
    ) -> ReferenceMotion:
        """Record the actual and the reference motion of the body, in its axes.

        The inputs `qd_reference` and `qdd_reference` define the reference motion. `parent` has the
        two motions of the parent body, in the parent's axes.
        """
        return record_axis_reference(recording, self, parent)

    def record_velocity(
        self, recording: Recording, motion: BodyMotion, parent: tuple[Quantity, Quantity]
    ) -> Quantity:
        """Record the velocity of the body's origin in its axes (m/s).

        `parent` contains the angular velocity of the parent body (rad/s) and the velocity of its
        origin (m/s), in the parent's axes. `motion` contains the body's angular velocity.
        """
        return record_axis_velocity(self, recording, motion, parent)

    def add_velocity(self, recording: Recording, relative: RelativeMotion) -> RelativeMotion:
        """Record a frame's linear and angular velocity relative to the parent, in the body's axes.

        `relative` is the motion of the frame relative to the body. Its accelerations are not
        changed.
        """
        return add_axis_velocity(self, recording, relative)

    def add_motion(
        self, recording: Recording, relative: RelativeMotion, accelerations: Sequence[Quantity]
    ) -> RelativeMotion:
        """Record velocities and accelerations of a frame relative to the parent, in body axes.

        `relative` is the motion of the frame relative to the body. `accelerations` are the joint
        accelerations qdd, one for every joint velocity; an empty sequence means zero.
        """
        return add_axis_motion(self, recording, relative, accelerations)

    def list_position_changes(self, recording: Recording) -> list[list[Change]]:
        """Return the joint's entry of q with its derivative by the joint motion, which is 1.

        The result is one list with one pair, or an empty list for a mimicking joint (no entry of
        q).
        """
        if not self.joint.nv:
            return []
        return [[(recording.add_element("q", self.joint.idx_q), recording.add_constant(1))]]

    def record_next_positions(
        self, recording: Recording, velocities: Sequence[Quantity], step: Quantity
    ) -> tuple[Quantity, ...]:
        """Record the joint position after a time step; an empty tuple for a mimicking joint.

        `velocities` contains all joint velocities (rad/s or m/s), which are constant during the
        step; `step` is the length of the step (s).
        """
        if not self.joint.nv:
            return ()
        position = recording.add_element("q", self.joint.idx_q)
        return (advance(position, step, velocities[self.entry]),)

    def record_step_slopes(
        self, recording: Recording, motion: Sequence[Quantity]
    ) -> tuple[StepSlopes, ...]:
        """Return the derivatives of q + d with respect to q and to the joint motion d: both are 1.

        `motion` has d (rad or m) for every joint velocity of the robot. The result is empty for a
        mimicking joint.
        """
        if not self.joint.nv:
            return ()
        place, one = self.joint.idx_q, recording.add_constant(1)
        entries = range(self.entry, self.entry + 1)
        return (StepSlopes(range(place, place + 1), entries, ((one,),), ((one,),)),)

    def record_difference(self, recording: Recording, after: str) -> tuple[Quantity, ...]:
        """Record the joint position in the input `after` minus the joint position in q (rad or m).

        `after` is the name of an input with the entries of q. The result has one scalar; it is
        empty for a mimicking joint.
        """
        if not self.joint.nv:
            return ()
        place = self.joint.idx_q
        return (recording.add_element(after, place) - recording.add_element("q", place),)

    def record_coordinate_columns(
        self, recording: Recording, row: Sequence[Quantity]
    ) -> tuple[Quantity, ...]:
        """Return the derivative of a scalar by the joint's entry of q, or () for a mimicking joint.

        `row` contains the derivatives of the scalar by small motions of the joints, one for every
        entry of the velocity vector v.
        """
        return (row[self.entry],) if self.joint.nv else ()

    @property
    def rotations_by_entry(self) -> tuple[range, ...]:
        """An empty tuple, because this joint has no group of three rotation velocities."""
        return ()
