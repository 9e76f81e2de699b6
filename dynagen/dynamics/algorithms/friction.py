"""Joint friction: viscous and Coulomb friction, bearing friction, and losses of transmissions.

The models of bearings and transmissions are from Dhanaraj, "Parallel Processing of Manipulator
Dynamics Incorporating Frictional Effects", master's thesis, Memorial University of Newfoundland,
1990, chapter 3, Tables 3.1 and 3.2. Some signs in Table 3.1 are wrong; here, these signs follow
from the equilibrium of two supports. The loads of a bearing are linear in the wrench that the joint
transmits. This wrench is computed without friction, because joint friction does not change the
bearing loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from dynagen.dynamics.algorithms.efficiency import record_efficiency
from dynagen.dynamics.algorithms.external_wrenches import record_contacts
from dynagen.dynamics.algorithms.newton_euler import record_joint_loads
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody, sum_forces
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Abs, Expr, Matrix, Max, Min, exp, sign, sqrt, tanh
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.description import Bearing, Friction, Transmission
from dynagen.robot.model.model import Body, RobotModel


@formula
def journal_supports(
    coefficient: Expr, radius: Expr, length: Expr, centre: Expr, f: Matrix, n: Matrix
) -> Matrix:
    """Return the loads of a journal bearing's two supports, times friction coefficient and radius.

    Args:
        coefficient: coefficient of friction.
        radius: radius of the journal (m).
        length: distance between the two supports (m).
        centre: position of the middle between the supports on the z axis of the joint's body (m).
        f: force that the joint transmits (N); z is the joint axis.
        n: moment that the joint transmits, about the body's origin (N m).

    Returns:
        The x and y components for the first support, then for the second (N m), in the axes of f
        and n. Source: Dhanaraj 1990, Table 3.1, case 1.
    """
    # Moments about the centre of the bearing, then forces at the two supports.
    lever = coefficient * radius
    about_x, about_y = n[0] + centre * f[1], n[1] - centre * f[0]
    # Each support bears half of the force, and a couple for the moment.
    half_x, half_y = lever / 2 * f[0], lever / 2 * f[1]
    couple_x, couple_y = lever / length * about_y, lever / length * about_x
    return Matrix([half_x - couple_x, half_y + couple_y, half_x + couple_x, half_y - couple_y])


@formula
def journal_bearing(supports: Matrix) -> Expr:
    """Return the magnitude of a journal bearing's friction moment (N m): the sum over two supports.

    `supports` contains the x and y components of two moments, one for each support
    (`journal_supports`). Source: Dhanaraj 1990, Table 3.1, case 1.
    """
    first_x, first_y, second_x, second_y = supports
    return sqrt(first_x**2 + first_y**2) + sqrt(second_x**2 + second_y**2)


@formula
def linear_supports(length: Expr, centre: Expr, f: Matrix, n: Matrix) -> Matrix:
    """Return the loads from which the friction of a linear bearing's two supports is computed (N).

    The result is the force along x and the load due to the moment about y, then the force along y
    and the load due to the moment about x. The load due to a moment about the middle between the
    supports is the moment divided by half of `length`. Source: Dhanaraj 1990, Table 3.1, case 2.

    Args:
        length: distance between the two supports (m).
        centre: position of the middle between the supports on the z axis of the joint's body (m).
        f: force that the joint transmits (N), in the body axes.
        n: moment that the joint transmits, about the body's origin (N m), in the body axes.
    """
    about_x, about_y = n[0] + centre * f[1], n[1] - centre * f[0]
    per_length = 2 / length
    return Matrix([f[0], per_length * about_y, f[1], per_length * about_x])


@formula
def linear_bearing(coefficient: Expr, supports: Matrix) -> Expr:
    """Return the magnitude of a linear bearing's friction force (N).

    `coefficient` is the coefficient of friction, and `supports` the result of `linear_supports`: in
    each of two planes, the force x and the load y due to a moment. In a plane, the loads of the two
    supports have the sum |x - y| / 2 + |x + y| / 2 = max(|x|, |y|). Source: Dhanaraj 1990, Table
    3.1, case 2.
    """
    force_x, couple_y, force_y, couple_x = supports
    return coefficient * (Max(Abs(force_x), Abs(couple_y)) + Max(Abs(force_y), Abs(couple_x)))


@formula
def thrust_bearing(coefficient: Expr, radius: Expr, force: Expr) -> Expr:
    """Return coefficient * radius * |force|, the magnitude of a thrust bearing's friction (N m).

    `coefficient` is the coefficient of friction, `radius` the radius at which friction acts (m),
    and `force` the force along the joint axis (N). Source: Dhanaraj 1990, Table 3.1, case 3.
    """
    return coefficient * radius * Abs(force)


def record_supported_load(bearing: Bearing, body: ResolvedBody, wrench: Wrench) -> Quantity:
    """Record the loads that a bearing supports, from which its friction is computed.

    `wrench` is the wrench that the joint of `body` transmits, in the resolved axes of the body and
    about its origin. The result is the axial force (N) for a thrust bearing. For a journal bearing,
    it is the result of `journal_supports` (N m); for a linear bearing, the result of
    `linear_supports` (N).
    """
    match bearing.kind:
        case "journal":
            coefficient, radius, length, centre = (
                bearing.coefficient,
                bearing.radius,
                bearing.length,
                bearing.centre,
            )
            # The bearing is round, so its friction is the same in all axes turned about z.
            return journal_supports(
                coefficient, radius, length, centre, wrench.force, wrench.moment
            )
        case "thrust":
            return wrench.force[2]
        case "linear":
            # The sides of a rail are along x and y of the body axes.
            force, moment = body.to_body_axes(wrench.force), body.to_body_axes(wrench.moment)
            return linear_supports(bearing.length, bearing.centre, force, moment)


def record_bearing_friction(bearing: Bearing, supported: Quantity) -> Quantity:
    """Record the magnitude of a bearing's friction (N m or N), from the loads that it supports.

    `supported` contains these loads, as computed by `record_supported_load`.
    """
    match bearing.kind:
        case "journal":
            return journal_bearing(supported)
        case "thrust":
            return thrust_bearing(bearing.coefficient, bearing.radius, supported)
        case "linear":
            return linear_bearing(bearing.coefficient, supported)


FRICTIONLESS = Friction(viscous=ZERO, coulomb=ZERO)

DIR = Symbol(
    "dir",
    "i",
    SCALAR,
    "direction of joint i: the sign of its velocity, or its smooth replacement near rest",
)
JF = Symbol("jf", "i", SCALAR, "friction of joint i itself", "N m or N")
TF = Symbol("tf", "i", SCALAR, "friction of joint i and its transmission", "N m or N")


@formula
def sign_of_velocity(velocity: Expr) -> Expr:
    """Return the sign of a velocity: 1, -1, or 0 at rest."""
    return sign(velocity)


@formula
def smooth_sign(velocity: Expr, width: Expr) -> Expr:
    """Return tanh(velocity / width), a smooth approximation of the sign of a velocity.

    `width` has the unit of the velocity.
    """
    return tanh(velocity / width)


@formula
def banded_sign(velocity: Expr, width: Expr) -> Expr:
    """Return velocity / width, limited to -1 and 1: a continuous approximation of the sign.

    `width` has the unit of the velocity.
    """
    return Max(Min(velocity / width, 1), -1)


@formula
def coulomb_friction(direction: Expr, forward: Expr, backward: Expr) -> Expr:
    """Return Coulomb friction: `forward` in direction 1 and minus `backward` in direction -1.

    `forward` and `backward` are magnitudes (N m or N). `direction` is the sign of the joint
    velocity or a continuous approximation of the sign.
    """
    return direction * (forward + backward) / 2 + Abs(direction) * (forward - backward) / 2


@formula
def remaining_excess(velocity: Expr, width: Expr) -> Expr:
    """Return exp(-(velocity / width)^2), the weight of static friction in Stribeck friction.

    `width` is the Stribeck velocity, in the unit of `velocity`.
    """
    return exp(-((velocity / width) ** 2))


@formula
def static_friction(coulomb: Expr, direction: Expr, static: Expr, left: Expr) -> Expr:
    """Return Stribeck friction (N m or N; Armstrong-Helouvry and others, Automatica 30(7), 1994).

    The friction is coulomb + (static * direction - coulomb) * left. At rest `left` is 1, and the
    friction is static friction; at high velocity `left` is 0, and the friction is Coulomb friction.

    Args:
        coulomb: Coulomb friction, with its sign.
        direction: sign of the velocity, or a continuous approximation of the sign.
        static: magnitude of friction at rest.
        left: factor exp(-(velocity / Stribeck velocity)^2), from `remaining_excess`.
    """
    return coulomb + (static * direction - coulomb) * left


@formula
def viscous_friction(viscous: Expr, velocity: Expr, offset: Expr) -> Expr:
    """Return viscous friction plus a constant: viscous * velocity + offset (N m or N).

    `viscous` is the coefficient of viscous friction (N m s/rad or N s/m), `velocity` the joint
    velocity (rad/s or m/s), and `offset` a constant joint force.
    """
    return viscous * velocity + offset


@formula
def loss_by_output(efficiency: Expr) -> Expr:
    """Return 1/eta - 1, the loss of a transmission relative to its output if the motor drives.

    `efficiency` is eta, the output power divided by the input power (above 0, at most 1).
    """
    return (1 - efficiency) / efficiency


@formula
def transmission_loss(
    direction: Expr, output: Expr, efficiency: Expr, lost: Expr, breakaway: Expr
) -> Expr:
    """Return `direction` times the friction loss of a transmission (N m or N).

    The loss is |output| (1/eta - 1) if the motor drives and |output| (1 - eta) if it brakes, plus
    `breakaway`. For directions between -1 and 1, the first formula has the weight (1 + direction *
    sign(output)) / 2, and the second formula the remaining weight. Source: Dhanaraj 1990, Table
    3.2.

    Args:
        direction: sign of the joint velocity, or a continuous approximation of the sign.
        output: torque or force that the transmission drives (N m or N).
        efficiency: eta, the output power divided by the input power.
        lost: 1/eta - 1.
        breakaway: loss without load (N m or N).
    """
    # |output| (1/eta - 1) = lost |output|, and |output| (1 - eta) = lost eta |output|.
    twice = Abs(output) * (1 + efficiency) + direction * output * (1 - efficiency)
    return direction * (lost * twice / 2 + breakaway)


def depends_on_load(model: RobotModel) -> bool:
    """Return whether the friction of any joint depends on the wrench that the joint transmits."""
    return any(body.friction is not None and body.friction.depends_on_load for body in model.bodies)


def record_friction(recording: Recording) -> tuple[Quantity, ...]:
    """Record the friction torques (N m) or forces (N), one scalar for every joint velocity.

    Friction has the sign of the joint velocity, and is added to the joint forces of inverse
    dynamics.
    """
    bodies, velocities = recording.model.bodies, record_joint_velocities(recording)
    # Friction by velocity first: it needs no wrench, and the loads use the whole motion.
    directions, torques = [], []
    for index, body in enumerate(bodies):
        recording.begin_section(f"Friction by velocity, joint {index + 1} ({body.name})")
        directions.append(record_direction(index, body, velocities[index]))
        torques.append(
            _record_velocity_friction(
                body.friction or FRICTIONLESS, directions[-1], velocities[index]
            )
        )
    if not depends_on_load(recording.model):
        return _sum_friction(
            recording, [torque.name(JF(joint)) for joint, torque in enumerate(torques, start=1)]
        )
    # Only friction that depends on loads needs inverse dynamics.
    carried = _record_supported_loads(recording)
    for index, body in enumerate(bodies):
        friction = body.friction or FRICTIONLESS
        recording.begin_section(f"Friction, joint {index + 1} ({body.name})")
        *supported, given = carried[index]
        bearings = [
            record_bearing_friction(*each)
            for each in zip(friction.bearings, supported, strict=True)
        ]
        if bearings:
            # Bearing friction is a magnitude; it acts against the motion.
            torques[index] += directions[index] * reduce(add, bearings)
        torques[index] = torques[index].name(JF(index + 1))
        if friction.transmission is not None:
            # The transmission drives the joint's load and its friction.
            output = given + torques[index]
            loss = _record_transmission_loss(
                index, friction.transmission, directions[index], output
            )
            torques[index] = (torques[index] + loss).name(TF(index + 1))
    return _sum_friction(recording, torques)


def record_joint_velocities(recording: Recording) -> tuple[Quantity, ...]:
    """Record the velocities of all joints (rad/s or m/s), one scalar for each body.

    For floating and spherical joints the result is zero.
    """
    velocities, zero = recording.velocities, recording.add_constant(0)
    return tuple(
        _scale(body, body.joint.ratio, velocities[body.joint.idx_v])
        if body.joint.type.has_axis
        else zero
        for body in recording.model.bodies
    )


def record_friction_columns(recording: Recording) -> list[tuple[int, tuple[Quantity, ...]]]:
    """Record the derivatives of joint forces by the viscous and Coulomb friction coefficients.

    Returns:
        For every joint with one axis, the index of its velocity in the velocity vector, and two
        derivatives of the joint force: by the viscous coefficient, and by the Coulomb coefficient.
    """
    columns = []
    joints = zip(recording.model.bodies, record_joint_velocities(recording), strict=True)
    for index, (body, velocity) in enumerate(joints):
        if body.joint.type.has_axis:
            pair = velocity, record_direction(index, body, velocity)
            columns.append(
                (body.joint.idx_v, tuple(_scale(body, body.joint.ratio, each) for each in pair))
            )
    return columns


def _sum_friction(recording: Recording, torques: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Record the friction force for every entry of the velocity vector, from forces of joints.

    `torques` has the friction of each joint (N m or N). The friction of a mimicking joint, times
    its ratio, is added to the friction force of the joint that it follows.
    """
    joints = list(zip(recording.model.bodies, torques, strict=True))
    return sum_forces(
        recording,
        [(_scale(body, body.joint.ratio, each),) * len(body.entries) for body, each in joints],
    )


def _scale(body: Body, ratio: Exact, quantity: Quantity) -> Quantity:
    """Record `ratio` times a quantity if the joint is a mimicking one; else `quantity`."""
    return quantity * ratio if body.joint.mimics else quantity


def _record_supported_loads(recording: Recording) -> list[tuple[Quantity, ...]]:
    """Record for each joint the loads of its bearings, and last the load of its transmission.

    The loads of bearings are in the order of the bearings. The load of the transmission is the
    joint force without friction (N m or N), or zero for a joint without a transmission.
    """
    # Wrenches without friction; friction about an axis does not change them.
    loads = record_joint_loads(recording, recording.motion, record_contacts(recording))
    carried = []
    for body, load in zip(recording.bodies, loads, strict=True):
        friction = body.friction or FRICTIONLESS
        parts = [record_supported_load(bearing, body, load.wrench) for bearing in friction.bearings]
        given = recording.add_constant(0)
        if friction.transmission is not None:
            (along,) = body.project(load.wrench)
            # Force at the mimicking joint itself, not at the entry of v that it follows.
            given = _scale(body, body.joint.ratio.reciprocal(), along)
        carried.append((*parts, given))
    return carried


def record_direction(index: int, body: Body, velocity: Quantity) -> Quantity:
    """Record the sign of a joint's velocity, or a continuous approximation of the sign.

    `index` is the index of `body` in the model, and `velocity` the velocity of its joint (rad/s or
    m/s). The friction model of the body determines the formula.
    """
    friction = body.friction or FRICTIONLESS
    if friction.sign == "exact":
        direction = sign_of_velocity(velocity)
    else:
        direction = {"tanh": smooth_sign, "linear": banded_sign}[friction.sign](
            velocity, friction.width
        )
    return direction.name(DIR(index + 1))


def _record_velocity_friction(
    friction: Friction, direction: Quantity, velocity: Quantity
) -> Quantity:
    """Record the sum of viscous, Coulomb and static friction and the constant offset (N m or N).

    `velocity` is the joint velocity, and `direction` its sign or a continuous approximation of the
    sign (`record_direction`).
    """
    backward = friction.coulomb if friction.coulomb_negative is None else friction.coulomb_negative
    coulomb = coulomb_friction(direction, friction.coulomb, backward)
    if friction.stribeck is not None:
        left = remaining_excess(velocity, friction.stribeck.velocity)
        coulomb = static_friction(coulomb, direction, friction.stribeck.static, left)
    return viscous_friction(friction.viscous, velocity, friction.offset) + coulomb


def _record_transmission_loss(
    index: int, transmission: Transmission, direction: Quantity, output: Quantity
) -> Quantity:
    """Record the friction loss of a joint's transmission (N m or N) from its output.

    `direction` is the sign of the joint velocity, or a continuous approximation of the sign.
    `output` is the torque or force that the transmission drives.
    """
    efficiency = record_efficiency(index + 1, transmission, output)
    return transmission_loss(
        direction, output, efficiency, loss_by_output(efficiency), transmission.breakaway
    )
