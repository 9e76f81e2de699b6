"""Schema of joint friction in the YAML format.

Class docstrings and field descriptions are printed in the user's reference, as in `schema`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from dynagen.robot.formats.yaml.field_types import Absent, Number, Section, Two, classify_value


class CoulombSchema(Section):
    """Coulomb friction that depends on the direction of motion."""

    positive: Number = Field(
        description="friction at positive velocities, N m (prismatic: N)", examples=["2.1"]
    )
    negative: Number = Field(
        description="magnitude of friction at negative velocities, N m (prismatic: N)",
        examples=["1.8"],
    )


class StribeckSchema(Section):
    """Stribeck friction, which falls from static to Coulomb friction as the joint moves faster.

    At joint velocity qd, the friction is coulomb + (static - coulomb) exp(-(qd / velocity)^2).
    """

    static: Number = Field(description="static friction, N m (prismatic: N)", examples=["3.2"])
    velocity: Number = Field(
        description="joint velocity at which the excess over Coulomb friction has decreased to "
        "1/e, rad/s "
        "(prismatic: m/s)",
        examples=["0.05"],
    )


class BearingSchema(Section):
    """A bearing whose friction depends on the force f and the moment n that it carries.

    journal: two supports at the distance `length` share the force across the axis and balance the
    moment about `centre`. With the forces f1 and f2 on the supports, the friction is
    coefficient radius (|f1| + |f2|).

    thrust: with the force fz along the axis, the friction is coefficient radius |fz|.

    linear: two supports at the distance `length` carry a rail. The friction is coefficient times
    the sum of the forces on the supports, in both directions across the rail.
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
        description="radius at which friction acts, m; for journal and thrust bearings",
        examples=["0.03"],
    )
    length: Number | Absent = Field(
        default=None,
        description="distance between the supports, m; for journal and linear bearings",
        examples=["0.1"],
    )
    centre: Number | Absent = Field(
        default=None,
        description="position of the middle between the supports along the joint axis, m, measured "
        "from the end of the row's d or of origin; zero if left out",
        examples=["-0.05"],
    )


Efficiency = Annotated[
    Annotated[Number, Tag("number")] | Annotated[list[Two], Tag("more")],
    Discriminator(classify_value),
]
Coulomb = Annotated[
    Annotated[Number, Tag("number")] | Annotated[CoulombSchema, Tag("more")],
    Discriminator(classify_value),
]


class TransmissionSchema(Section):
    """Losses of a gear between motor and joint; torques are reflected to the joint.

    The output torque is the torque for the joint's motion and its other friction. If the motor
    drives the joint, the losses are direction (|output| (1/efficiency - 1) + breakaway). If the
    motor brakes the joint, the losses are direction (|output| (1 - efficiency) + breakaway). The
    direction is the sign of the joint velocity, or the function that `sign` selects.
    """

    breakaway: Number | Absent = Field(
        default=None,
        description="torque that moves the unloaded gear, N m (prismatic: N); zero if left out",
        examples=["0.5"],
    )
    efficiency: Efficiency = Field(
        description="a number above 0 and at most 1, or points [load / rated, efficiency] in "
        "ascending order; loads with a common step, such as 0.1, cost the least: the curve is "
        "looked up in tables",
        examples=["0.85", [["0.1", "0.6"], ["1", "0.85"]]],
    )
    rated: Number | Absent = Field(
        default=None,
        description="output torque at load / rated = 1, N m (prismatic: N); required with points",
        examples=["80"],
    )
    interpolation: Literal["linear", "spline"] = Field(
        default="linear",
        description="interpolation between the points: linear, or by a monotone cubic spline; "
        "constant beyond the ends",
        examples=["spline"],
    )


class FrictionSchema(Section):
    """Joint friction, which `friction_forces` computes; the dynamics do not include friction.

    At joint velocity qd the friction is viscous qd + offset + sign(qd) (coulomb + the excess of
    `stribeck` + the friction of the bearings) + the losses of the transmission.
    """

    viscous: Number | Absent = Field(
        default=None,
        description="viscous coefficient, N m s/rad (prismatic: N s/m); zero if left out",
        examples=["0.8"],
    )
    coulomb: Coulomb | Absent = Field(
        default=None,
        description="Coulomb friction, N m (prismatic: N), or one number for each direction; "
        "zero if left out",
        examples=["2", {"positive": "2.1", "negative": "1.8"}],
    )
    offset: Number | Absent = Field(
        default=None,
        description="constant part, N m (prismatic: N); zero if left out",
        examples=["-0.3"],
    )
    stribeck: StribeckSchema | Absent = Field(
        default=None,
        description="static friction and its decrease with the velocity",
        examples=[{"static": "3.2", "velocity": "0.05"}],
    )
    sign: Literal["exact", "tanh", "linear"] = Field(
        default="exact",
        description="sign of the joint velocity qd: exact (zero at rest), tanh (tanh(qd / width)) "
        "or linear (qd / width, from -1 to 1)",
        examples=["tanh"],
    )
    width: Number | Absent = Field(
        default=None,
        description="width of sign tanh or linear, rad/s (prismatic: m/s)",
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
