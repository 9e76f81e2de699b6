"""Inverse kinematics in closed form: all solutions (branches) for a pose.

The module `arm_geometry` defines which arms can be solved, and cites the source. The module
`subproblems` solves the equations of one and of two joints. M1, M2 and M3 are the motions of joints
1, 2 and 3: each is a rotation about or a translation along the z axis of the joint's body.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from dynagen.dynamics.algorithms.arm_geometry import Arm, Structure, Wrist, find_intersection
from dynagen.dynamics.algorithms.extrema import greater, smaller
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.subproblems import (
    Branch,
    Motion,
    Slide,
    SubproblemSolver,
    planar_cross,
    planar_scalar,
    positive_root,
    scalar,
    squared,
)
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Expr, sign
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.numbers.exact import ZERO, Exact, is_zero
from dynagen.robot.pose import Vector, add, cross, dot, scale

ROTATION, POSITION = "R", "p"
"""Names of the inputs: rotation matrix and position of the pose that a frame has to reach."""

OUT_OF_REACH = "the pose is out of reach"
"""Meaning of a nonzero status code, for the documentation in generated code."""

PW = Symbol("pw", "i", VECTOR, "centre of the wrist in the base frame (i is 0)", "m")


@formula
def is_not_negative(value: Expr) -> Expr:
    """Return 1 for a number that is zero or positive, else 0."""
    return sign(1 + sign(value))


class ArmSolver(SubproblemSolver):
    """Solver that records the closed-form inverse kinematics of an arm, joint by joint."""

    def __init__(self, recording: Recording, arm: Arm) -> None:
        super().__init__(recording.recorder, arm.length)
        self.arm = arm

    def record_branches(self) -> list[Branch]:
        """Record all solutions (branches) for the pose in the inputs.

        The inputs are the position `p` of the frame's origin (m) and, for an arm with a wrist, the
        rotation matrix `R` of the frame, in base axes.
        """
        position = self._read(POSITION, 0, 1)
        wrist = self.arm.wrist
        if wrist is None:
            return self._solve_arm(position)
        columns = [self._read(ROTATION, axis, 3) for axis in range(3)]
        self.recorder.begin_section("Centre of the wrist")
        position = (position + self._combine(columns, wrist.center)).name(PW(0))
        # Axes x and z of the last body are combinations of the axes of the frame.
        x, _, z = (self._combine(columns, row) for row in wrist.orientation.rotation)
        return [
            branch.extend(rest)
            for branch in self._solve_arm(position)
            for rest in self._solve_wrist(wrist, branch, x, z)
        ]

    def _read(self, argument: str, first: int, step: int) -> Quantity:
        """Return the elements first, first + step and first + 2 step of an input, as a vector."""
        return join(self.recorder.add_element(argument, first + step * row) for row in range(3))

    def _combine(self, columns: list[Quantity], factors: Vector) -> Quantity:
        """Record the sum of the vectors `columns`, each times the constant number in `factors`."""
        return reduce(
            lambda left, right: left + right,
            (column * factor for column, factor in zip(columns, factors, strict=True)),
        )

    def _solve_arm(self, position: Quantity) -> list[Branch]:
        """Record the solutions of joints 1 to 3 for which `Arm.point` is at `position`.

        `Arm.point` is the centre of the wrist, or the origin of a frame. `position` is in base axes
        (m).
        """
        first = self.arm.poses[0]
        point = self.rotate_back(first, position - self.constant(first.translation))
        solve = {
            Structure.LAST_PARALLEL: self._solve_last_parallel,
            Structure.FIRST_PARALLEL: self._solve_first_parallel,
            Structure.LAST_PRISMATIC: self._solve_last_prismatic,
            Structure.FIRST_MEET: self._solve_first_meet,
            Structure.LAST_MEET: self._solve_last_meet,
        }[self.arm.structure]
        return list(solve(point))

    def _solve_last_parallel(self, point: Quantity) -> Iterator[Branch]:
        _, two, three = self.arm.poses
        # M1^-1 u has a known component along axis 2.
        end = add(three.translation, three.rotate(self.arm.point))
        level = dot(two.z_axis, two.translation) + end[2]
        for branch in self._solve_component(point, two.z_axis, level):
            target = self._behind_second(branch, point)
            for rest in self.solve_parallel(target, three, self.constant(self.arm.point), (2, 3)):
                yield branch.extend(rest)

    def _solve_last_prismatic(self, point: Quantity) -> Iterator[Branch]:
        _, two, three = self.arm.poses
        start = add(
            two.translation, two.rotate(add(three.translation, three.rotate(self.arm.point)))
        )
        second, third = two.z_axis, two.rotate(three.z_axis)
        normal = cross(second, third)
        share = dot(normal, normal).reciprocal()
        for branch in self._solve_component(point, normal, dot(normal, start)):
            way = self._behind_first(branch, point) - self.constant(start)
            lengths = (
                scalar(self.constant(scale(share, dual)), way)
                for dual in (cross(third, normal), cross(normal, second))
            )
            yield branch.extend(
                Branch({number: Slide(each) for number, each in zip((2, 3), lengths, strict=True)})
            )

    def _solve_first_parallel(self, point: Quantity) -> Iterator[Branch]:
        _, two, three = self.arm.poses
        # The component of u along axis 2 depends on joint 3 only.
        height = (point[2] - self.number(two.translation[2])) * two.rotation[2][2]
        level = height - self.number(three.translation[2])
        row, end = three.rotation[2], self.constant(self.arm.point)
        if self.arm.turns[2]:
            solved = list(self.solve_row(row, end, level, 3))
        else:
            left = level - scalar(self.constant(row), end)
            solved = [Branch({3: Slide(left * row[2].reciprocal())})]
        for branch in solved:
            arm = self.constant(three.translation) + self.rotate(
                three, self._move(branch.motions[3], end)
            )
            for rest in self.solve_parallel(point, two, arm, (1, 2)):
                yield branch.extend(rest)

    def _solve_first_meet(self, point: Quantity) -> Iterator[Branch]:
        _, two, three = self.arm.poses
        met = find_intersection(two)
        assert met is not None  # the structure
        target = point - self.constant((ZERO, ZERO, met[0]))
        start = three.inverse.rotate(add(three.translation, (ZERO, ZERO, -met[1])))
        end = self.constant(self.arm.point)
        square = scalar(target, target)
        for branch in self._solve_distance(square, start, 3):
            arm = self.rotate(three, self.constant(start) + self._move(branch.motions[3], end))
            height = (
                planar_scalar(target, target)
                if self._extends_flat(start)
                else self.find_meeting_height(target, two, arm)
            )
            for rest in self.solve_meeting(target, two, arm, height, (1, 2)):
                yield branch.extend(rest)

    def _extends_flat(self, start: Vector) -> bool:
        """Return whether joint 3 slides the point `Arm.point` in a plane that contains axis 1.

        The plane is normal to axis 2. The point may then lie on axis 1. There the number h^2, whose
        square root the solution contains, has to be exactly 0. `start` is the vector (m) from the
        intersection of axes 1 and 2 to the origin of body 3 at joint position 0, in the axes of
        body 3.
        """
        _, two, three = self.arm.poses
        height = three.rotate(add(start, self.arm.point))[2]
        flat = (two.rotation[2][2], three.rotation[2][2], height)
        return not self.arm.turns[2] and all(map(is_zero, flat))

    def _solve_last_meet(self, point: Quantity) -> Iterator[Branch]:
        _, two, three = self.arm.poses
        met = find_intersection(three)
        assert met is not None  # the structure
        center = add(two.translation, scale(met[0], two.z_axis))
        arm = add(self.arm.point, (ZERO, ZERO, -met[1]))
        square = self.number(dot(arm, arm))
        for branch in self._solve_center(point, center, square):
            target = self._behind_second(branch, point) - self.constant((ZERO, ZERO, met[0]))
            height = self.find_constant_height(target, three, arm)
            for rest in self.solve_meeting(target, three, self.constant(arm), height, (2, 3)):
                yield branch.extend(rest)

    def _behind_first(self, branch: Branch, point: Quantity) -> Quantity:
        """Record M1^-1 u, the point u (`point`) in the axes that move with joint 1.

        M1 is the motion of joint 1: a rotation about or a translation along its axis z.
        """
        motion = branch.motions[1]
        if isinstance(motion, Slide):
            return point - motion.length * self.constant((ZERO, ZERO, Exact(1)))
        return motion.rotate_back(point)

    def _behind_second(self, branch: Branch, point: Quantity) -> Quantity:
        """Record the point u (`point`) in the axes of body 2 for joint 2 at position 0.

        The motion of joint 1, which `branch` contains, is undone first. `point` is in the axes of
        body 1 at joint position 0.
        """
        two = self.arm.poses[1]
        return self.rotate_back(
            two, self._behind_first(branch, point) - self.constant(two.translation)
        )

    def _move(self, motion: Motion, vector: Quantity) -> Quantity:
        """Record M w: the point w (`vector`) of a body after the motion M of the body's joint."""
        if isinstance(motion, Slide):
            return vector + motion.length * self.constant((ZERO, ZERO, Exact(1)))
        return motion.rotate(vector)

    def _solve_component(
        self, point: Quantity, direction: Vector, level: Exact
    ) -> Iterator[Branch]:
        """Record the solutions of joint 1 for a given component of M1^-1 u along a direction.

        M1 is the motion of joint 1 along or about its axis z. `point` is the required point u (m),
        `direction` a constant vector in body 1. `level` is the given scalar product of this vector
        with M1^-1 u.
        """
        along = self.constant(direction)
        if not self.arm.turns[0]:
            rest = scalar(along, point) - self.number(level)
            yield Branch({1: Slide(rest * direction[2].reciprocal())})
            return
        cosine, sine = planar_scalar(along, point), planar_cross(along, point)
        left = self.number(level) - self.number(direction[2]) * point[2]
        square = planar_scalar(along, along) * planar_scalar(point, point)
        height = square - squared(left)
        yield from self.solve_equation(1, (cosine, sine, left), square, height, 1)

    def _solve_distance(self, square: Quantity, start: Vector, number: int) -> Iterator[Branch]:
        """Record the solutions of joint 3 for which |b + M3 w|^2 is `square` (m^2).

        M3 is the motion of joint 3 along or about its axis z. w is the point `Arm.point` in body 3,
        and `start` the constant vector b (m). `number` is the joint's number, from 1.
        """
        base, end = self.constant(start), self.constant(self.arm.point)
        if not self.arm.turns[2]:
            reached = base + end
            height = square - planar_scalar(reached, reached)
            yield from self.solve_length(number, reached[2], height)
            return
        lengths = scalar(base, base) + scalar(end, end)
        left = square - lengths - 2 * (base[2] * end[2])
        cosine, sine = 2 * planar_scalar(base, end), 2 * planar_cross(end, base)
        product = 4 * (planar_scalar(base, base) * planar_scalar(end, end))
        longest = positive_root(product)
        height = (longest - left) * (longest + left)
        yield from self.solve_equation(number, (cosine, sine, left), product, height, 2)

    def _solve_center(self, point: Quantity, center: Vector, square: Quantity) -> Iterator[Branch]:
        """Record the solutions of joint 1 for which |M1^-1 u - c|^2 is `square` (m^2).

        M1 is the motion of joint 1 along or about its axis z. `point` is the required point u in
        the axes of body 1 at joint position 0, and `center` is the constant point c in body 1 (m).
        """
        middle = self.constant(center)
        if not self.arm.turns[0]:
            way = middle - point
            height = square - planar_scalar(way, way)
            yield from self.solve_length(1, way[2], height)
            return
        left = scalar(point, point) + self.number(dot(center, center)) - square
        left = left - 2 * (middle[2] * point[2])
        cosine, sine = 2 * planar_scalar(middle, point), 2 * planar_cross(middle, point)
        product = 4 * (planar_scalar(middle, middle) * planar_scalar(point, point))
        height = product - squared(left)
        yield from self.solve_equation(1, (cosine, sine, left), product, height, 2)

    def _solve_wrist(
        self, wrist: Wrist, branch: Branch, x: Quantity, z: Quantity
    ) -> Iterator[Branch]:
        """Record the solutions of joints 4 to 6 that give the last body its required orientation.

        `x` and `z` are the required unit vectors x and z of the last body in base axes. `branch`
        contains the solved joints 1 to 3.
        """
        fourth, fifth, sixth = wrist.poses
        for number, pose in enumerate(self.arm.poses, start=1):
            motion = branch.motions[number]
            x, z = (motion.rotate_back(self.rotate_back(pose, axis)) for axis in (x, z))
        x, z = (self.rotate_back(fourth, axis) for axis in (x, z))
        height, axis = self.find_constant_height(z, fifth, sixth.z_axis), sixth.z_axis
        for rest in self.solve_meeting(z, fifth, self.constant(axis), height, (4, 5), 0):
            carried = rest.motions[4].rotate_back(x)
            bent = rest.motions[5].rotate_back(self.rotate_back(fifth, carried))
            last = self.rotate_back(sixth, bent)
            yield rest.extend(Branch({6: self.normalise(last[0], last[1])}))


def record_inverse_kinematics(recording: Recording, arm: Arm) -> tuple[Quantity, Quantity]:
    """Record the joint positions of all solutions (branches), and whether each reaches the pose.

    Args:
        recording: program under construction.
        arm: the arm, whose geometry allows a closed form.

    Returns:
        The joint positions (rad or m), branch after branch, and one number for each branch: 1 if it
        reaches the pose, else 0. A branch that does not reach the pose contains the positions of a
        stretched or folded arm. If no branch reaches the pose, the generated function returns a
        nonzero status code.
    """
    recording.begin_section("Branches")
    branches = ArmSolver(recording, arm).record_branches()
    recording.begin_section("Joint positions of all branches")
    positions, reached = [], []
    values: dict[int, Quantity] = {}
    for branch in branches:
        for number, body in enumerate(recording.model.bodies, start=1):
            motion = branch.motions[number]
            if id(motion) not in values:  # branches share joints
                ratio = (body.angular or body.linear).reciprocal()
                values[id(motion)] = motion.find_value() * ratio
            positions.append(values[id(motion)])
        margins = branch.margins or (recording.add_constant(1),)
        reached.append(is_not_negative(reduce(smaller, margins)))
    if any(branch.margins for branch in branches):
        recording.recorder.require_positive(reduce(greater, reached), unless=OUT_OF_REACH)
    return join(positions), join(reached)
