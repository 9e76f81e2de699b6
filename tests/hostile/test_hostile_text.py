"""Hostile names and sources: generated code is that of harmless ones, inside its folder."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from dynagen.pipeline.driver import Generation, Settings, generate
from dynagen.robot.loading import parse_robot
from tests.support.javascript_code import javascript_code
from tests.support.matlab_code import matlab_code

HOSTILE = {
    "end of a comment": "a */ #error injected /*",
    "trigraphs": "a ??/ ?\\?/ *??/",
    "continued line": "a \\",
    "docstring": 'a """ + undefined + """',
    "quotes": "a \"; 'undefined; `touch injected`",
    "Fortran continuation": "a & ! & end module",
    "template": "a {{ 7*7 }} {% raw %} {# ${x} %s {0}",
    "shell": "a $(touch injected); touch injected |& > injected",
    "CMake": "a ${x} $<1:y> ]] ]=] #[[ $ENV{HOME}",
    "HTML": "a <script>alert(1)</script> [x](javascript:1) |x|",
    "paths": "a/../../../injected",
    "foreign letters": "a Zażółć 机器人 🤖 ½",
    "long": "a" * 40,
}


def description(name: str, text: str, link: str) -> str:
    """A robot with the same text wherever users' text goes."""
    name, text, link = (json.dumps(each, ensure_ascii=False) for each in (name, text, link))
    return f"""\
name: {name}
source: {text}
convention: modified
gravity: [0, 0, -9.81]
parameters:
  load: {{value: 2, unit: {text}, runtime: true}}
links:
  - {{name: {link}, joint: revolute, dh: {{alpha: pi/2, a: 0, d: 0}},
      mass: load, com: [0.1, 0, 0], inertia: [1, 1, 1]}}
frames:
  - {{name: {text}, link: {link}, xyz: [0, 0, 0], rpy: [0, 0, 0]}}
"""


@cache
def generation(text: str, language: str) -> Generation:
    """Generated, compiled and proved."""
    robot = parse_robot(description(text, text, text), f"{text[:20]}.yaml")
    return generate(
        robot, Settings(language, ("inverse_dynamics", "gravity_forces"), prefix="robot", states=10)
    )


def code(path: str, text: str) -> str:
    """What a compiler makes of a file: without comments, and without the content of strings."""
    if path.endswith((".c", ".h")):
        command = ["gcc", "-fpreprocessed", "-dD", "-E", "-P", "-"]
        return subprocess.run(
            command, input=text, capture_output=True, text=True, check=True
        ).stdout
    if path.endswith(".f90"):
        return "\n".join(line.partition("!")[0].rstrip() for line in text.splitlines())
    if path.endswith(".js"):
        return javascript_code(text)
    if path.endswith(".m"):
        return matlab_code(text)
    if path.endswith(".py"):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                node.value = ""
        return ast.unparse(tree)
    return ""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_changes_nothing_but_comments(text: str, language: str) -> None:
    hostile, harmless = generation(text, language), generation("arm", language)
    assert [file.path for file in hostile.files] == [file.path for file in harmless.files]
    for bad, good in zip(hostile.files, harmless.files, strict=True):
        assert bad.text.isascii()
        assert code(bad.path, bad.text) == code(good.path, good.text)
    assert (
        json.loads(hostile.manifest.text)["kernels"].keys()
        == json.loads(harmless.manifest.text)["kernels"].keys()
    )


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_name_writes_into_the_generated_folder_only(
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Callable[..., tuple[int, str, str]],
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "robot.yaml").write_text(description(text, text, text), encoding="utf-8")
    status, _, errors = run("robot.yaml", "--no-verify")
    assert status == 0, errors
    written = {
        path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("*") if path.is_file()
    }
    assert written == {("work", "robot.yaml"), ("work", "generated")}
    assert len(list((folder / "generated").iterdir())) == 1
