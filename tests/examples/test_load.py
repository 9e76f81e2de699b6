"""examples/load: what its README says is what happens."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LOAD = Path(__file__).parents[2] / "examples" / "load"


@pytest.mark.slow
def test_the_commands_of_the_readme_print_what_it_says(tmp_path):
    for path in LOAD.iterdir():
        shutil.copy(path, tmp_path)
    text = (LOAD / "README.md").read_text(encoding="utf-8")
    commands, printed = re.findall(r"^```\w+\n((?:.*\n)*?)```$", text, re.MULTILINE)
    generate, build = commands.splitlines()
    words = shlex.split(generate)
    subprocess.run(
        [sys.executable, "-m", *words], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL
    )
    done = subprocess.run(
        build, shell=True, cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout == printed
