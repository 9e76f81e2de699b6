"""docs/comparison.md has the counts of the reviewed table, and no source is ahead."""

from __future__ import annotations

import re

from tests.support.counts_table import total_of
from tests.support.root import ROOT

PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")


def test_the_counts_of_the_default_effort_are_current() -> None:
    compared = 0
    for section in PAGE.split("\n## ")[1:]:
        function = section.splitlines()[0]
        if function == "forward_dynamics_without_bias":  # not a function that dynagen generates
            continue
        for robot, default in re.findall(r"^\| (\w+) \| (\d+) \|", section, re.MULTILINE):
            assert total_of(robot, function) == int(default), (robot, function)
            compared += 1
    assert compared > 40


def test_no_source_has_a_lower_count_for_the_same_computation() -> None:
    factors = re.findall(r"\| ([\d.]+) \|$", PAGE, re.MULTILINE)
    assert factors
    assert min(map(float, factors)) >= 1
