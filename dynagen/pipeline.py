"""The pipeline: the only place that knows the order of the stages.

    description -> model -> formulation -> program -> passes -> source -> compiled kernel -> verification

| stage | folder | from | to |
| --- | --- | --- | --- |
| description | robot | YAML | RobotDescription |
| model | robot | RobotDescription | RobotModel |
| formulation | optimize | RobotModel | RobotModel, regrouped, and the axes of its bodies, by counting |
| program | dynamics | RobotModel | Program, one for every function |
| passes | passes | Program | Program, PassRecords |
| source | backends | Package of Programs | SourceFiles |
| compiled kernel | toolchain | SourceFiles | CompiledKernel |
| verification | verification | CompiledKernel, RobotDescription | KernelProof |

Every result is kept in the Generation that `generate` returns; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter

from dynagen.backends import find_backend
from dynagen.backends.package import compiled_files
from dynagen.dynamics.function import apart
from dynagen.dynamics.parameters import parameter_argument
from dynagen.dynamics.requests import find_functions, require_method
from dynagen.generation import DEFAULT_FUNCTIONS, GeneratedFunction, Generation, Settings
from dynagen.ir.cost import CostModel, find_cost, price
from dynagen.ir.count import count
from dynagen.optimize.choice import Effort, choose_formulation
from dynagen.optimize.explanation import explain
from dynagen.optimize.loads import are_apart, with_loads
from dynagen.packaging import package_of
from dynagen.passes.hoisting import hoist_parameters
from dynagen.passes.manager import optimised
from dynagen.proof import prove_kernels
from dynagen.robot.description import RobotDescription
from dynagen.robot.loads import without_loads
from dynagen.robot.model import RobotModel, build_model
from dynagen.toolchain import compile_kernels

__all__ = ["DEFAULT_FUNCTIONS", "GeneratedFunction", "Generation", "Progress", "Settings", "generate"]

Progress = Callable[[str, float | None], None]
"""Is told what happens, in a few words, and how much of it is done, from 0 to 1, where that is known."""


def generate(
    description: RobotDescription, settings: Settings, progress: Progress = lambda stage, done: None, prove: bool = True
) -> Generation:
    """Generate code for a robot, compile it and prove it.

    Args:
        description: the robot.
        settings: what to generate.
        progress: is called when a stage begins, and while it goes on.
        prove: False leaves out compiling and proving, though the files may say otherwise: for comparison with files on disk,
            never for writing.

    Raises:
        UsageError: an unknown function, method, cost or language, or a prefix that is no identifier.
        ToolchainError: no compiler, or it refuses the code.
        VerificationError: the compiled code and a reference disagree.
    """
    seconds: dict[str, float] = {}

    @contextmanager
    def stage(name: str, detail: str = "") -> Iterator[None]:
        progress(f"{name} {detail}".rstrip(), None)
        start = perf_counter()
        yield
        seconds[name] = seconds.get(name, 0.0) + perf_counter() - start

    backend = find_backend(settings.language)
    with stage("model"):
        model = build_model(description)
    definitions = find_functions(settings.functions, model)
    require_method(settings.method, definitions)
    effort = Effort(settings.optimize, find_cost(settings.cost), settings.budget)
    functions = []
    for definition in definitions:
        candidates = []
        loaded = are_apart(definition, model)
        robot = without_loads(model) if loaded else model
        for method in definition.methods:
            with stage("formulation", of := f"{definition.name} {method}".rstrip()):
                way = choose_formulation(definition, method, robot, effort, partial(progress, of))
            with stage("program", of):
                recorded = definition.build(way.model, way.formulation, method)
            with stage("passes", of):
                program, records = optimised(recorded, effort.cost)
            if loaded:
                with stage("loads", of):
                    program, record = with_loads(definition, model, program, effort)
                    records = (*records, record)
            explanation = explain(robot, way)
            candidates.append(GeneratedFunction(definition, recorded, program, records, method, formulation=explanation))
        functions.append(_cheapest(candidates, model, settings.method, effort.cost))
    prepare = None
    if model.parameters:
        with stage("passes", "hoisting"):
            programs, prepare = hoist_parameters([each.program for each in functions], parameter_argument(model.parameters))
            functions = [replace(each, program=program) for each, program in zip(functions, programs, strict=True)]
    with stage("source"):
        package = package_of(description, model, settings, tuple(functions), prepare)
        files = backend.render(package)
    generation = Generation(description, model, settings, backend, tuple(functions), package, files, {}, seconds)
    if not (settings.verify and prove):
        return generation
    with stage("compiled kernel"):
        symbols = {backend.symbol(package, kernel): kernel.program for kernel in package.kernels}
        compiled = compile_kernels(backend.name, compiled_files(backend, package, files), symbols, package.real)
    with stage("verification"):
        proofs = prove_kernels(description, definitions, compiled, package.real, settings.states, settings.seed)
    proved = tuple(replace(each, proof=proof) for each, proof in zip(functions, proofs, strict=True))
    return replace(generation, functions=proved, compiled=compiled)


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
