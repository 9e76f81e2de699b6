"""Articulated inertias: the inertia of a body whose outer joints are free.

The inertia I of an articulated body is represented by 3 x 3 blocks J, H and M. At an angular
acceleration wd and an acceleration a of the origin, the moment is J wd + H a, and the force is H^T
wd + M a. Wrenches of six components contain the moment, then the force. All vectors of a formula
are in the axes of one body. The symbols U and D are from Featherstone, "Rigid Body Dynamics
Algorithms", 2008, section 7.3. Equations are cited from Saha, "Simulation of Industrial
Manipulators Based on the UDU^T Decomposition of Inertia Matrix", Multibody System Dynamics 9, 2003,
section 2 and appendix B.

Along its axis a joint transmits only the load of its motor's inertia Ia. The inertia D along the
joint contains Ia, so the wrench U at a unit joint acceleration has the component z.U = D - Ia along
the axis. In the transmitted inertia I - U U^T / D, the rows and columns along the axis are
therefore mu U with mu = Ia / D. Without a motor these rows and columns are 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix, collect, expand

from dynagen.dynamics.algorithms.mass_matrix import Composite
from dynagen.dynamics.algorithms.recording import ResolvedBody
from dynagen.dynamics.algorithms.rotations import along_axis, unpack
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula
from dynagen.ir.symbols import MATRIX, SCALAR, TENSOR, VECTOR, Symbol

AJ = Symbol(
    "aj",
    "i",
    TENSOR,
    "articulated inertia of body i, about its origin: aj wd is the moment for an angular "
    "acceleration wd",
    source="Featherstone 1983",
)
AH = Symbol(
    "ah",
    "i",
    MATRIX,
    "coupling in the articulated inertia of body i: ah a is the moment for an acceleration a",
    source="Featherstone 1983",
)
AM = Symbol(
    "am",
    "i",
    TENSOR,
    "articulated mass of body i: am a is the force for an acceleration a",
    source="Featherstone 1983",
)


def _spatial(rotational: Matrix, coupled: Matrix, translational: Matrix) -> Matrix:
    """Return the 6 x 6 inertia [[J, H], [H^T, M]], angular before linear, from J, H and M."""
    return Matrix([[unpack(rotational), coupled], [coupled.T, unpack(translational)]])


def _elements(matrix: Matrix) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return Matrix([matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


def set_along(angular: Expr, linear: Expr, wrench: Matrix, along: Expr) -> Matrix:
    """Return a wrench changed so that its component along a joint is `along`.

    The component is angular n_z + linear f_z. Only n_z changes for a joint that rotates (angular =
    1), and only f_z for a joint that only slides (angular = 0, linear = 1). Argument and result
    contain the moment n, then the force f, in the axes of the joint's body.
    """
    # Angular is 0 or 1: the passes choose the case. A difference would cancel digits of `along`.
    fz = angular * wrench[5] + (1 - angular) * along
    nz = angular * (along - linear * fz) + (1 - angular) * wrench[2]
    return Matrix([wrench[0], wrench[1], nz, wrench[3], wrench[4], fz])


@formula
def base_inertia(rotational: Matrix, coupled: Matrix, translational: Matrix) -> Matrix:
    """Return the 6 x 6 inertia [[M, H^T], [H, J]] of a floating base, linear before angular.

    The arguments are the blocks J, M (elements xx, yy, zz, xy, xz, yz) and H (`coupled`, 3 x 3), in
    the axes of the base. Accelerations a (linear) and wd (angular) have the moment J wd + H a.
    """
    return Matrix([[unpack(translational), coupled.T], [coupled, unpack(rotational)]])


@formula
def coupling(first_moment: Matrix) -> Matrix:
    """Return the 3 x 3 block H = [s x] of a rigid body with the first moment s (kg m).

    At an acceleration a of the body's origin, the moment about the origin is H a.
    """
    return first_moment.hat()


@formula
def mass_block(mass: Expr) -> Matrix:
    """Return the mass block m 1 of a rigid body (kg) as elements xx, yy, zz, xy, xz, yz."""
    return Matrix([mass, mass, mass, 0, 0, 0])


@formula
def unit_wrench(
    angular: Expr, linear: Expr, rotational: Matrix, coupled: Matrix, translational: Matrix
) -> Matrix:
    """Return U = I z, the wrench at a unit joint acceleration, moment before force (Saha, eq. 26).

    The joint's screw z has the parts `angular` about and `linear` along the z axis. I has the
    blocks J (`rotational`), H (`coupled`) and M (`translational`), in the axes of the joint's body.
    """
    return _spatial(rotational, coupled, translational) * Matrix([0, 0, angular, 0, 0, linear])


def _handed_inertia(
    angular: Expr,
    linear: Expr,
    inertia: tuple[Matrix, Matrix, Matrix],
    relative: Matrix,
    unit: Matrix,
    mu: Expr,
) -> Matrix:
    """Return the inertia I - U U^T / D that the joint transmits to the parent (Saha, eq. 28).

    The result is I - E U^T - z U^T; `inertia` has the blocks J, H and M of I, `unit` is U and
    `relative` is E = U / D - z. `mu` is Ia / D, with the motor inertia Ia and the inertia D along
    the joint. The rows and columns of the result along the joint are mu U.
    """
    handed = _spatial(*inertia) - relative * unit.T
    # `set_along` replaces the term z U^T. Twice: first the columns, then (transposed) the rows.
    for _ in range(2):
        columns = (
            set_along(angular, linear, handed[:, index], mu * unit[index]) for index in range(6)
        )
        handed = Matrix.hstack(*columns).T
    return handed


@formula
def handed_rotational(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """Return block J (xx, yy, zz, xy, xz, yz) of the inertia I - U U^T / D that a joint transmits.

    I has the blocks j, m (same elements) and h. U (`u`) is I z with the joint's screw z (`angular`
    about and `linear` along the z axis). `e` is U / D - z, and `mu` is Ia / D with motor inertia Ia
    and inertia D along the joint. All values are in the axes of the joint's body, about its origin.
    """
    return _elements(_handed_inertia(angular, linear, (j, h, m), e, u, mu)[:3, :3])


@formula
def handed_coupling(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """Return the 3 x 3 block H of the inertia I - U U^T / D that a joint transmits to its parent.

    I has the blocks j, h and m. U (`u`) is I z with the joint's screw z (`angular` about and
    `linear` along the z axis). `e` is U / D - z, and `mu` is Ia / D with motor inertia Ia and
    inertia D along the joint. All values are in the axes of the joint's body, about its origin.
    """
    return _handed_inertia(angular, linear, (j, h, m), e, u, mu)[:3, 3:]


@formula
def handed_translational(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """Return block M (xx, yy, zz, xy, xz, yz) of the inertia I - U U^T / D that a joint transmits.

    I has the blocks j, m (same elements) and h. U (`u`) is I z with the joint's screw z (`angular`
    about and `linear` along the z axis). `e` is U / D - z, and `mu` is Ia / D with motor inertia Ia
    and inertia D along the joint. All values are in the axes of the joint's body, about its origin.
    """
    return _elements(_handed_inertia(angular, linear, (j, h, m), e, u, mu)[3:, 3:])


@formula
def coupling_about(coupled: Matrix, translational: Matrix, r: Matrix) -> Matrix:
    """Return H + [r x] M, the 3 x 3 coupling block of an inertia about a new point.

    H (`coupled`) is about the old origin, M (`translational`) is the mass block as xx, yy, zz, xy,
    xz, yz, and r (m) points from the new point to the old origin.
    """
    return coupled + r.hat() * unpack(translational)


@formula
def rotational_about(rotational: Matrix, coupled: Matrix, shifted: Matrix, r: Matrix) -> Matrix:
    """Return J - H [r x] + [r x] H'^T, the block J about a new point, as xx, yy, zz, xy, xz, yz.

    J (`rotational`, the same elements) and H (`coupled`) are about the old origin, H' (`shifted`)
    is H about the new point, and r (m) points from the new point to the old origin.
    """
    # Terms are collected by the components of r: one product for every component and element.
    moved = _elements(unpack(rotational) - coupled * r.hat() + r.hat() * shifted.T)
    return moved.applyfunc(lambda element: collect(expand(element), list(r)))


@formula
def tensor_less(tensor: Matrix, vector: Matrix, parallel: Matrix) -> Matrix:
    """Return a symmetric tensor minus u v^T, with parallel vectors u (`vector`) and v (`parallel`).

    Argument and result are the elements xx, yy, zz, xy, xz, yz of a symmetric tensor.
    """
    return tensor - _elements(vector * parallel.T)


@formula
def matrix_less(matrix: Matrix, column: Matrix, row: Matrix) -> Matrix:
    """Return a 3 x 3 matrix minus the product u v^T, with u = `column` and v = `row`."""
    return matrix - column * row.T


@dataclass(frozen=True)
class ArticulatedInertia:
    """Articulated inertia: the moment is J wd + H a, and the force H^T wd + M a.

    wd is the angular acceleration of a body and a the acceleration of its origin, in its axes.

    Attributes:
        rotational: the elements xx, yy, zz, xy, xz, yz of the symmetric block J (kg m^2).
        coupling: the 3 x 3 block H (kg m).
        translational: the elements of the symmetric block M, in the order as for J (kg).
    """

    rotational: Quantity
    coupling: Quantity
    translational: Quantity

    @classmethod
    def record_rigid(cls, whole: Composite) -> ArticulatedInertia:
        """Record the inertia of a rigid composite, in the composite's axes and about its origin."""
        return cls(whole.inertia, coupling(whole.first_moment), mass_block(whole.mass))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            *(left + right for left, right in zip(self.blocks, other.blocks, strict=True))
        )

    @property
    def blocks(self) -> tuple[Quantity, Quantity, Quantity]:
        """The blocks J, H and M of the 6 x 6 inertia [[J, H], [H^T, M]], angular before linear."""
        return self.rotational, self.coupling, self.translational

    def name(self, number: int) -> ArticulatedInertia:
        """Name the three blocks in generated code after body `number`, counted from 1."""
        return ArticulatedInertia(
            self.rotational.name(AJ(number)),
            self.coupling.name(AH(number)),
            self.translational.name(AM(number)),
        )

    def hand_on(
        self, body: ResolvedBody, relative: Quantity, unit: Quantity, mu: Quantity
    ) -> ArticulatedInertia:
        """Record I - U U^T / D, the inertia that a joint free to move transmits to the parent.

        `unit` is U, the wrench at a unit joint acceleration (moment before force). `relative` is U
        / D - z with the joint's screw z and the inertia D along the joint; `mu` is Ia / D, the
        share of the motor's inertia Ia in D. All values are in the axes of `body`, whose joint
        transmits the inertia, and about its origin.
        """
        arguments = body.angular, body.linear, *self.blocks, relative, unit, mu
        blocks = (handed_rotational, handed_coupling, handed_translational)
        return ArticulatedInertia(*(block(*arguments) for block in blocks))

    def release(self, unit: Wrench, relative: Wrench) -> ArticulatedInertia:
        """Record I - U U^T / D for a joint that the body carries in its cluster; I is `self`.

        Args:
            unit: the wrench U at a unit acceleration of that joint, in the axes of the body.
            relative: the quotient U / D with the pivot D, the inertia along that joint.
        """
        return ArticulatedInertia(
            tensor_less(self.rotational, unit.moment, relative.moment),
            matrix_less(self.coupling, unit.moment, relative.force),
            tensor_less(self.translational, unit.force, relative.force),
        )

    def carry_inward(self, body: ResolvedBody) -> ArticulatedInertia:
        """Record the inertia of `body` in the axes of its parent, about the parent's origin."""
        # In the body's axes; the second shift is in the parent's.
        on_axis = self._shift(along_axis(body.displacement))
        coupled = body.rotate_matrix_inward(on_axis.coupling)
        rotational, translational = (
            body.rotate_tensor_inward(on_axis.rotational),
            body.rotate_tensor_inward(on_axis.translational),
        )
        return ArticulatedInertia(rotational, coupled, translational)._shift(body.translation)

    def _shift(self, translation: Quantity) -> ArticulatedInertia:
        """Record the inertia about a new point; `translation` points from it to the origin (m)."""
        # The translational part is the same about all points.
        shifted = coupling_about(self.coupling, self.translational, translation)
        rotational = rotational_about(self.rotational, self.coupling, shifted, translation)
        return ArticulatedInertia(rotational, shifted, self.translational)


UN = Symbol(
    "un",
    "i",
    VECTOR,
    "moment on articulated body i for a unit acceleration of joint i (U)",
    source="Featherstone 2008, sec. 7.3",
)
UF = Symbol(
    "uf",
    "i",
    VECTOR,
    "force on articulated body i for a unit acceleration of joint i (U)",
    source="Featherstone 2008, sec. 7.3",
)
COLUMN_MOMENT = Symbol(
    "cun",
    "ji",
    VECTOR,
    "moment for a unit acceleration of joint j in its cluster, about the origin of body i",
)
COLUMN_FORCE = Symbol(
    "cuf",
    "ji",
    VECTOR,
    "force for a unit acceleration of joint j in its cluster, in the axes of body i",
)
MU = Symbol("mu", "i", SCALAR, "reflected inertia of motor i divided by pivot i")
UDN = Symbol(
    "udn",
    "i",
    VECTOR,
    "moment un_i divided by pivot i; minus the unit vector of joint axis i for a rotating joint",
)
UDF = Symbol(
    "udf",
    "i",
    VECTOR,
    "force uf_i divided by pivot i; minus the unit vector of joint axis i for a sliding joint",
)
U = Symbol(
    "u", "i", SCALAR, "force of joint i minus the force of joint i at zero joint accelerations"
)
DWD = Symbol(
    "dwd",
    "i",
    VECTOR,
    "angular acceleration of body i due to joint accelerations",
    "rad/s^2",
)
DA = Symbol(
    "da",
    "i",
    VECTOR,
    "acceleration of the origin of body i due to joint accelerations",
    "m/s^2",
)
DZ = Symbol(
    "dz",
    "i",
    SCALAR,
    "acceleration about (sliding joint: along) joint axis i due to joint accelerations",
)


@formula
def pivot(angular: Expr, linear: Expr, unit: Matrix, motor_inertia: Expr) -> Expr:
    """Return D = z.U + Ia, the inertia along a joint (Saha, eq. 26, plus Ia).

    `unit` is U, the wrench at a unit joint acceleration, moment before force. The joint's screw z
    has the parts `angular` about and `linear` along the z axis. Ia is the reflected
    `motor_inertia`.
    """
    return angular * unit[2] + linear * unit[5] + motor_inertia


@formula
def relative_wrench(
    angular: Expr, linear: Expr, unit: Matrix, reciprocal: Expr, mu: Expr
) -> Matrix:
    """Return E = U / D - z in the axes of the body, moment before force (Saha, eq. 27, has U / D).

    `unit` is the wrench U at a unit joint acceleration. The joint's screw z has the parts `angular`
    about and `linear` along the z axis. `reciprocal` is 1 / D with the inertia D along the joint;
    `mu` is Ia / D with the motor inertia Ia. Along the joint E has the component z.U / D - 1 = -mu.
    """
    return set_along(angular, linear, reciprocal * unit, -mu)


@formula
def handed_wrench(
    angular: Expr,
    linear: Expr,
    moment: Matrix,
    force: Matrix,
    relative: Matrix,
    mu: Expr,
    tau: Expr,
    u: Expr,
) -> Matrix:
    """Return p + U u / D: the wrench that a joint transmits while its parent does not accelerate.

    `moment` and `force` are p, the wrench on the body and all bodies that it carries at zero joint
    accelerations. `relative` is U / D - z with the joint's screw z (`angular` about and `linear`
    along the z axis), the wrench U at a unit joint acceleration and the inertia D along the joint.
    `mu` is Ia / D with the motor inertia Ia, and `u` is the joint force tau minus its value z.p at
    zero joint accelerations. Along the joint the result has the component tau - mu u (Saha, eq.
    13). The result contains the moment, then the force, in the axes of the body, about its origin.
    """
    return set_along(angular, linear, Matrix([*moment, *force]) + relative * u, tau - mu * u)


@formula
def linear_at(angular: Matrix, linear: Matrix, translation: Matrix) -> Matrix:
    """Return a + wd x r, the acceleration of a point r of a body without velocity (Saha, eq. 15).

    `angular` is wd, `linear` is a at the origin, `translation` is r (m), in axes of one body.
    """
    return linear + angular.cross(translation)


@formula
def addition_along_joint(
    alone: Expr, relative: Matrix, angular_part: Matrix, linear_part: Matrix
) -> Expr:
    """Return the added acceleration of the body along its joint: qdd + z.x = u / D - E.x.

    An added acceleration is caused by joint accelerations. The parent adds x at the body's origin,
    with the parts `angular_part` and `linear_part`, in the body's axes. z is the joint's screw, and
    `alone` is u / D, the result for x = 0, with the net joint force u and the inertia D along the
    joint. `relative` is the wrench E of `relative_wrench` (Saha, eq. 14).
    """
    return alone - relative.dot(Matrix([*angular_part, *linear_part]))


@formula
def joint_acceleration(
    along: Expr, angular: Expr, angular_part: Matrix, linear_part: Matrix
) -> Expr:
    """Return qdd: the added acceleration `along` of a body along its joint, minus its parent's.

    The joint rotates about z (`angular` is 1) or slides along z (0). The parent adds the
    accelerations `angular_part` and `linear_part` at the body's origin, in the axes of the body.
    """
    return along - (angular * angular_part[2] + (1 - angular) * linear_part[2])


@formula
def angular_addition(angular_part: Matrix, angular: Expr, along: Expr) -> Matrix:
    """Return the angular acceleration that joint accelerations add to a body, in its axes.

    `angular_part` is the angular acceleration that joint accelerations add to its parent, in the
    same axes. If the joint rotates (`angular` is 1), the z component is `along`, the acceleration
    added about the joint axis; else it is the z component of `angular_part`.
    """
    return Matrix(
        [angular_part[0], angular_part[1], angular * along + (1 - angular) * angular_part[2]]
    )


@formula
def linear_addition(
    linear_part: Matrix, angular: Expr, linear: Expr, along: Expr, acceleration: Expr
) -> Matrix:
    """Return the acceleration that joint accelerations add to a body's origin, in the body's axes.

    `linear_part` is this acceleration for a locked joint. If the joint rotates (`angular` is 1),
    its translation `linear` qdd is added along z, with qdd = `acceleration`; else the z component
    is `along`, the acceleration along the axis.
    """
    along_z = angular * (linear_part[2] + linear * acceleration) + (1 - angular) * along
    return Matrix([linear_part[0], linear_part[1], along_z])


@formula
def moment_added(moment: Matrix, unit: Matrix, alone: Expr) -> Matrix:
    """Return n + U u / D, the moment or force that a joint of a cluster transmits to the root.

    `moment` is n, the moment or force at zero joint acceleration; `unit` is the same part of the
    wrench U at a unit acceleration. `alone` is u / D: net joint force u, inertia D along the joint.
    """
    return moment + unit * alone


@formula
def less_addition(alone: Expr, relative: Matrix, motion: Matrix) -> Expr:
    """Return u / D - (U / D).x, a joint's acceleration without terms of joints nearer to the base.

    `alone` is u / D, with the net joint force u and the inertia D along the joint. `relative` is U
    / D with the wrench U at a unit joint acceleration. `motion` is the acceleration x of the
    cluster's root body, angular before linear.
    """
    return alone - relative.dot(motion)


@formula
def moved_along(vector: Matrix, share: Expr, acceleration: Expr) -> Matrix:
    """Return a body's acceleration plus `share` qdd z, with its joint's acceleration qdd.

    `vector` is an angular acceleration or the origin's acceleration, in the body's axes. `share` is
    the rotation about z, or the translation along z, per unit of the joint position.
    """
    return vector + Matrix([0, 0, share * acceleration])
