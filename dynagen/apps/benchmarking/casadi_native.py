"""The contenders of CasADi: Pinocchio's algorithms recorded on its symbols, and printed by it as C."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.contender import ONE_STATE, Contender
from dynagen.apps.benchmarking.pinocchio_native import algorithm_files
from dynagen.apps.benchmarking.pinocchio_robot import DEFINES, PinocchioRobot
from dynagen.languages.templating import fill
from dynagen.resources import require_extra
from dynagen.toolchain.commands import run
from dynagen.toolchain.shared_library import NativeLibrary, compiled


def casadi_code(robot: PinocchioRobot, functions: Sequence[str], compiler: Compiler) -> str:
    """The C that CasADi prints of functions.

    Args:
        robot: in Pinocchio.
        functions: names.
        compiler: of the program that records them, how fast that runs is of no interest.

    Raises:
        ToolchainError: CasADi is not installed, or the compiler refuses.
    """
    require_extra("casadi", "bench", "to time the C that it prints of Pinocchio's algorithms")
    found = find_spec("casadi")
    assert found is not None
    assert found.origin is not None
    folder = Path(found.origin).parent
    includes = [f"-isystem{each}" for each in (folder / "include", *robot.includes)]
    command = [compiler.cpp, "-O0", *DEFINES, *includes]
    linked = [f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"]
    files = algorithm_files("casadi.cpp.j2", compiler.together(functions))
    program = compiled(command, files, linked, [robot.version, version("casadi")])
    arguments = [",".join(functions), *map(repr, robot.numbers.tolist())]
    return run([str(program), *arguments], None, "CasADi cannot record the robot", seconds=3600)


def native_casadi(
    code: str, robot: PinocchioRobot, functions: Sequence[str], compiler: Compiler
) -> dict[str, list[Contender]]:
    """What CasADi has printed, by function.

    Raises:
        ToolchainError: the compiler refuses it.
    """
    nq, nv = robot.sizes
    loops = fill("benchmarking/casadi_loops.c.j2", functions=functions, nq=nq, nv=nv)
    library = compiler.library({"casadi.h": code, "loops.c": loops})
    return {function: [_contender(library, robot, function, compiler)] for function in functions}


def _contender(
    library: NativeLibrary, robot: PinocchioRobot, function: str, compiler: Compiler
) -> Contender:
    count, inputs = robot.states.count, robot.inputs(function)
    out = np.zeros((count, robot.size(function)))
    timed, kept = (
        library.bind(f"{ALGORITHMS[function].name}_of_states", count, keep, *inputs, out)
        for keep in (0, 1)
    )

    def results() -> np.ndarray:
        kept()
        return robot.read(function, out)

    tool = f"CasADi {version('casadi')}, C"
    return Contender(tool, ONE_STATE, compiler.name, lambda _: timed(), results, is_one_call=True)
