"""Joint positions after a time step, and the inverse: the motion between two positions.

The position of a joint with one axis changes by the joint velocity times the time step dt. A
floating base moves with a constant twist: the velocity v of its origin and its angular velocity w
are constant in its own axes. Its pose is multiplied by the exponential of (v, w) dt (Murray, Li and
Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994, section 2.3). The quaternion
keeps unit length, as in Pinocchio's `integrate`.

The logarithm of a rotation requires an angle. The angle is computed from its sine and cosine
without inverse trigonometric functions, so that batches remain vectorised. The tangent of half the
angle is sin / (1 + cos), and square roots halve the angle twice more. Gregory's series of the
arctangent then reaches double precision in twelve terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Abs, Expr, Matrix, Rational, sign, sqrt
from dynagen.ir.program import Argument
from dynagen.ir.symbols import SCALAR, VECTOR, Symbol
from dynagen.numbers.exact import ONE, Exact
from dynagen.robot.model.model import RobotModel

STEP_LENGTH = "dt"
"""Name of the input for the length of a time step (s)."""

TINY = Exact("1e-37")
"""Number (rad^2) that is added to the square of an angle, so that division by the angle is safe.

The number is too small to change the square of a relevant angle in single precision.
"""

ANGLE = Symbol("phi", "i", SCALAR, "angle by which body i rotates in the step", "rad")
ROTATION = Symbol("rot", "i", VECTOR, "rotation of body i in the step, in its axes", "rad")
TRANSLATION = Symbol("tra", "i", VECTOR, "translation of body i in the step, in its axes", "m")


@formula
def advance(value: Expr, step: Expr, derivative: Expr) -> Expr:
    """Return x + dt xd, the value of x after a time step dt with the constant derivative xd.

    `value` is x, `step` is dt (s), and `derivative` is xd.
    """
    return value + step * derivative


@formula
def angle_of(rotation: Matrix, tiny: Expr) -> Expr:
    """Return the angle sqrt(r.r + tiny) of a rotation vector r (rad).

    `tiny` (rad^2) makes division by the angle safe at r = 0.
    """
    return sqrt(rotation.dot(rotation) + tiny)


@formula
def moved_by_twist(
    rotation: Matrix, along: Matrix, share: Expr, cosine: Expr, angle: Expr
) -> Matrix:
    """Return the displacement V u of a body with a constant twist (m), in the axes before the step.

    V is 1 + (1 - cos phi)/phi^2 [r] + (phi - sin phi)/phi^3 [r]^2. With k = sin(phi/2)/phi, 1 - cos
    phi = 2 k^2 phi^2 and sin phi = 2 k cos(phi/2) phi. This form avoids cancellation in the first
    coefficient.

    Args:
        rotation: r, rotation vector of the step (rad); [r] is its cross product matrix.
        along: u, linear velocity in the axes of the body times the time step (m).
        share: k = sin(phi/2)/phi.
        cosine: cos(phi/2).
        angle: phi, the length of r.
    """
    # [r]^2 u = r x (r x u).
    across = rotation.cross(along)
    return (
        along + 2 * share**2 * across + (1 - 2 * share * cosine) / angle**2 * rotation.cross(across)
    )


@formula
def rotated_quaternion(quaternion: Matrix, vector: Matrix, scalar: Expr) -> Matrix:
    """Return the product of a quaternion (x, y, z, w) with the quaternion (vector, scalar).

    The product is the rotation of the first factor, followed by the rotation of the second factor
    about the rotated axes.
    """
    x, y, z, w = quaternion
    part = Matrix([x, y, z])
    rotated = w * vector + scalar * part + part.cross(vector)
    return Matrix([*rotated, w * scalar - part.dot(vector)])


@formula
def moved_point(position: Matrix, quaternion: Matrix, shift: Matrix) -> Matrix:
    """Return p + R u: a vector u, rotated by a unit quaternion and displaced by p.

    `position` is p (m), `shift` is u (m), and R is the rotation matrix of `quaternion` (x, y, z,
    w).
    """
    x, y, z, w = quaternion
    part = Matrix([x, y, z])
    twice = 2 * part.cross(shift)
    return position + shift + w * twice + part.cross(twice)


# The tangent of pi/16, the largest angle, is 0.199: the next term is below 2e-17 of the sum.
_SERIES_TERMS = 12


@formula
def squared_length(vector: Matrix) -> Expr:
    """Return the squared length v.v of a vector."""
    return vector.dot(vector)


@formula
def half_tangent(cosine: Expr) -> Expr:
    """Return tan(a/2) / sin a = 1 / (1 + cos a), for an angle a up to 90 degrees.

    `cosine` is cos a.
    """
    return 1 / (1 + cosine)


@formula
def magnitude_of(value: Expr) -> Expr:
    """Return the magnitude |x| of a scalar."""
    return Abs(value)


@formula
def halved_tangent(tangent_squared: Expr) -> Expr:
    """Return tan(a/2) / tan a = 1 / (1 + sqrt(1 + tan^2 a)) from tan^2 a."""
    return 1 / (1 + sqrt(1 + tangent_squared))


@formula
def arctangent_quotient(tangent_squared: Expr) -> Expr:
    """Return a / tan a for |a| up to pi/16 rad, by Gregory's series in tan^2 a."""
    result = Rational((-1) ** (_SERIES_TERMS - 1), 2 * _SERIES_TERMS - 1)
    # Horner's scheme: a / tan a = 1 - x/3 + x^2/5 - ...
    for power in reversed(range(_SERIES_TERMS - 1)):
        result = Rational((-1) ** power, 2 * power + 1) + tangent_squared * result
    return result


@formula
def direction_of(scalar: Expr) -> Expr:
    """Return 1 for a scalar that is zero or positive, else -1."""
    return sign(1 + 2 * sign(scalar))


@formula
def translation_of_twist(
    rotation: Matrix, shift: Matrix, quotient: Expr, cosine: Expr, tiny: Expr
) -> Matrix:
    """Return u = V^-1 s, the translation of a constant twist that causes the displacement s (m).

    u is the linear velocity in the moving axes times the duration of the motion. The inverse of the
    matrix V of `moved_by_twist` is 1 - [r]/2 + (1 - a cos a / sin a)/phi^2 [r]^2 with a = phi/2.

    Args:
        rotation: r, rotation vector of the motion (rad); phi is its length, and [r] its cross
            product matrix.
        shift: s, displacement of the origin, in the axes before the motion (m).
        quotient: a / sin a.
        cosine: cos a.
        tiny: small number (rad^2) that is added to phi^2, so that division is safe.
    """
    across = rotation.cross(shift)
    share = (1 - cosine * quotient) / (rotation.dot(rotation) + tiny)
    return shift - across / 2 + share * rotation.cross(across)


def make_step_argument(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input `dt`, the length of a time step (s), as a tuple with one entry."""
    return (Argument(STEP_LENGTH, (), ("s",), "length of the step"),)


def record_next_velocities(
    recording: Recording, accelerations: Iterable[Quantity]
) -> tuple[Quantity, ...]:
    """Record the joint velocities after the time step of the input `dt`, at constant accelerations.

    The velocities before the step are the input qd. `accelerations` (rad/s^2 or m/s^2) and the
    result (rad/s or m/s) have one scalar for every joint velocity.
    """
    recording.begin_section("Velocities after the step")
    step = recording.add_element(STEP_LENGTH)
    return tuple(
        advance(qd, step, qdd) for qd, qdd in zip(recording.velocities, accelerations, strict=True)
    )


def record_next_positions(
    recording: Recording, velocities: Sequence[Quantity], step: Quantity
) -> tuple[Quantity, ...]:
    """Record the joint positions after the time `step` (s) at constant joint velocities.

    The positions before the step are the input q. `velocities` has one scalar for every joint
    velocity (rad/s or m/s). The result has the order of q: scalars for joints with one axis, and
    vectors for the position of a floating base and for quaternions (x, y, z, w).
    """
    recording.begin_section("Positions after the step")
    return tuple(
        position
        for body in recording.bodies
        for position in body.record_next_positions(recording, velocities, step)
    )


def record_turn(
    recording: Recording, number: int, rotation: Quantity, quaternion: Quantity
) -> Quantity:
    """Record the quaternion of a body after a rotation.

    Args:
        recording: program under construction, with the robot model and its bodies.
        number: number of the body, from 1, for the name of the recorded angle.
        rotation: the rotation vector, in the axes of the body (rad).
        quaternion: the unit quaternion x, y, z, w before the rotation.

    Returns:
        The quaternion x, y, z, w after the rotation.
    """
    angle = angle_of(rotation, TINY).name(ANGLE(number))
    sine, cosine = recording.recorder.add_sine_cosine(angle * (ONE / 2))
    # sin(phi/2) / phi; the tiny term in phi makes it 1/2 at rest.
    return rotated_quaternion(quaternion, sine / angle * rotation, cosine)


def record_difference(recording: Recording, after: str) -> tuple[Quantity, ...]:
    """Record the motion from the positions q to other positions, at constant velocities.

    Args:
        recording: program under construction, with the robot model and its bodies.
        after: name of the input with the other positions, in the order of q.

    Returns:
        Velocity times duration of the motion, one scalar (rad or m) for every entry of the velocity
        vector. Floating bases and spherical joints rotate by at most 180 degrees.
    """
    recording.begin_section("Motion between the positions")
    return tuple(
        motion for body in recording.bodies for motion in body.record_difference(recording, after)
    )


def record_rotation_between(
    before: Quantity, after: Quantity
) -> tuple[Quantity, Quantity, Quantity]:
    """Record the rotation vector (at most 180 degrees) from one orientation to another.

    `before` and `after` are the unit quaternions x, y, z, w of the two orientations.

    Returns:
        The rotation vector r in the axes before the rotation (rad), and the scalars a / sin a and
        cos a with a = |r|/2.
    """
    x, y, z, w = before
    # The quaternion of the motion is the conjugate of the first times the second.
    turned = rotated_quaternion(join((-x, -y, -z, w)), after[:3], after[3])
    # A quaternion and its opposite are the same rotation: the one with the smaller angle is taken.
    sines, cosine = direction_of(turned[3]) * turned[:3], magnitude_of(turned[3])
    quotient = record_angle_quotient(squared_length(sines), cosine)
    return 2 * quotient * sines, quotient, cosine


def record_angle_quotient(sine_squared: Quantity, cosine: Quantity) -> Quantity:
    """Record a / sin a from sin^2 a and cos a, for an angle a from 0 (result 1) to 90 degrees."""
    # tan(a/2), tan(a/4) and tan(a/8), as factors of sin a and as squares.
    factor = half_tangent(cosine)
    square = sine_squared * (factor * factor)
    for _ in range(2):
        half = halved_tangent(square)
        factor, square = factor * half, square * (half * half)
    return 8 * factor * arctangent_quotient(square)
