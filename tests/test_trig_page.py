"""docs/sines_and_cosines.md: its defaults are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dynagen.codegen.languages import find_language
from dynagen.codegen.package import TRIG
from dynagen.codegen.targets import TARGETS

PAGE = Path(__file__).parents[1] / "docs" / "sines_and_cosines.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")[:2]]
    for line in PAGE.read_text(encoding="utf-8").partition("## Defaults")[2].splitlines()
    if line.startswith("| `")
]


def find_names(where: str) -> tuple[list[str], list[str]]:
    """The targets and languages of a row; all targets but one deliver C."""
    targets, _, languages = where.replace(", with `--batch`", "").partition(", `--lang ")
    return re.findall(r"`([\w-]+)`", targets), re.findall(r"\w{4,}|\bc\b", languages) or ["c"]


def test_every_target_has_a_row() -> None:
    assert {name for where, _ in ROWS for name in find_names(where)[0]} == {
        each.name for each in TARGETS
    }


@pytest.mark.parametrize(("where", "default"), ROWS)
def test_the_defaults_are_those_of_the_code(where: str, default: str) -> None:
    targets, languages = find_names(where)
    for target in (each for each in TARGETS if each.name in targets):
        for language in map(find_language, languages):
            methods = language.trig
            if set(TRIG) <= set(methods):
                methods = (target.choose_trig("`--batch`" in where),)
            assert methods == ((default.strip("`"),) if default.startswith("`") else ())
