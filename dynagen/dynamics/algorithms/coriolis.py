"""The Coriolis matrix of Christoffel symbols: RobotModel, frames and rates -> C, with dM/dt - 2C skew-symmetric.

S. Echeandia, P. M. Wensing, "Numerical Methods to Compute the Coriolis Matrix and Christoffel Symbols for Rigid-Body Systems",
J. Computational and Nonlinear Dynamics 16(9), 2021, give the O(n^2) recursion over composites in spatial vectors. Here it is
written in first and second moments, without linear velocities: all that a composite has is relative to its origin.

With x_j for what a unit rate of joint j adds to the velocity of a particle at x, M_ij is the sum of m x_i . x_j, and C_ij that
of m x_i . dx_j/dt. A rotation adds x_j = z x r, with r = x - o from the origin o of body j, so that dx_j/dt = z' x r + z x r'
with z' = w x z; a translation adds z. Summed over the composite of j, m dx_j/dt is a force p' and a moment hv, which are
carried inward; their components along joints i <= j are C_ij, column j on and above the diagonal. Below it C_ji, the sum of m
x_j . dx_i/dt, takes of joint i no more than its z', and of joint j the momenta p and h of the mass matrix and hx = sum of m r'
x x_j, the other part of dh/dt = hv + hx.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Matrix, Rational

from dynagen.dynamics.algorithms.algebra import Z, along_axis, sum_of
from dynagen.dynamics.algorithms.composite import (
    Composite,
    carry_inward,
    first_moment_about,
    record_composites,
    record_unit_momenta,
)
from dynagen.dynamics.algorithms.coordinates import entry_numbers, project_on_joint
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames, joint_constants
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.algorithms.newton_euler_steps import moment_about
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, RobotModel


@dataclass(frozen=True)
class CoriolisSymbols:
    """Symbols of the quantities that are linear in the rates: for twice the rates they are derivatives, and called otherwise.

    Attributes:
        along, across, momentum, flux: as in `CompositeMotion`.
        force, moment, places: p', hv and hx.
        entry: C.
    """

    along: Symbol
    across: Symbol
    momentum: Symbol
    flux: Symbol
    force: Symbol
    moment: Symbol
    places: Symbol
    entry: Symbol


OF_THE_RATES = CoriolisSymbols(
    along=Symbol(
        "va",
        "i",
        VECTOR,
        "rate of change of the displacement of body i along its joint axis",
        "m/s",
    ),
    across=Symbol(
        "vc",
        "i",
        VECTOR,
        "rate of change of the constant displacement to joint i, in the parent's axes",
        "m/s",
    ),
    momentum=Symbol(
        "cp", "i", VECTOR, "sum of m r' over composite i, r from the origin of body i", "kg m/s"
    ),
    flux=Symbol(
        "cv",
        "i",
        MATRIX,
        "sum of m r' r^T over composite i, r from the origin of body i",
        "kg m^2/s",
    ),
    force=Symbol(
        "pd",
        "ji",
        VECTOR,
        "sum of m dx_j/dt over composite j, x_j the velocity at a unit rate of joint j",
    ),
    moment=Symbol(
        "hv",
        "ji",
        VECTOR,
        "sum of m r x dx_j/dt over composite j, x_j the velocity at a unit rate of joint j",
    ),
    places=Symbol(
        "hx",
        "ji",
        VECTOR,
        "sum of m r' x x_j over composite j, x_j the velocity at a unit rate of joint j",
    ),
    entry=Symbol(
        "cor",
        "ij",
        SCALAR,
        "entry i, j of the Coriolis matrix",
        source="Echeandia and Wensing 2021",
    ),
)


@formula
def body_flux(w: Matrix, inertia: Matrix) -> Matrix:
    """Sum of m r' r^T = [w x] E with the second moments E = tr(J)/2 1 - J, for r fixed in the body."""
    xx, yy, zz, xy, xz, yz = inertia
    half = Rational(1, 2)
    x, y, z = half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz)
    return Matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) * Matrix(
        [[x, -xy, -xz], [-xy, y, -yz], [-xz, -yz, z]]
    )


@formula
def body_momentum(w: Matrix, first_moment: Matrix) -> Matrix:
    """Sum of m r' = w x s, for r fixed in the body."""
    return w.cross(first_moment)


@formula
def velocity_along(displacement: Expr, w: Matrix, linear: Expr, velocity: Expr) -> Matrix:
    """Rate of change of a displacement d z along a joint axis: d (w x z) + linear qd z."""
    return displacement * w.cross(Z) + linear * velocity * Z


@formula
def velocity_across(w: Matrix, translation: Matrix) -> Matrix:
    """Rate of change of a displacement that is fixed in a body: w x r."""
    return w.cross(translation)


@formula
def momentum_about(momentum: Matrix, mass: Expr, velocity: Matrix) -> Matrix:
    """Sum of m (r' + u) about a point from which the origin moves with velocity u."""
    return momentum + mass * velocity


@formula
def flux_about(
    flux: Matrix, momentum: Matrix, first_moment: Matrix, translation: Matrix, velocity: Matrix
) -> Matrix:
    """Sum of m (r' + u) (r + d)^T about a point from which the origin lies at d and moves with u: V + (p + m u) d^T + u s^T.

    momentum: about the new point. first_moment: about the old origin.
    """
    return flux + momentum * translation.T + velocity * first_moment.T


@formula
def momentum_change(
    angular: Expr, linear: Expr, mass: Expr, first_moment: Matrix, momentum: Matrix, w: Matrix
) -> Matrix:
    """Force p' = sum of m dx_j/dt: angular (z' x s + z x sum of m r') + linear m z'."""
    axis_change = w.cross(Z)
    return (
        angular * (axis_change.cross(first_moment) + Z.cross(momentum))
        + linear * mass * axis_change
    )


@formula
def moment_of_change(
    angular: Expr, linear: Expr, first_moment: Matrix, inertia: Matrix, flux: Matrix, w: Matrix
) -> Matrix:
    """Moment hv = sum of m r x dx_j/dt: angular (J z' + tr(V) z - V z) + linear s x z'."""
    xx, yy, _, xy, xz, yz = inertia
    axis_change = w.cross(Z)
    of_axis = Matrix(
        [xx * w[1] - xy * w[0], xy * w[1] - yy * w[0], xz * w[1] - yz * w[0]]
    )  # J z', z' = (w_y, -w_x, 0)
    of_flux = Matrix([-flux[0, 2], -flux[1, 2], flux[0, 0] + flux[1, 1]])
    return angular * (of_axis + of_flux) + linear * first_moment.cross(axis_change)


@formula
def moment_of_places(angular: Expr, linear: Expr, momentum: Matrix, flux: Matrix) -> Matrix:
    """Moment hx = sum of m r' x x_j: angular (tr(V) z - V^T z) + linear (sum of m r') x z."""
    return angular * Matrix(
        [-flux[2, 0], -flux[2, 1], flux[0, 0] + flux[1, 1]]
    ) + linear * momentum.cross(Z)


@formula
def entry_below(
    angular: Expr, linear: Expr, momentum: Matrix, moment: Matrix, places: Matrix, w: Matrix
) -> Expr:
    """Entry C_ji = sum of m x_j . dx_i/dt of a joint i between joint j and the base: angular (z'.h + z.hx) + linear z'.p."""
    axis_change = w.cross(Z)
    return angular * (axis_change.dot(moment) + places[2]) + linear * axis_change.dot(momentum)


@dataclass(frozen=True)
class CompositeMotion:
    """Motion of a composite, in its body's axes and relative to its body's origin.

    Attributes:
        momentum: sum of m r'.
        flux: sum of m r' r^T.
        along, across: velocity of the origin against the parent's, in two steps: along the joint axis, in the body's axes, and
            along the constant translation, in the parent's axes.
    """

    momentum: Quantity
    flux: Quantity
    along: Quantity
    across: Quantity


def record_composite_motions(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    composites: tuple[Composite, ...],
    angular_velocities: tuple[Quantity, ...],
    velocities: tuple[Quantity, ...],
    symbols: CoriolisSymbols,
) -> tuple[CompositeMotion, ...]:
    """Record the motions of all composites, which are linear in the bodies' angular velocities and the joints' rates."""
    flux = [
        recorder.apply(body_flux, w, frame.inertia)
        for w, frame in zip(angular_velocities, frames, strict=True)
    ]
    momentum = [
        recorder.apply(body_momentum, w, frame.first_moment)
        for w, frame in zip(angular_velocities, frames, strict=True)
    ]
    rest = recorder.constant(0, 0, 0)
    motions: list[CompositeMotion] = []
    for index, body in model.inward():
        recorder.section(f"Motion of composite {index + 1} ({body.name})")
        number, frame, parent = index + 1, frames[index], body.parent
        of_parent = rest if parent == BASE else angular_velocities[parent]
        linear, velocity = recorder.constant(body.linear), velocities[body.joint.idx_v]
        motion = CompositeMotion(
            momentum=recorder.name(symbols.momentum(number), momentum[index]),
            flux=recorder.name(symbols.flux(number), flux[index]),
            along=recorder.record(
                symbols.along(number),
                velocity_along,
                frame.displacement,
                angular_velocities[index],
                linear,
                velocity,
            ),
            across=recorder.record(
                symbols.across(number), velocity_across, of_parent, frame.translation
            ),
        )
        motions.append(motion)
        if parent != BASE:
            carried_momentum, carried_flux = _inward(recorder, frame, composites[index], motion)
            momentum[parent] = recorder.apply(sum_of, momentum[parent], carried_momentum)
            flux[parent] = recorder.apply(sum_of, flux[parent], carried_flux)
    return tuple(reversed(motions))


@dataclass(frozen=True)
class UnitMomenta:
    """What the composite of a joint has at a unit rate of that joint: p, h and hx, in the axes of a body that carries it."""

    momentum: Quantity
    moment: Quantity
    places: Quantity


@dataclass(frozen=True)
class CoriolisEntries:
    """The Coriolis matrix but for the columns of a floating base, and what it was made of.

    Attributes:
        matrix: by the numbers of `coordinates.entry_numbers`.
        composites, motions: of all bodies.
        paths: by the bodies of all joints but a floating one: the bodies from the joint's own to the base, with the momenta of
            its composite there.
    """

    matrix: JointMatrix
    composites: tuple[Composite, ...]
    motions: tuple[CompositeMotion, ...]
    paths: Mapping[int, Sequence[tuple[int, UnitMomenta]]]

    @property
    def in_base_axes(self) -> dict[int, UnitMomenta]:
        """The momenta of every joint's composite in the axes of a floating base, where all paths end."""
        return {joint: path[-1][1] for joint, path in self.paths.items()}


def record_coriolis_matrix(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    angular_velocities: tuple[Quantity, ...],
    velocities: tuple[Quantity, ...],
    symbols: CoriolisSymbols = OF_THE_RATES,
) -> CoriolisEntries:
    """Record the Coriolis matrix, or for twice the rates twice the matrix."""
    composites = record_composites(recorder, model, frames)
    motions = record_composite_motions(
        recorder, model, frames, composites, angular_velocities, velocities, symbols
    )
    entries: dict[tuple[int, int], Quantity] = {}
    paths: dict[int, list[tuple[int, UnitMomenta]]] = {}
    numbers = entry_numbers(model)
    for joint, body in enumerate(model.bodies):
        if body.is_free:
            continue
        recorder.section(f"Coriolis matrix, joint {joint + 1} ({body.name})")
        composite, motion, w = composites[joint], motions[joint], angular_velocities[joint]
        angular, linear = joint_constants(recorder, body)
        change = recorder.apply(
            momentum_change,
            angular,
            linear,
            composite.mass,
            composite.first_moment,
            motion.momentum,
            w,
        )
        moment = recorder.apply(
            moment_of_change,
            angular,
            linear,
            composite.first_moment,
            composite.inertia,
            motion.flux,
            w,
        )
        places = recorder.apply(moment_of_places, angular, linear, motion.momentum, motion.flux)
        momenta = list(record_unit_momenta(recorder, model, frames, composite, joint))
        path: list[tuple[int, UnitMomenta]] = []
        for index, unit_p, unit_h in momenta:
            if path:
                # hx is about an origin that moves: with it the moment changes by u x p for its velocity u, in two steps.
                child, before = path[-1]
                change, moment = carry_inward(recorder, frames[child], change, moment)
                on_axis = recorder.apply(
                    moment_about, places, motions[child].along, before.momentum
                )
                places = recorder.apply(
                    moment_about,
                    frames[child].inward(recorder, on_axis),
                    motions[child].across,
                    unit_p,
                )
            pair = joint + 1, index + 1
            change = recorder.name(symbols.force(*pair), change)
            moment = recorder.name(symbols.moment(*pair), moment)
            places = recorder.name(symbols.places(*pair), places)
            path.append((index, UnitMomenta(unit_p, unit_h, places)))
            onto, (column,) = model.bodies[index], numbers[joint]
            if not onto.is_free and index != joint:
                angular, linear = joint_constants(recorder, onto)
                below = recorder.apply(
                    entry_below, angular, linear, unit_p, unit_h, places, angular_velocities[index]
                )
                place = column, numbers[index][0]
                entries[place] = recorder.name(symbols.entry(*place), below)
            for row, entry in zip(
                numbers[index], project_on_joint(recorder, onto, change, moment), strict=True
            ):
                entries[row, column] = recorder.name(symbols.entry(row, column), entry)
        paths[joint] = path
    return CoriolisEntries(entries, composites, motions, paths)


def _inward(
    recorder: Recorder, frame: BodyFrame, composite: Composite, motion: CompositeMotion
) -> tuple[Quantity, Quantity]:
    """Record a composite's momentum and flux in its parent's axes, about its parent's origin."""
    displacement = recorder.apply(along_axis, frame.displacement)
    momentum = recorder.apply(momentum_about, motion.momentum, composite.mass, motion.along)
    flux = recorder.apply(
        flux_about, motion.flux, momentum, composite.first_moment, displacement, motion.along
    )
    on_axis = recorder.apply(
        first_moment_about, composite.first_moment, composite.mass, displacement
    )
    flux = frame.inward_matrix(recorder, flux)
    momentum = recorder.apply(
        momentum_about, frame.inward(recorder, momentum), composite.mass, motion.across
    )
    first_moment = frame.inward(recorder, on_axis)
    return momentum, recorder.apply(
        flux_about, flux, momentum, first_moment, frame.translation, motion.across
    )
