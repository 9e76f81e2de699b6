"""The Coriolis matrix that is defined by Christoffel symbols.

Composite j consists of body j and all bodies that it carries. The O(n^2) recursion over composites
is from Echeandia and Wensing, "Numerical Methods to Compute the Coriolis Matrix and Christoffel
Symbols for Rigid-Body Systems", Journal of Computational and Nonlinear Dynamics 16(9), 2021. The
paper uses spatial vectors. This module uses first and second moments, without linear velocities:
all quantities of a composite are relative to its origin. With this Coriolis matrix C, dM/dt - 2C is
skew-symmetric.

Let c_j be the velocity that a unit velocity of joint j adds to a particle. The entry M_ij of the
mass matrix is the sum of m c_i.c_j over all particles of mass m, and C_ij is the sum of m
c_i.(dc_j/dt).

- If joint j rotates about its axis z, c_j = cross(z, r), where r is the position of the particle
  from the origin o of body j. Then dc_j/dt = cross(z', r) + cross(z, r') with z' = cross(w, z) and
  the angular velocity w of body j.
- If joint j slides along z, c_j = z and dc_j/dt = z'.

The sum of m dc_j/dt over composite j is a force p' with the moment hv about o. Force and moment are
transformed from body to body towards the base. Their components along joint i are the entries C_ij
on and above the diagonal (i <= j). The entry C_ji below the diagonal is computed from the axis
derivative z' of joint i, and from three sums over composite j: p of m c_j, h of m cross(r, c_j),
and hx of m cross(r', c_j).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynagen.dynamics.algorithms.mass_matrix import (
    Composite,
    first_moment_about,
    record_composites,
    record_unit_momenta,
)
from dynagen.dynamics.algorithms.recording import JointMatrix, Recording, ResolvedBody
from dynagen.dynamics.algorithms.rotations import along_axis, unit_z
from dynagen.dynamics.algorithms.screws import Wrench, moment_about
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix, Rational
from dynagen.ir.symbols import MATRIX, SCALAR, VECTOR, Symbol
from dynagen.robot.model.model import BASE


@dataclass(frozen=True)
class CoriolisSymbols:
    """Symbols of quantities that are linear in the joint velocities, for names in generated code.

    A particle of mass m at r from the origin of body j has the velocity c_j at a unit velocity of
    joint j. The sums are over the particles that joint j moves.

    Attributes:
        along, across, momentum, flux: symbols of the `CompositeMotion` attributes of these names.
        force: symbol of the force p', the sum of m dc_j/dt.
        moment: symbol of the moment hv, the sum of m cross(r, dc_j/dt).
        places: symbol of the moment hx, the sum of m cross(dr/dt, c_j).
        entry: symbol of an entry of the Coriolis matrix.
    """

    along: Symbol
    across: Symbol
    momentum: Symbol
    flux: Symbol
    force: Symbol
    moment: Symbol
    places: Symbol
    entry: Symbol


CORIOLIS_SYMBOLS = CoriolisSymbols(
    along=Symbol(
        "va",
        "i",
        VECTOR,
        "time derivative of the displacement of body i along its joint axis",
        "m/s",
    ),
    across=Symbol(
        "vc",
        "i",
        VECTOR,
        "time derivative of the constant displacement to joint i, in the parent's axes",
        "m/s",
    ),
    momentum=Symbol(
        "cp", "i", VECTOR, "sum of m dr/dt over composite i, r from the origin of body i", "kg m/s"
    ),
    flux=Symbol(
        "cv",
        "i",
        MATRIX,
        "sum of m dr/dt r^T over composite i, r from the origin of body i",
        "kg m^2/s",
    ),
    force=Symbol(
        "pd",
        "ji",
        VECTOR,
        "sum of m dx_j/dt over composite j, x_j the velocity at a unit velocity of joint j",
    ),
    moment=Symbol(
        "hv",
        "ji",
        VECTOR,
        "sum of m r x dx_j/dt over composite j, x_j the velocity at a unit velocity of joint j",
    ),
    places=Symbol(
        "hx",
        "ji",
        VECTOR,
        "sum of m dr/dt x x_j over composite j, x_j the velocity at a unit velocity of joint j",
    ),
    entry=Symbol(
        "cor",
        "ij",
        SCALAR,
        "entry i, j of the Coriolis matrix",
        source="Echeandia and Wensing 2021",
    ),
)


# All vectors of a formula are in the axes of one body; r is measured from its origin.


@formula
def body_flux(w: Matrix, inertia: Matrix) -> Matrix:
    """Return V = [w x] E of a body, the sum of m r' r^T over its particles (kg m^2/s).

    r is the position of a particle of mass m from the body's origin, and r' is dr/dt. w is the
    angular velocity, E = tr(J)/2 1 - J contains the second moments, and `inertia` is J about the
    origin (elements Jxx, Jyy, Jzz, Jxy, Jxz, Jyz).
    """
    xx, yy, zz, xy, xz, yz = inertia
    half = Rational(1, 2)
    # Diagonal of E: the integrals of x^2 dm, y^2 dm and z^2 dm.
    x, y, z = half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz)
    return Matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) * Matrix(
        [[x, -xy, -xz], [-xy, y, -yz], [-xz, -yz, z]]
    )


@formula
def body_momentum(w: Matrix, first_moment: Matrix) -> Matrix:
    """Return the momentum cross(w, s) of a body relative to its origin (kg m/s).

    w is the body's angular velocity, and s (`first_moment`) its first moment about the origin.
    """
    return w.cross(first_moment)


@formula
def velocity_along(displacement: Expr, w: Matrix, linear: Expr, velocity: Expr) -> Matrix:
    """Return the time derivative of the displacement d z along a joint axis z.

    `displacement` is d (m), and w the angular velocity of the joint's body. `linear` is the
    translation of the joint per unit of its position, and `velocity` the joint velocity.
    """
    return displacement * w.cross(unit_z()) + linear * velocity * unit_z()


@formula
def momentum_about(momentum: Matrix, mass: Expr, velocity: Matrix) -> Matrix:
    """Return p + m u, the linear momentum of bodies relative to a new point.

    `momentum` is p, the linear momentum relative to the old origin, and `mass` is m (kg).
    `velocity` is u, the velocity of the old origin relative to the new point (m/s).
    """
    return momentum + mass * velocity


@formula
def flux_about(
    flux: Matrix, momentum: Matrix, first_moment: Matrix, translation: Matrix, velocity: Matrix
) -> Matrix:
    """Return the matrix V of bodies about a new point: V + (p + m u) d^T + u s^T.

    V is the 3 x 3 sum of m r' r^T over particles of mass m at r from the reference point, with r' =
    dr/dt.

    Args:
        flux: the matrix V about the old origin.
        momentum: p + m u, the linear momentum relative to the new point.
        first_moment: first moment s about the old origin (kg m).
        translation: vector d from the new point to the old origin (m).
        velocity: time derivative u of d (m/s).
    """
    # (p + m u) d^T collects the terms with d, u s^T the others.
    return flux + momentum * translation.T + velocity * first_moment.T


@formula
def momentum_change(
    angular: Expr, linear: Expr, mass: Expr, first_moment: Matrix, momentum: Matrix, w: Matrix
) -> Matrix:
    """Return the force p', the sum of m dc_j/dt over the particles that joint j moves.

    c_j is the velocity of a particle at a unit velocity of joint j, which rotates by `angular`
    about z and slides by `linear` along z. `mass`, `first_moment` and `momentum` are the sums of m,
    m r and m dr/dt over these particles, with r from the origin of body j. w is the angular
    velocity of body j.
    """
    # z' = w x z
    axis_change = w.cross(unit_z())
    return (
        angular * (axis_change.cross(first_moment) + unit_z().cross(momentum))
        + linear * mass * axis_change
    )


@formula
def moment_of_change(
    angular: Expr, linear: Expr, first_moment: Matrix, inertia: Matrix, flux: Matrix, w: Matrix
) -> Matrix:
    """Return the moment hv, the sum of m cross(r, dc_j/dt) over the particles that joint j moves.

    c_j is the velocity of a particle at a unit velocity of joint j, which rotates by `angular`
    about z and slides by `linear` along z. The first moment, the inertia (xx, yy, zz, xy, xz, yz)
    and `flux`, the sum of m dr/dt r^T, are those of the particles, about the origin of body j. w is
    the angular velocity of body j.
    """
    xx, yy, _, xy, xz, yz = inertia
    axis_change = w.cross(unit_z())
    # J z' with z' = w x z = (w_y, -w_x, 0)
    of_axis = Matrix([xx * w[1] - xy * w[0], xy * w[1] - yy * w[0], xz * w[1] - yz * w[0]])
    # tr(V) z - V z
    of_flux = Matrix([-flux[0, 2], -flux[1, 2], flux[0, 0] + flux[1, 1]])
    return angular * (of_axis + of_flux) + linear * first_moment.cross(axis_change)


@formula
def moment_of_places(angular: Expr, linear: Expr, momentum: Matrix, flux: Matrix) -> Matrix:
    """Return the moment hx, the sum of m cross(r', c_j) over the particles that joint j moves.

    c_j is the velocity of a particle at a unit velocity of joint j, which rotates by `angular`
    about z and slides by `linear` along z. r is the position of the particle from the origin of
    body j, and r' is dr/dt. `momentum` is the sum of m r', and `flux` the sum of m r' r^T.
    """
    # The sum of r' x (z x r) is tr(V) z - V^T z.
    return angular * Matrix(
        [-flux[2, 0], -flux[2, 1], flux[0, 0] + flux[1, 1]]
    ) + linear * momentum.cross(unit_z())


@formula
def entry_below(
    angular: Expr, linear: Expr, momentum: Matrix, moment: Matrix, places: Matrix, w: Matrix
) -> Expr:
    """Return the entry C_ji of the Coriolis matrix for a joint i between joint j and the base.

    Joint i rotates by `angular` about z and slides by `linear` along z; w is the angular velocity
    of body i. `momentum`, `moment` and `places` are the sums of m c_j, m cross(r, c_j) and m
    cross(dr/dt, c_j) over the particles that joint j moves. c_j is the velocity of a particle at a
    unit velocity of joint j. All vectors are in the axes of body i, and r is from its origin.
    """
    axis_change = w.cross(unit_z())
    return angular * (axis_change.dot(moment) + places[2]) + linear * axis_change.dot(momentum)


@dataclass(frozen=True)
class CompositeMotion:
    """Motion of a composite (a body and all bodies that it carries), relative to the body's origin.

    A particle of mass m is at r from the body's origin, and r' is dr/dt in axes that do not rotate.

    Attributes:
        momentum: sum of m r' over all particles, in the body's axes (kg m/s).
        flux: the 3 x 3 sum V of m r' r^T, in the body's axes (kg m^2/s).
        along: time derivative of the displacement along the joint axis, in the body's axes (m/s).
        across: time derivative of the translation from the parent's origin, which is constant in
            the parent's axes; in these axes (m/s).
    """

    momentum: Quantity
    flux: Quantity
    along: Quantity
    across: Quantity


def record_composite_motions(
    recording: Recording,
    composites: tuple[Composite, ...],
    angular_velocities: tuple[Quantity, ...],
    velocities: tuple[Quantity, ...],
    symbols: CoriolisSymbols,
) -> tuple[CompositeMotion, ...]:
    """Record the motions of all composites: each body with all bodies that it carries.

    Args:
        recording: program under construction, with the robot model and its bodies.
        composites: inertial parameters of each composite, by body index.
        angular_velocities: angular velocities of all bodies, each in its axes (rad/s).
        velocities: joint velocities qd, one for every entry of the velocity vector v.
        symbols: names of the results in generated code.

    Returns:
        The motions by body index.
    """
    # Each body alone first; the loop adds the bodies that it carries.
    resolved = list(zip(angular_velocities, recording.bodies, strict=True))
    flux = [body_flux(w, body.inertia) for w, body in resolved]
    momentum = [body_momentum(w, body.first_moment) for w, body in resolved]
    rest = recording.add_constant(0, 0, 0)
    motions: list[CompositeMotion] = []
    for w, body in reversed(resolved):
        body.begin_section("Motion of composite")
        i, parent = body.number, body.parent
        # The constant translation rotates with the parent.
        parent_w = rest if parent == BASE else angular_velocities[parent]
        motion = CompositeMotion(
            momentum=momentum[body.index].name(symbols.momentum(i)),
            flux=flux[body.index].name(symbols.flux(i)),
            along=velocity_along(body.displacement, w, body.linear, velocities[body.entry]).name(
                symbols.along(i)
            ),
            across=parent_w.cross(body.translation).name(symbols.across(i)),
        )
        motions.append(motion)
        if parent != BASE:
            # The tips come first, so the sums of this body are complete here.
            carried_momentum, carried_flux = carry_motion_inward(
                body, composites[body.index], motion
            )
            momentum[parent] += carried_momentum
            flux[parent] += carried_flux
    return tuple(reversed(motions))


def carry_motion_inward(
    body: ResolvedBody, composite: Composite, motion: CompositeMotion
) -> tuple[Quantity, Quantity]:
    """Record the sums of m r' and m r' r^T of a body's composite, about the parent's origin.

    r is the position of a particle of mass m, and r' is dr/dt. `motion` contains the two sums about
    the origin of `body`. The results are in the parent's axes.
    """
    mass, first_moment, displacement = (
        composite.mass,
        composite.first_moment,
        along_axis(body.displacement),
    )
    # Along the joint axis, in the body's axes.
    momentum = momentum_about(motion.momentum, mass, motion.along)
    flux = flux_about(motion.flux, momentum, first_moment, displacement, motion.along)
    first_moment = first_moment_about(first_moment, mass, displacement)
    # Along the constant translation, in the parent's axes.
    flux = body.rotate_matrix_inward(flux)
    momentum = momentum_about(body.rotate_inward(momentum), mass, motion.across)
    return momentum, flux_about(
        flux, momentum, body.rotate_inward(first_moment), body.translation, motion.across
    )


@dataclass(frozen=True)
class UnitMomenta:
    """Momenta of all bodies that joint j moves, at a unit velocity of joint j.

    A particle of mass m is at r from the origin of a body on the path from joint j to the base. c_j
    is the particle's velocity at a unit velocity of joint j. All vectors are in the axes of the
    body on the path.

    Attributes:
        momentum: the linear momentum p, the sum of m c_j.
        moment: the angular momentum h, the sum of m cross(r, c_j).
        places: the moment hx, the sum of m cross(dr/dt, c_j), with dr/dt at the actual joint
            velocities.
    """

    momentum: Quantity
    moment: Quantity
    places: Quantity


@dataclass(frozen=True)
class CoriolisEntries:
    """The Coriolis matrix without the columns of a floating base, and intermediate results.

    Attributes:
        matrix: entries by (row, column), positions among the joint velocities, from 1.
        composites: for every body, the inertial parameters of the body and all bodies that it
            carries.
        motions: for every body, the motion of the body and all bodies that it carries.
        paths: for every body except a floating base, the path of bodies from this body to the base.
            Each body on the path is paired with the momenta, in this body's axes, of all bodies
            that the joint of the path's first body moves.
        changes: for every body except a floating base, the force and moment of `momentum_change`
            and `moment_of_change`, in the axes of the path's last body and about its origin.
    """

    matrix: JointMatrix
    composites: tuple[Composite, ...]
    motions: tuple[CompositeMotion, ...]
    paths: Mapping[int, Sequence[tuple[ResolvedBody, UnitMomenta]]]
    changes: Mapping[int, Wrench]

    @property
    def in_base_axes(self) -> dict[int, UnitMomenta]:
        """Momenta that a unit velocity of each joint causes, in the base's axes, by body index."""
        return {joint: path[-1][1] for joint, path in self.paths.items()}


def record_coriolis_matrix(
    recording: Recording,
    angular_velocities: tuple[Quantity, ...],
    velocities: tuple[Quantity, ...],
    symbols: CoriolisSymbols = CORIOLIS_SYMBOLS,
    axis_velocities: tuple[Quantity, ...] | None = None,
) -> CoriolisEntries:
    """Record the Coriolis matrix C for which dM/dt - 2C is skew-symmetric.

    M is the mass matrix. C is linear in the joint velocities. For twice the velocities, C contains
    the derivatives of the joint forces by the velocities.

    Args:
        recording: program under construction, with the robot model and its bodies.
        angular_velocities: angular velocities of all bodies, each in its axes (rad/s).
        velocities: joint velocities qd, one for every entry of the velocity vector v.
        symbols: names of the results in generated code.
        axis_velocities: angular velocities of the joint axes, by body; by default those of the
            bodies.

    Returns:
        C without the columns of a floating base, and intermediate results.
    """
    axis_velocities = axis_velocities or angular_velocities
    composites = record_composites(recording)
    motions = record_composite_motions(
        recording, composites, angular_velocities, velocities, symbols
    )
    entries: dict[tuple[int, int], Quantity] = {}
    paths: dict[int, list[tuple[ResolvedBody, UnitMomenta]]] = {}
    changes: dict[int, Wrench] = {}
    # The columns of a floating base have formulas of their own (`base_columns`).
    for joint in recording.carried:
        joint.begin_section("Coriolis matrix, joint")
        # w of the joint's own body: z' = w x z, although only the carrier rotates the axis, as z x
        # z = 0.
        angular, linear, w, (column,) = (
            joint.angular,
            joint.linear,
            axis_velocities[joint.index],
            joint.numbers,
        )
        composite, motion = composites[joint.index], motions[joint.index]
        # p' and hv of composite j, about the origin of body j.
        mass, first_moment, inertia = composite.mass, composite.first_moment, composite.inertia
        change = Wrench(
            momentum_change(angular, linear, mass, first_moment, motion.momentum, w),
            moment_of_change(angular, linear, first_moment, inertia, motion.flux, w),
        )
        # In the axes of the joint's own body, about its origin; below carried to the base.
        places = moment_of_places(angular, linear, motion.momentum, motion.flux)
        path: list[tuple[ResolvedBody, UnitMomenta]] = []
        (screw,) = joint.screws
        for body, unit in list(record_unit_momenta(recording, joint, column, screw, composite)):
            if path:
                # To the parent's axes and origin. p' and hv transform like a wrench. hx is about an
                # origin that moves at velocity u: it changes by u x p, in two steps.
                child, before = path[-1]
                change = child.carry_inward(change)
                places = carry_places_inward(child, motions[child.index], before, unit.force)
            pair = joint.number, body.number
            change = change.name(symbols.force(*pair), symbols.moment(*pair))
            places = places.name(symbols.places(*pair))
            path.append((body, UnitMomenta(unit.force, unit.moment, places)))
            if body is not joint and body is not recording.floating_base:
                # Row j, column i below the diagonal: z' of joint i in the axes of its own body.
                body_w = axis_velocities[body.index]
                below = entry_below(
                    body.angular, body.linear, unit.force, unit.moment, places, body_w
                )
                place = column, body.numbers[0]
                entries[place] = below.name(symbols.entry(*place))
            for row, entry in zip(body.numbers, body.project(change), strict=True):
                entries[row, column] = entry.name(symbols.entry(row, column))
        # Derivatives and the columns of a floating base use the same momenta.
        paths[joint.index], changes[joint.index] = path, change
    return CoriolisEntries(entries, composites, motions, paths, changes)


def carry_places_inward(
    body: ResolvedBody, motion: CompositeMotion, unit: UnitMomenta, momentum: Quantity
) -> Quantity:
    """Record the moment hx of all bodies that joint j moves, about the parent's origin.

    hx is the sum of m cross(dr/dt, c_j) over particles at r from the origin, and c_j the velocity
    of a particle at a unit velocity of joint j. The result is in the axes of the parent of `body`.

    Args:
        body: a body on the path from joint j to the base.
        motion: motion of `body` and all bodies that it carries.
        unit: hx and the momenta at a unit velocity of joint j, in the axes of `body`.
        momentum: the linear momentum at a unit velocity of joint j, in the parent's axes.
    """
    # The origin moves at velocity u relative to the parent's, so hx changes by u x p. The velocity
    # has two parts: the first in the body's axes, the second in the parent's.
    on_axis = moment_about(unit.places, motion.along, unit.momentum)
    return moment_about(body.rotate_inward(on_axis), motion.across, momentum)
