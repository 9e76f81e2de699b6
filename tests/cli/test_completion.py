"""Shells complete commands, robots, functions and files, as click's scripts ask for them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from dynagen.cli.main import dynagen
from dynagen.resources import list_bundled_robots


def complete(*words: str) -> list[str]:
    """Completions of the last word; a file is `file:` and the word."""
    shell = ShellComplete(dynagen, {}, "dynagen", "_DYNAGEN_COMPLETE")
    found = shell.get_completions(list(words[:-1]), words[-1])
    return [f"file:{item.value}" if item.type == "file" else item.value for item in found]


def test_the_first_word_is_a_command_a_robot_or_a_file():
    assert complete("s") == ["file:s", "scara", "solo12", *(
        name for name in list_bundled_robots() if name.startswith("st")
    ), "schedule", "simulate", "schema"]  # fmt: skip
    assert complete("--ver") == ["--version"]


@pytest.mark.parametrize("command", [[], ["generate"], ["check"], ["convert"], ["verify", "x"]])
def test_robots_are_completed_by_every_command(command):
    assert complete(*command, "puma26") == ["file:puma26", "puma260"]


@pytest.mark.parametrize("command", [["panda"], ["generate", "panda"], ["wheel", "panda"]])
def test_functions_are_completed_alone_and_fused(command):
    assert complete(*command, "-f", "mass_m") == ["mass_matrix", "mass_matrix_inverse"]
    assert complete(*command, "--function", "mass_matrix+grav") == ["mass_matrix+gravity_forces"]
    assert complete(*command, "-f", "al") == ["all"]


def test_options_and_choices_are_completed():
    assert complete("panda", "--opt") == ["--optimize"]
    assert complete("panda", "--optimize", "") == ["none", "default", "max"]
    assert complete("identify", "panda", "lo") == ["file:lo"]


def test_a_misspelt_command_is_no_error_while_a_shell_completes():
    assert complete("chekc", "--opt") == ["--optimize"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_line_prints_the_script_of_the_shell(shell):
    if shell == "bash":
        words = {"COMP_WORDS": "dynagen puma26", "COMP_CWORD": "1"}
    else:
        words = {"COMP_WORDS": "dynagen puma26", "COMP_CWORD": "puma26" if shell == "fish" else "1"}
    program = [sys.executable, "-c", "from dynagen.cli.main import main; main()"]
    done = subprocess.run(
        program,
        env={**os.environ, **words, "_DYNAGEN_COMPLETE": f"{shell}_complete"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "puma260" in done.stdout, done.stderr
