"""Contenders of Pinocchio in C++: its headers, and C that CasADi generates.

Both are compiled for this machine.

The robot is the model that Pinocchio's Python has, as numbers; states and results are in its order.
Joints about axes of coordinates are of the types that Pinocchio computes fastest. Continuous joints
take an angle, as ours do, where its reader of URDF has their cosine and sine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.contender import ONE_STATE, Contender, one_call
from dynagen.apps.benchmarking.states import COMPARED, BenchStates
from dynagen.apps.crosscheck.pinocchio import Pinocchio
from dynagen.codegen.templating import fill, verbatim
from dynagen.errors import ToolchainError
from dynagen.resources import require_extra
from dynagen.toolchain.commands import run
from dynagen.toolchain.shared_library import compiled
from dynagen.verification.kinematics import Array

Calls = tuple[Callable[[], object], Callable[[], object]]

ROBOT_HEADER = "robot.hpp"
_DEFINES = (  # as Pinocchio's CMake target has them
    "-std=c++17",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


@dataclass(frozen=True)
class PinocchioRobot:
    """A robot in Pinocchio, and states to run it on."""

    tool: Pinocchio
    states: BenchStates

    @property
    def version(self) -> str:
        """Of Pinocchio."""
        return str(self.tool.library.__version__)

    @property
    def includes(self) -> tuple[Path, ...]:
        """The folders of headers that came with the Python package.

        Raises:
            ToolchainError: it came without.
        """
        module = Path(self.tool.library.__file__)
        folder = (
            module.parents[4] / "include"
        )  # <prefix>/lib/pythonX.Y/site-packages/pinocchio/__init__.py
        if not (folder / "pinocchio").is_dir():
            raise ToolchainError(
                f"there are no headers of Pinocchio in {folder}: install `pin` with pip, "
                f"which has them"
            )
        return folder, folder / "eigen3", folder / "pinocchio" / "deprecated"

    @cached_property
    def numbers(self) -> Array:
        """The robot as `templates/benchmarking/robot.hpp` reads it."""
        model = self.tool.model
        data = model.createData()
        self.tool.library.forwardKinematics(model, data, self.tool.library.neutral(model))
        parts = [model.gravity.linear, [model.njoints - 1]]
        for index in range(1, model.njoints):
            is_free = model.joints[index].nv > 1
            motion = np.zeros(6) if is_free else np.asarray(data.joints[index].S).ravel()
            parts += [[model.parents[index], is_free], motion, *self._placed(model, index)]
        return np.concatenate([np.asarray(part, np.float64) for part in parts])

    @staticmethod
    def _placed(model: Any, index: int) -> Iterator[Any]:
        placement, inertia = model.jointPlacements[index], model.inertias[index]
        yield placement.rotation.T.ravel()
        yield placement.translation
        yield [inertia.mass]
        yield inertia.lever
        yield inertia.inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]

    @property
    def sizes(self) -> tuple[int, int]:
        """Entries of q and of v."""
        rates = self.tool.model.nv
        return rates + self._is_free, rates

    @cached_property
    def _is_free(self) -> bool:
        return any(link.joint.type.is_free for link in self.tool.moving)

    def inputs(self, function: str) -> list[Array]:
        """Return positions, velocities, and accelerations or forces, shape (states, n) each.

        The last are forces if the function takes forces. All are in Pinocchio's coordinates.
        """
        values, rates = self.states.values, self.tool.rates
        base, first = (7, 6) if self._is_free else (0, 0)
        q = np.hstack([values["q"][:, :base], values["q"][:, base:] @ rates[first:, first:].T])
        last = "tau" if "tau" in ALGORITHMS[function].inputs else "qdd"
        return [
            np.ascontiguousarray(each)
            for each in (q, values["qd"] @ rates.T, values[last] @ rates.T)
        ]

    def size(self, function: str) -> int:
        """Numbers that a state's results are."""
        rates, results = self.sizes[1], len(ALGORITHMS[function].results)
        if function == "regressor":
            return 10 * rates * len(self.tool.model.parents[1:])
        return results * rates**2 if results > 1 or function == "mass_matrix" else rates

    def read(self, function: str, out: Array) -> Array:
        """Results of the states that are compared, in the coordinates of the description."""
        rates, size = self.tool.rates, self.sizes[1]
        out = out[:COMPARED]
        if function == "regressor":
            inertias = list(self.tool.model.inertias)[1:]
            forces = out.reshape(len(out), size, -1) @ np.concatenate(
                [each.toDynamicParameters() for each in inertias]
            )
            return np.asarray(forces @ rates)
        if out.shape[1] == size:
            return np.asarray(out @ rates)
        matrices = out.reshape(len(out), -1, size, size)
        return np.asarray(rates.T @ matrices @ rates).reshape(len(out), -1)


def _algorithm_files(template: str, functions: Sequence[str]) -> dict[str, str]:
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
    """Compile Pinocchio's algorithms and return them by function.

    The timed code leaves results in Pinocchio's data, where its users read them.

    Raises:
        ToolchainError: the compiler refuses, or Pinocchio came without headers.
    """
    files = _algorithm_files("pinocchio.cpp.j2", compiler.together(functions))
    library = compiler.cpp_library(files, robot.includes, _DEFINES, robot.version)
    library.bind("make", robot.numbers)()

    def calls(function: str, inputs: Sequence[Array], out: Array) -> Calls:
        timed, stored = (
            library.bind(function, robot.states.count, *inputs, target) for target in (None, out)
        )
        return timed, stored

    return _contenders(f"Pinocchio {robot.version}, C++", robot, functions, compiler, calls)


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
    command = [compiler.cpp, "-O0", *_DEFINES, *includes]
    linked = [f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"]
    files = _algorithm_files("casadi.cpp.j2", compiler.together(functions))
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

    def calls(function: str, inputs: Sequence[Array], out: Array) -> Calls:
        timed, kept = (
            library.bind(f"{function}_of_states", robot.states.count, keep, *inputs, out)
            for keep in (0, 1)
        )
        return timed, kept

    return _contenders(f"CasADi {version('casadi')}, C", robot, functions, compiler, calls)


def _contenders(
    tool: str,
    robot: PinocchioRobot,
    functions: Sequence[str],
    compiler: Compiler,
    calls: Callable[[str, Sequence[Array], Array], Calls],
) -> dict[str, list[Contender]]:
    contenders = {}
    for function in functions:
        out = np.zeros((robot.states.count, robot.size(function)))
        results = partial(robot.read, function, out)
        contenders[function] = [
            one_call(
                tool,
                ONE_STATE,
                compiler.name,
                *calls(function, robot.inputs(function), out),
                results,
            )
        ]
    return contenders
