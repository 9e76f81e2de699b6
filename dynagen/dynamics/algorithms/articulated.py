"""The articulated-body algorithm (ABA): joint accelerations in O(n) operations.

The algorithm is from Featherstone, "The Calculation of Robot Dynamics Using Articulated-Body
Inertias", International Journal of Robotics Research 2(1), 1983. The equations are cited from Saha,
"Simulation of Industrial Manipulators Based on the UDU^T Decomposition of Inertia Matrix",
Multibody System Dynamics 9, 2003, section 2 and appendix B. Three symbols are from Featherstone,
"Rigid Body Dynamics Algorithms", 2008, section 7.3: the wrench U on a body at a unit acceleration
of its joint, the inertia D along the joint, and u, the joint force minus its value at zero joint
accelerations. Saha writes psi for U / D, eta for the wrench that a joint transmits to the parent,
and mu for the acceleration that joint accelerations add to a body. Two changes to the published
algorithm save operations:

- Gravity and velocities appear only in a first Newton-Euler recursion with zero joint
  accelerations. The outward sweep computes only the accelerations that are due to joint
  accelerations.
- The wrench that a joint transmits to the parent has a known component along the joint axis: the
  joint force tau, minus mu u if a motor with the reflected inertia Ia drives the joint (mu = Ia /
  D). This component replaces the sum p + U u / D, where p is the wrench at zero joint
  accelerations.

Joints are eliminated in clusters. A cluster is a connected set of joints; the joint nearest to the
base is its root. Within a cluster, inertias of bodies are added as if the joints were locked
(composite bodies, CRBA). Each joint of a cluster has a column: the wrench U at a unit acceleration
of the joint, about the origin of the root's body. The joints of a cluster are eliminated together
by factoring their mass matrix (`factorisation`). The root transmits the articulated inertia to the
next cluster. With a single cluster the algorithm is the method of composite bodies (CRBA); with one
cluster for each joint it is ABA. The optimiser chooses the clusters with the fewest operations
(`ResolvedBody.joined`).

Wrenches of six components contain the moment, then the force; motions contain the angular, then the
linear acceleration. All vectors of a formula are in the axes of one body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dynagen.dynamics.algorithms.articulated_inertia import (
    COLUMN_FORCE,
    COLUMN_MOMENT,
    DA,
    DWD,
    DZ,
    MU,
    UDF,
    UDN,
    UF,
    UN,
    ArticulatedInertia,
    U,
    addition_along_joint,
    angular_addition,
    base_inertia,
    handed_wrench,
    joint_acceleration,
    less_addition,
    linear_addition,
    linear_at,
    moment_added,
    moved_along,
    pivot,
    relative_wrench,
    unit_wrench,
)
from dynagen.dynamics.algorithms.base_pose import ANGULAR, LINEAR
from dynagen.dynamics.algorithms.external_wrenches import Contacts
from dynagen.dynamics.algorithms.factorisation import (
    Elimination,
    eliminate,
    record_reciprocal,
    solve,
    substitute,
)
from dynagen.dynamics.algorithms.mass_matrix import (
    Composite,
    M,
    find_parallel_pairs,
    recover_accelerations,
    transform_forces,
    transform_matrix,
    unit_angular_momentum,
    unit_momentum,
)
from dynagen.dynamics.algorithms.newton_euler import F, N, record_body_motions, record_body_wrench
from dynagen.dynamics.algorithms.recording import JointMotion, Recording, ResolvedBody
from dynagen.dynamics.algorithms.rotations import along_axis
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import Quantity, join
from dynagen.ir.symbols import Name
from dynagen.robot.model.model import BASE


@dataclass(frozen=True)
class _Column:
    """Wrench at a unit acceleration of a joint, and the joint's row of the mass matrix.

    The joint belongs to a cluster, whose joints are eliminated together.

    Attributes:
        entry: index of the joint in the velocity vector v.
        unit: the wrench U at a unit acceleration of the joint. The sweep from the tips to the base
            resolves it in the axes of one body after the other, about the body's origin.
        entries: the recorded entries of this joint's row of the mass matrix, by column.
        net: u, the joint force minus its value at zero joint accelerations (N m or N).
    """

    entry: int
    unit: Wrench
    entries: Mapping[int, Quantity]
    net: Quantity

    def project(self, body: ResolvedBody) -> _Column:
        """Record the mass matrix entry that couples this column's joint to the joint of `body`.

        The attribute `unit` must be in the axes of `body`. The result is a copy of this object, to
        which the entry is added.
        """
        (along,) = body.project(self.unit)
        if body.entry == self.entry:
            # A rotor moves with its own joint only.
            along += body.recorder.add_constant(body.motor_inertia)
        along = along.name(M(self.entry + 1, body.entry + 1))
        return replace(self, entries={**self.entries, body.entry: along})

    def carry_inward(self, body: ResolvedBody, parent: ResolvedBody) -> _Column:
        """Record this column's wrench in the axes of the parent, about the parent's origin.

        The wrench of this column is in the axes of `body`, about its origin.
        """
        place = self.entry + 1, parent.number
        unit = body.carry_inward(self.unit).name(COLUMN_FORCE(*place), COLUMN_MOMENT(*place))
        return replace(self, unit=unit)


@dataclass(frozen=True)
class _Load:
    """Wrench and inertia of a body, or the wrench and inertia that its joint transmits.

    A cluster consists of neighbouring joints that are eliminated together.

    Attributes:
        wrench: the wrench at zero joint accelerations, in the axes of the body and about its
            origin.
        inertia: inertia of the body and of all bodies that it carries. It is a composite (rigid)
            inertia if all carried joints belong to the body's cluster, else an articulated inertia.
        columns: one for each joint of the body's cluster that contributes to the load. A column has
            the wrench at a unit acceleration of the joint, and the joint's mass matrix entries.
    """

    wrench: Wrench
    inertia: Composite | ArticulatedInertia
    columns: tuple[_Column, ...] = ()

    def __add__(self, other: _Load) -> _Load:
        one, another = self.inertia, other.inertia
        inertia = (
            one + another
            if isinstance(one, Composite) and isinstance(another, Composite)
            else _articulate(one) + _articulate(another)
        )
        return _Load(self.wrench + other.wrench, inertia, self.columns + other.columns)

    def carry_inward(self, body: ResolvedBody) -> _Load:
        """Record wrench and inertia of `body` in the parent's axes, about the parent's origin.

        The columns, which belong to the joints of a cluster, are left out.
        """
        return _Load(body.carry_inward(self.wrench), self.inertia.carry_inward(body))


@dataclass(frozen=True)
class _Joint:
    """Acceleration along the first joint of a cluster, as a linear function of the parent's motion.

    The joints of a cluster are eliminated together; the first joint (root) is nearest to the base.
    The acceleration along the root joint is u / D - E.x. x is the acceleration (angular, linear) of
    the parent at the body's origin due to joint accelerations. u is the joint force minus its value
    at zero joint accelerations, and D the inertia along the joint.

    Attributes:
        alone: u / D.
        relative: the wrench E = U / D - z in the axes of the body (`relative_wrench`). U is the
            wrench at a unit joint acceleration, and z is the screw of the joint.
    """

    alone: Quantity
    relative: Quantity


@dataclass(frozen=True)
class _Cluster:
    """Solution for the accelerations of a cluster of joints, which are eliminated together.

    The solution is a function of the acceleration of the root, the body of the cluster that is
    nearest to the base.

    Attributes:
        pairs: pairs (joint, carrier) of parallel joints of the cluster, as indices in the velocity
            vector (`find_parallel_pairs`).
        elimination: factors of the cluster's mass matrix, and right-hand sides multiplied by
            inverse factors. The right-hand side of a joint is u, its force minus the force at zero
            joint accelerations. If the root transmits inertia, it also has six components: the
            wrench on the root at a unit acceleration of the joint.
    """

    pairs: tuple[tuple[int, int], ...]
    elimination: Elimination

    def solve(self, motion: Quantity | None) -> dict[int, Quantity]:
        """Record the accelerations of the cluster's joints (rad/s^2 or m/s^2).

        The keys of the result are indices in the velocity vector. `motion` is the acceleration
        (angular, linear) of the root, the cluster's body nearest to the base, due to joint
        accelerations. It is in the axes of the root, and None if the fixed base carries the root.
        """
        alone = {
            entry: side if motion is None else less_addition(side[0], side[1:], motion)
            for entry, side in self.elimination.scaled.items()
        }
        return recover_accelerations(self.pairs, substitute(self.elimination.factors, alone))


def record_articulated_bodies(
    recording: Recording, motion: JointMotion, forces: tuple[Quantity, ...], contacts: Contacts
) -> tuple[Quantity, ...]:
    """Record joint accelerations by the articulated-body algorithm (ABA).

    Args:
        recording: program under construction, with the robot model and its bodies.
        motion: joint velocities, and zero joint accelerations; a floating base is in free fall
            (`bases.FloatingBase.make_fall_motion`).
        forces: joint forces tau (N m or N), one for every entry of the velocity vector v.
        contacts: external wrenches by body index, in the axes of each body and about its origin.

    Returns:
        Joint accelerations (rad/s^2 or m/s^2), one scalar for every entry of v. For a floating
        base, the first three entries are the acceleration of its origin minus gravity, in its axes.
        If run-time parameters make the inertia along a joint zero or negative, the generated
        function returns a nonzero status code.
    """
    motions = record_body_motions(recording, motion)
    roots: dict[int, _Joint] = {}
    clusters: dict[int, _Cluster] = {}
    base: tuple[Quantity, ...] = ()
    carried: list[list[_Load]] = [[] for _ in recording.bodies]
    # From the tips to the base: an inertia contains all bodies beyond the joint.
    for body in reversed(recording.bodies):
        body.begin_section("Inward, body")
        wrench = record_body_wrench(body, motions[body.index], contacts)
        load = _Load(wrench, Composite(body.mass, body.first_moment, body.inertia))
        for child in carried[body.index]:
            # The children's loads are in this body's axes, about its origin.
            load += child
        load = replace(load, wrench=load.wrench.name(F(body.number), N(body.number)))
        on_base = body.parent == BASE and body is not recording.floating_base
        if body.joined or on_base:
            load = _add_column(body, load, forces[body.entry])
        if body.joined:
            # The columns stay with the cluster.
            parent = recording.bodies[body.parent]
            columns = tuple(column.carry_inward(body, parent) for column in load.columns)
            carried[body.parent].append(replace(load.carry_inward(body), columns=columns))
            continue
        if load.columns:
            clusters[body.index] = cluster = _eliminate(recording, load.columns, on_base)
            load = load if on_base else _release_columns(load, cluster.elimination)
        if body is recording.floating_base:
            base = _record_base_acceleration(body, load, forces)
        elif not on_base:
            roots[body.index], handed = _release(body, load, forces[body.entry])
            carried[body.parent].append(handed.carry_inward(body))
    return _record_joint_accelerations(recording, roots, clusters, base)


def _articulate(inertia: Composite | ArticulatedInertia) -> ArticulatedInertia:
    """Return the inertia as an articulated inertia."""
    return ArticulatedInertia.record_rigid(inertia) if isinstance(inertia, Composite) else inertia


def _add_column(body: ResolvedBody, load: _Load, tau: Quantity) -> _Load:
    """Record the column of the body's joint; return `load` with this column added.

    `load` contains wrench, inertia and columns of the body. A column contains the wrench at a unit
    acceleration of a joint, and the joint's row of mass matrix entries. The entry that couples the
    new joint to the joint of each column is added to that column. `tau` is the joint force (N m or
    N).
    """
    inertia, angular, linear = load.inertia, body.angular, body.linear
    # U at a unit joint acceleration: the momenta of a composite at a unit velocity, or I z (Saha,
    # eq. 26), in the body's axes and about its origin.
    if isinstance(inertia, Composite):
        unit = Wrench(
            unit_momentum(angular, linear, inertia.mass, inertia.first_moment),
            unit_angular_momentum(angular, linear, inertia.first_moment, inertia.inertia),
        )
    else:
        inertia = inertia.name(body.number)
        column = unit_wrench(angular, linear, *inertia.blocks)
        unit = Wrench(column[3:], column[:3])
    (along,) = body.project(load.wrench)
    added = _Column(body.entry, unit, {}, (tau - along).name(U(body.number)))
    columns = tuple(column.project(body) for column in (*load.columns, added))
    return replace(load, inertia=inertia, columns=columns)


def _eliminate(recording: Recording, columns: tuple[_Column, ...], on_base: bool) -> _Cluster:
    """Record the elimination of a cluster: neighbouring joints that are solved together.

    `columns` has one column for each joint: the wrench at a unit acceleration, and a row of the
    mass matrix. `on_base` is True if the parent of the cluster's first body (root) is the fixed
    base. Only then `columns` includes the column of the root.
    """
    rows = {column.entry: column for column in sorted(columns, key=lambda each: each.entry)}
    matrix = {
        place: value
        for row, column in rows.items()
        for entry, value in column.entries.items()
        if entry in rows
        for place in ((row, entry), (entry, row))
    }
    pairs = tuple(pair for pair in find_parallel_pairs(recording.model) if rows.keys() >= set(pair))
    # Right-hand sides of each joint: u, and the components of U at the root if it transmits
    # inertia.
    sides = {
        entry: column.net
        if on_base
        else join([column.net, *column.unit.moment, *column.unit.force])
        for entry, column in rows.items()
    }
    bodies = {body.entry: body.name for body in recording.bodies}
    elimination = eliminate(
        recording.recorder,
        {entry: bodies[entry] for entry in rows},
        transform_matrix(pairs, matrix),
        transform_forces(pairs, sides),
    )
    return _Cluster(pairs, elimination)


def _release_columns(load: _Load, elimination: Elimination) -> _Load:
    """Record the wrench and inertia of a cluster's root body while the cluster's joints are free.

    A cluster consists of neighbouring joints that are eliminated together. `load` has
    the wrench and inertia of the root while all joints except the root's are locked. `elimination`
    has the factors of the mass matrix of these joints.
    """
    # All in the axes of the root's body, about its origin. After the sweep `swept` contains u and U
    # of each joint with the joints beyond it free, and `scaled` the same divided by D.
    wrench, inertia = load.wrench, _articulate(load.inertia)
    for entry in reversed(list(elimination.swept)):
        unit, relative = elimination.swept[entry], elimination.scaled[entry]
        alone, moment, force = relative[0], unit[1:4], unit[4:]
        inertia = inertia.release(Wrench(force, moment), Wrench(relative[4:], relative[1:4]))
        wrench = Wrench(
            moment_added(wrench.force, force, alone), moment_added(wrench.moment, moment, alone)
        )
    return _Load(wrench, inertia)


def _record_base_acceleration(
    body: ResolvedBody, load: _Load, forces: tuple[Quantity, ...]
) -> tuple[Quantity, ...]:
    """Record a floating base's acceleration in its axes: linear, then angular (six scalars)."""
    net = [
        forces[entry] - along
        for entry, along in zip(body.entries, body.project(load.wrench), strict=True)
    ]
    # Linear before angular, as in v: the order of `body.project`.
    matrix = base_inertia(*_articulate(load.inertia).name(body.number).blocks)
    elements = {divmod(place, len(net)): element for place, element in enumerate(matrix)}
    return solve(body.recorder, [body.name] * len(net), elements, net)


def _release(body: ResolvedBody, load: _Load, tau: Quantity) -> tuple[_Joint, _Load]:
    """Record the acceleration along a joint, and the wrench and inertia that it transmits.

    The joint is the root of a cluster of joints that are eliminated together. `load` has the wrench
    and inertia of its body, and `tau` is the joint force. The transmitted wrench and inertia are in
    the axes of the body, about its origin.
    """
    i, angular, linear = body.number, body.angular, body.linear
    (pivot_number,) = body.numbers
    wrench, inertia = load.wrench, _articulate(load.inertia).name(i)
    motor_inertia = body.recorder.add_constant(body.motor_inertia)
    unit = _name_halves(unit_wrench(angular, linear, *inertia.blocks), UN(i), UF(i))  # U
    inverse = record_reciprocal(
        body.recorder, pivot_number, pivot(angular, linear, unit, motor_inertia)
    )  # 1 / D
    # z.U / D = 1 - mu. Without a motor mu is 0 and the passes remove its terms.
    mu = (motor_inertia * inverse).name(MU(i))
    relative = _name_halves(
        relative_wrench(angular, linear, unit, inverse, mu), UDN(i), UDF(i)
    )  # E = U / D - z
    (along,) = body.project(wrench)
    # u = tau - z.p, with the wrench p of zero joint accelerations (Saha, eq. 12).
    u = (tau - along).name(U(i))
    # p + U u / D in the body's axes, about its origin (Featherstone 2008, section 7.3).
    handed = handed_wrench(angular, linear, wrench.moment, wrench.force, relative, mu, tau, u)
    handed_load = _Load(Wrench(handed[3:], handed[:3]), inertia.hand_on(body, relative, unit, mu))
    return _Joint(inverse * u, relative), handed_load


def _record_motion(
    body: ResolvedBody,
    parent: tuple[Quantity, Quantity],
    joint: _Joint | Quantity,
) -> tuple[Quantity, tuple[Quantity, Quantity]]:
    """Record a joint's acceleration, and the acceleration of its body due to joint accelerations.

    `parent` has the parent's angular acceleration and the acceleration of its origin due to joint
    accelerations, in its axes. The second result has these quantities for the body. `joint` is the
    known joint acceleration, or the data (`_Joint`) from which it is computed.
    """
    i, angular, linear = body.number, body.angular, body.linear
    dwd, da = parent
    # The acceleration that the body's origin has if the joint is locked: a + wd x r, in two steps.
    # The first is in the parent's axes, the second in the body's.
    da = body.rotate_outward(linear_at(dwd, da, body.translation))
    dwd = body.rotate_outward(dwd)
    da = linear_at(dwd, da, along_axis(body.displacement))
    if isinstance(joint, Quantity):
        dwd, da = moved_along(dwd, angular, joint), moved_along(da, linear, joint)
        return joint, (dwd.name(DWD(i)), da.name(DA(i)))
    along = addition_along_joint(joint.alone, joint.relative, dwd, da).name(DZ(i))
    # z.x is the acceleration that the parent already adds along the joint.
    qdd = joint_acceleration(along, angular, dwd, da)
    return qdd, (
        angular_addition(dwd, angular, along).name(DWD(i)),
        linear_addition(da, angular, linear, along, qdd).name(DA(i)),
    )


def _record_joint_accelerations(
    recording: Recording,
    roots: Mapping[int, _Joint],
    clusters: Mapping[int, _Cluster],
    base: tuple[Quantity, ...],
) -> tuple[Quantity, ...]:
    """Record the joint accelerations (rad/s^2 or m/s^2) from the base to the tips.

    The joints of a cluster are eliminated together; its root is the joint nearest to the base.
    `roots` has the data of the root joints, by body index. `clusters` has the solution for the
    other joints of each cluster, by the body index of the root. `base` is the acceleration of a
    floating base; empty for a fixed base.
    """
    zero = recording.add_constant(0, 0, 0)
    # Angular and linear acceleration that is added to each body, in its axes.
    added = {BASE: (zero, zero)}
    accelerations: dict[int, Quantity] = {}
    for body in recording.bodies:
        cluster = clusters.get(body.index)
        if body is recording.floating_base:
            added[body.index] = join(base[ANGULAR]), join(base[LINEAR])
            accelerations |= dict(zip(body.entries, base, strict=True))
        else:
            body.begin_section("Joint accelerations outward, body")
            if cluster and body.index not in roots:
                # The root's motion is one of the unknowns.
                accelerations |= cluster.solve(None)
                cluster = None
            joint = roots[body.index] if body.index in roots else accelerations[body.entry]
            accelerations[body.entry], added[body.index] = _record_motion(
                body, added[body.parent], joint
            )
        if cluster:
            accelerations |= cluster.solve(join(added[body.index]))
    return tuple(accelerations[entry] for entry in range(recording.model.nv))


def _name_halves(wrench: Quantity, moment: Name, force: Name) -> Quantity:
    """Name the moment and the force of a wrench, which are its two halves."""
    return join((wrench[:3].name(moment), wrench[3:].name(force)))
