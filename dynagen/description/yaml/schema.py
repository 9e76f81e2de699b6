"""The format of robot descriptions, field by field: the one source of the checks on structure and of the JSON Schema.

Numbers are kept as the text that the user wrote; `quantities` reads them. What concerns several fields at once (a link's
parent, the two forms of inertial data) is checked in `links` and `loading`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from dynagen.description.joints import JOINT_TYPES

MAX_LINKS = 1000


def _joint(name: str) -> str:
    if name not in JOINT_TYPES:
        raise PydanticCustomError("literal_error", "unknown joint", {"expected": ", ".join(JOINT_TYPES)})
    return name


def _three_or_six(numbers: list[str]) -> list[str]:
    if len(numbers) not in (3, 6):
        raise PydanticCustomError("wrong_length", "expected 3 numbers (a diagonal) or 6 (Ixx Iyy Izz Ixy Ixz Iyz)")
    return numbers


def _without_null_defaults(schema: dict[str, Any]) -> None:
    for entry in schema.get("properties", {}).values():
        if entry.get("default", ...) is None:
            del entry["default"]


_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}], "description": "a number, or arithmetic such as -pi/2"}
_THREE_OR_SIX = {"anyOf": [{"type": "array", "items": _NUMBER, "minItems": n, "maxItems": n} for n in (3, 6)]}

Text = Annotated[str, Field(max_length=2000)]
Number = Annotated[str, WithJsonSchema(_NUMBER)]
Three = Annotated[list[Number], Field(min_length=3, max_length=3)]
Two = Annotated[list[Number], Field(min_length=2, max_length=2)]
Elements = Annotated[list[Number], AfterValidator(_three_or_six), WithJsonSchema(_THREE_OR_SIX)]
Joint = Annotated[str, AfterValidator(_joint), WithJsonSchema({"enum": list(JOINT_TYPES)})]
Absent = SkipJsonSchema[None]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, json_schema_extra=_without_null_defaults)


class ParameterSchema(_Section):
    """A parameter with more than its value."""

    value: Number = Field(description="a number, or arithmetic that may use the parameters above")
    unit: Text = Field(default="", description="unit, for the reader; values are in SI units")
    runtime: bool = Field(default=False, description="true keeps it an argument of the generated code")


class DenavitHartenbergSchema(_Section):
    """The step from the parent's frame to the link's: angles in rad, lengths in m."""

    alpha: Number | Absent = Field(default=None, description="twist about x, rad")
    a: Number | Absent = Field(default=None, description="length along x, m")
    d: Number | Absent = Field(
        default=None, description="offset along z, m; of a prismatic joint: of its variable, 0 if left out"
    )
    theta: Number | Absent = Field(
        default=None, description="angle about z, rad; of a revolute joint: of its variable, 0 if left out"
    )


class OriginSchema(_Section):
    """A fixed transform from the parent's frame to where the link's row, or its joint, begins."""

    xyz: Three = Field(description="translation, m")
    rpy: Three = Field(description="roll, pitch, yaw, rad; R = Rz(yaw) Ry(pitch) Rx(roll)")


class MotorSchema(_Section):
    """The motor's inertia: reflected to the joint, or of the rotor with its gear ratio."""

    inertia: Number | Absent = Field(default=None, description="inertia reflected to the joint, kg m^2 (prismatic: kg)")
    rotor_inertia: Number | Absent = Field(default=None, description="inertia of the rotor, kg m^2, with gear_ratio")
    gear_ratio: Number | Absent = Field(
        default=None, description="rotations of the rotor per rotation of the joint, with rotor_inertia"
    )


def _kind_of_value(value: object) -> str:
    """Of a field that is a number, or has more to it."""
    return "number" if isinstance(value, str) else "more"


class CoulombSchema(_Section):
    """Coulomb friction that depends on the direction."""

    positive: Number = Field(description="against positive rates, N m (prismatic: N)")
    negative: Number = Field(description="against negative rates, as a magnitude, N m (prismatic: N)")


class StribeckSchema(_Section):
    """Static friction that gives way to Coulomb friction: coulomb + (static - coulomb) exp(-(rate / velocity)^2)."""

    static: Number = Field(description="static friction, N m (prismatic: N)")
    velocity: Number = Field(description="rate at which 1/e of the excess is left, rad/s (prismatic: m/s)")


class BearingSchema(_Section):
    """A bearing whose friction follows from the force and the moment that it carries."""

    type: Literal["journal", "linear", "thrust"] = Field(
        description="journal or thrust (revolute joints), linear (prismatic joints)"
    )
    coefficient: Number = Field(description="coefficient of kinetic friction")
    radius: Number | Absent = Field(default=None, description="radius at which friction acts, m (journal, thrust)")
    length: Number | Absent = Field(default=None, description="distance between the supports, m (journal, linear)")
    centre: Number | Absent = Field(
        default=None,
        description="centre of the supports along the joint axis, m, from where the row's d ends, or origin; 0 if left out",
    )


Efficiency = Annotated[Annotated[Number, Tag("number")] | Annotated[list[Two], Tag("more")], Discriminator(_kind_of_value)]
Coulomb = Annotated[Annotated[Number, Tag("number")] | Annotated[CoulombSchema, Tag("more")], Discriminator(_kind_of_value)]


class TransmissionSchema(_Section):
    """Losses between motor and joint; torques are referred to the joint."""

    breakaway: Number | Absent = Field(default=None, description="torque that moves the unloaded gear, N m (prismatic: N)")
    efficiency: Efficiency = Field(description="a number, or points [load / rated, efficiency] in ascending order")
    rated: Number | Absent = Field(default=None, description="output torque at load / rated = 1, N m (prismatic: N)")
    interpolation: Literal["linear", "spline"] = Field(
        default="linear", description="between the points: straight lines, or a monotone cubic spline"
    )


class FrictionSchema(_Section):
    """Joint friction."""

    viscous: Number | Absent = Field(default=None, description="viscous coefficient, N m s/rad (prismatic: N s/m)")
    coulomb: Coulomb | Absent = Field(
        default=None, description="Coulomb friction, N m (prismatic: N); or {positive: .., negative: ..}"
    )
    offset: Number | Absent = Field(default=None, description="constant part, N m (prismatic: N)")
    stribeck: StribeckSchema | Absent = Field(default=None, description="static friction around standstill")
    sign: Literal["exact", "tanh", "linear"] = Field(
        default="exact",
        description="sign of the rate: exact (zero at rest), tanh(rate / width), or linear (rate / width from -1 to 1)",
    )
    width: Number | Absent = Field(default=None, description="rate that goes with sign, rad/s (prismatic: m/s)")
    bearings: list[BearingSchema] = Field(default=[], description="bearings whose friction depends on their load")
    transmission: TransmissionSchema | Absent = Field(default=None, description="losses of the gear")


class MimicSchema(_Section):
    """A joint that follows another: its variable is ratio times the other's plus offset."""

    joint: Text = Field(description="name of the link whose joint it follows")
    ratio: Number = Field(default="1", description="rad or m per unit of the other joint's variable")
    offset: Number = Field(default="0", description="where the other joint's variable is zero, rad (prismatic: m)")


class LimitsSchema(_Section):
    """Joint limits, for sampling and examples."""

    position: Two | Absent = Field(default=None, description="[low, high], rad (prismatic: m)")
    velocity: Number | Absent = Field(default=None, description="largest speed, rad/s (prismatic: m/s)")
    effort: Number | Absent = Field(default=None, description="largest torque, N m (prismatic: force, N)")


class LinkSchema(_Section):
    """A link and the joint that moves it."""

    name: Text = Field(description="the link's name")
    parent: Text | Absent = Field(default=None, description="link that the joint sits on, or base; default: the link before")
    joint: Joint = Field(description=", ".join(JOINT_TYPES))
    pitch: Number | Absent = Field(default=None, description="translation of a helical joint per rotation, m/rad")
    origin: OriginSchema | Absent = Field(default=None, description="fixed transform in front of the dh row or of the axis")
    axis: Three | Absent = Field(
        default=None, description="direction of the joint's axis behind origin, instead of dh; its length does not count"
    )
    dh: DenavitHartenbergSchema | Absent = Field(default=None, description="Denavit-Hartenberg row alpha, a, d, theta")
    mimic: MimicSchema | Absent = Field(default=None, description="the joint that this one follows")
    mass: Number | Absent = Field(default=None, description="mass, kg")
    com: Three | Absent = Field(default=None, description="centre of mass in the link's frame, m")
    inertia: Elements | Absent = Field(
        default=None, description="inertia about the centre of mass, kg m^2: Ixx Iyy Izz or Ixx Iyy Izz Ixy Ixz Iyz"
    )
    first_moment: Three | Absent = Field(default=None, description="mass times centre of mass, kg m")
    inertia_about_origin: Elements | Absent = Field(
        default=None, description="inertia about the origin of the link's frame, kg m^2, elements as in inertia"
    )
    motor: MotorSchema | Absent = Field(default=None, description="inertia of the motor")
    friction: FrictionSchema | Absent = Field(default=None, description="joint friction")
    limits: LimitsSchema | Absent = Field(default=None, description="joint limits")


class FrameSchema(_Section):
    """A point of interest for kinematics, fixed to a link."""

    name: Text = Field(description="the frame's name")
    link: Text = Field(description="link that it is fixed to")
    xyz: Three = Field(description="position in the link's frame, m")
    rpy: Three = Field(description="roll, pitch, yaw in the link's frame, rad")


def _kind_of_parameter(value: object) -> str:
    return "table" if isinstance(value, dict | ParameterSchema) else "number"


Parameter = Annotated[
    Annotated[Number, Tag("number")] | Annotated[ParameterSchema, Tag("table")], Discriminator(_kind_of_parameter)
]


def _kind_of_choice(value: object) -> str:
    return "switch" if isinstance(value, bool) else "name"


Choice = Annotated[Annotated[bool, Tag("switch")] | Annotated[Text, Tag("name")], Discriminator(_kind_of_choice)]


def _with_convention_of_rows(schema: dict[str, Any]) -> None:
    _without_null_defaults(schema)
    schema["if"] = {"properties": {"links": {"contains": {"required": ["dh"]}}}}
    schema["then"] = {"required": ["convention"]}


class RobotSchema(_Section):
    """A robot description."""

    model_config = ConfigDict(json_schema_extra=_with_convention_of_rows)

    name: Text = Field(description="the robot's name")
    source: Text = Field(default="", description="where the numbers come from")
    convention: Literal["modified", "standard"] | Absent = Field(
        default=None,
        description="Denavit-Hartenberg convention, modified (Craig, Khalil) or standard (Paul, Spong); there is no default",
    )
    gravity: Three = Field(description="acceleration of gravity in the base frame, m/s^2, such as [0, 0, -9.81]")
    parameters: dict[str, Parameter] = Field(default={}, description="names that the numbers below may use")
    links: list[LinkSchema] = Field(min_length=1, max_length=MAX_LINKS, description="links in order from the base")
    payload: Choice = Field(
        default=False,
        description="true, or a link's name: ten inertial parameters at run time, fixed to the last link or that one",
    )
    external_wrench: Choice = Field(
        default=False, description="true, or a frame's name: the wrench exerted on the tool or that frame becomes an input"
    )
    frames: list[FrameSchema] = Field(default=[], max_length=MAX_LINKS, description="points of interest for kinematics")
