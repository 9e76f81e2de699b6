"""What no physical body can have: reported as warnings, because identified parameters often are no physical body.

Decided exactly; only the figures in the messages are rounded.
"""

from __future__ import annotations

import numpy as np

from dynagen.description.description import Friction, LinkDescription, OriginInertia, RobotDescription, Tensor
from dynagen.description.substitution import substitute
from dynagen.numbers.exact import Exact


def implausibilities(description: RobotDescription) -> tuple[str, ...]:
    """One sentence for each physical impossibility of a robot, such as a negative mass; empty for a physical robot."""
    return tuple(f"link {link.name}: {message}" for link in description.links for message in link_implausibilities(link))


def implausible_links(description: RobotDescription) -> tuple[str, ...]:
    """Names of the links that no physical body can be."""
    return tuple(link.name for link in description.links if link_implausibilities(link))


def link_implausibilities(link: LinkDescription) -> list[str]:
    """What is physically impossible about one link."""
    link = substitute(link, {})  # run-time parameters by their defaults
    mass = link.inertial.mass
    found = []
    if mass < 0:
        found.append(f"mass {float(mass):.6g} kg is negative")
    if mass == 0 and isinstance(link.inertial, OriginInertia) and any(link.inertial.first_moment):
        found.append("a first moment without mass")
    if fault := _tensor_fault(_inertia_about_com(link)):
        found.append(fault)
    if link.motor_inertia < 0:
        found.append(f"motor inertia {float(link.motor_inertia):.6g} is negative")
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
        (f"coefficient of friction of the {bearing.kind} bearing", bearing.coefficient) for bearing in friction.bearings
    ]
    return [f"{name} {float(value):.6g} is negative" for name, value in values if value < 0]


def _inertia_about_com(link: LinkDescription) -> Tensor:
    """By the parallel axis theorem I_o - (s.s 1 - s s^T) / m, s the first moments; without mass there is nothing to move."""
    inertial = link.inertial
    if not isinstance(inertial, OriginInertia) or not inertial.mass:
        return inertial.inertia
    sx, sy, sz = inertial.first_moment
    xx, yy, zz, xy, xz, yz = inertial.inertia
    per_mass = inertial.mass.reciprocal()
    return (
        xx - (sy * sy + sz * sz) * per_mass,
        yy - (sx * sx + sz * sz) * per_mass,
        zz - (sx * sx + sy * sy) * per_mass,
        xy + sx * sy * per_mass,
        xz + sx * sz * per_mass,
        yz + sy * sz * per_mass,
    )


def _tensor_fault(inertia: Tensor) -> str | None:
    """Principal moments I1 <= I2 <= I3 must be >= 0 and obey I1 + I2 >= I3.

    The second holds if and only if the second-moment matrix tr(I)/2 1 - I is positive semi-definite, and implies the first
    (Wensing, Kim and Slotine, "Linear Matrix Inequalities for Physically Consistent Inertial Parameter Identification", 2018).
    """
    xx, yy, zz, xy, xz, yz = inertia
    half_trace = (xx + yy + zz) / 2
    if _is_positive_semidefinite((half_trace - xx, half_trace - yy, half_trace - zz, -xy, -xz, -yz)):
        return None
    a, b, c, d, e, f = (float(element) for element in inertia)
    low, middle, high = np.linalg.eigvalsh(np.array([[a, d, e], [d, b, f], [e, f, c]]))
    if not _is_positive_semidefinite(inertia):
        return f"inertia about the centre of mass has a negative principal moment ({low:.6g} kg m^2)"
    return f"principal moments of inertia break the triangle inequality ({low:.6g} + {middle:.6g} < {high:.6g} kg m^2)"


def _is_positive_semidefinite(tensor: Tensor) -> bool:
    """Whether all principal minors of the symmetric matrix are >= 0."""
    xx, yy, zz, xy, xz, yz = tensor
    minors: tuple[Exact, ...] = (
        *(xx, yy, zz, xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz),
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz),
    )
    return not any(minor < 0 for minor in minors)
