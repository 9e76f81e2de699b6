"""A file or its text -> RobotDescription, read by the input syntax that its name stands for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dynagen.errors import RobotDescriptionError, UsageError, did_you_mean, shown
from dynagen.resources import bundled_robots, robots_folder, title_of
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import cut, lock, with_floating_base, with_wrenches
from dynagen.robot.formats.mjcf.reading import read_mjcf
from dynagen.robot.formats.mujoco_compiler import files_of_model
from dynagen.robot.formats.placements import Written
from dynagen.robot.formats.urdf.reading import read_urdf
from dynagen.robot.formats.urdf.writing import write_urdf
from dynagen.robot.formats.urdf.xacro import expand_xacro, xacro_includes
from dynagen.robot.formats.xml_document import MAX_BYTES as LONGEST_XML
from dynagen.robot.formats.yaml.document import MAX_BYTES as LONGEST_YAML
from dynagen.robot.formats.yaml.reading import read_yaml
from dynagen.robot.formats.yaml.writing import write_yaml
from dynagen.robot.options import DEFAULT, ReadingOptions


@dataclass(frozen=True)
class Syntax:
    """A language that robots are described in.

    Attributes:
        suffixes: of its files.
        opening: what a text begins with, by which one without a suffix is recognised, the first syntax that it fits.
        longest: bytes of the longest file that is read.
        read: the content of a file, its name for messages, and how to read it -> the robot.
        expand: the same of a program -> the content of the file that it writes; None: files are no programs.
        includes: the files that one which has been read includes; None: there are never any.
        write: a robot -> the text of a file that says the same; None: the language is only read.
    """

    suffixes: tuple[str, ...]
    opening: str
    longest: int
    read: Callable[[bytes, str, ReadingOptions], RobotDescription]
    expand: Callable[[bytes, str, ReadingOptions], bytes] | None = None
    includes: Callable[[str, ReadingOptions], Sequence[str]] | None = None
    write: Callable[[RobotDescription], Written] | None = None


SYNTAXES = (
    Syntax((".urdf",), "<", LONGEST_XML, read_urdf, write=write_urdf),
    Syntax((".xacro",), "<", LONGEST_XML, read_urdf, expand=expand_xacro, includes=xacro_includes),
    Syntax(
        (".xml", ".mjcf"),
        "<",
        LONGEST_XML,
        read_mjcf,
        includes=lambda path, options: files_of_model(path),
    ),
    Syntax((".yaml", ".yml"), "", LONGEST_YAML, read_yaml, write=write_yaml),
)
"""All input syntaxes; the last is taken for files whose names end otherwise. xacro and MJCF are in files only."""


def load_robot(path_or_name: str | Path, options: ReadingOptions = DEFAULT) -> RobotDescription:
    """Load a robot description.

    Args:
        path_or_name: a file, or the name of a bundled robot.
        options: how to read it, and what part of it.

    Raises:
        UsageError: there is no such file or bundled robot, the file cannot be read, or options ask for what it has not.
        RobotDescriptionError: the file is no robot description; carries all of its faults.
    """
    return reader_of(path_or_name, options)(options)


def reader_of(
    path_or_name: str | Path, options: ReadingOptions
) -> Callable[[ReadingOptions], RobotDescription]:
    """A reader of one file, which is opened, and a program run, once and now. Otherwise as `load_robot`.

    Args:
        path_or_name: a file, or the name of a bundled robot.
        options: whether a program is trusted, and its arguments.
    """
    name = str(path_or_name)
    path = _find(name)
    syntax = _syntax_of(path)
    data, said = _bytes_of(path, name, syntax.longest), str(path)
    if syntax.expand is not None:
        data, said = syntax.expand(data, said, options), f"{path} (expanded)"
    else:
        _refuse_arguments(said, options)

    def read(options: ReadingOptions) -> RobotDescription:
        return with_options(replace(syntax.read(data, said, options), path=str(path)), options)

    return read


def parse_robot(text: str, path: str, options: ReadingOptions = DEFAULT) -> RobotDescription:
    """Read a description from its text; `path` names it in messages. Otherwise as `load_robot`."""
    syntax = _syntax_of(Path(path), text.lstrip("\ufeff \t\r\n"))
    _refuse_arguments(path, options)
    return with_options(syntax.read(text.encode("utf-8", "surrogatepass"), path, options), options)


def with_options(description: RobotDescription, options: ReadingOptions) -> RobotDescription:
    """A robot as its file has it -> the part that is asked for; joints are locked first, so that all of them may be named.

    Raises:
        UsageError: options ask for what the robot has not.
        RobotDescriptionError: there are warnings, and the options are strict.
    """
    part = cut(lock(description, options.lock), options.root, options.tip)
    if options.floats:
        part = with_floating_base(part)
    part = with_wrenches(part, options.wrenches)
    if options.strict and part.warnings:
        raise RobotDescriptionError(title_of(part.path), part.warnings)
    return replace(part, reading=options.after(description.reading))


def files_of(description: RobotDescription) -> tuple[Path, ...]:
    """The files that a description was read from: its own, and those that it includes.

    Raises:
        ToolchainError: an installed tool is too old to tell.
    """
    includes = _syntax_of(Path(description.path)).includes
    included = map(Path, includes(description.path, description.reading) if includes else ())
    return tuple(dict.fromkeys(path.absolute() for path in (Path(description.path), *included)))


def is_bundled(description: RobotDescription) -> bool:
    """Whether this is a bundled robot as it comes, and no part of one: whether figures for that robot are for this one."""
    if description.name not in bundled_robots() or description.reading.changes:
        return False
    return load_robot(description.name).sha256 == description.sha256


def write_robot(description: RobotDescription, path: Path) -> Written:
    """A description in the syntax that a file's name stands for.

    Raises:
        UsageError: no syntax that is written has such files, or this one cannot say all of the robot.
    """
    for syntax in SYNTAXES:
        if path.suffix in syntax.suffixes and syntax.write is not None:
            return syntax.write(description)
    known = ", ".join(suffix for syntax in SYNTAXES if syntax.write for suffix in syntax.suffixes)
    raise UsageError(f"`{shown(str(path))}`: robots are written to files that end in {known}")


def _refuse_arguments(path: str, options: ReadingOptions) -> None:
    if options.arguments:
        names = ", ".join(shown(name) for name, _ in options.arguments)
        programs = ", ".join(
            suffix for syntax in SYNTAXES if syntax.expand for suffix in syntax.suffixes
        )
        raise UsageError(
            f"{shown(title_of(path))} has no arguments ({names}): "
            f"--arg (in Python arg=) is for programs, files that end in {programs}"
        )


def _syntax_of(path: Path, text: str = "") -> Syntax:
    by_suffix = (syntax for syntax in SYNTAXES if path.suffix in syntax.suffixes)
    return next(by_suffix, None) or next(
        syntax for syntax in SYNTAXES if text.startswith(syntax.opening)
    )


def _find(name: str) -> Path:
    path = Path(name)
    if (
        any(path.suffix in syntax.suffixes for syntax in SYNTAXES)
        or "/" in name
        or "\\" in name
        or _is_file(path)
    ):
        return path
    bundled = bundled_robots()
    if name not in bundled:
        if os.path.isdir(name):
            raise UsageError(f"`{shown(name)}` is a folder: name the description in it")
        hint = did_you_mean(name, bundled)
        raise UsageError(
            f"there is no file and no bundled robot `{shown(name)}`; bundled are {', '.join(bundled)}{hint}"
        )
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
        hint = (
            f"; `{path.stem}`, without its ending, is a bundled robot"
            if path.stem in bundled_robots()
            else ""
        )
        raise UsageError(f"there is no file `{shown(name)}`{hint}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"`{shown(name)}` cannot be read: {reason}") from None
