"""RobotDescription: a robot as the user described it, validated, in SI units and in the user's frames.

RobotDescription: what the user wrote, validated and in SI units, in the user's own frames.

The numeric reference reads this and builds its own frames from it; the generator makes a RobotModel of it.

Inertial data in either form -> centre of mass and inertia about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dynagen.errors import Fault
from dynagen.numbers.exact import ZERO, Exact
from dynagen.numbers.parametric import Parameter
from dynagen.robot.joints import Joint
from dynagen.robot.literals import Snap
from dynagen.robot.options import ReadingOptions
from dynagen.robot.pose import Displacement, Vector

Tensor = tuple[Exact, Exact, Exact, Exact, Exact, Exact]
"""Elements Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a symmetric tensor; Ixy = -integral of x y dm."""


@dataclass(frozen=True)
class CentralInertia:
    """Inertial data in the usual form: centre of mass (m) and inertia about it (kg m^2), both in link axes."""

    mass: Exact
    com: Vector
    inertia: Tensor


NO_INERTIA = CentralInertia(ZERO, (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO))
"""Of a link without mass."""


@dataclass(frozen=True)
class OriginInertia:
    """Inertial data in barycentric form: first moments (kg m) and inertia about the link frame's origin (kg m^2)."""

    mass: Exact
    first_moment: Vector
    inertia: Tensor


@dataclass(frozen=True)
class Stribeck:
    """Friction at rest (N m or N), and the rate (rad/s or m/s) at which its excess over Coulomb friction has fallen to 1/e."""

    static: Exact
    velocity: Exact


@dataclass(frozen=True)
class Bearing:
    """A bearing whose friction follows from the force and the moment that it carries.

    Attributes:
        kind: journal (two supports around a rotating shaft), thrust (along it), linear (two supports around a rail).
        coefficient: of kinetic friction.
        radius: at which friction acts (m); zero for a linear bearing.
        length: between the supports (m); zero for a thrust bearing.
        centre: of the supports (m), along the joint axis, from the origin of the frame that the joint moves.
    """

    kind: Literal["journal", "linear", "thrust"]
    coefficient: Exact
    radius: Exact
    length: Exact
    centre: Exact


@dataclass(frozen=True)
class Transmission:
    """Losses of a gear between motor and joint; torques (or forces) are referred to the joint.

    Attributes:
        breakaway: what moving the unloaded gear takes (N m or N).
        rated: torque (or force) at the output that loads are compared with (N m or N).
        efficiency: points (load / rated, efficiency) in ascending order; before the first and behind the last it is constant.
        interpolation: straight lines, or a monotone cubic spline.
    """

    breakaway: Exact
    rated: Exact
    efficiency: tuple[tuple[Exact, Exact], ...]
    interpolation: Literal["linear", "spline"] = "linear"


@dataclass(frozen=True)
class Friction:
    """Joint friction.

    Attributes:
        viscous: N m s/rad or N s/m.
        coulomb: against positive rates (N m or N), and against negative ones too unless `coulomb_negative` is given.
        coulomb_negative: against negative rates, as a magnitude.
        offset: what is always there, in the sense of a positive rate (N m or N).
        sign: what the sign of the rate is replaced with: nothing (it is zero at rest), tanh(rate / width), or
            rate / width between -1 and 1.
        width: a rate (rad/s or m/s).
    """

    viscous: Exact
    coulomb: Exact
    coulomb_negative: Exact | None = None
    offset: Exact = ZERO
    stribeck: Stribeck | None = None
    sign: Literal["exact", "tanh", "linear"] = "exact"
    width: Exact = ZERO
    bearings: tuple[Bearing, ...] = ()
    transmission: Transmission | None = None

    @property
    def depends_on_load(self) -> bool:
        """Whether friction depends on what the joint carries, and not on its rate alone."""
        return bool(self.bearings or self.transmission)


@dataclass(frozen=True)
class Limits:
    """Optional joint limits: position (low, high), velocity and effort magnitudes, in joint units."""

    position: tuple[Exact, Exact] | None = None
    velocity: Exact | None = None
    effort: Exact | None = None


@dataclass(frozen=True)
class LinkDescription:
    """A link and the joint that moves it.

    From the parent's frame to the link's lead the steps in front of the joint, the joint's motion, and the steps behind it.

    Attributes:
        parent: name of the link that the joint sits on; None for the base.
        before, after: constant steps in front of the joint, offsets of its variable among them, and behind it.
        motor_inertia: reflected to the joint (kg m^2 or kg), acting as motor_inertia * qdd on the joint alone.
        remarks: on its numbers, by the key that a YAML description has for them: comments, for whoever writes it.
    """

    name: str
    parent: str | None
    before: Displacement
    joint: Joint
    after: Displacement
    inertial: CentralInertia | OriginInertia
    motor_inertia: Exact = ZERO
    friction: Friction | None = None
    limits: Limits | None = None
    remarks: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def joint_name(self) -> str:
        """The joint's own name, else that of the link."""
        return self.joint.name or self.name


TOOL = "tool"
"""The frame that functions take unless another one is named: the last link's, where the description names none so."""


@dataclass(frozen=True)
class NamedFrame:
    """A point of interest for kinematics, fixed to a link."""

    name: str
    link: str
    placement: Displacement


def path_to_base(links: Mapping[str, LinkDescription], name: str | None) -> list[LinkDescription]:
    """A link and those that carry it, the last of them on the base; none for the base itself, which is None."""
    path: list[LinkDescription] = []
    while name is not None:
        path.append(links[name])
        name = links[name].parent
    return path


@dataclass(frozen=True, repr=False)
class RobotDescription:
    """A robot as described; links in an order in which every parent comes before its children.

    Attributes:
        gravity: acceleration of gravity in the base frame, m/s^2.
        parameters: that stay arguments of the generated code; numbers may depend on them (`parametric.Parametric`).
        payload: which of them are the inertial parameters of what the robot carries.
        external_wrenches: names of the frames at which the surroundings exert a force and a moment.
        notation: how the file gives its frames, for people.
        source: where the numbers come from, as the user states it.
        path: file that it was read from, for messages.
        sha256: of the description's bytes.
        reading: how it was read.
        notes: what a user should know of how it was read (the order of links, what was left out).
        snaps: numbers that were read otherwise than they are written.
        warnings: what is most likely a mistake, field by field with rule and remedy; loading strictly refuses it.
    """

    name: str
    gravity: Vector
    links: tuple[LinkDescription, ...]
    frames: tuple[NamedFrame, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    payload: tuple[str, ...] = ()
    external_wrenches: tuple[str, ...] = ()
    notation: str = ""
    source: str = ""
    path: str = ""
    sha256: str = ""
    reading: ReadingOptions = field(default=ReadingOptions(), compare=False)
    notes: tuple[str, ...] = ()
    snaps: tuple[Snap, ...] = ()
    warnings: tuple[Fault, ...] = ()

    def __repr__(self) -> str:
        """One line."""
        joints = sum(link.joint.nv for link in self.links)
        return f"<RobotDescription of {self.name}: {len(self.links)} links, {joints} degrees of freedom, {self.notation}>"

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, and a line for every number that was read otherwise than it is written."""
        return (*self.notes, *map(str, self.snaps))


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
