"""Closed loops: positions, velocities and accelerations of dependent joints for the recursions.

The recursions run on the tree that remains when all loops are cut. This module records the motion
of the tree's joints as a function of the independent joints:

    q_tree = f(q),   v_tree = G(q) v,   a_tree = G(q) a + g(q, v)

By virtual work, the joint forces are tau = G^T tau_tree, and the mass matrix is M = G^T M_tree G.
q, v and a are the positions, velocities and accelerations of the independent joints, and tau are
their forces. The index tree marks quantities of all joints of the tree. G is the matrix of the
derivatives of f, and g(q, v) the tree's acceleration at a = 0. The source is Khalil and
Kleinfinger, "Dynamic Modeling of Closed-Loop Robots and Its Application in Robot Control",
International Journal of Robotics Research 6(4), 1987.

A mimicking joint is a dependent joint whose position is a linear function of another joint's
position. The other dependent joints are computed by the steps of `RobotModel.closure`: sums of
joint positions, dyads (two joints that close a triangle), and loops solved by Newton's method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dynagen.dynamics.algorithms.dyads import Row, SolvedDyad, solve_dyad
from dynagen.dynamics.algorithms.newton_loops import SolvedGroup, solve_group
from dynagen.dynamics.algorithms.recording import JointMatrix, JointMotion, Recording
from dynagen.dynamics.recording import Quantity, Recorder
from dynagen.robot.description import Dyad, LinearRow, NewtonGroup
from dynagen.robot.model.model import Body, RobotModel


@dataclass(frozen=True)
class ClosedLoops:
    """The recorded motion of all joints of a robot with closed loops.

    The tree is the robot with all loops cut. The velocity vector v of the robot contains the
    velocities of the independent joints; the tree's v contains the velocities of all joints.

    Attributes:
        recorder: object that appends operations to the program under construction.
        robot: the robot with its loops.
        tree: the robot with all loops cut.
    """

    recorder: Recorder
    robot: RobotModel
    tree: RobotModel
    _solved: list[SolvedDyad] = field(default_factory=list)
    _groups: list[SolvedGroup] = field(default_factory=list)

    @cached_property
    def free(self) -> Mapping[int, int]:
        """Mapping between the indices of each independent joint in two velocity vectors.

        A key is the joint's index in the velocity vector of the tree, which contains all joints.
        The value is its index in the velocity vector of the robot with closed loops.
        """
        return {
            tree.joint.idx_v: body.joint.idx_v
            for tree, body in zip(self.tree.bodies, self.robot.bodies, strict=True)
            if body.joint.nv
        }

    @cached_property
    def bodies(self) -> Mapping[str, int]:
        """Index of each body in the tree, by the name of its link."""
        return {body.name: index for index, body in enumerate(self.tree.bodies)}

    def find_entry(self, body: int) -> int:
        """Return the index of the joint of body `body` in the velocity vector of all joints."""
        return self.tree.bodies[body].joint.idx_v

    @cached_property
    def _sums(self) -> tuple[LinearRow, ...]:
        return tuple(step for step in self.robot.closure if isinstance(step, LinearRow))

    @cached_property
    def positions(self) -> Mapping[int, Quantity]:
        """Positions of joints (rad or m), by index in the velocity vector of all joints.

        The mapping contains the independent joints, and the dependent joints whose positions are
        sums of joint positions.
        """
        values = {
            entry: self.recorder.add_element("q", place) for entry, place in self.free.items()
        }
        for row in self._sums:
            terms = [(sign, values[self.find_entry(self.bodies[name])]) for name, sign in row.terms]
            values[self.find_entry(self.bodies[row.link])] = self.combine(terms)
        return values

    def solve_dyads(self) -> tuple[SolvedDyad, ...]:
        """Record the solution of all dyads once, in the order of computation; return the dyads.

        A dyad consists of two dependent joints that close a triangle. Later calls return the same
        dyads.
        """
        dyads = [step for step in self.robot.closure if isinstance(step, Dyad)]
        for number, dyad in enumerate(dyads[len(self._solved) :], len(self._solved) + 1):
            self._solved.append(solve_dyad(self, number, dyad))
        return tuple(self._solved)

    def solve_groups(self) -> tuple[SolvedGroup, ...]:
        """Record the solution of all loops that require Newton steps; return one result per group.

        A group contains the dependent joints that are solved together. The solution is recorded
        only once; later calls return the same groups.
        """
        groups = [step for step in self.robot.closure if isinstance(step, NewtonGroup)]
        for number, group in enumerate(groups[len(self._groups) :], len(self._groups) + 1):
            # Groups may depend on dyads, and not the other way round.
            self.solve_dyads()
            self._groups.append(solve_group(self, number, group))
        return tuple(self._groups)

    def find_rotation(self, body: int) -> tuple[Quantity, Quantity]:
        """Record cosine and sine of a joint's angle plus its constant offset `Placement.theta`.

        `body` is the index of the joint's body. The position of a dependent joint must be recorded
        before this call.
        """
        for dyad in self._solved:
            if body in dyad.rotations:
                return dyad.rotations[body]
        return self.record_rotation(body, self.positions[self.find_entry(body)])

    def record_rotation(self, body: int, variable: Quantity) -> tuple[Quantity, Quantity]:
        """Record the cosine and sine of a joint's angle plus its offset, from the joint position.

        `body` is the index of the joint's body, `variable` the joint position (rad).
        """
        joint, offset = self.tree.bodies[body], self.tree.bodies[body].placement.theta
        angle = variable * joint.angular
        if offset.quarter_turns is None:
            angle = angle + self.recorder.add_constant(offset.radians)
        sine, cosine = self.recorder.add_sine_cosine(angle)
        for _ in range((offset.quarter_turns or 0) % 4):
            sine, cosine = cosine, -sine
        return cosine, sine

    def spread(self, values: Mapping[int, Quantity]) -> tuple[Quantity, ...]:
        """Record G x with the matrix G of v_tree = G v, one scalar for each entry of v_tree.

        v are the velocities of the independent joints, and v_tree those of all joints of the tree.
        `values` are the entries of x, by the index of an independent joint in v_tree.
        """
        return tuple(
            self.combine([(factor, values[entry]) for entry, factor in row.items()])
            for row in self.rows
        )

    def gather(self, values: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Record G^T x, one quantity for each independent joint.

        G is the matrix of v_tree = G v: v are the velocities of the independent joints, and v_tree
        those of all joints. The result has the order of v. `values` are the entries of x: scalars
        or vectors, one for each entry of v_tree.
        """
        return tuple(
            self.combine(
                [
                    (row[entry], value)
                    for row, value in zip(self.rows, values, strict=True)
                    if entry in row
                ]
            )
            for entry in self.free
        )

    def combine(self, terms: Sequence[tuple[Quantity | int, Quantity]]) -> Quantity:
        """Record the sum of products of pairs (factor, quantity); zero for no pairs.

        A factor is a scalar, or the integer 1 or -1, which requires no multiplication.
        """
        total: Quantity | None = None
        # Positive terms first, so that no negation is needed.
        for factor, value in sorted(terms, key=lambda term: term[0] == -1):
            if isinstance(factor, int) and factor == -1:
                total = -value if total is None else total - value
                continue
            product = value if isinstance(factor, int) else factor * value
            total = product if total is None else total + product
        return self.recorder.add_constant(0) if total is None else total

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The rows of G in v_tree = G v, one for each entry of v_tree.

        v are the velocities of the independent joints, and v_tree those of all joints of the tree.
        A row maps the index of an independent joint in v_tree to an element of G; zeros are absent.
        """
        rows: dict[int, Row] = {entry: {entry: 1} for entry in self.free}
        for row in self._sums:
            rows[self.find_entry(self.bodies[row.link])] = {
                self.find_entry(self.bodies[name]): sign for name, sign in row.terms
            }
        for dyad in self.solve_dyads():
            self.recorder.begin_section(f"Velocities of {dyad.dyad.first} and {dyad.dyad.second}")
            rows |= dyad.find_rows(rows)
        for number, group in enumerate(self.solve_groups(), start=1):
            self.recorder.begin_section(f"Velocities of Newton group {number}")
            rows |= group.find_rows(rows)
        return tuple(rows[entry] for entry in range(self.tree.nv))

    @cached_property
    def velocities(self) -> tuple[Quantity, ...]:
        """Velocities of all joints (rad/s or m/s), in the order of the tree's velocity vector."""
        return self.spread(self.read("qd"))

    @cached_property
    def drift(self) -> tuple[Quantity, ...]:
        """Accelerations of all joints at zero accelerations of the independent joints.

        The accelerations (rad/s^2 or m/s^2) are in the order of the velocity vector of all joints.
        """
        drift: dict[int, Quantity] = {}
        for dyad in self.solve_dyads():
            drift |= dyad.find_drift(self.velocities, drift)
        for group in self.solve_groups():
            drift |= group.find_drift(self.velocities, drift)
        zero = self.recorder.add_constant(0)
        return tuple(drift.get(entry, zero) for entry in range(self.tree.nv))

    def read(self, argument: str) -> Mapping[int, Quantity]:
        """Return the elements of an input that has one element for each independent joint.

        The keys are the indices of these joints in the velocity vector of the tree, which contains
        all joints.
        """
        return {
            entry: self.recorder.add_element(argument, place) for entry, place in self.free.items()
        }


@dataclass(frozen=True)
class ClosedRecording(Recording):
    """The recording of a function for a robot with closed loops.

    The inherited field `model` is the tree, which is the robot with all loops cut.

    Attributes:
        loops: the recorded motion of all joints of the tree.
    """

    loops: ClosedLoops = field(kw_only=True)

    @property
    def robot(self) -> RobotModel:
        """The robot with closed loops; inputs and results are for its independent joints."""
        return self.loops.robot

    @property
    def velocities(self) -> tuple[Quantity, ...]:
        """Velocities of all joints (rad/s or m/s), in the order of the tree's velocity vector."""
        return self.loops.velocities

    @property
    def motion(self) -> JointMotion:
        """Velocities and accelerations of all joints of the tree from qd and qdd, under gravity."""
        return JointMotion(self.velocities, self.add_elements("qdd"))

    def make_unaccelerated_motion(self, gravity: bool) -> JointMotion:
        """Return the motion of all joints at zero accelerations of the independent joints."""
        return JointMotion(self.velocities, self.loops.drift, gravity)

    def add_elements(self, argument: str) -> tuple[Quantity, ...]:
        """Record the elements of an input; qd and qdd are extended to all joints of the tree.

        The input `argument` has one element for each independent joint. For qd and qdd, the result
        contains the velocities or accelerations of all joints of the tree, in the order of the
        tree's velocity vector.
        """
        if argument == "qd":
            return self.velocities
        if argument == "qdd":
            caused = self.loops.spread(self.loops.read("qdd"))
            return tuple(
                of_free + drift for of_free, drift in zip(caused, self.loops.drift, strict=True)
            )
        return tuple(self.add_element(argument, entry) for entry in range(self.robot.nv))

    def solve_loops(self) -> None:
        """Record the positions of the dependent joints, which the closed loops determine."""
        # Before the section of joint positions; dyads also without groups.
        self.loops.solve_groups()
        self.loops.solve_dyads()

    def find_position(self, body: Body) -> Quantity:
        """Return the position of a body's joint (rad or m); zero for a joint of a dyad.

        A dyad consists of two joints that close a triangle. Only the cosines and sines of their
        angles are computed (`find_rotation`).
        """
        for group in self.loops.solve_groups():
            if body.joint.idx_v in group.positions:
                return group.positions[body.joint.idx_v]
        return self.loops.positions.get(body.joint.idx_v, self.add_constant(0))

    def find_rotation(self, body: Body) -> tuple[Quantity, Quantity] | None:
        """Return cosine and sine of a joint's angle plus offset for a joint of a dyad, else None.

        A dyad consists of two joints that close a triangle. Only for these joints, cosine and sine
        are computed without the angle. For all other joints the angle itself is known.
        """
        index = self.loops.bodies[body.name]
        rotates_by_loop = any(index in dyad.rotations for dyad in self.loops.solve_dyads())
        return self.loops.find_rotation(index) if rotates_by_loop else None

    def gather(self, values: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Record G^T x, one quantity for each independent joint.

        G is the matrix of v_tree = G v: v are the velocities of the independent joints, and v_tree
        those of all joints. `values` are the entries of x, for example joint forces: one scalar or
        vector for every entry of v_tree.
        """
        return self.loops.gather(values)

    def gather_matrix(self, matrix: JointMatrix) -> JointMatrix:
        """Record G^T M G for a symmetric matrix M over all joints of the tree.

        G is the matrix of v_tree = G v: v are the velocities of the independent joints, and v_tree
        those of all joints. `matrix` is M by (row, column), which are indices in v_tree; absent
        entries are zero. The result has an entry for every pair of independent joints.
        """
        size, free = range(self.model.nv), range(len(self.loops.free))
        zero = self.add_constant(0)
        # M G, then G^T of its columns.
        half = [self.gather([matrix.get((row, column), zero) for column in size]) for row in size]
        result: dict[tuple[int, int], Quantity] = {}
        for column in free:
            entries = self.gather([half[row][column] for row in size])
            for row in range(column, len(free)):
                result[row, column] = result[column, row] = entries[row]
        return result


def make_closed_recording(recorder: Recorder, robot: RobotModel) -> ClosedRecording:
    """Return an empty program for a robot with closed loops, before its bodies are recorded.

    The model of the recording is the robot's tree, with all loops cut.
    """
    tree = robot.tree
    return ClosedRecording(recorder, tree, loops=ClosedLoops(recorder, robot, tree))
