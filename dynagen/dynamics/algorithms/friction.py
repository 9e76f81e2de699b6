"""Joint friction: its description, velocity and load of every joint -> the torque or force of friction.

Transmissions follow C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng.
thesis, Memorial University of Newfoundland, 1990, chapter 3. Reaction forces are computed without friction, as friction
about an axis does not change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from sympy import Abs, Expr, Max, Min, exp, sign, tanh

from dynagen.dynamics.algorithms.bearings import record_bearing_friction, record_supported_load
from dynagen.dynamics.algorithms.contact import record_contacts
from dynagen.dynamics.algorithms.coordinates import sum_forces
from dynagen.dynamics.algorithms.interpolation import split_curve
from dynagen.dynamics.algorithms.newton_euler import record_joint_loads
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording.formula import Quantity, formula
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.description import Friction, Transmission
from dynagen.robot.model.model import Body, RobotModel

FRICTIONLESS = Friction(viscous=ZERO, coulomb=ZERO)

DIR = Symbol(
    "dir",
    "i",
    SCALAR,
    "direction in which joint i moves: the sign of its rate, or what stands for it near rest",
)
JF = Symbol("jf", "i", SCALAR, "friction of joint i itself", "N m or N")
EFF = Symbol("eff", "i", SCALAR, "efficiency of the transmission of joint i")
TF = Symbol("tf", "i", SCALAR, "friction of joint i and its transmission", "N m or N")


@formula
def sign_of_velocity(velocity: Expr) -> Expr:
    """The sign of a velocity; zero at rest."""
    return sign(velocity)


@formula
def smooth_sign(velocity: Expr, width: Expr) -> Expr:
    """tanh(velocity / width)."""
    return tanh(velocity / width)


@formula
def banded_sign(velocity: Expr, width: Expr) -> Expr:
    """The ratio velocity / width, limited to -1 and 1."""
    return Max(Min(velocity / width, 1), -1)


@formula
def coulomb_friction(direction: Expr, forward: Expr, backward: Expr) -> Expr:
    """Coulomb friction that may differ between the directions."""
    return direction * (forward + backward) / 2 + Abs(direction) * (forward - backward) / 2


@formula
def excess_left(velocity: Expr, width: Expr) -> Expr:
    """Part of the excess of static friction that is left at a velocity, a Gaussian: exp(-(velocity / width)^2)."""
    return exp(-((velocity / width) ** 2))


@formula
def static_friction(coulomb: Expr, direction: Expr, static: Expr, left: Expr) -> Expr:
    """Stribeck friction, static at rest (Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30(7), 1994)."""
    return coulomb + (static * direction - coulomb) * left


@formula
def viscous_friction(viscous: Expr, velocity: Expr, offset: Expr) -> Expr:
    """Viscous friction, and an offset that is always there."""
    return viscous * velocity + offset


@formula
def load_ratio(output: Expr, per_rated: Expr) -> Expr:
    """Load of a transmission by its rated load."""
    return Abs(output) * per_rated


@formula
def rise(load: Expr, start: Expr, width: Expr, first: Expr, second: Expr, third: Expr) -> Expr:
    """Rise of a curve over one of its intervals: a cubic in the distance t from its start, constant on either side."""
    t = Min(Max(load - start, 0), width)
    return t * (first + t * (second + t * third))


@formula
def loss_by_output(efficiency: Expr) -> Expr:
    """Loss of a transmission over its output, 1/eta - 1."""
    return (1 - efficiency) / efficiency


@formula
def transmission_loss(
    direction: Expr, output: Expr, efficiency: Expr, lost: Expr, breakaway: Expr
) -> Expr:
    """Loss of a transmission, all four cases of Table 3.2: |output| (1/eta - 1) if it drives, |output| (1 - eta) if it brakes.

    With a direction between -1 and 1 the two are weighted with (1 + direction * sign(output)) / 2 and the rest.
    """
    twice = Abs(output) * (1 + efficiency) + direction * output * (1 - efficiency)
    return direction * (lost * twice / 2 + breakaway)


def depends_on_load(model: RobotModel) -> bool:
    """Whether friction at any joint depends on the joint's load, so that the whole motion is required."""
    return any(body.friction is not None and body.friction.depends_on_load for body in model.bodies)


def record_friction(recording: Recording) -> tuple[Quantity, ...]:
    """Record the friction torques (N m) or forces (N), one scalar for every entry of v."""
    bodies, velocities = recording.model.bodies, record_joint_velocities(recording)
    directions, torques = [], []
    for index, body in enumerate(bodies):
        recording.section(f"Friction by rate, joint {index + 1} ({body.name})")
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
    carried = _record_carried(recording)
    for index, body in enumerate(bodies):
        friction = body.friction or FRICTIONLESS
        recording.section(f"Friction, joint {index + 1} ({body.name})")
        *supported, given = carried[index]
        bearings = [
            record_bearing_friction(*each)
            for each in zip(friction.bearings, supported, strict=True)
        ]
        if bearings:
            torques[index] += directions[index] * reduce(add, bearings)  # against the motion
        torques[index] = torques[index].name(JF(index + 1))
        if friction.transmission is not None:
            output = given + torques[index]
            loss = _record_transmission_loss(
                index, friction.transmission, directions[index], output
            )
            torques[index] = (torques[index] + loss).name(TF(index + 1))
    return _sum_friction(recording, torques)


def record_joint_velocities(recording: Recording) -> tuple[Quantity, ...]:
    """Record the velocities of all joints, one a body: entries of v, of mimic joints times their ratios."""
    velocities, none = recording.velocities, recording.constant(0)
    return tuple(
        none if body.is_free else _scale(body, body.joint.ratio, velocities[body.joint.idx_v])
        for body in recording.model.bodies
    )


def record_friction_columns(recording: Recording) -> list[tuple[int, tuple[Quantity, ...]]]:
    """Record for every joint the entry of v that it follows, and the factors of its viscous and its Coulomb coefficient."""
    columns = []
    joints = zip(recording.model.bodies, record_joint_velocities(recording), strict=True)
    for index, (body, velocity) in enumerate(joints):
        if not body.is_free:
            pair = velocity, record_direction(index, body, velocity)
            columns.append(
                (body.joint.idx_v, tuple(_scale(body, body.joint.ratio, each) for each in pair))
            )
    return columns


def _sum_friction(recording: Recording, torques: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Record the friction of entries of v, from the friction of the joints that follow them."""
    joints = list(zip(recording.model.bodies, torques, strict=True))
    return sum_forces(
        recording,
        [(_scale(body, body.joint.ratio, each),) * len(body.entries) for body, each in joints],
    )


def _scale(body: Body, ratio: Exact, quantity: Quantity) -> Quantity:
    """Record a quantity of a mimic joint times a number; quantities of other joints are left as they are."""
    return quantity * ratio if body.joint.mimics else quantity


def _record_carried(recording: Recording) -> list[tuple[Quantity, ...]]:
    """Record for every joint the loads of its bearings, and last the output of its transmission: all linear in its load."""
    motion = recording.motion
    loads = record_joint_loads(recording, motion, record_contacts(recording))
    carried = []
    for body, load in zip(recording.bodies, loads, strict=True):
        friction = body.friction or FRICTIONLESS
        parts = [record_supported_load(bearing, body, load.wrench) for bearing in friction.bearings]
        given = recording.constant(0)
        if friction.transmission is not None:
            (along,) = body.project(load.wrench)
            given = _scale(body, body.joint.ratio.reciprocal(), along)
        carried.append((*parts, given))
    return carried


def record_direction(index: int, body: Body, velocity: Quantity) -> Quantity:
    """Record the direction of a joint's motion: the sign of its velocity, or the description's replacement for it."""
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
    """Record the friction that depends on the velocity alone: viscous, Coulomb and static friction, and the offset."""
    backward = friction.coulomb if friction.coulomb_negative is None else friction.coulomb_negative
    coulomb = coulomb_friction(direction, friction.coulomb, backward)
    if friction.stribeck is not None:
        left = excess_left(velocity, friction.stribeck.velocity)
        coulomb = static_friction(coulomb, direction, friction.stribeck.static, left)
    return viscous_friction(friction.viscous, velocity, friction.offset) + coulomb


def _record_transmission_loss(
    index: int, transmission: Transmission, direction: Quantity, output: Quantity
) -> Quantity:
    """Record the loss of a transmission for its output."""
    load = load_ratio(output, transmission.rated.reciprocal())
    efficiency = output.recorder.constant(transmission.efficiency[0][1])
    for interval in split_curve(transmission.efficiency, transmission.interpolation):
        efficiency += rise(load, interval.start, interval.width, *interval.coefficients)
    efficiency = efficiency.name(EFF(index + 1))
    return transmission_loss(
        direction, output, efficiency, loss_by_output(efficiency), transmission.breakaway
    )
