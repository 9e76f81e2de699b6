"""Counts of the parts of recursions: the page is current, and parts add up to the whole."""

from __future__ import annotations

import pytest

from dynagen.apps.literature.parts import count_parts, read_parts, tabulate_parts
from tests.support.root import ROOT


def test_the_page_has_the_table() -> None:
    page = (ROOT / "docs" / "general_formulas.md").read_text(encoding="utf-8")
    assert f"<!-- parts -->\n{tabulate_parts()}<!-- end -->" in page


@pytest.mark.parametrize(
    ("algorithm", "joint", "whole"),
    [
        ("newton_euler", "revolute", (139, 110)),
        ("newton_euler", "prismatic", (144, 111)),
        ("reformulated_newton_euler", "revolute", (96, 82)),
        ("reformulated_newton_euler", "prismatic", (151, 110)),
    ],
)
def test_parts_add_up_to_the_counted_formula(algorithm, joint, whole) -> None:
    """The formulas of docs/general_formulas.md, which other tests check for n = 1 to 10."""
    counts = count_parts(algorithm, joint).values()
    assert tuple(sum(count[kind] for count in counts) for kind in (0, 1)) == whole


def test_printed_parts_add_up_to_printed_totals_but_for_one() -> None:
    wrong = [
        (table.algorithm, table.joint, kind)
        for table in read_parts()
        for kind in (0, 1)
        if sum(count[kind] for count in table.parts.values()) != table.total[kind]
    ]
    assert wrong == [("newton_euler", "revolute", 1)]  # 113 additions, printed as 123
