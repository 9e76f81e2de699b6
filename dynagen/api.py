"""The Python interface: load a robot, generate code for it, or get a proved kernel to call from numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dynagen import pipeline
from dynagen.delivery.folder import write_folder
from dynagen.description.description import RobotDescription
from dynagen.description.loading import load_robot
from dynagen.generation import DEFAULT_FUNCTIONS, Generation, Settings
from dynagen.ir.cost import FLOPS
from dynagen.ir.interface import PREPARE
from dynagen.optimize.choice import OPTIMIZE
from dynagen.toolchain.kernel import Array, CompiledKernel

__all__ = ["compile", "generate", "load_robot"]

Robot = RobotDescription | str | Path


def generate(
    robot: Robot,
    functions: str | Sequence[str] = DEFAULT_FUNCTIONS,
    *,
    lang: str = "c",
    out: str | Path | None = None,
    prefix: str | None = None,
    verify: bool = True,
    real: str = "double",
    single_file: bool = False,
    optimize: str = OPTIMIZE[1],
    cost: str = FLOPS.name,
) -> Generation:
    """Generate code for a robot, prove it, and write it if `out` names a folder.

    Args:
        robot: a description, the path of one, or the name of a bundled robot.
        functions: name or names of functions, `mass_matrix+gravity_forces` for one kernel with the results of both, or `all`.
        lang: c, fortran, python or javascript.
        out: folder to write; None writes nothing.
        prefix: C identifier that public names start with; None takes the robot's name.
        verify: whether to compile and prove first.
        real: double or float.
        single_file: whether C comes as one header and one source file.
        optimize: effort to find a formulation that costs little: none, default or max.
        cost: what to minimise: a cost model, or weights as `mul=2,add=1,div=14`.

    Returns:
        Every result of the run: programs, counts, proofs, files.

    Raises:
        DynagenError: bad input (exit_code 2), no toolchain (3), or a failed proof (1); nothing is written then.
    """
    requests = (functions,) if isinstance(functions, str) else tuple(functions)
    settings = Settings(lang, requests, prefix, verify, real=real, single_file=single_file, optimize=optimize, cost=cost)
    generation = pipeline.generate(_description(robot), settings)
    if out is not None:
        write_folder(Path(out), generation.files)
    return generation


def compile(robot: Robot, function: str = "inverse_dynamics", *, lang: str = "c", real: str = "double") -> CompiledKernel:
    """A proved, compiled kernel as a function of numpy arrays.

    Args:
        robot: a description, the path of one, or the name of a bundled robot.
        function: name of the function, or several joined by `+`.
        lang: c, fortran, python or javascript.
        real: double or float, of the kernel, the arrays that it returns included.

    Returns:
        A callable that takes arrays of shape (n,) or (count, n), in the order of the function's inputs. The values of run-time
        parameters come last; where they decide whether there is a solution, so does its status among the results.

    Raises:
        DynagenError: as `generate`.
    """
    generation = pipeline.generate(_description(robot), Settings(lang, (function,), real=real))
    kernel = generation.compiled[generation.functions[0].name]
    return _taking_values(generation.compiled[PREPARE], kernel) if PREPARE in generation.compiled else kernel


def _taking_values(prepare: CompiledKernel, kernel: CompiledKernel) -> CompiledKernel:
    """A kernel that prepares run-time parameters itself."""

    def run(inputs: Sequence[Array]) -> Sequence[Array]:
        *state, values = inputs
        params, _ = prepare.run([values])
        return kernel.run([*state, params])

    *state, _ = kernel.program.inputs
    return replace(kernel, program=replace(kernel.program, inputs=(*state, *prepare.program.inputs)), run=run)


def _description(robot: Robot) -> RobotDescription:
    return robot if isinstance(robot, RobotDescription) else load_robot(robot)
