"""The format of joint friction, field by field."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from dynagen.description.yaml.fields import Absent, Number, Section, Two, kind_of_value


class CoulombSchema(Section):
    """Coulomb friction that depends on the direction."""

    positive: Number = Field(description="against positive rates, N m (prismatic: N)", examples=["2.1"])
    negative: Number = Field(description="against negative rates, as a magnitude, N m (prismatic: N)", examples=["1.8"])


class StribeckSchema(Section):
    """Static friction that gives way to Coulomb friction: coulomb + (static - coulomb) exp(-(rate / velocity)^2)."""

    static: Number = Field(description="static friction, N m (prismatic: N)", examples=["3.2"])
    velocity: Number = Field(description="rate at which 1/e of the excess is left, rad/s (prismatic: m/s)", examples=["0.05"])


class BearingSchema(Section):
    """A bearing whose friction follows from the force f and the moment n that it carries.

    journal: two supports, `length` apart, share the force across the axis and balance the moment about `centre`; friction is
    coefficient radius (|f1| + |f2|) with the forces f1 and f2 on the supports.

    thrust: coefficient radius |fz|, with the force along the axis.

    linear: two supports of a rail, `length` apart; friction is coefficient times the sum of the forces on them, over both
    directions across the rail.
    """

    type: Literal["journal", "linear", "thrust"] = Field(
        description="journal or thrust (revolute joints), linear (prismatic joints)", examples=["journal"]
    )
    coefficient: Number = Field(description="coefficient of kinetic friction, without unit", examples=["0.004"])
    radius: Number | Absent = Field(
        default=None, description="radius at which friction acts, m; of journal and thrust bearings", examples=["0.03"]
    )
    length: Number | Absent = Field(
        default=None, description="distance between the supports, m; of journal and linear bearings", examples=["0.1"]
    )
    centre: Number | Absent = Field(
        default=None,
        description="centre of the supports along the joint axis, m, from where the row's d ends, or origin; zero if left out",
        examples=["-0.05"],
    )


Efficiency = Annotated[Annotated[Number, Tag("number")] | Annotated[list[Two], Tag("more")], Discriminator(kind_of_value)]
Coulomb = Annotated[Annotated[Number, Tag("number")] | Annotated[CoulombSchema, Tag("more")], Discriminator(kind_of_value)]


class TransmissionSchema(Section):
    """Losses between motor and joint; torques are referred to the joint.

    With what the joint takes, its own friction included, as output: direction |output| (1/efficiency - 1) where the motor
    drives, direction |output| (1 - efficiency) where it brakes, and direction breakaway in both. Direction is the sign of the
    rate, or what `sign` puts in its place.
    """

    breakaway: Number | Absent = Field(
        default=None, description="torque that moves the unloaded gear, N m (prismatic: N); zero if left out", examples=["0.5"]
    )
    efficiency: Efficiency = Field(
        description="a number above 0, at most 1; or points [load / rated, efficiency] in ascending order",
        examples=["0.85", [["0.1", "0.6"], ["1", "0.85"]]],
    )
    rated: Number | Absent = Field(
        default=None, description="output torque at load / rated = 1, N m (prismatic: N); goes with points", examples=["80"]
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
        default=None, description="viscous coefficient, N m s/rad (prismatic: N s/m); zero if left out", examples=["0.8"]
    )
    coulomb: Coulomb | Absent = Field(
        default=None,
        description="Coulomb friction, N m (prismatic: N), or one for each direction; zero if left out",
        examples=["2", {"positive": "2.1", "negative": "1.8"}],
    )
    offset: Number | Absent = Field(
        default=None, description="constant part, N m (prismatic: N); zero if left out", examples=["-0.3"]
    )
    stribeck: StribeckSchema | Absent = Field(
        default=None, description="static friction around standstill", examples=[{"static": "3.2", "velocity": "0.05"}]
    )
    sign: Literal["exact", "tanh", "linear"] = Field(
        default="exact",
        description="sign of the rate: exact (zero at rest), tanh(rate / width), or linear (rate / width, from -1 to 1)",
        examples=["tanh"],
    )
    width: Number | Absent = Field(
        default=None, description="rate that goes with sign tanh or linear, rad/s (prismatic: m/s)", examples=["0.01"]
    )
    bearings: list[BearingSchema] = Field(
        default=[],
        description="bearings whose friction depends on their load",
        examples=[[{"type": "thrust", "coefficient": "0.002", "radius": "0.04"}]],
    )
    transmission: TransmissionSchema | Absent = Field(
        default=None, description="losses of the gear", examples=[{"efficiency": "0.85", "breakaway": "0.5"}]
    )
