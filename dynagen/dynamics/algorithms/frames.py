"""Frames: in which axes every body is resolved, how vectors pass from a body to its parent, and the body's constants there.

Recursions ask for `outward` (parent's axes to the body's) and `inward` (back) and for the body's first moments and inertia;
they never assume a frame of their own. A joint axis is the z axis of the body's axes, always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr

from dynagen.dynamics.algorithms.algebra import along_axis, negative, sum_of
from dynagen.dynamics.algorithms.rotations import Rotation
from dynagen.dynamics.candidate import BodyChoice
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.model.model import BASE, Body, RobotModel
from dynagen.numbers.angle import Angle

# What the recorded names stand for.
FRAMES_LEGEND = (
    ("s, c", "sine and cosine of the joint's rotation"),
    ("d", "displacement of the body along its joint axis"),
)


@formula
def joint_coordinate(rate: Expr, position: Expr, offset: Expr) -> Expr:
    """What a joint has turned or moved: a constant times its variable, plus its offset."""
    return rate * position + offset


@dataclass(frozen=True)
class BodyFrame:
    """The axes that a body is resolved in, and the body's constants in them.

    Attributes:
        rotations: elementary rotations from the parent's axes to those that the body is resolved in.
        body_axes: rotation from there to the body axes, which move with the joint; None if the body is resolved in these.
        translation: constant part of the displacement from the parent's origin to the body's, in the parent's axes (m).
        displacement: the rest of it, along the joint axis, z (m).
        first_moment: of the body, in its axes (kg m).
        inertia: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz of the body about its origin, in its axes (kg m^2).
        second_moments: xx, yy, zz, xy, xz, yz likewise, where the body's moment is to be computed from them; else None.
    """

    rotations: tuple[Rotation, ...]
    body_axes: _BodyAxes | None
    translation: Quantity
    displacement: Quantity
    first_moment: Quantity
    inertia: Quantity
    second_moments: Quantity | None

    def outward(self, recorder: Recorder, vector: Quantity) -> Quantity:
        """Components of a free vector in the body's axes, from those in the parent's."""
        for rotation in self.rotations:
            vector = rotation.outward(recorder, vector)
        return vector

    def inward(self, recorder: Recorder, vector: Quantity) -> Quantity:
        """Components of a free vector in the parent's axes, from those in the body's."""
        for rotation in reversed(self.rotations):
            vector = rotation.inward(recorder, vector)
        return vector

    def from_body_axes(self, recorder: Recorder, vector: Quantity) -> Quantity:
        """Components of a free vector in the axes that the body is resolved in, from those in its body axes."""
        return vector if self.body_axes is None else self.body_axes.rotation.inward(recorder, vector)

    def to_body_axes(self, recorder: Recorder, vector: Quantity) -> Quantity:
        """Components of a free vector in the body axes, from those in the axes that the body is resolved in."""
        return vector if self.body_axes is None else self.body_axes.rotation.outward(recorder, vector)

    def inward_matrix(self, recorder: Recorder, matrix: Quantity) -> Quantity:
        """Entries of a matrix in the parent's axes, from those in the body's."""
        for rotation in reversed(self.rotations):
            matrix = rotation.inward_matrix(recorder, matrix)
        return matrix

    def inward_tensor(self, recorder: Recorder, tensor: Quantity) -> Quantity:
        """Elements of a symmetric tensor in the parent's axes, from those in the body's."""
        for rotation in reversed(self.rotations):
            tensor = rotation.inward_tensor(recorder, tensor)
        return tensor


@dataclass(frozen=True)
class _BodyAxes:
    """The body axes against those that a body is resolved in: a rotation about z, by an angle and some quarter turns."""

    angle: Quantity
    quarters: int
    rotation: Rotation


Frames = tuple[BodyFrame, ...]


def record_frames(recorder: Recorder, model: RobotModel, choices: Sequence[BodyChoice]) -> Frames:
    """Record sines, cosines, displacements and rotated constants of all bodies, q being the input of that name."""
    recorder.section("Joint positions")
    frames: list[BodyFrame] = []
    for index, body in enumerate(model.bodies):
        parent = frames[body.parent].body_axes if body.parent != BASE else None
        frames.append(_record_frame(recorder, index, body, choices[index], parent))
    return tuple(frames)


def _record_frame(recorder: Recorder, index: int, body: Body, choice: BodyChoice, parent: _BodyAxes | None) -> BodyFrame:
    number = index + 1
    placement = body.placement
    before = [_constant_rotation(recorder, "z", placement.gamma), _constant_rotation(recorder, "x", placement.alpha)]
    translation, offset = recorder.constant(*placement.translation), recorder.constant(placement.d)
    if choice.in_one_step:
        along = recorder.apply(along_axis, offset)
        for rotation in reversed(before):
            along = rotation.inward(recorder, along)
        translation, offset = recorder.apply(sum_of, translation, along), recorder.constant(0)
    shared = None
    if parent is not None:
        translation = parent.rotation.inward(recorder, translation)
        # The rotation that the parent's axes do not make comes first; between parallel axes it adds to that of the joint.
        if placement.is_parallel:
            shared = parent
        else:
            before.insert(0, parent.rotation)
    joint = _joint_rotation(recorder, number, body, shared)
    first_moment = recorder.constant(*body.inertial.first_moment)
    inertia = recorder.constant(*body.inertial.inertia)
    second = _second_moments(recorder, body) if choice.by_second_moments else None
    if not choice.in_body_axes:
        first_moment = recorder.name(f"s{number}", joint.rotation.inward(recorder, first_moment))
        inertia = recorder.name(f"j{number}", joint.rotation.inward_tensor(recorder, inertia))
        second = second and recorder.name(f"p{number}", joint.rotation.inward_tensor(recorder, second))
    linear, position = recorder.constant(body.linear), recorder.element("q", body.joint.idx_q)
    return BodyFrame(
        rotations=(*before, joint.rotation) if choice.in_body_axes else tuple(before),
        body_axes=None if choice.in_body_axes else joint,
        translation=translation,
        displacement=recorder.record(f"d{number}", joint_coordinate, linear, position, offset),
        first_moment=first_moment,
        inertia=inertia,
        second_moments=second,
    )


def joint_constants(recorder: Recorder, body: Body) -> tuple[Quantity, Quantity]:
    """What a body's joint is: rates of rotation about its z axis and of translation along it, per unit of its variable."""
    return recorder.constant(body.angular), recorder.constant(body.linear)


def _second_moments(recorder: Recorder, body: Body) -> Quantity:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertial.second_moments
    return recorder.constant(xx, yy, zz, xy, xz, yz)


def _constant_rotation(recorder: Recorder, about: str, angle: Angle) -> Rotation:
    return Rotation(about, recorder.constant(angle.cos), recorder.constant(angle.sin))


def _joint_rotation(recorder: Recorder, number: int, body: Body, shared: _BodyAxes | None) -> _BodyAxes:
    """The rotation of a joint, after one that its parent's axes have left to it.

    An offset of quarter turns only exchanges sine and cosine: no addition in front of them.
    """
    offset = body.placement.theta
    if not body.angular and shared is None:
        return _BodyAxes(recorder.constant(offset.radians), 0, _constant_rotation(recorder, "z", offset))
    quarters = offset.quarter_turns
    angle = recorder.apply(
        joint_coordinate,
        recorder.constant(body.angular),
        recorder.element("q", body.joint.idx_q),
        recorder.constant(offset.radians if quarters is None else 0),
    )
    quarters = quarters or 0
    if shared is not None:
        angle = recorder.record(f"q{number}_sum", sum_of, shared.angle, angle)
        quarters += shared.quarters
    sine, cosine = recorder.sine_cosine(angle)
    sine, cosine = recorder.name(f"s{number}", sine), recorder.name(f"c{number}", cosine)
    for _ in range(quarters % 4):
        sine, cosine = cosine, recorder.apply(negative, sine)
    return _BodyAxes(angle, quarters, Rotation("z", cosine, sine))
