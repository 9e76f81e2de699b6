"""The pipeline: the only place that knows the order of the stages.

    description -> model -> candidate -> program -> passes -> source -> compiled kernel -> verification

| stage | folder | from | to |
| --- | --- | --- | --- |
| description | description | YAML | RobotDescription |
| model | model | RobotDescription | RobotModel |
| formulation | optimize | RobotModel | Candidate: the model regrouped, and a choice for each of its bodies |
| program | dynamics | Candidate | Program, one for every function |
| passes | passes, refactoring | Program | Program, PassRecords |
| cores | scheduling | Program | Partition, where several cores are asked for |
| source | languages, delivery | Package of Programs | SourceFiles |
| compiled kernel | toolchain | SourceFiles | CompiledKernel |
| verification | verification | CompiledKernel, RobotDescription | KernelProof |

Every result is kept in the Generation that `generate` returns; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dynagen.codegen.cores.partitioning import divide
from dynagen.codegen.partition import Partition
from dynagen.codegen.targets.assembly import assemble
from dynagen.dynamics.arguments import parameter_argument
from dynagen.ir.cost import count
from dynagen.ir.program import Program
from dynagen.optimizer.compile import CompiledFunction, compose
from dynagen.optimizer.passes.hoisting import hoist_parameters
from dynagen.optimizer.passes.manager import PassRecord, run_passes
from dynagen.pipeline.generation import Generation, Request, resolve
from dynagen.pipeline.packaging import package_of
from dynagen.pipeline.parallel import compile_functions, prove_functions
from dynagen.pipeline.settings import DEFAULT_FUNCTIONS, Settings
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.stages import Progress, Stages
from dynagen.verification.reference import references
from dynagen.verification.regressors import base_undecided_because

__all__ = ["DEFAULT_FUNCTIONS", "Generation", "Settings", "generate"]


def generate(
    description: RobotDescription,
    settings: Settings,
    progress: Progress = lambda stage, done: None,
    prove: bool = True,
    workers: int = 1,
) -> Generation:
    """Generate code for a robot, compile it and prove it.

    Args:
        description: the robot.
        settings: what to generate.
        progress: is called when a stage begins, and while it goes on.
        prove: False leaves out compiling and proving, though the files may say otherwise: for comparison with files on disk,
            never for writing.
        workers: most processes to make and prove functions in. What comes out does not depend on it, but that only a single
            process keeps compiled kernels.

    Raises:
        UsageError: an unknown function, method, cost or language, an option that the language has no use for, or a prefix
            that is no identifier.
        ToolchainError: no compiler, or it refuses the code.
        VerificationError: the compiled code and a reference disagree.
    """
    stage = Stages(progress)
    with stage("model"):
        model = build_model(description)
    request = _decided(resolve(settings, model), description)
    compiled = compile_functions(description, request, model, stage, workers)
    functions, prepare = _prepared(compiled, model, stage)
    functions = tuple(compose(each, model) for each in functions)
    partitions = _divided(functions, request, stage)
    with stage("source"):
        package = package_of(description, model, request, functions, prepare, partitions)
        files = assemble(package, request.language)
    generation = Generation(
        description, model, request, functions, package, files, seconds=stage.seconds
    )
    if not (settings.verify and prove):
        return generation
    proofs, kernels = prove_functions(description, request, package, files, stage, workers)
    return replace(generation, proofs=proofs, compiled=kernels)


def _decided(request: Request, description: RobotDescription) -> Request:
    """The request without the functions of `all` that could not be proved for this robot, whatever their code is."""
    settings = request.settings
    doubtful = [
        each
        for each in request.functions
        if each.base_parameters and each.request not in settings.functions
    ]
    if not settings.verify or not doubtful:
        return request
    reference, *_ = references(substitute(description, {}))
    if not (reason := base_undecided_because(reference.regressors)):
        return request
    left_out = tuple(f"{each.name} is left out: {reason}" for each in doubtful)
    return replace(
        request,
        functions=tuple(each for each in request.functions if each not in doubtful),
        left_out=left_out,
    )


def _divided(
    functions: Sequence[CompiledFunction], request: Request, stage: Stages
) -> dict[str, Partition]:
    """The division of each function among cores, by name, where several are asked for."""
    partitions: dict[str, Partition] = {}
    if request.settings.cores > 1:
        for each in functions:
            with stage("cores", each.name):
                partitions[each.name] = divide(each.program, request.settings.cores, request.timing)
    return partitions


def _prepared(
    functions: Sequence[CompiledFunction], model: RobotModel, stage: Stages
) -> tuple[tuple[CompiledFunction, ...], Program | None]:
    """The functions without what depends on run-time parameters alone, and `prepare`, which computes that for all of them."""
    if not model.parameters:
        return tuple(functions), None
    with stage("passes", "hoisting"):
        programs, prepare = hoist_parameters(
            [each.program for each in functions], parameter_argument(model.parameters)
        )
        prepare, _ = run_passes(prepare)
    hoisted = []
    for function, program in zip(functions, programs, strict=True):
        record = PassRecord("moved to prepare", 0, count(function.program), count(program), 0.0)
        hoisted.append(replace(function, program=program, passes=(*function.passes, record)))
    return tuple(hoisted), prepare
