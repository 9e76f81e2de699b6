"""Timed programs with Pinocchio's algorithms, in C++ and in C that CasADi generates.

The model of Pinocchio's Python package is passed to the C++ program as a list of numbers. The
entries of states and results are in the order of the joints in Pinocchio's model. A joint about a
coordinate axis has Pinocchio's joint type for this axis, because this type is the fastest. A
continuous joint has an angle as position, as in dynagen; Pinocchio's URDF reader uses cosine and
sine instead.
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

from dynagen.apps.benchmarking.algorithms import ALGORITHMS, NV
from dynagen.apps.benchmarking.compilers import Compiler
from dynagen.apps.benchmarking.contender import ONE_STATE, Contender, make_batch_contender
from dynagen.apps.benchmarking.states import COMPARED, BenchStates
from dynagen.apps.crosscheck.pinocchio import Pinocchio
from dynagen.codegen.templating import fill, read_template
from dynagen.errors import ToolchainError
from dynagen.numbers.arrays import Array
from dynagen.resources import require_extra
from dynagen.toolchain.commands import run
from dynagen.toolchain.shared_library import compile_library

Calls = tuple[Callable[[], object], Callable[[], object]]

ROBOT_HEADER = "robot.hpp"
_DEFINES = (  # as in Pinocchio's CMake target
    "-std=c++17",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


@dataclass(frozen=True)
class PinocchioRobot:
    """Robot in Pinocchio's Python package, with the states of the benchmark.

    Attributes:
        tool: robot in Pinocchio's Python package.
        states: states of the benchmark, in the coordinates of the robot's description.
    """

    tool: Pinocchio
    states: BenchStates

    @property
    def version(self) -> str:
        """Version of Pinocchio's Python package, as text."""
        return str(self.tool.library.__version__)

    @property
    def includes(self) -> tuple[Path, ...]:
        """Folders with the C++ headers of Pinocchio and Eigen, from their Python packages.

        Raises:
            ToolchainError: the headers of Pinocchio or Eigen are missing.
        """
        # The module is <prefix>/lib/pythonX.Y/site-packages/pinocchio/__init__.py.
        module = Path(self.tool.library.__file__)
        folder = module.parents[4] / "include"
        if not (folder / "pinocchio").is_dir():
            raise ToolchainError(
                f"expected the headers of Pinocchio in {folder}, found none: install the Python "
                f"package that contains them (pip install pin)"
            )
        if not (folder / "eigen3" / "Eigen" / "Core").is_file():
            raise ToolchainError(
                f"the headers of Eigen, which Pinocchio's headers include, are not in "
                f"{folder / 'eigen3'}: pip install 'dynagen[bench]'"
            )
        return folder, folder / "eigen3", folder / "pinocchio" / "deprecated"

    @cached_property
    def numbers(self) -> Array:
        """Vector of numbers from which the C++ program builds Pinocchio's model.

        The vector contains gravity, the number of joints, and for each joint: parent, 1 for a
        floating base else 0, motion subspace, placement, mass, centre of mass, inertia. The C++
        code that reads the numbers is `templates/benchmarking/robot.hpp`.
        """
        model = self.tool.model
        data = model.createData()
        self.tool.library.forwardKinematics(model, data, self.tool.library.neutral(model))
        parts = [model.gravity.linear, [model.njoints - 1]]
        for index in range(1, model.njoints):
            is_free = model.joints[index].nv > 1
            motion = np.zeros(6) if is_free else np.asarray(data.joints[index].S).ravel()
            parts += [[model.parents[index], is_free], motion, *self._list_body(model, index)]
        return np.concatenate([np.asarray(part, np.float64) for part in parts])

    @staticmethod
    def _list_body(model: Any, index: int) -> Iterator[Any]:
        placement, inertia = model.jointPlacements[index], model.inertias[index]
        yield placement.rotation.T.ravel()
        yield placement.translation
        yield [inertia.mass]
        yield inertia.lever
        yield inertia.inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]

    @property
    def sizes(self) -> tuple[int, int]:
        """Lengths nq of Pinocchio's position vector q and nv of its velocity vector v."""
        # A quaternion has one entry more than the angular velocity.
        rates = self.tool.model.nv
        return rates + self._is_free, rates

    @cached_property
    def _is_free(self) -> bool:
        return any(link.joint.type.is_free for link in self.tool.moving)

    def list_inputs(self, function: str) -> list[Array]:
        """Return the inputs of a timed function for all states, in Pinocchio's coordinates.

        Returns:
            Positions, shape (states, nq), velocities, shape (states, nv), and a third array, shape
            (states, nv). The third array contains joint forces if tau is an input of the function,
            else accelerations.
        """
        values, rates = self.states.values, self.tool.velocity_matrix
        base, first = (7, 6) if self._is_free else (0, 0)
        q = np.hstack([values["q"][:, :base], values["q"][:, base:] @ rates[first:, first:].T])
        last = "tau" if "tau" in ALGORITHMS[function].inputs else "qdd"
        return [
            np.ascontiguousarray(each)
            for each in (q, values["qd"] @ rates.T, values[last] @ rates.T)
        ]

    def count_results(self, function: str) -> int:
        """Return the number of entries of all results of a timed function for one state."""
        rates = self.sizes[1]
        if function == "regressor":
            return 10 * rates * len(self.tool.model.parents[1:])
        return ALGORITHMS[function].count_elements(rates)

    def read(self, function: str, out: Array) -> Array:
        """Convert Pinocchio's results for the compared states to the description's coordinates.

        The columns of regressors differ between tools. A regressor is therefore multiplied by its
        parameters, and the resulting joint forces are compared.

        Args:
            function: name of the timed function.
            out: results of all states in Pinocchio's coordinates, with a row for each state.

        Returns:
            Entries of all results, with a row for each compared state.
        """
        rates, size = self.tool.velocity_matrix, self.sizes[1]
        out = out[:COMPARED]
        if function == "regressor":
            inertias = list(self.tool.model.inertias)[1:]
            forces = out.reshape(len(out), size, -1) @ np.concatenate(
                [each.toDynamicParameters() for each in inertias]
            )
            return np.asarray(forces @ rates)
        shape = ALGORITHMS[function].shape
        results = out.reshape(len(out), -1, *(size if axis == NV else axis for axis in shape))
        # Rates of this robot's joints are those of the description up to order and sign.
        if shape[-1:] == (NV,):
            results = results @ rates
        if shape == (NV, NV):
            results = rates.T @ results
        return np.asarray(results).reshape(len(out), -1)


def _write_algorithms(template: str, functions: Sequence[str]) -> dict[str, str]:
    """Return a C++ program that calls Pinocchio's algorithms, as a mapping from path to text."""
    algorithms = [ALGORITHMS[function] for function in functions]
    headers = sorted({each.header for each in algorithms})
    return {
        template.removesuffix(".j2"): fill(
            f"benchmarking/{template}", functions=algorithms, headers=headers
        ),
        ROBOT_HEADER: read_template(f"benchmarking/{ROBOT_HEADER}"),
    }


def make_pinocchio_contenders(
    robot: PinocchioRobot, functions: Sequence[str], compiler: Compiler
) -> dict[str, list[Contender]]:
    """Compile Pinocchio's C++ algorithms; return, for each function, the programs to time.

    A timed call leaves its results in Pinocchio's data structure, where users read results.

    Raises:
        ToolchainError: the compiler fails, or Pinocchio's headers are missing.
    """
    files = _write_algorithms("pinocchio.cpp.j2", functions)
    library = compiler.compile_cpp_library(files, robot.includes, _DEFINES, robot.version)
    library.bind("make", robot.numbers)()

    def calls(function: str, inputs: Sequence[Array], out: Array) -> Calls:
        timed, stored = (
            library.bind(function, robot.states.count, *inputs, target) for target in (None, out)
        )
        return timed, stored

    return _make_contenders(f"Pinocchio {robot.version}, C++", robot, functions, compiler, calls)


def generate_casadi_code(
    robot: PinocchioRobot, functions: Sequence[str], compiler: Compiler
) -> str:
    """Return the C code that CasADi generates from Pinocchio's algorithms.

    Args:
        robot: robot in Pinocchio's Python package.
        functions: names of the timed functions.
        compiler: compiler of the C++ program that records the algorithms. The program is compiled
            without optimisation, since it is not timed.

    Raises:
        ToolchainError: CasADi is not installed, or the compiler fails.
    """
    require_extra("casadi", "bench", "to time the C that it generates from Pinocchio's algorithms")
    found = find_spec("casadi")
    assert found is not None
    assert found.origin is not None
    folder = Path(found.origin).parent
    includes = [f"-isystem{each}" for each in (folder / "include", *robot.includes)]
    command = [compiler.cpp, "-O0", *_DEFINES, *includes]
    linked = [f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"]
    files = _write_algorithms("casadi.cpp.j2", functions)
    program = compile_library(command, files, linked, [robot.version, version("casadi")])
    arguments = [",".join(functions), *map(repr, robot.numbers.tolist())]
    return run([str(program), *arguments], None, "CasADi cannot record the robot", seconds=3600)


def make_casadi_contenders(
    code: str, robot: PinocchioRobot, functions: Sequence[str], compiler: Compiler
) -> dict[str, list[Contender]]:
    """Compile the C code of CasADi; return, for each function, the programs to time.

    Raises:
        ToolchainError: the compiler fails.
    """
    nq, nv = robot.sizes
    loops = fill("benchmarking/casadi_loops.c.j2", functions=functions, nq=nq, nv=nv)
    library = compiler.compile_library({"casadi.h": code, "loops.c": loops})

    def calls(function: str, inputs: Sequence[Array], out: Array) -> Calls:
        timed, kept = (
            library.bind(f"{function}_of_states", robot.states.count, keep, *inputs, out)
            for keep in (0, 1)
        )
        return timed, kept

    return _make_contenders(f"CasADi {version('casadi')}, C", robot, functions, compiler, calls)


def _make_contenders(
    tool: str,
    robot: PinocchioRobot,
    functions: Sequence[str],
    compiler: Compiler,
    calls: Callable[[str, Sequence[Array], Array], Calls],
) -> dict[str, list[Contender]]:
    contenders = {}
    for function in functions:
        out = np.zeros((robot.states.count, robot.count_results(function)))
        results = partial(robot.read, function, out)
        contenders[function] = [
            make_batch_contender(
                tool,
                ONE_STATE,
                compiler.name,
                *calls(function, robot.list_inputs(function), out),
                results,
            )
        ]
    return contenders
