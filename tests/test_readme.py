"""README, CONTRIBUTING and docs speak of files, options and functions that there are, and figures
that come out.
"""

import re
from pathlib import Path

import click
import pytest

import dynagen
from dynagen.cli.main import dynagen as command_line
from dynagen.dynamics.functions import FUNCTIONS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page):
    for path in re.findall(
        r"`((?:docs|examples|dynagen|generated|tests|published|robots)/[\w./]*)`",
        page.read_text(encoding="utf-8"),
    ):
        assert (ROOT / path).exists(), path


def test_every_option_that_is_named_exists():
    context = click.Context(command_line)
    commands = (
        command_line.get_command(context, name) for name in command_line.list_commands(context)
    )
    known = {"--help"} | {
        name
        for command in (command_line, *commands)
        for option in command.params
        for name in (*option.opts, *option.secondary_opts)
    }
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", README):
        assert option in known, option


def test_the_table_of_functions_has_them_all():
    rows = "".join(
        re.findall(r"^\| (`.*?) \|", README[README.index("| function | gives |") :], re.MULTILINE)
    )
    assert set(re.findall(r"`(\w+)`", rows)) == {function.name for function in FUNCTIONS}


def test_the_first_screen_is_what_comes_out():
    generation = dynagen.generate("puma560", verify=False)
    operations = str(generation.functions[0].operations)
    assert f"print(generation.functions[0].operations)  # {operations}" in README
    (source,) = (
        file.text for file in generation.files if file.path == "src/puma560_inverse_dynamics.c"
    )
    assert re.search(r"```c\n(    /\* .*?)```", README, re.DOTALL)[1] in source


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8"))
    for link in links:
        assert link.startswith("https://") or (page.parent / link).exists(), link
    assert page != ROOT / "README.md" or len(links) > 15
