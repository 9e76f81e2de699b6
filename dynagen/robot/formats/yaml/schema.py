"""The YAML format of robot descriptions, field by field: the source of the structural checks and of the JSON Schema.

The types of the format's fields: numbers as the text that the user wrote, vectors, tensors, texts, sections.

The format of joint friction, field by field.

The format of robot descriptions, field by field: the one source of the checks on structure and of the JSON Schema.

Numbers are kept as the text that the user wrote; `quantities` reads them. What concerns several fields at once (a link's
parent, the two forms of inertial data) is checked in `links` and `reading`. The reference page is made of the descriptions.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from dynagen.robot.joints import JOINT_TYPES

_ELEMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_MATRIX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))  # where the elements stand in it


def _as_elements(tensor: Any) -> Any:
    """The elements of a tensor that is given by their names, or as a matrix."""
    if isinstance(tensor, dict):
        if unknown := [str(name) for name in tensor if name not in _ELEMENTS]:
            raise PydanticCustomError(
                "wrong_elements",
                "expected {known}",
                {"known": ", ".join(_ELEMENTS), "of": unknown[0]},
            )
        return [tensor.get(name, "0") for name in _ELEMENTS]
    if (
        isinstance(tensor, list)
        and len(tensor) == 3
        and all(isinstance(row, list) and len(row) == 3 for row in tensor)
    ):
        for row, column in ((0, 1), (0, 2), (1, 2)):
            if tensor[row][column] != tensor[column][row]:
                of = f"{tensor[row][column]} and {tensor[column][row]}"
                raise PydanticCustomError(
                    "wrong_elements", "expected a symmetric matrix", {"of": of}
                )
        places = {
            _MATRIX[row][column]: tensor[row][column] for row in range(3) for column in range(3)
        }
        return [places[place] for place in range(6)]
    return tensor


def _three_or_six(numbers: list[str]) -> list[str]:
    if len(numbers) not in (3, 6):
        raise PydanticCustomError(
            "wrong_length", "expected 3 numbers (a diagonal) or 6 (Ixx Iyy Izz Ixy Ixz Iyz)"
        )
    return numbers


def without_null_defaults(schema: dict[str, Any]) -> None:
    """Leave out of a JSON Schema that what is not given is None inside."""
    for entry in schema.get("properties", {}).values():
        if entry.get("default", ...) is None:
            del entry["default"]


_NUMBER: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string"}],
    "description": "a number, or arithmetic such as -pi/2",
}


def _list_of(items: dict[str, Any], length: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": length, "maxItems": length}


_BY_NAME = {
    "type": "object",
    "properties": dict.fromkeys(_ELEMENTS, _NUMBER),
    "additionalProperties": False,
}
_TENSOR = {
    "anyOf": [
        _list_of(_NUMBER, 3),
        _list_of(_NUMBER, 6),
        _list_of(_list_of(_NUMBER, 3), 3),
        _BY_NAME,
    ]
}

Text = Annotated[str, Field(max_length=2000)]
Number = Annotated[str, WithJsonSchema(_NUMBER)]
Three = Annotated[list[Number], Field(min_length=3, max_length=3)]
Two = Annotated[list[Number], Field(min_length=2, max_length=2)]
Elements = Annotated[
    list[Number],
    BeforeValidator(_as_elements),
    AfterValidator(_three_or_six),
    WithJsonSchema(_TENSOR),
]
Absent = SkipJsonSchema[None]


class Section(BaseModel):
    """A mapping of the format: it has the keys of its model and no others."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, json_schema_extra=without_null_defaults
    )


def kind_of_value(value: object) -> str:
    """The kind of a value that is either a number or a mapping with more than the number."""
    return "number" if isinstance(value, str) else "more"


class CoulombSchema(Section):
    """Coulomb friction that depends on the direction."""

    positive: Number = Field(
        description="friction at positive velocities, N m (prismatic: N)", examples=["2.1"]
    )
    negative: Number = Field(
        description="magnitude of friction at negative velocities, N m (prismatic: N)", examples=["1.8"]
    )


class StribeckSchema(Section):
    """Static friction that gives way to Coulomb friction: coulomb + (static - coulomb) exp(-(rate / velocity)^2)."""

    static: Number = Field(description="static friction, N m (prismatic: N)", examples=["3.2"])
    velocity: Number = Field(
        description="rate at which 1/e of the excess is left, rad/s (prismatic: m/s)",
        examples=["0.05"],
    )


class BearingSchema(Section):
    """A bearing whose friction follows from the force f and the moment n that it carries.

    journal: two supports, `length` apart, share the force across the axis and balance the moment about `centre`; friction is
    coefficient radius (|f1| + |f2|) with the forces f1 and f2 on the supports.

    thrust: coefficient radius |fz|, with the force along the axis.

    linear: two supports of a rail, `length` apart; friction is coefficient times the sum of the forces on them, over both
    directions across the rail.
    """

    type: Literal["journal", "linear", "thrust"] = Field(
        description="journal or thrust (revolute joints), linear (prismatic joints)",
        examples=["journal"],
    )
    coefficient: Number = Field(
        description="coefficient of kinetic friction, without unit", examples=["0.004"]
    )
    radius: Number | Absent = Field(
        default=None,
        description="radius at which friction acts, m; of journal and thrust bearings",
        examples=["0.03"],
    )
    length: Number | Absent = Field(
        default=None,
        description="distance between the supports, m; of journal and linear bearings",
        examples=["0.1"],
    )
    centre: Number | Absent = Field(
        default=None,
        description="centre of the supports along the joint axis, m, from where the row's d ends, or origin; zero if left out",
        examples=["-0.05"],
    )


Efficiency = Annotated[
    Annotated[Number, Tag("number")] | Annotated[list[Two], Tag("more")],
    Discriminator(kind_of_value),
]
Coulomb = Annotated[
    Annotated[Number, Tag("number")] | Annotated[CoulombSchema, Tag("more")],
    Discriminator(kind_of_value),
]


class TransmissionSchema(Section):
    """Losses between motor and joint; torques are referred to the joint.

    With what the joint takes, its own friction included, as output: direction |output| (1/efficiency - 1) where the motor
    drives, direction |output| (1 - efficiency) where it brakes, and direction breakaway in both. Direction is the sign of the
    rate, or what `sign` puts in its place.
    """

    breakaway: Number | Absent = Field(
        default=None,
        description="torque that moves the unloaded gear, N m (prismatic: N); zero if left out",
        examples=["0.5"],
    )
    efficiency: Efficiency = Field(
        description="a number above 0, at most 1; or points [load / rated, efficiency] in ascending order",
        examples=["0.85", [["0.1", "0.6"], ["1", "0.85"]]],
    )
    rated: Number | Absent = Field(
        default=None,
        description="output torque at load / rated = 1, N m (prismatic: N); goes with points",
        examples=["80"],
    )
    interpolation: Literal["linear", "spline"] = Field(
        default="linear",
        description="between the points: straight lines, or a monotone cubic spline; constant beyond the ends",
        examples=["spline"],
    )


class FrictionSchema(Section):
    """Joint friction, a function of its own (`friction_forces`) that is never inside the dynamics.

    viscous rate + offset + sign(rate) (coulomb + what `stribeck` adds + what the bearings take) + what the transmission takes.
    """

    viscous: Number | Absent = Field(
        default=None,
        description="viscous coefficient, N m s/rad (prismatic: N s/m); zero if left out",
        examples=["0.8"],
    )
    coulomb: Coulomb | Absent = Field(
        default=None,
        description="Coulomb friction, N m (prismatic: N), or one for each direction; zero if left out",
        examples=["2", {"positive": "2.1", "negative": "1.8"}],
    )
    offset: Number | Absent = Field(
        default=None,
        description="constant part, N m (prismatic: N); zero if left out",
        examples=["-0.3"],
    )
    stribeck: StribeckSchema | Absent = Field(
        default=None,
        description="static friction around standstill",
        examples=[{"static": "3.2", "velocity": "0.05"}],
    )
    sign: Literal["exact", "tanh", "linear"] = Field(
        default="exact",
        description="sign of the rate: exact (zero at rest), tanh(rate / width), or linear (rate / width, from -1 to 1)",
        examples=["tanh"],
    )
    width: Number | Absent = Field(
        default=None,
        description="rate that goes with sign tanh or linear, rad/s (prismatic: m/s)",
        examples=["0.01"],
    )
    bearings: list[BearingSchema] = Field(
        default=[],
        description="bearings whose friction depends on their load",
        examples=[[{"type": "thrust", "coefficient": "0.002", "radius": "0.04"}]],
    )
    transmission: TransmissionSchema | Absent = Field(
        default=None,
        description="losses of the gear",
        examples=[{"efficiency": "0.85", "breakaway": "0.5"}],
    )


MAX_LINKS = 1000
_ZEROS = ["0", "0", "0"]


def _joint(name: str) -> str:
    if name not in JOINT_TYPES:
        raise PydanticCustomError(
            "literal_error", "unknown joint", {"expected": ", ".join(JOINT_TYPES)}
        )
    return name


Joint = Annotated[str, AfterValidator(_joint), WithJsonSchema({"enum": list(JOINT_TYPES)})]


class ParameterSchema(Section):
    """A parameter with more than its value: `{value: 2, unit: kg, runtime: true}`."""

    value: Number = Field(
        description="a number, or arithmetic that may use the parameters above", examples=["2*a2"]
    )
    unit: Text = Field(
        default="", description="unit, for the reader; values are in SI units", examples=["kg"]
    )
    runtime: bool = Field(
        default=False,
        description="true keeps it an argument of the generated code",
        examples=[True],
    )


class DenavitHartenbergSchema(Section):
    """The step from the parent's frame to the link's: angles in rad, lengths in m.

    modified (Craig, Khalil): Rx(alpha) Tx(a) Rz(theta) Tz(d). standard (Paul, Spong): Rz(theta) Tz(d) Tx(a) Rx(alpha). The
    joint's variable adds to theta (revolute), to d (prismatic), or to both (helical).
    """

    alpha: Number | Absent = Field(
        default=None, description="twist about x, rad", examples=["-pi/2", "deg(-90)"]
    )
    a: Number | Absent = Field(default=None, description="length along x, m", examples=["0.4318"])
    d: Number | Absent = Field(
        default=None,
        description="offset along z, m; of a prismatic joint: of its variable, 0 if left out",
        examples=["0.15"],
    )
    theta: Number | Absent = Field(
        default=None,
        description="angle about z, rad; of a revolute joint: of its variable, 0 if left out",
        examples=["pi/2"],
    )


class OriginSchema(Section):
    """A fixed transform from the parent's frame to where the link's row or joint begins: T(xyz) Rz(yaw) Ry(pitch) Rx(roll)."""

    xyz: Three = Field(default=_ZEROS, description="translation, m", examples=[["0", "0", "0.3"]])
    rpy: Three = Field(
        default=_ZEROS,
        description="roll, pitch, yaw, rad; R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF",
        examples=[["pi", "0", "deg(45)"]],
    )


class MotorSchema(Section):
    """The motor's inertia, Ia in tau += Ia qdd: reflected to the joint, or rotor_inertia gear_ratio^2."""

    inertia: Number | Absent = Field(
        default=None,
        description="inertia reflected to the joint, kg m^2 (prismatic: kg)",
        examples=["4.71"],
    )
    rotor_inertia: Number | Absent = Field(
        default=None,
        description="inertia of the rotor, kg m^2, with gear_ratio",
        examples=["3.3e-6"],
    )
    gear_ratio: Number | Absent = Field(
        default=None,
        description="rotations of the rotor per rotation of the joint (prismatic: rad/m), with rotor_inertia",
        examples=["100"],
    )


class MimicSchema(Section):
    """A joint that follows another: its variable is ratio times the other's plus offset."""

    joint: Text = Field(
        description="name of the link whose joint it follows", examples=["left_finger"]
    )
    ratio: Number = Field(
        default="1", description="rad or m per unit of the other joint's variable", examples=["-1"]
    )
    offset: Number = Field(
        default="0",
        description="where the other joint's variable is zero, rad (prismatic: m)",
        examples=["0.01"],
    )


class LimitsSchema(Section):
    """Joint limits, for sampling, examples and plausibility."""

    position: Two | Absent = Field(
        default=None,
        description="[low, high], rad (prismatic: m)",
        examples=[["deg(-170)", "deg(170)"]],
    )
    velocity: Number | Absent = Field(
        default=None, description="largest speed, rad/s (prismatic: m/s)", examples=["2.5"]
    )
    effort: Number | Absent = Field(
        default=None, description="largest torque, N m (prismatic: force, N)", examples=["87"]
    )


class LinkSchema(Section):
    """A link and the joint that moves it.

    Inertial data come in one of two forms: `com` and `inertia` about it, or `first_moment` and `inertia_about_origin`, both in
    the axes of the link's frame. Of an inertia, three numbers are the diagonal; six are Ixx Iyy Izz Ixy Ixz Iyz with
    Ixy = -integral of x y dm, the elements of the tensor (URDF's and Pinocchio's sign; some CAD systems give the opposite);
    three rows are the matrix itself; or name them: {ixx: 1, iyy: 2, izz: 2}. What is left out is zero, with a warning.
    """

    name: Text = Field(description="the link's name", examples=["forearm"])
    parent: Text | Absent = Field(
        default=None,
        description="link that the joint sits on, or base; the link before if left out",
        examples=["torso"],
    )
    joint: Joint = Field(description="type of the joint", examples=["revolute"])
    pitch: Number | Absent = Field(
        default=None,
        description="translation of a helical joint per rotation, m/rad",
        examples=["0.005/(2*pi)"],
    )
    origin: OriginSchema | Absent = Field(
        default=None,
        description="fixed transform in front of the dh row or of the axis",
        examples=[{"xyz": ["0", "0", "0.3"], "rpy": ["pi", "0", "0"]}],
    )
    axis: Three | Absent = Field(
        default=None,
        description="direction of the joint's axis behind origin, instead of dh; its length does not count",
        examples=[["0", "1", "0"]],
    )
    dh: DenavitHartenbergSchema | Absent = Field(
        default=None,
        description="Denavit-Hartenberg row alpha, a, d, theta",
        examples=[{"alpha": "-pi/2", "a": "0", "d": "0.2435"}],
    )
    mimic: MimicSchema | Absent = Field(
        default=None,
        description="the joint that this one follows",
        examples=[{"joint": "left_finger", "ratio": "-1"}],
    )
    mass: Number | Absent = Field(default=None, description="mass, kg", examples=["17.4"])
    com: Three | Absent = Field(
        default=None,
        description="centre of mass in the link's frame, m",
        examples=[["0.068", "0.006", "-0.016"]],
    )
    inertia: Elements | Absent = Field(
        default=None,
        description="inertia about the centre of mass, kg m^2",
        examples=[
            ["0.130", "0.524", "0.539"],
            ["0.13", "0.52", "0.54", "0.01", "0", "-0.02"],
            {"ixx": "0.1", "izz": "0.1"},
        ],
    )
    first_moment: Three | Absent = Field(
        default=None, description="mass times centre of mass, kg m", examples=[["0", "-0.38", "0"]]
    )
    inertia_about_origin: Elements | Absent = Field(
        default=None,
        description="inertia about the origin of the link's frame, kg m^2, given as inertia is",
        examples=[["0.08", "0", "0.078"]],
    )
    motor: MotorSchema | Absent = Field(
        default=None,
        description="inertia of the motor",
        examples=[{"inertia": "4.71"}, {"rotor_inertia": "3.3e-6", "gear_ratio": "100"}],
    )
    friction: FrictionSchema | Absent = Field(
        default=None, description="joint friction", examples=[{"viscous": "0.8", "coulomb": "2"}]
    )
    limits: LimitsSchema | Absent = Field(
        default=None,
        description="joint limits",
        examples=[{"position": ["-pi", "pi"], "velocity": "3", "effort": "40"}],
    )


class FrameSchema(Section):
    """A point of interest for kinematics, fixed to a link; the one called `tool` is that of functions without a frame's name.

    Without one, the tool is the frame of the last link.
    """

    name: Text = Field(description="the frame's name", examples=["camera"])
    link: Text = Field(description="link that it is fixed to", examples=["wrist"])
    xyz: Three = Field(
        default=_ZEROS, description="position in the link's frame, m", examples=[["0", "0", "0.1"]]
    )
    rpy: Three = Field(
        default=_ZEROS,
        description="roll, pitch, yaw in the link's frame, rad, as of origin",
        examples=[["0", "pi/2", "0"]],
    )


def _kind_of_parameter(value: object) -> str:
    return "table" if isinstance(value, dict | ParameterSchema) else "number"


Parameter = Annotated[
    Annotated[Number, Tag("number")] | Annotated[ParameterSchema, Tag("table")],
    Discriminator(_kind_of_parameter),
]


def _kind_of_choice(value: object) -> str:
    return "switch" if isinstance(value, bool) else "names" if isinstance(value, list) else "name"


Choice = Annotated[
    Annotated[bool, Tag("switch")] | Annotated[Text, Tag("name")], Discriminator(_kind_of_choice)
]
Choices = Annotated[
    Annotated[bool, Tag("switch")]
    | Annotated[Text, Tag("name")]
    | Annotated[Annotated[list[Text], Field(min_length=1, max_length=MAX_LINKS)], Tag("names")],
    Discriminator(_kind_of_choice),
]


def _with_convention_of_rows(schema: dict[str, Any]) -> None:
    without_null_defaults(schema)
    schema["if"] = {"properties": {"links": {"contains": {"required": ["dh"]}}}}
    schema["then"] = {"required": ["convention"]}


class RobotSchema(Section):
    """A robot description."""

    model_config = ConfigDict(json_schema_extra=_with_convention_of_rows)

    name: Text = Field(
        description="the robot's name; generated names begin with it", examples=["puma560"]
    )
    source: Text = Field(
        default="",
        description="where the numbers come from; generated files name it",
        examples=["Dhanaraj (1990)"],
    )
    convention: Literal["modified", "standard"] | Absent = Field(
        default=None,
        description="Denavit-Hartenberg convention, modified (Craig, Khalil) or standard (Paul, Spong); "
        "there is no default where a link has a dh row",
        examples=["modified"],
    )
    gravity: Three = Field(
        description="acceleration of gravity in the base frame, m/s^2",
        examples=[["0", "0", "-9.81"]],
    )
    parameters: dict[str, Parameter] = Field(
        default={},
        description="names that the numbers below may use",
        examples=[{"a2": "0.4318", "load": {"value": "2", "unit": "kg", "runtime": True}}],
    )
    base: Literal["fixed", "floating"] = Field(
        default="fixed",
        description="floating: the base moves freely, with the inertia of the links that are fixed to it; it comes first in q "
        "(position, unit quaternion x y z w) and in v (linear and angular velocity in its axes)",
        examples=["floating"],
    )
    links: list[LinkSchema] = Field(
        min_length=1,
        max_length=MAX_LINKS,
        description="links in order from the base",
        examples=[
            [
                {
                    "name": "arm",
                    "joint": "revolute",
                    "dh": {"alpha": "0", "a": "0", "d": "0"},
                    "mass": "1",
                }
            ]
        ],
    )
    payload: Choice = Field(
        default=False,
        description="true, or a link's name: ten inertial parameters at run time, of a body that is fixed to the last link or "
        "to that one; mass, first moments and inertia about the origin of that link's frame, in its axes",
        examples=[True, "forearm"],
    )
    external_wrench: Choices = Field(
        default=False,
        description="true, a frame's name or a list of them: force (N) and moment (N m) that the surroundings exert at the "
        "origin of the tool or of each of these frames, in its axes, become an input",
        examples=[True, "camera", ["left_foot", "right_foot"]],
    )
    frames: list[FrameSchema] = Field(
        default=[],
        max_length=MAX_LINKS,
        description="points of interest for kinematics",
        examples=[
            [{"name": "tool", "link": "wrist", "xyz": ["0", "0", "0.1"], "rpy": ["0", "0", "0"]}]
        ],
    )
