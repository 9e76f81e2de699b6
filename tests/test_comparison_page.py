"""docs/comparison.md has the reviewed counts; its picture is drawn from its tables."""

from __future__ import annotations

import re

from benchmarks.comparison_picture import read_points
from tests.support.counts_table import total_of
from tests.support.root import ROOT

COUNTED = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity_forces", "bias_forces")
PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")


def test_default_counts_are_those_of_the_reviewed_table():
    function = ""
    for heading, robot, count in re.findall(r"^## (.*)$|^\| (\w+) \| (\d+) ", PAGE, re.MULTILINE):
        function = heading or function
        if robot and function in COUNTED:
            assert total_of(robot, function) == int(count), (robot, function)


def test_points_of_the_picture_are_the_factors_of_the_tables():
    factors = [float(text) for text in re.findall(r"\| (\d+\.\d\d) \|$", PAGE, re.MULTILINE)]
    assert [round(point.factor, 2) for point in read_points(PAGE)] == factors
    assert len(factors) > 40
    assert f"up to {max(factors):.1f}](comparison.png)" in PAGE
