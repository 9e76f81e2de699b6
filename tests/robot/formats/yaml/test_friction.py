"""The `friction` of a joint: what is read, and what is said about what cannot be."""

from __future__ import annotations

import pytest

from dynagen.errors import RobotDescriptionError
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.description import Bearing, Friction, Stribeck, Transmission
from dynagen.robot.loading import parse_robot
from dynagen.robot.model.model import build_model

HEAD = """
name: arm
convention: modified
gravity: [0, 0, -9.81]
parameters: {grease: 2, load: {value: 1, runtime: true}}
links:
  - {name: one, mass: 1, joint: JOINT, dh: {alpha: 0, a: 0, d: 0, theta: 0}, friction: {FIELDS}}
"""
JOURNAL = "bearings: [{type: journal, coefficient: 0.1, radius: 0.05, length: 0.2}]"


def text(fields: str, joint: str = "revolute") -> str:
    return HEAD.replace("JOINT", joint).replace("FIELDS", fields)


def friction(fields: str, joint: str = "revolute") -> Friction:
    read = parse_robot(text(fields, joint), "arm.yaml").links[0].friction
    assert read is not None
    return read


def fault(fields: str, joint: str = "revolute") -> str:
    with pytest.raises(RobotDescriptionError) as error:
        parse_robot(text(fields, joint), "arm.yaml")
    (only,) = error.value.faults
    return f"{only.where}: {only.message}"


def test_two_numbers_are_the_whole_of_it_as_before() -> None:
    assert friction("viscous: 1, coulomb: 2*grease") == Friction(Exact(1), Exact(4))
    assert friction("viscous: 1").coulomb == ZERO


def test_everything_can_be_said() -> None:
    read = friction(
        "viscous: 1, coulomb: {positive: 2, negative: 1.5}, offset: -0.1, stribeck: {static: "
        "3, velocity: 0.05}, "
        f"sign: tanh, width: 0.01, {JOURNAL[:-1]}, {{type: thrust, coefficient: 0.2, radius: "
        f"0.1}}], "
        "transmission: {breakaway: 2.6, rated: 89.4, efficiency: [[0, 0.3], [1, 0.8]], "
        "interpolation: spline}"
    )
    assert read == Friction(
        viscous=Exact(1),
        coulomb=Exact(2),
        coulomb_negative=Exact("1.5"),
        offset=Exact("-0.1"),
        stribeck=Stribeck(Exact(3), Exact("0.05")),
        sign="tanh",
        width=Exact("0.01"),
        bearings=(
            Bearing("journal", Exact("0.1"), Exact("0.05"), Exact("0.2"), ZERO),
            Bearing("thrust", Exact("0.2"), Exact("0.1"), ZERO, ZERO),
        ),
        transmission=Transmission(
            Exact("2.6"), Exact("89.4"), ((ZERO, Exact("0.3")), (Exact(1), Exact("0.8"))), "spline"
        ),
    )
    assert read.depends_on_load
    assert not friction("viscous: 1, coulomb: 2").depends_on_load


def test_a_number_is_an_efficiency_at_any_load() -> None:
    read = friction("transmission: {efficiency: 0.8}")
    assert read.transmission == Transmission(ZERO, Exact(1), ((ZERO, Exact("0.8")),), "linear")


def test_the_model_knows_the_friction_of_its_joints() -> None:
    (body,) = build_model(parse_robot(text("viscous: 3"), "arm.yaml")).bodies
    assert body.friction == Friction(Exact(3), ZERO)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("sign: tanh", "`width` is missing; expected a positive number"),
        (
            "width: 0.1",
            "`width` requires `sign: tanh` or `sign: linear`: remove `width`, "
            "or add one of these signs",
        ),
        ("sign: linear, width: 0", "expected a positive number, found `0`"),
        ("sign: smooth", "expected exact, tanh or linear, found `smooth`"),
        ("stribeck: {static: 3, velocity: -1}", "expected a positive number, found `-1`"),
        (
            "bearings: [{type: linear, coefficient: 0.1, length: 1}]",
            "expected journal or thrust for a bearing of a revolute joint",
        ),
        (
            "bearings: [{type: journal, coefficient: 0.1, length: 1}]",
            "`radius` is missing; expected a positive number",
        ),
        (
            "bearings: [{type: thrust, coefficient: 0.1, radius: 1, length: 1}]",
            "a thrust bearing has no `length`: remove `length`",
        ),
        (
            "bearings: [{type: thrust, coefficient: 0.1, radius: 1, centre: 1}]",
            "the friction of a thrust bearing does not depend on `centre`: remove `centre`",
        ),
        ("transmission: {efficiency: 0}", "expected an efficiency above 0 and at most 1, found 0"),
        (
            "transmission: {efficiency: 1.2}",
            "expected an efficiency above 0 and at most 1, found 1.2",
        ),
        (
            "transmission: {efficiency: load/2}",
            "an efficiency cannot depend on run-time parameters: remove `runtime`",
        ),
        (
            "transmission: {efficiency: 0.8, rated: 3}",
            "a constant efficiency does not depend on the rated load: remove `rated`",
        ),
        (
            "transmission: {efficiency: [[0, 0.5], [1, 0.9]]}",
            "`rated` is missing; expected a positive number",
        ),
        (
            "transmission: {rated: 1, efficiency: [[0, 0.5], [0, 0.9]]}",
            "expected loads of 0 or above that ascend from point to point",
        ),
        (
            "transmission: {rated: 1, efficiency: [[0, 0.5]]}",
            "at least two points [load / rated, efficiency], found 1",
        ),
        (
            "coulomb: {positive: 1}",
            "`negative` is missing: magnitude of friction at negative velocities",
        ),
    ],
)
def test_a_fault_says_where_it_is_and_what_was_expected(fields: str, message: str) -> None:
    said = fault(fields)
    assert said.startswith("links[0] (one).friction")
    assert message in said


def test_a_rail_is_for_joints_that_slide() -> None:
    assert "expected linear for a bearing of a prismatic joint, found `journal`" in fault(
        JOURNAL, "prismatic"
    )


def test_friction_that_drives_is_implausible() -> None:
    dry = "coulomb: {positive: 1, negative: -2}, stribeck: {static: -3, velocity: 1}"
    loaded = (
        "transmission: {efficiency: 1, breakaway: -4}, bearings: [{type: thrust, "
        "coefficient: -5, radius: 1}]"
    )
    messages = [
        warning.message for warning in parse_robot(text(f"{dry}, {loaded}"), "arm.yaml").warnings
    ]
    messages = [message for message in messages if "is missing and read as" not in message]
    drives = "is negative, so that it drives the joint: remove the sign"
    assert messages == [
        f"Coulomb friction at negative velocities -2 {drives}",
        f"static friction -3 {drives}",
        f"break-away torque -4 {drives}",
        f"coefficient of friction of the thrust bearing -5 {drives}",
    ]
