"""Functions compiled and proved, in this process or divided among several; what comes out does not depend on how many.

Functions cannot be sent to other processes, as parts of them are made while the program runs: a task names them by their
positions in the request, which every process resolves for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any

from dynagen.codegen.language import load_package
from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.routine import batch_name, cores_name
from dynagen.dynamics.function import DynamicsFunction
from dynagen.ir.program import PREPARE
from dynagen.optimizer.compile import CompiledFunction, compile_function
from dynagen.optimizer.formulation import DesignSpace
from dynagen.pipeline.generation import Request, resolve
from dynagen.pipeline.proof import prove_kernels
from dynagen.pipeline.provenance import Provenance, formulas_in, short_formulas
from dynagen.pipeline.settings import Settings
from dynagen.processes import in_processes
from dynagen.robot.description import RobotDescription
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.stages import Stages
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import KernelProof

Proved = tuple[dict[str, KernelProof], dict[str, CompiledKernel]]
"""Proofs and compiled kernels by function name."""


def compile_functions(
    description: RobotDescription, request: Request, model: RobotModel, stage: Stages, workers: int
) -> tuple[CompiledFunction, ...]:
    """Compile the functions of a request; in several processes those first that have many results and methods.

    Args:
        description: the robot.
        request: what is asked for.
        model: the robot in the generator's frames.
        stage: reports and times what is done.
        workers: most processes.
    """
    functions = request.functions
    if workers == 1 or len(functions) == 1:
        space, provenance = DesignSpace(model), Provenance(description)
        return tuple(_compile(each, space, provenance, request, stage) for each in functions)
    sizes = [
        len(each.methods) * sum(argument.size for argument in each.outputs(model))
        for each in functions
    ]
    order = sorted(range(len(functions)), key=lambda position: -sizes[position])
    compiled: dict[int, CompiledFunction] = {}
    calls = [(description, request.settings, position) for position in order]
    for place, (parts, seconds) in in_processes(_compile_alone, calls, workers):
        compiled[order[place]] = CompiledFunction(functions[order[place]], *parts)
        stage.add(seconds)
        stage.progress("functions", len(compiled) / len(calls))
    return tuple(compiled[position] for position in range(len(functions)))


def _compile_alone(
    description: RobotDescription, settings: Settings, position: int
) -> tuple[list[Any], dict[str, float]]:
    """One function: all of a CompiledFunction but its definition, and the stages' seconds."""
    space, provenance, request = _resolved(description, settings)
    stage = Stages()
    function = _compile(request.functions[position], space, provenance, request, stage)
    _, *parts = (getattr(function, field.name) for field in fields(function))
    return parts, stage.seconds


def _compile(
    definition: DynamicsFunction,
    space: DesignSpace,
    provenance: Provenance,
    request: Request,
    stage: Stages,
) -> CompiledFunction:
    function = compile_function(definition, space, request.effort, request.settings.method, stage)
    with stage("formulas", definition.name):
        return replace(
            function,
            formulas=short_formulas(formulas_in(function.program, provenance.numbers(function))),
        )


@lru_cache(maxsize=1)  # a process gets the same for all its tasks
def _resolved(
    description: RobotDescription, settings: Settings
) -> tuple[DesignSpace, Provenance, Request]:
    model = build_model(description)
    return DesignSpace(model), Provenance(description), resolve(settings, model)


def prove_functions(
    description: RobotDescription,
    request: Request,
    package: Package,
    files: Sequence[SourceFile],
    stage: Stages,
    workers: int,
) -> Proved:
    """Compile kernels and compare them with the references; in several processes about as many instructions in each.

    Neighbours stay together there: they ask the references for the same. Kernels stay where they are, so that none come back.

    Args:
        description: the robot.
        request: what is asked for.
        package: what was made of it.
        files: its source files.
        stage: reports and times what is done.
        workers: most processes.

    Raises:
        ToolchainError: no compiler, or it refuses the code.
        VerificationError: the compiled code and a reference disagree.
    """
    positions = range(len(request.functions))
    if workers == 1 or len(positions) == 1:
        return _prove(description, request, positions, package, files, stage)
    programs = {kernel.function: kernel.program for kernel in package.kernels}
    names = [function.name for function in request.functions]
    *before, total = accumulate((len(programs[name].instructions) for name in names), initial=0)
    shares = [workers * instructions // max(total, 1) for instructions in before]
    hands = [
        [position for position, _ in hand]
        for _, hand in groupby(enumerate(shares), key=itemgetter(1))
    ]
    calls = []
    for hand in hands:
        taken = {names[position] for position in hand} | {PREPARE}
        kernels = tuple(kernel for kernel in package.kernels if kernel.function in taken)
        calls.append(
            (description, request.settings, hand, replace(package, kernels=kernels), files)
        )
    proofs: dict[str, KernelProof] = {}
    stage.progress("proof", 0.0)
    for _, (proved, seconds) in in_processes(_prove_alone, calls, workers):
        proofs |= proved
        stage.add(seconds)
        stage.progress("proof", sum(name in proofs for name in names) / len(names))
    return {
        name: proofs[name]
        for each in names
        for name in (each, batch_name(each), cores_name(each))
        if name in proofs
    }, {}


def _prove_alone(
    description: RobotDescription,
    settings: Settings,
    positions: Sequence[int],
    package: Package,
    files: Sequence[SourceFile],
) -> tuple[dict[str, KernelProof], dict[str, float]]:
    """The functions at these positions, and the stages' seconds."""
    stage = Stages()
    *_, request = _resolved(description, settings)
    proofs, _ = _prove(description, request, positions, package, files, stage)
    return proofs, stage.seconds


def _prove(
    description: RobotDescription,
    request: Request,
    positions: Sequence[int],
    package: Package,
    files: Sequence[SourceFile],
    stage: Stages,
) -> Proved:
    functions, settings = [request.functions[position] for position in positions], request.settings
    with stage("compiled kernel"):
        compiled = load_package(request.language, package, files)
    with stage("verification"):
        proofs = prove_kernels(
            description, functions, compiled, request.real, settings.states, settings.seed
        )
    return {proof.function: proof for proof in proofs}, compiled
