"""Plausibility checks of a robot: impossible inertial data, wrong units, wrong models.

The checks produce warnings instead of errors, because identified parameters often violate the
physical rules. The rules are checked with exact numbers. Wrong units are found by bounds. The
numbers of usual robots are below the bounds, but lengths in mm, angles in degrees, masses in g or
inertia in kg cm^2 exceed them. Wrong models are placeholders for inertia, links whose radius of
gyration is much larger than the link, and a fixed base with legs. Each message states the broken
rule and a remedy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import hypot
from typing import TypeVar

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
from dynagen.robot.names import make_identifier
from dynagen.robot.payload import PAYLOAD, name_payload_place
from dynagen.robot.pose import Displacement, Translation, Vector

T = TypeVar("T")

_POINT = Exact("1e-12")
"""Square of a radius of gyration (m^2); an inertia below mass times this number counts as zero."""
_ROUNDING = 1e-12  # smallest principal moment, relative to the largest, that is not rounding
# Identified parameters may be sums over several bodies, and belong to no physical body.
_UNLESS = "unless the numbers come from an identification"


def find_implausibilities(description: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield the name of a link and a message for each implausible number.

    Examples are a negative mass, and a centre of mass in mm. Run-time parameters have their default
    values.
    """
    known = substitute(description, {})
    for link in known.links:
        yield from ((link.name, message) for message in _check_link(link))
    yield from _check_units(known)
    if placeholder := _find_placeholder(known):
        yield placeholder
    else:
        yield from _check_sizes(known)


def find_limbs_without_floating_base(robot: RobotDescription) -> tuple[str, str] | None:
    """Return the root link's name and a warning if a fixed base with mass carries several limbs.

    A robot with several limbs may be a walking robot, whose base moves, or a fixed robot with
    several arms. Only the user knows. The result is None for a floating base, a base without mass,
    or fewer than two limbs.
    """
    root = robot.links[0]
    if root.joint.moves:
        return None
    rigid = [root]  # and all links that are fixed to it
    limbs: list[LinkDescription] = []
    for link in robot.links[1:]:
        if link.parent in [fixed.name for fixed in rigid]:
            (limbs if link.joint.moves else rigid).append(link)
    mass = sum(float(link.inertial.mass) for link in rigid)
    if len(limbs) < 2 or mass <= 0:
        return None
    return (
        root.name,
        f"the base is fixed, although it has {mass:.4g} kg and carries {len(limbs)} limbs "
        f"({', '.join(link.name for link in limbs)}): `--base floating` lets it move, as for "
        "walking and flying robots; `--base fixed` confirms that it is fixed",
    )


def find_loads_without_effect(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield a link's name and a message for each payload, wrench or force without effect.

    It has no effect because its frame is fixed to the base.
    """
    fixed: set[str | None] = {None}
    for link in robot.links:
        if link.parent in fixed and not link.joint.moves:
            fixed.add(link.name)
    links = {make_identifier(frame.name): frame.link for frame in robot.frames}
    loads = [
        (what, name, links.get(make_identifier(name), robot.links[-1].name))
        for what, names in (
            ("wrench", robot.external_wrenches),
            ("contact force", robot.contact_forces),
        )
        for name in names
    ]
    if robot.payload:
        loads.append((PAYLOAD, name_payload_place(robot), PAYLOAD))
    for what, name, carrier in loads:
        if carrier in fixed:
            yield (
                carrier,
                f"the {what} at {name} has no effect, because this frame is fixed to the base: "
                "choose a frame that a joint moves",
            )


def _check_link(link: LinkDescription) -> list[str]:
    """Return messages on inertial data and friction that break a physical rule."""
    mass = link.inertial.mass
    found = []
    if mass < 0:
        found.append(
            f"mass {float(mass):.6g} kg is negative, which is impossible for a body: remove the "
            f"sign, {_UNLESS}"
        )
    if mass == 0 and isinstance(link.inertial, OriginInertia) and any(link.inertial.first_moment):
        found.append(
            "the first moment is not zero but the mass is, which is impossible: write the mass, or "
            f"remove the first moment, {_UNLESS}"
        )
    if message := _check_tensor(convert_to_central_inertia(link.inertial).inertia, mass):
        found.append(message)
    if link.motor_inertia < 0:
        found.append(
            f"motor inertia {float(link.motor_inertia):.6g} is negative, which is impossible for "
            "a motor: remove the sign"
        )
    if link.elasticity is not None:
        numbers = {"stiffness": link.elasticity.stiffness, "damping": link.elasticity.damping}
        found += [
            f"{name} of the motor's spring {float(value):.6g} is negative, so that the spring "
            "accelerates the joint: remove the sign"
            for name, value in numbers.items()
            if value < 0
        ]
    return found + (_check_friction(link.friction) if link.friction else [])


def _check_friction(friction: Friction) -> list[str]:
    """Return messages on negative friction, which drives a joint instead of resisting it."""
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

    The tensor I (kg m^2) is about the centre of mass. Both inequalities hold if and only if the
    matrix of second moments, tr(I)/2 E - I, is positive semidefinite (Wensing, Kim and Slotine,
    "Linear Matrix Inequalities for Physically Consistent Inertial Parameter Identification", 2018).
    E is the identity matrix.
    """
    xx, yy, zz, xy, xz, yz = inertia
    half_trace = (xx + yy + zz) / 2
    if _is_positive_semidefinite(
        (half_trace - xx, half_trace - yy, half_trace - zz, -xy, -xz, -yz)
    ):
        return None
    if (largest := max(map(abs, inertia))) < _POINT * mass:
        return (
            "inertia about the centre of mass consists of rounding errors only "
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
    return f"{broken}, which is impossible for a body: check units, axes and signs, {_UNLESS}"


def _is_positive_semidefinite(tensor: Tensor) -> bool:
    """Return whether a symmetric matrix (xx, yy, zz, xy, xz, yz) is positive semidefinite."""
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
# A robot that reaches further (m) has its lengths in mm: a finger of 5 cm then reaches 50 m.
_LONGEST = 40
# Largest mass of the robot in a cube as wide as its reach (kg/m^3); masses in g are 1000 times too
# large.
_DENSEST = 2000


def _check_units(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield the name of a link and a message for each number that seems to have a wrong unit."""
    reach = _reach(robot)
    if not reach:
        return  # there are no lengths to compare with
    if reach > _LONGEST:
        yield (
            robot.links[0].name,
            f"the robot reaches {reach:.4g} m, which looks like mm: write lengths in m (1 mm is "
            "0.001)",
        )
    turned: dict[str, tuple[float, ...]] = {}  # position limits of links
    far: dict[str, float] = {}  # distances of centres of mass
    wide: dict[str, float] = {}  # radii of gyration
    extents = [reach]
    for link in robot.links:
        ends = link.limits.position if link.limits and link.limits.position else ()
        if link.joint.angular and any(_looks_like_degrees(float(end)) for end in ends):
            turned[link.name] = tuple(map(float, ends))
        if link.inertial.mass > 0:
            com = _norm(convert_to_central_inertia(link.inertial).com)
            gyration = compute_radius_of_gyration(link)
            extents += [com, gyration]
            if com > _FURTHEST * reach:
                far[link.name] = com
            if gyration > _FURTHEST * reach:
                wide[link.name] = gyration
    for (low, high), name, others in _first(turned):
        yield (
            name,
            f"position limits {low:.6g} to {high:.6g} rad{others} look like degrees: write rad (1 "
            "degree is 0.0174533)",
        )
    compared = f"though the robot reaches {reach:.4g} m"
    for com, name, others in _first(far):
        yield (
            name,
            f"centre of mass {com:.4g} m from the link's origin{others}, {compared}, which looks "
            "like mm: write lengths in m (1 mm is 0.001)",
        )
    for gyration, name, others in _first(wide):
        yield (
            name,
            f"radius of gyration {gyration:.4g} m{others}, {compared}: mass and inertia have "
            "different units, or one is wrong: write kg and kg m^2 (1 kg cm^2 is 1e-4, 1 g mm^2 is "
            "1e-9)",
        )
    heaviest = max(robot.links, key=lambda link: float(link.inertial.mass))
    total = sum(float(link.inertial.mass) for link in robot.links)
    extent = max(extents)
    if total > _DENSEST * (extent * extent * extent):  # a power would raise OverflowError
        yield (
            heaviest.name,
            f"all links together have {total:.4g} kg, "
            "more than a cube of stone as wide as the robot's reach, which looks like g: write kg",
        )


def _first(found: Mapping[str, T]) -> Iterator[tuple[T, str, str]]:
    """Yield value and name of the first link in `found`, and a phrase that names the other links.

    Nothing is yielded if `found` is empty.
    """
    if found:
        name, *others = found
        yield found[name], name, f" ({', '.join(others)} too)" if others else ""


def _looks_like_degrees(angle: float) -> bool:
    """Return whether an angle in rad is a large multiple of 5, such as 90 or -170."""
    return 30 <= abs(angle) < 1e4 and angle % 5 == 0


# Largest radius of gyration, relative to the extent of the link. A bar has 0.29 of its length, two
# point masses at its ends 0.5; casings and motors may extend beyond the joints.
_WIDEST = 3
# Extent of a link whose joints and centre of mass coincide, relative to the robot's reach.
_SHORTEST = 0.1
# Largest moment of inertia without effect, relative to the robot's mass and squared reach: links
# for sensors have placeholders of this size.
_SMALLEST = 1e-4


def _check_sizes(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield a link's name and a message if radii of gyration are much larger than the links.

    The size of a link is the largest distance from its joint to its centre of mass, its frames and
    its children's joints.
    """
    reach = _reach(robot)
    total = sum(float(link.inertial.mass) for link in robot.links)
    ends = {link.name: [_length(link.after)] for link in robot.links}
    for link in robot.links:
        if link.parent is not None:
            ends[link.parent].append(_length(link.before))
    for frame in robot.frames:
        ends[frame.link].append(_length(frame.placement))
    wide: dict[str, tuple[float, float]] = {}
    for link in robot.links:
        if link.inertial.mass <= 0 or (link.parent is None and not link.joint.moves):
            continue
        com = _norm(convert_to_central_inertia(link.inertial).com)
        extent = max(com, *ends[link.name], _SHORTEST * reach)
        gyration = compute_radius_of_gyration(link)
        inertia = float(link.inertial.mass) * gyration**2
        if (
            _WIDEST * extent < gyration <= _FURTHEST * reach
            and inertia > _SMALLEST * total * reach**2
        ):
            wide[link.name] = gyration, extent
    for (gyration, extent), name, others in _first(wide):
        yield (
            name,
            f"radius of gyration {gyration:.4g} m, but the link extends {extent:.2g} m from its "
            f"joint{others}: no body of this size has so much inertia with this mass; compare both "
            "with the data sheet or the CAD model",
        )


def _find_placeholder(robot: RobotDescription) -> tuple[str, str] | None:
    """Return a link's name and a message if the inertia of all links looks like a placeholder.

    The inertia looks like a placeholder if it is the same number for all links and all axes.
    """
    heavy = [link for link in robot.links if link.inertial.mass > 0]
    tensors = {convert_to_central_inertia(link.inertial).inertia for link in heavy}
    if len(heavy) < 2 or len(tensors) != 1:
        return None
    xx, yy, zz, *products = tensors.pop()
    if not xx == yy == zz > 0 or any(products):
        return None
    return (
        heavy[0].name,
        f"all {len(heavy)} links with mass have the inertia {float(xx):.6g} kg m^2 about every "
        "axis, which looks like a placeholder: write the inertia of each link",
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

    The result zero means that the length is unknown, because a translating joint has no limits.
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
    # The squares of numpy's norm overflow from 1e155 on.
    return hypot(*(float(component) for component in vector))
