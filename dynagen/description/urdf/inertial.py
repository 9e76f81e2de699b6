"""The <inertial> of a link -> centre of mass and inertia about it, in the axes of the link.

URDF gives the inertia in a frame of its own, at the centre of mass, whose axes <origin rpy> rotates against those of the link.
"""

from __future__ import annotations

from dynagen.description.description import NO_INERTIA, CentralInertia, Tensor
from dynagen.description.displacement import Vector, translation_and_rpy
from dynagen.description.pose import ORIGIN, pose_after, product, transpose
from dynagen.description.urdf.quantities import Quantities
from dynagen.description.xml_document import Element


def read_inertial(link: Element, where: str, quantities: Quantities) -> CentralInertia:
    """Mass (kg), centre of mass (m) and inertia about it (kg m^2) of a link, all zero where it has no <inertial>."""
    inertial = link.find("inertial")
    if inertial is None:
        return NO_INERTIA
    where += ".inertial"
    xyz, rpy = quantities.origin(inertial, f"{where}.origin")
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    if mass is None:
        quantities.fault(where, '<mass value="..."/> is missing: write the mass, or remove <inertial>', inertial)
        return NO_INERTIA
    kilograms = quantities.number(mass, "value", f"{where}.mass", default=None)
    if inertia is None:
        if kilograms:
            quantities.warn(where, "mass without <inertia>, read as a point mass: write the inertia", inertial)
        return CentralInertia(kilograms, xyz, NO_INERTIA.inertia)
    xx, yy, zz = (quantities.number(inertia, name, f"{where}.inertia", default=None) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (quantities.number(inertia, name, f"{where}.inertia") for name in ("ixy", "ixz", "iyz"))
    return CentralInertia(kilograms, xyz, rotated((xx, yy, zz, xy, xz, yz), rpy))


def rotated(tensor: Tensor, rpy: Vector) -> Tensor:
    """R I R^T with R = Rz(yaw) Ry(pitch) Rx(roll): a tensor in rotated axes -> in the axes that these were rotated against."""
    if not any(rpy):
        return tensor
    xx, yy, zz, xy, xz, yz = tensor
    rotation = pose_after(translation_and_rpy(ORIGIN, rpy)).rotation
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = product(
        product(rotation, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))), transpose(rotation)
    )
    return xx, yy, zz, xy, xz, yz
