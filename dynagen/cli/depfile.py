"""Dependency files: what generated output depends on, in the syntax of make, for build tools."""

from __future__ import annotations

from pathlib import Path

from dynagen import version
from dynagen.cli.output import write_whole
from dynagen.description.description import RobotDescription
from dynagen.description.loading import files_of


def write_depfile(path: Path, target: Path, description: RobotDescription) -> None:
    """Write that a file depends on its robot's description with all that it includes, and on the version of dynagen.

    Args:
        path: of the dependency file.
        target: the generated file that is new after every run: the manifest.
        description: the robot, as loaded from its file.

    Raises:
        UsageError: the file cannot be written.
        ToolchainError: an installed tool is too old to tell what the description includes.
    """
    causes = (*files_of(description), Path(version.__file__))
    text = f"{_escaped(target)}: {' '.join(_escaped(cause) for cause in causes)}\n"
    write_whole(path, text, "--depfile")


def _escaped(path: Path) -> str:
    """An absolute path as make and ninja read it."""
    text = path.absolute().as_posix().replace("$", "$$")
    return text.replace(" ", "\\ ").replace("#", "\\#")
