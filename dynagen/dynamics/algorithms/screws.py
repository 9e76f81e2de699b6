"""Wrenches on bodies, and screws: motions of a body at a unit joint velocity."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.dynamics.recording import Number, Quantity, formula, join
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import Name


@formula
def moment_below(moment: Matrix, displacement: Expr, force: Matrix) -> Matrix:
    """Return n + d cross(z, f), the moment about the start of the displacement d z (N m).

    `moment` is n, the moment about the end of the displacement. `displacement` is d along the joint
    axis z (m), and `force` is f (N).
    """
    # d z x f has no component along z.
    return moment + displacement * Matrix([-force[1], force[0], 0])


@formula
def moment_about(moment: Matrix, point: Matrix, force: Matrix) -> Matrix:
    """Return n + cross(p, f), the moment of a wrench about a new point (N m).

    `moment` is n, the moment about the old point (N m). `force` is f (N), and `point` is p, from
    the new point to the old point (m).
    """
    return moment + point.cross(force)


@formula
def along_joint(angular: Expr, moment: Matrix, linear: Expr, force: Matrix) -> Expr:
    """Return angular n_z + linear f_z, the component of a wrench along a joint with the axis z.

    `angular` and `linear` are the rotation about and the translation along the joint axis z per
    unit of the joint position. `moment` is n and `force` is f (or angular and linear momentum),
    about the origin of the joint's body.
    """
    # In the body's axes the joint axis is z. By virtual work the component is the power of the
    # wrench at a unit joint velocity.
    return angular * moment[2] + linear * force[2]


@dataclass(frozen=True)
class Wrench:
    """Force (N) and moment (N m) about the origin of a body, in its axes.

    The class also represents linear momentum (`force`) and angular momentum (`moment`), which
    transform in the same way.
    """

    force: Quantity
    moment: Quantity

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.force + other.force, self.moment + other.moment)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.force - other.force, self.moment - other.moment)

    def name(self, force: Name, moment: Name) -> Wrench:
        """Name the recorded values of the force and the moment; return the named wrench."""
        return Wrench(self.force.name(force), self.moment.name(moment))


@dataclass(frozen=True)
class Screw:
    """The motion of a body at a unit joint velocity.

    The body rotates about and translates along one of its axes, the axis of the screw. Formulas are
    written for the axis z; `exchange` resolves a vector in exchanged axes, in which z is the axis
    of the screw.

    Attributes:
        axis: 0, 1 or 2 for the axis x, y or z of the body.
        angular: angular velocity about the axis per unit of the joint velocity.
        linear: velocity along the axis per unit of the joint velocity.
        motor_inertia: inertia of the motor, reflected to the joint (kg m^2 or kg).
    """

    axis: int
    angular: Number
    linear: Number
    motor_inertia: Number = 0

    def exchange(self, vector: Quantity) -> Quantity:
        """Return a vector of the body in cyclically exchanged axes: z is then the screw's axis."""
        return self._shift(vector, self.axis + 1)

    def restore(self, vector: Quantity) -> Quantity:
        """Return a vector in the axes of the body, from its components in the exchanged axes.

        The exchanged axes are the body's axes in another order, in which z is the axis of the screw
        (`Screw.exchange`).
        """
        return self._shift(vector, 2 - self.axis)

    def exchange_tensor(self, tensor: Quantity) -> Quantity:
        """Return a symmetric tensor of the body in exchanged axes, in which z is the screw's axis.

        The tensors are given by the elements xx, yy, zz, xy, xz, yz.
        """
        x, y, z = ((each + self.axis + 1) % 3 for each in range(3))
        places = {(0, 0): 0, (1, 1): 1, (2, 2): 2, (0, 1): 3, (0, 2): 4, (1, 2): 5}
        pairs = (x, x), (y, y), (z, z), (x, y), (x, z), (y, z)
        return join(tensor[places[min(pair), max(pair)]] for pair in pairs)

    @staticmethod
    def _shift(vector: Quantity, places: int) -> Quantity:
        return join(vector[(each + places) % 3] for each in range(3))

    def project(self, wrench: Wrench) -> Quantity:
        """Record the component of a wrench along the screw (N m or N).

        `wrench` is in the axes of the body and about its origin.
        """
        force, moment = self.exchange(wrench.force), self.exchange(wrench.moment)
        return along_joint(self.angular, moment, self.linear, force)
