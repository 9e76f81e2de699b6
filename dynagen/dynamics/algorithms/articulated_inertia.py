"""Articulated inertias: the inertia of a body whose outer joints are free.

The inertia I of an articulated body is represented by 3 x 3 blocks J, H and M. At an angular
acceleration wd and an acceleration a of the origin, the moment is J wd + H a, and the force is H^T
wd + M a. Wrenches of six components contain the moment, then the force. All vectors of a formula
are in the axes of one body. The symbols U and D are from Featherstone, "Rigid Body Dynamics
Algorithms", 2008, section 7.3. Equations are cited from Saha, "Simulation of Industrial
Manipulators Based on the UDU^T Decomposition of Inertia Matrix", Multibody System Dynamics 9, 2003,
section 2 and appendix B.

A joint with the screw z transmits the inertia I - U U^T / D to the parent. U = I z is the wrench at
a unit joint acceleration, and D = z.U + Ia the inertia along the joint with the reflected inertia
Ia of its motor. The row and the column of the transmitted inertia along the joint axis are mu U
with mu = Ia / D. They are zero without a motor.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.dynamics.algorithms.mass_matrix import Composite
from dynagen.dynamics.algorithms.recording import ResolvedBody
from dynagen.dynamics.algorithms.rotations import along_axis, unpack
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix, collect, expand
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
    """Return the 6 x 6 inertia [[J, H], [H^T, M]], angular before linear."""
    return Matrix([[unpack(rotational), coupled], [coupled.T, unpack(translational)]])


def _elements(matrix: Matrix) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return Matrix([matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


def set_along(angular: Expr, linear: Expr, wrench: Matrix, along: Expr) -> Matrix:
    """Return a wrench (moment n, force f) with its component along a joint set to `along`.

    The component along the joint is angular n_z + linear f_z. For a joint that rotates (angular =
    1) only n_z changes; for a joint that only slides (angular = 0, linear = 1) only f_z changes.
    """
    # Angular is 0 or 1: the passes choose the case. A difference would cancel digits of `along`.
    fz = angular * wrench[5] + (1 - angular) * along
    nz = angular * (along - linear * fz) + (1 - angular) * wrench[2]
    return Matrix([wrench[0], wrench[1], nz, wrench[3], wrench[4], fz])


@formula
def base_inertia(rotational: Matrix, coupled: Matrix, translational: Matrix) -> Matrix:
    """Return the 6 x 6 inertia [[M, H^T], [H, J]] of a floating base, linear before angular.

    The arguments are the block J (elements xx, yy, zz, xy, xz, yz), the 3 x 3 block H, and the
    block M (elements as for J), in the axes of the base.
    """
    return Matrix([[unpack(translational), coupled.T], [coupled, unpack(rotational)]])


@formula
def coupling(first_moment: Matrix) -> Matrix:
    """Return the 3 x 3 block H of a rigid body's inertia, from the first moment s (kg m).

    H a is the moment cross(s, a) about the body's origin at an acceleration a of the origin.
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

    The joint's screw z is the rotation `angular` about and the translation `linear` along the z
    axis. The inertia I has the blocks J (`rotational`), H (`coupled`) and M (`translational`).
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

    The joint's screw z is the rotation `angular` about and the translation `linear` along the z
    axis. `inertia` has the blocks J, H and M of I = [J H; H^T M]. `unit` is U = I z, and `relative`
    is U / D - z with the inertia D along the joint. `mu` is Ia / D with the motor's inertia Ia.
    """
    handed = _spatial(*inertia) - relative * unit.T
    # `set_along` replaces the term z U^T. Twice: first the columns, then (transposed) the rows.
    for _ in range(2):
        columns = (
            set_along(angular, linear, handed[:, index], mu * unit[index]) for index in range(6)
        )
        handed = Matrix([list(column) for column in columns])
    return handed


@formula
def handed_rotational(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """Return block J (xx, yy, zz, xy, xz, yz) of the inertia I - U U^T / D that a joint transmits.

    `u` is U = I z, and `e` is U / D - z: z is the joint's screw (`angular`, `linear`), and D the
    inertia along it. I = [J H; H^T M] has the blocks `j`, `h`, `m`; `mu` is motor inertia / D.
    """
    return _elements(_handed_inertia(angular, linear, (j, h, m), e, u, mu)[:3, :3])


@formula
def handed_coupling(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """Return the 3 x 3 block H of the inertia I - U U^T / D that a joint transmits to its parent.

    `u` is U = I z, and `e` is U / D - z: z is the joint's screw (`angular`, `linear`), and D the
    inertia along it. I = [J H; H^T M] has the blocks `j`, `h`, `m`; `mu` is motor inertia / D.
    """
    return _handed_inertia(angular, linear, (j, h, m), e, u, mu)[:3, 3:]


@formula
def handed_translational(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """Return block M (xx, yy, zz, xy, xz, yz) of the inertia I - U U^T / D that a joint transmits.

    `u` is U = I z, and `e` is U / D - z: z is the joint's screw (`angular`, `linear`), and D the
    inertia along it. I = [J H; H^T M] has the blocks `j`, `h`, `m`; `mu` is motor inertia / D.
    """
    return _elements(_handed_inertia(angular, linear, (j, h, m), e, u, mu)[3:, 3:])


@formula
def coupling_about(coupled: Matrix, translational: Matrix, r: Matrix) -> Matrix:
    """Return H + [r x] M, the 3 x 3 coupling block of an inertia about a new point.

    H (`coupled`) is about the old origin, M (`translational`) has the elements xx, yy, zz, xy, xz,
    yz, and r (m) points from the new point to the old origin.
    """
    return coupled + r.hat() * unpack(translational)


@formula
def rotational_about(rotational: Matrix, coupled: Matrix, shifted: Matrix, r: Matrix) -> Matrix:
    """Return J - H [r x] + [r x] H'^T, the block J about a new point.

    J (`rotational`) and the result have the elements xx, yy, zz, xy, xz, yz. H (`coupled`) is about
    the old origin, H' (`shifted`) about the new point. r (m) points from this point to the old
    origin.
    """
    # Terms are collected by the components of r: one product for every component and element.
    moved = _elements(unpack(rotational) - coupled * r.hat() + r.hat() * shifted.T)
    return moved.applyfunc(lambda element: collect(expand(element), list(r)))


@formula
def tensor_less(tensor: Matrix, vector: Matrix, parallel: Matrix) -> Matrix:
    """Return a symmetric tensor minus u v^T, with parallel vectors u (`vector`) and v (`parallel`).

    The tensors are given by the elements xx, yy, zz, xy, xz, yz.
    """
    return tensor - _elements(vector * parallel.T)


@formula
def matrix_less(matrix: Matrix, column: Matrix, row: Matrix) -> Matrix:
    """Return a 3 x 3 matrix minus the product u v^T, with u = `column` and v = `row`."""
    return matrix - column * row.T


@dataclass(frozen=True)
class ArticulatedInertia:
    """Articulated inertia, about the origin of a body: moment J wd + H a, force H^T wd + M a.

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
        """Record the inertia of a rigid composite body."""
        return cls(whole.inertia, coupling(whole.first_moment), mass_block(whole.mass))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            *(left + right for left, right in zip(self.blocks, other.blocks, strict=True))
        )

    @property
    def blocks(self) -> tuple[Quantity, Quantity, Quantity]:
        """The blocks J (`rotational`), H (`coupling`) and M (`translational`)."""
        return self.rotational, self.coupling, self.translational

    def name(self, number: int) -> ArticulatedInertia:
        """Name the three blocks in generated code after the number of a body (from 1)."""
        return ArticulatedInertia(
            self.rotational.name(AJ(number)),
            self.coupling.name(AH(number)),
            self.translational.name(AM(number)),
        )

    def hand_on(
        self, body: ResolvedBody, relative: Quantity, unit: Quantity, mu: Quantity
    ) -> ArticulatedInertia:
        """Record I - U U^T / D, the inertia that the joint of `body` transmits to the parent.

        I is `self`. `unit` is U, the wrench at a unit joint acceleration. `relative` is U / D - z,
        with the joint's screw z and the inertia D along the joint. `mu` is Ia / D, with the motor's
        inertia Ia.
        """
        arguments = body.angular, body.linear, *self.blocks, relative, unit, mu
        blocks = (handed_rotational, handed_coupling, handed_translational)
        return ArticulatedInertia(*(block(*arguments) for block in blocks))

    def release(self, unit: Wrench, relative: Wrench) -> ArticulatedInertia:
        """Record I - U U^T / D, the inertia after a joint beyond the body is released.

        `unit` is U, the wrench at a unit acceleration of that joint, in the axes of the body.
        `relative` is U / D with the inertia D along that joint.
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
        """Record the inertia about a point; `translation` points from it to the origin (m)."""
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
    is the rotation `angular` about and the translation `linear` along the z axis.
    """
    return angular * unit[2] + linear * unit[5] + motor_inertia


@formula
def relative_wrench(
    angular: Expr, linear: Expr, unit: Matrix, reciprocal: Expr, mu: Expr
) -> Matrix:
    """Return E = U / D - z in the axes of the body, moment before force (compare Saha, eq. 27).

    The joint's screw z is the rotation `angular` about and the translation `linear` along the z
    axis. `unit` is the wrench U at a unit joint acceleration. `reciprocal` is 1 / D with the
    inertia D along the joint. `mu` is Ia / D with the motor's inertia Ia; the component of E along
    the joint is -mu.
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

    The result (moment, force) is in the axes of the body, about its origin. Its component along the
    joint is tau - mu u (Saha, eq. 13).

    Args:
        angular: rotation about the z axis in the joint's screw z.
        linear: translation along the z axis in the joint's screw z.
        moment: moment of the wrench p at zero joint accelerations.
        force: force of the wrench p.
        relative: U / D - z, with the wrench U at a unit joint acceleration and the inertia D.
        mu: Ia / D, with the motor's inertia Ia.
        tau: joint force.
        u: tau minus the joint force z.p at zero joint accelerations.
    """
    return set_along(angular, linear, Matrix([*moment, *force]) + relative * u, tau - mu * u)


@formula
def linear_at(angular: Matrix, linear: Matrix, translation: Matrix) -> Matrix:
    """Return a + cross(wd, r), the acceleration of a point r of a body without velocity.

    The formula is eq. 15 of Saha. `angular` is wd, `linear` is the acceleration a of the origin,
    and `translation` is r (m).
    """
    return linear + angular.cross(translation)


@formula
def addition_along_joint(
    alone: Expr, relative: Matrix, angular_part: Matrix, linear_part: Matrix
) -> Expr:
    """Return u / D - E.x, the acceleration of a body along its joint due to joint accelerations.

    `alone` is u / D, the result for x = 0. `relative` is E, from `relative_wrench` (Saha, eq. 14).
    x (`angular_part`, `linear_part`) is the body's acceleration for a locked joint, in its axes.
    """
    return alone - relative.dot(Matrix([*angular_part, *linear_part]))


@formula
def joint_acceleration(
    along: Expr, angular: Expr, angular_part: Matrix, linear_part: Matrix
) -> Expr:
    """Return qdd: a body's acceleration `along` its joint minus that with the joint locked.

    The joint rotates about z (`angular` is 1) or slides along z (0). `angular_part` and
    `linear_part` are the acceleration of the body for a locked joint, in its axes.
    """
    return along - (angular * angular_part[2] + (1 - angular) * linear_part[2])


@formula
def angular_addition(angular_part: Matrix, angular: Expr, along: Expr) -> Matrix:
    """Return the angular acceleration of a body due to joint accelerations, in its axes.

    `angular_part` is this acceleration for a locked joint. If the joint rotates (`angular` is 1),
    the z component is `along` instead: the acceleration of the body along the joint.
    """
    return Matrix(
        [angular_part[0], angular_part[1], angular * along + (1 - angular) * angular_part[2]]
    )


@formula
def linear_addition(
    linear_part: Matrix, angular: Expr, linear: Expr, along: Expr, acceleration: Expr
) -> Matrix:
    """Return the acceleration of a body's origin due to joint accelerations, in the body's axes.

    `linear_part` is this acceleration for a locked joint. A joint that rotates (`angular` is 1)
    adds `linear` * `acceleration` along z: its translation per unit of its position, times qdd. For
    a joint that only slides, `along`, the acceleration along the joint, replaces the z component.
    """
    along_z = angular * (linear_part[2] + linear * acceleration) + (1 - angular) * along
    return Matrix([linear_part[0], linear_part[1], along_z])


@formula
def moment_added(moment: Matrix, unit: Matrix, alone: Expr) -> Matrix:
    """Return n + U u / D, the moment (or force) on a body after a joint beyond it is released.

    `moment` is n, which acts while the joint is locked. `unit` is U, the moment (or force) at unit
    joint acceleration. `alone` is u / D, the joint acceleration if the body does not accelerate.
    """
    return moment + unit * alone


@formula
def less_addition(alone: Expr, relative: Matrix, motion: Matrix) -> Expr:
    """Return u / D - (U / D).x, a joint's acceleration without terms of joints nearer to the base.

    `alone` is u / D and `relative` is U / D: u is the joint force minus its value at zero joint
    accelerations, U the wrench at a unit joint acceleration, D the inertia along the joint.
    `motion` is x, the acceleration of the body that carries the joints, angular before linear.
    """
    return alone - relative.dot(motion)


@formula
def moved_along(vector: Matrix, share: Expr, acceleration: Expr) -> Matrix:
    """Return an acceleration of a body plus `share` qdd z, the part due to its joint.

    `vector` is the angular acceleration or the origin's acceleration for a locked joint, in the
    body's axes. `share` is the rotation about z, or the translation along z, per unit of the joint
    position. `acceleration` is qdd.
    """
    return vector + Matrix([0, 0, share * acceleration])
