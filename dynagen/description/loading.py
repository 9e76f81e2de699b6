"""A file or its text -> RobotDescription, read by the input syntax that its name stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dynagen.description.description import RobotDescription
from dynagen.description.urdf.document import MAX_BYTES as LONGEST_URDF
from dynagen.description.urdf.reading import read_urdf
from dynagen.description.yaml.document import MAX_BYTES as LONGEST_YAML
from dynagen.description.yaml.reading import read_yaml
from dynagen.errors import UsageError, did_you_mean, shown
from dynagen.resources import bundled_robots, robots_folder


@dataclass(frozen=True)
class Syntax:
    """A language that robots are described in.

    Attributes:
        suffixes: of its files.
        opening: what a text begins with, by which one without such a suffix is recognised.
        longest: bytes of the longest file that is read.
        read: the content of a file, its name for messages, and whether to refuse what is physically impossible -> the robot.
    """

    suffixes: tuple[str, ...]
    opening: str
    longest: int
    read: Callable[[bytes, str, bool], RobotDescription]


SYNTAXES = (
    Syntax((".urdf", ".xacro"), "<", LONGEST_URDF, read_urdf),
    Syntax((".yaml", ".yml"), "", LONGEST_YAML, read_yaml),
)
"""All input syntaxes; the last is taken for files whose names end otherwise."""


def load_robot(path_or_name: str | Path, strict: bool = False) -> RobotDescription:
    """Load a robot description.

    Args:
        path_or_name: a file, or the name of a bundled robot.
        strict: refuse a robot that is physically impossible; otherwise `implausibilities` tells what is.

    Raises:
        UsageError: there is no such file or bundled robot, or the file cannot be read.
        RobotDescriptionError: the file is no robot description; carries all of its faults.
    """
    name = str(path_or_name)
    path = _find(name)
    syntax = _syntax_of(path)
    return syntax.read(_bytes_of(path, name, syntax.longest), str(path), strict)


def parse_robot(text: str, path: str, strict: bool = False) -> RobotDescription:
    """Read a description from its text; `path` names it in messages. Otherwise as `load_robot`."""
    return _syntax_of(Path(path), text.lstrip("\ufeff \t\r\n")).read(text.encode("utf-8", "surrogatepass"), path, strict)


def _syntax_of(path: Path, text: str = "") -> Syntax:
    by_suffix = (syntax for syntax in SYNTAXES if path.suffix in syntax.suffixes)
    return next(by_suffix, None) or next(syntax for syntax in SYNTAXES if text.startswith(syntax.opening))


def _find(name: str) -> Path:
    path = Path(name)
    if any(path.suffix in syntax.suffixes for syntax in SYNTAXES) or "/" in name or "\\" in name or _is_file(path):
        return path
    bundled = bundled_robots()
    if name not in bundled:
        hint = did_you_mean(name, bundled)
        raise UsageError(f"there is no file and no bundled robot `{shown(name)}`; bundled are {', '.join(bundled)}{hint}")
    return robots_folder() / f"{name}.yaml"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # such as a name that is too long
        return False


def _bytes_of(path: Path, name: str, longest: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(longest + 1)
    except FileNotFoundError:
        hint = f"; `{path.stem}`, without its ending, is a bundled robot" if path.stem in bundled_robots() else ""
        raise UsageError(f"there is no file `{shown(name)}`{hint}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"`{shown(name)}` cannot be read: {reason}") from None
