"""Steps of inverse kinematics in closed form: equations of one or two joints.

For a revolute joint with the angle phi, a step solves an equation A cos phi + B sin phi = C. Its
two solutions are two branches of the inverse kinematics:

    cos phi = (A C -+ B h) / n,   sin phi = (B C +- A h) / n,   n = A^2 + B^2,  h^2 = n - C^2

If |C| > sqrt(n), the branch cannot reach the pose. Such a branch is computed with h = 0, which
stretches or folds the arm. Its margin is negative, which marks the branch. If two joint axes are
collinear, the equation is 0 = 0. In these poses phi = 0 is used, and the other joints are solved
for phi = 0. The formula for h^2 is chosen such that h^2 is exactly zero in these poses.

Angles are computed from cosine and sine as in the module `integration`, without inverse
trigonometric functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dynagen.dynamics.algorithms.integration import (
    direction_of,
    magnitude_of,
    record_angle_quotient,
)
from dynagen.dynamics.recording import Quantity, Recorder, formula
from dynagen.dynamics.symbolic import Expr, Matrix, Max, Rational, sign, sqrt
from dynagen.numbers.exact import PI, Exact, is_zero
from dynagen.robot.pose import Pose, Vector, dot, transpose

TOLERANCE = Exact("1e-5")
"""Largest excess of |C| over sqrt(A^2 + B^2) at which a branch counts as reaching the pose.

A branch solves A cos phi + B sin phi = C for a joint angle phi. If C is a length, the excess is
relative to the size of the arm (`Arm.length`).
"""


@formula
def rotated(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return a vector, rotated about z.

    `cosine` and `sine` are those of the angle.
    """
    x, y, z = vector
    return Matrix([cosine * x - sine * y, sine * x + cosine * y, z])


@formula
def scalar(left: Matrix, right: Matrix) -> Expr:
    """Return the scalar product of two vectors."""
    return left.dot(right)


@formula
def planar_scalar(left: Matrix, right: Matrix) -> Expr:
    """Return x1 x2 + y1 y2, the scalar product of two vectors' projections on the x-y plane."""
    return left[0] * right[0] + left[1] * right[1]


@formula
def planar_cross(left: Matrix, right: Matrix) -> Expr:
    """Return the z component of the cross product of two vectors."""
    return left[0] * right[1] - left[1] * right[0]


@formula
def squared(value: Expr) -> Expr:
    """Return the square x^2 of a number."""
    return value**2


@formula
def positive_root(value: Expr) -> Expr:
    """Return the square root of a number, or zero if the number is negative."""
    return sqrt(Max(value, 0))


@formula
def limited(value: Expr) -> Expr:
    """Return the larger of a number and 1e-12, as a safe divisor."""
    return Max(value, Rational(1, 10**12))


@formula
def squared_radius(cosine: Expr, sine: Expr) -> Expr:
    """Return the sum of the squares of two numbers."""
    return cosine**2 + sine**2


@formula
def vanishes(square: Expr) -> Expr:
    """Return 1 if a number is zero, and 0 if it is positive."""
    return 1 - sign(square)


@formula
def root(value: Expr) -> Expr:
    """Return the square root of a number."""
    return sqrt(value)


@formula
def half_turns(cosine_sign: Expr, sine_sign: Expr) -> Expr:
    """Return 1 for an angle above 90 degrees, -1 for an angle below -90 degrees, else 0.

    The arguments are the signs (1 or -1) of the cosine and the sine of the angle.
    """
    return sine_sign * (1 - cosine_sign) / 2


@dataclass(frozen=True)
class Turn:
    """Motion of a revolute joint: cosine and sine of the rotation angle about z."""

    cosine: Quantity
    sine: Quantity

    def rotate(self, vector: Quantity) -> Quantity:
        """Record a vector, rotated about z by the joint's angle."""
        return rotated(self.cosine, self.sine, vector)

    def rotate_back(self, vector: Quantity) -> Quantity:
        """Record a vector, rotated about z by minus the joint's angle."""
        return rotated(self.cosine, -self.sine, vector)

    def find_value(self) -> Quantity:
        """Record the angle of the rotation, between -pi and pi (rad)."""
        quotient = record_angle_quotient(self.sine * self.sine, magnitude_of(self.cosine))
        cosine_sign, sine_sign = direction_of(self.cosine), direction_of(self.sine)
        return cosine_sign * (quotient * self.sine) + half_turns(cosine_sign, sine_sign) * PI


@dataclass(frozen=True)
class Slide:
    """Motion of a prismatic joint: a translation along its axis z (m)."""

    length: Quantity

    def rotate(self, vector: Quantity) -> Quantity:
        """Return the vector: a translation does not rotate it."""
        return vector

    rotate_back = rotate

    def find_value(self) -> Quantity:
        """Return the translation along the joint axis (m)."""
        return self.length


Motion = Turn | Slide
Motions = Mapping[int, Motion]
"""Motions of joints, by the number of the joint from 1."""


@dataclass(frozen=True)
class Branch:
    """One solution of the inverse kinematics, which may be incomplete.

    Attributes:
        motions: motions of the joints that are solved so far.
        margins: recorded numbers; the branch reaches the pose if none of them is negative.
    """

    motions: Motions
    margins: tuple[Quantity, ...] = ()

    def extend(self, other: Branch) -> Branch:
        """Return the branch with the motions and margins of another branch appended."""
        return Branch({**self.motions, **other.motions}, (*self.margins, *other.margins))


class SubproblemSolver:
    """Solver that records closed-form solutions of equations for one or two joint positions.

    Joints have numbers from 1. Vectors are recorded values (`Quantity`) of three elements.
    """

    def __init__(self, recorder: Recorder, length: Exact) -> None:
        """Make a solver for the joints of an arm.

        Args:
            recorder: object that appends operations to the program under construction.
            length: size of the arm (m), by which tolerances of lengths are scaled.
        """
        self.recorder, self.length = recorder, length

    def constant(self, vector: Vector) -> Quantity:
        """Record a constant vector of exact numbers."""
        return self.recorder.add_constant(*vector)

    def number(self, number: Exact) -> Quantity:
        """Record a constant scalar from an exact number."""
        return self.recorder.add_constant(number)

    def rotate(self, pose: Pose, vector: Quantity) -> Quantity:
        """Record a free vector in the axes of a first frame, from its components in a second frame.

        `pose` is the constant pose of the second frame in the first frame.
        """
        return self.recorder.add_constant_matrix(pose.rotation) @ vector

    def rotate_back(self, pose: Pose, vector: Quantity) -> Quantity:
        """Record a free vector in the axes of a second frame, from its components in a first frame.

        `pose` is the constant pose of the second frame in the first frame.
        """
        return self.recorder.add_constant_matrix(transpose(pose.rotation)) @ vector

    def solve_row(
        self, row: Vector, vector: Quantity, level: Quantity, number: int
    ) -> Iterator[Branch]:
        """Record the two angles phi of a joint that solve r.(Rz(phi) v) = C, each as a branch.

        r is `row` (constant), v is `vector`, and C is `level`. Rz(phi) is the rotation by phi about
        z. `number` is the number of the joint, from 1.
        """
        along = self.constant(row)
        left = level - self.number(row[2]) * vector[2]
        # r.(Rz(phi) v) = r_z v_z + A cos phi + B sin phi; A and B from the x and y components.
        cosine, sine = planar_scalar(along, vector), planar_cross(vector, along)
        square = planar_scalar(along, along) * planar_scalar(vector, vector)
        height = square - squared(left)
        yield from self.solve_equation(number, (cosine, sine, left), square, height, 1)

    def solve_parallel(
        self, target: Quantity, pose: Pose, end: Quantity, numbers: tuple[int, int]
    ) -> Iterator[Branch]:
        """Record the two solutions of M (t + R M' w) = x for two parallel joints, each as a branch.

        M and M' are the rotations of the first and the second joint about their axes z. The
        equation is solved only for the components normal to these axes.

        Args:
            target: the required vector x (m), in the axes before the rotation M.
            pose: constant pose of the axes before M' in the axes after M, with the translation t
                and the rotation matrix R.
            end: the vector w (m), in the axes after the rotation M'.
            numbers: numbers of the two joints, from 1.
        """
        start, arm = self.constant(pose.translation), self.rotate(pose, end)
        square = planar_scalar(target, target)
        lengths = planar_scalar(start, start), planar_scalar(arm, arm)
        near, far = positive_root(lengths[0]), positive_root(lengths[1])
        left = square - lengths[0] - lengths[1]
        # |t + R M' w|^2 = |x|^2 in the plane: an equation for the second joint alone.
        cosine, sine = 2 * planar_scalar(start, arm), 2 * planar_cross(arm, start)
        # 4 |t|^2 |w|^2 - C^2 in factors, which vanishes exactly where the target is on axis 2.
        height = (square - squared(near - far)) * (squared(near + far) - square)
        product = 4 * (lengths[0] * lengths[1])
        for branch in self.solve_equation(numbers[1], (cosine, sine, left), product, height, 2):
            turn = branch.motions[numbers[1]]
            reached = start + turn.rotate(arm)
            # Opposite axes: a rotation by phi is one by -phi about the other axis.
            if pose.rotation[2][2] < 0 and isinstance(turn, Turn):
                turn = Turn(turn.cosine, -turn.sine)
            motions = {numbers[0]: self.align(reached, target), numbers[1]: turn}
            yield Branch(motions, branch.margins)

    def solve_meeting(
        self,
        target: Quantity,
        pose: Pose,
        end: Quantity,
        height: Quantity,
        numbers: tuple[int, int],
        power: int = 1,
    ) -> Iterator[Branch]:
        """Record the two solutions of M R M' w = x for joints whose axes meet, each as a branch.

        M and M' are the rotations of the first and the second joint about their axes z. The vectors
        w and x have equal length.

        Args:
            target: the required vector x, in the axes before the rotation M.
            pose: constant pose of the axes before M' in the axes after M, with the rotation matrix
                R.
            end: the vector w, in the axes after the rotation M'.
            height: h^2 of the second joint's equation, from `find_meeting_height` or
                `find_constant_height`.
            numbers: numbers of the two joints, from 1.
            power: 0 if w and x are unit vectors, 1 if they are lengths (m).
        """
        row = self.constant(pose.rotation[2])
        # Joint 1 keeps the z component, so x_z = (R M' w)_z is an equation for joint 2 alone.
        left = target[2] - row[2] * end[2]
        cosine, sine = planar_scalar(row, end), planar_cross(end, row)
        square = planar_scalar(row, row) * planar_scalar(end, end)
        equation = (cosine, sine, left)
        for branch in self.solve_equation(numbers[1], equation, square, height, power):
            reached = self.rotate(pose, branch.motions[numbers[1]].rotate(end))
            yield Branch({numbers[0]: self.align(reached, target)}).extend(branch)

    def find_meeting_height(self, target: Quantity, pose: Pose, end: Quantity) -> Quantity:
        """Record h^2 = A^2 + B^2 - C^2 of the second joint's equation in `solve_meeting`.

        The equation is A cos phi + B sin phi = C for the angle phi of the joint. The arguments are
        those of `solve_meeting`.
        """
        row = self.constant(pose.rotation[2])
        square = planar_scalar(row, row) * planar_scalar(end, end)
        return square - squared(target[2] - row[2] * end[2])

    def find_constant_height(self, target: Quantity, pose: Pose, end: Vector) -> Quantity:
        """Record h^2 = A^2 + B^2 - C^2 of the second joint in `solve_meeting`, for constant w.

        The equation of the second joint is A cos phi + B sin phi = C for the joint angle phi. The
        arguments are those of `solve_meeting`: `target` is the vector x, `end` the vector w. For
        unit vectors x and w, h^2 is (1 - r_z^2)(1 - w_z^2) - (x_z - r_z w_z)^2, with the third row
        r of the rotation matrix R. If w_z = s r_z with s = 1 or -1, x may be on the axis of the
        first joint, where this difference is imprecise. The equal formula (x_x^2 + x_y^2) (1 - 2
        w_z^2 / (1 + s x_z)) is then used.
        """
        along = pose.rotation[2][2]
        if not is_zero(along * along * dot(end, end) - end[2] * end[2]):
            return self.find_meeting_height(target, pose, self.constant(end))
        flat = planar_scalar(target, target)
        if is_zero(end[2]):
            return flat
        length = dot(end, end).sqrt()
        side = target[2] if (along * end[2]) > 0 else -target[2]
        share = self.number(2 * end[2] * end[2] / length) / limited(side + self.number(length))
        return flat - flat * share

    def solve_equation(
        self,
        number: int,
        equation: tuple[Quantity, Quantity, Quantity],
        square: Quantity,
        height: Quantity,
        power: int,
    ) -> Iterator[Branch]:
        """Record the two solutions phi of A cos phi + B sin phi = C, each as a branch of one joint.

        Args:
            number: number of the joint, from 1.
            equation: the coefficients A, B and C.
            square: n = A^2 + B^2.
            height: h^2 = n - C^2; a negative number is replaced by zero.
            power: exponent of m in the unit of C. The branches do not reach the pose if |C| exceeds
                sqrt(n) by more than `TOLERANCE` times the arm's size to this power.
        """
        cosine, sine, left = equation
        distance = positive_root(height)
        allowed = self.number(TOLERANCE * self.length**power)
        margin = positive_root(square) + allowed - magnitude_of(left)
        for h in (distance, -distance):
            turn = self.normalise(cosine * left - sine * h, sine * left + cosine * h)
            yield Branch({number: turn}, (margin,))

    def solve_length(self, number: int, offset: Quantity, height: Quantity) -> Iterator[Branch]:
        """Record the two translations delta that solve (offset + delta)^2 = h^2, each as a branch.

        delta (m) is the translation of the prismatic joint `number`, from 1. `offset` is in m, and
        `height` is h^2 (m^2).
        """
        distance = positive_root(height)
        margin = height + self.number(TOLERANCE * self.length**2)
        for h in (distance, -distance):
            yield Branch({number: Slide(h - offset)}, (margin,))

    def align(self, vector: Quantity, target: Quantity) -> Turn:
        """Record the rotation about z that turns `vector` into the direction of `target`.

        Only the x and y components are used.
        """
        return self.normalise(planar_scalar(vector, target), planar_cross(vector, target))

    def normalise(self, cosine: Quantity, sine: Quantity) -> Turn:
        """Record a rotation about z from a positive multiple of its angle's cosine and sine.

        If both arguments are zero, the angle is zero.
        """
        square = squared_radius(cosine, sine)
        nothing = vanishes(square)
        # For 0, 0 the divisor is 1 instead of 0, without a branch in the program.
        inverse = 1 / root(square + nothing)
        return Turn((cosine + nothing) * inverse, sine * inverse)
