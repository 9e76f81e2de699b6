"""Tutorials are done from nothing as written: files are saved, commands run, outputs compared.

In a page of docs/tutorials a block with a caption is a file, a block `sh` is run, a block `console`
has commands and their outputs (`...` stands for anything), and every line of a block `c` occurs in
what the commands have written.
"""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
PAGES = sorted(FOLDER.glob("*.md"))
_BLOCK = re.compile(
    r"^```(?:\{code-block\} )?(?P<kind>\w+)\n(?::caption: (?P<file>\S+)\n\n)?(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_PROGRESS = re.compile(r"^dynagen: .*, \d+ s\n", re.MULTILINE)  # printed every ten seconds


def run(command: str, folder: Path) -> str:
    scripts = sysconfig.get_path("scripts")
    done = subprocess.run(
        ["bash", "-ec", command],
        cwd=folder,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return _PROGRESS.sub("", done.stdout)


def pattern(expected: str) -> str:
    """Regular expression of an output: `...` stands for anything, spaces for any spaces."""
    lines = [re.escape(" ".join(line.split())) for line in expected.splitlines()]
    text = r"\n".join(lines).replace(r"\.\.\.", r"[\s\S]*?")
    return text + r"\s*"


def console(text: str, folder: Path) -> str:
    """Run the commands of a block, and compare their outputs."""
    outputs = ""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        printed = run(command, folder)
        outputs += printed
        found = "\n".join(" ".join(line.split()) for line in printed.splitlines())
        if expected.strip():
            assert re.fullmatch(pattern(expected), found), f"{command}\n{printed}"
    return outputs


@pytest.mark.slow
@pytest.mark.tools
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_works_as_written(page: Path, tmp_path: Path) -> None:
    outputs = ""
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        kind, text = block["kind"], block["text"]
        if block["file"]:
            (tmp_path / block["file"]).write_text(text, encoding="utf-8")
        elif kind == "sh":
            outputs += run(text, tmp_path)
        elif kind == "console":
            outputs += console(text, tmp_path)
        elif kind == "c":
            written = outputs + "".join(
                path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.c")
            )
            for line in filter(None, map(str.strip, text.splitlines())):
                assert line in written, line


def test_the_blocks_of_tutorials_are_understood() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        kinds = [block["kind"] for block in _BLOCK.finditer(text)]
        assert 2 * len(kinds) == len(re.findall(r"^```", text, re.MULTILINE)), page.name
        assert {"console", "sh"} & set(kinds)
