"""Integration: state and accelerations -> the state a step of time later, on vector spaces and on the group of poses.

Positions of joints are numbers, to which rates times the step are added. The pose of a floating base moves along and about its
own axes: with the twist (v, w) held through the step it is multiplied by the exponential of (v, w) dt (R. M. Murray, Z. Li,
S. S. Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994, section 2.3), so that its quaternion stays of unit
length. That is what Pinocchio's `integrate` does.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Matrix, sqrt

from dynagen.dynamics.algorithms.algebra import half, product
from dynagen.dynamics.algorithms.floating_base import (
    ANGULAR,
    LINEAR,
    base_position,
    base_quaternion,
    vector,
)
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.program import Argument
from dynagen.ir.symbols import SCALAR, VECTOR, Symbol
from dynagen.numbers.exact import Exact
from dynagen.robot.model.model import RobotModel

STEP = "dt"
"""The name of the input that is the length of a step."""

_TINY = Exact(
    "1e-37"
)  # (rad^2) vanishes beside the square of any angle that matters, in single precision too

ANGLE = Symbol("phi", "i", SCALAR, "angle by which body i rotates in the step", "rad")
ROTATION = Symbol("rot", "i", VECTOR, "rotation of body i in the step, in its axes", "rad")
TRANSLATION = Symbol("tra", "i", VECTOR, "translation of body i in the step, in its axes", "m")


@formula
def advanced(value: Expr, step: Expr, rate: Expr) -> Expr:
    """A number after a step in which its rate does not change: x + dt xd."""
    return value + step * rate


@formula
def angle_of(rotation: Matrix, tiny: Expr) -> Expr:
    """The angle of a rotation vector, and a tiny bit more, so that one may divide by it."""
    return sqrt(rotation.dot(rotation) + tiny)


@formula
def ratio(numerator: Expr, denominator: Expr) -> Expr:
    """A quotient."""
    return numerator / denominator


@formula
def moved_by_twist(
    rotation: Matrix, along: Matrix, share: Expr, cosine: Expr, angle: Expr
) -> Matrix:
    """The translation of a constant twist: V u with V = 1 + (1 - cos phi)/phi^2 [r] + (phi - sin phi)/phi^3 [r]^2.

    share: k = sin(phi/2)/phi, so that 1 - cos phi = 2 k^2 phi^2 and sin phi = 2 k cos(phi/2) phi: nothing cancels in the
        coefficient of r x u, and what cancels in the other is as small as phi^2.
    """
    across = rotation.cross(along)
    return (
        along + 2 * share**2 * across + (1 - 2 * share * cosine) / angle**2 * rotation.cross(across)
    )


@formula
def rotated_quaternion(quaternion: Matrix, vector: Matrix, scalar: Expr) -> Matrix:
    """The product of the quaternion (x, y, z, w) with one that has this vector and this scalar part."""
    x, y, z, w = quaternion
    part = Matrix([x, y, z])
    rotated = w * vector + scalar * part + part.cross(vector)
    return Matrix([*rotated, w * scalar - part.dot(vector)])


@formula
def moved_point(position: Matrix, quaternion: Matrix, shift: Matrix) -> Matrix:
    """The point p + R u, by the rotation of a unit quaternion, without its matrix."""
    x, y, z, w = quaternion
    part = Matrix([x, y, z])
    twice = 2 * part.cross(shift)
    return position + shift + w * twice + part.cross(twice)


def step_argument(model: RobotModel) -> tuple[Argument, ...]:
    """The length of a step, an input."""
    return (Argument(STEP, (), ("s",), "length of the step"),)


def record_next_rates(
    recorder: Recorder, rates: Sequence[Quantity], accelerations: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record the rates after a step with constant accelerations."""
    recorder.section("Rates after the step")
    step = recorder.element(STEP, 0)
    return tuple(
        recorder.apply(advanced, rate, step, change)
        for rate, change in zip(rates, accelerations, strict=True)
    )


def record_next_positions(
    recorder: Recorder, model: RobotModel, rates: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record the positions after a step with constant rates."""
    recorder.section("Positions after the step")
    step = recorder.element(STEP, 0)
    pose = _record_next_pose(recorder, step, rates) if model.floats else ()
    entries = [
        (body.joint.idx_q, rates[body.joint.idx_v])
        for body in model.coordinates
        if not body.is_free
    ]
    return (
        *pose,
        *(
            recorder.apply(advanced, recorder.element("q", place), step, rate)
            for place, rate in entries
        ),
    )


def _record_next_pose(
    recorder: Recorder, step: Quantity, rates: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record position and quaternion of a floating base after a step with a constant twist."""
    rotation = recorder.record(ROTATION(1), product, step, vector(rates[ANGULAR]))
    along = recorder.apply(product, step, vector(rates[LINEAR]))
    angle = recorder.record(ANGLE(1), angle_of, rotation, recorder.constant(_TINY))
    sine, cosine = recorder.sine_cosine(recorder.apply(half, angle))
    share = recorder.apply(ratio, sine, angle)
    translation = recorder.record(
        TRANSLATION(1), moved_by_twist, rotation, along, share, cosine, angle
    )
    quaternion = base_quaternion(recorder)
    position = recorder.apply(moved_point, base_position(recorder), quaternion, translation)
    return position, recorder.apply(
        rotated_quaternion, quaternion, recorder.apply(product, share, rotation), cosine
    )
