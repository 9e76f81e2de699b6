"""The reformulated Newton-Euler recursion with the acceleration difference matrix lambda.

C. Dhanaraj, "Parallel Processing of Manipulator Dynamics Incorporating Frictional Effects", M.Eng. thesis, Memorial University
of Newfoundland, 1990, Table 2.4, with four changes that save operations and one that corrects:

- a joint is two constants (angular, linear) along its z axis, so revolute and prismatic joints share every formula;
- the rates of joints with parallel axes are added before they meet a vector;
- masses enter by first moments and inertias about the frame's origin, so no acceleration of a centre of mass is needed;
- the way to the next origin is taken in two steps, before the turn and along the new z axis, where column 3 of lambda serves;
- lambda follows from the body's own rates for every joint: for a prismatic one the thesis's eq. 2.29 has R where R^T belongs.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.dynamics.algorithms.algebra import difference_of, sum_of
from dynagen.dynamics.algorithms.composite import carry_inward
from dynagen.dynamics.algorithms.contact import Contact
from dynagen.dynamics.algorithms.coordinates import sum_forces
from dynagen.dynamics.algorithms.frames import FRAMES_LEGEND, BodyFrame, Frames, joint_constants
from dynagen.dynamics.algorithms.newton_euler_steps import (
    acceleration_at,
    acceleration_difference,
    angular_acceleration,
    angular_velocity,
    body_force,
    body_moment,
    body_moment_by_difference,
    joint_force,
    joint_rate,
    origin_acceleration,
    rate_products,
)
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.model.model import BASE, Body, RobotModel

# What the recorded names stand for; all of body i, in its own axes and about its own origin.
NEWTON_EULER_LEGEND = (
    *FRAMES_LEGEND,
    ("w, wd", "angular velocity (omega), angular acceleration (alpha)"),
    ("k", "products of rates: w_y*w_z, w_x*w_z, w_x*w_y"),
    ("l", "acceleration difference matrix (lambda): l*r = wd x r + w x (w x r)"),
    ("a", "linear acceleration of the origin, less gravity"),
    ("bf, bm", "force and moment that the body's own motion takes (F, N)"),
    ("ef, en", "force and moment that the surroundings exert on the body"),
    ("f, n", "force and moment that the joint carries"),
)


@dataclass(frozen=True)
class JointMotion:
    """Velocities and accelerations, in the order of v: inputs, or zeros where the function asks for none."""

    velocities: tuple[Quantity, ...]
    accelerations: tuple[Quantity, ...]


@dataclass(frozen=True)
class BodyMotion:
    """Outward result for one body, in its axes.

    Attributes:
        carried_velocity, carried_acceleration: the angular motion without what the joint, and those before it whose axes are
            parallel, add about z.
        rate, rate_change: what they add.
    """

    carried_velocity: Quantity
    carried_acceleration: Quantity
    rate: Quantity
    rate_change: Quantity
    angular_velocity: Quantity
    angular_acceleration: Quantity
    products: Quantity
    difference: Quantity
    acceleration: Quantity


@dataclass(frozen=True)
class JointLoad:
    """What a joint carries: generalised force, and force and moment about the body's origin, in the body's axes."""

    generalised: Quantity
    force: Quantity
    moment: Quantity


def record_newton_euler(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    motion: JointMotion,
    gravity: bool,
    contact: Contact | None = None,
) -> tuple[Quantity, ...]:
    """Record the recursion on a tree of bodies.

    Returns:
        Generalised forces (N m or N), one scalar for every entry of v.
    """
    loads = record_joint_loads(recorder, model, frames, motion, gravity, contact)
    return sum_forces(recorder, model, [load.generalised for load in loads])


def record_joint_loads(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    motion: JointMotion,
    gravity: bool,
    contact: Contact | None = None,
) -> tuple[JointLoad, ...]:
    """Record the recursion on a tree of bodies; one load a body."""
    motions = record_body_motions(recorder, model, frames, motion, gravity)
    loads: dict[int, JointLoad] = {}
    carried: list[list[tuple[Quantity, Quantity]]] = [[] for _ in model.bodies]
    for index, body in model.inward():
        recorder.section(f"Inward, body {index + 1} ({body.name})")
        force, moment = record_body_wrench(recorder, index, body, frames[index], motions[index], contact)
        for child_force, child_moment in carried[index]:
            force, moment = recorder.apply(sum_of, force, child_force), recorder.apply(sum_of, moment, child_moment)
        force, moment = recorder.name(f"f{index + 1}", force), recorder.name(f"n{index + 1}", moment)
        generalised = recorder.record(
            f"tau{index + 1}",
            joint_force,
            recorder.constant(body.angular),
            moment,
            recorder.constant(body.linear),
            force,
            recorder.constant(body.motor_inertia),
            motion.accelerations[body.joint.idx_v],
        )
        loads[index] = JointLoad(generalised, force, moment)
        if body.parent != BASE:
            carried[body.parent].append(carry_inward(recorder, frames[index], force, moment))
    return tuple(loads[index] for index in range(len(model.bodies)))


def record_body_motions(
    recorder: Recorder, model: RobotModel, frames: Frames, motion: JointMotion, gravity: bool
) -> tuple[BodyMotion, ...]:
    """Record the outward half of the recursion."""
    motions: list[BodyMotion] = []
    rest = _base_motion(recorder, model, gravity)
    for index, body in enumerate(model.bodies):
        recorder.section(f"Outward, body {index + 1} ({body.name})")
        parent = rest if body.parent == BASE else motions[body.parent]
        velocity, acceleration = motion.velocities[body.joint.idx_v], motion.accelerations[body.joint.idx_v]
        motions.append(_outward(recorder, index, body, frames[index], parent, velocity, acceleration))
    return tuple(motions)


def _base_motion(recorder: Recorder, model: RobotModel, gravity: bool) -> BodyMotion:
    """The base rests; accelerating it against gravity makes every body feel its weight."""
    zero, none = recorder.constant(0, 0, 0), recorder.constant(0)
    acceleration = recorder.constant(*(-component for component in model.gravity)) if gravity else zero
    difference = recorder.constant(*[0] * 9, shape=(3, 3))
    return BodyMotion(zero, zero, none, none, zero, zero, zero, difference, acceleration)


def _outward(
    recorder: Recorder,
    index: int,
    body: Body,
    frame: BodyFrame,
    parent: BodyMotion,
    velocity: Quantity,
    acceleration: Quantity,
) -> BodyMotion:
    number = index + 1
    angular, linear = joint_constants(recorder, body)
    if body.placement.is_parallel:
        # Rates of parallel joints add before they meet a vector, so that what such joints share is computed once.
        carried, carried_change = parent.carried_velocity, parent.carried_acceleration
        before, before_change = parent.rate, parent.rate_change
    else:
        carried, carried_change = parent.angular_velocity, parent.angular_acceleration
        before, before_change = recorder.constant(0), recorder.constant(0)
    carried, carried_change = frame.outward(recorder, carried), frame.outward(recorder, carried_change)
    rate = recorder.apply(joint_rate, before, angular, velocity)
    rate_change = recorder.apply(joint_rate, before_change, angular, acceleration)
    w = recorder.record(f"w{number}", angular_velocity, carried, rate)
    wd = recorder.record(f"wd{number}", angular_acceleration, carried_change, w, rate, rate_change)
    products = recorder.record(f"k{number}", rate_products, w)
    difference = recorder.record(f"l{number}", acceleration_difference, w, wd, products)
    at_foot = recorder.apply(acceleration_at, parent.acceleration, parent.difference, frame.translation)
    a = recorder.record(
        f"a{number}",
        origin_acceleration,
        frame.outward(recorder, at_foot),
        difference,
        frame.displacement,
        w,
        linear,
        velocity,
        acceleration,
    )
    return BodyMotion(carried, carried_change, rate, rate_change, w, wd, products, difference, a)


def record_body_wrench(
    recorder: Recorder, index: int, body: Body, frame: BodyFrame, motion: BodyMotion, contact: Contact | None = None
) -> tuple[Quantity, Quantity]:
    """Record the force and the moment about its origin that a body's own motion takes, less what a contact exerts on it."""
    mass = recorder.constant(body.inertial.mass)
    force = recorder.record(f"bf{index + 1}", body_force, mass, motion.acceleration, motion.difference, frame.first_moment)
    about_origin = motion.difference, frame.first_moment, motion.acceleration
    if frame.second_moments is None:
        rates = motion.angular_velocity, motion.angular_acceleration, motion.products
        moment = recorder.record(f"bm{index + 1}", body_moment, frame.inertia, *rates, *about_origin)
    else:
        moment = recorder.record(f"bm{index + 1}", body_moment_by_difference, frame.second_moments, *about_origin)
    if contact is None or contact.body != index:
        return force, moment
    return recorder.apply(difference_of, force, contact.force), recorder.apply(difference_of, moment, contact.moment)
