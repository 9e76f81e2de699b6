"""Counts of the parts of recursions: the page is current, and parts add up to the whole."""

from __future__ import annotations

import pytest

from dynagen.apps.literature.parts import count_parts, read_parts, tabulate_parts
from tests.support.root import ROOT


@pytest.mark.parametrize("text", read_parts())
def test_the_page_has_the_tables(text) -> None:
    page = (ROOT / "docs" / "general_formulas.md").read_text(encoding="utf-8")
    table = tabulate_parts(read_parts()[text])
    assert f"<!-- parts {text} -->\n{table}<!-- end -->" in page


@pytest.mark.parametrize(
    ("text", "title", "whole"),
    [
        ("dhanaraj", "II, revolute", (139, 110)),
        ("dhanaraj", "II, prismatic", (144, 111)),
        ("dhanaraj", "I, revolute", (96, 82)),
        ("dhanaraj", "I, prismatic", (151, 110)),
        ("turney", "Table 3", (114, 97)),
        ("turney", "Table 4", (96, 82)),
        ("angeles", "Tables 7.1 and 7.2", (139, 111)),
    ],
)
def test_parts_add_up_to_the_counted_formula(text, title, whole) -> None:
    """The formulas of docs/general_formulas.md, which other tests check for n = 1 to 10."""
    (table,) = (each for each in read_parts()[text] if each.title == title)
    counts = count_parts(table).values()
    assert tuple(sum(count[kind] for count in counts) for kind in (0, 1)) == whole


def test_printed_parts_add_up_to_printed_totals_but_for_two() -> None:
    wrong = [
        (table.title, total - sum(count[kind] for count in table.parts.values()))
        for tables in read_parts().values()
        for table in tables
        for kind, total in enumerate(table.total)
        if sum(count[kind] for count in table.parts.values()) != total
    ]
    # 113 additions, printed as 123; the row of c is missing
    assert wrong == [("II, revolute", 10), *[("Tables 7.1 and 7.2", n) for n in (8, 10)]]
