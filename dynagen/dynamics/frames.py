"""How vectors pass from one body's frame to the next: the only place that knows in which axes a body is resolved.

Recursions ask for `outward` (parent's axes to the body's) and `inward` (back) and never assume a frame of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.formula import Formula, formula
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.exact import Angle
from dynagen.robot.model import Body, RobotModel


def rotation_x(cosine: Expr, sine: Expr) -> Matrix:
    """Rotation about x."""
    return Matrix([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])


def rotation_z(cosine: Expr, sine: Expr) -> Matrix:
    """Rotation about z."""
    return Matrix([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])


@formula
def turn_x(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Components before a rotation about x, from those after it."""
    return rotation_x(cosine, sine) * vector


@formula
def turn_x_back(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Components after a rotation about x, from those before it."""
    return rotation_x(cosine, sine).T * vector


@formula
def turn_z(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Components before a rotation about z, from those after it."""
    return rotation_z(cosine, sine) * vector


@formula
def turn_z_back(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Components after a rotation about z, from those before it."""
    return rotation_z(cosine, sine).T * vector


@formula
def joint_coordinate(rate: Expr, position: Expr, offset: Expr) -> Expr:
    """What a joint has turned or moved: a constant times its variable, plus its offset."""
    return rate * position + offset


@dataclass(frozen=True)
class _Turn:
    """One elementary rotation on the way from the parent to the body."""

    inward: Formula
    outward: Formula
    cosine: Quantity
    sine: Quantity


@dataclass(frozen=True)
class BodyFrame:
    """The recorded passage between a body's axes and its parent's.

    Attributes:
        translation: constant part of the body's origin, in the parent's axes (m).
        displacement: the rest, along the body's z axis (m).
    """

    turns: tuple[_Turn, ...]
    translation: Quantity
    displacement: Quantity

    def outward(self, recorder: Recorder, vector: Quantity) -> Quantity:
        """Components of a free vector in the body's axes, from those in the parent's."""
        for turn in self.turns:
            vector = recorder.apply(turn.outward, turn.cosine, turn.sine, vector)
        return vector

    def inward(self, recorder: Recorder, vector: Quantity) -> Quantity:
        """Components of a free vector in the parent's axes, from those in the body's."""
        for turn in reversed(self.turns):
            vector = recorder.apply(turn.inward, turn.cosine, turn.sine, vector)
        return vector


def record_frames(recorder: Recorder, model: RobotModel) -> tuple[BodyFrame, ...]:
    """Record sines, cosines and displacements of all joints, q being the input of that name."""
    recorder.section("Joint positions")
    return tuple(_record_frame(recorder, index, body) for index, body in enumerate(model.bodies))


def _record_frame(recorder: Recorder, index: int, body: Body) -> BodyFrame:
    placement = body.placement
    position = recorder.element("q", index)
    linear = recorder.constant(body.joint.linear)
    sine, cosine = _joint_sine_cosine(recorder, index, body, position)
    return BodyFrame(
        turns=(
            _Turn(turn_z, turn_z_back, *_constants(recorder, placement.gamma)),
            _Turn(turn_x, turn_x_back, *_constants(recorder, placement.alpha)),
            _Turn(turn_z, turn_z_back, cosine, sine),
        ),
        translation=recorder.constant(*placement.translation),
        displacement=recorder.record(f"d{index + 1}", joint_coordinate, linear, position, recorder.constant(placement.d)),
    )


def _constants(recorder: Recorder, angle: Angle) -> tuple[Quantity, Quantity]:
    return recorder.constant(angle.cos), recorder.constant(angle.sin)


def _joint_sine_cosine(recorder: Recorder, index: int, body: Body, position: Quantity) -> tuple[Quantity, Quantity]:
    """Sine and cosine of the joint's rotation, named s and c.

    An offset of quarter turns only exchanges them: no addition in front of the sine.
    """
    offset = body.placement.theta
    if not body.joint.angular:
        return recorder.constant(offset.sin), recorder.constant(offset.cos)
    turns = offset.quarter_turns
    angle = recorder.apply(
        joint_coordinate,
        recorder.constant(body.joint.angular),
        position,
        recorder.constant(offset.radians if turns is None else 0),
    )
    sine, cosine = recorder.sine_cosine(angle)
    sine, cosine = recorder.name(f"s{index + 1}", sine), recorder.name(f"c{index + 1}", cosine)
    for _ in range(turns or 0):
        sine, cosine = cosine, recorder.apply(negative, sine)
    return sine, cosine


@formula
def negative(value: Expr) -> Expr:
    """The opposite."""
    return -value
