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
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePath
from time import perf_counter

from dynagen.backends import find_backend
from dynagen.backends.naming import checked_prefix
from dynagen.backends.package import Backend, Joint, Kernel, Package, Proof, Rows, SourceFile, compiled_files
from dynagen.dynamics.function import DynamicsFunction, apart
from dynagen.dynamics.parameters import parameter_argument
from dynagen.dynamics.requests import find_functions, left_out, require_method
from dynagen.ir.cost import FLOPS, CostModel, find_cost, price
from dynagen.ir.count import OperationCount, count
from dynagen.ir.interface import PARAMS, VALUES
from dynagen.ir.program import Program
from dynagen.optimize.choice import OPTIMIZE, Effort, choose_formulation
from dynagen.optimize.explanation import explain
from dynagen.optimize.formulations import DEFAULT_BUDGET
from dynagen.optimize.loads import are_apart, with_loads
from dynagen.passes.hoisting import hoist_parameters
from dynagen.passes.manager import PassRecord, run_passes
from dynagen.proof import prove_kernels
from dynagen.real import DOUBLE, find_real
from dynagen.robot.base_parameters import groupings
from dynagen.robot.description import RobotDescription
from dynagen.robot.loads import without_loads
from dynagen.robot.model import RobotModel, build_model
from dynagen.robot.names import identifier
from dynagen.toolchain import CompiledKernel, compile_kernels
from dynagen.verification.comparison import KernelProof
from dynagen.verification.reference import references
from dynagen.verification.rules import RULES
from dynagen.verification.sampling import DEFAULT_COUNT, DEFAULT_SEED, sample_parameters, sample_states
from dynagen.version import __version__

DEFAULT_FUNCTIONS = ("inverse_dynamics",)
_VECTORS = 6  # states of the golden test


@dataclass(frozen=True)
class Settings:
    """What to generate.

    Attributes:
        language: name or alias of a back end.
        functions: requests, as `dynamics.requests` reads them; duplicates count once.
        prefix: C identifier that public names start with; None takes the robot's name.
        verify: whether to compile and prove before anything is returned.
        states, seed: of the proof.
        real: type of all numbers in the kernels, double or float.
        single_file: whether C comes as one header and one source file.
        optimize: how hard to look for a formulation that costs little: none takes the described one, default tries a
            handful, max searches (seconds to minutes).
        method: of the functions that can be computed by it; None takes the cheapest for each.
        cost: what is cheap: a cost model as `ir.cost.find_cost` reads it.
        budget: most programs that a search looks at, for one function and method.
    """

    language: str = "c"
    functions: tuple[str, ...] = DEFAULT_FUNCTIONS
    prefix: str | None = None
    verify: bool = True
    states: int = DEFAULT_COUNT
    seed: int = DEFAULT_SEED
    real: str = DOUBLE.name
    single_file: bool = False
    method: str | None = None
    optimize: str = OPTIMIZE[1]
    cost: str = FLOPS.name
    budget: int = DEFAULT_BUDGET


@dataclass(frozen=True)
class GeneratedFunction:
    """One function on its way: as recorded, as emitted, and its proof (None if not verified).

    Attributes:
        method: the one of the function's methods that was taken.
        considered: every method with the operations it needs; unless one was asked for the cheapest is taken, of equals the
            first.
        formulation: how the robot's own data were rearranged to save operations, in sentences.
    """

    definition: DynamicsFunction
    recorded: Program
    program: Program
    passes: tuple[PassRecord, ...]
    method: str = ""
    considered: tuple[tuple[str, OperationCount], ...] = ()
    formulation: tuple[str, ...] = ()
    proof: KernelProof | None = None

    @property
    def name(self) -> str:
        """Of the function."""
        return self.definition.name

    @property
    def operations(self) -> OperationCount:
        """Of one call of the emitted code."""
        return count(self.program)


@dataclass(frozen=True)
class Generation:
    """Every result of a run.

    Attributes:
        files: what to write, the manifest last.
        compiled: kernels by function name; empty if not verified.
        seconds: wall time of every stage.
    """

    description: RobotDescription
    model: RobotModel
    settings: Settings
    backend: Backend
    functions: tuple[GeneratedFunction, ...]
    package: Package
    files: tuple[SourceFile, ...]
    compiled: dict[str, CompiledKernel] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def manifest(self) -> SourceFile:
        """The machine-readable contract of what was generated."""
        return self.files[-1]

    @property
    def notes(self) -> tuple[str, ...]:
        """What loading and modelling changed or assumed, for the user."""
        return self.description.notes + self.model.notes + left_out(self.settings.functions, self.model)


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
                program, records = run_passes(recorded, effort.cost)
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
        package = _package(description, model, settings, tuple(functions), prepare)
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


def _package(
    description: RobotDescription,
    model: RobotModel,
    settings: Settings,
    functions: tuple[GeneratedFunction, ...],
    prepare: Program | None,
) -> Package:
    real = find_real(settings.real)
    rule = RULES[real]
    names = tuple(reference.name for reference in references(description))
    kernels = (
        Kernel(made.formula, each.program, each.operations, made.complete_legend, made.request, each.formulation)
        for each in functions
        for made in (each.definition,)
    )
    preparation = () if prepare is None else (Kernel("params = prepare(values)", prepare, count(prepare)),)
    return Package(
        robot=description.name,
        prefix=checked_prefix(settings.prefix or identifier(description.name)),
        source=description.source,
        gravity="({})".format(", ".join(f"{float(component):g}" for component in description.gravity)),
        joints=tuple(Joint(body.name, body.joint) for body in model.bodies),
        input_name=PurePath(description.path).name,
        input_sha256=description.sha256,
        version=__version__,
        kernels=(*preparation, *kernels),
        proof=Proof(settings.states, settings.seed, rule.tolerance, names, rule.text) if settings.verify else None,
        vectors=_vectors(description, functions, settings),
        parameters=description.parameters,
        base=groupings(model) if any(each.definition.base_parameters for each in functions) else (),
        real=real,
        cost="" if settings.cost == FLOPS.name else settings.cost,
        single_file=settings.single_file,
    )


def _vectors(description: RobotDescription, functions: Sequence[GeneratedFunction], settings: Settings) -> dict[str, Rows]:
    """A handful of states for the golden test: at rest, at special poses, at random; three decimals, then rounded to the type.

    With run-time parameters the first state has their defaults, and the others have the values of the proof's cases in turn.
    """
    real = find_real(settings.real)
    inputs = (argument.name for function in functions for argument in function.program.inputs)
    names = tuple(name for name in dict.fromkeys(inputs) if name != PARAMS)
    states = sample_states(description, names, _VECTORS, settings.seed)
    vectors = {
        name: tuple(tuple(float(real.dtype(round(float(value), 3))) for value in row) for row in states[name])
        for name in names
    }
    if not description.parameters:
        return vectors
    defaults = tuple(float(real.nearest(parameter.value)) for parameter in description.parameters)
    _, *others = (
        tuple(float(real.dtype(f"{value:.3g}")) for value in case.values())
        for case in sample_parameters(description.parameters, settings.seed)
    )
    cases = (defaults, *others)
    return {**vectors, VALUES: tuple(cases[state % len(cases)] for state in range(_VECTORS))}
