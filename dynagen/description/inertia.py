"""Inertial data in either form -> centre of mass and inertia about it."""

from __future__ import annotations

from dynagen.description.description import CentralInertia, OriginInertia


def central_inertia(inertial: CentralInertia | OriginInertia) -> CentralInertia:
    """By the parallel axis theorem: I = I_o - (s.s 1 - s s^T) / m, s the first moments; without mass, what is given."""
    if isinstance(inertial, CentralInertia):
        return inertial
    if not inertial.mass:
        return CentralInertia(inertial.mass, inertial.first_moment, inertial.inertia)
    sx, sy, sz = inertial.first_moment
    xx, yy, zz, xy, xz, yz = inertial.inertia
    per_mass = inertial.mass.reciprocal()
    return CentralInertia(
        inertial.mass,
        (sx * per_mass, sy * per_mass, sz * per_mass),
        (
            xx - (sy * sy + sz * sz) * per_mass,
            yy - (sx * sx + sz * sz) * per_mass,
            zz - (sx * sx + sy * sy) * per_mass,
            xy + sx * sy * per_mass,
            xz + sx * sz * per_mass,
            yz + sy * sz * per_mass,
        ),
    )
