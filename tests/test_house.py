"""The house rules that no linter knows. A rule that is in the way is changed here, in the open."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "dynagen").rglob("*.py"))
TEMPLATES = sorted(
    file
    for file in (ROOT / "templates").rglob("*")
    if file.is_file() and file.parent.name != "__pycache__"
)


def longer_than(limit: int, files: list[Path]) -> list[str]:
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    return [
        f"{file.relative_to(ROOT)}: {length} lines"
        for file, length in lengths.items()
        if length > limit
    ]


def test_no_module_is_longer_than_500_lines() -> None:
    assert MODULES
    assert longer_than(500, MODULES) == []


def test_no_template_is_longer_than_200_lines() -> None:
    assert TEMPLATES
    assert longer_than(200, TEMPLATES) == []


def test_no_module_is_a_drawer_for_everything() -> None:
    drawers = {"utils", "util", "common", "helpers", "misc"}
    assert [
        str(file.relative_to(ROOT)) for file in MODULES if {file.stem, file.parent.name} & drawers
    ] == []


def test_tests_mirror_the_packages() -> None:
    packages = {file.parent.name for file in (ROOT / "dynagen").glob("*/__init__.py")}
    across = {"conformance", "examples", "golden", "hardening", "hostile", "studies", "support"}
    assert {file.parent.name for file in (ROOT / "tests").glob("*/*.py")} <= packages | across


def test_every_folder_of_modules_is_a_package_that_says_what_it_holds() -> None:
    for folder in sorted({file.parent for file in MODULES}):
        opening = folder / "__init__.py"
        assert opening.exists(), f"{folder.relative_to(ROOT)} has no __init__.py"
        assert ast.get_docstring(ast.parse(opening.read_text(encoding="utf-8"))), (
            f"{opening.relative_to(ROOT)} has no docstring"
        )
