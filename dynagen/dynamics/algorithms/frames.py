"""Frames: the axes in which every body is resolved, the rotations between them, and the body's constants there.

A body that is resolved in axes from which only the joint's rotation leads to its body axes pays in a chain of parallel joints:
vectors need no rotation there, and the constants of the bodies are rotated instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from sympy import Expr

from dynagen.dynamics.algorithms.algebra import along_axis
from dynagen.dynamics.algorithms.coordinates import number_entries
from dynagen.dynamics.algorithms.floating_base import base_position, record_base_rotation
from dynagen.dynamics.algorithms.recording import BodyAxes, Recording, ResolvedBody
from dynagen.dynamics.algorithms.rotations import Rotation
from dynagen.dynamics.candidate import BodyChoice, Candidate
from dynagen.dynamics.recording.formula import Quantity, formula
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.ir.symbols import MATRIX, SCALAR, TENSOR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, Body

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

MakeBody = Callable[..., ResolvedBody]
"""Makes a body, given its axes and the constants in them."""


@formula
def joint_coordinate(factor: Expr, position: Expr, offset: Expr) -> Expr:
    """Angle or displacement that a joint has made: a constant times its variable, plus its offset."""
    return factor * position + offset


def begin_recording(recorder: Recorder, candidate: Candidate, takes_positions: bool) -> Recording:
    """Record sines, cosines, displacements and rotated constants of all bodies, q being the input of that name.

    Args:
        recorder: receives the program.
        candidate: the robot, and the choices for its bodies.
        takes_positions: whether q is an input; without it the recording has no bodies.
    """
    recording = Recording(recorder, candidate.model)
    if not takes_positions:
        return recording
    recording.section("Joint positions")
    bodies: list[ResolvedBody] = []
    choices = zip(
        candidate.model.bodies, candidate.choices, number_entries(candidate.model), strict=True
    )
    for index, (body, choice, numbers) in enumerate(choices):
        make = partial(ResolvedBody, **vars(body), recorder=recorder, index=index, numbers=numbers)
        parent = bodies[body.parent].body_axes if body.parent != BASE else None
        if body.is_free:
            bodies.append(_resolve_base(recording, body, choice, make))
        else:
            bodies.append(_resolve(recording, index + 1, body, choice, parent, make))
    return replace(recording, bodies=tuple(bodies))


def _resolve(
    recording: Recording,
    number: int,
    body: Body,
    choice: BodyChoice,
    parent: BodyAxes | None,
    make: MakeBody,
) -> ResolvedBody:
    """Record the axes and the constants of a body with a joint about or along z."""
    constant, placement = recording.constant, body.placement
    gamma, alpha = placement.gamma, placement.alpha
    before = [
        Rotation.about_z(constant(gamma.cos), constant(gamma.sin)),
        Rotation.about_x(constant(alpha.cos), constant(alpha.sin)),
    ]
    translation, offset = constant(*placement.translation), constant(placement.d)
    if choice.in_one_step:
        along = along_axis(offset)
        for rotation in reversed(before):
            along = rotation.inward(along)
        translation, offset = translation + along, constant(0)
    left_over = None
    if parent is not None:
        translation = parent.rotation.inward(translation)
        # The rotation that the parent's axes do not make comes first; between parallel axes it adds to the joint's.
        if placement.is_parallel:
            left_over = parent
        else:
            before.insert(0, parent.rotation)
    joint = _record_joint_rotation(recording, number, body, left_over)
    first_moment, inertia = constant(*body.inertial.first_moment), constant(*body.inertial.inertia)
    second = _record_second_moments(recording, body) if choice.by_second_moments else None
    if not choice.in_body_axes:
        first_moment = joint.rotation.inward(first_moment).name(MS(number))
        inertia = joint.rotation.inward_tensor(inertia).name(J(number))
        second = second and joint.rotation.inward_tensor(second).name(SM(number))
    return make(
        rotations=(*before, joint.rotation) if choice.in_body_axes else tuple(before),
        body_axes=None if choice.in_body_axes else joint,
        translation=translation,
        displacement=joint_coordinate(
            constant(body.linear), recording.element("q", body.joint.idx_q), offset
        ).name(D(number)),
        first_moment=first_moment,
        inertia=inertia,
        second_moments=second,
    )


def _resolve_base(
    recording: Recording, body: Body, choice: BodyChoice, make: MakeBody
) -> ResolvedBody:
    """Record the axes of a floating base: its body axes, in which its motion is given. It has no others."""
    return make(
        rotations=(Rotation.by_matrix(record_base_rotation(recording).name(BR(1))),),
        body_axes=None,
        translation=base_position(recording),
        displacement=recording.constant(0),
        first_moment=recording.constant(*body.inertial.first_moment),
        inertia=recording.constant(*body.inertial.inertia),
        second_moments=_record_second_moments(recording, body)
        if choice.by_second_moments
        else None,
    )


def _record_second_moments(recording: Recording, body: Body) -> Quantity:
    """Return the elements xx, yy, zz, xy, xz, yz of the integral of r r^T dm."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertial.second_moments
    return recording.constant(xx, yy, zz, xy, xz, yz)


def _record_joint_rotation(
    recording: Recording, number: int, body: Body, left_over: BodyAxes | None
) -> BodyAxes:
    """Record the rotation of a joint, after one that the parent's axes do not make.

    An offset of whole quarter turns exchanges sine and cosine with signs, so that nothing is added to the angle.
    """
    offset = body.placement.theta
    if not body.angular and left_over is None:
        angle = recording.constant(offset.radians)
        return BodyAxes(
            angle,
            0,
            Rotation.about_z(recording.constant(offset.cos), recording.constant(offset.sin)),
        )
    quarters = offset.quarter_turns
    angle = joint_coordinate(
        recording.constant(body.angular),
        recording.element("q", body.joint.idx_q),
        offset.radians if quarters is None else 0,
    )
    quarters = quarters or 0
    if left_over is not None:
        angle = (left_over.angle + angle).name(THETA(number))
        quarters += left_over.quarters
    sine, cosine = recording.recorder.sine_cosine(angle)
    sine, cosine = sine.name(S(number)), cosine.name(C(number))
    for _ in range(quarters % 4):
        sine, cosine = cosine, -sine
    return BodyAxes(angle, quarters, Rotation.about_z(cosine, sine))
