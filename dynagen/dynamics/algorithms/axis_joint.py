"""Joints about or along one axis: revolute, prismatic and helical joints.

The only screw of a joint with one axis lies along z of the body. Scalar formulas for this screw
cost fewer operations than vector formulas: velocities of parallel joints are added as scalars.
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
    """A body whose joint moves about or along z."""

    @property
    def screws(self) -> tuple[Screw, ...]:
        """The screw of the joint axis."""
        return (Screw(2, self.angular, self.linear, self.motor_inertia),)

    def resolve_up(self, recording: Recording, up: Quantity) -> Quantity:
        """Record the opposite of gravity in the axes of the body, from the parent's axes."""
        return self.rotate_outward(up)

    def record_motion(
        self, recording: Recording, parent: BodyMotion, motion: JointMotion
    ) -> BodyMotion:
        """Record the motion of the body from its parent's motion and the joint motion."""
        return record_axis_motion(self, parent, motion)

    def record_reference_motion(
        self, recording: Recording, parent: ReferenceMotion
    ) -> ReferenceMotion:
        """Record the reference motion of the body."""
        return record_axis_reference(recording, self, parent)

    def record_velocity(
        self, recording: Recording, motion: BodyMotion, parent: tuple[Quantity, Quantity]
    ) -> Quantity:
        """Record the velocity of the body's origin in its axes (m/s)."""
        return record_axis_velocity(self, recording, motion, parent)

    def add_velocity(self, recording: Recording, relative: RelativeMotion) -> RelativeMotion:
        """Record the velocities of a frame relative to the parent, in the axes of the body."""
        return add_axis_velocity(self, recording, relative)

    def add_motion(
        self, recording: Recording, relative: RelativeMotion, accelerations: Sequence[Quantity]
    ) -> RelativeMotion:
        """Record velocities and accelerations of a frame relative to the parent."""
        return add_axis_motion(self, recording, relative, accelerations)

    def list_position_changes(self, recording: Recording) -> list[list[Change]]:
        """Return the joint position with change 1; nothing if the joint has no entry of q."""
        if not self.joint.nv:
            return []
        return [[(recording.add_element("q", self.joint.idx_q), recording.add_constant(1))]]

    def record_next_positions(
        self, recording: Recording, velocities: Sequence[Quantity], step: Quantity
    ) -> tuple[Quantity, ...]:
        """Record the joint position after a step; nothing if the joint has no entry of q."""
        if not self.joint.nv:
            return ()
        position = recording.add_element("q", self.joint.idx_q)
        return (advance(position, step, velocities[self.entry]),)

    def record_step_slopes(
        self, recording: Recording, motion: Sequence[Quantity]
    ) -> tuple[StepSlopes, ...]:
        """Return slopes of 1, as a step adds the motion to q; nothing for a joint without q."""
        if not self.joint.nv:
            return ()
        place, one = self.joint.idx_q, recording.add_constant(1)
        entries = range(self.entry, self.entry + 1)
        return (StepSlopes(range(place, place + 1), entries, ((one,),), ((one,),)),)

    def record_difference(self, recording: Recording, after: str) -> tuple[Quantity, ...]:
        """Record the difference of the positions; nothing if the joint has no entry of q."""
        if not self.joint.nv:
            return ()
        place = self.joint.idx_q
        return (recording.add_element(after, place) - recording.add_element("q", place),)

    def record_coordinate_columns(
        self, recording: Recording, row: Sequence[Quantity]
    ) -> tuple[Quantity, ...]:
        """Return the derivative by the joint position; nothing if the joint has no entry of q."""
        return (row[self.entry],) if self.joint.nv else ()

    @property
    def rotations_by_entry(self) -> tuple[range, ...]:
        """An empty tuple: motions of one joint about or along one axis commute."""
        return ()
