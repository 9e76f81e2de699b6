"""The Python interface: load a robot, generate code for it, or get a proved kernel to call from numpy."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeVar

from dynagen.codegen.targets.folder import write_folder
from dynagen.dynamics.requests import ALL
from dynagen.errors import RobotDescriptionError, UsageError
from dynagen.options import Option, make, options_of, refuse_unknown
from dynagen.pipeline import driver
from dynagen.pipeline.generation import Generation
from dynagen.pipeline.settings import (
    DEFAULT_FUNCTIONS,
    CompileKeywords,
    GenerateKeywords,
    LoadKeywords,
    Settings,
)
from dynagen.robot import loading
from dynagen.robot.description import RobotDescription
from dynagen.robot.literals import AS_USUAL
from dynagen.robot.options import DEFAULT, ReadingKeywords, ReadingOptions, reading_options
from dynagen.runtime.robot import Robot, compile_ufuncs
from dynagen.runtime.ufuncs import Ufunc

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["compile", "generate", "load", "load_robot"]

Source = str | Path | Mapping[str, Any]
"""A file, the name of a bundled robot, the text of a description (of several lines), or its content as a mapping."""
AnyRobot = RobotDescription | Robot | Source
Function = TypeVar("Function", bound=Callable[..., Any])

_WIDTH = 120


def _with_options(keywords: type) -> Callable[[Function], Function]:
    """Return a decorator that shows the options of `keywords` in the signature and in place of {options} in the docstring.

    Options of reading a robot remain `**options` in the signature.
    """
    known = {**options_of(Settings), **options_of(ReadingOptions)}
    taken = {name: each for name, each in known.items() if name in keywords.__annotations__}

    def shown(function: Function) -> Function:
        signature = inspect.signature(function)
        *own, rest = signature.parameters.values()
        named = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type
            )
            for name, each in taken.items()
            if name not in ReadingKeywords.__annotations__
        ]
        rest = rest.replace(annotation="Unpack[ReadingKeywords]")
        vars(function)["__signature__"] = signature.replace(parameters=[*own, *named, rest])
        if function.__doc__:  # None under python -OO
            entries = "".join(f"\n{_entry(name, each)}" for name, each in taken.items())
            function.__doc__ = function.__doc__.replace(" {options}", entries)
        return function

    return shown


def _entry(name: str, option: Option) -> str:
    """Return the lines about an option in a docstring."""
    mapping = (
        f" A mapping {{{option.metavar.replace('=', ': ')}}}."
        if option.metavar and option.is_mapping
        else ""
    )
    choices = f" One of: {', '.join(option.choices)}." if option.choices else ""
    text = f"{name}: {option.meaning}{mapping}{choices} [default: {option.usual or repr(option.default)}]"
    in_python = re.sub(r"--([a-z-]+)", lambda flag: f"`{flag[1].replace('-', '_')}`", text)
    return fill(
        in_python,
        _WIDTH,
        initial_indent=" " * 12,
        subsequent_indent=" " * 16,
        break_on_hyphens=False,
    )


def _read_options(
    keywords: type, given: Mapping[str, Any], **requested: Any
) -> tuple[Settings, ReadingOptions]:
    """Return the settings of a run and the options of reading a robot that a function was called with.

    Raises:
        TypeError: a keyword that is not among the annotations of `keywords`.
        UsageError: as `reading_options`.
    """
    refuse_unknown(given, keywords.__annotations__)
    settings = {name: value for name, value in given.items() if name in options_of(Settings)}
    reading = {name: value for name, value in given.items() if name not in settings}
    return make(Settings, {**settings, **requested}), make(ReadingOptions, reading)


@_with_options(ReadingKeywords)
def load_robot(
    robot: Source, strict: bool = False, **options: Unpack[ReadingKeywords]
) -> RobotDescription:
    """Load a robot; the result's `warnings` are the likely mistakes in its description.

    Args:
        robot: a file, the name of a bundled robot, the text of a description, or its content as a mapping of what YAML holds.
        strict: refuse a robot that there are warnings about.
        options: which part of the robot to read, and how: {options}

    Raises:
        UsageError: there is no such file or bundled robot, the file cannot be read, or an option names a link, joint or frame
            that the robot does not have.
        RobotDescriptionError: an invalid robot description; carries all of its faults.
    """
    return _read(robot, reading_options(strict, **options))


def _read(robot: Source, options: ReadingOptions) -> RobotDescription:
    if isinstance(robot, Mapping):
        try:  # JSON is YAML; its lines are nobody's
            return loading.parse_robot(json.dumps(robot, default=str), "description", options)
        except RobotDescriptionError as error:
            raise RobotDescriptionError(
                "description", [replace(fault, line=None) for fault in error.faults]
            ) from None
    if isinstance(robot, str) and "\n" in robot:
        return loading.parse_robot(robot, "description", options)
    return loading.load_robot(robot, options)


@_with_options(GenerateKeywords)
def generate(
    robot: AnyRobot,
    functions: str | Sequence[str] = DEFAULT_FUNCTIONS,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    **options: Unpack[GenerateKeywords],
) -> Generation:
    """Generate code for a robot, prove it, and write it if `out` names a folder.

    Args:
        robot: a description, or what `load_robot` accepts.
        functions: name or names of functions, `mass_matrix+gravity_forces` for one kernel with the results of both, or `all`.
        out: folder to write; None writes nothing.
        jobs: processes that generate several functions in parallel.
        options: settings of the run, and of `load_robot`: {options}

    Returns:
        Every result of the run: programs, counts, proofs, files.

    Raises:
        DynagenError: bad input (exit_code 2), no toolchain (3), or a failed proof (1); nothing is written then.
    """
    requests = (functions,) if isinstance(functions, str) else tuple(functions)
    settings, reading = _read_options(GenerateKeywords, options, functions=requests)
    generation = driver.generate(as_description(robot, reading), settings, workers=jobs)
    if out is not None:
        write_folder(Path(out), generation.files)
    return generation


@_with_options(CompileKeywords)
def compile(
    robot: AnyRobot, function: str = "inverse_dynamics", **options: Unpack[CompileKeywords]
) -> Ufunc:
    """Return a proved, compiled function of numpy arrays; in C, a NumPy generalized ufunc.

    C is compiled with -O3 for this machine (`toolchain.extension`), and kept in a cache: in the folder that DYNAGEN_CACHE
    names, or where the system has such folders. The very function that is returned is proved.

    Args:
        robot: a description, or what `load_robot` accepts.
        function: name of the function, or several joined by `+`.
        options: settings, and options of `load_robot`. Arrays that the function returns have the type `real`; others are
            converted as numpy does. C computes sines and cosines by `trig="vector"` unless it is "libm": {options}

    Returns:
        A callable that accepts arrays of shape (n,) for one state or (..., n) for many, in the order of the function's inputs
        or by name, and returns one result as an array, several as a tuple. The values of run-time parameters come last; where
        they decide whether there is a solution, so does its status among the results.

    Raises:
        DynagenError: as `generate`.
    """
    if not isinstance(function, str) or function == ALL:
        names = (
            "mass_matrix+gravity_forces"
            if isinstance(function, str)
            else "+".join(map(str, function))
        )
        raise UsageError(
            f"compile() makes one function, not {function!r}: call it for each, or join them: {names!r}"
        )
    settings, reading = _read_options(CompileKeywords, options, functions=(function,))
    (ufunc,) = compile_ufuncs(as_description(robot, reading), settings).values()
    return ufunc


@_with_options(LoadKeywords)
def load(robot: AnyRobot, **options: Unpack[LoadKeywords]) -> Robot:
    """Return a robot with all of its functions, each of which is compiled and proved when it is first called.

        panda = dynagen.load("panda")
        panda.mass_matrix(q)
        panda.function("mass_matrix+gravity_forces")(q)

    Args:
        robot: a description, or what `load_robot` accepts.
        options: settings, as for `compile`, and options of `load_robot`: {options}

    Raises:
        UsageError: there is no such file or bundled robot, or the file cannot be read.
        RobotDescriptionError: an invalid robot description; carries all of its faults.
    """
    settings, reading = _read_options(LoadKeywords, options)
    return Robot(as_description(robot, reading), settings)


def as_description(robot: AnyRobot, options: ReadingOptions = DEFAULT) -> RobotDescription:
    """Return a robot as described; a robot that has not been read yet is read.

    Raises:
        DynagenError: as `load_robot`.
    """
    if isinstance(robot, Robot):
        robot = robot.description
    if not isinstance(robot, RobotDescription):
        return _read(robot, options)
    if options.snapping != AS_USUAL:
        raise UsageError(
            "snap is for numbers in a file, and this robot has been read: give it to load_robot"
        )
    return robot if options == DEFAULT else loading.with_options(robot, options)
