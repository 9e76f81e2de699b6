r"""The axes in which the vectors of each body are resolved, and the body's constants in them.

                                z_i, joint axis
                                 ^
                                 |                                y
         z_p                O_i  o---> x_i                         \
          ^                      |  body axes                       o---> x
          |                      |                               link frame of i
          |                      | d
          |     translation      |
     O_p  o--------------------->o---> x
         /                  foot    axes before the joint's rotation
       x_p
     parent's axes

- Link frame: the frame of a link in the user's description. `model.attachments` has the constant
  pose of the link frame in the body axes.
- Axes before the joint's rotation: z is the joint axis. The directions of these axes are constant
  in the parent's body axes.
- Body axes: the axes after the joint's rotation about z_i. The angle is the constant offset theta
  plus the position of a revolute joint. The body's inertial parameters are constant in its body
  axes.
- Resolved axes: the axes in which the recursions compute the components of a body's vectors.
  Resolved axes are the body axes, or (`BodyChoice.in_body_axes` False) the axes before the joint's
  rotation. In axes before the rotation, the joint rotates the body's constants instead of the
  vectors.

For axes before the rotation, `ResolvedBody.body_axes` is the rotation about z from the resolved
axes to the body axes: an angle plus a number of quarter turns. Quarter turns are constant joint
offsets, which only exchange sine and cosine (with signs).

Axes before the rotation save operations in a chain of parallel joints. The resolved axes of all
bodies of the chain have the same directions, so vectors are not rotated between these bodies:

         body 1                body 2, z parallel       body 3, z parallel
    resolved axes  ------>  resolved axes  ------>  resolved axes            no rotation
          | q1                    | q1 + q2               | q1 + q2 + q3     `body_axes`
          v                       v                       v
      body axes               body axes               body axes

If a parent's resolved axes are those before its joint's rotation, the child applies this rotation.
If the joint axes of parent and child are parallel, the angles of the two joints are added
(`parallel_rotation`). Otherwise the rotation of the parent's joint is the first of the rotations to
the child's resolved axes.

A floating base is the first body of a robot and moves freely. Its motion and its forces are inputs
in its own axes. Dynamics therefore depends on the orientation of the base, the unit quaternion (x,
y, z, w), only through gravity and contact forces. The opposite of gravity in the axes of the base
requires 12 operations if gravity is along an axis of the fixed frame, fewer than the rotation
matrix requires. Forward dynamics is solved for the acceleration relative to free fall, so that
gravity is used only in its last step (as in Featherstone, "Rigid Body Dynamics Algorithms", 2008,
section 9.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from dynagen.dynamics.algorithms.axis_joint import AxisBody
from dynagen.dynamics.algorithms.floating_joint import FloatingBody, resolve_floating
from dynagen.dynamics.algorithms.recording import (
    BodyAxesRotation,
    MakeBody,
    Recording,
    ResolvedBody,
    number_entries,
)
from dynagen.dynamics.algorithms.rotations import Rotation, along_axis, record_tensor
from dynagen.dynamics.algorithms.spherical_joint import SphericalBody, resolve_spherical
from dynagen.dynamics.candidate import BodyChoice, Candidate
from dynagen.dynamics.recording import Recorder, formula
from dynagen.dynamics.symbolic import Expr
from dynagen.ir.symbols import SCALAR, TENSOR, VECTOR, Symbol
from dynagen.robot.joints import FLOATING, SPHERICAL
from dynagen.robot.model.model import BASE, Body

# S and C follow the papers, where first moments are MS (Khalil): s2 is a sine, ms2_x a moment.
S = Symbol(
    "s",
    "i",
    SCALAR,
    "sine of the angle about joint axis i, summed over the parallel joints before it",
)
C = Symbol(
    "c",
    "i",
    SCALAR,
    "cosine of the angle about joint axis i, summed over the parallel joints before it",
)
THETA = Symbol(
    "theta",
    "i",
    SCALAR,
    "sum of the positions of joint i and the parallel joints before it",
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
SM = Symbol(
    "sm",
    "i",
    TENSOR,
    "second moments of body i about its origin: integrals of x^2 dm, x y dm and so on",
    "kg m^2",
)


@formula
def joint_coordinate(factor: Expr, position: Expr, offset: Expr) -> Expr:
    """Return the angle (rad) or displacement (m) of a joint: factor * position + offset.

    `factor` is the rotation (for the angle) or the translation (for the displacement) per unit of
    `position`, the joint's entry of q.
    """
    return factor * position + offset


_KINDS: Mapping[str, tuple[type[ResolvedBody], Callable[..., ResolvedBody]]] = {
    FLOATING.name: (FloatingBody, resolve_floating),
    SPHERICAL.name: (SphericalBody, resolve_spherical),
}
"""Mapping from a joint type to the class of its bodies and the function that records a body."""


def begin_recording(recorder: Recorder, candidate: Candidate, takes_positions: bool) -> Recording:
    """Record the bodies of a robot: rotations between their axes, displacements and constants.

    Args:
        recorder: object that appends operations to the program under construction.
        candidate: the robot model, and the choice of axes and formulas for each body.
        takes_positions: whether q is an input; without q, the result has no bodies.

    Returns:
        The recording, with its bodies.
    """
    if candidate.model.closure:
        # Imported here: few robots have loops.
        from dynagen.dynamics.algorithms.closed_loops import make_closed_recording

        # The recursions run on the tree, whose joints move as the loops require.
        recording: Recording = make_closed_recording(recorder, candidate.model)
        # A dependent joint has a cosine and a sine, but no angle to add to parallel joints'.
        choices = tuple(replace(choice, in_body_axes=True) for choice in candidate.choices)
        candidate = replace(candidate, model=recording.model, choices=choices)
    else:
        recording = Recording(recorder, candidate.model)
    if not takes_positions:
        return recording
    recording.solve_loops()
    recording.begin_section("Joint positions")
    bodies: list[ResolvedBody] = []
    numbered = zip(
        candidate.model.bodies, candidate.choices, number_entries(candidate.model), strict=True
    )
    # A parent precedes its children, so its axes are known here.
    for index, (body, choice, numbers) in enumerate(numbered):
        known = vars(body) | {
            "recorder": recorder,
            "index": index,
            "numbers": numbers,
            "joined": choice.joined and body.parent != BASE,
        }
        parent = bodies[body.parent].body_axes if body.parent != BASE else None
        kind, resolve = _KINDS.get(body.joint.type.name, (AxisBody, _resolve))
        make = partial(kind, **known)
        bodies.append(resolve(recording, index + 1, body, choice, parent, make))
    return replace(recording, bodies=tuple(bodies))


def _resolve(
    recording: Recording,
    number: int,
    body: Body,
    choice: BodyChoice,
    parent: BodyAxesRotation | None,
    make: MakeBody,
) -> ResolvedBody:
    """Record the resolved axes and the constants of a body whose joint moves about or along z.

    `parent` is the rotation from the parent's resolved axes to its body axes; None if these axes
    are equal.
    """
    constant, placement = recording.add_constant, body.placement
    # Constant rotations from the parent's axes: about z by gamma, then about x by alpha. Gamma is
    # only needed in trees (Khalil and Kleinfinger 1986).
    gamma, alpha = placement.gamma, placement.alpha
    rotations = [
        Rotation.about_z(constant(gamma.cos), constant(gamma.sin)),
        Rotation.about_x(constant(alpha.cos), constant(alpha.sin)),
    ]
    translation, offset = constant(*placement.translation), constant(placement.d)
    if choice.in_one_step:
        # The constant offset along the joint axis, rotated back to the parent's axes. The rotation
        # about the joint axis does not change it.
        along = along_axis(offset)
        for rotation in reversed(rotations):
            along = rotation.rotate_inward(along)
        translation, offset = translation + along, constant(0)
    parallel_rotation = None
    if parent is not None:
        # From the parent's body axes, in which it is constant, to its resolved axes.
        translation = parent.rotation.rotate_inward(translation)
        # The parent's resolved axes do not rotate with its joint, so that rotation is made here:
        # its angle is added to this joint's about a parallel axis, otherwise it is separate.
        if placement.is_parallel:
            parallel_rotation = parent
        else:
            rotations.insert(0, parent.rotation)
    joint = _record_joint_rotation(recording, number, body, parallel_rotation)
    first_moment, inertia = constant(*body.inertial.first_moment), constant(*body.inertial.inertia)
    second = (
        record_tensor(recording.recorder, body.inertial.second_moments)
        if choice.by_second_moments
        else None
    )
    if not choice.in_body_axes:
        # From the body axes, in which they are constant, to the resolved axes.
        first_moment = joint.rotation.rotate_inward(first_moment).name(MS(number))
        inertia = joint.rotation.rotate_tensor_inward(inertia).name(J(number))
        # None if the moment is not computed from second moments.
        second = second and joint.rotation.rotate_tensor_inward(second).name(SM(number))
    return make(
        rotations=(*rotations, joint.rotation) if choice.in_body_axes else tuple(rotations),
        body_axes=None if choice.in_body_axes else joint,
        translation=translation,
        displacement=joint_coordinate(
            constant(body.linear), recording.find_position(body), offset
        ).name(D(number)),
        first_moment=first_moment,
        inertia=inertia,
        second_moments=second,
    )


def _record_joint_rotation(
    recording: Recording, number: int, body: Body, parallel_rotation: BodyAxesRotation | None
) -> BodyAxesRotation:
    """Record the rotation about z from the axes before a joint to its body axes.

    If `parallel_rotation` is None, the result is the rotation of this joint. Otherwise
    `parallel_rotation` is the rotation of the parent's joint about a parallel axis, and the result
    is the rotation by the sum of both angles.
    """
    offset = body.placement.theta
    if known := recording.find_rotation(body):
        cosine, sine = known
        return BodyAxesRotation(
            recording.add_constant(0),
            0,
            Rotation.about_z(cosine.name(C(number)), sine.name(S(number))),
        )
    if not body.angular and parallel_rotation is None:
        # A prismatic joint rotates by its constant offset only.
        angle = recording.add_constant(offset.radians)
        return BodyAxesRotation(
            angle,
            0,
            Rotation.about_z(
                recording.add_constant(offset.cos), recording.add_constant(offset.sin)
            ),
        )
    # An offset of whole quarter turns exchanges sine and cosine, with signs: no addition to the
    # angle.
    quarter_turns = offset.quarter_turns
    angle = joint_coordinate(
        recording.add_constant(body.angular),
        recording.find_position(body),
        offset.radians if quarter_turns is None else 0,
    )
    quarter_turns = quarter_turns or 0
    if parallel_rotation is not None:
        # One sine and cosine of the sum replace products of sines and cosines.
        angle = (parallel_rotation.angle + angle).name(THETA(number))
        quarter_turns += parallel_rotation.quarter_turns
    sine, cosine = recording.recorder.add_sine_cosine(angle)
    sine, cosine = sine.name(S(number)), cosine.name(C(number))
    for _ in range(quarter_turns % 4):
        # sin(a + pi/2) = cos a, cos(a + pi/2) = -sin a.
        sine, cosine = cosine, -sine
    return BodyAxesRotation(angle, quarter_turns, Rotation.about_z(cosine, sine))
