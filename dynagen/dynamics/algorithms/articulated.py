"""The articulated-body algorithm (ABA): joint accelerations in O(n) operations.

R. Featherstone, "The Calculation of Robot Dynamics Using Articulated-Body Inertias", Int. J.
Robotics Research 2(1), 1983; S. K. Saha, "Simulation of Industrial Manipulators Based on the UDU^T
Decomposition of Inertia Matrix", Multibody System Dynamics 9, 2003, section 2 and appendix B. U, u
and D are as in Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3. Saha writes psi
for U / D, eta for the handed wrench and mu for the added acceleration. The inertia I of an
articulated body, whose outer joints are free, is represented by 3 x 3 blocks. Two changes save
operations:

- The sweep starts from the motion without joint accelerations. So gravity and velocities enter by
  the Newton-Euler recursion alone. The outward half carries only the accelerations that the joints
  add.
- Along its axis a joint transmits only the load of its motor's inertia Ia. There I - U U^T / D and
  p + U u / D are mu U and tau - mu u with mu = Ia / D, since z.U = D - Ia. Without a motor they are
  0 and tau, and cost no operation.

Wrenches of six components are moment, then force; motions are angular, then linear acceleration.
All vectors of a formula are in the axes of one body.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix, collect, expand

from dynagen.dynamics.algorithms.external_wrenches import Contacts
from dynagen.dynamics.algorithms.factorisation import record_reciprocal, solve
from dynagen.dynamics.algorithms.frames import ANGULAR, LINEAR
from dynagen.dynamics.algorithms.newton_euler import F, N, record_body_motions, record_body_wrench
from dynagen.dynamics.algorithms.recording import JointMotion, Recording, ResolvedBody, Wrench
from dynagen.dynamics.algorithms.rotations import along_axis, unpack
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.ir.symbols import MATRIX, SCALAR, TENSOR, VECTOR, Name, Symbol
from dynagen.robot.model.model import BASE

AJ = Symbol(
    "aj",
    "i",
    TENSOR,
    "articulated inertia of body i: moment aj wd of an angular acceleration wd",
    source="Featherstone 1983",
)
AH = Symbol(
    "ah",
    "i",
    MATRIX,
    "coupling in the articulated inertia of body i: moment ah a of an acceleration a",
    source="Featherstone 1983",
)
AM = Symbol(
    "am",
    "i",
    TENSOR,
    "articulated mass of body i: force am a of an acceleration a",
    source="Featherstone 1983",
)


def _spatial(rotational: Matrix, coupled: Matrix, translational: Matrix) -> Matrix:
    """Return the articulated inertia as a symmetric 6 x 6 matrix."""
    return Matrix([[unpack(rotational), coupled], [coupled.T, unpack(translational)]])


def _elements(matrix: Matrix) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return Matrix([matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


def set_along(angular: Expr, linear: Expr, wrench: Matrix, along: Expr) -> Matrix:
    """Return a wrench (n, f) changed so that angular n_z + linear f_z = along.

    A joint that rotates (angular = 1) gets a new n_z, one that only slides (angular = 0, linear =
    1) a new f_z. The other five components remain.
    """
    # Angular is 0 or 1: the passes choose the case. A difference would cancel digits of `along`.
    fz = angular * wrench[5] + (1 - angular) * along
    nz = angular * (along - linear * fz) + (1 - angular) * wrench[2]
    return Matrix([wrench[0], wrench[1], nz, wrench[3], wrench[4], fz])


@formula
def base_inertia(rotational: Matrix, coupled: Matrix, translational: Matrix) -> Matrix:
    """Return [[M, H^T], [H, J]], the 6 x 6 inertia of a floating base, linear before angular."""
    return Matrix([[unpack(translational), coupled.T], [coupled, unpack(rotational)]])


@formula
def coupling(first_moment: Matrix) -> Matrix:
    """Return H = [s x] of a rigid body: H a is the moment of an acceleration a of its origin."""
    return first_moment.hat()


@formula
def mass_block(mass: Expr) -> Matrix:
    """Return the elements xx, yy, zz, xy, xz, yz of M = m 1, the mass block of a rigid body."""
    return Matrix([mass, mass, mass, 0, 0, 0])


@formula
def unit_wrench(
    angular: Expr, linear: Expr, rotational: Matrix, coupled: Matrix, translational: Matrix
) -> Matrix:
    """Return U = I z, the wrench at a unit joint acceleration; I is J, H, M (Saha, eq. 26)."""
    return _spatial(rotational, coupled, translational) * Matrix([0, 0, angular, 0, 0, linear])


def _handed_inertia(
    angular: Expr,
    linear: Expr,
    inertia: tuple[Matrix, Matrix, Matrix],
    relative: Matrix,
    unit: Matrix,
    mu: Expr,
) -> Matrix:
    """Return the inertia that the joint transmits to the parent: I - U U^T / D (Saha, eq. 28).

    It is I - E U^T - z U^T with E = U / D - z (`relative`), U (`unit`) and mu = Ia / D. I is J, H,
    M. Its rows and columns along the joint are mu U.
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
    """Return the block J of I - U U^T / D, from the blocks j, h, m of I, e = E and u = U."""
    return _elements(_handed_inertia(angular, linear, (j, h, m), e, u, mu)[:3, :3])


@formula
def handed_coupling(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """Return the block H of I - U U^T / D, from the blocks j, h, m of I, e = E and u = U."""
    return _handed_inertia(angular, linear, (j, h, m), e, u, mu)[:3, 3:]


@formula
def handed_translational(
    angular: Expr, linear: Expr, j: Matrix, h: Matrix, m: Matrix, e: Matrix, u: Matrix, mu: Expr
) -> Matrix:
    """Return the block M of I - U U^T / D, from the blocks j, h, m of I, e = E and u = U."""
    return _elements(_handed_inertia(angular, linear, (j, h, m), e, u, mu)[3:, 3:])


@formula
def coupling_about(coupled: Matrix, translational: Matrix, r: Matrix) -> Matrix:
    """Return H + r x M: the coupling about a point from which the old origin lies at r."""
    return coupled + r.hat() * unpack(translational)


@formula
def rotational_about(rotational: Matrix, coupled: Matrix, shifted: Matrix, r: Matrix) -> Matrix:
    """Return J - H [r x] + [r x] H'^T with H' = H + r x M, about a point as in `coupling_about`."""
    # Terms are collected by the components of r: one product for every component and element.
    moved = _elements(unpack(rotational) - coupled * r.hat() + r.hat() * shifted.T)
    return moved.applyfunc(lambda element: collect(expand(element), list(r)))


@dataclass(frozen=True)
class ArticulatedInertia:
    """The inertia of the moment J wd + H a and the force H^T wd + M a, about the body's origin.

    Attributes:
        rotational: J, elements xx, yy, zz, xy, xz, yz of a symmetric tensor, in the body's axes.
        coupling: H, 3 x 3.
        translational: M, a symmetric tensor like J.
    """

    rotational: Quantity
    coupling: Quantity
    translational: Quantity

    @classmethod
    def record_body(cls, body: ResolvedBody) -> ArticulatedInertia:
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
        """Record I - U U^T / D, which a body's free joint transmits, in the body's axes."""
        arguments = body.angular, body.linear, *self.blocks, relative, unit, mu
        blocks = (handed_rotational, handed_coupling, handed_translational)
        return ArticulatedInertia(*(block(*arguments) for block in blocks))

    def carry_inward(self, body: ResolvedBody) -> ArticulatedInertia:
        """Record the inertia in the parent's axes, about the parent's origin."""
        # In the body's axes; the second shift is in the parent's.
        on_axis = self._shift(along_axis(body.displacement))
        coupled = body.rotate_matrix_inward(on_axis.coupling)
        rotational, translational = (
            body.rotate_tensor_inward(on_axis.rotational),
            body.rotate_tensor_inward(on_axis.translational),
        )
        return ArticulatedInertia(rotational, coupled, translational)._shift(body.translation)

    def _shift(self, translation: Quantity) -> ArticulatedInertia:
        """Record the inertia about a point from which its origin lies at a translation."""
        # The translational part is the same about all points.
        shifted = coupling_about(self.coupling, self.translational, translation)
        rotational = rotational_about(self.rotational, self.coupling, shifted, translation)
        return ArticulatedInertia(rotational, shifted, self.translational)


UN = Symbol(
    "un",
    "i",
    VECTOR,
    "moment of articulated body i at a unit acceleration of joint i (U)",
    source="Featherstone 2008, sec. 7.3",
)
UF = Symbol(
    "uf",
    "i",
    VECTOR,
    "force of articulated body i at a unit acceleration of joint i (U)",
    source="Featherstone 2008, sec. 7.3",
)
MU = Symbol("mu", "i", SCALAR, "reflected inertia of motor i over pivot i")
UDN = Symbol(
    "udn",
    "i",
    VECTOR,
    "moment U of body i over pivot i; component along a rotating joint: -mu of the motor",
)
UDF = Symbol(
    "udf",
    "i",
    VECTOR,
    "force U of body i over pivot i; component along a sliding joint: -mu of the motor",
)
U = Symbol("u", "i", SCALAR, "force of joint i minus its force at zero joint accelerations")
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
    "acceleration about joint axis i (along it for a sliding joint) due to joint accelerations",
)


@formula
def pivot(angular: Expr, linear: Expr, unit: Matrix, motor_inertia: Expr) -> Expr:
    """Return D = z.U + Ia, the inertia along the joint: U is `unit` (Saha, eq. 26, plus Ia)."""
    return angular * unit[2] + linear * unit[5] + motor_inertia


@formula
def relative_wrench(
    angular: Expr, linear: Expr, unit: Matrix, reciprocal: Expr, mu: Expr
) -> Matrix:
    """Return E = U / D - z in the axes of the body, moment before force (U / D: Saha, eq. 27).

    `unit` is U, `reciprocal` 1 / D, and `mu` Ia / D. Along the joint E is z.U / D - 1 = -mu.
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

    `moment` and `force` are p, of the body and all that it carries at zero joint accelerations.
    `relative` is E = U / D - z, `mu` Ia / D, and u = tau - z.p. Its component along the joint is
    tau - mu u (Saha, eq. 13). The result is moment, then force, in the axes of the body.
    """
    return set_along(angular, linear, Matrix([*moment, *force]) + relative * u, tau - mu * u)


@formula
def linear_at(angular: Matrix, linear: Matrix, translation: Matrix) -> Matrix:
    """Return a + wd x r of the point at r: a is `linear`, wd is `angular` (Saha, eq. 15)."""
    return linear + angular.cross(translation)


@formula
def addition_along_joint(
    alone: Expr, relative: Matrix, angular_part: Matrix, linear_part: Matrix
) -> Expr:
    """Return the acceleration that is added along the joint: qdd + z.x = u / D - E.x.

    `alone` is u / D and `relative` E. x = (dwd, da), the acceleration that the parent adds, is
    `angular_part` and `linear_part` (Saha, eq. 14: qdd = u / D - psi.x).
    """
    return alone - relative.dot(Matrix([*angular_part, *linear_part]))


@formula
def joint_acceleration(
    along: Expr, angular: Expr, angular_part: Matrix, linear_part: Matrix
) -> Expr:
    """Return qdd: the acceleration `along` the joint minus the part that the parent adds, z.x."""
    return along - (angular * angular_part[2] + (1 - angular) * linear_part[2])


@formula
def angular_addition(angular_part: Matrix, angular: Expr, along: Expr) -> Matrix:
    """Return dwd of a body: the parent's `angular_part`; if the joint rotates, z is `along`."""
    return Matrix(
        [angular_part[0], angular_part[1], angular * along + (1 - angular) * angular_part[2]]
    )


@formula
def linear_addition(
    linear_part: Matrix, angular: Expr, linear: Expr, along: Expr, acceleration: Expr
) -> Matrix:
    """Return da of a body: `linear_part` + linear qdd z; if the joint only slides, z is `along`."""
    along_z = angular * (linear_part[2] + linear * acceleration) + (1 - angular) * along
    return Matrix([linear_part[0], linear_part[1], along_z])


@dataclass(frozen=True)
class _Load:
    """Load of a body, or the load that its joint transmits to the parent.

    Attributes:
        wrench: while no joint accelerates, about the origin.
        inertia: articulated inertia, for the accelerations that are added.
    """

    wrench: Wrench
    inertia: ArticulatedInertia


@dataclass(frozen=True)
class _Joint:
    """Acceleration of a joint as a linear function of the acceleration that its parent adds.

    Attributes:
        alone: u / D, the acceleration if the parent adds nothing.
        relative: E (`relative_wrench`).
    """

    alone: Quantity
    relative: Quantity


def record_articulated_bodies(
    recording: Recording, motion: JointMotion, forces: tuple[Quantity, ...], contacts: Contacts
) -> tuple[Quantity, ...]:
    """Record forward dynamics; for a robot with a floating base relative to free fall.

    Args:
        recording: recording of the function for the robot.
        motion: without joint accelerations (`frames.make_fall_motion`).
        forces: joint forces (N m or N), one for every entry of v.
        contacts: external wrenches on bodies, in the axes and about the origin of each.

    Returns:
        Joint accelerations (rad/s^2 or m/s^2), one scalar for every entry of v.
    """
    motions = record_body_motions(recording, motion)
    joints: dict[int, _Joint] = {}
    base: tuple[Quantity, ...] = ()
    carried: list[list[_Load]] = [[] for _ in recording.bodies]
    # From the tips to the base: an articulated inertia contains all bodies beyond the joint.
    for body in reversed(recording.bodies):
        body.begin_section("Inward, body")
        wrench = record_body_wrench(body, motions[body.index], contacts)
        load = _Load(wrench, ArticulatedInertia.record_body(body))
        for child in carried[body.index]:
            # The children's loads are in this body's axes, about its origin.
            load = _Load(load.wrench + child.wrench, load.inertia + child.inertia)
        if body.is_free:
            base = _record_base_acceleration(body, load, forces)
            continue
        joints[body.index], handed = _release(body, load, forces[body.entry])
        if body.parent != BASE:
            carried[body.parent].append(
                _Load(body.carry_inward(handed.wrench), handed.inertia.carry_inward(body))
            )
    return _record_joint_accelerations(recording, joints, base)


def _record_base_acceleration(
    body: ResolvedBody, load: _Load, forces: tuple[Quantity, ...]
) -> tuple[Quantity, ...]:
    """Record the acceleration of a floating base in its axes, linear and angular."""
    wrench = load.wrench.name(F(body.number), N(body.number))
    net = [
        forces[entry] - along
        for entry, along in zip(body.entries, body.project(wrench), strict=True)
    ]
    # Linear before angular, as in v: the order of `body.project`.
    matrix = base_inertia(*load.inertia.name(body.number).blocks)
    elements = {divmod(place, len(net)): element for place, element in enumerate(matrix)}
    return solve(body.recorder, [body.name] * len(net), elements, net)


def _release(body: ResolvedBody, load: _Load, tau: Quantity) -> tuple[_Joint, _Load]:
    """Record the acceleration of a joint under its force, and the load that it transmits."""
    i, angular, linear = body.number, body.angular, body.linear
    (pivot_number,) = body.numbers
    wrench, inertia = load.wrench.name(F(i), N(i)), load.inertia.name(i)
    motor_inertia = body.recorder.add_constant(body.motor_inertia)
    unit = _name_halves(unit_wrench(angular, linear, *inertia.blocks), UN(i), UF(i))  # U
    inverse = record_reciprocal(
        body.recorder, pivot_number, pivot(angular, linear, unit, motor_inertia)
    )  # 1 / D
    # z.U / D = 1 - mu. Without a motor mu is 0 and the passes remove its terms.
    mu = (motor_inertia * inverse).name(MU(i))
    relative = _name_halves(
        relative_wrench(angular, linear, unit, inverse, mu), UDN(i), UDF(i)
    )  # E = U / D - z
    (along,) = body.project(wrench)
    # u = tau - z.p, with the wrench p of zero joint accelerations (Saha, eq. 12).
    u = (tau - along).name(U(i))
    # p + U u / D in the body's axes, about its origin (Featherstone 2008, section 7.3).
    handed = handed_wrench(angular, linear, wrench.moment, wrench.force, relative, mu, tau, u)
    handed_load = _Load(Wrench(handed[3:], handed[:3]), inertia.hand_on(body, relative, unit, mu))
    return _Joint(inverse * u, relative), handed_load


def _record_joint_accelerations(
    recording: Recording, joints: dict[int, _Joint], base: tuple[Quantity, ...]
) -> tuple[Quantity, ...]:
    """Record joint accelerations outward, with the accelerations that they add to bodies."""
    zero = recording.add_constant(0, 0, 0)
    # Angular and linear acceleration that is added to each body, in its axes.
    added = {BASE: (zero, zero)}
    accelerations: list[Quantity] = []
    for body in recording.bodies:
        if body.is_free:
            added[body.index] = join(base[ANGULAR]), join(base[LINEAR])
            accelerations += base
            continue
        body.begin_section("Joint accelerations outward, body")
        i, joint, angular, linear = body.number, joints[body.index], body.angular, body.linear
        dwd, da = added[body.parent]
        # The acceleration that the body's origin has if the joint is locked: a + wd x r, in two
        # steps. The first is in the parent's axes, the second in the body's.
        da = body.rotate_outward(linear_at(dwd, da, body.translation))
        dwd = body.rotate_outward(dwd)
        da = linear_at(dwd, da, along_axis(body.displacement))
        along = addition_along_joint(joint.alone, joint.relative, dwd, da).name(DZ(i))
        # z.x is the acceleration that the parent already adds along the joint.
        qdd = joint_acceleration(along, angular, dwd, da)
        accelerations.append(qdd)
        added[body.index] = (
            angular_addition(dwd, angular, along).name(DWD(i)),
            linear_addition(da, angular, linear, along, qdd).name(DA(i)),
        )
    return tuple(accelerations)


def _name_halves(wrench: Quantity, moment: Name, force: Name) -> Quantity:
    """Name the moment and the force of a wrench of six components."""
    return join((wrench[:3].name(moment), wrench[3:].name(force)))
