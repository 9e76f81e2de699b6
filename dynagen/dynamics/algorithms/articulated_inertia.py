"""The inertia of articulated bodies, whose outer joints are free, and the inertia that a joint hands on to the parent.

R. Featherstone, Int. J. Robotics Research 2(1), 1983, in 3 x 3 blocks. Along its axis a joint hands on the load of its
motor's inertia alone, mu U with mu = Ia / D, so that I - U U^T / D need not be computed there. Wrenches of six components are
moment and force.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix, collect, expand

from dynagen.dynamics.algorithms.algebra import along_axis, symmetric
from dynagen.dynamics.algorithms.recording import ResolvedBody
from dynagen.dynamics.recording.formula import Quantity, formula
from dynagen.ir.symbols import MATRIX, TENSOR, Symbol

AJ = Symbol(
    "aj",
    "i",
    TENSOR,
    "articulated inertia of body i: wd takes the moment aj wd",
    source="Featherstone 1983",
)
AH = Symbol(
    "ah",
    "i",
    MATRIX,
    "coupling in the articulated inertia of body i: a takes the moment ah a",
    source="Featherstone 1983",
)
AM = Symbol(
    "am",
    "i",
    TENSOR,
    "articulated mass of body i: a takes the force am a",
    source="Featherstone 1983",
)


def _spatial(rotational: Matrix, coupled: Matrix, translational: Matrix) -> Matrix:
    """The articulated inertia as a symmetric 6 x 6 matrix."""
    return Matrix([[symmetric(rotational), coupled], [coupled.T, symmetric(translational)]])


def _elements(matrix: Matrix) -> Matrix:
    """The elements xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return Matrix([matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


def with_axis(angular: Expr, linear: Expr, wrench: Matrix, along: Expr) -> Matrix:
    """A wrench whose component along the joint is known: angular n_z + linear f_z = along.

    The component determines the moment's z if the joint rotates (angular = 1), the force's if it only slides (angular = 0,
    linear = 1). For a helical joint the force's z stays, and the moment's z is the component less linear f_z.
    """
    fz = angular * wrench[5] + (1 - angular) * along
    nz = angular * (along - linear * fz) + (1 - angular) * wrench[2]
    return Matrix([wrench[0], wrench[1], nz, wrench[3], wrench[4], fz])


@formula
def base_inertia(rotational: Matrix, coupled: Matrix, translational: Matrix) -> Matrix:
    """The inertia as a 6 x 6 matrix for linear before angular accelerations, as the velocities of a floating base are."""
    return Matrix([[symmetric(translational), coupled.T], [coupled, symmetric(rotational)]])


@formula
def coupling(first_moment: Matrix) -> Matrix:
    """H of a rigid body: the moment s x a of an acceleration of its origin."""
    return first_moment.hat()


@formula
def mass_block(mass: Expr) -> Matrix:
    """M of a rigid body."""
    return Matrix([mass, mass, mass, 0, 0, 0])


@formula
def unit_wrench(
    angular: Expr, linear: Expr, rotational: Matrix, coupled: Matrix, translational: Matrix
) -> Matrix:
    """U: the wrench of the articulated body at a unit acceleration of its joint."""
    return _spatial(rotational, coupled, translational) * Matrix([0, 0, angular, 0, 0, linear])


def _handed_inertia(
    angular: Expr,
    linear: Expr,
    inertia: tuple[Matrix, Matrix, Matrix],
    relative: Matrix,
    unit: Matrix,
    mu: Expr,
) -> Matrix:
    """The inertia I - E U^T = I - U U^T / D + z U^T, with mu U along the joint, in rows as in columns."""
    handed = _spatial(*inertia) - relative * unit.T
    for _ in range(2):
        columns = (
            with_axis(angular, linear, handed[:, index], mu * unit[index]) for index in range(6)
        )
        handed = Matrix.hstack(*columns).T
    return handed


@formula
def handed_rotational(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """J of the inertia that the joint hands on."""
    return _elements(_handed_inertia(angular, linear, (j, h, m), e, u, mu)[:3, :3])


@formula
def handed_coupling(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """H of the inertia that the joint hands on."""
    return _handed_inertia(angular, linear, (j, h, m), e, u, mu)[:3, 3:]


@formula
def handed_translational(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """M of the inertia that the joint hands on."""
    return _elements(_handed_inertia(angular, linear, (j, h, m), e, u, mu)[3:, 3:])


@formula
def coupling_about(coupled: Matrix, translational: Matrix, r: Matrix) -> Matrix:
    """Coupling H + r x M about a point from which the old origin lies at r."""
    return coupled + r.hat() * symmetric(translational)


@formula
def rotational_about(rotational: Matrix, coupled: Matrix, shifted: Matrix, r: Matrix) -> Matrix:
    """Rotational part J - H [r x] + [r x] H'^T, with H' = H + r x M: one product for every component of r and element."""
    moved = _elements(symmetric(rotational) - coupled * r.hat() + r.hat() * shifted.T)
    return moved.applyfunc(lambda element: collect(expand(element), list(r)))


@dataclass(frozen=True)
class ArticulatedInertia:
    """The inertia of the moment J wd + H a and the force H^T wd + M a, about the origin of the body's axes.

    Attributes:
        rotational: J, elements xx, yy, zz, xy, xz, yz of a symmetric tensor.
        coupling: H, 3 x 3.
        translational: M, as J.
    """

    rotational: Quantity
    coupling: Quantity
    translational: Quantity

    @classmethod
    def of_body(cls, body: ResolvedBody) -> ArticulatedInertia:
        """Record the inertia of a body alone."""
        return cls(body.inertia, coupling(body.first_moment), mass_block(body.mass))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            *(left + right for left, right in zip(self.blocks, other.blocks, strict=True))
        )

    @property
    def blocks(self) -> tuple[Quantity, Quantity, Quantity]:
        """J, H, M."""
        return self.rotational, self.coupling, self.translational

    def name(self, number: int) -> ArticulatedInertia:
        """Name the blocks."""
        return ArticulatedInertia(
            self.rotational.name(AJ(number)),
            self.coupling.name(AH(number)),
            self.translational.name(AM(number)),
        )

    def hand_on(
        self, body: ResolvedBody, relative: Quantity, unit: Quantity, mu: Quantity
    ) -> ArticulatedInertia:
        """Record the inertia that the joint of its body hands on as it is free to move, in the body's axes."""
        arguments = body.angular, body.linear, *self.blocks, relative, unit, mu
        blocks = (handed_rotational, handed_coupling, handed_translational)
        return ArticulatedInertia(*(block(*arguments) for block in blocks))

    def carry_inward(self, body: ResolvedBody) -> ArticulatedInertia:
        """Record it in the axes and about the origin of its body's parent."""
        on_axis = self._shift(along_axis(body.displacement))
        coupled = body.inward_matrix(on_axis.coupling)
        rotational, translational = (
            body.inward_tensor(on_axis.rotational),
            body.inward_tensor(on_axis.translational),
        )
        return ArticulatedInertia(rotational, coupled, translational)._shift(body.translation)

    def _shift(self, translation: Quantity) -> ArticulatedInertia:
        """Record it about a point from which its origin lies at a translation."""
        shifted = coupling_about(self.coupling, self.translational, translation)
        rotational = rotational_about(self.rotational, self.coupling, shifted, translation)
        return ArticulatedInertia(rotational, shifted, self.translational)
