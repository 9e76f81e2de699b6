"""Bases: the parts of the algorithms that differ between a fixed and a floating base.

In recursions from body to body, a floating base is a body with a joint of six velocities
(`floating_joint`). Two things differ from a fixed base. Sums over the whole robot are in the axes
of the floating base, and forward dynamics is solved relative to free fall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from dynagen.dynamics.symbolic import Matrix


@formula
def crossing(vector: Matrix) -> Matrix:
    """Return [u x], 3 x 3: the matrix of the cross product with u (`vector`)."""
    return vector.hat()


@dataclass(frozen=True)
class FixedBase:
    """A base that does not move.

    Matrices have no columns for a fixed base. Forward dynamics of a robot on a fixed base is solved
    for the joint accelerations qdd. For a `FloatingBase`, it is solved relative to free fall, and
    the `add_fall` methods add the acceleration of free fall. Here these methods add nothing.
    """

    recording: Recording

    def make_fall_motion(self) -> JointMotion:
        """Return the joint motion that forward dynamics starts from: qd, and zero accelerations."""
        return self.recording.make_unaccelerated_motion(gravity=True)

    def add_fall(self, accelerations: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Return qdd: for a fixed base, the solution of forward dynamics itself.

        `accelerations` is the solution, one scalar for every joint velocity.
        """
        return tuple(accelerations)

    def add_fall_derivatives(
        self, by_position: list[Quantity], by_velocity: list[Quantity]
    ) -> None:
        """Add the derivatives of the base's free-fall acceleration; nothing for a fixed base.

        Forward dynamics of a floating base is solved relative to free fall. qdd is this solution
        plus the acceleration of free fall.

        `by_position` and `by_velocity` are the derivatives of the solution by small joint motions
        and by qd. Each list contains an nv x nv matrix, row-major, for nv joint velocities, and is
        changed in place.
        """

    def add_fall_gradient(
        self,
        weights: Sequence[Quantity],
        by_position: list[Quantity],
        by_velocity: list[Quantity],
    ) -> None:
        """Add the gradient of a weighted sum of free-fall accelerations; nothing for a fixed base.

        Forward dynamics of a floating base is solved relative to free fall. qdd is this solution
        plus the acceleration of free fall.

        Args:
            weights: factor of each entry of the joint accelerations in the sum.
            by_position: derivatives of the weighted solution by small joint motions, one for each
                joint velocity; changed in place.
            by_velocity: derivatives of the weighted solution by the joint velocities qd; changed in
                place.
        """

    def add_fall_changes(
        self, result: list[Quantity], motions: Mapping[str, Sequence[Quantity]]
    ) -> None:
        """Add the change of the base's free-fall acceleration, in place; none for a fixed base.

        Forward dynamics of a floating base is solved relative to free fall. qdd is this solution
        plus the acceleration of the base in free fall.

        Args:
            result: changes of the solution relative to free fall, one for each joint velocity;
                changed in place.
            motions: changes of q (as small joint motions) and of qd, under the keys `q` and `qd`,
                one scalar for each joint velocity.
        """

    def list_fall(self) -> tuple[Quantity, ...]:
        """Return an empty tuple: for a fixed base, qdd contains no acceleration of free fall."""
        return ()

    def record_velocity_columns(
        self, velocities: Sequence[Quantity], found: CoriolisEntries, in_fall: bool
    ) -> JointMatrix:
        """Record the derivatives of the joint forces by the velocities of the base.

        Args:
            velocities: joint velocities qd, one scalar for each entry.
            found: result of `record_coriolis_matrix` for twice the joint velocities.
            in_fall: whether the base is in free fall (`make_fall_motion`).

        Returns:
            The derivatives by the linear and the angular velocity of a floating base, by (row,
            column). Row and column are positions among the joint velocities, from 1
            (`number_entries`). For a fixed base, the result is empty.
        """
        return {}

    def record_coriolis_columns(
        self, angular_velocity: Quantity, found: CoriolisEntries
    ) -> JointMatrix:
        """Record the columns of the Coriolis matrix for the velocities of the base.

        Args:
            angular_velocity: angular velocity of the first body, in its axes (rad/s).
            found: result of `record_coriolis_matrix`.

        Returns:
            Matrix entries by (row, column), which are positions among the joint velocities, from 1
            (`number_entries`). The result is empty for a fixed base.
        """
        return {}

    def record_rotation_columns(self, found: CoriolisEntries) -> JointMatrix:
        """Record the derivatives of the joint forces by small rotations of the base.

        `found` is the result of `record_coriolis_matrix`. The derivatives are returned by (row,
        column), which are positions among the joint velocities, from 1 (`number_entries`). For a
        fixed base, the result is empty.
        """
        return {}

    def record_contact_columns(self, force: Quantity, dyads: Quantity) -> JointMatrix:
        """Record derivatives, by small rotations of the base, of the base's forces due to contacts.

        The forces are those parts of a floating base's joint forces that contacts cause. `force` is
        the sum of all contact forces f (N), and `dyads` the 3 x 3 sum of r f^T over the points r
        where the forces act (N m), in the axes of a floating base and about its origin.
        The derivatives are returned by (row, column), which are positions among the joint
        velocities, from 1 (`number_entries`). For a fixed base, the result is empty.
        """
        return {}

    def record_momenta(self, whole: Composite, com: Quantity) -> list[list[Wrench]]:
        """Record the momenta of the robot at unit velocities of the base.

        Args:
            whole: inertial parameters of the whole robot, about the base's origin.
            com: position of the centre of mass, from the base's origin (m).

        Returns:
            For a floating base, a list with one list of six wrenches, for unit linear, then unit
            angular velocities of the base. The force is the linear momentum, the moment the angular
            momentum about the centre of mass, in the axes of the base. For a fixed base, an empty
            list.
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
        """Record derivatives of the centroidal momentum h and of dh/dt by the base's motion.

        h contains the robot's linear momentum, and its angular momentum about the centre of mass.

        Args:
            momentum: momentum of the robot for velocities relative to the base's origin: linear
                momentum as force, and angular momentum about this origin as moment.
            force: sum of the inertial forces of all bodies, and sum of their moments about the
                base's origin.
            com: position of the centre of mass, from the base's origin (m).
            whole: inertial parameters of the whole robot, about the base's origin.
            flow: sums of 2 m r' and 2 m r' r^T over all particles of mass m at r from the base's
                origin; r' is dr/dt in axes that do not rotate.

        Returns:
            For a floating base, a list with one list of six entries: three for motions along the
            axes of the base, three for motions about them. Each entry has three derivatives, in the
            axes of the base: of h and of dh/dt by the small motion, and of dh/dt by the velocity.
            For a fixed base, an empty list.
        """
        return []


class FloatingBase(FixedBase):
    """A base that floats: the first body of the robot.

    Forward dynamics is solved relative to free fall: without gravity, and with zero velocity and
    acceleration of the base's origin. The first three entries of the solution are therefore the
    acceleration of the origin minus gravity. The first three entries of qdd are those of the
    solution minus (up + cross(w, v)): up is the opposite of gravity, v the velocity of the base's
    origin, and w the base's angular velocity. All other entries of qdd are equal to those of the
    solution.
    """

    @property
    def _velocity(self) -> tuple[Quantity, Quantity]:
        """The linear and the angular velocity of the base, in its axes."""
        velocities = self.recording.velocities
        return join(velocities[LINEAR]), join(velocities[ANGULAR])

    def make_fall_motion(self) -> JointMotion:
        """Return the joint motion in free fall, from which forward dynamics starts.

        The velocity of the base's origin, all accelerations and gravity are zero. All other
        velocities are those of the input qd.
        """
        zeros, velocities = self.recording.zeros, self.recording.velocities
        return JointMotion((*zeros[LINEAR], *velocities[ANGULAR.start :]), zeros, gravity=False)

    def add_fall(self, accelerations: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Record qdd from the solution of forward dynamics relative to free fall.

        `accelerations` is the solution, one scalar for every joint velocity.
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
        """Add the derivatives of -(up + cross(w, v)) to those of the base's acceleration, in place.

        up is the opposite of gravity; v and w are the linear and angular velocity of the base.
        `by_position` and `by_velocity` are derivatives of the joint accelerations by small joint
        motions and by qd. Each list contains an nv x nv matrix, row-major, for nv joint velocities.
        The rows 0 to 2 belong to the linear acceleration of the base.
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
        """Add the gradient of the weighted free-fall acceleration -(up + cross(w, v)), in place.

        up is the opposite of gravity; v and w are the linear and angular velocity of the base. The
        first three entries of `weights` are the weights of this acceleration's components. The
        arguments are described in `FixedBase`.
        """
        (v, w), linear = self._velocity, join(weights[LINEAR])
        # The solution does not depend on v, and on the orientation only by contact forces.
        turned = record_up(self.recording).cross(linear)
        by_position[ANGULAR] = join(by_position[ANGULAR]) + turned
        by_velocity[LINEAR] = w.cross(linear)
        by_velocity[ANGULAR] = join(by_velocity[ANGULAR]) - v.cross(linear)

    def add_fall_changes(
        self, result: list[Quantity], motions: Mapping[str, Sequence[Quantity]]
    ) -> None:
        """Add the change of -(up + cross(w, v)) to the first three entries of `result`, in place.

        up is the opposite of gravity; v and w are the linear and angular velocity of the base. The
        arguments are described in `FixedBase`.
        """
        v, w = self._velocity
        dv, dw = join(motions["qd"][LINEAR]), join(motions["qd"][ANGULAR])
        turned = record_up(self.recording).cross(join(motions["q"][ANGULAR]))
        result[LINEAR] = join(result[LINEAR]) - turned - dw.cross(v) - w.cross(dv)

    def list_fall(self) -> tuple[Quantity, ...]:
        """Return up, the opposite of gravity, in the base's axes (m/s^2): three scalars.

        Forward dynamics is solved relative to free fall. The first three entries of qdd are those
        of this solution minus (up + cross(w, v)), with the linear velocity v and the angular
        velocity w of the base. Only up may depend on run-time parameters.
        """
        return tuple(record_up(self.recording))

    def record_velocity_columns(
        self, velocities: Sequence[Quantity], found: CoriolisEntries, in_fall: bool
    ) -> JointMatrix:
        """Record the derivatives of the joint forces by the velocities of the base.

        The arguments and the result are described in `FixedBase`.
        """
        motion = BaseMotion(join(velocities[LINEAR]), join(velocities[ANGULAR]), in_fall)
        return record_base_velocity_columns(self.recording, motion, found)

    def record_coriolis_columns(
        self, angular_velocity: Quantity, found: CoriolisEntries
    ) -> JointMatrix:
        """Record the columns of the Coriolis matrix for the velocities of the base.

        The Coriolis matrix does not depend on the velocity of the base's origin. The arguments and
        the result are described in `FixedBase`.
        """
        rest = self.recording.add_constant(0, 0, 0)
        motion = BaseMotion(rest, angular_velocity, in_fall=False)
        return record_base_velocity_columns(self.recording, motion, found)

    def record_rotation_columns(self, found: CoriolisEntries) -> JointMatrix:
        """Record the derivatives of the joint forces by small rotations of the base.

        `found` is the result of `record_coriolis_matrix`. The derivatives are returned by (row,
        column), which are positions among the joint velocities, from 1 (`number_entries`).
        """
        return record_base_rotation_columns(self.recording, found)

    def record_contact_columns(self, force: Quantity, dyads: Quantity) -> JointMatrix:
        """Record derivatives, by small rotations of the base, of the base's forces due to contacts.

        The contact forces are constant in fixed axes. The arguments and the result are described in
        `FixedBase`.
        """
        return record_base_contact_columns(self.recording, force, dyads)

    def record_momenta(self, whole: Composite, com: Quantity) -> list[list[Wrench]]:
        """Record the momenta of the robot at unit velocities of the base, in the axes of the base.

        The arguments and the result are described in `FixedBase`.
        """
        return [record_base_momenta(whole, com)]

    def record_momentum_columns(
        self,
        momentum: Wrench,
        force: Wrench,
        com: Quantity,
        whole: Composite,
        flow: CompositeMotion,
    ) -> list[list[tuple[Wrench, Wrench, Wrench]]]:
        """Record derivatives of the centroidal momentum h and of dh/dt by the base's motion.

        The arguments and the result are described in `FixedBase`.
        """
        return [record_base_momentum_columns(self.recording, momentum, force, com, whole, flow)]


def find_base(recording: Recording) -> FixedBase:
    """Return the base of the recording's robot: a `FloatingBase` if the base floats."""
    return FloatingBase(recording) if recording.model.floats else FixedBase(recording)
