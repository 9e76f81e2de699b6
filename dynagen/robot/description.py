"""Description of a robot by its user: links, joints, inertial data, friction and limits.

The data of a description are validated, and have SI units and the user's own frames. Numbers are
exact (`Exact`), so that 0.1 is 1/10 and a right angle has a cosine of zero.
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
    """Inertial data in the usual form: mass (kg), centre of mass, inertia about the centre of mass.

    Attributes:
        com: position of the centre of mass in the link's frame (m).
        inertia: tensor about the centre of mass, in the link's axes (kg m^2).
    """

    mass: Exact
    com: Vector
    inertia: Tensor


NO_INERTIA = CentralInertia(ZERO, (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO))
"""The inertial data of a link without mass."""


@dataclass(frozen=True)
class OriginInertia:
    """Inertial data about the origin of the link's frame; joint forces are linear in these data.

    Attributes:
        mass: mass (kg).
        first_moment: mass times centre of mass, in the link's axes (kg m).
        inertia: tensor about the origin of the link's frame, in the link's axes (kg m^2).
    """

    mass: Exact
    first_moment: Vector
    inertia: Tensor


@dataclass(frozen=True)
class Stribeck:
    """Stribeck effect: friction falls from static to Coulomb friction as the joint moves faster.

    Attributes:
        static: friction at rest (N m or N).
        velocity: Stribeck velocity (rad/s or m/s). At this velocity, the difference between
            friction and Coulomb friction is 1/e of the difference at rest.
    """

    static: Exact
    velocity: Exact


@dataclass(frozen=True)
class Bearing:
    """A bearing whose friction depends on the force and the moment that it carries.

    Attributes:
        kind: "journal" (two supports around a rotating shaft), "thrust" (carries the force along a
            shaft) or "linear" (two supports around a rail).
        coefficient: coefficient of kinetic friction.
        radius: radius at which friction acts (m); zero for a linear bearing.
        length: distance between the supports (m); zero for a thrust bearing.
        centre: coordinate on the joint axis of the middle between the supports (m). Zero is the
            origin of the frame that the joint moves.
    """

    kind: Literal["journal", "linear", "thrust"]
    coefficient: Exact
    radius: Exact
    length: Exact
    centre: Exact


@dataclass(frozen=True)
class Transmission:
    """Losses of a gear between motor and joint; all torques and forces are reflected to the joint.

    Attributes:
        breakaway: torque (N m) or force (N) that moves the unloaded gear.
        rated: rated output torque (N m) or force (N).
        efficiency: points (load / rated, efficiency) in ascending order of load. The efficiency is
            constant below the first point and above the last point.
        interpolation: "linear" (straight lines) or "spline" (monotone cubic spline).
    """

    breakaway: Exact
    rated: Exact
    efficiency: tuple[tuple[Exact, Exact], ...]
    interpolation: Literal["linear", "spline"] = "linear"


@dataclass(frozen=True)
class Friction:
    """Joint friction.

    Attributes:
        viscous: viscous coefficient (N m s/rad or N s/m).
        coulomb: Coulomb friction at positive velocities (N m or N).
        coulomb_negative: magnitude of Coulomb friction at negative velocities (N m or N); None if
            it equals `coulomb`.
        offset: constant friction (N m or N); a positive offset acts against positive velocities.
        stribeck: Stribeck effect; None for a joint without it.
        sign: function for the sign of the velocity: "exact" (zero at rest), "tanh" (tanh(velocity /
            width)) or "linear" (velocity / width, limited to -1 and 1).
        width: width in the functions "tanh" and "linear" (rad/s or m/s).
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
        """Whether friction depends not only on the velocity, but also on forces in the joint."""
        return bool(self.bearings or self.transmission)


@dataclass(frozen=True)
class Elasticity:
    """A spring and a damper between a motor and its joint, as seen by the joint.

    Attributes:
        stiffness: torque per angle (N m/rad) or force per length (N/m).
        damping: torque or force per relative velocity (N m s/rad or N s/m).
    """

    stiffness: Exact
    damping: Exact


@dataclass(frozen=True)
class Coupling:
    """Motors that move several joints together, as in a wrist with bevel gears.

    Attributes:
        links: names of the links that the joints move; the number of motors is the same.
        matrix: rows of the matrix T. The joint velocities are T times the motor velocities.
        inertias: inertias of the motors (kg m^2 or kg).
    """

    links: tuple[str, ...]
    matrix: tuple[tuple[Exact, ...], ...]
    inertias: tuple[Exact, ...]


@dataclass(frozen=True)
class Limits:
    """Limits of a joint; unknown limits are None.

    Attributes:
        position: lowest and highest position (rad or m).
        velocity: largest magnitude of the velocity (rad/s or m/s).
        effort: largest magnitude of the joint force (N m or N).
    """

    position: tuple[Exact, Exact] | None = None
    velocity: Exact | None = None
    effort: Exact | None = None


@dataclass(frozen=True)
class LinkDescription:
    """A link and the joint that moves it.

    The link's frame results from the parent's frame by three displacements: `before`, the motion of
    the joint, and `after`.

    Attributes:
        parent: name of the link that carries the joint; None for the base.
        before: constant rotations and translations from the parent's frame to the joint. They
            include the offset of the joint variable.
        after: constant rotations and translations from the joint to the link's frame.
        motor_inertia: inertia of the motor, reflected to the joint (kg m^2 or kg). The motor adds
            motor_inertia * qdd to the force of this joint only.
        elasticity: spring between motor and joint; None for a rigid joint. Only the functions for
            elastic joints use it.
        remarks: comments that `write_yaml` writes, as pairs of a YAML key and the text beside it.
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
    elasticity: Elasticity | None = None
    remarks: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def joint_name(self) -> str:
        """Name of the joint that moves the link; the link's name by default."""
        return self.joint.name or self.name


TOOL = "tool"
"""Name of the frame to which functions refer by default.

It is the last link's frame, unless the description has a named frame `tool`.
"""


@dataclass(frozen=True)
class NamedFrame:
    """A named frame that is fixed to a link.

    Attributes:
        name: name of the frame.
        link: name of the link.
        placement: rotations and translations from the link's frame to the named frame.
    """

    name: str
    link: str
    placement: Displacement


@dataclass(frozen=True)
class Loop:
    """A joint that closes a kinematic loop by connecting two frames.

    Attributes:
        first: name of one frame.
        second: name of the other frame.
        joint: "revolute" (the origins and the z axes of the frames coincide), "spherical" (the
            origins coincide) or "fixed" (the frames coincide).
    """

    first: str
    second: str
    joint: Literal["revolute", "spherical", "fixed"] = "revolute"


@dataclass(frozen=True)
class LinearRow:
    """Formula of a dependent joint's variable as a sum of independent joints' variables.

    Attributes:
        link: name of the link that the dependent joint moves.
        terms: one pair for each independent joint: the name of the link that the joint moves, and
            the factor of its variable, 1 or -1.
    """

    link: str
    terms: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Dyad:
    """Formula of two dependent revolute joints with parallel axes.

    Each joint moves an arm. The two arms are sides of a triangle.

    Attributes:
        first: name of the link that the first joint moves.
        second: name of the link that the second joint moves. Either the first link carries the
            second link, or both arms end at the joint that closes the loop.
        near: name of the frame that the first joint moves, one of the two frames that the loop
            joins.
        far: name of the other frame that the loop joins.
        branch: 1 or -1, which of the two possible triangles is meant. It is minus the sign of z .
            cross(V1, V2), with the axis z of the first joint. The vector V1 leads from the first
            joint along the first arm. V2 continues along the second arm.
    """

    first: str
    second: str
    near: str
    far: str
    branch: int


@dataclass(frozen=True)
class NewtonGroup:
    """Formula of dependent joints: Newton's method, started at zero, computes all their variables.

    Attributes:
        links: names of the links that the joints move.
        loops: the loops that determine the joints.
        steps: number of Newton steps.
    """

    links: tuple[str, ...]
    loops: tuple[Loop, ...]
    steps: int = 8


Closure = LinearRow | Dyad | NewtonGroup
"""Type of the formulas for joints that closed loops determine."""


def find_path(links: Mapping[str, LinkDescription], name: str | None) -> list[LinkDescription]:
    """Return a link, its parent, the parent's parent and so on to the base.

    Args:
        links: all links by their names.
        name: name of the link; None for the base, whose path is empty.
    """
    path: list[LinkDescription] = []
    while name is not None:
        path.append(links[name])
        name = links[name].parent
    return path


@dataclass(frozen=True, repr=False)
class RobotDescription:
    """A robot as described by its user. In `links`, every parent comes before its children.

    Attributes:
        gravity: acceleration of gravity in the base frame (m/s^2).
        frames: named frames.
        parameters: run-time parameters, which are arguments of the generated code. Numbers of the
            description may depend on them.
        payload: names of the run-time parameters for the inertia of the payload.
        external_wrenches: names of the frames at which external wrenches act.
        contact_forces: names of the frames at which forces in base axes act.
        notation: description of the convention by which the file defines its frames.
        source: origin of the numbers, as the user states it.
        path: file that the description was read from, for messages.
        sha256: checksum of the description's bytes.
        reading: options with which the file was read.
        notes: messages on how the file was read, for example that links were reordered.
        snaps: numbers of the file that were read as nearby round values, such as 1.5708 as pi/2.
        warnings: probable mistakes, with field, rule and remedy.
        loops: joints that close kinematic loops of the tree of links.
        closure: formulas of the joints that closed loops determine, in the order of computation.
        couplings: motors that move several joints together. Only the functions for coupled motors
            use their inertia.
    """

    name: str
    gravity: Vector
    links: tuple[LinkDescription, ...]
    frames: tuple[NamedFrame, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    payload: tuple[str, ...] = ()
    external_wrenches: tuple[str, ...] = ()
    contact_forces: tuple[str, ...] = ()
    notation: str = ""
    source: str = ""
    path: str = ""
    sha256: str = ""
    reading: ReadingOptions = field(default=ReadingOptions(), compare=False)
    notes: tuple[str, ...] = ()
    snaps: tuple[Snap, ...] = ()
    warnings: tuple[Fault, ...] = ()
    loops: tuple[Loop, ...] = ()
    closure: tuple[Closure, ...] = ()
    couplings: tuple[Coupling, ...] = ()

    def __repr__(self) -> str:
        """Return one line with the name and the counts of links and degrees of freedom."""
        joints = sum(link.joint.nv for link in self.links)
        return (
            f"<RobotDescription of {self.name}: {len(self.links)} links, "
            f"{joints} degrees of freedom, {self.notation}>"
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes on reading, then one line for each number read as a nearby round value."""
        return (*self.notes, *map(str, self.snaps))


def convert_to_central_inertia(inertial: CentralInertia | OriginInertia) -> CentralInertia:
    """Convert inertial data to mass, centre of mass and central inertia.

    With the mass m, the first moment s and the inertia I_o about the origin, the inertia about the
    centre of mass is I_o - (s.s E - s s^T) / m (parallel axis theorem). E is the identity matrix.
    For a link without mass, the result contains the first moment and I_o unchanged.
    """
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
