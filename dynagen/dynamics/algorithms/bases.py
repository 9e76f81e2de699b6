"""Bases: the parts of the algorithms that differ between a fixed and a floating base.

In recursions from body to body, a floating base is moved by a joint with six velocities
(`floating_joint`). Two things differ from a fixed base: sums over the whole robot are in the axes
of the floating base, and forward dynamics is solved relative to free fall.
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
    """Return the 3 x 3 matrix [u x] of the cross product u x e with any vector e; `vector` is u."""
    return vector.hat()


@dataclass(frozen=True)
class FixedBase:
    """A base that does not move: matrices have no columns for it, and gravity is included."""

    recording: Recording

    def make_fall_motion(self) -> JointMotion:
        """Return the joint motion at zero joint accelerations, from which forward dynamics starts.

        With a fixed base, the result contains the joint velocities qd, and gravity acts.
        """
        return self.recording.make_unaccelerated_motion(gravity=True)

    def add_fall(self, accelerations: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Return qdd from the solution of forward dynamics; with a fixed base both are equal.

        `accelerations` is the solution, one scalar for every joint velocity; so is the result.
        """
        return tuple(accelerations)

    def add_fall_derivatives(
        self, by_position: list[Quantity], by_velocity: list[Quantity]
    ) -> None:
        """Add derivatives of qdd minus the forward dynamics solution; a fixed base adds nothing.

        With a fixed base, qdd is the solution. `by_position` and `by_velocity` are the derivatives
        of the solution by small motions of the joints and by qd, each an nv x nv matrix as
        row-major scalars, with nv joint velocities. Both lists are changed in place.
        """

    def add_fall_gradient(
        self,
        weights: Sequence[Quantity],
        by_position: list[Quantity],
        by_velocity: list[Quantity],
    ) -> None:
        """Add the gradient of the weighted sum of qdd minus the solution: 0 for a fixed base.

        Args:
            weights: weight of each entry of the joint accelerations qdd.
            by_position: derivatives of the weighted sum by small joint motions, one for each joint
                velocity; changed in place.
            by_velocity: derivatives of the weighted sum by the joint velocities qd; changed in
                place.
        """

    def add_fall_changes(
        self, result: list[Quantity], motions: Mapping[str, Sequence[Quantity]]
    ) -> None:
        """Add the change of qdd minus the forward dynamics solution; a fixed base adds nothing.

        Args:
            result: changes of the solution of forward dynamics, one for each joint velocity;
                changed in place.
            motions: changes of q (as small joint motions) and of qd, under the keys `q` and `qd`,
                one scalar for each joint velocity.
        """

    def list_fall(self) -> tuple[Quantity, ...]:
        """Return (): with a fixed base, qdd is the forward dynamics solution without more terms."""
        return ()

    def record_velocity_columns(
        self, velocities: Sequence[Quantity], found: CoriolisEntries, in_fall: bool
    ) -> JointMatrix:
        """Record derivatives of the joint forces by the base's velocities; none for a fixed base.

        Args:
            velocities: joint velocities qd, one scalar for each entry.
            found: Coriolis matrix of all other joints for twice the joint velocities, and
                intermediate results (`record_coriolis_matrix`).
            in_fall: whether the base is in free fall (`make_fall_motion`).

        Returns:
            The derivatives by the linear and the angular velocity of the base, with rows and
            columns by the joint numbers of `number_entries`, which count from 1.
        """
        return {}

    def record_coriolis_columns(
        self, angular_velocity: Quantity, found: CoriolisEntries
    ) -> JointMatrix:
        """Record the Coriolis matrix's columns for the base's velocities; none for a fixed base.

        Args:
            angular_velocity: angular velocity of the first body, in its axes (rad/s).
            found: Coriolis matrix of all other joints, and intermediate results
                (`record_coriolis_matrix`).

        Returns:
            The entries of the columns, with rows and columns by the joint numbers of
            `number_entries`, which count from 1.
        """
        return {}

    def record_rotation_columns(self, found: CoriolisEntries) -> JointMatrix:
        """Record derivatives of the joint forces by small base rotations; none for a fixed base.

        `found` contains the Coriolis matrix of all other joints and intermediate results
        (`record_coriolis_matrix`). Rows and columns of the result have the joint numbers of
        `number_entries`, which count from 1.
        """
        return {}

    def record_contact_columns(self, force: Quantity, dyads: Quantity) -> JointMatrix:
        """Record derivatives of the base's contact forces by base rotations; none for a fixed base.

        `force` is the sum of all contact forces f (N), and `dyads` the 3 x 3 sum of r f^T over the
        points r where the forces act (N m), in the axes of a floating base and about its origin.
        Rows and columns of the result have the joint numbers of `number_entries`, which count from
        1.
        """
        return {}

    def record_momenta(self, whole: Composite, com: Quantity) -> list[list[Wrench]]:
        """Record the momenta of the robot at unit velocities of the base; none for a fixed base.

        Args:
            whole: inertial parameters of all bodies together, about the base's origin.
            com: position of the centre of mass, from the base's origin (m). Angular momentum is
                about the centre of mass.

        Returns:
            For a floating base, a list with one list: the momenta at unit linear, then at unit
            angular velocities of the base, each as a wrench in its axes (linear momentum as force).
            For a fixed base, an empty list.
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
        """Record derivatives of centroidal momentum by the base's motion; none for a fixed base.

        Args:
            momentum: linear momentum of all bodies as force, and angular momentum about the base's
                origin as moment, for velocities relative to this origin.
            force: sum of the inertial forces of all bodies, and of their moments about the base's
                origin.
            com: position of the centre of mass, from the base's origin (m).
            whole: inertial parameters of all bodies together, about the base's origin.
            flow: sums of m r' and m r' r^T over all particles of mass m at r from the base's origin
                (r' is dr/dt), for twice the joint velocities.

        Returns:
            For a floating base, a list with one list of six entries, for motions along and about
            the axes of the base. Each entry has three derivatives: of the centroidal momentum h and
            of dh/dt by the small motion, and of dh/dt by the velocity, in the axes of the base and
            about the centre of mass. For a fixed base, an empty list.
        """
        return []


class FloatingBase(FixedBase):
    """A base that floats: the first body of the robot.

    Forward dynamics is solved relative to free fall: without gravity, and with zero velocity and
    acceleration of the base's origin. The linear part of the solution is therefore the acceleration
    of the origin minus gravity. The linear part of the base's qdd is the linear part of the
    solution minus (up + w x v). Here up is the opposite of gravity, v the velocity of the base's
    origin, and w the base's angular velocity.
    """

    @property
    def _velocity(self) -> tuple[Quantity, Quantity]:
        """The linear and the angular velocity of the base, in its axes."""
        velocities = self.recording.velocities
        return join(velocities[LINEAR]), join(velocities[ANGULAR])

    def make_fall_motion(self) -> JointMotion:
        """Return the joint motion in free fall, from which forward dynamics starts.

        In free fall there is no gravity, all accelerations are zero, and so is the velocity of the
        base's origin. All other velocities are those of the input qd.
        """
        zeros, velocities = self.recording.zeros, self.recording.velocities
        return JointMotion((*zeros[LINEAR], *velocities[ANGULAR.start :]), zeros, gravity=False)

    def add_fall(self, accelerations: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Record qdd from the solution relative to free fall; only the first three entries differ.

        `accelerations` is the solution, one scalar for every joint velocity. The first three
        entries of the solution are the acceleration of the base's origin minus gravity (m/s^2), in
        the axes of the base.
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
        """Add the derivatives of -(up + w x v), by which qdd differs from its value in free fall.

        up is the opposite of gravity, v the velocity of the base's origin and w its angular
        velocity, in the axes of the base. `by_position` and `by_velocity` are derivatives by small
        joint motions and by qd, each an nv x nv matrix as row-major scalars, with nv joint
        velocities. Both lists are changed in place, from derivatives of the solution to those of
        qdd. A small rotation e of the base changes up by up x e.
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
        """Add the gradient of -l^T (up + w x v), the weighted sum of qdd minus that in free fall.

        up is the opposite of gravity, v the velocity of the base's origin and w its angular
        velocity, in the axes of the base. The vector l contains the first three of `weights`, for
        the base's linear acceleration.

        Args:
            weights: weight of each entry of the joint accelerations qdd.
            by_position: derivatives of the weighted sum by small joint motions, one for each joint
                velocity; changed in place.
            by_velocity: derivatives of the weighted sum by the joint velocities qd; changed in
                place.
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
        """Add the change of -(up + w x v), by which qdd differs from the solution in free fall.

        up is the opposite of gravity, v the velocity of the base's origin and w its angular
        velocity, in the axes of the base.

        Args:
            result: changes of the solution of forward dynamics, one for each joint velocity; the
                first three are changed in place.
            motions: changes of q (as small joint motions) and of qd, under the keys `q` and `qd`,
                one scalar for each joint velocity.
        """
        v, w = self._velocity
        dv, dw = join(motions["qd"][LINEAR]), join(motions["qd"][ANGULAR])
        turned = record_up(self.recording).cross(join(motions["q"][ANGULAR]))
        result[LINEAR] = join(result[LINEAR]) - turned - dw.cross(v) - w.cross(dv)

    def list_fall(self) -> tuple[Quantity, ...]:
        """Return the three components of up, the opposite of gravity, in the base's axes (m/s^2).

        The first three entries of qdd contain -up; gravity may depend on run-time parameters.
        """
        return tuple(record_up(self.recording))

    def record_velocity_columns(
        self, velocities: Sequence[Quantity], found: CoriolisEntries, in_fall: bool
    ) -> JointMatrix:
        """Record derivatives of the joint forces by the linear and angular velocity of the base.

        Args:
            velocities: joint velocities qd, one scalar for each entry.
            found: Coriolis matrix of all other joints for twice the joint velocities, and
                intermediate results (`record_coriolis_matrix`).
            in_fall: whether the base is in free fall (`make_fall_motion`).

        Returns:
            The derivatives by the linear and the angular velocity of the base, with rows and
            columns by the joint numbers of `number_entries`, which count from 1.
        """
        motion = BaseMotion(join(velocities[LINEAR]), join(velocities[ANGULAR]), in_fall)
        return record_base_velocity_columns(self.recording, motion, found)

    def record_coriolis_columns(
        self, angular_velocity: Quantity, found: CoriolisEntries
    ) -> JointMatrix:
        """Record the columns of the Coriolis matrix for the velocities of the base.

        The Coriolis matrix does not depend on the velocity of the base's origin.

        Args:
            angular_velocity: angular velocity of the base, in its axes (rad/s).
            found: Coriolis matrix of all other joints, and intermediate results
                (`record_coriolis_matrix`).

        Returns:
            The entries of the columns, with rows and columns by the joint numbers of
            `number_entries`, which count from 1.
        """
        rest = self.recording.add_constant(0, 0, 0)
        motion = BaseMotion(rest, angular_velocity, in_fall=False)
        return record_base_velocity_columns(self.recording, motion, found)

    def record_rotation_columns(self, found: CoriolisEntries) -> JointMatrix:
        """Record derivatives of the joint forces by small base rotations, which turn gravity.

        `found` contains the Coriolis matrix of all other joints and intermediate results
        (`record_coriolis_matrix`). Rows and columns of the result have the joint numbers of
        `number_entries`, which count from 1.
        """
        return record_base_rotation_columns(self.recording, found)

    def record_contact_columns(self, force: Quantity, dyads: Quantity) -> JointMatrix:
        """Record derivatives of the base's contact forces by rotations of the base.

        `force` is the sum of all contact forces f (N), and `dyads` the 3 x 3 sum of r f^T over the
        points r where the forces act (N m), in the axes of the floating base and about its origin.
        The forces are constant in fixed axes. Rows and columns of the result have the joint numbers
        of `number_entries`, which count from 1.
        """
        return record_base_contact_columns(self.recording, force, dyads)

    def record_momenta(self, whole: Composite, com: Quantity) -> list[list[Wrench]]:
        """Record the momenta of the robot at unit velocities of the base, in the axes of the base.

        Args:
            whole: inertial parameters of all bodies together, about the base's origin.
            com: position of the centre of mass, from the base's origin (m). Angular momentum is
                about the centre of mass.

        Returns:
            A list with one list: the momenta at unit linear, then at unit angular velocities of the
            base, each as a wrench (linear momentum as force).
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

        h is the linear momentum of the robot, and its angular momentum about the centre of mass.
        The arguments are described in `FixedBase`. The result is a list with one list of six
        entries, for motions along and about the axes of the base. Each entry has three derivatives:
        of h and of dh/dt by the small motion, and of dh/dt by the velocity, in the axes of the base
        and about the centre of mass.
        """
        return [record_base_momentum_columns(self.recording, momentum, force, com, whole, flow)]


def find_base(recording: Recording) -> FixedBase:
    """Return the base of the recording's robot: a `FloatingBase` if the base floats."""
    return FloatingBase(recording) if recording.model.floats else FixedBase(recording)
