"""Compilation and proof of all functions, in one process or in several processes.

Function definitions cannot be pickled because they contain closures. A task therefore identifies
functions by their names, and each process resolves the request again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import lru_cache
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any

from dynagen.codegen.package import Package
from dynagen.codegen.routine import name_batch_kernel, name_cores_kernel
from dynagen.codegen.targets.target import Built, SourceFiles
from dynagen.dynamics.function import DynamicsFunction
from dynagen.ir.program import PREPARE
from dynagen.optimizer.compile import CompiledFunction, compile_function
from dynagen.optimizer.formulation import DesignSpace
from dynagen.pipeline.generation import Generation, Request, resolve
from dynagen.pipeline.proof import (
    KnownValues,
    compute_known_values,
    make_conditions,
    prove_kernels,
)
from dynagen.pipeline.provenance import Provenance, find_formulas, select_short_formulas
from dynagen.pipeline.settings import Settings
from dynagen.processes import open_processes, run_in_processes
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.stages import Stages
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import KernelProof

Proved = tuple[dict[str, KernelProof], dict[str, CompiledKernel]]
"""Proofs and compiled kernels, both by kernel name."""


_LARGE = 500
"""Smallest number of outputs for which expected values are computed in another process.

For smaller functions, starting the process takes longer than the computation.
"""


@contextmanager
def expect_in_advance(
    description: RobotDescription,
    request: Request,
    model: RobotModel,
    stage: Stages,
    workers: int,
) -> Iterator[Callable[[], KnownValues]]:
    """Compute expected values of a large function in another process while the `with` block runs.

    Values are computed in advance only for a run with a single function, because several functions
    keep all processes busy.

    Args:
        description: the robot.
        request: settings of the run.
        model: the robot in the generator's frames.
        stage: reports and times the stages.
        workers: upper limit of the number of processes.

    Yields:
        A function that waits for the expected values and returns them. The returned mapping is
        empty if no values are computed in advance.
    """
    function, *others = request.functions
    entries = sum(argument.size for argument in function.outputs(model))
    if workers == 1 or others or not request.settings.verify or entries < _LARGE:
        yield dict
        return

    def wait() -> KnownValues:
        stage.progress("verification", None)
        values: KnownValues
        values, seconds = begun.result().result()
        stage.add(seconds)
        return values

    # A thread begins the task, because the process first imports the program.
    with open_processes(1) as begin, ThreadPoolExecutor(1) as thread:
        begun = thread.submit(begin, _expect_alone, description, request.settings)
        yield wait


def _expect_alone(
    description: RobotDescription, settings: Settings
) -> tuple[KnownValues, dict[str, float]]:
    """Compute the expected values of a single function; return them and times in s."""
    stage, model = Stages(), build_model(description)
    request = resolve(settings, model)
    (function,) = request.functions
    with stage("verification"):
        # Recording tells whether the kernel has a status.
        signature = function.build(model).signature
        values = compute_known_values(
            make_conditions(description, request.real, settings.states, settings.seed),
            [(function, signature)],
        )
    return values, stage.seconds


def compile_functions(
    description: RobotDescription, request: Request, model: RobotModel, stage: Stages, workers: int
) -> tuple[CompiledFunction, ...]:
    """Compile the functions of a request.

    Args:
        description: the robot.
        request: settings of the run.
        model: the robot in the generator's frames.
        stage: reports and times the stages.
        workers: upper limit of the number of processes.

    Returns:
        The compiled functions, in the order of the request.
    """
    functions = request.functions
    if workers == 1 or len(functions) == 1:
        space, provenance = DesignSpace(model), Provenance(description)
        return tuple(
            _compile(function, space, provenance, request, stage) for function in functions
        )
    # Functions with many results and methods take longest. They start first, so that no process
    # is left with a long one at the end.
    sizes = [
        len(function.methods) * sum(argument.size for argument in function.outputs(model))
        for function in functions
    ]
    order = sorted(range(len(functions)), key=lambda position: -sizes[position])
    compiled: dict[int, CompiledFunction] = {}
    calls = [(description, request.settings, functions[position].name) for position in order]
    for place, (parts, seconds) in run_in_processes(_compile_alone, calls, workers):
        compiled[order[place]] = CompiledFunction(functions[order[place]], *parts)
        stage.add(seconds)
        stage.progress("functions", len(compiled) / len(calls))
    return tuple(compiled[position] for position in range(len(functions)))


def _compile_alone(
    description: RobotDescription, settings: Settings, name: str
) -> tuple[list[Any], dict[str, float]]:
    """Compile one function in a worker process; return its fields and the times in s.

    The definition is not returned, because it cannot be pickled.
    """
    space, provenance, request = _resolve(description, settings)
    stage = Stages()
    (definition,) = _select_functions(request, [name])
    function = _compile(definition, space, provenance, request, stage)
    _, *parts = (getattr(function, field.name) for field in fields(function))
    return parts, stage.seconds


def _compile(
    definition: DynamicsFunction,
    space: DesignSpace,
    provenance: Provenance,
    request: Request,
    stage: Stages,
) -> CompiledFunction:
    """Compile a function, and find the formulas of its constants."""
    function = compile_function(definition, space, request.effort, request.settings.method, stage)
    with stage("formulas", definition.name):
        return replace(
            function,
            formulas=select_short_formulas(
                find_formulas(function.program, provenance.record_numbers(function))
            ),
        )


@lru_cache(maxsize=1)  # all tasks of a process have the same robot and settings
def _resolve(
    description: RobotDescription, settings: Settings
) -> tuple[DesignSpace, Provenance, Request]:
    """Build the data that all tasks of a worker process share."""
    model = build_model(description)
    return DesignSpace(model), Provenance(description), resolve(settings, model)


def _select_functions(request: Request, names: Sequence[str]) -> list[DynamicsFunction]:
    """Return the functions with given names, also those that the run leaves out."""
    functions = {function.name: function for function in request.functions}
    return [functions[name] for name in names]


def prove_functions(
    generation: Generation,
    stage: Stages,
    workers: int,
    wait_for_known: Callable[[], KnownValues] = dict,
) -> Proved:
    """Compile and load the kernels of a delivery, and compare them with the references.

    Args:
        generation: the generated code.
        stage: reports and times the stages.
        workers: upper limit of the number of processes.
        wait_for_known: function that returns the expected values that are known, such as the
            function of `expect_in_advance`.

    Returns:
        Proofs and compiled kernels. If several processes run, no kernels are returned, because
        compiled kernels cannot be pickled.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
        VerificationError: the compiled code and a reference disagree.
    """
    description, request = generation.description, generation.request
    package, files, built = generation.package, generation.files, generation.built
    if workers == 1 or len(request.functions) == 1:
        return _prove(
            description, request, request.functions, package, files, built, stage, wait_for_known
        )
    programs = {kernel.function: kernel.program for kernel in package.kernels}
    names = [function.name for function in request.functions]
    # Each process gets about the same number of instructions. Consecutive functions stay
    # together, because they often need the same results of a reference, which it caches.
    *before, total = accumulate((len(programs[name].instructions) for name in names), initial=0)
    workers_of_functions = [workers * instructions // max(total, 1) for instructions in before]
    shares = [
        [name for name, _ in share]
        for _, share in groupby(zip(names, workers_of_functions, strict=True), key=itemgetter(1))
    ]
    calls = []
    for share in shares:
        needed = {*share, PREPARE}
        kernels = tuple(kernel for kernel in package.kernels if kernel.function in needed)
        # A finished build already has all kernels, so no time can be saved.
        part = replace(package, kernels=kernels) if built is None else package
        calls.append((description, request.settings, share, part, files, built))
    proofs: dict[str, KernelProof] = {}
    stage.progress("proof", 0.0)
    for _, (proved, seconds) in run_in_processes(_prove_alone, calls, workers):
        proofs |= proved
        stage.add(seconds)
        stage.progress("proof", sum(name in proofs for name in names) / len(names))
    # Processes end in any order; the report needs the order of the request.
    return {
        name: proofs[name]
        for function in names
        for name in (function, name_batch_kernel(function), name_cores_kernel(function))
        if name in proofs
    }, {}


def _prove_alone(
    description: RobotDescription,
    settings: Settings,
    names: Sequence[str],
    package: Package,
    files: SourceFiles,
    built: Built | None,
) -> tuple[dict[str, KernelProof], dict[str, float]]:
    """Prove functions in a worker process; return proofs and times in s."""
    stage = Stages()
    *_, request = _resolve(description, settings)
    functions = _select_functions(request, names)
    proofs, _ = _prove(description, request, functions, package, files, built, stage)
    return proofs, stage.seconds


def _prove(
    description: RobotDescription,
    request: Request,
    functions: Sequence[DynamicsFunction],
    package: Package,
    files: SourceFiles,
    built: Built | None,
    stage: Stages,
    wait_for_known: Callable[[], KnownValues] = dict,
) -> Proved:
    """Compile and prove functions in this process."""
    settings = request.settings
    with stage("compiled kernel"):
        compiled = request.target.load(package, request.language, files, built)
    known = wait_for_known()
    with stage("verification"):
        proofs = prove_kernels(
            description,
            functions,
            compiled,
            request.real,
            settings.states,
            settings.seed,
            known=known,
        )
    return {proof.function: proof for proof in proofs}, compiled
