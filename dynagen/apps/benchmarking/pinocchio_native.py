"""The contenders of Pinocchio in C++: its headers, compiled for this machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.contender import ONE_STATE, Contender
from dynagen.apps.benchmarking.pinocchio_robot import DEFINES, PinocchioRobot
from dynagen.languages.templating import fill, verbatim
from dynagen.toolchain.shared_library import NativeLibrary

ROBOT_HEADER = "robot.hpp"


def algorithm_files(template: str, functions: Sequence[str]) -> dict[str, str]:
    """A program with Pinocchio's algorithms for functions, and the header that makes the robot."""
    algorithms = [ALGORITHMS[function] for function in functions]
    headers = sorted({each.header for each in algorithms})
    return {
        template.removesuffix(".j2"): fill(
            f"benchmarking/{template}", functions=algorithms, headers=headers
        ),
        ROBOT_HEADER: verbatim(f"benchmarking/{ROBOT_HEADER}"),
    }


def native_pinocchio(
    robot: PinocchioRobot, functions: Sequence[str], compiler: Compiler
) -> dict[str, list[Contender]]:
    """Pinocchio's algorithms by function; what is timed leaves results in Pinocchio's data, where its users read them.

    Raises:
        ToolchainError: the compiler refuses, or Pinocchio came without headers.
    """
    files = algorithm_files("pinocchio.cpp.j2", compiler.together(functions))
    library = compiler.cpp_library(files, robot.includes, DEFINES, robot.version)
    library.bind("make", robot.numbers)()
    return {function: [_contender(library, robot, function, compiler)] for function in functions}


def _contender(
    library: NativeLibrary, robot: PinocchioRobot, function: str, compiler: Compiler
) -> Contender:
    count, inputs = robot.states.count, robot.inputs(function)
    out = np.zeros((count, robot.size(function)))
    timed, stored = (library.bind(function, count, *inputs, target) for target in (None, out))

    def results() -> np.ndarray:
        stored()
        return robot.read(function, out)

    tool = f"Pinocchio {robot.version}, C++"
    return Contender(tool, ONE_STATE, compiler.name, lambda _: timed(), results, is_one_call=True)
