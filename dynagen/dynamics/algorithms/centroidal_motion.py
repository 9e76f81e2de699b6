"""Time derivative dh/dt of the centroidal momentum h, and derivatives of h and dh/dt by q and qd.

The centroidal momentum is the linear momentum P of all bodies and their angular momentum L about
the centre of mass. The time derivative of P is the sum F of all inertial forces, and the time
derivative of L is the sum N of their moments about the centre of mass. The Newton-Euler recursion
computes F and N.

Composite j consists of all bodies that joint j moves. All sums are over the particles of composite
j, with mass m, position r and velocity r'. Let c_j be the derivative of r by q_j. The derivatives
by q_j, in the symbols of the module `coriolis`, are:

- The derivative of the centre of mass is the sum of m c_j, divided by the robot's mass.
- The derivative of the linear momentum P is p', the sum of m dc_j/dt.
- The derivative of the angular momentum about the origin is hv - hx, the sum of m (cross(r,
  dc_j/dt) - cross(r', c_j)).
- The derivatives of F and N are the force and the moment on the base that `derivatives` computes.

All sums are in the axes of the base. If the base floats, the sums are relative to its origin.
Translations of the base do not change them. A rotation e of the base rotates all vectors; for
example, it changes P by cross(e, P).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.coriolis import (
    CompositeMotion,
    CoriolisEntries,
    carry_motion_inward,
    carry_places_inward,
)
from dynagen.dynamics.algorithms.derivatives import (
    record_position_derivatives,
    record_velocity_derivatives,
)
from dynagen.dynamics.algorithms.external_wrenches import NO_CONTACTS
from dynagen.dynamics.algorithms.kinematics import record_com, record_whole, sum_masses
from dynagen.dynamics.algorithms.mass_matrix import Composite, record_composites
from dynagen.dynamics.algorithms.newton_euler import record_joint_loads
from dynagen.dynamics.algorithms.recording import JointMotion, Recording, ResolvedBody, sum_forces
from dynagen.dynamics.algorithms.screws import Wrench, moment_about
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Matrix
from dynagen.numbers.exact import ONE
from dynagen.robot.model.model import BASE

Columns = Sequence[Sequence[Wrench]]
"""Columns of a matrix: for each body a list with one wrench for each velocity of its joint."""


@formula
def angular_momentum_of(flux: Matrix) -> Matrix:
    """Return the angular momentum, the sum of m cross(r, r') over all particles.

    `flux` is the 3 x 3 sum of m r' r^T. r is the position of a particle of mass m, and r' is dr/dt.
    """
    return Matrix([flux[2, 1] - flux[1, 2], flux[0, 2] - flux[2, 0], flux[1, 0] - flux[0, 1]])


def record_momentum_drift(recording: Recording) -> Wrench:
    """Record the time derivative of the centroidal momentum at zero joint accelerations.

    The force of the result is the derivative of the linear momentum (N). The moment is the
    derivative of the angular momentum about the centre of mass (N m). Both are in base axes.
    """
    motion = recording.make_unaccelerated_motion(gravity=False)
    loads = record_joint_loads(recording, motion, NO_CONTACTS)
    # The joints on the base carry the inertial forces of all bodies.
    total = Wrench(recording.add_constant(0, 0, 0), recording.add_constant(0, 0, 0))
    for body, load in zip(recording.bodies, loads, strict=True):
        if body.parent == BASE:
            total += _move_to_base(recording, body, load.wrench)
    com = record_com(recording, record_whole(recording, record_composites(recording)))
    return _resolve_in_world(recording, _move_to_com(total, com))


@dataclass(frozen=True)
class MomentumDerivatives:
    """Derivatives of the centroidal momentum h and of dh/dt, one wrench for each joint velocity.

    The force of a wrench is the derivative of the linear momentum. The moment is the derivative of
    the angular momentum about the centre of mass. Both are in base axes. Small motions of a
    floating base are along and about its own axes.

    Attributes:
        momentum: derivatives of h by small motions of the joints.
        change_by_position: derivatives of dh/dt by small motions of the joints.
        change_by_velocity: derivatives of dh/dt by the joint velocities.
    """

    momentum: Sequence[Wrench]
    change_by_position: Sequence[Wrench]
    change_by_velocity: Sequence[Wrench]


def record_momentum_derivatives(recording: Recording) -> MomentumDerivatives:
    """Record the derivatives of the centroidal momentum h and of dh/dt by q and qd, in base axes.

    The accelerations are the input qdd.
    """
    with recording.recorder.memoise():
        velocities = recording.velocities
        motion = JointMotion(velocities, recording.add_elements("qdd"), gravity=False)
        # Entries that do not reach the base are not used, so that the passes remove them.
        _, found = record_velocity_derivatives(recording, velocities)
        _, by_position = record_position_derivatives(recording, motion, NO_CONTACTS, found)
        loads = record_joint_loads(recording, motion, NO_CONTACTS)
        return _record_derivatives(recording, found, by_position, [each.wrench for each in loads])


def _record_derivatives(
    recording: Recording,
    found: CoriolisEntries,
    by_position: Mapping[int, Wrench],
    loads: Sequence[Wrench],
) -> MomentumDerivatives:
    """Record the derivatives of the centroidal momentum and of its time derivative.

    The arguments are intermediate results of the derivatives of inverse dynamics. `found` is the
    result of `record_coriolis_matrix` for twice the joint velocities, and `by_position` the second
    result of `record_position_derivatives`. `loads` are the wrenches that joints exert on their
    bodies, in the body's axes, about its origin.
    """
    whole, flow = _record_whole_motion(recording, found)
    com, half = record_com(recording, whole), ONE / 2
    per_mass = recording.add_constant(sum_masses(recording.model).reciprocal())
    # The motions are recorded for twice the velocities.
    momentum = Wrench(flow.momentum * half, angular_momentum_of(flow.flux) * half)
    force = Wrench(recording.add_constant(0, 0, 0), recording.add_constant(0, 0, 0))
    for body, load in zip(recording.bodies, loads, strict=True):
        if body.parent == BASE:
            force += _move_to_base(recording, body, load)

    def turn(total: Wrench, derivative: Wrench, by_joint: Quantity) -> Wrench:
        # From the base's origin to c, which moves too: d(n - c x f) = dn - c x df - dc x f.
        moved = _move_to_com(derivative, com)
        return Wrench(moved.force, moment_about(moved.moment, -by_joint, total.force))

    by_joint = find_base(recording).record_momentum_columns(momentum, force, com, whole, flow)
    for joint in recording.carried:
        joint.begin_section("Derivatives of the momentum, joint")
        last, unit = found.paths[joint.index][-1]
        at_base = _move_to_base(recording, last, Wrench(unit.momentum, unit.moment))
        places = (
            unit.places
            if last is recording.floating_base
            else carry_places_inward(last, found.motions[last.index], unit, at_base.force)
        )
        change = _move_to_base(recording, last, found.changes[joint.index])
        com_change = per_mass * at_base.force
        of_momentum = Wrench(change.force * half, (change.moment - places) * half)
        group = [body for body in recording.bodies if body.is_grouped_with(joint)]
        if group:
            of_momentum += _correct_axis(recording, joint, group, found)
        by_joint.append(
            [
                (
                    turn(momentum, of_momentum, com_change),
                    turn(
                        force, _move_to_base(recording, last, by_position[joint.index]), com_change
                    ),
                    _move_to_com(change, com),
                )
            ]
        )
    columns = (
        _sum_columns(recording, [[each[part] for each in joint] for joint in by_joint])
        for part in range(3)
    )
    return MomentumDerivatives(*columns)


def _correct_axis(
    recording: Recording,
    joint: ResolvedBody,
    group: Sequence[ResolvedBody],
    found: CoriolisEntries,
) -> Wrench:
    """Record a correction of the derivative of the centroidal momentum by rotation about an axis.

    The axis z belongs to a spherical joint, which consists of three bodies (`group`), one for each
    axis. The module `derivatives` lets z turn at the mean of two angular velocities: w of the body,
    and w - u of its parent, where u is the joint's angular velocity. An axis that is fixed in the
    parent turns slower by u / 2, so its time derivative differs by -cross(u, z) / 2. This
    difference is a combination of the joint's other axes. The correction is therefore the
    corresponding combination of the momenta of these axes.
    """
    first, half = group[0], ONE / 2
    column = joint.index - first.index
    # For z along x it is u x z = u_z y - u_y z.
    places = [(column + 1) % 3, (column + 2) % 3]
    ends = (found.paths[first.index + place][-1] for place in places)
    one, other = (
        _move_to_base(recording, last, Wrench(unit.momentum, unit.moment)) for last, unit in ends
    )
    along, back = (recording.velocities[first.entry + place] * half for place in reversed(places))
    return Wrench(back * other.force - along * one.force, back * other.moment - along * one.moment)


def _record_whole_motion(
    recording: Recording, found: CoriolisEntries
) -> tuple[Composite, CompositeMotion]:
    """Record the inertial parameters of the whole robot, and sums over the motion of its particles.

    Both are about the base's origin; `CompositeMotion` defines the sums.
    """
    whole = record_whole(recording, found.composites)
    if base := recording.floating_base:
        return whole, found.motions[base.index]
    zero = recording.add_constant(0, 0, 0)
    momentum, flux = zero, recording.recorder.add_constant_matrix([(0, 0, 0)] * 3)
    for body, composite, motion in zip(
        recording.bodies, found.composites, found.motions, strict=True
    ):
        if body.parent == BASE:
            more = carry_motion_inward(body, composite, motion)
            momentum, flux = momentum + more[0], flux + more[1]
    return whole, CompositeMotion(momentum, flux, zero, zero)


def _move_to_base(recording: Recording, body: ResolvedBody, wrench: Wrench) -> Wrench:
    """Record a wrench of `body` in the axes and about the origin of the base.

    `body` is a floating base, or a body whose parent is the base.
    """
    return wrench if body is recording.floating_base else body.carry_inward(wrench)


def _move_to_com(wrench: Wrench, com: Quantity) -> Wrench:
    """Record a wrench about the centre of mass, from a wrench about the base's origin."""
    return Wrench(wrench.force, moment_about(wrench.moment, -com, wrench.force))


def _resolve_in_world(recording: Recording, wrench: Wrench) -> Wrench:
    """Record a wrench in the axes of the fixed base frame.

    `wrench` is in the axes of a floating base, or already in the axes of a fixed base.
    """
    if base := recording.floating_base:
        wrench = Wrench(base.rotate_inward(wrench.force), base.rotate_inward(wrench.moment))
    return wrench


def _sum_columns(recording: Recording, columns: Columns) -> list[Wrench]:
    """Record wrenches in base axes, one for each entry of the velocity vector.

    `columns` has a list of wrenches for each joint. The wrenches of joints that share an entry,
    such as mimicking joints, are added.
    """
    resolved = [[_resolve_in_world(recording, each) for each in joint] for joint in columns]
    forces = sum_forces(recording, [tuple(each.force for each in joint) for joint in resolved])
    moments = sum_forces(recording, [tuple(each.moment for each in joint) for joint in resolved])
    return [Wrench(*pair) for pair in zip(forces, moments, strict=True)]
