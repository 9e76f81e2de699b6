"""docs/general_formulas.md: what is printed and what explains the difference add up to what is
counted, for n = 1 to 10.
"""

from __future__ import annotations

import re

import pytest

from dynagen.apps.literature.conventional import (
    ALGORITHMS,
    FORWARD_ALGORITHMS,
    Algorithm,
    record_conventional,
)
from dynagen.ir.cost import OperationCount, count
from dynagen.numbers.exact import ONE, PI, ZERO, Exact
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import CentralInertia, LinkDescription, RobotDescription
from dynagen.robot.formats.yaml.links import make_row_steps
from dynagen.robot.joints import PRISMATIC, REVOLUTE, Joint, JointType
from tests.support.root import ROOT

DOCUMENT = ROOT / "docs" / "general_formulas.md"
BY_NAME = {algorithm.name: algorithm for algorithm in (*ALGORITHMS, *FORWARD_ALGORITHMS)}
Formula = tuple[int, int]
"""Coefficient of n, and constant."""

# Of every table the algorithm, the joints, the products of inertia, and from how many joints on it
# holds.
TABLES = {
    "Newton-Euler, conventional, revolute": ("newton_euler", REVOLUTE, ONE, 1),
    "Newton-Euler, conventional, prismatic": ("newton_euler", PRISMATIC, ONE, 1),
    "Newton-Euler, reformulated, revolute, principal axes": (
        "reformulated_newton_euler",
        REVOLUTE,
        ZERO,
        1,
    ),
    "Newton-Euler, reformulated, revolute, any axes": (
        "reformulated_newton_euler",
        REVOLUTE,
        ONE,
        1,
    ),
    "Newton-Euler, reformulated, prismatic, principal axes": (
        "reformulated_newton_euler",
        PRISMATIC,
        ZERO,
        1,
    ),
    "Newton-Euler, Turney": ("turney", REVOLUTE, ONE, 1),
    "Newton-Euler, Turney's modified set, K diagonal": ("turney_modified", REVOLUTE, ZERO, 1),
    "Newton-Euler, Turney's modified set, K full": ("turney_modified", REVOLUTE, ONE, 1),
    "Newton-Euler, Angeles, revolute": ("angeles", REVOLUTE, ONE, 1),
    "Lagrange, recursive, 4 x 4": ("lagrange_4x4", REVOLUTE, ONE, 1),
    "Lagrange, recursive, 3 x 3": ("lagrange_3x3", REVOLUTE, ONE, 1),
    "Forward dynamics, Saha, revolute": ("saha", REVOLUTE, ONE, 3),
}


def general_count(
    algorithm: Algorithm, joints: int, joint: JointType, products: Exact
) -> OperationCount:
    """A general count depends on no number of the robot, so that any will do."""
    inertial = CentralInertia(
        ZERO, (ZERO, ZERO, ZERO), (ONE, ONE, ONE, products, products, products)
    )
    before, after = make_row_steps(algorithm.convention, alpha=PI / 2, a=ONE, d=ONE, theta=ZERO)
    links = [
        LinkDescription(
            f"link_{n}", f"link_{n - 1}" if n else None, before, Joint(joint), after, inertial
        )
        for n in range(joints)
    ]
    robot = RobotDescription("general", (ZERO, ZERO, -ONE), number_coordinates(links))
    return count(record_conventional(algorithm, robot))


def tables() -> dict[str, list[tuple[Formula, Formula]]]:
    """Rows of the document's tables, by title."""
    found: dict[str, list[tuple[Formula, Formula]]] = {}
    for section in DOCUMENT.read_text(encoding="utf-8").split("\n## ")[1:]:
        rows = re.findall(
            r"^\| (?:[^|]*) \| ([-+ n0-9]+) \| ([-+ n0-9]+) \|$", section, re.MULTILINE
        )
        # tests/apps/literature/test_parts.py checks tables of parts.
        if rows and "part by part" not in section.splitlines()[0]:
            found[section.splitlines()[0]] = [(formula(m), formula(a)) for m, a in rows]
    return found


def formula(text: str) -> Formula:
    terms = re.findall(r"([+-]?)\s*(\d*)(n?)", text)
    values = [(int(f"{sign}{digits or 1}"), n) for sign, digits, n in terms if digits or n]
    return sum(value for value, n in values if n), sum(value for value, n in values if not n)


def test_every_table_is_checked() -> None:
    assert set(tables()) == set(TABLES)


@pytest.mark.parametrize("title", TABLES)
def test_what_is_printed_and_the_differences_add_up_to_what_is_counted(title: str) -> None:
    *parts, counted = tables()[title]
    name, joint, products, least = TABLES[title]
    for column in (0, 1):
        assert (
            tuple(sum(part[column][place] for part in parts) for place in (0, 1)) == counted[column]
        )
    (m, m_constant), (a, a_constant) = counted
    for joints in range(least, 11):
        general = general_count(BY_NAME[name], joints, joint, products)
        assert (general.mul + general.div, general.add) == (
            m * joints + m_constant,
            a * joints + a_constant,
        )
