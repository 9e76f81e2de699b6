"""Command lines in README, docs and examples have only commands and options that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import rich_click as click

from dynagen.cli.main import dynagen

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
_BLOCK = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def list_command_lines(page: Path) -> list[str]:
    """Return the command lines of dynagen in blocks of a page, with continued lines joined."""
    lines = []
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            command = re.sub(r"\s+#.*|\s[|>].*", "", line.removeprefix("$ "))
            lines += [command] if command.startswith("dynagen ") else []
    return lines


FOUND = [(page, line) for page in PAGES for line in list_command_lines(page)]


@pytest.mark.parametrize(
    ("page", "line"), FOUND, ids=[f"{page.stem}: {line}" for page, line in FOUND]
)
def test_a_command_line_is_parsed(page: Path, line: str) -> None:
    words = shlex.split(line)[1:]
    group = click.RichContext(dynagen, info_name="dynagen")
    _, rest, _ = dynagen.make_parser(group).parse_args(words)
    if not rest or rest == ["..."]:
        return
    name = rest[0] if rest[0] in dynagen.list_commands(group) else "generate"
    command = dynagen.get_command(group, name)
    assert command is not None
    arguments = rest[1:] if rest[0] == name else rest
    context = click.RichContext(command, info_name=name)
    given, _, _ = command.make_parser(context).parse_args(list(arguments))
    required = {each.name for each in command.params if each.required}
    assert required <= {key for key, value in given.items() if value is not None}


def test_pages_have_command_lines() -> None:
    assert len(FOUND) > 60
