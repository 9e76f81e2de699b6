"""Schema of the YAML format of robot descriptions.

The pydantic models check the structure of a file. The JSON Schema and the reference page are
generated from the models: class docstrings and field descriptions are texts for users. Rules on
several fields, such as the two forms of inertial data, are checked in `links` and `reading`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

from dynagen.robot.composite_joints import COMPOSITE_TYPES
from dynagen.robot.formats.yaml.field_types import (
    Absent,
    Elements,
    Number,
    Section,
    Text,
    Three,
    Two,
    TwoAxes,
    remove_null_defaults,
)
from dynagen.robot.formats.yaml.friction_schema import FrictionSchema
from dynagen.robot.joints import JOINT_TYPES

MAX_LINKS = 1000
_ZEROS = ["0", "0", "0"]


JOINT_WORDS = (*JOINT_TYPES, *COMPOSITE_TYPES)
"""Names of the joint types in the YAML format."""


def _check_joint_type(name: str) -> str:
    if name not in JOINT_WORDS:
        raise PydanticCustomError(
            "literal_error", "unknown joint", {"expected": ", ".join(JOINT_WORDS)}
        )
    return name


JointName = Annotated[
    str, AfterValidator(_check_joint_type), WithJsonSchema({"enum": list(JOINT_WORDS)})
]


class ParameterSchema(Section):
    """A parameter with a unit, or a run-time parameter: `{value: 2, unit: kg, runtime: true}`."""

    value: Number = Field(
        description="a number, or arithmetic that may use the parameters above this one",
        examples=["2*a2"],
    )
    unit: Text = Field(
        default="",
        description="unit, shown to readers only; the value must be in SI units",
        examples=["kg"],
    )
    runtime: bool = Field(
        default=False,
        description="true makes it a run-time parameter: an argument of the generated code",
        examples=[True],
    )


class DenavitHartenbergSchema(Section):
    """A Denavit-Hartenberg row: the step from the parent's frame to the link's frame.

    Angles are in rad, lengths in m. The modified convention (Craig, Khalil) is Rx(alpha) Tx(a)
    Rz(theta) Tz(d). The standard convention (Paul, Spong) is Rz(theta) Tz(d) Tx(a) Rx(alpha). The
    joint variable is added to theta (revolute), to d (prismatic), or to theta and d (helical).
    """

    alpha: Number | Absent = Field(
        default=None, description="twist about x, rad", examples=["-pi/2", "deg(-90)"]
    )
    a: Number | Absent = Field(default=None, description="length along x, m", examples=["0.4318"])
    d: Number | Absent = Field(
        default=None,
        description="offset along z, m; for a prismatic joint, added to the joint position; "
        "0 if left out",
        examples=["0.15"],
    )
    theta: Number | Absent = Field(
        default=None,
        description="angle about z, rad; for a revolute joint, added to the joint position; "
        "0 if left out",
        examples=["pi/2"],
    )


class OriginSchema(Section):
    """A fixed transform from the parent's frame to the start of the link's row or joint.

    The transform is T(xyz) Rz(yaw) Ry(pitch) Rx(roll).
    """

    xyz: Three = Field(default=_ZEROS, description="translation, m", examples=[["0", "0", "0.3"]])
    rpy: Three = Field(
        default=_ZEROS,
        description="roll, pitch, yaw, rad; R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF",
        examples=[["pi", "0", "deg(45)"]],
    )


class MotorSchema(Section):
    """The motor inertia Ia in tau += Ia qdd, as `inertia` or `rotor_inertia` times `gear_ratio`^2.

    With a stiffness, a spring connects the motor to the joint in `elastic_forward_dynamics`. All
    other functions treat the joint as rigid.
    """

    inertia: Number | Absent = Field(
        default=None,
        description="inertia reflected to the joint, kg m^2 (prismatic: kg)",
        examples=["4.71"],
    )
    rotor_inertia: Number | Absent = Field(
        default=None,
        description="inertia of the rotor, kg m^2; requires gear_ratio",
        examples=["3.3e-6"],
    )
    gear_ratio: Number | Absent = Field(
        default=None,
        description="rotations of the rotor per rotation of the joint (prismatic: rad/m); "
        "requires rotor_inertia",
        examples=["100"],
    )
    stiffness: Number | Absent = Field(
        default=None,
        description="stiffness of the spring between motor and joint, at the joint, N m/rad "
        "(prismatic: N/m); the joint is rigid if left out",
        examples=["8000"],
    )
    damping: Number | Absent = Field(
        default=None,
        description="damping parallel to this spring, N m s/rad (prismatic: N s/m); zero if left "
        "out; requires stiffness",
        examples=["5"],
    )


class MimicSchema(Section):
    """A mimicking joint: its position is ratio times another joint's position, plus offset."""

    joint: Text = Field(
        description="name of the link whose joint this joint follows", examples=["left_finger"]
    )
    ratio: Number = Field(
        default="1",
        description="change of the joint position per unit of the other joint's position",
        examples=["-1"],
    )
    offset: Number = Field(
        default="0",
        description="joint position when the other joint's position is zero, rad (prismatic: m)",
        examples=["0.01"],
    )


class LimitsSchema(Section):
    """Joint limits, which sampled states, examples and plausibility checks use."""

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

    Inertial data have one of two forms, both in the axes of the link's frame: `com` and `inertia`
    about the centre of mass, or `first_moment` and `inertia_about_origin`. Missing data are read as
    zero, with a warning.

    An inertia is a list of three numbers (the diagonal), a list of six numbers (Ixx Iyy Izz Ixy Ixz
    Iyz), three rows of a matrix, or a mapping such as {ixx: 1, iyy: 2, izz: 2}. The numbers are
    elements of the tensor, with Ixy = -integral of x y dm as in URDF and Pinocchio. Some CAD
    systems use the opposite sign for products of inertia.
    """

    name: Text = Field(description="name of the link", examples=["forearm"])
    parent: Text | Absent = Field(
        default=None,
        description="link that carries the joint, or base; the previous link if left out",
        examples=["torso"],
    )
    joint: JointName = Field(description="type of the joint", examples=["revolute"])
    joint_name: Text | Absent = Field(
        default=None,
        description="name of the joint; the name of the link if left out",
        examples=["elbow"],
    )
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
        description="direction of the joint's axis behind origin, instead of dh; any length except "
        "zero; for a planar joint the normal of the plane",
        examples=[["0", "1", "0"]],
    )
    axes: TwoAxes | Absent = Field(
        default=None,
        description="directions of the two axes of a universal joint behind origin; the first axis "
        "rotates the second one; x and y if left out",
        examples=[[["0", "0", "1"], ["0", "1", "0"]]],
    )
    dh: DenavitHartenbergSchema | Absent = Field(
        default=None,
        description="Denavit-Hartenberg row: alpha, a, d, theta",
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
        description="inertia about the origin of the link's frame, kg m^2, in the forms of inertia",
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
    """A named frame for kinematics, fixed to a link.

    The frame `tool` is the default frame of functions. If no frame is named `tool`, it is the frame
    of the last link.
    """

    name: Text = Field(description="name of the frame", examples=["camera"])
    link: Text = Field(description="link that the frame is fixed to", examples=["wrist"])
    xyz: Three = Field(
        default=_ZEROS, description="position in the link's frame, m", examples=[["0", "0", "0.1"]]
    )
    rpy: Three = Field(
        default=_ZEROS,
        description="roll, pitch, yaw in the link's frame, rad, as in origin",
        examples=[["0", "pi/2", "0"]],
    )


class LoopSchema(Section):
    """A joint that closes a kinematic loop between two frames of the tree of links.

    A revolute joint keeps the origins and the z axes of both frames together, a spherical joint the
    origins, and a fixed joint the whole frames. In the pose with all joints at zero, all loops must
    be closed.
    """

    between: Annotated[list[Text], Field(min_length=2, max_length=2)] = Field(
        description="names of the two frames", examples=[["rod_end", "lever_pin"]]
    )
    joint: Literal["revolute", "spherical", "fixed"] = Field(
        default="revolute", description="type of the joint", examples=["spherical"]
    )


class CouplingSchema(Section):
    """Motors that move several joints together, such as those of a wrist with bevel gears.

    The joint velocities are `matrix` times the motor velocities.
    """

    joints: Annotated[list[Text], Field(min_length=2)] = Field(
        description="links that the joints move; there are as many motors",
        examples=[["wrist_1", "wrist_2"]],
    )
    matrix: list[list[Number]] = Field(
        description="motion of each joint (row) per motion of each motor (column)",
        examples=[[["1", "0"], ["-0.2", "1"]]],
    )
    inertia: list[Number] = Field(
        description="inertia of each motor for its own velocity, kg m^2 (prismatic: kg)",
        examples=[["0.2", "0.18"]],
    )


def _kind_of_parameter(value: object) -> str:
    return "table" if isinstance(value, dict | ParameterSchema) else "number"


ParameterEntry = Annotated[
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


def _require_convention_of_rows(schema: dict[str, Any]) -> None:
    """Add a rule to a JSON Schema: a file with a `dh` row must contain `convention`."""
    remove_null_defaults(schema)
    schema["if"] = {"properties": {"links": {"contains": {"required": ["dh"]}}}}
    schema["then"] = {"required": ["convention"]}


class RobotSchema(Section):
    """A robot description in the YAML format."""

    model_config = ConfigDict(json_schema_extra=_require_convention_of_rows)

    name: Text = Field(
        description="name of the robot; generated names begin with it", examples=["puma560"]
    )
    source: Text = Field(
        default="",
        description="source of the numbers, such as a paper; quoted in generated files",
        examples=["Dhanaraj (1990)"],
    )
    convention: Literal["modified", "standard"] | Absent = Field(
        default=None,
        description="Denavit-Hartenberg convention, modified (Craig, Khalil) or standard (Paul, "
        "Spong); required if a link has a dh row",
        examples=["modified"],
    )
    gravity: Three = Field(
        description="acceleration of gravity in the base frame, m/s^2",
        examples=[["0", "0", "-9.81"]],
    )
    parameters: dict[str, ParameterEntry] = Field(
        default={},
        description="named numbers, for use in the arithmetic below",
        examples=[{"a2": "0.4318", "load": {"value": "2", "unit": "kg", "runtime": True}}],
    )
    base: Literal["fixed", "floating"] = Field(
        default="fixed",
        description="floating: the base moves freely, with the inertia of the links that are fixed "
        "to it; its entries come first in q (position, unit quaternion x y z w) and in v (linear "
        "and angular velocity in its axes)",
        examples=["floating"],
    )
    links: list[LinkSchema] = Field(
        min_length=1,
        max_length=MAX_LINKS,
        description="links, in order from the base",
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
        description="true, or the name of a link or frame: a body that is fixed to the last link, "
        "or to the named one; its mass, first moments and inertia about the origin of that frame, "
        "in its axes, are run-time parameters",
        examples=[True, "forearm"],
    )
    external_wrench: Choices = Field(
        default=False,
        description="true, the name of a frame or a list of names: force (N) and moment (N m) that "
        "act on the robot at the origin of the tool, or of each named frame, in the axes of the "
        "frame, become an input",
        examples=[True, "camera", ["left_foot", "right_foot"]],
    )
    contact_force: Choices = Field(
        default=False,
        description="true, the name of a frame or a list of names: a force (N) that acts on the "
        "robot at the origin of the tool, or of each named frame, in base axes, becomes an input",
        examples=["foot", ["left_foot", "right_foot"]],
    )
    frames: list[FrameSchema] = Field(
        default=[],
        max_length=MAX_LINKS,
        description="named frames for kinematics",
        examples=[
            [{"name": "tool", "link": "wrist", "xyz": ["0", "0", "0.1"], "rpy": ["0", "0", "0"]}]
        ],
    )
    couplings: list[CouplingSchema] = Field(
        default=[],
        max_length=MAX_LINKS,
        description="motors that move several joints together",
        examples=[
            [
                {
                    "joints": ["wrist_1", "wrist_2"],
                    "matrix": [["1", "0"], ["-0.2", "1"]],
                    "inertia": ["0.2", "0.18"],
                }
            ]
        ],
    )
    loops: list[LoopSchema] = Field(
        default=[],
        max_length=MAX_LINKS,
        description="joints that close kinematic loops; the joints that they determine have no "
        "entries in q and v",
        examples=[[{"between": ["rod_end", "lever_pin"]}]],
    )
    independent: list[Text] = Field(
        default=[],
        max_length=MAX_LINKS,
        description="links of the loops whose joints have entries in q and v; the first joints "
        "that determine the others if left out",
        examples=[["crank"]],
    )
