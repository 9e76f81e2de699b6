"""The Python interface: load a robot, generate code for it, or get a proved kernel to call from numpy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagen.delivery.folder import write_folder
from dynagen.dynamics.requests import ALL
from dynagen.errors import RobotDescriptionError, UsageError
from dynagen.ir.cost import FLOPS
from dynagen.optimizer.effort import DEFAULT_BUDGET, DEFAULT_OPTIMIZE
from dynagen.pipeline import driver
from dynagen.pipeline.settings import DEFAULT_FUNCTIONS, Generation, Settings
from dynagen.robot import loading
from dynagen.robot.description import RobotDescription
from dynagen.robot.literals import AS_USUAL
from dynagen.robot.options import DEFAULT, ReadingKeywords, ReadingOptions, reading_options
from dynagen.runtime.robot import Robot, compile_ufuncs
from dynagen.runtime.ufuncs import Ufunc
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["compile", "generate", "load", "load_robot"]

Source = str | Path | Mapping[str, Any]
"""A file, the name of a bundled robot, the text of a description (of several lines), or its content as a mapping."""
AnyRobot = RobotDescription | Robot | Source


def load_robot(
    robot: Source, strict: bool = False, **options: Unpack[ReadingKeywords]
) -> RobotDescription:
    """Load a robot; `warnings` of what is returned tells what is most likely a mistake in it.

    Args:
        robot: a file, the name of a bundled robot, the text of a description, or its content as a mapping of what YAML holds.
        strict: refuse a robot that there are warnings about.
        options: a part of it, and how to read it. `root`: the link that becomes the base. `tip`: the link at which the chain
            ends. `lock`: positions of joints that do not move, as `{"elbow": "pi/2"}`. `snap`: how far angles may be from
            multiples of pi/12 (rad), and lengths from zero (m), to be read as these; 0 reads every number as written. `trust`:
            whether a description that is a program (xacro) may run; `arg`: values of its arguments. `base`: "floating" lets
            the base move freely. `wrench_at`: frames at which a force and a moment become an input.

    Raises:
        UsageError: there is no such file or bundled robot, the file cannot be read, or options ask for what it has not.
        RobotDescriptionError: it is no robot description; carries all of its faults.
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


def generate(
    robot: AnyRobot,
    functions: str | Sequence[str] = DEFAULT_FUNCTIONS,
    *,
    lang: str = "c",
    out: str | Path | None = None,
    prefix: str | None = None,
    verify: bool = True,
    real: str = "double",
    single_file: bool = False,
    batch: bool = False,
    threads: bool = False,
    cores: int = 1,
    operation_ns: float = Settings.operation_ns,
    handover_ns: float = Settings.handover_ns,
    trig: str | None = None,
    method: str | None = None,
    optimize: str = DEFAULT_OPTIMIZE,
    budget: int = DEFAULT_BUDGET,
    cost: str = FLOPS.name,
    states: int = DEFAULT_COUNT,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    strict: bool = False,
    **options: Unpack[ReadingKeywords],
) -> Generation:
    """Generate code for a robot, prove it, and write it if `out` names a folder.

    Args:
        robot: a description, or what `load_robot` takes.
        functions: name or names of functions, `mass_matrix+gravity_forces` for one kernel with the results of both, or `all`.
        lang: c, fortran, python or javascript.
        out: folder to write; None writes nothing.
        prefix: C identifier that public names start with; None takes the robot's name.
        verify: whether to compile and prove first.
        real: double or float.
        single_file: whether C comes as one header and one source file.
        batch: whether every function comes for many states side by side as well (C, Fortran).
        threads: whether those divide the states among the threads of OpenMP.
        cores: among how many cores every function is divided as well (C11); 1 divides nothing.
        operation_ns: what an operation takes on one of them, in nanoseconds.
        handover_ns: what it takes until another core has a value.
        trig: how C and Fortran compute sines and cosines: libm, one by one by the library, or vector, several in one step;
            None is libm, but vector with `batch`.
        method: of functions that offer a choice; None takes the cheapest.
        optimize: effort to find a formulation that costs little: none, default or max.
        budget: programs that a search looks at, for each function and method.
        cost: what to minimise: a cost model, or weights as `mul=2,add=1,div=14`.
        states: of the proof.
        seed: of its random states.
        jobs: processes to make several functions in.
        strict: refuse a robot that there are warnings about.
        options: of `load_robot`: a part of the robot, and how to read it.

    Returns:
        Every result of the run: programs, counts, proofs, files.

    Raises:
        DynagenError: bad input (exit_code 2), no toolchain (3), or a failed proof (1); nothing is written then.
    """
    requests = (functions,) if isinstance(functions, str) else tuple(functions)
    settings = Settings(
        language=lang,
        functions=requests,
        prefix=prefix,
        verify=verify,
        states=states,
        seed=seed,
        real=real,
        single_file=single_file,
        batch=batch,
        threads=threads,
        cores=cores,
        operation_ns=operation_ns,
        handover_ns=handover_ns,
        trig=trig,
        method=method,
        optimize=optimize,
        cost=cost,
        budget=budget,
    )
    generation = driver.generate(
        as_description(robot, reading_options(strict, **options)), settings, workers=jobs
    )
    if out is not None:
        write_folder(Path(out), generation.files)
    return generation


def compile(
    robot: AnyRobot,
    function: str = "inverse_dynamics",
    *,
    lang: str = "c",
    real: str = "double",
    trig: str | None = None,
    method: str | None = None,
    optimize: str = DEFAULT_OPTIMIZE,
    budget: int = DEFAULT_BUDGET,
    cost: str = FLOPS.name,
    states: int = DEFAULT_COUNT,
    seed: int = DEFAULT_SEED,
    strict: bool = False,
    **options: Unpack[ReadingKeywords],
) -> Ufunc:
    """A proved, compiled function of numpy arrays; in C, a NumPy generalized ufunc.

    C is compiled with -O3 for this machine (`toolchain.extension`), and kept in a cache: in the folder that DYNAGEN_CACHE
    names, or where the system has such folders. What is proved is what is returned.

    Args:
        robot: a description, or what `load_robot` takes.
        function: name of the function, or several joined by `+`.
        lang: c, fortran, python or javascript.
        real: double or float, of the kernel, the arrays that it returns included; others are converted as numpy does.
        trig: how C computes sines and cosines, vector (which is None) or libm.
        method: as for `generate`, and so are those that follow.
        optimize: effort.
        budget: of a search.
        cost: what to minimise.
        states: of the proof.
        seed: of its random states.
        strict: refuse a robot that there are warnings about.
        options: of `load_robot`: a part of the robot, and how to read it.

    Returns:
        A callable that takes arrays of shape (n,) for one state or (..., n) for many, in the order of the function's inputs or
        by name, and returns one result as an array, several as a tuple. The values of run-time parameters come last; where
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
    settings = Settings(
        lang,
        (function,),
        states=states,
        seed=seed,
        real=real,
        trig=trig,
        method=method,
        optimize=optimize,
        cost=cost,
        budget=budget,
    )
    (ufunc,) = compile_ufuncs(
        as_description(robot, reading_options(strict, **options)), settings
    ).values()
    return ufunc


def load(
    robot: AnyRobot,
    *,
    lang: str = "c",
    real: str = "double",
    trig: str | None = None,
    optimize: str = DEFAULT_OPTIMIZE,
    budget: int = DEFAULT_BUDGET,
    cost: str = FLOPS.name,
    states: int = DEFAULT_COUNT,
    seed: int = DEFAULT_SEED,
    strict: bool = False,
    **options: Unpack[ReadingKeywords],
) -> Robot:
    """A robot with all of its functions, each of which is compiled and proved when it is first called.

        panda = dynagen.load("panda")
        panda.mass_matrix(q)
        panda.function("mass_matrix+gravity_forces")(q)

    Args:
        robot: a description, or what `load_robot` takes.
        lang: as for `compile`, and so are those that follow.
        real: double or float.
        trig: how C computes sines and cosines.
        optimize: effort.
        budget: of a search.
        cost: what to minimise.
        states: of the proof.
        seed: of its random states.
        strict: refuse a robot that there are warnings about.
        options: of `load_robot`: a part of the robot, and how to read it.

    Raises:
        UsageError: there is no such file or bundled robot, or the file cannot be read.
        RobotDescriptionError: it is no robot description; carries all of its faults.
    """
    settings = Settings(
        lang,
        states=states,
        seed=seed,
        real=real,
        trig=trig,
        optimize=optimize,
        cost=cost,
        budget=budget,
    )
    return Robot(as_description(robot, reading_options(strict, **options)), settings)


def as_description(robot: AnyRobot, options: ReadingOptions = DEFAULT) -> RobotDescription:
    """A robot as described, read if it has not been.

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
