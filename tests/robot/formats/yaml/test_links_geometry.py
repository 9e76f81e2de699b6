"""What stands before a joint, the joint, and what stands behind it, as YAML gives them."""

from __future__ import annotations

import pytest

from dynagen.errors import RobotDescriptionError
from dynagen.numbers.exact import ONE, PI, ZERO, Exact
from dynagen.robot.description import LinkDescription
from dynagen.robot.joints import HELICAL, PRISMATIC, REVOLUTE, Joint
from dynagen.robot.loading import parse_robot
from dynagen.robot.pose import Rotation, Translation, X, Y, Z, translate

HEAD = "name: arm\ngravity: [0, 0, -9.81]\n"


def link(fields: str, head: str = HEAD) -> LinkDescription:
    return parse_robot(f"{head}links:\n- {{name: one, {fields}}}\n", "arm.yaml").links[0]


def fault(fields: str, head: str = HEAD) -> str:
    with pytest.raises(RobotDescriptionError) as error:
        link(fields, head)
    return str(error.value)


def test_rows_of_both_conventions_are_steps_on_either_side_of_the_joint() -> None:
    row = "joint: revolute, dh: {alpha: pi/2, a: 0.3, d: 0.1, theta: pi/6}, mass: 1"
    alpha, a, d, theta = (
        Rotation(X, PI / 2),
        translate(X, Exact("0.3")),
        translate(Z, Exact("0.1")),
        Rotation(Z, PI / 6),
    )
    modified, standard = (
        link(row, f"{HEAD}convention: {convention}\n") for convention in ("modified", "standard")
    )
    assert (modified.before, modified.after) == ((alpha, a, theta, d), ())
    assert (standard.before, standard.after) == ((theta, d), (a, alpha))
    assert modified.joint == standard.joint == Joint(REVOLUTE)


def test_a_joint_may_have_an_axis_of_its_own() -> None:
    one = link(
        "joint: prismatic, origin: {xyz: [1, 0, 2], rpy: [0, pi/2, 0.1]}, axis: [0, 2, -1], mass: 1"
    )
    assert one.before == (
        Translation((ONE, ZERO, Exact(2))),
        Rotation(Z, Exact("0.1")),
        Rotation(Y, PI / 2),
    )
    assert one.joint == Joint(PRISMATIC, axis=(ZERO, Exact(2), Exact(-1)))
    assert one.after == ()
    assert link("joint: revolute, axis: [1, 0, 0], mass: 1").before == ()


def test_a_helical_joint_has_a_pitch() -> None:
    one = link("joint: helical, pitch: 0.01/(2*pi), axis: [0, 0, 1], mass: 1")
    assert one.joint == Joint(HELICAL, pitch=Exact("0.005") / PI)
    assert (one.joint.angular, one.joint.linear) == (1, Exact("0.005") / PI)
    row = link(
        "joint: helical, pitch: 0.01, dh: {alpha: 0, a: 0, d: 0}, mass: 1",
        f"{HEAD}convention: modified\n",
    )
    assert row.before == ()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            "joint: helical, axis: [0, 0, 1]",
            "links[0] (one): `pitch` is missing: write the translation of the helical joint per ",
        ),
        (
            "joint: revolute, axis: [0, 0, 1], pitch: 1",
            "links[0] (one).pitch: a revolute joint has no pitch: remove `pitch`",
        ),
        (
            "joint: revolute, axis: [0, 0, 0]",
            "links[0] (one).axis: expected an axis with a direction, found [0, 0, 0]",
        ),
        ("joint: revolute, axis: [0, 1]", "links[0] (one).axis: expected 3 numbers, found 2"),
        (
            "joint: revolute, axis: [0, 1, 0], dh: {alpha: 0, a: 0, d: 0}",
            "links[0] (one).axis: the joint axis of a `dh` row is",
        ),
        (
            "joint: fixed, origin: {xyz: [0, 0, 0], rpy: [0, 0, 0]}, axis: [0, 1, 0]",
            "(one).axis: a fixed joint does not move",
        ),
        (
            "joint: revolute, axis: [tilt, 1, 0]",
            "links[0] (one).axis: an axis cannot depend on run-time parameters",
        ),
    ],
)
def test_what_makes_no_joint_is_told_by_field(fields: str, message: str) -> None:
    head = f"{HEAD}convention: modified\nparameters: {{tilt: {{value: 0, runtime: true}}}}\n"
    assert message in fault(fields, head)


def test_a_convention_is_needed_where_there_are_rows_and_nowhere_else() -> None:
    assert "arm.yaml:1: `convention` is missing: Denavit-Hartenberg" in fault(
        "joint: revolute, dh: {alpha: 0, a: 0, d: 0}"
    )
    assert link("joint: revolute, axis: [0, 1, 0], mass: 1").joint.axis == (ZERO, ONE, ZERO)


def joints(*fields: str) -> list[Joint]:
    links = "".join(
        f"- {{name: link_{number}, mass: 1, {field}}}\n"
        for number, field in enumerate(fields, start=1)
    )
    return [each.joint for each in parse_robot(f"{HEAD}links:\n{links}", "arm.yaml").links]


def test_a_joint_may_follow_another() -> None:
    finger = "joint: prismatic, axis: [0, 1, 0]"
    first, second, third = joints(
        finger,
        f"{finger}, mimic: {{joint: link_1, ratio: -1}}",
        f"{finger}, mimic: {{joint: link_2, ratio: 2, offset: 0.1}}",
    )
    assert (first.nq, second.nq, third.nq) == (1, 0, 0)
    assert (second.mimics, second.ratio, second.offset) == ("link_1", -1, 0)
    assert (third.mimics, third.ratio, third.offset, third.idx_q, third.idx_v) == (
        "link_1",
        -2,
        Exact("0.1"),
        0,
        0,
    )


@pytest.mark.parametrize(
    ("mimic", "message"),
    [
        (
            "{joint: link_2}",
            "links[1] (link_2).mimic: the joints follow each other in a circle: link_2 -> link_2",
        ),
        (
            "{joint: link_3}",
            "links[1] (link_2).mimic.joint: there is no link `link_3`; did you mean",
        ),
        (
            "{joint: link_1, ratio: 0}",
            "links[1] (link_2).mimic.ratio: a mimicking joint with ratio 0 never moves",
        ),
        (
            "{ratio: 2}",
            "links[1] (link_2).mimic: `joint` is missing: name of the link whose joint this joint "
            "follows",
        ),
        ("{joint: link_1, factor: 2}", "links[1] (link_2).mimic.factor: unknown key `factor`"),
    ],
)
def test_what_cannot_be_followed_is_told_by_field(mimic: str, message: str) -> None:
    with pytest.raises(RobotDescriptionError) as error:
        joints(
            "joint: revolute, axis: [0, 1, 0]", f"joint: revolute, axis: [0, 1, 0], mimic: {mimic}"
        )
    assert message in str(error.value)
