"""Wrenches on bodies, and screws: the columns of the motion subspaces of joints."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.recording import Number, Quantity, formula, join
from dynagen.ir.symbols import Name


@formula
def moment_below(moment: Matrix, displacement: Expr, force: Matrix) -> Matrix:
    """Return the moment n + d z x f about the point where the displacement d z begins (N m).

    `moment` is n, the moment about the end of the displacement; `displacement` is d along the joint
    axis z (m), and `force` is f. All vectors are in the axes of one body.
    """
    # d z x f has no component along z.
    return moment + displacement * Matrix([-force[1], force[0], 0])


@formula
def moment_about(moment: Matrix, point: Matrix, force: Matrix) -> Matrix:
    """Return the moment n + p x f of a wrench about a new point (N m).

    `moment` is n about the old origin; `force` is f, and `point` is p, from the new point to the
    old origin (m). All vectors are in the same axes.
    """
    return moment + point.cross(force)


@formula
def along_joint(angular: Expr, moment: Matrix, linear: Expr, force: Matrix) -> Expr:
    """Return the component of a wrench along a joint: angular n_z + linear f_z.

    `angular` and `linear` are the rotation about and the translation along the joint axis z per
    unit of the joint position. `moment` is n and `force` is f, in the axes of the joint's body and
    about its origin. For a momentum, n and f are its angular and its linear part.
    """
    # In the body's axes the joint axis is z. By virtual work the component is the power of the
    # wrench at a unit joint velocity.
    return angular * moment[2] + linear * force[2]


@dataclass(frozen=True)
class Wrench:
    """Force (N) and moment (N m) about the origin of a body, in its axes.

    Linear and angular momentum transform in the same way and are also represented by this class.
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
    """A column of the motion subspace of a joint: the motion at a unit of one entry of v.

    Formulas are written for a screw about and along z. `exchange` resolves a vector in axes whose z
    is the axis of the screw.

    Attributes:
        axis: number 0, 1 or 2 of the axis x, y or z of the body, about and along which the body
            moves.
        angular: rotation about the axis per unit of the entry of v.
        linear: translation along the axis per unit of the entry of v.
        motor_inertia: inertia of the motor, reflected to the entry of v (kg m^2 or kg).
    """

    axis: int
    angular: Number
    linear: Number
    motor_inertia: Number = 0

    def exchange(self, vector: Quantity) -> Quantity:
        """Return a vector of the body in cyclically exchanged axes, whose z is the screw's axis."""
        return self._shift(vector, self.axis + 1)

    def restore(self, vector: Quantity) -> Quantity:
        """Return a vector in the axes of the body, from its components in the exchanged axes.

        In the exchanged axes of `Screw.exchange`, z is the axis of the screw.
        """
        return self._shift(vector, 2 - self.axis)

    def exchange_tensor(self, tensor: Quantity) -> Quantity:
        """Return a symmetric tensor in cyclically exchanged axes, whose z is the screw's axis.

        Argument (in the axes of the body) and result are the elements xx, yy, zz, xy, xz, yz.
        """
        x, y, z = ((each + self.axis + 1) % 3 for each in range(3))
        places = {(0, 0): 0, (1, 1): 1, (2, 2): 2, (0, 1): 3, (0, 2): 4, (1, 2): 5}
        pairs = (x, x), (y, y), (z, z), (x, y), (x, z), (y, z)
        return join(tensor[places[min(pair), max(pair)]] for pair in pairs)

    @staticmethod
    def _shift(vector: Quantity, places: int) -> Quantity:
        return join(vector[(each + places) % 3] for each in range(3))

    def project(self, wrench: Wrench) -> Quantity:
        """Record the component of a wrench along the screw: its power at unit joint velocity.

        The wrench is in the axes of the body and about its origin. The result is a scalar (N m or
        N).
        """
        force, moment = self.exchange(wrench.force), self.exchange(wrench.moment)
        return along_joint(self.angular, moment, self.linear, force)
