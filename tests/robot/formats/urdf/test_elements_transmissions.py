"""The inertia of motors in a URDF: what Drake and FROST write is counted, and what is not clear is
told.
"""

from __future__ import annotations

import pytest

from dynagen.errors import RobotDescriptionError
from dynagen.numbers.exact import Exact
from dynagen.robot.loading import parse_robot
from dynagen.robot.options import ReadingOptions
from tests.support.urdf_robots import joint, link, robot

ARM = (
    link("base_link")
    + link("one")
    + joint("j1", "base_link", "one")
    + link("two")
    + joint("j2", "one", "two", "", "fixed")
)
SIMPLE = "<type>transmission_interface/SimpleTransmission</type>"
JOINT = '<joint name="j1"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>'
DRAKE = (
    '<actuator name="m"><drake:rotor_inertia value="1e-4"/><drake:gear_ratio '
    'value="-50"/></actuator>'
)
FROST = (
    '<actuator name="m"><mechanicalReduction> 20 '
    "</mechanicalReduction><motorInertia>0.001</motorInertia></actuator>"
)


def transmission(*content: str, attributes: str = "") -> str:
    return f'<transmission name="t"{attributes}>{"".join(content)}</transmission>\n'


@pytest.mark.parametrize(
    ("text", "inertia"),
    [
        (transmission(SIMPLE, JOINT, DRAKE), "0.25"),
        (transmission(SIMPLE, JOINT, DRAKE.replace('<drake:gear_ratio value="-50"/>', "")), "1e-4"),
        (transmission(SIMPLE, JOINT, FROST), "0.4"),
        (transmission(JOINT, FROST, attributes=' type="SimpleTransmission"'), "0.4"),
        (
            transmission(
                SIMPLE,
                JOINT,
                '<actuator name="m"/>',
                '<motorInertia value="0.1"/><mechanicalReduction>2</mechanicalReduction>',
            ),
            "0.4",
        ),
        (
            transmission(
                SIMPLE,
                JOINT,
                '<actuator name="m"><mechanicalReduction>20</mechanicalReduction></actuator>',
            ),
            "0",
        ),
    ],
)
def test_what_is_clear_is_counted(text: str, inertia: str) -> None:
    description = parse_robot(robot(ARM, text), "arm.urdf")
    assert description.links[1].motor_inertia == Exact(inertia)
    assert description.warnings == ()
    noted = [note for note in description.notes if "transmission" in note]
    expected = "motor inertia" if inertia != "0" else "a <transmission> without motor inertia"
    assert expected in noted[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (transmission(JOINT, DRAKE), "the type is ``, expected SimpleTransmission"),
        (
            transmission("<type>x/FourBarLinkageTransmission</type>", JOINT, DRAKE),
            "the type is `x/FourBarLinkageTransmission`",
        ),
        (transmission(SIMPLE, JOINT, JOINT, DRAKE), "found 2 elements <joint>, expected one"),
        (
            transmission(SIMPLE, JOINT, DRAKE, '<actuator name="n"/>'),
            "found 2 elements <actuator>",
        ),
        (transmission(SIMPLE, '<joint name="j2"/>', DRAKE), "no moving joint has the name `j2`"),
        (transmission(SIMPLE, JOINT, DRAKE) * 2, "joint j1 has a motor already"),
        (
            transmission(
                SIMPLE,
                JOINT,
                '<actuator name="m"><mechanicalReduction>9</mechanicalReduction>'
                '<drake:rotor_inertia value="1"/></actuator>',
            ),
            "found <mechanicalReduction> without <drake:gear_ratio>",
        ),
    ],
)
def test_what_is_not_clear_is_warned_of(text: str, reason: str) -> None:
    description = parse_robot(robot(ARM, text), "arm.urdf")
    (warning,) = description.warnings
    assert warning.message.startswith("the motor's inertia is not counted: " + reason)
    assert description.links[1].motor_inertia == (Exact("0.25") if "already" in reason else 0)
    with pytest.raises(RobotDescriptionError):
        parse_robot(robot(ARM, text), "arm.urdf", ReadingOptions(strict=True))


def test_what_is_no_number_is_refused() -> None:
    text = transmission(
        SIMPLE, JOINT, '<actuator name="m"><motorInertia>heavy</motorInertia></actuator>'
    )
    with pytest.raises(RobotDescriptionError, match="motorInertia: expected a decimal number"):
        parse_robot(robot(ARM, text), "arm.urdf")
