"""The pipeline: the only place that knows the order of the stages.

    description -> model -> formulation -> program -> passes -> source -> compiled kernel -> verification

| stage | folder | from | to |
| --- | --- | --- | --- |
| description | robot | YAML | RobotDescription |
| model | robot | RobotDescription | RobotModel |
| formulation | optimize | RobotModel | RobotModel, regrouped, and the axes of its bodies, by counting |
| program | dynamics | RobotModel | Program, one for every function |
| passes | passes | Program | Program, PassRecords |
| source | languages | Package of Programs | SourceFiles |
| compiled kernel | toolchain | SourceFiles | CompiledKernel |
| verification | verification | CompiledKernel, RobotDescription | KernelProof |

Every result is kept in the Generation that `generate` returns; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any

from dynagen.delivery.assembly import assemble
from dynagen.description.description import RobotDescription
from dynagen.dynamics.function import DynamicsFunction, apart
from dynagen.dynamics.recording.parameters import parameter_argument
from dynagen.dynamics.requests import find_functions, require_method
from dynagen.errors import UsageError
from dynagen.generation import DEFAULT_FUNCTIONS, GeneratedFunction, Generation, Settings
from dynagen.ir.cost import CostModel, find_cost, price
from dynagen.ir.count import count
from dynagen.ir.interface import PREPARE
from dynagen.ir.program import Program
from dynagen.languages import find_language
from dynagen.languages.loading import load_package
from dynagen.languages.package import Package, SourceFile
from dynagen.model.model import RobotModel, build_model
from dynagen.optimize.choice import Effort, choose_formulation
from dynagen.optimize.explanation import explain
from dynagen.packaging import package_of
from dynagen.passes.hoisting import hoist_parameters
from dynagen.passes.manager import PassRecord, optimised
from dynagen.processes import in_processes
from dynagen.proof import prove_kernels
from dynagen.stages import Progress, Stages
from dynagen.toolchain.kernel import CompiledKernel
from dynagen.verification.comparison import KernelProof

__all__ = ["DEFAULT_FUNCTIONS", "GeneratedFunction", "Generation", "Settings", "generate"]


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
    language = find_language(settings.language)
    if settings.single_file and language.one_file:
        raise UsageError(f"--single-file: {language.name} has all kernels in one file anyway; leave it out")
    with stage("model"):
        model = build_model(description)
    definitions = find_functions(settings.functions, model)
    require_method(settings.method, definitions)
    if workers > 1 and len(definitions) > 1:
        functions = _make_in_processes(description, settings, definitions, model, stage, workers)
    else:
        functions = [_make(definition, model, settings, stage) for definition in definitions]
    prepare = None
    if model.parameters:
        with stage("passes", "hoisting"):
            programs, prepare = hoist_parameters([each.program for each in functions], parameter_argument(model.parameters))
            prepare, _ = optimised(prepare)
            functions = [_hoisted(each, program) for each, program in zip(functions, programs, strict=True)]
    with stage("source"):
        package = package_of(description, model, settings, tuple(functions), prepare)
        files = assemble(package, language)
    generation = Generation(description, model, settings, language, tuple(functions), package, files, {}, stage.seconds)
    if not (settings.verify and prove):
        return generation
    compiled: dict[str, CompiledKernel] = {}
    if workers > 1 and len(definitions) > 1:
        proofs = _prove_in_processes(generation, stage, workers)
    else:
        proofs, compiled = _prove(description, settings, definitions, package, files, stage)
    proved = tuple(replace(each, proof=proof) for each, proof in zip(functions, proofs, strict=True))
    return replace(generation, functions=proved, compiled=compiled)


def _make(definition: DynamicsFunction, model: RobotModel, settings: Settings, stage: Stages) -> GeneratedFunction:
    """From the model to the optimised program of one function, by all its methods."""
    effort = Effort(settings.optimize, find_cost(settings.cost), settings.budget)
    candidates = []
    for method in definition.methods:
        with stage("formulation", of := f"{definition.name} {method}".rstrip()):
            way = choose_formulation(definition, method, model, effort, partial(stage.progress, of))
        with stage("program", of):
            recorded = definition.build(way.model, way.formulation, method)
        with stage("passes", of):
            program, records = effort.passes(recorded)
        explanation = explain(definition, model, way)
        candidates.append(GeneratedFunction(definition, recorded, program, records, method, formulation=explanation))
    return _cheapest(candidates, model, settings.method, effort.cost)


def _hoisted(function: GeneratedFunction, program: Program) -> GeneratedFunction:
    """The function without what `prepare` computes for it."""
    record = PassRecord("moved to prepare", 0, count(function.program), count(program), 0.0)
    return replace(function, program=program, passes=(*function.passes, record))


def _prove(
    description: RobotDescription,
    settings: Settings,
    definitions: Sequence[DynamicsFunction],
    package: Package,
    files: Sequence[SourceFile],
    stage: Stages,
) -> tuple[tuple[KernelProof, ...], dict[str, CompiledKernel]]:
    """Compile the kernels of a package, and compare them with the references."""
    with stage("compiled kernel"):
        compiled = load_package(find_language(settings.language), package, files)
    with stage("verification"):
        proofs = prove_kernels(description, definitions, compiled, package.real, settings.states, settings.seed)
    return proofs, compiled


def _make_in_processes(
    description: RobotDescription,
    settings: Settings,
    definitions: Sequence[DynamicsFunction],
    model: RobotModel,
    stage: Stages,
    workers: int,
) -> list[GeneratedFunction]:
    """The same for several functions, those with many results and methods first: they take longest."""
    sizes = [len(each.methods) * sum(argument.size for argument in each.outputs(model)) for each in definitions]
    order = sorted(range(len(definitions)), key=lambda position: -sizes[position])
    made: dict[int, GeneratedFunction] = {}
    calls = [(description, settings, position) for position in order]
    for place, (parts, seconds) in in_processes(_make_alone, calls, workers):
        made[order[place]] = GeneratedFunction(definitions[order[place]], *parts)
        stage.add(seconds)
        stage.progress("functions", len(made) / len(calls))
    return [made[position] for position in range(len(definitions))]


def _make_alone(description: RobotDescription, settings: Settings, position: int) -> tuple[tuple[Any, ...], dict[str, float]]:
    """One function in a process of its own: all of a GeneratedFunction but its definition, and the stages' seconds."""
    model = build_model(description)
    stage = Stages()
    function = _make(find_functions(settings.functions, model)[position], model, settings, stage)
    _, *parts = (getattr(function, field.name) for field in fields(function))
    return tuple(parts), stage.seconds


def _prove_in_processes(generation: Generation, stage: Stages, workers: int) -> tuple[KernelProof, ...]:
    """Compile and compare several functions, about as many instructions in each process.

    Neighbours stay together: they ask the references for the same.
    """
    functions, package = generation.functions, generation.package
    *before, total = accumulate((len(function.program.instructions) for function in functions), initial=0)
    places = [workers * instructions // max(total, 1) for instructions in before]
    hands = [[position for position, _ in hand] for _, hand in groupby(enumerate(places), key=itemgetter(1))]
    calls = []
    for hand in hands:
        names = {functions[position].name for position in hand} | {PREPARE}
        kernels = tuple(kernel for kernel in package.kernels if kernel.function in names)
        calls.append((generation.description, generation.settings, hand, replace(package, kernels=kernels), generation.files))
    proofs: dict[int, KernelProof] = {}
    stage.progress("proof", 0.0)
    for place, (proved, seconds) in in_processes(_prove_alone, calls, workers):
        proofs.update(zip(hands[place], proved, strict=True))
        stage.add(seconds)
        stage.progress("proof", len(proofs) / len(functions))
    return tuple(proofs[position] for position in range(len(functions)))


def _prove_alone(
    description: RobotDescription, settings: Settings, positions: Sequence[int], package: Package, files: Sequence[SourceFile]
) -> tuple[tuple[KernelProof, ...], dict[str, float]]:
    """The functions at these positions, in a process of their own, and the stages' seconds."""
    definitions = find_functions(settings.functions, build_model(description))
    stage = Stages()
    proofs, _ = _prove(description, settings, [definitions[position] for position in positions], package, files, stage)
    return proofs, stage.seconds


def _cheapest(
    candidates: Sequence[GeneratedFunction], model: RobotModel, method: str | None, cost: CostModel
) -> GeneratedFunction:
    """The method that was asked for, or the one whose calls cost least; what is prepared does not count."""
    parameters = parameter_argument(model.parameters)
    calls = [hoist_parameters([candidate.program], parameters)[0][0] for candidate in candidates]
    prices = [
        (-apart(candidate.method).count(method), price(call, cost)) for candidate, call in zip(candidates, calls, strict=True)
    ]
    considered = tuple((candidate.method, count(call)) for candidate, call in zip(candidates, calls, strict=True))
    return replace(candidates[prices.index(min(prices))], considered=considered)
