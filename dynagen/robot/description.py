"""RobotDescription: what the user wrote, validated and in SI units, in the user's own frames.

The numeric reference reads this and builds its own frames from it; the generator turns it into a RobotModel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dynagen.exact import ZERO, Exact
from dynagen.robot.joints import JointType

Vector = tuple[Exact, Exact, Exact]
Tensor = tuple[Exact, Exact, Exact, Exact, Exact, Exact]
"""Elements Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a symmetric tensor; Ixy = -integral of x y dm."""

Convention = Literal["modified", "standard"]


@dataclass(frozen=True)
class DenavitHartenberg:
    """One Denavit-Hartenberg step: angles in rad, lengths in m.

    modified (Craig, Khalil): Rx(alpha) Tx(a) Rz(theta) Tz(d); standard (Paul, Spong): Rz(theta) Tz(d) Tx(a) Rx(alpha).
    theta (revolute) or d (prismatic) is the offset of the joint variable.
    """

    alpha: Exact
    a: Exact
    d: Exact
    theta: Exact


@dataclass(frozen=True)
class FixedTransform:
    """A constant pose: translation xyz (m), then roll, pitch, yaw rpy (rad), R = Rz(yaw) Ry(pitch) Rx(roll) as in URDF."""

    xyz: Vector
    rpy: Vector


@dataclass(frozen=True)
class CentralInertia:
    """Inertial data in the usual form: centre of mass (m) and inertia about it (kg m^2), both in link axes."""

    mass: Exact
    com: Vector
    inertia: Tensor


@dataclass(frozen=True)
class OriginInertia:
    """Inertial data in barycentric form: first moments (kg m) and inertia about the link frame's origin (kg m^2)."""

    mass: Exact
    first_moment: Vector
    inertia: Tensor


@dataclass(frozen=True)
class Friction:
    """Joint friction: viscous (N m s/rad or N s/m) and Coulomb (N m or N)."""

    viscous: Exact
    coulomb: Exact


@dataclass(frozen=True)
class Limits:
    """Optional joint limits: position (low, high), velocity and effort magnitudes, in joint units."""

    position: tuple[Exact, Exact] | None = None
    velocity: Exact | None = None
    effort: Exact | None = None


@dataclass(frozen=True)
class LinkDescription:
    """A link and the joint that moves it.

    Attributes:
        parent: name of the link that the joint sits on; None for the base.
        origin: fixed transform before the Denavit-Hartenberg step; None means identity.
        motor_inertia: reflected to the joint (kg m^2 or kg), acting as motor_inertia * qdd on the joint alone.
    """

    name: str
    parent: str | None
    joint: JointType
    dh: DenavitHartenberg
    inertial: CentralInertia | OriginInertia
    origin: FixedTransform | None = None
    motor_inertia: Exact = ZERO
    friction: Friction | None = None
    limits: Limits | None = None


@dataclass(frozen=True)
class NamedFrame:
    """A point of interest for kinematics, fixed to a link."""

    name: str
    link: str
    placement: FixedTransform


@dataclass(frozen=True)
class RobotDescription:
    """A robot as described; links in an order in which every parent comes before its children.

    Attributes:
        gravity: acceleration of gravity in the base frame, m/s^2.
        source: where the numbers come from, as the user states it.
        path: file that it was read from, for messages.
        sha256: of the description's bytes.
        notes: what loading changed or assumed (snapped angles, missing inertial data), to be shown to the user.
    """

    name: str
    convention: Convention
    gravity: Vector
    links: tuple[LinkDescription, ...]
    frames: tuple[NamedFrame, ...] = ()
    source: str = ""
    path: str = ""
    sha256: str = ""
    notes: tuple[str, ...] = ()
