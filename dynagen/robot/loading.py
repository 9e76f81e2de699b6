"""Loading and writing of robot descriptions; a file's ending selects the format."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dynagen.errors import Fault, RobotDescriptionError, UsageError, clip, suggest_word
from dynagen.on_demand import import_on_call
from dynagen.resources import find_robots_folder, list_bundled_robots, make_title
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import add_floating_base, lock, select_part
from dynagen.robot.external_forces import set_external_forces
from dynagen.robot.formats.mujoco_compiler import list_model_files
from dynagen.robot.formats.xml_document import MAX_BYTES as LONGEST_XML
from dynagen.robot.formats.yaml.document import MAX_BYTES as LONGEST_YAML
from dynagen.robot.formats.yaml.reading import read_yaml
from dynagen.robot.options import DEFAULT, ReadingOptions
from dynagen.robot.payload import set_payload
from dynagen.robot.plausibility import (
    find_limbs_without_floating_base,
    find_loads_without_effect,
)

if TYPE_CHECKING:
    from dynagen.robot.formats.placements import WrittenRobot


@dataclass(frozen=True)
class Syntax:
    """A file format of robot descriptions.

    Attributes:
        suffixes: endings of file names in this format.
        opening: first characters of a text in this format. They select the format if the ending of
            the file's name is unknown.
        longest: largest size of a file (bytes).
        read: function that returns the robot. Its arguments are the content of a file, a name for
            messages, and the options of reading.
        expand: function that runs a file as a program and returns the content that the program
            writes. It has the arguments of `read`. It is None if files of the format are not
            programs.
        includes: function that returns the files that a file includes. Its arguments are the path
            and the options. It is None if the format has no includes.
        write: function that returns a robot as text; None if the format cannot be written.
    """

    suffixes: tuple[str, ...]
    opening: str
    longest: int
    read: Callable[[bytes, str, ReadingOptions], RobotDescription]
    expand: Callable[[bytes, str, ReadingOptions], bytes] | None = None
    includes: Callable[[str, ReadingOptions], Sequence[str]] | None = None
    write: Callable[[RobotDescription], WrittenRobot] | None = None


SYNTAXES = (
    Syntax(
        (".urdf",),
        "<",
        LONGEST_XML,
        import_on_call("dynagen.robot.formats.urdf.reading.read_urdf"),
        write=import_on_call("dynagen.robot.formats.urdf.writing.write_urdf"),
    ),
    Syntax(
        (".xacro",),
        "<",
        LONGEST_XML,
        import_on_call("dynagen.robot.formats.urdf.reading.read_urdf"),
        expand=import_on_call("dynagen.robot.formats.urdf.xacro.expand_xacro"),
        includes=import_on_call("dynagen.robot.formats.urdf.xacro.list_xacro_includes"),
    ),
    Syntax(
        (".xml", ".mjcf"),
        "<",
        LONGEST_XML,
        import_on_call("dynagen.robot.formats.mjcf.reading.read_mjcf"),
        includes=lambda path, options: list_model_files(path),
    ),
    Syntax(
        (".yaml", ".yml"),
        "",
        LONGEST_YAML,
        read_yaml,
        write=import_on_call("dynagen.robot.formats.yaml.writing.write_yaml"),
    ),
)
"""All formats. The last one is used for unknown endings. xacro and MJCF are read from files only,
because such files may include other files.
"""


def load_robot(path_or_name: str | Path, options: ReadingOptions = DEFAULT) -> RobotDescription:
    """Load a robot description.

    Args:
        path_or_name: path of a file, or the name of a bundled robot.
        options: how to read the file, and which part of the robot to keep.

    Raises:
        UsageError: the file or bundled robot does not exist, the file cannot be read, or an option
            names a link, joint or frame that the robot does not have.
        RobotDescriptionError: the file is not a valid robot description; the error lists all
            faults.
    """
    return open_reader(path_or_name, options)(options)


def open_reader(
    path_or_name: str | Path, options: ReadingOptions
) -> Callable[[ReadingOptions], RobotDescription]:
    """Open a robot file once and return a function that reads the robot with any options.

    The file is read once, and a xacro program runs once. The returned function raises the errors of
    `parse_robot`.

    Args:
        path_or_name: path of a file, or the name of a bundled robot.
        options: options of reading. Only `trust` and `arguments` of a xacro program are used here.

    Returns:
        A function that returns the description for given options.

    Raises:
        UsageError: the file or bundled robot does not exist, the file cannot be read, or a xacro
            program is not trusted.
        RobotDescriptionError: the xacro program fails.
    """
    name = str(path_or_name)
    path = _find_file(name)
    syntax = _find_syntax(path)
    data, source = _read_bytes(path, name, syntax.longest), str(path)
    if syntax.expand is not None:
        data, source = syntax.expand(data, source, options), f"{path} (expanded)"
    else:
        _refuse_arguments(source, options)

    def read(options: ReadingOptions) -> RobotDescription:
        return apply_options(replace(syntax.read(data, source, options), path=str(path)), options)

    return read


def parse_robot(text: str, path: str, options: ReadingOptions = DEFAULT) -> RobotDescription:
    """Read a robot description from text.

    Args:
        text: content of a file.
        path: name for messages; its ending selects the format.
        options: how to read the text, and which part of the robot to keep.

    Raises:
        UsageError: an option names a link, joint or frame that the robot does not have.
        RobotDescriptionError: the text is not a valid robot description; the error lists all
            faults.
    """
    syntax = _find_syntax(Path(path), text.lstrip("\ufeff \t\r\n"))
    _refuse_arguments(path, options)
    return apply_options(syntax.read(text.encode("utf-8", "surrogatepass"), path, options), options)


def apply_options(description: RobotDescription, options: ReadingOptions) -> RobotDescription:
    """Apply the options for locked joints, root, tip, base, external forces and payload to a robot.

    Args:
        description: the robot as its file describes it.
        options: options of reading.

    Raises:
        UsageError: an option names a link, joint or frame that the robot does not have.
        RobotDescriptionError: the robot has warnings, and the option `strict` is set.
    """
    # Joints are locked first, so that `lock` may name joints that `root` and `tip` leave out.
    part = select_part(lock(description, options.lock), options.root, options.tip)
    if options.floats:
        part = add_floating_base(part)
    part = set_external_forces(part, options.wrenches, options.contact_forces)
    part = set_payload(part, options.payload)
    read_with = options.add_to(description.reading)
    # Options may be applied again, and change what the earlier warning is about.
    outdated = (*_warn_of_fixed_base(description), *_warn_of_fixed_frames(description))
    part = replace(
        part,
        warnings=(
            *(warning for warning in part.warnings if warning not in outdated),
            *(() if read_with.base else _warn_of_fixed_base(part)),
            *_warn_of_fixed_frames(part),
        ),
    )
    if options.strict and part.warnings:
        raise RobotDescriptionError(make_title(part.path), part.warnings)
    return replace(part, reading=read_with)


def _warn_of_fixed_base(description: RobotDescription) -> tuple[Fault, ...]:
    """Return one warning if a fixed base carries several limbs, or else an empty tuple."""
    found = find_limbs_without_floating_base(description)
    return () if found is None else (Fault(f"link {found[0]}", found[1], link=found[0]),)


def _warn_of_fixed_frames(description: RobotDescription) -> tuple[Fault, ...]:
    """Return a warning for a payload, and for each wrench or force, at a frame that never moves."""
    return tuple(
        Fault(f"link {link}", message, link=link)
        for link, message in find_loads_without_effect(description)
    )


def list_files(description: RobotDescription) -> tuple[Path, ...]:
    """Return the absolute paths of a description's file and of the files that it includes.

    A xacro program is run again to list the files.

    Raises:
        ToolchainError: the installed version of MuJoCo is too old to list includes.
    """
    includes = _find_syntax(Path(description.path)).includes
    included = map(Path, includes(description.path, description.reading) if includes else ())
    return tuple(dict.fromkeys(path.absolute() for path in (Path(description.path), *included)))


def is_bundled(description: RobotDescription) -> bool:
    """Return whether a robot is a bundled robot without any change."""
    if description.name not in list_bundled_robots() or description.reading.changes:
        return False
    return load_robot(description.name).sha256 == description.sha256


def write_robot(description: RobotDescription, path: Path) -> WrittenRobot:
    """Write a description as text in the format that the ending of `path` selects.

    Args:
        description: the robot.
        path: path of the file to write; only its ending is used.

    Raises:
        UsageError: no format with this ending can be written, or the format cannot express the
            whole robot.
    """
    if description.loops:
        raise UsageError(
            f"{description.name} has closed loops, which dynagen cannot write to a file: "
            "edit the file of the robot instead"
        )
    for syntax in SYNTAXES:
        if path.suffix in syntax.suffixes and syntax.write is not None:
            return syntax.write(description)
    known = ", ".join(suffix for syntax in SYNTAXES if syntax.write for suffix in syntax.suffixes)
    raise UsageError(
        f"cannot write a robot to `{clip(str(path))}`; expected a file that ends in {known}"
    )


def _refuse_arguments(path: str, options: ReadingOptions) -> None:
    """Raise a UsageError if arguments are given, because only xacro programs have arguments."""
    if options.arguments:
        names = ", ".join(clip(name) for name, _ in options.arguments)
        programs = ", ".join(
            suffix for syntax in SYNTAXES if syntax.expand for suffix in syntax.suffixes
        )
        raise UsageError(
            f"{clip(make_title(path))} has no arguments ({names}): "
            f"--arg (in Python arg=) is only for files that end in {programs}"
        )


def _find_syntax(path: Path, text: str = "") -> Syntax:
    by_suffix = (syntax for syntax in SYNTAXES if path.suffix in syntax.suffixes)
    return next(by_suffix, None) or next(
        syntax for syntax in SYNTAXES if text.startswith(syntax.opening)
    )


def _find_file(name: str) -> Path:
    path = Path(name)
    if (
        any(path.suffix in syntax.suffixes for syntax in SYNTAXES)
        or "/" in name
        or "\\" in name
        or _is_file(path)
    ):
        return path
    bundled = list_bundled_robots()
    if name not in bundled:
        if os.path.isdir(name):
            raise UsageError(f"`{clip(name)}` is a folder: name a description in the folder")
        hint = suggest_word(name, bundled)
        raise UsageError(
            f"there is no file and no bundled robot `{clip(name)}`; "
            f"bundled are {', '.join(bundled)}{hint}"
        )
    return find_robots_folder() / f"{name}.yaml"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # for example a name that is too long
        return False


def _read_bytes(path: Path, name: str, longest: int) -> bytes:
    """Return the content of a file; if the file is too long, only `longest` + 1 bytes."""
    try:
        with path.open("rb") as file:
            return file.read(longest + 1)
    except FileNotFoundError:
        hint = (
            f"; `{path.stem}`, without its ending, is a bundled robot"
            if path.stem in list_bundled_robots()
            else ""
        )
        raise UsageError(f"there is no file `{clip(name)}`{hint}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"`{clip(name)}` cannot be read: {reason}") from None
