"""Frames: the axes in which every body is resolved, the rotations between them, and the body's constants there.

A body's vectors are resolved in its body axes, which move with the joint, or in axes from which only the joint's rotation
leads to these: then the vectors of a chain of parallel joints need no rotation, and the constants of the bodies are rotated
instead. Recursions ask for `outward` (parent's axes to the body's) and `inward` (back) and for the body's first moments and
inertia; they assume nothing else of the axes but that z is the joint axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr

from dynagen.dynamics.algorithms.algebra import along_axis, negative, sum_of
from dynagen.dynamics.algorithms.floating_base import base_position, record_base_rotation
from dynagen.dynamics.algorithms.rotations import Rotation
from dynagen.dynamics.candidate import BodyChoice
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import MATRIX, SCALAR, TENSOR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, Body, RobotModel

# S and C follow the papers, where first moments are MS (Khalil), so that s2 is a sine and ms2_x a moment.
S = Symbol(
    "s",
    "i",
    SCALAR,
    "sine of the angle about joint axis i, of joint i or of it and the parallel joints before it",
)
C = Symbol(
    "c",
    "i",
    SCALAR,
    "cosine of the angle about joint axis i, of joint i or of it and the parallel joints before it",
)
THETA = Symbol(
    "theta",
    "i",
    SCALAR,
    "sum of the positions of joint i and of the parallel joints before it",
    "rad",
)
D = Symbol("d", "i", SCALAR, "displacement of body i along its joint axis", "m")
MS = Symbol(
    "ms",
    "i",
    VECTOR,
    "first moment of body i about its origin",
    "kg m",
    "MS, Khalil and Kleinfinger 1987",
)
J = Symbol(
    "j",
    "i",
    TENSOR,
    "inertia of body i about its origin",
    "kg m^2",
    "J, Khalil and Kleinfinger 1987",
)
BR = Symbol(
    "br",
    "i",
    MATRIX,
    "rotation matrix of body i, which floats: its unit vectors in the base frame are columns",
)
SM = Symbol(
    "sm",
    "i",
    TENSOR,
    "second moments of body i about its origin, integrals of x^2 dm, x y dm and so on",
    "kg m^2",
)


@formula
def joint_coordinate(rate: Expr, position: Expr, offset: Expr) -> Expr:
    """Angle or displacement that a joint has made: a constant times its variable, plus its offset."""
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
        return (
            vector if self.body_axes is None else self.body_axes.rotation.inward(recorder, vector)
        )

    def to_body_axes(self, recorder: Recorder, vector: Quantity) -> Quantity:
        """Components of a free vector in the body axes, from those in the axes that the body is resolved in."""
        return (
            vector if self.body_axes is None else self.body_axes.rotation.outward(recorder, vector)
        )

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


def _record_frame(
    recorder: Recorder, index: int, body: Body, choice: BodyChoice, parent: _BodyAxes | None
) -> BodyFrame:
    if body.is_free:
        return _base_frame(recorder, body, choice)
    number = index + 1
    placement = body.placement
    gamma, alpha = placement.gamma, placement.alpha
    before = [
        Rotation.about_z(recorder.constant(gamma.cos), recorder.constant(gamma.sin)),
        Rotation.about_x(recorder.constant(alpha.cos), recorder.constant(alpha.sin)),
    ]
    translation, offset = recorder.constant(*placement.translation), recorder.constant(placement.d)
    if choice.in_one_step:
        along = recorder.apply(along_axis, offset)
        for rotation in reversed(before):
            along = rotation.inward(recorder, along)
        translation, offset = recorder.apply(sum_of, translation, along), recorder.constant(0)
    left_over = None
    if parent is not None:
        translation = parent.rotation.inward(recorder, translation)
        # The rotation that the parent's axes do not make comes first; between parallel axes it adds to that of the joint.
        if placement.is_parallel:
            left_over = parent
        else:
            before.insert(0, parent.rotation)
    joint = _joint_rotation(recorder, number, body, left_over)
    first_moment = recorder.constant(*body.inertial.first_moment)
    inertia = recorder.constant(*body.inertial.inertia)
    second = _second_moments(recorder, body) if choice.by_second_moments else None
    if not choice.in_body_axes:
        first_moment = recorder.name(MS(number), joint.rotation.inward(recorder, first_moment))
        inertia = recorder.name(J(number), joint.rotation.inward_tensor(recorder, inertia))
        second = second and recorder.name(
            SM(number), joint.rotation.inward_tensor(recorder, second)
        )
    linear, position = recorder.constant(body.linear), recorder.element("q", body.joint.idx_q)
    return BodyFrame(
        rotations=(*before, joint.rotation) if choice.in_body_axes else tuple(before),
        body_axes=None if choice.in_body_axes else joint,
        translation=translation,
        displacement=recorder.record(D(number), joint_coordinate, linear, position, offset),
        first_moment=first_moment,
        inertia=inertia,
        second_moments=second,
    )


def _base_frame(recorder: Recorder, body: Body, choice: BodyChoice) -> BodyFrame:
    """The frame of a floating base: its body axes, in which its motion is given. It has no other, whatever is chosen."""
    return BodyFrame(
        rotations=(Rotation.by_matrix(recorder.name(BR(1), record_base_rotation(recorder))),),
        body_axes=None,
        translation=base_position(recorder),
        displacement=recorder.constant(0),
        first_moment=recorder.constant(*body.inertial.first_moment),
        inertia=recorder.constant(*body.inertial.inertia),
        second_moments=_second_moments(recorder, body) if choice.by_second_moments else None,
    )


def joint_constants(recorder: Recorder, body: Body) -> tuple[Quantity, Quantity]:
    """Record the constants of a body's joint: rotation about z and translation along z, per unit of its variable."""
    return recorder.constant(body.angular), recorder.constant(body.linear)


def _second_moments(recorder: Recorder, body: Body) -> Quantity:
    """Elements xx, yy, zz, xy, xz, yz of the integral of r r^T dm."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertial.second_moments
    return recorder.constant(xx, yy, zz, xy, xz, yz)


def _joint_rotation(
    recorder: Recorder, number: int, body: Body, left_over: _BodyAxes | None
) -> _BodyAxes:
    """Record the rotation of a joint, after one that the parent's axes do not make.

    An offset of whole quarter turns exchanges sine and cosine with signs, so that nothing is added to the angle.
    """
    offset = body.placement.theta
    if not body.angular and left_over is None:
        angle = recorder.constant(offset.radians)
        return _BodyAxes(
            angle, 0, Rotation.about_z(recorder.constant(offset.cos), recorder.constant(offset.sin))
        )
    quarters = offset.quarter_turns
    angle = recorder.apply(
        joint_coordinate,
        recorder.constant(body.angular),
        recorder.element("q", body.joint.idx_q),
        recorder.constant(offset.radians if quarters is None else 0),
    )
    quarters = quarters or 0
    if left_over is not None:
        angle = recorder.record(THETA(number), sum_of, left_over.angle, angle)
        quarters += left_over.quarters
    sine, cosine = recorder.sine_cosine(angle)
    sine, cosine = recorder.name(S(number), sine), recorder.name(C(number), cosine)
    for _ in range(quarters % 4):
        sine, cosine = cosine, recorder.apply(negative, sine)
    return _BodyAxes(angle, quarters, Rotation.about_z(cosine, sine))
