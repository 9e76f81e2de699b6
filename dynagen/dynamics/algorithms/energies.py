"""Kinetic and potential energy, and their regressors.

Twice the kinetic energy of a body is m v.v + w.(J w + 2 cross(s, v)), with the mass m, the velocity
v of the body's origin, the angular velocity w, and the inertia J and first moment s about the
origin. The motor of a joint adds Ia qd^2 with the motor inertia Ia and the joint velocity qd.

The potential energy is the sum of m h + s.u over all bodies. u is the opposite of the acceleration
of gravity, and h = u.p with the position p of the body's origin in the base frame. The energy is
computed from first moments, which are summed from body to body towards the base. The regressor of
the potential energy is computed from h, from the base outward.

Both energies are linear in the inertial parameters m, s and J. The regressor of an energy contains
the factors of these parameters (Gautier, "Dynamic Identification of Robots with Power Model", ICRA
1997).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add

from dynagen.dynamics.algorithms.kinematics import record_whole
from dynagen.dynamics.algorithms.kinetic_energy import record_velocities
from dynagen.dynamics.algorithms.mass_matrix import record_composites, record_reverse_gravity
from dynagen.dynamics.algorithms.newton_euler import record_body_motions
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody
from dynagen.dynamics.algorithms.regressor import Columns, choose_fewest_terms, combine
from dynagen.dynamics.algorithms.rotations import unpack
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ONE
from dynagen.robot.model.base_parameters import StandardParameter
from dynagen.robot.model.model import BASE
from dynagen.robot.model.regrouping import PARAMETERS

KE = Symbol("ke", "i", SCALAR, "twice the kinetic energy of body i", "J")
HEIGHT = Symbol(
    "hu",
    "i",
    SCALAR,
    "scalar product of upward acceleration and position of the origin of body i",
    "m^2/s^2",
)


@formula
def twice_energy(mass: Expr, first_moment: Matrix, inertia: Matrix, v: Matrix, w: Matrix) -> Expr:
    """Return twice the kinetic energy of a body, m v.v + w.(J w + 2 cross(s, v)) (J).

    `mass` is m (kg). `first_moment` is s (kg m) and `inertia` is J (elements xx, yy, zz, xy, xz,
    yz, kg m^2) about the body's origin. v is the velocity of the origin, and w the angular
    velocity.
    """
    return mass * v.dot(v) + w.dot(unpack(inertia) * w + (2 * first_moment).cross(v))


@formula
def height_of(height: Expr, up: Matrix, translation: Matrix) -> Expr:
    """Return h + u.r, the height of a point times the acceleration of gravity (m^2/s^2).

    Args:
        height: h, the height of a known point times the acceleration of gravity (m^2/s^2).
        up: u, the opposite of the acceleration of gravity (m/s^2).
        translation: r, the vector from the known point to this point (m). If r is a first moment
            (kg m), u.r is an energy (J).
    """
    return height + up.dot(translation)


@formula
def height_on_axis(height: Expr, up: Matrix, displacement: Expr) -> Expr:
    """Return h + d u_z, the height of a point on a body's z axis times the acceleration of gravity.

    `height` is h, the height of another point on the axis times the acceleration of gravity, and
    `displacement` is d, from that other point along z (m). `up` is u, the opposite of the
    acceleration of gravity in the body's axes (m/s^2).
    """
    return height + displacement * up[2]


def record_kinetic_energy(recording: Recording) -> Quantity:
    """Record the kinetic energy of all bodies and of the rotors of all joint motors (J)."""
    motions = record_body_motions(recording, recording.make_unaccelerated_motion(gravity=False))
    velocities = record_velocities(recording, motions)
    recording.begin_section("Kinetic energy")
    parts = []
    for body, motion, v in zip(recording.bodies, motions, velocities, strict=True):
        # v and w are in the body's axes, as its first moment and inertia are.
        w = motion.angular_velocity
        twice = twice_energy(body.mass, body.first_moment, body.inertia, v, w)
        parts.append(twice.name(KE(body.number)))
        for entry, screw in zip(body.entries, body.screws, strict=True):
            qd = recording.velocities[entry]
            # The rotor at its own speed, reflected to the joint; its mass is in the body's part.
            parts.append(qd * qd * screw.motor_inertia)
    return reduce(add, parts) * (ONE / 2)


def record_potential_energy(recording: Recording) -> Quantity:
    """Record the potential energy of all bodies (J); zero for a mass at the base frame's origin."""
    whole = record_whole(recording, record_composites(recording))
    up = recording.add_constant(*(-component for component in recording.model.gravity))
    first_moment = whole.first_moment
    if base := recording.floating_base:
        first_moment = whole.carry_inward(base).first_moment
    recording.begin_section("Potential energy")
    # The sum of m u.p over all particles is u times the first moment about the base's origin.
    return height_of(recording.add_constant(0), up, first_moment)


def _record_heights(recording: Recording) -> list[Quantity]:
    """Record u.p for the origins of all bodies (m^2/s^2), in the order of the bodies.

    u is the opposite of the acceleration of gravity, and p the position of the body's origin from
    the base's origin.
    """
    up = recording.add_constant(*(-component for component in recording.model.gravity))
    ups = record_reverse_gravity(recording)
    heights: list[Quantity] = []
    for body in recording.bodies:
        body.begin_section("Height, body")
        before, parent_up = (
            (recording.add_constant(0), up)
            if body.parent == BASE
            else (heights[body.parent], ups[body.parent])
        )
        # In the parent's axes to the foot, in the body's axes along the joint.
        foot = height_of(before, parent_up, body.translation)
        height = height_on_axis(foot, ups[body.index], body.displacement)
        heights.append(height.name(HEIGHT(body.number)))
    return heights


@formula
def kinetic_columns(v: Matrix, w: Matrix) -> Matrix:
    """Return the kinetic energy per unit of each of the ten inertial parameters of a body.

    The parameters are m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz (mass, first moments, inertia)
    about the body's origin. v is the velocity of the origin (m/s), and w the angular velocity
    (rad/s), in the axes of the parameters.
    """
    halves = [component / 2 for component in (v[0], v[1], v[2], w[0], w[1], w[2])]
    mass = sum(half * whole for half, whole in zip(halves[:3], v, strict=True))
    squares = [half * whole for half, whole in zip(halves[3:], w, strict=True)]
    # v.(w x s) = s.(v x w)
    return Matrix([mass, *v.cross(w), *squares, w[0] * w[1], w[0] * w[2], w[1] * w[2]])


def record_kinetic_columns(
    recording: Recording, parameters: Sequence[StandardParameter]
) -> list[Quantity]:
    """Record the kinetic energy per unit of each standard parameter, one scalar for each.

    `parameters` are inertial parameters and motor inertias of links. The inertial parameters are in
    the link's own frame, about its origin.
    """
    motions = record_body_motions(recording, recording.make_unaccelerated_motion(gravity=False))
    velocities = record_velocities(recording, motions)

    def columns_of(body: ResolvedBody) -> Columns:
        # Parameters are constant in the body axes.
        v, w = velocities[body.index], motions[body.index].angular_velocity
        columns = kinetic_columns(body.to_body_axes(v), body.to_body_axes(w))
        qd = recording.velocities[body.entry]
        motor = qd * qd * (ONE / 2)  # a floating base has no such parameter
        return _add_second_moments(dict(zip(PARAMETERS, (*columns, motor), strict=True)))

    return _combine_columns(recording, parameters, columns_of)


def record_potential_columns(
    recording: Recording, parameters: Sequence[StandardParameter]
) -> list[Quantity]:
    """Record the potential energy per unit of each standard parameter, one scalar for each.

    `parameters` are inertial parameters and motor inertias of links. The inertial parameters are in
    the link's own frame, about its origin.
    """
    ups, heights = record_reverse_gravity(recording), _record_heights(recording)
    zero = recording.add_constant(0)

    def columns_of(body: ResolvedBody) -> Columns:
        up = body.to_body_axes(ups[body.index])
        columns = dict.fromkeys(PARAMETERS, zero)
        columns |= dict(zip(PARAMETERS, (heights[body.index], *up), strict=False))
        return _add_second_moments(columns)

    return _combine_columns(recording, parameters, columns_of)


def _add_second_moments(columns: dict[str, Quantity]) -> Columns:
    """Return `columns`, to which the second moments Sxx, Syy and Szz are added as keys.

    `columns` maps the names of inertial parameters to the energy per unit of the parameter. The
    added energies are computed from those of Jxx, Jyy and Jzz.
    """
    xx, yy, zz = (columns[name] for name in ("Jxx", "Jyy", "Jzz"))
    return {**columns, "Sxx": yy + zz, "Syy": xx + zz, "Szz": xx + yy}


def _combine_columns(
    recording: Recording,
    parameters: Sequence[StandardParameter],
    columns_of: Callable[[ResolvedBody], Columns],
) -> list[Quantity]:
    """Record the energy per unit of each standard parameter, from energies per unit for the bodies.

    `columns_of` returns the energy per unit of each parameter of a body, by name. The inertial
    parameters of the body are in its body axes. For links that do not move, the result is zero.
    """
    recording.begin_section("Columns of the links, in their own frames")
    columns = [columns_of(body) for body in recording.bodies]
    zero = recording.add_constant(0)
    return [
        combine(choose_fewest_terms(each.in_body), columns[each.body])
        if each.body != BASE
        else zero
        for each in parameters
    ]
