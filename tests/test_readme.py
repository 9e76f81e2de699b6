"""README, CONTRIBUTING and docs speak of files, options and functions that there are, and figures
that come out.
"""

import re
from pathlib import Path

import click
import pytest

import dynagen
from benchmarks import overview
from dynagen.cli.main import dynagen as command_line
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.version import __version__

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
    page = (ROOT / "docs" / "functions.md").read_text(encoding="utf-8")
    rows = "".join(
        re.findall(r"^\| (`.*?) \|", page[page.index("| function | gives |") :], re.MULTILINE)
    )
    assert set(re.findall(r"`(\w+)`", rows)) == {function.name for function in FUNCTIONS}


def test_the_session_is_what_comes_out():
    page = (ROOT / "docs" / "session.md").read_text(encoding="utf-8")
    generation = dynagen.generate("puma560", verify=False)
    operations = generation.functions[0].operations
    assert f"print(generation.functions[0].operations)  # {operations}" in page
    assert f"{operations.mul} multiplications and {operations.add} additions" in page
    (source,) = (
        file.text for file in generation.files if file.path == "src/puma560_inverse_dynamics.c"
    )
    assert re.search(r"```c\n(    /\* .*?)```", page, re.DOTALL)[1] in source


def test_the_first_screen_is_what_comes_out(run):
    _, out, _ = run("panda")
    block = re.search(r"\$ dynagen panda\n(.*?)```", README, re.DOTALL)[1]
    # Other processors round differently: the errors of the proof are left out.
    without_errors = [re.sub(r"\d\.\de-\d\d", "", text) for text in (block, out)]
    assert without_errors[0] == without_errors[1]


def test_the_picture_has_the_numbers_of_the_benchmarks():
    picture = (ROOT / "docs" / "overview.svg").read_text(encoding="utf-8")
    times, operations = overview.read_times(), overview.count_operations()
    texts = [
        *(f"{time:.2g}" if time < 10 else f"{time:.0f}" for time in times.values()),
        *map(str, operations.values()),
    ]
    for text in texts:
        assert f">{text}<" in picture, "python benchmarks/overview.py draws it again"
        assert text in README[README.index("![") : README.index("](docs/overview.svg)")]
    ratio = round(times["Pinocchio, C++"] / times["dynagen"])
    assert f"{ratio} times as fast as Pinocchio" in " ".join(README.split())


def test_version_and_citation_agree():
    assert f"This is version {__version__}" in " ".join(README.split())
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 125


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8"))
    for link in links:
        assert link.startswith("https://") or (page.parent / link).exists(), link
    assert page != ROOT / "README.md" or len(links) > 15
