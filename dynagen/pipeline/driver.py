"""Pipeline from a robot description to proved code, with the order of all stages.

    description -> model -> candidate -> program -> passes -> source -> compiled kernel -> proof

| stage | package | from | to |
| --- | --- | --- | --- |
| description | robot | file | RobotDescription |
| model | robot/model | RobotDescription | RobotModel |
| formulation | optimizer | RobotModel | Candidate: a model and a choice for each body |
| program | dynamics | Candidate | Program, one for each function |
| passes | optimizer/passes, optimizer/search | Program | Program, PassRecords |
| cores | codegen/cores | Program | Partition, if several cores are requested |
| source | codegen/targets | Package of Programs | SourceFiles |
| build | codegen/targets | Package, SourceFiles | Archive or library, if the target has one |
| compiled kernel | toolchain | SourceFiles, Archive or library | CompiledKernel |
| verification | verification | CompiledKernel, RobotDescription | KernelProof |

`generate` runs the stages and returns all results as one Generation. `generate` writes no files. A
Request contains the settings of a run, with objects in place of names (`resolve`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from dynagen.codegen.partition import Partition
from dynagen.dynamics.arguments import make_parameter_argument
from dynagen.ir.cost import count
from dynagen.ir.program import Program
from dynagen.optimizer.compile import CompiledFunction, compose
from dynagen.optimizer.passes.manager import PassRecord, run_passes
from dynagen.pipeline.generation import Generation, Request, resolve
from dynagen.pipeline.packaging import build_package
from dynagen.pipeline.parallel import compile_functions, expect_in_advance, open_proof
from dynagen.pipeline.settings import DEFAULT_FUNCTIONS, Settings
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.stages import Progress, Stages
from dynagen.verification.reference import make_references
from dynagen.verification.regressors import explain_undecided_base
from dynagen.watch import keep_best_on_interrupt

__all__ = ["DEFAULT_FUNCTIONS", "Generation", "Settings", "generate"]


def generate(
    description: RobotDescription,
    settings: Settings,
    progress: Progress = lambda stage, done: None,
    prove: bool = True,
    workers: int = 1,
    only_kernels: bool = False,
) -> Generation:
    """Generate code for a robot, compile it and prove it.

    Args:
        description: the robot.
        settings: what to generate.
        progress: called with a stage's name and its completed part (0 to 1; None: unknown), when a
            stage begins and during long stages.
        prove: whether to run the proof that `settings.verify` requests. If False, the returned
            files claim a proof that was not run: they may be compared with files on disk, but must
            never be written.
        workers: upper limit of the number of processes, which does not affect the generated code.
            Compiled kernels are returned only with one process.
        only_kernels: whether to return only the source files of kernels, and the files that they
            include. This suffices for calls from this process. The files must never be written to a
            folder.

    Returns:
        All results of the run.

    Raises:
        UsageError: an unknown function, method, cost, target or language, an option that target
            or language do not support, or a prefix that is not an identifier.
        ToolchainError: a tool is not installed, or rejects the code.
        VerificationError: the compiled code and a numeric reference disagree.
    """
    stage = Stages(progress)
    with stage("model"):
        model = build_model(description)
    request = leave_out_undecidable(resolve(settings, model), description)
    robot = description, model, request
    if not (settings.verify and prove):
        programs = _make_programs(*robot, stage, workers)
        return _print_code(*robot, *programs, stage, only_kernels)
    with expect_in_advance(description, request, model, stage, workers) as wait_for_known:
        functions, prepare = _make_programs(*robot, stage, workers)
        with open_proof(
            description, request, functions, stage, workers, wait_for_known
        ) as prove_kernels:
            generation = _print_code(*robot, functions, prepare, stage, only_kernels)
            proofs, kernels = prove_kernels(generation)
    return replace(generation, proofs=proofs, compiled=kernels)


def _make_programs(
    description: RobotDescription,
    model: RobotModel,
    request: Request,
    stage: Stages,
    workers: int,
) -> tuple[tuple[CompiledFunction, ...], Program | None]:
    """Return all functions with their final programs, and the program of `prepare`, if any."""
    with keep_best_on_interrupt() if request.effort.searches else nullcontext():
        compiled = compile_functions(description, request, model, stage, workers)
    # Hoisting sees all functions at once: they share one `prepare` and one array of its results.
    functions, prepare = hoist_into_prepare(compiled, model, stage)
    # A composed function, such as an integrator, calls another function. Its own program follows
    # when the program that it calls is final.
    return tuple(compose(function, model) for function in functions), prepare


def _print_code(
    description: RobotDescription,
    model: RobotModel,
    request: Request,
    functions: tuple[CompiledFunction, ...],
    prepare: Program | None,
    stage: Stages,
    only_kernels: bool,
) -> Generation:
    """Divide the final programs among cores, print the source files, and build them if required.

    A target such as a wheel requires a build.
    """
    partitions = divide_among_cores(functions, request, stage)
    with stage("source"):
        package = build_package(description, model, request, functions, prepare, partitions)
        files = (
            request.language.print_kernels(package)
            if only_kernels
            else request.target.print_files(package, request.language)
        )
    generation = Generation(
        description, model, request, functions, package, files, seconds=stage.seconds
    )
    if request.target.build is not None:
        with stage("build"):
            built = request.target.build(package, request.language, files)
        generation = replace(generation, built=built)
    return generation


def leave_out_undecidable(request: Request, description: RobotDescription) -> Request:
    """Return a request without those functions of `all` that cannot be proved for this robot.

    `all` is the user's word for all functions. Only functions of the base parameters can be left
    out: their reference depends on the rank of the regressor, which is numerically unclear for some
    robots. A function that the user names is always kept; its proof then reports the reason.
    """
    settings = request.settings
    # `function.request` is the name by which users select a function.
    doubtful = [
        function
        for function in request.functions
        if function.base_parameters and function.request not in settings.functions
    ]
    if not settings.verify or not doubtful:
        return request
    # The rank is computed with run-time parameters at their defaults.
    reference, *_ = make_references(substitute(description, {}))
    if not (reason := explain_undecided_base(reference.regressors)):
        return request
    left_out = tuple(f"{function.name} is left out: {reason}" for function in doubtful)
    return replace(
        request,
        functions=tuple(function for function in request.functions if function not in doubtful),
        left_out=left_out,
    )


def hoist_into_prepare(
    functions: Sequence[CompiledFunction], model: RobotModel, stage: Stages
) -> tuple[tuple[CompiledFunction, ...], Program | None]:
    """Move operations that depend only on run-time parameters into `prepare`.

    Returns:
        The functions without the moved operations, and the program of `prepare`, which is None
        without run-time parameters.
    """
    if not model.parameters:
        return tuple(functions), None
    from dynagen.optimizer.passes.hoisting import hoist_parameters

    with stage("passes", "hoisting"):
        programs, prepare = hoist_parameters(
            [function.program for function in functions], make_parameter_argument(model.parameters)
        )
        prepare, _ = run_passes(prepare)
    hoisted = []
    for function, program in zip(functions, programs, strict=True):
        record = PassRecord("moved to prepare", 0, count(function.program), count(program), 0.0)
        hoisted.append(replace(function, program=program, passes=(*function.passes, record)))
    return tuple(hoisted), prepare


def divide_among_cores(
    functions: Sequence[CompiledFunction], request: Request, stage: Stages
) -> dict[str, Partition]:
    """Divide each function among the requested number of processor cores.

    Args:
        functions: the functions, with their final programs.
        request: settings of the run, with the number of cores.
        stage: reports progress and measures times.

    Returns:
        The partitions by function name; empty if the kernels are for one core.
    """
    if request.settings.cores == 1:
        return {}
    # Imported here: few runs divide functions.
    from dynagen.codegen.cores.partitioning import divide

    partitions: dict[str, Partition] = {}
    for function in functions:
        with stage("cores", function.name):
            partitions[function.name] = divide(
                function.program, request.settings.cores, request.timing
            )
    return partitions
