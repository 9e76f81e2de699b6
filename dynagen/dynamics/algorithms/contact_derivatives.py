"""Derivatives of the joint forces due to contact forces, which are constant in base axes.

Contact forces f at points p contribute tau_i = -sum of f.(dp/dq_i) to the force of joint i, where
q_i is the joint position. Composite j consists of all bodies that joint j moves. Let joint i be a
revolute joint with the axis z_i, on the path from joint j to the base. Then, with sums over the
forces on composite j,

    dtau_i/dq_j = -z_i.g_j,    g_j = sum of cross(dp/dq_j, f)

If joint i is prismatic, the derivative is zero. The derivatives are symmetric, dtau_j/dq_i =
dtau_i/dq_j, because constant forces have a potential.

Let r be the vector from the origin of body j to p, and z the axis of joint j. For a revolute joint
j, dp/dq_j is cross(z, r), and g_j = D z - tr(D) z, where D is the sum of r f^T over composite j.
For a prismatic joint j, g_j = cross(z, F), where F is the sum of the forces.

The columns of a floating base are derivatives by small motions along and about its axes. The
formula for dtau_i/dq_j also holds if i is a rotation of the base about its axis z_i. A rotation e
of the base changes the components of f in the axes of the base by cross(f, e). The joint force -F
of the base's translations therefore changes by -cross(F, e). Small rotations about two axes do not
commute: the derivative of the base's moment has the additional term cross(e, n), with the sum n of
the moments cross(r, f). The derivatives of a spherical joint have this term too, because its axes
turn with its link.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.external_wrenches import record_contact_forces
from dynagen.dynamics.algorithms.recording import (
    JointMatrix,
    Recording,
    sum_matrix,
)
from dynagen.dynamics.algorithms.rotations import unit_z
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE


@formula
def dyad(point: Matrix, force: Matrix) -> Matrix:
    """Return the 3 x 3 matrix r f^T of a force f (N) that acts at the point r (m)."""
    return point * force.T


@formula
def dyad_after(dyads: Matrix, displacement: Expr, force: Matrix) -> Matrix:
    """Return the sum of r f^T over forces f at points r, about the beginning of a displacement.

    The displacement d z leads along the z axis. The sum is D + d z F^T. `dyads` is D, the sum about
    the end of the displacement; `displacement` is d (m); `force` is F, the sum of the forces (N).
    """
    return dyads + displacement * unit_z() * force.T


@formula
def rotation_effect(angular: Expr, linear: Expr, dyads: Matrix, force: Matrix) -> Matrix:
    """Return g_j, the sum of cross(dp/dq_j, f) over the contact forces f on composite j.

    Composite j consists of all bodies that joint j moves; f acts at the point p. Let joint i, with
    the axis z_i, be a revolute joint between joint j and the base. The derivative of its joint
    force by q_j is then -z_i.g_j.

    Args:
        angular: rotation of joint j about z per unit of q_j.
        linear: translation of joint j along z per unit of q_j.
        dyads: sum of r f^T, with r from the origin of body j to p, in the axes of body j.
        force: sum of f, in the axes of body j.
    """
    about = Matrix([dyads[0, 2], dyads[1, 2], -(dyads[0, 0] + dyads[1, 1])])
    return angular * about + linear * unit_z().cross(force)


@formula
def moment_of(dyads: Matrix) -> Matrix:
    """Return the sum of the moments cross(r, f) from the 3 x 3 sum of r f^T (`dyads`).

    r is the position of the point where the force f acts.
    """
    return Matrix([dyads[1, 2] - dyads[2, 1], dyads[2, 0] - dyads[0, 2], dyads[0, 1] - dyads[1, 0]])


D = Symbol("df", "i", MATRIX, "sum of r f^T of the contact forces on composite i", "N m")
SF = Symbol("sf", "i", VECTOR, "sum of the contact forces on composite i", "N")
G = Symbol("gf", "ji", VECTOR, "sum of dp/dq_j x f on composite j, in the axes of body i")
TAUF = Symbol("tauf", "ij", SCALAR, "derivative of the joint force of contacts at i by q_j")


@dataclass(frozen=True)
class _Composite:
    """Contact forces on a body and all bodies that it carries, in its axes, about its origin.

    Attributes:
        force: sum F of the forces (N).
        dyads: sum D of the 3 x 3 matrices r f^T (N m): r is the position of the point where the
            force f acts.
    """

    force: Quantity
    dyads: Quantity

    def __add__(self, other: _Composite) -> _Composite:
        return _Composite(self.force + other.force, self.dyads + other.dyads)


def record_contact_derivatives(recording: Recording) -> JointMatrix:
    """Record derivatives, by small joint motions, of the joint forces that contact forces cause.

    Returns:
        The derivatives (N m/rad, N m/m or N/rad) by (row, column). Row and column are the indices
        of the joint force and of the small motion in the velocity vector v. Derivatives that are
        zero in every state are absent.
    """
    entries: dict[tuple[int, int], Quantity] = {}
    composites = _record_composites(recording)
    for joint in recording.carried:
        if joint.index not in composites:
            continue
        joint.begin_section("Contact forces, derivatives by position, joint")
        contacts, (column,) = composites[joint.index], joint.numbers
        effect = rotation_effect(joint.angular, joint.linear, contacts.dyads, contacts.force)
        for body in recording.find_path(joint.index):
            effect = effect.name(G(joint.number, body.number))
            for screw, row in zip(body.screws, body.numbers, strict=True):
                # A translation changes nothing.
                if not screw.angular:
                    continue
                entry = -(screw.exchange(effect)[2] * screw.angular)
                entries[column, row] = entry.name(TAUF(column, row))
                entry = body.add_turned_axis(entry, joint, -moment_of(contacts.dyads))
                entries[row, column] = entry.name(TAUF(row, column))
            effect = body.rotate_inward(effect)
    base = recording.floating_base
    if base and base.index in composites:
        whole = composites[base.index]
        entries |= find_base(recording).record_contact_columns(whole.force, whole.dyads)
    return sum_matrix(recording, entries)


def _record_composites(recording: Recording) -> dict[int, _Composite]:
    """Record, by body index, the contact forces on the body and on all bodies that it carries."""
    composites: dict[int, _Composite] = {}

    def add(index: int, each: _Composite) -> None:
        composites[index] = composites[index] + each if index in composites else each

    for contact in record_contact_forces(recording):
        add(contact.body, _Composite(contact.force, dyad(contact.point, contact.force)))
    for body in reversed(recording.bodies):
        if body.index not in composites:
            continue
        here = composites[body.index]
        here = _Composite(here.force.name(SF(body.number)), here.dyads.name(D(body.number)))
        composites[body.index] = here
        if body.parent == BASE:
            continue
        # To the parent's axes and origin: along the joint axis, then along the translation.
        on_axis = dyad_after(here.dyads, body.displacement, here.force)
        force = body.rotate_inward(here.force)
        moved = body.rotate_matrix_inward(on_axis) + dyad(body.translation, force)
        add(body.parent, _Composite(force, moved))
    return composites
