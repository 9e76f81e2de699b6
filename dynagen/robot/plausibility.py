"""Plausibility of a robot: inertial data that no body can have, and numbers in wrong units.

Both are warnings and not errors, because identified parameters often belong to no physical body.
The physical rules are decided exactly; only the numbers in the messages are rounded. The units are
judged by bounds that no usual robot reaches: lengths in mm, masses in g or inertia in kg cm^2
exceed them. Each message has the broken rule and a remedy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynagen.numbers.exact import Exact
from dynagen.robot.description import (
    Friction,
    LinkDescription,
    OriginInertia,
    RobotDescription,
    Tensor,
    convert_to_central_inertia,
)
from dynagen.robot.edits import substitute
from dynagen.robot.pose import Displacement, Translation, Vector

_POINT = Exact("1e-12")
"""Inertia by mass (m^2) of a body with a radius of gyration of one micrometre."""
_ROUNDING = 1e-12  # smallest principal moment, relative to the largest, that is not rounding
_UNLESS = "unless identified"  # identified parameters may be sums over several bodies


def find_implausibilities(description: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield the name of a link and a message for each implausible number.

    Examples are a negative mass and a centre of mass in mm. Run-time parameters count with their
    defaults.
    """
    known = substitute(description, {})
    for link in known.links:
        yield from ((link.name, message) for message in _check_link(link))
    yield from _check_units(known)


def _check_link(link: LinkDescription) -> list[str]:
    """Return messages on inertial data and friction that break a physical rule."""
    mass = link.inertial.mass
    found = []
    if mass < 0:
        found.append(f"mass {float(mass):.6g} kg is negative: remove the sign, {_UNLESS}")
    if mass == 0 and isinstance(link.inertial, OriginInertia) and any(link.inertial.first_moment):
        found.append(f"a first moment without mass: write the mass that it belongs to, {_UNLESS}")
    if message := _check_tensor(convert_to_central_inertia(link.inertial).inertia, mass):
        found.append(message)
    if link.motor_inertia < 0:
        found.append(f"motor inertia {float(link.motor_inertia):.6g} is negative: remove the sign")
    return found + (_check_friction(link.friction) if link.friction else [])


def _check_friction(friction: Friction) -> list[str]:
    """Return messages on negative coefficients, which drive a joint instead of resisting it."""
    values = [("viscous friction", friction.viscous), ("Coulomb friction", friction.coulomb)]
    if friction.coulomb_negative is not None:
        values.append(("Coulomb friction at negative velocities", friction.coulomb_negative))
    if friction.stribeck is not None:
        values.append(("static friction", friction.stribeck.static))
    if friction.transmission is not None:
        values.append(("break-away torque", friction.transmission.breakaway))
    values += [
        (f"coefficient of friction of the {bearing.kind} bearing", bearing.coefficient)
        for bearing in friction.bearings
    ]
    drives = "is negative, so that it drives the joint: remove the sign"
    return [f"{name} {float(value):.6g} {drives}" for name, value in values if value < 0]


def _check_tensor(inertia: Tensor, mass: Exact) -> str | None:
    """Return a message if principal moments I1 <= I2 <= I3 break I1 >= 0 or I1 + I2 >= I3.

    The triangle inequality holds if and only if the matrix of second moments, tr(I)/2 1 - I, is
    positive semidefinite, and implies I1 >= 0 (P. Wensing, S. Kim and J. Slotine, "Linear Matrix
    Inequalities for Physically Consistent Inertial Parameter Identification", 2018).

    Args:
        inertia: tensor about the centre of mass (kg m^2).
        mass: mass of the link (kg).
    """
    xx, yy, zz, xy, xz, yz = inertia
    half_trace = (xx + yy + zz) / 2
    if _is_positive_semidefinite(
        (half_trace - xx, half_trace - yy, half_trace - zz, -xy, -xz, -yz)
    ):
        return None
    if (largest := max(map(abs, inertia))) < _POINT * mass:
        return (
            "inertia about the centre of mass is rounding of zeros "
            f"(at most {float(largest):.1g} kg m^2): write zeros, or the inertia of the link"
        )
    a, b, c, d, e, f = (float(element) for element in inertia)
    moments = np.linalg.eigvalsh(np.array([[a, d, e], [d, b, f], [e, f, c]]))
    low, middle, high = np.where(np.abs(moments) < _ROUNDING * np.abs(moments).max(), 0.0, moments)
    if not _is_positive_semidefinite(inertia) and low:
        broken = (
            f"inertia about the centre of mass has a negative principal moment ({low:.6g} kg m^2)"
        )
    else:
        broken = (
            f"inertia breaks the triangle inequality ({low:.6g} + {middle:.6g} < {high:.6g} kg m^2)"
        )
    return f"{broken}: check units, axes and signs, {_UNLESS}"


def _is_positive_semidefinite(tensor: Tensor) -> bool:
    """Return whether all principal minors of the symmetric matrix are >= 0."""
    xx, yy, zz, xy, xz, yz = tensor
    # Sylvester's criterion for semidefinite matrices: all principal minors, not only the leading.
    minors: tuple[Exact, ...] = (
        *(xx, yy, zz, xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz),
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz),
    )
    return not any(minor < 0 for minor in minors)


# Largest centre of mass and radius of gyration, relative to the robot's reach. Inertia in kg cm^2
# makes the radius of gyration 100 times too large, lengths in mm are 1000 times too large.
_FURTHEST = 3
# Largest mass of the robot in a cube as wide as its reach (kg/m^3); masses in g are 1000 times too
# large.
_DENSEST = 2000


def _check_units(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield the name of a link and a message for each number that seems to be in other units."""
    reach = _reach(robot)
    if not reach:
        return  # there are no lengths to compare with
    extents = [reach]
    for link in robot.links:
        if link.inertial.mass > 0:
            com = _norm(convert_to_central_inertia(link.inertial).com)
            gyration = compute_radius_of_gyration(link)
            extents += [com, gyration]
            compared = f"though the robot reaches {reach:.4g} m"
            if com > _FURTHEST * reach:
                yield (
                    link.name,
                    f"centre of mass {com:.4g} m from the link's origin {compared}: "
                    "write lengths in m",
                )
            if gyration > _FURTHEST * reach:
                yield (
                    link.name,
                    f"radius of gyration {gyration:.4g} m {compared}: "
                    "write inertia in kg m^2 (1 kg cm^2 is 1e-4)",
                )
    heaviest = max(robot.links, key=lambda link: float(link.inertial.mass))
    total = sum(float(link.inertial.mass) for link in robot.links)
    if total > _DENSEST * max(extents) ** 3:
        yield (
            heaviest.name,
            f"all links together have {total:.4g} kg, "
            "more than a block of stone of the robot's reach: write kg",
        )


def compute_radius_of_gyration(link: LinkDescription) -> float:
    """Return the largest radius of gyration about an axis through the centre of mass (m).

    The link must have a mass above zero.
    """
    xx, yy, zz, xy, xz, yz = map(float, convert_to_central_inertia(link.inertial).inertia)
    largest = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))[-1]
    return float(np.sqrt(max(0.0, largest) / float(link.inertial.mass)))


def _reach(robot: RobotDescription) -> float:
    """Return the longest path from the base to a link or frame, along the joints (m).

    The reach is zero, which means unknown, if a joint without limits translates.
    """
    reaches: dict[str | None, float] = {None: 0.0}
    for link in robot.links:
        position = link.limits.position if link.limits else None
        if link.joint.linear and position is None:
            return 0.0
        travel = max(abs(float(end * link.joint.linear)) for end in position) if position else 0.0
        reaches[link.name] = (
            reaches[link.parent] + travel + _length(link.before) + _length(link.after)
        )
    at_frames = (reaches[frame.link] + _length(frame.placement) for frame in robot.frames)
    return max((*reaches.values(), *at_frames))


def _length(steps: Displacement) -> float:
    """Return the summed lengths of the translations of a displacement (m)."""
    return sum(_norm(step.vector) for step in steps if isinstance(step, Translation))


def _norm(vector: Vector) -> float:
    return float(np.linalg.norm([float(component) for component in vector]))
