"""The counts of docs/optimizer.md that are today's are those of the reviewed table."""

from __future__ import annotations

import re

import pytest

from tests.support.counts_table import total_of
from tests.support.root import ROOT

PAGE = (ROOT / "docs" / "optimizer.md").read_text(encoding="utf-8")
FIRST = PAGE[PAGE.index("| inverse dynamics | none |") :].split("\n\n")[0]
ROWS = re.findall(r"^\| (\w+) \| \d+ \| (\d+) \| (\d+) \|", FIRST, re.MULTILINE)
ARMS = ("puma560", "stanford_listing", "panda", "ur5")
FUNCTIONS = {
    "inverse dynamics": "inverse_dynamics",
    "mass matrix": "mass_matrix",
    "forward dynamics": "forward_dynamics",
    "Coriolis matrix": "coriolis_matrix",
    "regressor": "regressor",
    "base regressor": "base_regressor",
}


@pytest.mark.parametrize(("robot", "default", "most"), ROWS, ids=lambda value: value)
def test_the_first_table_has_the_counts_of_the_default_effort(robot, default, most):
    assert total_of(robot, "inverse_dynamics") == int(default)
    assert int(most) <= int(default)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_both_tables_of_functions_have_the_counts_of_the_default_effort(function):
    rows = re.findall(rf"^\| {function} \| (\d.*) \|$", PAGE, re.MULTILINE)
    gained, searched = rows[:2]
    for robot, with_ideas, found in zip(ARMS, gained.split("|"), searched.split("|"), strict=False):
        today = total_of(robot, FUNCTIONS[function])
        assert int(re.sub(r"\(.*\)|.*->", "", with_ideas)) == today, (robot, with_ideas)
        assert int(found.split("->")[0]) == today, (robot, found)
