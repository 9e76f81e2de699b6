"""Bases: the parts of the algorithms that differ between a fixed and a floating base.

In recursions from body to body, a floating base is a joint like others (`floating_joint`). This
module treats the differences: sums over the whole robot are in the axes of a floating base, and
forward dynamics is solved relative to free fall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Matrix

from dynagen.dynamics.algorithms.base_columns import (
    BaseMotion,
    record_base_contact_columns,
    record_base_momenta,
    record_base_momentum_columns,
    record_base_rotation_columns,
    record_base_velocity_columns,
)
from dynagen.dynamics.algorithms.base_pose import (
    ANGULAR,
    LINEAR,
    acceleration_from_fall,
    record_up,
)
from dynagen.dynamics.algorithms.coriolis import CompositeMotion, CoriolisEntries
from dynagen.dynamics.algorithms.mass_matrix import Composite
from dynagen.dynamics.algorithms.recording import JointMatrix, JointMotion, Recording
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula, join


@formula
def crossing(vector: Matrix) -> Matrix:
    """Return the matrix [u x] of the cross product u x e with any vector e."""
    return vector.hat()


@dataclass(frozen=True)
class FixedBase:
    """A base that does not move: it adds no columns or terms, and the motion contains gravity."""

    recording: Recording

    def make_fall_motion(self) -> JointMotion:
        """Return the motion at zero joint accelerations, from which forward dynamics starts."""
        return self.recording.make_unaccelerated_motion(gravity=True)

    def add_fall(self, accelerations: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Record qdd, one scalar for every entry of v, from a solution relative to free fall."""
        return tuple(accelerations)

    def add_fall_derivatives(
        self, by_position: list[Quantity], by_velocity: list[Quantity]
    ) -> None:
        """Add the derivatives of qdd minus the solution; row-major, nv x nv."""

    def add_fall_gradient(
        self,
        weights: Sequence[Quantity],
        by_position: list[Quantity],
        by_velocity: list[Quantity],
    ) -> None:
        """Add the gradient of a weighted sum of qdd minus the solution."""

    def add_fall_changes(
        self, result: list[Quantity], motions: Mapping[str, Sequence[Quantity]]
    ) -> None:
        """Add the change of qdd minus the solution, for changes of q and qd."""

    def list_fall(self) -> tuple[Quantity, ...]:
        """Return the gravity terms by which qdd differs from the solution in free fall."""
        return ()

    def record_velocity_columns(
        self, velocities: Sequence[Quantity], found: CoriolisEntries, in_fall: bool
    ) -> JointMatrix:
        """Record derivatives of inverse dynamics by the velocities of the base.

        Args:
            velocities: v, one scalar for each entry.
            found: the entries of the other joints, for twice the velocities.
            in_fall: whether the base is in free fall (`make_fall_motion`).
        """
        return {}

    def record_coriolis_columns(
        self, angular_velocity: Quantity, found: CoriolisEntries
    ) -> JointMatrix:
        """Record the columns of the Coriolis matrix for the velocities of the base.

        Args:
            angular_velocity: angular velocity of the first body, in its axes.
            found: the entries of the other joints.
        """
        return {}

    def record_rotation_columns(self, found: CoriolisEntries) -> JointMatrix:
        """Record derivatives of inverse dynamics by small motions of the base."""
        return {}

    def record_contact_columns(self, force: Quantity, dyads: Quantity) -> JointMatrix:
        """Record derivatives of the base's contact forces by its rotations.

        `force` is the sum of all contact forces, `dyads` the sum of r f^T (`contact_derivatives`).
        """
        return {}

    def record_momenta(self, whole: Composite, com: Quantity) -> list[list[Wrench]]:
        """Record the momenta of the robot at unit velocities of the base, about the point `com`.

        A floating base has one list with a wrench for each of its entries of v; a fixed base has
        none.
        """
        return []

    def record_momentum_columns(
        self,
        momentum: Wrench,
        force: Wrench,
        com: Quantity,
        whole: Composite,
        flow: CompositeMotion,
    ) -> list[list[tuple[Wrench, Wrench, Wrench]]]:
        """Record derivatives of the centroidal momentum, as `record_base_momentum_columns`.

        A floating base has one list of columns, one for each of its entries of v; a fixed base has
        none.
        """
        return []


class FloatingBase(FixedBase):
    """A base that floats: the first body of the robot.

    Forward dynamics is solved relative to free fall: without gravity, and with zero velocity and
    acceleration of the base's origin. The linear part of the solution is therefore the acceleration
    of the origin minus gravity. The linear part of qdd is this acceleration minus (up + w x v).
    """

    @property
    def _velocity(self) -> tuple[Quantity, Quantity]:
        """The linear and the angular velocity of the base, in its axes."""
        velocities = self.recording.velocities
        return join(velocities[LINEAR]), join(velocities[ANGULAR])

    def make_fall_motion(self) -> JointMotion:
        """Return the motion of the base in free fall, from which forward dynamics starts."""
        zeros, velocities = self.recording.zeros, self.recording.velocities
        return JointMotion((*zeros[LINEAR], *velocities[ANGULAR.start :]), zeros, gravity=False)

    def add_fall(self, accelerations: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Record qdd from a solution relative to free fall; only the first three entries differ.

        The first three entries of the solution are the acceleration of the base's origin relative
        to free fall (m/s^2).
        """
        # All in the axes of the base.
        up, (v, w) = record_up(self.recording), self._velocity
        return (
            *acceleration_from_fall(join(accelerations[LINEAR]), up, w, v),
            *accelerations[ANGULAR.start :],
        )

    def add_fall_derivatives(
        self, by_position: list[Quantity], by_velocity: list[Quantity]
    ) -> None:
        """Add the derivatives of -(up + w x v), a term of the linear part of qdd.

        A small rotation e of the base changes up by up x e.
        """
        self.recording.begin_section("Free fall")
        nv, up, (v, w) = self.recording.model.nv, record_up(self.recording), self._velocity
        blocks = (
            # Rows of the linear acceleration; columns by rotation of the base, by v and by w.
            (by_position, ANGULAR, -crossing(up)),
            (by_velocity, LINEAR, -crossing(w)),
            (by_velocity, ANGULAR, crossing(v)),
        )
        for matrix, columns, block in blocks:
            places = [
                row * nv + column for row in range(nv)[LINEAR] for column in range(nv)[columns]
            ]
            for place, entry in zip(places, block, strict=True):
                matrix[place] += entry

    def add_fall_gradient(
        self,
        weights: Sequence[Quantity],
        by_position: list[Quantity],
        by_velocity: list[Quantity],
    ) -> None:
        """Add the gradient of -l^T (up + w x v) with the weights l of the linear part of qdd."""
        (v, w), linear = self._velocity, join(weights[LINEAR])
        # The solution does not depend on v, and on the orientation only by contact forces.
        turned = record_up(self.recording).cross(linear)
        by_position[ANGULAR] = join(by_position[ANGULAR]) + turned
        by_velocity[LINEAR] = w.cross(linear)
        by_velocity[ANGULAR] = join(by_velocity[ANGULAR]) - v.cross(linear)

    def add_fall_changes(
        self, result: list[Quantity], motions: Mapping[str, Sequence[Quantity]]
    ) -> None:
        """Add the change of -(up + w x v), a term of the linear part of qdd."""
        v, w = self._velocity
        dv, dw = join(motions["qd"][LINEAR]), join(motions["qd"][ANGULAR])
        turned = record_up(self.recording).cross(join(motions["q"][ANGULAR]))
        result[LINEAR] = join(result[LINEAR]) - turned - dw.cross(v) - w.cross(dv)

    def list_fall(self) -> tuple[Quantity, ...]:
        """Return up, the opposite of gravity, since -up is a term of the linear part of qdd.

        Gravity may depend on run-time parameters.
        """
        return tuple(record_up(self.recording))

    def record_velocity_columns(
        self, velocities: Sequence[Quantity], found: CoriolisEntries, in_fall: bool
    ) -> JointMatrix:
        """Record derivatives of inverse dynamics by the velocities of the base."""
        motion = BaseMotion(join(velocities[LINEAR]), join(velocities[ANGULAR]), in_fall)
        return record_base_velocity_columns(self.recording, motion, found)

    def record_coriolis_columns(
        self, angular_velocity: Quantity, found: CoriolisEntries
    ) -> JointMatrix:
        """Record the columns of the Coriolis matrix for the base.

        The Coriolis matrix does not depend on the velocity of the base's origin.
        """
        rest = self.recording.add_constant(0, 0, 0)
        motion = BaseMotion(rest, angular_velocity, in_fall=False)
        return record_base_velocity_columns(self.recording, motion, found)

    def record_rotation_columns(self, found: CoriolisEntries) -> JointMatrix:
        """Record derivatives by small base rotations, which change the components of gravity."""
        return record_base_rotation_columns(self.recording, found)

    def record_contact_columns(self, force: Quantity, dyads: Quantity) -> JointMatrix:
        """Record derivatives by base rotations, which change the components of contact forces."""
        return record_base_contact_columns(self.recording, force, dyads)

    def record_momenta(self, whole: Composite, com: Quantity) -> list[list[Wrench]]:
        """Record the momenta of the robot at unit velocities of the base, about the point `com`."""
        return [record_base_momenta(whole, com)]

    def record_momentum_columns(
        self,
        momentum: Wrench,
        force: Wrench,
        com: Quantity,
        whole: Composite,
        flow: CompositeMotion,
    ) -> list[list[tuple[Wrench, Wrench, Wrench]]]:
        """Record derivatives of the centroidal momentum, as `record_base_momentum_columns`."""
        return [record_base_momentum_columns(self.recording, momentum, force, com, whole, flow)]


def find_base(recording: Recording) -> FixedBase:
    """Return the base of the robot of a recording."""
    return FloatingBase(recording) if recording.model.floats else FixedBase(recording)
