"""Joint friction: its description, rate and load of every joint -> the torque or force that friction takes.

Transmissions follow C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng.
thesis, Memorial University of Newfoundland, 1990, chapter 3. Reaction forces are those of the robot without friction, as
friction about an axis does not change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

from sympy import Abs, Expr, Max, Min, exp, sign, tanh

from dynagen.dynamics.algorithms.algebra import product, sum_of
from dynagen.dynamics.algorithms.bearings import record_bearing_friction, record_supported_load
from dynagen.dynamics.algorithms.contact import record_contacts
from dynagen.dynamics.algorithms.coordinates import project_on_joint, sum_forces
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.interpolation import split_curve
from dynagen.dynamics.algorithms.newton_euler import JointMotion, record_joint_loads
from dynagen.dynamics.arguments import elements
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
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
def sign_of_rate(rate: Expr) -> Expr:
    """The sign of a rate; zero at rest."""
    return sign(rate)


@formula
def smooth_sign(rate: Expr, width: Expr) -> Expr:
    """tanh(rate / width)."""
    return tanh(rate / width)


@formula
def banded_sign(rate: Expr, width: Expr) -> Expr:
    """The ratio rate / width, but between -1 and 1."""
    return Max(Min(rate / width, 1), -1)


@formula
def coulomb_friction(direction: Expr, forward: Expr, backward: Expr) -> Expr:
    """Coulomb friction that may differ between the directions."""
    return direction * (forward + backward) / 2 + Abs(direction) * (forward - backward) / 2


@formula
def excess_left(rate: Expr, velocity: Expr) -> Expr:
    """Part of the excess of static friction that is left at a rate, a Gaussian: exp(-(rate / velocity)^2)."""
    return exp(-((rate / velocity) ** 2))


@formula
def static_friction(coulomb: Expr, direction: Expr, static: Expr, left: Expr) -> Expr:
    """Stribeck friction, static at rest (Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30(7), 1994)."""
    return coulomb + (static * direction - coulomb) * left


@formula
def viscous_friction(viscous: Expr, rate: Expr, offset: Expr) -> Expr:
    """Viscous friction, and an offset that is always there."""
    return viscous * rate + offset


@formula
def against_motion(direction: Expr, friction: Expr) -> Expr:
    """Friction signed as the motion that it resists."""
    return direction * friction


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
    """Whether friction at any joint depends on what the joint carries, so that it takes the whole motion to compute."""
    return any(body.friction is not None and body.friction.depends_on_load for body in model.bodies)


def record_friction(recorder: Recorder, model: RobotModel, frames: Frames) -> tuple[Quantity, ...]:
    """Record the friction torques (N m) or forces (N), one scalar for every entry of v."""
    rates = record_joint_rates(recorder, model)
    directions, torques = [], []
    for index, body in enumerate(model.bodies):
        recorder.section(f"Friction by rate, joint {index + 1} ({body.name})")
        directions.append(record_direction(recorder, index, body, rates[index]))
        torques.append(
            _from_rate(recorder, body.friction or FRICTIONLESS, directions[-1], rates[index])
        )
    if not depends_on_load(model):
        named = [recorder.name(JF(joint), torque) for joint, torque in enumerate(torques, start=1)]
        return _of_coordinates(recorder, model, named)
    carried = _record_carried(recorder, model, frames)
    for index, body in enumerate(model.bodies):
        friction = body.friction or FRICTIONLESS
        recorder.section(f"Friction, joint {index + 1} ({body.name})")
        *supported, given = carried[index]
        bearings = [
            record_bearing_friction(recorder, *each)
            for each in zip(friction.bearings, supported, strict=True)
        ]
        if bearings:
            friction_of_all = reduce(partial(recorder.apply, sum_of), bearings)
            loss = recorder.apply(against_motion, directions[index], friction_of_all)
            torques[index] = recorder.apply(sum_of, torques[index], loss)
        torques[index] = recorder.name(JF(index + 1), torques[index])
        if friction.transmission is not None:
            output = recorder.apply(sum_of, given, torques[index])
            loss = _transmission(recorder, index, friction.transmission, directions[index], output)
            torques[index] = recorder.record(TF(index + 1), sum_of, torques[index], loss)
    return _of_coordinates(recorder, model, torques)


def record_joint_rates(recorder: Recorder, model: RobotModel) -> tuple[Quantity, ...]:
    """Record the rates of all joints, one a body: entries of v, of mimic joints times their ratios."""
    rates = elements(recorder, model, "qd")
    none = recorder.constant(0)
    return tuple(
        none if body.is_free else _scaled(recorder, body, body.joint.ratio, rates[body.joint.idx_v])
        for body in model.bodies
    )


def record_friction_columns(
    recorder: Recorder, model: RobotModel
) -> list[tuple[int, tuple[Quantity, ...]]]:
    """Record for every joint the entry of v that it follows, and the factors of its viscous and its Coulomb coefficient."""
    columns = []
    for index, (body, rate) in enumerate(
        zip(model.bodies, record_joint_rates(recorder, model), strict=True)
    ):
        if body.is_free:
            continue
        pair = rate, record_direction(recorder, index, body, rate)
        scaled = tuple(_scaled(recorder, body, body.joint.ratio, each) for each in pair)
        columns.append((body.joint.idx_v, scaled))
    return columns


def _of_coordinates(
    recorder: Recorder, model: RobotModel, torques: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Friction of entries of v, from that of the joints that follow them."""
    scaled = (
        _scaled(recorder, body, body.joint.ratio, torque)
        for body, torque in zip(model.bodies, torques, strict=True)
    )
    of_joints = zip(model.bodies, scaled, strict=True)
    return sum_forces(
        recorder, model, [(torque,) * len(body.entries) for body, torque in of_joints]
    )


def _scaled(recorder: Recorder, body: Body, ratio: Exact, quantity: Quantity) -> Quantity:
    """A quantity of a mimic joint times a number; those of other joints are left as they are."""
    return (
        recorder.apply(product, recorder.constant(ratio), quantity)
        if body.joint.mimics
        else quantity
    )


def _record_carried(
    recorder: Recorder, model: RobotModel, frames: Frames
) -> list[tuple[Quantity, ...]]:
    """Record for every joint the loads of its bearings, and last the output of its transmission: all linear in its load."""
    motion = JointMotion(elements(recorder, model, "qd"), elements(recorder, model, "qdd"))
    contacts = record_contacts(recorder, model, frames)
    loads = record_joint_loads(recorder, model, frames, motion, gravity=True, contacts=contacts)
    carried = []
    for frame, body, load in zip(frames, model.bodies, loads, strict=True):
        friction = body.friction or FRICTIONLESS
        parts = [
            record_supported_load(recorder, bearing, frame, load) for bearing in friction.bearings
        ]
        given = recorder.constant(0)
        if friction.transmission is not None:
            (of_coordinate,) = project_on_joint(recorder, body, load.force, load.moment)
            given = _scaled(recorder, body, body.joint.ratio.reciprocal(), of_coordinate)
        parts.append(given)
        carried.append(tuple(parts))
    return carried


def record_direction(recorder: Recorder, index: int, body: Body, rate: Quantity) -> Quantity:
    """Record the direction of a joint's motion: the sign of its rate, or what the description puts in its place."""
    friction = body.friction or FRICTIONLESS
    formulas = {"exact": sign_of_rate, "tanh": smooth_sign, "linear": banded_sign}
    width = () if friction.sign == "exact" else (recorder.constant(friction.width),)
    return recorder.record(DIR(index + 1), formulas[friction.sign], rate, *width)


def _from_rate(
    recorder: Recorder, friction: Friction, direction: Quantity, rate: Quantity
) -> Quantity:
    """Record what depends on the rate alone: viscous, Coulomb and static friction, and the offset."""
    backward = friction.coulomb if friction.coulomb_negative is None else friction.coulomb_negative
    coulomb = recorder.apply(
        coulomb_friction,
        direction,
        recorder.constant(friction.coulomb),
        recorder.constant(backward),
    )
    if friction.stribeck is not None:
        static, velocity = (
            recorder.constant(friction.stribeck.static),
            recorder.constant(friction.stribeck.velocity),
        )
        coulomb = recorder.apply(
            static_friction, coulomb, direction, static, recorder.apply(excess_left, rate, velocity)
        )
    viscous = recorder.apply(
        viscous_friction,
        recorder.constant(friction.viscous),
        rate,
        recorder.constant(friction.offset),
    )
    return recorder.apply(sum_of, viscous, coulomb)


def _transmission(
    recorder: Recorder,
    index: int,
    transmission: Transmission,
    direction: Quantity,
    output: Quantity,
) -> Quantity:
    """Record the loss of a transmission for its output."""
    load = recorder.apply(load_ratio, output, recorder.constant(transmission.rated.reciprocal()))
    efficiency = recorder.constant(transmission.efficiency[0][1])
    for interval in split_curve(transmission.efficiency, transmission.interpolation):
        start, width = recorder.constant(interval.start), recorder.constant(interval.width)
        coefficients = (recorder.constant(coefficient) for coefficient in interval.coefficients)
        efficiency = recorder.apply(
            sum_of, efficiency, recorder.apply(rise, load, start, width, *coefficients)
        )
    efficiency = recorder.name(EFF(index + 1), efficiency)
    lost, breakaway = (
        recorder.apply(loss_by_output, efficiency),
        recorder.constant(transmission.breakaway),
    )
    return recorder.apply(transmission_loss, direction, output, efficiency, lost, breakaway)
