"""Commands of an installation: an application whose folder is left out has no command."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dynagen
from dynagen.cli.main import _ALL_COMMANDS

PACKAGE = Path(dynagen.__file__).parent
APPLICATIONS = sorted(
    {module.split(".")[1] for module, _ in _ALL_COMMANDS.values() if module.startswith("apps.")}
)


def listed_commands(help_text: str) -> list[str]:
    """Return the words that begin the lines under `Commands:`."""
    return re.findall(r"^  (\w+) ", help_text.partition("Commands:\n")[2], re.MULTILINE)


@pytest.mark.parametrize("application", APPLICATIONS)
def test_an_application_that_is_left_out_has_no_command(tmp_path, application):
    shutil.copytree(
        PACKAGE,
        tmp_path / "dynagen",
        ignore=lambda folder, _: (
            {application, "__pycache__"} if Path(folder) == PACKAGE / "apps" else {"__pycache__"}
        ),
    )
    done = subprocess.run(
        [sys.executable, "-m", "dynagen", "--help"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert listed_commands(done.stdout) == [
        name
        for name, (module, _) in _ALL_COMMANDS.items()
        if not module.startswith(f"apps.{application}.")
    ]
