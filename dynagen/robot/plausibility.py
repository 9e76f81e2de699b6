"""Warnings about inertial data that no body can have, and about numbers that look like other units.

Warnings for what no physical body can have: no errors, because identified parameters often are no physical body.

Decided exactly; only the figures in the messages are rounded. Every message says which rule is broken, and what to do.

Warnings for numbers that make sense in other units only, as mm, g or kg cm^2: beyond bounds that no usual robot reaches.
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
    central_inertia,
)
from dynagen.robot.edits import substitute
from dynagen.robot.pose import Translation

_POINT = Exact("1e-12")
"""(m^2) A body whose inertia is less than this times its mass has a radius of gyration below a micrometre."""
_ROUNDING = 1e-12  # of principal moments, by the largest
_UNLESS = "unless identified"  # as a sum of several, which is no body


def implausibilities(description: RobotDescription) -> Iterator[tuple[str, str]]:
    """Names of links, and what about them is impossible, such as a negative mass, or most likely in other units."""
    known = substitute(description, {})  # run-time parameters by their defaults
    for link in known.links:
        yield from ((link.name, message) for message in _link_implausibilities(link))
    yield from scale_implausibilities(known)


def _link_implausibilities(link: LinkDescription) -> list[str]:
    mass = link.inertial.mass
    found = []
    if mass < 0:
        found.append(f"mass {float(mass):.6g} kg is negative: remove the sign, {_UNLESS}")
    if mass == 0 and isinstance(link.inertial, OriginInertia) and any(link.inertial.first_moment):
        found.append(f"a first moment without mass: write the mass that it belongs to, {_UNLESS}")
    if fault := _tensor_fault(central_inertia(link.inertial).inertia, mass):
        found.append(fault)
    if link.motor_inertia < 0:
        found.append(f"motor inertia {float(link.motor_inertia):.6g} is negative: remove the sign")
    return found + (_friction_faults(link.friction) if link.friction else [])


def _friction_faults(friction: Friction) -> list[str]:
    """Friction that would drive a joint instead of resisting it."""
    values = [("viscous friction", friction.viscous), ("Coulomb friction", friction.coulomb)]
    if friction.coulomb_negative is not None:
        values.append(("Coulomb friction against negative rates", friction.coulomb_negative))
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


def _tensor_fault(inertia: Tensor, mass: Exact) -> str | None:
    """Principal moments I1 <= I2 <= I3 must be >= 0 and obey I1 + I2 >= I3.

    The second holds if and only if the second-moment matrix tr(I)/2 1 - I is positive semi-definite, and implies the first
    (Wensing, Kim and Slotine, "Linear Matrix Inequalities for Physically Consistent Inertial Parameter Identification", 2018).
    """
    xx, yy, zz, xy, xz, yz = inertia
    half_trace = (xx + yy + zz) / 2
    if _is_positive_semidefinite(
        (half_trace - xx, half_trace - yy, half_trace - zz, -xy, -xz, -yz)
    ):
        return None
    if (largest := max(map(abs, inertia))) < _POINT * mass:
        return (
            f"inertia about the centre of mass is what rounding leaves of zeros (at most {float(largest):.1g} kg m^2): "
            "the link has almost none; write zeros, or what it has"
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
    """Whether all principal minors of the symmetric matrix are >= 0."""
    xx, yy, zz, xy, xz, yz = tensor
    minors: tuple[Exact, ...] = (
        *(xx, yy, zz, xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz),
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz),
    )
    return not any(minor < 0 for minor in minors)


_FURTHEST = 3  # times the robot's reach, of a centre of mass or a radius of gyration; kg cm^2 would be 100 times, mm 1000 times
_DENSEST = (
    2000  # kg/m^3 of a cube as wide as the robot reaches; grams would be 1000 times an arm's mass
)


def scale_implausibilities(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Names of links, and what about them is most likely in other units; numbers of the robot must be known."""
    reach = _reach(robot)
    if not reach:
        return  # no lengths to compare with
    extents = [reach]
    for link in robot.links:
        if link.inertial.mass > 0:
            com, gyration = _com_distance(link), radius_of_gyration(link)
            extents += [com, gyration]
            beside = f"though the robot reaches {reach:.4g} m"
            if com > _FURTHEST * reach:
                yield (
                    link.name,
                    f"centre of mass {com:.4g} m from the link's origin {beside}: write lengths in m",
                )
            if gyration > _FURTHEST * reach:
                yield (
                    link.name,
                    f"radius of gyration {gyration:.4g} m {beside}: write inertia in kg m^2 (1 kg cm^2 is 1e-4)",
                )
    heaviest = max(robot.links, key=lambda link: float(link.inertial.mass))
    total, most = (
        sum(float(link.inertial.mass) for link in robot.links),
        _DENSEST * max(extents) ** 3,
    )
    if total > most:
        yield (
            heaviest.name,
            f"all links together have {total:.4g} kg, more than a block of stone of the robot's reach: write kg",
        )


def _com_distance(link: LinkDescription) -> float:
    """Distance of the centre of mass from the origin of the link's frame, m."""
    return float(np.linalg.norm([float(each) for each in central_inertia(link.inertial).com]))


def radius_of_gyration(link: LinkDescription) -> float:
    """The largest about an axis through the centre of mass, m; of a link with mass."""
    xx, yy, zz, xy, xz, yz = (float(each) for each in central_inertia(link.inertial).inertia)
    largest = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))[-1]
    return float(np.sqrt(max(0.0, largest) / float(link.inertial.mass)))


def _reach(robot: RobotDescription) -> float:
    """The longest path from the base to a link or a frame, joint by joint, m; 0 if a joint slides without limits."""
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


def _length(steps: tuple[object, ...]) -> float:
    vectors = (step.vector for step in steps if isinstance(step, Translation))
    return sum(float(np.linalg.norm([float(each) for each in vector])) for vector in vectors)
