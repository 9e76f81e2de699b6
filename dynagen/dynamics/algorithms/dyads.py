r"""Dyads: two dependent joints that close a loop, solved as the intersection of two circles.

The two joints of a dyad turn the arms V1 and V2 of a triangle. Its third side D = V1 + V2 is known
from joints that are solved before. All vectors are in the plane of motion, which has the normal z.
They are resolved in the axes of the first joint before its rotation. e, h and b are scalars:

          o middle joint
     V1  / \  V2             V1.D = (D.D + V1.V1 - V2.V2) / 2 = e
        /   \                h = b sqrt(V1.V1 D.D - e^2)          b = 1 or -1, the branch
       o-----o               V1 = (e D + h cross(z, D)) / D.D
          D

The angular velocities w1 and w2 of the arms follow from w1 cross(z, V1) + w2 cross(z, V2) = dD/dt.
The solution is w1 = -(dD/dt).V2 / h and w2 = (dD/dt).V1 / h. If h^2 is not positive, the loop
cannot close or is singular.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from dynagen.dynamics.recording import Quantity, Recorder, formula, join
from dynagen.dynamics.symbolic import Expr, Matrix, sqrt
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ZERO, Angle, Exact
from dynagen.robot.description import Dyad
from dynagen.robot.model.model import BASE, RobotModel
from dynagen.robot.model.placement import Placement
from dynagen.robot.pose import IDENTITY, Pose

Row = Mapping[int, Quantity | int]
"""Row of G in v_tree = G v: the nonzero factors by the index of an independent joint.

v are the velocities of the independent joints, and v_tree those of all joints of the tree. The
factors 1 and -1 are integers.
"""


class TreeMotion(Protocol):
    """The recorded motion of a robot with closed loops, for all joints that are solved so far.

    The tree is the robot with all loops cut. The class `closed_loops.ClosedLoops` implements this
    protocol.
    """

    @property
    def recorder(self) -> Recorder:
        """Object that appends operations to the program under construction."""

    @property
    def tree(self) -> RobotModel:
        """The robot with all loops cut."""

    @property
    def free(self) -> Mapping[int, int]:
        """Mapping between the indices of each independent joint in two velocity vectors.

        A key is the joint's index in the velocity vector of the tree, which contains all joints.
        The value is its index in the velocity vector of the robot with closed loops.
        """

    @property
    def bodies(self) -> Mapping[str, int]:
        """Index of each body in the tree, by the name of its link."""

    def find_entry(self, body: int) -> int:
        """Return the index of the joint of body `body` in the velocity vector of all joints."""

    def find_rotation(self, body: int) -> tuple[Quantity, Quantity]:
        """Record the cosine and sine of a joint's angle plus its constant offset.

        `body` is the index of the joint's body.
        """

    def combine(self, terms: Sequence[tuple[Quantity | int, Quantity]]) -> Quantity:
        """Record the sum of products of pairs (factor, quantity); zero for no pairs.

        A factor is a scalar, or the integer 1 or -1, which requires no multiplication.
        """


NOT_CLOSED = "a loop cannot close"
"""Meaning of the status code of a call that fails, as documented in generated code."""

LH = Symbol(
    "lh",
    "i",
    SCALAR,
    "square of the height of the triangle of loop i, times the square of its known side; positive "
    "if the loop can close",
    "m^4",
)
LE = Symbol(
    "le",
    "i",
    SCALAR,
    "scalar product of the first arm and the known side of the triangle of loop i",
    "m^2",
)


@formula
def turned(cosine: Expr, sine: Expr, vector: Matrix) -> Matrix:
    """Return a vector (x, y), rotated by an angle."""
    return Matrix([cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1]])


@formula
def scalar_product(left: Matrix, right: Matrix) -> Expr:
    """Return the scalar product of two vectors (x, y)."""
    return left.dot(right)


@formula
def across(vector: Matrix) -> Matrix:
    """Return a vector (x, y), rotated by 90 degrees to (-y, x)."""
    return Matrix([-vector[1], vector[0]])


@formula
def projection(side: Expr, difference: Expr) -> Expr:
    """Return e = V1.D of a triangle with the arms V1 and V2 and the known side D = V1 + V2.

    `side` is D.D and `difference` is V1.V1 - V2.V2, both in m^2.
    """
    return (side + difference) / 2


@formula
def height_squared(first: Expr, side: Expr, along: Expr) -> Expr:
    """Return h^2 = (V1.V1) (D.D) - e^2 (m^4) of a triangle with the arm V1 and the known side D.

    h is the height of the triangle over D, times the length of D. `first` is V1.V1, `side` is D.D
    and `along` is e = V1.D (m^2).
    """
    return first * side - along**2


@formula
def root(value: Expr) -> Expr:
    """Return the square root of a number."""
    return sqrt(value)


@formula
def first_arm(along: Expr, height: Expr, side: Matrix, inverse: Expr) -> Matrix:
    """Return the first arm V1 of a triangle with the known side D: a vector (x, y) in m.

    `side` is D, `along` is V1.D (m^2), and `inverse` is 1 / D.D. `height` is the height of the
    triangle over D, times the length of D (m^2). The sign of `height` selects one of two solutions.
    """
    return Matrix(
        [
            inverse * (along * side[0] - height * side[1]),
            inverse * (along * side[1] + height * side[0]),
        ]
    )


@formula
def direction_from(arm: Matrix, constant: Matrix) -> Matrix:
    """Return cosine and sine of the rotation from a constant vector c to an arm, both times c.c.

    Arm and c are vectors (x, y) of equal length; `constant` is c.
    """
    return Matrix(
        [
            arm[0] * constant[0] + arm[1] * constant[1],
            arm[1] * constant[0] - arm[0] * constant[1],
        ]
    )


@dataclass(frozen=True)
class _Turn:
    """A joint that changes the known side of the triangle that a dyad closes.

    A dyad consists of two joints. They turn two sides of the triangle; the third side is known from
    other joints. It begins at the first joint of the dyad.

    Attributes:
        body: index of the joint's body.
        rate: angle about z by which the joint turns the end of the known side, per unit of the
            joint position.
        place: position (x, y) of the joint's axis from the start of the known side (m).
    """

    body: int
    rate: Exact
    place: Quantity


@dataclass(frozen=True)
class _Way:
    """The kinematic path from a dyad's first joint to the end of the triangle's known side D.

    The arms of the two joints are the other sides of the triangle. All vectors are (x, y) in the
    start axes: those of the first joint before its rotation.

    Attributes:
        side: vector D from the start to the end of the path (m).
        turns: joints on the path, in order.
        segments: vectors from joint to joint along the path, with the sum `side` (m).
        cosine, sine: cosine and sine of the angle about z from the start axes to the frame at the
            end.
        flip: -1 if the z axes of start and end are opposite, else 1.
    """

    side: Quantity
    turns: tuple[_Turn, ...]
    segments: tuple[Quantity, ...]
    cosine: Quantity
    sine: Quantity
    flip: int


@dataclass(frozen=True)
class SolvedDyad:
    """The solved triangle of a dyad, whose two joints close a loop.

    The two joints turn the arms V1 and V2, two sides of the triangle. The third side D = V1 + V2 is
    known from joints that are solved before.

    Attributes:
        loops: the recorded motion of the joints that are solved so far.
        dyad: the two joints that close the loop.
        way: the kinematic path along the known side D.
        first, second: the arms V1 and V2, as vectors (x, y) in the axes of the first joint before
            its rotation (m).
        inverse_height: 1 / h (1/m^2); |h| is the height of the triangle over D times the length of
            D.
        is_serial: whether the first joint carries the body of the second joint.
        flip: -1 if the second joint turns in the opposite sense to the first, else 1.
        rotations: cosine and sine of each joint's angle plus constant offset, by the index of the
            joint's body.
    """

    loops: TreeMotion
    dyad: Dyad
    way: _Way
    first: Quantity
    second: Quantity
    inverse_height: Quantity
    is_serial: bool
    flip: int
    rotations: Mapping[int, tuple[Quantity, Quantity]]

    def find_rows(self, rows: Mapping[int, Row]) -> dict[int, Row]:
        """Record the rows of G in v_tree = G v for the dyad's two joints.

        v are the velocities of the independent joints, and v_tree those of all joints of the tree.
        `rows` contains at least the rows of the joints that move the known side of the triangle,
        which the dyad closes.
        The keys of `rows` and of the result are indices in v_tree.
        """
        loops, slopes = self.loops, self._find_slopes()
        turns = [(turn, rows[loops.find_entry(turn.body)]) for turn in self.way.turns]
        first: dict[int, Quantity | int] = {}
        second: dict[int, Quantity | int] = {}
        for entry in loops.free:
            moving = [
                (row[entry], slope, turn.rate)
                for (turn, row), slope in zip(turns, slopes, strict=True)
                if entry in row
            ]
            if not moving:
                continue
            # Derivative of the known side D by this entry: D = V1 + V2, so the arms follow it.
            change = loops.combine([(factor, slope) for factor, slope, _ in moving])
            one, two = self._find_arm_rates(change)
            carrier = (
                one
                if self.is_serial
                else loops.combine(
                    [(factor, loops.recorder.add_constant(rate)) for factor, _, rate in moving]
                )
            )
            first[entry] = one
            second[entry] = two - carrier if self.flip > 0 else carrier - two
        return dict(zip(self._entries, (first, second), strict=True))

    def find_drift(
        self, velocities: Sequence[Quantity], drift: Mapping[int, Quantity]
    ) -> dict[int, Quantity]:
        """Record the dyad's joint accelerations at zero accelerations of independent joints.

        Args:
            velocities: velocities of all joints of the tree, in the order of its velocity vector v.
            drift: accelerations of the joints that move the known side of the triangle that the
                dyad closes, at zero accelerations of the independent joints (rad/s^2 or m/s^2), by
                index in the tree's v. A joint without a key does not accelerate.

        Returns:
            Two accelerations (rad/s^2), by index of the joint in the tree's v.
        """
        way, find_entry = self.way, self.loops.find_entry
        rate = carried = self.loops.recorder.add_constant(0)
        # Acceleration of the known side's end: centripetal terms, and the drift of joints on the
        # path.
        change = join([rate, rate])
        for turn, segment in zip(way.turns, way.segments[1:], strict=True):
            rate = rate + velocities[find_entry(turn.body)] * turn.rate
            # A segment r of the path that turns at w about z has the acceleration -w^2 r.
            change = change - (rate * rate) * segment
        for turn, slope in zip(way.turns, self._find_slopes(), strict=True):
            if (entry := find_entry(turn.body)) in drift:
                change = change + drift[entry] * slope
                carried = carried + drift[entry] * turn.rate
        own = [velocities[entry] for entry in self._entries]
        one = own[0]
        two = (one if self.is_serial else rate) + (own[1] if self.flip > 0 else -own[1])
        # w1' z x V1 + w2' z x V2 = D" + w1^2 V1 + w2^2 V2
        change = change + ((one * one) * self.first + (two * two) * self.second)
        first, second = self._find_arm_rates(change)
        carrier = first if self.is_serial else carried
        relative = second - carrier if self.flip > 0 else carrier - second
        return dict(zip(self._entries, (first, relative), strict=True))

    @property
    def _entries(self) -> tuple[int, int]:
        first, second = self.rotations
        return self.loops.find_entry(first), self.loops.find_entry(second)

    def _find_slopes(self) -> list[Quantity]:
        """Record the derivatives of the known side D of the dyad's triangle by joint positions.

        There is one derivative (x, y) for each joint on the kinematic path along D.
        """
        return [across(self.way.side - turn.place) * turn.rate for turn in self.way.turns]

    def _find_arm_rates(self, change: Quantity) -> tuple[Quantity, Quantity]:
        """Record the solution w1, w2 of w1 cross(z, V1) + w2 cross(z, V2) = `change`.

        V1 and V2 are the arms: the sides of the triangle that the dyad's two joints turn. z is
        normal to the plane of motion.
        """
        inverse = self.inverse_height
        return (
            -(inverse * scalar_product(change, self.second)),
            inverse * scalar_product(change, self.first),
        )


def solve_dyad(loops: TreeMotion, number: int, dyad: Dyad) -> SolvedDyad:
    """Record the triangle that two joints (a dyad) close, and the rotations of both joints.

    If the loop cannot close in a state, the generated function returns a nonzero status code.

    Args:
        loops: the recorded motion of the tree's joints; all preceding loops are solved.
        number: number of the loop, from 1, in the names of values.
        dyad: the two joints that close the loop.
    """
    loops.recorder.begin_section(f"Loop {number}: {dyad.first} and {dyad.second}")
    model, constant = loops.tree, loops.recorder.add_constant
    first, second = loops.bodies[dyad.first], loops.bodies[dyad.second]
    near, far = model.find_frame(dyad.near), model.find_frame(dyad.far)
    is_serial = model.bodies[second].parent == first
    front = _in_front(model.bodies[second].placement)
    way = (
        _follow(loops, first, far.body, far.pose)
        if is_serial
        else _follow(loops, first, model.bodies[second].parent, front)
    )
    # Both arms in the axes of their bodies. The second is turned over if its z axis is opposite.
    start, flip = (front, _flip(front)) if is_serial else (near.pose, way.flip)
    x, y, _ = (near if is_serial else far).pose.translation
    arms = start.translation[:2], ((x, y * flip) if is_serial else (-x, -y * flip))
    lengths = [x * x + y * y for x, y in arms]
    square = scalar_product(way.side, way.side)
    along = projection(square, constant(lengths[0] - lengths[1])).name(LE(number))
    # h^2 < 0: the known side is longer than both arms together, or shorter than their difference.
    height = height_squared(constant(lengths[0]), square, along).name(LH(number))
    loops.recorder.require_positive(height, unless=NOT_CLOSED)
    signed = root(height) if dyad.branch > 0 else -root(height)
    arm = first_arm(along, signed, way.side, 1 / square)
    # V2 = D - V1, without a second square root.
    rest = way.side - arm
    one, two = (
        direction_from(vector, constant(*fixed)) * length.reciprocal()
        for vector, fixed, length in zip((arm, rest), arms, lengths, strict=True)
    )
    # The second joint turns relative to the axes in front of it.
    carrier = (
        turned(one[0], one[1], constant(front.rotation[0][0], front.rotation[1][0]))
        if is_serial
        else join([way.cosine, way.sine])
    )
    relative = direction_from(two, carrier)
    rotations = {
        first: (one[0], one[1]),
        second: (relative[0], relative[1] if flip > 0 else -relative[1]),
    }
    return SolvedDyad(loops, dyad, way, arm, rest, 1 / signed, is_serial, flip, rotations)


def _follow(loops: TreeMotion, first: int, goal: int, end: Pose) -> _Way:
    """Record the kinematic path from a joint to a frame.

    The path begins with the joint's axes before its rotation. `first` is the index of the joint's
    body. The frame has the pose `end` in the body `goal`, which may be BASE.
    """
    model, constant = loops.tree, loops.recorder.add_constant
    cosine, sine, flip = constant(1), constant(0), 1
    place = constant(0, 0)
    turns, segments = [], []
    for pose, joint, sense in _list_steps(loops, first, goal, end):
        x, y, _ = pose.translation
        # A frame with the opposite z axis sees the plane mirrored: y and all angles change sign.
        segments.append(turned(cosine, sine, constant(x, y * flip)))
        place = place + segments[-1]
        angle = constant(pose.rotation[0][0], pose.rotation[1][0] * flip)
        cosine, sine = turned(cosine, sine, angle)
        flip *= _flip(pose)
        if joint is not None:
            turns.append(_Turn(joint, model.bodies[joint].angular * (sense * flip), place))
            own = loops.find_rotation(joint)
            cosine, sine = turned(
                cosine, sine, join([own[0], own[1] if sense * flip > 0 else -own[1]])
            )
    return _Way(place, tuple(turns), tuple(segments), cosine, sine, flip)


def _list_steps(
    loops: TreeMotion, first: int, goal: int, end: Pose
) -> list[tuple[Pose, int | None, int]]:
    """Return the constant poses between successive joints on a kinematic path.

    Each pose is followed by the index of the next joint's body, and by a sign. The sign is 1 if the
    path passes the joint outward, and -1 inward. After the last pose there is no joint (None).
    """
    bodies = loops.tree.bodies
    inward, outward = loops.tree.find_path(first), loops.tree.find_path(goal)
    common = next((each for each in inward if each in outward), BASE)
    back = inward[: inward.index(common)] if common != BASE else inward
    forth = outward[: outward.index(common)] if common != BASE else outward
    steps: list[tuple[Pose, int | None, int]] = []
    constant = _in_front(bodies[first].placement).inverse
    for index in back[1:]:
        # Towards the base a joint is passed from behind: the inverse pose, and the opposite sense.
        steps.append((constant, index, -1))
        constant = _in_front(bodies[index].placement).inverse
    for index in reversed(forth):
        steps.append((constant @ _in_front(bodies[index].placement), index, 1))
        constant = IDENTITY
    return [*steps, (constant @ end, None, 1)]


def _in_front(placement: Placement) -> Pose:
    """Return the pose of a joint's axes before its rotation, in the parent's frame."""
    return replace(placement, theta=Angle(ZERO)).pose


def _flip(pose: Pose) -> int:
    """Return 1 if a pose keeps the direction of the z axis, -1 if it reverses the direction."""
    return 1 if pose.rotation[2][2] > ZERO else -1
