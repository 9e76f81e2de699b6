"""Joint friction: Friction of every joint, its rate and what it carries -> the torques (or forces) that friction takes.

Bearings and transmissions follow C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects",
M.Eng. thesis, Memorial University of Newfoundland, 1990, chapter 3, with the statics of two supports where Table 3.1 pairs the
signs wrongly. Reaction forces are those of the robot without friction, as friction about an axis does not change them.
"""

from __future__ import annotations

from sympy import Abs, Expr, Matrix, Max, Min, exp, sign, sqrt, tanh

from dynagen.dynamics.algebra import sum_of
from dynagen.dynamics.arguments import elements
from dynagen.dynamics.composite import felt_by
from dynagen.dynamics.contact import record_contact
from dynagen.dynamics.efficiency import curve_intervals
from dynagen.dynamics.formula import formula
from dynagen.dynamics.frames import BodyFrame, Frames
from dynagen.dynamics.newton_euler import LEGEND, JointLoad, JointMotion, record_joint_loads
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.exact import ZERO
from dynagen.robot.description import Bearing, Friction, Transmission
from dynagen.robot.model import Body, RobotModel

FRICTIONLESS = Friction(viscous=ZERO, coulomb=ZERO)

FRICTION_LEGEND = (
    *LEGEND,
    ("dir", "direction of the motion: the sign of the rate, or what stands for it near rest"),
    ("jf", "friction of the joint itself"),
    ("eff", "efficiency of the transmission"),
    ("tf", "friction of joint and transmission"),
)


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
    """The part of static friction's excess that is left at a rate: Gaussian."""
    return exp(-((rate / velocity) ** 2))


@formula
def static_friction(coulomb: Expr, direction: Expr, static: Expr, left: Expr) -> Expr:
    """Static friction gives way to Coulomb friction (Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30(7), 1994)."""
    return coulomb + (static * direction - coulomb) * left


@formula
def viscous_friction(viscous: Expr, rate: Expr, offset: Expr) -> Expr:
    """What grows with the rate, and what is always there."""
    return viscous * rate + offset


@formula
def journal_bearing(coefficient: Expr, radius: Expr, length: Expr, centre: Expr, f: Matrix, n: Matrix) -> Expr:
    """Table 3.1, case 1: two supports share the force and balance the moment about their centre; the factor is inside."""
    lever = coefficient * radius
    about_x, about_y = n[0] + centre * f[1], n[1] - centre * f[0]
    half_x, half_y = lever / 2 * f[0], lever / 2 * f[1]
    couple_x, couple_y = lever / length * about_y, lever / length * about_x
    return sqrt((half_x - couple_x) ** 2 + (half_y + couple_y) ** 2) + sqrt(
        (half_x + couple_x) ** 2 + (half_y - couple_y) ** 2
    )


@formula
def linear_bearing(coefficient: Expr, length: Expr, centre: Expr, f: Matrix, n: Matrix) -> Expr:
    """Table 3.1, case 2, with |x - y| + |x + y| = 2 max(|x|, |y|)."""
    about_x, about_y = n[0] + centre * f[1], n[1] - centre * f[0]
    per_length = 2 / length
    return coefficient * (Max(Abs(f[0]), per_length * Abs(about_y)) + Max(Abs(f[1]), per_length * Abs(about_x)))


@formula
def thrust_bearing(coefficient: Expr, radius: Expr, f: Matrix) -> Expr:
    """Table 3.1, case 3."""
    return coefficient * radius * Abs(f[2])


@formula
def against_motion(direction: Expr, friction: Expr) -> Expr:
    """Friction in the sense of the motion that it resists."""
    return direction * friction


@formula
def load_ratio(output: Expr, rated: Expr) -> Expr:
    """Load of a transmission by its rated load."""
    return Abs(output) / rated


@formula
def rise(load: Expr, start: Expr, width: Expr, first: Expr, second: Expr, third: Expr) -> Expr:
    """What an interval of a curve adds: a cubic in the way into it, constant on either side."""
    way = Min(Max(load - start, 0), width)
    return way * (first + way * (second + way * third))


@formula
def loss_by_output(efficiency: Expr) -> Expr:
    """What a transmission loses by what it gives, 1/eta - 1."""
    return (1 - efficiency) / efficiency


@formula
def transmission_loss(direction: Expr, output: Expr, efficiency: Expr, lost: Expr, breakaway: Expr) -> Expr:
    """Table 3.2, all four cases, less the output: |output| (1/eta - 1) if it drives, |output| (1 - eta) if it brakes.

    With a direction between -1 and 1 the two are weighted with (1 + direction * sign(output)) / 2 and the rest.
    """
    twice = Abs(output) * (1 + efficiency) + direction * output * (1 - efficiency)
    return direction * (lost * twice / 2 + breakaway)


def depends_on_load(model: RobotModel) -> bool:
    """Whether friction at any joint depends on what the joint carries, so that it takes the whole motion to compute."""
    return any(body.friction is not None and body.friction.depends_on_load for body in model.bodies)


def record_friction(recorder: Recorder, model: RobotModel, frames: Frames) -> tuple[Quantity, ...]:
    """Record the friction torques (N m) or forces (N) of all joints, one scalar a body."""
    rates = elements(recorder, model, "qd")
    loads: tuple[JointLoad, ...] = ()
    if depends_on_load(model):
        motion = JointMotion(rates, elements(recorder, model, "qdd"))
        contact = record_contact(recorder, model, frames)
        loads = record_joint_loads(recorder, model, frames, motion, gravity=True, contact=contact)
    torques = []
    for index, body in enumerate(model.bodies):
        friction = body.friction or FRICTIONLESS
        recorder.section(f"Friction, joint {index + 1} ({body.name})")
        direction = record_direction(recorder, index, body, rates[index])
        torque = _from_rate(recorder, friction, direction, rates[index])
        for bearing in friction.bearings:
            load = recorder.apply(against_motion, direction, _bearing(recorder, bearing, frames[index], loads[index]))
            torque = recorder.apply(sum_of, torque, load)
        torque = recorder.name(f"jf{index + 1}", torque)
        if friction.transmission is not None:
            carried = felt_by(recorder, body, loads[index].force, loads[index].moment)
            output = recorder.apply(sum_of, carried, torque)
            loss = _transmission(recorder, index, friction.transmission, direction, output)
            torque = recorder.record(f"tf{index + 1}", sum_of, torque, loss)
        torques.append(torque)
    return tuple(torques)


def record_direction(recorder: Recorder, index: int, body: Body, rate: Quantity) -> Quantity:
    """Record the direction of a joint's motion: the sign of its rate, or what the description puts in its place."""
    friction = body.friction or FRICTIONLESS
    formulas = {"exact": sign_of_rate, "tanh": smooth_sign, "linear": banded_sign}
    width = () if friction.sign == "exact" else (recorder.constant(friction.width),)
    return recorder.record(f"dir{index + 1}", formulas[friction.sign], rate, *width)


def _from_rate(recorder: Recorder, friction: Friction, direction: Quantity, rate: Quantity) -> Quantity:
    """Viscous, Coulomb and static friction, and the offset."""
    backward = friction.coulomb if friction.coulomb_negative is None else friction.coulomb_negative
    coulomb = recorder.apply(coulomb_friction, direction, recorder.constant(friction.coulomb), recorder.constant(backward))
    if friction.stribeck is not None:
        static, velocity = recorder.constant(friction.stribeck.static), recorder.constant(friction.stribeck.velocity)
        coulomb = recorder.apply(static_friction, coulomb, direction, static, recorder.apply(excess_left, rate, velocity))
    viscous = recorder.apply(viscous_friction, recorder.constant(friction.viscous), rate, recorder.constant(friction.offset))
    return recorder.apply(sum_of, viscous, coulomb)


def _bearing(recorder: Recorder, bearing: Bearing, frame: BodyFrame, load: JointLoad) -> Quantity:
    """Friction of a bearing, as a magnitude."""
    coefficient, radius = recorder.constant(bearing.coefficient), recorder.constant(bearing.radius)
    length, centre = recorder.constant(bearing.length), recorder.constant(bearing.centre)
    match bearing.kind:
        case "journal":
            return recorder.apply(journal_bearing, coefficient, radius, length, centre, load.force, load.moment)
        case "thrust":
            return recorder.apply(thrust_bearing, coefficient, radius, load.force)
        case "linear":
            # A rail has two sides, x and y of the body's own axes.
            force, moment = (frame.to_own(recorder, vector) for vector in (load.force, load.moment))
            return recorder.apply(linear_bearing, coefficient, length, centre, force, moment)


def _transmission(
    recorder: Recorder, index: int, transmission: Transmission, direction: Quantity, output: Quantity
) -> Quantity:
    """What a transmission takes away, for what it gives."""
    load = recorder.apply(load_ratio, output, recorder.constant(transmission.rated))
    efficiency = recorder.constant(transmission.efficiency[0][1])
    for interval in curve_intervals(transmission.efficiency, transmission.interpolation):
        start, width = recorder.constant(interval.start), recorder.constant(interval.width)
        coefficients = (recorder.constant(coefficient) for coefficient in interval.coefficients)
        efficiency = recorder.apply(sum_of, efficiency, recorder.apply(rise, load, start, width, *coefficients))
    efficiency = recorder.name(f"eff{index + 1}", efficiency)
    lost, breakaway = recorder.apply(loss_by_output, efficiency), recorder.constant(transmission.breakaway)
    return recorder.apply(transmission_loss, direction, output, efficiency, lost, breakaway)
