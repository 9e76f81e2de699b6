"""Python interface: loading robots, generating code, and compiling functions of numpy arrays.

The keyword options of the functions come from two tables: `Settings` (options of a run) and
`ReadingOptions` (options for reading a robot). A decorator adds the options to the signatures and
docstrings of the functions.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from dynagen.dynamics.requests import ALL
from dynagen.errors import RobotDescriptionError, UsageError, refuse_if, suggest_word
from dynagen.options import Option, list_options, make, refuse_unknown
from dynagen.pipeline import driver
from dynagen.pipeline.delivery import deliver
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
from dynagen.robot.options import DEFAULT, ReadingKeywords, ReadingOptions, make_reading_options
from dynagen.runtime.compilation import compile_ufuncs
from dynagen.runtime.robot import Robot
from dynagen.runtime.ufunc import Ufunc

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from dynagen.runtime.gpu import GpuFunction

__all__ = ["compile", "generate", "load", "load_robot"]

Source = str | Path | Mapping[str, Any]
"""Path, name of a bundled robot, text of a description, or mapping with a description's keys."""
AnyRobot = RobotDescription | Robot | Source
"""Robot in any form that the interface accepts."""
Function = TypeVar("Function", bound=Callable[..., Any])

CPU, CUDA = "cpu", "cuda"
"""Values of the argument `device` of `compile`."""
_WIDTH = 100


def add_options(keywords: type) -> Callable[[Function], Function]:
    """Return a decorator that adds the options of `keywords` to a signature and its docstring.

    `keywords` is a class whose annotations are the names and types of options. In the docstring,
    descriptions of the options replace the mark `{options}`. In the signature, each option of a run
    becomes a keyword argument; options for reading a robot remain `**options`.
    """
    known = {**list_options(Settings), **list_options(ReadingOptions)}
    shown = {name: option for name, option in known.items() if name in keywords.__annotations__}

    def show_options(function: Function) -> Function:
        """Add the options to the signature and the docstring of a function, and return it."""
        signature = inspect.signature(function)
        *own, rest = signature.parameters.values()
        named = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type
            )
            for name, option in shown.items()
            if name not in ReadingKeywords.__annotations__
        ]
        rest = rest.replace(annotation="Unpack[ReadingKeywords]")
        vars(function)["__signature__"] = signature.replace(parameters=[*own, *named, rest])
        if function.__doc__:  # None under python -OO
            entries = "".join(f"\n{_entry(name, option)}" for name, option in shown.items())
            function.__doc__ = function.__doc__.replace(" {options}", entries)
        return function

    return show_options


def _entry(name: str, option: Option) -> str:
    """Return the docstring lines that describe an option."""
    mapping = (
        f" A mapping {{{option.metavar.replace('=', ': ')}}}."
        if option.metavar and option.is_mapping
        else ""
    )
    choices = f" One of: {', '.join(option.choices)}." if option.choices else ""
    default = option.usual or repr(option.default)
    text = f"{name}: {option.meaning}{mapping}{choices} [default: {default}]"
    in_python = re.sub(r"--([a-z-]+)", lambda flag: f"`{flag[1].replace('-', '_')}`", text)
    return fill(
        in_python,
        _WIDTH,
        initial_indent=" " * 12,
        subsequent_indent=" " * 16,
        break_on_hyphens=False,
    )


def read_options(
    keywords: type, given: Mapping[str, Any], **requested: Any
) -> tuple[Settings, ReadingOptions]:
    """Split the keywords of a call into settings of a run and options for reading a robot.

    Args:
        keywords: class whose annotations are the accepted keywords.
        given: values of the call, by keyword; None stands for the default of an option.
        requested: settings that the called function determines itself, by keyword; they replace
            settings of the call.

    Returns:
        The settings of the run, and the options for reading the robot.

    Raises:
        TypeError: unknown keyword.
        UsageError: the value of an option is invalid.
    """
    refuse_unknown(given, keywords.__annotations__)
    settings = {name: value for name, value in given.items() if name in list_options(Settings)}
    reading = {name: value for name, value in given.items() if name not in settings}
    return make(Settings, {**settings, **requested}), make(ReadingOptions, reading)


@add_options(ReadingKeywords)
def load_robot(
    robot: Source, strict: bool = False, **options: Unpack[ReadingKeywords]
) -> RobotDescription:
    """Load a robot description; its attribute `warnings` lists likely mistakes.

    Args:
        robot: path of a file (YAML, URDF, xacro, MJCF), name of a bundled robot, text of a
            description, or a mapping with the keys of a YAML description.
        strict: raise an error instead of warnings.
        options: which part of the robot to read, and how: {options}

    Returns:
        The robot as described, in the user's frames and SI units.

    Raises:
        UsageError: the file or bundled robot does not exist, the file cannot be read, or an option
            names a link, joint or frame that the robot does not have.
        RobotDescriptionError: the description is invalid; the error lists all faults.
    """
    return _read(robot, make_reading_options(strict, **options))


def _read(robot: Source, options: ReadingOptions) -> RobotDescription:
    """Read a robot from a mapping, a text or a file."""
    if isinstance(robot, Mapping):
        try:  # JSON is YAML, but its line numbers mean nothing to the user
            return loading.parse_robot(json.dumps(robot, default=str), "description", options)
        except RobotDescriptionError as error:
            raise RobotDescriptionError(
                "description", [replace(fault, line=None) for fault in error.faults]
            ) from None
    if isinstance(robot, str) and "\n" in robot:
        return loading.parse_robot(robot, "description", options)
    return loading.load_robot(robot, options)


@add_options(GenerateKeywords)
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
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        functions: name of one function, a sequence of names, or "all". Names with `+` between them,
            as in `mass_matrix+gravity_forces`, request one fused function that computes the results
            of all of them.
        out: folder to write, or folder for the file if the target delivers one file; None writes
            nothing.
        jobs: largest number of processes that generate functions in parallel.
        options: options of the run, and of `load_robot`: {options}

    Returns:
        All results of the run: programs, operation counts, proofs and files.

    Raises:
        DynagenError: invalid input (exit_code 2), missing toolchain (3), or failed proof (1). If an
            error is raised, nothing is written.
    """
    requests = (functions,) if isinstance(functions, str) else tuple(functions)
    settings, reading = read_options(GenerateKeywords, options, functions=requests)
    generation = driver.generate(as_description(robot, reading), settings, workers=jobs)
    if out is not None:
        deliver(generation, Path(out))
    return generation


@overload
def compile(
    robot: AnyRobot,
    function: str = "inverse_dynamics",
    *,
    device: Literal["cpu"] = "cpu",
    **options: Unpack[CompileKeywords],
) -> Ufunc: ...


@overload
def compile(
    robot: AnyRobot,
    function: str = "inverse_dynamics",
    *,
    device: Literal["cuda"],
    **options: Unpack[CompileKeywords],
) -> GpuFunction: ...


@add_options(CompileKeywords)
def compile(
    robot: AnyRobot,
    function: str = "inverse_dynamics",
    *,
    device: str = CPU,
    **options: Unpack[CompileKeywords],
) -> Ufunc | GpuFunction:
    """Compile and prove a function of numpy arrays; in C, a NumPy generalized ufunc.

    The proof calls the returned function itself. C code is compiled with -O3 for this machine. The
    compiled module is stored in a cache: in the folder DYNAGEN_CACHE, or in the user's cache
    folder.

    Args:
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        function: name of the function. Several names with `+` between them make a fused function.
        device: "cpu", or "cuda" for a function of CuPy or PyTorch arrays on an NVIDIA GPU. The
            proof of GPU code runs on the CPU, with the same source code.
        options: options of the run, and of `load_robot`. Results have the type `real`; inputs are
            converted to `real` by numpy's rules: {options}

    Returns:
        On the CPU, a `Ufunc`. The last axes of each input belong to one state, and leading axes
        index the states: for n joints, qd has shape (n,) for one state and (..., n) for many. With
        device "cuda", a `GpuFunction`, whose arrays have the states on the last axis, such as (n,
        states). Inputs are given in order or by name, in SI units; the array of run-time parameter
        values comes last. The function returns one result as an array and several results as a
        tuple. If the function can fail, the last result is the status code, 0 for success or 1 for
        failure.

    Raises:
        DynagenError: invalid input, a missing toolchain, or a failed proof.
    """
    if not isinstance(function, str) or function == ALL:
        names = (
            "mass_matrix+gravity_forces"
            if isinstance(function, str)
            else "+".join(map(str, function))
        )
        raise UsageError(
            f"compile() returns one function, found {function!r}: call compile() for each "
            "function, or fuse them: "
            f"{names!r}"
        )
    refuse_if(
        device not in (CPU, CUDA),
        f"unknown device {device!r}; expected cpu or cuda{suggest_word(device, (CPU, CUDA))}",
    )
    settings, reading = read_options(CompileKeywords, options, functions=(function,))
    if device == CUDA:
        from dynagen.runtime.gpu import compile_gpu_function

        return compile_gpu_function(as_description(robot, reading), settings)
    (ufunc,) = compile_ufuncs(as_description(robot, reading), settings).values()
    return ufunc


@add_options(LoadKeywords)
def load(robot: AnyRobot, **options: Unpack[LoadKeywords]) -> Robot:
    """Load a robot whose methods are functions, each compiled and proved at its first call.

        panda = dynagen.load("panda")
        panda.mass_matrix(q)
        panda.function("mass_matrix+gravity_forces")(q)

    Args:
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        options: options of the run as for `compile`, and of `load_robot`: {options}

    Returns:
        The robot, whose methods are the functions that it has.

    Raises:
        UsageError: the file or bundled robot does not exist, or the file cannot be read.
        RobotDescriptionError: the description is invalid; the error lists all faults.
    """
    settings, reading = read_options(LoadKeywords, options)
    source = as_description(robot, reading), settings
    return Robot(lambda: source)


def read_source(
    text: str, path: str, options: Mapping[str, Any]
) -> tuple[RobotDescription, Settings]:
    """Return the description and the settings of a robot from the arguments of `load`.

    Args:
        text: text of the description.
        path: path of the description's file, whose suffix selects the format; "description" if the
            text does not come from a file.
        options: keywords of the call of `load`.
    """
    settings, reading = read_options(LoadKeywords, options)
    return replace(loading.parse_robot(text, path, reading), path=path), settings


def as_description(robot: AnyRobot, options: ReadingOptions = DEFAULT) -> RobotDescription:
    """Return the description of a robot that is given in any form.

    Args:
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        options: options for reading. If `robot` is already a description, the options can select a
            part and lock joints, but cannot snap numbers.

    Raises:
        UsageError: the file or bundled robot does not exist, the file cannot be read, or an option
            names a link, joint or frame that the robot does not have.
        RobotDescriptionError: the description is invalid; the error lists all faults.
    """
    if isinstance(robot, Robot):
        robot = robot.description
    if not isinstance(robot, RobotDescription):
        return _read(robot, options)
    if options.snapping != AS_USUAL:
        raise UsageError(
            "`snap` applies when a file is read, but this robot has been read already: pass "
            "`snap` to load_robot"
        )
    return robot if options == DEFAULT else loading.apply_options(robot, options)
